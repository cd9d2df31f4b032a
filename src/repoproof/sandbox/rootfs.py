"""What a bubblewrap sandbox sees: the host's /usr, an /etc of our own, and what the view names."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from ..core.base import MiB
from ..core.errors import Boundary, InfrastructureError
from ..core.paths import cache_root
from .base import Limits, ReadOnly, Scratch, View, Writable
from .supervisor import supervisor

NOBODY = 65534
"""User and group of the candidate, inside; outside too if we are root."""
SHARED_MEMORY_BYTES = 64 * MiB
"""Size of /dev/shm."""
SUPERVISOR_INSIDE = "/run/supervise"
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
}
"""What every command finds, unless its view says otherwise."""
OPEN_FILES = 4096
"""Descriptors that a process may have."""

_ETC = {
    "passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:{NOBODY}:{NOBODY}:nobody:/tmp:/bin/sh\n",
    "group": f"root:x:0:\nnogroup:x:{NOBODY}:\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n",
    "resolv.conf": "",
}
_ETC_OF_HOST = (
    "ld.so.cache",
    "ld.so.conf",
    "alternatives",
    "mime.types",
    "services",
    "protocols",
    "localtime",
    "maven",
)
"""Parts of the host's /etc without which installed programs do not work; none of them tells about the host's people or network."""


def tmpfs_bytes(view: View, limits: Limits) -> int:
    """How much memory the writable file systems of a sandbox can take, full to the brim."""
    scratches = sum(isinstance(mount, Scratch) for mount in view.mounts)
    return (scratches + 1) * limits.disk_bytes + SHARED_MEMORY_BYTES


def system_arguments(limits: Limits) -> list[str]:
    """bwrap's arguments for everything beside the view."""
    arguments = [*_toolchain_arguments()]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    arguments += ["--perms", "1777", "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    return [*arguments, "--perms", "1777", "--size", str(limits.disk_bytes), "--tmpfs", "/tmp"]


def view_arguments(view: View, limits: Limits, sources: dict[Path, Path]) -> list[str]:
    """bwrap's arguments for the mounts of a view. `sources` says where a source is to be taken from, if not from its own place."""
    arguments: list[str] = []
    for mount in view.mounts:
        match mount:
            case ReadOnly():
                arguments += ["--ro-bind", str(sources.get(mount.source, mount.source)), mount.target]
            case Writable():
                arguments += ["--bind", str(sources.get(mount.source, mount.source)), mount.target]
            case Scratch():
                arguments += ["--perms", "0755", "--size", str(limits.disk_bytes), "--tmpfs", mount.target]
    return arguments


@cache
def _toolchain_arguments() -> Sequence[str]:
    """/usr as it is, /bin and its like as the host has them, /etc reduced to what programs need."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        place = Path("/", name)
        if place.is_symlink():
            arguments += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            arguments += ["--ro-bind", str(place), str(place)]
    ours = _our_files()
    arguments += ["--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/run"]
    for name in _ETC:
        arguments += ["--ro-bind", str(ours / name), f"/etc/{name}"]
    etc = Path("/etc")
    for place in (*(etc / name for name in _ETC_OF_HOST), *sorted(etc.glob("java-*"))):
        if place.exists():
            arguments += ["--ro-bind", str(place.resolve()), str(place)]
    return [*arguments, "--ro-bind", str(ours / "supervise"), SUPERVISOR_INSIDE]


def _our_files() -> Path:
    """A directory with our own /etc and the supervisor, where the sandbox's user can read it: the package itself may lie in a home."""
    files = {name: (text.encode(), 0o644) for name, text in _ETC.items()}
    files["supervise"] = (supervisor().read_bytes(), 0o755)
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    place = cache_root() / "sandbox" / digest
    try:
        make_public_directory(place)
        for name, (content, mode) in files.items():
            target = place / name
            if not target.is_file() or target.read_bytes() != content or stat.S_IMODE(target.stat().st_mode) != mode:
                partial = place / f".{name}.{os.getpid()}"
                partial.write_bytes(content)
                partial.chmod(mode)
                partial.replace(target)
    except OSError as error:
        raise InfrastructureError(
            f"cannot prepare the sandbox's own files: {error}", boundary=Boundary.SANDBOX
        ) from error
    return place


def staging_place() -> Path:
    """An empty directory that anyone may enter: a mount point, in mount namespaces of our own only."""
    place = cache_root() / "sandbox" / "stage"
    make_public_directory(place)
    return place


def make_public_directory(place: Path) -> None:
    """Make a directory that the sandbox's user can enter, whatever our umask is. Parents that exist are left as they are."""
    for directory in (*reversed(place.parents), place):
        with contextlib.suppress(FileExistsError):
            directory.mkdir()
            directory.chmod(0o755)


def needs_staging(source: Path) -> bool:
    """Whether another user cannot get to `source`: some directory above is closed to others."""
    return not all(_open_to_others(parent, stat.S_IXOTH) for parent in source.parents)


@cache
def _checked(source: str, identity: tuple[int, int, int]) -> str:
    for path in _entries(source):
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            wanted = stat.S_IROTH | stat.S_IXOTH
        elif stat.S_ISREG(status.st_mode):
            wanted = stat.S_IROTH
        else:
            continue
        if status.st_mode & wanted != wanted and status.st_uid != NOBODY:
            return path
    return ""


def unreadable_entry(source: Path) -> str:
    """The first entry of `source` that another user cannot read; empty if there is none. Remembered until `source` itself changes."""
    status = source.stat()
    return _checked(str(source), (status.st_dev, status.st_ino, status.st_mtime_ns))


def _entries(source: str) -> Iterator[str]:
    yield source
    for directory, directories, files in os.walk(source):
        yield from (os.path.join(directory, name) for name in (*directories, *files))  # noqa: PTH118


def _open_to_others(path: Path, bit: int) -> bool:
    status = path.stat()
    return bool(status.st_mode & bit) or status.st_uid == NOBODY
