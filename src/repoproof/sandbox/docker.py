"""The Docker sandbox: containers of a Docker-compatible engine, Podman's included. See docs/design/docker.md."""

from __future__ import annotations

import logging
import os
import platform
import shlex
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property

from ..core.errors import Boundary, InfrastructureError, boundary
from .base import ExecResult, Limits, Loopback, ReadOnly, Scratch, Service, View
from .docker_api import DockerEngine, EngineError, find_socket
from .docker_container import Attachment, ContainerGroup, container_config, supervisor_steps
from .docker_image import host_image, host_root
from .docker_terminal import attend
from .exchange import Exchange
from .guard import guard_program
from .live import LiveTrees
from .owner import is_orphan, owned_name
from .rootfs import ENVIRONMENT, NOBODY, SUPERVISOR_INSIDE, source_for_nobody, system_mounts
from .service import followed, left_running
from .supervisor import FRAMES, supervised, supervisor
from .tree import Tree

log = logging.getLogger(__name__)

IMAGE_VARIABLE = "REPOPROOF_DOCKER_IMAGE"
"""An image to use instead of the host's own /usr: where the engine is another machine's, as on macOS."""
_LABEL = "repoproof.host"
"""On each container; its value is the machine whose process, named by the container's name, it belongs to."""
_OF_ENGINE = ("hostname", "hosts", "resolv.conf")
"""Files in /etc that an engine makes, out of the host's, unless they are mounted."""
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True)
class DockerLoopback:
    """A container that does nothing, whose network others join."""

    name: str
    container: str


