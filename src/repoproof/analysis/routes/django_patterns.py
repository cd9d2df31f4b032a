"""Django's regular-expression patterns as path templates."""

from __future__ import annotations

import re

_ESCAPED_CLASSES = frozenset("dDwWsSbBAZ")


def template_of_regex(pattern: str) -> str:
    """`^users/(?P<pk>[0-9]+)/$` -> `users/{pk}/`. What is optional is there (`/?`), or, if a group, is not (`(?:\\.json)?`)."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "(":
            end = _group_end(pattern, at)
            name = re.match(r"\(\?P<(\w+)>", pattern[at:end])
            optional = pattern[end : end + 1] in ("?", "*")
            if name or not pattern.startswith("(?", at):
                out.append("{%s}" % (name[1] if name else "parameter"))
            elif not optional and pattern.startswith("(?:", at):
                out.append(template_of_regex(pattern[at + 3 : end - 1].split("|")[0]))
            at = end + (pattern[end : end + 1] in ("?", "*", "+"))
        elif char == "[":
            out.append("{parameter}")
            at = _quantified(pattern, _class_end(pattern, at))
        elif char == "\\":
            following = pattern[at + 1 : at + 2]
            if following in _ESCAPED_CLASSES:
                out.append("" if following in "bBAZ" else "{parameter}")
                at = _quantified(pattern, at + 2)
            else:
                out.append(following)
                at += 2
        elif char in "^$?":
            at += 1
        elif char == ".":
            out.append("{parameter}")
            at = _quantified(pattern, at + 1)
        else:
            out.append(char)
            at += 1
    return "".join(out)


def _group_end(pattern: str, at: int) -> int:
    depth = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "[":
            at = _class_end(pattern, at) - 1
        else:
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return at + 1
        at += 1
    return len(pattern)


def _class_end(pattern: str, at: int) -> int:
    end = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL).match(pattern, at)
    return end.end() if end else len(pattern)


def _quantified(pattern: str, at: int) -> int:
    quantifier = re.compile(r"[+*?]+|\{\d*,?\d*\}").match(pattern, at)
    return quantifier.end() if quantifier else at
