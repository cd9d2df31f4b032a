"""What a Node tree says it needs, read as data: `package.json` and `package-lock.json`, down to what cannot steer our npm."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.base import Frozen, MiB
from .fault import Refused
from .reading import inside, text

KINDS = ("dependencies", "optionalDependencies", "peerDependencies", "devDependencies")

_NAME = re.compile(r"(?:@[\w.~-]+/)?[\w.~-]+")
_RANGE = re.compile(r"[\w.*^~<>=|+ -]*")
_ALIAS = re.compile(r"npm:(?:@[\w.~-]+/)?[\w.~-]+(?:@[\w.*^~<>=|+ -]*)?")
_OVERRIDDEN = re.compile(r"(?:@[\w.~-]+/)?[\w.~-]+(?:@[\w.*^~<>=|+ -]+)?")
_INTEGRITY = re.compile(r"[A-Za-z0-9+/=\s-]+")
_LOCK_LIMIT = 32 * MiB
_MOST_PACKAGES = 20_000

_LOCKED_FACTS = (
    "version",
    "name",
    "dev",
    "optional",
    "devOptional",
    "peer",
    "hasInstallScript",
    "inBundle",
    "bundled",
    "os",
    "cpu",
)
_LOCKED_TABLES = ("dependencies", "optionalDependencies", "peerDependencies", "requires")


class Manifest(Frozen):
    """The sanitised dependencies of a Node tree."""

    source: str = ""
    """The files they were read from; empty where nothing is declared."""
    package: str = "{}"
    """package.json for our npm: dependencies and overrides, nothing else."""
    lock: str = ""
    """package-lock.json for our npm, without addresses; empty if there is none."""
    development: bool = False
    """Whether development dependencies are among them."""
    notes: tuple[str, ...] = ()


def package_json(tree: Path) -> dict[str, Any]:
    """The tree's package.json; empty if there is none. Raises `Refused` if it is not an object."""
    content = text(tree, "package.json")
    return {} if content is None else _object(content, "package.json")


def manifest(tree: Path, *, development: bool) -> Manifest:
    """What `tree` declares, with or without what it declares for development. Raises `Refused`."""
    declared = package_json(tree)
    wanted = [kind for kind in KINDS if development or kind != "devDependencies"]
    tables = {kind: _versions(declared.get(kind, {}), f"package.json: {kind}") for kind in wanted}
    package: dict[str, Any] = {"name": "submission", "version": "0.0.0", "private": True}
    package |= {kind: table for kind, table in tables.items() if table}
    notes = [
        f"{name} is not read: only package-lock.json is"
        for name in ("yarn.lock", "pnpm-lock.yaml", "bun.lock")
        if inside(tree, name)
    ]
    if declared.get("workspaces"):
        notes.append("package.json: workspaces are not installed")
    if len(package) == 3:
        return Manifest(notes=tuple(notes))
    if overrides := declared.get("overrides"):
        package["overrides"] = _overrides(overrides, 0)
    lock_name = next((name for name in ("npm-shrinkwrap.json", "package-lock.json") if inside(tree, name)), None)
    lock = (
        _lock(_object(text(tree, lock_name, limit=_LOCK_LIMIT) or "", lock_name), package, lock_name)
        if lock_name
        else None
    )
    return Manifest(
        source="package.json" + (f", {lock_name}" if lock_name else ""),
        package=json.dumps(package, sort_keys=True),
        lock=json.dumps(lock, sort_keys=True) if lock else "",
        development=development,
        notes=tuple(notes),
    )


def _object(content: str, name: str) -> dict[str, Any]:
    try:
        read = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name}: {error}") from None
    if not isinstance(read, dict):
        raise Refused(f"{name}: not a JSON object")
    return read


def _versions(table: Any, where: str) -> dict[str, str]:
    if not isinstance(table, Mapping):
        raise Refused(f"{where}: not an object")
    for name, wanted in table.items():
        _name(name, where)
        _version(wanted, f"{where}.{name}")
    return dict(table)


