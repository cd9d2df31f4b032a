"""A model in a GGUF file, served on this machine by llama.cpp (extra `local`)."""

from __future__ import annotations

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from ..core.errors import BadInput, Boundary, InfrastructureError

MAGIC = b"GGUF"
"""First bytes of every such file."""

CONTEXT_TOKENS = 8192
"""Of prompt and answer together, unless asked for otherwise."""

EXTRA = "pip install 'repoproof[local]'"

ERRORS, EVERYTHING = 1, 4
"""What llama.cpp writes to stderr."""


class LocalModel(NamedTuple):
    """A model that is being served."""

    name: str
    base_url: str
    """For OPENAI_BASE_URL."""


@contextmanager
def served(
    gguf: Path,
    *,
    name: str = "",
    port: int = 0,
    threads: int | None = None,
    context_tokens: int = CONTEXT_TOKENS,
    verbose: bool = False,
) -> Generator[LocalModel]:
    """Serve `gguf` in this process on the loopback, as long as the context lasts; loaded once it is entered.

    `name` is what the model is asked by (default: the file's name without its ending), port 0 is any free one, `threads` None is half of
    the processors. Calls are answered one at a time. `BadInput` where the extra is missing, or file or port cannot be used.
    """
    _check_file(gguf)
    runtime = _runtime()
    check_port(port)
    name = name or gguf.stem
    params = runtime.CommonParams()
    params.model.path = str(gguf)
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.ui = False
    params.verbosity = EVERYTHING if verbose else ERRORS
    params.n_parallel = 1
    params.n_ctx = context_tokens
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads or max(1, (os.cpu_count() or 2) // 2)
    try:
        server = runtime.Server(params)
    except RuntimeError:
        problem = f"{gguf}: llama.cpp cannot serve it; its own words are above"
        raise InfrastructureError(problem, boundary=Boundary.MODEL) from None
    try:
        yield LocalModel(name, f"{server.listening_address}/v1")
    finally:
        # Its destructor stops it.
        del server


def _runtime() -> Any:
    try:
        return import_module("xllamacpp")
    except ImportError:
        raise BadInput("serving a model needs the xllamacpp package", mend=EXTRA) from None


def check_port(port: int) -> None:
    """`BadInput` where no server could listen on `port` of the loopback."""
    with socket.socket() as tried:
        # As a server does: a port that was just left can be taken again.
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", port))
        except OSError as error:
            problem = f"{port} cannot be listened on: {(error.strerror or str(error)).lower()}"
            raise BadInput(problem, field="port", mend="take another; 0 is any free one") from None


def _check_file(gguf: Path) -> None:
    try:
        with gguf.open("rb") as file:
            magic = file.read(len(MAGIC))
    except FileNotFoundError:
        raise BadInput("no such file", file=gguf, mend="give a model in the GGUF format") from None
    except IsADirectoryError:
        raise BadInput("is a directory", file=gguf, mend="name the GGUF file in it") from None
    if magic != MAGIC:
        raise BadInput(
            "not a GGUF file",
            file=gguf,
            mend="it must begin with the letters GGUF; convert it, or get it in this format",
        )
