"""Arguments that several commands share, spelled and explained once."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

SUITE = "suite directory, or the name of a bundled suite"


def suite(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", metavar="SUITE", type=not_empty, help=SUITE)


def run_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", type=path, help="run directory, as given to `repoproof score -o`")


def one_submission(parser: argparse.ArgumentParser) -> None:
    run_directory(parser)
    parser.add_argument("task", metavar="TASK", help="task id, as in the report")
    parser.add_argument(
        "--attempt", type=whole, default=None, metavar="N", help="which of the task's submissions (default: the first)"
    )


def output_format(parser: argparse.ArgumentParser, *formats: str) -> None:
    parser.add_argument(
        "--format",
        type=lambda text: {"md": "markdown"}.get(text, text),
        choices=formats,
        default=formats[0],
        help=f"default: {formats[0]}",
    )


DIMENSIONS = ("language", "framework", "domain", "category", "difficulty", "tag")


def slices(parser: argparse.ArgumentParser) -> None:
    """What the printed report has beside the scores of all tasks; the JSON always has it."""
    parser.add_argument(
        "--by", action="append", default=[], choices=DIMENSIONS, help="scores apart by this as well (repeatable)"
    )
    parser.add_argument("--code", action="store_true", help="how large the submitted code is as well")


def selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--task", dest="tasks", action="append", default=[], metavar="ID", help="only this task (repeatable)"
    )


def sandbox(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--sandbox",
        choices=("auto", "bubblewrap", "docker"),
        default="auto",
        help="where code runs (default: the first that works)",
    )


def execution(parser: argparse.ArgumentParser) -> None:
    """How to run things: where, how many at once, how much to say about it."""
    sandbox(parser)
    workers(parser)
    parser.add_argument("--no-cache", dest="fresh", action="store_true", help="install every environment anew")
    logs(parser)


def workers(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--workers",
        type=positive,
        default=max(1, (os.cpu_count() or 2) // 2),
        metavar="N",
        help="how many at once (default: %(default)s)",
    )


def logs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log what happens to stderr; -vv logs more")
    parser.add_argument("--log-file", type=path, metavar="FILE", help="append the full log to FILE")


def not_empty(text: str) -> str:
    """Any text but the empty one, which an unset variable of a shell leaves behind."""
    if not text:
        raise argparse.ArgumentTypeError("is empty")
    return text


def path(text: str) -> Path:
    """A path; the empty text would be the current directory."""
    return Path(not_empty(text))


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def whole(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isascii() or not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