def _name(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise Refused(f"{where}: {name!r} is not a package name")


def _version(wanted: Any, where: str) -> str:
    if isinstance(wanted, str) and (_RANGE.fullmatch(wanted) or _ALIAS.fullmatch(wanted)):
        return wanted
    mend = " (code inside the tree can be required by its path)" if re.match(r"file:|link:|[./~]", str(wanted)) else ""
    raise Refused(f"{where}: only versions from the registry are supported, not {str(wanted)[:120]!r}{mend}")


def _overrides(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value if re.fullmatch(r"\$[\w@/.~-]+", value) else _version(value, "package.json: overrides")
    if isinstance(value, Mapping) and depth < 10:
        if not all(name == "." or _OVERRIDDEN.fullmatch(name) for name in value):
            raise Refused("package.json: overrides: not a table of packages")
        return {name: _overrides(inner, depth + 1) for name, inner in value.items()}
    raise Refused("package.json: overrides: not a table of versions")


def _lock(lock: dict[str, Any], package: dict[str, Any], name: str) -> dict[str, Any]:
    """The lock's versions and hashes. Addresses are left out: npm takes them from the registry that it is set up with."""
    kept: dict[str, Any] = {"name": package["name"], "version": package["version"], "requires": True}
    if isinstance(lock.get("packages"), Mapping):
        if len(lock["packages"]) > _MOST_PACKAGES:
            raise Refused(f"{name}: more than {_MOST_PACKAGES} packages")
        entries = {place: _locked(entry, f"{name}: {place}") for place, entry in lock["packages"].items() if place}
        for place in entries:
            if not all(
                _NAME.fullmatch(part.strip("/")) for part in re.split(r"(?:^|/)node_modules/", place) if part
            ) or not place.startswith("node_modules/"):
                raise Refused(f"{name}: {place!r} is not a place in node_modules")
        root = {kind: package[kind] for kind in KINDS if kind in package}
        return {**kept, "lockfileVersion": 3, "packages": {"": root, **entries}}
    return {**kept, "lockfileVersion": 1, "dependencies": _old_lock(lock.get("dependencies", {}), name, 0)}


def _old_lock(table: Any, where: str, depth: int) -> dict[str, Any]:
    if not isinstance(table, Mapping) or depth > 50:
        raise Refused(f"{where}: not a lock file that npm writes")
    kept: dict[str, Any] = {}
    for name, entry in table.items():
        _name(name, where)
        kept[name] = _locked(entry, f"{where}: {name}", nested=("dependencies",))
        if isinstance(entry.get("dependencies"), Mapping):
            kept[name]["dependencies"] = _old_lock(entry["dependencies"], where, depth + 1)
    return kept


def _is_fact(name: str, value: Any) -> bool:
    """Whether `value` is of the kind that npm writes; it fails on others with words of its own, like a registry out of order."""
    if name in ("version", "name"):
        return isinstance(value, str)
    if name in ("os", "cpu"):
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, bool)


def _locked(entry: Any, where: str, *, nested: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(entry, Mapping) or entry.get("link"):
        raise Refused(f"{where}: links to folders are not supported")
    address = str(entry.get("resolved", ""))
    if address and not re.match(r"https?://", address):
        raise Refused(f"{where}: only packages from the registry are supported, not {address[:120]}")
    _version(entry.get("version", ""), where)
    kept = {fact: entry[fact] for fact in _LOCKED_FACTS if _is_fact(fact, entry.get(fact))}
    for table in _LOCKED_TABLES:
        if table in entry and table not in nested and isinstance(entry[table], Mapping):
            kept[table] = _versions(entry[table], where)
    for fact in ("bin", "engines", "peerDependenciesMeta"):
        if isinstance(entry.get(fact), Mapping):
            kept[fact] = entry[fact]
    if isinstance(entry.get("integrity"), str) and _INTEGRITY.fullmatch(entry["integrity"]):
        kept["integrity"] = entry["integrity"]
    return kept
