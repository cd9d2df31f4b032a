"""Our own functions, in a process of their own, where they read what a candidate wrote: a source that takes a parser for ever, fills its
memory or crashes it ends that process, and neither holds up nor ends whatever else is being scored.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from ..core.base import GiB

CPU_SECONDS = 60
WALL_SECONDS = 300.0
"""For a machine that is busy with other things."""
MEMORY_BYTES = 2 * GiB


class Unreadable(Exception):
    """The function did not come to an end, in one line: what it read made it so."""


def apart(function: str, *arguments: str) -> object:
    """What `function` (`package.module:name`) returns for `arguments`, as JSON has it. Raises `Unreadable`."""
    package = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    command = [sys.executable, "-m", __name__, function, *arguments]
    try:
        ended = subprocess.run(
            command, cwd="/", env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=WALL_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unreadable(f"reading it took longer than {WALL_SECONDS:.0f} s") from None
    if ended.returncode == -signal.SIGXCPU:
        raise Unreadable(f"reading it took more than {CPU_SECONDS} s of processor time")
    if ended.returncode < 0:
        raise Unreadable(f"reading it ended by signal {-ended.returncode}")
    if ended.returncode != 0:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Unreadable(f"reading it failed: {said[-1][:300] if said else f'exit code {ended.returncode}'}")
    return json.loads(ended.stdout)


def main(function: str, *arguments: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    module, _, name = function.partition(":")
    print(json.dumps(getattr(importlib.import_module(module), name)(*arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