class DockerSandbox:
    """A `Sandbox` made of an engine's containers."""

    name = "docker"

    def __init__(self, engine: DockerEngine | None = None, image: str | None = None) -> None:
        self._engine = engine or DockerEngine(find_socket())
        self._own_image = image if image is not None else os.environ.get(IMAGE_VARIABLE, "")
        self._version = self._engine.version()
        self._podman = any(part["Name"] == "Podman Engine" for part in self._version.get("Components") or ())
        architecture: str = self._version["Arch"]
        self._machine = _MACHINES.get(architecture, architecture)
        self._guard = guard_program(self._machine)
        self._user = (NOBODY, NOBODY) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        self._live = LiveTrees()

    def run(
        self,
        command: Sequence[str],
        *,
        view: View,
        limits: Limits,
        stdin: bytes = b"",
        loopback: Loopback | None = None,
    ) -> ExecResult:
        with (
            boundary(Boundary.SANDBOX),
            self._launched(command, view, limits, loopback, stdin=stdin) as (tree, exchange, _),
        ):
            return followed(tree, exchange)

    @contextmanager
    def start(
        self, command: Sequence[str], *, view: View, limits: Limits, loopback: Loopback | None = None
    ) -> Generator[Service]:
        with self._started(command, view, limits, loopback) as (service, _):
            yield service

    @contextmanager
    def loopback(self) -> Generator[Loopback]:
        with boundary(Boundary.SANDBOX):
            limits = Limits(pids=4, disk_bytes=65536, memory_bytes=16 << 20)
            holder = self._create(["sleep", "infinity"], View(), limits, "none")
        try:
            with boundary(Boundary.SANDBOX):
                self._engine.start(holder.container)
            yield holder
        finally:
            self._engine.remove(holder.container)

    def shell(self, command: Sequence[str], *, view: View, limits: Limits, loopback: Loopback | None = None) -> int:
        # A terminal cannot carry the supervisor's frames: the container idles, and the command joins it on a stream of its own.
        with (
            self._started(["sleep", "infinity"], view, limits, loopback, timed=False) as (_, container),
            boundary(Boundary.SANDBOX),
        ):
            return attend(self._engine, container, command, view.workdir)

    def interrupt(self) -> None:
        self._live.interrupt()

    def fingerprint(self) -> Mapping[str, str]:
        return {
            "sandbox": self.name,
            "sandbox_version": f"{'Podman' if self._podman else 'Docker'} {self._version['Version']}",
            "limits": f"cgroup v{self._cgroup_version}",
            "kernel": self._version.get("KernelVersion") or platform.release(),
            "architecture": self._machine,
            **({"image": self._own_image} if self._own_image else {}),
        }

    @cached_property
    def _cgroup_version(self) -> str:
        return str(self._engine.info()["CgroupVersion"])

    @cached_property
    def _environment(self) -> Mapping[str, str]:
        """What commands find beside what their view sets. An image knows best where its own programs are."""
        if not self._own_image:
            return ENVIRONMENT
        try:
            path = self._engine.image_path(self._own_image)
        except EngineError as error:
            if not error.absent:
                raise
            raise InfrastructureError(
                f"the engine has no image {self._own_image} (docker pull {self._own_image})", boundary=Boundary.SANDBOX
            ) from None
        return ENVIRONMENT | ({"PATH": path} if path else {})

    @cached_property
    def _mounts(self) -> Sequence[ReadOnly]:
        if self._own_image:
            return [ReadOnly(source=supervisor(self._machine), target=SUPERVISOR_INSIDE)]
        etc = next(mount for mount in system_mounts() if mount.target == "/etc")
        return [*system_mounts(), *(ReadOnly(source=etc.source / name, target=f"/etc/{name}") for name in _OF_ENGINE)]

    @contextmanager
    def _started(
        self, command: Sequence[str], view: View, limits: Limits, loopback: Loopback | None, *, timed: bool = True
    ) -> Generator[tuple[Service, str]]:
        with ExitStack() as stack:
            with boundary(Boundary.SANDBOX):
                tree, exchange, container = stack.enter_context(
                    self._launched(command, view, limits, loopback, timed=timed)
                )
                service = stack.enter_context(left_running(tree, exchange))
            yield service, container

    @contextmanager
    def _launched(
        self,
        command: Sequence[str],
        view: View,
        limits: Limits,
        loopback: Loopback | None,
        *,
        stdin: bytes = b"",
        timed: bool = True,
    ) -> Generator[tuple[Tree, Exchange, str]]:
        """A container with `command` in it, started and ready to be followed; removed at the end."""
        if not command:
            raise InfrastructureError("an empty command", boundary=Boundary.SANDBOX)
        if loopback is not None and not isinstance(loopback, DockerLoopback):
            raise InfrastructureError("the loopback is of another sandbox", boundary=Boundary.SANDBOX)
        log.debug("%s; environment: %s; %s", shlex.join(command), ", ".join(sorted(view.environment)) or "-", limits)
        network = f"container:{loopback.container}" if loopback else "none"
        with ExitStack() as stack:
            exchange = stack.enter_context(Exchange.opened(view, limits))
            steps = supervisor_steps(exchange.steps, view, self._guard)
            inner = supervised(SUPERVISOR_INSIDE, FRAMES, steps, command)
            container = self._create(inner, view, limits, network).container
            group = ContainerGroup(self._engine, container, live_cpu=limits.cpu_seconds is not None)
            stack.callback(group.remove)
            attachment = Attachment(
                self._engine, container, self._engine.attach(container), group, guard=self._guard, steps=exchange.steps
            )
            exchange.release()
            stack.callback(attachment.close)
            self._engine.start(container)
            tree = Tree(attachment, attachment.channels, limits=limits, group=group, stdin=stdin, timed=timed)
            stack.callback(tree.close)
            stack.enter_context(self._live.holding(tree))
            yield tree, exchange, container

    def _create(self, command: Sequence[str], view: View, limits: Limits, network: str) -> DockerLoopback:
        if os.geteuid() == 0:
            for mount in view.mounts:
                if not isinstance(mount, Scratch):
                    source_for_nobody(mount)
        config = container_config(
            command,
            image=self._own_image or host_image(),
            mounts=self._mounts,
            view=view,
            limits=limits,
            environment={**self._environment, **view.environment},
            user=self._user,
            network=network,
            podman=self._podman,
        )
        config["Labels"] = {_LABEL: platform.node()}
        name = owned_name()
        try:
            return DockerLoopback(name, self._engine.create(config, name))
        except EngineError as error:
            if self._own_image or not error.absent:
                raise
        self._engine.import_image(host_image(), host_root())
        return DockerLoopback(name, self._engine.create(config, name))


def collect_containers(*, dry_run: bool = False) -> list[str]:
    """Remove the containers that dead processes of this machine left; what was (or would be) removed, in words."""
    try:
        engine = DockerEngine(find_socket())
        found = engine.labelled(f"{_LABEL}={platform.node()}")
    except EngineError:
        # No engine, or one that we may not ask: then none of its containers is ours.
        return []
    orphans = {name: container for container, name in found if is_orphan(name)}
    for container in orphans.values():
        if not dry_run:
            engine.remove(container)
    return [f"container {name}" for name in orphans]
