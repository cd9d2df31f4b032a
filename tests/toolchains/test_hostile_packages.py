"""The attacker publishes a package whose install code runs wherever it is installed: on the host, it could read the hidden tests
and write the results. Everything it runs must run in the sandbox, or not at all.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from repoproof.core.verdict import PhaseName
from repoproof.sandbox import ExecResult, Sandbox
from repoproof.toolchains import NodeToolchain, Prepared, PythonToolchain

pytestmark = [pytest.mark.needs("bubblewrap"), pytest.mark.needs("network")]

Inside = Callable[[Path, Prepared, str], ExecResult]


def archive(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content.encode())
            tar.addfile(entry, io.BytesIO(content.encode()))
    return packed.getvalue()


@contextmanager
def serving(answers: Mapping[str, bytes], kind: str) -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answers.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "application/octet-stream" if self.path.endswith("gz") else kind)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def python_index(name: str, setup: str) -> Iterator[str]:
    """An index with one package as a source archive with this setup.py."""
    place = f"{name}-1.0"
    metadata = f"Metadata-Version: 1.0\nName: {name}\nVersion: 1.0\n"
    source = archive({f"{place}/setup.py": setup, f"{place}/hostile.py": "X = 1\n", f"{place}/PKG-INFO": metadata})
    link = f'<a href="/{place}.tar.gz#sha256={hashlib.sha256(source).hexdigest()}">{place}.tar.gz</a>'
    with serving({f"/simple/{name}/": link.encode(), f"/{place}.tar.gz": source}, "text/html") as address:
        yield f"{address}/simple"


def prepare_python(tree: Path, name: str, box: Sandbox, cache: Path) -> Prepared:
    (tree / "requirements.txt").write_text(f"{name}\n")
    return PythonToolchain().prepare(tree, box=box, cache=cache, log=lambda name, content: None)


def test_setup_code_of_a_source_archive_runs_in_the_sandbox_only(
    tmp_path: Path,
    box: Sandbox,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
    inside: Inside,
) -> None:
    marker = tmp_path_factory.mktemp("host") / "ran"
    marker.parent.chmod(0o777)
    setup = (
        "import os\n"
        f"try:\n    open({str(marker)!r}, 'w'); seen = True\nexcept OSError:\n    seen = False\n"
        "open('hostile.py', 'a').write(f'HOST_SEEN = {seen}\\nUSER = {os.getuid()}\\n')\n"
        "from setuptools import setup\nsetup(name='hostile', version='1.0', py_modules=['hostile'])\n"
    )
    with python_index("hostile", setup) as index:
        monkeypatch.setenv("UV_INDEX", index)
        prepared = prepare_python(tmp_path, "hostile", box, cache)
    assert prepared.ok, prepared.phases
    assert not marker.exists()
    assert (
        inside(tmp_path, prepared, "python -c 'import hostile; print(hostile.HOST_SEEN, hostile.USER)'").stdout
        == b"False 65534\n"
    )


def test_a_source_archive_cannot_pass_for_another_package(
    tmp_path: Path, box: Sandbox, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    setup = "from setuptools import setup\nsetup(name='flask', version='99', py_modules=['hostile'])\n"
    with python_index("impostor", setup) as index:
        monkeypatch.setenv("UV_INDEX", index)
        prepared = prepare_python(tmp_path, "impostor", box, cache)
    assert not prepared.ok
    assert prepared.phases[-1].name is PhaseName.INSTALL
    assert "building impostor 1.0 from source" in prepared.phases[-1].reason


@pytest.mark.needs("node")
def test_install_scripts_of_a_node_package_run_in_the_sandbox_only(
    tmp_path: Path,
    box: Sandbox,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
    inside: Inside,
) -> None:
    marker = tmp_path_factory.mktemp("host") / "ran"
    marker.parent.chmod(0o777)
    script = f"touch {marker} && echo yes > seen || id -u > user"
    package = {"name": "hostile", "version": "1.0.0", "scripts": {"postinstall": script}}
    packed = archive({"package/package.json": json.dumps(package), "package/index.js": ""})
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    answers: dict[str, bytes] = {"/hostile/-/hostile-1.0.0.tgz": packed}
    with serving(answers, "application/json") as registry:
        dist = {"tarball": f"{registry}/hostile/-/hostile-1.0.0.tgz", "integrity": integrity}
        version = {**package, "hasInstallScript": True, "dist": dist}
        answers["/hostile"] = json.dumps(
            {"name": "hostile", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        ).encode()
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", registry)
        hooks = dict.fromkeys(("preinstall", "install", "postinstall", "prepare"), f"touch {marker}")
        (tmp_path / "package.json").write_text(json.dumps({"scripts": hooks, "dependencies": {"hostile": "1.0.0"}}))
        prepared = NodeToolchain().prepare(tmp_path, box=box, cache=cache, log=lambda name, content: None)
    assert prepared.ok, prepared.phases
    assert not marker.exists()
    assert (
        inside(tmp_path, prepared, "cat node_modules/hostile/user; test ! -e node_modules/hostile/seen").stdout
        == b"65534\n"
    )


@pytest.mark.needs("node")
def test_a_node_package_cannot_make_our_npm_clone_a_repository(
    tmp_path: Path, box: Sandbox, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    answers: dict[str, bytes] = {}
    with serving(answers, "application/json") as registry:
        version = {
            "name": "lure",
            "version": "1.0.0",
            "dependencies": {"hostile": f"git+{registry}/hostile.git"},
            "dist": {"tarball": f"{registry}/lure.tgz", "integrity": "sha512-" + "A" * 86 + "=="},
        }
        answers["/lure"] = json.dumps(
            {"name": "lure", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        ).encode()
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", registry)
        (tmp_path / "package.json").write_text(json.dumps({"dependencies": {"lure": "1.0.0"}}))
        prepared = NodeToolchain().prepare(tmp_path, box=box, cache=cache, log=lambda name, content: None)
    assert not prepared.ok
    assert "registry" in prepared.phases[-1].reason
