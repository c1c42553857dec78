"""The tables against slow oracles, the rules and known results, and their answers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import chess
import numba
import numpy as np
import pytest

from solver.endgames import endgame_table, ending, probe
from solver.endgames.probe import EndingAnswer, find_ending
from solver.kernel.rules.bitboards import (
    checkers,
    king_attacks,
    leaves_king_attacked,
    origin,
    target,
)
from solver.kernel.rules.movegen import generate
from tests.endgames.boards import ENDINGS, random_boards
from tests.kernel.positions import position_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endgames.endgame_table import Table
    from solver.endgames.ending import Pieces

# fmt: off
LONGEST = {
    "KQvK": 10, "KRvK": 16, "KBvK": 0, "KNvK": 0, "KBBvK": 19, "KBNvK": 33, "KQvKR": 35,
    "KQvKB": 17, "KQvKN": 21, "KRvKB": 29, "KRvKN": 40, "KRvKR": 19, "KQvKQ": 13,
}
# fmt: on
"""Longest mates, as all published endgame tables have them."""

SAMPLE = ("KQvK", "KRvK", "KBvK", "KNvK", "KRBvK", "KQvKR")
"""Every entry of these is tested always, of the others in the slow suite."""

IMAGES = np.array([reflection.images for reflection in endgame_table.REFLECTIONS])
PLACES = np.array([reflection.place for reflection in endgame_table.REFLECTIONS])


def never() -> bool:
    return False


def pieces_of(name: str) -> tuple[ending.Piece, ...]:
    ours, theirs = (
        [chess.Piece.from_symbol(symbol).piece_type for symbol in side[1:]]
        for side in name.split("v")
    )
    pieces = tuple(ending.Piece(attacks=True, kind=kind) for kind in ours)
    return pieces + tuple(ending.Piece(attacks=False, kind=kind) for kind in theirs)


def table_of(name: str) -> endgame_table.Table:
    pieces = pieces_of(name)
    tables = probe.get_tables(pieces, never)
    assert tables is not None
    return tables[pieces]


KINGS = np.array(endgame_table.TRIANGLE)
CORRECT = -1
ONE = np.uint64(1)


@numba.njit
def _entry(squares: Any, captured: int) -> Any:
    """Return the index of an entry: the attacker's king, the pieces, the other king."""
    index = PLACES[squares[0]]
    for piece in range(1, len(squares)):
        if piece != captured:
            index = 64 * index + IMAGES[squares[0], squares[piece]]
    return index


@numba.njit
def _set_up(squares: Any, kinds: Any, attacks: Any, attacking: bool) -> Any:
    """Return the position with one side to move."""
    boards = np.zeros(8, np.uint64)
    for piece, square in enumerate(squares):
        bit = ONE << np.uint64(square)
        for board in range(5):
            if kinds[piece] >> board & 1:
                boards[board] |= bit
        boards[5 if attacks[piece] == attacking else 6] |= bit
    return position_of(boards)


@numba.njit
def _value(
    squares: Any, kinds: Any, attacks: Any, attacking: bool, after: Any, smaller: Any
) -> Any:
    """Return what an entry must be, given those of all positions after it."""
    position = _set_up(squares, kinds, attacks, attacking)
    if leaves_king_attacked(position):
        return endgame_table.ILLEGAL
    moves = np.empty(256, np.uint64)
    size = generate(position, moves)
    if size == 0:
        return 0 if not attacking and checkers(position) else endgame_table.NO_MATE
    best = endgame_table.NO_MATE if attacking else 0
    child = squares.copy()
    for index in range(size):
        end = np.int64(target(moves[index]))
        mover, captured = 0, 0
        for piece, square in enumerate(squares):
            child[piece] = square
            if square == end:
                captured = piece
            if square == np.int64(origin(moves[index])):
                mover = piece
        child[mover] = end
        table = smaller[captured - 1] if captured else after
        value: Any = np.int64(table[_entry(child, captured or -1)])
        if attacking and value != endgame_table.NO_MATE:
            best = min(best, value + 1)
        elif not attacking:
            best = max(best, value)
    return best


@numba.njit
def _first_wrong(kinds: Any, attacks: Any, nodes: Any, smaller: Any) -> int:
    """Return the first entry that does not follow from the others, or CORRECT.

    Of `nodes` and `smaller`, the first is the defender's and the second the attacker's.
    """
    squares = np.zeros(len(kinds), np.int64)
    for index in range(nodes.shape[1]):
        rest = index
        is_double = False
        for piece in range(len(kinds) - 1, -1, -1):
            squares[piece] = rest % 64 if piece else KINGS[rest]
            rest //= 64
            for other in range(piece + 1, len(kinds)):
                is_double |= squares[other] == squares[piece]
        near = king_attacks(np.uint64(squares[0])) >> np.uint64(squares[-1]) & ONE
        for side in range(2):
            expected = endgame_table.ILLEGAL
            if not is_double and not near:
                after = nodes[1 - side], smaller[1 - side]
                expected = _value(squares, kinds, attacks, side == 1, *after)
            if nodes[side, index] != expected:
                return index
    return CORRECT


