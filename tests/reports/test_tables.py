"""The same cells on a terminal and in Markdown, in eighty columns."""

from __future__ import annotations

import io
import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from repoproof.cli import printing
from repoproof.core.outcomes import Status
from repoproof.core.submission import MISSING, Origin
from repoproof.reports.report_page import report_page
from repoproof.reports.tables import Column, Page, Table, markdown, visible


def on_terminal(page: Page, monkeypatch: pytest.MonkeyPatch, *, width: int = 80, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="replace", write_through=True)
    monkeypatch.setattr(printing, "console", lambda: Console(file=stream, width=width, highlight=False))
    printing.print_page(page, page, "table")  # type: ignore[arg-type]
    return raw.getvalue().decode(encoding)


def words(text: str) -> list[str]:
    return re.findall(r"[\w.#/@%:;]+", text)


def test_a_report_reads_on_eighty_columns(report, four_verdicts, monkeypatch):
    shown = on_terminal(report_page(report(four_verdicts)), monkeypatch)
    table = [line for line in shown.splitlines() if not line.startswith(("Warning", "Not a result"))]
    assert max(map(len, table)) <= 80
    assert re.search(r"^a#0 +failed +3/4 +0\.75  responds +1\.00  1\.5 *$", shown, re.MULTILINE), shown
    assert re.search(r"^c#0 +missing +- +0\.00  - +0\.00  1\.5 *$", shown, re.MULTILINE), shown


def test_long_names_are_broken_at_their_joint_and_numbers_never(report, verdict, question, monkeypatch):
    one = verdict("community-polls", Status.INFRASTRUCTURE_ERROR, passed=1, of=4, attempt=12, seconds=1234.5)
    page = report_page(report([one], [question(one, name="out-of-memory-by-far")]))
    shown = on_terminal(page, monkeypatch)
    assert max(map(len, shown.splitlines()[4:9])) <= 80
    assert re.search(r"^community-polls/ +infrastructure_error +1/4 +- +responds +- +1234\.5 *$", shown, re.MULTILINE)


def test_markdown_has_every_word_of_the_terminal_and_no_other(report, four_verdicts, monkeypatch):
    page = report_page(report(four_verdicts))
    terminal = on_terminal(page, monkeypatch, width=400)
    assert words(re.sub(r"\\(?=[|])|^[|] -.*|^#+", "", markdown(page), flags=re.MULTILINE)) == words(terminal)


def test_a_bar_in_a_cell_does_not_break_a_markdown_row():
    page = Page((Table((Column("A"), Column("B", True)), (("x|y\\", "1"),)),))
    assert markdown(page) == "| A | B |\n| --- | ---: |\n| x\\|y\\\\ | 1 |\n"


def test_a_line_break_in_a_cell_does_not_break_a_markdown_row():
    page = Page((Table((Column("A"),), (("one\ntwo",),)),))
    assert markdown(page).splitlines()[2:] == ["| one<br>two |"]


def test_an_ascii_terminal_gets_a_table_of_its_own_alphabet(report, verdict, monkeypatch):
    page = report_page(report([verdict("a", Status.FAILED, reason="größer als erlaubt")]))
    shown = on_terminal(page, monkeypatch, encoding="ascii")
    assert "gr??er als erlaubt" in shown
    assert "─" not in shown
    assert "----" in shown


def test_what_a_candidate_wrote_is_not_taken_for_markup(report, verdict, monkeypatch):
    page = report_page(report([verdict("a", Status.FAILED, reason="[bold]said[/bold]\x1b[31m")]))
    shown = on_terminal(page, monkeypatch)
    assert r"[bold]said[/bold]\x1b[31m" in shown
    assert "\x1b" not in shown


def test_above_the_threshold_the_headline_is_no_bare_number(report, four_verdicts):
    parts = report_page(report(four_verdicts)).parts
    assert parts[-1].startswith("Not a result: Pass@1 0.1667")
    assert parts[1].startswith("Warning: 1 of 4 submissions (25.0%, limit 1.0%)")


