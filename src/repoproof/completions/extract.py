"""The function that a task asked for, out of the answer of a chat or base model.

Nothing is invented: what is returned is in the answer, moved to another column at most; where an answer has only a body, its header is the
target's. What was left out or mended is told in notes.
"""

from __future__ import annotations

from .extraction import Extraction, How, Target
from .javascript_function import find_javascript
from .other_function import find_block
from .python_function import find_python
from .python_source import limited_effort
from .reasoning import without_reasoning

__all__ = ["Extraction", "How", "Target", "extract_function"]

_READERS = {"python": find_python, "javascript": find_javascript, "typescript": find_javascript}


def extract_function(answer: str, *, target: Target) -> Extraction:
    """What `answer` gives for `target`; never raises for what the answer is."""
    spoken = without_reasoning(answer)
    if spoken.unclosed:
        return Extraction(how=How.NOTHING, notes=spoken.notes, truncated=True)
    text = spoken.text.replace("\r\n", "\n").replace("\r", "\n")
    with limited_effort():
        found = _READERS.get(target.language, find_block)(text, target)
    return found.model_copy(update={"notes": (*spoken.notes, *found.notes)})
