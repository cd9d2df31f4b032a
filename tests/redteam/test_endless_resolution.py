"""The attacker declares dependencies that take a resolver for ever. If that were our failure, the submission would leave the conditional
scores instead of scoring 0 there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.core.errors import InfrastructureError
from repoproof.core.paths import cache_root
from repoproof.toolchains.fault import CandidateFault
from repoproof.toolchains.interpreters import node, python
from repoproof.toolchains.npm_client import locked
from repoproof.toolchains.python_lock import resolve
from repoproof.toolchains.requirements import Declared
from repoproof.toolchains.store import Store

TOO_SHORT = 0.001
"""Seconds: stands for a question that takes longer than any limit."""


def resolve_python(place: Path) -> None:
    resolve(Declared(requirements=("flask",)), python(Store(cache_root())), seconds=TOO_SHORT, log=lambda *_: None)


def resolve_node(place: Path) -> None:
    package = '{"name": "x", "version": "1.0.0", "dependencies": {"express": "*"}}'
    locked(
        package,
        "",
        node(Store(cache_root())),
        cache=place / "npm",
        seconds=TOO_SHORT,
        log=lambda *_: None,
        exclude_newer=None,
    )


BOTH = pytest.mark.parametrize(
    "resolved", [resolve_python, pytest.param(resolve_node, marks=pytest.mark.needs("node"))]
)


@BOTH
@pytest.mark.needs("network")
def test_a_question_that_takes_too_long_is_the_candidates_where_the_registry_answers(tmp_path, resolved):
    with pytest.raises(CandidateFault, match="takes longer than"):
        resolved(tmp_path)


@BOTH
def test_and_ours_where_it_does_not(tmp_path, monkeypatch, resolved):
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "NPM_CONFIG_REGISTRY", "npm_config_registry"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    monkeypatch.setenv("NPM_CONFIG_FETCH_RETRIES", "0")
    with pytest.raises(InfrastructureError, match="took longer than"):
        resolved(tmp_path)
