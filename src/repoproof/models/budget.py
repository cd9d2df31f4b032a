"""What may be spent on asking, on a whole run and on each of its tasks, and what has been."""

from __future__ import annotations

import difflib
import re
import threading
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from pydantic import Field

from ..core.base import Frozen
from ..core.errors import BadInput
from .base import Answer, ChatRequest, Fault, FaultKind, FillRequest, Model
from .endpoint import Endpoint
from .store import Spent

UNLIMITED_WORD = "unlimited"
_FORM = f"as in usd=5,tokens=2M,calls=100,seconds=3600, or {UNLIMITED_WORD}"
_UNITS = "k and M are thousands and millions"


class Budget(Frozen):
    """What may be spent. Once any of it is used up, nothing more is asked; what is in flight then is still awaited, and paid."""

    calls: int | None = Field(default=None, ge=0)
    """That are sent, tries that fail among them."""
    tokens: int | None = Field(default=None, ge=0)
    """Of prompts and answers."""
    usd: float | None = Field(default=None, ge=0)
    """By the endpoint's prices."""
    seconds: float | None = Field(default=None, ge=0)
    """Of the calls, added up: with several at once, more than passes on the clock."""

    def __str__(self) -> str:
        """As `parse_budget` reads it."""
        # `Decimal` spells a number out, where floats come to 1e+06.
        return ",".join(f"{name}={Decimal(str(limit)):f}" for name, limit in self.limits) or UNLIMITED_WORD

    @property
    def limits(self) -> list[tuple[str, int | float]]:
        """Those that are set."""
        return [(name, limit) for name, limit in self if limit is not None]

    def used_up_by(self, spent: Spent) -> str:
        """Which limit was reached, as in `20 of 20 calls`; empty while there is something left."""
        for name, limit in self.limits:
            if (amount := getattr(spent, name)) >= limit:
                return (
                    f"{amount:.6g} of {limit:.6g} {name}" if isinstance(limit, float) else f"{amount} of {limit} {name}"
                )
        return ""


UNLIMITED = Budget()


def parse_budget(text: str) -> Budget:
    """A budget in the command line's form: `usd=5,tokens=2M,calls=100,seconds=3600`, any of them; or the word `unlimited`."""
    if text.strip() == UNLIMITED_WORD:
        return UNLIMITED
    limits: dict[str, int | float] = {}
    for part in text.split(","):
        name, _, amount = (piece.strip() for piece in part.partition("="))
        if name not in Budget.model_fields:
            raise _unknown(part.strip(), name)
        if name in limits:
            raise BadInput("is there twice", field=name, mend="give it once")
        limits[name] = _amount(name, amount)
    return Budget(**limits)  # pyright: ignore[reportArgumentType] # Whole where it must be.


def _unknown(part: str, name: str) -> BadInput:
    """What stands where a limit should."""
    if part == UNLIMITED_WORD:
        return BadInput(f"{part!r} and limits exclude each other", mend="keep the limits, or the word alone")
    if not part:
        return BadInput("a limit is missing", mend=_FORM)
    known = f"known: {', '.join(Budget.model_fields)}; {_FORM}"
    close = difflib.get_close_matches(name, [*Budget.model_fields, UNLIMITED_WORD], n=1)
    return BadInput(f"{part!r} is no limit", mend=f"did you mean {close[0]}? {known}" if close else known)


def _no_amount(name: str, text: str) -> BadInput:
    """What stands where a number should."""
    if re.fullmatch(r"\d+(\.\d+)?[kM]?", text, re.ASCII):
        return BadInput(f"{text!r} has too many digits", field=name, mend=f"leave {name} out to limit none; {_FORM}")
    meant = {"m": "M", "K": "k"}.get(text[-1:])
    hint = f"did you mean {text[:-1]}{meant}? " if meant and text[:-1].isdecimal() else ""
    return BadInput(f"{text!r} is not a number from 0 on", field=name, mend=f"{hint}digits, {_UNITS}; {_FORM}")


