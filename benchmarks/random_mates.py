"""Distinct positions with a mate in 1 to 3, in the columns of lichess's puzzles.

Each is found in two steps:

1. Compiled code puts pieces on random squares, more of the attacker than of the
   defender, and makes a random legal move of the defender.
2. The kernel's prover finds whether the attacker then mates in 1, 2 or 3, and with
   which line. Mates in 3 are searched for in one of `DEEP` positions, because most of
   lichess's mates are in 1 or 2.

The same seed gives the same rows, whatever the versions of numpy and numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import numba
import numpy as np

from benchmarks.lichess import name_of
from solver.board import pack_board
from solver.kernel.border.interface import Decision
from solver.kernel.border.search_struct import PositionStruct
from solver.kernel.build.jit import population
from solver.kernel.rules.bitboards import checkers, leaves_king_attacked, make
from solver.kernel.rules.mating import mate_in_one
from solver.kernel.rules.movegen import generate
from solver.position_text import uci_line
from solver.search.workspaces import Workspace
from tests.kernel.positions import WORDS, position_of, write_position

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTHS = {1: "oneMove", 2: "short", 3: "long"}
"""lichess's themes for the number of the solver's moves."""

MOST_DEFENDERS = 10
MOST_ATTACKERS = 13
"""Pieces besides the kings, each number as often as the others."""

MOVES_BY_PLACEMENT = 2
BATCH = 4096
DEEP = 4
HASH_MIB = 16

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 4, 8, 12, 16
"""The bitboards that a piece is on, one bit for each of the first five words."""

DEFENDERS = np.array([PAWN] * 5 + [KNIGHT, BISHOP, ROOK, ROOK, QUEEN])
ATTACKERS = np.array([PAWN] * 3 + [KNIGHT] * 2 + [BISHOP] * 2 + [ROOK] * 2 + [QUEEN])
"""Pieces and how often they are chosen."""

ONE = np.uint64(1)
NOTHING = np.uint64(0)
LAST_RANKS = np.uint64(0xFF000000000000FF)
"""The first and the last rank, where no pawn stands."""


class Batch(NamedTuple):
    """Positions before and after a move of the defender, each seen by the side to move.

    A position is a row of `WORDS` of the kernel. `mates` has a move of the attacker
    that mates at once, or 0; `white` is 1 if White is the defender, and `longest` the
    longest mate to search for, 2 or 3.
    """

    before: np.ndarray
    after: np.ndarray
    moves: np.ndarray
    mates: np.ndarray
    white: np.ndarray
    longest: np.ndarray


@numba.njit
def draw(state: Any, below: int) -> Any:
    """Draw a number from 0 to before `below`, by splitmix64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.int64((mixed >> np.uint64(33)) % np.uint64(below))


@numba.njit
def put(state: Any, words: Any, kind: int, side: int) -> None:
    """Put a piece on a random free square; `side` is 5, to move, or 6."""
    while True:
        square = ONE << np.uint64(draw(state, 64))
        if (words[5] | words[6]) & square or (kind == PAWN and square & LAST_RANKS):
            continue
        for word in range(5):
            if kind >> word & 1:
                words[word] |= square
        words[side] |= square
        return


@numba.njit
def place(state: Any, words: Any) -> None:
    """Fill eight words with a random position, legal or not, the defender to move."""
    words[:] = NOTHING
    put(state, words, KING, 5)
    put(state, words, KING, 6)
    for _ in range(draw(state, MOST_DEFENDERS + 1)):
        put(state, words, DEFENDERS[draw(state, len(DEFENDERS))], 5)
    for _ in range(1 + draw(state, MOST_ATTACKERS)):
        put(state, words, ATTACKERS[draw(state, len(ATTACKERS))], 6)


@numba.njit
def fill(state: Any, batch: Batch) -> None:
    """Fill a batch with legal positions; the defender was not in check."""
    words = np.empty(WORDS, np.uint64)
    moves = np.empty(256, np.uint64)
    filled = 0
    while filled < len(batch.moves):
        place(state, words)
        position = position_of(words)
        if (
            population(words[0] & words[5]) > 8
            or population(words[0] & words[6]) > 8
            or leaves_king_attacked(position)
            or checkers(position)
        ):
            continue
        size = generate(position, moves)
        for _ in range(min(size, MOVES_BY_PLACEMENT, len(batch.moves) - filled)):
            move = moves[draw(state, size)]
            after = make(position, move)
            batch.moves[filled] = move
            write_position(batch.before[filled], position)
            write_position(batch.after[filled], after)
            batch.mates[filled] = mate_in_one(after)
            batch.white[filled] = draw(state, 2)
            batch.longest[filled] = 2 if draw(state, DEEP) else 3
            filled += 1


def mates(seed: int) -> Iterator[str]:
    """Yield rows of CSV; no two have the same position after the defender's move."""
    for number, (fen, moves) in enumerate(puzzles(seed)):
        name = name_of(number)
        mate = len(moves) // 2
        rating = 400 * mate + sum(map(ord, fen)) % 500
        yield (
            f"{name},{fen},{' '.join(moves)},{rating},75,90,1000,mate mateIn{mate} "
            f"{LENGTHS[mate]},https://lichess.org/{name}#40,\n"
        )


def puzzles(seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the FEN before the defender's move, and this move with the mating line."""
    state = np.array([seed], np.uint64)
    words = np.empty((2, BATCH, WORDS), np.uint64)
    moves = np.empty((2, BATCH), np.uint64)
    batch = Batch(*words, *moves, *np.empty((2, BATCH), np.int64))
    workspace = Workspace(HASH_MIB)
    board = chess.Board(None)
    seen = set()
    while True:
        fill(state, batch)
        workspace.begin(None)
        for row in zip(*(column.tolist() for column in batch), strict=True):
            before, after, move, mate, white, longest = row
            line = [mate] if mate else find_line(workspace, after, longest)
            # The words of both sides, exchanged, are another position.
            key = hash((*after, white))
            if line and key not in seen:
                seen.add(key)
                set_up(board, before, white=bool(white))
                yield (
                    board.fen(en_passant="fen"),
                    uci_line(pack_board(board), [move, *line], black=not board.turn),
                )


def find_line(workspace: Workspace, words: list[int], longest: int) -> list[int]:
    """Return the kernel's line of a mate in 2 to `longest`; empty if there is none."""
    kernel, search = workspace.kernel, workspace.search
    position = PositionStruct(*words)
    for mate in range(2, longest + 1):
        if kernel.mates_within(position, search, mate) == Decision.MATE:
            return kernel.line(position, search, mate)
    return []


def set_up(board: chess.Board, words: list[int], *, white: bool) -> None:
    """Set up the kernel's position, in which White is to move if `white`."""
    if not white:
        words = list(map(chess.flip_vertical, words))
    pawns, knights, diagonal, orthogonal, kings, us, them, _ = words
    board.pawns, board.knights, board.kings = pawns, knights, kings
    board.bishops = diagonal & ~orthogonal
    board.rooks = orthogonal & ~diagonal
    board.queens = orthogonal & diagonal
    board.occupied_co[white] = us
    board.occupied_co[not white] = them
    board.occupied = us | them
    board.turn = white
