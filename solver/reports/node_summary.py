"""Node counts for people in brief: a row a variant, with bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.laboratory.glass import glass_row
from solver.output.columns import Column, bars, fit
from solver.reports.node_words import count, ratio_cell, score_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, RenderableType

    from solver.laboratory.comparison import Ladder, Survey

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
    lines = [*_ladder_lines(ladder), *_glass_lines(ladder)]
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


def _ladder_lines(ladder: Ladder) -> Iterator[_Line]:
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
