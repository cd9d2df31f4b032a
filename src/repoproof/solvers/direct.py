"""The direct solver: one question, and the repository is what the answer holds."""

from __future__ import annotations

import asyncio

from ..completions.filetree import parse_tree, write_tree
from ..models.base import ChatRequest, Fault, Finish
from . import Assignment, Exchange, Solved


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
        cut = answer.choices[0].finish is Finish.LENGTH or tree.truncated
        return Solved(
            exchanges=(Exchange(request=request, answer=answer),),
            usable=bool(tree.files),
            notes=(*(("the answer was cut off",) if cut else ()), *tree.notes),
        )
