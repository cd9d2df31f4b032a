"""coverage.py for services that are measured: an environment of its own, of pinned packages, beside the candidate's."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import Boundary, InfrastructureError
from ..sandbox.base import ReadOnly, Sandbox
from .base import Log
from .fault import CandidateFault
from .interpreters import python
from .python_cache import bundled, trusted_environment
from .python_environment import ENV
from .store import Store


def coverage_environment(box: Sandbox, cache: Path, log: Log) -> Path:
    """The directory of the environment on the host, for the interpreter that candidates' services have."""
    store = Store(cache)
    try:
        made = trusted_environment(bundled("coverage-requirements.txt"), python(store), store=store, box=box, log=log)
    except CandidateFault as fault:
        problem = f"the environment of coverage.py could not be made: {fault.reason}"
        raise InfrastructureError(problem, boundary=Boundary.TOOLCHAIN) from fault
    return next(mount.source for mount in made.mounts if isinstance(mount, ReadOnly) and mount.target == ENV)