def _amount(name: str, text: str) -> int | float:
    found = re.fullmatch(r"(\d{1,15})(?:\.(\d{1,20}))?([kM]?)", text, re.ASCII)
    if found is None:
        raise _no_amount(name, text)
    whole, fraction, suffix = found.groups(default="")
    # By shifting digits: 0.29M is 290000 calls, not 289999.99999999994.
    digits = {"": 0, "k": 3, "M": 6}[suffix]
    if name in ("calls", "tokens"):
        if len(fraction.rstrip("0")) > digits:
            raise BadInput(f"{text!r} is not a whole number", field=name, mend=f"{_UNITS}; {_FORM}")
        return int(whole + fraction.rstrip("0").ljust(digits, "0"))
    return float(f"{whole}.{fraction or 0}e{digits}")


class Ledger:
    """What is spent of a run's budget, and of the budget that each task (each label) has. For any number of tasks and threads."""

    def __init__(
        self, run: Budget = UNLIMITED, task: Budget = UNLIMITED, *, spent: Mapping[str, Spent] | None = None
    ) -> None:
        """`spent` is what was spent before, by label: what a store says of a job that goes on."""
        self.run = run
        self.task = task
        self._lock = threading.Lock()
        self._by_label = dict(spent or {})
        self._total = Spent(*map(sum, zip(*self._by_label.values(), strict=True))) if self._by_label else Spent()
        self._in_flight: Counter[str] = Counter()
        self._without_price = False

    @property
    def spent(self) -> Spent:
        """In all."""
        with self._lock:
            return self._total

    def spent_on(self, label: str) -> Spent:
        with self._lock:
            return self._by_label.get(label, Spent())

    def check(self, endpoint: Endpoint) -> None:
        """`BadInput` where money is limited, and nobody knows what the endpoint costs."""
        if self._limits_money and endpoint.prices is None:
            mend = "give it `prices` in models.toml, or limit tokens or calls"
            raise BadInput("a budget in usd needs prices", subject=endpoint.name, mend=mend)

    def refusal(self, label: str) -> Fault | None:
        """Why nothing may be asked for `label` now; None if it may."""
        with self._lock:
            return self._refusal(label)

    def spend(self, label: str, outcome: Answer | Fault) -> None:
        """Take down what came of a call."""
        with self._lock:
            self._spend(label, outcome)

    def around(self, model: Model) -> Model:
        """`model`, asked only while there is something left. A model that answers from a record belongs outside: that is free."""
        return _Budgeted(self, model)

    def _begin(self, label: str) -> Fault | None:
        """As `refusal`; where there is none, a call is in flight, and counts as one, until `_end`."""
        with self._lock:
            refusal = self._refusal(label)
            if refusal is None:
                self._in_flight[label] += 1
            return refusal

    def _end(self, label: str, outcome: Answer | Fault) -> None:
        with self._lock:
            self._in_flight[label] -= 1
            if not self._in_flight[label]:
                del self._in_flight[label]
            self._spend(label, outcome)

    def _spend(self, label: str, outcome: Answer | Fault) -> None:
        self._total = self._total.and_for(outcome)
        self._by_label[label] = self._by_label.get(label, Spent()).and_for(outcome)
        if isinstance(outcome, Answer) and outcome.cost_usd is None:
            self._without_price = True

    @property
    def _limits_money(self) -> bool:
        return self.run.usd is not None or self.task.usd is not None

    def _refusal(self, label: str) -> Fault | None:
        if self._without_price and self._limits_money:
            return _over("a budget in usd cannot be kept: there was an answer without a price")
        total = self._total._replace(calls=self._total.calls + self._in_flight.total())
        if used := self.run.used_up_by(total):
            return _over(f"the run's budget is used up: {used}")
        mine = self._by_label.get(label, Spent())
        if used := self.task.used_up_by(mine._replace(calls=mine.calls + self._in_flight[label])):
            return _over(f"the task's budget is used up: {used}")
        return None


def _over(reason: str) -> Fault:
    return Fault(kind=FaultKind.OVER_BUDGET, reason=reason)


class _Budgeted:
    def __init__(self, ledger: Ledger, model: Model) -> None:
        self.ledger = ledger
        self.model = model

    async def ask(self, request: ChatRequest | FillRequest, *, label: str = "") -> Answer | Fault:
        if (refusal := self.ledger._begin(label)) is not None:
            return refusal
        # What is cancelled, or breaks on our side, may have been sent all the same.
        outcome: Answer | Fault = Fault(kind=FaultKind.ABANDONED, reason="not awaited", tries=1)
        try:
            outcome = await self.model.ask(request, label=label)
            return outcome
        finally:
            self.ledger._end(label, outcome)
