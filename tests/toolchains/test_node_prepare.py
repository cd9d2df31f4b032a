"""Preparing Node trees for real: registry, npm, sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.verdict import PhaseName
from repoproof.sandbox import ExecResult, Sandbox
from repoproof.toolchains import NodeToolchain, Prepared

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.needs("node"), pytest.mark.needs("network")]

Inside = Callable[[Path, Prepared, str], ExecResult]


def prepare(tree: Path, box: Sandbox, cache: Path, package: dict[str, object], **files: str) -> Prepared:
    (tree / "package.json").write_text(json.dumps(package))
    for name, content in files.items():
        (tree / name).write_text(content)
    return NodeToolchain().prepare(tree, box=box, cache=cache, log=lambda name, content: None)


def test_dependencies_are_there_and_read_only_and_a_start_script_may_install_them_again(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = prepare(tmp_path, box, cache, {"dependencies": {"ms": "2.1.3"}})
    assert prepared.ok, prepared.phases
    ran = inside(tmp_path, prepared, "npm install >&2; node -p 'require(\"ms\")(60000)'")
    assert ran.stdout == b"1m\n", ran.stderr
    assert not inside(tmp_path, prepared, "touch node_modules/x").ok


def test_a_second_preparation_needs_no_network_and_runs_nothing(
    tmp_path: Path, box: Sandbox, cache: Path, request: pytest.FixtureRequest
) -> None:
    assert prepare(tmp_path, box, cache, {"dependencies": {"ms": "2.1.2"}}).ok
    request.getfixturevalue("unreachable")
    again = prepare(tmp_path, box, cache, {"version": "9", "dependencies": {"ms": "2.1.2"}})
    assert again.ok and all(phase.cached and phase.cause is None for phase in again.phases)


def test_that_the_registry_has_no_answer_is_remembered_and_needs_no_network_again(
    tmp_path: Path, box: Sandbox, cache: Path, request: pytest.FixtureRequest
) -> None:
    first = prepare(tmp_path, box, cache, {"dependencies": {"ms": "98"}})
    request.getfixturevalue("unreachable")
    again = prepare(tmp_path, box, cache, {"dependencies": {"ms": "98"}})
    assert not again.ok
    assert again.phases[-1].reason == first.phases[-1].reason != ""


@pytest.mark.usefixtures("unreachable")
def test_an_unreachable_registry_is_our_failure(tmp_path: Path, box: Sandbox, cache: Path) -> None:
    with pytest.raises(InfrastructureError, match="npm could not fetch: ECONNREFUSED") as raised:
        prepare(tmp_path, box, cache, {"dependencies": {"ms": "2.1.1"}})
    assert raised.value.boundary is Boundary.TOOLCHAIN


@pytest.mark.parametrize(
    ("dependencies", "reason"),
    [
        ({"ms": "99"}, "ETARGET"),
        ({"react": "18", "react-dom": "17.0.0"}, "ERESOLVE"),
        ({"x": "git+https://example.org/x"}, "only versions from the registry"),
    ],
)
def test_dependencies_that_cannot_be_met_are_the_candidates_failure(
    tmp_path: Path, box: Sandbox, cache: Path, dependencies: dict[str, str], reason: str
) -> None:
    prepared = prepare(tmp_path, box, cache, {"dependencies": dependencies})
    assert (prepared.ok, prepared.phases[-1].name, prepared.phases[-1].ok) == (False, PhaseName.FETCH, False)
    assert reason in prepared.phases[-1].reason


def test_dependencies_of_more_than_the_limit_are_not_fetched_to_the_end(
    tmp_path: Path, box: Sandbox, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repoproof.toolchains.npm_client.MOST_BYTES", 4096)
    prepared = prepare(tmp_path, box, cache, {"dependencies": {"ms": "2.0.0"}})
    assert not prepared.ok
    assert (prepared.phases[-1].name, "the dependencies come to more than" in prepared.phases[-1].reason) == (
        "fetch",
        True,
    )


def test_a_lock_decides_the_version_and_a_wrong_hash_in_it_is_the_candidates_failure(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    entry = {"version": "2.1.1", "resolved": "http://127.0.0.1:9/ms.tgz"}
    lock = {"lockfileVersion": 3, "packages": {"": {}, "node_modules/ms": entry}}
    package: dict[str, object] = {"dependencies": {"ms": "^2.1.0"}}
    prepared = prepare(
        tmp_path,
        box,
        cache,
        package,
        **{"package-lock.json": json.dumps(lock), ".npmrc": "registry=http://127.0.0.1:9"},
    )
    assert prepared.ok, prepared.phases
    assert inside(tmp_path, prepared, "node -p 'require(\"ms/package.json\").version'").stdout == b"2.1.1\n"
    entry["integrity"] = "sha512-" + "A" * 86 + "=="
    prepared = prepare(tmp_path, box, cache, package, **{"package-lock.json": json.dumps(lock)})
    assert not prepared.ok and "EINTEGRITY" in prepared.phases[-1].reason


@pytest.mark.usefixtures("unreachable")
def test_without_dependencies_there_is_nothing_to_do(tmp_path: Path, box: Sandbox, cache: Path, inside: Inside) -> None:
    prepared = prepare(
        tmp_path, box, cache, {"scripts": {"preinstall": "exit 1"}}, **{"server.js": "console.log('hello')"}
    )
    assert prepared.ok
    assert inside(tmp_path, prepared, "node server.js").stdout == b"hello\n"


BUILDING = {"build": "mkdir dist && cp src.js dist/index.js", "start": "node dist/index.js"}


def test_a_build_is_made_in_the_sandbox_and_leaves_the_submission_alone(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = prepare(
        tmp_path, box, cache, {"scripts": BUILDING, "dependencies": {"ms": "2.1.3"}}, **{"src.js": "console.log(1)"}
    )
    assert prepared.ok and prepared.tree is not None
    assert not (tmp_path / "dist").exists() and not (prepared.tree / "node_modules").exists()
    assert inside(tmp_path, prepared, "node dist/index.js").stdout == b"1\n"
    again = prepare(
        tmp_path, box, cache, {"scripts": BUILDING, "dependencies": {"ms": "2.1.3"}}, **{"src.js": "console.log(1)"}
    )
    assert all(phase.cached for phase in again.phases)
    changed = prepare(
        tmp_path, box, cache, {"scripts": BUILDING, "dependencies": {"ms": "2.1.3"}}, **{"src.js": "console.log(2)"}
    )
    assert inside(tmp_path, changed, "node dist/index.js").stdout == b"2\n"


def test_a_build_that_fails_is_said_in_its_own_words(tmp_path: Path, box: Sandbox, cache: Path) -> None:
    prepared = prepare(
        tmp_path, box, cache, {"scripts": {**BUILDING, "build": "echo 'error: no such type' >&2; exit 3"}}
    )
    assert (prepared.ok, prepared.phases[-1].name, prepared.phases[-1].exit_code) == (False, PhaseName.BUILD, 3)
    assert prepared.phases[-1].reason == "the build script failed: error: no such type"


@pytest.mark.slow
def test_a_native_add_on_is_compiled_in_the_sandbox(tmp_path: Path, box: Sandbox, cache: Path, inside: Inside) -> None:
    prepared = prepare(tmp_path, box, cache, {"dependencies": {"bcrypt": "5.0.1"}})
    assert prepared.ok, prepared.phases
    assert inside(tmp_path, prepared, 'node -p \'require("bcrypt").hashSync("x", 4).length\'').stdout == b"60\n"
