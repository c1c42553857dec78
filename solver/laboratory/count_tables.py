"""Tables of node counts: one row per depth or problem, and summaries with bars.

A full table has a few columns for each variant. A summary has one row for each variant,
and a bar for its nodes relative to the first variant's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.laboratory.count_notes import (
    NO_MATE,
    file_labels,
    format_answer,
    ratio_cell,
    score_cell,
)
from solver.laboratory.mate_scores import format_mate
from solver.laboratory.node_counts import GlassRow, glass_row
from solver.output.columns import Column, bars, fit
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console, RenderableType

    from solver.laboratory.mate_scores import Iteration, Outcome
    from solver.laboratory.node_counts import (
        CollectionCounts,
        PositionCounts,
        ProblemCounts,
        Series,
        Total,
    )


_GLASS_COUNTS, _IN_ALL = 1, 2
"""Ranks of a table's columns: a narrow terminal drops the highest first."""

GLASS = "dim"
"""The style of the columns of Glass."""


def collection_columns(counts: CollectionCounts) -> list[Column]:
    """Return the columns of a table with one row per problem.

    The columns are its name, the mate that it claims or that the first variant found,
    the nodes until each variant found it, and whether all gave the same answer.
    """
    rows = counts.rows
    return [
        Column("problem", [name_of(row) for row in rows], left=True),
        Column("mate", [_expected(row) for row in rows]),
        *(
            Column(
                variant.name,
                [_outcome_cell(row, row.outcomes[index]) for row in rows],
            )
            for index, variant in enumerate(counts.variants)
        ),
        Column("same answer", ["yes" if t.same_answer else "no" for t in rows]),
    ]


def name_of(row: ProblemCounts) -> str:
    """Return the name of a problem: its id, or else its FEN."""
    return printable(row.problem.id) or row.problem.fen


def position_columns(counts: PositionCounts) -> list[Column]:
    """Return the columns of a table with one row per depth.

    The columns are the score (one per variant, if they differ), the nodes until the
    principal variation was found and in all, and their ratio to the first variant's.
    For Glass's position, Glass's scores, nodes and ratio follow.
    """
    first, *others = counts.series
    columns = [Column("depth", [str(depth) for depth in counts.depths])]
    scores = {
        series.variant.name: [score_cell(series.at(depth)) for depth in counts.depths]
        for series in counts.series
    }
    one_score = _agree(list(scores.values()))
    if one_score:
        columns.append(Column("score", one_score))
    for series in counts.series:
        name = series.variant.name
        if not one_score:
            columns.append(Column(f"{name}\nscore", scores[name]))
        columns += [
            Column(f"{name}\nto PV", _cells(counts, series, lambda it: it.nodes)),
            Column(
                f"{name}\nin all",
                _cells(counts, series, lambda it: it.nodes_total),
                rank=_IN_ALL,
            ),
        ]
        if series in others:
            ratios = [series.ratio(first, depth) for depth in counts.depths]
            columns.append(Column(f"{name}\nratio", [ratio_cell(r) for r in ratios]))
    return columns + _glass_columns(counts)


def _glass_columns(counts: PositionCounts) -> list[Column]:
    rows = [glass_row(counts.fen, depth) for depth in counts.depths]
    if not any(rows):
        return []

    def cells(write: Callable[[GlassRow], str]) -> list[str]:
        return [write(row) if row else "" for row in rows]

    return [
        Column(
            "Glass\nscore", cells(lambda r: str(r.score)), GLASS, rank=_GLASS_COUNTS
        ),
        Column("Glass\noff", cells(lambda r: f"{r.off:,}"), GLASS, rank=_GLASS_COUNTS),
        Column("Glass\non", cells(lambda r: f"{r.on:,}"), GLASS, rank=_GLASS_COUNTS),
        Column("Glass\nratio", cells(lambda r: ratio_cell(r.on / r.off)), GLASS),
    ]


def _agree(scores: list[list[str]]) -> list[str]:
    """Return the score of each row; nothing if variants differ in any row."""
    agreed = []
    for row in zip(*scores, strict=True):
        scores_there = {score for score in row if score}
        if len(scores_there) > 1:
            return []
        agreed.append(scores_there.pop())
    return agreed


def _cells(
    counts: PositionCounts, series: Series, nodes: Callable[[Iteration], int]
) -> list[str]:
    iterations = (series.at(depth) for depth in counts.depths)
    return [f"{nodes(it):,}" if it else "" for it in iterations]


def _expected(row: ProblemCounts) -> str:
    """Write the claim of a problem, or else the first variant's answer."""
    problem = row.problem
    if problem.claim or problem.no_mate:
        return format_mate(problem.claim.mate) if problem.claim else NO_MATE
    return format_answer(row.outcomes[0])


