"""A solver's output: submissions that grow attempt by attempt, in a directory that survives being killed at any moment.

    submissions.jsonl        one line a finished attempt, in the order of suite and attempts once the command has ended
    TASK/ATTEMPT/            the repositories
    transcripts/             TASK-ATTEMPT.json: questions, answers, notes
    .solve/solve.json        Settings: what is asked of whom, in whatever run
    .solve/attempts.jsonl    Attempted, a line for each end of an attempt, faults included; only ever appended to
    .solve/answers.jsonl     the record of calls, with what `models.store` keeps beside it, unless another store was named
    .solve/lock              held by the one process that solves
    .solve/work/             what is being made; emptied by whoever takes the lock

Everything outside `.solve` follows from suite, settings and recorded answers alone. Tree and transcript are moved into place whole, and
counted as done only by their line in `submissions.jsonl`, which is written last.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self
from uuid import uuid4

from pydantic import Field

from ..core.base import Frozen
from ..core.digest import digest_of_strings
from ..core.durable import held, make_directory, sync_directory, write_atomically
from ..core.errors import BadInput, Boundary
from ..core.jsonl import read_json, to_record
from ..core.submission import NoAnswer, Origin, Submission
from ..core.submissions import INDEX, SubmissionLine
from ..models.base import Fault, FaultKind, Sampling
from . import Solved
from .attempts import Attempted, Key, Outcome, Usage
from .lines import Lines, spelled

HIDDEN = ".solve"
TRANSCRIPTS = "transcripts"


class Settings(Frozen):
    """`solve.json`: what can change an answer. One directory holds answers to one such question only."""

    schema_version: int = 1
    suite: str
    suite_version: str
    public_digest: str
    """Of the half of the suite that a solver sees."""
    model: str
    """Its id: the same model may be asked through another endpoint."""
    solver: str
    template: str
    """With its version."""
    sampling: Sampling
    """With the seed of attempt 0, if any."""
    job: str = Field(default_factory=lambda: uuid4().hex)
    """Whose calls and budget these are in the record: drawn when the directory is made."""

    @property
    def words(self) -> str:
        """How answers are drawn, for people: `temperature 0.4, top_p 0.95, prompt microservice/1`."""
        given = self.sampling.model_dump(mode="json", exclude_defaults=True)
        if "seed" in given:
            given["seed"] = f"{given['seed']} + attempt"
        return ", ".join([*(f"{name} {value}" for name, value in given.items()), f"prompt {self.template}"])


class Transcript(Frozen):
    """`transcripts/TASK-ATTEMPT.json`."""

    task: str
    attempt: int
    outcome: Outcome
    solver: str
    template: str
    solved: Solved


class Output:
    """An output directory, held by this process alone. What ends attempts may be called from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.hidden = path / HIDDEN
        self.work = self.hidden / "work"
        self._index = Lines(path / INDEX, SubmissionLine)
        self._attempts = Lines(self.hidden / "attempts.jsonl", Attempted)
        self.done: dict[Key, Attempted] = {}
        """Attempts that are submitted. Nobody needs to make them again."""

    @classmethod
    @contextmanager
    def locked(cls, path: Path) -> Generator[Self]:
        """The directory at `path`, new or gone on with; `BadInput` where it is something else, or in use."""
        output = cls(path)
        output._is_ours()
        make_directory(output.hidden)
        with held(output.hidden / "lock", f"output {path}"):
            shutil.rmtree(output.work, ignore_errors=True)
            output.work.mkdir()
            output._load()
            try:
                yield output
            finally:
                shutil.rmtree(output.work, ignore_errors=True)

    @property
    def settings(self) -> Settings | None:
        """What the directory holds answers to; None for a new one."""
        file = self.hidden / "solve.json"
        return to_record(Settings, read_json(file), file=file) if file.exists() else None

    def settle(self, wanted: Settings) -> Settings:
        """The directory's settings, which are `wanted` but for the job; `BadInput` where it holds answers to another question."""
        held = self.settings
        if held is not None and held.model_copy(update={"job": wanted.job}) == wanted:
            return held
        if held is None or not self.done:
            write_atomically(self.hidden / "solve.json", wanted.model_dump_json(indent=2) + "\n")
            return wanted
        for field in Settings.model_fields:
            was, now = getattr(held, field), getattr(wanted, field)
            if field != "job" and was != now:
                problem = f"holds answers for {field} {_shown(was)}, and now it is {_shown(now)}"
                raise BadInput(problem, file=self.path, mend="use another -o, or the settings that it was made with")
        raise AssertionError("they differ in something")

    def workspace(self, key: Key, clean: Path) -> Path:
        """A copy of the clean workspace, for one attempt to work in."""
        place = self._made(key) / "tree"
        shutil.copytree(clean, place, symlinks=True)
        return place

    def fail(self, key: Key, fault: Fault) -> Attempted:
        """Write down that an attempt has no answer; its workspace goes."""
        shutil.rmtree(self._made(key))
        attempted = Attempted.of(key, fault)
        self._attempts.append(attempted)
        return attempted

    def submit(self, key: Key, solved: Solved, settings: Settings) -> Attempted:
        """Write down an attempt and submit what is in its workspace."""
        attempted = Attempted.of(key, solved)
        made = self._made(key)
        shutil.rmtree(made / "tree" / ".git")
        transcript = Transcript(
            **key._asdict(),
            outcome=attempted.outcome,
            solver=settings.solver,
            template=settings.template,
            solved=solved,
        )
        text = transcript.model_dump_json(indent=2, exclude_none=True) + "\n"
        (made / "transcript").write_text(text, encoding="utf-8")
        _sync_below(made)
        # First of all: what a crash leaves of the rest is looked for by these lines.
        self._attempts.append(attempted)
        _move(made / "tree", self._tree(key))
        _move(made / "transcript", self.path / _transcript(key))
        made.rmdir()
        self._index.append(_line(key, solved, settings))
        self.done[key] = attempted
        return attempted

    def sort(self, order: Sequence[str]) -> None:
        """Put the lines of `submissions.jsonl` in the order of the tasks in `order`, then of the attempts."""
        if not self.done:
            (self.path / INDEX).unlink(missing_ok=True)
            return
        rank = {task: number for number, task in enumerate(order)}
        lines = {key: line for line in self._index if (key := Key(line.task, line.attempt)) in self.done}
        text = "".join(spelled(lines[key]) for key in sorted(lines, key=lambda key: (rank[key.task], key.attempt)))
        write_atomically(self.work / INDEX, text)
        _move(self.work / INDEX, self.path / INDEX)

    def _is_ours(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise BadInput("not a directory", file=self.path, mend="use another -o")
        if not (self.hidden / "solve.json").exists() and self.path.is_dir():
            strange = sorted(entry.name for entry in self.path.iterdir() if entry.name != HIDDEN)
            if strange:
                raise BadInput(f"not made by solve, and not empty: {strange[0]}", file=self.path, mend="use another -o")

    def _load(self) -> None:
        """Find out what is done, and remove what a crash left half done."""
        outcomes = {line.key: line for line in self._attempts if line.outcome is not Outcome.FAULT}
        for line in self._index:
            key = Key(line.task, line.attempt)
            if key in outcomes and self._tree(key).is_dir() and (self.path / _transcript(key)).is_file():
                self.done[key] = outcomes[key]
        for key in {line.key for line in self._attempts} - self.done.keys():
            self._remove(key)

    def _remove(self, key: Key) -> None:
        shutil.rmtree(self._tree(key), ignore_errors=True)
        (self.path / _transcript(key)).unlink(missing_ok=True)
        for parent in (self._tree(key).parent, self.path / TRANSCRIPTS):
            with suppress(OSError):
                parent.rmdir()

    def _made(self, key: Key) -> Path:
        return self.work / "attempts" / f"{key.task}-{key.attempt}"

    def _tree(self, key: Key) -> Path:
        return self.path / key.task / str(key.attempt)


def unanswered(path: Path) -> Iterator[Submission]:
    """The attempts of the output at `path` (or with the index at `path`) that ended without an answer; none where it is no output."""
    file = (path if path.is_dir() else path.parent) / HIDDEN / "attempts.jsonl"
    if not file.is_file():
        return
    for key, last in {line.key: line for line in Lines(file, Attempted)}.items():
        if (fault := last.fault) is not None:
            why = NoAnswer(
                kind=fault.kind.value,
                reason=" ".join(fault.reason.split()),
                boundary=_WHOSE.get(fault.kind, fault.boundary),
            )
            hash = digest_of_strings("no answer", why.kind, why.reason)
            yield Submission(task=key.task, attempt=key.attempt, no_answer=why, hash=hash)


_WHOSE = {FaultKind.OVER_BUDGET: None, FaultKind.TOO_LONG: Boundary.SUBMISSION}
"""Of faults that are nobody's, and of those that are the model's own."""


def _line(key: Key, solved: Solved, settings: Settings) -> SubmissionLine:
    usage = Usage.of(solved)
    # A line holds what there is to say, and nothing else.
    said = {
        "estimated": bool(usage.estimated),
        "cut_off": solved.cut_off,
        "without_file": not solved.usable,
        "note": solved.note,
    }
    origin = Origin(
        model=settings.model,
        agent=settings.solver,
        sampling=settings.words,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost_usd=usage.cost_usd,
        seconds=usage.seconds,
        trajectory=_transcript(key),
        **{name: value for name, value in said.items() if value},
    )
    return SubmissionLine(task=key.task, attempt=key.attempt, path=f"{key.task}/{key.attempt}", origin=origin)


def _transcript(key: Key) -> str:
    return f"{TRANSCRIPTS}/{key.task}-{key.attempt}.json"


def _move(source: Path, target: Path) -> None:
    """Put something whole in its place, where a crash may have left another one."""
    make_directory(target.parent)
    if target.is_dir():
        shutil.rmtree(target)
    source.rename(target)
    sync_directory(target.parent)


def _sync_below(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            with open(Path(place, name), "rb") as file:
                os.fsync(file.fileno())
        sync_directory(Path(place))


def _shown(value: object) -> str:
    plain = value.model_dump(mode="json", exclude_defaults=True) if isinstance(value, Frozen) else value
    return json.dumps(plain, ensure_ascii=False)
