"""Where the reference runs and is asked: deployed afresh, in the sandbox, like any submission, for its code is as little trusted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ....core.base import MiB
from ....core.errors import BadInput, Boundary
from ....sandbox.base import Loopback, ReadOnly, Sandbox, View
from ....toolchains import Prepared, StartCommand, TimeLeft, toolchain
from ..deploy import INSIDE_PYTHON, TEST_LIMITS, Startable, deployed, installed
from ..task import MicroserviceTask
from ..workspace import Record, ended
from .causes import does_not_respond, not_installed
from .records import Json, Played, Scenario

PLAY_SECONDS = 240.0
"""Of one batch of scenarios."""
LETTERS = "bcdfghjkmnpqrstvwxz"


@dataclass
class Live:
    """A deployment that answers."""

    task: MicroserviceTask
    box: Sandbox
    loopback: Loopback
    runner: Path
    salt: str
    """Makes the unique words of this deployment differ from those of others."""
    played: int = 0
    """Scenarios so far."""

    def play(self, scenarios: Sequence[Scenario]) -> list[Played]:
        """Carry them out, in this order."""
        return self._asked(scenarios)[0] if scenarios else []

    def document(self) -> Json:
        """The OpenAPI document that the service serves, or None."""
        return self._asked((), document=True)[1]

    def _asked(self, scenarios: Sequence[Scenario], *, document: bool = False) -> tuple[list[Played], Json]:
        words = [unique(f"{self.salt}:{self.played + number}") for number in range(len(scenarios))]
        self.played += len(scenarios)
        steps = [[step.model_dump(exclude={"endpoint"}) for step in scenario.steps] for scenario in scenarios]
        asked = [
            {"unique": word, "digits": digits(word), "steps": step} for word, step in zip(words, steps, strict=True)
        ]
        ran = self.box.run(
            [*INSIDE_PYTHON, "/runner/record.py", str(self.task.port), str(PLAY_SECONDS)],
            view=View(mounts=(ReadOnly(source=self.runner, target="/runner"),)),
            limits=TEST_LIMITS.model_copy(update={"wall_seconds": PLAY_SECONDS + 60, "output_bytes": 256 * MiB}),
            stdin=json.dumps({"scenarios": asked, "document": document}).encode(),
            loopback=self.loopback,
        )
        try:
            answer = json.loads(ran.stdout)
            played = [
                Played.model_validate({"unique": word, "digits": digits(word), "exchanges": exchanges})
                for word, exchanges in zip(words, answer["played"], strict=True)
            ]
        except (ValueError, RecursionError, ValidationError):
            said = ran.stderr[-300:].decode("utf-8", "replace")
            raise BadInput(f"what the reference answers cannot be recorded: the recorder {ended(ran)}: {said}", boundary=Boundary.TASK) from None  # fmt: skip
        return played, answer["openapi"]


def unique(seed: str) -> str:
    """Ten letters, drawn by `seed`, that make no word and read as no number."""
    return "".join(LETTERS[byte % len(LETTERS)] for byte in hashlib.sha256(seed.encode()).digest()[:10])


def digits(word: str) -> str:
    """A unique word as digits; the emitted tests do the same."""
    return "".join(str(ord(letter) % 10) for letter in word)


@dataclass(frozen=True)
class Stage:
    """A service that is installed and can be deployed any number of times."""

    it: Startable

    @contextmanager
    def live(self, salt: str, variables: Mapping[str, str] | None = None) -> Iterator[Live]:
        """A fresh deployment; `BadInput` where it does not respond."""
        limits = toolchain(self.it.task.language).limits
        with deployed(
            self.it, TimeLeft(limits.task), limit_seconds=limits.start, variables=variables, log=f"service-{salt}"
        ) as deployment:
            if not deployment.responds:
                raise does_not_respond(deployment, self.it.start, self.it.tree, self.it.task.port)
            yield Live(self.it.task, self.it.box, deployment.loopback, self.it.runner, salt)


def staged(task: MicroserviceTask, tree: Path, box: Sandbox, record: Record, runner: Path) -> Stage:
    """The service in `tree`, installed; `BadInput` where that fails, or where nothing says how to start it."""
    prepared = installed(task, tree, box, record)
    return Stage(Startable(task, tree, prepared, start_of(task, tree, prepared), box, record, runner))


def start_of(task: MicroserviceTask, tree: Path, prepared: Prepared) -> StartCommand:
    if not prepared.ok:
        raise not_installed(prepared.phases[-1], tree)
    start = toolchain(task.language).start_command(prepared.tree or tree, port=task.port, framework=task.framework)
    if start is None:
        raise BadInput("nothing says how to start the reference", file=tree, mend="add a start.sh", boundary=Boundary.TASK)  # fmt: skip
    return start
