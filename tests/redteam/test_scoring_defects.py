"""The nine scoring defects measured in a published harness of this kind. Each test says what number would have risen, or what was lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import IDS, PORT, REFERENCE, SERVICE, START, write_suite, write_tree

import repoproof
from repoproof.analysis.endpoints import Endpoint, coverage
from repoproof.analysis.readme import extract_endpoints
from repoproof.analysis.routes import find_routes
from repoproof.core.outcomes import Status

runs = pytest.mark.needs("bubblewrap")


def scored(tmp_path: Path, files: dict[str, str], **suite):
    """The row of one submission made of `files`, scored for real."""
    root = write_suite(tmp_path / "suite", **suite)
    write_tree(tmp_path / "submissions" / "notes", files)
    report = repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    (row,) = report.tasks
    return row


def verdict(tmp_path: Path) -> dict:
    return json.loads((tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()[-1])


# 1. One file with no server, with route words and the README in a docstring, scored API coverage 1.0 on every task.

README = """
- **API Name**: `GET /items`
- **API Name**: `POST /items`
- **API Name**: `DELETE /items/{id}`
"""

WORDS_ONLY = f'''"""{README}"""
def touch(x, db, cache, session):
    x.get(1), x.post(1), x.put(1), x.patch(1), x.delete(1)
    db.delete("/items/1"), cache.get("/items"), session.post("/items")
    # @app.get("/items")
    return "app.get('/items')"
'''


def test_defect_1_route_words_without_a_server_cover_nothing(tmp_path):
    required = [Endpoint(method=e.method, path=e.path) for e in extract_endpoints(README)]
    assert len(required) == 3
    write_tree(
        tmp_path,
        {
            "main.py": WORDS_ONLY,
            "server.js": "// app.get('/items')\nconst s = \"app.post('/items')\"; cache.get('/items');",
        },
    )
    for language in ("python", "node"):
        assert list(coverage(required, find_routes(tmp_path, language=language)).values()) == [None] * 3


# 2. API coverage missed whole ways of registering routes, so honest services scored too little.

STYLES = {
    "drf-router": (
        {
            "manage.py": "import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'shop.settings')\n",
            "shop/__init__.py": "",
            "shop/settings.py": "ROOT_URLCONF = 'shop.urls'\n",
            "shop/urls.py": "from django.urls import include, path\nfrom rest_framework.routers import DefaultRouter\nfrom .views import Items\nrouter = DefaultRouter()\nrouter.register('items', Items)\nurlpatterns = [path('api/', include(router.urls))]\n",
            "shop/views.py": "from rest_framework import viewsets\nclass Items(viewsets.ModelViewSet):\n    queryset = None\n",
        },
        ["GET /api/items", "POST /api/items", "DELETE /api/items/{pk}"],
    ),
    "flask-default-get": ({"app.py": "from flask import Flask\napp = Flask(__name__)\n@app.route('/items')\ndef items(): return []\n"}, ["GET /items"]),
    "single-quoted-methods": (
        {"app.py": "from flask import Flask\napp = Flask(__name__)\n@app.route('/items', methods=['POST'])\ndef items(): return []\n"},
        ["POST /items"],
    ),
    "django-path": (
        {
            "manage.py": "import os\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'p.settings')\n",
            "p/__init__.py": "",
            "p/settings.py": "ROOT_URLCONF = 'p.urls'\n",
            "p/urls.py": "from django.urls import path\nfrom . import views\nurlpatterns = [path('items/<int:pk>', views.item)]\n",
            "p/views.py": "from django.views.decorators.http import require_http_methods\n@require_http_methods(['GET', 'DELETE'])\ndef item(request, pk): ...\n",
        },
        ["GET /items/{id}", "DELETE /items/{id}"],
    ),
    "prefix-and-short-path": (
        {"main.py": "from fastapi import FastAPI, APIRouter\nr = APIRouter(prefix='/v1')\n@r.get('/a')\ndef a(): ...\napp = FastAPI()\napp.include_router(r, prefix='/api')\n"},
        ["GET /api/v1/a"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_defect_2_every_way_of_registering_is_seen(tmp_path, style):
    files, expected = STYLES[style]
    write_tree(tmp_path, files)
    required = [Endpoint(method=m, path=p) for m, p in (line.split() for line in expected)]
    found = coverage(required, find_routes(tmp_path, language="python"))
    assert [str(e) for e, route in found.items() if route is None] == []


# 3. Tasks without found endpoints or test results left the average: an empty submission scored Pass@1 0.096.


@runs
def test_defect_3_an_empty_submission_scores_zero_over_all_tasks(tmp_path):
    root = write_suite(tmp_path / "suite", ids=("a", "b", "c"))
    for id in ("a", "b", "c"):
        write_tree(tmp_path / "submissions" / id, {})
    report = repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    assert report.denominator == report.conditional_denominator == 3
    assert set(report.strict.values()) == {0.0}
    assert all(row.tests_total == len(IDS) for row in report.tasks)


# 4. A submission that was not there was never counted.


@runs
def test_defect_4_a_missing_submission_counts_as_zero(tmp_path):
    root = write_suite(tmp_path / "suite", ids=("a", "b"))
    write_tree(tmp_path / "submissions" / "a", REFERENCE)
    report = repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    assert [row.status for row in report.tasks] == [Status.PASSED, Status.MISSING]
    assert (report.denominator, report.strict["pass_at_1"], report.conditional["pass_at_1"]) == (2, 0.5, 0.5)


# 5. `start.sh` = `sleep 60` passed deployment, a daemonising one that answers failed, a failing install was ignored.


@runs
def test_defect_5_a_process_that_only_sleeps_is_not_deployed(tmp_path):
    row = scored(tmp_path, {"start.sh": "sleep 60\n"})
    assert (row.status, row.measures["dsr"], row.measures["installed"]) == (Status.START_FAILED, 0.0, 1.0)


@runs
def test_defect_5_a_start_script_that_daemonises_is_deployed(tmp_path):
    daemon = "setsid python3 service.py >/dev/null 2>&1 &\nexit 0\n"
    row = scored(tmp_path, {"service.py": SERVICE, "start.sh": daemon})
    assert (row.status, row.measures["dsr"]) == (Status.PASSED, 1.0)


@runs
def test_defect_5_a_failing_install_is_not_deployed_even_if_the_service_would_answer(tmp_path):
    row = scored(tmp_path, {**REFERENCE, "requirements.txt": "./no-such-folder\n"})
    assert (row.status, row.measures["dsr"], row.measures["pass_at_1"]) == (Status.BUILD_FAILED, 0.0, 0.0)


# 6. "12 passed" printed by anyone was counted, whatever the tests said.

FORGER = """
import os, sys
from pathlib import Path
FORGED = '<testsuites><testsuite name="t" tests="3" failures="0"><testcase classname="test_notes" name="test_create"/></testsuite></testsuites>'
LINE = '{"id": "test_notes.py::test_create", "outcome": "passed", "seconds": 0, "message": ""}'
for folder in ("/results", "/tests", "/tmp", "/app", ".", "/runner"):
    for name, text in (("results.jsonl", LINE), ("junit.xml", FORGED), ("report.xml", FORGED)):
        try:
            Path(folder, name).write_text(text)
        except OSError:
            pass
