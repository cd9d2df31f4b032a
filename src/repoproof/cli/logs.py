"""Where the log goes: nowhere, to stderr, to a file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def logging_to(console: Console, *, verbose: int, file: Path | None) -> Iterator[None]:
    """Log to `console` from level INFO (`verbose` 1) or DEBUG (2) up, and everything to `file`."""
    logger = logging.getLogger("repoproof")
    with ExitStack() as stack:
        for handler in _handlers(console, verbose, file):
            logger.addHandler(handler)
            stack.callback(handler.close)
            stack.callback(logger.removeHandler, handler)
        if verbose or file is not None:
            logger.setLevel(logging.DEBUG)
        yield


def _handlers(console: Console, verbose: int, file: Path | None) -> Iterator[logging.Handler]:
    if verbose:
        from rich.logging import RichHandler

        # Through the console, so that a line never lands in the middle of the live display.
        shown = RichHandler(logging.DEBUG if verbose > 1 else logging.INFO, console, show_path=False, markup=False)
        shown.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        yield shown
    if file is not None:
        try:
            kept = logging.FileHandler(file, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", file=file, field="--log-file") from error
        kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        yield kept
