"""Models: which there are, whether one answers, a scripted and a local one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from ..completions.filetree import render_tree
from ..core.base import Frozen
from ..core.errors import BadInput
from ..models import local, scripted
from ..models.base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Message, Sampling
from ..models.client import address_of
from ..models.endpoint import Endpoint
from ..models.endpoints import read_endpoints
from ..models.mends import mend_of
from ..models.opening import opened
from . import arguments
from .asking import endpoint_of, ran

PORTS = 65_535

QUESTION = Message(role="user", content="Name five animals, in one line and nothing else.")
"""Short, and with many right answers: a seed shows in them."""
SUFFIX = "\n\nprint(add(1, 2))\nprint(add(3, 4))\n"
SAMPLING = Sampling(seed=7, max_tokens=64)


class ModelCheck(Frozen):
    """What a few short questions found out about a model."""

    endpoint: Endpoint
    address: str
    """Where it was asked: `base_url`, or what the environment says."""
    chat: Answer | Fault
    fill: Answer | Fault
    """Of a fill-in-the-middle question: many endpoints take none."""
    reads_suffix: bool | None = None
    """Whether what stands behind the gap reaches the model: some endpoints take it and leave it out. None where they do not say."""
    repeatable: bool | None = None
    """Whether the same seed gave the same text twice; None where there was no text to compare."""
    mend: str = ""
    """What to do where it does not answer."""

    @property
    def ok(self) -> bool:
        """Whether it answers."""
        return isinstance(self.chat, Answer)


def endpoints(models: Path | str | None = None) -> tuple[Endpoint, ...]:
    """The endpoints of a `models.toml`."""
    return tuple(read_endpoints(None if models is None else arguments.place(models, "models")).values())


def check_model(model: Endpoint | str, *, models: Path | str | None = None) -> ModelCheck:
    """Ask a model four short questions, each once: what an endpoint does is data, and never raises."""
    return ran(_checked(endpoint_of(model, models).model_copy(update={"tries": 1})))


async def _checked(endpoint: Endpoint) -> ModelCheck:
    address = without_secrets(address_of(endpoint)) or "the vendor's own address"
    about = {"endpoint": presentable(endpoint), "address": address}
    async with opened(endpoint) as model:
        question = ChatRequest(model=endpoint.model, messages=(QUESTION,), sampling=SAMPLING)
        chat = await model.ask(question)
        if isinstance(chat, Fault):
            return ModelCheck(**about, chat=chat, fill=_not_asked(chat), mend=mend_of(chat, endpoint))
        again = await model.ask(question)
        fill = await model.ask(_gap(endpoint, SUFFIX))
        plain = await model.ask(_gap(endpoint, ""))
        return ModelCheck(
            **about, chat=chat, repeatable=_same(chat, again), fill=fill, reads_suffix=_longer(fill, plain)
        )


def presentable(endpoint: Endpoint) -> Endpoint:
    """The endpoint without what may hold a key."""
    return endpoint.model_copy(update={"base_url": without_secrets(endpoint.base_url), "extra": {}})


def without_secrets(address: str) -> str:
    """The address without user, password and query."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _gap(endpoint: Endpoint, suffix: str) -> FillRequest:
    return FillRequest(model=endpoint.model, prefix="def add(a, b):\n    return ", suffix=suffix, sampling=SAMPLING)


def _longer(fill: Answer | Fault, plain: Answer | Fault) -> bool | None:
    """Whether the prompt with a suffix was longer than the one without, by the endpoint's own count."""
    if not (isinstance(fill, Answer) and isinstance(plain, Answer) and fill.usage.reported and plain.usage.reported):
        return None
    return fill.usage.prompt_tokens > plain.usage.prompt_tokens


def _not_asked(chat: Fault) -> Fault:
    return Fault(kind=FaultKind.ABANDONED, reason=f"not asked: {chat.kind}")


def _same(first: Answer, second: Answer | Fault) -> bool | None:
    return first.text == second.text if isinstance(second, Answer) and first.text else None


@contextmanager
def scripted_server(
    rules: Path | str | Sequence[scripted.Rule] = (), *, port: int = 0
) -> Generator[scripted.ScriptedServer]:
    """A server that answers by rules, or by those of a TOML file, as long as the context lasts; port 0 is any free one.

    `BadInput` where a rule is wrong or the port cannot be used.
    """
    if isinstance(rules, Path | str):
        rules = scripted.read_rules(arguments.place(rules, "rules"), render_tree)
    local.check_port(_port(port))
    with scripted.scripted_server(rules, port=port) as server:
        yield server


@contextmanager
def local_model(
    gguf: Path | str,
    *,
    name: str = "",
    port: int = 0,
    threads: int | None = None,
    context_tokens: int = local.CONTEXT_TOKENS,
    verbose: bool = False,
) -> Generator[local.LocalModel]:
    """Serve a model in a GGUF file by llama.cpp, as long as the context lasts: see `repoproof.models.local.served`."""
    with local.served(
        arguments.place(gguf, "gguf"),
        name=arguments.line(name, "name"),
        port=_port(port),
        threads=None if threads is None else arguments.whole(threads, "threads"),
        context_tokens=arguments.whole(context_tokens, "context_tokens"),
        verbose=verbose,
    ) as model:
        yield model


def _port(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= PORTS:
        raise BadInput(f"{value!r} is not in 0..{PORTS}", field="port", mend="0 is any free one")
    return value