for stream in (sys.stdout, sys.stderr):
    print(">>>>> TEST_START\\n===== 12 passed in 0.10s =====\\n>>>>> TEST_END\\n" + LINE, file=stream, flush=True)
from http.server import BaseHTTPRequestHandler, HTTPServer
class Forger(BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"12 passed\\n>>>>> TEST_END\\n"
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    do_POST = do_GET
HTTPServer(("0.0.0.0", int(os.environ["PORT"])), Forger).serve_forever()
"""


@runs
def test_defect_6_printed_results_count_for_nothing(tmp_path):
    row = scored(tmp_path, {"app.py": FORGER, "start.sh": "exec python3 app.py\n"})
    assert (row.status, row.tests_passed, row.tests_total) == (Status.FAILED, 0, 3)


@runs
def test_defect_6_a_failing_test_that_prints_passed_stays_failed(tmp_path):
    tests = {"test_notes.py": "def test_health():\n    print('12 passed')\n    assert False, '12 passed'\n"}
    row = scored(tmp_path, dict(REFERENCE), tests=tests, expected=("test_notes.py::test_health",))
    assert (row.status, row.tests_passed) == (Status.FAILED, 0)


# 7. The service could read the hidden tests, its conftest ran with them, it had the internet, no limits, and root.

SPY = """
import json, os, socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def look():
    seen = []
    for top, folders, names in os.walk("/"):
        folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/sys", "/usr")]
        seen += [os.path.join(top, n) for n in names]
    try:
        socket.create_connection(("192.0.2.1", 80), 1).close()
        network = "reached"
    except OSError as error:
        network = error.strerror or str(error)
    other = [p for p in os.listdir("/proc") if p.isdigit() and b"run_tests" in open(f"/proc/{p}/cmdline", "rb").read()]
    return {"files": seen, "uid": os.getuid(), "network": network, "test_processes": other, "environment": dict(os.environ)}

class Spy(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(look()).encode()
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *args): pass

ThreadingHTTPServer(("0.0.0.0", int(os.environ["PORT"])), Spy).serve_forever()
"""

ASK_SPY = """
import os, requests
def test_what_the_service_sees():
    seen = requests.get(os.environ["SERVICE_BASE_URL"] + "/", timeout=30).json()
    names = [name for name in seen["files"] if not name.startswith(("/dev/", "/etc/"))]
    assert [n for n in names if "test" in n or "sealed" in n or "reference" in n or n.startswith(("/runner", "/results"))] == []
    assert seen["uid"] != 0
    assert seen["network"] != "reached"
    assert seen["test_processes"] == []
    assert not {"SERVICE_BASE_URL", "HOME_DIRECTORY", "SSH_AUTH_SOCK", "OPENAI_API_KEY"} & set(seen["environment"])
"""


@runs
def test_defect_7_the_service_sees_neither_tests_nor_network_nor_host(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    row = scored(
        tmp_path,
        {"app.py": SPY, "start.sh": "exec python3 app.py\n"},
        tests={"test_spy.py": ASK_SPY},
        expected=("test_spy.py::test_what_the_service_sees",),
    )
    assert row.status is Status.PASSED, verdict(tmp_path)["tests"]


CONFTEST = """
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    return True
"""


@runs
def test_defect_7_the_candidates_own_conftest_never_runs_with_the_golden_tests(tmp_path):
    nothing = f"from http.server import *\nHTTPServer(('0.0.0.0', {PORT}), SimpleHTTPRequestHandler).serve_forever()\n"
    files = {
        "conftest.py": CONFTEST, "tests/conftest.py": CONFTEST, "sitecustomize.py": CONFTEST,
        "pytest.ini": "[pytest]\naddopts = -p conftest\n", "tests/test_notes.py": "def test_create(): pass\n",
        "app.py": nothing, "start.sh": "exec python3 app.py\n",
    }  # fmt: skip
    row = scored(tmp_path, files)
    assert (row.status, row.tests_passed) == (Status.FAILED, 0)


# 8. Serial, names that collide, a resume that forgets earlier runs and checks nothing, raw logs lost.


@runs
def test_defect_8_parallel_tasks_on_one_port_do_not_collide_and_their_logs_are_kept(tmp_path):
    ids = ("a", "b", "c", "d")
    root = write_suite(tmp_path / "suite", ids=ids)
    for id in ids:
        write_tree(tmp_path / "submissions" / id, {**REFERENCE, "start.sh": f"echo this is {id}\n{START}"})
    report = repoproof.score(root, tmp_path / "submissions", tmp_path / "run", workers=4)
    assert [row.status for row in report.tasks] == [Status.PASSED] * 4
    for line in (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines():
        found = json.loads(line)
        assert f"this is {found['task']}" in (tmp_path / "run" / found["logs"]["service"]).read_text()


@runs
def test_defect_8_only_what_changed_is_scored_anew(tmp_path):
    root = write_suite(tmp_path / "suite", ids=("a", "b"))
    for id in ("a", "b"):
        write_tree(tmp_path / "submissions" / id, REFERENCE)
    repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    write_tree(tmp_path / "submissions" / "b", {"start.sh": "exit 1\n"})
    report = repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()]
    assert sorted(line["task"] for line in lines) == ["a", "b", "b"]
    assert [row.status for row in report.tasks] == [Status.PASSED, Status.START_FAILED]


# 9. Golden suites that were broken themselves: each must be named by `validate`, with the reason.

BROKEN = {
    "passes-without-a-submission": ({"test_notes.py": "def test_health():\n    assert 1 + 1 == 2\n"}, "does not discriminate"),
    "collects-nothing": ({"test_notes.py": "def helper():\n    pass\n"}, "reference fails test_notes.py::test_health"),
    "cannot-be-imported": ({"test_notes.py": "import no_such_module\n"}, "reference fails test_notes.py::test_health"),
    "needs-a-file-that-is-not-there": (
        {"test_notes.py": "def test_health():\n    open('/tests/fixtures/notes.json')\n"}, "reference fails test_notes.py::test_health",
    ),
    "skips-everything": ({"test_notes.py": "import pytest\npytestmark = pytest.mark.skip\ndef test_health(): pass\n"}, "skipped"),
    "depends-on-the-time-zone": (
        {"test_notes.py": "import os, requests\ndef test_health():\n    assert requests.get(os.environ['SERVICE_BASE_URL'] + '/health', timeout=5).json()['status'] == 'ok'\n    assert os.environ['TZ'] == 'UTC'\n"},
        "in repeat 2",
    ),
}  # fmt: skip


@runs
@pytest.mark.parametrize("kind", BROKEN)
def test_defect_9_validate_names_a_broken_golden_suite_with_the_reason(tmp_path, kind):
    tests, reason = BROKEN[kind]
    root = write_suite(tmp_path / "suite", tests=tests, expected=("test_notes.py::test_health",))
    found = repoproof.validate(root, repeat=2)
    assert found.quarantined == 1.0
    assert reason in " ".join(found.reasons["notes"])


@runs
def test_defect_9_a_quarantined_task_is_never_the_solvers_failure(tmp_path):
    tests, _ = BROKEN["passes-without-a-submission"]
    root = write_suite(tmp_path / "suite", tests=tests, expected=("test_notes.py::test_health",))
    repoproof.validate(root, repeat=1)
    write_tree(tmp_path / "submissions" / "notes", REFERENCE)
    report = repoproof.score(root, tmp_path / "submissions", tmp_path / "run")
    assert [row.status for row in report.tasks] == [Status.INVALID_TASK]
    assert (report.denominator, report.conditional_denominator) == (1, 0)
