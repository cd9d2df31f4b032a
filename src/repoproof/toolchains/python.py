"""Python: requirements resolved and fetched by our uv, installed in the sandbox, started by convention."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from ..core.errors import Boundary, InfrastructureError
from ..core.verdict import Phase
from ..sandbox.base import Sandbox
from .base import Log, Prepared, StartCommand, TimeLeft
from .fault import CandidateFault
from .interpreters import python
from .phases import Record
from .python_cache import LIMITS, Environments, bundled, trusted_environment
from .python_environment import LENT, environment_variables
from .python_start import start_command
from .requirements import Declared, declared, package_of
from .store import Store


class PythonToolchain:
    """`Toolchain` of Python. A project is made importable by PYTHONPATH (its root, and `src` if there is one), not by building it:
    no build hook of its own has any part in how it is scored.
    """

    language = "python"
    limits = LIMITS

    def __init__(self, beside: tuple[str, ...] = ()) -> None:
        self.beside = beside
        """Packages to have as well, in whatever version goes with what is declared."""

    def prepare(
        self,
        tree: Path,
        *,
        box: Sandbox,
        cache: Path,
        log: Log,
        fresh: bool = False,
        exclude_newer: date | None = None,
        time: TimeLeft | None = None,
    ) -> Prepared:
        store = Store(cache)
        interpreter = python(store)
        record = Record()
        try:
            wanted = _with(self.beside, declared(tree))
            environments = Environments(
                store, interpreter, box, log, fresh, exclude_newer, time or TimeLeft(LIMITS.task)
            )
            prepared = environments.prepared(_with_pip(wanted), record)
        except CandidateFault as fault:
            phases = record.phases or [Phase(name=fault.phase, ok=False, reason=fault.reason)]
            return Prepared(ok=False, phases=tuple(phases), versions={"python": interpreter.version})
        importable = ("/app", *(("/app/src",) if (tree / "src").is_dir() else ())) if wanted.project else ()
        return prepared.model_copy(update={"environment": environment_variables(interpreter, (*importable, LENT))})

    def start_command(self, tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
        return start_command(tree, port=port, framework=framework)


def runner_environment(requirements: Path | None, box: Sandbox, cache: Path, log: Log) -> Prepared:
    """A trusted environment for golden tests: the task's own hash-locked `requirements`, or the bundled pytest, requests and httpx."""
    store = Store(cache)
    try:
        content = requirements.read_text(encoding="utf-8") if requirements else bundled("runner-requirements.txt")
        return trusted_environment(content, python(store), store=store, box=box, log=log)
    except CandidateFault as fault:
        whose = Boundary.TASK if requirements else Boundary.TOOLCHAIN
        problem = f"the environment of the tests could not be made: {fault.reason}"
        raise InfrastructureError(problem, boundary=whose) from fault


def _with(packages: tuple[str, ...], wanted: Declared) -> Declared:
    """With `packages` beside what is wanted, as far as they are not among that."""
    named = {package_of(line) for line in wanted.requirements}
    added = tuple(name for name in packages if name not in named)
    return wanted.model_copy(update={"requirements": (*wanted.requirements, *added)})


def _with_pip(wanted: Declared) -> Declared:
    """With pip beside what is wanted: a start script that begins with `pip install -r requirements.txt` finds all of it there."""
    if not wanted.requirements or any(
        line.split(" ")[0].startswith("pip=") or line == "pip" for line in wanted.requirements
    ):
        return wanted
    return wanted.model_copy(update={"requirements": (*wanted.requirements, "pip")})
