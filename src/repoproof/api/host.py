"""This machine: what it can do for us, and what dead runs left on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import time

from ..core.base import MiB
from ..core.errors import BadInput, RepoProofError
from ..core.paths import cache_root
from ..reports.report import counted
from ..sandbox.doctor import Finding, probe
from ..sandbox.gc import collect
from ..sandbox.owner import claims, is_orphan
from ..toolchains import maven_program
from ..toolchains.interpreters import find_node, find_python, uv, uv_version
from ..toolchains.java_runtime import find_java
from ..toolchains.maven_settings import repository
from ..toolchains.store import Store

DAY = 24 * 3600


def doctor() -> list[Finding]:
    """What was looked at, each with what is missing and how to get it."""
    return [*probe(), *(_tool(name, find) for tools in _TOOLS.values() for name, find in tools.items())]


def lacking(language: str) -> list[Finding]:
    """What this machine lacks to run services in `language`, and how to get it."""
    findings = (_tool(name, find) for name, find in _TOOLS[language].items())
    return [finding for finding in findings if not finding.ok]


def _uv() -> dict[str, str]:
    found = uv()
    return {"executable": str(found), "version": uv_version(found)}


def _maven() -> dict[str, str]:
    return {"executable": f"{maven_program.VERSION}, fetched when needed from", "version": repository().address}


_TOOLS: dict[str, dict[str, Callable[[], dict[str, str]]]] = {
    "python": {"python": find_python, "uv": _uv},
    "node": {"node": find_node},
    "java": {"java": find_java, "maven": _maven},
}
"""How to find what each language needs."""


def _tool(name: str, find: Callable[[], dict[str, str]]) -> Finding:
    """What scoring itself would find."""
    try:
        found = find()
    except RepoProofError as error:
        what, _, mend = str(error).partition(" (")
        return Finding(name=name, ok=False, detail=what, mend=mend.removesuffix(")"))
    return Finding(name=name, ok=True, detail=f"{found['executable']} {found['version']}")


def gc(*, dry_run: bool = False, cache: bool = False, unused_days: float = 0) -> list[str]:
    """Remove what processes that are gone left behind: control groups, containers, work files, half-built environments.

    With `cache`, finished environments as well that nothing has used for `unused_days`: they are installed anew when they are needed.
    `BadInput` then while something is being scored. Returns what was, or would be, removed, in words.
    """
    if cache and (busy := [claim.name for claim in _claims() if not is_orphan(claim.name)]):
        raise BadInput(
            f"{counted(len(busy), 'work folder')} {'is' if len(busy) == 1 else 'are'} in use",
            field="cache",
            mend="wait until nothing is being scored",
        )
    removed = collect(dry_run=dry_run)
    place = cache_root()
    if place.is_dir():
        removed += _swept(Store(place), dry_run=dry_run)
        if cache:
            removed += _pruned(Store(place), before=time() - unused_days * DAY, dry_run=dry_run)
    return removed


def _claims() -> list[Path]:
    return list(claims().iterdir()) if claims().is_dir() else []


def _swept(store: Store, *, dry_run: bool) -> list[str]:
    swept = 0 if dry_run else store.sweep()
    return [f"{counted(swept, 'half-built or replaced environment')} in {store.root}"] if swept else []


def _pruned(store: Store, *, before: float, dry_run: bool) -> list[str]:
    old = [entry for entry in store.entries() if entry.last_used <= before]
    for entry in () if dry_run else old:
        store.remove(entry)
    size = sum(entry.size_bytes for entry in old) / MiB
    return [f"{counted(len(old), 'cached tree')}, {size:.0f} MiB, in {store.root}"] if old else []
