"""Many reports in tables: a row for each configuration, a table for each language, every number with what it is a mean over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from ..core.base import Frozen
from ..core.jsonl import JsonObject
from .leaderboard import ALL, Standing, percentages, repositories_in
from .plausibility import METRICS, ROUNDING, Implausible, MetricOfTheirs, means_of
from .report import Report, counted, number
from .tables import Column, Page, Part, Table


class Category(StrEnum):
    AGENT = "Agent"
    IDE = "IDE"
    CLI = "CLI"
    UNKNOWN = ""


class Scoring(StrEnum):
    """Who made the numbers."""

    OURS = "ours"
    THEIRS = "theirs"
    """As RepoGenesis published it."""
    PUBLISHED = "published"
    """A row of a leaderboard: nothing but the numbers is known."""


class Configuration(Frozen):
    """Who made the repositories."""

    agent: str = ""
    model: str = ""
    category: Category = Category.UNKNOWN
    organisation: str = ""
    date: str = ""
    link: str = ""


class Mean(Frozen):
    """A number, and how many repositories it is a mean over; None for either that is unknown."""

    value: float | None
    over: int | None


class Row(Frozen):
    """One configuration in one language."""

    configuration: Configuration
    language: str
    repositories: int | None
    """That were evaluated, whatever became of them; None where nothing says it."""
    pass_at_1: Mean
    api_coverage: Mean
    deployment_success_rate: Mean
    scoring: Scoring
    source: str
    """The file, or run directory."""
    suite: str = ""
    """All that fixes the denominator; empty where nothing says it."""
    caveat: str = ""
    """Why this is no score of the suite, where it is none."""


class Unread(Frozen):
    """A report or leaderboard that could not be read: no row is of it."""

    source: str
    """As it was given."""
    why: str
    """In one line, with the file and the mend."""


class Aggregate(Frozen):
    rows: tuple[Row, ...]
    """By language, best Pass@1 first."""
    notes: tuple[str, ...] = ()
    """What a reader must know before comparing rows."""
    implausible: tuple[Implausible, ...] = ()
    unread: tuple[Unread, ...] = ()


def rows_of_report(report: Report, configuration: Configuration, source: str) -> Iterator[Row]:
    """Of a run of ours: strict scores."""
    unfinished = f"unfinished: {counted(len(report.unscored), 'submission')} not scored yet" if report.unscored else ""
    lost = "not a result: infrastructure errors above the threshold" if report.above_threshold else ""
    caveat = ", ".join(filter(None, (report.subset, unfinished, lost)))
    languages = {row.language for row in report.tasks}
    parts = {name: (part.denominator, part.strict) for name, part in report.by_language.items()}
    if len(languages) == 1 and not parts:
        parts[languages.pop() or "unknown"] = (report.denominator, report.strict)
    for language, (denominator, strict) in {**parts, ALL: (report.denominator, report.strict)}.items():
        yield Row(
            configuration=configuration,
            language=language,
            repositories=denominator,
            pass_at_1=Mean(value=strict.get("pass_at_1"), over=denominator),
            api_coverage=Mean(value=strict.get("ac_static"), over=denominator),
            deployment_success_rate=Mean(value=strict.get("dsr"), over=denominator),
            scoring=Scoring.OURS,
            source=source,
            suite=report.suite.label,
            caveat=caveat,
        )


def rows_of_evaluation(report: JsonObject, configuration: Configuration, source: str) -> Iterator[Row]:
    """Of a report of RepoGenesis' harness, or one of ours in its form."""
    listed, summary = report.get("results"), report.get("summary")
    results = [result for result in listed if isinstance(result, dict)] if isinstance(listed, list) else []
    summary = summary if isinstance(summary, dict) else {}
    of_ours = report.get("repoproof")
    of_ours = of_ours if isinstance(of_ours, dict) else {}
    said = {name: text for name, text in of_ours.items() if name in ("suite", "subset") and isinstance(text, str)}
    named = {str(result.get("lang")) for result in results}
    stated = {language for language in ("python", "java") if summary.get(f"{language}_repos")}
    for language in (*sorted(named | stated), ALL):
        some = [result for result in results if language in (ALL, result.get("lang"))]
        count = summary.get("total_repos" if language == ALL else f"{language}_repos", len(some))
        means = [_mean(metric, summary, some, language) for metric in METRICS]
        yield Row(
            configuration=configuration,
            language=language,
            repositories=count if isinstance(count, int) else None,
            pass_at_1=means[0],
            api_coverage=means[1],
            deployment_success_rate=means[2],
            scoring=Scoring.OURS if of_ours.get("profile") == "ours" else Scoring.THEIRS,
            source=source,
            suite=said.get("suite", ""),
            caveat=said.get("subset", ""),
        )


def rows_of_leaderboard(standings: Sequence[Standing], repositories: Mapping[str, int], source: str) -> Iterator[Row]:
    scale = 100.0 if percentages(standings) else 1.0
    for standing in standings:
        category = next(
            (known for known in Category if known.lower() == standing.cells.get("category", "").lower()), ""
        )

        def mean(column: str, standing: Standing = standing) -> Mean:
            value = standing.number(column)
            return Mean(value=None if value is None else value / scale, over=None)

        yield Row(
            configuration=Configuration(
                model=standing.cells["model"],
                category=Category(category),
                organisation=standing.cells.get("org", ""),
                date=standing.cells.get("date", ""),
                link=standing.cells.get("link", ""),
            ),
            language=standing.language,
            repositories=repositories_in(standing.language, repositories),
            pass_at_1=mean("pass@1"),
            api_coverage=mean("ac"),
            deployment_success_rate=mean("dsr"),
            scoring=Scoring.PUBLISHED,
            source=f"{source}, {standing.place}",
        )


