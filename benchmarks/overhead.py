#!/usr/bin/env python3
"""What scoring costs beyond the work itself. Every figure is a ratio of two things measured in this one run.

Usage: overhead.py [--repeat N] [--verdicts N] [--task ID]... [--out FILE.json]

1. our wall / bare sum: scoring the references of the bundled suite (dependencies cached) over starting each, waiting for it, testing it
   and probing it without a sandbox or a record (aim <= 1.10); then of the Spring Boot reference alone, which takes longest to start;
2. second run / first run: the first of them with an empty cache, then again in a new run directory;
3. bookkeeping: CPU per verdict over 10,000 synthetic verdicts (aim < 1 ms);
4. bubblewrap / bare: starting `true`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bookkeeping import measure

import repoproof
from repoproof.core.paths import cache_root
from repoproof.families.microservice.coverage import required_endpoints
from repoproof.families.microservice.deploy import INSIDE_PYTHON
from repoproof.families.microservice.workspace import lay_out
from repoproof.sandbox import Limits, ReadOnly, View, open_sandbox
from repoproof.toolchains import Prepared, runner_environment, toolchain

ROOT = Path(__file__).resolve().parent.parent
SUITE = ROOT / "suites" / "microservice-mini"


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def paired(ours: Callable[[], object], theirs: Callable[[], object], repeat: int) -> dict[str, float]:
    """Both in turn, after one uncounted turn; the median of each and of the ratio pair by pair."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeat)]
    return {
        "ours_seconds": statistics.median(a for a, _ in pairs),
        "bare_seconds": statistics.median(b for _, b in pairs),
        "ratio": statistics.median(a / b for a, b in pairs),
        "ratio_min": min(a / b for a, b in pairs),
        "ratio_max": max(a / b for a, b in pairs),
    }


def on_host(value: str, prepared: Prepared, work: Path) -> str:
    """`value` with the sandbox's paths replaced by the host's."""
    for mount in prepared.mounts:
        if isinstance(mount, ReadOnly) and mount.target != "/app/node_modules":
            value = value.replace(mount.target, str(mount.source))
    return value.replace("/app", str(work))


def host_scripts(environment: str, prepared: Prepared, folder: Path) -> str:
    """PATH with the environment's scripts first, made to begin with the host's path of its interpreter."""
    scripts = folder / "bin"
    scripts.mkdir()
    for script in Path(on_host("/env/bin", prepared, folder)).glob("*"):
        if script.is_file() and script.read_bytes()[:2] == b"#!":
            (scripts / script.name).write_text(on_host(script.read_text(), prepared, folder))
            (scripts / script.name).chmod(0o755)
    return f"{scripts}:{environment}"


def bare_run(task, prepared: Prepared, tests_environment: Prepared) -> Callable[[], None]:
    """The same phases as scoring, one after the other, with nothing around them."""
    tree = prepared.tree or task.reference_path
    start = toolchain(task.language).start_command(tree, port=task.port, framework=task.framework)
    assert start is not None
    endpoints = json.dumps([{"method": e.method, "path": e.path} for e in required_endpoints(task)])

    def run() -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copytree(tree, folder / "work")
            for mount in prepared.mounts:
                if mount.target == "/app/node_modules" and isinstance(mount, ReadOnly):
                    (folder / "work" / "node_modules").symlink_to(mount.source)
            runner, tests, results = lay_out(folder, task.tests_path)
            environment = {k: on_host(v, prepared, folder / "work") for k, v in prepared.environment.items()}
            environment["PATH"] = host_scripts(environment.get("PATH", os.defpath), prepared, folder)
            service = subprocess.Popen(
                [on_host(part, prepared, folder / "work") for part in start.command],
                cwd=folder / "work",
                env={"NODE_PRESERVE_SYMLINKS": "1", "HOME": name, "PORT": str(task.port), "HOST": "127.0.0.1", **environment},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            try:
                step([*INSIDE_PYTHON, f"{runner}/await_service.py", str(task.port), "15", *task.health_paths, "/"])
                url = {"SERVICE_BASE_URL": f"http://127.0.0.1:{task.port}", "PATH": os.defpath}
                step([on_host("/env/bin/python", tests_environment, folder), "-B", f"{runner}/run_tests.py", str(tests), f"{results}/r.jsonl"], env=url)  # fmt: skip
                step([*INSIDE_PYTHON, f"{runner}/probe.py", str(task.port), "60"], input=endpoints.encode())
            finally:
                os.killpg(service.pid, 9)
                service.wait()

    return run


def step(command: list[str], **options) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)


