"""Why a reference does not run, in its own last words, and what mends it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ....core.errors import BadInput, Boundary
from ....core.verdict import Phase, PhaseName
from ....toolchains import StartCommand
from ..deploy import Deployment
from ..golden import printable

DECLARATIONS = ("requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "package.json", "pom.xml", "build.gradle", "build.gradle.kts")  # fmt: skip
"""Files that say what a service needs, the likeliest of each language first."""
LONGEST = 200
"""Characters of what it said."""

_ERROR = re.compile(r"(?:Caused by: |Exception in thread \S+ |Uncaught )?[\w.$]*(?:Error|Exception)\b(?: \[\w+\])?(?::|$)")  # fmt: skip
_SPEAKS_OF_ONE = re.compile(r"\berror\b|\bfail|\bcannot\b|not found|\bno such\b|\bdenied\b|\bfatal\b", re.IGNORECASE)
_NOISE = re.compile(r"npm (ERR!|error)|Node\.js v|at .*:\d+|\[\d{4}-.*\] \[INFO\]")
_PLACE = re.compile(r'File "/app/([^"]+)", line (\d+)')
_LISTENS = re.compile(r"(?:listen|running|serving|started|ready|bound|port|://).*?(?::|port\D{0,3}|\s)(\d{4,5})\b", re.IGNORECASE)  # fmt: skip


def does_not_respond(deployment: Deployment, start: StartCommand, tree: Path, port: int) -> BadInput:
    """What became of a service that was started and does not answer; it is ended."""
    code = deployment.service.command_exit
    ended = deployment.service.stop()
    said = last_words(ended.stderr, ended.stdout)
    if code is None:
        other = next((found for found in ports_in(ended.stdout, ended.stderr) if found != port), None)
        faults = re.search(r"GET (\S+): 5\d\d", deployment.reason)
        mend = f"see to it that GET {faults[1]} is answered with less than 500" if faults else f"it seems to listen on {other}: say --port {other}" if other else "say where it listens with --port"  # fmt: skip
        problem = "; it said: ".join(filter(None, (deployment.reason, said if faults else "")))
    else:
        how = f"exited with {code}" if code >= 0 else f"was ended by signal {-code}"
        mend = mend_of(said, tree, f"it was started by {start.source} in a fresh copy of the folder: make that work")
        problem = f"its start command {how}: {said or 'it said nothing'}"
    return BadInput(f"the reference does not respond: {problem}", file=tree, mend=mend, boundary=Boundary.TASK)


def not_installed(failed: Phase, tree: Path) -> BadInput:
    """What became of a service whose dependencies cannot be had, or that cannot be built."""
    declared = _declared(tree)
    by_phase = {PhaseName.FETCH: f"mend its {declared}", PhaseName.INSTALL: f"mend its {declared}", PhaseName.BUILD: "it has to build in a fresh copy of its folder, without a network"}  # fmt: skip
    mend = by_phase.get(failed.name) if declared or failed.name is PhaseName.BUILD else None
    return BadInput(f"the reference cannot be installed: {failed.name}: {failed.reason}", file=tree, mend=mend, boundary=Boundary.TASK)  # fmt: skip


def mend_of(said: str, tree: Path, otherwise: str) -> str:
    """What helps against what a service said when it ended."""
    declared = _declared(tree)
    if module := re.search(r"No module named '?([\w.]+)", said):
        own = module[1].partition(".")[0]
        if any((tree / place / name).exists() for place in (".", "src") for name in (own, f"{own}.py")):
            return f"`{own}` is in the folder: have a start.sh that starts where Python finds it"
        return f"declare what provides `{own}` in its {declared or 'requirements.txt'}"
    if module := re.search(r"Cannot find (?:module|package) '([^']+)'", said):
        is_file = module[1].startswith((".", "/"))
        return "that file is not in the folder" if is_file else f"declare `{module[1]}` in its package.json"
    if re.search(r"KeyError: '[A-Z][A-Z0-9_]+'|environment variable", said):
        return "it is given no variables but PORT and HOST: let it do without, or set them in a start.sh"
    if re.search(r"ECONNREFUSED|Connection refused|OperationalError|getaddrinfo|could not connect|Name or service not known", said, re.IGNORECASE):  # fmt: skip
        return "it has to run alone: there is no database beside it, and no network"
    return otherwise


def last_words(*outputs: bytes) -> str:
    """The line that says what went wrong, with file and line where it tells, from the first output that is not empty; empty for none."""
    for output in outputs:
        text = printable(output[-64_000:].decode("utf-8", "replace"))
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        telling = [line for line in lines if not _NOISE.match(line)]
        for candidates in ([line for line in telling if _ERROR.match(line)], [line for line in telling if _SPEAKS_OF_ONE.search(line)], telling, lines):  # fmt: skip
            if candidates:
                places = _PLACE.findall(text)
                place = f"{places[-1][0]}:{places[-1][1]}: " if places and _ERROR.match(candidates[-1]) else ""
                return f"{place}{candidates[-1]}"[:LONGEST]
    return ""


def ports_in(*outputs: bytes) -> Iterator[int]:
    """Where a service says that it listens."""
    for output in outputs:
        for line in output[-64_000:].decode("utf-8", "replace").splitlines():
            if (match := _LISTENS.search(line)) and 1024 <= int(match[1]) <= 65535:
                yield int(match[1])


def _declared(tree: Path) -> str:
    return next((name for name in DECLARATIONS if (tree / name).is_file()), "")


@contextmanager
def named_as_given(copy: Path, given: Path | str) -> Iterator[None]:
    """What is wrong in `copy`, which nobody but us knows, is said of `given`."""
    try:
        yield
    except BadInput as error:
        if not (error.file or "").startswith(str(copy)) and str(copy) not in error.problem:
            raise
        raise BadInput(
            error.problem.replace(str(copy), str(given)),
            file=error.file and error.file.replace(str(copy), str(given), 1),
            line=error.line,
            subject=error.subject,
            field=error.field,
            mend=error.mend,
            boundary=error.boundary,
        ) from None
