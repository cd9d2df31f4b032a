"""What is looked for in an answer, and what is found: the records of extraction."""

from __future__ import annotations

from enum import StrEnum

from ..core.base import Frozen, Text


class Target(Frozen):
    """The function that is wanted."""

    name: str
    """Its own name, without that of its class."""
    header: str = ""
    """Source of its header, decorators included, up to and with `:` (or `{`); at any column; a docstring may follow. Needed to use an
    answer that is only a body."""
    language: str = "python"
    """`python`, `javascript`, `typescript` are read; of others a whole block is taken."""
    class_name: str = ""
    """For a method: the class's name, with dots where it is nested."""


class How(StrEnum):
    """What the answer turned out to be."""

    FUNCTION = "function"
    """It defines the function."""
    BODY = "body"
    """It is the function's body; the header is the target's."""
    BLOCK = "block"
    """A block that mentions it, in a language that is not read."""
    UNPARSABLE = "unparsable"
    """It has code for it, which cannot be parsed."""
    NOTHING = "nothing"
    """It has no code for it."""

    @property
    def is_usable(self) -> bool:
        return self not in (How.UNPARSABLE, How.NOTHING)


class Extraction(Frozen):
    """What an answer gives for a target."""

    how: How
    function: Text = ""
    """The whole function at column 0, decorators included; where nothing can be parsed, the text that could not."""
    before: Text = ""
    """Imports, and definitions outside the class, of the answer's own that the function uses."""
    methods: Text = ""
    """Other methods and attributes of the class, of the answer's own, that the function uses; at column 0."""
    body: Text = ""
    """The function's body at column 0, its docstring included."""
    notes: tuple[Text, ...] = ()
    truncated: bool = False
    """Whether the answer ends inside the code."""

    @property
    def code(self) -> str:
        """All of it, in an order that works."""
        return "\n\n".join(part for part in (self.before, self.methods, self.function) if part)
