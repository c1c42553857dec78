"""The scored search agrees with its definition, with minimax and with itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, islice, pairwise, product
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.kernel.border.scored_struct import Mdp, PrunedNodes
from solver.laboratory.techniques import mate_distance
from tests.kernel.laboratory.counting import (
    ENTRIES,
    EXTENDED,
    PLAIN,
    SOUND,
    agree,
    deepen,
    is_there,
    mixtures,
    narrow_endings,
    shortest_mate,
)
from tests.oracles import minimax, remembering, walks
from tests.oracles.scored import MATE, MATE_ZONE
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.laboratory.techniques import Techniques

SPECIAL = [
    # Promotions, with captures and without.
    "1n2k3/P1P5/8/8/8/8/8/4K3 w - - 0 1",
    "8/5P1k/8/6K1/8/8/p7/8 w - - 0 1",
    "8/8/8/8/8/5k2/p1p5/1N3K2 b - - 0 1",
    # En passant by either colour, and prevented by a pin.
    "8/8/8/k2pP3/8/8/8/K7 w - d6 0 1",
    "8/8/3k4/8/3Pp3/8/6K1/8 b - d3 0 1",
    "8/8/8/K2pP2r/8/8/k7/8 w - d6 0 1",
    # Castling on either wing, rights that a capture takes away, castling with check.
    "4k3/8/8/8/8/8/P7/R3K2R w KQ - 0 1",
    "r3k2r/8/8/8/8/8/8/4K2Q b kq - 0 1",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    # Checks from both sides, double check.
    "8/8/8/8/b1Kp4/k4R2/8/8 b - - 0 1",
    "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1",
    # No legal moves: mate and stalemate. A stalemate in one.
    "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",
    "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1",
    "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1",
    # Short mates, for either side to move.
    "k7/8/1K6/8/8/8/8/7R w - - 0 1",
    "1k6/8/1K6/8/8/8/8/7R b - - 0 1",
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
    "8/8/8/8/8/1k6/7r/K7 w - - 0 1",
]


def scores(
    board: chess.Board, techniques: Techniques, depth: int, entries: int
) -> list[int]:
    return [iteration.score for iteration in deepen(board, techniques, depth, entries)]


# The definition


@sized("every", 20, 1)
def test_special_moves_and_endings_cost_what_the_definition_says(every: int) -> None:
    boards = [chess.Board(fen) for fen in SPECIAL[::every]]
    agree(product(boards, product(SOUND, (True, False))), depth=4, budget=60)
    agree(zip(boards * 4, mixtures(seed=41), strict=False), depth=4, budget=200)


@sized("rounds", 1, 5)
def test_each_extension_costs_what_the_definition_says(rounds: int) -> None:
    choices = list(product(EXTENDED, (True, False))) * rounds
    boards = walks.small_positions(len(choices), seed=42)
    agree(zip(boards, choices, strict=True), depth=4, budget=400)


@sized("rounds", 1, 3)
def test_each_set_of_additions_costs_what_the_definition_says(rounds: int) -> None:
    """Endgames with few moves are searched deep enough for forward pruning."""
    subsets = [
        frozenset(chain.from_iterable(pair))
        for pair in product(((), (1,)), ((), (2,)), ((), (3,)), ((), (4,)))
    ]
    pruned = (PrunedNodes.CUT, PrunedNodes.ALL, PrunedNodes.CUT_AND_ALL)
    choices = list(product(subsets, pruned, (True, False))) * rounds
    random = Random(42)
    for board, (additions, nodes, table) in zip(
        narrow_endings(len(choices), seed=42), choices, strict=True
    ):
        techniques = replace(
            PLAIN,
            pruned_nodes=nodes,
            additions=additions,
            null_reduction=random.choice((0, 1, 1, 2)),
            cuts=random.choice((0, 1, 2)),
            tries=random.choice((2, 4)),
        )
        agree([(board, (techniques, table))], depth=5, budget=200)


@sized("count", 6, 25)
def test_any_mixture_costs_what_the_definition_says(count: int) -> None:
    boards = chain(
        walks.small_positions(2 * count, seed=43),
        walks.random_positions(count, seed=43),
    )
    agree(zip(boards, mixtures(seed=43), strict=False), depth=4, budget=300)


BLOCK = 100


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1500, BLOCK))
def test_many_mixtures_cost_what_the_definition_says(first: int) -> None:
    for boards, depth, budget in (
        (walks.small_positions(1500, seed=44), 5, 2000),
        (narrow_endings(1500, seed=44), 6, 2000),
        (walks.random_positions(1500, seed=44), 4, 1000),
    ):
        questions = zip(boards, mixtures(seed=44), strict=False)
        agree(islice(questions, first, first + BLOCK), depth, budget)


# Minimax and the definition of mate


def test_plain_scores_are_those_of_minimax() -> None:
    for board in (*walks.small_positions(30, 46), *walks.random_positions(10, 46)):
        depth = 3 if chess.popcount(board.occupied) < 6 else 2
        expected = [minimax.score(board, plies) for plies in range(1, depth + 1)]
        assert scores(board, PLAIN, depth, entries=0) == expected, board.fen()


def test_mate_distance_pruning_never_changes_a_score() -> None:
    mates = 0
    for board in walks.small_positions(60, seed=47):
        plain, *pruned = (scores(board, sound, 6, entries=0) for sound in SOUND)
        for techniques, found in zip(SOUND[1:], pruned, strict=True):
            assert found == plain, f"{board.fen()}: {techniques.mdp}"
        mates += abs(plain[-1]) > MATE_ZONE
    assert mates > 10


def depth_to_see(mate: int) -> int:
    """Return the depth that sees a mate: one ply more, without a horizon mate test."""
    return 2 * mate if mate > 0 else 1 - 2 * mate


@sized("count", 80, 150)
def test_mates_are_scored_by_ply_and_seen_one_ply_deeper(count: int) -> None:
    seen: Counter[int] = Counter()
    for board in walks.small_positions(count, seed=48):
        mate = shortest_mate(board)
        if mate is not None:
            depth = depth_to_see(mate)
            *before, last = scores(board, PLAIN, depth, entries=0)
            assert last == (MATE - depth + 1 if mate > 0 else -MATE + depth - 1)
            assert all(abs(score) < MATE_ZONE for score in before), board.fen()
            seen[mate] += 1
    assert min(seen[mate] for mate in (1, 2, 0, -1, -2)) > count // 100, seen


@sized("count", 10, 30)
@pytest.mark.parametrize("entries", [0, ENTRIES])
def test_mates_found_exist_and_are_the_shortest_once_deep_enough(
    entries: int, count: int
) -> None:
    seen_early = 0
    for board in walks.small_positions(count, seed=49):
        oracle, shortest = remembering.Oracle(), shortest_mate(board)
        for techniques in (*SOUND, *EXTENDED):
            for depth, score in enumerate(scores(board, techniques, 5, entries), 1):
                mate = mate_distance(score)
                where = f"{board.fen()}: {techniques}, depth {depth}"
                if shortest is not None and depth >= depth_to_see(shortest):
                    assert mate == shortest, where
                elif mate is not None:
                    assert shortest is None or abs(mate) >= abs(shortest), where
                    assert is_there(oracle, board, mate), where
                    seen_early += depth < depth_to_see(mate)
    assert seen_early > 10


# Symmetry


def test_the_other_colour_costs_the_same() -> None:
    boards = chain(
        walks.small_positions(80, seed=50), walks.random_positions(40, seed=50)
    )
    for board, (techniques, table) in zip(boards, mixtures(seed=50), strict=False):
        entries = ENTRIES if table else 0
        expected = [
            iteration._replace(move=mirrored(iteration.move))
            for iteration in deepen(board, techniques, 3, entries)
        ]
        assert deepen(board.mirror(), techniques, 3, entries) == expected, board.fen()


def mirrored(move: str) -> str:
    return move.translate(str.maketrans("12345678", "87654321"))


def test_left_and_right_score_the_same() -> None:
    for board in walks.small_positions(80, seed=51):
        flipped = board.transform(chess.flip_horizontal)
        expected = scores(board, PLAIN, 4, entries=0)
        assert scores(flipped, PLAIN, 4, entries=0) == expected, board.fen()


# Mate-distance pruning saves

MATE_IN_TWO = "8/8/8/8/8/2K5/7R/k7 w - - 0 1"


def test_forms_of_mate_distance_pruning_differ_once_a_mate_is_found() -> None:
    totals = {
        techniques.mdp: [
            found.nodes_total
            for found in deepen(chess.Board(MATE_IN_TWO), techniques, 9)
        ]
        for techniques in SOUND
    }
    for depth in (1, 2, 3):
        assert len({counts[depth - 1] for counts in totals.values()}) == 1
    last = {mdp: counts[-1] for mdp, counts in totals.items()}
    assert last[Mdp.TIGHT] < last[Mdp.LOWER] < last[Mdp.UPPER] < last[Mdp.OFF]
    assert last[Mdp.CPW] == last[Mdp.LOWER]


@pytest.mark.parametrize("mdp", [mdp for mdp in Mdp if mdp is not Mdp.OFF])
def test_once_a_mate_is_found_deeper_iterations_cost_the_same_with_it(mdp: Mdp) -> None:
    board = chess.Board(MATE_IN_TWO)
    totals = [found.nodes_total for found in deepen(board, replace(PLAIN, mdp=mdp), 9)]
    costs = [after - before for before, after in pairwise(totals[4:])]
    assert len(set(costs)) == 1


@pytest.mark.parametrize("mdp", [Mdp.UPPER, Mdp.LOWER])
def test_each_bound_alone_saves_and_both_save_more(mdp: Mdp) -> None:
    """Black is to be mated in two."""
    board = chess.Board("k7/8/2K5/8/8/8/7R/8 b - - 0 1")
    off, alone, both = (
        deepen(board, replace(PLAIN, mdp=form), 7, entries=0)[-1].nodes_total
        for form in (Mdp.OFF, mdp, Mdp.CPW)
    )
    assert both < alone < off


def test_the_form_of_vipermate_costs_what_the_usual_one_costs() -> None:
    """The test that ViperMate's form leaves out never matters.

    No score reaches a beta above an immediate mate. If alpha is at least the score of
    an immediate mate, it is equal to it; otherwise the parent would have been cut off.
    """
    for board in walks.small_positions(60, seed=52):
        usual, other = (
            deepen(board, replace(PLAIN, mdp=mdp), 5)
            for mdp in (Mdp.CPW, Mdp.VIPERMATE)
        )
        assert usual == other, board.fen()


# Aspiration


def test_narrow_windows_at_the_root_never_change_a_score() -> None:
    for board in walks.small_positions(60, seed=53):
        for techniques in SOUND:
            narrow = replace(techniques, aspiration=10)
            expected = scores(board, techniques, 4, entries=0)
            assert scores(board, narrow, 4, entries=0) == expected, board.fen()
