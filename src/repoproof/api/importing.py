"""Suites out of benchmarks of others, in the layouts that they are published in."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..core.base import GiB
from ..core.errors import BadInput, Boundary
from ..core.suite import Suite
from ..core.tree import Bounds, copy_tree
from ..families.microservice.formats.layout import read_tree
from ..families.microservice.formats.repogenesis import Taken, take, task_id
from ..families.microservice.formats.specs import Specs, read_specs
from ..sandbox import open_sandbox
from ..sandbox.owner import own_folder
from . import arguments
from .suites import begun, load_suite, nearest, seal

_BOUNDS = Bounds(size_bytes=4 * GiB, entries=500_000)
"""Of a published tree: it may hold a hundred repositories."""
_LEFTOVERS = frozenset((".git", "__pycache__", "node_modules", ".venv", ".pytest_cache", ".ruff_cache", ".mypy_cache"))


class Imported(NamedTuple):
    """What came of an import."""

    suite: Suite
    tasks: tuple[Taken, ...]
    notes: tuple[str, ...]
    """What was there and was not taken."""


def import_repogenesis(
    directory: Path | str,
    destination: Path | str,
    *,
    specs: Path | str | None = None,
    name: str = "repogenesis",
    version: str = "1",
    split: str = "test",
    licence: str = "NOASSERTION",
    sandbox: str = "auto",
    on_event: Callable[[Taken], None] = lambda event: None,
) -> Imported:
    """Make the suite `destination` (must not exist) of the tree `directory`, which is in RepoGenesis' published layout; all or nothing.

    `specs` is a table of the repositories to take, with language, port and framework (JSON, TOML, or Python that is read and not run);
    without it every repository with a README and golden tests is taken, and what the table would say is inferred. Expected test ids come
    from collecting the tests in a sandbox. Raises `BadInput` where there is nothing to take.
    """
    source, target = arguments.place(directory, "directory"), arguments.place(destination, "destination")
    split = arguments.line(split, "split")
    if not source.is_dir():
        raise BadInput("no such directory", file=source, mend="give the folder that the benchmark was published as")
    if target.exists():
        raise BadInput("exists already", file=target, mend="choose another place")
    told = read_specs(arguments.place(specs, "specs")) if specs is not None else None
    with own_folder(Path(tempfile.gettempdir())) as place:
        found, left_out = _copied(source, place / "published")
        return _imported(
            found,
            left_out,
            source,
            target,
            told,
            name=name,
            version=version,
            split=split,
            licence=licence,
            sandbox=sandbox,
            on_event=on_event,
        )


def _copied(source: Path, destination: Path) -> tuple[Path, list[str]]:
    """A copy of a tree that nobody has vouched for, without what leads out of it or is no file, and notes on that."""
    copied = copy_tree(source, destination, ignored=_LEFTOVERS, bounds=_BOUNDS)
    if copied.refused is not None:
        mend = "give the folder of the published benchmark alone"
        raise BadInput(
            f"{copied.refused.rule}: {copied.refused.evidence}", file=source, mend=mend, boundary=Boundary.TASK
        )
    return destination, [f"left out: {broken.evidence} ({broken.rule})" for broken in copied.violations]


def _imported(
    copied: Path,
    left_out: list[str],
    source: Path,
    target: Path,
    specs: Specs | None,
    *,
    name: str,
    version: str,
    split: str,
    licence: str,
    sandbox: str,
    on_event: Callable[[Taken], None],
) -> Imported:
    tree = read_tree(copied)
    table = None if specs is None else specs.of
    published = [one for one in tree.tasks if table is None or one.name in table]
    notes = left_out + [note for note in tree.notes if table is None or note.partition(":")[0] in table]
    if specs is not None:
        notes += specs.notes
        notes += [f"{one.name}: left out: not in the table" for one in tree.tasks if one.name not in specs.of]
        there = {one.name for one in tree.tasks} | {note.partition(":")[0] for note in tree.notes}
        notes += [f"{name}: in the table, and not in the tree" for name in specs.of if name not in there]
    if table and tree.tasks and not published:
        first, names = next(iter(table)), [one.name for one in tree.tasks]
        raise BadInput(f"none of its repositories is in the table, which has {first!r}", file=source, mend=nearest(first, names))  # fmt: skip
    if not published:
        problem = "no repository with a README and golden tests"
        problem += f"; {left_out[0]}" if left_out else ""
        raise BadInput(problem, file=source, mend="NAME/README.md in one tree, NAME/tests or NAME/src/test in it or in another", boundary=Boundary.TASK)  # fmt: skip
    _no_two_alike([one.name for one in published], source)
    about = {"name": name, "version": version, "split": split, "licence": licence}
    box = open_sandbox(sandbox)
    taken: list[Taken] = []
    with begun(target, family="microservice", sources=["RepoGenesis"], **about) as root:
        for one in published:
            taken.append(take(one, table.get(one.name) if table else None, root, box, licence=licence))
            on_event(taken[-1])
        seal(root)
    return Imported(load_suite(target), tuple(taken), tuple(notes))


def _no_two_alike(names: list[str], source: Path) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if other := seen.get(task_id(name)):
            raise BadInput(f"{name!r} and {other!r} come to one task id", file=source, mend="rename one", boundary=Boundary.TASK)  # fmt: skip
        seen[task_id(name)] = name
