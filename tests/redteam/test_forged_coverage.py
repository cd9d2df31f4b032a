"""A Node service that says of its own code that it ran. `code_coverage` would rise, and does: it is the service's own word, which is why no
score has it. What must not rise by it: the outcome of any test, any other measure, or the coverage of a file about which it only leaves
files behind, in whatever form an engine writes them.
"""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from selectors import DefaultSelector

import pytest
from plugins.small_suite import write_suite, write_tree

from repoproof import api
from repoproof.families.microservice.inside import hear

FORGES = """
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');

const said = fs.readFileSync(`${__dirname}/said.js`, 'utf8');
const ran = { file: 'said.js', digest: 'forged', source: said, ran: [0, said.length, -1, 1, 5, 1] };
const words = ['[', '[1]', 'done', '{"file": "said.js"}', '['.repeat(1e5), JSON.stringify(ran), ''].join('\\n');
setInterval(() => net.connect(Number(process.env.REPOPROOF_COVERAGE_PORT ?? 1), '127.0.0.1').on('error', () => {}).end(words), 50);

const functions = [{ functionName: '', isBlockCoverage: true, ranges: [{ startOffset: 0, endOffset: 99, count: 9 }] }];
const result = JSON.stringify({ result: [{ scriptId: '1', url: 'file:///app/left.js', functions }] });
const lcov = 'SF:/app/left.js\\nDA:1,9\\nLF:1\\nLH:1\\nend_of_record\\n';
for (const folder of ['/app/coverage', '/coverage', '/coverage/start', '/heard', '/tmp/coverage', '/tmp']) {
    for (const [name, text] of [['coverage-1-1-0.json', result], ['lcov.info', lcov], ['heard', words.replaceAll('said', 'left')]]) {
        try {
            fs.mkdirSync(folder, { recursive: true });
            fs.writeFileSync(`${folder}/${name}`, text);
        } catch {}
    }
}

http.createServer((req, res) => {
    res.writeHead(req.method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(req.url === '/health' ? { status: 'ok' } : { id: '1', text: req.method === 'POST' ? 'a' : '' }));
}).listen(Number(process.env.PORT));
"""
NEVER = "exports.never = () => {\n  return 1;\n};\n"


@pytest.mark.needs("bubblewrap", "node")
def test_a_service_can_say_that_its_code_ran_and_nothing_comes_of_it(tmp_path: Path):
    suite = write_suite(tmp_path / "suite", language="node")
    files = {"server.js": FORGES, "said.js": NEVER, "left.js": NEVER}
    answers = write_tree(tmp_path / "answers/notes", files).parent
    api.score(suite, answers, tmp_path / "run", coverage=True)
    found = api.verdict(tmp_path / "run", "notes")
    covered = found.detail["coverage"]
    assert isinstance(covered, list)
    ran = {file["file"]: (file["ran"], file["statements"]) for file in covered}
    assert (ran.pop("said.js"), ran.pop("left.js"), list(ran)) == ((2, 2), (0, 2), ["server.js"])
    assert found.measures["code_coverage"] < 1
    assert (found.status.value, found.measures["pass_at_1"]) == ("failed", 2 / 3)


@pytest.mark.parametrize(
    ("words", "connections", "whole"),
    [
        (b"y\n" * 40_000, 1, True),
        (b"y\n" * 60_000, 1, False),
        (b"x" * 110_000, 1, False),
        (b"x" * 9_000, 8, True),
        (b"x" * 30_000, 4, False),
        (b"", 9, False),
    ],
)
def test_endless_words_end_the_hearing_and_fill_neither_disk_nor_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: bytes, connections: int, whole: bool
):
    monkeypatch.setattr(hear, "MOST_BYTES", 100_000)
    monkeypatch.setattr(hear, "MOST_CONNECTIONS", 8)
    ends: list[bool] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        (tmp_path / "heard").open("wb") as file,
        DefaultSelector() as selector,
        ExitStack() as stack,
    ):
        arguments = (server, file, selector, str(tmp_path / "ask"))
        hearing = threading.Thread(target=lambda: ends.append(hear.listen(*arguments)), daemon=True)
        hearing.start()
        for _ in range(connections):
            out = stack.enter_context(socket.create_connection(server.getsockname()))
            with suppress(OSError):
                out.sendall(words)
        if whole:
            stack.close()
            (tmp_path / "ask").touch()
        hearing.join(30)
        assert ends == [whole]
    assert (tmp_path / "heard").stat().st_size < 100_000 + (1 << 20)
