"""Requests that schemathesis makes up from an OpenAPI document: beside ours, where it is asked for. It runs in the sandbox, in an environment
of its own, and reaches no service: what it makes up becomes scenarios like all others."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ....core.base import Frozen
from ....core.errors import BadInput, Boundary
from ....sandbox.base import ReadOnly, Sandbox, View
from ....toolchains import Log, runner_environment
from ....toolchains.runner_lock import locked
from ..deploy import TEST_LIMITS
from ..workspace import ended
from .records import Json

REQUIREMENT = "schemathesis==4.32.5"
EXAMPLES = 25
"""Of each operation, valid and faulty ones each."""
SECONDS = 180.0
LONGEST = 300
"""Characters of a case that people read."""


class Case(Frozen):
    """A request to an endpoint, but for what its path names."""

    method: str
    path: str
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    body: Json = None
    faulty: bool

    @property
    def readable(self) -> bool:
        """Short, and of characters that a person can tell apart."""
        text = json.dumps([self.query, self.headers, self.body], ensure_ascii=False)
        return len(text) <= LONGEST and text.isascii() and text.isprintable() and "\\u" not in text


def generated(document: Json, box: Sandbox, runner: Path, work: Path, cache: Path, log: Log) -> tuple[Case, ...]:
    """The cases for a document that people can read, none twice."""
    lock = work / "schemathesis.txt"
    lock.write_text(locked([REQUIREMENT]), encoding="utf-8")
    environment = runner_environment(lock, box=box, cache=cache, log=log)
    ran = box.run(
        ["/env/bin/python", "-B", "/runner/record_schemathesis.py", str(EXAMPLES)],
        view=View(
            mounts=(*environment.mounts, ReadOnly(source=runner, target="/runner")), environment=environment.environment
        ),
        limits=TEST_LIMITS.model_copy(update={"wall_seconds": SECONDS}),
        stdin=json.dumps(document).encode(),
    )
    try:
        cases = TypeAdapter(tuple[Case, ...]).validate_json(ran.stdout)
    except ValidationError:
        said = ran.stderr[-300:].decode("utf-8", "replace")
        raise BadInput(f"schemathesis makes nothing of the OpenAPI document: it {ended(ran)}: {said}", boundary=Boundary.TASK) from None  # fmt: skip
    distinct = {one.model_dump_json(): one for one in cases if one.readable}
    return tuple(distinct.values())
