"""What a Python tree says it needs, read as data: nothing of the candidate's is run, and nothing it says steers our clients."""

from __future__ import annotations

import posixpath
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.base import Frozen, MiB
from .fault import Refused
from .reading import inside, text


class Declared(Frozen):
    """The dependencies that a tree declares, sanitised: names, versions, extras, markers, nothing else."""

    source: str = ""
    """The files they were read from; empty where nothing is declared."""
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    hashes: Mapping[str, frozenset[str]] = {}
    """Accepted SHA-256 digests by package, for packages that have any declared."""
    prereleases: bool = False
    project: bool = False
    """Whether the tree is itself a project to be importable."""
    notes: tuple[str, ...] = ()
    """What was seen and not followed."""


FILES = (
    "requirements.txt",
    "requirements/production.txt",
    "requirements/prod.txt",
    "requirements/base.txt",
    "requirements-prod.txt",
    "requirements/requirements.txt",
    "requirements.in",
)
"""Where requirements are looked for, best first; then any other `requirements*.txt` that is not for development."""

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_CLAUSE = r"(?:===|~=|==|!=|<=|>=|<|>)\s*[A-Za-z0-9_.*+!-]+"
_REQUIREMENT = re.compile(
    rf"(?P<name>{_NAME})\s*(?:\[(?P<extras>[A-Za-z0-9_.,\s-]*)\])?\s*"
    rf"(?:\(\s*)?(?P<specifier>(?:{_CLAUSE}(?:\s*,\s*{_CLAUSE})*\s*,?)?)\s*\)?\s*"
    r"(?:;\s*(?P<marker>[\w\s.'\"()<>=!~+*/,-]+))?"
)
_INDEX_OPTIONS = {
    "-i",
    "--index-url",
    "--extra-index-url",
    "--pypi-url",
    "-f",
    "--find-links",
    "--no-index",
    "--trusted-host",
}
_HARMLESS_OPTIONS = {
    "--prefer-binary",
    "--require-hashes",
    "--use-pep517",
    "--no-binary",
    "--only-binary",
    "--use-feature",
}
_MAX_LINES = 5_000
_MAX_LENGTH = 1_000
"""Characters of one requirement, without its hashes: beyond, matching it could take for ever."""
_MAX_DOTS = 1_000
"""In one line of TOML: reading a dotted key takes time with the square of its length."""
_MAX_INCLUDES = 20
"""Files that include one another in a row."""
_DEVELOPMENT = re.compile(r"dev|test|lint|doc|ci\b", re.IGNORECASE)


