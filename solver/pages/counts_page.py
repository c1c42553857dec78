"""The page that explains a comparison: what was compared, counts, curves and notes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.laboratory import count_tables
from solver.laboratory.count_notes import (
    collection_notes,
    count,
    describe_variant,
    file_labels,
    position_notes,
    ratio_cell,
    score_cell,
)
from solver.laboratory.mate_scores import is_mate
from solver.laboratory.node_counts import PositionCounts, glass_row
from solver.output.diagram import draw_board
from solver.output.text import analysis_link
from solver.pages import fill_page, unstyled
from solver.pages.charts import (
    Chart,
    Line,
    Mark,
    draw_bars,
    draw_lines,
    look_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from solver.laboratory.node_counts import (
        CollectionCounts,
        GlassRow,
        Series,
    )
    from solver.laboratory.techniques import Variant
    from solver.output.columns import Column

WIDE, NARROW = 900, 360
"""Each chart is drawn twice; the style shows the one that fits the window."""

FEW_NAMES = 3
"""With more variants, the title has their number instead of their names."""


def encode_page(counts: PositionCounts | CollectionCounts, command: str) -> bytes:
    """Write the page of a comparison.

    Parameters
    ----------
    counts : PositionCounts or CollectionCounts
    command : str
        The command line that makes the counts again.

    Returns
    -------
    bytes
        One self-contained HTML file in UTF-8. The same arguments give the same bytes.
    """
    if isinstance(counts, PositionCounts):
        return _encode_position(counts, command)
    return _encode_collection(counts, command)


def _encode_position(counts: PositionCounts, command: str) -> bytes:
    variants = [series.variant for series in counts.series]
    charts = [
        chart
        for chart in (_nodes_chart(counts), _ratio_chart(counts))
        if chart and any(line.points for line in chart.lines)
    ]
    table_size = f"a table of {counts.table_entries:,} entries"
    return _encode(
        variants,
        command,
        subject=f"{counts.fen} to depth {counts.depth}, "
        f"{table_size if counts.table_entries else 'no transposition table'}",
        fen=counts.fen,
        link=analysis_link(counts.fen),
        board=unstyled(draw_board(counts.fen)),
        lead=_position_lead(counts),
        summary=_position_summary(counts),
        charts=[_drawn(chart, f"chart{n}") for n, chart in enumerate(charts)],
        details=_table(count_tables.position_columns(counts), "Nodes by depth"),
        notes=list(position_notes(counts, brief=False)),
    )


def _encode_collection(counts: CollectionCounts, command: str) -> bytes:
    files = file_labels([file.name for file in counts.files])
    problems = f"{counts.problems:,} problem{'s' * (counts.problems != 1)}"
    return _encode(
        counts.variants,
        command,
        subject=f"{problems} of {', '.join(files)}",
        fen="",
        link="",
        board="",
        lead=_collection_lead(counts),
        summary=_table(count_tables.collection_summary(counts).columns, "Summary"),
        charts=[_ratio_bars(counts)] if len(counts.variants) > 1 else [],
        details=_table(count_tables.collection_columns(counts), "Problems"),
        notes=list(collection_notes(counts, brief=False)),
    )


def _encode(variants: Sequence[Variant], command: str, **values: Any) -> bytes:
    names = [variant.name for variant in variants]
    if len(names) <= FEW_NAMES:
        title = f"Node counts: {', '.join(names)}"
    else:
        title = f"Node counts of {len(names)} variants"
    return fill_page(
        "counts.html",
        title=title,
        style="counts.css",
        scripts=["counts.js"],
        command=command,
        variants=[
            (
                str(index),
                variant.name,
                look_of(index),
                describe_variant(variant),
            )
            for index, variant in enumerate(variants)
        ],
        **values,
    )


class Figure(NamedTuple):
    """A chart in two widths."""

    caption: str
    wide: str
    narrow: str


class _Head(NamedTuple):
    """A heading cell of a table, over one or more columns."""

    text: str
    columns: int
    is_left: bool


class _Row(NamedTuple):
    """A row of a table: its cells, per cent of its bar, and the key of its variant."""

    cells: list[str]
    share: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table as the template draws it.

    Attributes
    ----------
    caption : str
    groups : list of _Head
        The upper row of headings; empty if there is only one.
    heads : list of _Head
        A heading for each column.
    rows : list of _Row
    has_bars : bool
    """

    caption: str
    groups: list[_Head]
    heads: list[_Head]
    rows: list[_Row]
    has_bars: bool = False


