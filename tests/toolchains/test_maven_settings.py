"""Where artefacts come from: Maven's own settings, read as Maven reads them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from repoproof.core.errors import BadInput, InfrastructureError
from repoproof.toolchains.maven_settings import Repository, repository

CENTRAL = "https://central.example/maven2"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings, on a machine with a Maven that names its repository."""
    program = tmp_path / "maven"
    for folder in ("bin", "lib", "conf"):
        (program / folder).mkdir(parents=True)
    (program / "bin/mvn").write_text("#!/bin/sh\n")
    (program / "bin/mvn").chmod(0o755)
    model = (
        f"<project><repositories><repository><id>central</id><url>{CENTRAL}</url></repository></repositories></project>"
    )
    with zipfile.ZipFile(program / "lib/maven-model-builder-3.9.jar", "w") as jar:
        jar.writestr("org/apache/maven/model/pom-4.0.0.xml", model)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(program / "bin"))
    monkeypatch.setenv("MIRROR_PASSWORD", "of the environment")
    (tmp_path / ".m2").mkdir()
    return tmp_path


def mirror(of: str, *, id: str = "ours", url: str = "https://mirror.example/maven/", inner: str = "") -> str:
    return f"<mirrors><mirror><id>{id}</id><mirrorOf>{of}</mirrorOf><url>{url}</url>{inner}</mirror></mirrors>"


def proxy(*, protocol: str = "http", inner: str = "") -> str:
    return f"<proxies><proxy><protocol>{protocol}</protocol><host>proxy.example</host><port>3128</port>{inner}</proxy></proxies>"


MIRROR = Repository(address="https://mirror.example/maven")
PROXIED = Repository(address=CENTRAL, proxy="http://proxy.example:3128")


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("", Repository(address=CENTRAL)),
        (mirror("*"), MIRROR),
        (mirror("central"), MIRROR),
        (mirror("external:*"), MIRROR),
        (mirror("other, central"), MIRROR),
        (mirror("*,!central"), Repository(address=CENTRAL)),
        (mirror("other"), Repository(address=CENTRAL)),
        (mirror("external:http:*", inner="<blocked>true</blocked>"), Repository(address=CENTRAL)),
        (mirror("*", url="https://u:p%40@mirror.example/m"), Repository(address="https://mirror.example/m", authorization="Basic dTpwQA==")),
        (mirror("*") + "<servers><server><id>ours</id><username>u</username><password>p</password></server></servers>",
         Repository(address="https://mirror.example/maven", authorization="Basic dTpw")),
        (mirror("*") + "<servers><server><id>other</id><username>u</username><password>p</password></server></servers>", MIRROR),
        (proxy(), PROXIED),
        (proxy(protocol="https"), PROXIED),
        (proxy(inner="<active>false</active>"), Repository(address=CENTRAL)),
        (proxy(inner="<nonProxyHosts>localhost|*.example</nonProxyHosts>"), Repository(address=CENTRAL, direct=True)),
        (proxy(inner="<username>u</username><password>${env.MIRROR_PASSWORD}</password>"),
         Repository(address=CENTRAL, proxy="http://u:of%20the%20environment@proxy.example:3128")),
    ],
)  # fmt: skip
def test_a_user_s_settings_decide(home: Path, settings: str, found: Repository) -> None:
    namespace = 'xmlns="http://maven.apache.org/SETTINGS/1.0.0"'
    (home / ".m2/settings.xml").write_text(f"<settings {namespace}>{settings}</settings>")
    assert repository() == found


def test_the_machine_s_settings_come_after_the_user_s(home: Path) -> None:
    (home / "maven/conf/settings.xml").write_text(f"<settings>{mirror('*', url='https://machine.example')}</settings>")
    assert repository().address == "https://machine.example"
    (home / ".m2/settings.xml").write_text(f"<settings>{mirror('*')}</settings>")
    assert repository() == MIRROR


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("<settings>", "is not XML"),
        (f"<settings>{mirror('central', inner='<blocked>true</blocked>')}</settings>", "block the central repository"),
        (
            f"<settings>{mirror('*')}<servers><server><id>ours</id><username>u</username><password>{{abc=}}</password></server></servers></settings>",
            "encrypted for Maven alone",
        ),
    ],
)
def test_settings_that_cannot_be_followed_are_the_user_s_to_mend(home: Path, settings: str, problem: str) -> None:
    (home / ".m2/settings.xml").write_text(settings)
    with pytest.raises(BadInput, match=problem):
        repository()


def test_without_maven_and_without_a_mirror_nothing_says_where_to_ask(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(InfrastructureError, match="apt-get install maven, or name a mirror"):
        repository()
    (home / ".m2/settings.xml").write_text(f"<settings>{mirror('*')}</settings>")
    assert repository() == MIRROR
