"""How a Node service is started, and what that needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repoproof.toolchains.node_start import build_script, needs_development, start_command


def tree(root: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return root


START = {"scripts": {"start": "node index.js"}}


@pytest.mark.parametrize(
    ("files", "command", "source"),
    [
        ({"start.sh": "node x.js", "package.json": START}, ("sh", "./start.sh"), "start.sh"),
        ({"Procfile": "web: node y.js", "package.json": START}, ("sh", "-c", "node y.js"), "Procfile"),
        ({"package.json": START, "server.js": ""}, ("sh", "-c", "node index.js"), "package.json scripts.start"),
        (
            {"package.json": {"scripts": {"prestart": "node seed.js", "start": "node a.js"}}},
            ("sh", "-c", "{ node seed.js; } && node a.js"),
            "package.json scripts.start",
        ),
        (
            {"package.json": {"main": "lib/service"}, "lib/service.js": ""},
            ("node", "lib/service.js"),
            "package.json main",
        ),
        ({"package.json": {"main": "src"}, "src/index.js": ""}, ("node", "src/index.js"), "package.json main"),
        ({"package.json": {"main": "../x.js"}, "app.js": ""}, ("node", "app.js"), "convention: app.js"),
        (
            {"package.json": {"main": "gone.js"}, "server.js": "", "index.js": ""},
            ("node", "server.js"),
            "convention: server.js",
        ),
        ({"src/index.mjs": ""}, ("node", "src/index.mjs"), "convention: src/index.mjs"),
        ({"package.json": "{", "index.js": ""}, ("node", "index.js"), "convention: index.js"),
    ],
)
def test_a_service_is_found(tmp_path: Path, files: dict[str, object], command: tuple[str, ...], source: str) -> None:
    found = start_command(tree(tmp_path, files), port=1)
    assert found is not None and (found.command, found.source) == (command, source)


@pytest.mark.parametrize(
    "files", [{}, {"package.json": {"scripts": "x"}}, {"package.json": {"scripts": {"start": 1}}}, {"library.js": ""}]
)
def test_where_nothing_serves_nothing_is_found(tmp_path: Path, files: dict[str, object]) -> None:
    assert start_command(tree(tmp_path, files), port=1) is None


BUILD = {"build": "tsc"}


@pytest.mark.parametrize(
    ("files", "script"),
    [
        ({"package.json": {"scripts": {**BUILD, "start": "node dist/index.js"}}}, "{ tsc; }"),
        (
            {"package.json": {"scripts": {**BUILD, "prebuild": "rm -rf dist", "start": "node ./dist/index.js"}}},
            "{ rm -rf dist; } && { tsc; }",
        ),
        ({"package.json": {"scripts": BUILD, "main": "dist/index.js"}}, "{ tsc; }"),
        ({"package.json": {"scripts": BUILD}, "start.sh": "exec node build/server.js"}, "{ tsc; }"),
        ({"package.json": {"scripts": {**BUILD, "start": "node dist/index.js"}}, "dist/index.js": ""}, ""),
        ({"package.json": {"scripts": {**BUILD, "start": "node server.js"}}}, ""),
        ({"package.json": {"scripts": {"start": "node dist/index.js"}}}, ""),
        ({"package.json": {"scripts": BUILD}, "start.sh": "# node dist/index.js\nnode server.js"}, ""),
    ],
)
def test_a_build_is_made_only_where_starting_needs_its_output(
    tmp_path: Path, files: dict[str, object], script: str
) -> None:
    assert build_script(tree(tmp_path, files)) == script


@pytest.mark.parametrize(
    ("start", "needed"),
    [
        ("node server.js", False),
        ("NODE_ENV=production node server.js", False),
        ("nodemon server.js", True),
        ("tsx src/index.ts", True),
        ("node -r ts-node/register src/index.ts", True),
        ("npm run serve", True),
        ("npm install && node server.js", True),
        ("npm ci --omit=dev && node server.js", False),
        ("node dist/index.js", True),
    ],
)
def test_development_tools_are_installed_where_starting_uses_them(tmp_path: Path, start: str, needed: bool) -> None:
    scripts = {"start": start, "serve": "nodemon server.js", "build": "tsc"}
    package = {"scripts": scripts, "devDependencies": {"nodemon": "3", "ts-node": "10", "typescript": "5"}}
    assert needs_development(tree(tmp_path, {"package.json": package})) is needed


def test_without_development_dependencies_none_are_needed(tmp_path: Path) -> None:
    assert not needs_development(
        tree(tmp_path, {"package.json": {"scripts": {"start": "tsx x.ts"}, "dependencies": {"tsx": "4"}}})
    )
