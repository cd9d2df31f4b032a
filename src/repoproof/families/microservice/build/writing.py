"""A specification that a model writes: what it is told, and what its text must show before it takes the skeleton's place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....analysis.endpoints import Endpoint, matches
from ....analysis.readme.extract import extract_endpoints
from ....completions.fences import Patience, block_at, fence_of
from ....completions.reasoning import without_reasoning
from ....completions.templates import Filled, template
from ....completions.tokens import REQUIRED, Cut, Part, fit
from ....core.base import Frozen
from ....core.errors import BadInput
from ....models.base import Answer, ChatRequest, Fault, Finish, Usage
from ..leaks import files_in, told
from ..task import MicroserviceTask
from .examples import ranked
from .forms import Stable
from .readme import DRAFT

TEMPLATE = "readme"
VERSION = 1

PROMPT_TOKENS = 24_000
"""That a prompt has at most, where the model's context does not allow for less."""
MOST_EXAMPLES = 100


@dataclass(frozen=True)
class Writer:
    """A model that is asked once."""

    model: str
    """Id of the model, as its endpoint is told."""
    ask: Callable[[ChatRequest], Answer | Fault]
    tokens: int = PROMPT_TOKENS
    """Of the prompt, at most."""


class Writing(Frozen):
    """What came of asking for a specification; in `build.json`."""

    model: str
    template: str = ""
    """As in `readme/1`; empty where nothing could be asked."""
    template_digest: str = ""
    key: str = ""
    """Of the question: where a store has it."""
    examples: int = 0
    """Recordings that the model was shown."""
    refused: str = ""
    """Why the skeleton stays; empty where the model's text is the README."""
    fault: Fault | None = None
    usage: Usage | None = None
    cost_usd: float | None = None

    @property
    def taken(self) -> bool:
        return not self.refused


@dataclass(frozen=True)
class Sealed:
    """What a specification must not tell."""

    folders: Sequence[Path]
    """Golden tests and reference."""
    test_ids: Iterable[str]


def write(
    writer: Writer, task: MicroserviceTask, endpoints: Sequence[Endpoint], skeleton: str, stable: Sequence[Stable], sealed: Sealed
) -> tuple[str, Writing]:  # fmt: skip
    """The README, and how it came to be: the model's text if it is fit, else the skeleton."""
    try:
        filled, shown = _prompt(task, endpoints, skeleton, stable, writer.tokens)
    except BadInput as error:
        return skeleton, Writing(model=writer.model, refused=str(error))
    request = ChatRequest(model=writer.model, messages=filled.messages)
    outcome = writer.ask(request)
    writing = Writing(
        model=writer.model,
        template=filled.template,
        template_digest=filled.template_digest,
        key=request.key,
        examples=shown,
    )
    if isinstance(outcome, Fault):
        refused = f"there is no answer: {outcome.kind}: {outcome.reason}"
        return skeleton, writing.model_copy(update={"refused": refused, "fault": outcome})
    text = markdown_of(outcome.text)
    refused = _cut_off(outcome) or unfit(text, endpoints, sealed)
    paid = {"usage": outcome.usage, "cost_usd": outcome.cost_usd, "refused": refused}
    return skeleton if refused else text, writing.model_copy(update=paid)


def _prompt(
    task: MicroserviceTask, endpoints: Sequence[Endpoint], skeleton: str, stable: Sequence[Stable], tokens: int
) -> tuple[Filled, int]:
    """What is said to a model, and how many examples are in it. `BadInput` if not even the endpoints fit."""
    chosen = template(TEMPLATE, VERSION)
    examples = [
        Part(name=f"example {number}", text=f"{text}\n\n", priority=2 + rank)
        for number, (rank, text) in enumerate(ranked(stable))
    ]
    fewest = sorted(examples, key=lambda part: part.priority)[:MOST_EXAMPLES]
    fitted = fit(
        [
            Part(name="instruction", text="\n".join(chosen.parts.values()), priority=REQUIRED),
            Part(name="endpoints", text="\n".join(f"- `{one}`" for one in endpoints), priority=REQUIRED),
            Part(name="skeleton", text=skeleton.replace(f"{DRAFT}\n\n", ""), priority=1, cut=Cut.END),
            *(part for part in examples if part in fewest),
        ],
        tokens,
    )
    texts = {part.name: part.text for part in fitted.parts}
    shown = [text for name, text in texts.items() if name.startswith("example ")]
    values = {
        "name": task.id,
        "port": str(task.port),
        "endpoints": texts["endpoints"],
        "skeleton": texts.get("skeleton", "").strip(),
        "examples": "".join(shown).strip(),
    }
    return chosen.filled(values), len(shown)


def markdown_of(answer: str) -> str:
    """The README in an answer: without reasoning, and without the fence and the words that models like to put around it."""
    lines = without_reasoning(answer).text.strip().split("\n")
    for at, line in enumerate(lines):
        if line.startswith("#"):
            break
        fence = fence_of(line)
        if fence is not None and fence.info.lower() in ("", "markdown", "md"):
            block = block_at(lines, at, patience=Patience.for_text(lines), is_markdown=True)
            assert block is not None
            return f"{block.content.strip()}\n"
    text = "\n".join(lines).strip()
    return f"{text}\n" if text else ""


def _cut_off(answer: Answer) -> str:
    finish = answer.choices[0].finish
    return f"the answer ends too early: {finish}" if finish in (Finish.LENGTH, Finish.FILTERED) else ""


def unfit(text: str, endpoints: Sequence[Endpoint], sealed: Sealed) -> str:
    """Why `text` cannot be the specification, in a line; empty if it can."""
    if not text:
        return "the answer has no text"
    found = extract_endpoints(text)
    if lacking := [one for one in endpoints if not any(_same(one, other) for other in found)]:
        return f"it leaves out {_listed(lacking)}"
    if more := [one for one in found if not any(_same(one, other) for other in endpoints)]:
        return f"it names {_listed(more)}, which the service has not"
    files = ((str(Path(folder.name) / file.relative_to(folder)), file) for folder in sealed.folders for file in files_in(folder))  # fmt: skip
    leak = told(text, files, sealed.test_ids)
    return f"it {leak}" if leak else ""


def _same(one: Endpoint, other: Endpoint) -> bool:
    return one.method == other.method and matches(one, other)


def _listed(endpoints: Sequence[Endpoint]) -> str:
    shown = ", ".join(f"{one.method} {one.path}" for one in endpoints[:3])
    return f"{shown} and {len(endpoints) - 3} more" if len(endpoints) > 3 else shown
