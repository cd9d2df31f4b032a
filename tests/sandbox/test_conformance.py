"""What every sandbox must do, run on each of them."""

from __future__ import annotations

import os
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from repoproof.core.base import MiB
from repoproof.core.errors import InfrastructureError
from repoproof.core.outcomes import Cause
from repoproof.sandbox import Limits, ReadOnly, Scratch, View, Writable
from repoproof.sandbox.gc import collect

LIMITS = Limits(wall_seconds=60, disk_bytes=32 * MiB)

SERVER = """
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(sys.argv[1].encode())
server = http.server.HTTPServer(("127.0.0.1", 8000), Answer)
print("listening", flush=True)
server.serve_forever()
"""

CLIENT = """
import time, urllib.request
for _ in range(1000):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:8000/").read().decode(), end="")
        break
    except OSError:
        time.sleep(0.01)
"""


class TestEnds:
    @pytest.mark.parametrize("code", [0, 1, 2, 126, 127, 128, 130, 137, 139, 143, 255])
    def test_an_exit_code_is_told_as_it_was(self, run, code):
        result = run("sh", "-c", f"exit {code}")
        assert (result.cause, result.exit_code, result.signal) == (Cause.EXITED, code, None)
        assert result.ok == (code == 0)

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE, signal.SIGINT])
    def test_a_signal_is_told_from_the_exit_code_that_a_shell_would_make_of_it(self, python, number):
        ends_itself = "import os, signal, sys; n = int(sys.argv[1]); n == 9 or signal.signal(n, signal.SIG_DFL); os.kill(os.getpid(), n)"
        result = python(ends_itself, str(int(number)))
        assert (result.cause, result.exit_code, result.signal) == (Cause.SIGNALLED, None, number)

    def test_a_missing_program_is_the_commands_fault(self, run):
        result = run("no-such-program")
        assert (result.cause, result.exit_code) == (Cause.EXITED, 127)
        assert b"no-such-program" in result.stderr

    def test_standard_input_arrives_whole_and_ends(self, run):
        data = os.urandom(3 * MiB)
        assert run("cat", stdin=data).stdout == data

    def test_without_standard_input_there_is_an_empty_one(self, run):
        result = run("cat")
        assert (result.exit_code, result.stdout) == (0, b"")

    def test_input_that_is_not_read_does_no_harm(self, run):
        assert run("true", stdin=bytes(MiB)).ok

    def test_output_and_errors_are_kept_apart(self, run):
        result = run("sh", "-c", "printf out; printf err >&2")
        assert (result.stdout, result.stderr, result.output_bytes) == (b"out", b"err", 6)

    def test_a_working_directory_that_is_not_there_is_our_fault(self, run):
        with pytest.raises(InfrastructureError, match="/nowhere"):
            run("true", view=View(workdir="/nowhere"))

    def test_a_source_that_is_not_there_is_our_fault(self, run, tmp_path):
        with pytest.raises(InfrastructureError, match="absent"):
            run("true", view=View(mounts=(ReadOnly(source=tmp_path / "absent", target="/here"),)))

    def test_the_command_starts_with_three_descriptors_and_no_signal_blocked(self, python):
        text = """
import os
print(sorted(os.listdir("/proc/self/fd"))[:-1])
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("SigBlk")])
"""
        assert python(text).stdout == b"['0', '1', '2']\n['0000000000000000']\n"

    def test_many_threads_use_one_sandbox_at_once(self, run):
        with ThreadPoolExecutor(6) as pool:
            results = list(pool.map(lambda n: run("sh", "-c", f"echo {n}; exit {n}"), range(18)))
        assert [(r.exit_code, r.stdout.strip()) for r in results] == [(n, str(n).encode()) for n in range(18)]


