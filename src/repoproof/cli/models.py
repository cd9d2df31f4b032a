"""`repoproof models list|check|scripted|serve`."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import INFRASTRUCTURE, options

if TYPE_CHECKING:
    from ..api.models import ModelCheck
    from ..models.base import Answer, Fault
    from ..models.endpoint import Endpoint
    from ..reports.tables import Page

LIST = "Print the endpoints of models.toml"
CHECK = "Ask a model a few short questions, and say what came back"
SCRIPTED = "Serve answers by rules: a model for tests and first steps"
SERVE = "Serve a model in a GGUF file by llama.cpp"

NO_ENDPOINTS = (
    "No endpoint has a name: there is no models.toml, or nothing in it. Any model's id is asked at $OPENAI_BASE_URL."
)
NO_SUFFIX = ("-", "it answers, but leaves out what follows the gap: give fill_template in models.toml")
SAME_SEED = {True: ("ok", "the same text twice"), False: ("-", "another text"), None: ("-", "no text to compare")}


def arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    list_ = _subcommand(chosen, "list", LIST, _list)
    _models_file(list_)
    options.output_format(list_, "table", "markdown", "json")

    check = _subcommand(chosen, "check", CHECK, _check)
    check.add_argument("name", metavar="NAME", type=options.not_empty, help="endpoint of models.toml, or a model's id")
    _models_file(check)
    options.output_format(check, "table", "markdown", "json")

    scripted = _subcommand(chosen, "scripted", SCRIPTED, _scripted)
    scripted.add_argument("--rules", type=options.path, metavar="FILE", help="TOML file with tables [[rule]]")
    _port(scripted)

    serve = _subcommand(chosen, "serve", SERVE, _serve)
    serve.add_argument("--gguf", type=options.path, metavar="PATH", required=True, help="file of the model")
    serve.add_argument("--name", default="", help="what the model is asked by (default: the file's name)")
    serve.add_argument(
        "--threads", type=options.positive, metavar="N", help="processors to use (default: half of them)"
    )
    serve.add_argument(
        "--context",
        dest="context_tokens",
        type=options.positive,
        default=8192,
        metavar="TOKENS",
        help="of prompt and answer together (default: %(default)s)",
    )
    serve.add_argument("-v", "--verbose", action="store_true", help="all that llama.cpp has to say, on stderr")
    _port(serve)


def _subcommand(
    chosen: argparse._SubParsersAction, name: str, summary: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser = chosen.add_parser(name, help=summary, description=f"{summary}.", allow_abbrev=False)
    parser.set_defaults(run=run)
    return parser


def _models_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--models", type=options.path, metavar="FILE", help="instead of models.toml where it is looked for"
    )


def _port(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=options.whole, default=0, metavar="P", help="default: any free one, which is printed"
    )
    parser.add_argument("--port-file", type=options.path, metavar="FILE", help="holds the port as long as it is served")


def run(args: argparse.Namespace) -> int:
    return args.run(args)


def _list(args: argparse.Namespace) -> int:
    from .. import api
    from ..api.models import presentable
    from .printing import print_page

    found = [presentable(endpoint) for endpoint in api.endpoints(args.models)]
    print_page(_endpoints_page(found), found, args.format)
    return 0


def _check(args: argparse.Namespace) -> int:
    from .. import api
    from .printing import print_page

    found = api.check_model(args.name, models=args.models)
    print_page(_check_page(found), found, args.format)
    return 0 if found.ok else INFRASTRUCTURE


def _scripted(args: argparse.Namespace) -> int:
    from .. import api

    with api.scripted_server(args.rules or (), port=args.port) as server:
        _until_ended("any model", server.base_url, args.port_file)
    return 0


def _serve(args: argparse.Namespace) -> int:
    from .. import api

    chosen = {
        "name": args.name,
        "threads": args.threads,
        "context_tokens": args.context_tokens,
        "verbose": args.verbose,
    }
    with api.local_model(args.gguf, port=args.port, **chosen) as model:
        _until_ended(model.name, model.base_url, args.port_file)
    return 0


def _until_ended(name: str, base_url: str, port_file: Path | None) -> None:
    """Say where it is, and wait for Ctrl-C or SIGTERM: that is how a server ends, and no trouble."""
    from ..core.durable import write_atomically
    from ..core.waiting import until

    try:
        if port_file is not None:
            write_atomically(port_file, f"{base_url.removesuffix('/v1').rpartition(':')[2]}\n")
        print(f"{name} answers at {base_url} until Ctrl-C or SIGTERM; to use it:")
        print(f"  export OPENAI_BASE_URL={base_url} OPENAI_API_KEY=any", flush=True)
        until(threading.Event())
    except KeyboardInterrupt:
        print("stopped", flush=True)
    finally:
        if port_file is not None:
            port_file.unlink(missing_ok=True)


def _endpoints_page(endpoints: Sequence[Endpoint]) -> Page:
    from ..reports.tables import Column, Page, Table

    columns = (Column("Name"), Column("Model"), Column("Address"), Column("USD/M in", True), Column("USD/M out", True))
    rows = tuple((each.name, each.model, each.base_url or "$OPENAI_BASE_URL", *_prices(each)) for each in endpoints)
    return Page((Table(columns, rows) if rows else NO_ENDPOINTS,))


def _check_page(found: ModelCheck) -> Page:
    from ..models.base import Answer
    from ..reports.tables import Column, Page, Table

    rows = [("chat", *_came(found.chat))]
    if isinstance(found.chat, Answer):
        reported = found.chat.usage.reported
        rows += [
            ("fill in the middle", *(NO_SUFFIX if found.reads_suffix is False else _came(found.fill))),
            ("usage", "ok" if reported else "-", "reported" if reported else "not reported: tokens are our estimate"),
            ("same seed", *SAME_SEED[found.repeatable]),
            ("prices", *_known(found.endpoint)),
        ]
    table = Table((Column("What"), Column("State"), Column("Found")), tuple(rows))
    mends = [f"{found.endpoint.name}: {found.mend}"] if found.mend else []
    return Page((f"{found.endpoint.name}: model {found.endpoint.model} at {found.address}", table, *mends))


def _came(result: Answer | Fault) -> tuple[str, str]:
    """Whether an answer came, and what about it."""
    from ..models.base import Fault

    if isinstance(result, Fault):
        return str(result.kind), result.reason
    usage = result.usage
    thought = f" ({usage.reasoning_tokens} of them reasoning)" if usage.reasoning_tokens else ""
    return "ok", f"{result.seconds:.1f} s, {usage.prompt_tokens} tokens in, {usage.completion_tokens} out{thought}"


def _known(endpoint: Endpoint) -> tuple[str, str]:
    if endpoint.prices is None:
        return "-", "none: no budget in usd"
    into, out = _prices(endpoint)
    return "ok", f"{into} USD a million tokens in, {out} out"


def _prices(endpoint: Endpoint) -> tuple[str, str]:
    prices = endpoint.prices
    return ("-", "-") if prices is None else (f"{prices.input:g}", f"{prices.output:g}")
