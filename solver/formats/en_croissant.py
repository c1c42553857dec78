"""En Croissant's puzzle databases (`.db3`, SQLite), written.

Versions 0.9 to 0.15, read for this, play the first of the moves for the opponent, so a
row begins one move before its problem. No cell may be null. The tables of themes are
optional; without them the later versions warn.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import chess

from solver.errors import InputError
from solver.formats.evidence import AND_MORE
from solver.position_text import write_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from solver.problem import Problem

_SCHEMA = """
CREATE TABLE puzzles (id INTEGER PRIMARY KEY, fen TEXT NOT NULL, moves TEXT NOT NULL,
    rating INTEGER NOT NULL, rating_deviation INTEGER NOT NULL,
    popularity INTEGER NOT NULL, nb_plays INTEGER NOT NULL);
CREATE TABLE themes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE puzzle_themes (puzzle_id INTEGER NOT NULL, theme_id INTEGER NOT NULL,
    PRIMARY KEY (puzzle_id, theme_id)) WITHOUT ROWID;
CREATE INDEX puzzles_by_rating ON puzzles (rating);
"""

_UNRATED = 1500, 500, 0, 0
"""Rating, its deviation, popularity and plays of a puzzle that nobody has rated:
Glicko-2's first rating, which the program's first choice of ratings, 1000 to 1500,
includes."""


class PuzzleRow(NamedTuple):
    """A puzzle: where it begins, its moves, and how many of them the solver plays."""

    fen: str
    moves: str
    length: int


def write_sqlite(
    problem: Problem, accepted: Mapping[str, Any] | None = None
) -> PuzzleRow:
    """Return the row of a problem, with the opponent's move that leads to it.

    Parameters
    ----------
    problem : Problem
        Where the source does not say which move leads to it, one is taken back.
    accepted : dict, optional
        Its accepted tree, which has a line if the problem has none.

    Raises
    ------
    InputError
        It has no line in which the side to move mates, or no quiet move leads to it.
    """
    fen, claim = problem.fen, problem.claim
    other = problem.stipulation.beside_claim.text  # than a mate
    line = claim.line if claim and not other else ()
    if accepted and not _mates(fen, line):
        line = _first_line(accepted, claim.keys if claim else ())
    if not _mates(fen, line):
        found = other or " ".join(line) or "none"
        msg = f"line: expected moves up to the solver's mate, found {found}"
        raise InputError(msg if other else f"{msg}; --accepted finds them")
    before, move = problem.before or take_back(fen)
    return PuzzleRow(before, " ".join((move, *line)), len(line) // 2 + 1)


def save_rows(rows: Iterable[PuzzleRow], file: BinaryIO) -> None:
    """Write the database, with a theme for each length as lichess names it."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(_SCHEMA)
        themes = [f"mateIn{moves}" for moves in range(1, AND_MORE + 1)]
        base.executemany("INSERT INTO themes VALUES (?, ?)", enumerate(themes, 1))
        for number, (fen, moves, length) in enumerate(rows, 1):
            row = (number, fen, moves, *_UNRATED)
            base.execute("INSERT INTO puzzles VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            theme = min(length, AND_MORE)
            base.execute("INSERT INTO puzzle_themes VALUES (?, ?)", (number, theme))
        base.commit()
        file.write(base.serialize())


def _mates(fen: str, line: Sequence[str]) -> bool:
    """Return whether a line ends in mate by the side that begins it."""
    return len(line) % 2 == 1 and write_lines(fen, [line])[0][-1].endswith("#")


def _first_line(accepted: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    """Return the first line of a tree, which begins with one of the keys if it can."""
    line: list[str] = []
    while moves := accepted.get("right_moves"):
        accepted = next((move for move in moves if move["uci"] in keys), moves[0])
        line.append(accepted["uci"])
        if reply := accepted.get("reply"):
            line.append(reply["uci"])
        keys = ()
    return tuple(line)


def take_back(fen: str) -> tuple[str, str]:
    """Return a legal position and a quiet move of the opponent that leads from it.

    It is the first one, by the square where it ends and then by the square where it
    begins, from a1 to h8.

    Raises
    ------
    InputError
        There is none.
    """
    board = chess.Board(fen)
    side = not board.turn
    for end in chess.scan_forward(board.occupied_co[side]):
        piece = board.piece_at(end)
        assert piece
        starts = board.attacks(end)
        if piece.piece_type == chess.PAWN:
            behind = 8 if side == chess.BLACK else -8
            squares = end + behind, end + 2 * behind
            starts = chess.SquareSet(one for one in squares if one in chess.SQUARES)
        for start in starts - board.occupied:
            before = board.copy(stack=False)
            before.turn, before.ep_square = side, None
            before.halfmove_clock = max(board.halfmove_clock - 1, 0)
            before.fullmove_number = max(board.fullmove_number - (not side), 1)
            before.remove_piece_at(end)
            before.set_piece_at(start, piece)
            move = chess.Move(start, end)
            if before.is_valid() and before.is_legal(move):
                taken_back = before.fen()
                before.push(move)
                if before.epd() == board.epd():
                    return taken_back, move.uci()
    msg = "position: expected one that a quiet move leads to, found none to take back"
    raise InputError(msg)
