"""The command `matesolve`: finds the subcommand, and turns its end into a code."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING

import click

from solver import __version__
from solver.cli import completion
from solver.cli.console import Exit, let_go, notify
from solver.cli.signals import (
    end_at_once,
    forget_interrupts,
    has_interrupted,
    raise_interrupts,
)
from solver.errors import MatesolveError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem


SUMMARIES = {
    "solve": "Find the shortest forced mate in a position.",
    "verify": "Check collections of problems against what they claim.",
    "check": "Prove certificates once more, by other rules than the solver's.",
    "report": "Write an audit as one page for a browser.",
    "export": "Write what a store holds as CSV, JSON lines, EPD or Parquet.",
    "merge": "Put what several stores hold into one.",
    "convert": "Write a collection of problems in another format.",
    "table": "Count the nodes that techniques of search cost or save.",
    "uci": "Be an engine that chess programs drive (UCI).",
    "perft": "Count the positions that a number of plies leads to.",
    "mip": "Build material-imbalance tables, and look into them.",
    "warmup": "Compile the search now, so that the next command need not.",
    "doctor": "Tell versions, machine and cache, and run a self-test of a second.",
}
"""The commands, in the order of `--help`; each is `solver.cli.NAME:NAME`."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says when no more can be written."""

DEBUG = "MATESOLVE_DEBUG"
"""Environment variable: set to 1, an internal error shows its traceback."""


class _Commands(click.Group):
    """Subcommands that are imported when they are run, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(SUMMARIES)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        if cmd_name not in SUMMARIES:
            return None
        command: click.Command = getattr(
            import_module(f"solver.cli.{cmd_name}"), cmd_name
        )
        return command

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Complete commands without importing them, and the program's own options."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=summary)
            for name, summary in SUMMARIES.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  matesolve solve 8/7K/8/8/8/8/R7/7k w - - 0 1
  matesolve verify puzzles/*.epd
  matesolve COMMAND --help

\b
Exit codes:
    0  proved, everything agrees     65  bad input
    1  a clean negative              70  internal error
    2  usage                         74  reading or writing failed
    3  a limit left it undecided    130  interrupted

"""
    + completion.HELP,
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def matesolve(ctx: click.Context) -> None:
    """Find the shortest forced mate in chess positions, and prove it."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(Exit.USAGE)


def run(arguments: Sequence[str]) -> int:
    """Run the command line, and report whatever ends it.

    A command ends by returning (0), by `click.Context.exit(code)` or by an exception.

    Parameters
    ----------
    arguments : sequence of str
        What stands behind `matesolve`.

    Returns
    -------
    int
        The exit code, one of `Exit`.
    """
    forget_interrupts()
    try:
        if (code := completion.answer_shell(matesolve)) is not None:
            return code
        # `click.Group.main` would exit with 1 on Ctrl-C and on a closed pipe, which
        # here means a clean negative.
        with matesolve.make_context("matesolve", list(arguments)) as context:
            matesolve.invoke(context)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        with contextlib.suppress(OSError):
            error.show()
        return Exit.USAGE
    except (OSError, MemoryError, MatesolveError) as error:
        return _report(error)
    except (Exception, KeyboardInterrupt) as error:
        # Some imports turn an interrupt into an error of their own.
        return _report(KeyboardInterrupt() if has_interrupted() else error)
    return Exit.PROVED


def _report(error: BaseException) -> int:
    """Tell on stderr what ended the command, and choose the exit code for it."""
    match error:
        case KeyboardInterrupt():
            notify("interrupted")
            return Exit.INTERRUPTED
        case BrokenPipeError():
            # Whoever closed the pipe has read enough and wants to hear no more.
            return Exit.IO
        case MatesolveError():
            notify(f"error: {_one_line(error)}")
            return error.exit_code
        case OSError():
            # Files are named where they are written; what is left is stdout.
            unnamed = "standard output: " if error.errno in NO_ROOM else ""
            place = f"{error.filename}: " if error.filename else unnamed
            notify(f"error: {place}{error.strerror or error}")
            return Exit.IO
        case MemoryError():
            notify("error: out of memory; a smaller --hash needs less")
            return Exit.INTERNAL
    if os.environ.get(DEBUG) == "1":
        notify("".join(traceback.format_exception(error)).rstrip())
    what = "".join(traceback.format_exception_only(error))
    notify(f"internal error: {_one_line(what)}, please report")
    return Exit.INTERNAL


def main() -> None:
    """Be the program: run with the process's arguments and exit."""
    try:
        raise_interrupts()
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A name in a script that the terminal cannot show is no reason to fail.
            sys.stdout.reconfigure(errors="backslashreplace")
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # one more, while the last was reported
        code = Exit.INTERRUPTED
    end_at_once()
    let_go(sys.stdout)
    let_go(sys.stderr)
    sys.exit(code)


def _one_line(message: object) -> str:
    return " ".join(str(message).split())