def test_a_static_run_shows_no_column_that_takes_running(report, verdict):
    page = report_page(report([verdict("a", Status.PASSED, measures={"ac_static": 0.5})], static=True))
    table = next(part for part in page.parts if isinstance(part, Table))
    assert [column.title for column in table.columns] == ["Submission", "Status", "AC static", "s"]


def test_a_static_run_says_read_and_neither_passed_nor_failed(report, verdict):
    verdicts = [
        verdict("a", Status.PASSED, measures={"ac_static": 1.0}),
        verdict("b", Status.FAILED, measures={"ac_static": 0.5}),
        verdict("c", Status.MISSING),
    ]
    shown = markdown(report_page(report(verdicts, static=True)))
    assert "static only: nothing was run" in shown
    assert "| a#0 | read | 1.00 | 1.5 |" in shown
    assert "| b#0 | read | 0.50 | 1.5 |" in shown
    assert "\nread 2, missing 1; infrastructure errors 0.0%\n" in shown
    assert "passed" not in shown
    assert shown.splitlines()[-1].startswith("AC static 0.5000 over 3 tasks")


def test_an_unfinished_run_is_quoted_as_one(report, verdict, question):
    done = verdict("a", Status.PASSED, passed=1, of=1)
    scored = report([done], [question(done), question(verdict("b", Status.PASSED))])
    assert scored.headline.startswith(
        "Pass@1 0.5000 over 2 tasks, 1 submission, unfinished: 1 submission not scored yet (suite mini"
    )


def test_what_is_not_scored_yet_has_passed_or_not_for_nobody_and_took_what_it_says(report, verdict, question):
    verdicts = [
        verdict("a", Status.PASSED, attempt=0),
        verdict("a", Status.PASSED, attempt=1),
        verdict("b", Status.PASSED),
    ]
    took = Origin(prompt_tokens=100, completion_tokens=50)
    asked = [question(one).model_copy(update={"origin": took}) for one in verdicts]

    def by_task(scored: int) -> list[tuple[str, ...]]:
        parts = report_page(report(verdicts[:scored], asked)).parts
        return [row for part in parts if isinstance(part, Table) and part.title == "By task" for row in part.rows]

    assert by_task(0) == [("a", "2", "-", "150"), ("b", "1", "-", "150")]
    assert by_task(1) == [("a", "2", "-", "150"), ("b", "1", "-", "150")]
    assert by_task(2) == [("a", "2", "2", "150"), ("b", "1", "-", "150")]
    assert by_task(3) == [("a", "2", "2", "150"), ("b", "1", "1", "150")]


def test_coverage_that_was_asked_for_is_a_line(report, verdict):
    def line(*coverages: float, asked: bool = True) -> str:
        known = [
            verdict(f"k{n}", Status.PASSED, measures={"code_coverage": found}) for n, found in enumerate(coverages)
        ]
        found = report([*known, verdict("b", Status.PASSED), verdict("c", Status.MISSING, submission_hash=MISSING)])
        found = found.model_copy(update={"run": found.run.model_copy(update={"coverage": asked})})
        return "".join(part for part in report_page(found).parts if isinstance(part, str) and "Coverage" in part)

    said = "Coverage under the golden tests: known for"
    assert line(0.5, 0.75) == f"{said} 2 of 3 answers, mean 0.62 (--code: each)"
    assert line() == f"{said} 0 of 1 answer (`repoproof show`: why)"
    assert line(0.5, asked=False) == ""


@pytest.mark.parametrize(("tasks", "said"), [(1, False), (2, True), (19, True), (20, False)])
def test_an_interval_over_few_tasks_is_said_to_be_rough(report, verdict, tasks, said):
    page = report_page(report([verdict(f"t{n}", Status.PASSED, passed=1, of=1) for n in range(tasks)]))
    note = f"Intervals over {tasks} tasks only: below 20, bootstrap intervals come out too narrow."
    assert (note in page.parts) is said


