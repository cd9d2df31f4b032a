"""Our npm, outside the sandbox: it resolves and downloads; no script of any package is run and no repository is cloned."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from ..core.base import GiB
from ..core.errors import Boundary, InfrastructureError
from ..core.verdict import PhaseName
from .base import Log
from .clients import ClientResult, TooLong, TooMuch, answers, clean_directory, run_client
from .fault import CandidateFault, Refused
from .interpreters import Node

MOST_BYTES = 2 * GiB
"""Of packages to download for one submission, and of what they unpack to."""

QUIET = (
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--no-progress",
    "--color=false",
    "--loglevel=error",
)

# A package on the registry may depend on a repository or an address: with no git to call, it cannot make npm fetch one.
_TRUSTED = (
    *QUIET,
    "--git=/nonexistent/git",
    "--omit-lockfile-registry-resolved",
    "--package-lock=true",
    "--legacy-peer-deps=false",
)

_CANDIDATES = {
    "E404", "ETARGET", "ERESOLVE", "EINTEGRITY", "EINVALIDTAGNAME", "EINVALIDPACKAGENAME", "EUNSUPPORTEDPROTOCOL", "EBADPLATFORM",
    "EBADENGINE", "ENOVERSIONS", "EUSAGE", "EOVERRIDE", "EJSONPARSE", "EALLOWGIT",
}  # fmt: skip
"""npm's error codes that speak of what was asked for; all others speak of the registry, the network or this machine."""


def locked(
    package: str, lock: str, node: Node, *, cache: Path, seconds: float, log: Log, exclude_newer: date | None
) -> str:
    """The complete package-lock.json of sanitised files. Raises `CandidateFault` or `InfrastructureError`."""
    files = {"package.json": package, **({"package-lock.json": lock} if lock else {})}
    with clean_directory(files) as place:
        command = [*node.npm_outside, "install", "--package-lock-only", *_TRUSTED, "--cache", cache]
        command += [f"--before={exclude_newer.isoformat()}"] if exclude_newer else []
        try:
            ended = _bounded(command, place, cache, seconds)
        except TooLong as late:
            if answers(
                [*node.npm_outside, "view", "npm", "version", *_TRUSTED, "--cache", cache / "asked", "--prefer-online"]
            ):
                reason = f"resolving these dependencies takes longer than {seconds:g} s, though the registry answers"
                raise CandidateFault(PhaseName.FETCH, reason) from late
            raise
        log("fetch", ended.log)
        if not ended.ok:
            raise _why(ended)
        content = (place / "package-lock.json").read_text(encoding="utf-8")
    for name, entry in json.loads(content)["packages"].items():
        if entry.get("link") or not re.match(r"|https?://", str(entry.get("resolved", ""))):
            raise Refused(f"package-lock.json: {name}: only packages from the registry are supported")
    return content


def download(package: str, lock: str, node: Node, *, cache: Path, seconds: float, log: Log) -> None:
    """Fill the new npm cache `cache` with every package of `lock`."""
    with clean_directory({"package.json": package, "package-lock.json": lock}) as place:
        ended = _bounded([*node.npm_outside, "ci", *_TRUSTED, "--cache", cache], place, cache, seconds)
        log("fetch", ended.log)
    if not ended.ok:
        raise _why(ended)


def _bounded(command: Sequence[str | Path], place: Path, cache: Path, seconds: float) -> ClientResult:
    try:
        return run_client(command, cwd=place, seconds=seconds, most_bytes={cache: MOST_BYTES, place: MOST_BYTES})
    except TooMuch as much:
        reason = f"npm: the dependencies come to {much}, as they are downloaded or unpacked"
        raise CandidateFault(PhaseName.FETCH, reason) from None


def registries(node: Node) -> dict[str, str]:
    """The registry and those of scopes, as the user's settings have them: npm's cache is keyed by their addresses."""
    with clean_directory({"package.json": "{}"}) as place:
        ended = run_client([*node.npm_outside, "config", "list", "--json"], cwd=place, seconds=60)
    if not ended.ok:
        raise _why(ended)
    settings = json.loads(ended.stdout)
    return {name: value for name, value in settings.items() if name == "registry" or name.endswith(":registry")}


def npm_problem(output: str) -> tuple[str, str]:
    """The error code that npm gave, and its own words in one line."""
    code = re.search(r"^npm (?:error|ERR!) code (\S+)", output, re.MULTILINE)
    lines = [
        re.sub(r"^npm (?:error|ERR!)\s*", "", line).strip()
        for line in output.splitlines()
        if re.match(r"npm (?:error|ERR!)", line)
    ]
    telling = [
        line
        for line in lines
        if line and not re.match(r"code |A complete log|at |syscall |errno |path |\S+ stack", line)
    ]
    return (code[1] if code else ""), re.sub(r"://[^/@\s]+@", "://", " ".join(telling[:4]))[:400]


def _why(ended: ClientResult) -> Exception:
    code, message = npm_problem(ended.stderr)
    if code in _CANDIDATES:
        return CandidateFault(PhaseName.FETCH, f"npm: {code}: {message}")
    if "/nonexistent/git" in ended.stderr:
        return Refused("npm: a dependency is in a repository: only packages from the registry are supported")
    return InfrastructureError(f"npm could not fetch: {code} {message}", boundary=Boundary.TOOLCHAIN)
