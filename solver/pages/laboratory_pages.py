"""Pages of the laboratory: comparisons of techniques, and searches to step through."""

from __future__ import annotations

import ctypes
import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import pages
from solver.kernel.border.search_struct import LoggedNode
from solver.laboratory import count_tables, node_counts, techniques, trace_text, traces
from solver.laboratory.count_tables import FAMILIES
from solver.laboratory.techniques import Variant, mate_distance
from solver.output.text import analysis_link
from solver.pages.layout import experiments
from solver.pages.viewer_pages import solver_data
from solver.search.workspaces import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from solver.output.columns import Column

UNITS = {
    "depth": "depth, plies",
    "score": "score, cp",
    "to PV": "nodes to PV",
    "in all": "nodes in all",
}
"""Headings of the summary with their units."""

FIRST_PLIES = 3
FIRST_ROWS = 200
"""Without scripts, a page lists nodes to this ply, and at most this many."""


# Comparisons


def encode_counts(
    counts: node_counts.PositionCounts | node_counts.CollectionCounts, command: str
) -> bytes:
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
    if isinstance(counts, node_counts.PositionCounts):
        variants = tuple(series.variant for series in counts.series)
        values = _of_position(counts)
    else:
        variants = counts.variants
        values = _of_collection(counts)
    return pages.fill_page(
        "counts.html",
        title=_title(variants),
        command=command,
        variants=[
            (each.name, count_tables.describe_variant(each)) for each in variants
        ],
        **values,
    )


def _title(variants: Sequence[Variant]) -> str:
    """Name the techniques that differ between the variants."""
    values = [variant.choice._asdict() for variant in variants]
    varied = [
        words
        for name, words in FAMILIES.items()
        if len({each[name] for each in values}) > 1
    ]
    if not varied:
        return f"Nodes of a search with {_words(variants[0], variants)}"
    if len(varied) > 2:
        return f"Search techniques: nodes of {len(variants)} variants"
    names = _capitalized(" and ".join(varied))
    if _is_with_and_without(variants):
        return f"{names}: nodes with and without"
    return f"{names}: nodes of {len(variants)} variants"


def _is_with_and_without(variants: Sequence[Variant]) -> bool:
    """Whether the second of two variants only adds techniques to the first."""
    if len(variants) != 2:
        return False
    pairs = zip(*(variant.choice for variant in variants), strict=True)
    return all(first in (techniques.OFF, second) for first, second in pairs)


def _words(variant: Variant, variants: Sequence[Variant]) -> str:
    """Name a variant's techniques, with their forms where variants differ in them."""
    if variant.name in {techniques.SOUND, techniques.COMBINED}:
        return f"the {variant.name} variant"
    words = []
    for name, value in variant.choice._asdict().items():
        forms = {each.choice._asdict()[name] for each in variants} - {techniques.OFF}
        if value != techniques.OFF:
            words.append(FAMILIES[name] + f" ({value})" * (len(forms) > 1))
    return " with ".join(words) or "no technique"


def _capitalized(words: str) -> str:
    return words[0].upper() + words[1:]


def _of_position(counts: node_counts.PositionCounts) -> dict[str, Any]:
    """Return what the template shows of a position."""
    summary = count_tables.position_summary(counts)
    best = _best_of_position(counts)
    variants = [series.variant for series in counts.series]
    entries = counts.table_entries
    table = f"a table of {entries:,} entries" if entries else "no transposition table"
    return {
        "scripts": ["modules/counts.mjs"],
        "data": node_counts.position_record(counts),
        "subject": f"{counts.fen}, to a depth of {counts.depth} plies, {table}",
        "link": analysis_link(counts.fen),
        "fen": counts.fen,
        "leads": [*_position_leads(counts, best)],
        "headline": _headline(summary, variants, best),
        "summary": _summary("Summary", summary),
        "details": _table("Nodes by depth", count_tables.position_columns(counts)),
        "notes": count_tables.position_notes(counts, brief=False),
    }


