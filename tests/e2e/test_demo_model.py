"""`make demo-model`: a model answers the bundled suite, and the report says what that took."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from repoproof import api
from repoproof.completions.filetree import render_tree
from repoproof.families.microservice.task import MicroserviceTask
from repoproof.models.scripted import Rule, scripted_server

ROOT = Path(__file__).parents[2]
SUITE = api.load_suite("microservice-mini")
GGUF = os.environ.get("REPOPROOF_GGUF", "")

a_model = pytest.mark.skipif(not GGUF, reason="optional: REPOPROOF_GGUF names no model in the GGUF format")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500), pytest.mark.needs("bubblewrap", "node", "java")]


def command(*words: object) -> list[str]:
    return [sys.executable, str(ROOT / "scripts" / "demo_model.py"), *map(str, words)]


def demo(*words: object) -> str:
    ran = subprocess.run(command(*words), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def is_listening(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_that_runs_already_is_asked_once_a_task(tmp_path: Path) -> None:
    """It knows the references by the first lines of their documents."""
    rules = [Rule(contains=titled(task), replies=(render_tree(task.reference_path),)) for task in SUITE]
    with scripted_server(rules) as server:
        shown = [demo("--base-url", server.base_url, "--max-tokens", 8000, "--output", tmp_path) for _ in range(2)]
        assert server.counts().total == len(SUITE)
    assert all("Pass@1 1.0000 over 9 tasks, 9 submissions (" in each for each in shown)
    assert re.search(r"^Tokens +9 of 9 ", shown[0], re.MULTILINE)
    effort = api.report(tmp_path / "demo-model").effort
    assert (effort.answers, effort.solved) == (9, 9)
    assert effort.amounts["seconds"].known == effort.amounts["tokens"].known == 9


def titled(task: MicroserviceTask) -> str:
    return task.specification_path.read_text().splitlines()[0]


@a_model
@pytest.mark.timeout(900)
def test_a_local_model_answers_and_its_server_ends(tmp_path: Path) -> None:
    shown = demo("--gguf", GGUF, "--max-tokens", 64, "--output", tmp_path)
    port = int(re.findall(r"OPENAI_BASE_URL=http://127.0.0.1:(\d+)/v1", shown)[0])
    assert not is_listening(port)
    effort = api.report(tmp_path / "demo-model").effort
    assert effort.makers[0].model == Path(GGUF).stem
    amounts = effort.amounts
    assert {name: amount.known for name, amount in amounts.items()} == dict.fromkeys(
        ("prompt_tokens", "completion_tokens", "tokens", "seconds"), len(SUITE)
    )
    assert 0 < amounts["completion_tokens"].total <= 64 * len(SUITE)


@a_model
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_server_of_a_demo_that_is_ended_ends_too(tmp_path: Path, how: signal.Signals) -> None:
    with subprocess.Popen(command("--gguf", GGUF, "--output", tmp_path), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        port = next(
            int(found[1]) for line in running.stdout if (found := re.search(r"http://127.0.0.1:(\d+)/v1", line))
        )
        assert is_listening(port)
        running.send_signal(how)
        assert running.wait() == 130
    assert not is_listening(port)
