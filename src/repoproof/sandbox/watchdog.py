"""Counting what a process tree uses, where no control group does it for us."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGESIZE")
_TICK = os.sysconf("SC_CLK_TCK")


class TreeUse(NamedTuple):
    memory_bytes: int
    """Resident memory that is no file's: pages shared between forks count once for each."""
    cpu_seconds: float


def use_of_tree(root: int) -> TreeUse:
    """What `root` and all its descendants use now. Those that end while we count do not."""
    memory, ticks, queue = 0, 0, [root]
    while queue:
        process = Path("/proc", str(queue.pop()))
        try:
            statm = (process / "statm").read_text().split()
            stat = (process / "stat").read_text().rpartition(")")[2].split()
            for thread in (process / "task").iterdir():
                queue += map(int, (thread / "children").read_text().split())
        except OSError:
            continue
        memory += (int(statm[1]) - int(statm[2])) * _PAGE
        ticks += sum(map(int, stat[11:15]))  # own and waited-for children's, user and system
    return TreeUse(memory, ticks / _TICK)