def aggregate_of(
    rows: Sequence[Row],
    implausible: Sequence[Implausible],
    notes: Sequence[str] = (),
    unread: Sequence[Unread] = (),
) -> Aggregate:
    """The rows in order, with what they must not be compared without."""
    ordered = sorted(rows, key=lambda row: (row.language == ALL, row.language, -(row.pass_at_1.value or 0.0)))
    return Aggregate(
        rows=tuple(ordered),
        notes=(*notes, *_notes(_once(ordered))),
        implausible=tuple(implausible),
        unread=tuple(unread),
    )


def aggregate_page(aggregate: Aggregate) -> Page:
    """A table for each language, then what to know, then what cannot be."""
    rows = _once(aggregate.rows)
    parts: list[Part] = [
        _table(language, [row for row in rows if row.language == language])
        for language in dict.fromkeys(row.language for row in rows)
    ]
    parts.extend(aggregate.notes)
    parts.extend(f"{each.source} could not be read and is in no table" for each in aggregate.unread)
    if aggregate.implausible:
        columns = tuple(map(Column, ("File", "Field", "Value", "Why it cannot be")))
        found = tuple((each.file, each.field, each.value, each.why) for each in aggregate.implausible)
        parts.append(Table(columns, found, title="Impossible values"))
    count = len(aggregate.implausible)
    parts.append(f"{count or 'no'} impossible value{'' if count == 1 else 's'}")
    return Page(tuple(parts))


def _once(rows: Sequence[Row]) -> Sequence[Row]:
    """Without those over all languages, where each of them repeats the one language that there is."""
    single = [row for row in rows if row.language != ALL]
    repeated = [row.model_copy(update={"language": ALL}) for row in single]
    one = len({row.language for row in single}) == 1
    return single if one and all(row in repeated for row in rows if row.language == ALL) else rows


def _table(language: str, rows: Sequence[Row]) -> Table:
    names = [(row.configuration, row.scoring) for row in rows]
    about = {
        "Source": [
            row.source if names.count(name) > 1 or not _is_named(row) else ""
            for row, name in zip(rows, names, strict=True)
        ],
        "Category": [row.configuration.category.value for row in rows],
        "Org": [row.configuration.organisation for row in rows],
        "Date": [row.configuration.date for row in rows],
        "Link": [row.configuration.link for row in rows],
    }
    said = {title: cells for title, cells in about.items() if any(cells)}
    columns = (
        Column("#", True),
        *map(Column, ("Agent", "Model", *said, "Scoring")),
        *(Column(title, True) for title in ("Repos", "Pass@1", "AC", "DSR")),
    )
    lines = tuple(
        (
            str(place),
            row.configuration.agent or "-",
            row.configuration.model or "-",
            *(cells[place - 1] for cells in said.values()),
            row.scoring.value,
            "-" if row.repositories is None else str(row.repositories),
            *(_shown(mean, row) for mean in (row.pass_at_1, row.api_coverage, row.deployment_success_rate)),
        )
        for place, row in enumerate(rows, start=1)
    )
    return Table(columns, lines, title="All languages" if language == ALL else language.capitalize())


def _is_named(row: Row) -> bool:
    """Whether it says who made the repositories; a leaderboard knows no agents."""
    return bool(row.configuration.model and (row.configuration.agent or row.scoring is Scoring.PUBLISHED))


def _shown(mean: Mean, row: Row) -> str:
    """With the denominator, where it is another one than the row's."""
    return number(mean.value) if mean.over in (None, row.repositories) else f"{number(mean.value)} of {mean.over}"


def _mean(
    metric: MetricOfTheirs, summary: Mapping[str, Any], results: Sequence[Mapping[str, Any]], language: str
) -> Mean:
    """The stated number, with the denominator that it follows from."""
    by_language = summary.get(metric.by_language)
    by_language = by_language if isinstance(by_language, dict) else {}
    stated = summary.get(metric.overall) if language == ALL else by_language.get(language)
    # What is not even a percentage is among the impossible values, and in no table.
    if not isinstance(stated, int | float) or isinstance(stated, bool) or not abs(stated) <= 100:
        return Mean(value=None, over=None)
    over = next((over for mean, over in means_of(metric, results) if abs(mean - stated) <= ROUNDING), None)
    return Mean(value=float(stated), over=over)


def _notes(rows: Sequence[Row]) -> Iterator[str]:
    for source, caveat in dict.fromkeys((row.source, row.caveat) for row in rows if row.caveat):
        yield f"{source}: {caveat}"
    suites = list(dict.fromkeys(row.suite for row in rows if row.suite))
    if len(suites) > 1:
        yield f"the rows are over different suites ({'; '.join(suites)}): not to be compared"
    for row in rows:
        mean = row.pass_at_1
        if mean.value is not None and mean.over and row.repositories and mean.over < row.repositories:
            over_all = mean.value * mean.over / row.repositories
            yield (
                f"{row.source}: {row.language}: Pass@1 {mean.value:.4f} is over {mean.over} of {row.repositories} repositories; "
                f"over all of them it is {over_all:.4f}"
            )
    for language in dict.fromkeys(row.language for row in rows):
        counts = {row.repositories for row in rows if row.language == language and row.repositories is not None}
        if len(counts) > 1:
            words = ", ".join(map(str, sorted(counts)))
            yield f"{language}: the rows are over different numbers of repositories ({words}): not to be compared as they are"
