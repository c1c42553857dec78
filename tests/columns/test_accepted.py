"""An accepted tree has every right move, and no other."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import FenError, GradeStatus, InputError, accepted, grade_many
from solver.columns import accepted as module
from solver.search.threads import Control
from tests.oracles import naive, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"
ROOK = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
"""A mate in two; with moves to spare there are many ways."""

Tree = dict[str, Any]


def generated() -> Iterator[tuple[str, int]]:
    """Yield positions with their mates in 2 to 4, and some with a move to spare."""
    for n, count in ((2, 100), (3, 100), (4, 40)):
        lines = (PUZZLES / f"generated-{n}.epd").read_text("utf-8").splitlines()
        rows = (line for line in lines if line[:1] != "#")
        yield from ((" ".join(row.split()[:4]), n) for row in islice(rows, count))
    yield from ((fen, n + 1) for fen, n in [(ROOK, 2), (ROOK, 3)])


def play(tree: Tree, fen: str, draw: Random) -> tuple[list[str], list[str]]:
    """Play accepted moves to a random turn; return this line and one that is wrong.

    The wrong line ends with a legal move that the tree does not have; it is empty if
    there is none.
    """
    turns: list[tuple[list[str], Tree]] = []
    line: list[str] = []
    while tree.get("right_moves"):
        turns.append((line, tree))
        tree = draw.choice(tree["right_moves"])
        line = [*line, tree["uci"]]
        if "reply" in tree:
            line.append(tree["reply"]["uci"])
    before, turn = draw.choice(turns)
    right = {move["uci"] for move in turn["right_moves"]}
    board = chess.Board(fen)
    for move in before:
        board.push_uci(move)
    others = sorted({move.uci() for move in board.legal_moves} - right)
    wrong = [*before, draw.choice(others)] if others else []
    return [*before, draw.choice(sorted(right))], wrong


@sized("plays", 1_000, 10_000)
def test_random_plays_through_trees_agree_with_grades(plays: int) -> None:
    draw = Random(60)
    problems = list(generated())
    trees = [accepted(fen, n) for fen, n in problems]
    assert all(tree["complete"] for tree in trees)
    chosen = draw.choices(range(len(problems)), k=plays)
    played = [play(trees[at], problems[at][0], draw) for at in chosen]
    for lines, status in zip(
        zip(*played, strict=True), (GradeStatus.RIGHT, GradeStatus.WRONG), strict=True
    ):
        rows = [
            (*problems[at], line)
            for at, line in zip(chosen, lines, strict=True)
            if line
        ]
        fens, lengths, given = zip(*rows, strict=True)
        answers = grade_many(fens, given, lengths)
        for fen, line, answer in zip(fens, given, answers, strict=True):
            assert answer.status == status, (fen, line)
            assert len(answer.line) == len(line) - (status == GradeStatus.WRONG)
        assert len(rows) > 0.9 * plays


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
    ordered = sorted(moves, key=lambda move: move["uci"])
    return [
        move | {"right_moves": in_order(move["right_moves"])}
        if "right_moves" in move
        else move
        for move in ordered
    ]


def test_a_tree_is_what_brute_force_finds() -> None:
    found = 0
    for at, board in enumerate(walks.small_positions(90, 60)):
        tree = accepted(board.fen(), 2)
        if at % 20 and not tree["right_moves"]:
            continue  # of those, a few are enough
        assert tree["complete"]
        expected = in_order(by_definition(board.copy(stack=False), 2))
        assert in_order(tree["right_moves"]) == expected
        found += any("reply" in move for move in expected)
    assert found > 5


def turns_of(tree: Tree, left: int) -> Iterator[tuple[int, Tree]]:
    """Yield each turn of the attacker, and the moves that are left in it."""
    yield left, tree
    for move in tree.get("right_moves", ()):
        if "reply" in move:
            yield from turns_of(move, left - 1)


def test_a_large_tree_is_cut_between_whole_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = accepted(ROOK, 4)
    monkeypatch.setattr(module, "NODES", 300)
    tree = accepted(ROOK, 4)
    assert (whole["complete"], tree["complete"]) == (True, False)
    turns = list(turns_of(tree, 4))
    size = sum(
        1 + ("reply" in move)
        for _, turn in turns
        for move in turn.get("right_moves", ())
    )
    assert 200 < size <= 300
    lefts = [left for left, turn in turns if "right_moves" not in turn]
    assert max(lefts) <= min(left for left, turn in turns if "right_moves" in turn)

    def compare(cut: Tree, full: Tree) -> None:
        for one, other in zip(
            cut.get("right_moves", ()), full["right_moves"], strict="right_moves" in cut
        ):
            assert (one["uci"], one.get("reply")) == (other["uci"], other.get("reply"))
            if "reply" in one:
                compare(one, other)

    compare(tree, whole)


def test_a_limit_leaves_the_tree_incomplete() -> None:
    stopped = Control()
    stopped.stop()
    assert accepted(ROOK, 4, control=stopped) == {"complete": False}
    tree = accepted(ROOK, 4, nodes=60)
    assert not tree["complete"]


def test_without_a_mate_no_move_is_accepted() -> None:
    nothing = {"complete": True, "right_moves": []}
    assert accepted(ROOK, 1) == accepted("7k/8/8/8/8/8/8/K7 w - -", 3) == nothing


def test_a_wrong_argument_is_refused() -> None:
    with pytest.raises(FenError):
        accepted("8/8 w - -", 2)
    with pytest.raises(InputError, match="within"):
        accepted(ROOK, 0)
