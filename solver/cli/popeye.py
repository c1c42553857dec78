"""`matesolve popeye`: solve Popeye's input, and print what Popeye would print."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import click

from solver import solving
from solver.cli import console, options, signals
from solver.cli.options import Command, whole
from solver.errors import FormatError, InputError
from solver.formats import streams
from solver.problem import DEFAULT_HASH_MIB, MAX_HASH_MIB
from solver.search import threads

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.formats.popeye import PopeyeInput


_MEMORY = re.compile(r"(?P<number>[0-9]{1,12})(?P<unit>[kKmMgG]?)")
_UNITS = {"": 1, "k": 1, "m": 1 << 10, "g": 1 << 20}
"""The size of each unit in KiB; a number without a unit is in KiB, as in Popeye."""

_LONGEST_S = 10**9 - 1


class _PopeyeCommand(Command):
    """Accepts `-heartbeat`, with or without a number, and ignores it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Drop `-heartbeat` and its number."""
        kept = []
        remaining = iter(args)
        for argument in remaining:
            if argument != "-heartbeat":
                kept.append(argument)
                continue
            following = next(remaining, "")
            if following and not following.isdecimal():
                kept.append(following)
        return super().parse_args(ctx, kept)


def _memory(text: str) -> int:
    """Parse a size such as 64M, and return a table size in MiB."""
    found = _MEMORY.fullmatch(text)
    if not found:
        msg = f"expected a number of KiB, or one like 64M or 1G, found {text!r}"
        raise click.BadParameter(msg)
    kib = int(found["number"]) * _UNITS[found["unit"].lower()]
    return min(max(kib >> 10, 1), MAX_HASH_MIB)


def _seconds(text: str) -> int:
    """Parse a whole number of seconds; 0 is no limit."""
    return 0 if text == "0" else whole(_LONGEST_S)(text)


@options.command(
    """
Exit codes:
  0  every problem was solved, with or without a solution
  3  the time limit stopped a problem
  65  a problem was refused or could not be read; the others were solved; or there
      are none
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); what was found is printed

Examples:
  matesolve popeye problems.inp
  matesolve popeye -maxmem 256M -maxtime 60 problems.inp
  echo 'BeginProblem Pieces White Kc7 Rb1 Black Ka8 Pa7
        Stipulation h#2 EndProblem' | matesolve popeye -
""",
    cls=_PopeyeCommand,
)
@click.argument("file", default=console.STDIN, metavar="[FILE]", type=options.FILE)
@options.option(
    "-maxtime max_time",
    "Stop each problem after S seconds. Default: no limit.",
    type=_seconds,
    default="0",
    metavar="S",
)
@options.option(
    "-maxmem hash_mib",
    "Largest size of the transposition table: KiB, or a number with a unit, "
    "such as 64M or 1G.",
    type=_memory,
    default=f"{DEFAULT_HASH_MIB}M",
    show_default=True,
    metavar="SIZE",
)
@options.flag(
    "-regression is_regression", "Print neither the program's name nor times."
)
@click.pass_context
def popeye(
    ctx: click.Context, file: str, max_time: int, hash_mib: int, is_regression: bool
) -> None:
    """Solve Popeye's input, and print solutions as Popeye does.

    Programs that call Popeye can call this command instead: it takes the same input and
    parameters, and they can parse what it prints. Input is English or German, output
    English. Without FILE, or with -, standard input is read.

    All stipulations of `matesolve solve --stipulation` are solved, with twins and these
    options: Defence, Duplex, EnPassant, HalfDuplex, MaxSolutions, MaxTime, NoBoard,
    NoCastling, NoShortVariations, NoThreat, PostKeyPlay, SetPlay, TrivialTriesAvoid,
    Try, Variation, WhiteToPlay. Fairy pieces, conditions, other stipulations, and
    options that change the question are refused with a message on standard error.
    -heartbeat and options that only concern speed or display are ignored.
    """
    from solver.cli import popeye_answer
    from solver.formats import popeye as popeye_input
    from solver.output import popeye_text

    codes = {console.Exit.PROVED}
    solver: solving.Solver | None = None
    with streams.open_decompressed(file) as stream:
        if not is_regression:
            _print([popeye_text.first_line(hash_mib)])
        lines = streams.NumberedLines(stream, streams.MAX_RECORD_BYTES)
        for found in popeye_input.read_inputs(lines, streams.name_of(file)):
            if solver is None:
                console.prepare_kernel()
                solver = solving.Solver(hash_mib)
            started = time.perf_counter()
            errors, code = [str(found)], console.Exit.BAD_INPUT
            ending = popeye_text.Ending.PARTIAL
            if not isinstance(found, FormatError):
                _prepare(found)
                started = time.perf_counter()
                answer = popeye_answer.PopeyeAnswer(found, solver, max_time or None)
                with signals.interruptible(answer.control):
                    threads.run_stoppable(
                        partial(_print, answer.texts()), answer.control
                    )
                errors, ending, code = answer.errors, answer.ending, answer.code
                for option in answer.unused:
                    console.notify(f"warning: {found.source}: {option} does not apply")
            for error in errors:
                console.notify(f"error: {error}")
            elapsed = time.perf_counter() - started
            _print([popeye_text.end(ending, None if is_regression else elapsed)])
            codes.add(code)
            if console.Exit.INTERRUPTED in codes:
                break
    if solver is None:
        name = streams.name_of(file)
        console.notify(f"error: expected problems, found none: {name}")
        codes.add(console.Exit.BAD_INPUT)
    ctx.exit(console.foremost(codes))


def _prepare(found: PopeyeInput) -> None:
    """Load what the problem's stipulations need before its time is measured."""
    for twin in found.twins:
        with suppress(InputError):  # the answer reports it
            if not isinstance(twin, FormatError):
                console.prepare_stipulation(twin.composition.stipulation)


def _print(texts: Iterable[str]) -> None:
    for text in texts:
        click.echo(text, nl=False)  # flushes
