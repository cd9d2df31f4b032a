"""Reports of many runs, ours and RepoGenesis', in one record."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from ..core.base import Frozen
from ..core.errors import BadInput
from ..core.jsonl import JsonObject, read_json, to_record
from ..core.run import RunDirectory
from ..core.user_files import read_toml
from ..reports.aggregate import (
    Aggregate,
    Category,
    Configuration,
    Row,
    Unread,
    aggregate_of,
    rows_of_evaluation,
    rows_of_leaderboard,
    rows_of_report,
)
from ..reports.leaderboard import doubts_about_leaderboard, read_leaderboard
from ..reports.plausibility import Implausible, doubts_about_evaluation, doubts_about_report, in_file
from ..reports.report import REPORT_SCHEMA_VERSION, Report
from . import arguments
from .runs import report_on

VERIFIED = {"python": 22, "java": 8}
"""Repositories that RepoGenesis' leaderboard is over."""


def aggregate(
    reports: Iterable[Path | str] = (),
    *,
    configurations: Path | str | None = None,
    leaderboards: Iterable[Path | str] = (),
    repositories: Mapping[str, int] | None = None,
) -> Aggregate:
    """Tables of `reports` (run directories, output directories, files `report.json`) and `leaderboards`, and what in them cannot be.

    `configurations` is a TOML file that says who made what. `repositories` is how many there are in each language of a leaderboard. One of
    several that cannot be read is in `unread`, with why; `BadInput` where none can be.
    """
    known = _configurations(configurations)
    counts = dict(VERIFIED if repositories is None else repositories)
    given = [(arguments.place(path, "reports"), False) for path in _paths(reports, "reports")]
    given += [(arguments.place(path, "leaderboards"), True) for path in _paths(leaderboards, "leaderboards")]
    rows: list[Row] = []
    implausible: list[Implausible] = []
    errors: dict[Path, BadInput] = {}
    for path, is_leaderboard in given:
        try:
            found, doubts = _read_leaderboard(path, counts) if is_leaderboard else _read(path, known)
        except BadInput as error:
            errors[path] = error
        else:
            rows += found
            implausible += doubts
    if errors and len(errors) == len(given):
        raise next(iter(errors.values()))
    unused = [entry for entry in known if not entry.is_used(rows) and _folder(entry.place) not in map(_folder, errors)]
    notes = [f"{configurations}: no report is of {entry.label}" for entry in unused]
    unread = [Unread(source=str(path), why=str(error)) for path, error in errors.items()]
    return aggregate_of(rows, implausible, notes, unread)


def _paths(values: Iterable[Path | str], argument: str) -> tuple[str, ...]:
    return arguments.texts([str(value) for value in values], argument)


class Known(Frozen):
    """One `[[configuration]]`: which reports it is about (those at a path, or by agent and model), and what it says of them."""

    report: str = ""
    """Path of a report or run directory, relative to the file."""
    agent: str = ""
    model: str = ""
    category: Category = Category.UNKNOWN
    organisation: str = ""
    date: datetime.date | str = ""
    link: str = ""
    place: Path = Field(default=Path(), exclude=True)
    """Folder of that report."""

    @property
    def label(self) -> str:
        return self.report or f"agent {self.agent!r}, model {self.model!r}"

    @property
    def configuration(self) -> Configuration:
        return Configuration(
            agent=self.agent,
            model=self.model,
            category=self.category,
            organisation=self.organisation,
            date=str(self.date),
            link=self.link,
        )

    def is_about(self, path: Path, agent: str, model: str) -> bool:
        return _folder(path) == self.place if self.report else (agent, model) == (self.agent, self.model)

    def is_used(self, rows: Sequence[Row]) -> bool:
        return any(self.is_about(Path(row.source), row.configuration.agent, row.configuration.model) for row in rows)


def _folder(report: Path) -> Path:
    """The same, however the report is given."""
    return (report.parent if report.name == "report.json" else report).resolve()


def _read(path: Path, known: Sequence[Known]) -> tuple[list[Row], tuple[Implausible, ...]]:
    """The rows of one report, and what in it cannot be."""
    if (path / "run.json").is_file():
        return _ours(report_on(RunDirectory.read(path)), path, known)
    file = path / "report.json" if path.is_dir() else path
    value = read_json(file)
    if "schema_version" in value and "suite" in value:
        if (version := value["schema_version"]) != REPORT_SCHEMA_VERSION:
            problem = f"{version!r} cannot be read: this program reads version {REPORT_SCHEMA_VERSION}"
            raise BadInput(problem, file=file, field="schema_version", mend="use another repoproof")
        return _ours(to_record(Report, value, file=file), path, known)
    if "summary" not in value or "results" not in value:
        mend = "give a run directory, or a report.json of `repoproof` or RepoGenesis"
        raise BadInput("not a report: it has no summary and no results", file=file, mend=mend)
    configuration = _about(path, *_maker(value), known)
    return list(rows_of_evaluation(value, configuration, str(path))), in_file(str(file), doubts_about_evaluation(value))


def _read_leaderboard(path: Path, counts: Mapping[str, int]) -> tuple[list[Row], tuple[Implausible, ...]]:
    standings = read_leaderboard(path)
    doubts = in_file(str(path), doubts_about_leaderboard(standings, counts))
    return list(rows_of_leaderboard(standings, counts, str(path))), doubts


def _ours(report: Report, path: Path, known: Sequence[Known]) -> tuple[list[Row], tuple[Implausible, ...]]:
    makers = report.effort.makers
    only = makers[0] if len(makers) == 1 else None
    agent = report.run.agent_name or (only.agent if only else "")
    model = report.run.model_name or (only.model if only else "")
    configuration = _about(path, agent, model, known)
    return list(rows_of_report(report, configuration, str(path))), in_file(str(path), doubts_about_report(report))


def _maker(report: JsonObject) -> tuple[str, str]:
    metadata = report.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return str(metadata.get("agent_name") or ""), str(metadata.get("model_name") or "")


def _about(path: Path, agent: str, model: str, known: Sequence[Known]) -> Configuration:
    """What the file of configurations says of it, by its path rather than by its makers; else what the report itself does."""
    said = min(
        (entry for entry in known if entry.is_about(path, agent, model)), key=lambda e: not e.report, default=None
    )
    if said is None:
        return Configuration(agent=agent, model=model)
    own = {"agent": said.agent or agent, "model": said.model or model}
    return said.configuration.model_copy(update=own)


def _configurations(file: Path | str | None) -> tuple[Known, ...]:
    if file is None:
        return ()
    path = arguments.place(file, "configurations")
    return tuple(_known(path, _tables(path)))


def _tables(path: Path) -> list[JsonObject]:
    value = read_toml(path)
    tables = value.pop("configuration", None)
    if value or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadInput("not a list of configurations", file=path, mend="write each as a table [[configuration]]")
    return tables


def _known(path: Path, tables: Sequence[JsonObject]) -> Iterator[Known]:
    for number, table in enumerate(tables, start=1):
        subject = f"configuration {number}"
        entry = to_record(Known, table, file=path, subject=subject)
        if not (entry.report or entry.agent or entry.model):
            raise BadInput(
                "says not what it is about", file=path, subject=subject, mend="give report, or agent and model"
            )
        yield entry.model_copy(update={"place": _folder(path.parent / entry.report)})
