"""Requests that schemathesis makes up from an OpenAPI document, valid and faulty ones; the same each time. Asks nobody.

Usage: record_schemathesis.py EXAMPLES < document.json
Prints `[{"method", "path", "query", "headers", "body", "faulty"}, ...]`, the path as the document writes it. Needs schemathesis.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import schemathesis  # pyright: ignore[reportMissingImports] -- only inside
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode  # pyright: ignore[reportMissingImports] -- only inside


def drawn(operation: Any, mode: Any, examples: int) -> list[Any]:
    """The cases of one operation and mode."""
    found: list[Any] = []

    @settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def draw(case: Any) -> None:
        found.append(case)

    try:
        draw()
    except Exception as error:  # an operation that nothing (faulty) can be made for
        print(f"{operation.label}: {error}"[:300], file=sys.stderr)
    return found


def plain(case: Any, faulty: bool) -> dict[str, Any] | None:
    """A case as JSON; None for one that JSON has no words for."""
    body = case.body if isinstance(case.body, dict | list | str | int | float | bool | None) else None
    one = {
        "method": case.method.upper(),
        "path": case.operation.full_path,
        "query": {str(name): str(value) for name, value in (case.query or {}).items()},
        "headers": {str(name): str(value) for name, value in (case.headers or {}).items()},
        "body": body,
        "faulty": faulty,
    }
    try:
        json.dumps(one, allow_nan=False).encode("ascii")
    except (TypeError, ValueError):
        return None
    return one


def main(examples: int) -> None:
    warnings.simplefilter("ignore")
    schema = schemathesis.openapi.from_dict(json.load(sys.stdin))
    cases = [
        one
        for result in schema.get_all_operations()
        for faulty, mode in ((False, GenerationMode.POSITIVE), (True, GenerationMode.NEGATIVE))
        for case in drawn(result.ok(), mode, examples)
        if (one := plain(case, faulty)) is not None
    ]
    print(json.dumps(cases))


if __name__ == "__main__":
    main(int(sys.argv[1]))
