"""The report on a run as a page: what a reader needs, in the order in which it is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..core.outcomes import Status
from ..stats.means import value_of
from .code import CODE, shown
from .effort import FIGURES, Maker, known_for, quantity
from .report import READ, Interval, Metric, Report, Slice, TaskRow, counted, in_process_note, number
from .tables import Column, Page, Part, Table

FEW = 20
"""Tasks below which a bootstrap interval is said to be rough."""
NAMED = 5
"""Tasks that a line names before it ends in dots."""


def report_page(report: Report, *, by: Sequence[str] = (), code: bool = False) -> Page:
    """What is wrong first, then every submission, the scores, and the line to quote.

    `by` are dimensions to tell the scores apart by, the language always among them where there are several; `code` adds how large
    each submission is.
    """
    parts: list[Part] = [
        _identity(report),
        *(f"Warning: {warning}" for warning in report.warnings),
        _submissions(report),
    ]
    if (reasons := _reasons(report)).rows:
        parts.append(reasons)
    parts.append(_scores(report))
    if report.intervals and report.denominator < FEW:
        parts.append(few(report.denominator))
    if report.in_process:
        parts.append(in_process_note(len(report.in_process), report.denominator))
    if report.pass_at_k:
        parts.extend(_pass_at_k(report))
    if report.no_pass_at_k:
        parts.append(f"No pass@k: {report.no_pass_at_k}.")
    if report.run.coverage:
        parts.append(_coverage(report))
    if code:
        parts.extend(_code(report))
    for dimension in dict.fromkeys((*(("language",) if report.by_language else ()), *by)):
        parts.append(_sliced(report, dimension))
    parts.extend(_effort(report))
    if report.answers.line:
        parts.append(report.answers.line)
    parts.append(_counts(report))
    parts.append(f"Not a result: {report.headline}" if report.above_threshold else report.headline)
    return Page(tuple(parts))


def few(tasks: int) -> str:
    """What is said of intervals over so few tasks."""
    return f"Intervals over {counted(tasks, 'task')} only: below {FEW}, bootstrap intervals come out too narrow."


def _identity(report: Report) -> str:
    run = report.run
    about = [
        f"suite {report.suite.name} {report.suite.version}",
        f"model {run.model_name}" if run.model_name else "",
        f"agent {run.agent_name}" if run.agent_name else "",
        "static only: nothing was run" if run.static_only else f"sandbox {run.sandbox}",
        f"scored {run.started:%Y-%m-%d %H:%M %Z}",
        report.subset,
    ]
    return ", ".join(word for word in about if word)


def _submissions(report: Report) -> Table:
    ran = not report.run.static_only
    measured = [metric for metric in report.metrics if metric.column and report.strict[metric.name] is not None]

    def measure(row: TaskRow, metric: Metric) -> str:
        if metric.stages:
            return row.reached or "-"
        # Where our side failed there is nothing to show; any other verdict counts for something, if only for 0.
        return "-" if row.status.is_ours else f"{value_of(row, metric.name):.2f}"

    return Table(
        (
            Column("Submission"),
            Column("Status"),
            *((Column("Tests", True),) if ran else ()),
            *(Column(metric.label, not metric.stages) for metric in measured),
            Column("s", True),
        ),
        tuple(
            (
                row.label,
                report.word(row.status),
                *((f"{row.tests_passed}/{row.tests_total}" if row.tests_total else "-",) if ran else ()),
                *(measure(row, metric) for metric in measured),
                f"{row.seconds:.1f}",
            )
            for row in report.tasks
        ),
    )


def _reasons(report: Report) -> Table:
    def why(row: TaskRow) -> str:
        # What was only read has no reason of its own worth a line each.
        return row.solvers_note if report.word(row.status) == READ else row.why

    rows = tuple(
        (row.label, why(row)) for row in report.tasks if row.status is not Status.PASSED or report.run.static_only
    )
    return Table((Column("Submission"), Column("Reason")), tuple(row for row in rows if row[1]), title="Why")


def _scores(report: Report) -> Table:
    return Table(
        (
            Column("Score"),
            Column(f"Strict, {counted(report.denominator, 'task')}", True),
            Column("95 % interval", True),
            Column(f"Conditional, {counted(report.conditional_denominator, 'task')}", True),
        ),
        tuple(
            (
                m.label,
                number(report.strict[m.name]),
                _interval(report.intervals.get(m.name)),
                number(report.conditional[m.name]),
            )
            for m in report.metrics
        ),
    )


def _interval(found: Interval | None) -> str:
    return f"{found.low:.4f} to {found.high:.4f}" if found else "-"


def _pass_at_k(report: Report) -> Iterator[Part]:
    yield Table(
        (
            Column("k", True),
            Column(f"pass@k, {counted(report.denominator, 'task')}", True),
            Column("95 % interval", True),
        ),
        tuple((str(found.k), number(found.value), _interval(found.interval)) for found in report.pass_at_k),
        title="At least one of k answers passes",
    )
    most = max(report.attempts.values())
    if fewer := [f"{task} {count}" for task, count in report.attempts.items() if count < most]:
        yield (
            f"{len(fewer)} of {counted(report.denominator, 'task')} have fewer than {counted(most, 'attempt')}: "
            f"{', '.join(fewer[:NAMED])}{', ...' if len(fewer) > NAMED else ''}."
        )


def _effort(report: Report) -> Iterator[Part]:
    effort = report.effort
    if not effort.amounts and not any(maker.model or maker.agent for maker in effort.makers):
        return
    yield f"{counted(effort.answers, 'answer')}: {'; '.join(_maker(maker, effort.answers) for maker in effort.makers)}"
    if not effort.amounts:
        return
    columns = ("Known for", "Total", "Per answer", "Per passed answer", "Per solved task")
    yield Table(
        (Column("Took"), *(Column(title, True) for title in columns)),
        tuple(
            (
                FIGURES[name],
                known_for(amount, effort.answers),
                *(
                    quantity(name, value)
                    for value in (amount.total, amount.per_answer, amount.per_passed, amount.per_solved)
                ),
            )
            for name, amount in effort.amounts.items()
        ),
        title="What the answers took",
    )
    if max(report.attempts.values()) > 1:
        yield _efforts_of_tasks(report)


def _efforts_of_tasks(report: Report) -> Table:
    shown = [name for name in ("tokens", "cost_usd", "seconds") if name in report.effort.amounts]
    judged = () if report.run.static_only else report.are_scored
    passed = Counter(row.task for row in report.tasks if row.status is Status.PASSED)
    return Table(
        (
            Column("Task"),
            Column("Attempts", True),
            Column("Passed", True),
            *(Column(f"{FIGURES[name]} each", True) for name in shown),
        ),
        tuple(
            (
                task,
                str(report.attempts[task]),
                str(passed[task]) if task in judged else "-",
                *(quantity(name, report.effort_by_task.get(task, {}).get(name)) for name in shown),
            )
            for task in report.expected
        ),
        title="By task",
    )


def _maker(maker: Maker, answers: int) -> str:
    names = [
        f"model {maker.model}" if maker.model else "",
        f"agent {maker.agent}" if maker.agent else "",
        maker.sampling,
    ]
    said = ", ".join(filter(None, names)) or "by nobody named"
    return said if maker.answers == answers else f"{maker.answers} {said}"


def _sliced(report: Report, dimension: str) -> Table | str:
    slices = report.slices.get(dimension)
    if not slices:
        return f"By {dimension}: no task says one"
    measured = [metric for metric in report.metrics if report.strict[metric.name] is not None]
    with_interval = measured[:1] if any(part.intervals for part in slices.values()) else []
    titles = [
        title
        for metric in measured
        for title in ((metric.label, "95 % interval") if metric in with_interval else (metric.label,))
    ]

    def cells(part: Slice) -> Iterator[str]:
        for metric in measured:
            yield number(part.strict[metric.name])
            if metric in with_interval:
                yield _interval(part.intervals.get(metric.name))

    return Table(
        (Column(dimension.capitalize()), Column("Tasks", True), *(Column(title, True) for title in titles)),
        tuple((value, str(part.denominator), *cells(part)) for value, part in slices.items()),
        title=f"By {dimension}, strict",
    )


def _code(report: Report) -> Iterator[Part]:
    if not report.code:
        yield "The submitted code: none was read"
        return
    read = [row for row in report.tasks if any(name in row.measures for name in CODE)]
    figures = [name for name in CODE if name in report.code]
    yield Table(
        (Column("Submission"), *(Column(CODE[name], True) for name in figures)),
        (
            *((row.label, *(shown(name, row.measures.get(name)) for name in figures)) for row in read),
            ("mean", *(shown(name, report.code[name].mean, decimals=1) for name in figures)),
            ("median", *(shown(name, report.code[name].median, decimals=1) for name in figures)),
        ),
        title=f"The submitted code, {len(read)} of {counted(report.submissions, 'submission')} read",
    )


def _coverage(report: Report) -> str:
    figure = report.code.get("code_coverage")
    answers = report.answers.handed_in
    if figure is None:
        return f"Coverage under the golden tests: known for 0 of {counted(answers, 'answer')} (`repoproof show`: why)"
    return (
        f"Coverage under the golden tests: known for {figure.known} of {counted(answers, 'answer')}, "
        f"mean {shown('code_coverage', figure.mean)} (--code: each)"
    )


def _counts(report: Report) -> str:
    by_word: Counter[str] = Counter()
    for status, count in report.counts.items():
        by_word[report.word(status)] += count
    counts = ", ".join(f"{word} {count}" for word, count in by_word.items() if count)
    return f"{counts or 'nothing scored'}; infrastructure errors {report.infrastructure_rate:.1%}"