BOARDS = {
    chess.KNIGHT: 0b00010,
    chess.BISHOP: 0b00100,
    chess.ROOK: 0b01000,
    chess.QUEEN: 0b01100,
    chess.KING: 0b10000,
}
"""The boards of a `Position` that have a piece."""


def flat(tables: list[endgame_table.Table]) -> np.ndarray:
    """Return the entries: the side to move, the table, the index."""
    nodes = ("defender_nodes", "attacker_nodes")
    return np.array([[getattr(t, name).ravel() for t in tables] for name in nodes])


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SAMPLE else pytest.mark.slow)
        for name in ENDINGS
    ],
)
def test_every_entry_follows_from_those_after_it(name: str) -> None:
    """So all are right: by induction over the moves to mate, from the mates on."""
    pieces = pieces_of(name)
    tables = probe.get_tables(pieces, never)
    assert tables is not None
    smaller = [tables[pieces[:i] + pieces[i + 1 :]] for i in range(len(pieces))]
    king = BOARDS[chess.KING]
    wrong = _first_wrong(
        np.array([king, *(BOARDS[piece.kind] for piece in pieces), king]),
        np.array([True, *(piece.attacks for piece in pieces), False]),
        flat([tables[pieces]])[:, 0],
        flat(smaller),
    )
    assert wrong == CORRECT


@pytest.mark.parametrize("name", LONGEST)
def test_longest_mates_are_the_known_ones(name: str) -> None:
    assert table_of(name).longest == LONGEST[name]


ROOK = "8/8/8/4k3/8/8/8/R3K3 b - - 0 1"
NO_MATE = EndingAnswer(None)


def find(
    board: chess.Board,
    attacker: chess.Color = chess.WHITE,
    is_stopped: Callable[[], bool] = bool,
) -> EndingAnswer | None:
    """Look a position up; `bool` never stops."""
    return find_ending(board, attacker, is_stopped=is_stopped)


def test_reflections_and_colours_change_nothing() -> None:
    turns = (chess.flip_horizontal, chess.flip_vertical, chess.flip_diagonal)
    for board, attacker in random_boards("KQvKR", 15, seed=6):
        answer = find(board, attacker)
        assert answer is not None
        images = [find(board.transform(turn), attacker) for turn in turns]
        for other in (find(board.mirror(), not attacker), *images):
            assert other is not None
            assert other.moves == answer.moves
            assert len(other.keys) == len(answer.keys)


@pytest.mark.parametrize(
    ("fen", "attacker", "answer"),
    [
        ("R3k3/8/4K3/8/8/8/8/8 b - - 0 1", chess.WHITE, EndingAnswer(0)),
        ("k7/2Q5/8/8/8/8/8/4K3 b - - 0 1", chess.WHITE, NO_MATE),  # stalemate
        ("8/8/8/3k4/3R4/8/8/K7 b - - 0 1", chess.WHITE, NO_MATE),  # the rook falls
        ("8/8/4k3/8/8/2NNK3/8/8 w - - 0 1", chess.WHITE, NO_MATE),  # two knights
        (ROOK, chess.BLACK, NO_MATE),  # a bare king
        ("8/8/8/4k3/8/8/P7/R3K3 w - - 0 1", chess.WHITE, None),  # a pawn
        ("8/8/8/4k3/8/8/8/R3K3 w Q - 0 1", chess.WHITE, None),  # castling
        ("8/8/8/4k3/8/8/8/RNB1K3 w - - 0 1", chess.WHITE, None),  # five pieces
    ],
)
def test_what_is_no_mate_is_known_and_other_positions_are_not(
    fen: str, attacker: chess.Color, answer: EndingAnswer | None
) -> None:
    assert find(chess.Board(fen), attacker) == answer


def test_a_stopped_build_returns_nothing_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "_TABLES", {})
    for most in range(8):
        polls = iter([False] * most + [True])
        assert find(chess.Board(ROOK), is_stopped=polls.__next__) is None
    answer = find(chess.Board(ROOK))
    assert answer is not None
    assert answer.moves
    # A thread that waits for another can be stopped too.
    monkeypatch.setattr(probe, "_TABLES", {})
    answers = iter([False, False, True])
    with probe._BUILDING:
        assert find(chess.Board(ROOK), is_stopped=answers.__next__) is None
    assert next(answers, None) is None


def test_threads_share_the_tables_that_one_of_them_builds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[Pieces] = []
    build = endgame_table.build_table

    def count(
        pieces: Pieces, smaller: Mapping[int, Table], is_stopped: Callable[[], bool]
    ) -> Table | None:
        built.append(pieces)
        return build(pieces, smaller, is_stopped)

    monkeypatch.setattr(probe, "_TABLES", {})
    monkeypatch.setattr(endgame_table, "build_table", count)
    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(find, [chess.Board(ROOK) for _ in range(4)]))
    assert len(answers) == 1
    assert len(built) == len(set(built)) == 2  # KRvK, and the kings alone
