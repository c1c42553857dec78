"""Node counts for people: a row a depth or a problem, some columns a variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.laboratory.glass import GlassRow, glass_row
from solver.output.columns import Column, fit
from solver.reports.node_words import (
    answer_word,
    count,
    mate_word,
    ratio_cell,
    saved_cell,
    score_cell,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType

    from solver.laboratory.comparison import Ladder, Series, Survey, Trial
    from solver.laboratory.results import Iteration, Outcome

# What a narrow terminal does without, the last named first.
_GLASS_COUNTS, _IN_ALL, _SAVED = 1, 2, 3

GLASS = "dim"
"""The style of what is not ours."""


def draw_ladder(ladder: Ladder, console: Console) -> RenderableType:
    """Draw one position's iterations, as wide as a console has room for.

    Parameters
    ----------
    ladder : Ladder
    console : Console
        Where it is to be printed.

    Returns
    -------
    RenderableType
        A table with a row a depth: the score (one a variant, if they differ), nodes
        until the principal variation was found and in all, and what is saved against
        the first variant; beside it, for its position, what Glass published. Where
        there is no room for that, less of it, down to a line a depth.
    """
    return fit(console, _ladder_columns(ladder), _ladder_lines(ladder))


def draw_survey(survey: Survey, console: Console) -> RenderableType:
    """Draw a collection's problems, as wide as a console has room for.

    Returns
    -------
    RenderableType
        A table with a row a problem: what it is called, the mate that it claims or
        the first variant found, nodes until each variant found it, and whether all
        gave the same answer; where that is too wide, a line a problem.
    """
    trials = survey.trials
    columns = [
        Column("problem", [name_of(trial) for trial in trials], left=True),
        Column("mate", [_expected_word(trial) for trial in trials]),
        *(
            Column(
                variant.name,
                [_outcome_cell(trial, trial.outcomes[index]) for trial in trials],
            )
            for index, variant in enumerate(survey.variants)
        ),
        Column("same answer", ["yes" if t.same_answer else "no" for t in trials]),
    ]
    return fit(console, columns, _survey_lines(survey))


def name_of(trial: Trial) -> str:
    """Give what a problem is called."""
    return trial.problem.id or trial.problem.fen


def _ladder_columns(ladder: Ladder) -> list[Column]:
    first, *others = ladder.series
    columns = [Column("depth", [str(depth) for depth in ladder.depths])]
    scores = {series.variant.name: _scores(ladder, series) for series in ladder.series}
    one_score = _agree(list(scores.values()))
    if one_score:
        columns.append(Column("score", one_score))
    for series in ladder.series:
        name = series.variant.name
        if not one_score:
            columns.append(Column(f"{name}\nscore", scores[name]))
        columns += [
            Column(f"{name}\nto PV", _cells(ladder, series, lambda it: it.nodes)),
            Column(
                f"{name}\nin all",
                _cells(ladder, series, lambda it: it.nodes_total),
                rank=_IN_ALL,
            ),
        ]
        if series in others:
            ratios = [series.ratio(first, depth) for depth in ladder.depths]
            columns += [
                Column(f"{name}\nsaved", [saved_cell(r) for r in ratios], rank=_SAVED),
                Column(f"{name}\nratio", [ratio_cell(r) for r in ratios]),
            ]
    return columns + _glass_columns(ladder)


def _glass_columns(ladder: Ladder) -> list[Column]:
    rows = [glass_row(ladder.fen, depth) for depth in ladder.depths]
    if not any(rows):
        return []

    def cells(write: Callable[[GlassRow], str]) -> list[str]:
        return [write(row) if row else "" for row in rows]

    return [
        Column("Glass\noff", cells(lambda r: count(r.off)), GLASS, rank=_GLASS_COUNTS),
        Column("Glass\non", cells(lambda r: count(r.on)), GLASS, rank=_GLASS_COUNTS),
        Column("Glass\nratio", cells(lambda r: ratio_cell(r.on / r.off)), GLASS),
    ]


def _scores(ladder: Ladder, series: Series) -> list[str]:
    return [score_cell(series.at(depth)) for depth in ladder.depths]


def _agree(scores: list[list[str]]) -> list[str]:
    """Give the one score of each row; nothing if variants differ in any row."""
    agreed = []
    for row in zip(*scores, strict=True):
        told = {score for score in row if score}
        if len(told) > 1:
            return []
        agreed.append(told.pop())
    return agreed


def _cells(
    ladder: Ladder, series: Series, nodes: Callable[[Iteration], int]
) -> list[str]:
    iterations = (series.at(depth) for depth in ladder.depths)
    return [count(nodes(it)) if it else "" for it in iterations]


def _ladder_lines(ladder: Ladder) -> Iterator[str]:
    first = ladder.series[0]
    for depth in ladder.depths:
        told = []
        for series in ladder.series:
            if iteration := series.at(depth):
                words = [
                    f"{series.variant.name} {score_cell(iteration)}",
                    count(iteration.nodes),
                ]
                if series is not first and (ratio := series.ratio(first, depth)):
                    words.append(f"({ratio_cell(ratio)})")
                told.append(" ".join(words))
        yield f"{depth}: {', '.join(told)}"


def _survey_lines(survey: Survey) -> Iterator[str]:
    for trial in survey.trials:
        told = [
            f"{variant.name} {_outcome_cell(trial, outcome)}"
            for variant, outcome in zip(survey.variants, trial.outcomes, strict=True)
        ]
        differ = "" if trial.same_answer else ", answers differ"
        yield f"{name_of(trial)}: {_expected_word(trial)}, {', '.join(told)}{differ}"


def _expected_word(trial: Trial) -> str:
    """Write what a problem claims, else what the first variant told."""
    problem = trial.problem
    if problem.claim or problem.no_mate:
        return mate_word(problem.claim.mate if problem.claim else None)
    return answer_word(trial.outcomes[0])


def _outcome_cell(trial: Trial, outcome: Outcome) -> str:
    """Write the nodes to the mate, behind the answer if that is another one."""
    answer = answer_word(outcome)
    if outcome.mate is None:
        return answer
    nodes = count(outcome.nodes)
    return nodes if answer == _expected_word(trial) else f"{answer} {nodes}"
