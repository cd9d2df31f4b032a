"""Code that became unreadable on its way into an answer, made readable: each mend undoes one known damage, and is told."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable, Iterator

from .python_source import indent_of, shifted

_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " ", "\u2007": " ", "\u202f": " "}
)
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_DIFF_HEADS = ("diff ", "index ", "--- ", "+++ ", "@@", "\\ No newline")
_NUMBERED = re.compile(r"[ \t]*\d+(?:[ \t]*[|:.)]|\t| )[ ]?(.*)")


def mended(code: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`code` as it is, with each mend alone, then with one after another; and what was done. Whoever reads takes the first that makes sense,
    so that nothing is mended that was not broken."""
    yield code, ()
    alone = [(changed, note) for mend, note in _MENDS if (changed := mend(code)) != code]
    yield from ((changed, (note,)) for changed, note in alone)
    if len(alone) < 2 and not any(mend(changed) != changed for changed, _ in alone for mend, _ in _MENDS):
        return
    done: tuple[str, ...] = ()
    for mend, note in _MENDS:
        changed = mend(code)
        if changed != code:
            code, done = changed, (*done, note)
            yield code, done


def _without_diff(code: str) -> str:
    lines = code.split("\n")
    told = [line for line in lines if line.strip()]
    added = [line for line in told if line.startswith("+")]
    if not added or not all(line.startswith(("+", "-", " ", *_DIFF_HEADS)) for line in told):
        return code
    kept = [line[1:] for line in lines if not line.startswith(("-", *_DIFF_HEADS))]
    return "\n".join(kept)


def _without_margin(code: str) -> str:
    """Without a prefix that every line has: a quotation's, a console's, a line number's."""
    lines = [line for line in code.split("\n") if line.strip()]
    if lines and all(line.startswith(">") and not line.startswith(">>>") for line in lines):
        return re.sub(r"^> ?", "", code, flags=re.MULTILINE)
    if lines and lines[0].startswith(">>> "):
        # What a console printed is no code.
        typed = [line for line in lines if line.startswith((">>>", "..."))]
        return "\n".join(re.sub(r"^(?:>>>|\.\.\.) ?", "", line) for line in typed) + "\n"
    if len(lines) > 1 and all(_NUMBERED.fullmatch(line) for line in lines):
        return _NUMBERED.sub(r"\1", code)
    return code


def _with_newlines(code: str) -> str:
    if "\\n" not in code or "\n" in code.strip():
        return code
    text = code.strip().strip('"')
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\'", "'")


def _with_plain_characters(code: str) -> str:
    return _INVISIBLE.sub("", code.translate(_QUOTES))


def _at_the_margin(code: str) -> str:
    margin = indent_of(next((line for line in code.split("\n") if line.strip()), ""))
    indented = [line.startswith(margin) for line in code.split("\n") if line.strip()]
    # Strings may have lines further left than the code, and those that are not stay where they are.
    return shifted(code, "") if margin and (all(indented) or '"""' in code or "'''" in code) else textwrap.dedent(code)


def _first_line_with_the_others(code: str) -> str:
    """A body whose first line lost its indent, as where a prompt ended with it."""
    lines = code.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    others = [len(indent_of(line)) for line in lines[first + 1 :] if line.strip()]
    if not others or indent_of(lines[first]) or min(others) == 0 or lines[first].rstrip().endswith(":"):
        return code
    lines[first] = " " * min(others) + lines[first]
    return textwrap.dedent("\n".join(lines))


def _with_spaces(width: int) -> Callable[[str], str]:
    def spaced(code: str) -> str:
        lines = code.split("\n")
        if not any("\t" in indent_of(line) for line in lines):
            return code
        return "\n".join(indent_of(line).expandtabs(width) + line[len(indent_of(line)) :] for line in lines)

    return spaced


_MENDS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_with_newlines, "escaped newlines were made newlines"),
    (_without_diff, "read as a diff: the lines it leaves"),
    (_without_margin, "a prefix of every line was left out"),
    (_at_the_margin, "moved to the margin"),
    (html.unescape, "HTML entities were made characters"),
    (_with_plain_characters, "typographic quotes and spaces were made plain"),
    (_first_line_with_the_others, "the first line was moved to where the others are"),
    (_with_spaces(4), "tabs were made 4 spaces"),
    (_with_spaces(8), "tabs were made 8 spaces"),
)
