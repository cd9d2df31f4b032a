"""What a reference said last, and the mend that goes with it."""

from __future__ import annotations

import pytest
from plugins.small_suite import write_tree

from repoproof.core.errors import BadInput
from repoproof.core.verdict import Phase, PhaseName
from repoproof.families.microservice.build.causes import last_words, mend_of, named_as_given, not_installed, ports_in

PYTHON = """Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 196, in _run_module_as_main
  File "/app/app.py", line 3, in <module>
    import books
  File "/app/books/api.py", line 1, in <module>
    import nothing_such
ModuleNotFoundError: No module named 'nothing_such'
"""
GUNICORN = f"""[2026-12-01 10:00:00 +0000] [7] [ERROR] Exception in worker process
{PYTHON}[2026-12-01 10:00:00 +0000] [7] [INFO] Worker exiting (pid: 7)
[2026-12-01 10:00:00 +0000] [1] [INFO] Shutting down: Master
"""
NODE = """node:internal/modules/cjs/loader:1080
  throw err;
  ^

Error: Cannot find module 'expresss'
Require stack:
- /app/app.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1077:15)
    at node:internal/main/run_main_module:23:47 {
  code: 'MODULE_NOT_FOUND',
}

Node.js v18.20.4
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: Failed to start
\tat org.example.App.main(App.java:12)
Caused by: java.net.ConnectException: Connection refused
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
\t... 12 more
"""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (PYTHON, "books/api.py:1: ModuleNotFoundError: No module named 'nothing_such'"),
        (GUNICORN, "books/api.py:1: ModuleNotFoundError: No module named 'nothing_such'"),
        (NODE, "Error: Cannot find module 'expresss'"),
        (JAVA, "Caused by: java.net.ConnectException: Connection refused"),
        ("starting\nsh: 1: gunicorn: not found\n", "sh: 1: gunicorn: not found"),
        ("one\ntwo\n\n", "two"),
        ("", ""),
        ("x" * 1000, "x" * 200),
    ],
)
def test_the_telling_line_is_found(said, words):
    assert last_words(said.encode()) == words
    assert last_words(b"\n", said.encode()) == words


@pytest.mark.parametrize(
    ("said", "files", "mend"),
    [
        ("ModuleNotFoundError: No module named 'flask_cors'", ["requirements.txt"], "declare what provides `flask_cors` in its requirements.txt"),
        ("ModuleNotFoundError: No module named 'a.b'", ["pyproject.toml"], "declare what provides `a` in its pyproject.toml"),
        ("ModuleNotFoundError: No module named 'books.api'", ["src/books/api.py"], "`books` is in the folder: have a start.sh that starts where Python finds it"),
        ("Error: Cannot find module 'express'", ["package.json"], "declare `express` in its package.json"),
        ("Error: Cannot find module './routes'", ["package.json"], "that file is not in the folder"),
        ("app.py:1: KeyError: 'DATABASE_URL'", [], "it is given no variables but PORT and HOST: let it do without, or set them in a start.sh"),
        ("Caused by: java.net.ConnectException: Connection refused", [], "it has to run alone: there is no database beside it, and no network"),
        ("KeyError: 'title'", [], "otherwise"),
    ],
)  # fmt: skip
def test_the_mend_fits_what_was_said(tmp_path, said, files, mend):
    assert mend_of(said, write_tree(tmp_path, dict.fromkeys(files, "")), "otherwise") == mend


@pytest.mark.parametrize(
    ("phase", "files", "mend"),
    [
        (PhaseName.FETCH, ["requirements.txt"], "(mend its requirements.txt)"),
        (PhaseName.INSTALL, ["app.js", "package.json"], "(mend its package.json)"),
        (PhaseName.BUILD, ["pom.xml"], "(it has to build in a fresh copy of its folder, without a network)"),
        (PhaseName.FETCH, [], "no such version"),
    ],
)
def test_what_cannot_be_installed_is_mended_in_the_file_that_asks_for_it(tmp_path, phase, files, mend):
    tree = write_tree(tmp_path, dict.fromkeys(files, ""))
    said = str(not_installed(Phase(name=phase, ok=False, reason="no such version"), tree))
    assert said.startswith(f"{tree}: the reference cannot be installed: {phase}: no such version")
    assert said.endswith(mend)


@pytest.mark.parametrize(
    ("said", "ports"),
    [
        (" * Running on http://0.0.0.0:5123\n", [5123]),
        ("Server listening on port 3000\n", [3000]),
        ("INFO: Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)\n", [8080]),
        ("Tomcat started on port(s): 8081 (http)\n", [8081]),
        ("loaded 12345 books\n", []),
    ],
)
def test_a_service_tells_where_it_listens(said, ports):
    assert list(ports_in(said.encode())) == ports


def test_what_is_wrong_with_a_copy_is_said_of_what_was_given(tmp_path):
    copy = tmp_path / "work"
    with (
        pytest.raises(BadInput, match=r"^books/app.py:3: books is no service") as raised,
        named_as_given(copy, "books"),
    ):
        raise BadInput(f"{copy} is no service", file=copy / "app.py", line=3)
    assert raised.value.problem == "books is no service"
    with pytest.raises(BadInput, match=r"^other: x$"), named_as_given(copy, "books"):
        raise BadInput("x", file="other")
