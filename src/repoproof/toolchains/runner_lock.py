"""The lock of an environment for golden tests: made once, by whoever takes a task into a suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core.errors import BadInput, Boundary
from ..core.paths import cache_root
from .fault import CandidateFault, Refused
from .interpreters import python
from .python_cache import LIMITS
from .python_lock import NeedsSource, resolve
from .requirements import Declared, plain_requirements
from .store import Store


def requirements_in(file: Path) -> tuple[str, ...]:
    """The requirements that a file of a task lists, in canonical lines; `BadInput` where it wants more than names and versions."""
    try:
        return plain_requirements(file.read_text(encoding="utf-8")).requirements
    except (Refused, ValueError) as error:
        raise BadInput(str(error), file=file, boundary=Boundary.TASK) from None


def locked(requirements: Sequence[str]) -> str:
    """The requirement file, with hashes, of a set of wheels that meets `requirements`; `BadInput` where there is none."""
    try:
        lock = resolve(
            Declared(requirements=tuple(requirements)),
            python(Store(cache_root())),
            seconds=LIMITS.fetch,
            log=lambda name, content: None,
        )
    except NeedsSource as needs:
        raise BadInput(needs.fault.reason, field="test_requirements", boundary=Boundary.TASK) from None
    except CandidateFault as fault:
        raise BadInput(fault.reason, field="test_requirements", boundary=Boundary.TASK) from None
    if lacking := [package.name for package in lock.packages if not package.wheels]:
        raise BadInput(f"no wheel of {', '.join(lacking)}", field="test_requirements", boundary=Boundary.TASK)
    return lock.requirements
