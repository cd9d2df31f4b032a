"""Broken versions of a service, made by its syntax tree: without a route, with another status, with a field of another name."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ....analysis.endpoints import Route
from ....analysis.routes.java_project import java_files
from ....analysis.source_files import source_files
from ....core.tree import copy_tree
from ....sandbox.apart import Unreadable, apart
from .java_mutants import java_mutants
from .javascript_mutants import javascript_mutants
from .mutant import KINDS, Mutant
from .python_mutants import python_mutants
from .sites import JAVASCRIPT, TYPESCRIPT


def find_mutants(tree: Path, routes: Iterable[Route]) -> list[Mutant]:
    """All of them, in the order of the source; none where it cannot be read."""
    places = sorted({(route.file, route.line, route.method) for route in routes})
    try:
        return [Mutant.model_validate(one) for one in apart(f"{__name__}:mutants", str(tree), json.dumps(places))]
    except (Unreadable, ValidationError):
        return []


def sampled(mutants: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """At most so many, drawn by `seed`: as many of each kind as there are, and of each kind as many of each file; routes first where they
    do not all fit."""
    if len(mutants) <= most:
        return mutants
    draw = random.Random(seed)
    by_kind = [_drawn([one for one in mutants if one.kind == kind], draw) for kind in KINDS]
    in_turn = [one for row in zip_longest(*by_kind) for one in row if one is not None]
    chosen = {id(one) for one in in_turn[:most]}
    return [one for one in mutants if id(one) in chosen]


def _drawn(mutants: list[Mutant], draw: random.Random) -> list[Mutant]:
    """All of them in an order by chance, in which each file has its turn."""
    by_file: dict[str, list[Mutant]] = {}
    for one in draw.sample(mutants, len(mutants)):
        by_file.setdefault(one.file, []).append(one)
    return [one for row in zip_longest(*by_file.values()) for one in row if one is not None]


def write_mutant(tree: Path, mutant: Mutant, destination: Path) -> None:
    """A copy of `tree` with the change made."""
    copy_tree(tree, destination)
    path = destination / mutant.file
    content = path.read_bytes()
    path.write_bytes(content[: mutant.span.start] + mutant.replacement.encode() + content[mutant.span.end :])


def mutants(tree: str, places: str) -> list[dict[str, Any]]:
    """Called in a process apart."""
    by_file: dict[str, dict[int, set[str]]] = {}
    for file, line, method in json.loads(places):
        by_file.setdefault(file, {}).setdefault(line, set()).add(method)
    found: list[Mutant] = []
    for path in (*source_files(Path(tree), (".py", *JAVASCRIPT, *TYPESCRIPT)), *java_files(Path(tree))):
        name = path.relative_to(tree).as_posix()
        lines = by_file.get(name, {})
        if path.suffix == ".py":
            found += python_mutants(path, name, lines)
        elif path.suffix == ".java":
            found += java_mutants(path, name, lines)
        else:
            found += javascript_mutants(path, name, lines)
    distinct = {(one.file, one.span.start, one.span.end, one.replacement): one for one in found}
    return [one.model_dump() for one in sorted(distinct.values(), key=lambda one: (one.file, one.span.start))]
