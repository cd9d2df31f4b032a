"""Metrics against counts made by hand, and the level drawn from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from repoproof.analysis.metrics import CodeMetrics, difficulty, measure_code

PYTHON = '''"""A docstring
of two lines."""

import os  # 1

# A comment alone.
if os.name == "nt":  # 2, and no decision: it is in no function
    X = 1  # 3


class A:  # 4, class
    """Doc."""

    def f(self, x):  # 5, function: 1
        if x and x > 1 or x < -5:  # 6, + if, and, or: 4
            return [y for y in x if y]  # 7, + for, if: 6
        try:  # 8
            pass  # 9
        except ValueError:  # 10, + 1: 7
            pass  # 11
        return """

        text"""  # 12 and 13: its blank line does not count


def g(x):  # 14, function: 1
    def h():  # 15, function: 1
        while x:  # 16, + 1: 2
            pass  # 17
    match x:  # 18
        case 1:  # 19, + 1
            return 1 if h else 2  # 20, + 1
        case _:  # 21
            return lambda: 0  # 22
'''

JAVASCRIPT = """/* a
   block */
const a = 1; // 1

// alone
class A { // 2, class
  constructor(x) { // 3, function: 1
    if (x && x.y || null) { // 4, + if, &&, ||: 4
      this.t = `one

two`; // 5 and 6
    } // 7
  } // 8
} // 9
app.get('/x', async (req, res) => { // 10, function: 1
  for (const k of req.body) { // 11, + 1: 2
    switch (k) { // 12
      case 1: break; // 13, + 1: 3
      default: break; // 14
    } // 15
  } // 16
  const f = function* () { return a ? 1 : a ?? 2; }; // 17, function: 1, + ?:, ??: 3
}); // 18
"""

TYPESCRIPT = """interface I { // 1
  x: number; // 2
} // 3
export abstract class B<T> { // 4, class
  m(v: T): string { // 5, function: 1
    try { return String(v); } catch { return ''; } // 6, + 1: 2
  } // 7
} // 8
"""

JAVA = """package shop; // 1

/* a
   block */
public class Shop { // 2, class
  record Item(String name) { Item { } } // 3, class, function: 1
  enum Size { SMALL } // 4, class
  interface Priced { int price(); } // 5, class, function: 1
  Shop() { } // 6, function: 1
  int total(List<Item> items, Integer x) { // 7, function: 1
    for (Item item : items) { // 8, + 1: 2
      if (x != null && x > 1 || items.isEmpty()) { x++; } // 9, + if, &&, ||: 5
    } // 10
    switch (x) { // 11
      case 1: case 2: return 1; // 12, + 2: 7
      default: break; // 13
    } // 14
    app.get("/x", ctx -> ctx.result(x > 1 ? "a" : "b")); // 15, function: 1, + 1: 2
    try { return 1; } catch (Exception e) { return 0; } // 16, + 1: 8
  } // 17
} // 18
"""

EXPECTED = {
    "A.java": (JAVA, CodeMetrics(lines=18, complexity=3 + 8 + 2, files=1, functions=4 + 5)),
    "a.py": (PYTHON, CodeMetrics(lines=22, complexity=7 + 3 + 2, files=1, functions=4)),
    "a.js": (JAVASCRIPT, CodeMetrics(lines=18, complexity=4 + 3 + 3, files=1, functions=4)),
    "a.ts": (TYPESCRIPT, CodeMetrics(lines=8, complexity=2, files=1, functions=2)),
    "a.tsx": ("export const A = () => <p>hello</p>;\n", CodeMetrics(lines=1, complexity=1, files=1, functions=1)),
    "broken.py": ("def (:\n\n# x\npass\n", CodeMetrics(lines=2, files=1)),
    "empty.py": ("", CodeMetrics(files=1)),
}


@pytest.mark.parametrize(
    ("name", "source", "metrics"), [(name, *rest) for name, rest in EXPECTED.items()], ids=EXPECTED
)
def test_a_file_is_counted_as_by_hand(name: str, source: str, metrics: CodeMetrics, tmp_path: Path):
    (tmp_path / name).write_text(source)
    assert measure_code(tmp_path) == metrics


def test_a_tree_is_the_sum_of_its_own_files(tmp_path: Path):
    for name in (
        "a.py",
        "src/b.js",
        "node_modules/x/c.js",
        "tests/test_a.py",
        "venv/lib/d.py",
        "src/b.test.js",
        ".git/e.py",
        "README.md",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PYTHON if name.endswith("py") else JAVASCRIPT)
    assert measure_code(tmp_path) == EXPECTED["a.py"][1] + EXPECTED["a.js"][1]


def test_a_deep_expression_is_no_failure(tmp_path: Path):
    (tmp_path / "deep.py").write_text("x = " + "1+" * 50_000 + "1\n")
    (tmp_path / "deep.js").write_text("x = " + "1+" * 50_000 + "1;\n")
    assert measure_code(tmp_path).files == 2


LEVELS = [
    # Bounds belong to the easier level.
    (CodeMetrics(lines=200, complexity=40, files=5, functions=20), 6, "easy"),
    (CodeMetrics(lines=201, complexity=41, files=5, functions=20), 6, "easy"),
    (CodeMetrics(lines=201, complexity=41, files=6, functions=20), 6, "medium"),
    (CodeMetrics(lines=600, complexity=120, files=15, functions=60), 15, "medium"),
    (CodeMetrics(lines=601, complexity=121, files=1, functions=1), 16, "hard"),
    (CodeMetrics(lines=90_000, complexity=1, files=1, functions=1), 1, "easy"),
    (CodeMetrics(), 0, "easy"),
]


@pytest.mark.parametrize(("metrics", "endpoints", "level"), LEVELS)
def test_the_level_is_the_median_of_five_measures(metrics: CodeMetrics, endpoints: int, level: str):
    found = difficulty(metrics, endpoints)
    assert (found.level, found.lines, found.endpoints) == (level, metrics.lines, endpoints)