def canonical(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement(line: str, where: str) -> str:
    """One dependency, in one canonical line; raises `Refused` naming `where` if it is not a plain one."""
    line = " ".join(line.split())  # a run of spaces can be divided in many ways, and a matcher tries all of them
    if len(line) > _MAX_LENGTH:
        raise Refused(f"{where}: not a requirement: {line[:120]}")
    if "${" in line:
        raise Refused(f"{where}: environment variables are not expanded: {line}")
    match = _REQUIREMENT.fullmatch(line)
    if match is None:
        raise Refused(f"{where}: {_why_refused(line)}")
    extras = ",".join(sorted(extra.strip() for extra in (match["extras"] or "").split(",") if extra.strip()))
    specifier = re.sub(r"\s+", "", match["specifier"]).rstrip(",")
    marker = " ".join((match["marker"] or "").split())
    return f"{canonical(match['name'])}{f'[{extras}]' if extras else ''}{specifier}{f' ; {marker}' if marker else ''}"


def package_of(requirement: str) -> str:
    """The package that a canonical line names."""
    return re.split(r"[\[<>=!~ ;]", requirement)[0]


def declared(tree: Path) -> Declared:
    """What `tree` declares: `uv.lock` or another lock with its pyproject, else a requirements file, else pyproject.

    `setup.py` is never run, `Pipfile` is not read: a note says so where nothing else declares anything.
    """
    project = _pyproject(tree)
    for lock in ("uv.lock", "poetry.lock"):
        if (
            project is not None
            and inside(tree, lock) is not None
            and (found := _project_requirements(project)) is not None
        ):
            return _Reading(tree).project(found, f"pyproject.toml, {lock}").pins(lock).result(project=True)
    for name in _requirement_files(tree):
        return _Reading(tree).file(name).result(project=_is_project(project))
    if project is not None and (found := _project_requirements(project)) is not None:
        return _Reading(tree).project(found, "pyproject.toml").result(project=True)
    unread = [name for name in ("setup.py", "setup.cfg", "Pipfile", "environment.yml") if inside(tree, name)]
    notes = tuple(f"{name} is not read: declare dependencies in requirements.txt or pyproject.toml" for name in unread)
    return Declared(project=_is_project(project), notes=notes)


def plain_requirements(content: str) -> Declared:
    """A requirements file of ours, without includes."""
    reading = _Reading(Path("/nonexistent"))
    reading.lines_of(content, "requirements.txt", constraint=False, trail=())
    return reading.result(project=False)


class _Reading:
    """The declarations of one tree while they are being read."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.requirements: list[str] = []
        self.constraints: list[str] = []
        self.hashes: dict[str, set[str]] = {}
        self.notes: list[str] = []
        self.sources: list[str] = []
        self.prereleases = False
        self.is_project = False
        self.lines = 0
        self.read: set[tuple[str, bool]] = set()

    def result(self, *, project: bool) -> Declared:
        return Declared(
            source=", ".join(self.sources),
            requirements=tuple(dict.fromkeys(self.requirements)),
            constraints=tuple(dict.fromkeys(self.constraints)),
            hashes={name: frozenset(digests) for name, digests in sorted(self.hashes.items())},
            prereleases=self.prereleases,
            project=project or self.is_project,
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def file(self, name: str, *, constraint: bool = False, trail: tuple[str, ...] = ()) -> _Reading:
        """Read a requirements file and those it includes, each once."""
        if (name, constraint) in self.read:
            return self
        self.read.add((name, constraint))
        if len(trail) > _MAX_INCLUDES:
            raise Refused(f"{trail[-1]}: more than {_MAX_INCLUDES} files include one another")
        if name.startswith(("../", "/")) or name == "..":
            raise Refused(f"{trail[-1] if trail else name}: {name} lies outside the submission")
        content = text(self.tree, name, limit=MiB)
        if content is None:
            raise Refused(f"{trail[-1] if trail else 'submission'}: {name} does not exist inside the submission")
        self.lines_of(content, name, constraint=constraint, trail=trail)
        return self

    def lines_of(self, content: str, name: str, *, constraint: bool, trail: tuple[str, ...]) -> None:
        self.sources.append(name)
        for number, line in _logical_lines(content):
            self.lines += 1
            if self.lines > _MAX_LINES:
                raise Refused(f"{name}:{number}: more than {_MAX_LINES} requirements")
            self._line(line, f"{name}:{number}", constraint, (*trail, name))

    def project(self, requirements: list[str], source: str) -> _Reading:
        self.sources.append(source)
        self.requirements += requirements
        return self

    def pins(self, lock: str) -> _Reading:
        """Take the versions of a lock file as constraints; its addresses are not used, so that our own index is."""
        versions: dict[str, set[str]] = {}
        for package in _locked(toml(self.tree, lock), lock):
            source = _table(package, "source")
            if "registry" in source or (lock == "poetry.lock" and source.get("type", "legacy") == "legacy"):
                versions.setdefault(canonical(str(package["name"])), set()).add(str(package["version"]))
        for name, known in sorted(versions.items()):
            if len(known) == 1:
                self.constraints.append(requirement(f"{name}=={known.pop()}", lock))
            else:
                self.notes.append(f"{lock}: {name} has several versions there: not pinned")
        return self

    def _line(self, line: str, where: str, constraint: bool, trail: tuple[str, ...]) -> None:
        if line.startswith("-"):
            self._option(line, where, constraint, trail)
        elif re.fullmatch(r"\./?(\[.*\])?", line):
            self._itself(where)
        else:
            body, digests = _without_hashes(line, where)
            plain = requirement(body, where)
            (self.constraints if constraint else self.requirements).append(plain)
            if digests:
                self.hashes.setdefault(package_of(plain), set()).update(digests)

    def _option(self, line: str, where: str, constraint: bool, trail: tuple[str, ...]) -> None:
        match = re.match(r"(--[a-z0-9-]+|-[a-zA-Z])(?:\s*=\s*|\s*)(.*)", line)
        option, value = (match[1], match[2].strip().strip("\"'")) if match else (line, "")
        here = posixpath.dirname(trail[-1])
        if option in ("-r", "--requirement", "-c", "--constraint"):
            included = posixpath.normpath(posixpath.join(here, value))
            self.file(included, constraint=constraint or option in ("-c", "--constraint"), trail=trail)
        elif option in ("-e", "--editable"):
            if (
                not re.fullmatch(r"\./?(\[.*\])?|\.\./?", value)
                or posixpath.normpath(posixpath.join(here, value.split("[")[0])) != "."
            ):
                raise Refused(f"{where}: {_why_refused(value)}")
            self._itself(where)
        elif option in _INDEX_OPTIONS:
            self.notes.append(
                f"{where}: {option} is not followed: packages come from the index that scoring is set up with"
            )
        elif option == "--pre":
            self.prereleases = True
        elif option in _HARMLESS_OPTIONS:
            self.notes.append(f"{where}: {option} is ignored")
        else:
            raise Refused(f"{where}: option {option} is not supported")

    def _itself(self, where: str) -> None:
        if self.is_project:
            return
        self.is_project = True
        project = _pyproject(self.tree)
        found = _project_requirements(project) if project is not None else None
        if found is None:
            self.notes.append(f"{where}: dependencies of the project itself are read from pyproject.toml only")
        else:
            self.project(found, "pyproject.toml")


def _why_refused(what: str) -> str:
    what = " ".join(what[:_MAX_LENGTH].split())
    if re.match(r"(?:[\w.-]+\s*(?:\[.*\])?\s*@\s*)?(?:git|hg|svn|bzr)\+", what):
        return f"a version-control address is refused: {what}"
    local = re.search(r"(?:^|@\s*)file:(?!//)", what)
    if not local and ("://" in what or re.search(r"@\s*\S+:", what)):
        return f"a URL is refused: {what}"
    if local or "/" in what or "\\" in what or what.endswith((".whl", ".tar.gz", ".zip")) or what.startswith("."):
        return f"a path is refused: {what} (name the packages that it needs; code inside the tree needs no installing)"
    return f"not a requirement: {what[:120]}"


def _requirement_files(tree: Path) -> Iterator[str]:
    yield from (name for name in FILES if inside(tree, name) is not None)
    others = sorted(path.name for path in tree.glob("requirements*.txt") if path.name not in FILES)
    yield from (name for name in others if not _DEVELOPMENT.search(name) and inside(tree, name) is not None)


def _logical_lines(content: str) -> Iterator[tuple[int, str]]:
    """Lines with their first number: continuations joined, comments and blank ones left out."""
    pending, start = "", 0
    for number, raw in enumerate(content.split("\n"), start=1):
        start = start or number
        if raw.rstrip().endswith("\\") and not raw.lstrip().startswith("#"):
            pending += raw.rstrip()[:-1] + " "
            continue
        line = re.sub(r"(^|\s)#.*$", "", pending + raw).strip()
        if line:
            yield start, line
        pending, start = "", 0
    if pending.strip():
        yield start, pending.strip()


def _without_hashes(line: str, where: str) -> tuple[str, set[str]]:
    if " --" not in line:
        return line, set()
    body, _, options = line.partition(" --")
    digests: set[str] = set()
    try:
        words = shlex.split("--" + options)
    except ValueError:
        raise Refused(f"{where}: not a requirement: {line[:120]}") from None
    for word in words:
        match = re.fullmatch(r"--hash=([a-z0-9]+):([0-9a-f]+)", word)
        if match is None:
            raise Refused(f"{where}: option {word} is not supported")
        if match[1] == "sha256":
            digests.add(match[2])
    return body, digests


def toml(tree: Path, name: str) -> dict[str, Any]:
    """The table in that file, empty if there is none. Raises `Refused` for what is not TOML, or takes for ever to read."""
    content = text(tree, name) or ""
    if any(line.count(".") > _MAX_DOTS for line in content.split("\n")):
        raise Refused(f"{name}: a line with more than {_MAX_DOTS} dots")
    try:
        return tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name}: {error}") from None


def _locked(lock: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The packages of a lock file, each with a name and a version."""
    packages = lock.get("package", [])
    if not isinstance(packages, list) or not all(
        isinstance(one, Mapping) and isinstance(one.get("name"), str) and isinstance(one.get("version", ""), str)
        for one in packages
    ):
        raise Refused(f"{name}: not a lock file")
    return [one for one in packages if "version" in one]


def _pyproject(tree: Path) -> dict[str, Any] | None:
    return toml(tree, "pyproject.toml") if inside(tree, "pyproject.toml") is not None else None


def _is_project(project: dict[str, Any] | None) -> bool:
    return project is not None and ("project" in project or "poetry" in _table(project, "tool"))


def _table(of: Mapping[str, Any], *path: str) -> dict[str, Any]:
    for step in path:
        of = of.get(step, {}) if isinstance(of, Mapping) else {}
    return dict(of) if isinstance(of, Mapping) else {}


def _project_requirements(project: dict[str, Any]) -> list[str] | None:
    """Dependencies of PEP 621 or of Poetry; None where the project does not say."""
    listed = _table(project, "project").get("dependencies")
    if isinstance(listed, list):
        return [requirement(str(line), "pyproject.toml: project.dependencies") for line in listed]
    poetry = _table(project, "tool", "poetry", "dependencies")
    if poetry:
        return [line for name, wanted in poetry.items() if name != "python" for line in _poetry(name, wanted)]
    return None


def _poetry(name: str, wanted: Any) -> list[str]:
    where = f"pyproject.toml: tool.poetry.dependencies.{name}"
    table: dict[str, Any] = (
        {"version": wanted} if isinstance(wanted, str) else wanted if isinstance(wanted, dict) else {}
    )
    if not isinstance(table.get("version"), str):
        raise Refused(
            f"{where}: only versions are supported, not {', '.join(map(str, table)) or type(wanted).__name__}"
        )
    if table.get("optional"):
        return []
    wanted_extras = table.get("extras", [])
    extras = ",".join(map(str, wanted_extras if isinstance(wanted_extras, list) else [wanted_extras]))
    marker = str(table.get("markers", ""))
    line = f"{name}{f'[{extras}]' if extras else ''}{','.join(poetry_specifiers(table['version']))}"
    return [requirement(f"{line} ; {marker}" if marker else line, where)]


def poetry_specifiers(version: str) -> list[str]:
    """Poetry's version language (`^1.2`, `~1.2`, `1.*`, `1.2`, `>=1,<2`) in that of Python packaging."""
    specifiers: list[str] = []
    for part in (part.strip() for part in version.split(",")):
        bare = part.lstrip("^~ ")
        numbers = [int(number[:20]) for number in re.findall(r"\d+", re.match(r"[\d.]*", bare)[0])]  # type: ignore[index]
        if part in ("*", ""):
            continue
        if part.startswith("^") and numbers:
            fixed = next((place for place, number in enumerate(numbers) if number), len(numbers) - 1)
            specifiers += [f">={bare}", f"<{_raised(numbers, fixed)}"]
        elif part.startswith("~") and not part.startswith("~=") and numbers:
            specifiers += [f">={bare}", f"<{_raised(numbers, min(1, len(numbers) - 1))}"]
        elif part[0].isdigit():
            specifiers.append(f"=={part}")
        else:
            specifiers.append(part.replace(" ", ""))
    return specifiers


def _raised(numbers: list[int], place: int) -> str:
    return ".".join(str(number) for number in (*numbers[:place], numbers[place] + 1))
