"""Suites: find, load, select from, make, add to, seal."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from importlib.metadata import version as installed
from pathlib import Path

from ..core.durable import one_at_a_time, write_atomically
from ..core.errors import BadInput
from ..core.jsonl import to_record
from ..core.suite import Suite, SuiteInfo
from ..core.suite_files import DERIVED, HALVES, read_info, read_suite, seal_suite
from ..core.task import TASK_ID, Task
from ..families import family
from ..sandbox.owner import own_folder
from . import arguments

BUNDLED = (Path(__file__).parents[1] / "suites", Path(__file__).parents[3] / "suites")
"""Where bundled suites are: in an installed package, in a checkout."""


def load_suite(suite: Suite | Path | str, *, must_be_sealed: bool = True) -> Suite:
    """The suite in a directory, or the bundled one of that name, with every record checked and the digests held against the files.

    Raises `BadInput` naming file, line, field and mend. With `must_be_sealed` false, a suite that is being edited loads too.
    """
    if isinstance(suite, Suite):
        return suite
    root = find_suite(suite)
    of = family(read_info(root).family)
    return read_suite(
        root, task_type=of.task_type, sealed_type=of.sealed_type, check=of.check, must_be_sealed=must_be_sealed
    )


def load_whole_suite(suite: Suite | Path | str, *, to: str) -> Suite:
    """As `load_suite`; `BadInput` where the half that verifies is not here, which it takes `to` do something."""
    loaded = load_suite(suite)
    if not loaded.has_sealed:
        raise BadInput("only the public half is here", file=loaded.root, mend=f"{to} where sealed/ is")
    return loaded


def find_suite(suite: Path | str) -> Path:
    """The directory `suite`, or that of the bundled suite so named."""
    path = arguments.place(suite, "suite")
    if path.exists():
        return path
    bundled = {entry.parent.name: entry.parent for place in reversed(BUNDLED) for entry in place.glob("*/suite.json")}
    if str(suite) in bundled:
        return bundled[str(suite)]
    raise BadInput(
        "no such suite", file=path, mend=f"give a directory, or one of the bundled: {', '.join(sorted(bundled))}"
    )


def is_suite(suite: Path | str) -> bool:
    """Whether `find_suite` would find one there."""
    try:
        return (find_suite(suite) / "suite.json").is_file()
    except BadInput:
        return False


def select(suite: Suite, tasks: Sequence[str], language: str) -> tuple[Task, ...]:
    """The tasks asked for, in the suite's order; `BadInput` for one that is not there, or if nothing is left."""
    ids = [task.id for task in suite]
    for id in tasks:
        if id not in ids:
            raise BadInput(f"no task {id!r} in suite {suite.name}", field="tasks", mend=nearest(id, ids))
    languages = sorted({task.language for task in suite})
    if language and language not in languages:
        raise BadInput(
            f"no task in {language!r} in suite {suite.name}", field="language", mend=f"one of: {', '.join(languages)}"
        )
    chosen = tuple(task for task in suite if (not tasks or task.id in tasks) and language in ("", task.language))
    if not chosen:
        raise BadInput(f"none of the tasks is in {language!r}", field="language", mend="choose by tasks or by language")
    return chosen


def new(family_name: str, name: str, folder: Path | str) -> Path:
    """Write a task folder to start from; returns it."""
    target = arguments.place(folder, "folder")
    if not re.fullmatch(TASK_ID, arguments.line(name, "name")):
        mend = "letters, digits, `.`, `_` and `-`, at most 100, a letter or digit first"
        raise BadInput(f"{name!r} is no task id", field="name", mend=mend)
    family(family_name).scaffold(name, target)
    return target


def build(
    family_name: str,
    folders: Iterable[Path | str],
    destination: Path | str,
    *,
    name: str,
    version: str,
    licence: str,
) -> Suite:
    """Make the suite `destination` (must not exist) of task folders; all or nothing."""
    target, sources = arguments.place(destination, "destination"), _folders(folders)
    if target.exists():
        raise BadInput("exists already", file=target, mend="add to it with `repoproof add`, or choose another place")
    of = family(family_name)
    with begun(target, name=name, version=version, family=family_name, licence=licence) as root:
        adopted = {of.adopt(folder, root): folder for folder in sources}
        with _named_as_given(root, adopted):
            seal(root)
    return load_suite(target)


