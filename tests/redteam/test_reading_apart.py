"""The attacker submits a source that takes our parsers for ever, fills their memory or crashes them. In the scoring process, that would
hold up or end everybody's run: services that are being tested meanwhile would time out.
"""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_whoever_is_killed_while_it_waits_leaves_nothing_on_the_terminal(tmp_path):
    begun, goes_on = tmp_path / "begun", tmp_path / "goes_on"
    os.mkfifo(begun)
    os.mkfifo(goes_on)
    read = f"import os; open({str(begun)!r}, 'w').close(); os.read(os.open({str(goes_on)!r}, os.O_RDONLY), 1)"
    asking = f"from repoproof.sandbox.apart import apart; apart('builtins:exec', {read!r})"
    with subprocess.Popen([sys.executable, "-c", asking], stderr=subprocess.PIPE) as process:
        begun.read_bytes()  # returns when the reader's child has opened it, and closed it again
        process.kill()
        process.wait()
        # For reading as well: so that it waits for nobody, and the byte for whoever comes.
        told = os.open(goes_on, os.O_RDWR)
        os.write(told, b".")
        assert process.stderr is not None
        assert process.stderr.read() == b""  # ends with the last of the reader's processes
        os.close(told)
