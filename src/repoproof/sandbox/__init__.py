"""Running untrusted code: what a sandbox is, and the two that there are."""

from __future__ import annotations

from .base import ExecResult, Limits, Loopback, Mount, ReadOnly, Sandbox, Scratch, Service, Usage, View, Writable
from .opening import open_sandbox

__all__ = [
    "ExecResult",
    "Limits",
    "Loopback",
    "Mount",
    "ReadOnly",
    "Sandbox",
    "Scratch",
    "Service",
    "Usage",
    "View",
    "Writable",
    "open_sandbox",
]
