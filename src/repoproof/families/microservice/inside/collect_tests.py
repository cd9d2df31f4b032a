"""Collects golden tests for their ids, whatever they make of it that no service is there.

Usage: collect_tests.py TESTS RESULTS       As run_tests.py, but that nothing is run.

A file that skips itself, or ends the session, while it is imported would hide what tests it has: here, neither has any effect.
"""

from __future__ import annotations

import sys
import time

import pytest
import run_tests  # pyright: ignore[reportMissingImports] -- beside this file inside


class Nothing:
    """What is done in the place of giving up, or of waiting."""

    def __init__(self, original: object) -> None:
        self.Exception = getattr(original, "Exception", None)

    def __call__(self, *arguments: object, **options: object) -> None:
        pass


def main(tests: str, results: str) -> int:
    for place, name in ((pytest, "exit"), (pytest, "skip"), (sys, "exit"), (time, "sleep")):
        setattr(place, name, Nothing(getattr(place, name)))
    return run_tests.main(tests, results, "--collect-only")


if __name__ == "__main__":
    # The interpreter's own way out: the usual one is out of order.
    raise SystemExit(main(*sys.argv[1:]))
