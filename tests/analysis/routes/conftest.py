from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

Read = Callable[[Mapping[str, str]], set[str]]
ReadSorted = Callable[[Mapping[str, str]], list[str]]


@pytest.fixture
def read_python(tmp_path: Path) -> Read:
    """The routes of files given as name -> text, as `GET /items/{id} app.py:3`."""

    def read(files: Mapping[str, str]) -> set[str]:
        for name, source in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source)
        return {f"{route} {route.file}:{route.line}" for route in find_routes(tmp_path, language="python")}

    return read


@pytest.fixture
def read_java(tmp_path: Path) -> ReadSorted:
    """The routes of files given as name -> text, as `GET /items/{id}`, sorted; a bare name lies in `src/main/java`."""

    def read(files: Mapping[str, str]) -> list[str]:
        for name, source in files.items():
            path = tmp_path / (f"src/main/java/{name}" if name.endswith(".java") and "src/" not in name else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source)
        return sorted({str(route) for route in find_routes(tmp_path, language="java")})

    return read
