"""`repoproof solve SUITE --model M --budget B -o SUBMISSIONS`."""

from __future__ import annotations

import argparse

from . import FOUND, INFRASTRUCTURE, options

KEPT = ": what was answered is kept; run the same command to go on"

PRESETS = ("greedy", "sampled")
"""Those of `solvers.presets`, which is not loaded to print the help."""


def arguments(parser: argparse.ArgumentParser) -> None:
    options.suite(parser)
    parser.add_argument(
        "--model", metavar="M", type=options.not_empty, required=True, help="endpoint of models.toml, or a model's id"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="SUBMISSIONS",
        type=options.path,
        required=True,
        help="where answers go; an unfinished directory is gone on with",
    )
    parser.add_argument(
        "--budget", metavar="B", help="usd=5,tokens=2M,calls=100,seconds=3600 (any of them), or unlimited; must be said"
    )
    parser.add_argument("--task-budget", metavar="B", default="unlimited", help="the same, for each task")
    options.selection(parser)
    parser.add_argument("--language", default="", metavar="NAME", help="only tasks of this language")
    parser.add_argument(
        "--models", type=options.path, metavar="FILE", help="instead of models.toml where it is looked for"
    )
    _sampling(parser)
    _recording(parser)
    parser.add_argument(
        "--workers",
        type=options.positive,
        default=4,
        metavar="W",
        help="attempts at once (default: %(default)s); models.toml limits calls at once, too",
    )
    options.output_format(parser, "table", "markdown", "json")
    options.logs(parser)


def _sampling(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--preset",
        choices=PRESETS,
        default=PRESETS[0],
        help="greedy: 1 sample, temperature 0 (default); sampled: 20 samples, temperature 0.4, top-p 0.95",
    )
    parser.add_argument("--samples", type=options.positive, metavar="N", help="attempts at each task")
    parser.add_argument("--temperature", type=float, metavar="T")
    parser.add_argument("--top-p", type=float, metavar="P")
    parser.add_argument(
        "--max-tokens", type=options.positive, metavar="N", help="of each answer (default: the model's)"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="attempt i asks with seed S + i")
    parser.add_argument(
        "--stop", action="append", type=options.not_empty, metavar="TEXT", help="end the answer before it (repeatable)"
    )
    parser.add_argument("--reasoning-effort", metavar="LEVEL", help="low, medium, ... where the model knows it")


def _recording(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_mutually_exclusive_group()
    for mode, what in (
        ("auto", "use what it holds, record the rest (default: in SUBMISSIONS)"),
        ("record", "record; use only what this same command recorded before it was ended"),
        ("replay", "use what it holds, ask nobody; what it does not hold is a fault"),
    ):
        chosen.add_argument(f"--{mode}", type=options.path, metavar="STORE", help=what)
    chosen.add_argument("--no-record", action="store_true", help="record nothing: if killed, what was asked is lost")


def run(args: argparse.Namespace) -> int:
    from .. import api
    from .printing import console, print_page
    from .solving import next_command, solving_page, solving_progress

    mode = next((mode for mode in ("auto", "record", "replay") if getattr(args, mode) is not None), None)
    samples, sampling = _sampled(args)
    if samples > 1 and sampling.temperature == 0 and sampling.seed is None:
        said = f"{samples} samples at temperature 0 and without a seed are about the same answer: pass@k of them says little"
        console(stderr=True).print(f"{said} (--preset sampled, or --temperature)", style="dim", soft_wrap=True)
    with solving_progress(console(stderr=True), args) as on_event:
        solving = api.solve(
            args.suite,
            args.model,
            args.output,
            budget=args.budget,
            task_budget=args.task_budget,
            samples=samples,
            sampling=sampling,
            workers=args.workers,
            tasks=tuple(args.tasks),
            language=args.language,
            models=args.models,
            recording="off" if args.no_record else mode or "auto",
            store=getattr(args, mode) if mode else None,
            on_event=on_event,
        )
    next_ = next_command(
        solving, args.suite, tasks=args.tasks, language=args.language, replayed=args.replay is not None
    )
    print_page(solving_page(solving, next_), solving, args.format)
    return INFRASTRUCTURE if solving.faulty else FOUND if solving.over_budget else 0


def _sampled(args: argparse.Namespace):
    """How often and how to ask: as the preset has it, but for what was given."""
    from ..core.jsonl import to_record
    from ..models.base import Sampling
    from ..solvers.presets import PRESETS

    preset = PRESETS[args.preset]
    named = ("temperature", "top_p", "max_tokens", "seed", "stop", "reasoning_effort")
    given = {name: value for name in named if (value := getattr(args, name)) is not None}
    return args.samples or preset.samples, to_record(Sampling, preset.sampling.model_dump() | given)
