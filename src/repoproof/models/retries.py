"""What is said while calls are tried again: neither nothing, for as long as an endpoint is dead, nor a line for each of a thousand calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .base import Fault, FaultKind
from .endpoint import Endpoint

FIRST_SILENCE = 10.0
"""After a line, in seconds; each further one of its kind doubles it."""
LONGEST_SILENCE = 320.0


@dataclass
class _Silence:
    """About one kind of fault. Times are those of one monotonic clock."""

    seconds: float
    until: float
    unsaid: int = 0
    """Tries that came to this since the last line."""


class Retries:
    """Says why calls to an endpoint are tried again, and when: the first of each kind of fault, then at growing intervals, with a count."""

    def __init__(self, endpoint: Endpoint, say: Callable[[str], None]) -> None:
        self._endpoint = endpoint
        self._say = say
        self._silences: dict[FaultKind, _Silence] = {}

    def heard_of(self, fault: Fault, delay: float, number: int, now: float) -> None:
        """A call came to `fault`, and after `delay` seconds it is sent for the `number`th time."""
        silence = self._silences.get(fault.kind)
        if silence is not None and now < silence.until:
            silence.unsaid += 1
            return
        seconds, count = FIRST_SILENCE, ""
        if silence is not None:
            count = f", {silence.unsaid + 1} times more"
            # What comes after a quiet time is news again.
            if now < silence.until + silence.seconds:
                seconds = min(LONGEST_SILENCE, 2 * silence.seconds)
        self._silences[fault.kind] = _Silence(seconds, now + seconds)
        when = f"in {delay:.1f} s" if delay else "at once"
        self._say(
            f"endpoint {self._endpoint.name}: {fault.reason}{count}; "
            f"trying again {when} (try {number} of {self._endpoint.tries})"
        )
