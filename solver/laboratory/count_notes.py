"""How node counts are written: scores, mates and ratios, and the notes below a table.

The notes explain what was counted, in which setting, and the marks in use.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from solver.kernel.border.experiment import Horizon, RootOrder
from solver.laboratory.mate_scores import format_mate, format_score, is_mate
from solver.laboratory.node_counts import glass_row, is_answered, proved_mate
from solver.laboratory.techniques import (
    COMBINED,
    SOUND,
    NodeCount,
    options_of,
)
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.laboratory.mate_scores import Iteration, Outcome
    from solver.laboratory.node_counts import (
        CollectionCounts,
        PositionCounts,
        ProblemCounts,
    )
    from solver.laboratory.techniques import Variant


AT_MOST = "<="
UNPROVED = "?"

SMALL_RATIO = 0.01
"""Smaller ratios are written with two significant digits."""

NO_MATE = "none"


def score_cell(iteration: Iteration | None) -> str:
    """Write a score; a mark says that a mate may not exist, or not be the shortest."""
    if iteration is None:
        return ""
    score = format_score(iteration.score)
    return _marked(score, iteration) if is_mate(iteration.score) else score


def format_answer(outcome: Outcome) -> str:
    """Write the answer of a variant, with a mark if it is not proved."""
    if outcome.mate is None:
        return NO_MATE if is_answered(outcome) else "stopped"
    return _marked(format_mate(outcome.mate), outcome)


def _marked(mate: str, found: Iteration | Outcome) -> str:
    if not found.proved:
        return mate + UNPROVED
    return mate if found.is_shortest else AT_MOST + mate


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
    NodeCount.MOVES: "A node is a move made, null moves included.",
    NodeCount.CALLS: "A node is a call of the search function: for the root, a move, "
    "a null move, or the second search of a move.",
    NodeCount.INTERIOR: "A node is a position above the horizon whose moves were "
    "generated.",
    NodeCount.AGAIN: "A node is a move that is searched again, because it has failed "
    "high in its null window.",
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
    yield from _combinations(series.variant for series in counts.series)
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
    yield from _combinations(counts.variants)
    yield _setting(counts.table_entries, first)
    if len(counts.rows) < counts.problems:
        yield (f"Stopped after {len(counts.rows):,} of {counts.problems:,} problems.")
    if not brief:
        yield from _marks(
            format_answer(outcome) for row in counts.rows for outcome in row.outcomes
        )
    for row in counts.contradictions():
        yield _contradiction(counts, row)


def _combinations(variants: Iterable[Variant]) -> Iterator[str]:
    """List the techniques of an ablation's combined variants."""
    for variant in variants:
        if variant.name in {SOUND, COMBINED}:
            yield f"{variant.name}: {', '.join(options_of(variant.choice))}."


def _setting(table_entries: int, variant: Variant) -> str:
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
        parts.append(f"claimed {format_mate(problem.claim.mate)}")
    if problem.no_mate:
        parts.append(f"claimed none in {problem.no_mate}")
    answers: dict[str, str] = {}
    for variant, outcome in zip(counts.variants, row.outcomes, strict=True):
        if variant.techniques.is_sound or proved_mate(outcome) is not None:
            answers.setdefault(format_answer(outcome), variant.name)
    parts += [f"{answer} by {name}" for answer, name in answers.items()]
    return f"{problem.source or problem.fen}: contradiction: {', '.join(parts)}"


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


def describe_variant(variant: Variant) -> list[tuple[str, str]]:
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
    options = options_of(choice)
    return [(option, words[option.partition("=")[0]]) for option in options]


def _pruning_words(variant: Variant) -> str:
    techniques = variant.techniques
    parts = []
    if techniques.null_reduction:
        parts.append(f"a null move, {techniques.null_reduction} plies shallower,")
    if techniques.cuts:
        parts.append(f"multi-cut with {techniques.cuts} of {techniques.tries} moves")
    nodes = techniques.pruned_nodes.name.lower().replace("_", " ")
    additions = ", ".join(map(str, sorted(techniques.additions)))
    with_additions = f", with the additions {additions}" if additions else ""
    return (
        f"{' and '.join(parts) or 'nothing'} at expected {nodes} nodes{with_additions}"
    )
