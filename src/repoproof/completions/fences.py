"""Fenced blocks of Markdown, as models write them: any length, either character, one inside another.

Lines end with `\\n` only: a form feed or a lone carriage return belongs to a file's content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})(?P<info>[^\r\n]*)")

_MAX_DEPTH = 8
"""Fences that only ever open are no nesting."""
_LOOKS_A_LINE = 4


@dataclass(frozen=True)
class Fence:
    """A line that opens or closes a block."""

    indent: str
    character: str
    length: int
    info: str
    """What stands behind the marks; a line that closes has none."""
    carriage_return: bool
    """Whether the line ended with CRLF: then so do the lines of the block, and the content is without."""

    def closes(self, opening: Fence) -> bool:
        return not self.info and self._is_as_strong_as(opening)

    def opens_inside(self, opening: Fence) -> bool:
        return bool(self.info) and self._is_as_strong_as(opening)

    def _is_as_strong_as(self, opening: Fence) -> bool:
        return self.character == opening.character and self.length >= opening.length


@dataclass
class Patience:
    """How many lines of a text may still be looked at behind the first end that a block could have, to see whether there is a better one.

    For all of its blocks together: if each could look to the end of the text, reading it would take quadratic time.
    """

    looks: int

    @classmethod
    def for_text(cls, lines: Sequence[str]) -> Patience:
        """Far more than any answer needs that was not made to try it."""
        return cls(_LOOKS_A_LINE * len(lines) + 1_000)


@dataclass(frozen=True)
class Block:
    """A fenced block within the lines of an answer."""

    start: int
    """Index of the line that opens it."""
    end: int
    """Index of the line that closes it, or the number of lines."""
    fence: Fence
    closed: bool
    content: str


def fence_of(line: str) -> Fence | None:
    """The fence that `line` is, if it is one."""
    text = line.removesuffix("\r")
    found = _OPENING.fullmatch(text)
    if found is None:
        return None
    marks, info = found["marks"], found["info"].strip()
    # ```like this``` is code within a line of prose.
    if marks[0] == "`" and "`" in info:
        return None
    return Fence(found["indent"], marks[0], len(marks), info, carriage_return=line.endswith("\r"))


def block_at(
    lines: Sequence[str],
    start: int,
    *,
    patience: Patience,
    section_at: Callable[[int], bool] = lambda _: False,
    is_markdown: bool = False,
) -> Block | None:
    """The block that the line at `start` opens.

    Models put blocks inside blocks without making the outer fence longer. A fence with an info string opens an inner block, and the
    next bare one closes it, where the outer one still ends before the next section (`section_at`) or the end of the text; otherwise
    the first bare fence ends the block, as in CommonMark. In a Markdown file bare fences come in pairs as well.
    """
    fence = fence_of(lines[start])
    if fence is None:
        return None
    end = _end(lines, start, fence, patience, section_at, is_markdown)
    closed = end is not None
    end = len(lines) if end is None else end
    return Block(start, end, fence, closed, _content(lines[start + 1 : end], fence, closed))


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """All blocks, one after another; what is inside one is not looked at."""
    found: list[Block] = []
    at = 0
    patience = Patience.for_text(lines)
    while at < len(lines):
        block = block_at(lines, at, patience=patience)
        if block is not None:
            found.append(block)
            at = block.end
        at += 1
    return found


def _end(
    lines: Sequence[str],
    start: int,
    fence: Fence,
    patience: Patience,
    section_at: Callable[[int], bool],
    is_markdown: bool,
) -> int | None:
    first: int | None = None
    balanced: list[int] = []
    depth = 0
    for at in range(start + 1, len(lines)):
        if first is not None:
            if not patience.looks:
                break
            patience.looks -= 1
        inner = fence_of(lines[at])
        if inner is None:
            # A section can only begin outside: until a bare fence was seen, we are certainly inside.
            if first is not None and section_at(at):
                break
        elif inner.opens_inside(fence):
            depth += 1
            if depth > _MAX_DEPTH:
                break
        elif inner.closes(fence):
            first = at if first is None else first
            if depth:
                depth -= 1
            else:
                balanced.append(at)
                if not is_markdown:
                    break
    if not balanced:
        return first
    # One that closes, and pairs before it.
    return balanced[-1] if len(balanced) % 2 else balanced[0]


def _content(lines: Sequence[str], fence: Fence, closed: bool) -> str:
    kept = [_without_indent(line, fence) for line in lines]
    if closed:
        return "".join(f"{line}\n" for line in kept)
    # A block that was cut off may end in the beginning of its closing fence.
    if kept and kept[-1] and set(kept[-1]) == {fence.character}:
        kept[-1] = ""
    return "\n".join(kept)


def _without_indent(line: str, fence: Fence) -> str:
    if fence.carriage_return:
        line = line.removesuffix("\r")
    if fence.indent:
        shared = 0
        while shared < min(len(fence.indent), len(line)) and line[shared] in " \t":
            shared += 1
        line = line[shared:]
    return line