def _table(columns: Sequence[Column], caption: str) -> _Table:
    upper: list[str] = []
    heads = []
    for column in columns:
        group, _, head = column.head.rpartition("\n")
        heads.append(_Head(head, 1, is_left=column.left))
        # A heading of one line belongs to the group before it.
        upper.append(group or (upper[-1] if upper else ""))
    groups = [
        _Head(text, len(list(members)), is_left=False)
        for text, members in groupby(upper)
    ]
    if not any(upper):
        groups = []
    rows = zip(*(column.cells for column in columns), strict=True)
    return _Table(caption, groups, heads, [_Row(list(cells)) for cells in rows])


def _position_summary(counts: PositionCounts) -> _Table:
    """Return the summary of a position, with bars."""
    summary = count_tables.position_summary(counts)
    table = _table(summary.columns, "Summary")
    longest = max((ratio for ratio in summary.ratios if ratio), default=None)
    if longest is None:
        return table
    rows = [
        _Row(
            row.cells,
            round(100 * ratio / longest, 2) if ratio else None,
            str(index) if index < len(counts.series) else "",
        )
        for index, (row, ratio) in enumerate(
            zip(table.rows, summary.ratios, strict=True)
        )
    ]
    return replace(table, rows=rows, has_bars=True)


def _position_lead(counts: PositionCounts) -> str:
    """Say how few nodes the best variant needs, at the last depth of all.

    If any variant has found a mate, it is one of those that have.
    """
    first, *others = counts.series
    depth = min(series.depth for series in counts.series)
    finding = [series for series in others if _finds_mate(series, depth)] or others
    ratios = [
        (ratio, series.variant.name)
        for series in finding
        if (ratio := series.ratio(first, depth)) is not None
    ]
    if not ratios:
        return ""
    least, name = min(ratios)
    fewest = ", the fewest of the variants" if others[1:] else ""
    if len(finding) < len(others):
        fewest += " that find a mate"
    return (
        f"At depth {depth}, {name} needs {ratio_cell(least)} times the nodes of "
        f"{first.variant.name} to find the principal variation{fewest}."
    )


def _finds_mate(series: Series, depth: int) -> bool:
    iteration = series.at(depth)
    return iteration is not None and is_mate(iteration.score) and iteration.proved


def _collection_lead(counts: CollectionCounts) -> str:
    """Say how few nodes are needed by a variant that finds as many mates as any."""
    first, *others = counts.totals()
    compared = [(total.found, total) for total in others if total.ratio is not None]
    if not compared:
        return ""
    most = max(found for found, _ in compared)
    ratios = [
        (total.ratio, total.variant.name) for found, total in compared if found == most
    ]
    least, name = min(ratios)
    fewest = ", the fewest of the variants that find so many" if others[1:] else ""
    return (
        f"{name} finds {_mates(most)} in {count(len(counts.rows))} problems. To "
        f"find the same ones as {first.variant.name}, it needs "
        f"{ratio_cell(least)} times the nodes{fewest}."
    )


def _mates(found: int) -> str:
    return f"{count(found)} mate{'s' * (found != 1)}"


