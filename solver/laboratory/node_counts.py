"""The results of several variants side by side, and their records.

The results are those on one position or on a collection. The node counts of the chess
engine Glass 1.0, with and without mate-distance pruning, are from the Chess Programming
Wiki, "Mate Distance Pruning", section "In Practice": nodes until the principal
variation is found. Its table and move order differ.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, fields, replace
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import __version__, solution
from solver.laboratory import techniques

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.problem import Problem


# Counts


@dataclass(frozen=True, slots=True)
class Series:
    """The iterations of one variant on one position.

    Attributes
    ----------
    variant : Variant
    iterations : tuple of Iteration
        Depth 1, 2, 3, ..., as far as completed.
    """

    variant: techniques.Variant
    iterations: tuple[techniques.Iteration, ...]

    @property
    def depth(self) -> int:
        """The last completed depth, 0 if there is none."""
        return len(self.iterations)

    def at(self, depth: int) -> techniques.Iteration | None:
        """Return the iteration of a depth, None if the search did not reach it."""
        return self.iterations[depth - 1] if 1 <= depth <= self.depth else None

    def ratio(self, base: Series, depth: int) -> float | None:
        """Return the ratio of the nodes until the principal variation to another's."""
        own, other = self.at(depth), base.at(depth)
        return node_ratio(own.nodes, other.nodes) if own and other else None


