"""What came back of the attempts before anything was scored: whether the model failed, or what stands between us and it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..core.base import Frozen
from ..core.run import Asked


class Answers(Frozen):
    """Attempts by what came of them, as far as whoever made them says so: `solve` does."""

    handed_in: int = 0
    """Submissions that are there."""
    cut_off: int = 0
    """Of these, the answers that ended at a limit of tokens."""
    without_file: int = 0
    """Of these, the answers that held no file: what was scored is what the solver had been given."""
    cut_off_without_file: int = 0
    """Of these, the answers of both kinds."""
    faults: dict[str, int] = {}
    """Attempts without an answer, by kind of fault (`rate_limited`, ...), the most frequent first: infrastructure errors."""
    too_long: int = 0
    """Attempts without an answer, since the prompt has no room in the model's context: its own limit, missing, with 0."""
    not_asked: int = 0
    """Attempts that a budget stopped. Those of tasks with others are in no score; a task with nothing else is missing."""

    @property
    def faulty(self) -> int:
        return sum(self.faults.values())

    @property
    def line(self) -> str:
        """How many attempts brought no file, and why; empty where nothing is said of any."""
        why = [
            (self.cut_off_without_file, "cut off"),
            (self.without_file - self.cut_off_without_file, "answered without any"),
            *((count, f"fault {kind}") for kind, count in self.faults.items()),
            (self.too_long, "too long for the model"),
            (self.not_asked, "not asked"),
        ]
        none = sum(count for count, _ in why)
        words = ", ".join(f"{count} {what}" for count, what in why if count)
        parts = [
            f"{none} of {self.handed_in + self.faulty + self.too_long + self.not_asked} attempts brought no file: {words}"
            if none
            else "",
            f"cut off after some file: {half}" if (half := self.cut_off - self.cut_off_without_file) else "",
        ]
        return "; ".join(filter(None, parts))


def answers_to(asked: Sequence[Asked], not_asked: int) -> Answers:
    """What came of `asked`, and of `not_asked` further attempts, that a budget stopped."""
    origins = [question.origin for question in asked if question.is_answered]
    without = [question.no_answer for question in asked if question.no_answer is not None]
    failed = [why.kind for why in without if why.is_fault]
    return Answers(
        handed_in=len(origins),
        cut_off=sum(origin.cut_off for origin in origins),
        without_file=sum(origin.without_file for origin in origins),
        cut_off_without_file=sum(origin.cut_off and origin.without_file for origin in origins),
        faults=dict(Counter(failed).most_common()),
        too_long=sum(not why.is_fault and not why.was_stopped for why in without),
        not_asked=not_asked + sum(why.was_stopped for why in without),
    )
