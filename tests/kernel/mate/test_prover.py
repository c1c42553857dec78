"""The prover agrees with slow oracles, and with itself where nothing may change."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import MoveWriter, pack_board, unpack_move
from solver.kernel.border.interface import NO_LIMIT, NULL_MOVE, Decision
from solver.kernel.border.query_struct import MOVES_TEXT_BYTES
from solver.kernel.border.search_struct import MAX_LEGAL_MOVES
from tests.kernel.reply_lists import FEW_BUCKETS, Asked
from tests.oracles import endgames, naive, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

MANY_BUCKETS = 1 << 20


@pytest.fixture
def prover(kernel: Kernel) -> Asked:
    return Asked(kernel)


def agree_with_the_definition(
    prover: Asked, boards: Iterable[chess.Board], attacking: range, defending: range
) -> int:
    """Compare the answers for these numbers of moves; return the number of mates."""
    mates = 0
    for board in boards:
        prover.forget()
        for numbers, attacks in ((attacking, True), (defending, False)):
            for n in numbers:
                expected = (naive.mate_in if attacks else naive.mated_in)(board, n)
                found = prover.reaches(board, n, attacking=attacks)
                assert found == expected, f"{board.fen()}: {n}, attacking: {attacks}"
                mates += expected
    return mates


@sized("count", 8, 40)
def test_mates_are_those_of_the_definition(prover: Asked, count: int) -> None:
    boards = walks.small_positions(8 * count, seed=7)
    mates = agree_with_the_definition(prover, boards, range(1, 3), range(3))
    assert mates > count
    small = walks.small_positions(15 * count, seed=8)
    few = [board for board in small if chess.popcount(board.occupied) <= 4]
    attackers, defenders = few[:count], few[count : 2 * count]
    mates = agree_with_the_definition(prover, attackers, range(3, 4), range(0))
    mates += agree_with_the_definition(prover, defenders, range(0), range(3, 4))
    assert mates > count // 5
    played = walks.random_positions(5 * count, seed=9)
    agree_with_the_definition(prover, played, range(1, 2), range(2))
    crowds = walks.crowded_positions(6 * count, seed=9)
    assert agree_with_the_definition(prover, crowds, range(1, 3), range(2)) > count // 2


@pytest.fixture(
    scope="module",
    params=[chess.ROOK, pytest.param(chess.QUEEN, marks=pytest.mark.slow)],
    ids=chess.piece_name,
)
def endgame(request: pytest.FixtureRequest) -> endgames.Endgame:
    return endgames.solve_endgame(request.param)


@pytest.mark.parametrize(
    ("every", "longest", "from_nothing"),
    [(307, 9, True), pytest.param(1, 99, False, marks=pytest.mark.slow)],
)
def test_endgame_distances_are_those_solved_backwards(
    kernel: Kernel,
    endgame: endgames.Endgame,
    every: int,
    longest: int,
    from_nothing: bool,
) -> None:
    """The known distance is a mate and a move less is none, with or without bounds."""
    prover = Asked(kernel, MANY_BUCKETS)
    won = [
        (plies, board)
        for turn in chess.COLORS
        for board, plies in islice(endgame.won(turn), 0, None, every)
        if plies <= longest
    ]
    for plies, board in sorted(won, key=lambda entry: entry[0]):
        attacking, moves = board.turn == chess.WHITE, (plies + 1) // 2
        for limit, expected in ((moves, True), (moves - 1, False)):
            if from_nothing:
                prover.forget()
            if limit >= 0:
                found = prover.reaches(board, limit, attacking=attacking)
                assert found == expected, f"{board.fen()}: {limit} of {moves} moves"


@pytest.fixture(scope="module")
def varied() -> list[chess.Board]:
    """Return small, crowded and played positions."""
    return [
        *walks.small_positions(160, seed=12),
        *walks.crowded_positions(100, seed=12),
        *walks.random_positions(50, seed=12),
    ]


def test_the_other_colour_the_other_wing_and_any_table_have_the_same_answers(
    kernel: Kernel, varied: list[chess.Board]
) -> None:
    """A mate is one in more moves too, also if the most moves are tried first."""
    prover, *others = (Asked(kernel, size) for size in (FEW_BUCKETS, 1, 2, 64))
    for board in varied:
        answers = prover.answers(board, 3)
        assert prover.answers(board.mirror(), 3) == answers, board.fen()
        if not board.castling_rights:
            mirrored = board.transform(chess.flip_horizontal)
            assert prover.answers(mirrored, 3) == answers, board.fen()
        for other in others:
            assert other.answers(board, 3) == answers, board.fen()
        assert answers[:3] == sorted(answers[:3]), board.fen()
        assert answers[3:] == sorted(answers[3:]), board.fen()
        prover.forget()
        found = prover.reaches(board, 3, attacking=True)
        assert found == answers[2], board.fen()


def test_a_stopped_search_leaves_only_what_is_true(
    prover: Asked, varied: list[chess.Board]
) -> None:
    random = Random(14)
    stopped = 0
    for board in varied:
        expected = prover.answers(board, 3)[2]
        prover.forget()
        for _ in range(6):
            prover.search.node_limit = prover.search.nodes + random.randint(1, 300)
            verdict = prover.decide(board, 3, attacking=True)
            stopped += verdict is Decision.STOPPED
            assert verdict in {Decision.STOPPED, Decision(expected)}, board.fen()
        prover.search.node_limit = NO_LIMIT
        assert prover.reaches(board, 3, attacking=True) == expected, board.fen()
    assert stopped > 50


# The lists that the play of a problem is built from


def test_solving_moves_and_refutations_are_those_of_the_definition(
    prover: Asked,
) -> None:
    """Solving moves in the generator's order, refutations up to a number."""
    kernel, search, solved, cut = prover.kernel, prover.search, 0, 0
    for board in walks.small_positions(60, seed=1):
        words = kernel.moves(pack_board(board), search)
        order = [unpack_move(board, word).uci() for word in words]
        for n in (1, 2):
            keys, found = naive.keys(board, n), prover.solving(board, n)
            assert found == [uci for uci in order if uci in keys], (board.fen(), n)
            solved += bool(found)
            refuting = {
                move.uci()
                for move, after in naive.successors(board)
                if not naive.mate_in(after, n - 1)
            }
            for most in (1, 2, 300):
                listed = prover.refutations(board, n - 1, most)
                assert len({*listed}) == len(listed) == min(most, len(refuting))
                assert {*listed} <= refuting, (board.fen(), n)
                cut += len(listed) < len(refuting)
    assert solved > 9
    assert cut > 70
    prover.forget()
    search.stop, position = 1, pack_board(chess.Board())
    assert kernel.solving_moves(position, search, 5) is None
    assert kernel.refutations(position, search, 5, 9) is None
    assert kernel.list_continuations(position, search, 5, threats=True) is None


