"""The command `repoproof`: a table of commands, and how any of them ends.

A command is a module of this package with `arguments(parser)`, `run(args) -> exit code` and, where an interrupt loses nothing, `KEPT`: the words
for it. Only the module that was asked for is imported, and what it needs beyond argparse only when it runs.
"""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ..core.errors import BadInput

COMMANDS: dict[str, dict[str, str]] = {
    "Score": {
        "score": "Score submissions against a suite",
        "check": "Say what would be scored and what is wrong, running nothing",
        "rerun": "Score one submission of a run again, and keep its files",
        "shell": "Look around in the sandbox of one submission",
        "demo": "Score the bundled suite, to see it work",
        "repogenesis": "Evaluate as RepoGenesis' own command does, with its flags",
    },
    "Models": {
        "solve": "Have a model answer the tasks of a suite",
        "models": "List models, check one, serve one",
    },
    "Read": {
        "report": "Print the scores of a run",
        "show": "Print everything about one verdict",
        "compare": "Compare two runs, task by task",
        "aggregate": "Compare many reports by configuration, and find values that cannot be",
    },
    "Build": {
        "new": "Start a task folder",
        "add": "Add a task folder to a suite",
        "build": "Draft a task from a service that runs",
        "import": "Make a suite of a benchmark as it is published",
        "seal": "Write a suite's digests after editing it",
        "validate": "Prove that a suite's tasks can be trusted",
    },
    "Host": {
        "doctor": "Say what works here, what is missing, how to get it",
        "gc": "Remove what dead runs left behind",
    },
}

FOUND = 1
"""`check` and `validate` found something wrong."""
BAD_INPUT = 2
INFRASTRUCTURE = 3
INTERRUPTED = 130
BROKEN_PIPE = 141

OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)
"""Errors of the system that are ours to report, not the user's to correct."""

MENDS = {
    errno.EACCES: "choose another place, or let this user in",
    errno.EPERM: "choose another place, or let this user in",
    errno.EROFS: "choose a place that can be written to",
    errno.ENOENT: "check how it is spelled",
    errno.ENOTDIR: "a part of the path is a file",
    errno.ENOSPC: "free some space, then run the same command again",
    errno.EDQUOT: "free some space, then run the same command again",
}
"""What to do where the system refuses."""

HELP = ("-h", "--help", "help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (else the process's arguments) asks for; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _never_fail_on_a_character()
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes stdout once more when it exits: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def _dispatch(words: list[str]) -> int:
    if len(words) > 1 and words[0] in HELP:
        words = [words[1], "--help"]
    if not words or words[0] in HELP:
        print(_overview())
        return 0
    if words[0] in ("-V", "--version"):
        from importlib.metadata import version

        print(f"repoproof {version('repoproof')}")
        return 0
    summary = next((group[words[0]] for group in COMMANDS.values() if words[0] in group), None)
    if summary is None:
        return complain(
            f"unknown {'option' if words[0].startswith('-') else 'command'} {words[0]!r} ({_nearest(words[0])})"
        )
    module = import_module(f".{words[0]}_" if iskeyword(words[0]) else f".{words[0]}", __name__)
    parser = _Parser(prog=f"repoproof {words[0]}", description=f"{summary}.", allow_abbrev=False)
    module.arguments(parser)
    try:
        args, unknown = parser.parse_known_args(words[1:])
        if unknown:
            parser.refuse_unknown(unknown, args)
    except SystemExit as ended:
        return int(ended.code or 0)
    return _ended(module.run, args, called=parser.called(args), kept=getattr(module, "KEPT", ""))


def _ended(
    run: Callable[[argparse.Namespace], int], args: argparse.Namespace, *, called: Mapping[str, str], kept: str
) -> int:
    from ..core.errors import BadInput, InfrastructureError

    # A batch system ends a job with SIGTERM: it deserves the same clean end as Ctrl-C.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(args)
    except BadInput as error:
        return complain(str(_as_asked(error, called)))
    except InfrastructureError as error:
        return complain(f"{error.boundary}: {error}", code=INFRASTRUCTURE)
    except BrokenPipeError:
        raise
    except OSError as error:
        code = INFRASTRUCTURE if error.errno in OUT_OF_SPACE else BAD_INPUT
        what = ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
        mend = MENDS.get(error.errno or 0)
        return complain(f"{what} ({mend})" if mend else what, code=code)
    except KeyboardInterrupt:
        return complain(f"interrupted{kept}", code=INTERRUPTED)


def _as_asked(error: BadInput, called: Mapping[str, str]) -> BadInput:
    """The same, with an argument of the API called what it is on the command line."""
    if error.file is not None or error.field is None or error.field not in called:
        return error
    return type(error)(error.problem, subject=error.subject, field=called[error.field], mend=error.mend)


def complain(line: str, *, code: int = BAD_INPUT) -> int:
    """Print one line of trouble to stderr; returns `code`."""
    print(f"repoproof: {line}", file=sys.stderr)
    return code


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments in one line."""

    def error(self, message: str) -> NoReturn:
        self.refuse(message, f"see `{self.prog} --help`")

    def refuse(self, message: str, mend: str) -> NoReturn:
        sys.exit(complain(f"{self.prog.removeprefix('repoproof ')}: {message} ({mend})"))

    def refuse_unknown(self, words: Sequence[str], args: argparse.Namespace) -> NoReturn:
        """Say which words are no arguments, and which option the first of them may have meant."""
        from difflib import get_close_matches

        # By the names alone: the dashes are alike in all.
        options = {name.strip("-"): name for name in self.called(args).values() if name.startswith("-")}
        given = [word.strip("-").partition("=")[0] for word in words if word.startswith("-")]
        near = [options[match] for name in given for match in get_close_matches(name, options, n=1)]
        message = f"unrecognized arguments: {' '.join(words)}"
        self.refuse(message, f"did you mean {near[0]}?" if near else f"see `{self.prog} --help`")

    def called(self, args: argparse.Namespace) -> dict[str, str]:
        """The names that the API knows `args` by -> what they are called on the command line: `tasks` is `--task`."""
        names: dict[str, str] = {}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                sub: argparse._SubParsersAction[_Parser] = action
                names |= sub.choices[str(getattr(args, sub.dest))].called(args)
            else:
                names[action.dest] = action.option_strings[-1] if action.option_strings else str(action.metavar)
        return names


def _overview() -> str:
    lines = [
        "Score generated repositories in real sandboxes, with numbers to trust.",
        "",
        "Usage: repoproof COMMAND [ARGUMENTS]",
    ]
    for group, commands in COMMANDS.items():
        lines += ["", f"{group}:", *(f"  {name:<13}{summary}" for name, summary in commands.items())]
    return "\n".join([*lines, "", "`repoproof COMMAND --help` says more. `repoproof --version` prints the version."])


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, [name for group in COMMANDS.values() for name in group], n=1)
    return f"did you mean `repoproof {near[0]}`?" if near else "`repoproof --help` lists the commands"


def _never_fail_on_a_character() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Replaced streams (tests, embedding programs) may have no encoding to change.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
