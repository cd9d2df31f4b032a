"""A model answers the bundled suite, and its answers are scored: `make demo-model`.

    scripts/demo_model.py --gguf FILE                      # served here, ended again
    scripts/demo_model.py --base-url URL [--model ID]      # a server that runs already

Every step is a command that is printed before it runs. The same call again asks nothing that was answered: answers are recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

SUITE = "microservice-mini"
MAX_TOKENS = 1024
"""Of an answer: a small model that repeats itself ends in a minute or so even on one processor."""
THREADS = 1
REPOPROOF = (sys.executable, "-m", "repoproof")


def main() -> int:
    parser = argparse.ArgumentParser(description="Let a model answer the bundled suite, and score its answers.")
    parser.add_argument("--gguf", default="", help="file of the model to serve")
    parser.add_argument("--base-url", default="", help="of a server that runs already, up to and including /v1")
    parser.add_argument("--model", default="", help="which of the server's models (default: the first)")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS, help="of an answer (default: %(default)s)")
    parser.add_argument(
        "--output", type=Path, default=Path("runs"), help="where answers and run go (default: %(default)s)"
    )
    args = parser.parse_args()
    if bool(args.gguf) == bool(args.base_url):
        parser.error("give either --gguf or --base-url")
    # However it is ended, its server ends with it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if not args.gguf:
            return answered_and_scored(args.base_url, args)
        with served(args.gguf, args.output) as base_url:
            return answered_and_scored(base_url, args)
    except KeyboardInterrupt:
        print("interrupted: what was answered is kept; run the same command to go on", file=sys.stderr)
        return 130


@contextmanager
def served(gguf: str, output: Path) -> Generator[str]:
    """The base URL of a server of `gguf` on a free port, which ends with the block, however that ends."""
    output.mkdir(parents=True, exist_ok=True)
    port_file = output / "demo-model.port"
    command = [*REPOPROOF, "models", "serve", "--gguf", gguf, "--threads", str(THREADS), "--port-file", str(port_file)]
    said(command)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        # It says where it is once it answers; if it ends before, it has said why.
        if not server.stdout.readline():
            sys.exit(server.wait() or 1)
        yield f"http://127.0.0.1:{port_file.read_text().strip()}/v1"
    finally:
        server.terminate()
        server.wait()
        port_file.unlink(missing_ok=True)


def answered_and_scored(base_url: str, args: argparse.Namespace) -> int:
    model = args.model or first_model(base_url)
    answers, run = args.output / "demo-model-answers", args.output / "demo-model"
    limits = ["--samples", "1", "--workers", "1", "--budget", "unlimited", "--max-tokens", str(args.max_tokens)]
    solved = step(["solve", SUITE, "--model", model, *limits, "-o", str(answers)], {"OPENAI_BASE_URL": base_url})
    if not (answers / "submissions.jsonl").exists():
        return solved
    scored = step(["score", SUITE, str(answers), "--model-name", model, "-o", str(run)], {})
    return solved or scored


def first_model(base_url: str) -> str:
    with urllib.request.urlopen(f"{base_url}/models", timeout=30) as answer:
        return json.load(answer)["data"][0]["id"]


def step(words: list[str], variables: Mapping[str, str]) -> int:
    said([*(f"{name}={value}" for name, value in variables.items()), "repoproof", *words])
    return subprocess.run([*REPOPROOF, *words], env={**os.environ, **variables}).returncode


def said(command: list[str]) -> None:
    print(f"\n$ {shlex.join(command).replace(shlex.join(REPOPROOF), 'repoproof')}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
