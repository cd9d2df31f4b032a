"""What a model thought aloud before its answer, taken away."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fences import blocks_of

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_OPENING = re.compile(rf"\s*(?:<({_NAMES})>|\[({_NAMES})\])", re.IGNORECASE)
_CLOSING = re.compile(rf"(?:</(?:{_NAMES})>|\[/(?:{_NAMES})\])", re.IGNORECASE)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final(?:\s[^<]*)?<\|message\|>")
_CONTROL = re.compile(r"(?:<\|(?:end|return|im_end|endoftext|eot_id)\|>|</s>)\s*\Z")
_ANSWER = re.compile(r"^[ \t]*(?:\*\*|#+[ \t]*)?(?:final[ \t]+)?answer[ \t]*:", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Spoken:
    """An answer without its reasoning."""

    text: str
    notes: tuple[str, ...] = ()
    unclosed: bool = False
    """Whether the answer ended while its model was still thinking. What it thought is not its answer, however much of it is code."""


def without_reasoning(text: str) -> Spoken:
    """`text` without a leading block of reasoning. What looks like one inside the answer is content."""
    text = text.removeprefix("\ufeff")
    if final := _FINAL_CHANNEL.search(text):
        return Spoken(_CONTROL.sub("", text[final.end() :]), ("reasoning before the answer was left out",))
    opening = _OPENING.match(text)
    if opening is None:
        return _after_lone_closing(text)
    rest, depth_name = text[opening.end() :], (opening[1] or opening[2])
    closing = re.search(rf"(?:</{depth_name}>|\[/{depth_name}\])", rest, re.IGNORECASE)
    if closing is not None:
        # Several blocks may follow one another.
        inner = without_reasoning(rest[closing.end() :])
        return Spoken(inner.text, ("reasoning before the answer was left out",), inner.unclosed)
    if answer := _ANSWER.search(rest):
        return Spoken(rest[answer.end() :], ("the reasoning is not closed; the answer begins at its label",))
    return Spoken("", ("the answer ends in the middle of its reasoning",), unclosed=True)


def _after_lone_closing(text: str) -> Spoken:
    """Some chat templates put the opening tag into the prompt, so that the answer has the closing one only."""
    lines = text.split("\n")
    blocks = blocks_of(lines)
    offset = 0
    for number, line in enumerate(lines):
        tag = _CLOSING.match(line.strip()) or _CLOSING.search(line)
        if tag and not any(block.start <= number <= block.end for block in blocks):
            end = offset + line.index(tag[0]) + len(tag[0])
            return Spoken(text[end:], ("reasoning before the answer was left out",))
        offset += len(line) + 1
    return Spoken(text)
