"""The command `matesolve`: runs a subcommand and returns its exit code."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from solver import __version__, errors
from solver.cli import console, signals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem


COMMANDS = {
    "Find and check mates": {
        "solve": "Find the shortest forced mate in a position.",
        "verify": "Check the claims of puzzle collections.",
        "check": "Verify certificates independently, using only python-chess.",
        "board": "Set up and solve positions, or browse collections, in a web browser.",
    },
    "Work with collections and results": {
        "inspect": "Show what is read from a file, without a search.",
        "convert": "Write a collection of problems in another format.",
        "generate": "Make new puzzles with proved mates.",
        "improve": "Search a file's claimed mates, and write an improved copy.",
        "report": "Show the results of an audit as a web page.",
        "export": "Write the results in a store as CSV, JSON lines, EPD or Parquet.",
    },
    "Measure search techniques": {
        "table": "Count the nodes that each search technique costs or saves.",
        "trace": "Show one small search node by node.",
        "match": "Play games between two settings of a search to compare them in Elo.",
        "mip": "Build and inspect material-imbalance tables.",
        "perft": "Count the positions after a number of plies.",
    },
    "Set up and integrate": {
        "uci": "Run as a UCI engine.",
        "mcp": "Serve proofs to language models.",
        "popeye": "Solve Popeye's input, and print solutions as Popeye does.",
        "warmup": "Compile the search now, so that the next command starts at once.",
        "doctor": "Show the versions, the machine and the cache, and run a self-test.",
    },
}
"""The commands and their summaries, by the titles and in the order of `--help`."""

SUMMARIES = {name: text for group in COMMANDS.values() for name, text in group.items()}
"""The summaries by command."""

MODULES = {
    "board": "problems",
    "inspect": "problems",
    "convert": "problems",
    "generate": "problems",
    "match": "experiments",
    "mip": "experiments",
    "report": "stores",
    "export": "stores",
    "warmup": "kernel",
    "doctor": "kernel",
    "perft": "kernel",
    "uci": "servers",
    "mcp": "servers",
}
"""The modules of `solver.cli` that are not named after their commands."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The system's errors for a full disk, an exceeded quota or too large a file."""

PIECES_OF_FEN = "(?i)[1-8bknpqr]+(/[1-8bknpqr]+)+( |$)"
"""A pattern of the first field of a FEN, complete or not."""

DEBUG = "MATESOLVE_DEBUG"
"""Environment variable: 1 prints the traceback of an internal error."""


COMPLETE = "_MATESOLVE_COMPLETE"
"""Environment variable that a shell sets to request completions, as in click."""

COMPLETION = f"""\b
Shell completion: add this line to your shell's start-up file:
  bash  eval "$({COMPLETE}=bash_source matesolve)"
  zsh   eval "$({COMPLETE}=zsh_source matesolve)"
  fish  {COMPLETE}=fish_source matesolve | source
"""


