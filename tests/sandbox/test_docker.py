"""What is special about the Docker sandbox; what it shares with the other one is in test_conformance.py."""

from __future__ import annotations

import contextlib
import os
import platform
import pty
import select
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Generator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from plugins.docker_engine import serve

from repoproof.core.base import MiB
from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.core.outcomes import Cause
from repoproof.sandbox import ExecResult, Limits, Scratch, View
from repoproof.sandbox.docker import DockerSandbox, collect_containers
from repoproof.sandbox.docker_api import DockerEngine, EngineError, find_socket, usual_places
from repoproof.sandbox.docker_image import host_image, host_root

LIMITS = Limits(wall_seconds=60, disk_bytes=32 * MiB)


class TestFindingTheEngine:
    def test_docker_host_wins(self):
        assert find_socket({"DOCKER_HOST": "unix:///some/where.sock"}) == Path("/some/where.sock")

    def test_a_docker_host_that_is_no_socket_is_refused_with_a_way_out(self):
        with pytest.raises(EngineError, match=r"tcp://box:2375.*unix://"):
            find_socket({"DOCKER_HOST": "tcp://box:2375"})

    @pytest.mark.parametrize(
        ("environment", "places"),
        [
            ({}, ["/var/run/docker.sock", "/run/podman/podman.sock"]),
            (
                {"XDG_RUNTIME_DIR": "/run/user/7"},
                [
                    "/var/run/docker.sock",
                    "/run/user/7/docker.sock",
                    "/run/podman/podman.sock",
                    "/run/user/7/podman/podman.sock",
                ],
            ),
            (
                {"HOME": "/Users/me"},
                ["/var/run/docker.sock", "/Users/me/.docker/run/docker.sock", "/run/podman/podman.sock"],
            ),
        ],
    )
    def test_without_it_the_usual_places_are_tried(self, environment, places):
        assert usual_places(environment) == [Path(place) for place in places]

    def test_a_missing_socket_is_named(self, tmp_path):
        with pytest.raises(EngineError, match=r"absent\.sock: no such socket"):
            DockerEngine(tmp_path / "absent.sock").version()

    def test_a_socket_without_an_engine_is_named(self, tmp_path):
        with closing(socket.socket(socket.AF_UNIX)) as silent:
            silent.bind(str(tmp_path / "dead.sock"))
            with pytest.raises(EngineError, match=r"dead\.sock: nothing listens there"):
                DockerEngine(tmp_path / "dead.sock").version()

    @pytest.mark.needs("root")
    def test_a_socket_that_we_may_not_open_comes_with_the_mend(self, tmp_path):
        told, tell = os.pipe()
        with closing(socket.socket(socket.AF_UNIX)) as closed:
            closed.bind(str(tmp_path / "closed.sock"))
            closed.listen()
            (tmp_path / "closed.sock").chmod(0o660)
            for place in (tmp_path, *tmp_path.parents[:2]):
                place.chmod(0o755)
            child = os.fork()
            if child == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                try:
                    DockerEngine(tmp_path / "closed.sock").version()
                except EngineError as error:
                    os.write(tell, str(error).encode())
                os._exit(0)
            os.waitpid(child, 0)
        os.close(tell)
        with open(told) as message:
            text = message.read()
        assert "closed.sock: permission denied" in text
        assert "usermod -aG docker" in text


@pytest.fixture
def docker(docker_engine: DockerEngine) -> DockerSandbox:
    return DockerSandbox(docker_engine)


