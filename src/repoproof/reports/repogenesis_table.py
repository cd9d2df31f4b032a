"""The table that RepoGenesis' harness prints: its columns, its width. What is ours comes after the closing line."""

from __future__ import annotations

from collections.abc import Iterator

from .repogenesis import Difference, Evaluation, Profile, Result, Summary
from .report import in_process_note, number
from .tables import visible

WIDTH = 90
LABELS = {
    "avg_pass_at_1": "Pass@1",
    "avg_api_coverage": "AC",
    "deployment_success_rate": "DSR",
}


def summary_table(evaluation: Evaluation) -> str:
    """Ends with a newline; what candidates wrote has no control characters in it."""
    static_only = evaluation.summary.deployment_success_rate is None and bool(evaluation.results)
    lines = [
        "=" * WIDTH,
        "  RepoGenesis Evaluation Results",
        "=" * WIDTH,
        f"{'Repo Name':<35} {'Lang':<8} {'DSR':<6} {'Pass@1':<10} AC",
        "-" * WIDTH,
        *(_row(result, static_only=static_only) for result in evaluation.results),
        "-" * WIDTH,
        *_averages(evaluation.summary),
        "=" * WIDTH,
        *_beside(evaluation),
    ]
    return visible("\n".join(lines)) + "\n"


def _row(result: Result, *, static_only: bool) -> str:
    tests, coverage = result.pass_at_1, result.api_coverage
    passed = f"{tests.passed}/{tests.total} ({tests.score:.2f})" if not static_only else "-"
    deployed = "-" if static_only else "PASS" if result.dsr.success else "FAIL"
    covered = f"{coverage.implemented_apis}/{coverage.total_apis} ({coverage.score:.2f})"
    return f"{result.repo_name:<35} {result.lang:<8} {deployed:<6} {passed:<11} {covered}"


def _averages(summary: Summary) -> Iterator[str]:
    yield f"  {'Total repos:':<26}{summary.total_repos}"
    yield f"  {'Avg Pass@1:':<26}{number(summary.avg_pass_at_1)}"
    yield f"  {'Deployment Success Rate:':<26}{number(summary.deployment_success_rate)}"
    yield f"  {'Avg API Coverage:':<26}{number(summary.avg_api_coverage)}"
    yield ""
    by_metric = (
        ("Pass@1", summary.pass_at_1_by_lang),
        ("DSR", summary.dsr_by_lang),
        ("AC", summary.ac_by_lang),
    )
    for label, values in by_metric:
        python, *others = (f"{label} ({language.title()}):" for language in values)
        first, *rest = (number(value) for value in values.values())
        yield f"  {python:<18}{first}  " + "  ".join(
            f"| {other:<16}{value}" for other, value in zip(others, rest, strict=True)
        )


def _beside(evaluation: Evaluation) -> Iterator[str]:
    beside = evaluation.repoproof
    yield f"Denominator of ours: {beside.denominator} (suite {beside.suite})"
    if beside.missing:
        yield f"Not submitted, 0 in every metric of ours: {', '.join(beside.missing)}"
    if beside.in_process:
        yield in_process_note(len(beside.in_process), beside.denominator)
    yield from (f"Warning: {warning}" for warning in beside.warnings)
    if beside.profile is Profile.LEGACY:
        yield ""
        yield "Above is the legacy scoring, as published. Beside ours, from the same run:"
        for difference in beside.differences:
            yield from _difference(difference)


def _difference(difference: Difference) -> Iterator[str]:
    yield (
        f"  {LABELS[difference.metric] + ':':<8}legacy {number(difference.legacy)} over {difference.legacy_over}, "
        f"ours {number(difference.ours)} over {difference.ours_over}"
    )
    yield from (f"          {why}" for why in difference.why)
