"""A cache of the session's own, so that tests see real first and second preparations; the real sandbox."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from repoproof.sandbox import ExecResult, Limits, Sandbox, Scratch, View, open_sandbox
from repoproof.toolchains import Prepared


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cache")
    for place in (path, *path.parents[:2]):
        place.chmod(0o755)
    return path


@pytest.fixture
def box() -> Sandbox:
    return open_sandbox("bubblewrap")


@pytest.fixture
def inside(box: Sandbox) -> Callable[[Path, Prepared, str], ExecResult]:
    """Run a shell line in a prepared tree, as a service would be."""

    def run(tree: Path, prepared: Prepared, line: str) -> ExecResult:
        view = View(
            mounts=(Scratch(target="/app", seed=prepared.tree or tree), *prepared.mounts),
            environment=prepared.environment,
            workdir="/app",
        )
        return box.run(("sh", "-ec", line), view=view, limits=Limits())

    return run


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every index is a closed port."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9")
    monkeypatch.setenv("NPM_CONFIG_FETCH_RETRIES", "0")
