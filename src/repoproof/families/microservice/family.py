"""What the engine, the reports and the commands know of this family."""

from __future__ import annotations

from pathlib import Path

from ...completions.templates import Filled
from ...core.errors import BadInput
from ...core.health import Health
from ...core.submission import Submission
from ...core.task import Task
from ...core.verdict import Verdict
from ...toolchains import toolchain
from .. import Bench
from .adopt import adopt, scaffold
from .coverage import required_endpoints
from .leaks import assert_clean
from .metrics import METRICS
from .prompt import TEMPLATE, prompt, write_workspace
from .shell import shell
from .task import MicroserviceTask, SealedMicroservice
from .validate import validate
from .verify import verify


class Microservice:
    """README in, deployed service out."""

    name = "microservice"
    task_type = MicroserviceTask
    sealed_type = SealedMicroservice
    metrics = METRICS
    completions = False
    template = TEMPLATE

    def check(self, task: Task) -> None:
        assert isinstance(task, MicroserviceTask)
        toolchain(task.language)
        if not task.specification_path.is_file():
            raise BadInput(f"{task.specification} is not a file", field="specification", mend="put the README there")
        # A task that was published without a reference is taken as it is: `validate` says what is wrong with it.
        if task.sealed is not None and task.sealed.reference and not required_endpoints(task):
            raise BadInput(
                "no endpoint is declared and the README yields none",
                field="endpoints",
                mend="declare them, or write them as `GET /path` in the README",
            )
        if task.sealed is not None:
            for field, path in (("tests", task.tests_path), ("reference", task.reference_path)):
                if path is not None and not path.is_dir():
                    raise BadInput(f"{path.name} is not a directory", field=field, mend="put it under sealed/")

    def verify(self, task: MicroserviceTask, submission: Submission, bench: Bench) -> Verdict:
        return verify(task, submission, bench)

    def validate(self, task: MicroserviceTask, bench: Bench, *, repeat: int) -> Health:
        return validate(task, bench, repeat=repeat)

    def workspace(self, task: MicroserviceTask, destination: Path) -> None:
        write_workspace(task, destination)

    def assert_clean(self, workspace: Path, task: MicroserviceTask) -> None:
        assert_clean(workspace, task)

    def prompt(self, task: MicroserviceTask, workspace: Path) -> Filled:
        return prompt(task, workspace)

    def shell(self, task: MicroserviceTask, submission: Submission, bench: Bench) -> int:
        return shell(task, submission, bench)

    def scaffold(self, name: str, destination: Path) -> None:
        scaffold(name, destination)

    def adopt(self, source: Path, suite: Path) -> str:
        return adopt(source, suite)