@contextmanager
def begun(target: Path, **about: object) -> Iterator[Path]:
    """A new suite without a task, to be filled and sealed; it then takes its place at `target`. Where that fails, nothing is left.

    `about` are fields of `suite.json`.
    """
    info = to_record(SuiteInfo, {**about, "builder": f"repoproof {installed('repoproof')}"})
    with own_folder(target.parent) as work:
        root = work / "suite"
        for half in HALVES:
            (root / half).mkdir(parents=True)
        write_atomically(root / "suite.json", info.model_dump_json(indent=2) + "\n")
        yield root
        root.rename(target)


def add(suite: Path | str, folder: Path | str) -> Suite:
    """Add a task folder to a suite, check the whole and seal it; all or nothing.

    The suite must be as it was sealed: otherwise sealing would bless edits that nobody looked at.
    """
    root = find_suite(suite)
    # Inside, hence on the same file system, and where we may write.
    with one_at_a_time(root), own_folder(root) as copy:
        load_whole_suite(root, to="add")
        shutil.copyfile(root / "suite.json", copy / "suite.json")
        for half in HALVES:
            shutil.copytree(root / half, copy / half, symlinks=True, ignore=shutil.ignore_patterns(*DERIVED))
        source = arguments.place(folder, "folder")
        adopted = {family(read_info(root).family).adopt(source, copy): source}
        with _named_as_given(copy, adopted):
            seal(copy)
        return _taken_over(copy, root)


def _folders(folders: Iterable[Path | str]) -> list[Path]:
    if isinstance(folders, str | Path):
        raise BadInput(f"{str(folders)!r} is one folder", field="folders", mend=f"give [{str(folders)!r}]")
    found = [arguments.place(folder, "folders") for folder in folders]
    if not found:
        raise BadInput("none is given", field="folders", mend="give one task folder at least")
    return found


@contextmanager
def _named_as_given(made: Path, adopted: Mapping[str, Path]) -> Iterator[None]:
    """What is wrong with a record in the tree `made`, which nobody but us knows, is said of the task folder that it came from."""
    try:
        yield
    except BadInput as error:
        folder = next((folder for id, folder in adopted.items() if error.subject == f'task "{id}"'), None)
        if folder is None or not (error.file or "").startswith(str(made)):
            raise
        raise BadInput(
            error.problem,
            file=folder / "task.json",
            subject=error.subject,
            field=error.field,
            mend=error.mend,
            boundary=error.boundary,
        ) from None


def _taken_over(copy: Path, root: Path) -> Suite:
    """The suite, with what is new in its checked copy moved over, then the lists of tasks, then the seal.

    What was there is only ever replaced by a whole file: a failure undoes it all, and a kill can leave nothing but files too many.
    """
    with ExitStack() as undo:
        for new, place in [pair for half in HALVES for pair in _new(copy / half, root / half)]:
            undo.callback(_remove, place)
            new.rename(place)
        for changed in (*(f"{half}/tasks.jsonl" for half in HALVES), "suite.json"):
            old = copy / f"old-{changed.replace('/', '-')}"
            shutil.copy2(root / changed, old)
            undo.callback(old.replace, root / changed)
            (copy / changed).replace(root / changed)
        suite = load_suite(root)
        undo.pop_all()
    return suite


def _new(copy: Path, original: Path) -> Iterator[tuple[Path, Path]]:
    """What is in `copy` and not in `original`, with its place there; of a new folder, only the folder."""
    for entry in sorted(copy.iterdir()):
        place = original / entry.name
        if not os.path.lexists(place):
            yield entry, place
        elif entry.is_dir() and not entry.is_symlink():
            yield from _new(entry, place)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def seal(suite: Path | str) -> Suite:
    """Check every record of an edited suite, then write its digests."""
    root = find_suite(suite)
    load_suite(root, must_be_sealed=False)
    seal_suite(root)
    return load_suite(root)


def nearest(word: str, words: Sequence[str]) -> str:
    """The mend for a word that is none of `words`."""
    near = get_close_matches(word, words, n=1)
    return f"did you mean {near[0]!r}?" if near else f"the first are: {', '.join(words[:5])}"
