"""Spark 2: its static methods, instances made by `ignite`, and groups of paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..endpoints import Route
from .java_evaluation import Evaluation
from .java_routes import Application
from .java_values import Interpreter, NativeClass
from .paths import VERBS
from .values import UNKNOWN, Site, Value, first_two

NAMES = ()


class SparkService(Application):
    """A `Service`; paths of groups are glued to those in front as they are written."""

    def __init__(self) -> None:
        super().__init__("spark")
        self.group: Value = ""

    def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        first, second = first_two(arguments)
        if name in VERBS and len(arguments) > 1:
            self.add(VERBS[name], self._below(first), site)
        elif name == "path" and len(arguments) == 2:
            before, self.group = self.group, self._below(first)
            try:
                interpreter.run(second, (), site)
            finally:
                self.group = before
        elif name == "addRoute" and isinstance(first, str):
            self.add(first.upper(), self._below(getattr(second, "path", UNKNOWN)), site)
        return self

    def _below(self, path: Value) -> Value:
        return self.group + path if isinstance(path, str) and isinstance(self.group, str) else UNKNOWN


def packages() -> dict[str, NativeClass]:
    """The classes of one evaluation: `Spark`'s static methods all mean one service, an application once it has a route."""
    shared = SparkService()

    class Spark(NativeClass):
        def knows(self, name: str) -> bool:
            return name in VERBS or name in ("path", "addRoute")

        def invoke(self, name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
            if shared not in interpreter.applications:
                interpreter.applications.append(shared)
            return shared.invoke(name, arguments, site, interpreter)

    def ignite(name: str, arguments: Sequence[Value], site: Site, interpreter: Interpreter) -> Value:
        service = SparkService()
        interpreter.applications.append(service)
        return service

    return {"spark.Spark": Spark(), "spark.Service": NativeClass({"ignite": ignite})}


def routes(evaluation: Evaluation) -> Iterator[Route]:
    for service in evaluation.applications:
        if isinstance(service, SparkService):
            yield from service.routes()
