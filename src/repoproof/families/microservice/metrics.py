"""The family's headline numbers."""

from __future__ import annotations

from .. import Metric

METRICS = (
    Metric("pass_at_1", "Pass@1"),
    Metric("all_pass", "All pass", column=False),
    Metric("dsr", "DSR", stages=("installed", "started", "responds")),
    Metric("ac_static", "AC static", static=True),
    Metric("ac_live", "AC live"),
)
"""Pass@1: expected tests passed / expected tests. All pass: 1 if all of them. DSR: 1 if it was installed, started and responds.
AC: required endpoints that the code defines (static), that the running service has (live), / required endpoints."""
