"""A shell where a submission's service would run."""

from __future__ import annotations

from ...core.submission import Submission
from ...core.submissions import copy_tree
from ...toolchains import toolchain
from .. import Bench
from .deploy import SERVICE_LIMITS, installed, service_view
from .task import MicroserviceTask
from .workspace import Record, work_folder

SECONDS = 8 * 3600.0
"""A person looks around for longer than a service runs."""

WELCOME = 'printf "%s\\n" "$1"; PS1="$2" exec bash --norc -i'


def shell(task: MicroserviceTask, submission: Submission, bench: Bench) -> int:
    """Install the submission as `verify` does, then a shell in its writable copy at /app, alone on a loopback; the shell's exit code."""
    assert bench.box is not None
    with work_folder(bench) as folder:
        tree = folder / "tree"
        copy_tree(submission, tree)
        language = toolchain(task.language)
        prepared = installed(task, tree, bench.box, Record(bench))
        start = language.start_command(prepared.tree or tree, port=task.port, framework=task.framework)
        lines = [
            f"{task.id}, attempt {submission.attempt}: its copy is /app, its port is $PORT; nothing that you change is kept."
        ]
        if not prepared.ok:
            lines.append(f"Not installed: {prepared.phases[-1].name}: {prepared.phases[-1].reason}")
        lines.append(
            f"It is started by: {' '.join(start.command)} (found by {start.source})"
            if start
            else "Nothing says how to start it."
        )
        return bench.box.shell(
            ["bash", "-c", WELCOME, "bash", "\n".join(lines), f"{task.id}$ "],
            view=service_view(prepared.tree or tree, prepared, task, {}),
            limits=SERVICE_LIMITS.model_copy(update={"wall_seconds": SECONDS}),
        )