def _outcome_cell(row: ProblemCounts, outcome: Outcome) -> str:
    """Write the nodes until the mate, after the answer if it differs."""
    answer = format_answer(outcome)
    if outcome.mate is None:
        return answer
    nodes = f"{outcome.nodes:,}"
    return nodes if answer == _expected(row) else f"{answer} {nodes}"


_SUMMARY_IN_ALL, _SUMMARY_DEPTH = 1, 2
"""Ranks of a summary's columns: a narrow terminal drops the highest first."""


class Summary(NamedTuple):
    """A summary, before it is fitted to a console.

    Attributes
    ----------
    columns : list of Column
        All its columns but the bars.
    ratios : list of float or None
        For each row, its nodes relative to the first row's: the length of its bar.
    """

    columns: list[Column]
    ratios: list[float | None]

    def draw(self, console: Console) -> RenderableType:
        """Draw it as wide as the console allows, with bars if there is room."""
        return fit(console, self.columns + bars(console, self.columns, self.ratios))


def position_summary(counts: PositionCounts) -> Summary:
    """Return the last iteration of each variant.

    Each row has a variant's last depth, its score and nodes there, and the ratio to the
    first variant's nodes at the last depth that both reached. For Glass's position,
    Glass's rows follow.
    """
    first = counts.series[0]
    rows, ratios = [], []
    for series in counts.series:
        cells = ["", "", "", ""]
        if last := series.at(series.depth):
            nodes = f"{last.nodes:,}", f"{last.nodes_total:,}"
            cells = [str(last.depth), score_cell(last), *nodes]
        rows.append([series.variant.name, *cells])
        ratios.append(series.ratio(first, min(series.depth, first.depth)))
    if row := glass_row(counts.fen, first.depth):
        for name, to_pv in (("Glass off", row.off), ("Glass on", row.on)):
            rows.append([name, str(row.depth), str(row.score), f"{to_pv:,}", ""])
            ratios.append(to_pv / row.off)
    names, depths, scores, to_pvs, in_all = zip(*rows, strict=True)
    columns = [
        Column("variant", names, left=True),
        Column("depth", depths, rank=_SUMMARY_DEPTH),
        Column("score", scores),
        Column("to PV", to_pvs),
        Column("in all", in_all, rank=_SUMMARY_IN_ALL),
        Column("ratio", [ratio_cell(ratio) for ratio in ratios]),
    ]
    return Summary(columns, ratios)


def collection_summary(counts: CollectionCounts) -> Summary:
    """Return the sums of each variant over a whole collection.

    Each row has a variant's mates found; mates not proved and problems stopped by a
    limit, if there are any; answers that differ from the first variant's; nodes of all
    problems; the number of problems compared; and the geometric mean of their ratios of
    nodes until the mate. With several files, the mates found and the ratio of each come
    first.
    """
    totals = list(counts.totals())
    names = [total.variant.name for total in totals]
    files = _file_totals(counts)
    unproved = [total.unproved for total in totals]
    stopped = [total.stopped for total in totals]
    sums = [
        *([_sums("unproved", unproved)] if any(unproved) else []),
        *([_sums("stopped", stopped)] if any(stopped) else []),
        _sums("differing", [total.differing for total in totals]),
        _sums("nodes", [total.nodes_total for total in totals], _SUMMARY_IN_ALL),
        _sums("compared", [total.compared for total in totals], _SUMMARY_DEPTH),
        *_found_and_ratio(totals),
    ]
    if files:
        sums[0] = sums[0]._replace(head=f"total\n{sums[0].head}")
    columns = [Column("variant", names, left=True)]
    for label, of_file in files:
        columns += _found_and_ratio(of_file, f"{label}\n")
    return Summary(columns + sums, [total.ratio for total in totals])


def _found_and_ratio(totals: Sequence[Total], head: str = "") -> list[Column]:
    """Return the columns of sums; a ratio covers only the mates found."""
    return [
        _sums(f"{head}found", [total.found for total in totals]),
        Column("ratio", [ratio_cell(total.ratio) for total in totals]),
    ]


def _file_totals(counts: CollectionCounts) -> list[tuple[str, list[Total]]]:
    """Return a label and the sums of each file; nothing if there is only one file."""
    if len(counts.files) < 2:
        return []
    labels = file_labels([file.name for file in counts.files])
    parts = (list(part.totals()) for _, part in counts.parts())
    return list(zip(labels, parts, strict=True))


def _sums(head: str, numbers: Sequence[int], rank: int = 0) -> Column:
    return Column(head, [f"{number:,}" for number in numbers], rank=rank)
