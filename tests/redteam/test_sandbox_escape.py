"""The attacker is the candidate's code, run in a sandbox. It tries to forge how it ended (a service that crashed would count as
deployed), to see what verifies it (hidden tests would be passed by reading them), to outlive its time or memory (and so win tests that
others lose), or to reach the harness, which writes the verdicts."""

from __future__ import annotations

import os
import platform
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from repoproof.core.base import MiB
from repoproof.core.outcomes import Cause
from repoproof.sandbox import Limits, Scratch, View

SYSCALLS = {
    "x86_64": {
        "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "open_tree": 428, "fsopen": 430,
        "ptrace": 101, "process_vm_writev": 311, "pidfd_getfd": 438, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
        "io_uring_setup": 425, "keyctl": 250, "add_key": 248, "open_by_handle_at": 304, "kexec_load": 246, "init_module": 175,
    },
    "aarch64": {
        "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "open_tree": 428, "fsopen": 430,
        "ptrace": 117, "process_vm_writev": 271, "pidfd_getfd": 438, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282,
        "io_uring_setup": 425, "keyctl": 219, "add_key": 217, "open_by_handle_at": 265, "kexec_load": 104, "init_module": 105,
    },
}[platform.machine()]  # fmt: skip

CALL = """
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    answer = libc.syscall(number, *(ctypes.c_long(a) for a in arguments))
    return answer if answer >= 0 else errno.errorcode[ctypes.get_errno()]
"""


class TestForgedEnds:
    def test_the_supervisors_channel_cannot_be_opened_read_or_written(self, python):
        text = """
import os, sys
for path in ("/proc/1/mem", "/proc/1/environ", "/proc/1/exe", "/proc/1/root/etc", "/proc/1/cwd/etc", "/proc/1/maps"):
    for flags in (os.O_RDONLY, os.O_RDWR):
        try: fd = os.open(path, flags)
        except OSError: continue
        print("opened", path, flags)
try: numbers = os.listdir("/proc/1/fd")
except OSError: numbers = range(64)
for number in numbers:
    for flags in (os.O_RDONLY, os.O_WRONLY):
        try: os.open(f"/proc/1/fd/{number}", flags)
        except OSError: continue
        print("opened", number)
sys.exit(5)
"""
        result = python(text)
        assert (result.stdout, result.exit_code) == (b"", 5)

    def test_the_supervisor_cannot_be_killed_or_stopped_from_inside(self, python):
        text = """
import os, signal, time
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
time.sleep(0.1)
print("still here", flush=True)
os._exit(3)
"""
        result = python(text)
        assert (result.cause, result.exit_code, result.stdout) == (Cause.EXITED, 3, b"still here\n")

    def test_bytes_like_reports_on_every_descriptor_change_nothing(self, python):
        text = """
import os, struct
for fd in range(256):
    try: os.write(fd, struct.pack("=ii", ord("E"), 0) + struct.pack("=ii", ord("Z"), 0))
    except OSError: pass
os._exit(4)
"""
        result = python(text)
        assert (result.cause, result.exit_code) == (Cause.EXITED, 4)

    def test_a_service_cannot_pretend_to_run_on(self, box):
        text = "import os, struct; os.write(1, struct.pack('=ii', ord('B'), 0)); os.fork() or os._exit(0); os.kill(os.getppid(), 9)"
        with box.start(["python3", "-c", text], view=View(), limits=Limits()) as service:
            assert service.wait(60)
            assert not service.running

    def test_no_program_of_the_candidates_runs_while_its_tree_is_taken_out(self, run, tmp_path):
        script = "mkdir bin; for p in tar chmod sh env; do printf '#!/bin/sh\\necho ran > /app/forged; sleep 1000' > bin/$p; done; /bin/chmod +x bin/*"
        view = View(
            mounts=(Scratch(target="/app", keep=tmp_path / "kept"),),
            environment={
                "PATH": "/app/bin:/usr/bin:/bin",
                "ENV": "/app/bin/sh",
                "TAR_OPTIONS": "--to-command=/app/bin/sh",
            },
            workdir="/app",
        )
        assert run("/bin/sh", "-c", script, view=view).ok
        assert [p.name for p in (tmp_path / "kept").iterdir()] == ["bin"]

    def test_the_kept_directory_cannot_be_swapped_for_another(self, python, tmp_path):
        text = """
import os
for trick in (lambda: os.rename("/app", "/tmp/work"), lambda: os.rmdir("/app"), lambda: os.symlink("/etc", "/app"), lambda: os.unlink("/app")):
    try: trick()
    except OSError: continue
    print("worked")
"""
        result = python(text, view=View(mounts=(Scratch(target="/app", keep=tmp_path / "kept"),)))
        assert (result.exit_code, result.stdout) == (0, b"")
        assert list((tmp_path / "kept").iterdir()) == []


