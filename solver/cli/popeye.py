"""`matesolve popeye`: solve Popeye's input, and print what Popeye would print."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import chess
import click

from solver.cli import console, options, signals
from solver.cli.options import Command, whole
from solver.errors import FormatError, InputError
from solver.formats import streams
from solver.output.popeye_text import (
    PHASE_END,
    ZERO_POSITION,
    BattleWriter,
    Ending,
    draw,
    gives_check,
    help_lines,
    twin_heading,
)
from solver.play.builder import EXACT_MOVES, build_after_key, build_variations
from solver.play.record import play_record
from solver.play.tree import PlayOptions
from solver.problem import DEFAULT_HASH_MIB, MAX_HASH_MIB, Limits, Problem
from solver.search.queries import read_question
from solver.search.threads import WATCHDOG, Control
from solver.solution import StoppedBy
from solver.stipulations import kind_of, solving_moves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from solver.formats.popeye import PopeyeInput, Twin
    from solver.play.record import Record
    from solver.play.tree import Variations
    from solver.problem import Stipulation
    from solver.search.queries import Question
    from solver.search.workspaces import Workspace
    from solver.solution import Solution
    from solver.solving import Solver


# --------------------------------------------------------------------------------------
# The answer to a problem of Popeye's input, phase by phase.

_ALL_MOVES = 10**12
"""The size of the tree is not limited."""

_LONG_S = 10.0**9

_TEXTS = ("Author", "Origin", "Award", "Title")
"""The texts above the board, in their order there."""

_REFUSED = (
    "GoalIsEnd",
    "KeepMatingPiece",
    "MatesIn1",
    "MaxFlightsquares",
    "NonTrivial",
    "StartMoveNumber",
    "StopOnShortSolutions",
    "Threat",
    "UpToMoveNumber",
)
"""Options that change what a solution is; a collection can be read without them."""


_UNUSED_AFTER_KEY = ("SetPlay", "Defence", "Try")
"""Options that `PostKeyPlay` leaves without effect."""


class PopeyeAnswer:
    """Solves a problem with all its twins.

    Attributes
    ----------
    ending : Ending
        How the solution ended; complete after `texts`.
    errors : list of str
        What was refused, and why.
    unused : dict of str to None
        Options that do not apply to the problem, in their order.
    control : Control
        Stops `texts`, which then ends with what was found.

    Parameters
    ----------
    found : PopeyeInput
    solver : Solver
    time_s : float or None
        Seconds for the problem; its option `MaxTime` comes first.
    """

    def __init__(
        self, found: PopeyeInput, solver: Solver, time_s: float | None
    ) -> None:
        self.errors: list[str] = []
        self.unused: dict[str, None] = {}
        self._found = found
        self._options = found.options
        self._solver = solver
        self.control = Control()
        self._stopped: StoppedBy | None = None
        self._is_partial = False
        self._is_cut = False  # the last phase
        time_s = found.options.number("MaxTime", 0) or time_s
        self._deadline = None if time_s is None else time.monotonic() + time_s

    @property
    def ending(self) -> Ending:
        """How the solution ended."""
        if self._stopped:
            return Ending.INTERRUPTED
        is_partial = self._is_partial or self.errors
        return Ending.PARTIAL if is_partial else Ending.FINISHED

    @property
    def code(self) -> console.Exit:
        """The exit code that the problem calls for."""
        if self.control.reason is StoppedBy.INTERRUPT:
            return console.Exit.INTERRUPTED
        if self.errors:
            return console.Exit.BAD_INPUT
        return console.Exit.LIMIT if self._stopped else console.Exit.PROVED

    def texts(self) -> Iterator[str]:
        """Yield the text of the problem in parts, as soon as each is known."""
        found = self._found
        try:
            for option in _REFUSED:
                found.options.refuse(option)
            if "NoBoard" not in found.options:
                yield _draw(found)
            if found.has_zero_position:
                yield ZERO_POSITION
        except InputError as error:
            self._refuse(error)
            return
        for twin in found.twins:
            if isinstance(twin, FormatError):
                self.errors.append(str(twin))
                continue
            if self._is_cut:
                yield PHASE_END
            self._is_cut = False
            yield from self._twin(twin)
            if self._stopped:
                break

    def _refuse(self, error: InputError, label: str = "") -> None:
        twin = f"twin {label}): " if label else ""
        self.errors.append(f"{self._found.source}: {twin}{error}")

    def _twin(self, twin: Twin) -> Iterator[str]:
        options = twin.composition.options
        if twin.label:
            yield twin_heading(twin.label, twin.changes, continued=twin.is_continued)
        stipulation = twin.composition.stipulation
        battle = self._after_key if "PostKeyPlay" in options else self._battle_play
        answer = kind_of(stipulation).choose(battle, self._help_play)
        is_after_key = answer == self._after_key
        unused = _UNUSED_AFTER_KEY if is_after_key else ("PostKeyPlay",)
        self.unused.update(dict.fromkeys(filter(options.__contains__, unused)))
        for exchanged in (False, True)[: 1 + ("Duplex" in options)]:
            if self._stopped:
                break
            try:
                board = twin.composition.position(
                    exchanged=exchanged ^ is_after_key
                ).board
                yield from answer(board, stipulation)
            except InputError as error:
                self._refuse(error, twin.label)
                yield PHASE_END

    # Help play

    def _help_play(self, board: chess.Board, stipulation: Stipulation) -> Iterator[str]:
        problem = Problem(board.fen(en_passant="fen"), stipulation=stipulation)
        question = read_question(problem, Limits(max_solutions=self._max_solutions))
        skipped = int(stipulation.half)
        if "SetPlay" in self._options:
            if before := solving_moves.set_play(question):
                yield from self._help_phase(before, skipped + 1)
            else:
                yield PHASE_END
        if not self._stopped:
            yield from self._help_phase(question, skipped)

    def _help_phase(self, question: Question, skipped: int) -> Iterator[str]:
        """Yield the solutions as they are found, shorter ones first, as Popeye does."""
        problem = question.problem
        search = solving_moves.Enumeration(self._solver.workspace, question)
        self.control.attach(self._solver.workspace.search)
        found = 0
        with WATCHDOG.limit(self.control, self._remaining):
            for lines in search.pieces():
                found += len(lines)
                yield help_lines(problem.fen, problem.stipulation, lines, skipped)
        self._stopped = self._stopped or self.control.reason
        if found == self._max_solutions:
            self._is_partial = self._is_cut = True
        elif not self._stopped:
            yield PHASE_END

    # Battle play

    def _battle_play(
        self, board: chess.Board, stipulation: Stipulation
    ) -> Iterator[str]:
        options = self._options
        solution = self._solve(
            Problem(board.fen(en_passant="fen"), stipulation=stipulation)
        )
        record = self._play(solution, with_play="Variations" in options)
        play = self._writer(record, board, stipulation)
        if "SetPlay" in options:
            before = play
            if "Variations" not in options:  # Popeye shows set play without threats
                shown = self._play(solution, threats=False)
                before = BattleWriter(shown, board.fen(), stipulation)
            yield before.set_play() + PHASE_END
        tries = record["tries"]
        if "TrivialTriesAvoid" in options:
            tries = [attempt for attempt in tries if not gives_check(attempt)]
        first = [*record["keys"], *tries]
        wanted = self._max_solutions
        yield play.forced_ends() + play.first_moves(first[:wanted])
        if wanted is not None and wanted <= len(first):
            self._is_partial = self._is_cut = True
        elif not self._stopped:
            yield PHASE_END

    def _after_key(self, board: chess.Board, stipulation: Stipulation) -> Iterator[str]:
        """Yield the play of the position after a key."""
        question = read_question(
            Problem(board.fen(en_passant="fen"), stipulation=stipulation)
        )
        play = self._build(partial(build_after_key, question))
        yield self._writer(play, board, stipulation).after_key(stipulation.moves - 1)
        if not self._stopped:
            yield PHASE_END

    def _writer(
        self, play: Record, board: chess.Board, stipulation: Stipulation
    ) -> BattleWriter:
        return BattleWriter(
            play,
            board.fen(),
            stipulation,
            with_play="Variations" in self._options or "PostKeyPlay" in self._options,
            short="NoShortVariations" not in self._options,
        )

    def _play(
        self, solution: Solution, *, with_play: bool = True, threats: bool = True
    ) -> Record:
        self._solver.workspace.resume()
        return self._build(
            partial(build_variations, solution), with_play=with_play, threats=threats
        )

    def _build(
        self,
        build: Callable[[Workspace, PlayOptions], Variations],
        *,
        with_play: bool = True,
        threats: bool = True,
    ) -> Record:
        options = self._options
        wanted = PlayOptions(
            set_play="SetPlay" in options,
            tries=options.number("Defence", 1 if "Try" in options else 0),
            threats=threats and "NoThreat" not in options,
            depth=None if with_play else 1,
            most_moves=_ALL_MOVES,
            time_s=_LONG_S,
        )
        workspace, control = self._solver.workspace, self.control
        control.attach(workspace.search)
        with WATCHDOG.limit(control, self._remaining):
            tree = build(workspace, wanted)
        self._stopped = self._stopped or control.reason
        return play_record(tree)

    # Searching

    @property
    def _max_solutions(self) -> int | None:
        return self._options.number("MaxSolutions", 0) or None

    @property
    def _remaining(self) -> float | None:
        """Seconds until the time is over; None: no limit."""
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    def _solve(self, problem: Problem) -> Solution:
        most = abs(problem.claim.mate) if problem.claim else None
        limits = Limits(max_moves=most, time_s=self._remaining)
        # The tree finds the keys of a short problem faster than the solver.
        all_keys = most is None or most > EXACT_MOVES
        question = read_question(problem, limits, all_keys=all_keys)
        solution = self._solver.answer(question, self.control)
        self._stopped = self._stopped or solution.stopped_by
        return solution


def _draw(found: PopeyeInput) -> str:
    diagram, options = found.diagram, found.options
    texts = [text for key in _TEXTS for name, text in found.texts if name == key]
    sides = [option for option in ("Duplex", "HalfDuplex") if option in options]
    board = chess.BaseBoard(None)
    board.set_piece_map(diagram.pieces)
    return draw(board.board_fen(), str(diagram.stipulation), texts, " ".join(sides))


# --------------------------------------------------------------------------------------
# `matesolve popeye`: solve Popeye's input, and print what Popeye would print.

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
  65  a problem was refused or could not be read; the others were solved
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
@click.option(
    "-maxtime",
    "max_time",
    type=_seconds,
    default="0",
    metavar="S",
    help="Stop each problem after S seconds. Default: no limit.",
)
@click.option(
    "-maxmem",
    "hash_mib",
    type=_memory,
    default=f"{DEFAULT_HASH_MIB}M",
    show_default=True,
    metavar="SIZE",
    help="Size of the transposition table: KiB, or a number with a unit, such as 64M "
    "or 1G.",
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
    from solver.formats.popeye import read_inputs
    from solver.output.popeye_text import end, first_line
    from solver.search.threads import run_stoppable
    from solver.solving import Solver

    codes = {console.Exit.PROVED}
    solver: Solver | None = None
    with streams.open_decompressed(file) as stream:
        if not is_regression:
            _print([first_line(hash_mib)])
        lines = streams.NumberedLines(stream, streams.MAX_RECORD_BYTES)
        for found in read_inputs(lines, streams.name_of(file)):
            if solver is None:
                console.prepare_kernel()
                solver = Solver(hash_mib)
            started = time.perf_counter()
            errors, ending, code = [str(found)], Ending.PARTIAL, console.Exit.BAD_INPUT
            if not isinstance(found, FormatError):
                _prepare(found)
                started = time.perf_counter()
                answer = PopeyeAnswer(found, solver, max_time or None)
                with signals.interruptible(answer.control):
                    run_stoppable(partial(_print, answer.texts()), answer.control)
                errors, ending, code = answer.errors, answer.ending, answer.code
                for option in answer.unused:
                    console.notify(f"warning: {found.source}: {option} does not apply")
            for error in errors:
                console.notify(f"error: {error}")
            elapsed = time.perf_counter() - started
            _print([end(ending, None if is_regression else elapsed)])
            codes.add(code)
            if console.Exit.INTERRUPTED in codes:
                break
    if solver is None:
        console.notify(f"warning: {streams.name_of(file)}: no problems")
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
