"""The page that explains a comparison: what was compared, counts, curves and notes."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from solver.laboratory import count_tables
from solver.laboratory.count_notes import (
    collection_notes,
    describe_variant,
    file_labels,
    position_notes,
    ratio_cell,
    score_cell,
)
from solver.laboratory.count_records import position_record
from solver.laboratory.mate_scores import is_mate
from solver.laboratory.node_counts import PositionCounts, glass_row
from solver.output.text import analysis_link
from solver.pages import fill_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.laboratory.node_counts import CollectionCounts, Series
    from solver.output.columns import Column

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
        variants = tuple(series.variant for series in counts.series)
        values = _of_position(counts)
    else:
        variants = counts.variants
        values = _of_collection(counts)
    names = [variant.name for variant in variants]
    listed = ": " + ", ".join(names) if len(names) <= FEW_NAMES else ""
    return fill_page(
        "counts.html",
        title=f"Node counts{listed or f' of {len(names)} variants'}",
        command=command,
        variants=[(variant.name, describe_variant(variant)) for variant in variants],
        **values,
    )


def _of_position(counts: PositionCounts) -> dict[str, Any]:
    """Return what the template shows of a position."""
    summary = count_tables.position_summary(counts)
    entries = counts.table_entries
    table = f"a table of {entries:,} entries" if entries else "no transposition table"
    return {
        "scripts": ["modules/counts.mjs"],
        "data": position_record(counts),
        "subject": f"{counts.fen} to depth {counts.depth}, {table}",
        "link": analysis_link(counts.fen),
        "fen": counts.fen,
        "leads": _position_leads(counts),
        "summary": _table("Summary", summary.columns, summary.ratios),
        "details": _table("Nodes by depth", count_tables.position_columns(counts)),
        "notes": position_notes(counts, brief=False),
    }


def _of_collection(counts: CollectionCounts) -> dict[str, Any]:
    """Return what the template shows of a collection."""
    summary = count_tables.collection_summary(counts)
    files = ", ".join(file_labels([file.name for file in counts.files]))
    problems = f"{counts.problems:,} problem{'s' * (counts.problems != 1)}"
    return {
        "data": None,
        "fen": None,
        "subject": f"{problems} of {files}",
        "leads": _collection_leads(counts),
        "summary": _table("Summary", summary.columns, summary.ratios),
        "details": _table("Problems", count_tables.collection_columns(counts)),
        "notes": collection_notes(counts, brief=False),
    }


def _table(
    caption: str, columns: Sequence[Column], ratios: Sequence[float | None] = ()
) -> dict[str, Any]:
    """Return a table as the template draws it, with a bar for each ratio."""
    groups = [""]
    for column in columns:
        # A heading of one line belongs to the group before it.
        groups.append(column.head.rpartition("\n")[0] or groups[-1])
    return {
        "caption": caption,
        "groups": [(text, len(list(same))) for text, same in groupby(groups[1:])],
        "columns": columns,
        "ratios": ratios,
        "longest": max((ratio for ratio in ratios if ratio), default=0),
    }


def _position_leads(counts: PositionCounts) -> Iterator[str]:
    """Say how few nodes the best variant needs, and what Glass published."""
    first, *others = counts.series
    depth = min(series.depth for series in counts.series)
    rated = [
        (_finds_mate(series, depth), series.ratio(first, depth), series.variant.name)
        for series in others
    ]
    if best := _cheapest(rated, "find a mate"):
        _, name, ratio, fewest = best
        yield (
            f"At depth {depth}, {name} needs {ratio} times the nodes of "
            f"{first.variant.name} to find the principal variation{fewest}."
        )
    if row := glass_row(counts.fen, depth):
        yield (
            f"Glass 1.0 needs {ratio_cell(row.on / row.off)} times as many with "
            f"mate-distance pruning as without. Its score is {row.score}; "
            f"{first.variant.name}'s is {score_cell(first.at(depth))}."
        )


def _finds_mate(series: Series, depth: int) -> bool:
    iteration = series.at(depth)
    return iteration is not None and is_mate(iteration.score) and iteration.proved


def _collection_leads(counts: CollectionCounts) -> Iterator[str]:
    """Say how few nodes the best variant needs."""
    first, *others = counts.totals()
    rated = [(total.found, total.ratio, total.variant.name) for total in others]
    if best := _cheapest(rated, "find so many"):
        found, name, ratio, fewest = best
        yield (
            f"{name} finds {found:,} mate{'s' * (found != 1)} in "
            f"{len(counts.rows):,} problems. To find the same ones as "
            f"{first.variant.name}, it needs {ratio} times the nodes{fewest}."
        )


def _cheapest(
    rated: Sequence[tuple[int, float | None, str]], finding: str
) -> tuple[int, str, str, str] | None:
    """Choose the variant of the fewest nodes among those that find the most mates.

    Returns
    -------
    tuple or None
        What it finds, its name, its ratio, and among which variants it needs the
        fewest nodes.
    """
    compared = [
        (-found, ratio, name) for found, ratio, name in rated if ratio is not None
    ]
    if not compared:
        return None
    found, ratio, name = min(compared)
    fewest = ", the fewest of all variants" if rated[1:] else ""
    if any(each[0] > found for each in compared):
        fewest += f" that {finding}"
    return -found, name, ratio_cell(ratio), fewest
