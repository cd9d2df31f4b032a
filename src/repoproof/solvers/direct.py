"""The direct solver: one question, and the repository is what the answer holds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from ..completions.filetree import parse_tree, write_tree
from ..models.base import Answer, ChatRequest, Fault, Finish
from . import Assignment, Exchange, Solved

NO_FILE = "the answer holds no file"


class Direct:
    """One call an attempt."""

    name = "direct"

    async def solve(self, assignment: Assignment) -> Solved | Fault:
        request = ChatRequest(
            model=assignment.model_id,
            sampling=assignment.sampling,
            sample=assignment.attempt,
            messages=assignment.prompt.messages,
        )
        answer = await assignment.model.ask(request, label=assignment.task)
        if isinstance(answer, Fault):
            return answer
        # Answers may be megabytes: meanwhile others are asked.
        tree = await asyncio.to_thread(parse_tree, answer.text)
        await asyncio.to_thread(write_tree, tree, assignment.workspace)
        notes = [*_end(answer, assignment.sampling.max_tokens, within_file=tree.truncated)]
        if not tree.files:
            notes.append(NO_FILE)
        return Solved(
            exchanges=(Exchange(request=request, answer=answer),),
            usable=bool(tree.files),
            notes=tuple(dict.fromkeys((*notes, *tree.notes))),
            cut_off=answer.choices[0].finish is Finish.LENGTH,
        )


def _end(answer: Answer, max_tokens: int | None, *, within_file: bool) -> Iterator[str]:
    """Why the answer ends where it does, where that is not since the model was done."""
    match answer.choices[0].finish:
        case Finish.LENGTH if max_tokens is not None and answer.usage.completion_tokens >= max_tokens:
            yield f"the answer was cut off at max_tokens ({max_tokens})"
        case Finish.LENGTH:
            yield "the answer was cut off at the endpoint's own limit"
        case Finish.FILTERED:
            yield "the answer was ended by the endpoint's filter"
        case _ if within_file:
            yield "the answer ends in the middle"
        case _:
            pass
