"""Waits, inside the test-side sandbox, until the service really answers: an HTTP response below 500.

Usage: await_service.py PORT SECONDS PATH...     Prints one JSON object; exits with 0 if it responded, 1 if not. Stdlib only.
"""

from __future__ import annotations

import json
import sys
import time

from asking import NoAnswer, ask  # pyright: ignore[reportMissingImports] -- beside this file inside


def main(port: int, seconds: float, paths: list[str]) -> int:
    start = time.monotonic()
    last: dict[str, int | str] = {}
    pause = 0.01

    def said(found: dict[str, object]) -> None:
        print(json.dumps({**found, "seconds": round(time.monotonic() - start, 3)}))

    while True:
        for path in paths:
            left = seconds - (time.monotonic() - start)
            if left <= 0:
                said({"responds": False, "last": last})
                return 1
            try:
                last[path] = status = ask(port, "GET", path, min(5.0, left)).status
            except NoAnswer as why:
                last[path] = str(why)
                if "refused" in str(why):
                    break  # nobody listens: no use in asking for the other paths
            else:
                if status < 500:
                    said({"responds": True, "path": path, "status": status})
                    return 0
        time.sleep(min(pause, max(0.0, seconds - (time.monotonic() - start))))
        pause = min(pause * 1.5, 0.25)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
