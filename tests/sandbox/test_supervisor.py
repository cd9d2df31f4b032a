from __future__ import annotations

import os
import platform
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.core.errors import InfrastructureError
from repoproof.sandbox.supervisor import MACHINES, Event, Reports, Step, supervised, supervisor

SOURCES = Path(supervisor()).parent
HERE_AND_EMULATED = [
    machine if machine == platform.machine() else pytest.param(machine, marks=pytest.mark.needs("emulator"))
    for machine in MACHINES
]


def reports(machine: str, command: list[str], steps: list[Step] | None = None, **options) -> list[tuple[Event, int]]:
    """What the supervisor for a processor tells about a command, run outside any sandbox."""
    emulator = [] if machine == platform.machine() else [f"qemu-{machine}-static"]
    read, write = os.pipe()
    subprocess.run(
        [*emulator, *supervised(str(supervisor(machine)), write, steps or [], command)], pass_fds=[write], **options
    )
    os.close(write)
    with open(read, "rb") as stream:
        return [tuple(report) for report in Reports().feed(stream.read())]


@pytest.mark.parametrize("machine", HERE_AND_EMULATED)
class TestReports:
    @pytest.mark.parametrize(
        ("script", "code"), [("exit 0", 0), ("exit 137", 137), ("kill -9 $$", -9), ("kill -TERM $$", -15)]
    )
    def test_how_the_command_ended_is_told(self, machine, script, code):
        begun, ended, empty = reports(machine, ["sh", "-c", script])
        assert (begun[0], ended[0], empty[0]) == (Event.BEGUN, Event.ENDED, Event.EMPTY)
        assert os.waitstatus_to_exitcode(ended[1]) == code

    @pytest.mark.parametrize(
        ("name", "code"), [("no-such-program", 127), ("/etc/passwd", 126), ("/nowhere/at/all", 127)]
    )
    def test_a_program_that_cannot_run_is_told_as_a_shell_does(self, machine, name, code):
        ended = reports(machine, [name], stderr=subprocess.DEVNULL)[1]
        assert os.waitstatus_to_exitcode(ended[1]) == code

    def test_programs_are_found_along_the_path(self, machine, tmp_path):
        (tmp_path / "mine").write_text("#!/bin/sh\nexit 9\n")
        (tmp_path / "mine").chmod(0o755)
        ended = reports(machine, ["mine"], env={"PATH": f"/nowhere:{tmp_path}:/usr/bin"})[1]
        assert os.waitstatus_to_exitcode(ended[1]) == 9

    def test_a_failing_step_before_the_command_keeps_it_from_running(self, machine, tmp_path):
        told = reports(machine, ["touch", str(tmp_path / "ran")], [Step("in", 0, "exit 3")])
        assert [event for event, _ in told] == [Event.FAILED]
        assert not (tmp_path / "ran").exists()

    def test_a_step_after_the_command_runs_if_it_exited_with_0(self, machine, tmp_path):
        step = Step("out", 1, f"echo x >> {tmp_path}/ran")
        reports(machine, ["false"], [step])
        assert not (tmp_path / "ran").exists()
        reports(machine, ["true"], [step])
        assert (tmp_path / "ran").exists()


def test_an_unknown_processor_is_said_by_name():
    with pytest.raises(InfrastructureError, match="riscv64"):
        supervisor("riscv64")


@pytest.mark.needs("compilers")
@pytest.mark.parametrize("machine", MACHINES)
def test_the_programs_that_are_shipped_are_what_the_sources_make(machine, tmp_path):
    subprocess.run([SOURCES / "build", machine], env={**os.environ, "OUT": str(tmp_path)}, check=True)
    assert (tmp_path / f"supervise-{machine}").read_bytes() == supervisor(machine).read_bytes()


@given(st.lists(st.tuples(st.sampled_from(list(Event)), st.integers(-(2**31), 2**31 - 1))), st.integers(1, 20))
def test_reports_arrive_in_any_pieces(told, size):
    data = b"".join(struct.pack("=ii", event.value, status) for event, status in told)
    taken = Reports()
    assert [tuple(r) for at in range(0, len(data), size) for r in taken.feed(data[at : at + size])] == told
