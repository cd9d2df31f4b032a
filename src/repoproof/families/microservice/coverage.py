"""API coverage: which required endpoints the code defines (static), and which the running service has (live)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...analysis.endpoints import Endpoint, Route, coverage
from ...analysis.openapi import endpoints_of
from ...analysis.readme import extract_endpoints
from ...core.verdict import PhaseName
from ...sandbox.base import ExecResult, Loopback, ReadOnly, Sandbox, View
from .deploy import INSIDE_PYTHON, TEST_LIMITS
from .task import MicroserviceTask
from .workspace import Record, ended

PROBE_SECONDS = 60.0


def required_endpoints(task: MicroserviceTask) -> tuple[Endpoint, ...]:
    """What the service must have: as declared, or else as its specification says."""
    return task.endpoints or endpoints_in(task.specification_path.read_text(encoding="utf-8"))


def endpoints_in(specification: str) -> tuple[Endpoint, ...]:
    return tuple(Endpoint(method=found.method, path=found.path) for found in extract_endpoints(specification))


@dataclass
class Coverage:
    """Both coverages of one submission, endpoint by endpoint."""

    required: tuple[Endpoint, ...]
    """Each once, however often it was declared."""
    static: dict[Endpoint, Route | None]
    live: dict[Endpoint, tuple[bool, str]] | None = None
    """Found, and why; None where the service was never probed."""
    documented: tuple[Endpoint, ...] = field(default=())
    """What its OpenAPI document lists: evidence only."""

    @property
    def static_share(self) -> float:
        return sum(route is not None for route in self.static.values()) / max(1, len(self.required))

    @property
    def live_share(self) -> float:
        return sum(found for found, _ in (self.live or {}).values()) / max(1, len(self.required))

    def evidence(self) -> list[dict[str, object]]:
        """One record an endpoint, for the verdict."""
        documented = coverage(self.required, [as_route(endpoint) for endpoint in self.documented])
        return [
            {
                "endpoint": str(endpoint),
                "static": route is not None,
                "at": f"{route.file}:{route.line}" if route else "",
                "framework": route.framework if route else "",
                "live": (self.live or {}).get(endpoint, (False, ""))[0],
                "why": (self.live or {}).get(endpoint, (False, "not probed"))[1],
                "documented": documented.get(endpoint) is not None,
            }
            for endpoint, route in self.static.items()
        ]


def as_route(endpoint: Endpoint) -> Route:
    """An endpoint of a document, comparable with what code defines."""
    return Route(method=endpoint.method, path=endpoint.path, file="openapi.json", line=1, framework="openapi")


def static_coverage(required: Iterable[Endpoint], routes: Iterable[Route]) -> Coverage:
    """Which endpoints the code defines, by its routes."""
    static = coverage(required, routes)
    return Coverage(required=tuple(static), static=static)


def probe(
    found: Coverage, task: MicroserviceTask, box: Sandbox, loopback: Loopback, runner: Path, record: Record
) -> ExecResult:
    """Ask the running service for each required endpoint; fills `live` and `documented`."""
    asked = box.run(
        [*INSIDE_PYTHON, "/runner/probe.py", str(task.port), str(PROBE_SECONDS)],
        view=View(mounts=(ReadOnly(source=runner, target="/runner"),)),
        limits=TEST_LIMITS.model_copy(update={"wall_seconds": PROBE_SECONDS + 30}),
        stdin=json.dumps([{"method": e.method, "path": e.path} for e in found.required]).encode(),
        loopback=loopback,
    )
    record.log_output("probe", asked)
    if not asked.ok:
        found.live = {endpoint: (False, f"the probe {ended(asked)}") for endpoint in found.required}
        return asked
    try:
        answer = json.loads(asked.stdout)
    except RecursionError:  # the document is the service's
        found.live = dict.fromkeys(found.required, (False, "its OpenAPI document is nested without end"))
        return asked
    found.live = {
        endpoint: (said["found"], said["why"])
        for endpoint, said in zip(found.required, answer["endpoints"], strict=True)
    }
    if answer["openapi"] is not None:
        found.documented = endpoints_of(answer["openapi"])
    return asked


def note_probe(asked: ExecResult, record: Record) -> None:
    reason = "" if asked.ok else f"the probe {ended(asked)}"
    record.phase(PhaseName.PROBE, asked, ok=asked.ok, limit_seconds=PROBE_SECONDS, reason=reason)
