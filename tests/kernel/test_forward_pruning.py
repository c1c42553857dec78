"""Each of the four additions of Enhanced Forward Pruning where it can be seen.

The positions were found by chance and traced with the oracle. All scores told below
are for the side that moves at the node that they are told of.
"""

from __future__ import annotations

from dataclasses import replace

import chess

from solver.laboratory.techniques import ADDITIONS, ForwardPruning, Techniques
from tests.kernel.counting import ENTRIES, told
from tests.oracles import minimax, walks
from tests.oracles.scored import Iteration, ScoredSearch

NULL_MOVE_ONLY = ForwardPruning(null_reduction=1, cuts=0)
NOTHING_PRUNED = ForwardPruning(null_reduction=0, cuts=0)


def last_told(
    fen: str, depth: int, pruning: ForwardPruning, *, table: bool
) -> Iteration:
    """The last iteration, which the search and the oracle tell alike."""
    board, techniques = chess.Board(fen), Techniques(pruning=pruning, aspiration=0)
    found = told(board, techniques, depth, ENTRIES if table else 0)
    assert found == list(ScoredSearch(techniques, table=table).deepen(board, depth))
    return found[-1]


def without(addition: int, pruning: ForwardPruning) -> ForwardPruning:
    return replace(pruning, additions=ADDITIONS - {addition})


def test_first_addition_keeps_a_pruned_score_from_being_believed() -> None:
    """Kb1 is worth 374; then Nb6, really worth 370, is tried with the window 374, 375.

    White's replies are met by a null move, for they stand at all nodes, where passing
    scores 380 and 394. With the addition both tell 375, their beta; so Nb6 seems to be
    worth 375, is searched again from 374 on and falls short. Without it 380 is what the
    new search begins at; what falls short of that tells 376, and Nb6 is best.
    """
    fen, depth = "n7/8/8/8/8/K7/8/k7 b - - 0 1", 4
    found = last_told(fen, depth, NULL_MOVE_ONLY, table=False)
    assert found == Iteration(374, "a1b1", 88, 140)
    found = last_told(fen, depth, without(1, NULL_MOVE_ONLY), table=False)
    assert found == Iteration(376, "a8b6", 112, 138)
    assert minimax.score(chess.Board(fen), depth) == 374


def test_second_addition_searches_again_though_the_window_is_closed() -> None:
    """Kg5, searched again on the principal variation, has 157 for White's beta.

    b4 scores 156, which closes the window: 156, 157. Kf7 then reaches 157 in its null
    window. That would be a cutoff; with the addition Kf7 is searched once more as part
    of the principal variation, with Black's six replies: six nodes.
    """
    fen = "8/6K1/8/7k/8/1P6/8/8 b - - 0 1"
    found = last_told(fen, 3, NOTHING_PRUNED, table=False)
    assert found == Iteration(-157, "h5g5", 175, 175)
    found = last_told(fen, 3, without(2, NOTHING_PRUNED), table=False)
    assert found == Iteration(-157, "h5g5", 169, 169)


def test_second_addition_works_without_the_others() -> None:
    fen = "8/6K1/8/7k/8/1P6/8/8 b - - 0 1"
    none = replace(NOTHING_PRUNED, additions=frozenset())
    found = last_told(fen, 3, none, table=False)
    assert found == Iteration(-157, "h5g5", 162, 162)
    found = last_told(fen, 3, replace(none, additions=frozenset({2})), table=False)
    assert found == Iteration(-157, "h5g5", 168, 168)


def test_third_addition_searches_again_from_alpha() -> None:
    """g6 scores 172, and Kh7 173 in the null window.

    All that White can lose by it, 173, Black finds with the second of three replies. A
    search from 173 on stops there. From 172 on, as the addition has it, nothing is cut
    and the third reply is one more node.
    """
    fen = "5k1K/8/8/6P1/8/8/8/8 w - - 0 1"
    found = last_told(fen, 2, NOTHING_PRUNED, table=True)
    assert found == Iteration(173, "h8h7", 12, 12)
    found = last_told(fen, 2, without(3, NOTHING_PRUNED), table=True)
    assert found == Iteration(173, "h8h7", 11, 11)


def test_fourth_addition_leaves_a_just_failed_cut_node_out_of_the_table() -> None:
    """White on e4, Black on b5 and b6 come about after Ka4, Ke4, Kb5, and after Ka6.

    It is a cut node both times, of equal depth, in the window -147, -146. First all of
    White's eight moves fail there, the best with just -147. The second time the table
    would answer; with the addition it has nothing and the eight are searched again.
    """
    fen = "8/8/1p6/k7/8/3K4/8/8 b - - 0 1"
    found = last_told(fen, 4, NOTHING_PRUNED, table=True)
    assert found == Iteration(146, "a5b4", 172, 257)
    found = last_told(fen, 4, without(4, NOTHING_PRUNED), table=True)
    assert found == Iteration(146, "a5b4", 172, 249)


def test_additions_change_no_score_where_nothing_is_pruned() -> None:
    plain = Techniques(aspiration=0)
    added = Techniques(pruning=NOTHING_PRUNED, aspiration=0)
    differing = 0
    for board in walks.small_positions(60, seed=54):
        expected, found = (told(board, each, 4, entries=0) for each in (plain, added))
        assert [iteration.score for iteration in found] == [
            iteration.score for iteration in expected
        ], board.fen()
        differing += found != expected
    assert differing > 0
