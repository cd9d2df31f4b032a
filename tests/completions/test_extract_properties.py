"""Whatever is put around a function, the function that comes out is the one that went in."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from repoproof.completions.extract import How, Target, extract_function

_NAMES = st.sampled_from(["a", "b", "total", "item", "seen"])
_LEAVES = (
    _NAMES
    | st.integers(0, 99).map(str)
    | st.sampled_from(["'```'", "'# x'", '"it\'s"', "'def wanted(a):'", "'\\n'", "''"])
)
_EXPRESSIONS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "*", "<", "and"]), inner).map(lambda three: f"({' '.join(three)})"),
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        inner.map(lambda one: f"str({one})"),
    ),
    max_leaves=4,
)


_FIXED = "\x01"
"""Begins a line that stands within a string, and so does not move with the code around it."""


def _indented(lines: list[str], margin: str = "    ") -> list[str]:
    return [line if line.startswith(_FIXED) or not line else margin + line for line in lines]


def _text(lines: list[str]) -> str:
    return "".join(f"{line.removeprefix(_FIXED)}\n" for line in lines)


def _blocks(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return st.one_of(
        st.tuples(_EXPRESSIONS, inner).map(lambda two: [f"if {two[0]}:", *_indented(two[1])]),
        st.tuples(_EXPRESSIONS, inner).map(lambda two: [f"for item in {two[0]}:", *_indented(two[1])]),
        st.tuples(inner, inner).map(lambda two: ["try:", *_indented(two[0]), "except ValueError:", *_indented(two[1])]),
        inner.map(lambda body: ["def nested(a):", *_indented(body), ""]),
    )


_STATEMENTS = st.recursive(
    st.one_of(
        st.tuples(_NAMES, _EXPRESSIONS).map(lambda two: [f"{two[0]} = {two[1]}"]),
        _EXPRESSIONS.map(lambda one: [f"return {one}"]),
        st.just(["pass"]),
        st.just(["# a note, not code", "seen = 1"]),
        st.just(['text = """', f"{_FIXED}at the margin", f"{_FIXED}        ```", f'{_FIXED}"""']),
        st.just(["total = (", "    1 +", "    2", ")"]),
    ),
    _blocks,
    max_leaves=6,
)
_BODIES = st.lists(_STATEMENTS, min_size=1, max_size=5).map(lambda parts: [line for part in parts for line in part])
_PROSE = st.sampled_from(
    [
        "",
        "Sure! Here's the function:\n",
        "I don't think it's hard.\n\nSee below.",
        "1. Write it\n2. Test it",
        "Note: `wanted` is the name.",
    ]
)


def _function(body: list[str], header: str = "def wanted(a, b=1):") -> list[str]:
    return [header, *_indented([*body, "return total"])]


@st.composite
def _fenced(draw: st.DrawFn, code: str) -> str:
    mark = draw(st.sampled_from("`~"))
    fence = mark * draw(st.integers(4, 6))
    label = draw(st.sampled_from(["", "python", "py", " Python"]))
    return f"{fence}{label}\n{code}{fence}"


_WANTED = Target(name="wanted", header="def wanted(a, b=1):")


@given(_BODIES, _PROSE, _PROSE, st.data())
def test_a_function_in_a_fence_and_prose_comes_out_as_it_went_in(
    body: list[str], before: str, after: str, data: st.DataObject
) -> None:
    function = _text(_function(body))
    block = data.draw(_fenced(function))
    found = extract_function(f"{before}\n\n{block}\n\n{after}\n", target=_WANTED)
    assert found.how is How.FUNCTION
    assert found.function == function


@given(_BODIES, _PROSE, _PROSE)
def test_a_function_among_prose_comes_out_as_it_went_in(body: list[str], before: str, after: str) -> None:
    # A line of backticks that nothing encloses begins a block, as it does for any reader of Markdown.
    function = _text(_function([line for line in body if "        ```" not in line]))
    found = extract_function(f"{before}\n\n{function}\n{after}\n", target=_WANTED)
    assert found.how is How.FUNCTION
    assert found.function == function


@given(_BODIES, st.sampled_from(["", "  ", "    ", "\t", "            "]), st.data())
def test_a_body_in_a_fence_comes_under_the_header_from_any_column(
    body: list[str], margin: str, data: st.DataObject
) -> None:
    block = data.draw(_fenced(_text(_indented([*body, "return total"], margin))))
    found = extract_function(block, target=_WANTED)
    assert found.how is How.BODY
    assert _up_to_return(found.function) == _up_to_return(_text(_function(body)))


@given(
    _BODIES, st.sampled_from(["def other(x):\n    return x\n", "class Other:\n    pass\n", "print(wanted(1))\n", ""])
)
def test_a_continuation_ends_where_the_body_does(body: list[str], after: str) -> None:
    function = _function([line for line in body if "        ```" not in line])
    found = extract_function(f"{_text(function[1:])}\n\n{after}", target=_WANTED)
    assert found.how is How.BODY
    assert _up_to_return(found.function) == _up_to_return(_text(function))


@given(_BODIES, st.sampled_from(["", "from math import pi\n\n\n"]))
def test_a_method_comes_out_of_its_class_at_the_margin(body: list[str], above: str) -> None:
    function = _function(body, "def wanted(self, a, b=1):")
    text = f"~~~~\n{above}class Box:\n{_text(_indented(function))}~~~~\n"
    found = extract_function(text, target=Target(name="wanted", header="def wanted(self, a, b=1):", class_name="Box"))
    assert found.function == _text(function)


@given(
    st.text()
    | st.lists(
        st.sampled_from(["```", "def wanted(a):", "    return", "class X:", "<think>", "{", '"""', "\t", "@x", "x"])
    ).map("\n".join)
)
def test_no_answer_makes_extraction_fail(answer: str) -> None:
    for language in ("python", "javascript", "typescript", "go"):
        found = extract_function(answer, target=Target(name="wanted", header="def wanted(a):", language=language))
        if language == "python" and found.how.is_usable:
            compile(found.function, "<answer>", "exec")


def _up_to_return(function: str) -> str:
    """What can be run: statements behind the body's first `return` may be left out."""
    definition = ast.parse(function).body[0]
    assert isinstance(definition, ast.FunctionDef)
    first = next(at for at, statement in enumerate(definition.body) if isinstance(statement, ast.Return))
    return ast.dump(ast.Module(definition.body[: first + 1], []))
