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
    notes: tuple[str, ...] = ()
    # Several blocks may follow one another.
    at = 0
    while (opening := _OPENING.match(text, at)) is not None:
        name = opening[1] or opening[2]
        closing = re.compile(rf"</{name}>|\[/{name}\]", re.IGNORECASE).search(text, opening.end())
        if closing is None:
            return _unclosed(text[opening.end() :])
        at, notes = closing.end(), ("reasoning before the answer was left out",)
    text = text[at:]
    if final := _FINAL_CHANNEL.search(text):
        return Spoken(_CONTROL.sub("", text[final.end() :]), ("reasoning before the answer was left out",))
    return Spoken(text, notes) if notes else _after_lone_closing(text)


def _unclosed(thought: str) -> Spoken:
    if answer := _ANSWER.search(thought):
        return Spoken(thought[answer.end() :], ("the reasoning is not closed; the answer begins at its label",))
    return Spoken("", ("the answer ends in the middle of its reasoning",), unclosed=True)


def _after_lone_closing(text: str) -> Spoken:
    """Some chat templates put the opening tag into the prompt, so that the answer has the closing one only."""
    if _CLOSING.search(text) is None:
        return Spoken(text)
    lines = text.split("\n")
    inside = {at for block in blocks_of(lines) for at in range(block.start, block.end + 1)}
    offset = 0
    for at, line in enumerate(lines):
        if at not in inside and (tag := _CLOSING.search(line)):
            return Spoken(text[offset + tag.end() :], ("reasoning before the answer was left out",))
        offset += len(line) + 1
    return Spoken(text)
