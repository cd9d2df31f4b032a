"""Where the log goes: warnings to the screen, more of it on demand, everything to a file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ..core.errors import BadInput
from ..reports.tables import visible

LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
"""Shown on the screen, by how often `-v` was given."""


@contextmanager
def logging_to(console: Console, *, verbose: int, file: Path | None) -> Iterator[None]:
    """Log to `console` what `verbose` asks for, and everything to `file`."""
    logger = logging.getLogger("repoproof")
    handlers: list[logging.Handler] = [_Screen(console, verbose)]
    if file is not None:
        handlers.append(_kept(file))
    with ExitStack() as stack:
        for handler in handlers:
            logger.addHandler(handler)
            stack.callback(handler.close)
            stack.callback(logger.removeHandler, handler)
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(min(handler.level for handler in handlers))
        yield


class _Screen(logging.Handler):
    """Through the console, so that a line never lands in the middle of the live display."""

    def __init__(self, console: Console, verbose: int) -> None:
        super().__init__(LEVELS[min(verbose, len(LEVELS) - 1)])
        self.console = console
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s" if verbose else "%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.console.print(Text(visible(self.format(record)), style="dim"), soft_wrap=True)


def _kept(file: Path) -> logging.Handler:
    try:
        handler = logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror}", file=file, field="--log-file") from error
    handler.setLevel(logging.DEBUG)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler
