"""Statements of JavaScript and TypeScript, and which of them ran, by the text that did."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

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


TYPED = """import { B } from './b';
type C = string;
export const d: C = '😀'; if (d as C) {
  new B<C>();
}
export enum E { F }
"""
# Made of it by TypeScript 5, for ES2020 and CommonJS.
COMPILED = """"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.E = exports.d = void 0;
const b_1 = require("./b");
exports.d = '😀';
if (exports.d) {
    new b_1.B();
}
var E;
(function (E) {
    E[E["F"] = 0] = "F";
})(E || (exports.E = E = {}));
"""
MAPPINGS = ";;;AAAA,2BAAwB;AAEX,QAAA,CAAC,GAAM,IAAI,CAAC;AAAC,IAAI,SAAM,EAAE,CAAC;IACrC,IAAI,KAAC,EAAK,CAAC;AACb,CAAC;AACD,IAAY,CAAO;AAAnB,WAAY,CAAC;IAAG,mBAAC,CAAA;AAAC,CAAC,EAAP,CAAC,iBAAD,CAAC,QAAM"
MAP = {"version": 3, "sourceRoot": "", "sources": ["../src/a.ts"], "names": [], "mappings": MAPPINGS}
RAN = (COMPILED[: COMPILED.index("    new")], COMPILED[COMPILED.index("var E;") :])


def mapped(comment: str) -> dict[str, object]:
    return script("dist/a.js", f"{COMPILED}//# sourceMappingURL={comment}", *RAN)


def inline(data: object) -> str:
    return f"data:application/json;base64,{b64encode(json.dumps(data).encode()).decode()}"


@pytest.mark.parametrize(
    ("comment", "files"),
    [
        ("a.js.map", {"dist/a.js.map": json.dumps(MAP)}),
        ("maps/a.js.map", {"dist/maps/a.js.map": json.dumps({**MAP, "sourceRoot": "/app/src", "sources": ["a.ts"]})}),
        (inline(MAP), {}),
        (inline({**MAP, "sources": ["file:///app/src/a.ts"]}), {}),
        (f"data:application/json,{quote(json.dumps(MAP))}", {}),
    ],
)
def test_what_was_compiled_counts_as_it_was_written(tmp_path, comment, files):
    # Nobody submits what is compiled, and if so, it is no source.
    tree = write_tree(tmp_path / "tree", {"src/a.ts": TYPED, "out/a.js": COMPILED, **files})
    same = {**mapped(comment), "file": "out/a.js"}
    assert numbers(covered(tree, mapped(comment))) == {"src/a.ts": (3, 4), "out/a.js": (0, 9)}
    if comment.startswith("data:"):
        assert numbers(covered(tree, same)) == {"src/a.ts": (3, 4)}


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "gone.map",
        "../../secret.map",
        "/etc/passwd",
        "data:application/json;base64,!",
        inline([]),
        inline({}),
        inline({**MAP, "mappings": "!"}),
        inline({**MAP, "mappings": 5}),
        inline({**MAP, "sources": [5]}),
        inline({**MAP, "sources": ["../../../etc/passwd"]}),
        inline({**MAP, "sources": ["webpack:///src/a.ts"]}),
        inline({**MAP, "mappings": "A" + "/" * 90_000 + "A"}),
        inline({**MAP, "mappings": "ADDD,AggggggggggggggggggggggggBAA"}),
    ],
)
def test_where_no_map_leads_back_nothing_is_claimed(tmp_path, comment):
    (tmp_path / "secret.map").write_text(json.dumps(MAP))
    found = covered(write_tree(tmp_path / "tree", {"src/a.ts": TYPED}), mapped(comment))
    assert (found.share, "no source map says what it was made from" in found.why_not) == (None, True)


def test_typescript_whose_types_are_blanked_out_counts_as_it_is(tmp_path):
    source = "const a: number = 1;\nif (a as number > 2) {\n  a;\n}\n"
    blanked = "const a         = 1;\nif (a           > 2) {\n  a;\n}\n"
    tree = write_tree(tmp_path / "tree", {"a.ts": source})
    said = script("a.ts", f"{blanked}\n\n//# sourceURL=file:///app/a.ts", blanked[: blanked.index("{")])
    assert numbers(covered(tree, said)) == {"a.ts": (2, 3)}
    other = script("a.ts", blanked.replace("1", "3"), blanked[20:])
    assert "'a.ts' is not as submitted" in covered(tree, other).why_not