def scored(tasks: Sequence[str], run: Path) -> None:
    report = repoproof.score(SUITE, SUITE / "submissions" / "reference", run, tasks=tasks, sandbox="bubblewrap")
    assert report.strict["pass_at_1"] == 1.0, report


def overhead(tasks: Sequence[str], repeat: int, folder: Path) -> dict[str, float]:
    suite, box = repoproof.load_suite(SUITE), open_sandbox("bubblewrap")
    tests_environment = runner_environment(None, box=box, cache=cache_root(), log=lambda *_: None)
    bare = []
    for task in map(suite.task, tasks):
        made = toolchain(task.language).prepare(task.reference_path, box=box, cache=cache_root(), log=lambda *_: None)
        bare.append(bare_run(task, made, tests_environment))
    runs = iter(range(10_000))
    return paired(lambda: scored(tasks, folder / f"run-{next(runs)}"), lambda: [run() for run in bare], repeat)


def second_over_first(task: str, folder: Path) -> dict[str, float]:
    cache = tempfile.mkdtemp(prefix="repoproof-bench-", dir="/var/tmp")
    Path(cache).chmod(0o755)
    before = os.environ.get("REPOPROOF_CACHE")
    os.environ["REPOPROOF_CACHE"] = cache
    try:
        first = seconds(lambda: scored([task], folder / "first"))
        second = seconds(lambda: scored([task], folder / "second"))
    finally:
        os.environ.pop("REPOPROOF_CACHE") if before is None else os.environ.update(REPOPROOF_CACHE=before)
        shutil.rmtree(cache, ignore_errors=True)
    return {"first_seconds": first, "second_seconds": second, "ratio": second / first}


def sandbox_start(repeat: int) -> dict[str, float]:
    box = open_sandbox("bubblewrap")
    return paired(
        lambda: box.run(["/bin/true"], view=View(), limits=Limits()), lambda: subprocess.run(["/bin/true"]), repeat * 5
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--verdicts", type=int, default=10_000)
    parser.add_argument("--task", dest="tasks", action="append", metavar="ID")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    framework_of = {task.id: task.framework for task in repoproof.load_suite(SUITE)}
    tasks = args.tasks or list(framework_of)
    spring = [task for task in tasks if framework_of[task] == "spring-boot"]
    with tempfile.TemporaryDirectory(prefix="overhead-") as name:
        folder = Path(name)
        figures = {
            "our wall / bare sum of phases": overhead(tasks, args.repeat, folder / "all"),
            **({"the same, Spring Boot alone": overhead(spring, args.repeat, folder / "spring")} if spring else {}),
            "second run / first run": second_over_first(tasks[0], folder),
            "bookkeeping": measure(args.verdicts),
            "bubblewrap / bare start": sandbox_start(args.repeat),
        }
    for name, values in figures.items():
        print(f"{name:32}", "  ".join(f"{key} {value:.4g}" for key, value in values.items()))
    if args.out:
        machine = {"cores": os.cpu_count(), "kernel": platform.release(), "python": platform.python_version()}
        said = {
            "command": " ".join(["benchmarks/overhead.py", *sys.argv[1:]]),
            "date": datetime.now(UTC).date().isoformat(),
        }
        args.out.write_text(json.dumps({**said, "machine": machine, "figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
