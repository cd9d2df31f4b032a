"""Which annotations hold for a method, where frameworks look for them on what it overrides as well."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from .java_settings import Settings
from .java_types import Annotation, JavaType, Method
from .values import Site


def methods_of(made_of: JavaType) -> Iterator[list[Method]]:
    """Each method that an object of the type has, followed by those that it overrides, the nearest first."""
    chains: list[list[Method]] = []
    for holder in made_of.lineage:
        for method in holder.methods:
            if "static" in method.modifiers:
                continue
            over = next((chain for chain in chains if _overrides(chain[0], method)), None)
            if over is None:
                chains.append([method])
            else:
                over.append(method)
    yield from chains


def _overrides(method: Method, other: Method) -> bool:
    same = method.name == other.name and len(method.parameters) == len(other.parameters)
    return same and method.owner is not other.owner and "private" not in other.modifiers


def among(annotations: Iterable[Annotation], names: Collection[str]) -> list[Annotation]:
    return [annotation for annotation in annotations if annotation.name in names]


def nearest(holders: Iterable[JavaType | Method], names: Collection[str]) -> list[Annotation]:
    """The annotations called one of `names` on the first of `holders` that has any."""
    return next((found for holder in holders if (found := among(holder.annotations, names))), [])


def place_of(annotation: Annotation) -> Site:
    return Site(annotation.file, annotation.line)


def filled(paths: Sequence[str | None], settings: Settings, *, default: str) -> list[str]:
    """The paths of a mapping with their placeholders filled in, without those that cannot be told; `default` where none is written."""
    texts = [settings.filled(path) if path is not None else None for path in paths]
    return [text for text in texts if text is not None] if paths else [default]
