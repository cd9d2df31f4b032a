"""Java submissions from a tree to a verdict: each framework as its own guide packages it, under the golden tests of any other language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from plugins import java_services
from plugins.docker_engine import docker_engine
from plugins.small_suite import write_suite

import repoproof
from repoproof.core.outcomes import Status
from repoproof.core.verdict import Verdict

__all__ = ["docker_engine"]

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.needs("java"), pytest.mark.needs("network")]

slow = pytest.mark.slow
FRAMEWORKS = [
    pytest.param(lambda: java_services.javalin("6.7.0"), "main class org.example.Main", id="javalin-6"),
    pytest.param(lambda: java_services.spring_boot("3.5.7"), "executable jar target/notes-1.0.jar", id="spring-boot-3"),
    pytest.param(lambda: java_services.javalin("7.2.3"), "main class org.example.Main", id="javalin-7", marks=slow),
    pytest.param(lambda: java_services.spring_boot("4.0.7"), "executable jar target/notes-1.0.jar", id="spring-boot-4", marks=slow),
    pytest.param(java_services.spark, "executable jar target/notes-1.0.jar", id="spark", marks=slow),
    pytest.param(java_services.micronaut, "executable jar target/notes-1.0.jar", id="micronaut", marks=slow),
    pytest.param(java_services.quarkus, "Quarkus application target/quarkus-app/quarkus-run.jar", id="quarkus", marks=slow),
    pytest.param(lambda: java_services.dropwizard("4.0.16"), "main class org.example.NotesApplication", id="dropwizard-4", marks=slow),
    pytest.param(lambda: java_services.dropwizard("5.0.1"), "main class org.example.NotesApplication", id="dropwizard-5", marks=slow),
]  # fmt: skip


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("reference", "start"), FRAMEWORKS)
def test_a_reference_deploys_and_passes_its_golden_tests(
    tmp_path: Path, reference: Callable[[], dict[str, str]], start: str
) -> None:
    scores_in_full(tmp_path, reference(), start, "bubblewrap")


@slow
@pytest.mark.needs("docker")
@pytest.mark.usefixtures("docker_engine")
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("reference", "start"), FRAMEWORKS[:2])
def test_docker_scores_it_the_same(tmp_path: Path, reference: Callable[[], dict[str, str]], start: str) -> None:
    scores_in_full(tmp_path, reference(), start, "docker")


def scores_in_full(tmp_path: Path, reference: Mapping[str, str], start: str, sandbox: str) -> None:
    suite = write_suite(tmp_path / "suite", language="java", reference=reference)
    repoproof.score(suite, suite / "sealed" / "reference", tmp_path / "run", sandbox=sandbox)
    (line,) = (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()
    verdict = Verdict.model_validate_json(line)
    assert (verdict.status, verdict.reason) == (Status.PASSED, "3 of 3 tests passed")
    assert (verdict.measures["pass_at_1"], verdict.measures["dsr"], verdict.measures["ac_live"]) == (1.0, 1.0, 1.0)
    assert verdict.detail["start"] == start
