"""Reading what a Node tree declares: versions come through, addresses and scripts do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repoproof.toolchains.fault import Refused
from repoproof.toolchains.npm_manifest import manifest


def tree(root: Path, **files: object) -> Path:
    for name, content in files.items():
        (root / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return root


@pytest.mark.parametrize(
    "wanted", ["^4.18.0", "4.x", ">=1 <2 || 3", "latest", "*", "", "npm:other@^1", "npm:@scope/other@1.0.0"]
)
def test_versions_from_the_registry_come_through(tmp_path: Path, wanted: str) -> None:
    found = manifest(tree(tmp_path, **{"package.json": {"dependencies": {"a": wanted}}}), development=False)
    assert json.loads(found.package)["dependencies"] == {"a": wanted}


@pytest.mark.parametrize(
    "wanted",
    [
        "git+https://example.org/x.git", "git://example.org/x", "github:a/b", "a/b", "http://example.org/x.tgz", "file:../x", "link:x",
        "workspace:*", "../x", "/etc", "npm:a@file:x", {"version": "1"}, None, 1,
    ],
)  # fmt: skip
def test_anything_but_a_version_from_the_registry_is_refused(tmp_path: Path, wanted: object) -> None:
    with pytest.raises(Refused, match=r"package\.json: dependencies\.a: only versions from the registry"):
        manifest(tree(tmp_path, **{"package.json": {"dependencies": {"a": wanted}}}), development=False)


def test_scripts_configuration_and_unknown_fields_are_left_out(tmp_path: Path) -> None:
    package = {
        "name": "x",
        "scripts": {"preinstall": "touch /tmp/x"},
        "publishConfig": {"registry": "http://evil.example"},
        "dependencies": {"a": "1"},
        "workspaces": ["packages/*"],
    }
    found = manifest(
        tree(tmp_path, **{"package.json": package, ".npmrc": "registry=http://evil.example"}), development=False
    )
    assert json.loads(found.package) == {
        "name": "submission",
        "version": "0.0.0",
        "private": True,
        "dependencies": {"a": "1"},
    }
    assert any("workspaces" in note for note in found.notes)


def test_a_lock_keeps_versions_and_hashes_and_loses_addresses(tmp_path: Path) -> None:
    lock = {
        "lockfileVersion": 3,
        "packages": {
            "": {"dependencies": {"a": "git+https://evil.example/x"}, "scripts": {"install": "x"}},
            "node_modules/a": {
                "version": "1.0.0",
                "resolved": "http://evil.example/a.tgz",
                "integrity": "sha512-AAAA",
                "dependencies": {"b": "1"},
            },
        },
    }
    found = manifest(
        tree(tmp_path, **{"package.json": {"dependencies": {"a": "1"}}, "package-lock.json": lock}), development=False
    )
    assert json.loads(found.lock)["packages"] == {
        "": {"dependencies": {"a": "1"}},
        "node_modules/a": {"version": "1.0.0", "integrity": "sha512-AAAA", "dependencies": {"b": "1"}},
    }


@pytest.mark.parametrize(
    "packages",
    [
        {"node_modules/a": {"version": "1.0.0", "resolved": "git+ssh://git@evil.example/a.git#0"}},
        {"node_modules/a": {"version": "1.0.0", "resolved": "file:../a"}},
        {"node_modules/a": {"resolved": "packages/a", "link": True}},
        {"packages/a": {"version": "1.0.0"}},
        {"node_modules/../../a": {"version": "1.0.0"}},
        {"node_modules/a": {"version": "1.0.0", "dependencies": {"b": "git+https://evil.example/b"}}},
        {"node_modules/a": {"version": "https://evil.example/a.tgz"}},
        {"node_modules/a": "1.0.0"},
    ],
)
def test_a_lock_that_points_elsewhere_is_refused(tmp_path: Path, packages: dict[str, object]) -> None:
    lock = {"lockfileVersion": 3, "packages": packages}
    with pytest.raises(Refused, match=r"package-lock\.json"):
        manifest(
            tree(tmp_path, **{"package.json": {"dependencies": {"a": "1"}}, "package-lock.json": lock}),
            development=False,
        )


def test_an_old_lock_is_read_down_to_its_nested_packages(tmp_path: Path) -> None:
    nested = {"version": "1.0.0", "dependencies": {"b": {"version": "git+https://evil.example/b"}}}
    lock = {"lockfileVersion": 1, "dependencies": {"a": nested}}
    with pytest.raises(Refused, match="only versions from the registry"):
        manifest(
            tree(tmp_path, **{"package.json": {"dependencies": {"a": "1"}}, "package-lock.json": lock}),
            development=False,
        )


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "[" * 100_000, '{"dependencies": []}', '{"dependencies": {"../x": "1"}}']
)
def test_a_package_json_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(Refused, match=r"package\.json"):
        manifest(tree(tmp_path, **{"package.json": content}), development=False)


def test_development_dependencies_are_there_only_when_asked_for(tmp_path: Path) -> None:
    place = tree(tmp_path, **{"package.json": {"devDependencies": {"typescript": "5"}}})
    assert manifest(place, development=False).source == ""
    assert "typescript" in manifest(place, development=True).package
