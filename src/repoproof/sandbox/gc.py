"""Removing what runs that are dead left behind."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from .cgroup import find_hierarchy, remove_group
from .owner import claims, is_orphan


def collect(*, dry_run: bool = False) -> list[str]:
    """Remove the control groups, directories and containers of processes that are gone; what was (or would be) removed, in words.

    What belongs to a living process, or to one that cannot be seen from here, is left alone.
    """
    return [*_groups(dry_run), *_directories(dry_run), *_containers(dry_run)]


def _groups(dry_run: bool) -> Iterator[str]:
    hierarchy = find_hierarchy()
    for path in hierarchy.orphans() if hierarchy else ():
        if not dry_run:
            remove_group(path)
        yield f"control group {path}"


def _directories(dry_run: bool) -> Iterator[str]:
    place = claims()
    for claim in sorted(place.iterdir()) if place.is_dir() else ():
        if not (claim.is_symlink() and is_orphan(claim.name)):
            continue
        target = claim.readlink()
        if is_orphan(target.name) and target.is_dir():
            if not dry_run:
                shutil.rmtree(target, ignore_errors=True)
            yield f"directory {target}"
        if not dry_run:
            claim.unlink(missing_ok=True)


def _containers(dry_run: bool) -> list[str]:
    # Where there is no engine, or none of ours, this costs a look for its socket.
    from .docker import collect_containers

    return collect_containers(dry_run=dry_run)
