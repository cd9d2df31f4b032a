"""The attacker submits a source that takes our parsers for ever, fills their memory or crashes them. In the scoring process, that would
hold up or end everybody's run: services that are being tested meanwhile would time out.
"""

from __future__ import annotations

import pytest

from repoproof.sandbox.apart import Unreadable, apart


@pytest.mark.parametrize(
    ("function", "argument", "why"),
    [
        ("ast:literal_eval", "(" * 100, "failed: SyntaxError"),
        ("builtins:exec", "import ctypes; ctypes.string_at(0)", "signal 11"),
        ("builtins:exec", "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass", "processor time"),
        ("builtins:exec", "x = [bytes(1 << 30) for _ in range(8)]", "MemoryError"),
    ],
)  # fmt: skip
def test_what_does_not_come_to_its_end_ends_alone(function, argument, why):
    with pytest.raises(Unreadable, match=why):
        apart(function, argument)


def test_what_comes_to_its_end_is_handed_over():
    assert apart("posixpath:basename", "/a/b") == "b"
