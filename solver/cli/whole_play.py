"""Build and print the play that `solve` shows with its answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from solver.certificate.proving import BuildingStoppedError
from solver.cli.console import build_stoppable, print_parts
from solver.output import Notation
from solver.output.shown_play import ShownPlay, ShownSolutions, find_play, play_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.cli.options import PlayRequest
    from solver.search.question import Question
    from solver.solution import Solution
    from solver.solving import Solver


def build_play(
    question: Question, solution: Solution, solver: Solver, request: PlayRequest
) -> ShownPlay | None:
    """Build the play of an answer, with progress shown; None after Ctrl-C."""
    find = partial(find_play, question, solution, solver, request.options)
    try:
        return build_stoppable("play", find)
    except BuildingStoppedError:
        return None


def print_play(
    solution: Solution,
    play: ShownPlay | None,
    notation: Notation,
    is_over: Callable[[], bool],
) -> None:
    """Print the play below its answer, wrapped, and styled on a terminal.

    Parameters
    ----------
    solution : Solution
        The answer.
    play : ShownPlay or None
        Its play; None: not built. Solutions of help play are printed all the same.
    notation : Notation
        How moves are written.
    is_over : callable
        Whether solutions of help play that are not yet printed are only counted.
    """
    play = play or ShownSolutions(solution)
    if isinstance(play, ShownSolutions):
        play = replace(play, is_over=is_over)
    if notation is Notation.POPEYE:
        is_empty = True
        for text in play.popeye():
            click.echo(text, nl=False)
            is_empty = False
        if not is_empty:
            click.echo()
        return
    print_parts(play_lines(solution, play, notation))
