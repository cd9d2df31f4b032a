"""How to start a Java service: as the tree says, else its packaged program, else the class that has a main method."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

from .base import StartCommand
from .fault import Refused
from .java_workshop import CLASS_PATH
from .reading import text
from .start import declared_start

_MAIN = re.compile(r"\bstatic\s+(?:final\s+)?(?:public\s+)?void\s+main\s*\(\s*(?:final\s+)?String\b")
_MOST_SOURCES = 5_000
_NO_PROGRAM = re.compile(r"original-.*|.*-(?:sources|javadoc|tests|plain)\.jar")
_NAMES = re.compile(r"(?:mainClass|main\.class|exec\.mainClass|start-class|main-class)")


def start_command(tree: Path, *, port: int, framework: str = "") -> StartCommand | None:
    """Read from the built tree; nothing of it is run."""
    if declared := declared_start(tree):
        return declared
    options = _port_options(tree, port)
    return _quarkus(tree, options) or _packaged(tree, options) or _main_class(tree, options)


def _quarkus(tree: Path, options: list[str]) -> StartCommand | None:
    for jar in sorted(tree.glob("**/target/quarkus-app/quarkus-run.jar")):
        place = jar.relative_to(tree).as_posix()
        return StartCommand(command=("java", *options, "-jar", place), source=f"Quarkus application {place}")
    return None


def _packaged(tree: Path, options: list[str]) -> StartCommand | None:
    """A program that carries its dependencies, or says where they lie."""
    for jar in _jars(tree):
        place = jar.relative_to(tree).as_posix()
        manifest, complete = _program(jar, tree)
        if "Main-Class" in manifest and complete:
            arguments = _arguments(tree, jar.parents[1], manifest.get("Start-Class", manifest["Main-Class"]))
            command = ("java", *options, "-jar", place, *arguments)
            return StartCommand(command=command, source=f"executable jar {place}")
    return None


def _main_class(tree: Path, options: list[str]) -> StartCommand | None:
    """The main class that the project or a manifest names, or the only or likeliest one, with the class path that Maven tells."""
    for module in sorted({path.parent.parent for path in tree.glob(f"**/{CLASS_PATH}")}):
        inside = module.relative_to(tree).as_posix()
        listed = _read(tree, posixpath.join(inside, CLASS_PATH)).strip()
        named = _named_main(tree, module)
        found = named or _likeliest(_main_classes(module))
        if not found or not (module / "target/classes").is_dir():
            continue
        classes = posixpath.normpath(posixpath.join(inside, "target/classes"))
        path = ":".join(filter(None, (classes, listed)))
        command = ("java", *options, "-cp", path, found, *_arguments(tree, module, found))
        return StartCommand(command=command, source=f"main class {found}" + (" of pom.xml" if named else ""))
    return None


def _jars(tree: Path) -> Iterator[Path]:
    """Jars that builds made, those of the root first."""
    found = [jar for jar in tree.glob("**/target/*.jar") if jar.is_file() and not jar.is_symlink()]
    yield from sorted(
        (jar for jar in found if not _NO_PROGRAM.fullmatch(jar.name)), key=lambda jar: (len(jar.parts), str(jar))
    )


def _program(jar: Path, tree: Path) -> tuple[dict[str, str], bool]:
    """The manifest of a jar, and whether it can be run as it is: it holds, or names, more than the module's own classes."""
    try:
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
            info = archive.getinfo("META-INF/MANIFEST.MF")
            content = archive.read(info) if info.file_size <= 1 << 20 else b""
    except (OSError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return {}, False
    unfolded = re.sub(r"\r?\n ", "", content.decode("utf-8", "replace"))
    manifest = dict(line.split(": ", 1) for line in unfolded.splitlines() if ": " in line)
    own = jar.parent / "classes"
    foreign = any(name.endswith((".class", ".jar")) and not (own / name).exists() for name in names)
    needs_nothing = not _read(tree, (jar.parents[1] / CLASS_PATH).relative_to(tree).as_posix()).strip()
    return manifest, foreign or needs_nothing or bool(manifest.get("Class-Path"))


def _named_main(tree: Path, module: Path) -> str:
    """The main class in the module's pom.xml or its parents', properties resolved."""
    folders = [module, *(parent for parent in module.parents if parent.is_relative_to(tree))]
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


def _main_classes(module: Path) -> list[str]:
    """Classes with a main method among the module's sources."""
    sources = sorted((module / "src/main/java").rglob("*.java"))[:_MOST_SOURCES]
    found: list[str] = []
    for source in sources:
        content = _read(module, source.relative_to(module).as_posix())
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


def _arguments(tree: Path, module: Path, main: str) -> list[str]:
    """What a Dropwizard program must be told: `server`, and its configuration."""
    source = _read(tree, (module / "src/main/java" / (main.replace(".", "/") + ".java")).relative_to(tree).as_posix())
    if "io.dropwizard" not in source:
        return []
    files = [
        path
        for place in (tree, module, module / "config", module / "src/main/resources")
        for path in sorted(place.glob("*.y*ml"))
    ]
    likely = [path for path in files if "server:" in _read(tree, path.relative_to(tree).as_posix())]
    return ["server", *(path.relative_to(tree).as_posix() for path in (likely or files)[:1])]


def _port_options(tree: Path, port: int) -> list[str]:
    """The task's port, in the words of each framework that has some: as an ASGI program is served on it whatever it says itself."""
    poms = "".join(_read(tree, path.relative_to(tree).as_posix()) for path in sorted(tree.glob("**/pom.xml"))[:50])
    settings = {
        "org.springframework.boot": "server.port",
        "io.micronaut": "micronaut.server.port",
        "io.quarkus": "quarkus.http.port",
    }
    return [f"-D{name}={port}" for group, name in settings.items() if group in poms]


def _read(tree: Path, relative: str) -> str:
    try:
        return text(tree, relative) or ""
    except Refused:
        return ""