@dataclass(frozen=True, slots=True)
class PositionCounts:
    """The iterations of each variant on one position.

    Attributes
    ----------
    fen : str
    depth : int
        The last iteration requested.
    table_entries : int
        Size of the transposition table of each search.
    series : tuple of Series
        One for each variant, at least one.
    node_limit : int or None
        The limit of each search.
    """

    fen: str
    depth: int
    table_entries: int
    series: tuple[Series, ...]
    node_limit: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every variant completed the last iteration requested."""
        return all(series.depth == self.depth for series in self.series)

    @property
    def depths(self) -> range:
        """The depths that at least one variant completed."""
        return range(1, 1 + max(series.depth for series in self.series))

    @property
    def is_contradictory(self) -> bool:
        """Whether sound variants have results that cannot all be right."""
        return techniques.contradict(
            techniques.bounds_when_seen(
                techniques.mate_distance(iteration.score),
                series.variant.techniques.plies_seen(iteration.depth),
            )
            for series in self.series
            if series.variant.techniques.is_sound
            for iteration in series.iterations
        )


@dataclass(frozen=True, slots=True)
class ProblemCounts:
    """The outcomes of each variant on one problem.

    Attributes
    ----------
    problem : Problem
    depth : int
        The last iteration requested.
    outcomes : tuple of Outcome
        In the order of the variants.
    """

    problem: Problem
    depth: int
    outcomes: tuple[techniques.Outcome, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every variant reached an answer."""
        return all(is_answered(outcome) for outcome in self.outcomes)

    @property
    def same_answer(self) -> bool:
        """Whether all variants with an answer found the same mate, or none."""
        answers = {
            proved_mate(outcome) for outcome in self.outcomes if is_answered(outcome)
        }
        return len(answers) <= 1


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of one variant over a whole collection.

    Attributes
    ----------
    variant : Variant
    found : int
        Problems with a mate found and proved.
    unproved : int
        Problems with a mate found but not proved.
    stopped : int
        Problems in which a limit stopped it before an answer.
    differing : int
        Problems in which its answer differs from the first variant's.
    nodes_total : int
        All nodes of all problems.
    ratio : float or None
        Its nodes until the mate divided by the first variant's: the geometric mean over
        the problems in which both found the same mate.
    compared : int
        The number of those problems.
    """

    variant: techniques.Variant
    found: int
    unproved: int
    stopped: int
    differing: int
    nodes_total: int
    ratio: float | None
    compared: int


class CollectionFile(NamedTuple):
    """One of the files of a collection.

    Attributes
    ----------
    name : str
        As in `file:line`. A file that is read twice is there twice.
    problems : int
        The number of its problems.
    """

    name: str
    problems: int


@dataclass(frozen=True, slots=True)
class CollectionCounts:
    """The outcomes of each variant on each problem of a collection.

    Attributes
    ----------
    table_entries : int
        Size of the transposition table of each search.
    variants : tuple of Variant
        At least one.
    rows : tuple of ProblemCounts
        One for each problem that all variants were run on.
    problems : int
        The number of problems in the collection.
    files : tuple of CollectionFile
        The files in the order of the rows; together they have all problems.
    """

    table_entries: int
    variants: tuple[techniques.Variant, ...]
    rows: tuple[ProblemCounts, ...]
    problems: int
    files: tuple[CollectionFile, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every variant reached an answer on every problem."""
        return sum(row.is_complete for row in self.rows) == self.problems

    @property
    def is_contradictory(self) -> bool:
        """Whether there is any contradiction."""
        return any(self.contradictions())

    def parts(self) -> Iterator[tuple[str, CollectionCounts]]:
        """Yield the name and the counts of each file."""
        first = 0
        for file in self.files:
            end = first + file.problems
            rows, problems = self.rows[first:end], file.problems
            part = replace(self, rows=rows, problems=problems, files=(file,))
            yield file.name, part
            first = end

    def totals(self) -> Iterator[Total]:
        """Yield the sums of each variant."""
        for index, variant in enumerate(self.variants):
            outcomes = [row.outcomes[index] for row in self.rows]
            pairs = [(row.outcomes[0], row.outcomes[index]) for row in self.rows]
            ratios = [
                ratio
                for first, own in pairs
                if proved_mate(own) is not None
                and proved_mate(own) == proved_mate(first)
                if (ratio := node_ratio(own.nodes, first.nodes)) is not None
            ]
            yield Total(
                variant,
                found=sum(proved_mate(own) is not None for own in outcomes),
                unproved=sum(
                    own.mate is not None and not own.proved for own in outcomes
                ),
                stopped=sum(not is_answered(own) for own in outcomes),
                differing=sum(
                    is_answered(first)
                    and is_answered(own)
                    and proved_mate(first) != proved_mate(own)
                    for first, own in pairs
                ),
                nodes_total=sum(own.nodes_total for own in outcomes),
                ratio=geometric_mean(ratios) if ratios else None,
                compared=len(ratios),
            )

    def contradictions(self) -> Iterator[ProblemCounts]:
        """Yield the problems whose claim and proved answers cannot all be right."""
        for row in self.rows:
            if techniques.contradict(self._bounds(row)):
                yield row

    def _bounds(self, row: ProblemCounts) -> Iterator[techniques.MateBounds]:
        if row.problem.claim:
            yield techniques.bounds_of_shortest(row.problem.claim.mate)
        if row.problem.no_mate:
            yield techniques.MateBounds(None, row.problem.no_mate, -1)
        for variant, outcome in zip(self.variants, row.outcomes, strict=True):
            if variant.techniques.is_sound:
                if outcome.mate is not None and outcome.settled:
                    yield techniques.bounds_of_shortest(outcome.mate)
                else:
                    depth = row.depth if outcome.complete else 0
                    seen = variant.techniques.plies_seen(depth)
                    yield techniques.bounds_when_seen(outcome.mate, seen)
            elif (mate := proved_mate(outcome)) is not None:
                yield techniques.bounds_when_seen(mate, -1)


def proved_mate(outcome: techniques.Outcome) -> int | None:
    """Return the mate of an outcome if it is proved, else None."""
    return outcome.mate if outcome.proved else None


def is_answered(outcome: techniques.Outcome) -> bool:
    """Whether the variant reached an answer before a limit stopped it."""
    return outcome.complete or (proved_mate(outcome) is not None and outcome.settled)


def node_ratio(nodes: int, base: int) -> float | None:
    """Return a ratio of nodes; None without nodes, as in a finished game."""
    return nodes / base if nodes and base else None


GLASS_FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""The position of Glass's counts, a mate in 8."""


@dataclass(frozen=True, slots=True)
class GlassRow:
    """One iteration of Glass.

    Attributes
    ----------
    depth : int
        In plies.
    score : int or str
        Centipawns, or `M8`: mate in 8 moves. The same with and without pruning.
    off, on : int
        Nodes without and with mate-distance pruning.
    """

    depth: int
    score: int | str
    off: int
    on: int


