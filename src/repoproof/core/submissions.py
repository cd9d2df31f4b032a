"""Submissions on disk: finding them, reading them without trusting them, copying one to work on.

Three layouts: a directory with `submissions.jsonl`, that file itself, or a directory with one folder per task. A line is

    {"task": "blog", "path": "blog", "attempt": 0, "name": "...", "origin": {"model": "...", "cost_usd": 0.12}}

with `completion` (a text) in the place of `path` for tasks that ask for one; only `task` and one of the two are required. `path` is
relative to the file's directory. In a bare directory the folder's name is the task's id.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from pydantic import Field, StrictInt

from .base import Frozen, Text, writable
from .digest import digest_of_strings
from .errors import BadInput, Boundary, InfrastructureError
from .jsonl import read_jsonl, to_record
from .submission import Origin, Submission
from .tree import Bounds, read_tree, shown
from .tree import copy_tree as copy_any_tree
from .verdict import Violation

IGNORED = frozenset({".git", "node_modules", ".venv", "__pycache__"})
"""What tools leave behind and scoring makes anew: left out of hash, size and copy, wherever it lies."""
LIMITS = Bounds()
"""Beyond these a submission is refused."""

PATH_ESCAPE = "path-escape"
"""The rule that a submission breaks whose directory lies elsewhere."""

INDEX = "submissions.jsonl"


class Submissions(Frozen):
    """All that was found in one place."""

    root: Path
    items: tuple[Submission, ...]
    """In the order of the file, or of the folders' names."""
    unknown: tuple[str, ...] = ()
    """Folders that the suite does not know: not scored."""
    notes: tuple[str, ...] = ()
    """What a user might not expect: names that were left out, folders that nothing mentions, loose files."""
    unanswered: tuple[Submission, ...] = ()
    """Attempts without an answer, as far as whoever made them says so."""


class SubmissionLine(Frozen):
    """One line of `submissions.jsonl`."""

    task: str
    """Id of a task of the suite."""
    attempt: StrictInt = Field(default=0, ge=0)
    """Which of several answers to the task this is."""
    path: str | None = None
    """Directory of the answer, relative to this file."""
    completion: str | None = None
    """The answer itself."""
    name: Text = ""
    """What reports call it beside the task."""
    origin: Origin = Origin()


def read_submissions(path: Path, suite_task_ids: Collection[str], *, completions: bool = True) -> Submissions:
    """Read and hash the submissions at `path`. `completions` is whether the tasks can be answered with a text.

    `BadInput` where `path` or a line is wrong. Whatever a submitted tree contains is data: violations, or a refusal.
    """
    if path.is_file():
        return _from_index(path, suite_task_ids, completions)
    if (path / INDEX).is_file():
        return _from_index(path / INDEX, suite_task_ids, completions)
    if path.is_dir():
        return _from_folders(path, suite_task_ids)
    problem = "neither a directory nor a file" if path.exists() else "no such file or directory"
    raise BadInput(problem, file=path, mend=f"give a directory with one folder per task, or {INDEX}")


def read_directory(
    task: str,
    path: Path,
    *,
    within: Path,
    attempt: int = 0,
    name: str = "",
    name_is_given: bool = True,
    origin: Origin | None = None,
) -> Submission:
    """The submission in the directory `path`, which must not lead out of `within`."""
    origin = origin or Origin()
    place = Path(os.path.realpath(path))
    if not place.is_relative_to(within.resolve()):
        return Submission(
            task=task,
            attempt=attempt,
            name=name,
            name_is_given=name_is_given,
            path=place,
            origin=origin,
            hash=digest_of_strings("escape", str(path)),
            violations=(Violation(rule=PATH_ESCAPE, evidence=f"{shown(str(path))} leads to {shown(str(place))}"),),
            refused="its path leaves the submissions directory",
        )
    if place.is_dir() and not os.access(place, os.R_OK | os.X_OK):
        # A file inside may be the solver's doing; that we cannot even enter is the doing of whoever put it here.
        raise BadInput("cannot be read: permission denied", file=path, mend="let the user that scores read it")
    tree = read_tree(place, ignored=IGNORED, bounds=LIMITS)
    return Submission(
        task=task,
        attempt=attempt,
        name=name,
        name_is_given=name_is_given,
        path=place,
        origin=origin,
        hash=tree.digest,
        files=tree.files,
        size_bytes=tree.size_bytes,
        ignored=tuple(sorted({path.rsplit("/", 1)[-1] for path in tree.ignored})),
        violations=(tree.refused,) if tree.refused else tree.violations,
        refused=tree.refused.evidence if tree.refused else "",
    )


def copy_tree(submission: Submission, destination: Path) -> None:
    """Copy a usable submission to the new directory `destination`: regular files, directories, links that stay inside.

    Everything is checked once more while it is copied. `InfrastructureError` if it is no longer what was read.
    """
    assert submission.path is not None and not submission.refused
    copied = copy_any_tree(submission.path, destination, ignored=IGNORED, bounds=LIMITS)
    if copied.digest != submission.hash:
        problem = f"the submission at {submission.path} changed after it was read"
        raise InfrastructureError(problem, boundary=Boundary.SUBMISSION)


