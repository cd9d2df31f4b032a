"""A run: one scoring of submissions against a suite, in a directory that survives being killed at any moment.

    run.json         RunInfo: what was asked last; replaced as a whole
    verdicts.jsonl   one Verdict a line, only ever appended to
    logs/            raw logs, a directory for each try
    lock             held (flock) by the one process that scores; reading needs no lock

A verdict is on disk before anybody hears of it. What a crash leaves at the end of `verdicts.jsonl` is passed over, and the next
verdict starts on a fresh line.
"""

from __future__ import annotations

import itertools
import logging
import os
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import ValidationError

from .base import Frozen
from .config import RunOptions, ScoreConfig
from .digest import digest_of_strings
from .durable import append_lines, held, make_directory, write_atomically
from .errors import BadInput
from .jsonl import read_json, to_record
from .submission import MISSING, NoAnswer, Origin
from .suite import Suite
from .verdict import Verdict, VerdictKey

log = logging.getLogger(__name__)

RUN_SCHEMA_VERSION = 1


class Asked(Frozen):
    """One question of a run: what became of this submission? Its answer is the verdict of the same key."""

    key: VerdictKey
    name: str = ""
    """What reports call the submission beside its task."""
    name_is_given: bool = True
    """False where that is only what its folder is called."""
    language: str = ""
    """The task's."""
    source: str = ""
    """Where the task comes from: what intervals are clustered by."""
    slices: dict[str, tuple[str, ...]] = {}
    """What the task says of itself beside its language: framework, domain, category, difficulty, tag."""
    origin: Origin = Origin()
    no_answer: NoAnswer | None = None

    @property
    def is_answered(self) -> bool:
        """Whether anything was submitted."""
        return self.no_answer is None and self.key.submission_hash != MISSING

    @property
    def was_made(self) -> bool:
        """Whether it is an attempt, answered or not: what a budget stopped, and a task that nobody answered, are none."""
        return self.is_answered or (self.no_answer is not None and not self.no_answer.was_stopped)


class RunInfo(Frozen):
    """`run.json`: what the last scoring into this directory was asked."""

    schema_version: int = RUN_SCHEMA_VERSION
    family: str
    suite: str
    suite_version: str
    suite_split: str = ""
    suite_digest: str
    health_version: str
    suite_tasks: int
    """Tasks of the whole suite: more than are asked about where a subset was selected."""
    config: ScoreConfig
    options: RunOptions
    versions: dict[str, str] = {}
    """Of this program and of what runs it."""
    started: datetime
    suite_path: str = ""
    """Where suite and submissions were, for `rerun` and `shell`; absolute."""
    submissions_path: str = ""
    asked: tuple[Asked, ...]
    """In the order of the suite. Verdicts of other keys in the directory are answers to earlier questions."""
    not_asked: int = 0
    """Further attempts, that a budget stopped: of tasks with others, hence no questions here."""

    @classmethod
    def of(
        cls,
        suite: Suite,
        config: ScoreConfig,
        options: RunOptions,
        asked: tuple[Asked, ...],
        *,
        submissions: Path | None = None,
        versions: dict[str, str] | None = None,
        not_asked: int = 0,
    ) -> Self:
        """What is written down about a scoring that starts now."""
        return cls(
            family=suite.info.family,
            suite=suite.name,
            suite_version=suite.info.version,
            suite_split=suite.info.split,
            suite_digest=suite.digest,
            health_version=suite.health_version,
            suite_tasks=len(suite),
            config=config,
            options=options,
            versions=versions or {},
            started=datetime.now(UTC),
            suite_path=str(suite.root),
            submissions_path=str(submissions.resolve()) if submissions else "",
            asked=asked,
            not_asked=not_asked,
        )


class _Stored(NamedTuple):
    """Where a verdict is in the file, and what is needed to choose between two."""

    offset: int
    length: int
    final: bool
    seconds: float