class TestView:
    def test_the_environment_is_exactly_what_was_given(self, run):
        result = run("env", view=View(environment={"PORT": "8000", "EMPTY": "", "TMPDIR": "/elsewhere"}))
        found = dict(line.split("=", 1) for line in result.stdout.decode().splitlines())
        assert found.pop("PATH")
        assert found == {"PORT": "8000", "EMPTY": "", "TMPDIR": "/elsewhere", "HOME": "/tmp", "LANG": "C.UTF-8"}

    def test_the_root_file_system_is_read_only(self, python):
        tries = """
import os
places = ["/", "/etc", "/usr", "/usr/bin", "/bin", "/lib", "/dev", "/proc", "/run", "/var", "/etc/passwd"]
for place in places:
    try:
        if os.path.isdir(place): open(os.path.join(place, "new"), "w")
        elif os.path.exists(place): open(place, "a")
    except OSError: continue
    if os.path.exists(place): print(place)
"""
        assert python(tries).stdout == b""

    def test_the_hosts_files_are_not_there(self, python, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("secret")
        tmp_path.chmod(0o755)
        places = [
            str(secret),
            "/etc/shadow",
            "/etc/machine-id",
            "/root",
            "/home",
            "/var/log",
            "/proc/1/root/home",
        ]
        assert (
            python("import os, sys; print([p for p in sys.argv[1:] if os.path.exists(p)])", *places).stdout == b"[]\n"
        )

    def test_a_read_only_mount_can_be_read_and_not_written(self, run, tmp_path):
        (tmp_path / "tree").mkdir()
        (tmp_path / "tree/file").write_text("seen")
        (tmp_path / "alone").write_text("alone")
        view = View(
            mounts=(
                ReadOnly(source=tmp_path / "tree", target="/data/tree"),
                ReadOnly(source=tmp_path / "alone", target="/data/alone"),
            )
        )
        result = run(
            "sh", "-c", "cat /data/tree/file /data/alone; touch /data/tree/new || echo x > /data/tree/file", view=view
        )
        assert result.stdout == b"seenalone"
        assert result.exit_code != 0
        assert [p.name for p in (tmp_path / "tree").iterdir()] == ["file"]

    def test_sources_behind_directories_that_only_their_owner_may_enter_are_seen(self, run, tmp_path):
        closed, open_to_all = tmp_path / "closed", tmp_path / "open"
        for place in (closed, open_to_all):
            (place / "tree").mkdir(parents=True)
            (place / "tree/file").write_text(place.name)
        (closed / "link").symlink_to(open_to_all / "tree")
        closed.chmod(0o700)
        sources = {"/a": closed / "tree", "/b": closed / "tree/file", "/c": closed / "link"}
        view = View(mounts=tuple(ReadOnly(source=source, target=target) for target, source in sources.items()))
        assert run("cat", "/a/file", "/b", "/c/file", view=view).stdout == b"closedclosedopen"

    def test_a_writable_mount_receives_what_is_written(self, run, tmp_path):
        place = tmp_path / "out"
        place.mkdir()
        result = run("sh", "-c", "echo made > /out/file", view=View(mounts=(Writable(source=place, target="/out"),)))
        assert result.ok, result.stderr
        assert (place / "file").read_text() == "made\n"

    def test_a_later_mount_lies_in_an_earlier_one(self, run, tmp_path):
        for name in ("seed/modules", "installed"):
            (tmp_path / name).mkdir(parents=True)
        (tmp_path / "seed/main").write_text("main")
        (tmp_path / "seed/modules/theirs").write_text("theirs")
        (tmp_path / "installed/ours").write_text("ours")
        view = View(
            mounts=(
                Scratch(target="/app", seed=tmp_path / "seed", keep=tmp_path / "kept"),
                ReadOnly(source=tmp_path / "installed", target="/app/modules"),
            ),
            workdir="/app",
        )
        result = run("sh", "-c", "find . -type f | sort; echo new > new", view=view)
        assert result.stdout.decode().split() == ["./main", "./modules/ours"]
        assert sorted(str(p.relative_to(tmp_path / "kept")) for p in (tmp_path / "kept").rglob("*") if p.is_file()) == [
            "main",
            "new",
        ]

    def test_a_mount_far_inside_an_earlier_one_leaves_the_folders_that_lead_there_writable(self, run, tmp_path):
        for name in ("seed/a/b/sub", "installed"):
            (tmp_path / name).mkdir(parents=True)
        (tmp_path / "seed/a/b/sub/theirs").write_text("theirs")
        (tmp_path / "installed/ours").write_text("ours")
        view = View(
            mounts=(
                Scratch(target="/app", seed=tmp_path / "seed", keep=tmp_path / "kept"),
                ReadOnly(source=tmp_path / "installed", target="/app/a/b/c"),
            ),
            workdir="/app",
        )
        result = run(
            "sh", "-c", "find . -type f | sort; echo new > a/new; echo new > a/b/new; ! echo x > a/b/c/x", view=view
        )
        assert result.ok, result.stderr
        assert result.stdout.decode().split() == ["./a/b/c/ours", "./a/b/sub/theirs"]
        kept = sorted(str(p.relative_to(tmp_path / "kept")) for p in (tmp_path / "kept").rglob("*") if p.is_file())
        assert kept == ["a/b/new", "a/b/sub/theirs", "a/new"]

    def test_a_seed_is_copied_with_modes_and_links_and_never_written(self, run, tmp_path):
        seed = tmp_path / "seed"
        (seed / "sub").mkdir(parents=True)
        (seed / "run.sh").write_text("#!/bin/sh\ncat sub/private\n")
        (seed / "run.sh").chmod(0o755)
        (seed / "sub/private").write_text("private")
        (seed / "sub/private").chmod(0o600)
        (seed / "link").symlink_to("run.sh")
        view = View(mounts=(Scratch(target="/app", seed=seed),), workdir="/app")
        result = run("sh", "-c", "./link && echo changed > run.sh && rm sub/private", view=view)
        assert (result.exit_code, result.stdout) == (0, b"private")
        assert (seed / "sub/private").read_text() == "private"
        assert "changed" not in (seed / "run.sh").read_text()


class TestLimits:
    @pytest.mark.needs("cgroup")
    def test_memory_taken_by_the_command_is_out_of_memory(self, python):
        result = python("x = b'x' * (1 << 30); print(len(x))", memory_bytes=64 * MiB, disk_bytes=MiB)
        assert result.cause is Cause.OUT_OF_MEMORY
        assert result.stdout == b""

    @pytest.mark.needs("cgroup")
    def test_memory_taken_by_a_child_alone_is_out_of_memory_though_the_command_lives(self, python):
        text = """
import subprocess, sys
child = subprocess.run([sys.executable, "-c", "x = b'x' * (1 << 30)"])
print(child.returncode)
sys.exit(1)
"""
        result = python(text, memory_bytes=64 * MiB, disk_bytes=MiB)
        assert (result.cause, result.stdout) == (Cause.OUT_OF_MEMORY, b"-9\n")

    def test_a_failed_allocation_is_not_out_of_memory(self, python):
        text = "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 28,) * 2); x = b'x' * (1 << 30)"
        result = python(text)
        assert (result.cause, result.exit_code) == (Cause.EXITED, 1)
        assert b"MemoryError" in result.stderr

    def test_use_is_measured(self, python):
        result = python("x = b'x' * (40 << 20)\nfor _ in range(3_000_000): pass", memory_bytes=256 * MiB)
        assert result.ok
        assert result.usage.cpu_seconds is not None and result.usage.cpu_seconds > 0.01
        assert result.usage.peak_memory_bytes is not None and result.usage.peak_memory_bytes > 40 * MiB

    def test_a_fork_bomb_stays_inside_and_ends(self, python):
        text = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""
        result = python(text, pids=32, wall_seconds=2)
        assert result.cause is Cause.TIMED_OUT

    def test_processes_are_limited(self, python):
        text = """
import os, time
made = 0
try:
    while made < 100:
        if os.fork() == 0:
            time.sleep(1000)
        made += 1
except OSError:
    pass
print(made, flush=True)
os.kill(-1, 9)
"""
        result = python(text, pids=20)
        assert 10 <= int(result.stdout) <= 20

    @pytest.mark.parametrize("place", ["/tmp", "/app"])
    def test_a_full_disk_is_an_error_inside_not_a_kill(self, python, place):
        text = """
import errno, sys
written = 0
try:
    with open(sys.argv[1] + "/big", "wb", buffering=0) as file:
        while True: written += file.write(bytes(1 << 20))
except OSError as error:
    print(errno.errorcode[error.errno], written)
"""
        result = python(
            text, place, view=View(mounts=(Scratch(target="/app"),)), disk_bytes=8 * MiB, memory_bytes=16 * MiB
        )
        assert result.cause is Cause.EXITED, result
        word, written = result.stdout.split()
        assert word == b"ENOSPC"
        assert 7 * MiB <= int(written) <= 8 * MiB

    def test_a_gigabyte_of_output_ends_the_command_and_leaves_our_memory_flat(self, run):
        run("true")  # what is imported and made once is not what is measured
        Path("/proc/self/clear_refs").write_text("5")
        before = _memory("VmHWM")
        result = run("sh", "-c", "head -c 1073741824 /dev/zero; echo done >&2", output_bytes=4 * MiB)
        assert result.cause is Cause.OUTPUT_LIMIT
        assert len(result.stdout) == 4 * MiB
        assert result.stderr == b""
        assert _memory("VmHWM") - before < 64 * MiB

    def test_output_on_both_streams_counts_together(self, run):
        result = run(
            "sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; sleep 1000", output_bytes=1_500_000
        )
        assert result.cause is Cause.OUTPUT_LIMIT
        assert len(result.stdout) + len(result.stderr) == 1_500_000

    def test_cpu_time_is_limited(self, run):
        result = run("sh", "-c", "while :; do :; done", cpu_seconds=0.5)
        assert result.cause is Cause.TIMED_OUT
        assert result.usage.cpu_seconds is not None and result.usage.cpu_seconds >= 0.5

    def test_what_was_written_before_the_time_was_up_is_kept(self, run):
        result = run("sh", "-c", "echo before; sleep 1000", wall_seconds=1)
        assert (result.cause, result.stdout) == (Cause.TIMED_OUT, b"before\n")

    @pytest.mark.parametrize(
        "detach",
        [
            "sleep {0} & sleep {0}",
            "setsid sleep {0} & sleep {0}",
            "(setsid sh -c 'sleep {0} & sleep {0} &' &) ; sleep {0}",
            "(nohup sleep {0} >/dev/null 2>&1 </dev/null &); exit 0",
        ],
        ids=["child", "session", "double fork", "daemon only"],
    )
    def test_time_up_ends_descendants_too(self, run, detach):
        mark = _mark()
        result = run("sh", "-c", detach.format(mark), wall_seconds=1)
        assert result.cause is Cause.TIMED_OUT
        assert _processes(mark) == []


class TestIsolation:
    def test_there_is_no_network(self, python):
        text = """
import socket
for family, address in ((socket.AF_INET, ("1.1.1.1", 53)), (socket.AF_INET, ("192.168.0.1", 80)), (socket.AF_INET6, ("2606:4700:4700::1111", 53))):
    try: socket.socket(family, socket.SOCK_DGRAM).connect(address)
    except OSError: continue
    print("a way to", address)
print([line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:] if line.split(":")[0].strip() != "lo" and line.split()[1] != "0"])
"""
        assert python(text).stdout == b"[]\n"

    def test_the_hosts_ports_and_sockets_are_out_of_reach(self, python, tmp_path):
        with ExitStack() as stack:
            port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            named = stack.enter_context(socket.socket(socket.AF_UNIX))
            abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
            path, hidden = f"/tmp/{uuid.uuid4().hex}", f"\0{uuid.uuid4().hex}"
            named.bind(path)
            stack.callback(os.unlink, path)
            Path(path).chmod(0o777)
            abstract.bind(hidden)
            named.listen()
            abstract.listen()
            text = """
import socket, sys
port, path, hidden = sys.argv[1:]
for family, address in ((socket.AF_INET, ("127.0.0.1", int(port))), (socket.AF_UNIX, path), (socket.AF_UNIX, "\\0" + hidden)):
    try: socket.socket(family).connect(address)
    except OSError: continue
    print("reached", address)
"""
            result = python(text, str(port.getsockname()[1]), path, hidden[1:])
        assert (result.exit_code, result.stdout) == (0, b""), result

    def test_there_is_no_privilege(self, python):
        text = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
print(os.getuid() != 0, os.geteuid() != 0, os.getgroups() in ([], [os.getgid()]), status["NoNewPrivs"].strip(), status["Seccomp"].strip())
print({status[f"Cap{kind}"].strip() for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")})
"""
        lines = python(text).stdout.decode().splitlines()
        assert lines[0] == "True True True 1 2"
        assert lines[1] == "{'0000000000000000'}"

    @pytest.mark.parametrize("set_user_id", ["su", "mount", "passwd", "newgrp"])
    def test_a_set_user_id_program_gives_nothing(self, python, set_user_id):
        text = """
import shutil, subprocess, sys
path = shutil.which(sys.argv[1])
program = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if path else None
if program:
    print([line for line in open(f"/proc/{program.pid}/status") if line.startswith("Uid")][0].split()[1:].count("0"))
    program.kill()
"""
        assert python(text, set_user_id).stdout in (b"", b"0\n")

    def test_only_its_own_processes_are_seen(self, python):
        result = python("import os; print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit())[-1] < 100)")
        assert result.stdout == b"True\n"


class TestServices:
    def test_a_pair_meets_on_its_loopback(self, box, run):
        with (
            box.loopback() as network,
            box.start(["python3", "-c", SERVER, "hello"], view=View(), limits=LIMITS, loopback=network),
        ):
            assert run("python3", "-c", CLIENT, loopback=network).stdout == b"hello"

    def test_two_services_on_one_port_side_by_side(self, box, run):
        with ExitStack() as stack:
            networks = [stack.enter_context(box.loopback()) for _ in range(2)]
            for name, network in zip(("first", "second"), networks, strict=True):
                stack.enter_context(
                    box.start(["python3", "-c", SERVER, name], view=View(), limits=LIMITS, loopback=network)
                )
            answers = [run("python3", "-c", CLIENT, loopback=network).stdout for network in networks]
        assert answers == [b"first", b"second"]

    def test_a_pair_shares_nothing_but_the_loopback(self, box, python):
        service = "import os, time; open('/tmp/mine', 'w'); open('/dev/shm/mine', 'w'); print('ready', flush=True); time.sleep(1000)"
        text = "import os; print([p for p in ('/tmp/mine', '/dev/shm/mine') if os.path.exists(p)], len([p for p in os.listdir('/proc') if p.isdigit()]) < 4)"
        with (
            box.loopback() as network,
            box.start(["python3", "-c", service], view=View(), limits=LIMITS, loopback=network),
        ):
            assert python(text, loopback=network).stdout == b"[] True\n"

    def test_a_stopped_service_was_killed_and_tells_what_it_wrote(self, box):
        with (
            box.loopback() as network,
            box.start(["python3", "-c", SERVER, "hello"], view=View(), limits=LIMITS, loopback=network) as service,
        ):
            assert box.run(["python3", "-c", CLIENT], view=View(), limits=LIMITS, loopback=network).ok
            assert service.running
            assert service.command_exit is None
            result = service.stop()
        assert (result.cause, result.stdout) == (Cause.KILLED, b"listening\n")
        assert service.stop() == result
        assert not service.running

    def test_a_service_that_ends_by_itself_says_how(self, box):
        with box.start(["sh", "-c", "echo bye; exit 3"], view=View(), limits=LIMITS) as service:
            assert service.wait(60)
            assert (service.running, service.command_exit) == (False, 3)
            result = service.stop()
        assert (result.cause, result.exit_code, result.stdout) == (Cause.EXITED, 3, b"bye\n")

    def test_a_command_that_daemonises_keeps_its_service_running(self, box, run):
        command = ["sh", "-c", 'setsid python3 -c "$0" daemon </dev/null >/dev/null 2>&1 & exit 7', SERVER]
        with box.loopback() as network, box.start(command, view=View(), limits=LIMITS, loopback=network) as service:
            assert run("python3", "-c", CLIENT, loopback=network).stdout == b"daemon"
            assert service.running
            assert service.command_exit == 7
            assert not service.wait(0)
            assert service.stop().cause is Cause.KILLED

    def test_a_service_outlives_the_thread_that_started_it(self, box):
        with ExitStack() as stack:
            started = []
            thread = threading.Thread(
                target=lambda: started.append(
                    stack.enter_context(box.start(["sleep", "1000"], view=View(), limits=LIMITS))
                )
            )
            thread.start()
            thread.join()
            assert not started[0].wait(0.5)
            assert started[0].running

    def test_leaving_the_context_ends_everything(self, box):
        mark = _mark()
        with box.start(["sh", "-c", f"setsid sleep {mark} & sleep {mark}"], view=View(), limits=LIMITS):
            pass
        assert _processes(mark) == []

    def test_an_error_of_ours_is_raised_by_start(self, box):
        with (
            pytest.raises(InfrastructureError, match="nowhere"),
            box.start(["true"], view=View(workdir="/nowhere"), limits=LIMITS),
        ):
            pass


HOSTILE_TREE = """
import os
os.chdir("/app")
os.makedirs("deep/er")
open("deep/er/file", "w").write("kept")
open("..name", "w").write("dots"); open("new\\nline", "w").write("odd")
os.symlink("/etc/passwd", "absolute"); os.symlink("../../../../etc", "climbing"); os.symlink("absolute", "chained"); os.symlink("loop", "loop")
os.mkfifo("pipe")
import socket; socket.socket(socket.AF_UNIX).bind("socket")
try: os.mknod("device", 0o666 | 0o020000, os.makedev(1, 3))
except OSError: pass
open("setuid", "w").close(); os.chmod("setuid", 0o6755); os.mkdir("sticky"); os.chmod("sticky", 0o3777)
open("closed", "w").write("closed"); os.link("closed", "linked"); os.chmod("closed", 0)
os.mkdir("shut"); open("shut/in", "w").write("in"); os.chmod("shut", 0)
"""


class TestKeep:
    def test_a_kept_tree_comes_out_if_the_command_exits_with_0(self, run, tmp_path):
        kept = tmp_path / "kept"
        result = run("sh", "-c", "mkdir -p /app/a && echo b > /app/a/b && chmod +x /app/a/b", view=_keeping(kept))
        assert result.ok
        assert (kept / "a/b").read_text() == "b\n"
        assert (kept / "a/b").stat().st_mode & 0o111

    def test_what_a_descendant_writes_after_the_command_has_ended_comes_out_too(self, run, tmp_path):
        command = "mkfifo /app/go; (read x < /app/go; sleep 0.2; echo late > /app/late) & echo > /app/go"
        assert run("sh", "-c", command, view=_keeping(tmp_path / "kept")).ok
        assert (tmp_path / "kept/late").read_text() == "late\n"

    @pytest.mark.parametrize("command", ["exit 1", "kill -9 $$", "head -c 9000000 /dev/zero"])
    def test_nothing_comes_out_otherwise(self, run, tmp_path, command):
        assert not run(
            "sh", "-c", f"echo x > /app/file; {command}", view=_keeping(tmp_path / "kept"), output_bytes=MiB
        ).ok
        assert list(tmp_path.iterdir()) == []

    def test_a_hostile_tree_comes_out_tame(self, python, tmp_path):
        kept = tmp_path / "kept"
        result = python(HOSTILE_TREE, view=_keeping(kept))
        assert result.ok, result
        kinds = {stat.S_IFMT(p.lstat().st_mode) for p in kept.rglob("*")}
        assert kinds == {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
        assert all(not p.lstat().st_mode & 0o7000 for p in kept.rglob("*"))
        assert {p.lstat().st_uid for p in kept.rglob("*")} == {os.geteuid()}
        assert (kept / "deep/er/file").read_text() == "kept"
        assert (kept / "..name").read_text() == "dots"
        assert str((kept / "absolute").readlink()) == "/etc/passwd"
        assert str((kept / "climbing").readlink()) == "../../../../etc"
        assert (kept / "linked").read_text() == "closed"
        assert (kept / "shut/in").read_text() == "in"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["kept"]

    @pytest.mark.parametrize(
        "text",
        [
            "open('/app/huge', 'wb').truncate(1 << 40)",
            "import os\nopen('/app/0', 'wb').write(bytes(20 << 20))\nfor n in range(2000): os.mkdir(f'/app/d{n}')\nopen('/app/hole', 'wb').truncate(20 << 20)",
        ],
        ids=["one sparse file", "together"],
    )
    def test_a_tree_larger_than_the_disk_limit_is_the_commands_fault(self, python, tmp_path, text):
        result = python(text, view=_keeping(tmp_path / "kept"))
        assert result.cause is Cause.OUTPUT_LIMIT
        assert any("keep" in note for note in result.notes)
        assert list(tmp_path.iterdir()) == []


HARNESS = """
import sys
from repoproof.sandbox import Limits, Scratch, View, open_sandbox
box = open_sandbox(sys.argv[1])
with box.loopback() as network:
    command = ["sh", "-c", f"setsid sleep {sys.argv[2]} & echo up; sleep {sys.argv[2]}"]
    with box.start(command, view=View(mounts=(Scratch(target="/app"),)), limits=Limits(), loopback=network):
        with box.start(command, view=View(), limits=Limits()):
            print("ready", flush=True)
            sys.stdin.read()
"""


def test_nothing_is_left_after_the_harness_was_killed_and_gc_ran(box):
    mark = _mark()
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, box.name, mark], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert harness.stdout is not None and harness.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 60
        while len(_processes(mark)) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        inside = [os.pidfd_open(pid) for pid in _processes(mark)]
        assert len(inside) >= 4
        alive = [line for line in collect(dry_run=True) if f"-{harness.pid}-" in line]
        assert alive == [], "what a living process owns is left alone"
    finally:
        harness.kill()
        harness.wait()
    collect()
    for fd in inside:
        assert select.select([fd], [], [], 60)[0]
        os.close(fd)
    # An engine takes its time to remove what somebody else, here or in another test, has told it to.
    deadline = time.monotonic() + 60
    while left := [line for line in collect(dry_run=True) if f"-{harness.pid}-" in line]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def _keeping(kept: Path) -> View:
    return View(mounts=(Scratch(target="/app", keep=kept),), workdir="/app")


def _mark() -> str:
    """A number of seconds that no other process sleeps."""
    return f"{uuid.uuid4().int % 10**9 + 10**9}"


def _processes(mark: str) -> list[int]:
    """Those with `sleep MARK` as their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", mark.encode()]:
            found.append(int(path.parent.name))
    return found


def _memory(field: str) -> int:
    """Of this process, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024
