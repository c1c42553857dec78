"""The search of battle play agrees with its definition, and with itself."""

from __future__ import annotations

import ctypes
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board, unpack_move
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.kernel.border.search_struct import Search
from solver.problem import Goal, Play, Stipulation
from solver.stipulations import BATTLE_PLAYS
from tests.oracles import battle_play as oracle
from tests.oracles import special, stipulated, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

BUCKET_BYTES = 64
FEW_BUCKETS = 1 << 12
MANY_REFUTATIONS = 256

each_stipulation = pytest.mark.parametrize("name", stipulated.STIPULATIONS)


class Battle:
    """The kernel with its memory, for one stipulation; `forget` empties the table."""

    def __init__(self, kernel: Kernel, name: str, buckets: int = FEW_BUCKETS) -> None:
        self.stipulation = Stipulation.parse(f"{name}1")
        self.kernel = kernel
        self._memory = (ctypes.c_char * (buckets * BUCKET_BYTES))()
        self.search = Search(
            node_limit=NO_LIMIT,
            table=ctypes.addressof(self._memory),
            buckets=buckets,
            play=BATTLE_PLAYS[self.stipulation.play, self.stipulation.goal],
        )
        self.forget()

    def forget(self) -> None:
        self.search.generation += 1

    def reaches(self, board: chess.Board, moves: int, *, attacking: bool) -> bool:
        verdict = self.kernel.reaches_within(
            pack_board(board), self.search, moves, attacking=attacking
        )
        assert verdict is not Decision.STOPPED
        return verdict is Decision.MATE

    def solving(self, board: chess.Board, moves: int) -> set[str]:
        words = self.kernel.solving_moves(pack_board(board), self.search, moves)
        assert words is not None
        return {unpack_move(board, word).uci() for word in words}

    def refutations(
        self, board: chess.Board, moves: int, most: int = MANY_REFUTATIONS
    ) -> list[str]:
        words = self.kernel.refutations(pack_board(board), self.search, moves, most)
        assert words is not None
        return [unpack_move(board, word).uci() for word in words]

    def answers(self, board: chess.Board, most: int) -> list[bool]:
        """Return the answers for 1 to `most` moves, then, defending, 0 to `most`."""
        self.forget()
        return [
            *(self.reaches(board, n, attacking=True) for n in range(1, most + 1)),
            *(self.reaches(board, n, attacking=False) for n in range(most + 1)),
        ]


def agree_with_the_definition(
    battle: Battle, boards: Iterable[chess.Board], most: int, least: int = 1
) -> list[int]:
    """Compare everything for `least` to `most` moves; return the solutions of each."""
    stipulation = battle.stipulation
    solved = [0] * (most + 1)
    for board in boards:
        battle.forget()
        for n in range(least, most + 1):
            keys = oracle.keys(board, stipulation, n)
            about = f"{board.fen()}: {stipulation.with_length(n)}"
            assert battle.reaches(board, n, attacking=True) == bool(keys), about
            assert battle.solving(board, n) == keys, about
            solved[n] += bool(keys)
        for n in range(least - 1, most):
            lost = oracle.is_lost(board, stipulation, n)
            about = f"{board.fen()}: defending, {stipulation}, {n} left"
            assert battle.reaches(board, n, attacking=False) == lost, about
            refutations = oracle.refutations(board, stipulation, n)
            assert set(battle.refutations(board, n)) == refutations, about
            assert len(battle.refutations(board, n, 1)) == min(1, len(refutations))
            solved[n] += lost
    return solved


@sized("count", 10, 20)
@each_stipulation
def test_two_moves_are_as_defined(battle_kernel: Kernel, name: str, count: int) -> None:
    battle = Battle(battle_kernel, name)
    most = count if "r" in name else 4 * count  # the oracle of reflex play is slow
    boards = stipulated.quick_positions(name, most, seed=1)
    solved = agree_with_the_definition(battle, boards, 2)
    assert min(solved[1:]) >= count // 10, solved


@sized("count", 20, 60)
@each_stipulation
def test_full_boards_are_as_defined(
    battle_kernel: Kernel, name: str, count: int
) -> None:
    battle = Battle(battle_kernel, name)
    agree_with_the_definition(battle, walks.random_positions(count, seed=2), 1)
    agree_with_the_definition(battle, walks.crowded_positions(count, seed=2), 1)


