"""The search of battle play agrees with its definition, and with itself."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board, unpack_move
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.problem import Goal, Play
from tests.kernel.reply_lists import EVERY, EXACT, Battle
from tests.oracles import battle_play as oracle
from tests.oracles import special, stipulated, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

each_stipulation = pytest.mark.parametrize("name", EVERY)


def agree_with_the_definition(
    battle: Battle, boards: Iterable[chess.Board], most: int, least: int = 1
) -> list[int]:
    """Compare everything for `least` to `most` moves; return the solutions of each.

    The greatest length is the first, so that shorter ones meet what it stored.
    """
    stipulation = battle.stipulation
    solved = [0] * (most + 1)
    for board in boards:
        battle.forget()
        for n in range(most, least - 1, -1):
            keys = oracle.keys(board, stipulation, n)
            about = f"{board.fen()}: {stipulation.with_length(n)}"
            assert battle.reaches(board, n, attacking=True) == bool(keys), about
            assert set(battle.solving(board, n)) == keys, about
            solved[n] += bool(keys)
            lost = oracle.is_lost(board, stipulation, n - 1)
            about = f"{board.fen()}: defending, {stipulation}, {n - 1} left"
            assert battle.reaches(board, n - 1, attacking=False) == lost, about
            refutations = oracle.refutations(board, stipulation, n - 1)
            assert set(battle.refutations(board, n - 1)) == refutations, about
            assert len(battle.refutations(board, n - 1, 1)) == min(1, len(refutations))
            solved[n - 1] += lost
    return solved


@sized("count", 8, 1_000)
@each_stipulation
def test_two_moves_are_as_defined(battle_kernel: Kernel, name: str, count: int) -> None:
    battle = Battle(battle_kernel, name)
    most = count if "r" in name else 4 * count  # the oracle of reflex play is slow
    boards = stipulated.quick_positions(name, most, seed=1)
    solved = agree_with_the_definition(battle, boards, 2)
    assert sum(solved[1:]) >= count // 4, solved


@sized("count", 5, 2_000)
@each_stipulation
def test_full_boards_and_special_moves_are_as_defined(
    battle_kernel: Kernel, name: str, count: int
) -> None:
    """Castling, captures en passant and promotions of either side."""
    boards = [*walks.random_positions(count, seed=2), *special.all_kinds(count, seed=9)]
    boards += walks.crowded_positions(count, seed=2)
    agree_with_the_definition(Battle(battle_kernel, name), boards, 1)


POSITIONS = """
=  | 5B2/5Q2/8/2pPQ3/k6K/8/8/8 w - c6  | d5c6 | en passant opens a line to a flight
s# | 8/8/8/8/2R5/6pk/5p1N/7K w - -     | h2f1 g3g2 | a pawn's push mates
s# | 8/8/8/8/7p/1Q4PP/5kPK/2R3RR w - - | b3e6 h4g3 | a pawn's capture
s# | 2R5/B7/8/8/4q3/PPp5/KR3R2/2k5 w - - | b2b1 e4b1 | a queen
s# | 8/8/8/1Q6/8/k7/rpBP4/2K5 w - -    | c1b1 a2a1 | a rook
s# | 8/8/5Q2/1p6/pP6/K7/8/bk6 w - -    | f6b2 a1b2 | a bishop
s# | 7Q/Q4N2/8/8/4p3/5p2/6PR/3q1k1K w - - | a7f2 f1f2 | a king that opens its line
s# | 8/7N/7Q/8/8/8/2p2PR1/r2k1K2 w - - | h6d2 d1d2 |
s= | K1k5/P6Q/8/8/8/8/8/8 w - -        | h7c7 | a lone king takes the last piece
exact-# | 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - | d1d8 | with more moves, Black makes room
"""


@pytest.mark.parametrize("row", POSITIONS.strip().splitlines())
def test_what_a_random_position_seldom_has_is_as_defined(
    battle_kernel: Kernel, row: str
) -> None:
    name, fen, line, _ = (cell.strip() for cell in row.split("|"))
    battle, board = Battle(battle_kernel, name), chess.Board(f"{fen} 0 1")
    key, *reply = line.split()
    assert key in battle.solving(board, 1)
    for each in (board, board.mirror()):
        agree_with_the_definition(
            battle, [each], 2 if len(board.piece_map()) < 5 else 1
        )
    if name == EXACT:
        assert not battle.reaches(board, 2, attacking=True)
    board.push_uci(key)
    for uci in reply:
        board.push_uci(uci)
        assert board.is_checkmate()


def varied(name: str) -> list[chess.Board]:
    return [
        *stipulated.positions(name, 50, seed=6),
        *walks.crowded_positions(15, seed=6),
        *walks.random_positions(15, seed=6),
    ]


@each_stipulation
def test_colours_wings_tables_and_the_order_of_questions_change_no_answer(
    battle_kernel: Kernel, name: str
) -> None:
    boards = varied(name)
    most = 3
    expected = {}
    small, large = (Battle(battle_kernel, name, buckets) for buckets in (1, 64))
    for board in boards:
        first = small.answers(board, most)
        assert first == large.answers(board, most), board.fen()
        assert first == large.answers(board.mirror(), most), board.fen()
        if not board.castling_rights:
            mirrored = board.transform(chess.flip_horizontal)
            assert first == large.answers(mirrored, most), board.fen()
        if name != EXACT:  # more moves solve it too
            assert first[:most] == sorted(first[:most])
            assert first[most:] == sorted(first[most:])
        expected[board.fen()] = first
    battle = Battle(battle_kernel, name)
    questions = [(board, n) for board in boards for n in range(2 * most + 1)]
    Random(7).shuffle(questions)
    for board, n in questions:
        attacking = n < most
        moves = n + 1 if attacking else n - most
        found = battle.reaches(board, moves, attacking=attacking)
        assert found == expected[board.fen()][n], (board.fen(), moves, attacking)
    assert any(answers[0] for answers in expected.values())


def test_one_table_serves_all_stipulations(battle_kernel: Kernel) -> None:
    battles = [Battle(battle_kernel, name) for name in EVERY]
    shared = Battle(battle_kernel, "s#")
    for board in varied("s#"):
        shared.forget()
        for battle in battles:
            expected = battle.answers(board, 2)[:2]
            shared.search.play = battle.search.play
            found = [shared.reaches(board, n, attacking=True) for n in (1, 2)]
            assert found == expected, (board.fen(), battle.stipulation)


@each_stipulation
def test_a_stopped_search_leaves_only_what_is_true(
    battle_kernel: Kernel, name: str
) -> None:
    battle = Battle(battle_kernel, name)
    search = battle.search
    random = Random(8)
    stopped = 0
    for board in varied(name):
        expected = battle.answers(board, 3)[2]
        keys = battle.solving(board, 3)
        battle.forget()
        for _ in range(6):
            search.node_limit = search.nodes + random.randint(1, 300)
            verdict = battle.decide(board, 3, attacking=True)
            stopped += verdict is Decision.STOPPED
            assert verdict in {Decision.STOPPED, Decision(expected)}, board.fen()
            search.node_limit = search.nodes + random.randint(1, 300)
            listed = battle_kernel.solving_moves(pack_board(board), search, 3)
            assert listed is None or len(listed) == len(keys)
        search.node_limit = NO_LIMIT
        assert battle.reaches(board, 3, attacking=True) == expected, board.fen()
        assert battle.solving(board, 3) == keys, board.fen()
    assert stopped > 20
    search.stop, position = 1, pack_board(chess.Board())
    assert battle_kernel.list_continuations(position, search, 4, threats=True) is None


@each_stipulation
def test_the_line_has_the_shortest_length_and_ends_with_the_goal(
    battle_kernel: Kernel, name: str
) -> None:
    battle = Battle(battle_kernel, name)
    stipulation = battle.stipulation
    lines = 0
    for board in varied(name):
        answers = battle.answers(board, 3)[:3]
        if not any(answers):
            continue
        shortest = answers.index(True) + 1
        end = board.copy()
        for word in battle_kernel.line(pack_board(board), battle.search, shortest):
            move = unpack_move(end, word)
            assert end.is_legal(move), (board.fen(), end.move_stack)
            end.push(move)
        plies = 2 * shortest - (stipulation.play is Play.DIRECT)
        assert len(end.move_stack) == plies, board.fen()
        is_mate = stipulation.goal is Goal.MATE
        assert end.is_checkmate() if is_mate else end.is_stalemate(), board.fen()
        lines += 1
    assert lines > 10


ROOK, MATES = "8/8/8/8/8/5k2/8/R6K", "7k/8/6K1/8/8/8/8/R7"
STALEMATES = "7k/8/6K1/8/8/5Q2/8/8"


@pytest.mark.parametrize(
    ("fen", "names", "expected"),
    [
        (ROOK, "= exact-# r# semi-r#", [False, True]),
        (ROOK, "s# s=", [True, True]),
        (MATES, "r#", [False, False]),  # it must mate
        (MATES, "semi-r#", [False, True]),
        (STALEMATES, "r=", [False, False]),  # and stalemate
        (STALEMATES, "semi-r=", [False, True]),
    ],
)
def test_tries_are_moves_that_the_attacker_may_make_and_one_reply_may_refute(
    battle_kernel: Kernel, fen: str, names: str, expected: list[bool]
) -> None:
    position = pack_board(chess.Board(f"{fen} w - - 0 1"))
    for name in names.split():
        search = Battle(battle_kernel, name).search
        found = [battle_kernel.has_tries(position, search, n) for n in (1, 2)]
        assert found == expected, name
