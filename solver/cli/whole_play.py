"""Build and print the play that `solve` shows with its answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import click

from solver.certificate.proving import BuildingStoppedError
from solver.cli.answer_files import build_stoppable
from solver.cli.console import print_parts
from solver.output import Notation
from solver.output.play_text import soundness_mark, words_line
from solver.output.shown_play import ShownPlay, ShownSolutions, ShownTree
from solver.play.variations import variations_after
from solver.stipulations import kind_of
from solver.stipulations.solutions import set_play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.cli.options import PlayRequest
    from solver.output.play_text import PlayLine
    from solver.search.question import Question
    from solver.search.threads import Control
    from solver.solution import Solution
    from solver.solving import Solver


def build_play(
    question: Question, solution: Solution, solver: Solver, request: PlayRequest
) -> ShownPlay | None:
    """Build the play of an answer, with progress shown; None after Ctrl-C."""
    limits = question.limits

    def build_tree(control: Control) -> ShownPlay:
        variations = variations_after(
            solution, solver.workspace, limits, request.options, control
        )
        return ShownTree(solution, variations, tries=request.options.tries > 0)

    def find_set_play(control: Control) -> ShownPlay:
        left = limits.after(solution.stats.nodes, solution.stats.time_s)
        asked = (
            set_play(replace(question, limits=left))
            if request.options.set_play
            else None
        )
        if asked is None:
            return ShownSolutions(solution)
        found = solver.answer(asked, control)
        return ShownSolutions(solution, found.solutions, found.solutions_complete)

    kind = kind_of(question.problem.stipulation)
    try:
        return build_stoppable("play", kind.choose(build_tree, find_set_play))
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
    layout: Iterable[PlayLine]
    if isinstance(play, ShownSolutions):
        play = replace(play, is_over=is_over)
        layout = play.lines(notation, paths=False)
    else:
        layout = play.lines(notation)
    if notation is Notation.POPEYE:
        is_empty = True
        for text in play.popeye():
            click.echo(text, nl=False)
            is_empty = False
        if not is_empty:
            click.echo()
        return
    lines = chain(layout, _mark(solution))
    if first := next(lines, None):
        print_parts(chain([words_line(""), first], lines))


def _mark(solution: Solution) -> list[PlayLine]:
    mark = soundness_mark(solution)
    return [words_line(""), words_line(mark, "dim")] if mark else []
