"""The kernel's lists for the play of a problem agree with the naive oracle."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import MoveWriter, pack_board, unpack_move
from solver.kernel.border.interface import NO_LIMIT, NULL_MOVE
from solver.kernel.border.query_struct import MOVES_TEXT_BYTES
from solver.kernel.border.search_struct import MAX_LEGAL_MOVES, Search
from tests.kernel.reply_lists import PASS, Answer, is_defence, read_list
from tests.oracles import naive, walks

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel

BUCKETS = 1 << 10
LONG_LIST = "4r3/5b2/6k1/3Q3R/1Kb2Qb1/7Q/6Qb/Q2r4 b - - 0 1"


class Lists:
    """The kernel's lists as sets of moves in UCI notation."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._memory = (ctypes.c_char * (BUCKETS * 64))()
        table = ctypes.addressof(self._memory)
        self.search = Search(
            node_limit=NO_LIMIT, table=table, buckets=BUCKETS, generation=1
        )

    def solving(self, board: chess.Board, n: int) -> list[str]:
        words = self.kernel.solving_moves(pack_board(board), self.search, n)
        assert words is not None
        return [unpack_move(board, word).uci() for word in words]

    def refutations(self, board: chess.Board, n: int, most: int) -> list[str]:
        words = self.kernel.refutations(pack_board(board), self.search, n, most)
        assert words is not None
        return [unpack_move(board, word).uci() for word in words]

    def continuations(
        self, board: chess.Board, n: int, *, threats: bool
    ) -> dict[str, Answer]:
        size = self.kernel.list_continuations(
            pack_board(board), self.search, n, threats=threats
        )
        assert size is not None
        return read_list(board, self.search, size)


@pytest.fixture(scope="module")
def lists(kernel: Kernel) -> Lists:
    return Lists(kernel)


def shortest(board: chess.Board, n: int) -> Answer:
    for length in range(1, n + 1):
        if moves := naive.keys(board, length):
            return Answer(length, frozenset(moves))
    return Answer(0, frozenset())


def agree(board: chess.Board, n: int, found: dict[str, Answer]) -> None:
    """Compare the answers, and which replies matter, with the definition."""
    threat = found.get(PASS)
    for reply, answer in found.items():
        after = board.copy(stack=False)
        after.push(chess.Move.from_uci(reply))
        expected = shortest(after, n)
        relevant = reply != PASS and is_defence(expected, threat)
        expected = expected._replace(is_relevant=relevant)
        assert answer == expected, (board.fen(), reply)


def test_solving_moves_are_all_keys_in_the_generator_s_order(lists: Lists) -> None:
    solved = 0
    for board in walks.small_positions(80, seed=1):
        for n in (1, 2):
            found = lists.solving(board, n)
            assert set(found) == naive.keys(board, n), (board.fen(), n)
            assert len(set(found)) == len(found)
            words = lists.kernel.moves(pack_board(board), lists.search)
            order = [unpack_move(board, word).uci() for word in words]
            assert found == [move for move in order if move in found]
            solved += bool(found)
    assert solved > 12


def test_refutations_are_the_replies_that_are_not_mated_in_time(lists: Lists) -> None:
    refuted = cut = 0
    for board in walks.small_positions(120, seed=2):
        for n in (0, 1):
            expected = set()
            for move in board.legal_moves:
                after = board.copy(stack=False)
                after.push(move)
                if not naive.mate_in(after, n):
                    expected.add(move.uci())
            for most in (1, 2, 300):
                found = lists.refutations(board, n, most)
                assert len(set(found)) == len(found) == min(most, len(expected))
                assert set(found) <= expected, (board.fen(), n)
                cut += len(found) < len(expected)
            refuted += bool(expected)
    assert refuted > 100
    assert cut > 100


