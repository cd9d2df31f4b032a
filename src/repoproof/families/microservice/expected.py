"""Which of the golden tests in Python that were collected are expected."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def expected_of(
    collected: Sequence[str], disabled: Collection[str], left_out: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of `collected` that are expected, in their order, and notes on the others.

    What its source has switched off is `disabled`: never run, whatever the service does, so that expecting it would be a score that nobody can
    have. What pytest would leave out as it is marked, for a reason of its own (id -> why), may be run elsewhere: it is expected, and said.
    """
    ids = tuple(id for id in collected if id not in disabled)
    notes: list[str] = []
    if len(ids) < len(collected):
        off = [id for id in collected if id in disabled]
        notes.append(f"disabled, hence not expected: {', '.join(_named(off, ids))}")
    if doubtful := [id for id in ids if id in left_out]:
        rest = [id for id in ids if id not in left_out]
        by_reason = {why: [id for id in doubtful if left_out[id] == why] for why in map(left_out.__getitem__, doubtful)}
        words = [f"{', '.join(_named(some, rest))} ({why})" for why, some in by_reason.items()]
        notes.append(f"expected, though left out by a mark where they were collected: {'; '.join(words)}")
    return ids, tuple(notes)


def _named(ids: Sequence[str], others: Sequence[str]) -> Sequence[str]:
    """`ids` by their file, or by the test that they are parameters of, where that has none of the others."""
    files, tests = ({part(id) for id in others} for part in (_file, _test))
    return list(
        dict.fromkeys(
            _file(id) if _file(id) not in files else _test(id) if _test(id) not in tests else id for id in ids
        )
    )


def _file(id: str) -> str:
    return id.partition("::")[0]


def _test(id: str) -> str:
    return id.partition("[")[0]
