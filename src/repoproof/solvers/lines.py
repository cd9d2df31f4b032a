"""A file of one record a line that is added to until somebody pulls the plug."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..core.durable import naming, sync_directory
from ..core.errors import Boundary, InfrastructureError

log = logging.getLogger(__name__)

Record = TypeVar("Record", bound=BaseModel)


def spelled(record: BaseModel) -> str:
    """A record as a line: what it was made with, and nothing that is only a default."""
    return record.model_dump_json(exclude_unset=True, exclude_none=True) + "\n"


class Lines(Generic[Record]):
    """The records of a file. Whoever writes holds it alone; its threads take turns."""

    def __init__(self, file: Path, type_: type[Record]) -> None:
        self.file = file
        self._type = type_
        self._turn = threading.Lock()

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
        line = spelled(record).encode()
        with self._turn, naming(self.file), self.file.open("a+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
            data = b"\n" + line if torn else line
            written = file.write(data)
            os.fsync(file.fileno())
            if size == 0:
                sync_directory(self.file.parent)
        if written != len(data):
            problem = f"only {written} of {len(data)} bytes went into {self.file}: is the disk full?"
            raise InfrastructureError(problem, boundary=Boundary.HARNESS)
