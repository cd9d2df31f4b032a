"""Solvers: who turns a clean workspace into an answer. One file is one way of going about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..completions.templates import Filled
from ..core.base import Frozen, Text
from ..models.base import Answer, Fault, Model, Request, Sampling


@dataclass(frozen=True)
class Assignment:
    """One attempt at one task: all that a solver gets."""

    task: str
    """The task's id: what to label questions to the model with."""
    attempt: int
    """From 0. As `sample` of each question, it keeps the attempts' records apart."""
    workspace: Path
    """A copy of the clean workspace for this attempt alone. What is in it at the end is the answer, without the history."""
    prompt: Filled
    model: Model
    model_id: str
    """What questions must name."""
    sampling: Sampling
    """For this attempt: a seed is its own."""


class Exchange(Frozen):
    """One question and its answer."""

    request: Request
    answer: Answer


class Solved(Frozen):
    """An attempt to which the model gave an answer, good or not."""

    exchanges: tuple[Exchange, ...]
    """In the order in which they were had."""
    usable: bool
    """Whether anything came into the workspace. If not, the workspace as it was is what gets scored."""
    notes: tuple[Text, ...] = ()
    """What was read leniently, left out or missing in the answers, a line each."""
    cut_off: bool = False
    """The last answer ended before the model did: at a limit of tokens."""

    @property
    def note(self) -> str:
        """The first thing to be said; where nothing came, what came before it as well."""
        return "; ".join(self.notes[: 1 if self.usable else 2])


class Solver(Protocol):
    """A way of solving tasks."""

    name: str
    """What submissions and settings call it."""

    async def solve(self, assignment: Assignment) -> Solved | Fault:
        """Make one attempt. A fault is of who answers (boundary `model`) or ours; whatever the model says is no fault."""
        ...
