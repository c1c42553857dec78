"""The play that `solve` shows besides its answer: what is asked about it, and how.

Only the play needs this file's functions; an answer alone does without them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from solver.cli.console import STDIN, echo_json, is_terminal
from solver.output import Notation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solver.errors import FormatError
    from solver.output.play_text import PlayLine
    from solver.output.shown_play import ShownPlay
    from solver.play.builder import PlayOptions
    from solver.problem import Limits, Problem
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.solution import Solution
    from solver.solving import Solver
    from solver.stipulation import Stipulation

MAX_REFUTATIONS = 20
"""A first move with more refutations is no try."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """What is asked about the play.

    Attributes
    ----------
    stipulation : Stipulation or None
        What each position is to be solved for.
    is_shown : bool
        Print the play, not only the answer.
    notation : Notation
        How moves are printed.
    set_play : bool
    tries : int
        The most refutations of a try; 0: no tries.
    threats : bool
    all_defences : bool
    depth : int or None
        The moves of the attacker to show; None: all.
    max_solutions : int or None
        The most solutions of help play; None: all.
    """

    stipulation: Stipulation | None = None
    is_shown: bool = False
    notation: Notation = Notation.SAN
    set_play: bool = False
    tries: int = 0
    threats: bool = True
    all_defences: bool = False
    depth: int | None = None
    max_solutions: int | None = None

    def limited(self, limits: Limits) -> Limits:
        """Return the limits of the search with those of this request."""
        return replace(limits, max_solutions=self.max_solutions)

    def options(self) -> PlayOptions:
        """Return the options of the tree.

        Files for which nothing else was asked show all defences.
        """
        from solver.play.builder import PlayOptions

        return PlayOptions(
            set_play=self.set_play,
            tries=self.tries,
            threats=self.threats,
            all_defences=self.all_defences or not self.is_shown,
            depth=self.depth,
        )


def read_request(
    given: Mapping[str, Any], others: Mapping[str, Any], *, uci: bool | None
) -> PlayRequest:
    """Return what is asked about the play.

    Parameters
    ----------
    given : mapping
        The options of `solver.cli.options.play` by their parameters.
    others : mapping
        The other options of the command.
    uci : bool or None
        Whether moves are asked for in UCI notation (True) or in SAN (False).

    Raises
    ------
    click.UsageError
        Options contradict each other or have no effect.
    """
    notation = given["notation"]
    if uci and notation not in {None, Notation.UCI}:
        msg = f"--uci-moves and --notation {notation} exclude each other."
        raise click.UsageError(msg)
    if uci is False and notation not in {None, Notation.SAN}:
        msg = f"--san and --notation {notation} exclude each other."
        raise click.UsageError(msg)
    notation = Notation(notation or (Notation.UCI if uci else Notation.SAN))
    request = PlayRequest(
        given["stipulation"],
        is_shown=bool(
            given["variations"]
            or given["set_play"]
            or given["tries"]
            or notation is Notation.POPEYE
        ),
        notation=notation,
        set_play=given["set_play"],
        tries=given["tries"] or 0,
        threats=not given["no_threats"],
        all_defences=given["all_defences"],
        depth=given["depth"],
        max_solutions=given["max_solutions"],
    )
    _check(request, others)
    return request


def _check(play: PlayRequest, others: Mapping[str, Any]) -> None:
    """Refuse options that contradict each other or have no effect.

    Raises
    ------
    click.UsageError
        Names them in one line.
    """
    is_drawn = others["pgn_path"] is not None or others["html_path"] is not None
    details = {
        "--no-threats": not play.threats,
        "--all-defences": play.all_defences,
        "--depth": play.depth is not None,
    }
    for name, is_given in details.items():
        if is_given and not (play.is_shown or is_drawn):
            msg = f"{name} needs --variations, --pgn or --html."
            raise click.UsageError(msg)
    if play.notation is Notation.POPEYE and (others["as_json"] or others["jsonl"]):
        msg = "--notation popeye needs text output, not --json or --jsonl."
        raise click.UsageError(msg)
    if play.stipulation is None:
        if play.max_solutions is not None and others["fen"] != (STDIN,):
            msg = "--max-solutions needs help play, such as --stipulation h#2."
            raise click.UsageError(msg)
    else:
        _check_stipulation(play, play.stipulation, details, others)


def _check_stipulation(
    play: PlayRequest,
    asked: Stipulation,
    details: dict[str, bool],
    others: Mapping[str, Any],
) -> None:
    """Refuse options that have no meaning for the stipulation."""
    if others["limits"].max_moves is not None:
        msg = "--stipulation and --search-moves exclude each other."
        raise click.UsageError(msg)
    from solver.stipulations import kind_of

    given = details | {
        "--tries": play.tries > 0,
        "--max-solutions": play.max_solutions is not None,
        "--certificate": others["certificate_path"] is not None,
        "--tablebases": others["tablebases"] is not None,
        "--checks-only, --king-flights, --replies and --threat": (
            others["restriction"] is not None
        ),
    }
    unused = kind_of(asked).unused_options
    for name, is_given in given.items():
        if is_given and name.partition(",")[0] in unused:
            msg = f"{name} cannot be combined with --stipulation {asked}."
            raise click.UsageError(msg)


def demand(problem: Problem | str, stipulation: Stipulation) -> Problem:
    """Return a problem with this stipulation in place of any other claim.

    The stipulation also says who begins where the FEN does not.
    """
    from solver.problem import Problem

    if isinstance(problem, str):
        return Problem(problem, stipulation=stipulation)
    fen = problem.fen if problem.names_side else problem.fen.split()[0]
    return Problem(fen, problem.id, source=problem.source, stipulation=stipulation)


def build_play(
    question: Question, solution: Solution, solver: Solver, request: PlayRequest
) -> ShownPlay | None:
    """Build the play of an answer, with progress shown; None after Ctrl-C."""
    from solver.certificate import BuildingStoppedError
    from solver.cli.answer_files import build_stoppable
    from solver.output.shown_play import ShownSolutions, ShownTree
    from solver.play.variations import variations_after
    from solver.stipulations import kind_of
    from solver.stipulations.solutions import set_play

    limits = question.limits

    def build_tree(control: Control) -> ShownPlay:
        variations = variations_after(
            solution, solver.workspace, limits, request.options(), control
        )
        return ShownTree(solution, variations, tries=request.tries > 0)

    def find_set_play(control: Control) -> ShownPlay:
        left = limits.after(solution.stats.nodes, solution.stats.time_s)
        asked = set_play(replace(question, limits=left)) if request.set_play else None
        if asked is None:
            return ShownSolutions(solution)
        found = solver.answer(asked, control)
        return ShownSolutions(solution, found.solutions, found.solutions_complete)

    kind = kind_of(question.problem.stipulation)
    try:
        return build_stoppable("play", kind.choose(build_tree, find_set_play))
    except BuildingStoppedError:
        return None


@dataclass(frozen=True, slots=True)
class Records:
    """Prints answers as JSON, each as one record together with its play.

    Attributes
    ----------
    indent : int or None
        Spaces a level; None: one record a line.
    with_play : bool
        Whether the play is asked for; a record then waits for it.
    """

    indent: int | None
    with_play: bool = False

    def print(self, solution: Solution) -> None:
        """Print the record of an answer, unless its play follows."""
        if not self.with_play:
            echo_json(solution.to_dict(), self.indent)

    def print_play(self, solution: Solution, play: ShownPlay | None) -> None:
        """Print the record of an answer with its play, if that is asked for."""
        if not self.with_play:
            return
        from solver.output.play_record import dump

        record = solution.to_dict()
        if play is not None:
            record["play"] = play.record()
        click.echo(dump(record, self.indent))

    def refuse(self, error: FormatError) -> None:
        """Print a record with the error in place of an answer."""
        from solver.output.audit_records import unreadable_record

        echo_json(unreadable_record(error), self.indent)


def print_play(solution: Solution, play: ShownPlay | None, notation: Notation) -> None:
    """Print the play below its answer, wrapped, and styled on a terminal.

    Parameters
    ----------
    solution : Solution
        The answer.
    play : ShownPlay or None
        Its play; None: not built. Solutions of help play are printed all the same.
    notation : Notation
        How moves are written.
    """
    from solver.output.shown_play import ShownSolutions

    play = play or ShownSolutions(solution)
    if notation is Notation.POPEYE:
        if text := play.popeye():
            click.echo(text)
        return
    lines = _lines(solution, play, notation)
    if not lines:
        return
    if not is_terminal(sys.stdout):
        click.echo("\n".join(text for line in lines for text in line.lines()))
        return
    from solver.cli.console import stdout_console

    console = stdout_console()
    for line in lines:
        for text in line.lines(console.width):
            console.print(text, style=line.style, soft_wrap=True)


def _lines(solution: Solution, play: ShownPlay, notation: Notation) -> list[PlayLine]:
    from solver.output.play_text import soundness_mark, words_line

    lines = play.lines(notation)
    if mark := soundness_mark(solution):
        lines += [words_line(""), words_line(mark, "dim")]
    return [words_line(""), *lines] if lines else []
