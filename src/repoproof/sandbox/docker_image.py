"""The image that containers start from: an empty root over which the host's /usr is mounted, so that both backends run the same tools."""

from __future__ import annotations

import hashlib
import io
import tarfile
from functools import cache

from .rootfs import system_links

_FOLDERS = ("dev", "etc", "proc", "run", "sys", "tmp", "usr", "var", "var/tmp")


@cache
def host_root() -> bytes:
    """A tar of the root: mount points, and the host's own links from /bin and the like into /usr."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for folder in _FOLDERS:
            entry = tarfile.TarInfo(folder)
            # A tmpfs takes over the mode of what it is mounted on, whatever it is asked for.
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            tar.addfile(entry)
        for place, target in system_links().items():
            entry = tarfile.TarInfo(place.lstrip("/"))
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            tar.addfile(entry)
    return archive.getvalue()


def host_image() -> str:
    """Its name: changes with its content, so that two versions of RepoProof can share an engine."""
    # Under localhost/, no engine takes it for something to be pulled; the version is in the name, since Podman's import drops tags.
    return f"localhost/repoproof-host-{hashlib.sha256(host_root()).hexdigest()[:12]}"