def _of_collection(counts: node_counts.CollectionCounts) -> dict[str, Any]:
    """Return what the template shows of a collection."""
    summary = count_tables.collection_summary(counts)
    best = _best_of_collection(counts)
    files = ", ".join(count_tables.file_labels([file.name for file in counts.files]))
    problems = f"{counts.problems:,} problem{'s' * (counts.problems != 1)}"
    return {
        "data": None,
        "fen": None,
        "subject": f"{problems} of {files}",
        "leads": [*_collection_leads(counts, best)],
        "headline": _headline(summary, counts.variants, best),
        "summary": _summary("Summary", summary),
        "details": _table("Problems", count_tables.collection_columns(counts)),
        "notes": count_tables.collection_notes(counts, brief=False),
    }


def _summary(caption: str, summary: count_tables.Summary) -> dict[str, Any]:
    """Return the table of a summary, with units beside its numbers."""
    columns = [
        column._replace(head=UNITS.get(column.head, column.head))
        for column in summary.columns
    ]
    return _table(caption, columns, summary.ratios)


def _headline(
    summary: count_tables.Summary, variants: Sequence[Variant], best: Best | None
) -> dict[str, Any] | None:
    """Return the two rows that the headline compares, in words and without details.

    None if these are all its rows, or if nothing is compared.
    """
    if best is None or len(summary.ratios) <= 2:
        return None
    rows = (0, best.row)
    names = [_words(variants[row], variants) for row in rows]
    columns = [
        column._replace(cells=[column.cells[row] for row in rows])
        for column in (summary.columns[0], *summary.columns[-3:])
    ]
    columns[0] = columns[0]._replace(cells=names)
    ratios = [summary.ratios[row] for row in rows]
    return _summary("The two compared", count_tables.Summary(columns, ratios))


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


class Best(NamedTuple):
    """The variant that the headline compares with the first.

    Attributes
    ----------
    found : int
        The mates that it finds.
    ratio : float
        Its nodes relative to the first variant's.
    row : int
        Its place among the variants.
    fewest : str
        Among which variants it needs the fewest nodes.
    """

    found: int
    ratio: float
    row: int
    fewest: str


def _best_of_position(counts: node_counts.PositionCounts) -> Best | None:
    first, *others = counts.series
    depth = min(series.depth for series in counts.series)
    rated = [
        (_mate(series, depth) is not None, series.ratio(first, depth), index)
        for index, series in enumerate(others, 1)
    ]
    return _cheapest(rated, "find a mate")


def _best_of_collection(counts: node_counts.CollectionCounts) -> Best | None:
    totals = enumerate(counts.totals())
    rated = [(total.found, total.ratio, index) for index, total in totals if index]
    return _cheapest(rated, "find so many")


def _position_leads(
    counts: node_counts.PositionCounts, best: Best | None
) -> Iterator[str]:
    """Say how few nodes the best variant needs, and what Glass published."""
    first = counts.series[0]
    variants = [series.variant for series in counts.series]
    depth = min(series.depth for series in counts.series)
    if best:
        series = counts.series[best.row]
        own, other = series.at(depth), first.at(depth)
        assert own
        assert other
        mate = _mate(series, depth)
        goal = "the principal variation" if mate is None else f"the mate in {abs(mate)}"
        yield (
            f"At depth {depth}, {_words(series.variant, variants)} finds {goal} with "
            f"{_amount(best.ratio)} {_base(variants)}{best.fewest}: {own.nodes:,} "
            f"instead of {other.nodes:,}."
        )
    if row := node_counts.glass_row(counts.fen, depth):
        amount, _, than = _amount(row.on / row.off).rpartition(" ")
        yield (
            f"Glass 1.0 needs {amount} with mate-distance pruning {than} without. Its "
            f"score is {row.score}; {first.variant.name}'s is "
            f"{count_tables.score_cell(first.at(depth))}."
        )