@pytest.mark.needs("docker")
class TestContainers:
    def test_nothing_is_left_of_a_finished_container(self, docker, docker_engine):
        assert docker.run(["true"], view=View(), limits=LIMITS).ok
        assert _ours(docker_engine) == []

    def test_two_sandboxes_of_one_process_do_not_take_each_others_names(self, docker_engine):
        boxes = [DockerSandbox(docker_engine), DockerSandbox(docker_engine)]
        results: list[ExecResult] = []
        threads = [
            threading.Thread(target=lambda box=box: results.append(box.run(["true"], view=View(), limits=LIMITS)))
            for box in boxes * 2
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [result.ok for result in results] == [True] * 4

    def test_the_commands_output_cannot_pass_for_the_supervisors(self, docker):
        text = r"""
import os, sys
forged = b"Z\0\0\0\0\0\0\0" + b"E\0\0\0\0\0\0\0"
for place in ("/proc/1/fd/1", "/proc/self/fd/1"):
    try: os.write(os.open(place, os.O_WRONLY), forged)
    except OSError as error: print(place, error.errno, flush=True)
sys.exit(5)
"""
        result = docker.run(["python3", "-c", text], view=View(), limits=LIMITS)
        assert (result.cause, result.exit_code) == (Cause.EXITED, 5)
        assert result.stdout.startswith(b"/proc/1/fd/1 13\n")

    def test_no_signal_from_inside_ends_the_supervisor(self, docker):
        result = docker.run(["sh", "-c", "kill -TERM 1; kill -KILL 1; echo alive"], view=View(), limits=LIMITS)
        assert (result.cause, result.stdout) == (Cause.EXITED, b"alive\n")

    def test_our_filter_of_system_calls_comes_on_top_of_the_engines(self, docker):
        result = docker.run(["grep", "Seccomp_filters", "/proc/self/status"], view=View(), limits=LIMITS)
        assert result.stdout.split() == [b"Seccomp_filters:", b"2"]

    def test_the_engines_own_files_tell_nothing_about_the_host(self, docker):
        places = ["/etc/hostname", "/etc/resolv.conf", "/etc/hosts"]
        result = docker.run(["cat", *places], view=View(), limits=LIMITS)
        assert result.stdout == b"sandbox\n127.0.0.1 localhost sandbox\n::1 localhost\n"

    def test_an_engine_that_goes_away_is_our_failure_not_the_commands(self, docker_engine, tmp_path):
        with _Relay(tmp_path / "relay.sock", docker_engine.socket) as relay:
            box = DockerSandbox(DockerEngine(relay.socket))
            with pytest.raises(InfrastructureError) as raised:
                with box.start(["sleep", "1000"], view=View(), limits=LIMITS) as service:
                    relay.cut()
                    assert service.wait(60)
                    service.stop()
        assert raised.value.boundary is Boundary.SANDBOX
        (left,) = _ours(docker_engine)
        docker_engine.remove(left)

    def test_containers_of_another_machine_are_not_collected(self, docker, docker_engine):
        dead = subprocess.Popen(["true"])
        dead.wait()
        name = f"repoproof-{dead.pid}-1-{Path('/proc/self/ns/pid').stat().st_ino}-0"
        assert docker.run(["true"], view=View(), limits=LIMITS).ok  # brings the image
        theirs = {"Image": host_image(), "Cmd": ["true"], "Labels": {"repoproof.host": f"not-{platform.node()}"}}
        ours = {"Image": host_image(), "Cmd": ["true"], "Labels": {"repoproof.host": platform.node()}}
        kept = docker_engine.create(theirs, name)
        try:
            assert f"container {name}" not in collect_containers()
            docker_engine.remove(kept)
            docker_engine.create(ours, name)
            assert f"container {name}" in collect_containers(dry_run=True)
            assert f"container {name}" in collect_containers()
            assert f"container {name}" not in collect_containers(dry_run=True)
        finally:
            docker_engine.remove(kept)


@pytest.mark.needs("docker")
class TestImages:
    def test_an_image_that_is_not_there_is_named_with_the_mend(self, docker_engine):
        with pytest.raises(InfrastructureError, match=r"no image absent:1 \(docker pull absent:1\)"):
            DockerSandbox(docker_engine, image="absent:1").run(["true"], view=View(), limits=LIMITS)

    def test_an_image_brings_its_own_programs(self, docker_engine, tmp_path):
        docker_engine.import_image("localhost/repoproof-test-image", _small_image())
        box = DockerSandbox(docker_engine, image="localhost/repoproof-test-image")
        (tmp_path / "seed").mkdir()
        (tmp_path / "seed/file").write_text("seeded\n")
        view = View(mounts=(Scratch(target="/app", seed=tmp_path / "seed", keep=tmp_path / "kept"),), workdir="/app")
        result = box.run(["sh", "-c", "cat file /etc/marker; cp file new; ls /usr"], view=view, limits=LIMITS)
        assert result.ok, result
        assert result.stdout == b"seeded\nof the image\nbin\n"
        assert (tmp_path / "kept/new").read_text() == "seeded\n"
        assert box.fingerprint()["image"] == "localhost/repoproof-test-image"


@pytest.mark.needs("docker")
def test_a_shell_gets_our_terminal_and_its_exit_code_comes_back(docker_engine):
    program = """
import sys
from repoproof.sandbox import Limits, View, open_sandbox
command = "test -t 0 && echo ready && read line && echo got-$line && exit 7"
sys.exit(open_sandbox("docker").shell(["sh", "-c", command], view=View(), limits=Limits()))
"""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", program])
    shown = b""
    try:
        for awaited, typed in ((b"ready", b"typed\n"), (b"got-typed", b"")):
            while awaited not in shown and select.select([terminal], [], [], 60)[0]:
                shown += os.read(terminal, 4096)
            os.write(terminal, typed)
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(terminal)
    assert b"got-typed" in shown
    assert os.waitstatus_to_exitcode(status) == 7


@pytest.fixture(scope="module")
def podman() -> Generator[DockerSandbox]:
    """A private Podman, serving its Docker-compatible API."""
    # Podman takes no path of more than 50 characters, as those of pytest are.
    with tempfile.TemporaryDirectory(prefix="podman-", ignore_cleanup_errors=True) as place:
        home = Path(place)
        engine = DockerEngine(home / "podman.sock")
        options = [f"--root={home / 'root'}", f"--runroot={home / 'run'}", f"--tmpdir={home / 'tmp'}"]
        options += ["--cgroup-manager=cgroupfs", *(["--runtime=runc"] if shutil.which("runc") else [])]
        service = serve(
            engine, ["env", f"TMPDIR={home}", "podman", *options, "system", "service", "--time=0"], home / "log"
        )
        try:
            yield DockerSandbox(engine)
        finally:
            service.terminate()
            service.wait()
            subprocess.run(["podman", *options, "system", "reset", "--force"], capture_output=True, check=False)


@pytest.mark.needs("podman", "root")
class TestPodman:
    def test_it_is_named(self, podman):
        assert podman.fingerprint()["sandbox_version"].startswith("Podman ")

    def test_memory_of_a_child_alone_is_told_though_podman_itself_does_not_see_it(self, podman):
        text = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'bytearray(1 << 30)']); sys.exit(1)"
        limits = LIMITS.model_copy(update={"memory_bytes": 64 * MiB})
        assert podman.run(["python3", "-c", text], view=View(), limits=limits).cause is Cause.OUT_OF_MEMORY

    def test_trees_go_in_and_come_out(self, podman, tmp_path):
        (tmp_path / "seed").mkdir()
        (tmp_path / "seed/file").write_text("seeded")
        view = View(mounts=(Scratch(target="/app", seed=tmp_path / "seed", keep=tmp_path / "kept"),), workdir="/app")
        assert podman.run(["cp", "file", "new"], view=view, limits=LIMITS).ok
        assert (tmp_path / "kept/new").read_text() == "seeded"

    def test_the_environment_is_exact(self, podman):
        result = podman.run(["env"], view=View(environment={"A": "b"}), limits=LIMITS)
        assert {line.split(b"=")[0] for line in result.stdout.splitlines()} == {
            b"PATH",
            b"HOME",
            b"TMPDIR",
            b"LANG",
            b"A",
        }

    def test_two_meet_on_a_loopback(self, podman):
        server = "import socket; s = socket.create_server(('127.0.0.1', 8000)); c, _ = s.accept(); c.sendall(b'met')"
        client = """
import socket, time
for _ in range(1000):
    try: print(socket.create_connection(("127.0.0.1", 8000)).recv(9).decode()); break
    except OSError: time.sleep(0.01)
"""
        with podman.loopback() as network:
            with podman.start(["python3", "-c", server], view=View(), limits=LIMITS, loopback=network):
                result = podman.run(["python3", "-c", client], view=View(), limits=LIMITS, loopback=network)
        assert result.stdout == b"met\n"

    def test_time_up_ends_it(self, podman):
        limits = LIMITS.model_copy(update={"wall_seconds": 0.5})
        result = podman.run(["sh", "-c", "echo before; setsid sleep 1000"], view=View(), limits=limits)
        assert (result.cause, result.stdout) == (Cause.TIMED_OUT, b"before\n")


