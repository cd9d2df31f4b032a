"""Why a store has no answer to a question: which recorded question is nearest to it, and in what the two differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from ..core.digest import canonical_json, digest_of_strings
from .base import ChatRequest, Fault, FaultKind, FillRequest
from .store import Recorded

_PROMPT = ("messages", "prefix", "suffix")
_SHORT = 40
"""Characters of a value that is shown."""


class _Known(NamedTuple):
    """A recorded question, as far as it is compared."""

    key: str
    label: str
    settings: Mapping[str, object]
    """Kind, model, number of the sample, sampling; the prompt as a digest."""
    fault: Fault | None
    """Why it has no answer; None where it has one."""


class Questions:
    """The questions of a store's file, read once."""

    def __init__(self, file: Path) -> None:
        self._known = list(_read(file))

    def too_long(self, request: ChatRequest | FillRequest) -> Fault | None:
        """That the model had no room for `request`: of all faults the one that is the model's own, and comes again."""
        fault = self._fault(request)
        return fault if fault is not None and fault.kind is FaultKind.TOO_LONG else None

    def _fault(self, request: ChatRequest | FillRequest) -> Fault | None:
        """The last that the question came to."""
        key = request.key
        return next((known.fault for known in reversed(self._known) if known.key == key and known.fault), None)

    def difference(self, request: ChatRequest | FillRequest, label: str) -> str:
        """In what the nearest recorded question differs from `request`, in words; of those for `label`, where there are any."""
        asked = _settings(request.canonical())
        if not self._known:
            return "it holds no call at all"
        of_label = [known for known in self._known if known.label == label]
        answered = [known for known in of_label if known.fault is None]
        if (fault := self._fault(request)) is not None:
            return f"that ended in a fault when it was asked: {fault.kind}: {fault.reason}"
        if not answered:
            return f"it holds no answer for {label}" if label else "it holds no such answer"
        nearest = min(answered, key=lambda known: len(_differing(known.settings, asked)))
        names = _differing(nearest.settings, asked)
        words = [
            "another prompt"
            if name == "prompt"
            else f"{name} {_shown(nearest.settings.get(name))}, not {_shown(asked.get(name))}"
            for name in names
        ]
        return f"the nearest is recorded with {'; '.join(words) or 'another key'}"


def _read(file: Path) -> Iterator[_Known]:
    with file.open("rb") as lines:
        for line in lines:
            try:
                recorded = Recorded.model_validate_json(line)
            except ValidationError:
                # Torn, or not ours: who reads the answers says so.
                continue
            yield _Known(recorded.key, recorded.label, _settings(recorded.request), recorded.fault)


def _settings(request: Mapping[str, Any]) -> dict[str, object]:
    given = {name: value for name, value in request.items() if name not in (*_PROMPT, "sampling")}
    sampling = cast("dict[str, object]", request.get("sampling") or {})
    prompt = digest_of_strings(canonical_json({name: request.get(name) for name in _PROMPT}))
    return {"sample": 0} | given | sampling | {"prompt": prompt}


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def _shown(value: object) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."