class TestKernelSurface:
    @pytest.mark.parametrize("name", SYSCALLS)
    def test_a_dangerous_system_call_is_refused(self, python, name):
        assert (
            python(CALL + "print(call(int(sys.argv[1]), 0, 0, 0, 0, 0, 0))", str(SYSCALLS[name])).stdout == b"EPERM\n"
        )

    @pytest.mark.parametrize("flag", ["0x10000000", "0x00020000", "0x20000000", "0x40000000", "0x02000000"])
    def test_a_clone_into_a_new_namespace_is_refused(self, python, flag):
        clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
        text = CALL + f"r = call({clone}, {flag} | 17, 0, 0, 0, 0)\nif r == 0: libc._exit(0)\nprint(r)"
        assert python(text).stdout == b"EPERM\n"

    def test_clone3_is_not_there_so_that_its_flags_need_not_be_seen(self, python):
        assert python(CALL + "print(call(435, 0, 0))").stdout == b"ENOSYS\n"

    @pytest.mark.skipif(platform.machine() != "x86_64", reason="has no second set of system calls")
    def test_calls_by_another_architectures_numbers_do_not_get_through(self, python):
        x32 = CALL + "print(call(0x40000000 + 272, 0x10000000))"
        assert python(x32).stdout == b"ENOSYS\n"
        by_interrupt = """
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=7)
code.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # mov eax, getpid; int 0x80; ret
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))())
"""
        result = python(by_interrupt)
        assert result.cause is Cause.SIGNALLED
        assert result.stdout == b""

    def test_sockets_that_no_network_namespace_confines_cannot_be_made(self, python):
        text = """
import socket
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try: socket.socket(family, kind)
        except OSError: continue
        if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK): print(family, kind)
        if kind == socket.SOCK_RAW and family not in (socket.AF_UNIX, socket.AF_NETLINK): print("raw", family)
"""
        assert python(text).stdout == b""

    def test_the_kernels_switches_cannot_be_turned(self, python):
        text = """
import glob, os
for path in ["/proc/sysrq-trigger", "/proc/self/oom_score_adj", *glob.glob("/proc/sys/**", recursive=True), *glob.glob("/sys/**/cgroup.procs", recursive=True)]:
    if os.path.isdir(path): continue
    try:
        with open(path, "w") as file: file.write("-1000" if "oom" in path else "0")
    except OSError: continue
    print(path)
"""
        assert python(text).stdout == b""

    def test_no_device_but_the_harmless_ones(self, python):
        text = """
import os, stat
harmless = {"null", "zero", "full", "random", "urandom", "tty", "console", "ptmx"}
for folder, _, files in os.walk("/dev"):
    for name in files:
        mode = os.lstat(os.path.join(folder, name)).st_mode
        if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and name not in harmless: print(folder, name)
"""
        assert python(text).stdout == b""


class TestOutliving:
    def test_a_command_that_stops_everything_still_runs_out_of_time(self, python):
        text = "import os, signal; os.fork(); os.setsid() if os.getpid() != os.getpgid(0) else None; os.kill(-1, signal.SIGSTOP); os.kill(os.getpid(), signal.SIGSTOP)"
        assert python(text, wall_seconds=1).cause is Cause.TIMED_OUT

    def test_ignoring_every_signal_does_not_help(self, python):
        text = """
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
time.sleep(1000)
"""
        assert python(text, wall_seconds=1).cause is Cause.TIMED_OUT

    def test_killing_all_that_can_be_killed_reaches_nobody_else(self, box, python):
        with box.start(["sleep", "1000"], view=View(), limits=Limits()) as neighbour:
            python("import os; os.kill(-1, 9)")
            assert neighbour.running

    def test_closing_all_output_does_not_end_the_account(self, python):
        result = python("import os; os.closerange(0, 100); os._exit(6)")
        assert (result.cause, result.exit_code) == (Cause.EXITED, 6)

    @pytest.mark.needs("cgroup")
    @pytest.mark.parametrize("place", ["/dev/shm", "/tmp", "memfd"])
    def test_memory_in_files_is_limited_too(self, python, place):
        text = """
import os, sys
try:
    fd = os.memfd_create("x") if sys.argv[1] == "memfd" else os.open(sys.argv[1] + "/x", os.O_CREAT | os.O_WRONLY)
    for _ in range(1024): os.write(fd, bytes(1 << 20))
except OSError: sys.exit(9)
"""
        result = python(text, place, memory_bytes=32 * MiB, disk_bytes=8 * MiB)
        assert result.cause is Cause.OUT_OF_MEMORY or result.exit_code == 9

    def test_a_signalled_process_with_its_parents_code_is_not_out_of_memory(self, run):
        assert run("sh", "-c", "kill -9 $$").cause is Cause.SIGNALLED
        assert run("sh", "-c", "(kill -9 $$) & wait; exit 137").cause in (Cause.SIGNALLED, Cause.EXITED)


SHELL = """
import array, fcntl, sys, termios
from repoproof.sandbox import Limits, View, open_sandbox
text = '''
import fcntl, os, sys, termios
print("tty", os.isatty(0), os.isatty(1), flush=True)
for request in (termios.TIOCSTI, 0x541C):
    for byte in b"touch /tmp/typed; ":
        try: fcntl.ioctl(0, request, bytes([byte]))
        except OSError: pass
sys.exit(7)
'''
code = open_sandbox(sys.argv[1]).shell(["python3", "-c", text], view=View(), limits=Limits(output_bytes=10))
waiting = array.array("i", [0])
fcntl.ioctl(0, termios.FIONREAD, waiting)
print("typed", waiting[0], flush=True)
sys.exit(code)
"""


def test_a_shell_has_a_terminal_but_cannot_type_into_ours(box):
    ours, theirs = pty.openpty()
    options = termios.tcgetattr(theirs)
    options[3] &= ~termios.ICANON  # what was typed can be counted before the end of a line
    termios.tcsetattr(theirs, termios.TCSANOW, options)
    command = [sys.executable, "-c", SHELL, box.name]
    harness = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:  # how a terminal says that its other side is gone
        pass
    os.close(ours)
    # What was typed into a terminal inside may be echoed before the count of what came to ours.
    lines = re.findall(r"tty \w+ \w+|typed \d+", said.decode())
    assert (harness.wait(60), lines) == (7, ["tty True True", "typed 0"]), said


def test_mountinfo_is_all_that_tells_of_host_paths(python, tmp_path):
    """Known: the kernel shows where a mount came from. What matters is that the path leads nowhere inside."""
    text = "import os; print(os.path.exists(__import__('sys').argv[1]))"
    assert python(text, str(Path(__file__))).stdout == b"False\n"
