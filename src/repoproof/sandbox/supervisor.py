"""The first process of every sandbox, on either backend: where it is, how it is called, what it reports.

See supervise/supervise.c for what it does and why it is a static program.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from ..core.errors import Boundary, InfrastructureError

MACHINES = ("x86_64", "aarch64")

_RECORD = struct.Struct("=ii")


class Event(Enum):
    """What the supervisor tells."""

    FAILED = ord("F")
    """Preparing the sandbox, or taking a tree out of it, failed."""
    BEGUN = ord("B")
    """The command is about to run: whatever happens from now on is the command's doing."""
    ENDED = ord("E")
    """The command has ended; descendants of it may live on."""
    EMPTY = ord("Z")
    """Nothing of the command is left. Only our own `out` steps may still run."""


class Report(NamedTuple):
    event: Event
    status: int
    """Wait status, as `os.waitstatus_to_exitcode` takes it."""

    def packed(self) -> bytes:
        """As `Reports` takes it."""
        return _RECORD.pack(self.event.value, self.status)


def supervisor(machine: str | None = None) -> Path:
    """The program for a processor (default: this one's), named as `uname -m` names it."""
    machine = machine or os.uname().machine
    if machine not in MACHINES:
        raise InfrastructureError(
            f"no supervisor for {machine} processors, only for {', '.join(MACHINES)}", boundary=Boundary.SANDBOX
        )
    return Path(__file__).parent / "supervise" / f"supervise-{machine}"


class Step(NamedTuple):
    """Something that the supervisor does beside the command: mostly, run a shell script."""

    when: str
    """`in`: before the command, with `fd` as its input. `out`: after a command that exited with 0, with `fd` as its output.
    With frames also `guard`: take as many bytes as `script` says for a filter of system calls; `unset`: leave out the variable
    that it names; `cd`: go to the directory that it names; `read`: before and after the command, send the file that it names."""
    fd: int
    script: str


FRAMES = "frames"
"""In place of a descriptor for reports: send all there is to tell, output included, as frames through standard output."""


def supervised(program: str, report_fd: int | str, steps: Sequence[Step], command: Sequence[str]) -> list[str]:
    """The command line that runs `command` under the supervisor at `program`."""
    return [program, str(report_fd), *(part for s in steps for part in (s.when, str(s.fd), s.script)), "--", *command]


class Reports:
    """Takes reports out of the bytes of the supervisor's channel, in whatever pieces they arrive."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[Report]:
        data = self._rest + piece
        whole = len(data) - len(data) % _RECORD.size
        self._rest = data[whole:]
        return [Report(Event(kind), status) for kind, status in _RECORD.iter_unpack(data[:whole])]


class Content(Enum):
    """What a frame carries, beside reports."""

    STDOUT = ord("o")
    STDERR = ord("e")
    TREE = ord("t")
    """Written by an `out` script. An empty one ends each tree."""
    FILE = ord("m")
    """Of a file named by `read`. An empty one ends each file."""


class Frame(NamedTuple):
    content: Content
    data: bytes


class Frames:
    """Takes reports and frames out of the supervisor's one stream, in whatever pieces it arrives."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> list[Report | Frame]:
        self._rest += piece
        found: list[Report | Frame] = []
        at = 0
        while len(self._rest) - at >= _RECORD.size:
            kind, value = _RECORD.unpack_from(self._rest, at)
            begin = at + _RECORD.size
            if kind in _EVENTS:
                found.append(Report(Event(kind), value))
                at = begin
                continue
            if len(self._rest) - begin < value:
                break
            found.append(Frame(Content(kind), bytes(self._rest[begin : begin + value])))
            at = begin + value
        del self._rest[:at]
        return found


_EVENTS = frozenset(event.value for event in Event)
