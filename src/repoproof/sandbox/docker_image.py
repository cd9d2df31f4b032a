"""The image that containers start from: an empty root over which the host's /usr is mounted, so that both backends run the same tools."""

from __future__ import annotations

import hashlib
import io
import tarfile
from functools import cache
from pathlib import Path

_FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_FOLDERS = ("dev", "etc", "proc", "run", "sys", "tmp", "usr", "var", "var/tmp")
_BESIDE_USR = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")


@cache
def host_root() -> bytes:
    """A tar of the root: mount points, a minimal /etc, and the host's own links from /bin and the like into /usr."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for folder in _FOLDERS:
            _add(tar, folder, tarfile.DIRTYPE, 0o755)
        for name in _BESIDE_USR:
            beside = Path("/", name)
            if beside.is_symlink():
                _add(tar, name, tarfile.SYMTYPE, 0o777, link=str(beside.readlink()))
        for name, text in _FILES.items():
            _add(tar, name, tarfile.REGTYPE, 0o644, content=text.encode())
    return archive.getvalue()


def host_image() -> str:
    """Its name: changes with its content, so that two versions of RepoProof can share an engine."""
    # Under localhost/, no engine takes it for something to be pulled; the version is in the name, since Podman's import drops tags.
    return f"localhost/repoproof-host-{hashlib.sha256(host_root()).hexdigest()[:12]}:latest"


def host_folders() -> list[str]:
    """What of the host is mounted over it: /usr, and those beside it that are folders of their own where /usr is not merged."""
    return [
        "/usr",
        *(f"/{name}" for name in _BESIDE_USR if (path := Path("/", name)).is_dir() and not path.is_symlink()),
    ]


def _add(tar: tarfile.TarFile, name: str, kind: bytes, mode: int, *, content: bytes = b"", link: str = "") -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size = kind, mode, link, len(content)
    tar.addfile(entry, io.BytesIO(content))
