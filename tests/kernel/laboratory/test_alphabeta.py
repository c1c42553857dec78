"""The scored search agrees with its definition and with minimax."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, c_int64
from dataclasses import replace
from itertools import chain, combinations_with_replacement, islice, product
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.scored_struct import (
    INFINITE_SCORE,
    MATE_SCORE,
    MATE_ZONE,
    MATERIAL_CELLS,
    Experiment,
    Extension,
    Horizon,
    Mdp,
    PrunedNodes,
    RootOrder,
)
from solver.kernel.border.search_struct import MAX_PLIES, PositionStruct, Search
from solver.kernel.build.jit import native
from solver.kernel.build.words import i64, pointer, u64
from solver.kernel.laboratory import evaluation
from solver.kernel.laboratory.evaluation import count_pieces
from solver.kernel.rules.bitboards import position_at
from solver.laboratory.imbalance import (
    CELLS,
    ImbalanceTable,
    Material,
    find_material_cell,
    material_of,
    parse_material,
)
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import (
    ADDITIONS,
    MAX_DEPTH,
    NodeCount,
    Techniques,
    parse_mip,
    parse_variant,
)
from tests.kernel import linked
from tests.kernel.laboratory.counting import (
    ENTRIES,
    EXTENDED,
    PLAIN,
    SOUND,
    agree,
    deepen,
    deepen_in,
    defined,
    mixtures,
    narrow_endings,
)
from tests.laboratory.test_imbalance_file import counts_of, file_of
from tests.oracles import minimax, special, walks
from tests.oracles.scored import Counts, ScoredSearch
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.kernel.border.interface import Kernel


CONDITIONS = [
    replace(PLAIN, mdp=mdp, horizon=horizon, root_order=order, count=count)
    for mdp in (Mdp.OFF, Mdp.TIGHT)
    for horizon, order, count in product(Horizon, RootOrder, NodeCount)
]

# The definition


@sized("rounds", 1, 3)
def test_each_technique_costs_what_the_definition_says(rounds: int) -> None:
    """Extensions, horizons, orders and counts; additions in endings of few moves."""
    choices = list(product(EXTENDED, (True, False))) * rounds
    choices += list(product(CONDITIONS, (True, False)))[:: 9 // rounds]
    boards = walks.small_positions(len(choices), seed=42)
    agree(zip(boards, choices, strict=True), depth=4, budget=300)
    bounds = product(SOUND, (True, False))
    agree(product(special.all_kinds(rounds, seed=41), bounds), depth=4, budget=60)

    subsets = [
        frozenset(chain.from_iterable(pair))
        for pair in product(((), (1,)), ((), (2,)), ((), (3,)), ((), (4,)))
    ]
    pruned = (PrunedNodes.CUT, PrunedNodes.ALL, PrunedNodes.CUT_AND_ALL)
    additions = list(product(subsets, pruned, (True, False))) * rounds
    random = Random(42)
    for board, (added, nodes, table) in zip(
        narrow_endings(len(additions), seed=42), additions, strict=True
    ):
        techniques = replace(
            PLAIN,
            pruned_nodes=nodes,
            additions=added,
            null_reduction=random.choice((0, 1, 1, 2)),
            cuts=random.choice((0, 1, 2)),
            tries=random.choice((2, 4)),
        )
        agree([(board, (techniques, table))], depth=5, budget=200)


@pytest.mark.parametrize(
    ("count", "first", "depth", "budget"),
    [
        (5, 0, 4, 300),
        *(
            pytest.param(1500, first, 5, 2000, marks=pytest.mark.slow)
            for first in range(0, 1500, 100)
        ),
    ],
)
def test_any_mixture_costs_what_the_definition_says(
    count: int, first: int, depth: int, budget: int
) -> None:
    for boards, deeper in (
        (walks.small_positions(count, seed=44), 0),
        (narrow_endings(count, seed=44), 1),
        (walks.random_positions(count, seed=44), -1),
    ):
        questions = zip(boards, mixtures(seed=44), strict=False)
        agree(islice(questions, first, first + 100), depth + deeper, budget)


# Minimax


def scores(
    board: chess.Board, techniques: Techniques, depth: int, entries: int = 0
) -> list[int]:
    return [iteration.score for iteration in deepen(board, techniques, depth, entries)]


@pytest.mark.parametrize("horizon", Horizon)
def test_scores_are_those_of_minimax_with_any_bounds_and_windows(
    horizon: Horizon,
) -> None:
    mates = 0
    for board in (*walks.small_positions(20, 46), *walks.random_positions(4, 46)):
        is_small = chess.popcount(board.occupied) < 6
        depth = 2 if is_small else 1
        deep = 4 if is_small else 2
        expected = [
            minimax.score(board, plies, horizon=horizon)
            for plies in range(1, depth + 1)
        ]
        plain = scores(board, replace(PLAIN, horizon=horizon), deep)
        for techniques, aspiration in product(SOUND, (0, 10)):
            there = replace(techniques, horizon=horizon, aspiration=aspiration)
            found = scores(board, there, deep)
            assert found == plain, f"{board.fen()}: {there}"
            assert found[:depth] == expected, f"{board.fen()}: {there}"
        mates += abs(plain[-1]) > MATE_ZONE
    assert mates > 3


def test_a_limit_counts_moves_and_stops_the_quiescence_search() -> None:
    """It is tested where moves are made, as in the search above the horizon."""
    board = chess.Board(walks.STARTS[1])
    techniques = replace(PLAIN, horizon=Horizon.QUIESCENCE)
    whole = deepen(board, techniques, 1)[0].nodes_total
    assert whole > 1000
    for count in NodeCount:
        laboratory, there = Laboratory(), replace(techniques, count=count)
        assert list(laboratory.deepen(board, there, 1, nodes=whole // 2)) == []
        beyond = laboratory.search.nodes - whole // 2
        assert 0 <= beyond < 218, "leaves are not stopped, but no further position is"
        assert len(list(laboratory.deepen(board, there, 1, nodes=whole + 1))) == 1


# Check extensions


UNCAPPED = replace(PLAIN, extension=Extension.CHECKS | Extension.UNCAPPED)

CHECKS = [
    # Bishops and rooks answer checks with checks.
    "8/8/8/8/b1Kp4/k4R2/8/8 b - - 0 1",
    "3k4/1R6/7b/K7/8/8/8/3R4 b - - 0 1",
    "8/8/5k2/8/3K4/8/rB6/8 b - - 0 1",
    # Promotions that check, answered by others.
    "8/4Pp2/8/8/4k3/7K/b7/8 w - - 0 1",
    # A queen gives perpetual check.
    "6k1/5p1p/5Q2/8/8/8/q1r5/7K w - - 0 1",
    "7k/Q1R5/8/8/8/5q2/5P1P/6K1 b - - 0 1",
]


@pytest.mark.parametrize("extension", EXTENDED)
def test_checks_that_answer_checks_cost_what_the_definition_says(
    extension: Techniques,
) -> None:
    """Capped, no line is longer than twice the depth."""
    for fen in CHECKS:
        board, search = chess.Board(fen), ScoredSearch(extension)
        expected = []
        for depth, found in enumerate(search.deepen(board, 4), 1):
            is_capped = Extension.UNCAPPED not in extension.extension
            assert search.longest <= 2 * depth or not is_capped
            expected.append(found)
            if found.nodes_total > 300:
                break
        assert deepen(board, extension, len(expected)) == expected


@pytest.mark.parametrize("horizon", Horizon)
def test_no_line_is_longer_than_the_rows(
    laboratory_kernel: Kernel, horizon: Horizon
) -> None:
    """A search as deep as there are rows extends no check, and scores mates as mates.

    Killers lie after the rows and counters after the killers. A move that were written
    to a row too many would have its worth above its 17 bits. The scored search does not
    use the counters.
    """
    for fen in CHECKS:
        experiment = Experiment(
            alpha=-INFINITE_SCORE,
            beta=INFINITE_SCORE,
            depth=MAX_PLIES - 1,
            extension=UNCAPPED.extension.value,
            horizon=horizon,
        )
        search, position = Search(node_limit=30_000), pack_board(chess.Board(fen))
        assert not laboratory_kernel.search_score(position, search, experiment)
        assert search.rows[MAX_PLIES - 2][0], "the search was not deep enough"
        killers = [move for ply in search.killers for move in ply]
        assert max(killers) < 1 << 17
        assert not any(bytes(search.counters))
    assert 2 * MAX_DEPTH < MAX_PLIES
    assert MATE_SCORE - 2 * MAX_PLIES > MATE_ZONE, "a table's mate, from the last ply"


# The four additions of Enhanced Forward Pruning

PRUNED = replace(parse_variant("efp=on").techniques, aspiration=0, cuts=0)
NULL_MOVE_ONLY = replace(PRUNED, null_reduction=1)
NOTHING_PRUNED = replace(PRUNED, null_reduction=0)


# By addition: a position, the depth at which it shows, techniques, whether there is a
# table, and the nodes of all iterations with the addition and without it.
SEEN = {
    1: ("n7/8/8/8/8/K7/8/k7 b - - 0 1", 4, NULL_MOVE_ONLY, False, (140, 138)),
    2: ("8/6K1/8/7k/8/1P6/8/8 b - - 0 1", 3, NOTHING_PRUNED, False, (175, 169)),
    3: ("5k1K/8/8/6P1/8/8/8/8 w - - 0 1", 2, NOTHING_PRUNED, True, (12, 11)),
    4: ("8/8/1p6/k7/8/3K4/8/8 b - - 0 1", 4, NOTHING_PRUNED, True, (257, 249)),
}


@pytest.mark.parametrize("addition", ADDITIONS)
def test_each_addition_costs_what_was_counted(addition: int) -> None:
    fen, depth, techniques, table, counted = SEEN[addition]
    others = replace(techniques, additions=ADDITIONS - {addition})
    for each, nodes in zip((techniques, others), counted, strict=True):
        board = chess.Board(fen)
        found = deepen(board, each, depth, ENTRIES if table else 0)
        assert found == list(ScoredSearch(each, table=table).deepen(board, depth))
        assert found[-1].nodes_total == nodes


# The material table: its cells in the kernel, and what each use and form costs


WITH_MATERIAL = Techniques(aspiration=0, mip_positions=20)
USES = ("reduce", "prune", "lazy", "correct", "prune+lazy", "reduce+correct")
FORMS = ("", "+white", "+rounded", "+curve", "+white+rounded", "+curve+white")
VALUES = [use + form for use in USES for form in FORMS]

MOST_PIECES = 4
"""Pieces besides the kings in the boards below."""


def random_counts(seed: int) -> dict[str, Counts]:
    """Count games with each material of a few pieces, independently for each colour.

    Some materials are unknown, and many scores are decided or nearly so: with 300
    positions and more, one draw is less than half a per cent.
    """
    random = Random(seed)
    counts = {}
    for number in range(MOST_PIECES + 1):
        for letters in combinations_with_replacement("QRBNPqrbnp", number):
            white = "".join(letter for letter in letters if letter.isupper())
            black = "".join(letter for letter in letters if letter.islower())
            name = f"K{white}vK{black.upper()}"
            many = random.choice((1, 19, 20, 300, 9_000, 200_000))
            any_of_them = random.randrange(many), many // 3, random.randrange(many)
            decided = (many, 0, 0), (0, 0, many), (many, 1, 0), (0, 1, many)
            chosen = random.choice((*decided, any_of_them, (0, 0, 0)))
            counts[name] = Counts(*chosen)
    return counts


def table_of(counts: dict[str, Counts]) -> ImbalanceTable:
    cells = {}
    for name, found in counts.items():
        cell = find_material_cell(parse_material(name))
        if cell is not None:
            cells[cell] = (found.won, found.drawn, found.lost)
    return ImbalanceTable.from_bytes(file_of(counts=counts_of(cells)))


# Cells


@native(i64(pointer(u64)))
def cell_of(words: Any) -> Any:
    """Return the cell of a position as the side to move sees it; -1 if none."""
    position = position_at(words)
    ours = count_pieces(position, position.us)
    return evaluation.find_cell(ours, count_pieces(position, position.them))


kernel_cell = CFUNCTYPE(c_int64, POINTER(PositionStruct))(linked(cell_of))


def with_pieces(material: Material) -> PositionStruct:
    """Return a position with these pieces anywhere; only their numbers matter."""
    queens, rooks, bishops, knights, pawns = range(5)
    free = iter(range(64))

    def place(pieces: int) -> int:
        return sum(1 << next(free) for _ in range(pieces))

    sides = [
        [place(pieces) for pieces in side] for side in (material.white, material.black)
    ]
    boards = [sum(both) for both in zip(*sides, strict=True)]
    kings = [place(1), place(1)]
    return PositionStruct(
        pawns=boards[pawns],
        knights=boards[knights],
        diagonal=boards[bishops] | boards[queens],
        orthogonal=boards[rooks] | boards[queens],
        kings=sum(kings),
        us=sum(sides[0]) | kings[0],
        them=sum(sides[1]) | kings[1],
    )


@sized("every", 23, 1)
def test_kernel_and_table_agree_on_every_cell(every: int) -> None:
    assert CELLS == MATERIAL_CELLS
    for cell in range(0, CELLS, every):
        assert kernel_cell(with_pieces(material_of(cell))) == cell
    for pieces in (
        *(Material(white_queens=2), Material(black_queens=2), Material(white_rooks=3)),
        *(Material(black_bishops=3), Material(white_knights=3)),
    ):
        assert kernel_cell(with_pieces(pieces)) == -1
        assert find_material_cell(pieces) is None


# Uses and forms

COUNTS = random_counts(61)


@pytest.fixture(scope="module")
def laboratories(laboratory_kernel: object) -> dict[bool, Laboratory]:
    """A laboratory with a transposition table, and one without."""
    assert laboratory_kernel
    table = table_of(COUNTS)
    return {True: Laboratory(ENTRIES, table), False: Laboratory(0, table)}


def agree_on_material(
    laboratories: dict[bool, Laboratory],
    boards: Iterable[chess.Board],
    choices: Iterable[tuple[Techniques, bool]],
    budget: int,
) -> None:
    """Require the oracle's scores, moves and counts, for a root of either colour."""
    for board, (techniques, table) in zip(boards, choices, strict=False):
        for root in (board, board.mirror()):
            expected = [
                *defined(root, techniques, 5, budget, table=table, counts=COUNTS)
            ]
            found = deepen_in(laboratories[table], root, techniques, len(expected))
            assert found == expected, f"{root.fen()}: {techniques}, table: {table}"


