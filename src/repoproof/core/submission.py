"""An answer to one task."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from .base import Frozen, Text
from .errors import Boundary
from .verdict import Violation

MISSING = "missing"
"""Hash where there is no submission."""


class Origin(Frozen):
    """Who made a submission and what it took."""

    model: Text = ""
    agent: Text = ""
    sampling: Text = ""
    """How the answer was drawn, in words: temperature, seed, prompt template, ..."""
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    estimated: bool = False
    """Tokens, and the cost that follows from them, are an estimate: the model's endpoint reported none."""
    seconds: float | None = Field(default=None, ge=0)
    trajectory: Text | None = None
    """Path of the agent's transcript, relative to the submissions directory."""
    cut_off: bool = False
    """The answer ended before whoever gave it did: at a limit of tokens."""
    without_file: bool = False
    """There was an answer, and no file in it: what is submitted is what the solver was given."""
    note: Text = ""
    """What the solver has to say about the answer, in one line."""


class NoAnswer(Frozen):
    """Why an attempt has no answer, so that nothing is submitted."""

    kind: Text
    """In one word: `rate_limited`, `timed_out`, `over_budget`, ..."""
    reason: Text
    """In one line."""
    boundary: Boundary | None = None
    """Whose failure it was: `submission` for the model's own, whose context has no room for the question. None for nobody's: it was
    not asked, since a budget had been used up."""

    @property
    def was_stopped(self) -> bool:
        """Whether it was never asked: no attempt, and nobody's failure."""
        return self.boundary is None

    @property
    def is_fault(self) -> bool:
        """Whether it was lost to a failure of ours or of the endpoint's, and neither the model's own nor stopped."""
        return self.boundary not in (None, Boundary.SUBMISSION)


def submission_label(task: str, attempt: int, name: str = "") -> str:
    """`parcel-tracking#1`, or `parcel-tracking/wrong-port` for a submission with a name of its own."""
    return f"{task}/{name}" if name else f"{task}#{attempt}"


class Submission(Frozen):
    """An answer to one task: a directory (`path`) or a completion (`completion`), never both, or word that there is none (`no_answer`).

    `violations` holds what reading it brought to light (links out of the tree, devices, an escaping path). A submission that
    cannot be used at all has `refused` set, and is scored without being run.
    """

    task: str
    attempt: int = Field(default=0, ge=0)
    name: str = ""
    """The folder's name where it is not the task's: shown in reports beside the task."""
    name_is_given: bool = True
    """False for a name that is only what the folder is called, and says nothing of what the answer is."""
    path: Path | None = None
    """Absolute."""
    completion: str | None = None
    no_answer: NoAnswer | None = None
    origin: Origin = Origin()
    hash: str
    """SHA-256 over relative paths, executable bits and contents (times, owners and other bits left out)."""
    files: int = 0
    size_bytes: int = 0
    ignored: tuple[str, ...] = ()
    """Names of files and directories that hash, size and copy leave out, of those that are there: `.git`, `node_modules`."""
    violations: tuple[Violation, ...] = ()
    refused: str = ""
    """One line: why it cannot be run (oversize, escaping path, not a directory). Empty for a usable one."""
