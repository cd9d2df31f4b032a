"""Our prompts: named, versioned texts with placeholders.

Each is a file `prompts/NAME-VERSION.md`: parts that begin with a line `<!-- part -->`, and placeholders `{{name}}`. A text that has been
used is never changed, since what was measured with it would no longer say with what: a change is a new version, in a new file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..core.base import Frozen, Text
from ..core.digest import digest_of_strings
from ..core.errors import BadInput
from ..models.base import Message

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")
_PART = re.compile(r"^<!-- ([a-z]+) -->\n", re.MULTILINE)
_FILE_NAME = re.compile(r"([a-z-]+)-(\d+)\.md")


class Template(Frozen):
    """One version of a prompt."""

    name: str
    version: int
    parts: dict[str, str]
    """Text by part: `system` and `user`, or `prefix` and `suffix`; without the newline at the end."""

    @property
    def identity(self) -> str:
        """As it is recorded: `microservice/1`."""
        return f"{self.name}/{self.version}"

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the parts' names and texts."""
        return digest_of_strings(*(text for part in self.parts.items() for text in part))

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(name for text in self.parts.values() for name in _PLACEHOLDER.findall(text))

    def filled(self, values: Mapping[str, str]) -> Filled:
        """The parts with `values` in place. A value is not looked into: what looks like a placeholder there stays as it is.

        `BadInput` if a placeholder has no value, or a value no placeholder.
        """
        if missing := self.placeholders - values.keys():
            raise BadInput(f"no value for {', '.join(sorted(missing))}", subject=f"template {self.identity}")
        if unknown := values.keys() - self.placeholders:
            raise BadInput(f"no placeholder for {', '.join(sorted(unknown))}", subject=f"template {self.identity}")
        parts = {part: _PLACEHOLDER.sub(lambda found: values[found[1]], text) for part, text in self.parts.items()}
        return Filled(template=self.identity, template_digest=self.digest, parts=parts)


class Filled(Frozen):
    """A template with its values in place."""

    template: str
    """Identity of the template: `microservice/1`."""
    template_digest: str
    parts: dict[str, Text]

    @property
    def messages(self) -> tuple[Message, ...]:
        """The parts of a chat template, as a model is asked."""
        return tuple(Message(role=role, content=self.parts[role]) for role in ("system", "user") if role in self.parts)


@cache
def template(name: str, version: int | None = None) -> Template:
    """A template by name; the newest version, unless one is asked for. `BadInput` if there is none."""
    found = {one.version: one for one in templates() if one.name == name}
    if not found:
        known = ", ".join(sorted({one.name for one in templates()}))
        raise BadInput(f"no template {name!r}", mend=f"there are {known}")
    if version is None:
        return found[max(found)]
    if version not in found:
        raise BadInput(f"template {name!r} has no version {version}", mend=f"newest is {max(found)}")
    return found[version]


@cache
def templates() -> tuple[Template, ...]:
    """Every template, in every version, by name and version."""
    read = [
        _read(file.name, file.read_text(encoding="utf-8"))
        for file in (files("repoproof.completions") / "prompts").iterdir()
    ]
    return tuple(sorted(read, key=lambda one: (one.name, one.version)))


def _read(file_name: str, text: str) -> Template:
    named = _FILE_NAME.fullmatch(file_name)
    _, *rest = _PART.split(text)
    assert named is not None and rest, file_name
    parts = {part: content.removesuffix("\n") for part, content in zip(rest[::2], rest[1::2], strict=True)}
    return Template(name=named[1], version=int(named[2]), parts=parts)
