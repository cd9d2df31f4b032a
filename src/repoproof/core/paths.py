"""Where RepoProof keeps things between runs. As root, not below root's home, which the sandbox's user cannot enter."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import BadInput


def cache_root() -> Path:
    """What can be made again: $REPOPROOF_CACHE, else $XDG_CACHE_HOME/repoproof, or /var/cache/repoproof for root."""
    return _place("REPOPROOF_CACHE", "XDG_CACHE_HOME", ".cache", "/var/cache")


def state_root() -> Path:
    """Who is running what, so that `gc` can remove what the dead left: $REPOPROOF_STATE, else $XDG_STATE_HOME/repoproof, or
    /var/lib/repoproof for root."""
    return _place("REPOPROOF_STATE", "XDG_STATE_HOME", ".local/state", "/var/lib")


def _place(own: str, shared: str, below_home: str, for_root: str) -> Path:
    place = _named(own, shared, below_home, for_root)
    there = next(path for path in (place, *place.parents) if path.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise BadInput(f"{there} cannot be written to", file=place, mend=f"set {own} to a directory of your own")
    return place


def _named(own: str, shared: str, below_home: str, for_root: str) -> Path:
    if named := os.environ.get(own, ""):
        return Path(named).absolute()
    if os.geteuid() == 0:
        return Path(for_root) / "repoproof"
    # The XDG specification tells to ignore relative values.
    base = os.environ.get(shared, "")
    if base.startswith("/"):
        return Path(base) / "repoproof"
    try:
        return Path.home() / below_home / "repoproof"
    except RuntimeError:
        raise BadInput("this user has no home directory", mend=f"set {own} to a directory of your own") from None
