"""Tables of node counts: one row per depth or problem, and summaries with bars.

A full table has a few columns for each variant. A summary has one row for each variant,
and a bar for its nodes relative to the first variant's. The notes below a table explain
what was counted, in which setting, and the marks in use.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border.scored_struct import Horizon, RootOrder
from solver.laboratory import techniques
from solver.laboratory.node_counts import GlassRow, glass_row, is_answered, proved_mate
from solver.output.columns import Column, bars, fit
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from solver.laboratory.node_counts import (
        CollectionCounts,
        PositionCounts,
        ProblemCounts,
        Series,
        Total,
    )


# Cells and notes

AT_MOST = "<="
UNPROVED = "?"

SMALL_RATIO = 0.01
"""Smaller ratios are written with two significant digits."""

NO_MATE = "none"


def score_cell(iteration: techniques.Iteration | None) -> str:
    """Write a score; a mark says that a mate may not exist, or not be the shortest."""
    if iteration is None:
        return ""
    score = techniques.format_score(iteration.score)
    return _marked(score, iteration) if techniques.is_mate(iteration.score) else score


def format_answer(outcome: techniques.Outcome) -> str:
    """Write the answer of a variant, with a mark if it is not proved."""
    if outcome.mate is None:
        return NO_MATE if is_answered(outcome) else "stopped"
    return _marked(techniques.format_mate(outcome.mate), outcome)


def _marked(mate: str, found: techniques.Iteration | techniques.Outcome) -> str:
    if not found.proved:
        return mate + UNPROVED
    return mate if found.settled else AT_MOST + mate


def ratio_cell(ratio: float | None) -> str:
    """Write a ratio of nodes; empty if there is none."""
    if ratio is None:
        return ""
    return f"{ratio:,.3f}" if ratio >= SMALL_RATIO else f"{ratio:.2g}"


def file_labels(names: Sequence[str]) -> list[str]:
    """Shorten the names of files, but keep different names different.

    Returns
    -------
    list of str
        `mates` for `puzzles/mates.epd`, else `mates.epd`, else the whole name.
    """
    paths = [PurePath(name) for name in names]
    for labels in ([path.stem for path in paths], [path.name for path in paths]):
        if len(set(labels)) == len(set(names)):
            return [printable(label) for label in labels]
    return [printable(name) for name in names]


_NODES = {
    techniques.NodeCount.MOVES: "A node is a move made, null moves included.",
    techniques.NodeCount.CALLS: (
        "A node is a call of the search function: for the root, a move, a null move, "
        "or the second search of a move."
    ),
    techniques.NodeCount.INTERIOR: (
        "A node is a position above the horizon whose moves were generated."
    ),
    techniques.NodeCount.AGAIN: (
        "A node is a move that is searched again, because it has failed high in its "
        "null window."
    ),
}
_UNEQUAL_DEPTHS = "; in a variant's row, at the last depth that both reached"
_ORDER = "table move, captures and promotions, killers, history"
_HORIZONS = {
    Horizon.STATIC: "",
    Horizon.MATE: " Horizon: mate test.",
    Horizon.QUIESCENCE: " Horizon: quiescence search.",
}
_ROOT_ORDERS = {
    RootOrder.SEARCH: "",
    RootOrder.GENERATED: "; at the root, table move, then as generated",
    RootOrder.NODES: "; at the root, best move of the last iteration, then by nodes",
}


def position_notes(counts: PositionCounts, *, brief: bool) -> Iterator[str]:
    """Yield the paragraphs that explain the counts of one position.

    `brief` is for a table with only the last iterations.
    """
    first, *others = counts.series
    yield (
        f"{_NODES[first.variant.techniques.count]} to PV: until the principal "
        "variation was found; in all: until the iteration was complete; both are sums "
        "from depth 1."
    )
    if others:
        where = "" if counts.is_complete else _UNEQUAL_DEPTHS
        yield f"ratio: nodes to PV compared with {first.variant.name}{where}."
    yield _setting(counts.table_entries, first.variant)
    if ended := [s.variant.name for s in counts.series if s.depth < counts.depth]:
        limit = counts.node_limit
        each = f" The limit of each search is {limit:,} nodes." if limit else ""
        yield f"Stopped before depth {counts.depth}: {', '.join(ended)}.{each}"
    if any(glass_row(counts.fen, depth) for depth in counts.depths):
        yield (
            "Glass 1.0: score, and nodes to PV without and with mate-distance "
            "pruning, from the Chess Programming Wiki; its evaluation, table and move "
            "order differ."
        )
    yield from _marks(
        score_cell(iteration)
        for series in counts.series
        for iteration in series.iterations[-1 if brief else 0 :]
    )
    if counts.is_contradictory:
        yield "Sound variants contradict each other: please report this position."


def collection_notes(counts: CollectionCounts, *, brief: bool) -> Iterator[str]:
    """Yield the paragraphs that explain the counts of a collection.

    `brief` is for a table with only the sums of each variant.
    """
    first, *others = counts.variants
    counted = f"{_NODES[first.techniques.count]} Counts are sums from depth 1"
    if not all(variant.techniques.is_sound for variant in counts.variants):
        counted += ", without the nodes of the prover that confirms the mates"
    yield f"{counted}."
    if others:
        yield (
            f"ratio: nodes until the mate was found compared with {first.name}, as a "
            f"geometric mean over the problems in which both found the same mate. "
            f"differing: answers that differ from {first.name}'s although no limit "
            f"was hit."
        )
    yield _setting(counts.table_entries, first)
    if len(counts.rows) < counts.problems:
        yield (f"Stopped after {len(counts.rows):,} of {counts.problems:,} problems.")
    if not brief:
        yield from _marks(
            format_answer(outcome) for row in counts.rows for outcome in row.outcomes
        )
    for row in counts.contradictions():
        yield _contradiction(counts, row)


def _setting(table_entries: int, variant: techniques.Variant) -> str:
    """Describe the settings that all variants share.

    The horizon and the order at the root are omitted if they have their defaults.
    """
    table = "No transposition table"
    if table_entries:
        table = f"Transposition table: {table_entries:,} entries, empty at first"
    width = variant.techniques.aspiration
    window = f"within {width} of the last score" if width else "in the full window"
    horizon = _HORIZONS[variant.techniques.horizon]
    root_order = _ROOT_ORDERS[variant.techniques.root_order]
    return (
        f"{table}. Root searched {window}.{horizon} Move order: {_ORDER}{root_order}."
    )


def _marks(answers: Iterable[str]) -> Iterator[str]:
    """Explain the marks in use."""
    answers = set(answers)
    if any(answer.startswith(AT_MOST) for answer in answers):
        yield f"{AT_MOST}M: there may be a shorter mate."
    if any(answer.endswith(UNPROVED) for answer in answers):
        yield f"M{UNPROVED}: found by an unsound technique and not proved."


def _contradiction(counts: CollectionCounts, row: ProblemCounts) -> str:
    """Name the claim, and each answer with the first variant that gave it."""
    problem = row.problem
    parts = []
    if problem.claim:
        parts.append(f"claimed {techniques.format_mate(problem.claim.mate)}")
    if problem.no_mate:
        parts.append(f"claimed none in {problem.no_mate}")
    answers: dict[str, str] = {}
    for variant, outcome in zip(counts.variants, row.outcomes, strict=True):
        if variant.techniques.is_sound or proved_mate(outcome) is not None:
            answers.setdefault(format_answer(outcome), variant.name)
    parts += [f"{answer} by {name}" for answer, name in answers.items()]
    return f"{problem.source or problem.fen}: contradiction: {', '.join(parts)}"


FAMILIES = {
    "mdp": "mate-distance pruning",
    "check_extension": "check extension",
    "efp": "forward pruning",
    "mip": "material-imbalance pruning",
}
"""Techniques in words, by their fields in `Choice`."""

_EXTENDED = {
    "all": "checks",
    "captures": "capturing checks",
    "promotions": "promotions",
    "uncapped": "checks, however long the line,",
}
_MDP = {
    "upper": "the upper bound only: beta to mating at this node",
    "lower": "the lower bound only: alpha to being mated at this node",
    "cpw": "both bounds, as on the Chess Programming Wiki",
    "tight": "both bounds, with beta at a mate on the next ply, as in Stockfish",
    "vipermate": "not at the root; alpha, or else beta; returns alpha, as in ViperMate",
}
_DECIDED = "if the material table has only wins or only losses"
_MIP = {
    "reduce": f"one ply shallower {_DECIDED}",
    "prune": f"no search {_DECIDED}",
    "lazy": "results of the material instead of the evaluation",
    "correct": "results of the material added to the evaluation",
    "white": "White's results alone",
    "rounded": "0 and 100 per cent are rounded",
    "curve": "material with few positions weighs less",
}


def describe_variant(variant: techniques.Variant) -> list[tuple[str, str]]:
    """Describe the techniques of a variant.

    Returns
    -------
    list of tuple of str
        Each option, such as `mdp=cpw`, with what it does; empty for plain search.
    """
    choice = variant.choice
    extended = [_EXTENDED.get(name, name) for name in choice.check_extension.split("+")]
    words = {
        "mdp": _MDP.get(choice.mdp, ""),
        "check-extension": f"{' and '.join(extended)} cost no depth",
        "efp": _pruning_words(variant),
        "mip": "; ".join(_MIP.get(name, name) for name in choice.mip.split("+")),
    }
    options = techniques.options_of(choice)
    return [(option, words[option.partition("=")[0]]) for option in options]


def name_techniques(variants: Iterable[techniques.Variant]) -> Iterator[str]:
    """Yield a line for each variant: its name, and its techniques in words."""
    for variant in variants:
        words = []
        for option, what in describe_variant(variant):
            name, _, value = option.partition("=")
            known = value in variant.name.split("/") or option == variant.name
            family = FAMILIES[name.replace("-", "_")] + f" ({option})" * (not known)
            words.append(f"{family}: {what}")
        yield f"{variant.name}: {'; '.join(words) or 'no technique'}."


def _pruning_words(variant: techniques.Variant) -> str:
    chosen = variant.techniques
    parts = []
    if chosen.null_reduction:
        parts.append(f"a null move, {chosen.null_reduction} plies shallower,")
    if chosen.cuts:
        parts.append(f"multi-cut with {chosen.cuts} of {chosen.tries} moves")
    nodes = chosen.pruned_nodes.name.lower().replace("_", " ")
    additions = ", ".join(map(str, sorted(chosen.additions)))
    with_additions = f", with the additions {additions}" if additions else ""
    return (
        f"{' and '.join(parts) or 'nothing'} at expected {nodes} nodes{with_additions}"
    )


# Tables

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
        Column("problem", [problem_name(row) for row in rows], left=True),
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


def problem_name(row: ProblemCounts) -> str:
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
    counts: PositionCounts, series: Series, nodes: Callable[[techniques.Iteration], int]
) -> list[str]:
    iterations = (series.at(depth) for depth in counts.depths)
    return [f"{nodes(it):,}" if it else "" for it in iterations]


def _expected(row: ProblemCounts) -> str:
    """Write the claim of a problem, or else the first variant's answer."""
    problem = row.problem
    if problem.claim or problem.no_mate:
        return techniques.format_mate(problem.claim.mate) if problem.claim else NO_MATE
    return format_answer(row.outcomes[0])


def _outcome_cell(row: ProblemCounts, outcome: techniques.Outcome) -> str:
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
