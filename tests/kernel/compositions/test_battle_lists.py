"""Lists of replies and continuations in battle play agree with their definition."""

from __future__ import annotations

import ctypes
from collections import Counter
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.search_struct import Search
from solver.problem import Goal, Play, Stipulation
from solver.stipulations import Battle
from tests.kernel.reply_lists import PASS, Answer, is_defence, read_list
from tests.oracles import battle_play as oracle
from tests.oracles import play, stipulated, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

BUCKETS = 1 << 12
each_stipulation = pytest.mark.parametrize(
    "name", [*stipulated.STIPULATIONS, "exact-#"]
)
REFLEX = (Play.REFLEX, Play.SEMI_REFLEX)


class Lists:
    """The kernel with its memory, for one stipulation."""

    def __init__(self, kernel: Kernel, name: str) -> None:
        self.stipulation = Stipulation.parse(f"{name}2")
        self.kernel = kernel
        self._memory = (ctypes.c_char * (BUCKETS * 64))()
        self.search = Search(
            node_limit=NO_LIMIT,
            table=ctypes.addressof(self._memory),
            buckets=BUCKETS,
            generation=1,
            play=Battle(self.stipulation).play,
        )

    def found(
        self, board: chess.Board, moves: int, *, threats: bool
    ) -> dict[str, Answer]:
        size = self.kernel.list_continuations(
            pack_board(board), self.search, moves, threats=threats
        )
        assert size is not None
        return read_list(board, self.search, size)

    def defined(
        self, board: chess.Board, moves: int, *, threats: bool
    ) -> dict[str, Answer]:
        """Return the same by definition."""
        replies = {move.uci(): play.played(board, move) for move in board.legal_moves}
        ending = {reply for reply, after in replies.items() if self._has_ended(after)}
        must_end = self.stipulation.play in REFLEX and bool(ending)
        if must_end:
            replies = {reply: replies[reply] for reply in ending}
        is_over = moves == 0 or ending == set(replies)
        threat = None
        answers = {}
        if threats and moves and not (board.is_check() or must_end):
            is_over = False
            threat = answers[PASS] = self._shortest(play.after_pass(board), moves)
        for reply, after in replies.items():
            answer = self._shortest(after, moves)._replace(ends=reply in ending)
            answers[reply] = answer._replace(
                is_relevant=is_over or is_defence(answer, threat)
            )
        return answers

    def _has_ended(self, board: chess.Board) -> bool:
        if self.stipulation.play is Play.DIRECT:
            return False
        if self.stipulation.goal is Goal.MATE:
            return board.is_checkmate()
        return board.is_stalemate()

    def _shortest(self, board: chess.Board, moves: int) -> Answer:
        first = max(moves, 1) if self.stipulation.exact else 1
        for length in range(first, moves + 1):
            if found := oracle.keys(board, self.stipulation, length):
                return Answer(length, frozenset(found))
        return Answer(0, frozenset())


def compare(lists: Lists, boards: Iterable[chess.Board], most: int) -> Counter[str]:
    """Compare the lists for 0 to `most` moves; count what occurs."""
    seen: Counter[str] = Counter()
    for board in boards:
        for moves in range(most + 1):
            for threats in (True, False):
                found = lists.found(board, moves, threats=threats)
                defined = lists.defined(board, moves, threats=threats)
                assert found == defined, (board.fen(), moves, threats)
                if PASS in found:
                    assert next(iter(found)) == PASS
                    seen["threat"] += bool(found.pop(PASS).length)
                seen["ends"] += any(answer.ends for answer in found.values())
                seen["answered"] += any(answer.length for answer in found.values())
                seen["irrelevant"] += not all(a.is_relevant for a in found.values())
    return seen


@sized("count", 6, 100)
@each_stipulation
def test_continuations_are_the_shortest_after_every_reply(
    battle_kernel: Kernel, name: str, count: int
) -> None:
    lists = Lists(battle_kernel, name)
    source = "=" if name == "exact-#" else name
    boards = [
        *stipulated.quick_positions(source, count, seed=11),
        *walks.small_positions(count, seed=11),
    ]
    # Both sides of each position, as the defender is to move.
    boards += [play.after_pass(board) for board in boards if not board.is_check()]
    seen = compare(lists, (b for b in boards if b.is_valid()), 1)
    assert seen["answered"], seen
    assert bool(seen["ends"]) == (lists.stipulation.play is not Play.DIRECT), seen


@each_stipulation
def test_a_stopped_search_gives_no_list(battle_kernel: Kernel, name: str) -> None:
    lists = Lists(battle_kernel, name)
    lists.search.stop = 1
    position = pack_board(chess.Board())
    size = battle_kernel.list_continuations(position, lists.search, 4, threats=True)
    assert size is None


@pytest.mark.parametrize(
    ("name", "fen", "expected"),
    [
        ("=", "8/8/8/8/8/5k2/8/R6K w - - 0 1", (False, True)),
        ("exact-#", "8/8/8/8/8/5k2/8/R6K w - - 0 1", (False, True)),
        ("s#", "8/8/8/8/8/5k2/8/R6K w - - 0 1", (True, True)),
        ("s=", "8/8/8/8/8/5k2/8/R6K w - - 0 1", (True, True)),
        ("r#", "8/8/8/8/8/5k2/8/R6K w - - 0 1", (False, True)),
        ("semi-r#", "8/8/8/8/8/5k2/8/R6K w - - 0 1", (False, True)),
        ("r#", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", (False, False)),  # it must mate
        ("semi-r#", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", (False, True)),
        ("r=", "7k/8/6K1/8/8/5Q2/8/8 w - - 0 1", (False, False)),  # and stalemate
        ("semi-r=", "7k/8/6K1/8/8/5Q2/8/8 w - - 0 1", (False, True)),
    ],
)
def test_tries_are_moves_that_the_attacker_may_make_and_one_reply_may_refute(
    battle_kernel: Kernel, name: str, fen: str, expected: tuple[bool, bool]
) -> None:
    lists = Lists(battle_kernel, name)
    position = pack_board(chess.Board(fen))
    found = [battle_kernel.has_tries(position, lists.search, n) for n in (1, 2)]
    assert found == [*expected]
