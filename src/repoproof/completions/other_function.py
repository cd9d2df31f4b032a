"""A function in a language that is not read: the block of the answer that mentions it."""

from __future__ import annotations

import re

from .candidates import Candidate, candidates
from .extraction import Extraction, How, Target

_LABELS = {
    "java": ("java",),
    "rust": ("rust", "rs"),
    "go": ("go", "golang"),
    "c": ("c", "h"),
    "c++": ("cpp", "c++", "cc"),
}


def find_block(text: str, target: Target) -> Extraction:
    """The last block, labelled with the language if any is, that has the name before a parenthesis."""
    pieces = [piece for piece in candidates(text) if _mentions(piece.code, target.name)]
    labelled = [piece for piece in pieces if piece.language in _LABELS.get(target.language, (target.language,))]
    # Of blocks that both mention it, one with braces defines it and one without calls it.
    chosen = max(labelled or pieces, key=lambda piece: ("{" in piece.code, pieces.index(piece)), default=None)
    if chosen is None or (not chosen.fenced and "{" not in chosen.code):
        return Extraction(how=How.NOTHING, notes=(f"no block of the answer mentions {target.name}",))
    return _extraction(chosen)


def _mentions(code: str, name: str) -> bool:
    return re.search(rf"(?<![\w$]){re.escape(name)}\s*(?:<[^<>]*>\s*)?\(", code) is not None


def _extraction(piece: Candidate) -> Extraction:
    notes = () if piece.closed or not piece.fenced else ("the answer ends inside the code",)
    code = piece.code.strip("\n") + "\n"
    return Extraction(how=How.BLOCK, function=code, notes=notes, truncated=piece.fenced and not piece.closed)
