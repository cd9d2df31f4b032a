"""How far a golden suite's own settings of pytest are followed. Stdlib only."""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""Where a suite may have them; the first counts."""
OURS = Path(__file__).with_name("pytest.ini")

FOLLOWED = ("--import-mode", "--asyncio-mode", "-p")
"""Options of a suite's `addopts` that say how its tests work. The others say what is printed and written, how much of it is run and when
to stop: that is for us to say."""


def arguments_for(tests: str) -> list[str]:
    """Of pytest: the suite's own settings (`asyncio_mode`, marks, import paths) but for what is not for it to say, or ours."""
    settings = settings_of(Path(tests))
    if settings is None:
        return ["-c", str(OURS)]
    kept = shlex.join(followed(added_options(settings)))
    return ["-c", str(settings), "-o", f"addopts={kept}", "-o", "required_plugins="]


def settings_of(tests: Path) -> Path | None:
    return next((file for name in SETTINGS if (file := tests / name).is_file()), None)


def added_options(file: Path) -> list[str]:
    """The words of `addopts` in a file of settings; none where it cannot be read, of which pytest itself will say more."""
    with suppress(OSError, ValueError, configparser.Error):
        if file.suffix == ".toml":
            table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("pytest", {})
            added = table.get("ini_options", table).get("addopts", "")
            return list(added) if isinstance(added, list) else shlex.split(added)
        settings = configparser.RawConfigParser(strict=False)
        settings.read(file, encoding="utf-8")
        section = "tool:pytest" if file.name == "setup.cfg" else "pytest"
        return shlex.split(settings.get(section, "addopts", fallback=""), comments=True)
    return []


def followed(words: list[str]) -> Iterator[str]:
    """Those of `words` that are followed, with their values."""
    rest = iter(words)
    for word in rest:
        name, given, _ = word.partition("=")
        if name not in FOLLOWED:
            continue
        yield word
        if not given:
            yield from [value for value in [next(rest, None)] if value is not None]
