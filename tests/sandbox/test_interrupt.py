"""Interrupting a sandbox from another thread, on every backend."""

from __future__ import annotations

import threading

from repoproof.core.outcomes import Cause
from repoproof.sandbox import ExecResult, Limits, Sandbox, View

LIMITS = Limits(wall_seconds=60.0, disk_bytes=32 << 20)


def test_an_interrupt_ends_what_runs_and_what_comes_later(box: Sandbox) -> None:
    ended: list[ExecResult] = []
    # Whether the command is already running when the interrupt comes is left to chance: it ends either way.
    with box.start(["sleep", "600"], view=View(), limits=LIMITS) as service:
        waiting = threading.Thread(
            target=lambda: ended.append(box.run(["sleep", "600"], view=View(), limits=LIMITS)), daemon=True
        )
        waiting.start()
        box.interrupt()
        assert service.wait(60)
        assert service.stop().cause is Cause.KILLED
        waiting.join(60)
    assert [result.cause for result in ended] == [Cause.KILLED]
    assert box.run(["sleep", "600"], view=View(), limits=LIMITS).cause is Cause.KILLED
    box.interrupt()
