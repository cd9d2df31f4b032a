"""What a Java service is configured with: application.properties, application.yml, and the names in its build files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..openapi import read_document
from ..source_files import source_files

BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts")
MAX_DEPTH = 12
MAX_ENTRIES = 10_000
MAX_TEXT = 5_000
MAX_PLACEHOLDERS = 20

_PLACEHOLDER = re.compile(r"\$\{([^${}:]+)(?::([^${}]*))?\}")
_PROFILE = re.compile(r"^\s*(?:spring\.(?:config\.activate\.on-profile|profiles)|on-profile)\s*[:=]", re.MULTILINE)
_NAMES = re.compile(r"(?:application|bootstrap|microprofile-config)\.(?:properties|ya?ml)")
_SKIPPED = frozenset(("target", "build", "out", "bin", "node_modules", "test", "tests"))


@dataclass(frozen=True)
class Settings:
    """Flat names and their values, as texts."""

    values: Mapping[str, str] = field(default_factory=dict)

    def get(self, *names: str, default: str | None = "") -> str | None:
        """The first of the settings that is set, its placeholders filled in; None if it cannot be told."""
        for name in names:
            if _key(name) in self.values:
                return self.filled(self.values[_key(name)])
        return default

    def filled(self, text: str) -> str | None:
        """The text with `${name:default}` replaced; None where one is not known."""
        for _ in range(MAX_PLACEHOLDERS):
            found = _PLACEHOLDER.search(text)
            if found is None or len(text) > MAX_TEXT:
                break
            value = self.values.get(_key(found[1].strip()), found[2])
            if value is None:
                return None
            text = text[: found.start()] + value + text[found.end() :]
        return None if "${" in text else text


def read_settings(tree: Path) -> dict[str, Settings]:
    """The settings of each module (its folder, relative to `tree`), those of profiles left out."""
    by_module: dict[str, dict[str, str]] = {}
    for path in _files(tree, (".properties", ".yml", ".yaml")):
        if _NAMES.fullmatch(path.name):
            place = path.relative_to(tree).as_posix()
            module = place.partition("src/")[0] if "src/" in place else re.sub(r"(?:config/)?[^/]*$", "", place)
            values = by_module.setdefault(module.strip("/"), {})
            for name, value in _entries(path):
                values.setdefault(name, value)
    return {module: Settings(values) for module, values in by_module.items()}


def build_files(tree: Path) -> dict[str, str]:
    """Folder of each build file, with a slash behind unless it is the tree itself -> what the file says."""
    texts: dict[str, str] = {}
    for path in _files(tree, BUILD_FILES):
        if path.name in BUILD_FILES:
            folder = path.parent.relative_to(tree).as_posix()
            place = "" if folder == "." else folder + "/"
            texts[place] = texts.get(place, "") + re.sub(r"<!--.*?-->", "", _text(path), flags=re.DOTALL)
    return texts


def documents(tree: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The YAML documents of the tree that hold a mapping, with their files."""
    for path in _files(tree, (".yml", ".yaml")):
        document = read_document(_text(path))
        if document:
            yield path.relative_to(tree).as_posix(), document


def _files(tree: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return source_files(
        tree,
        suffixes,
        skip_folder=lambda folder: folder.name.startswith(".") or folder.name in _SKIPPED,
        skip_file=lambda name: name.startswith("."),
    )


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    text = _text(path)
    if path.suffix == ".properties":
        for part in re.split(r"^[#!]---\s*$", text, flags=re.MULTILINE):
            if not _PROFILE.search(part):
                yield from _properties(part)
        return
    for part in re.split(r"^---.*$", text, flags=re.MULTILINE):
        if not _PROFILE.search(part):
            yield from list(_flat(read_document(part), "", 0))[:MAX_ENTRIES]


def _properties(text: str) -> Iterator[tuple[str, str]]:
    for line in re.sub(r"\\\r?\n\s*", "", text).splitlines()[:MAX_ENTRIES]:
        found = re.match(r"\s*([^#!\s:=][^\s:=]*)\s*[:=\s]\s*(.*?)\s*$", line)
        if found:
            yield _key(found[1]), found[2]


def _flat(value: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and depth < MAX_DEPTH:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, (str, int, float)) and name:
        yield _key(name), str(value)


def _key(name: str) -> str:
    """`contextPath`, `context-path` and `CONTEXT_PATH` are one setting."""
    return re.sub(r"[-_]", "", name).lower()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
