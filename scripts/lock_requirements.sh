#!/usr/bin/env bash
# Write requirements/*.txt: every package by exact version and hash, no download address.
set -euo pipefail
cd "$(dirname "$0")/.."
lock() { .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'make requirements' "$@"; }
lock pyproject.toml --extra python --extra node -o requirements/core.txt
lock pyproject.toml --extra python --extra node --extra models --group dev requirements/build.in -o requirements/dev.txt
# What serving a local model takes besides: the same versions, so that it goes on top of an environment of dev.txt.
lock pyproject.toml --extra models --extra local --constraints requirements/dev.txt -o requirements/local.txt