class _Commands(click.Group):
    """The subcommands, each imported when it is run, not when it is listed."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(SUMMARIES)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in SUMMARIES:
            return None
        module = import_module(f"solver.cli.{MODULES.get(name, name)}")
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest a command for a word that is not one."""
        word = args[0]
        is_option = word.startswith("-")
        if not (is_option or ctx.resilient_parsing or self.get_command(ctx, word)):
            # click (8.4 and newer) only suggests commands that are imported already.
            ctx.fail(f"No such command {word!r}.{_suggestion(args)}")
        return super().resolve_command(ctx, args)

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the program's own options, and commands without importing them."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=summary)
            for name, summary in SUMMARIES.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands in groups, then the program's own options."""
        width = max(map(len, SUMMARIES))
        for title, summaries in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:{width}}", text) for name, text in summaries.items()]
                )
        click.Command.format_options(self, ctx, formatter)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=COMPLETION
    + """
\b
Exit codes:
    0  proved, or every claim holds   65  bad input
    1  no mate, or a claim failed     70  internal error
    2  invalid command line           74  reading or writing failed
    3  a limit left it undecided     130  interrupted

\b
Examples:
  matesolve solve 8/7K/8/8/8/8/R7/7k w - - 0 1
  matesolve verify puzzles/*.epd
  matesolve COMMAND --help
""",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def matesolve(ctx: click.Context) -> None:
    """Find the shortest forced mate in chess positions, and prove it.

    `matesolve solve FEN` solves one position. `matesolve verify FILE` checks a
    collection of problems against the mates that it claims.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(console.Exit.USAGE)


def _suggestion(words: Sequence[str]) -> str:
    """Return a suggestion for words that do not begin with a command, or nothing."""
    import re

    if re.match(PIECES_OF_FEN, words[0]):
        import shlex

        return f" To solve a position: {shlex.join(['matesolve', 'solve', *words])}"
    from difflib import get_close_matches

    close = get_close_matches(words[0], SUMMARIES, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _answer_shell() -> console.Exit:
    """Print the completions that the shell requests in `COMPLETE`."""
    from click.shell_completion import (
        FishComplete,
        add_completion_class,
        shell_complete,
    )

    class WholeFishComplete(FishComplete):
        """Keeps fish's descriptions whole; click's script cuts them at a comma."""

        source_template = FishComplete.source_template.replace(
            'string split ","', 'string split --max 1 ","'
        )

    add_completion_class(WholeFishComplete)
    code = shell_complete(matesolve, {}, "matesolve", COMPLETE, os.environ[COMPLETE])
    return console.Exit.USAGE if code else console.Exit.PROVED


def run(arguments: Sequence[str]) -> int:
    """Run a command line; if an error ends it, print the error.

    A command ends by returning (exit code 0), by `click.Context.exit(code)` or by an
    exception.

    Parameters
    ----------
    arguments : sequence of str
        The words after `matesolve`.

    Returns
    -------
    int
        The exit code, one of `Exit`.
    """
    signals.forget_interrupts()
    try:
        if os.environ.get(COMPLETE):
            return _answer_shell()
        # `click.Group.main` would exit with 1 on Ctrl-C and on a closed pipe, but here
        # 1 means no mate, or a failed claim.
        with matesolve.make_context("matesolve", list(arguments)) as context:
            matesolve.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        with contextlib.suppress(OSError):
            _safe(error).show()
        return console.Exit.USAGE
    except (OSError, MemoryError, errors.MatesolveError) as error:
        return _report(error)
    except (Exception, KeyboardInterrupt) as error:
        # Some imports turn an interrupt into another error.
        return _report(KeyboardInterrupt() if signals.has_interrupted() else error)
    return console.Exit.PROVED


def _safe(error: click.UsageError) -> click.UsageError:
    """Return the error with names of files as they may be printed."""
    if isinstance(error, click.MissingParameter):  # lists what to choose from in lines
        return error
    return click.UsageError(console.one_line(error.format_message()), error.ctx)


def _report(error: BaseException) -> int:
    """Print on stderr what ended the command, and return its exit code."""
    match error:
        case KeyboardInterrupt():
            console.notify("interrupted")
            return console.Exit.INTERRUPTED
        case BrokenPipeError():
            # The reader closed the pipe because it has read enough.
            return console.Exit.IO
        case errors.MatesolveError():
            console.notify(f"error: {_one_line(error)}")
            return error.exit_code
        case OSError():
            # Errors of files have names, so one without a name is of stdout.
            unnamed = "standard output: " if error.errno in NO_ROOM else ""
            place = f"{error.filename}: " if error.filename else unnamed
            console.notify(f"error: {place}{error.strerror or error}")
            return console.Exit.IO
        case MemoryError():
            console.notify("error: out of memory; try a smaller --hash")
            return console.Exit.INTERNAL
    import traceback

    if os.environ.get(DEBUG) == "1":
        for line in "".join(traceback.format_exception(error)).splitlines():
            console.notify(line)
    what = "".join(traceback.format_exception_only(error))
    console.notify(f"internal error: {_one_line(what)}; please report it")
    return console.Exit.INTERNAL


def main() -> None:
    """Run the program with the process's arguments, and exit."""
    try:
        signals.raise_interrupts()
        # multiprocessing starts Python with `-c`, which would import a `struct.py` of
        # the current folder, beside a collection, in place of Python's own.
        os.environ["PYTHONSAFEPATH"] = "1"
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A character that the terminal cannot show must not be an error.
            sys.stdout.reconfigure(errors="backslashreplace")
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # another, while the first was reported
        code = console.Exit.INTERRUPTED
    signals.end_at_once()
    console.discard_unwritten(sys.stdout)
    console.discard_unwritten(sys.stderr)
    signals.leave(code)


def _one_line(message: object) -> str:
    return " ".join(str(message).split())
