"""Values that a metric cannot take: found by arithmetic alone, whoever computed them and however."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, floor
from statistics import fmean
from sys import maxsize
from typing import Any, NamedTuple, TypeGuard

from ..core.base import Frozen
from ..core.jsonl import JsonObject
from ..stats.means import strict_score
from .report import Report

ROUNDING = 1e-4
"""Reports have four decimals, rounded or cut off."""


class Implausible(Frozen):
    """A value that cannot be, where it stands, and why."""

    file: str
    field: str
    """`summary.deployment_success_rate`, `results[3].pass_at_1.total`, `line 12: DSR`."""
    value: str
    """As it is written."""
    why: str


class Doubt(NamedTuple):
    field: str
    value: object
    why: str


def in_file(file: str, doubts: Iterable[Doubt]) -> tuple[Implausible, ...]:
    return tuple(
        Implausible(file=file, field=doubt.field, value="missing" if doubt.value is None else str(doubt.value), why=doubt.why)
        for doubt in doubts
    )  # fmt: skip


# A report of RepoGenesis' harness.


def doubts_about_evaluation(report: JsonObject) -> Iterator[Doubt]:
    """What is impossible in a `report.json` with `metadata`, `summary` and `results`."""
    listed = report.get("results")
    if not isinstance(listed, list):
        yield Doubt("results", listed, "is no list of repositories")
        listed = []
    results = [result for result in listed if isinstance(result, dict)]
    for number, result in enumerate(listed):
        place = f"results[{number}]"
        yield from (
            _doubts_about_result(place, result) if isinstance(result, dict) else [Doubt(place, result, "is no object")]
        )
    names = Counter(str(result.get("repo_name")) for result in results)
    for name, count in names.items():
        if count > 1:
            yield Doubt("results", name, f"one repository, and {count} results of it")
    summary = report.get("summary")
    if not isinstance(summary, dict):
        yield Doubt("summary", summary, "is no object")
        return
    yield from _doubts_about_counts(summary, results, complete=isinstance(report.get("results"), list))
    for metric in METRICS:
        yield from _doubts_about_mean(metric, summary, results)


class MetricOfTheirs(NamedTuple):
    """Where a metric of the harness stands, and what of a result makes it up."""

    overall: str
    by_language: str
    value: Callable[[Mapping[str, Any]], float]
    counts: Callable[[Mapping[str, Any]], bool]
    """Whether a result is in the mean as published; ours has all of them."""
    is_share: bool = False
    """Whether it is k of n repositories."""


def _part(result: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = result.get(name)
    return part if isinstance(part, dict) else {}


def _ratio(part: Mapping[str, Any], of: str, over: str) -> float:
    return part[of] / part[over] if _is_count(part.get(of)) and _is_count(part.get(over)) and part[over] else 0.0


METRICS = (
    MetricOfTheirs(
        "avg_pass_at_1",
        "pass_at_1_by_lang",
        lambda result: _ratio(_part(result, "pass_at_1"), "passed", "total"),
        lambda result: bool(_part(result, "pass_at_1").get("total")),
    ),
    MetricOfTheirs(
        "avg_api_coverage",
        "ac_by_lang",
        lambda result: _ratio(_part(result, "api_coverage"), "implemented_apis", "total_apis"),
        lambda result: bool(_part(result, "api_coverage").get("total_apis")),
    ),
    MetricOfTheirs(
        "deployment_success_rate",
        "dsr_by_lang",
        lambda result: float(_part(result, "dsr").get("success") is True),
        lambda result: True,
        is_share=True,
    ),
)


def means_of(metric: MetricOfTheirs, results: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, int]]:
    """What the mean over `results` may be, and over how many: over all, and over those that count as published."""
    for some in (results, [result for result in results if metric.counts(result)]):
        if some:
            yield fmean(map(metric.value, some)), len(some)


def _doubts_about_result(place: str, result: Mapping[str, Any]) -> Iterator[Doubt]:
    tests, coverage = _part(result, "pass_at_1"), _part(result, "api_coverage")
    yield from _doubts_about_whole(f"{place}.pass_at_1", tests, ("passed", "failed", "errors", "skipped", "total"))
    parts: list[Any] = [tests.get(name) for name in ("passed", "failed", "errors", "skipped")]
    if all(map(_is_count, (*parts, tests.get("total")))) and sum(parts) != tests["total"]:
        why = f"passed, failed, errors and skipped add up to {sum(parts)}"
        yield Doubt(f"{place}.pass_at_1.total", tests["total"], why)
    yield from _doubts_about_score(f"{place}.pass_at_1.score", tests, "passed", "total")
    yield from _doubts_about_whole(f"{place}.api_coverage", coverage, ("implemented_apis", "total_apis"))
    implemented, total = coverage.get("implemented_apis"), coverage.get("total_apis")
    if _is_count(implemented) and _is_count(total) and implemented > total:
        yield Doubt(f"{place}.api_coverage.implemented_apis", implemented, f"there are only {total}")
    yield from _doubts_about_score(f"{place}.api_coverage.score", coverage, "implemented_apis", "total_apis")
    if not isinstance(_part(result, "dsr").get("success"), bool):
        yield Doubt(f"{place}.dsr.success", _part(result, "dsr").get("success"), "is neither true nor false")


def _doubts_about_whole(place: str, part: Mapping[str, Any], names: Iterable[str]) -> Iterator[Doubt]:
    for name in names:
        value = part.get(name)
        if not _is_count(value):
            yield Doubt(f"{place}.{name}", value, f"is {_a_text(value)}no whole number from 0 on")


def _doubts_about_score(place: str, part: Mapping[str, Any], of: str, over: str) -> Iterator[Doubt]:
    score = part.get("score")
    yield from _doubts_about_fraction(place, score)
    if _is_fraction(score) and _is_count(part.get(of)) and _is_count(part.get(over)):
        expected = _ratio(part, of, over)
        if abs(score - expected) > ROUNDING:
            yield Doubt(place, score, f"{part[of]} of {part[over]} is {expected:.4f}")


def _doubts_about_counts(summary: JsonObject, results: Sequence[JsonObject], *, complete: bool) -> Iterator[Doubt]:
    names = ("total_repos", "python_repos", "java_repos")
    yield from _doubts_about_whole("summary", summary, names)
    if not all(_is_count(summary.get(name)) for name in names):
        return
    total, python, java = (summary[name] for name in names)
    languages = Counter(str(result.get("lang")) for result in results)
    others = sum(count for language, count in languages.items() if language not in ("python", "java"))
    if python + java + others != total:
        yield Doubt("summary.total_repos", total, f"python_repos and java_repos add up to {python + java}")
    if not complete:
        return
    if total != len(results):
        yield Doubt("summary.total_repos", total, f"there are {len(results)} results")
    for name, language in (("python_repos", "python"), ("java_repos", "java")):
        if summary[name] != languages[language]:
            yield Doubt(f"summary.{name}", summary[name], f"{languages[language]} results are in {language}")


def _doubts_about_mean(metric: MetricOfTheirs, summary: JsonObject, results: Sequence[JsonObject]) -> Iterator[Doubt]:
    by_language = _part(summary, metric.by_language)
    stated = [(f"summary.{metric.overall}", summary.get(metric.overall), results, summary.get("total_repos"))]
    for language, value in by_language.items():
        of_language = [result for result in results if result.get("lang") == language]
        count = summary.get(f"{language}_repos", len(of_language))
        stated.append((f"summary.{metric.by_language}.{language}", value, of_language, count))
    for place, value, some, count in stated:
        if value is None:
            continue
        if not _is_fraction(value):
            yield from _doubts_about_fraction(place, value)
        elif metric.is_share and _is_count(count) and count and (why := why_no_share(value, count, ROUNDING)):
            yield Doubt(place, value, why)
        elif some and not any(abs(value - mean) <= ROUNDING for mean, _ in means_of(metric, some)):
            means = " or ".join(f"{mean:.4f} over {over}" for mean, over in dict.fromkeys(means_of(metric, some)))
            yield Doubt(place, value, f"the results make it {means}")
    overall, parts = summary.get(metric.overall), [value for value in by_language.values() if _is_fraction(value)]
    if _is_fraction(overall) and parts and not min(parts) - ROUNDING <= overall <= max(parts) + ROUNDING:
        why = f"the languages have {min(parts):.4f} to {max(parts):.4f}"
        yield Doubt(f"summary.{metric.overall}", overall, why)


# A report of ours.


def doubts_about_report(report: Report) -> Iterator[Doubt]:
    """What is impossible in a `report.json` of a run of ours."""
    for number, row in enumerate(report.tasks):
        if row.tests_passed > row.tests_total:
            yield Doubt(f"tasks[{number}].tests_passed", row.tests_passed, f"there are only {row.tests_total} tests")
        for metric in report.metrics:
            value = row.measures.get(metric.name, 0.0)
            if not 0 <= value <= 1:
                yield Doubt(f"tasks[{number}].measures.{metric.name}", value, "is not in 0 to 1")
    if report.denominator != len(report.expected):
        yield Doubt("denominator", report.denominator, f"there are {len(report.expected)} tasks")
    for metric in report.metrics:
        stated = report.strict.get(metric.name)
        found = strict_score(report.whole, metric.name, report.expected).value
        if stated is not None and (found is None or abs(stated - found) > 1e-9):
            yield Doubt(f"strict.{metric.name}", stated, f"the tasks make it {found}")


# Numbers.


def why_no_share(value: float, of: int, unit: float, *, scale: float = 1.0) -> str:
    """Why `value` is no k / `of`, rounded or cut off to `unit`; empty if it is one. `scale` is 100 for percentages."""
    exact = value / scale * of
    around = sorted({max(0, floor(exact)), min(of, ceil(exact))})
    if any(abs(scale * k / of - value) < unit * 1.0001 for k in around):
        return ""
    nearest = " and ".join(f"{scale * k / of:.4g} ({k} of {of})" for k in around)
    return f"{of} repositories cannot give it: the nearest are {nearest}"


def _doubts_about_fraction(place: str, value: object) -> Iterator[Doubt]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        yield Doubt(place, value, f"is {_a_text(value)}no number")
    elif not _is_fraction(value):
        yield Doubt(place, value, f"is not in 0 to 1{': is it a percentage?' if 1 < value <= 100 else ''}")


def _a_text(value: object) -> str:
    """A number in quotes looks like one, wherever it is shown without them."""
    return "a text, " if isinstance(value, str) else ""


def _is_fraction(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: Any) -> TypeGuard[int]:
    # Beyond that, no float holds it.
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= maxsize