class _Relay:
    """A socket that passes everything on to an engine, until it is cut."""

    def __init__(self, place: Path, engine: Path) -> None:
        self.socket = place
        self._engine = engine
        self._listening = socket.socket(socket.AF_UNIX)
        self._ends: list[socket.socket] = []

    def __enter__(self) -> _Relay:
        self._listening.bind(str(self.socket))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def cut(self) -> None:
        for end in (self._listening, *self._ends):
            with contextlib.suppress(OSError):  # already over
                end.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                ours, _ = self._listening.accept()
            except OSError:
                return
            theirs = socket.socket(socket.AF_UNIX)
            theirs.connect(str(self._engine))
            self._ends += [ours, theirs]
            for source, target in ((ours, theirs), (theirs, ours)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # cut


def _ours(engine: DockerEngine) -> list[str]:
    """Containers that this very process made and that are still there."""
    found = engine.labelled(f"repoproof.host={platform.node()}")
    return [container for container, name in found if name.startswith(f"repoproof-{os.getpid()}-")]


def _small_image() -> bytes:
    """A root file system with a shell and little else, made out of the host's."""
    archive = BytesIO()
    with tarfile.open(fileobj=archive, mode="w", dereference=True) as tar:
        marker = b"of the image\n"
        entry = tarfile.TarInfo("etc/marker")
        entry.size = len(marker)
        tar.addfile(entry, BytesIO(marker))
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(folder)
        libraries: set[str] = set()
        for program in ("sh", "tar", "chmod", "cat", "cp", "ls"):
            place = shutil.which(program)
            assert place is not None
            tar.add(place, f"bin/{program}")
            told = subprocess.run(["ldd", place], capture_output=True, text=True, check=True).stdout
            libraries |= {word for word in told.split() if word.startswith("/")}
        for library in sorted(libraries):
            tar.add(library, library.lstrip("/"))
        tar.add("/usr/bin/env", "usr/bin/env")
    return archive.getvalue()


def test_the_same_host_makes_the_same_image():
    assert host_root() == host_root.__wrapped__()