@sized("count", 20, 1_000)
@each_stipulation
def test_castling_en_passant_and_promotions_are_as_defined(
    battle_kernel: Kernel, name: str, count: int
) -> None:
    """Moves of either side."""
    battle = Battle(battle_kernel, name)
    agree_with_the_definition(battle, special.all_kinds(count, seed=9), 1)


@pytest.mark.parametrize(
    ("fen", "key"),
    [
        ("5B2/5Q2/8/2pPQ3/k6K/8/8/8 w - c6 0 1", "d5c6"),
        ("8/3Q4/k7/Pp6/1Q6/1R6/8/2K5 w - b6 0 1", "a5b6"),
        ("8/8/1B6/R2Pp3/N4k2/8/4K1Q1/8 w - e6 0 1", "d5e6"),
    ],
)
def test_a_capture_en_passant_may_take_the_last_flight(
    battle_kernel: Kernel, fen: str, key: str
) -> None:
    """The captured pawn leaves a line open."""
    battle = Battle(battle_kernel, "=")
    board = chess.Board(fen)
    assert key in battle.solving(board, 1)
    agree_with_the_definition(battle, [board, board.mirror()], 1)


@pytest.mark.parametrize(
    ("fen", "key", "reply"),
    [
        ("8/8/8/8/2R5/6pk/5p1N/7K", "h2f1", "g3g2"),
        ("8/8/4Q3/8/8/kp6/p7/K7", "e6c4", "b3b2"),
        ("8/8/8/8/7p/1Q4PP/5kPK/2R3RR", "b3e6", "h4g3"),
        ("5N2/B7/8/8/8/7p/4P1Rp/4BK1k", "a7f2", "h3g2"),
        ("2R5/B7/8/8/4q3/PPp5/KR3R2/2k5", "b2b1", "e4b1"),
        ("8/8/8/1Q6/8/k7/rpBP4/2K5", "c1b1", "a2a1"),
        ("8/8/5Q2/1p6/pP6/K7/8/bk6", "f6b2", "a1b2"),
        ("7Q/Q4N2/8/8/4p3/5p2/6PR/3q1k1K", "a7f2", "f1f2"),
        ("8/7N/7Q/8/8/8/2p2PR1/r2k1K2", "h6d2", "d1d2"),
    ],
)
def test_each_kind_of_mating_reply_ends_a_selfmate(
    battle_kernel: Kernel, fen: str, key: str, reply: str
) -> None:
    """Pushes and captures of pawns, all pieces, and a king that opens its line."""
    battle = Battle(battle_kernel, "s#")
    board = chess.Board(f"{fen} w - - 0 1")
    assert key in battle.solving(board, 1)
    agree_with_the_definition(battle, [board, board.mirror()], 1)
    board.push_uci(key)
    board.push_uci(reply)
    assert board.is_checkmate()


@pytest.mark.parametrize(
    ("fen", "keys"),
    [("K1k5/P6Q/8/8/8/8/8/8", {"h7c7"}), ("1k6/7Q/K7/P7/8/8/8/8", set())],
)
def test_a_lone_king_can_be_forced_to_stalemate(
    battle_kernel: Kernel, fen: str, keys: set[str]
) -> None:
    """It captures the last piece that can move; mating would take another piece."""
    battle = Battle(battle_kernel, "s=")
    board = chess.Board(f"{fen} w - - 0 1")
    assert battle.solving(board, 1) == keys
    agree_with_the_definition(battle, [board, board.mirror()], 2)
    agree_with_the_definition(Battle(battle_kernel, "s#"), [board], 2)


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/KP6/8/6N1/Pq6/q7/Q7/8",
        "8/k5b1/8/8/8/8/5pBR/3Q3K",
        "3BKR2/1r1N4/4n3/8/6k1/3P1R2/8/8",
    ],
)
def test_a_reply_that_lets_the_attacker_mate_refutes_in_reflex_play_alone(
    battle_kernel: Kernel, fen: str
) -> None:
    board = chess.Board(f"{fen} w - - 0 1")
    keys = {}
    for name in ("r#", "semi-r#"):
        battle = Battle(battle_kernel, name)
        keys[name] = battle.solving(board, 2)
        assert keys[name] == oracle.keys(board, battle.stipulation, 2)
    assert keys["r#"] < keys["semi-r#"]


