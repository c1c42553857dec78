"""An accepted tree has every right move, and no other."""

from __future__ import annotations

from typing import Any

import chess
import pytest

from solver import FenError, InputError, accepted
from solver.columns import accepted as module
from solver.search.threads import Control
from tests.oracles import naive, walks
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("kernel")

ROOK = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
"""A mate in two; with moves to spare there are many ways."""

Tree = dict[str, Any]


def by_definition(board: chess.Board, left: int) -> list[Tree]:
    """Return the right moves and the longest replies, by brute force."""
    moves: list[Tree] = []
    for uci in naive.keys(board, left):
        key = chess.Move.from_uci(uci)
        move: Tree = {"uci": uci, "san": board.san(key)}
        after = board.copy(stack=False)
        after.push(key)
        replies: dict[str, int] = {}
        for reply in after.legal_moves:
            after.push(reply)
            replies[reply.uci()] = naive.shortest_mate(after, left) or 0
            after.pop()
        if replies:
            longest = min(replies, key=lambda reply: (-replies[reply], reply))
            san = after.san_and_push(chess.Move.from_uci(longest))
            move["reply"] = {"uci": longest, "san": san}
            move["right_moves"] = by_definition(after, left - 1)
        moves.append(move)
    return moves


def in_order(moves: list[Tree]) -> list[Tree]:
    """Return moves in the order of their names, at each turn."""
    for move in moves:
        if "right_moves" in move:
            move["right_moves"] = in_order(move["right_moves"])
    return sorted(moves, key=lambda move: str(move["uci"]))


@sized("count", 90, 300)
def test_a_tree_is_what_brute_force_finds(count: int) -> None:
    found = 0
    for at, board in enumerate(walks.small_positions(count, 60)):
        tree = accepted(board.fen(), 2)
        if at % 20 and not tree["right_moves"]:
            continue  # of those, a few are enough
        assert tree["complete"]
        expected = in_order(by_definition(board.copy(stack=False), 2))
        assert in_order(tree["right_moves"]) == expected
        found += any("reply" in move for move in expected)
    assert found > 5


def test_a_large_tree_is_cut_between_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = accepted(ROOK, 4)
    monkeypatch.setattr(module, "NODES", 300)
    tree = accepted(ROOK, 4)
    assert (whole["complete"], tree["complete"]) == (True, False)
    lefts: dict[bool, list[int]] = {True: [], False: []}

    def compare(cut: Tree, full: Tree, left: int) -> int:
        """Return how many moves there are."""
        lefts["right_moves" in cut].append(left)
        size = 0
        for one, other in zip(
            cut.get("right_moves", ()), full["right_moves"], strict="right_moves" in cut
        ):
            assert (one["uci"], one.get("reply")) == (other["uci"], other.get("reply"))
            size += 1 + (compare(one, other, left - 1) + 1 if "reply" in one else 0)
        return size

    assert 200 < compare(tree, whole, 4) <= 300
    assert max(lefts[False]) <= min(lefts[True])


def test_without_a_mate_no_move_is_accepted_and_a_limit_leaves_it_open() -> None:
    nothing = {"complete": True, "right_moves": []}
    assert accepted(ROOK, 1) == accepted("7k/8/8/8/8/8/8/K7 w - -", 3) == nothing
    with pytest.raises(FenError):
        accepted("8/8 w - -", 2)
    with pytest.raises(InputError, match="within"):
        accepted(ROOK, 0)
    stopped = Control()
    stopped.stop()
    assert accepted(ROOK, 4, control=stopped) == {"complete": False}
    assert not accepted(ROOK, 4, nodes=60)["complete"]
