"""A file of one record a line that is added to until somebody pulls the plug."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..core.durable import append_lines

log = logging.getLogger(__name__)

Record = TypeVar("Record", bound=BaseModel)


def spelled(record: BaseModel) -> str:
    """A record as a line: what it was made with, and nothing that is only a default."""
    return record.model_dump_json(exclude_unset=True, exclude_none=True) + "\n"


class Lines(Generic[Record]):
    """The records of a file, for any number of threads."""

    def __init__(self, file: Path, type_: type[Record]) -> None:
        self.file = file
        self._type = type_

    def __iter__(self) -> Iterator[Record]:
        """From the first on. What a crash left of a line is passed over."""
        if not self.file.exists():
            return
        with self.file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield self._type.model_validate_json(line)
                except ValidationError:
                    log.info("%s:%d holds no record (a crash?): passed over", self.file, number)

    def append(self, record: Record) -> None:
        """Add a record; it is on disk when this returns."""
        append_lines(self.file, spelled(record).encode())