BLOCK = 100


@pytest.mark.slow
@each_stipulation
@pytest.mark.parametrize("block", range(10))
def test_a_thousand_positions_are_as_defined(
    battle_kernel: Kernel, name: str, block: int
) -> None:
    battle = Battle(battle_kernel, name)
    boards = stipulated.quick_positions(name, BLOCK, seed=100 + block)
    solved = agree_with_the_definition(battle, boards, 2)
    assert sum(solved) >= 10, solved


@pytest.mark.slow
@pytest.mark.parametrize("name", ["=", "s#", "s="])
def test_three_moves_are_as_defined(battle_kernel: Kernel, name: str) -> None:
    """In reflex play the oracle takes minutes for a position."""
    battle = Battle(battle_kernel, name)
    boards = stipulated.quick_positions(name, 40, seed=4)
    solved = agree_with_the_definition(battle, boards, 3, least=3)
    assert solved[3] >= 3, solved


@pytest.mark.slow
@each_stipulation
def test_many_full_boards_are_as_defined(battle_kernel: Kernel, name: str) -> None:
    battle = Battle(battle_kernel, name)
    agree_with_the_definition(battle, walks.random_positions(2000, seed=5), 1)
    agree_with_the_definition(battle, walks.crowded_positions(2000, seed=5), 1)


def varied(name: str) -> list[chess.Board]:
    return [
        *stipulated.positions(name, 80, seed=6),
        *walks.crowded_positions(20, seed=6),
        *walks.random_positions(20, seed=6),
    ]


@each_stipulation
def test_the_other_colour_and_the_mirrored_board_have_the_same_answers(
    battle_kernel: Kernel, name: str
) -> None:
    battle = Battle(battle_kernel, name)
    for board in varied(name):
        answers = battle.answers(board, 2)
        assert answers == battle.answers(board.mirror(), 2), board.fen()
        if not board.castling_rights:
            mirrored = board.transform(chess.flip_horizontal)
            assert answers == battle.answers(mirrored, 2), board.fen()


@each_stipulation
def test_any_size_of_table_and_any_order_of_questions_give_the_same_answers(
    battle_kernel: Kernel, name: str
) -> None:
    boards = varied(name)
    most = 3
    expected = {}
    for board in boards:
        battles = [Battle(battle_kernel, name, buckets) for buckets in (1, 64)]
        first, second = (battle.answers(board, most) for battle in battles)
        assert first == second, board.fen()
        assert first[:most] == sorted(first[:most]), "more moves solve it too"
        assert first[most:] == sorted(first[most:]), "more moves solve it too"
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
    battles = [Battle(battle_kernel, name) for name in stipulated.STIPULATIONS]
    shared = Battle(battle_kernel, "s#")
    boards = varied("s#")
    for board in boards:
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
        position = pack_board(board)
        for _ in range(6):
            search.node_limit = search.nodes + random.randint(1, 300)
            verdict = battle_kernel.reaches_within(position, search, 3)
            stopped += verdict is Decision.STOPPED
            assert verdict in {Decision.STOPPED, Decision(expected)}, board.fen()
            search.node_limit = search.nodes + random.randint(1, 300)
            listed = battle_kernel.solving_moves(position, search, 3)
            assert listed is None or len(listed) == len(keys)
        search.node_limit = NO_LIMIT
        assert battle.reaches(board, 3, attacking=True) == expected, board.fen()
        assert battle.solving(board, 3) == keys, board.fen()
    assert stopped > 20


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
        line = battle_kernel.line(pack_board(board), battle.search, shortest)
        end = board.copy()
        for word in line:
            move = unpack_move(end, word)
            assert end.is_legal(move), (board.fen(), line)
            end.push(move)
        last_by_defender = stipulation.play is not Play.DIRECT
        assert len(line) == 2 * shortest - (not last_by_defender), board.fen()
        is_goal = (
            end.is_checkmate() if stipulation.goal is Goal.MATE else end.is_stalemate()
        )
        assert is_goal, board.fen()
        lines += 1
    assert lines > 20