@pytest.mark.parametrize("all_defences", [False, True])
def test_a_level_is_named_in_pieces_as_large_as_the_text(
    all_defences: bool, prover: Asked
) -> None:
    """The list is longer than a row. A defence that matters answers some threat."""
    board = chess.Board("4r3/5b2/6k1/3Q3R/1Kb2Qb1/7Q/6Qb/Q2r4 b - - 0 1")
    search, position, passed = prover.search, pack_board(board), board.copy()
    passed.push(chess.Move.null())
    threats = naive.keys(passed, 1)
    answers = {m.uci(): naive.keys(after, 1) for m, after in naive.successors(board)}
    expected = {
        reply: sorted(found)
        for reply, found in sorted(answers.items())
        if found and (all_defences or not threats <= found)
    }
    size = prover.kernel.list_continuations(position, search, 1, threats=True)
    assert size is not None
    assert size > MAX_LEGAL_MOVES
    rows = MoveWriter(search).level(
        position, size, black=True, all_defences=all_defences
    )
    assert (len(rows) * 30 > MOVES_TEXT_BYTES) == all_defences, "called again"
    before, shown, reply = passed, dict[str, list[str]](), "threats"
    for row in rows:
        is_defence = row.head[0] == "D"
        after = board if is_defence else before
        assert after.san(chess.Move.from_uci(row.uci)) == row.san
        if is_defence:
            before, reply = board.copy(stack=False), row.uci
            before.push_uci(reply)
        else:
            assert row.head == ("T0" if reply == "threats" else "A0")
            shown.setdefault(reply, []).append(row.uci)
    assert shown.pop("threats") == sorted(threats)
    assert [*shown.items()] == [*expected.items()]


def test_the_last_move_is_no_try_and_a_null_move_ends_en_passant(
    prover: Asked,
) -> None:
    kernel, search, start = prover.kernel, prover.search, pack_board(chess.Board())
    assert [kernel.has_tries(start, search, n) for n in (1, 2)] == [False, True]
    board = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    passed = kernel.made(pack_board(board), search, NULL_MOVE)
    board.push(chess.Move.null())
    assert bytes(passed) == bytes(pack_board(board))
