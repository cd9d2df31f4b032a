"""The ids that golden tests have, from collecting them in a sandbox: never from a report, which lists what came to be run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ....core.base import MiB
from ....core.paths import cache_root
from ....sandbox import Limits, Sandbox
from ....sandbox.base import Loopback
from ....toolchains import runner_environment
from ..defects import gist
from ..expected import expected_of
from ..golden import COLLECT_TESTS, golden_view, read_records, service_urls
from ..stubs import stub
from ..task import MicroserviceTask
from ..workspace import lay_out, reachable_folder
from .python_tests import Suite

LIMITS = Limits(wall_seconds=120, output_bytes=16 * MiB)

CIRCUMSTANCES = ("beside a service that answers 200 to everything", "with no service there")
"""In this order: a suite that waits for the service while it is imported waits for nothing beside the first."""


@dataclass
class Collected:
    """What collecting has come to."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    """By file, in the order of collection."""
    trouble: dict[str, str] = field(default_factory=dict)
    """File -> why it could not be collected."""
    disabled: set[str] = field(default_factory=set)
    """Ids that the source has switched off."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Id -> why pytest leaves it out, as it is marked."""
    complete: bool = False
    """Whether collection reached its end."""


def expected_ids(
    task: MicroserviceTask, tests: Path, requirements: Path | None, suite: Suite, box: Sandbox
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the tests in `tests`, and notes. Files that cannot be imported here count with the tests that their source shows; what the
    source has switched off is not expected."""
    environment = runner_environment(requirements, box=box, cache=cache_root(), log=lambda name, content: None)
    variables = {**service_urls(task.port), **(task.sealed.test_environment if task.sealed else {})}
    best: dict[str, list[str]] = {}
    disabled, left_out = set(suite.disabled), dict[str, str]()
    last = Collected()
    for circumstance in CIRCUMSTANCES:
        with _laid_out(tests) as (runner, golden, results), _service(circumstance, task, box, runner) as loopback:
            ran = box.run(
                COLLECT_TESTS,
                view=golden_view(environment, runner, golden, results, variables),
                limits=LIMITS,
                loopback=loopback,
            )
            last = _read(results / "results.jsonl", (ran.stdout + ran.stderr).decode("utf-8", "replace"))
        disabled |= last.disabled
        for file, ids in last.ids.items():
            if len(ids) > len(best.get(file, ())):
                best[file] = ids
                left_out |= {id: last.left_out[id] for id in ids if id in last.left_out}
        if last.complete and not last.trouble:
            break
    notes: list[str] = []
    for file, ids in suite.tests.items():
        why = last.trouble.get(file) or ("" if last.complete else last.trouble.get("", ""))
        if ids and file not in best and why:
            best[file] = ids
            notes.append(f"{file}: test ids read from its source, since it cannot be imported: {why}")
    ids, told = expected_of([id for file in sorted(best) for id in best[file]], disabled, left_out)
    return ids, (*notes, *told)


@contextmanager
def _laid_out(tests: Path) -> Iterator[tuple[Path, Path, Path]]:
    with reachable_folder() as folder:
        yield lay_out(folder, tests)


@contextmanager
def _service(circumstance: str, task: MicroserviceTask, box: Sandbox, runner: Path) -> Iterator[Loopback | None]:
    if circumstance == CIRCUMSTANCES[0]:
        with stub(task, box, runner, "200", "{}") as loopback:
            yield loopback
    else:
        yield None


def _read(results: Path, said: str) -> Collected:
    collected = Collected()
    for line in read_records(results):
        if "collected" in line:
            collected.complete = True
            for id in line["collected"]:
                collected.ids.setdefault(id.partition("::")[0], []).append(id)
            collected.disabled |= set(line.get("disabled", ()))
            collected.left_out |= line.get("left_out", {})
        elif "collect_error" in line:
            collected.trouble[line["collect_error"].partition("::")[0]] = gist(line["message"])
        elif "collect_skipped" in line:
            collected.trouble[line["collect_skipped"].partition("::")[0]] = f"it skips itself: {gist(line['message'])}"
    if not collected.complete:
        collected.trouble[""] = gist(said) or "collection did not reach its end"
    return collected
