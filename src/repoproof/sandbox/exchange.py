"""Trees that go into a sandbox before its command, and come out after it: as tar streams through pipes.

We read what goes in, so that it need not be readable (or reachable) for the sandbox's user; the sandbox reads what comes out, so
that no path of the candidate's making is ever walked outside.
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..core.errors import Boundary, InfrastructureError
from .base import Limits, Scratch, View
from .extraction import NotATree, TooLarge, extract_tar
from .supervisor import Step


class Exchange:
    """All trees of one sandbox."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        """What the supervisor is to run for them."""
        self.fds: list[int] = []
        """Descriptors that the supervisor needs, by the numbers in `steps`."""
        self._seeds: list[_Seed] = []
        self._keeps: list[_Keep] = []

    @staticmethod
    @contextmanager
    def opened(view: View, limits: Limits) -> Generator[Exchange]:
        """The trees that a view asks for."""
        exchange = Exchange()
        try:
            for number, mount in enumerate(view.mounts):
                if isinstance(mount, Scratch):
                    covered = _covered(mount.target, view, number)
                    if mount.seed is not None:
                        exchange._seed(mount.target, mount.seed, covered)
                    if mount.keep is not None:
                        exchange._keep(mount.target, mount.keep, covered, limits.disk_bytes)
            yield exchange
        finally:
            exchange._close()

    def release(self) -> None:
        """The sandbox has its descriptors: give ours up, so that ends of streams show."""
        for fd in self.fds:
            os.close(fd)
        self.fds = []

    def finish(self) -> bool:
        """Wait for all streams, once the sandbox is gone; whether all trees to keep came out whole (or none was due)."""
        for seed in self._seeds:
            seed.finish()
        whole = [keep.finish() for keep in self._keeps]
        return all(whole)

    def _seed(self, target: str, seed: Path, covered: Sequence[str]) -> None:
        stream = _Seed(seed, covered)
        self._seeds.append(stream)
        self.fds.append(stream.fd)
        self.steps.append(Step("in", stream.fd, f"exec /bin/tar -C {shlex.quote(target)} -xpf -"))

    def _keep(self, target: str, keep: Path, covered: Sequence[str], limit_bytes: int) -> None:
        stream = _Keep(keep, limit_bytes)
        self._keeps.append(stream)
        self.fds.append(stream.fd)
        # The command may have closed its files to itself.
        there = shlex.quote(target)
        script = (
            f"chmod -R u+rX {there} 2>/dev/null; exec /bin/tar -C {there} {shlex.join(_excluding(covered))} -cf - ."
        )
        self.steps.append(Step("out", stream.fd, script))

    def _close(self) -> None:
        self.release()
        for stream in (*self._seeds, *self._keeps):
            stream.close()


class _Seed:
    """A host tree on its way in."""

    def __init__(self, seed: Path, covered: Sequence[str]) -> None:
        self._path = seed
        self.fd, ours = os.pipe()
        self._errors = os.memfd_create("tar-errors")
        command = ["tar", "-C", str(seed), *_excluding(covered), "-cf", "-", "."]
        # Without what the user may have set for tars of their own (TAR_OPTIONS), and with words that do not depend on a language.
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}
        self._tar = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=ours, stderr=self._errors, env=environment
        )
        os.close(ours)

    def finish(self) -> None:
        # 1 is a file that changed while it was read; -13 a sandbox that ended before it took all.
        if self._tar.wait() not in (0, 1, -13):
            said = os.pread(self._errors, 500, 0).decode(errors="replace")
            raise InfrastructureError(f"cannot read {self._path}: {' '.join(said.split())}", boundary=Boundary.SANDBOX)

    def close(self) -> None:
        self._tar.kill()
        self._tar.wait()
        os.close(self._errors)


class _Keep:
    """A tree on its way out, taken by a thread of its own."""

    def __init__(self, keep: Path, limit_bytes: int) -> None:
        self._stream, self.fd = os.pipe()
        self._whole = True
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._take, args=(keep, limit_bytes), name="repoproof-keep")
        self._thread.start()

    def _take(self, keep: Path, limit_bytes: int) -> None:
        with io.BufferedReader(io.FileIO(self._stream), 1 << 20) as stream:
            try:
                # No byte at all: the command failed, and nothing is kept.
                if stream.peek(1):
                    extract_tar(stream, keep, limit_bytes=limit_bytes)
            except (TooLarge, NotATree):
                self._whole = False
            except Exception as error:
                self._fault = error

    def finish(self) -> bool:
        self._thread.join()
        if self._fault is not None:
            raise InfrastructureError(f"cannot keep a tree: {self._fault}", boundary=Boundary.SANDBOX) from self._fault
        return self._whole

    def close(self) -> None:
        self._thread.join()


def _covered(target: str, view: View, number: int) -> list[str]:
    """Paths below `target` that later mounts cover, relative to it: no part of the tree."""
    inside = [mount.target for mount in view.mounts[number + 1 :]]
    return [os.path.relpath(place, target) for place in inside if place.startswith(target.rstrip("/") + "/")]


def _excluding(covered: Sequence[str]) -> list[str]:
    return [f"--exclude=./{place}" for place in covered]
