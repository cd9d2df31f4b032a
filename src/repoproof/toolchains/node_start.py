"""How to start a Node service, and what that needs: development tools, a build."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from .base import StartCommand
from .fault import Refused
from .npm_manifest import package_json
from .reading import inside
from .start import can_be_run, declared_start

_FILES = tuple(
    f"{folder}{stem}{suffix}"
    for folder in ("", "src/", "dist/", "app/", "lib/")
    for stem in ("server", "app", "index", "main")
    for suffix in (".js", ".mjs", ".cjs")
)
_NO_TOOLS = {
    "node",
    "npm",
    "sh",
    "bash",
    "cd",
    "exec",
    "env",
    "export",
    "echo",
    "set",
    "true",
    "sleep",
    "mkdir",
    "cp",
    "rm",
    "source",
    ".",
}
_OUTPUT = re.compile(r"(?:^|[\s=\"'/])((?:dist|build|out|lib|compiled)(?:/[\w./-]*)?)(?=$|[\s\"';&|])")


def start_command(tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
    """How to start the service in `tree`; None if nothing was found. It is told its port by the environment."""
    found = _found(tree)
    return found if found and can_be_run(*found.command) else None


def _found(tree: Path) -> StartCommand | None:
    package = _package(tree)
    script = _script(package, "start")
    if (declared := declared_start(tree)) is not None:
        return declared
    if script:
        # Without npm in between, signals and the exit code are the service's own.
        before = _script(package, "prestart")
        return StartCommand(
            command=("sh", "-c", f"{{ {before}; }} && {script}" if before else script),
            source="package.json scripts.start",
        )
    if (main := _main(tree, package)) is not None:
        return StartCommand(command=("node", main), source="package.json main")
    found = next((name for name in _FILES if inside(tree, name)), None)
    return StartCommand(command=("node", found), source=f"convention: {found}") if found else None


def build_script(tree: Path) -> str:
    """The `build` script (with its hooks), if starting needs what it makes: a start line or `main` names an output folder that is absent."""
    package = _package(tree)
    build = _script(package, "build")
    if not build or not any(_absent_output(tree, line) for line in (*_start_lines(tree), str(package.get("main", "")))):
        return ""
    hooks = (_script(package, "prebuild"), build, _script(package, "postbuild"))
    return " && ".join(f"{{ {hook}; }}" for hook in hooks if hook)


def needs_development(tree: Path) -> bool:
    """Whether starting or building uses a tool that only the development dependencies bring, or installs them itself."""
    package = _package(tree)
    development = package.get("devDependencies")
    if not isinstance(development, dict) or not development:
        return False
    if build_script(tree):
        return True
    if any(
        re.search(r"\bnpm (?:install|i|ci)\b(?!.*(?:--omit|--production|--only))", line) for line in _start_lines(tree)
    ):
        return True
    production = package.get("dependencies")
    known = _NO_TOOLS | set(production if isinstance(production, dict) else {})
    lines = [_followed(package, line) for line in _start_lines(tree)]
    return any(program not in known for line in lines for program in _programs(line)) or any(
        re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w-])", line) for line in lines for name in development
    )


def _package(tree: Path) -> dict[str, Any]:
    try:
        return package_json(tree)
    except Refused:
        return {}


def _script(package: dict[str, Any], name: str) -> str:
    scripts = package.get("scripts")
    script = scripts.get(name) if isinstance(scripts, dict) else None
    return script.strip() if isinstance(script, str) else ""


def _start_lines(tree: Path) -> list[str]:
    package = _package(tree)
    found = inside(tree, "start.sh")
    own = (
        found.read_text(encoding="utf-8", errors="replace").splitlines()
        if found and found.stat().st_size < 1 << 20
        else []
    )
    declared = declared_start(tree)
    procfile = [declared.command[-1]] if declared and declared.source == "Procfile" else []
    script = [line for line in (_script(package, "prestart"), _script(package, "start")) if line]
    return [line for line in (*own, *procfile, *script) if not line.lstrip().startswith("#")]


def _followed(package: dict[str, Any], line: str) -> str:
    """`line` with the scripts it names (`npm run serve`) after it."""
    named = re.findall(r"npm (?:run(?:-script)? )?([\w:.-]+)", line)
    return " ; ".join((line, *filter(None, (_script(package, name) for name in named))))


def _programs(line: str) -> list[str]:
    """The first word of each command of a shell line."""
    words = [
        re.sub(r"^(?:\s*(?:\w+=\S*|exec|env|npx|cross-env)\s+)*\s*", "", part).split(" ")[0]
        for part in re.split(r"&&|\|\||[;|&]", line)
    ]
    return [posixpath.basename(word) for word in words if word and re.fullmatch(r"[\w@./-]+", word)]


def _absent_output(tree: Path, line: str) -> bool:
    return any(not (tree / match.split("/")[0]).exists() for match in _OUTPUT.findall(line))


def _main(tree: Path, package: dict[str, Any]) -> str | None:
    main = package.get("main")
    if not isinstance(main, str) or not main:
        return None
    main = posixpath.normpath(main)
    return next((name for name in (main, f"{main}.js", f"{main}/index.js") if inside(tree, name)), None)
