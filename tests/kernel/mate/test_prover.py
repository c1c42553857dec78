"""The prover agrees with slow oracles, and with itself where nothing may change."""

from __future__ import annotations

import ctypes
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.kernel.border.search_struct import PositionStruct, Search
from tests.oracles import endgames, naive, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.kernel.border.interface import Kernel

BUCKET_BYTES = 64
MANY_BUCKETS = 1 << 20
FEW_BUCKETS = 1 << 12


class Prover:
    """The kernel with its memory; `forget` empties the table."""

    def __init__(self, kernel: Kernel, buckets: int) -> None:
        self.kernel = kernel
        self._memory = (ctypes.c_char * (buckets * BUCKET_BYTES))()
        self.search = Search(
            node_limit=NO_LIMIT, table=ctypes.addressof(self._memory), buckets=buckets
        )
        self.forget()

    def forget(self) -> None:
        self.search.generation += 1

    def mates(self, position: PositionStruct, moves: int, *, attacking: bool) -> bool:
        verdict = self.kernel.mates_within(
            position, self.search, moves, attacking=attacking
        )
        assert verdict is not Decision.STOPPED
        return verdict is Decision.MATE

    def answers(self, board: chess.Board, most: int) -> list[bool]:
        """Return the answers to mate in 1 to `most`, then to mated in 0 to `most`."""
        self.forget()
        position = pack_board(board)
        return [
            *(self.mates(position, n, attacking=True) for n in range(1, most + 1)),
            *(self.mates(position, n, attacking=False) for n in range(most + 1)),
        ]


@pytest.fixture
def prover(kernel: Kernel) -> Prover:
    return Prover(kernel, FEW_BUCKETS)


def agree_with_the_definition(
    prover: Prover, boards: Iterable[chess.Board], attacking: range, defending: range
) -> int:
    """Compare the answers for these numbers of moves; return the number of mates."""
    mates = 0
    for board in boards:
        prover.forget()
        position = pack_board(board)
        for n in attacking:
            expected = naive.mate_in(board, n)
            assert prover.mates(position, n, attacking=True) == expected, (
                f"{board.fen()}: mate in {n} expected {expected}"
            )
            mates += expected
        for n in defending:
            expected = naive.mated_in(board, n)
            assert prover.mates(position, n, attacking=False) == expected, (
                f"{board.fen()}: mated in {n} expected {expected}"
            )
            mates += expected
    return mates


@sized("count", 60, 500)
def test_mates_in_two_are_those_of_the_definition(prover: Prover, count: int) -> None:
    boards = walks.small_positions(count, seed=7)
    mates = agree_with_the_definition(prover, boards, range(1, 3), range(3))
    assert mates > count // 5


@sized("count", 8, 25)
def test_mates_in_three_are_those_of_the_definition(prover: Prover, count: int) -> None:
    small = walks.small_positions(120, seed=8)
    boards = [board for board in small if chess.popcount(board.occupied) <= 4]
    attackers, defenders = boards[:count], boards[count : 2 * count]
    mates = agree_with_the_definition(prover, attackers, range(3, 4), range(0))
    mates += agree_with_the_definition(prover, defenders, range(0), range(3, 4))
    assert mates > count // 5


def test_mates_from_play_are_those_of_the_definition(prover: Prover) -> None:
    boards = walks.random_positions(40, seed=9)
    agree_with_the_definition(prover, boards, range(1, 2), range(2))
    crowds = walks.crowded_positions(50, seed=9)
    assert agree_with_the_definition(prover, crowds, range(1, 3), range(2)) > 5


BLOCK = 250


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 5000, BLOCK))
def test_five_thousand_positions_are_as_defined(prover: Prover, first: int) -> None:
    """Both roles up to two moves, and one of the two roles for three moves.

    A quarter of an hour: `pytest -m slow -k five_thousand`.
    """
    boards = list(islice(walks.small_positions(5000, seed=10), first, first + BLOCK))
    agree_with_the_definition(prover, boards[::2], range(1, 4), range(3))
    agree_with_the_definition(prover, boards[1::2], range(1, 3), range(4))


@pytest.fixture(
    scope="module",
    params=[chess.ROOK, pytest.param(chess.QUEEN, marks=pytest.mark.slow)],
    ids=chess.piece_name,
)
def endgame(request: pytest.FixtureRequest) -> endgames.Endgame:
    return endgames.solve_endgame(request.param)


def by_distance(
    endgame: endgames.Endgame, every: int
) -> Iterator[tuple[chess.Board, int]]:
    """Return a sample for either side to move, the nearest to mate first."""
    won = [
        (plies, board)
        for turn in chess.COLORS
        for board, plies in islice(endgame.won(turn), 0, None, every)
    ]
    won.sort(key=lambda entry: entry[0])
    for plies, board in won:
        yield board, plies


def agree_with_the_endgame(
    kernel: Kernel, endgame: endgames.Endgame, every: int
) -> None:
    """Search for the known distance and for one move less; bounds are kept."""
    prover = Prover(kernel, MANY_BUCKETS)
    for board, plies in by_distance(endgame, every):
        position, attacking = pack_board(board), board.turn == chess.WHITE
        moves = (plies + 1) // 2
        for limit, expected in ((moves - 1, False), (moves, True)):
            if limit >= 0:
                found = prover.mates(position, limit, attacking=attacking)
                assert found == expected, f"{board.fen()}: {limit} of {moves} moves"


