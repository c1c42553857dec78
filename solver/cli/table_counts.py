"""Node counts had and printed: of one position, or of a collection."""

from __future__ import annotations

import json
from enum import Enum, auto
from typing import TYPE_CHECKING

import chess
import click

from solver.cli.console import stdout_console
from solver.cli.progress import ExperimentProgress
from solver.cli.signals import interruptible
from solver.laboratory import layout as node_notes
from solver.laboratory import records as node_record
from solver.laboratory import tables as node_summary
from solver.laboratory import tables as node_table
from solver.laboratory.comparison import Ladder, Series, Survey, Trial
from solver.laboratory.results import MAX_DEPTH, depth_to_see

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.laboratory.search import Runner
    from solver.laboratory.techniques import Variant
    from solver.problem import Problem

UNCLAIMED_DEPTH = 8
"""How deep a problem is searched that claims nothing, if nothing is said."""

FEW_VARIANTS = 6
"""More would make rows that nobody can read."""


class Form(Enum):
    """How counts are printed."""

    TEXT = auto()
    JSON = auto()
    CSV = auto()


def count_ladder(
    runner: Runner,
    fen: str,
    variants: Sequence[Variant],
    depth: int,
    table_entries: int,
) -> Ladder:
    """Deepen one position with each variant, as far as limits and Ctrl-C let it."""
    board = chess.Board(fen)
    ladder: list[Series] = []
    with (
        interruptible(runner),
        ExperimentProgress(lambda: runner.nodes, len(variants) * depth) as progress,
    ):
        for variant in variants:
            iterations = []
            progress.describe(f"{variant.name}: depth 1")
            for iteration in runner.deepen(board, variant.techniques, depth):
                iterations.append(iteration)
                progress.advance()
                progress.describe(
                    f"{variant.name}: depth {min(iteration.depth + 1, depth)}"
                )
            ladder.append(Series(variant, tuple(iterations)))
    return Ladder(fen, depth, table_entries, tuple(ladder))


def count_survey(
    runner: Runner,
    problems: Sequence[Problem],
    variants: Sequence[Variant],
    depth: int | None,
    table_entries: int,
) -> Survey:
    """Put each problem to each variant, as far as Ctrl-C lets it.

    Without a depth, a problem is searched as far as its claim takes.
    """
    trials: list[Trial] = []
    with (
        interruptible(runner),
        ExperimentProgress(
            lambda: runner.nodes, len(problems) * len(variants)
        ) as progress,
    ):
        for problem in problems:
            board, plies = chess.Board(problem.fen), depth or _claimed_depth(problem)
            outcomes = []
            for variant in variants:
                progress.describe(f"{problem.id}: {variant.name}")
                if outcome := runner.find_mate(board, variant.techniques, plies):
                    outcomes.append(outcome)
                progress.advance()
            if runner.is_stopped:
                break
            trials.append(Trial(problem, plies, tuple(outcomes)))
    return Survey(table_entries, tuple(variants), tuple(trials), len(problems))


def print_ladder(ladder: Ladder, form: Form, *, brief: bool) -> None:
    """Print one position's counts; in brief only the last iterations."""
    if form is Form.JSON:
        _print_json(node_record.ladder_record(ladder))
        return
    if form is Form.CSV:
        click.echo(node_record.ladder_csv(ladder), nl=False)
        return
    console = stdout_console()
    console.print(ladder.fen, style="dim", soft_wrap=True)
    several = len(ladder.series) > 1
    brief = brief or len(ladder.series) > FEW_VARIANTS
    if not brief:
        console.print(node_table.draw_ladder(ladder, console))
        if several:
            console.print()
    if brief or several:
        console.print(node_summary.draw_ladder_summary(ladder, console))
    _print_notes(node_notes.ladder_notes(ladder, brief=brief))


def print_survey(survey: Survey, form: Form, *, brief: bool) -> None:
    """Print a collection's counts; in brief only what each variant did in all."""
    if form is Form.JSON:
        _print_json(node_record.survey_record(survey))
        return
    if form is Form.CSV:
        click.echo(node_record.survey_csv(survey), nl=False)
        return
    console = stdout_console()
    brief = brief or len(survey.variants) > FEW_VARIANTS
    if not brief:
        console.print(node_table.draw_survey(survey, console))
        console.print()
    console.print(node_summary.draw_survey_summary(survey, console))
    _print_notes(node_notes.survey_notes(survey, brief=brief))


def _claimed_depth(problem: Problem) -> int:
    """Give the plies in which a claimed mate is seen, or a claimed absence of one."""
    claimed = problem.claim.mate if problem.claim else problem.no_mate
    plies = UNCLAIMED_DEPTH if claimed is None else depth_to_see(claimed)
    return min(plies, MAX_DEPTH)


def _print_json(record: dict[str, object]) -> None:
    click.echo(json.dumps(record, indent=2))


def _print_notes(notes: Iterable[str]) -> None:
    console = stdout_console()
    console.print()
    for note in notes:
        console.print(note, style="dim")
