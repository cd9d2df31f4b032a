"""What every record of RepoProof is made of."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import AfterValidator, BaseModel, ConfigDict

KiB = 1024
MiB = 1024 * KiB
GiB = 1024 * MiB


class Frozen(BaseModel):
    """A record: immutable, closed (an unknown field is an error), finite, documented by a string under each field."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        arbitrary_types_allowed=False,
        # JSON has neither infinity nor NaN: what was written as null could not be read back.
        allow_inf_nan=False,
    )


def writable(text: str) -> str:
    """`text` with lone surrogates spelled out: a candidate's JSON can hold them, and no file can."""
    return text.encode("utf-8", "backslashreplace").decode()


def _writable_all(value: object) -> object:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return {_writable_all(key): _writable_all(item) for key, item in pairs.items()}
    if isinstance(value, list | tuple):
        return [_writable_all(item) for item in cast("list[object]", value)]
    return value


Text = Annotated[str, AfterValidator(writable)]
"""Text that may come from a candidate, or quote one: always fit to be written down."""

Evidence = Annotated[dict[str, object], AfterValidator(_writable_all)]
"""The same for a whole tree of JSON values."""
