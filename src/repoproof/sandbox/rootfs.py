"""What a sandbox sees: the host's /usr, an /etc of our own, and what the view names."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from ..core.base import MiB
from ..core.errors import Boundary, InfrastructureError
from ..core.paths import cache_root
from .base import Limits, ReadOnly, Scratch, View, Writable
from .owner import claimed, owned_name
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
    "hostname": "sandbox\n",
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
    "ssl/certs/java",
    "pki/java",
)
"""Parts of the host's /etc without which installed programs do not work; none of them tells about the host's people or network."""


def tmpfs_bytes(view: View, limits: Limits) -> int:
    """How much memory the writable file systems of a sandbox can take, full to the brim."""
    scratches = sum(isinstance(mount, Scratch) for mount in view.mounts)
    return (scratches + 1) * limits.disk_bytes + SHARED_MEMORY_BYTES


def system_arguments(limits: Limits) -> list[str]:
    """bwrap's arguments for everything beside the view."""
    arguments = [*_toolchain_arguments()]
    # Some of the kernel's settings belong to our own namespaces, and could be changed: a container's cannot either.
    arguments += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"]
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


def _toolchain_arguments() -> list[str]:
    arguments: list[str] = []
    for place, target in system_links().items():
        arguments += ["--symlink", target, place]
    arguments += ["--perms", "0755", "--dir", "/run"]
    for mount in system_mounts():
        arguments += ["--ro-bind", str(mount.source), mount.target]
    return arguments


_BESIDE_USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


@cache
def system_links() -> Mapping[str, str]:
    """/bin and its like, where the host has them as links into /usr: place -> what it links to."""
    places = [Path("/", name) for name in _BESIDE_USR]
    return {str(place): str(place.readlink()) for place in places if place.is_symlink()}


@cache
def system_mounts() -> Sequence[ReadOnly]:
    """/usr as it is, what of /bin and its like is no link, an /etc reduced to what programs need, and the supervisor."""
    beside = [place for name in _BESIDE_USR if (place := Path("/", name)).is_dir() and not place.is_symlink()]
    ours = _our_files()
    return [
        *(ReadOnly(source=folder, target=str(folder)) for folder in (Path("/usr"), *beside)),
        ReadOnly(source=ours / "etc", target="/etc"),
        ReadOnly(source=ours / "supervise", target=SUPERVISOR_INSIDE),
    ]


def _our_files() -> Path:
    """A directory with an /etc and the supervisor, where the sandbox's user can read it: the package itself may lie in a home.

    The host's part of /etc is copied, for every mount costs each sandbox a fraction of a millisecond. Named after its content.
    """
    of_host = _etc_of_host()
    described = [(path, _description(path)) for path in of_host]
    digest = hashlib.sha256(repr((_ETC, described)).encode() + supervisor().read_bytes()).hexdigest()[:16]
    place = cache_root() / "sandbox" / digest
    try:
        make_public_directory(place.parent)
        if not place.is_dir():
            with claimed(place.parent / f".{owned_name()}") as partial:
                _write_our_files(partial, of_host)
                with contextlib.suppress(OSError):  # another process was faster
                    partial.rename(place)
                shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise InfrastructureError(
            f"cannot prepare the sandbox's own files: {error}", boundary=Boundary.SANDBOX
        ) from error
    return place


def _write_our_files(place: Path, of_host: Sequence[Path]) -> None:
    etc = place / "etc"
    make_public_directory(etc)
    for name, text in _ETC.items():
        (etc / name).write_text(text)
    for path in of_host:
        copy = etc / path.relative_to("/etc")
        make_public_directory(copy.parent)
        if path.is_dir():
            shutil.copytree(path, copy, symlinks=True, ignore=_closed_to_us)
        else:
            shutil.copyfile(path, copy)
    shutil.copyfile(supervisor(), place / "supervise")
    for path in (*etc.iterdir(), place / "supervise"):
        path.chmod(0o755 if path.is_dir() or path.name == "supervise" else 0o644)


def _closed_to_us(folder: str, names: list[str]) -> list[str]:
    paths = {name: Path(folder, name) for name in names}
    return [name for name, path in paths.items() if not path.is_symlink() and not os.access(path, os.R_OK)]


def _etc_of_host() -> list[Path]:
    etc = Path("/etc")
    wanted = (*(etc / name for name in _ETC_OF_HOST), *sorted(etc.glob("java-*")))
    return [path for path in wanted if path.exists() and os.access(path, os.R_OK)]


def _description(path: Path) -> object:
    """What changes if a file or a directory of the system does."""
    if path.is_file():
        return path.read_bytes()
    entries = [Path(entry) for entry in _entries(str(path))]
    return [
        (str(entry), str(entry.readlink()) if entry.is_symlink() else entry.stat().st_mtime_ns)
        for entry in sorted(entries)
    ]


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


def source_for_nobody(mount: ReadOnly | Writable) -> Path:
    """Where a mount comes from, once the sandbox's user may use it. For root only, who runs sandboxes as another user."""
    source = mount.source.resolve(strict=True)
    if isinstance(mount, Writable):
        os.chown(source, NOBODY, NOBODY)
    elif closed := _unreadable_entry(source):
        raise InfrastructureError(
            f"{closed} is closed to other users, and sandboxes of root run as one (chmod -R a+rX {source})",
            boundary=Boundary.SANDBOX,
        )
    return source


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


def _unreadable_entry(source: Path) -> str:
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
