"""Suites on disk: reading, checking, sealing, and the health records beside them.

suite.json              SuiteInfo
public/tasks.jsonl      one record a line, beside the files that it names: all that a solver may see
sealed/tasks.jsonl      the same ids, and what verifies; absent on a solver's machine
health.jsonl            what `validate` found, keyed by task digest; covered by no digest
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from .base import GiB
from .digest import canonical_json, digest_of_all
from .durable import one_at_a_time, write_atomically
from .errors import BadInput, Boundary
from .health import Health
from .jsonl import JsonObject, read_json, read_jsonl, to_record
from .suite import SCHEMA_VERSION, Digests, Suite, SuiteInfo
from .task import NamedPath, Task
from .tree import Bounds, Tree, read_tree

HALVES = ("public", "sealed")
HEALTH = "health.jsonl"

DERIVED = frozenset({"__pycache__"})
"""Made by running what a digest covers already: part of no suite."""

_BOUNDS = Bounds(size_bytes=1024 * GiB, entries=10_000_000)


def read_info(root: Path) -> SuiteInfo:
    """`suite.json` alone: enough to look up the family."""
    file = root / "suite.json"
    if not file.is_file():
        problem = "no such directory" if not root.exists() else "no suite.json in it"
        raise BadInput(problem, file=root, mend="give the directory of a suite", boundary=Boundary.TASK)
    value = read_json(file)
    version = value.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        problem = f"{version!r} cannot be read: this program reads version {SCHEMA_VERSION}"
        newer = isinstance(version, int) and version > SCHEMA_VERSION
        raise BadInput(
            problem,
            file=file,
            field="schema_version",
            mend="use a newer repoproof" if newer else f"set it to {SCHEMA_VERSION}",
            boundary=Boundary.TASK,
        )
    return to_record(SuiteInfo, value, file=file)


def read_suite(
    root: Path,
    *,
    task_type: type[Task],
    sealed_type: type[BaseModel],
    check: Callable[[Task], None],
    must_be_sealed: bool = True,
) -> Suite:
    """Load the suite at `root` and hold every record against its files, and the files against the digests.

    `check` is the family's own, and raises `BadInput` without file and line. With `must_be_sealed` false, a suite that is being
    edited loads too, with the digests that it has at the moment.
    """
    info = read_info(root)
    public = _Half.read(root, "public")
    sealed = _Half.read(root, "sealed") if (root / "sealed").exists() else None
    if sealed is not None:
        _same_ids(public, sealed)
    digests = _held_against(info, public, sealed, root) if must_be_sealed else _digests(public, sealed)
    tasks = tuple(_task(line, public, sealed, task_type, sealed_type, check, root) for line in public.lines.values())
    health, version = _read_health(root)
    return Suite(
        root=root.resolve(),
        info=info.model_copy(update={"digests": digests}),
        tasks=tasks,
        has_sealed=sealed is not None,
        quarantined=dict(_quarantined(tasks, health)),
        health_version=version,
    )


def seal_suite(root: Path) -> SuiteInfo:
    """Write the present digests of both halves into `suite.json`."""
    info = read_info(root)
    sealed = _Half.read(root, "sealed")
    info = info.model_copy(update={"digests": _digests(_Half.read(root, "public"), sealed)})
    write_atomically(root / "suite.json", info.model_dump_json(indent=2) + "\n")
    return info


def read_health(root: Path) -> tuple[Health, ...]:
    """All records of `health.jsonl`, in its order; none if there is no such file."""
    return _read_health(root)[0]


def write_health(root: Path, records: Iterable[Health]) -> None:
    """Put `records` in the place of those of the same tasks, all or nothing."""
    # Two validations, of different tasks, may be at it: neither may undo the other's.
    with one_at_a_time(root):
        kept = {record.task: record for record in (*read_health(root), *records)}
        text = "".join(f"{canonical_json(kept[task].model_dump(mode='json'))}\n" for task in sorted(kept))
        write_atomically(root / HEALTH, text)


@dataclass(frozen=True)
class _TaskLine:
    number: int
    id: str
    value: JsonObject


@dataclass(frozen=True)
class _Half:
    """One half of a suite, read and not yet understood."""

    name: str
    shown: Path
    """Its `tasks.jsonl`, as the user would write it."""
    tree: Tree
    lines: dict[str, _TaskLine]

    @classmethod
    def read(cls, root: Path, name: str) -> _Half:
        directory, shown = root / name, root / name / "tasks.jsonl"
        if not directory.is_dir():
            raise BadInput("no such directory", file=directory, mend="a suite has one", boundary=Boundary.TASK)
        lines: dict[str, _TaskLine] = {}
        for number, value in read_jsonl(shown):
            id = value.get("id")
            if not isinstance(id, str):
                raise BadInput("missing", file=shown, line=number, field="id", mend="every task has one")
            if id in lines:
                problem = f'"{id}" is already on line {lines[id].number}'
                raise BadInput(problem, file=shown, line=number, field="id", mend="rename or remove one of them")
            lines[id] = _TaskLine(number, id, value)
        if not lines:
            raise BadInput("no tasks in it", file=shown, boundary=Boundary.TASK)
        tree = read_tree(directory.resolve(), ignored=DERIVED, bounds=_BOUNDS)
        if tree.refused:
            raise BadInput(tree.refused.evidence, file=directory, boundary=Boundary.TASK)
        for violation in tree.violations:
            problem = f"{violation.rule}: {violation.evidence}"
            raise BadInput(problem, file=directory, mend="remove it or copy what it leads to", boundary=Boundary.TASK)
        return cls(name, shown, tree, lines)


def _same_ids(public: _Half, sealed: _Half) -> None:
    for here, there in ((public, sealed), (sealed, public)):
        for line in here.lines.values():
            if line.id not in there.lines:
                problem = f"not in {there.name}/tasks.jsonl"
                raise BadInput(
                    problem,
                    file=here.shown,
                    line=line.number,
                    subject=f'task "{line.id}"',
                    mend="both halves have the same ids",
                    boundary=Boundary.TASK,
                )


def _digests(public: _Half, sealed: _Half | None) -> Digests:
    return Digests(public=public.tree.content_digest, sealed=sealed.tree.content_digest if sealed else "")


def _held_against(info: SuiteInfo, public: _Half, sealed: _Half | None, root: Path) -> Digests:
    """The suite's digests, found to be true."""
    file, mend = root / "suite.json", f"repoproof seal {root}"
    if info.digests is None:
        raise BadInput("not sealed yet", file=file, field="digests", mend=mend, boundary=Boundary.TASK)
    for half, expected in ((public, info.digests.public), (sealed, info.digests.sealed)):
        if half is not None and half.tree.content_digest != expected:
            problem = f"{half.name}/ is not what was sealed: {half.tree.content_digest[:12]}, expected {expected[:12]}"
            raise BadInput(
                problem,
                file=file,
                field=f"digests.{half.name}",
                mend=f"restore the files (line endings changed?), or, if you changed them: {mend}",
                boundary=Boundary.TASK,
            )
    return info.digests


