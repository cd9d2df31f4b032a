"""How to start a Python service: by what the tree declares, else by conventions read from its syntax trees. Nothing is imported."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..sandbox.apart import Unreadable, apart
from .base import StartCommand
from .fault import Refused
from .python_modules import App, Module, modules
from .reading import inside, text
from .requirements import toml
from .start import can_be_run, declared_start


def start_command(tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
    """How to start the service in `tree` on `port`; None if nothing was found."""
    found = declared_start(tree) or _django(tree, port) or _read_apart(tree, port, framework) or _project_script(tree)
    return found if found and can_be_run(*found.command) else None


_Command = Callable[[App, Module, int], tuple[str, ...]]


def _uvicorn(app: App, module: Module, port: int) -> tuple[str, ...]:
    factory = ("--factory",) if app.factory else ()
    return (
        "python",
        "-m",
        "uvicorn",
        f"{module.dotted}:{app.name}",
        *factory,
        "--host",
        "0.0.0.0",
        "--port",
        str(port),
    )


def _hypercorn(app: App, module: Module, port: int) -> tuple[str, ...]:
    call = "()" if app.factory else ""
    return ("python", "-m", "hypercorn", f"{module.dotted}:{app.name}{call}", "--bind", f"0.0.0.0:{port}")


def _flask(app: App, module: Module, port: int) -> tuple[str, ...]:
    return (
        "python",
        "-m",
        "flask",
        "--app",
        f"{module.dotted}:{app.name}",
        "run",
        "--host",
        "0.0.0.0",
        "--port",
        str(port),
    )


def _aiohttp(app: App, module: Module, port: int) -> tuple[str, ...]:
    call = f"{app.name}()" if app.factory else app.name
    code = f"from aiohttp import web; from {module.dotted} import {app.name}; web.run_app({call}, host='0.0.0.0', port={port})"
    return ("python", "-c", code)


def _eve(app: App, module: Module, port: int) -> tuple[str, ...]:
    call = f"{app.name}()" if app.factory else app.name
    return ("python", "-c", f"from {module.dotted} import {app.name}; {call}.run(host='0.0.0.0', port={port})")


_SERVERS: dict[str, tuple[_Command, bool]] = {
    "FastAPI": (_uvicorn, False),
    "Starlette": (_uvicorn, False),
    "Litestar": (_uvicorn, False),
    "Quart": (_hypercorn, True),
    "Flask": (_flask, True),
    "aiohttp": (_aiohttp, True),
    "Eve": (_eve, True),
}
"""By framework: the command that serves an app object, and whether the module's own main block, if it serves, comes first."""

_MAIN_NAMES = ("main", "app", "server", "run", "wsgi", "asgi", "api", "service", "index", "__main__")


def _read_apart(tree: Path, port: int, framework: str) -> StartCommand | None:
    """`_by_convention`, in a process of its own; None too where the sources do not let themselves be read."""
    try:
        found = apart(f"{__name__}:by_convention", str(tree), str(port), framework)
    except Unreadable:
        return None
    return StartCommand.model_validate(found) if found else None


def by_convention(tree: str, port: str, framework: str) -> dict[str, Any] | None:
    found = _by_convention(Path(tree), int(port), framework)
    return found.model_dump(mode="json") if found else None


def _by_convention(tree: Path, port: int, framework: str) -> StartCommand | None:
    found = sorted(modules(tree), key=_preference)
    wanted = re.sub(r"[^a-z]", "", framework.lower())
    serving = [(module, app) for module in found for app in module.apps]
    # An app that exists beats a factory; the task's own framework beats another; then the module's place decides.
    serving.sort(key=lambda pair: (bool(wanted) and pair[1].framework.lower() != wanted, pair[1].factory))
    for module, app in serving:
        serve, own_main_first = _SERVERS[app.framework]
        where = f"convention: {app.framework} in {module.path}"
        if own_main_first and module.serves_itself:
            return StartCommand(command=_as_script(module), source=where)
        if own_main_first and (
            runner := next((one for one in found if one.serves_itself and _preference(one) < (2,)), None)
        ):
            return StartCommand(command=_as_script(runner), source=f"convention: main block of {runner.path}")
        return StartCommand(command=_placed(module, serve(app, module, port)), source=where)
    for module in found:
        if module.serves_itself:
            return StartCommand(command=_as_script(module), source=f"convention: main block of {module.path}")
    for module in found:
        if module.has_main and module.path.stem in _MAIN_NAMES and len(module.path.parts) <= 2:
            return StartCommand(command=_as_script(module), source=f"convention: main block of {module.path}")
    return None


def _preference(module: Module) -> tuple[int, int, str]:
    stem = module.path.stem
    return (
        len(module.path.parts),
        _MAIN_NAMES.index(stem) if stem in _MAIN_NAMES else len(_MAIN_NAMES),
        str(module.path),
    )


def _as_script(module: Module) -> tuple[str, ...]:
    if module.path.parent == module.root:
        return ("python", str(module.path))
    name = module.dotted.removesuffix(".__main__")
    return _placed(module, ("python", "-m", name))


def _placed(module: Module, command: tuple[str, ...]) -> tuple[str, ...]:
    """`command` with the folder that the module's imports are relative to on the import path."""
    if module.root == Path():
        return command
    return ("env", f"PYTHONPATH=/app/{module.root.as_posix()}:/app", *command)


def _django(tree: Path, port: int) -> StartCommand | None:
    places = ["manage.py", *sorted(path.relative_to(tree).as_posix() for path in tree.glob("*/manage.py"))]
    for place in places:
        if inside(tree, place) is None or "DJANGO_SETTINGS_MODULE" not in (_text(tree, place) or ""):
            continue
        folder = Path(place).parent.as_posix()
        go = "" if folder == "." else f"cd {shlex.quote(folder)} && "
        # A project without a database fails to migrate and serves all the same.
        migrate = "python manage.py migrate --noinput --run-syncdb"
        serve = f"exec python manage.py runserver 0.0.0.0:{port} --noreload"
        return StartCommand(
            command=("sh", "-c", f"{go}{{ {migrate}; {serve}; }}"), source=f"convention: Django in {place}"
        )
    return None


def _project_script(tree: Path) -> StartCommand | None:
    try:
        scripts = toml(tree, "pyproject.toml")["project"]["scripts"]
        name, target = next(iter(scripts.items()))
        module, function = re.fullmatch(r"([\w.]+)\s*:\s*([\w.]+)", target).groups()  # type: ignore[union-attr]
    except (Refused, KeyError, TypeError, AttributeError, StopIteration):
        return None
    first = function.split(".")[0]
    code = f"import sys; from {module} import {first}; sys.exit({function}())"
    return StartCommand(command=("python", "-c", code), source=f"pyproject.toml project.scripts.{name}")


def _text(tree: Path, name: str) -> str | None:
    try:
        return text(tree, name)
    except Refused:
        return None
