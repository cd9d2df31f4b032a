from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from repoproof.sandbox.capture import Capture

PIECES = st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), st.binary(max_size=40)))


@given(PIECES, st.integers(0, 200))
def test_the_first_bytes_are_kept_and_all_are_counted(pieces, limit):
    capture = Capture(limit)
    for stream, piece in pieces:
        capture.add(stream, piece)
    whole = [(stream, byte) for stream, piece in pieces for byte in piece]
    kept = whole[:limit]
    assert capture.stdout == bytes(byte for stream, byte in kept if stream == "stdout")
    assert capture.stderr == bytes(byte for stream, byte in kept if stream == "stderr")
    assert capture.written == len(whole)
    assert capture.full == (len(whole) >= limit)
