"""First on the path of a service whose lines are counted: starts coverage.py in each of its Python processes, says now and then, and
when it is asked, which lines ran, and hands on to the `sitecustomize` that would have been found without it. Whatever goes wrong here, the service goes on.
"""

import atexit
import json
import os
import socket
import sys
import threading
import time
from contextlib import suppress

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
PACKAGES = "/coverage/env/lib/python{}.{}/site-packages".format(*sys.version_info)
EVERY_SECONDS = 0.1
LAST_TRIES = 10

opened = []
"""Connections of this process to whoever listens."""


def measure():
    import coverage  # pyright: ignore[reportMissingImports] -- in PACKAGES, inside

    measured = coverage.Coverage(data_file=None, config_file=False, source=["/app"], messages=False)
    measured.start()
    threading.Thread(target=keep_telling, args=(measured,), daemon=True).start()
    atexit.register(tell_rest, measured)


def keep_telling(measured):
    while True:
        with suppress(Exception), connected() as out:
            opened.append(out)
            out.settimeout(EVERY_SECONDS)
            told = {}
            while (asked := heard(out)) != b"":
                tell(measured, told, out)
                if asked:
                    out.sendall(b"done\n")
        time.sleep(EVERY_SECONDS)


def heard(out):
    """The question for what was not told yet; None after a while without one, nothing if none will come."""
    try:
        return out.recv(1)
    except TimeoutError:
        return None


def tell(measured, told, out):
    """Send the lines of each file of which more ran than was told."""
    data = measured.get_data()
    for file in data.measured_files():
        lines = sorted(data.lines(file) or ())
        if len(lines) > told.get(file, 0):
            out.sendall(json.dumps({"file": file, "lines": lines}).encode() + b"\n")
            told[file] = len(lines)


def tell_rest(measured):
    for _ in range(LAST_TRIES):
        with suppress(Exception), connected() as out:
            tell(measured, {}, out)
            break
        time.sleep(EVERY_SECONDS)


def connected():
    return socket.create_connection(("127.0.0.1", int(os.environ["REPOPROOF_COVERAGE_PORT"])), 2)


def hand_on():
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != HERE]  # noqa: PTH100
    sys.path.append(PACKAGES)
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        sys.modules["sitecustomize"] = this


def begin():
    with suppress(Exception):
        measure()


def begin_again():
    """Threads do not outlive a fork: a server's workers need one of their own, and a connection."""
    while opened:
        opened.pop().close()
    begin()


hand_on()
begin()
os.register_at_fork(after_in_child=begin_again)
