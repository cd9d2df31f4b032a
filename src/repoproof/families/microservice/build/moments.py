"""Values of the moment: the same in all recordings only because those were made within minutes of each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from .records import Json
from .values import plain

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?")
_IN_WORDS = re.compile(r"(Mon|Tue(s)?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d.*")
"""As in `Date` of HTTP, and as C and JavaScript write it."""
_TIME = re.compile(r"(\d\d?):(\d\d)(:\d\d(\.\d+)?)?( ?([AP])M)?", re.IGNORECASE)
_MEASURED = re.compile(r"(elapsed|took|latency|uptime|(response|processing|query|request)time)(in)?(s|ms|us|ns|sec|secs|seconds|millis|milliseconds)?")  # fmt: skip
"""Names of durations that are measured, as `plain` makes them: zero for a fast service, until it is not."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")  # fmt: skip
MOST_MINUTES = 30
"""Between a time of day and now, for it to be taken for now."""


def is_of_the_moment(value: Json, name: str, now: datetime) -> bool:
    """Whether a value at a field of that name may be another one tomorrow, or in an hour. `now` is when it was recorded, in UTC."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return value > 10**8 or is_measured(name) or _is_on_the_clock(value, plain(name), now)
    return isinstance(value, str) and _text_is(value, now)


def is_measured(name: str) -> bool:
    """Whether a field of that name holds how long something took."""
    return _MEASURED.fullmatch(plain(name)) is not None


def may_be_equal_by_chance(value: Json, now: datetime) -> bool:
    """Whether it is a moment to the second or the day: two things that are made in one are not the same for that."""
    if isinstance(value, str):
        is_moment = _MOMENT.fullmatch(value) or _IN_WORDS.fullmatch(value) or (_TIME.fullmatch(value) and _text_is(value, now))  # fmt: skip
        return "." not in value and bool(is_moment)
    return isinstance(value, int) and not isinstance(value, bool) and 10**8 < value < 10**11


def _text_is(text: str, now: datetime) -> bool:
    if _MOMENT.fullmatch(text):
        return True
    if match := _TIME.fullmatch(text):
        hours = int(match[1]) % 12 + (12 if match[6].upper() == "P" else 0) if match[6] else int(match[1])
        apart = abs(60 * hours + int(match[2]) - 60 * now.hour - now.minute)
        return min(apart, 24 * 60 - apart) <= MOST_MINUTES
    for day in _days(now):
        names = (WEEKDAYS[day.weekday()], MONTHS[day.month - 1])
        if text.lower() in names or text.lower() in [name[:3] for name in names]:
            return True
        if f"{day:%Y%m%d}" in text or re.search(rf"(?<!\d){day.year}(?!\d)", text):
            return True
    return False


def _is_on_the_clock(value: float, name: str, now: datetime) -> bool:
    for day in _days(now):
        shown = {
            "hour": (now.hour, (now.hour + 1) % 24), "minute": range(60), "second": range(60), "month": (day.month,), "quarter": ((day.month + 2) // 3,),
            "day": (day.day,), "dayofmonth": (day.day,), "weekday": (day.weekday(), day.isoweekday(), day.isoweekday() % 7),
            "dayofyear": (day.timetuple().tm_yday,), "week": (day.isocalendar().week,),
        }  # fmt: skip
        if value in (day.year, int(f"{day:%Y%m%d}")) or value in shown.get(name.replace("dayofweek", "weekday"), ()):
            return True
    return False


def _days(now: datetime) -> Iterator[datetime]:
    """What day it is somewhere, within the hour that recording may take."""
    return (now + timedelta(hours=hours) for hours in (-12, 0, 15))
