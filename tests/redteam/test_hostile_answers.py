"""The attacker's service answers our own clients with what no server should send. Where that stalls, kills or confuses the test side, the
submission would become an infrastructure error and leave the conditional scores; where it is believed, DSR or AC live would rise.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import REFERENCE, SERVICE, write_suite, write_tree

import repoproof
from repoproof.core.outcomes import Status

pytestmark = pytest.mark.needs("bubblewrap")

SERVER = """
import os, socket, threading
def serve(answer):
    listening = socket.create_server(("0.0.0.0", int(os.environ["PORT"])))
    def one(peer):
        try:
            asked = b""
            while b"\\r\\n\\r\\n" not in asked:
                asked += peer.recv(65536) or b"\\r\\n\\r\\n"
            answer(peer, asked)
        except OSError:
            pass
        peer.close()
    while True:
        threading.Thread(target=one, args=(listening.accept()[0],), daemon=True).start()
def whole(peer, body, head=b"HTTP/1.1 200 OK"):
    peer.sendall(head + b"\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
"""

ANSWERS = {
    # status, DSR, AC live
    "surrogates in every text": (
        "import json\ndef answer(peer, asked): whole(peer, json.dumps({'status': '\\ud800', 'id': '\\ud800', 'text': '\\ud800'}).encode())",
        (Status.FAILED, 1.0, 0.0),
    ),
    "a document with a path that is not Unicode": (
        "import json\ndef answer(peer, asked): whole(peer, json.dumps({'paths': {'/\\ud800': {'get': {}}}}).encode())",
        (Status.FAILED, 1.0, 0.0),
    ),
    "a document as deep as it can be read": (
        "def answer(peer, asked):\n    whole(peer, b'{\"paths\": {\"/\": ' + b'[' * 945 + b']' * 945 + b'}}')",
        (Status.FAILED, 1.0, 0.0),
    ),
    "a chunk of less than nothing, and then no end": (
        "def answer(peer, asked):\n    whole(peer, b'-1\\r\\n', b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked')\n    while True: peer.sendall(bytes(1 << 20))",
        (Status.FAILED, 1.0, 0.0),
    ),
    "404 for the paths that our probe is known to make up": (
        "def answer(peer, asked): whole(peer, b'', b'HTTP/1.1 404 N' if b'zq7f3x' in asked or b'kw2v9j' in asked else b'HTTP/1.1 200 O')",
        (Status.FAILED, 1.0, 0.0),
    ),
    "another method in Allow each time": (
        "def answer(peer, asked): whole(peer, b'', b'HTTP/1.1 405 N\\r\\nAllow: GET, POST, X' + os.urandom(4).hex().encode())",
        (Status.FAILED, 1.0, 0.0),
    ),
    "a loop of redirections": (
        "def answer(peer, asked): whole(peer, b'', b'HTTP/1.1 302 F\\r\\nLocation: /x')",
        (Status.FAILED, 1.0, 0.0),
    ),
}  # fmt: skip


def scored(tmp_path: Path, cases: dict[str, dict[str, str]]) -> list:
    """The rows of one run over a task for each case, in their order; `tmp_path / "run"` is the run."""
    ids = tuple(f"task-{number}" for number in range(len(cases)))
    root = write_suite(tmp_path / "suite", ids=ids)
    for id, files in zip(ids, cases.values(), strict=True):
        write_tree(tmp_path / "submissions" / id, files)
    return list(repoproof.score(root, tmp_path / "submissions", tmp_path / "run", workers=2).tasks)


def test_no_answer_is_our_failure_or_earns_anything(tmp_path):
    files = {
        name: {"raw.py": f"{SERVER}{code}\nserve(answer)\n", "start.sh": "exec python3 raw.py\n"}
        for name, (code, _) in ANSWERS.items()
    }
    rows = scored(tmp_path, files)
    found = {
        name: (row.status, row.measures["dsr"], row.measures["ac_live"]) for name, row in zip(files, rows, strict=True)
    }
    assert found == {name: expected for name, (_, expected) in ANSWERS.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "def answer(peer, asked):\n    while True: peer.sendall(b'HTTP/1.1 100 Continue\\r\\n\\r\\n' * 1000)",
        "import time\ndef answer(peer, asked):\n    while True: peer.sendall(b'HTTP/1.1 200 OK\\r\\nX: '[:1]); time.sleep(1)",
    ],
    ids=["endless interim answers", "a byte a second"],
)
def test_an_answer_that_never_begins_is_no_deployment(tmp_path, code):
    (row,) = scored(
        tmp_path, {"it": {"raw.py": f"{SERVER}{code}\nserve(answer)\n", "start.sh": "exec python3 raw.py\n"}}
    )
    assert (row.status, row.measures["dsr"]) == (Status.START_FAILED, 0.0)


DIGRESSIONS = {
    "a command with NUL": {"service.py": SERVICE, "Procfile": "web: python3 service.py \0\n"},
    "a command of three megabytes": {"service.py": SERVICE, "Procfile": f"web: python3 service.py {'a' * 3_000_000}\n"},
    "a first line of many words": {"service.py": SERVICE, "start.sh": f"#!/bin/sh {'a ' * 200_000}\n"},
    "a requirement of spaces": {**REFERENCE, "requirements.txt": f"a{' ' * 20_000}!\n"},
    "files that include each other twice over": {
        **REFERENCE, "requirements.txt": "-r 0.txt\n-r 0.txt\n",
        **{f"{n}.txt": f"-r {n + 1}.txt\n-r {n + 1}.txt\n" for n in range(30)},
    },
    "a key of a hundred thousand parts": {**REFERENCE, "pyproject.toml": f"a{'.a' * 100_000} = 1\n"},
    "a number that cannot be converted": {**REFERENCE, "pyproject.toml": f"a = {'1' * 10_000}\n"},
    "a lock that is none": {
        **REFERENCE, "pyproject.toml": "[project]\ndependencies = ['flask']\n", "uv.lock": "package = 3\n",
    },
}  # fmt: skip


def test_what_cannot_be_started_or_read_is_the_solvers_failure_and_takes_no_time(tmp_path):
    rows = scored(tmp_path, DIGRESSIONS)
    found = {name: row.status for name, row in zip(DIGRESSIONS, rows, strict=True)}
    starts = list(DIGRESSIONS)[:3]
    assert found == {name: Status.START_FAILED if name in starts else Status.BUILD_FAILED for name in DIGRESSIONS}


APP = "from flask import Flask\napp = Flask(__name__)\n@app.get('/health')\ndef health(): ...\n"

NOT_UNICODE = APP + "@app.get('/\\ud800')\ndef f(): ...\n"
WITHOUT_DECIMAL_FORM = APP + f"@app.get(f'/{{0x{'f' * 9_000}}}')\ndef f(): ...\n"


def test_a_source_that_breaks_a_reader_costs_only_its_own_static_coverage(tmp_path):
    (row,) = scored(tmp_path, {"a route that is not Unicode": {**REFERENCE, "app.py": NOT_UNICODE}})
    assert (row.status, row.measures["pass_at_1"], row.measures["ac_static"]) == (Status.PASSED, 1.0, 0.0)
    (line,) = (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()
    assert "routes: " in (tmp_path / "run" / json.loads(line)["logs"]["reading"]).read_text()


def test_a_route_that_cannot_be_known_costs_itself_only(tmp_path):
    (row,) = scored(tmp_path, {"a number without a decimal form": {**REFERENCE, "app.py": WITHOUT_DECIMAL_FORM}})
    # GET /health of the three endpoints is read.
    assert (row.status, row.measures["pass_at_1"], row.measures["ac_static"]) == (
        Status.PASSED,
        1.0,
        pytest.approx(1 / 3),
    )
