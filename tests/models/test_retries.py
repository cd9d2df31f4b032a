"""What is said while an endpoint is asked again."""

from __future__ import annotations

from itertools import pairwise

import pytest
from plugins.asking import endpoint_at

from repoproof.models.base import Fault, FaultKind
from repoproof.models.retries import FIRST_SILENCE, LONGEST_SILENCE, Retries

LIMITED = Fault(kind=FaultKind.RATE_LIMITED, reason="429: slow down")
GONE = Fault(kind=FaultKind.UNREACHABLE, reason="no connection to 127.0.0.1:9: Connection refused")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def retries(said: list[str]) -> Retries:
    return Retries(endpoint_at("http://127.0.0.1:9/v1", name="small", tries=5), said.append)


def test_the_first_of_each_kind_is_said_with_why_and_when(retries: Retries, said: list[str]) -> None:
    retries.heard_of(LIMITED, 4.0, 2, now=100.0)
    retries.heard_of(GONE, 0.0, 3, now=100.1)
    assert said == [
        "endpoint small: 429: slow down; trying again in 4.0 s (try 2 of 5)",
        "endpoint small: no connection to 127.0.0.1:9: Connection refused; trying again at once (try 3 of 5)",
    ]


def test_a_thousand_calls_at_once_are_one_line_and_the_next_one_counts_them(retries: Retries, said: list[str]) -> None:
    for _ in range(1000):
        retries.heard_of(LIMITED, 1.0, 2, now=0.0)
    assert len(said) == 1
    retries.heard_of(LIMITED, 2.0, 3, now=FIRST_SILENCE)
    assert said[1:] == ["endpoint small: 429: slow down, 1000 times more; trying again in 2.0 s (try 3 of 5)"]


def test_the_longer_it_lasts_the_less_often_it_is_said_but_never_seldom(retries: Retries, said: list[str]) -> None:
    at: list[int] = []
    for now in range(2000):
        before = len(said)
        retries.heard_of(LIMITED, 1.0, 2, now=float(now))
        at += [now] * (len(said) - before)
    assert at == [0, 10, 30, 70, 150, 310, 630, 950, 1270, 1590, 1910]
    assert max(later - earlier for earlier, later in pairwise(at)) == LONGEST_SILENCE


def test_after_a_quiet_time_it_is_news_again(retries: Retries, said: list[str]) -> None:
    for now in (0.0, 10.0, 1000.0, 1010.0):
        retries.heard_of(LIMITED, 1.0, 2, now=now)
    assert len(said) == 4
