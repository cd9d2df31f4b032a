"""From declared requirements to an exact set of files with hashes: uv resolves, for one interpreter, and builds nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from datetime import date
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..core.base import Frozen
from ..core.errors import Boundary, InfrastructureError
from ..core.verdict import PhaseName
from .artifacts import Artifact
from .base import Log
from .clients import ClientResult, TooLong, answers, clean_directory, first_lines, run_client
from .fault import CandidateFault
from .interpreters import Interpreter, uv, uv_version
from .requirements import Declared, canonical

OLDEST_UV = (0, 7)
"""The first that writes standard lock files (PEP 751) with one compatible wheel a package."""


class Locked(Frozen):
    """One package of a lock."""

    name: str
    version: str
    wheels: tuple[Artifact, ...] = ()
    source: Artifact | None = None
    """The source archive, where there is no wheel for this interpreter."""


class Lock(Frozen):
    """An exact set of packages for one interpreter."""

    packages: tuple[Locked, ...] = ()

    @property
    def wheels(self) -> tuple[Artifact, ...]:
        return tuple(wheel for package in self.packages for wheel in package.wheels)

    @property
    def requirements(self) -> str:
        """As a requirements file with hashes."""
        return "".join(
            f"{package.name}=={package.version} {' '.join(f'--hash=sha256:{wheel.sha256}' for wheel in package.wheels)}\n"
            for package in self.packages
        )


class NeedsSource(Exception):
    """No solution with wheels only."""

    def __init__(self, names: list[str], fault: CandidateFault) -> None:
        self.names = names
        """Packages that have versions without a usable wheel, as uv lists them."""
        self.fault = fault
        """What to say if source archives do not help either."""


def resolve(
    declared: Declared,
    python: Interpreter,
    *,
    seconds: float,
    log: Log,
    exclude_newer: date | None = None,
    from_source: Collection[str] = (),
    built: Path | None = None,
) -> Lock:
    """The lock of `declared`. For packages `from_source`, source archives are locked, as if they had no dependencies; `built` is a
    directory of wheels that the index lacks. Raises `CandidateFault`, `NeedsSource`, `InfrastructureError`.
    """
    client = uv()
    _check_version(client)
    files = {
        "requirements.in": _lines(declared.requirements),
        "constraints.txt": _lines(declared.constraints),
        "uv.toml": "",
    }
    for name in from_source:
        # With its dependencies given here, uv has no reason to build a source archive in order to learn them.
        files["uv.toml"] += f'[[dependency-metadata]]\nname = "{name}"\nrequires-dist = []\n'
    with clean_directory(files) as place:
        command = [
            client,
            "pip",
            "compile",
            "requirements.in",
            "--constraints",
            "constraints.txt",
            "--format",
            "pylock.toml",
        ]
        command += ["--output-file", "pylock.toml", "--quiet", "--color", "never", "--no-python-downloads"]
        command += ["--python", python.outside, "--only-binary", ":all:", *_each("--no-binary", from_source)]
        command += ["--prerelease", "allow"] if declared.prereleases else []
        command += ["--exclude-newer", exclude_newer.isoformat()] if exclude_newer else []
        command += ["--find-links", built] if built else []
        try:
            ended = run_client(command, cwd=place, seconds=seconds)
        except TooLong as late:
            plain = [client, "pip", "install", "--dry-run", "--quiet", "--no-cache", "--no-deps", "--target", "nowhere"]
            if answers([*plain, "--python", python.outside, "pip"]):
                reason = f"resolving these requirements takes longer than {seconds:g} s, though the index answers"
                raise CandidateFault(PhaseName.FETCH, reason) from late
            raise
        log("fetch", ended.log)
        if not ended.ok:
            raise _why(ended)
        lock = _read((place / "pylock.toml").read_text())
    _hold_against_hashes(lock, declared)
    return lock


def _lines(requirements: Collection[str]) -> str:
    return "".join(f"{requirement}\n" for requirement in requirements)


def _each(option: str, values: Collection[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _check_version(client: Path) -> None:
    version = uv_version(client)
    if tuple(map(int, version.split(".")[:2])) < OLDEST_UV:
        oldest = ".".join(map(str, OLDEST_UV))
        problem = f"uv {version} is older than {oldest} (pip install --upgrade 'repoproof[python]')"
        raise InfrastructureError(problem, boundary=Boundary.TOOLCHAIN)


_NO_SOLUTION = re.compile(r"No solution found|Couldn't parse requirement|not a valid|Failed to parse", re.IGNORECASE)
_UNREACHABLE = re.compile(
    r"lack of valid authentication|could not be queried|network connectivity is disabled", re.IGNORECASE
)


def _why(ended: ClientResult) -> Exception:
    """Whose fault a failed resolution is. Only what uv says about the requirements themselves is the candidate's."""
    message = first_lines(ended.stderr)
    if _NO_SOLUTION.search(ended.stderr) is None or _UNREACHABLE.search(ended.stderr) is not None:
        return InfrastructureError(f"uv could not reach the package index: {message}", boundary=Boundary.TOOLCHAIN)
    fault = CandidateFault(
        PhaseName.FETCH, message.removeprefix("No solution found when resolving dependencies").strip()
    )
    names = re.findall(r"Wheels are required for `([\w.-]+)`", ended.stderr)
    return NeedsSource([canonical(name) for name in names], fault) if names else fault


def _read(content: str) -> Lock:
    packages: list[Locked] = []
    for package in tomllib.loads(content).get("packages", []):
        wheels = {wheel["hashes"]["sha256"]: _artifact(wheel) for wheel in reversed(package.get("wheels", []))}
        packages.append(
            Locked(
                name=package["name"],
                version=package["version"],
                wheels=tuple(wheels.values()),
                source=_artifact(package["sdist"]) if "sdist" in package and not wheels else None,
            )
        )
    return Lock(packages=tuple(sorted(packages, key=lambda package: package.name)))


def _artifact(entry: dict[str, object]) -> Artifact:
    url = str(entry["url"])
    return Artifact.model_validate(
        {
            "filename": str(entry.get("name") or unquote(urlsplit(url).path).rpartition("/")[2]),
            "url": url,
            "sha256": entry["hashes"]["sha256"],  # type: ignore[index]
            "size_bytes": entry.get("size"),
        }
    )


def _hold_against_hashes(lock: Lock, declared: Declared) -> None:
    for package in lock.packages:
        accepted = declared.hashes.get(package.name)
        files = {artifact.sha256 for artifact in (*package.wheels, package.source) if artifact is not None}
        if accepted is not None and not files & accepted:
            reason = f"no declared hash of {package.name} matches {package.name} {package.version} in the index"
            raise CandidateFault(PhaseName.FETCH, reason)
