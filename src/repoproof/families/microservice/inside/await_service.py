"""Waits, inside the test-side sandbox, until the service really answers: a complete HTTP response below 500.

Usage: await_service.py PORT SECONDS PATH...     Prints one JSON object; exits with 0 if it responded, 1 if not. Stdlib only.
"""

from __future__ import annotations

import http.client
import json
import sys
import time


def answer(port: int, path: str, seconds: float) -> int | str:
    """Status code of `GET path`, or why there was none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=max(0.1, seconds))
    try:
        connection.request("GET", path, headers={"Connection": "close", "Accept": "*/*"})
        response = connection.getresponse()
        response.read(65536)
        return response.status
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        connection.close()


def main(port: int, seconds: float, paths: list[str]) -> int:
    start = time.monotonic()
    last: dict[str, int | str] = {}
    pause = 0.01
    while True:
        for path in paths:
            left = seconds - (time.monotonic() - start)
            if left <= 0:
                print(json.dumps({"responds": False, "last": last, "seconds": round(time.monotonic() - start, 3)}))
                return 1
            last[path] = status = answer(port, path, min(5.0, left))
            if isinstance(status, int) and status < 500:
                print(
                    json.dumps(
                        {
                            "responds": True,
                            "path": path,
                            "status": status,
                            "seconds": round(time.monotonic() - start, 3),
                        }
                    )
                )
                return 0
            if isinstance(status, str) and "refused" in status:
                break  # nobody listens: no use in asking for the other paths
        time.sleep(min(pause, max(0.0, seconds - (time.monotonic() - start))))
        pause = min(pause * 1.5, 0.25)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
