"""What a user installs: the wheel, and what comes with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SUITE = "repoproof/suites/microservice-mini"
EXECUTABLE = 0o111


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(place)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = place.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, int]:
    """Path in the wheel -> permission bits."""
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin directory of a throwaway environment with the wheel in it. What it and the extras of its toolchains depend on is lent
    from ours, and nothing else: no package that asks or serves a model."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin" / "python"
    install = ["uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", str(python), str(wheel)]
    subprocess.run(install, check=True)
    (site,) = place.glob("lib/python*/site-packages")
    for package in needed("python", "node"):
        lend(distribution(package), site)
    return place / "bin"


NOT_INSTALLED = {"xllamacpp"}


def needed(*extras: str) -> set[str]:
    """All that comes with the package and its `extras` on this system: what they need, and what those need."""
    found: set[str] = set()
    ahead = [requirement for extra in ("", *extras) for requirement in applicable("repoproof", extra)]
    while ahead:
        if (name := canonicalize_name(ahead.pop().name)) not in found:
            found.add(name)
            # The runtime of local models is large, and needs nothing: it is not installed for tests.
            ahead += [] if name in NOT_INSTALLED else applicable(name)
    return found


def applicable(package: str, extra: str = "") -> list[Requirement]:
    every = map(Requirement, requires(package) or ())
    return [one for one in every if one.marker is None or one.marker.evaluate({"extra": extra})]


def lend(package: Distribution, site: Path) -> None:
    """Link what `package` has in our environment's folder of libraries into another's."""
    names = {file.parts[0] for file in package.files or () if ".." not in file.parts}
    for name in names - {"__pycache__"}:
        ours = Path(str(package.locate_file(name)))
        if not (site / name).exists() and ours.exists():
            (site / name).symlink_to(ours)


def repoproof(installed: Path, *words: object, cwd: Path) -> str:
    ran = run(installed, *words, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def run(installed: Path, *words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(installed / "repoproof"), *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def package_files() -> set[str]:
    listed = subprocess.run(["git", "ls-files", "src/repoproof"], cwd=ROOT, check=True, capture_output=True, text=True)
    return {line.removeprefix("src/") for line in listed.stdout.splitlines()}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what belongs to the package is what git knows")
def test_everything_of_the_package_is_in_the_wheel(contents: dict[str, int]) -> None:
    """What runs inside sandboxes and the template of a task are files that no import would miss."""
    assert package_files() - contents.keys() == set()


def test_the_licence_is_in_the_wheel(contents: dict[str, int]) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in contents)


def test_nothing_that_running_left_behind_is_in_the_wheel(contents: dict[str, int]) -> None:
    assert [name for name in contents if "__pycache__" in name or name.endswith(".pyc")] == []


def test_programs_stay_programs(contents: dict[str, int]) -> None:
    starts = [name for name in contents if name.endswith("/start.sh")]
    assert starts
    supervisors = [name for name in contents if "/supervise/supervise-" in name]
    assert supervisors
    assert [name for name in (*starts, *supervisors) if not contents[name] & EXECUTABLE] == []


def test_the_submissions_of_the_bundled_suite_are_whole(contents: dict[str, int]) -> None:
    """In a checkout `reference` is a link, and wheels have none."""

    def below(folder: str) -> set[str]:
        return {name.removeprefix(folder) for name in contents if name.startswith(folder)}

    reference = below(f"{SUITE}/submissions/reference/")
    assert reference and reference == below(f"{SUITE}/sealed/reference/")
    assert len({name.split("/")[0] for name in below(f"{SUITE}/submissions/mixed/")} - {"README.md"}) > 10


def test_an_installed_program_scores_its_bundled_suite(installed: Path, tmp_path: Path) -> None:
    """Loading it holds every digest, so that contents and executable bits came through as they were sealed."""
    where = "import repoproof.api as api; print(api.find_suite('microservice-mini'))"
    found = subprocess.run(
        [installed / "python", "-c", where], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    suite = Path(found.stdout.strip())
    assert suite.is_relative_to(installed.parent)
    repoproof(installed, "score", "microservice-mini", suite / "submissions" / "reference", "-o", "run", "--static-only", cwd=tmp_path)  # fmt: skip
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert (report["denominator"], report["strict"]["ac_static"]) == (9, 1.0)


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("network")
@pytest.mark.needs("node")
@pytest.mark.needs("java")
@pytest.mark.timeout(1500)
def test_an_installed_program_shows_its_demo(installed: Path, tmp_path: Path) -> None:
    assert "Pass@1 1.0000 over 9 tasks" in repoproof(installed, "demo", cwd=tmp_path)


def test_an_installed_program_has_a_task_to_start_from(installed: Path, tmp_path: Path) -> None:
    repoproof(installed, "new", "microservice", "my-task", cwd=tmp_path)
    assert json.loads((tmp_path / "my-task" / "task.json").read_text())["id"] == "my-task"


def test_fewer_than_15_packages_come_with_it() -> None:
    """All that are needed on any system, and what those need; without extras."""
    assert len(needed()) == 14


@pytest.mark.parametrize(
    ("file", "extras"),
    [("core.txt", ("python", "node")), ("dev.txt", ("python", "node", "models")), ("local.txt", ("models", "local"))],
)
def test_pins_cover_what_is_needed_and_lead_nowhere(file: str, extras: tuple[str, ...]) -> None:
    text = (ROOT / "requirements" / file).read_text()
    pinned = {canonicalize_name(line.split("==")[0]) for line in text.splitlines() if "==" in line}
    assert needed(*extras) <= pinned
    assert [line for line in text.splitlines() if "://" in line or line.startswith("-")] == []


def test_local_models_go_on_top_of_the_development_environment() -> None:
    """Installing local.txt after dev.txt adds packages and changes none."""

    def pins(file: str) -> set[str]:
        lines = (ROOT / "requirements" / file).read_text().splitlines()
        return {line.split(" ")[0] for line in lines if "==" in line}

    assert [pin for pin in pins("local.txt") - pins("dev.txt") if not pin.startswith("xllamacpp==")] == []


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("solve", "microservice-mini", "--model", "m", "--budget", "unlimited", "-o", "answers"), "models"),
        (("models", "check", "m"), "models"),
        (("models", "serve", "--gguf", "model.gguf"), "local"),
    ],
)
def test_what_takes_an_extra_says_in_one_line_which(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], extra: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    ran = run(installed, *words, cwd=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith("repoproof: ")
    assert ran.stderr.endswith(f"(pip install 'repoproof[{extra}]')\n")
    assert len(ran.stderr.splitlines()) == 1
    assert ran.stdout == ""


def test_importing_every_module_opens_no_connection_starts_no_process_and_takes_no_extra() -> None:
    script = """
import pkgutil, sys
def watch(event, args):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.bind", "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.system"}:
        sys.exit(f"{event} {args}")
sys.addaudithook(watch)
import repoproof
LEFT_OUT = (".inside", ".template", "__main__")
names = [m.name for m in pkgutil.walk_packages(repoproof.__path__, "repoproof.") if not any(part in m.name for part in LEFT_OUT)]
for name in names:
    __import__(name)
print(len(names), *(name for name in ("openai", "httpx", "httpx2", "xllamacpp") if name in sys.modules))
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert ran.returncode == 0, ran.stderr
    count, *optional = ran.stdout.split()
    assert int(count) > 60
    assert optional == []
