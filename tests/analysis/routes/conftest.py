from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from repoproof.analysis.routes import find_routes

Read = Callable[[Mapping[str, str]], set[str]]


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
