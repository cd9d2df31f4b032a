"""Which rule a call falls under, what has been asked so far, and the answer's text and tokens."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...core.base import Frozen
from .question import Question
from .rule import Rule, Spoiled

PIECE = re.compile(r"\s*\S{1,4}|\s+\Z")
"""What we call a token: up to four characters, and the blanks before them."""

ANYTHING = Rule()


class Counts(Frozen):
    """What a server was asked since it started, or since `POST /reset`."""

    total: int
    """Calls whose body arrived and was a question, whatever they were answered with."""
    questions: int
    """Different bodies among them."""
    repeated: int
    """Calls beyond the first of each question."""
    answered: int
    """Calls that were answered with status 200, spoiled or not: those that a vendor would charge for."""
    answered_again: int
    """Of these, those beyond the first of each question: what was paid for twice."""
    held: int
    """Calls that wait for `POST /release` now."""
    by_question: dict[str, int]
    """SHA-256 of the canonical body -> calls."""


class Part(NamedTuple):
    """How one call is answered."""

    rule: Rule
    turn: int
    """How often the rule has decided this question before."""
    number: int
    """Which call of its question this is, from 0."""


class Script:
    """The rules, and how far each is used up. For any number of threads."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self.rules = tuple(rules)
        self.changed = threading.Condition()
        """Held for every look at what follows; notified when any of it changes."""
        self._forget()

    def _forget(self) -> None:
        self._calls: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()
        self._used: Counter[int] = Counter()
        self._used_for: Counter[tuple[int, str]] = Counter()
        self._held = 0

    def reset(self) -> None:
        """Begin anew."""
        with self.changed:
            held = self._held
            self._forget()
            self._held = held
            self.changed.notify_all()

    def part(self, question: Question) -> Part:
        """Count the call, and find the rule that decides it."""
        with self.changed:
            number = self._calls[question.digest]
            self._calls[question.digest] += 1
            index = next((i for i, rule in enumerate(self.rules) if self._applies(i, rule, question)), -1)
            rule = self.rules[index] if index >= 0 else ANYTHING
            turn = self._used_for[index, question.digest]
            self._used[index] += 1
            self._used_for[index, question.digest] += 1
            # `disconnect` says nothing, but the vendor has done the work all the same.
            self._answered[question.digest] += rule.status is None and has_room(question, rule)
            self.changed.notify_all()
            return Part(rule, turn, number)

    def _applies(self, index: int, rule: Rule, question: Question) -> bool:
        return (
            (rule.kind is None or rule.kind == question.kind)
            and (not rule.model or rule.model == question.model)
            and rule.contains in question.text
            and (not rule.matches or re.search(rule.matches, question.text, re.MULTILINE | re.DOTALL) is not None)
            and int(question.digest, 16) % rule.every == 0
            and (rule.first is None or self._used_for[index, question.digest] < rule.first)
            and (rule.times is None or self._used[index] < rule.times)
        )

    def holding(self, change: int) -> None:
        """So many calls more, or fewer, are held."""
        with self.changed:
            self._held += change
            self.changed.notify_all()

    def counts(self) -> Counts:
        with self.changed:
            total, answered = self._calls.total(), self._answered.total()
            return Counts(
                total=total,
                questions=len(self._calls),
                repeated=total - len(self._calls),
                answered=answered,
                answered_again=answered - sum(count > 0 for count in self._answered.values()),
                held=self._held,
                by_question=dict(sorted(self._calls.items())),
            )

    def wait_for(self, *, calls: int, held: int, seconds: float) -> bool:
        """Wait until so many calls have come and so many are held; False if they have not within `seconds`."""
        with self.changed:
            return self.changed.wait_for(lambda: self._calls.total() >= calls and self._held >= held, seconds)


def has_room(question: Question, rule: Rule) -> bool:
    """Whether the prompt is as short as the rule's model wants it."""
    return rule.context_tokens is None or prompt_tokens(question, rule) <= rule.context_tokens


def prompt_tokens(question: Question, rule: Rule) -> int:
    read = question.text.removesuffix(question.suffix) if rule.ignores_suffix else question.text
    return len(PIECE.findall(read))


def body_of(question: Question, part: Part) -> dict[str, object]:
    """The JSON that answers `question`."""
    rule = part.rule
    texts = [_ended(_reply(question, part, choice), question, rule) for choice in range(question.n)]
    thought = len(PIECE.findall(rule.reasoning)) if rule.reasoning_tokens is None else rule.reasoning_tokens
    body: dict[str, object] = {
        "id": f"scripted-{question.digest[:12]}-{part.number}",
        "object": "chat.completion" if question.kind == "chat" else "text_completion",
        "created": 0,
        "model": question.model,
        "choices": [_choice(question, rule, index, *ended) for index, ended in enumerate(texts)],
    }
    if rule.usage:
        prompt = prompt_tokens(question, rule)
        completion = sum(len(PIECE.findall(text)) + thought for text, _ in texts)
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "completion_tokens_details": {"reasoning_tokens": thought * question.n},
            "prompt_tokens_details": {"cached_tokens": rule.cached_tokens},
        }
    return body


def _reply(question: Question, part: Part, choice: int) -> str:
    replies = part.rule.replies or (f"This is the scripted answer to question {question.digest[:12]}.\n",)
    start = part.turn if question.seed is None else question.seed
    return replies[(start + choice) % len(replies)]


def _ended(text: str, question: Question, rule: Rule) -> tuple[str, str]:
    """The text as far as stop sequences, limit of tokens and fault let it come, and its finish reason."""
    text = text[: min((at for stop in question.stop if stop and (at := text.find(stop)) >= 0), default=None)]
    pieces = PIECE.findall(text)
    keep = len(pieces) if question.max_tokens is None else question.max_tokens
    if rule.fault is Spoiled.TRUNCATED:
        keep = min(keep, len(pieces) // 2)
    if keep < len(pieces) or rule.fault is Spoiled.TRUNCATED:
        return "".join(pieces[:keep]), "length"
    return text, "stop"


def _choice(question: Question, rule: Rule, index: int, text: str, finish: str) -> dict[str, object]:
    if question.kind == "fill":
        return {"index": index, "text": text, "finish_reason": finish, "logprobs": None}
    thought = {"reasoning_content": rule.reasoning} if rule.reasoning else {}
    message = {"role": "assistant", "content": text, **thought}
    return {"index": index, "message": message, "finish_reason": finish, "logprobs": None}
