"""The system-call guard: a filter that refuses what no program under test needs and kernel exploits love.

A deny-list, because an allow-list breaks some runtime every year. Refused calls fail as they do for want of privilege, so that
programs which probe for a feature fall back. Namespaces, capabilities and control groups contain the candidate; this narrows the
kernel surface that it can attack them through.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Mapping, Sequence

from ..core.errors import Boundary, InfrastructureError

# name: (number on x86_64, number on aarch64), None where it does not exist.
_REFUSED: Mapping[str, tuple[int | None, int | None]] = {
    # New namespaces and mounts: the surface of most local root exploits of the last years.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # Other processes' memory and descriptors.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Programs in the kernel, and asynchronous ways round this very filter.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Keyrings are shared by all processes of a user, whatever namespace they are in.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Files by handle pass by every mount point.
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    # The machine as a whole.
    "acct": (163, 89),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "settimeofday": (164, 170),
    "delete_module": (176, 106),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "iopl": (172, None),
    "ioperm": (173, None),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "nfsservctl": (180, 42),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "uselib": (134, None),
    "vhangup": (153, 58),
    # Memory that no one, the watchdog included, can see.
    "memfd_secret": (447, 447),
}

_CLONE, _CLONE3, _IOCTL, _SOCKET, _SOCKETPAIR = (56, 220), (435, 435), (16, 29), (41, 198), (53, 199)
_NEW_NAMESPACE_FLAGS = 0x7E02_0000
_TERMINAL_INJECTION = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put characters into the terminal, where the shell outside would run them."""
_SOCKET_FAMILIES = (1, 2, 10, 16)
"""unix, inet, inet6 and netlink. Among the others is vsock, which no network namespace confines."""

_ARCHITECTURES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}
_X32_BIT = 0x4000_0000

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

_Program = list[tuple[int, int, int, int]]
"""Instructions: code, jump if true, jump if false (both relative to the next one), constant."""


def guard_program(machine: str | None = None) -> bytes:
    """The filter as the kernel (and `bwrap --seccomp`) takes it, for a processor named as `uname -m` names it."""
    machine = machine or os.uname().machine
    if machine not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        raise InfrastructureError(
            f"no system-call guard for {machine} processors, only for {known}", boundary=Boundary.SANDBOX
        )
    column, architecture = _ARCHITECTURES[machine]
    program: _Program = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if machine == "x86_64":
        program += [(_JUMP_AT_LEAST, 0, 1, _X32_BIT), _refuse(errno.ENOSYS)]
    for numbers in _REFUSED.values():
        if (number := numbers[column]) is not None:
            program += [(_JUMP_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    # clone3 has its flags in memory, where no filter can look; C libraries fall back to clone.
    program += [(_JUMP_EQUAL, 0, 1, _CLONE3[column]), _refuse(errno.ENOSYS)]
    program += _if_call(_CLONE[column], 0, [(_JUMP_ANY_BIT, 0, 1, _NEW_NAMESPACE_FLAGS), _refuse(errno.EPERM)])
    injection: _Program = []
    for request in _TERMINAL_INJECTION:
        injection += [(_JUMP_EQUAL, 0, 1, request), _refuse(errno.EPERM)]
    program += _if_call(_IOCTL[column], 1, injection)
    for call in (_SOCKET, _SOCKETPAIR):
        program += _if_call(call[column], 0, _unless_one_of(_SOCKET_FAMILIES, errno.EAFNOSUPPORT))
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _refuse(number: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | number)


def _if_call(number: int, argument: int, body: _Program) -> _Program:
    """Run `body` on the low half of an argument of one system call; it returns or falls through."""
    inner: _Program = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument), *body, (_LOAD, 0, 0, _NUMBER_AT)]
    return [(_JUMP_EQUAL, 0, len(inner), number), *inner]


def _unless_one_of(values: Sequence[int], error: int) -> _Program:
    return [*((_JUMP_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)), _refuse(error)]