def _nodes_chart(counts: PositionCounts) -> Chart:
    """Return the nodes by depth, with Glass's on its position."""
    lines = [
        _line(
            index,
            series,
            # A finished game has no nodes, and a log scale has no 0.
            [(it.depth, max(it.nodes, 1)) for it in series.iterations],
        )
        for index, series in enumerate(counts.series)
    ]
    if glass := _glass_rows(counts):
        off = tuple((row.depth, float(row.off)) for row in glass)
        on = tuple((row.depth, float(row.on)) for row in glass)
        lines += [Line("Glass off", "glass", off), Line("Glass on", "glass on", on)]
    return Chart(
        "Nodes until the principal variation was found, by depth (log scale)",
        _last_values(lines, lambda nodes: f"{nodes:,.0f} nodes"),
        tuple(lines),
        is_log=True,
        tips={depth: _tip(counts, depth) for depth in counts.depths},
        mark=_first_mate(counts),
    )


def _ratio_chart(counts: PositionCounts) -> Chart | None:
    """Return the ratios to the first variant by depth; None if it is alone."""
    first, *others = counts.series
    if not others:
        return None
    lines = [
        _line(
            index,
            series,
            [
                (depth, ratio)
                for depth in counts.depths
                if (ratio := series.ratio(first, depth)) is not None
            ],
        )
        for index, series in enumerate(counts.series)
    ]
    if glass := _glass_rows(counts):
        points = tuple((row.depth, row.on / row.off) for row in glass)
        lines.append(Line("Glass on", "glass on", points))
    return Chart(
        f"Ratio to the nodes of {first.variant.name}, by depth",
        _last_values(lines, ratio_cell),
        tuple(lines),
        is_log=False,
        aspect=0.3,
        tips={depth: _tip(counts, depth) for depth in counts.depths},
    )


def _line(index: int, series: Series, points: Iterable[tuple[int, float]]) -> Line:
    return Line(series.variant.name, look_of(index), tuple(points), str(index))


def _glass_rows(counts: PositionCounts) -> list[GlassRow]:
    return [row for depth in counts.depths if (row := glass_row(counts.fen, depth))]


def _last_values(lines: Iterable[Line], write: Callable[[float], str]) -> str:
    ends = (
        f"{line.name}: {write(line.points[-1][1])} at depth {line.points[-1][0]}"
        for line in lines
        if line.points
    )
    return "; ".join(ends) + ". The table below has all numbers."


def _tip(counts: PositionCounts, depth: int) -> list[str]:
    """Return what the page shows where a depth is pointed at."""
    first = counts.series[0]
    lines = [f"depth {depth}"]
    for series in counts.series:
        if iteration := series.at(depth):
            words = [series.variant.name, count(iteration.nodes)]
            ratio = series.ratio(first, depth)
            if series is not first and ratio is not None:
                words.append(f"({ratio_cell(ratio)})")
            lines.append(" ".join(words))
    if row := glass_row(counts.fen, depth):
        ratio_of_glass = ratio_cell(row.on / row.off)
        lines.append(f"Glass off {row.off:,}")
        lines.append(f"Glass on {row.on:,} ({ratio_of_glass})")
    return lines


def _first_mate(counts: PositionCounts) -> Mark | None:
    """Return where the first variant found its first mate."""
    for iteration in counts.series[0].iterations:
        if is_mate(iteration.score):
            score = score_cell(iteration)
            return Mark(iteration.depth, f"{score} found at depth {iteration.depth}")
    return None


def _drawn(chart: Chart, name: str) -> Figure:
    return Figure(
        chart.title,
        draw_lines(chart, WIDE, f"{name}-wide"),
        draw_lines(chart, NARROW, f"{name}-narrow"),
    )


def _ratio_bars(counts: CollectionCounts) -> Figure:
    totals = list(counts.totals())
    title = f"Nodes until the mate, relative to {counts.variants[0].name}"
    bars = [
        (
            total.variant.name,
            total.ratio,
            f"{ratio_cell(total.ratio) or 'no mate in common'}, "
            f"{count(total.found)} found",
        )
        for total in totals
    ]
    description = "; ".join(f"{name}: {text}" for name, _, text in bars) + "."
    wide, narrow = (
        draw_bars(bars, width, name, title=title, description=description)
        for width, name in ((WIDE, "bars-wide"), (NARROW, "bars-narrow"))
    )
    return Figure(title, wide, narrow)