def test_tasks_tested_in_the_process_of_their_code_are_said_below_the_scores(report, verdict):
    inside = {"trust": "in_process"}
    verdicts = [
        verdict("a", Status.PASSED, passed=1, of=1, detail=inside),
        verdict("a", Status.FAILED, of=1, attempt=1, detail=inside),
        verdict("b", Status.FAILED, of=1, detail=inside),
        verdict("c", Status.BUILD_FAILED, detail=inside),
        verdict("d", Status.PASSED, passed=1, of=1),
    ]
    said = "tested in the process of the code under test: such results can be forged by a determined submission"
    found = report(verdicts)
    assert [row.trust for row in found.tasks] == ["in_process"] * 4 + [""]
    parts = report_page(found).parts
    scores = next(n for n, part in enumerate(parts) if isinstance(part, Table) and part.columns[0].title == "Score")
    assert f"2 of 4 tasks were {said}" in parts[scores + 1 :]
    assert f"1 of 1 task was {said}" in report_page(report(verdicts[:1])).parts
    for nothing_tested in (verdicts[3], verdicts[4]):
        assert said not in markdown(report_page(report([nothing_tested])))


def test_no_line_ends_in_blanks_and_no_page_in_an_empty_line(report, four_verdicts, monkeypatch):
    for page in (
        report_page(report(four_verdicts)),
        Page((Table((Column("A"), Column("B")), (("x", "long"), ("y", "b"))),)),
    ):
        lines = on_terminal(page, monkeypatch).splitlines()
        assert [line for line in lines if line != line.rstrip()] == []
        assert lines[-1] != ""
        assert not any(before == after == "" for before, after in pairwise(lines))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_names_stay_whole_however_narrow_the_terminal(report, verdict, question, monkeypatch, width):
    one = verdict("community-polls", Status.OUT_OF_MEMORY, passed=1, of=4)
    shown = on_terminal(report_page(report([one], [question(one, name="memory-hog")])), monkeypatch, width=width)
    for word in ("community-polls", "memory-hog", "out_of_memory", "responds"):
        assert word in shown


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_long_path_stays_whole_where_there_is_room_and_else_goes_on_below(monkeypatch, width):
    columns = tuple(map(Column, ("Endpoint", "Static", "At", "Framework", "Live", "Why", "Documented")))
    row = (
        "GET /api/v1/parcels/{tracking_id}/scans",
        "yes",
        "app/routes/scans.py:120",
        "fastapi",
        "no",
        "not probed",
        "no",
    )
    lines = on_terminal(Page((Table(columns, (row,)),)), monkeypatch, width=width).splitlines()
    assert max(map(len, lines)) <= width
    if width > 80:
        assert row[0] in lines[2]
    else:
        assert "".join(line[:23].strip() for line in lines[2:]) == row[0].replace(" ", "")


cells = st.text(st.sampled_from([*"ab0 /_:.-é漢\u0301\n\t\x1b\u200b"]) | st.characters(codec="utf-8"), max_size=30)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    titles = st.sampled_from(["Submission", "Status", "Why", "Per answer", "A title that is long"])
    columns = tuple(draw(st.lists(st.builds(Column, titles, st.booleans()), min_size=1, max_size=8)))
    row = st.tuples(*(cells for _ in columns))
    return Table(columns, tuple(draw(st.lists(row, max_size=3))))


@given(table=tables(), width=st.integers(40, 130))
@settings(max_examples=150, deadline=None)
def test_nothing_of_any_cell_is_lost_at_any_width(table, width):
    with pytest.MonkeyPatch.context() as patch:
        shown = "".join(on_terminal(Page((table,)), patch, width=width).split())
    said = [*(column.title for column in table.columns), *(visible(cell) for row in table.rows for cell in row)]
    for text in said:
        rest = iter(shown)
        assert all(character in rest for character in "".join(text.split()))
    assert Counter(shown.replace("─", "")) == Counter("".join("".join(said).split()).replace("─", ""))
