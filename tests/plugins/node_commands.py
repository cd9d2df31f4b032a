"""The Node that `needs("node")` has found, and its npm: neither need be on PATH."""

from __future__ import annotations

from repoproof.toolchains.interpreters import find_node


def node() -> list[str]:
    return [find_node()["executable"]]


def npm() -> list[str]:
    return [*node(), find_node()["npm"]]