def _mate(series: node_counts.Series, depth: int) -> int | None:
    """Return the mate that a variant proves at a depth."""
    iteration = series.at(depth)
    return mate_distance(iteration.score) if iteration and iteration.proved else None


def _amount(ratio: float) -> str:
    """Write a ratio of nodes, before what it compares with."""
    factor = max(ratio, 1 / ratio)
    written = f"{factor:,.{2 if factor < 10 else 0}f}"
    if written == "1.00":
        return "about as many nodes as"
    return f"{written} times {'as many nodes as' if ratio > 1 else 'fewer nodes than'}"


def _base(variants: Sequence[Variant]) -> str:
    if _is_with_and_without(variants):
        return "the search without it"
    return variants[0].name


def _collection_leads(
    counts: node_counts.CollectionCounts, best: Best | None
) -> Iterator[str]:
    """Say how few nodes the best variant needs."""
    if best:
        first, totals = counts.variants[0], list(counts.totals())
        yield (
            f"{_capitalized(_words(counts.variants[best.row], counts.variants))} "
            f"finds a mate with {_amount(best.ratio)} {_base(counts.variants)}"
            f"{best.fewest}: the geometric mean over {totals[best.row].compared:,} "
            f"problems."
        )
        yield (
            f"It finds {best.found:,} mate{'s' * (best.found != 1)} in "
            f"{len(counts.rows):,} problems; {first.name} finds {totals[0].found:,}."
        )


def _cheapest(
    rated: Sequence[tuple[int, float | None, int]], finding: str
) -> Best | None:
    """Choose the variant of the fewest nodes among those that find the most mates."""
    compared = [
        (-found, ratio, index) for found, ratio, index in rated if ratio is not None
    ]
    if not compared:
        return None
    found, ratio, index = min(compared)
    fewest = ", the fewest of all variants" if rated[1:] else ""
    if any(each[0] > found for each in compared):
        fewest += f" that {finding}"
    return Best(-found, ratio, index, fewest)


# Traces


def encode_trace(
    record: Mapping[str, Any], modules: Mapping[str, bytes] | None = None
) -> bytes:
    """Write a trace as one HTML page.

    The page loads nothing. Without scripts it has the position, the counts and the
    first nodes.

    Parameters
    ----------
    record : Mapping
        What `matesolve trace --json` prints.
    modules : mapping of str to bytes or None
        The WebAssembly modules with which the page searches other positions, by the
        names of their parts.

    Returns
    -------
    bytes
        UTF-8.
    """
    words = trace_text.TraceWords(record)
    facts = [words.search_facts(trace) for trace in record["traces"]]
    data: dict[str, Any] = {"sentences": trace_text.SENTENCES}
    if modules:
        data |= solver_data(modules)
        layout = data["layout"] | {
            "logBytes": traces.LOG_NODES * ctypes.sizeof(LoggedNode)
        }
        data |= {"experiments": experiments(), "layout": layout}
        data["tableBytes"] = traces.HASH_MIB * MIB
    text = json.dumps(record, separators=(",", ":"))
    return pages.fill_page(
        "trace.html",
        title=words.say("title", facts[0]),
        style="trace.css",
        scripts=["modules/trace.mjs"],
        data=data | {"record": pages.packed(text.encode())},
        fen=record["fen"],
        legend=words.say("seen", facts[0]),
        traces=[
            {
                "name": trace["name"],
                "depth": trace["depth"],
                "facts": words.say("found", found),
                "lines": _lines(words, trace["log"]),
                "iterations": trace.get("iterations", ()),
            }
            for trace, found in zip(record["traces"], facts, strict=True)
        ],
    )


def _lines(
    words: trace_text.TraceWords, log: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the first visits, in their order, with their plies."""
    rows = [
        row
        for row, ply in enumerate(log["ply"])
        if ply <= FIRST_PLIES and log["kind"][row] not in {"child", "update"}
    ]
    return [
        {"ply": log["ply"][row], "text": words.sentence(log, row)}
        for row in rows[:FIRST_ROWS]
    ]
