"""This machine: what it can do for us, and what dead runs left on it."""

from __future__ import annotations

from ..core.paths import cache_root
from ..sandbox.doctor import Finding, probe
from ..sandbox.gc import collect
from ..toolchains.store import Store


def doctor() -> list[Finding]:
    """What was looked at, each with what is missing and how to get it."""
    return probe()


def gc(*, dry_run: bool = False) -> list[str]:
    """Remove what processes that are gone left behind: control groups, containers, work files, half-built environments.

    Returns what was, or would be, removed, in words. Finished environments stay: they are the cache.
    """
    removed = collect(dry_run=dry_run)
    cache = cache_root()
    if not dry_run and cache.is_dir() and (swept := Store(cache).sweep()):
        removed.append(f"{swept} half-built or replaced environments in {cache}")
    return removed
