"""The play that `solve` shows besides its answer: built and printed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from solver.cli.console import echo_json, is_terminal
from solver.output import Notation

if TYPE_CHECKING:
    from solver.cli.options import PlayRequest
    from solver.errors import FormatError
    from solver.output.play_text import PlayLine
    from solver.output.shown_play import ShownPlay
    from solver.problem import Problem
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.solution import Solution
    from solver.solving import Solver
    from solver.stipulation import Stipulation


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
