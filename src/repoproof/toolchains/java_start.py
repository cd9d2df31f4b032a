"""How to start a Java service: as the tree says, else its packaged program, else the class that has a main method."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from .base import StartCommand
from .fault import Refused
from .gradle import GRADLE_CLASS_PATH, GRADLE_MAIN_CLASS
from .java_workshop import CLASS_PATH
from .reading import inside, text
from .start import declared_start

_MAIN = re.compile(r"\bstatic\s+(?:final\s+)?(?:public\s+)?void\s+main\s*\(\s*(?:final\s+)?String\b")
_MOST_SOURCES = 5_000
_NO_PROGRAM = re.compile(r"original-.*|.*-(?:sources|javadoc|tests|plain)\.jar")
_NAMES = re.compile(r"(?:mainClass|main\.class|exec\.mainClass|start-class|main-class)")


@dataclass(frozen=True)
class _Module:
    """One module of a built tree, by the build tool's own layout. Places are relative to the tree."""

    place: str
    output: str
    """Folder of all that the build made."""
    jars: str
    """Folder of what it was packaged as."""
    classes: tuple[str, ...]
    """Folders of its own classes and resources."""
    class_path: str
    """File with the class path of its dependencies."""
    main_class: str = ""
    """File with the name of its main class, where the build tool says it."""