@pytest.mark.slow
def test_endgame_distances_are_those_solved_backwards(
    kernel: Kernel, endgame: endgames.Endgame
) -> None:
    agree_with_the_endgame(kernel, endgame, every=97)


@pytest.mark.slow
def test_whole_endgame_is_as_solved_backwards(
    kernel: Kernel, endgame: endgames.Endgame
) -> None:
    agree_with_the_endgame(kernel, endgame, every=1)


def test_near_mates_of_an_endgame_are_found_from_nothing(
    prover: Prover, endgame: endgames.Endgame
) -> None:
    for board, plies in by_distance(endgame, every=211):
        if plies <= 9:
            prover.forget()
            position, attacking = pack_board(board), board.turn == chess.WHITE
            moves = (plies + 1) // 2
            assert prover.mates(position, moves, attacking=attacking), board.fen()
            prover.forget()
            if moves:
                less = prover.mates(position, moves - 1, attacking=attacking)
                assert not less, board.fen()


def test_who_escapes_in_an_endgame_is_not_mated(
    prover: Prover, endgame: endgames.Endgame
) -> None:
    random = Random(11)
    escapes = 0
    while escapes < 100:
        board = chess.Board(None)
        board.turn = chess.BLACK
        squares = random.sample(chess.SQUARES, 3)
        pieces = (
            chess.Piece(chess.KING, chess.BLACK),
            chess.Piece(chess.KING, chess.WHITE),
            chess.Piece(endgame.piece, chess.WHITE),
        )
        board.set_piece_map(dict(zip(squares, pieces, strict=True)))
        if board.is_valid() and endgame.plies_to_mate(board) is None:
            prover.forget()
            assert not prover.mates(pack_board(board), 4, attacking=False), board.fen()
            escapes += 1


@pytest.fixture(scope="module")
def varied() -> list[chess.Board]:
    """Return small, crowded and played positions."""
    return [
        *walks.small_positions(240, seed=12),
        *walks.crowded_positions(160, seed=12),
        *walks.random_positions(80, seed=12),
    ]


def test_the_other_colour_has_the_same_answers(
    prover: Prover, varied: list[chess.Board]
) -> None:
    for board in varied:
        assert prover.answers(board, 3) == prover.answers(board.mirror(), 3), (
            board.fen()
        )


def test_left_and_right_have_the_same_answers(
    prover: Prover, varied: list[chess.Board]
) -> None:
    for board in varied:
        if not board.castling_rights:
            mirrored = board.transform(chess.flip_horizontal)
            assert prover.answers(board, 3) == prover.answers(mirrored, 3), board.fen()


def test_any_size_of_table_gives_the_same_answers(
    kernel: Kernel, varied: list[chess.Board]
) -> None:
    provers = [Prover(kernel, buckets) for buckets in (1, 2, 64, MANY_BUCKETS)]
    answered = 0
    for board in varied:
        first, *others = (prover.answers(board, 3) for prover in provers)
        assert all(answers == first for answers in others), board.fen()
        answered += any(first)
    assert answered > 20


def test_a_mate_is_one_in_more_moves_too_and_a_mate_in_fewer_is_found(
    prover: Prover, varied: list[chess.Board]
) -> None:
    for board in varied:
        answers = prover.answers(board, 4)
        mates, mated = answers[:4], answers[4:]
        assert mates == sorted(mates), board.fen()
        assert mated == sorted(mated), board.fen()
        # With an empty table and the most moves at once, the answer is the same.
        prover.forget()
        assert prover.mates(pack_board(board), 4, attacking=True) == mates[-1], (
            board.fen()
        )


def test_bounds_kept_from_other_questions_change_no_answer(
    prover: Prover, varied: list[chess.Board]
) -> None:
    """All questions, in any order, in one generation."""
    expected = {board.fen(): prover.answers(board, 3) for board in varied}
    prover.forget()
    questions = [(board, n) for board in varied for n in range(7)]
    Random(13).shuffle(questions)
    for board, n in questions:
        attacking = n < 3
        moves = n + 1 if attacking else n - 3
        found = prover.mates(pack_board(board), moves, attacking=attacking)
        assert found == expected[board.fen()][n], (board.fen(), moves, attacking)


def test_a_stopped_search_leaves_only_what_is_true(
    kernel: Kernel, varied: list[chess.Board]
) -> None:
    prover = Prover(kernel, FEW_BUCKETS)
    random = Random(14)
    stopped = 0
    for board in varied:
        expected = prover.answers(board, 3)[2]
        prover.forget()
        position = pack_board(board)
        for _ in range(6):
            prover.search.node_limit = prover.search.nodes + random.randint(1, 300)
            verdict = kernel.mates_within(position, prover.search, 3)
            stopped += verdict is Decision.STOPPED
            assert verdict in {Decision.STOPPED, Decision(expected)}, board.fen()
        prover.search.node_limit = NO_LIMIT
        assert prover.mates(position, 3, attacking=True) == expected, board.fen()
    assert stopped > 50


def test_the_same_question_costs_the_same_nodes(
    prover: Prover, varied: list[chess.Board]
) -> None:
    def costs() -> list[int]:
        spent = []
        for board in varied:
            search = prover.search
            for remembered in (search.killers, search.counters, search.history):
                ctypes.memset(remembered, 0, ctypes.sizeof(remembered))
            before = search.nodes
            prover.answers(board, 3)
            spent.append(search.nodes - before)
        return spent

    assert costs() == costs()