def _task(
    line: _TaskLine,
    public: _Half,
    sealed: _Half | None,
    task_type: type[Task],
    sealed_type: type[BaseModel],
    check: Callable[[Task], None],
    root: Path,
) -> Task:
    subject = f'task "{line.id}"'
    if "sealed" in line.value:
        raise BadInput(
            "found in the public half",
            file=public.shown,
            line=line.number,
            subject=subject,
            field="sealed",
            mend="what verifies belongs in sealed/tasks.jsonl",
            boundary=Boundary.TASK,
        )
    task = to_record(task_type, line.value, file=public.shown, line=line.number, subject=subject)
    spelled = [canonical_json(line.value)]
    belongs = [*_named_files(task, public, line, subject)]
    if sealed is not None:
        answer = sealed.lines[line.id]
        value = {key: content for key, content in answer.value.items() if key != "id"}
        record = to_record(sealed_type, value, file=sealed.shown, line=answer.number, subject=subject)
        spelled.append(canonical_json(value))
        belongs += _named_files(record, sealed, answer, subject)
        task = task.model_copy(update={"sealed": record})
    task = task.placed(root.resolve(), digest_of_all((*spelled, *belongs)))
    try:
        check(task)
    except BadInput as error:
        of_sealed = sealed is not None and (error.field or "").startswith("sealed")
        half = sealed if sealed is not None and of_sealed else public
        raise BadInput(
            error.problem,
            file=error.file or half.shown,
            line=error.line if error.file else half.lines[line.id].number,
            subject=subject,
            field=(error.field or "").removeprefix("sealed.") or None,
            mend=error.mend,
            boundary=Boundary.TASK,
        ) from None
    return task


def _named_files(record: BaseModel, half: _Half, line: _TaskLine, subject: str) -> Iterator[str]:
    """What the digest takes in of each file that a record names; `BadInput` where there is none."""
    for field, path in _paths_in(record, ""):
        found = half.tree.under(path)
        if not found:
            raise BadInput(
                f"no {path} in {half.name}/",
                file=half.shown,
                line=line.number,
                subject=subject,
                field=field,
                mend=f"paths are relative to {half.name}/, and an empty directory does not count",
                boundary=Boundary.TASK,
            )
        for entry in found:
            yield from entry


def _paths_in(value: object, place: str) -> Iterator[tuple[str, NamedPath]]:
    if isinstance(value, NamedPath):
        yield place, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _paths_in(getattr(value, name), f"{place}.{name}" if place else name)
    elif isinstance(value, tuple | list):
        for index, item in enumerate(cast("tuple[Any, ...] | list[Any]", value)):
            yield from _paths_in(item, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, item in cast("dict[Any, Any]", value).items():
            yield from _paths_in(item, f"{place}.{key}")


def _read_health(root: Path) -> tuple[tuple[Health, ...], str]:
    """The records, and the version they make."""
    file = root / HEALTH
    if not file.exists():
        return (), "none"
    records = tuple(to_record(Health, line.value, file=file, line=line.number) for line in read_jsonl(file))
    return records, hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _quarantined(tasks: Iterable[Task], health: Iterable[Health]) -> Iterator[tuple[str, str]]:
    records = {(record.task, record.digest): record for record in health}
    for task in tasks:
        record = records.get((task.id, task.digest))
        if record is not None and not record.healthy:
            yield task.id, "; ".join(record.reasons) or "found unhealthy"