def start_command(tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
    """Read from the built tree; nothing of it is run."""
    if declared := declared_start(tree):
        return declared
    options = _port_options(tree, port)
    modules = _modules(tree)
    return _quarkus(tree, modules, options) or _packaged(tree, modules, options) or _main_class(tree, modules, options)


def _modules(tree: Path) -> list[_Module]:
    """Those that were built, the root first."""
    found = [
        *(_maven_module(path.parents[1].relative_to(tree).as_posix()) for path in tree.glob(f"**/{CLASS_PATH}")),
        *(
            _gradle_module(path.parents[1].relative_to(tree).as_posix())
            for path in tree.glob(f"**/{GRADLE_CLASS_PATH}")
        ),
    ]
    return sorted(found, key=lambda module: (module.place.count("/") + (module.place != "."), module.place))


def _maven_module(place: str) -> _Module:
    at = partial(_joined, place)
    return _Module(place, at("target"), at("target"), (at("target/classes"),), at(CLASS_PATH))


def _gradle_module(place: str) -> _Module:
    at = partial(_joined, place)
    classes = (at("build/classes/java/main"), at("build/resources/main"))
    return _Module(place, at("build"), at("build/libs"), classes, at(GRADLE_CLASS_PATH), at(GRADLE_MAIN_CLASS))


def _joined(place: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(place, name))


def _quarkus(tree: Path, modules: list[_Module], options: list[str]) -> StartCommand | None:
    for module in modules:
        place = _joined(module.output, "quarkus-app/quarkus-run.jar")
        if inside(tree, place):
            return StartCommand(command=("java", *options, "-jar", place), source=f"Quarkus application {place}")
    return None


def _packaged(tree: Path, modules: list[_Module], options: list[str]) -> StartCommand | None:
    """A program that carries its dependencies, or says where they lie."""
    for module in modules:
        for place, manifest, complete in _programs(tree, module):
            if complete:
                arguments = _arguments(tree, module, manifest.get("Start-Class", manifest["Main-Class"]))
                command = ("java", *options, "-jar", place, *arguments)
                return StartCommand(command=command, source=f"executable jar {place}")
    return None


def _main_class(tree: Path, modules: list[_Module], options: list[str]) -> StartCommand | None:
    """The main class that the project or a manifest names, or the only or likeliest one, with the class path that the build tells."""
    for module in modules:
        in_manifests = (manifest["Main-Class"] for _, manifest, _ in _programs(tree, module))
        named = _read(tree, module.main_class).strip() or _named_main(tree, module) or next(in_manifests, "")
        found = named or _likeliest(_main_classes(tree, module))
        if found:
            path = ":".join(filter(None, (*module.classes, _read(tree, module.class_path).strip())))
            command = ("java", *options, "-cp", path, found, *_arguments(tree, module, found))
            return StartCommand(
                command=command, source=f"main class {found}" + (", as the build says" if named else "")
            )
    return None


def _programs(tree: Path, module: _Module) -> Iterator[tuple[str, dict[str, str], bool]]:
    """The module's jars that name a main class: place, manifest, and whether each can be run as it is, for it holds or names more than
    the module's own classes."""
    for jar in sorted((tree / module.jars).glob("*.jar")):
        place = jar.relative_to(tree).as_posix()
        if inside(tree, place) is None or _NO_PROGRAM.fullmatch(jar.name):
            continue
        try:
            with zipfile.ZipFile(jar) as archive:
                names = archive.namelist()
                info = archive.getinfo("META-INF/MANIFEST.MF")
                content = archive.read(info) if info.file_size <= 1 << 20 else b""
        except (OSError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
            continue
        unfolded = re.sub(r"\r?\n ", "", content.decode("utf-8", "replace"))
        manifest = dict(line.split(": ", 1) for line in unfolded.splitlines() if ": " in line)
        if "Main-Class" in manifest:
            own = [tree / place for place in module.classes]
            holds = any(
                name.endswith((".class", ".jar")) and not any((folder / name).exists() for folder in own)
                for name in names
            )
            beside = manifest.get("Class-Path", "").split()
            names_all = bool(beside) and all((jar.parent / name).exists() for name in beside)
            yield place, manifest, holds or names_all or not _read(tree, module.class_path).strip()


def _named_main(tree: Path, module: _Module) -> str:
    """The main class in the module's pom.xml or its parents', properties resolved."""
    place = tree / module.place
    folders = [place, *(parent for parent in place.parents if parent.is_relative_to(tree))]
    properties: dict[str, str] = {}
    found: list[str] = []
    for folder in folders:
        content = _read(tree, (folder / "pom.xml").relative_to(tree).as_posix())
        if not content or "<!DOCTYPE" in content:
            continue
        with suppress(ElementTree.ParseError):
            for element in ElementTree.fromstring(content).iter():
                name, value = element.tag.rpartition("}")[2], (element.text or "").strip()
                properties.setdefault(name, value)
                if value and _NAMES.fullmatch(name):
                    found.append(value)
    for value in found:
        resolved = re.sub(r"\$\{([^}]+)\}", lambda name: properties.get(name[1], name[0]), value)
        if re.fullmatch(r"[\w$.]+", resolved):
            return resolved
    return ""


def _main_classes(tree: Path, module: _Module) -> list[str]:
    """Classes with a main method among the module's sources."""
    sources = sorted((tree / module.place / "src/main/java").rglob("*.java"))[:_MOST_SOURCES]
    found: list[str] = []
    for source in sources:
        content = _read(tree, source.relative_to(tree).as_posix())
        if _MAIN.search(content):
            package = re.search(r"^\s*package\s+([\w.]+)\s*;", content, re.MULTILINE)
            found.append(f"{package[1]}.{source.stem}" if package else source.stem)
    return found


def _likeliest(classes: list[str]) -> str:
    """By name where there are several: the fewest packages first."""

    def rank(name: str) -> tuple[bool, int, str]:
        simple = name.rpartition(".")[2]
        return (not re.search(r"^(?:Main|App|Server)$|Application$|App$|Server$|Main$", simple), name.count("."), name)

    return min(classes, key=rank, default="")


def _arguments(tree: Path, module: _Module, main: str) -> list[str]:
    """What a Dropwizard program must be told: `server`, and its configuration."""
    if "io.dropwizard" not in _read(tree, _joined(module.place, f"src/main/java/{main.replace('.', '/')}.java")):
        return []
    place = tree / module.place
    folders = dict.fromkeys((tree, place, place / "config", place / "src/main/resources"))
    files = [path.relative_to(tree).as_posix() for folder in folders for path in sorted(folder.glob("*.y*ml"))]
    likely = [file for file in files if "server:" in _read(tree, file)]
    return ["server", *(likely or files)[:1]]


def _port_options(tree: Path, port: int) -> list[str]:
    """The task's port, in the words of each framework that has some: as an ASGI program is served on it whatever it says itself."""
    declarations = [path for name in ("pom.xml", "build.gradle*") for path in sorted(tree.glob(f"**/{name}"))[:50]]
    said = "".join(_read(tree, path.relative_to(tree).as_posix()) for path in declarations)
    settings = {
        "org.springframework.boot": "server.port",
        "io.micronaut": "micronaut.server.port",
        "io.quarkus": "quarkus.http.port",
    }
    return [f"-D{name}={port}" for group, name in settings.items() if group in said]


def _read(tree: Path, relative: str) -> str:
    try:
        return text(tree, relative) or ""
    except Refused:
        return ""
