"""The horizon, the order of the root's moves and the kinds of nodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import chess
import pytest

from solver.kernel.border.scored_struct import Horizon, Mdp, RootOrder
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import NodeCount, Techniques, mate_distance
from tests.kernel.laboratory.counting import (
    EXTENDED,
    PLAIN,
    SOUND,
    agree,
    deepen,
    is_there,
    narrow_endings,
    shortest_mate,
)
from tests.oracles import minimax, walks
from tests.oracles.remembering import Oracle
from tests.oracles.scored import MATE, MATE_ZONE
from tests.sizes import sized

CONDITIONS = [
    replace(PLAIN, mdp=mdp, horizon=horizon, root_order=order, count=count)
    for mdp in (Mdp.OFF, Mdp.TIGHT)
    for horizon, order, count in product(Horizon, RootOrder, NodeCount)
]


def scores(board: chess.Board, techniques: Techniques, depth: int) -> list[int]:
    return [found.score for found in deepen(board, techniques, depth, entries=0)]


# The definition


@sized("every", 11, 1)
def test_each_condition_costs_what_the_definition_says(every: int) -> None:
    choices = (list(product(CONDITIONS, (True, False))) * 2)[::every]
    boards = walks.small_positions(len(choices), seed=61)
    agree(zip(boards, choices, strict=True), depth=4, budget=300)


@sized("count", 5, 20)
@pytest.mark.parametrize("order", [RootOrder.GENERATED, RootOrder.NODES])
def test_each_root_order_costs_what_the_definition_says_in_games(
    order: RootOrder, count: int
) -> None:
    """The positions have moves of all kinds."""
    techniques = replace(PLAIN, root_order=order)
    questions = (
        (board, (techniques, table))
        for board, table in product(
            walks.random_positions(count, seed=62), (True, False)
        )
    )
    agree(questions, depth=3, budget=100)
    endings = ((board, (techniques, True)) for board in narrow_endings(count, seed=62))
    agree(endings, depth=6, budget=1000)


# The horizon


@pytest.mark.parametrize("horizon", Horizon)
def test_scores_are_those_of_minimax(horizon: Horizon) -> None:
    for board in walks.small_positions(20, 63):
        depth = 2 if chess.popcount(board.occupied) < 6 else 1
        expected = [
            minimax.score(board, plies, horizon=horizon)
            for plies in range(1, depth + 1)
        ]
        techniques = replace(PLAIN, horizon=horizon)
        assert scores(board, techniques, depth) == expected, board.fen()


@sized("count", 80, 150)
def test_a_mate_test_at_the_horizon_sees_mates_at_the_depth_of_their_ply(
    count: int,
) -> None:
    seen: Counter[int] = Counter()
    techniques = replace(PLAIN, horizon=Horizon.MATE)
    for board in walks.small_positions(count, seed=48):
        mate = shortest_mate(board)
        if mate is not None:
            plies = 2 * mate - 1 if mate > 0 else -2 * mate
            *before, last = scores(board, techniques, max(plies, 1))
            assert last == (MATE - plies if mate > 0 else plies - MATE), board.fen()
            assert all(abs(score) < MATE_ZONE for score in before), board.fen()
            seen[mate] += 1
    assert min(seen[mate] for mate in (1, 2, 0, -1, -2)) > count // 100, seen


@sized("count", 8, 25)
@pytest.mark.parametrize("horizon", [Horizon.MATE, Horizon.QUIESCENCE])
def test_mates_seen_at_the_horizon_exist_and_are_the_shortest_once_deep_enough(
    horizon: Horizon, count: int
) -> None:
    mates = 0
    for board in walks.small_positions(count, seed=65):
        oracle, shortest = Oracle(), shortest_mate(board)
        for techniques in (*SOUND, *EXTENDED):
            there = replace(techniques, horizon=horizon)
            for depth, score in enumerate(scores(board, there, 4), 1):
                mate = mate_distance(score)
                where = f"{board.fen()}: {there}, depth {depth}"
                plies = 0 if shortest is None else abs(2 * shortest) - (shortest > 0)
                if shortest is not None and depth >= plies:
                    assert mate == shortest, where
                elif mate is not None:
                    assert shortest is None or abs(mate) >= abs(shortest), where
                    assert is_there(oracle, board, mate), where
                mates += mate is not None
    assert mates > 4 * count


@pytest.mark.parametrize(("horizon", "first"), [(Horizon.STATIC, 2), (Horizon.MATE, 1)])
def test_a_mate_is_proved_shortest_one_ply_earlier_with_a_mate_test(
    horizon: Horizon, first: int
) -> None:
    mate_in_one = chess.Board("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    rows = Laboratory().deepen(mate_in_one, replace(PLAIN, horizon=horizon), 3)
    assert [row.settled for row in rows] == [depth >= first for depth in (1, 2, 3)]


@pytest.mark.parametrize(("horizon", "depth"), [(Horizon.STATIC, 4), (Horizon.MATE, 3)])
def test_a_shorter_mate_is_excluded_one_ply_earlier_with_a_mate_test(
    horizon: Horizon, depth: int
) -> None:
    """The check extension sees Qg8+ Rxg8, Nf7 mate at depth 2 or less."""
    smothered = chess.Board("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1")
    laboratory, techniques = Laboratory(), replace(PLAIN, horizon=horizon)
    iterations = laboratory.deepen(smothered, techniques, 6)
    outcome = laboratory.find_mate(iterations, techniques, 6)
    assert (outcome.mate, outcome.settled) == (2, True)
    rows = list(Laboratory().deepen(smothered, replace(PLAIN, horizon=horizon), 6))
    assert [row.depth for row in rows if row.settled] == list(range(depth, 7))
    assert outcome.nodes_total == rows[depth - 1].nodes_total


HANGING = "4k3/3p4/2p5/8/8/8/2Q5/4K3 w - - 0 1"


def test_the_quiescence_search_sees_that_a_guarded_pawn_costs_the_queen() -> None:
    """At depth 1 the static search takes the pawn on c6."""
    board = chess.Board(HANGING)
    moves = {}
    for horizon in Horizon:
        (found,) = deepen(board, replace(PLAIN, horizon=horizon), 1)
        moves[horizon] = found.move
    assert moves[Horizon.STATIC] == moves[Horizon.MATE] == "c2c6"
    assert moves[Horizon.QUIESCENCE] != "c2c6"


STALEMATING = "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"


@pytest.mark.parametrize("horizon", Horizon)
def test_stalemate_at_the_horizon_has_the_evaluation(horizon: Horizon) -> None:
    """The position after Qc7 is searched to depth 0 for its side to move."""
    board = chess.Board(STALEMATING)
    board.push_uci("c1c7")
    assert board.is_stalemate()
    after = minimax.evaluate(board)
    assert minimax.score(board, 0, horizon=horizon) == after < -900
    board.pop()
    (found,) = deepen(board, replace(PLAIN, horizon=horizon), 1)
    assert found.score >= -after


def test_a_limit_stops_the_quiescence_search() -> None:
    """It is tested where moves are made, as in the search above the horizon."""
    board = chess.Board(
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    )
    techniques = replace(PLAIN, horizon=Horizon.QUIESCENCE)
    whole = deepen(board, techniques, 1)[0].nodes_total
    assert whole > 1000
    laboratory = Laboratory()
    assert list(laboratory.deepen(board, techniques, 1, nodes=whole // 2)) == []
    beyond = laboratory.search.nodes - whole // 2
    assert 0 <= beyond < 218, "leaves are not stopped, but no further position is"
    assert len(list(laboratory.deepen(board, techniques, 1, nodes=whole + 1))) == 1


# Kinds of nodes


def test_limits_count_moves_whatever_a_node_is() -> None:
    board = chess.Board(HANGING)
    depths = [
        len(list(Laboratory().deepen(board, replace(PLAIN, count=count), 9, nodes=999)))
        for count in NodeCount
    ]
    assert len(set(depths)) == 1


def test_calls_are_moves_roots_and_second_searches() -> None:
    """A search in the full window has one root per iteration."""
    for board in walks.small_positions(20, seed=66):
        moves, calls, interior, again = (
            deepen(board, replace(PLAIN, count=count), 4)[-1].nodes_total
            for count in NodeCount
        )
        assert moves + 4 + again == calls
        assert interior <= calls


def test_each_search_of_the_root_is_a_call() -> None:
    mated = chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")
    rows = deepen(mated, replace(PLAIN, count=NodeCount.CALLS), 3)
    assert [(row.nodes, row.nodes_total) for row in rows] == [(0, 1), (1, 2), (2, 3)]