def material_mixtures(seed: int) -> Iterator[tuple[Techniques, bool]]:
    """Yield each value of `--mip` again and again, with other techniques."""
    random = Random(seed)
    while True:
        for value in VALUES:
            techniques = replace(
                WITH_MATERIAL,
                mdp=random.choice(list(Mdp)),
                extension=random.choice([Extension.NONE, Extension.CHECKS]),
                null_reduction=1,
                mip=parse_mip(value),
            )
            if random.random() < 0.5:
                techniques = replace(
                    techniques,
                    pruned_nodes=PrunedNodes.CUT_AND_ALL,
                    additions=ADDITIONS,
                )
            yield techniques, random.random() < 0.7


@sized("every", 7, 1)
def test_each_use_and_form_costs_what_the_definition_says(
    laboratories: dict[bool, Laboratory], every: int
) -> None:
    choices = [
        (replace(WITH_MATERIAL, mip=parse_mip(value)), table)
        for value in VALUES
        for table in (True, False)
    ][::every]
    boards = walks.small_positions(len(choices), seed=62)
    agree_on_material(laboratories, boards, choices, budget=200)


@pytest.mark.parametrize(
    ("count", "budget"), [(12, 200), pytest.param(360, 3_000, marks=pytest.mark.slow)]
)
def test_uses_and_forms_in_any_mixture_cost_what_the_definition_says(
    laboratories: dict[bool, Laboratory], count: int, budget: int
) -> None:
    agree_on_material(
        laboratories,
        walks.small_positions(count, seed=63),
        material_mixtures(63),
        budget,
    )


@pytest.mark.parametrize(
    "fen", ["8/k7/8/q7/Q7/8/8/K7 w - - 0 1", "8/4q3/8/k7/8/K7/4Q3/8 w - - 0 1"]
)
def test_whites_view_has_two_scores_for_a_position_and_its_mirror_image(
    laboratories: dict[bool, Laboratory], fen: str
) -> None:
    """Either queen takes the other, so the positions below mirror each other.

    The transposition table must not answer for one of them from the other.
    """
    choices = [(replace(WITH_MATERIAL, mip=parse_mip("lazy+white")), True)]
    agree_on_material(laboratories, [chess.Board(fen)], choices, budget=10_000)