GLASS_ROWS = (
    GlassRow(1, 1041, 3, 3),
    GlassRow(2, 1041, 23, 23),
    GlassRow(3, 1051, 103, 103),
    GlassRow(4, 1051, 551, 551),
    GlassRow(5, 1055, 2151, 2151),
    GlassRow(6, 1051, 7638, 7638),
    GlassRow(7, 1055, 24353, 24353),
    GlassRow(8, 1065, 62692, 62692),
    GlassRow(9, 1065, 139241, 139241),
    GlassRow(10, 1085, 253338, 253338),
    GlassRow(11, 1085, 409101, 409101),
    GlassRow(12, 1105, 610285, 610285),
    GlassRow(13, 1105, 873959, 873959),
    GlassRow(14, 1105, 1417047, 1417047),
    GlassRow(15, 1105, 1907578, 1907578),
    GlassRow(16, "M8", 2846864, 2547293),
    GlassRow(17, "M8", 3715208, 2819164),
    GlassRow(18, "M8", 4842666, 3092833),
    GlassRow(19, "M8", 6181827, 3368068),
    GlassRow(20, "M8", 7774698, 3643489),
)
"""The published table."""


def glass_row(fen: str, depth: int) -> GlassRow | None:
    """Return Glass's counts for a position at a depth, None if there are none."""
    if fen != GLASS_FEN or not 1 <= depth <= len(GLASS_ROWS):
        return None
    return GLASS_ROWS[depth - 1]


# Records

ITERATION_COLUMNS = ("score", "nodes", "nodes_total", "settled", "proved")
OUTCOME_COLUMNS = ("mate", "nodes", "nodes_total", "settled", "proved", "complete")
GLASS_COLUMNS = ("score", "off", "on")
"""Columns of a CSV: for each variant of a position, of a collection, and for Glass."""

TOTAL_COLUMNS = tuple(field.name for field in fields(Total) if field.name != "variant")
"""The fields of a `Total`, of its record and of its row in a CSV."""


def position_record(counts: PositionCounts) -> dict[str, Any]:
    """Return the record of one position.

    Parameters
    ----------
    counts : PositionCounts

    Returns
    -------
    dict
        JSON values. A row holds the variants that completed its depth. A `score` is
        centipawns, or `M8`. `settled` (no shorter mate exists) and `proved` are None
        if the score is no mate.
    """
    return {
        "schema": solution.SCHEMA,
        "fen": counts.fen,
        "depth": counts.depth,
        "node_limit": counts.node_limit,
        "table_entries": counts.table_entries,
        "complete": counts.is_complete,
        "contradictory": counts.is_contradictory,
        "techniques": _techniques(series.variant for series in counts.series),
        "rows": [_row(counts, depth) for depth in counts.depths],
        "solver": __version__,
    }


def collection_record(
    counts: CollectionCounts, *, sums_only: bool = False
) -> dict[str, Any]:
    """Return the record of a collection.

    Parameters
    ----------
    counts : CollectionCounts
    sums_only : bool
        Leave out `problems`.

    Returns
    -------
    dict
        JSON values. A `mate` is in moves, negative when the side to move is mated, None
        if none was found. It is certain to exist only if `proved`.
    """
    problems = [_problem(counts, row) for row in counts.rows]
    return {
        "schema": solution.SCHEMA,
        "table_entries": counts.table_entries,
        "complete": counts.is_complete,
        "contradictory": counts.is_contradictory,
        "techniques": _techniques(counts.variants),
        **({} if sums_only else {"problems": problems}),
        "totals": _totals(counts),
        "files": [
            {"file": name, "problems": part.problems, "totals": _totals(part)}
            for name, part in counts.parts()
        ],
        "solver": __version__,
    }


