"""Coverage of Node services under the golden tests: exact where the engine can say it, and a reason where it cannot."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from plugins.docker_engine import docker_engine
from plugins.node_commands import node
from plugins.small_suite import write_suite, write_tree

from repoproof import api
from repoproof.analysis.node_statements import covered_scripts
from repoproof.analysis.statements import CoveredCode
from repoproof.core.base import MiB
from repoproof.core.verdict import Verdict
from repoproof.families.microservice import measured
from repoproof.families.microservice.deploy import TEST_LIMITS

__all__ = ["docker_engine"]

MEASURE = Path(measured.__file__).parent / "measuring/measure.cjs"
HEAR = Path(measured.__file__).parent / "inside/hear.py"

SERVICE = """'use strict';
const http = require('node:http');
const { execFileSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');

const notes = new Map();
process.on('SIGTERM', () => {});
new Worker(`${__dirname}/worker.js`);
execFileSync(process.execPath, [`${__dirname}/child.js`]);

function reply(res, status, body) {
  res.writeHead(status, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(body));
}

const server = http.createServer((req, res) => {
  if (req.url === '/health') return reply(res, 200, { status: 'ok' });
  if (req.method === 'POST') {
    let text = '';
    req.on('data', (part) => { text += part; });
    req.on('end', () => {
      const note = { id: String(notes.size + 1), text: JSON.parse(text).text };
      notes.set(note.id, note);
      reply(res, 201, note);
    });
    return;
  }
  const note = notes.get(req.url.split('/').pop());
  if (!note) {
    reply(res, 404, { error: 'no such note' });
    return;
  }
  reply(res, 200, note);
});
server.listen(Number(process.env.PORT), '0.0.0.0');
"""
WORKER = "let beats = 0;\nsetInterval(() => {\n  beats += 1;\n  if (beats < 0) beats = 0;\n}, 20);\n"
CHILD = "if (process.argv.length > 2) {\n  console.log('never');\n}\nprocess.exitCode = 0;\n"
NEVER = "import x from 'x';\n\nexport const never = () => x;\n"
FILES = {"server.js": SERVICE, "worker.js": WORKER, "child.js": CHILD, "never.mjs": NEVER}
SHARES = {"server.js": (25, 27), "worker.js": (4, 5), "child.js": (2, 3), "never.mjs": (0, 2)}


@pytest.fixture
def verdict(tmp_path: Path):
    suite = write_suite(tmp_path / "suite", language="node")

    def scored(files: dict[str, str], *, sandbox: str = "bubblewrap") -> Verdict:
        answers = write_tree(tmp_path / "answers/notes", files).parent
        api.score(suite, answers, tmp_path / "run", sandbox=sandbox, coverage=True)
        return api.verdict(tmp_path / "run", "notes")

    return scored


def shares(verdict: Verdict) -> dict[str, tuple[int, int]]:
    covered = verdict.detail["coverage"]
    assert isinstance(covered, list)
    return {file["file"]: (file["ran"], file["statements"]) for file in covered}


@pytest.mark.needs("bubblewrap", "node")
def test_a_service_that_ignores_the_end_is_measured_with_its_threads_and_children(verdict):
    found = verdict(FILES)
    assert found.status.value == "passed"
    assert shares(found) == SHARES
    assert found.measures["code_coverage"] == 31 / 37


@pytest.mark.slow
@pytest.mark.needs("docker", "node")
def test_it_is_measured_in_containers_as_well(verdict, docker_engine):
    assert shares(verdict(FILES, sandbox="docker")) == SHARES


@pytest.mark.slow
@pytest.mark.needs("bubblewrap", "node")
def test_a_service_that_is_killed_has_a_reason_and_no_share(verdict):
    dies = SERVICE.replace("notes.set(note.id, note);", "process.kill(process.pid, 'SIGKILL');")
    found = verdict({**FILES, "server.js": dies})
    assert found.status.value == "crashed"
    assert "code_coverage" not in found.measures
    assert "coverage" not in found.detail
    assert "ended by signal 9" in str(found.detail["coverage_not_measured"])


SPEAKS = """
const say = (words) => require('node:net').connect(Number(process.env.REPOPROOF_COVERAGE_PORT ?? 1), '127.0.0.1').on('error', () => {}).write(words);
"""


@pytest.mark.slow
@pytest.mark.needs("bubblewrap", "node", "cgroup")
@pytest.mark.parametrize(
    ("words", "memory", "reason"),
    [
        ("for (let i = 0; i < 70; i++) say('x'.repeat(1e6));", TEST_LIMITS.memory_bytes, measured.TOO_MUCH),
        # As it is taken apart, a line is there several times.
        ("say('x'.repeat(6e7) + '\\n');", 20 * MiB, "what ran was not heard to its end: the listener out of memory"),
    ],
    ids=["too much", "out of memory"],
)
def test_one_that_is_not_heard_to_its_end_has_a_reason_and_no_share(verdict, monkeypatch, words, memory, reason):
    monkeypatch.setattr(
        measured, "TEST_LIMITS", TEST_LIMITS.model_copy(update={"memory_bytes": memory, "disk_bytes": MiB})
    )
    found = verdict({**FILES, "server.js": SERVICE + SPEAKS + words})
    assert (found.status.value, "code_coverage" in found.measures) == ("passed", False)
    assert found.detail["coverage_not_measured"] == reason


@pytest.mark.slow
@pytest.mark.needs("bubblewrap", "node")
def test_where_nobody_comes_to_listen_there_is_a_reason(verdict, monkeypatch):
    monkeypatch.setattr(measured, "PORT", 1 << 16)
    found = verdict(FILES)
    assert found.status.value == "passed"
    assert found.detail["coverage_not_measured"] == "nobody listened to what ran: the listener exited with 1"


TYPED = """import express, { type Request, type Response } from 'express';
import { Notes } from './notes';

interface Failure {
  error: string;
}

const notes = new Notes();
const app = express();
app.use(express.json());

app.get('/health', (_req: Request, res: Response) => res.json({ status: 'ok' }));

app.post('/notes', async (req: Request, res: Response): Promise<void> => {
  res.status(201).json(await notes.add(String(req.body.text)));
});

app.get('/notes/:id', (req: Request, res: Response): void => {
  const note = notes.get(req.params.id as string);
  if (note === undefined) {
    const failure: Failure = { error: 'no such note' };
    res.status(404).json(failure);
    return;
  }
  res.json(note);
});

app.delete('/notes', (_req: Request, res: Response) => res.json(notes.clear()));

app.listen(Number(process.env.PORT), '0.0.0.0');
"""
NOTES = """export interface Note {
  id: string;
  text: string;
}

export class Notes {
  private readonly notes: Note[] = [];

  async add(text: string): Promise<Note> {
    const note = { id: String(this.notes.length + 1), text };
    this.notes.push(note);
    return note;
  }

  get(id: string): Note | undefined {
    return this.notes.find((note) => note.id === id);
  }

  clear(): void {
    this.notes.length = 0;
  }
}
"""


def typed(start: str, *, build: str = "", **options: object) -> dict[str, str]:
    """The same service in TypeScript, on Express."""
    package = {
        "name": "notes", "version": "1.0.0", "scripts": {"start": start, **({"build": build} if build else {})},
        "dependencies": {"express": "^4.21.0"},
        "devDependencies": {
            "typescript": "~5.6.0", "ts-node": "^10.9.0", "tsx": "^4.19.0", "@types/node": "^20.0.0", "@types/express": "^4.17.0"
        },
    }  # fmt: skip
    compiler = {"target": "ES2020", "module": "commonjs", "outDir": "dist", "rootDir": "src", "esModuleInterop": True}
    config = {"compilerOptions": {**compiler, "strict": True, "skipLibCheck": True, **options}, "include": ["src"]}
    return {
        "package.json": json.dumps(package), "tsconfig.json": json.dumps(config),
        "src/server.ts": TYPED, "src/notes.ts": NOTES,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.needs("bubblewrap", "node", "network")
@pytest.mark.parametrize(
    "files",
    [
        typed("node dist/server.js", build="tsc", sourceMap=True),
        typed("ts-node src/server.ts"),
        typed("tsx src/server.ts"),
    ],
    ids=["tsc", "ts-node", "tsx"],
)
def test_typescript_is_counted_as_it_was_written(verdict, files):
    found = verdict(files)
    assert found.status.value == "passed", found.reason
    assert shares(found) == {"src/server.ts": (13, 17), "src/notes.ts": (6, 7)}


@pytest.mark.slow
@pytest.mark.needs("bubblewrap", "node", "network")
def test_typescript_compiled_without_maps_has_a_reason_and_no_share(verdict):
    found = verdict(typed("node dist/server.js", build="tsc"))
    assert found.status.value == "passed", found.reason
    assert "code_coverage" not in found.measures
    assert "no source map says what it was made from" in str(found.detail["coverage_not_measured"])


# Without a sandbox, what the engine says of each construct.


@pytest.fixture
def measure(tmp_path: Path) -> Callable[..., CoveredCode]:
    def measured_run(files: dict[str, str], *, end: int = 0, **variables: str) -> CoveredCode:
        tree = write_tree(tmp_path / "tree", files)
        heard = tmp_path / "heard"
        heard.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        settings = {
            "NODE_OPTIONS": f"--require={MEASURE}", "REPOPROOF_COVERAGE_PORT": port, "REPOPROOF_COVERAGE_ROOT": str(tree),
        }  # fmt: skip
        with subprocess.Popen([sys.executable, HEAR, port, heard]) as hearing:
            try:
                while not (heard / "heard").exists():
                    assert hearing.poll() is None
                    time.sleep(0.01)
                ran = subprocess.run(
                    [*node(), "main.js"], cwd=tree, env={**os.environ, **settings, **variables}, check=False
                )
                (heard / "ask").touch()
                hearing.wait(30)
            finally:
                hearing.kill()
        assert ran.returncode == end
        return covered_scripts(tree, heard / "heard", tree)

    return measured_run


CONSTRUCTS = {
    "a class that is met and never made": ("class A { x = 1; m() { return 2; } } class B extends A {} A;", 3, 4),
    "a class that is made": ("class A { x = 1; constructor() { this.y = 1; } m() { return 2; } } new A();", 3, 4),
    "functions in functions": ("const f = (a) => (b) => a + b; f(1);", 3, 4),
    "an arrow function alone": ("() => 1; (() => 2)();", 3, 4),
    "all ways of an if": ("const f = (a) => { if (a) return 1; else if (a === 0) { f; } else f; }; f(0);", 5, 7),
    "what follows a return": ("(function () { return 1; f; })();", 2, 3),
    "cases": ("switch (2) { case 1: a; case 2: Math; break; default: b; }", 3, 5),
    "loops": ("for (const a of []) { a; } while (0) b; do Math; while (0);", 4, 6),
    "an error": ("try { JSON.parse('{'); } catch { Math; } try { Math; } catch { a; } finally { Math; }", 6, 7),
    "awaited twice": (
        "(async () => { await 1; await new Promise((d) => setTimeout(d, 250)); Math; if (!Math) a; })();", 6, 7,
    ),
    "a generator that is left": ("function* g() { yield 1; Math; yield 2; a; } const i = g(); i.next(); i.next();", 6, 7),
    "a module.mjs": ("import { EOL } from 'node:os'; await 1; if (!EOL) { EOL; } export default () => EOL;", 3, 5),
    "emoji before": ("const a = '😀'; if (!a) { a; }", 2, 3),
}  # fmt: skip


@pytest.mark.needs("node")
def test_each_construct_is_counted_as_it_ran(measure):
    named = {name if "." in name else f"{name}.js": case for name, case in CONSTRUCTS.items()}
    main = "for (const name of fs.readdirSync(__dirname)) if (name !== 'main.js') import(`./${name}`);"
    files = {name: source for name, (source, _, _) in named.items()}
    found = measure({**files, "main.js": f"const fs = require('node:fs');\n{main}\n"})
    expected = {name: (ran, of) for name, (_, ran, of) in named.items()}
    assert {file.file: (file.ran, file.statements) for file in found.files if file.file != "main.js"} == expected


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("last", "end"), [("process.exit(3)", 3), ("throw new Error()", 1), ("Promise.reject(new Error())", 1)]
)
def test_one_that_ends_by_itself_says_the_rest(measure, last, end):
    source = f"const a = 1;\nif (!a) {{\n  a;\n}}\n{last};\n"
    assert measure({"main.js": source}, end=end).share == 3 / 4


@pytest.mark.slow
@pytest.mark.needs("node")
def test_a_service_goes_on_where_nobody_listens(measure):
    found = measure({"main.js": "const a = 1;\n"}, REPOPROOF_COVERAGE_PORT="1")
    assert found == CoveredCode(why_not="none of its own files ran")
