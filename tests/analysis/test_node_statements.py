"""Statements of JavaScript and TypeScript, and which of them ran, by the text that did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import write_tree

from repoproof.analysis.node_statements import covered_scripts
from repoproof.analysis.statements import CoveredCode


def covered(tree: Path, *said: object) -> CoveredCode:
    heard = tree.parent / "heard"
    lines = ["[", "[1]", '{"file": 1, "digest": "", "ran": []}', *map(json.dumps, said), '{"file": "x']
    heard.write_text("".join(f"{line}\n" for line in lines))
    return covered_scripts(tree, heard, tree)


def script(file: str, source: str, *ran: str) -> dict[str, object]:
    """What is said of a script of which the texts `ran` ran."""
    utf16 = source.encode("utf-16-le")
    spans: list[int] = []
    for text in ran:
        start = utf16.index(text.encode("utf-16-le")) // 2
        spans += [start, start + len(text.encode("utf-16-le")) // 2]
    return {"file": file, "digest": source, "source": source, "ran": spans}


def numbers(found: CoveredCode) -> dict[str, tuple[int, int]]:
    assert found.why_not == ""
    return {file.file: (file.ran, file.statements) for file in found.files}


@pytest.mark.parametrize(
    ("name", "source", "statements"),
    [
        ("a.js", "'use strict';\nconst a = 1; a;\n", 2),
        ("a.js", "import a from 'a'; export { a }; export * from 'b';", 0),
        ("a.js", "function a() { return 1; } function* b() { yield 1; }", 2),
        ("a.js", "export default function () {} export function a() {} export default class {}", 1),
        ("a.js", "export default 1; export const a = 1; export class A {}", 3),
        ("a.js", "if (a) b; else if (c) { d; } else e;", 5),
        ("a.js", "for (let i = 0; i < 1; i++) a; for (const b of c); while (d) {} do ; while (e)", 5),
        ("a.js", "switch (a) { case 1: b; break; default: c; }", 4),
        ("a.js", "try { a; } catch { b; } finally { c; } throw d; debugger; x: for (;;) { continue x; }", 8),
        ("a.js", "const a = b => c => d; const e = () => { f; };", 5),
        ("a.js", "class A { x = 1; static y = 2; m() { z; } static { w; } }", 3),
        ("a.ts", "interface A { b: c } type D = 1; declare const e: 1; import type { F } from 'f';", 0),
        ("a.ts", "function a(): void; function a(b?: 1): void { c; } const enum D { E } enum F { G }", 2),
        (
            "a.ts",
            "abstract class A { abstract b(): void } namespace C { d; } export = e; export default interface F {}",
            3,
        ),
        ("a.ts", "declare module 'x' { const y: 1; } declare global { interface Z {} }", 0),
        ("a.tsx", "const a = <b>{c}</b>; a as any;", 2),
        ("a.mts", "let a: number | undefined; a!;", 2),
        ("a.d.ts", "export const a = 1;", 0),
    ],
)
def test_a_statement_is_what_the_engine_does_something_for(tmp_path, name, source, statements):
    tree = write_tree(tmp_path / "tree", {name: source, "other.js": "x;"})
    found = numbers(covered(tree, script("other.js", "x;", "x;")))
    assert found.pop("other.js") == (1, 1)
    assert sum(count for _, count in found.values()) == statements


def test_positions_are_utf_16_units_after_a_byte_order_mark(tmp_path):
    source = "#!/usr/bin/env node\nconst a = '😀é';\r\nif (a) {\r\n  b();\r\n} else { '😀'.c(); d(); }\r\n"
    tree = write_tree(tmp_path / "tree", {"a.js": f"\ufeff{source}"})
    ran = ("const a = '😀é';\r\nif (a) {\r\n  b();", "d();")
    assert numbers(covered(tree, script("a.js", source, *ran))) == {"a.js": (4, 5)}


def test_what_was_heard_at_different_times_and_of_different_processes_counts_together(tmp_path):
    tree = write_tree(tmp_path / "tree", {"a.js": "a; b; c; d;"})
    first, second = script("a.js", "a; b; c; d;", "a;"), script("a.js", "a; b; c; d;", "a; b;", "d;")
    del second["source"]
    assert numbers(covered(tree, second, first, first)) == {"a.js": (3, 4)}


def test_files_that_nothing_was_heard_of_count_and_others_do_not(tmp_path):
    files = {"a.js": "a;", "never.ts": "a; b;", "types.ts": "type A = 1;", "node_modules/x/index.js": "x;"}
    files |= {"test/a.js": "x;", "a.test.js": "x;", "migrations/1.js": "x;", ".hidden/a.js": "x;", "dist/a.js": "x;"}
    tree = write_tree(tmp_path / "tree", files)
    said = [script(file, "x;", "x;") for file in ("migrations/1.js", "test/a.js")]
    assert numbers(covered(tree, script("a.js", "a;", "a;"), *said)) == {"a.js": (1, 1), "never.ts": (0, 2)}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ((), "none of its own files ran"),
        ((script("migrations/1.js", "x;", "x;"),), "none of its own files ran"),
        ((script("dist/a.js", "x;", "x;"),), "'dist/a.js' is not as submitted, and no source map says"),
        ((script("a.js", "changed;", "changed;"),), "'a.js' is not as submitted"),
        ((script("a.js", "a;", "a;"), script("made.js", "x;", "x;")), "'made.js' is not as submitted"),
        ((script("../a\ud800", "x;"),), "'../a\\ud800' is not as submitted"),
    ],
)
def test_where_it_cannot_be_said_what_ran_there_is_a_reason_and_no_share(tmp_path, said, reason):
    files = {"a.js": "a;", "b.ts": "b;", "migrations/1.js": "x;", "dist/a.js": "x;"}
    found = covered(write_tree(tmp_path / "tree", files), *said)
    assert (found.files, found.share) == ((), None)
    assert found.why_not.startswith(reason)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"ran": [1]},
        {"ran": [1, "2"]},
        {"ran": [True, 2]},
        {"ran": [5, 1]},
        {"ran": [-9, -1]},
        {"ran": [10**30, 10**31]},
        {"ran": [0, 2.5]},
        {"ran": {}},
        {"ran": [0, 2], "digest": "unknown", "source": 1},
        {"ran": [0, 2], "file": "/etc/passwd"},
        {"ran": [0, 2], "file": "../../etc/passwd"},
        {"ran": [0, 2], "file": "\0"},
    ],
)
def test_what_no_engine_says_changes_nothing(tmp_path, nonsense):
    tree = write_tree(tmp_path / "tree", {"a.js": "a; b;"})
    said = script("a.js", "a; b;", "b;")
    assert numbers(covered(tree, said, {**said, **nonsense})) == {"a.js": (1, 2)}
