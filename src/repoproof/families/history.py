"""A folder as a Git repository without a past: one commit that is the same wherever and whenever it is made."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..core.errors import BadInput

BRANCH = "main"
AUTHOR = b"RepoProof <repoproof@localhost> 946684800 +0000"
"""Of every commit, with its moment: the first second of the year 2000."""
MESSAGE = b"Begin\n"


def commit(folder: Path) -> None:
    """Make `folder`, which has only plain files in it, a repository whose only commit holds them as they are.

    `BadInput` where there is no git.
    """
    files = sorted(path.name for path in folder.iterdir())
    _git(folder, "init", "--quiet", "--template=", f"--initial-branch={BRANCH}", "--object-format=sha1")
    # As many small objects as this are stored one by one: no pack, whose name would depend on git's version.
    settings = ("-c", "fastimport.unpackLimit=1000", "-c", "core.logAllRefUpdates=false")
    _git(folder, *settings, "fast-import", "--quiet", stdin=_stream(folder, files))
    # An index without the times and inode numbers of this one copy.
    _git(folder, "read-tree", "HEAD")


def objects(folder: Path) -> dict[str, list[str]]:
    """Ids of all objects that the repository in `folder` has, reachable or not, by type."""
    found: dict[str, list[str]] = {}
    for line in _git(
        folder, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"
    ).splitlines():
        type_, _, id = line.decode().partition(" ")
        found.setdefault(type_, []).append(id)
    return found


def _stream(folder: Path, files: list[str]) -> bytes:
    parts = [b"commit refs/heads/%s\n" % BRANCH.encode(), b"committer %s\n" % AUTHOR, _data(MESSAGE)]
    for name in files:
        parts += [b"M 100644 inline %s\n" % name.encode(), _data((folder / name).read_bytes())]
    return b"".join(parts)


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _git(folder: Path, *words: str, stdin: bytes = b"") -> bytes:
    # Neither this machine's settings nor the variables of a hook that we may run under have a say.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }
    try:
        ran = subprocess.run(["git", *words], cwd=folder, input=stdin, capture_output=True, check=True, env=environment)
    except FileNotFoundError:
        raise BadInput("git is not on PATH", mend="install git: a solver's workspace is a repository") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise BadInput(
            f"`git {' '.join(words)}` failed: {said[-300:]}", file=folder, mend="git 2.28 or newer is needed"
        ) from None
    return ran.stdout
