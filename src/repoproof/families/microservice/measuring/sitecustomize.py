"""First on the path of a service whose lines are counted: starts coverage.py in each of its Python processes, says now and then which
lines ran, and hands on to the `sitecustomize` that would have been found without it. Whatever goes wrong here, the service goes on.
"""

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


def measure():
    import coverage  # pyright: ignore[reportMissingImports] -- in PACKAGES, inside

    measured = coverage.Coverage(data_file=None, config_file=False, source=["/app"], messages=False)
    measured.start()
    threading.Thread(target=tell, args=(measured,), daemon=True).start()


def tell(measured):
    """Send what ran so far, whenever it has become more."""
    told = 0
    while True:
        time.sleep(EVERY_SECONDS)
        with suppress(Exception):
            data = measured.get_data()
            lines = {file: sorted(data.lines(file) or ()) for file in data.measured_files()}
            count = sum(map(len, lines.values()))
            if count != told:
                with socket.create_connection(("127.0.0.1", int(os.environ["REPOPROOF_COVERAGE_PORT"])), 2) as out:
                    out.sendall(json.dumps(lines).encode())
                told = count


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


hand_on()
begin()
# Threads do not outlive a fork: a server's workers need one of their own.
os.register_at_fork(after_in_child=begin)