@dataclass
class RunDirectory:
    """A run on disk. Verdicts stay there: what is held in memory is where each of them is."""

    path: Path
    _index: dict[VerdictKey, _Stored] = field(default_factory=dict[VerdictKey, _Stored], repr=False)
    _held: bool = False
    """Whether this process holds the lock."""
    _one_writer: threading.Lock = field(default_factory=threading.Lock, repr=False)
    damaged: list[int] = field(default_factory=list[int])
    """Lines that hold no verdict (a crash while writing): counted, and asked again."""

    @classmethod
    def read(cls, path: Path) -> RunDirectory:
        """An existing run, as it is now; another process may be adding to it. `BadInput` if there is none."""
        if not (path / "run.json").is_file():
            problem = "no such directory" if not path.exists() else "no run.json in it"
            raise BadInput(problem, file=path, mend="give the run directory of a `repoproof score`")
        run = cls(path)
        run._load()
        return run

    @classmethod
    @contextmanager
    def locked(cls, path: Path) -> Generator[RunDirectory]:
        """A new or existing run, for this process alone to add to. `BadInput` if another one is at it, or if it is something else."""
        _is_ours(path)
        make_directory(path)
        with held(path / "lock", f"run directory {path}"):
            run = cls(path)
            run._load()
            # What a killed process wrote last may not have reached the disk yet, and counts from now on.
            append_lines(run.verdicts_file, b"")
            run._held = True
            try:
                yield run
            finally:
                with run._one_writer:
                    run._held = False

    @property
    def verdicts_file(self) -> Path:
        return self.path / "verdicts.jsonl"

    @property
    def info(self) -> RunInfo:
        """What was asked last."""
        file = self.path / "run.json"
        value = read_json(file)
        if (version := value.get("schema_version")) != RUN_SCHEMA_VERSION:
            problem = f"{version!r} cannot be read: this program reads version {RUN_SCHEMA_VERSION}"
            raise BadInput(problem, file=file, field="schema_version", mend="use another repoproof, or another -o")
        return to_record(RunInfo, value, file=file)

    def ask(self, info: RunInfo) -> RunInfo | None:
        """Write down what this scoring is about; returns what the one before was, if there was any.

        `BadInput` if the directory belongs to another suite.
        """
        assert self._held, "only under the lock"
        before = self.info if (self.path / "run.json").exists() else None
        if before is not None and before.suite != info.suite:
            problem = f'holds a run of suite "{before.suite}", not of "{info.suite}"'
            raise BadInput(problem, file=self.path, mend="use another -o")
        write_atomically(self.path / "run.json", info.model_dump_json(indent=1) + "\n")
        return before

    def write_report(self, content: str) -> None:
        """Replace `report.json`."""
        write_atomically(self.path / "report.json", content)

    def append(self, *verdicts: Verdict) -> None:
        """Add verdicts; they are on disk when this returns. Thread-safe."""
        lines = [verdict.model_dump_json().encode() + b"\n" for verdict in verdicts]
        with self._one_writer:
            assert self._held, "only under the lock"
            offset = append_lines(self.verdicts_file, b"".join(lines))
            for verdict, line in zip(verdicts, lines, strict=True):
                self._remember(verdict, offset, len(line))
                offset += len(line)

    def verdict(self, key: VerdictKey) -> Verdict | None:
        """The answer to that question: a final one rather than an infrastructure error, else the latest; None so far."""
        stored = self._index.get(key)
        if stored is None:
            return None
        with self.verdicts_file.open("rb") as file:
            return self._at(stored, file.fileno())

    def is_finished(self, key: VerdictKey) -> bool:
        """Whether there is an answer that asking again could not change."""
        return key in self._index and self._index[key].final

    def seconds(self, key: VerdictKey) -> float | None:
        """How long the answer took; None if there is none."""
        return self._index[key].seconds if key in self._index else None

    def verdicts(self, keys: Iterable[VerdictKey] | None = None) -> Iterator[Verdict]:
        """The answers to `keys` (by default: to what was asked last), in that order, one at a time from disk."""
        wanted = [asked.key for asked in self.info.asked] if keys is None else keys
        found = [stored for key in wanted if (stored := self._index.get(key)) is not None]
        if found:
            with self.verdicts_file.open("rb") as file:
                yield from (self._at(stored, file.fileno()) for stored in found)

    def new_log_directory(self, key: VerdictKey) -> Path:
        """A new directory for the raw logs of one more try: `logs/TASK-ATTEMPT-HASH`, then the same with `.2`, `.3`, ...

        Never an earlier one: a verdict may name what is in it.
        """
        short = digest_of_strings(key.submission_hash, key.config_hash)[:8]
        for number in itertools.count(1):
            place = self.path / "logs" / f"{key.task}-{key.attempt}-{short}{f'.{number}' if number > 1 else ''}"
            with suppress(FileExistsError):
                place.mkdir(parents=True)
                return place
        raise AssertionError("there is always another number")

    def _load(self) -> None:
        end = 0
        with suppress(FileNotFoundError), self.verdicts_file.open("rb") as file:
            for number, line in enumerate(file, start=1):
                end += len(line)
                if not line.strip():
                    continue
                try:
                    verdict = Verdict.model_validate_json(line)
                except ValidationError:
                    self.damaged.append(number)
                    log.info("%s:%d holds no verdict (a crash?): passed over", self.verdicts_file, number)
                else:
                    self._remember(verdict, end - len(line), len(line))

    def _remember(self, verdict: Verdict, offset: int, length: int) -> None:
        earlier = self._index.get(verdict.key)
        if earlier is None or verdict.status.is_final or not earlier.final:
            self._index[verdict.key] = _Stored(offset, length, verdict.status.is_final, verdict.seconds)

    def _at(self, stored: _Stored, descriptor: int) -> Verdict:
        return Verdict.model_validate_json(os.pread(descriptor, stored.length, stored.offset))


_CONTENTS = {"run.json", "verdicts.jsonl", "logs", "lock", "report.json", "report.html"}


def _is_ours(path: Path) -> None:
    """Hold a directory that is to receive a run against what a run is: no stranger's files get mixed up with it."""
    if not path.exists():
        return
    if not path.is_dir():
        raise BadInput("not a directory", file=path, mend="use another -o")
    names = sorted(entry.name for entry in path.iterdir())
    strange = [name for name in names if name not in _CONTENTS and not name.startswith(".")]
    if strange and "run.json" not in names:
        raise BadInput(f"not a run, and not empty: {strange[0]}", file=path, mend="use another -o")
