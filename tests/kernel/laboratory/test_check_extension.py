"""Check extensions: which lines end where, and which trees explode."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.scored_struct import (
    INFINITE_SCORE,
    MATE_SCORE,
    MATE_ZONE,
    Experiment,
    Extension,
    Horizon,
)
from solver.kernel.border.search_struct import MAX_PLIES, Search
from solver.laboratory.techniques import MAX_DEPTH
from tests.kernel.laboratory.counting import PLAIN, agree, deepen
from tests.oracles import walks
from tests.oracles.scored import ScoredSearch

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel

CAPPED = replace(PLAIN, extension=Extension.CHECKS)
UNCAPPED = replace(PLAIN, extension=Extension.CHECKS | Extension.UNCAPPED)

CROSS_CHECKS = [
    # Bishops and rooks answer checks with checks.
    "8/8/8/8/b1Kp4/k4R2/8/8 b - - 0 1",
    "3k4/1R6/7b/K7/8/8/8/3R4 b - - 0 1",
    "8/8/5k2/8/3K4/8/rB6/8 b - - 0 1",
    # Promotions that check, answered by others.
    "8/4Pp2/8/8/4k3/7K/b7/8 w - - 0 1",
]
PERPETUAL = [
    # A queen gives perpetual check.
    "6k1/5p1p/5Q2/8/8/8/q1r5/7K w - - 0 1",
    "7k/Q1R5/8/8/8/5q2/5P1P/6K1 b - - 0 1",
]


@pytest.mark.parametrize("fen", [*CROSS_CHECKS, *PERPETUAL])
def test_no_line_is_longer_than_twice_the_depth(fen: str) -> None:
    """The oracle has the same counts as the search and records its longest line."""
    extended = replace(PLAIN, extension=Extension.CHECKS | Extension.PROMOTIONS)
    board, search = chess.Board(fen), ScoredSearch(extended)
    expected = []
    for depth, iteration in enumerate(search.deepen(board, 3), 1):
        expected.append(iteration)
        assert search.longest <= 2 * depth
    assert deepen(board, extended, 3) == expected


def test_a_check_that_answers_an_extended_one_costs_depth_at_the_limit() -> None:
    """Counted by hand.

    At depth 1, Black is in check and has Kb2, Ka2, d3 and Bb3+. Only Bb3+ is extended.
    White's first reply Rxb3+ is enough. It gives check too, but its ply is twice the
    depth, so Black's two replies to it are not searched.
    """
    board = chess.Board(CROSS_CHECKS[0])
    (iteration,) = deepen(board, replace(PLAIN, extension=Extension.CHECKS), 1)
    assert iteration.nodes_total == 5


@pytest.mark.parametrize("fen", [*CROSS_CHECKS, *PERPETUAL])
def test_perpetual_check_ends(fen: str) -> None:
    extended = replace(PLAIN, extension=Extension.CHECKS | Extension.PROMOTIONS)
    assert len(deepen(chess.Board(fen), extended, 6)) == 6


# Without a cap


@pytest.mark.parametrize("fen", [*CROSS_CHECKS, *PERPETUAL])
def test_perpetual_check_ends_without_a_cap(fen: str) -> None:
    """Its replies are no checks, so they cost depth."""
    for extension in (Extension.CHECKS, Extension.CHECKS | Extension.PROMOTIONS):
        uncapped = replace(PLAIN, extension=extension | Extension.UNCAPPED)
        assert len(deepen(chess.Board(fen), uncapped, 5)) == 5


def has_one_bare_king(board: chess.Board) -> bool:
    return min(chess.popcount(side) for side in board.occupied_co) == 1


def test_where_one_side_cannot_check_the_cap_changes_nothing() -> None:
    boards = [b for b in walks.small_positions(60, seed=71) if has_one_bare_king(b)]
    extended = 0
    for board in boards:
        capped = deepen(board, CAPPED, 5)
        assert deepen(board, UNCAPPED, 5) == capped, board.fen()
        extended += capped != deepen(board, PLAIN, 5)
    assert extended > 10


CHECKS_ANSWER_CHECKS = "8/2R1Q3/1n6/1RK2k2/1n6/7N/2q5/3B2b1 w - - 0 1"
"""Both kings stand on open lines. Found by hill climbing over random positions."""


def test_a_tree_of_checks_that_answer_checks_explodes_without_a_cap() -> None:
    board = chess.Board(CHECKS_ANSWER_CHECKS)
    assert board.is_valid()
    plain, capped, uncapped = (
        deepen(board, techniques, 4)[-1].nodes_total
        for techniques in (PLAIN, CAPPED, UNCAPPED)
    )
    assert 100 * plain < 10 * capped < uncapped


def test_an_uncapped_line_is_longer_than_twice_the_depth() -> None:
    """The oracle has the same counts as the search and records its longest line."""
    board = chess.Board(CHECKS_ANSWER_CHECKS)
    searches = [ScoredSearch(techniques) for techniques in (CAPPED, UNCAPPED)]
    for techniques, search in zip((CAPPED, UNCAPPED), searches, strict=True):
        assert list(search.deepen(board, 2)) == deepen(board, techniques, 2)
    assert searches[0].longest <= 4 < searches[1].longest


def test_uncapped_extensions_cost_what_the_definition_says() -> None:
    boards = [chess.Board(fen) for fen in (*CROSS_CHECKS, *PERPETUAL)]
    promoting = replace(UNCAPPED, extension=UNCAPPED.extension | Extension.PROMOTIONS)
    for techniques in (UNCAPPED, promoting):
        for table in (True, False):
            agree([(board, (techniques, table)) for board in boards], 4, 300)


# The rows end every line


def test_mates_on_the_last_ply_are_scored_as_mates() -> None:
    assert 2 * MAX_DEPTH < MAX_PLIES
    assert MATE_SCORE - MAX_PLIES > MATE_ZONE
    assert MATE_SCORE - 2 * MAX_PLIES > MATE_ZONE, "a table's mate, from the last ply"


@pytest.mark.parametrize("horizon", Horizon)
@pytest.mark.parametrize("fen", [*CROSS_CHECKS, *PERPETUAL])
def test_no_line_is_longer_than_the_rows(
    laboratory_kernel: Kernel, fen: str, horizon: Horizon
) -> None:
    """A search as deep as there are rows extends no check.

    Killers lie after the rows and counters after the killers. A move that were written
    to a row too many would have its worth above its 17 bits. The scored search does not
    use the counters.
    """
    experiment = Experiment(
        alpha=-INFINITE_SCORE,
        beta=INFINITE_SCORE,
        depth=MAX_PLIES - 1,
        extension=UNCAPPED.extension.value,
        horizon=horizon,
    )
    search = Search(node_limit=30_000)
    assert not laboratory_kernel.search_score(
        pack_board(chess.Board(fen)), search, experiment
    )
    assert search.rows[MAX_PLIES - 2][0], "the search was not deep enough"
    killers = [move for ply in search.killers for move in ply]
    assert max(killers) < 1 << 17
    assert not any(bytes(search.counters))
