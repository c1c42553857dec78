"""Node counts for people: a row a depth or a problem, some columns a variant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.laboratory.comparison import GlassRow, glass_row
from solver.laboratory.layout import (
    answer_word,
    count,
    mate_word,
    ratio_cell,
    saved_cell,
    score_cell,
)
from solver.output.columns import Column, bars, fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from solver.laboratory.comparison import Ladder, Series, Survey, Trial
    from solver.laboratory.results import Iteration, Outcome


# Node counts for people in brief: a row a variant, with bars.

_IN_ALL, _DEPTH = 1, 2
"""What a narrow terminal does without, the last named first."""


class _Line(NamedTuple):
    """One variant's last iteration."""

    name: str
    depth: str = ""
    score: str = ""
    nodes: str = ""
    nodes_total: str = ""
    ratio: float | None = None


def draw_ladder_summary(ladder: Ladder, console: Console) -> RenderableType:
    """Draw the last iteration of each variant.

    Parameters
    ----------
    ladder : Ladder
    console : Console
        Where it is to be printed.

    Returns
    -------
    RenderableType
        A table with a row a variant: its last depth, the score and the nodes there,
        and the ratio to the first variant's nodes, as figure and bar, at the last depth
        that both reached; below, for its position, Glass. Where there is no room for
        that, less of it.
    """
    lines = [*_ladder_summary_lines(ladder), *_glass_lines(ladder)]
    columns = [
        Column("variant", [line.name for line in lines], left=True),
        Column("depth", [line.depth for line in lines], rank=_DEPTH),
        Column("score", [line.score for line in lines]),
        Column("to PV", [line.nodes for line in lines]),
        Column("in all", [line.nodes_total for line in lines], rank=_IN_ALL),
        Column("ratio", [ratio_cell(line.ratio) for line in lines]),
    ]
    ratios = [line.ratio for line in lines]
    told = (
        _sentence(line.name, line.score, line.nodes, ratio_cell(line.ratio))
        for line in lines
    )
    return fit(console, columns + bars(console, columns, ratios), told)


def draw_survey_summary(survey: Survey, console: Console) -> RenderableType:
    """Draw what each variant did over a whole collection.

    Returns
    -------
    RenderableType
        A table with a row a variant: mates found, where there are any also mates not
        proved and problems that a limit stopped, answers unlike the first variant's,
        nodes of all problems, and the geometric mean of the ratios of nodes to the
        mate with the number of problems it is taken over.
    """
    totals = list(survey.totals())
    columns = [
        Column("variant", [total.variant.name for total in totals], left=True),
        Column("found", [str(total.found) for total in totals]),
        *_unless_none("unproved", [total.unproved for total in totals]),
        *_unless_none("stopped", [total.stopped for total in totals]),
        Column("differing", [str(total.differing) for total in totals]),
        Column("nodes", [count(total.nodes_total) for total in totals], rank=_IN_ALL),
        Column("compared", [str(total.compared) for total in totals], rank=_DEPTH),
        Column("ratio", [ratio_cell(total.ratio) for total in totals]),
    ]
    ratios = [total.ratio for total in totals]
    told = (
        _sentence(
            total.variant.name,
            f"{total.found} found",
            f"{total.differing} differing",
            ratio_cell(total.ratio),
        )
        for total in totals
    )
    return fit(console, columns + bars(console, columns, ratios), told)


def _sentence(name: str, *words: str) -> str:
    return f"{name}: {', '.join(word for word in words if word)}"


def _unless_none(head: str, numbers: Sequence[int]) -> list[Column]:
    """Make a column only if it has something to tell."""
    return [Column(head, [str(number) for number in numbers])] if any(numbers) else []


def _ladder_summary_lines(ladder: Ladder) -> Iterator[_Line]:
    first = ladder.series[0]
    for series in ladder.series:
        last = series.at(series.depth)
        yield _Line(
            series.variant.name,
            str(last.depth) if last else "",
            score_cell(last),
            count(last.nodes) if last else "",
            count(last.nodes_total) if last else "",
            series.ratio(first, min(series.depth, first.depth)),
        )


def _glass_lines(ladder: Ladder) -> Iterator[_Line]:
    depth = ladder.series[0].depth
    if row := glass_row(ladder.fen, depth):
        for name, nodes in (("Glass off", row.off), ("Glass on", row.on)):
            yield _Line(
                name, str(depth), str(row.score), count(nodes), ratio=nodes / row.off
            )


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
