"""What comes of a mutant: some test finds it, none does, or no test is run on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugins.notes_service import NOTES, SERVICE
from plugins.small_suite import write_tree

from repoproof.core.config import ScoreConfig
from repoproof.core.paths import cache_root
from repoproof.families import Bench
from repoproof.families.microservice.build.discover import discover
from repoproof.families.microservice.build.measure import TestSide, measure
from repoproof.families.microservice.build.mutant import Mutant
from repoproof.families.microservice.build.pipeline import Wanted, task_of
from repoproof.families.microservice.build.sites import Span
from repoproof.families.microservice.build.stage import staged
from repoproof.families.microservice.workspace import Record, lay_out
from repoproof.sandbox import open_sandbox
from repoproof.toolchains import runner_environment

HEALTH = """
import json
import os
import urllib.request

def test_health():
    with urllib.request.urlopen(os.environ["SERVICE_BASE_URL"] + "/health") as answer:
        assert json.load(answer)["status"] == "ok"
"""


def changed(before: str, after: str) -> Mutant:
    start = SERVICE.index(before)
    span = Span(start=start, end=start + len(before))
    return Mutant(kind="status", file="service.py", line=1, words=f"{before} -> {after}", span=span, replacement=after)


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
def test_a_mutant_that_does_not_start_is_neither_found_nor_a_survivor(tmp_path: Path):
    box, tree = open_sandbox("auto"), write_tree(tmp_path / "notes", NOTES)
    for name in ("logs", "none"):
        (tmp_path / name).mkdir()
    config = ScoreConfig(sandbox=box.name)
    record = Record(Bench(box=box, cache=cache_root(), logs=tmp_path / "logs", log_prefix="", config=config, config_hash=""))  # fmt: skip
    runner, tests, results = lay_out(tmp_path, tmp_path / "none")
    write_tree(tests, {"test_health.py": HEALTH})
    task = task_of(discover(tree, language="python", port=8199), Wanted(name="notes"))
    environment = runner_environment(None, box=box, cache=cache_root(), log=record.log)
    side = TestSide(box, environment, runner, tests, results, task.port)
    found, survives, ended = (
        changed('"ok"', '"no"'),
        changed("=404", "=200"),
        changed("notes = {}", "raise SystemExit(3)"),
    )
    score = measure(side, staged(task, tree, box, record, runner), [found, survives, ended], tmp_path, record, found=3, seed=0, on_event=print)  # fmt: skip
    assert [(fate.mutant, fate.killed) for fate in score.fates] == [(found, True), (survives, False)]
    assert score.rate == 0.5
    (dropped,) = score.dropped
    assert dropped.what == "service.py:1: notes = {} -> raise SystemExit(3)"
    assert dropped.why.startswith("it does not respond: the start command exited with 3")
