"""Why a store has no answer to a question: which recorded question is nearest to it, and in what the two differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from ..core.digest import canonical_json, digest_of_strings
from .base import ChatRequest, FillRequest
from .store import Recorded

_PROMPT = ("messages", "prefix", "suffix")
_SHORT = 40
"""Characters of a value that is shown."""


class _Known(NamedTuple):
    """A recorded question, as far as it is compared."""

    label: str
    settings: Mapping[str, object]
    """Kind, model, number of the sample, sampling; the prompt as a digest."""
    fault: str
    """Why it has no answer; empty where it has one."""


class Questions:
    """The questions of a store's file, read once."""

    def __init__(self, file: Path) -> None:
        self._known = list(_read(file))

    def difference(self, request: ChatRequest | FillRequest, label: str) -> str:
        """In what the nearest recorded question differs from `request`, in words; of those for `label`, where there are any."""
        asked = _settings(request.canonical())
        if not self._known:
            return "it holds no call at all"
        of_label = [known for known in self._known if known.label == label]
        answered = [known for known in of_label if not known.fault]
        if same := next((known for known in reversed(of_label) if known.fault and known.settings == asked), None):
            return f"that ended in a fault when it was asked: {same.fault}"
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
            fault = "" if recorded.fault is None else f"{recorded.fault.kind}: {recorded.fault.reason}"
            yield _Known(recorded.label, _settings(recorded.request), fault)


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
