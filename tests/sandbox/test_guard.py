"""The filter, run by an interpreter of the few instructions that it uses: so that the program for the other processor is tested too."""

from __future__ import annotations

import errno
import struct

import pytest

from repoproof.core.errors import InfrastructureError
from repoproof.sandbox.guard import guard_program

ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, KILLED = "allowed", "killed"


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None) -> str:
    """What the kernel would do with a system call: allow it, kill the process, or the error's name."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number, architecture or ARCHITECTURE[machine], 0, *padded)
    program = list(struct.iter_unpack("=HBBI", guard_program(machine)))
    at, accumulator = 0, 0
    while True:
        code, yes, no, constant = program[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, constant)
            case 0x15:
                at += yes if accumulator == constant else no
            case 0x35:
                at += yes if accumulator >= constant else no
            case 0x45:
                at += yes if accumulator & constant else no
            case 0x06:
                if constant == 0x7FFF0000:
                    return ALLOWED
                return KILLED if constant == 0x80000000 else errno.errorcode[constant & 0xFFFF]
            case _:
                raise AssertionError(f"instruction {code:#x}")


CALLS = {
    "x86_64": {"read": 0, "openat": 257, "execve": 59, "clone": 56, "clone3": 435, "ioctl": 16, "socket": 41, "socketpair": 53, "ptrace": 101, "mount": 165, "unshare": 272, "bpf": 321, "futex": 202},
    "aarch64": {"read": 63, "openat": 56, "execve": 221, "clone": 220, "clone3": 435, "ioctl": 29, "socket": 198, "socketpair": 199, "ptrace": 117, "mount": 40, "unshare": 97, "bpf": 280, "futex": 98},
}  # fmt: skip


@pytest.mark.parametrize("machine", ARCHITECTURE)
@pytest.mark.parametrize(
    ("call", "arguments", "decision"),
    [
        ("read", (), ALLOWED),
        ("openat", (), ALLOWED),
        ("execve", (), ALLOWED),
        ("futex", (), ALLOWED),
        ("ptrace", (), "EPERM"),
        ("mount", (), "EPERM"),
        ("unshare", (0x10000000,), "EPERM"),
        ("bpf", (), "EPERM"),
        ("clone3", (), "ENOSYS"),
        ("clone", (17,), ALLOWED),
        ("clone", (0x3D0F00,), ALLOWED),
        ("clone", (0x10000000 | 17,), "EPERM"),
        ("clone", (0x00020000,), "EPERM"),
        ("ioctl", (0, 0x5401), ALLOWED),
        ("ioctl", (0, 0x5412), "EPERM"),
        ("ioctl", (0, 0xFFFFFFFF_00005412), "EPERM"),
        ("ioctl", (0x5412, 0), ALLOWED),
        ("socket", (1,), ALLOWED),
        ("socket", (2,), ALLOWED),
        ("socket", (10,), ALLOWED),
        ("socket", (16,), ALLOWED),
        ("socket", (17,), "EAFNOSUPPORT"),
        ("socket", (38,), "EAFNOSUPPORT"),
        ("socket", (40,), "EAFNOSUPPORT"),
        ("socket", (0xFFFFFFFF_00000028,), "EAFNOSUPPORT"),
        ("socketpair", (1,), ALLOWED),
        ("socketpair", (40,), "EAFNOSUPPORT"),
    ],
)
def test_each_call_is_decided_by_its_number_and_arguments(machine, call, arguments, decision):
    assert decide(machine, CALLS[machine][call], *arguments) == decision


@pytest.mark.parametrize("machine", ARCHITECTURE)
def test_another_architecture_kills(machine):
    assert decide(machine, CALLS[machine]["read"], architecture=0x40000003) == KILLED


def test_the_second_set_of_numbers_on_x86_64_is_not_there():
    assert decide("x86_64", 0x40000000) == decide("x86_64", 0x40000000 + 272) == "ENOSYS"


@pytest.mark.parametrize("machine", ARCHITECTURE)
def test_most_calls_are_allowed(machine):
    allowed = [number for number in range(450) if decide(machine, number, 1) == ALLOWED]
    assert len(allowed) > 380


def test_an_unknown_processor_is_said_by_name():
    with pytest.raises(InfrastructureError, match="riscv64"):
        guard_program("riscv64")
