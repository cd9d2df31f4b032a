"""Lines of Python that people can read: calls and displays that are too long, one element a line."""

from __future__ import annotations

import re

WIDTH = 110
_TOKEN = re.compile(r'[rf]*"(?:\\.|[^"\\])*"|[rf]*\'(?:\\.|[^\'\\])*\'|[(\[{]|[)\]}]|,|.', re.DOTALL)


def wrapped(line: str, indent: int = 0) -> str:
    """A statement of one line, as one that means the same and whose lines are no longer than `WIDTH`, where that can be."""
    pad = " " * indent
    if len(pad) + len(line) <= WIDTH:
        return pad + line
    parts = _parts(line)
    broken: set[int] = set()
    # The longest brackets first, until what is left of each line is short enough.
    for at in sorted((n for n, part in enumerate(parts) if len(part) > 1), key=lambda n: -sum(map(len, parts[n]))):
        if max(map(len, _joined(parts, broken, indent).splitlines())) <= WIDTH:
            break
        broken.add(at)
    return _joined(parts, broken, indent)


def _joined(parts: list[list[str]], broken: set[int], indent: int) -> str:
    pad, text = " " * indent, " " * indent
    for at, part in enumerate(parts):
        if at not in broken:
            text += part[0] + ", ".join(part[1:-1]) + part[-1] if len(part) > 1 else part[0]
            continue
        inside = "".join(f"{wrapped(item, indent + 4)},\n" for item in part[1:-1])
        text += f"{part[0]}\n{inside}{pad}{part[-1]}"
    return text


def _parts(line: str) -> list[list[str]]:
    """Text between brackets as `[text]`; brackets with something in them as `[opening, item, ..., closing]`."""
    found: list[list[str]] = []
    text, depth = "", 0
    group: list[str] = []
    for token in _TOKEN.findall(line):
        if token in "([{":
            if depth == 0:
                found.append([text])
                group, text = [token], ""
            else:
                text += token
            depth += 1
        elif token in ")]}":
            depth -= 1
            if depth == 0:
                group += [text.strip()] if text.strip() else []
                # A name in square brackets is not broken up: it is short, and no display.
                subscript = token == "]" and re.search(r"[\w\]]$", found[-1][0]) is not None
                found.append(
                    [group[0] + ", ".join(group[1:]) + token] if subscript or len(group) == 1 else [*group, token]
                )
                text = ""
            else:
                text += token
        elif token == "," and depth == 1:
            group.append(text.strip())
            text = ""
        else:
            text += token
    return [part for part in (*found, [text]) if part != [""]]
