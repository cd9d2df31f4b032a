"""Where artefacts come from: the user's own Maven settings (mirrors, proxies, servers), else the repository that Maven itself names."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import urllib.parse
import zipfile
from base64 import b64encode
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

from ..core.base import Frozen
from ..core.errors import BadInput, Boundary, InfrastructureError


class Repository(Frozen):
    """A Maven repository and how to reach it."""

    address: str
    """Without a slash at its end, and without credentials."""
    authorization: str = ""
    """Value of the header of that name; empty for none."""
    proxy: str = ""
    """`http://[user:password@]host:port` from the settings; empty where they name none: then the environment's, if any."""
    direct: bool = False
    """Whether the settings have a proxy, but not for this host."""


def repository() -> Repository:
    """The user's mirror of Maven's central repository, or that itself, as the user's settings and those of this machine's Maven say."""
    home = installed_maven()
    places = [Path("~/.m2/settings.xml").expanduser(), *([home / "conf/settings.xml"] if home else [])]
    files = [found for found in map(_read, places) if found is not None]
    mirror = next((mirror for file in files for mirror in file.iter("mirror") if _is_for_central(mirror)), None)
    if mirror is not None and _text(mirror, "blocked") == "true":
        raise BadInput(
            f"Maven's settings block the central repository by the mirror {_text(mirror, 'id')!r}", mend="unblock it"
        )
    address = (_text(mirror, "url") if mirror is not None else _central(home)).rstrip("/")
    server = _text(mirror, "id") if mirror is not None else "central"
    parts = urllib.parse.urlsplit(address)
    host = parts.hostname or ""
    proxy = _proxy(files, parts.scheme)
    around = proxy is not None and any(
        fnmatch.fnmatch(host, pattern) for pattern in re.split(r"[|,]", _text(proxy, "nonProxyHosts")) if pattern
    )
    return Repository(
        address=urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])),
        authorization=_own(parts) or _authorization(files, server),
        proxy=_proxy_address(proxy) if proxy is not None and not around else "",
        direct=around,
    )


def installed_maven() -> Path | None:
    """The home of the Maven on PATH."""
    on_path = shutil.which("mvn")
    return Path(on_path).resolve().parents[1] if on_path else None


def _read(file: Path) -> ElementTree.Element | None:
    try:
        root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    except OSError:
        return None
    except ElementTree.ParseError as error:
        raise BadInput(f"{file} is not XML: {error}", file=file, mend="mend Maven's settings") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.text = _interpolated(element.text or "").strip()
    return root


def _interpolated(value: str) -> str:
    value = re.sub(r"\$\{env\.([^}]+)\}", lambda name: os.environ.get(name[1], name[0]), value)
    return value.replace("${user.home}", str(Path.home()))


def _text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(name) or ""


def _is_for_central(mirror: ElementTree.Element) -> bool:
    patterns = [pattern.strip() for pattern in _text(mirror, "mirrorOf").split(",")]
    return "!central" not in patterns and any(pattern in ("*", "central", "external:*") for pattern in patterns)


def _central(maven_home: Path | None) -> str:
    """The address in the project model that all projects inherit from, which is in Maven's own archives."""
    for archive in sorted((maven_home / "lib").glob("maven-model-builder*.jar")) if maven_home else ():
        with suppress(OSError, KeyError, zipfile.BadZipFile), zipfile.ZipFile(archive) as jar:
            model = jar.read("org/apache/maven/model/pom-4.0.0.xml").decode()
            if found := re.search(r"<id>central</id>.*?<url>\s*(\S+?)\s*</url>", model, re.DOTALL):
                return found[1]
    mend = "apt-get install maven, or name a mirror of central in ~/.m2/settings.xml"
    raise InfrastructureError(f"nothing says where Maven's artefacts come from ({mend})", boundary=Boundary.TOOLCHAIN)


def _proxy(files: list[ElementTree.Element], scheme: str) -> ElementTree.Element | None:
    """The active proxy for that scheme; one for http serves https too, as in Maven."""
    active = [proxy for file in files for proxy in file.iter("proxy") if _text(proxy, "active") != "false"]
    for protocol in (scheme, "http"):
        for proxy in active:
            if (_text(proxy, "protocol") or "http") == protocol:
                return proxy
    return None


def _proxy_address(proxy: ElementTree.Element) -> str:
    user, password = _text(proxy, "username"), _readable(proxy, "proxy")
    quoted = [urllib.parse.quote(word, safe="") for word in (user, password)]
    return f"http://{':'.join(quoted) + '@' if user else ''}{_text(proxy, 'host')}:{_text(proxy, 'port') or '8080'}"


def _authorization(files: list[ElementTree.Element], server: str) -> str:
    for file in files:
        for entry in file.iter("server"):
            if _text(entry, "id") == server and (user := _text(entry, "username")):
                return _basic(user, _readable(entry, f"server {server!r}"))
    return ""


def _own(parts: urllib.parse.SplitResult) -> str:
    if not parts.username:
        return ""
    return _basic(urllib.parse.unquote(parts.username), urllib.parse.unquote(parts.password or ""))


def _readable(entry: ElementTree.Element, whose: str) -> str:
    password = _text(entry, "password")
    if re.search(r"(?<!\\)\{[^}]+\}", password):
        mend = "use ${env.NAME} in Maven's settings.xml, or a mirror that asks for none"
        raise BadInput(f"the password of the {whose} in Maven's settings is encrypted for Maven alone", mend=mend)
    return password


def _basic(user: str, password: str) -> str:
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()
