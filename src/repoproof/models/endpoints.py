"""Endpoints by name: the tables of a `models.toml`, or what the usual variables of the environment say."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from ..core.errors import BadInput
from ..core.jsonl import to_record
from ..core.user_files import read_toml
from .endpoint import Endpoint

FILE_NAME = "models.toml"
FILE_VARIABLE = "REPOPROOF_MODELS"


def read_endpoints(file: Path | None = None) -> dict[str, Endpoint]:
    """All endpoints of `file`, or of the one that `models_file` finds; none where there is no file. `BadInput` names table and field."""
    file = file or models_file()
    return {} if file is None else {name: _read(name, table, file) for name, table in read_toml(file).items()}


def find_endpoint(name: str, file: Path | None = None, *, to_be_asked: bool = True) -> Endpoint:
    """The endpoint that is called `name`; a name that no table has is the id of a model at $OPENAI_BASE_URL.

    `BadInput` if the environment says nothing of such an endpoint; with `to_be_asked=False` (a replay) it need not.
    """
    if not name.strip() or not name.isprintable():
        raise BadInput(f"{name!r} is no name of a model", mend="give a table of models.toml, or a model's id")
    file = file or models_file()
    tables = {} if file is None else read_toml(file)
    if file is not None and name in tables:
        endpoint = _read(name, tables[name], file)
    else:
        endpoint = Endpoint(name=name, model=name)
    if to_be_asked and not (endpoint.base_url or any(map(os.environ.get, ("OPENAI_BASE_URL", endpoint.api_key_env)))):
        if file is not None and name in tables:
            mend = f"give it base_url, or set OPENAI_BASE_URL or {endpoint.api_key_env}"
            raise BadInput("nothing says where it is", file=file, subject=f'table "{name}"', mend=mend)
        raise _unknown(name, tables, file)
    return endpoint


def models_file() -> Path | None:
    """$REPOPROOF_MODELS, else ./models.toml, else the one in the user's configuration; None where there is none of them."""
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)
    return next((file for file in (Path(FILE_NAME), _configuration() / FILE_NAME) if file.is_file()), None)


def _configuration() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification tells to ignore relative values.
    return (Path(base) if base.startswith("/") else Path(os.path.expanduser("~/.config"))) / "repoproof"  # noqa: PTH111


def _unknown(name: str, tables: dict[str, object], file: Path | None) -> BadInput:
    close = difflib.get_close_matches(name, tables, n=1)
    meant = f"did you mean {close[0]!r}? else " if close else ""
    where = f"no table of {file}" if file else f"there is no {FILE_NAME}"
    return BadInput(
        f"{where}, and neither OPENAI_BASE_URL nor OPENAI_API_KEY is set",
        subject=f'model "{name}"',
        mend=f"{meant}set them, or write a {FILE_NAME}",
    )


def _read(name: str, table: object, file: Path) -> Endpoint:
    subject = f'table "{name}"'
    if not isinstance(table, dict):
        mend = f"fields belong into a table: begin it with [{name if name.isidentifier() else 'NAME'}]"
        raise BadInput("is a value, and not an endpoint", file=file, subject=f'"{name}"', mend=mend)
    if "name" in table:
        raise BadInput("unknown field", file=file, subject=subject, field="name", mend="the table's own name is it")
    return to_record(Endpoint, {"name": name, **table}, file=file, subject=subject)