def position_csv(counts: PositionCounts) -> str:
    """Write the rows of a position as CSV, with columns such as `off.nodes`."""
    names = [series.variant.name for series in counts.series]
    head = ["depth", *_columns(names, ITERATION_COLUMNS)]
    rows = [_row(counts, depth) for depth in counts.depths]
    if any("glass" in row for row in rows):
        head += _columns(["glass"], GLASS_COLUMNS)
    return _csv(head, rows)


def collection_csv(counts: CollectionCounts) -> str:
    """Write the rows of a collection as CSV, with columns such as `off.nodes`."""
    names = [variant.name for variant in counts.variants]
    columns = _columns(names, OUTCOME_COLUMNS)
    head = ["id", "fen", "claim", *columns, "same_answer", "source"]
    return _csv(head, (_problem(counts, row) for row in counts.rows))


def summary_csv(counts: CollectionCounts) -> str:
    """Write each variant's sums as CSV, over each file and over all files."""
    rows = (
        {"file": name, "variant": total.variant.name, **_total(total)}
        for name, part in [*counts.parts(), ("", counts)]
        for total in part.totals()
    )
    return _csv(["file", "variant", *TOTAL_COLUMNS], rows)


def _row(counts: PositionCounts, depth: int) -> dict[str, Any]:
    variants = {
        series.variant.name: _iteration(iteration)
        for series in counts.series
        if (iteration := series.at(depth))
    }
    row: dict[str, Any] = {"depth": depth, "variants": variants}
    if glass := glass_row(counts.fen, depth):
        row["glass"] = {name: getattr(glass, name) for name in GLASS_COLUMNS}
    return row


def _iteration(iteration: techniques.Iteration) -> dict[str, Any]:
    mated = techniques.is_mate(iteration.score)
    return {
        "score": techniques.score_value(iteration.score),
        "nodes": iteration.nodes,
        "nodes_total": iteration.nodes_total,
        "settled": iteration.settled if mated else None,
        "proved": iteration.proved if mated else None,
        "move": iteration.move,
    }


def _problem(counts: CollectionCounts, row: ProblemCounts) -> dict[str, Any]:
    problem = row.problem
    return {
        "id": problem.id,
        "fen": problem.fen,
        "claim": problem.claim.mate if problem.claim else None,
        "depth": row.depth,
        "variants": {
            variant.name: _outcome(outcome)
            for variant, outcome in zip(counts.variants, row.outcomes, strict=True)
        },
        "same_answer": row.same_answer,
        "source": problem.source,
    }


def _outcome(outcome: techniques.Outcome) -> dict[str, Any]:
    return {name: getattr(outcome, name) for name in OUTCOME_COLUMNS}


def _totals(counts: CollectionCounts) -> dict[str, Any]:
    return {total.variant.name: _total(total) for total in counts.totals()}


def _total(total: Total) -> dict[str, Any]:
    return {name: getattr(total, name) for name in TOTAL_COLUMNS}


def _techniques(variants: Iterable[techniques.Variant]) -> dict[str, Any]:
    """Return the settings of each variant, as the command line names them."""
    records: dict[str, object] = {}
    for variant in variants:
        chosen = variant.techniques
        settings: dict[str, object] = {**variant.choice._asdict()}
        if chosen.pruned_nodes:
            for name in ("null_reduction", "cuts", "tries"):
                settings[name] = getattr(chosen, name)
        if chosen.mip:
            settings["mip_positions"] = chosen.mip_positions
        settings["aspiration"] = chosen.aspiration
        settings |= techniques.conditions_of(chosen)
        records[variant.name] = {**settings, "sound": chosen.is_sound}
    return records


def _columns(names: Iterable[str], fields: Sequence[str]) -> list[str]:
    return [f"{name}.{field}" for name in names for field in fields]


def _csv(head: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Write fields of records as lines that end in a line feed.

    `off.nodes` is the field `nodes` of the variant `off`. Booleans are `true` and
    `false`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        groups = {**row.get("variants", {}), "glass": row.get("glass", {})}
        cells = row | {
            f"{name}.{field}": value
            for name, group in groups.items()
            for field, value in group.items()
        }
        values = (cells.get(column) for column in head)
        writer.writerow(
            str(value).lower() if isinstance(value, bool) else value for value in values
        )
    return text.getvalue()
