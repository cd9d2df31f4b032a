"""Preparing Python trees for real: index, uv, sandbox."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.verdict import PhaseName
from repoproof.sandbox import ExecResult, Sandbox
from repoproof.toolchains import Prepared, PythonToolchain, runner_environment

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.needs("network")]

Inside = Callable[[Path, Prepared, str], ExecResult]


def prepare(tree: Path, box: Sandbox, cache: Path, exclude_newer: date | None = None, **files: str) -> Prepared:
    for name, content in files.items():
        (tree / name).write_text(content)
    return PythonToolchain().prepare(
        tree, box=box, cache=cache, log=lambda name, content: None, exclude_newer=exclude_newer
    )


def requirements(tree: Path, box: Sandbox, cache: Path, content: str) -> Prepared:
    return prepare(tree, box, cache, **{"requirements.txt": content})


def test_requirements_become_an_environment_that_a_start_script_finds_complete(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = requirements(tmp_path, box, cache, "flask==3.0.3\n")
    assert prepared.ok, prepared.phases
    script = "pip install -q -r requirements.txt; flask --version; python -c 'import flask, sys; print(sys.prefix)'; head -1 /env/bin/flask"
    ran = inside(tmp_path, prepared, script)
    assert ran.ok, ran.stderr
    assert b"Flask 3.0.3" in ran.stdout and ran.stdout.endswith(b"/env\n#!/env/bin/python\n")
    assert not inside(tmp_path, prepared, "touch /env/x").ok


def test_a_second_preparation_needs_no_network_and_runs_nothing(
    tmp_path: Path, box: Sandbox, cache: Path, request: pytest.FixtureRequest
) -> None:
    assert requirements(tmp_path, box, cache, "itsdangerous==2.2.0\n").ok
    request.getfixturevalue("unreachable")
    again = requirements(tmp_path, box, cache, "# the same, said otherwise\r\nItsDangerous == 2.2.0\r\n")
    assert again.ok and all(phase.cached and phase.cause is None for phase in again.phases)


@pytest.mark.usefixtures("unreachable")
def test_an_unreachable_index_is_our_failure(tmp_path: Path, box: Sandbox, cache: Path) -> None:
    with pytest.raises(InfrastructureError, match="could not reach the package index") as raised:
        requirements(tmp_path, box, cache, "itsdangerous==2.1.2\n")
    assert raised.value.boundary is Boundary.TOOLCHAIN


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("flask==99.0.0", "no version of flask==99.0.0"),
        ("flask==3.0.0\nwerkzeug<2", "werkzeug"),
        ("flask==3.0.0 --hash=sha256:" + "0" * 64, "no declared hash of flask matches"),
    ],
)
def test_requirements_that_cannot_be_met_are_the_candidates_failure(
    tmp_path: Path, box: Sandbox, cache: Path, content: str, reason: str
) -> None:
    prepared = requirements(tmp_path, box, cache, content)
    assert not prepared.ok
    assert (prepared.phases[-1].name, prepared.phases[-1].ok) == (PhaseName.FETCH, False)
    assert reason in prepared.phases[-1].reason and "\n" not in prepared.phases[-1].reason


def test_that_the_index_has_no_answer_is_remembered_and_needs_no_network_again(
    tmp_path: Path, box: Sandbox, cache: Path, request: pytest.FixtureRequest
) -> None:
    first = requirements(tmp_path, box, cache, "itsdangerous==98.0.0\n")
    request.getfixturevalue("unreachable")
    again = requirements(tmp_path, box, cache, "itsdangerous==98.0.0\n")
    assert not again.ok
    assert again.phases[-1].reason == first.phases[-1].reason != ""


@pytest.mark.usefixtures("unreachable")
def test_nothing_declared_is_an_empty_environment_without_network(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = prepare(tmp_path, box, cache, **{"main.py": "print('hello')"})
    assert prepared.ok
    assert inside(tmp_path, prepared, "python main.py").stdout == b"hello\n"


def test_a_package_without_wheels_is_built_in_the_sandbox(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = requirements(tmp_path, box, cache, "docopt==0.6.2\n")
    assert prepared.ok, prepared.phases
    assert inside(tmp_path, prepared, "python -c 'import docopt; print(docopt.__version__)'").stdout == b"0.6.2\n"


@pytest.mark.slow
def test_a_source_only_dependency_of_a_dependency_is_found_and_built(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = requirements(tmp_path, box, cache, "eve==2.2.0\n")
    assert prepared.ok, prepared.phases
    assert inside(tmp_path, prepared, "python -c 'import eve, events'").ok


def test_packages_published_after_the_cut_off_do_not_exist(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    prepared = prepare(tmp_path, box, cache, date(2023, 1, 1), **{"requirements.txt": "itsdangerous>=2"})
    assert prepared.ok, prepared.phases
    version = inside(
        tmp_path, prepared, "python -c 'import importlib.metadata as m; print(m.version(\"itsdangerous\"))'"
    )
    assert version.stdout == b"2.1.2\n"


def test_a_src_project_is_importable_and_its_build_hook_is_never_run(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    marker = tmp_path.parent / "hook-ran"
    (tmp_path / "src/shop").mkdir(parents=True)
    hook = f"open({str(marker)!r}, 'w')\nraise SystemExit('hook')\n"
    prepared = prepare(
        tmp_path,
        box,
        cache,
        **{
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "hook"\nbackend-path = ["."]\n'
            '[project]\nname = "shop"\nversion = "1"\ndependencies = ["itsdangerous==2.2.0"]\n[tool.uv]\nindex-url = "http://127.0.0.1:9"\n',
            "hook.py": hook,
            "setup.py": hook,
            "uv.toml": 'index-url = "http://127.0.0.1:9"\n',
            "src/shop/__init__.py": "NAME = 'shop'\n",
        },
    )
    assert prepared.ok, prepared.phases
    assert inside(tmp_path, prepared, "cd /tmp; python -c 'import shop; print(shop.NAME)'").stdout == b"shop\n"
    assert not marker.exists()


def test_an_interpreter_that_is_too_old_is_named_with_the_mend(
    tmp_path: Path, box: Sandbox, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPOPROOF_PYTHON", "/nonexistent/python3")
    with pytest.raises(InfrastructureError, match=r"no Python 3\.11 or newer \(apt-get install python3"):
        requirements(tmp_path, box, cache, "flask")


def test_our_own_runner_has_pytest_requests_and_httpx(
    tmp_path: Path, box: Sandbox, cache: Path, inside: Inside
) -> None:
    runner = runner_environment(None, box, cache, lambda name, content: None)
    assert inside(tmp_path, runner, "python -c 'import httpx, requests'; python -m pytest --version").ok


def test_test_requirements_that_do_not_exist_are_the_tasks_fault(tmp_path: Path, box: Sandbox, cache: Path) -> None:
    (tmp_path / "requirements.txt").write_text("pytest==0.0.0.1\n")
    with pytest.raises(InfrastructureError, match="environment of the tests") as raised:
        runner_environment(tmp_path / "requirements.txt", box, cache, lambda name, content: None)
    assert raised.value.boundary is Boundary.TASK
