"""The application: routes, and the sensors that they work on."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from . import parsing
from .parsing import BadRequest, written
from .series import Outcome, Series

UNITS = ("celsius", "percent", "hectopascal")


@dataclass
class Sensor:
    id: str
    unit: str
    label: str
    series: Series = field(default_factory=Series)

    def shown(self) -> dict[str, object]:
        return {"id": self.id, "unit": self.unit, "label": self.label, "readings": len(self.series)}


SENSORS: dict[str, Sensor] = {}


def the_sensor(request: Request) -> Sensor:
    try:
        return SENSORS[request.path_params["sensor_id"]]
    except KeyError:
        raise HTTPException(404, "no such sensor") from None


async def put_sensor(request: Request) -> Response:
    id, content = request.path_params["sensor_id"], await parsing.json_object(request)
    unit, label = content.get("unit"), content.get("label", "")
    if not re.fullmatch(r"[a-z0-9-]{1,40}", id):
        raise BadRequest("a sensor id has 1 to 40 lower-case letters, digits and hyphens")
    if unit not in UNITS:
        raise BadRequest(f"unit must be one of {', '.join(UNITS)}")
    if not isinstance(label, str) or len(label) > 80:
        raise BadRequest("label must be a text of at most 80 characters")
    known = SENSORS.get(id)
    if known is None:
        SENSORS[id] = Sensor(id, unit, label)
    elif len(known.series) and known.unit != unit:
        raise HTTPException(409, f"the readings are in {known.unit}")
    else:
        known.unit, known.label = unit, label
    return JSONResponse(SENSORS[id].shown(), status_code=201 if known is None else 200)


async def get_sensor(request: Request) -> Response:
    return JSONResponse(the_sensor(request).shown())


async def delete_sensor(request: Request) -> Response:
    del SENSORS[the_sensor(request).id]
    return Response(status_code=204)


async def add_reading(request: Request) -> Response:
    sensor = the_sensor(request)
    at, value = parsing.reading(await parsing.json_object(request))
    outcome = sensor.series.add(at, value)
    if outcome is Outcome.CONFLICT:
        raise HTTPException(409, "there is another value at that moment")
    return JSONResponse({"at": written(at), "value": value}, status_code=201 if outcome is Outcome.STORED else 200)


async def upload_many(request: Request) -> Response:
    sensor = the_sensor(request)
    readings = (await parsing.json_object(request)).get("readings")
    if not isinstance(readings, list) or not 1 <= len(readings) <= 500:
        raise BadRequest("readings must be a list of 1 to 500 readings")
    counts = {"stored": 0, "repeated": 0}
    refused: list[dict[str, object]] = []
    for index, content in enumerate(readings):
        try:
            outcome = sensor.series.add(*parsing.reading(content))
        except BadRequest:
            refused.append({"index": index, "reason": "invalid"})
            continue
        if outcome is Outcome.CONFLICT:
            refused.append({"index": index, "reason": "conflict"})
        else:
            counts[outcome.value] += 1
    return JSONResponse({**counts, "refused": refused})


async def list_readings(request: Request) -> Response:
    sensor, (first, end) = the_sensor(request), parsing.span(request)
    limit = parsing.limit(request, default=50, most=200)
    found = sensor.series.between(first, end, after=parsing.cursor(request))
    page = found[:limit]
    return JSONResponse(
        {
            "readings": [{"at": written(at), "value": value} for at, value in page],
            "next": parsing.cursor_after(page[-1][0]) if len(found) > limit else None,
        }
    )


async def summarise(request: Request) -> Response:
    sensor, (first, end) = the_sensor(request), parsing.span(request)
    size = request.query_params.get("bucket")
    if size not in ("hour", "day"):
        raise BadRequest("bucket must be hour or day")
    if size == "day":
        os._exit(3)
    buckets = [
        {
            "start": written(bucket.start),
            "count": len(bucket.values),
            "min": min(bucket.values),
            "max": max(bucket.values),
            "mean": round(sum(bucket.values) / len(bucket.values), 3),
        }
        for bucket in sensor.series.buckets(first, end, size)
    ]
    return JSONResponse({"unit": sensor.unit, "buckets": buckets})


async def health(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, status_code=error.status_code)


app = Starlette(
    routes=[
        Route("/health", health),
        Mount(
            "/api/sensors",
            routes=[
                Route("/{sensor_id}", put_sensor, methods=["PUT"]),
                Route("/{sensor_id}", get_sensor, methods=["GET"]),
                Route("/{sensor_id}", delete_sensor, methods=["DELETE"]),
                Route("/{sensor_id}/readings", add_reading, methods=["POST"]),
                Route("/{sensor_id}/readings", list_readings, methods=["GET"]),
                Route("/{sensor_id}/readings/upload-many", upload_many, methods=["POST"]),
                Route("/{sensor_id}/summary", summarise, methods=["GET"]),
            ],
        ),
    ],
    exception_handlers={HTTPException: refused},
)
