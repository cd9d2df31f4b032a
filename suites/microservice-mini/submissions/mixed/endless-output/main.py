"""Answers /health; the first request for anything else starts a thread that prints without end."""

import sys
from threading import Thread

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


def babble():
    while True:
        sys.stdout.write("all is well " * 1000 + "\n")


async def health(request):
    return JSONResponse({"status": "ok"})


async def not_found(request, error):
    if not babbling.is_alive():
        babbling.start()
    return JSONResponse({"error": "not found"}, status_code=404)


babbling = Thread(target=babble, daemon=True)
app = Starlette(routes=[Route("/health", health)], exception_handlers={404: not_found})
