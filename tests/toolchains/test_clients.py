"""Our own clients outside the sandbox: they end in time, alone, and within the space that they may take."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress

import pytest

from repoproof.core.errors import Boundary, InfrastructureError
from repoproof.toolchains.clients import TooMuch, run_client

WRITES_FOR_EVER = "while True: open('much', 'ab').write(bytes(1 << 20))"
LEAVES_A_CHILD = "import os, time\nif os.fork() == 0:\n    open('child', 'w').write(str(os.getpid()))\ntime.sleep(60)"


def client(code):
    return [sys.executable, "-c", code]


def test_a_client_that_takes_more_space_than_it_may_is_ended(tmp_path):
    with pytest.raises(TooMuch):
        run_client(client(WRITES_FOR_EVER), cwd=tmp_path, seconds=60, most_bytes={tmp_path: 1 << 20})


def test_space_is_looked_at_once_more_at_the_end(tmp_path):
    with pytest.raises(TooMuch):
        run_client(
            client("open('much', 'wb').write(bytes(1 << 22))"), cwd=tmp_path, seconds=60, most_bytes={tmp_path: 1 << 20}
        )


@pytest.mark.parametrize("bounded", [True, False])
def test_a_client_that_takes_too_long_is_ours_and_ends_with_its_children(tmp_path, bounded):
    most = {tmp_path: 1 << 30} if bounded else None
    with pytest.raises(InfrastructureError, match="took longer than 2 s") as error:
        run_client(client(LEAVES_A_CHILD), cwd=tmp_path, seconds=2, most_bytes=most)
    assert error.value.boundary is Boundary.TOOLCHAIN
    child = int((tmp_path / "child").read_text())
    with suppress(ProcessLookupError):  # already gone
        ended = os.pidfd_open(child)
        assert select.select([ended], [], [], 60)[0]
        os.close(ended)


@pytest.mark.parametrize("bounded", [True, False])
def test_what_a_client_says_is_kept(tmp_path, bounded):
    said = run_client(
        client("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"),
        cwd=tmp_path, seconds=60, most_bytes={tmp_path: 1 << 30} if bounded else None,
    )  # fmt: skip
    assert (said.exit_code, said.stdout, said.stderr) == (3, "out\n", "err\n")
