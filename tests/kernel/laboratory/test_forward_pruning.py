"""Each of the four additions of Enhanced Forward Pruning where it can be seen.

The positions were found at random and traced with the oracle. All scores below
are for the side to move at the node in question.
"""

from __future__ import annotations

from dataclasses import replace

import chess

from solver.laboratory.techniques import ADDITIONS, Techniques, parse_variant
from tests.kernel.laboratory.counting import ENTRIES, deepen
from tests.oracles import minimax, walks
from tests.oracles.scored import Iteration, ScoredSearch

PRUNED = replace(parse_variant("efp=on").techniques, aspiration=0, cuts=0)
NULL_MOVE_ONLY = replace(PRUNED, null_reduction=1)
NOTHING_PRUNED = replace(PRUNED, null_reduction=0)


def last_iteration(
    fen: str, depth: int, techniques: Techniques, *, table: bool
) -> Iteration:
    """Return the last iteration, which must be the same for search and oracle."""
    board = chess.Board(fen)
    found = deepen(board, techniques, depth, ENTRIES if table else 0)
    assert found == list(ScoredSearch(techniques, table=table).deepen(board, depth))
    return found[-1]


def without(addition: int, techniques: Techniques) -> Techniques:
    return replace(techniques, additions=ADDITIONS - {addition})


def test_first_addition_searches_again_after_a_pruned_score() -> None:
    """Kb1 scores 374. Nb6, really worth 370, is tried with the window (374, 375).

    The nodes after White's replies are all nodes, where null moves score 380 and 394.
    With the addition both return 375, their beta, so Nb6 seems to be worth 375 and is
    searched again from 374, where it fails low. Without the addition the new search
    begins at 380 and fails low with 376, so Nb6 becomes the best move.
    """
    fen, depth = "n7/8/8/8/8/K7/8/k7 b - - 0 1", 4
    found = last_iteration(fen, depth, NULL_MOVE_ONLY, table=False)
    assert found == Iteration(374, "a1b1", 88, 140)
    found = last_iteration(fen, depth, without(1, NULL_MOVE_ONLY), table=False)
    assert found == Iteration(376, "a8b6", 112, 138)
    assert minimax.score(chess.Board(fen), depth) == 374


def test_second_addition_searches_again_when_the_window_is_closed() -> None:
    """Kg5 is searched again on the principal variation, where White's beta is 157.

    b4 scores 156, which closes the window to (156, 157). Kf7 then scores 157 in its
    null window, which would be a cutoff. With the addition, Kf7 is searched again as a
    PV node, which costs one node for each of Black's six replies.
    """
    fen = "8/6K1/8/7k/8/1P6/8/8 b - - 0 1"
    found = last_iteration(fen, 3, NOTHING_PRUNED, table=False)
    assert found == Iteration(-157, "h5g5", 175, 175)
    found = last_iteration(fen, 3, without(2, NOTHING_PRUNED), table=False)
    assert found == Iteration(-157, "h5g5", 169, 169)


def test_second_addition_works_without_the_others() -> None:
    fen = "8/6K1/8/7k/8/1P6/8/8 b - - 0 1"
    none = replace(NOTHING_PRUNED, additions=frozenset())
    found = last_iteration(fen, 3, none, table=False)
    assert found == Iteration(-157, "h5g5", 162, 162)
    found = last_iteration(fen, 3, replace(none, additions=frozenset({2})), table=False)
    assert found == Iteration(-157, "h5g5", 168, 168)


def test_third_addition_searches_again_from_alpha() -> None:
    """g6 scores 172, and Kh7 scores 173 in the null window.

    Black's second of three replies to Kh7 gives 173. A new search from 173 stops there.
    With the addition it begins at 172, nothing is cut off, and the third reply costs
    one more node.
    """
    fen = "5k1K/8/8/6P1/8/8/8/8 w - - 0 1"
    found = last_iteration(fen, 2, NOTHING_PRUNED, table=True)
    assert found == Iteration(173, "h8h7", 12, 12)
    found = last_iteration(fen, 2, without(3, NOTHING_PRUNED), table=True)
    assert found == Iteration(173, "h8h7", 11, 11)


def test_fourth_addition_does_not_store_a_cut_node_that_fails_low_with_alpha() -> None:
    """Kings on e4 and b5 and the pawn on b6 are reached by two orders of moves.

    Both times the position is a cut node of the same depth with the window (-147,
    -146). The first time all eight moves of White fail low, the best with exactly -147.
    The second time the table would answer. With the addition it has no entry, and the
    eight moves are searched again.
    """
    fen = "8/8/1p6/k7/8/3K4/8/8 b - - 0 1"
    found = last_iteration(fen, 4, NOTHING_PRUNED, table=True)
    assert found == Iteration(146, "a5b4", 172, 257)
    found = last_iteration(fen, 4, without(4, NOTHING_PRUNED), table=True)
    assert found == Iteration(146, "a5b4", 172, 249)


def test_additions_change_no_score_where_nothing_is_pruned() -> None:
    plain = Techniques(aspiration=0)
    added = NOTHING_PRUNED
    differing = 0
    for board in walks.small_positions(60, seed=54):
        expected, found = (deepen(board, each, 4, entries=0) for each in (plain, added))
        assert [iteration.score for iteration in found] == [
            iteration.score for iteration in expected
        ], board.fen()
        differing += found != expected
    assert differing > 0
