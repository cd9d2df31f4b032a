"""How a built Java tree is started: read from what the build left, nothing run."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from plugins.java_services import pom
from plugins.small_suite import write_tree

from repoproof.toolchains import JavaToolchain

MAIN = "package org.example;\n\npublic class Main {\n    public static void main(String[] arguments) {}\n}\n"
DEPENDENCIES = "/tmp/.m2/repository/a/a/1/a-1.jar"
CLASS_PATH = "target/repoproof.classpath"
MAVEN = {"pom.xml": pom(""), CLASS_PATH: DEPENDENCIES, "target/classes/org/example/Main.class": ""}
GRADLE = {
    "build.gradle": "", "build/repoproof.classpath": DEPENDENCIES, "build/repoproof.main": "",
    "build/classes/java/main/org/example/Main.class": "",
}  # fmt: skip
SOURCE = {"src/main/java/org/example/Main.java": MAIN}


def started(tree: Path) -> tuple[str, ...] | None:
    found = JavaToolchain().start_command(tree, port=8123)
    return found.command if found else None


def jar(place: Path, manifest: str, entries: Sequence[str]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{manifest}")
        for entry in entries:
            archive.writestr(entry, "")


def by_class(main: str = "org.example.Main", *arguments: str, options: Sequence[str] = ()) -> tuple[str, ...]:
    return ("java", *options, "-cp", f"target/classes:{DEPENDENCIES}", main, *arguments)


def dropwizard(**files: str) -> dict[str, str]:
    source = "import io.dropwizard.core.Application;\n" + MAIN
    return {**MAVEN, "src/main/java/org/example/Main.java": source, **files}


PROPERTY = "<mainClass>${{main}}</mainClass><properties><main>{}</main></properties>"


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({**MAVEN, **SOURCE, "start.sh": "exec java -jar target/x.jar\n"}, ("sh", "./start.sh")),
        ({**MAVEN, **SOURCE, "Procfile": "web: java -jar target/x.jar\n"}, ("sh", "-c", "java -jar target/x.jar")),
        ({**MAVEN, **SOURCE}, by_class()),
        ({**MAVEN, **SOURCE, CLASS_PATH: ""}, ("java", "-cp", "target/classes", "org.example.Main")),
        ({**MAVEN, **SOURCE, "pom.xml": pom(PROPERTY.format("a.Named"))}, by_class("a.Named")),
        ({**MAVEN, **SOURCE, "pom.xml": pom("", properties="<exec.mainClass>a.Named</exec.mainClass>")}, by_class("a.Named")),
        ({**MAVEN, **SOURCE, "pom.xml": pom("<mainClass>$(touch x)</mainClass>")}, by_class()),
        ({**MAVEN, **SOURCE, "pom.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><project><mainClass>&b;</mainClass></project>"}, by_class()),
        ({**MAVEN, "src/main/java/Main.java": MAIN.partition("\n")[2], "src/main/java/a/Tool.java": MAIN.replace("org.example", "a")}, by_class("Main")),
        ({**MAVEN, "src/main/java/a/Tool.java": MAIN.replace("org.example", "a"), "src/main/java/b/NotesApplication.java": MAIN.replace("org.example", "b")}, by_class("b.NotesApplication")),
        ({**MAVEN, "src/main/java/org/example/Notes.java": "package org.example;\nclass Notes {}\n"}, None),
        ({**MAVEN, **SOURCE, "pom.xml": pom("<groupId>org.springframework.boot</groupId>")}, by_class(options=["-Dserver.port=8123"])),
        ({**MAVEN, **SOURCE, "pom.xml": pom("<groupId>io.micronaut</groupId>")}, by_class(options=["-Dmicronaut.server.port=8123"])),
        (dropwizard(**{"config.yml": "server: {}\n"}), by_class("org.example.Main", "server", "config.yml")),
        (dropwizard(**{"a.yml": "other: 1\n", "config/notes.yaml": "server: {}\n"}), by_class("org.example.Main", "server", "config/notes.yaml")),
        (dropwizard(), by_class("org.example.Main", "server")),
        ({**GRADLE, **SOURCE}, ("java", "-cp", f"build/classes/java/main:build/resources/main:{DEPENDENCIES}", "org.example.Main")),
        ({**GRADLE, "build/repoproof.main": "a.Named"}, ("java", "-cp", f"build/classes/java/main:build/resources/main:{DEPENDENCIES}", "a.Named")),
        ({**GRADLE, "build/quarkus-app/quarkus-run.jar": ""}, ("java", "-jar", "build/quarkus-app/quarkus-run.jar")),
        ({**MAVEN, "target/quarkus-app/quarkus-run.jar": ""}, ("java", "-jar", "target/quarkus-app/quarkus-run.jar")),
        ({"README.md": "nothing was built"}, None),
    ],
)  # fmt: skip
def test_a_tree_is_started_as_it_says_or_by_what_its_build_left(
    tmp_path: Path, files: Mapping[str, str], command: tuple[str, ...] | None
) -> None:
    assert started(write_tree(tmp_path, files)) == command


@pytest.mark.parametrize(
    ("name", "manifest", "entries", "is_run"),
    [
        ("app.jar", "Main-Class: org.springframework.boot.loader.launch.JarLauncher\r\n", ["BOOT-INF/lib/a-1.jar"], True),
        ("app.jar", "Main-Class: org.example.Main\r\n", ["org/example/Main.class", "a/Other.class"], True),
        ("app.jar", "Main-Class: org.exam\r\n ple.Main\r\n", ["a/Other.class"], True),
        ("app.jar", "Main-Class: org.example.Main\r\n", ["org/example/Main.class"], False),
        ("app.jar", "Main-Class: org.example.Main\r\nClass-Path: lib/a-1.jar\r\n", ["org/example/Main.class"], False),
        ("app.jar", "Main-Class: org.example.Main\r\nClass-Path: classes/\r\n", ["org/example/Main.class"], True),
        ("app.jar", "", ["a/Other.class"], False),
        ("original-app.jar", "Main-Class: org.example.Main\r\n", ["a/Other.class"], False),
        ("app-sources.jar", "Main-Class: org.example.Main\r\n", ["a/Other.class"], False),
    ],
)  # fmt: skip
def test_a_jar_is_run_if_it_has_what_it_needs(
    tmp_path: Path, name: str, manifest: str, entries: Sequence[str], is_run: bool
) -> None:
    tree = write_tree(tmp_path, {**MAVEN, **SOURCE})
    jar(tree / "target" / name, manifest, entries)
    assert started(tree) == (("java", "-jar", f"target/{name}") if is_run else by_class())


def test_the_main_class_of_a_manifest_is_named(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {**MAVEN, **SOURCE})
    jar(tree / "target/app.jar", "Main-Class: a.Named\r\n", ["org/example/Main.class"])
    assert started(tree) == by_class("a.Named")


def test_a_file_that_is_no_jar_and_a_link_out_of_the_tree_are_passed_over(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "tree", {**MAVEN, **SOURCE, "target/broken.jar": "no zip"})
    jar(tmp_path / "outside/app.jar", "Main-Class: org.example.Main\r\n", ["a/Other.class"])
    (tree / "target/app.jar").symlink_to(tmp_path / "outside/app.jar")
    assert started(tree) == by_class()


def test_the_module_that_can_be_started_is(tmp_path: Path) -> None:
    library = {"pom.xml": pom("<packaging>pom</packaging>"), CLASS_PATH: ""}
    module = {f"service/{name}": content for name, content in {**MAVEN, **SOURCE}.items()}
    tree = write_tree(tmp_path, {**library, **module})
    assert started(tree) == ("java", "-cp", f"service/target/classes:{DEPENDENCIES}", "org.example.Main")