def _from_index(file: Path, known: Collection[str], completions: bool) -> Submissions:
    root = file.parent
    items: list[Submission] = []
    mentioned: set[str] = set()
    lines: dict[tuple[str, int], int] = {}
    for number, value in read_jsonl(file):
        line = to_record(SubmissionLine, value, file=file, line=number)
        subject = f'task "{line.task}"'
        if line.path:
            mentioned.update(PurePosixPath(line.path).parts[:1])
        if (earlier := lines.setdefault((line.task, line.attempt), number)) != number:
            problem = f"{line.attempt} is already on line {earlier}"
            raise BadInput(
                problem, file=file, line=number, subject=subject, field="attempt", mend="number the attempts 0, 1, ..."
            )
        if (line.path is None) == (line.completion is None):
            problem = "both path and completion" if line.path is not None else "neither path nor completion"
            raise BadInput(problem, file=file, line=number, subject=subject, mend="give exactly one of them")
        if line.completion is not None and not completions:
            problem = "these tasks ask for a directory"
            raise BadInput(
                problem, file=file, line=number, subject=subject, field="completion", mend="give its path instead"
            )
        if line.task not in known:
            near = get_close_matches(line.task, known, n=1)
            mend = f"did you mean {near[0]!r}?" if near else f"the first are: {', '.join([*known][:5])}"
            raise BadInput(f"no {line.task!r} in the suite", file=file, line=number, field="task", mend=mend)
        items.append(_from_line(line, root, file, number, subject))
    if not lines:
        raise BadInput("no submissions in it", file=file)
    strays = [folder for folder in _folders(root) if folder in known and folder not in mentioned]
    notes = [f"{folder}/ is not mentioned in {file.name}: not scored" for folder in strays]
    return Submissions(
        root=root.resolve(),
        items=tuple(_told_apart(items)),
        notes=(*notes, *_left_out(items)),
    )


def _told_apart(items: list[Submission]) -> Iterator[Submission]:
    """The same, without names that several answers to one task go by: their numbers tell them apart."""
    uses = Counter((item.task, item.name) for item in items)
    for item in items:
        yield item if uses[item.task, item.name] == 1 else item.model_copy(update={"name": ""})


def _from_line(line: SubmissionLine, root: Path, file: Path, number: int, subject: str) -> Submission:
    if line.completion is not None:
        return Submission(
            task=line.task,
            attempt=line.attempt,
            name=shown(line.name),
            completion=line.completion,
            origin=line.origin,
            hash=digest_of_strings("completion", line.completion),
            size_bytes=len(line.completion.encode("utf-8", "surrogatepass")),
        )
    assert line.path is not None
    if "\0" in line.path or line.path != writable(line.path):
        raise BadInput("not a path", file=file, line=number, subject=subject, field="path")
    path = root / line.path
    if os.path.realpath(path) == os.path.realpath(root):
        raise BadInput(
            f"{line.path!r} is the folder of {file.name} itself",
            file=file,
            line=number,
            subject=subject,
            field="path",
            mend="give the folder of this one answer",
        )
    found = read_directory(
        line.task,
        path,
        within=root,
        attempt=line.attempt,
        # A folder that is called as its task or by its number says nothing that a label does not say without it.
        name=shown(line.name or (path.name if path.name not in (line.task, str(line.attempt)) else "")),
        name_is_given=bool(line.name),
        origin=line.origin,
    )
    if any(violation.rule == "no-directory" for violation in found.violations):
        raise BadInput(
            f"no directory {line.path}",
            file=file,
            line=number,
            subject=subject,
            field="path",
            mend="remove the line if there is no answer",
        )
    return found


def _from_folders(root: Path, known: Collection[str]) -> Submissions:
    if not os.access(root, os.R_OK | os.X_OK):
        raise BadInput("cannot be read: permission denied", file=root, mend="let the user that scores read it")
    folders = list(_folders(root))
    items = [read_directory(folder, root / folder, within=root) for folder in folders if folder in known]
    unknown = tuple(shown(folder) for folder in folders if folder not in known)
    loose = [
        shown(entry.name) for entry in sorted(root.iterdir()) if not entry.name.startswith(".") and entry.is_file()
    ]
    notes = [f"not in a folder of a task, not scored: {', '.join(loose[:3])}{', ...' if len(loose) > 3 else ''}"]
    return Submissions(
        root=root.resolve(),
        items=tuple(items),
        unknown=unknown,
        notes=(*(notes if loose else ()), *_left_out(items)),
    )


def _folders(root: Path) -> Iterator[str]:
    for entry in sorted(root.iterdir()):
        if not entry.name.startswith(".") and entry.is_dir():
            yield entry.name


def _left_out(items: Iterable[Submission]) -> Iterator[str]:
    for item in items:
        if item.ignored:
            yield f"{item.task}{f' ({item.name})' if item.name else ''}: {', '.join(item.ignored)} left out"