@pytest.mark.parametrize("threats", [True, False])
def test_continuations_are_the_shortest_after_every_reply(
    threats: bool, lists: Lists
) -> None:
    answered = threatened = irrelevant = 0
    for board in walks.small_positions(14, seed=3):
        found = lists.continuations(board, 2, threats=threats)
        replies = [move.uci() for move in board.legal_moves]
        passes = ["0000"] if threats and not board.is_check() else []
        assert sorted(found) == sorted([*replies, *passes]), board.fen()
        agree(board, 2, found)
        for reply, answer in found.items():
            answered += bool(answer.length)
            threatened += reply == PASS and bool(answer.length)
            irrelevant += reply != PASS and not answer.is_relevant
    assert answered > 10
    assert bool(threatened) == bool(irrelevant) == threats


def test_a_move_that_does_not_mate_can_be_a_try_unless_it_is_the_last(
    lists: Lists,
) -> None:
    position = pack_board(chess.Board())
    assert not lists.kernel.has_tries(position, lists.search, 1)
    assert lists.kernel.has_tries(position, lists.search, 2)


def test_a_list_may_be_longer_than_a_row(lists: Lists) -> None:
    board = chess.Board(LONG_LIST)
    position = pack_board(board)
    size = lists.kernel.list_continuations(position, lists.search, 1, threats=True)
    assert size is not None
    assert size > MAX_LEGAL_MOVES
    found = lists.continuations(board, 1, threats=True)
    agree(board, 1, found)


@pytest.mark.parametrize("all_defences", [False, True])
def test_a_level_is_named_in_pieces_as_large_as_the_text(
    all_defences: bool, lists: Lists
) -> None:
    board = chess.Board(LONG_LIST)
    writer = MoveWriter(lists.search)
    position, found = pack_board(board), lists.continuations(board, 1, threats=True)
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    threats, shown = found.pop(PASS), dict[str, list[str]]()
    size = lists.kernel.list_continuations(position, lists.search, 1, threats=True)
    assert size is not None
    rows = writer.level(position, size, black=True, all_defences=all_defences)
    calls_again = len(rows) * 30 > MOVES_TEXT_BYTES
    assert calls_again == all_defences
    before, answers = passed, shown.setdefault(PASS, [])
    for row in rows:
        after = board if row.head[0] == "D" else before
        assert after.san(chess.Move.from_uci(row.uci)) == row.san
        if row.head[0] == "D":
            before = board.copy(stack=False)
            before.push_uci(row.uci)
            answers = shown.setdefault(row.uci, [])
        else:
            assert row.head == ("A0" if len(shown) > 1 else "T0")
            answers.append(row.uci)
    assert shown.pop(PASS) == sorted(threats.continuations)
    wanted = {
        reply: sorted(answer.continuations)
        for reply, answer in sorted(found.items())
        if answer.length and (all_defences or answer.is_relevant)
    }
    assert [*shown.items()] == [*wanted.items()]


def test_a_null_move_passes_the_turn_and_ends_en_passant(lists: Lists) -> None:
    board = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    assert board.has_legal_en_passant()
    passed = lists.kernel.made(pack_board(board), lists.search, NULL_MOVE)
    board.push(chess.Move.null())
    assert bytes(passed) == bytes(pack_board(board))


def test_check_is_that_of_the_side_to_move(lists: Lists) -> None:
    seen = set()
    for board in walks.random_positions(300, seed=4):
        is_check = lists.kernel.is_check(pack_board(board), lists.search)
        assert is_check == board.is_check(), board.fen()
        seen.add(is_check)
    assert seen == {True, False}


def test_a_stopped_search_gives_no_list(lists: Lists) -> None:
    board = chess.Board("8/8/8/3k4/8/8/1Q5K/R7 w - - 0 1")
    position, search = pack_board(board), lists.search
    search.generation += 1
    search.stop = 1
    try:
        assert lists.kernel.solving_moves(position, search, 5) is None
        assert lists.kernel.refutations(position, search, 5, 9) is None
        assert (
            lists.kernel.list_continuations(position, search, 5, threats=True) is None
        )
    finally:
        search.stop = 0
