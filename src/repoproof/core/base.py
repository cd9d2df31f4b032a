"""What every record of RepoProof is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

KiB = 1024
MiB = 1024 * KiB
GiB = 1024 * MiB


class Frozen(BaseModel):
    """A record: immutable, closed (an unknown field is an error), documented by a string under each field."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=False)
