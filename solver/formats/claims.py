"""What a record may claim: distances and legal moves, read alike in every format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from solver.errors import InputError
from solver.problem import MAX_MOVES, Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import chess


# How an error message shows what was found.

_SHOWN_CHARACTERS = 60


def quote(text: str) -> str:
    """Quote the beginning of a text on one line, without control characters.

    Parameters
    ----------
    text : str
        Any text, however long.

    Returns
    -------
    str
        At most its first 60 characters in quotes, and dots where there are more.
    """
    shown = ascii(text[:_SHOWN_CHARACTERS])
    return shown + "..." if len(text) > _SHOWN_CHARACTERS else shown


def printable(name: str) -> str:
    """Make the name of a problem safe for a terminal, on one line.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        Single spaces between its words, and U+FFFD for what does not print.
    """
    words = " ".join(name.split())
    if words.isprintable():
        return words
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


# Which records of a collection are wanted.


@dataclass(frozen=True, slots=True)
class Selection:
    """What a record must be to be given; None asks for nothing.

    Attributes
    ----------
    theme : str or None
        A theme that a row of lichess's must have.
    min_moves, max_moves : int or None
        The least and the most moves claimed, whoever mates; for a claim that there is
        no mate, the moves it speaks of. With either, a record without a claim is out.
    min_rating : int or None
        The least rating of a row of lichess's.
    all_rows : bool
        Take rows of lichess's that claim no mate as well, as problems without a claim.
    """

    theme: str | None = None
    min_moves: int | None = None
    max_moves: int | None = None
    min_rating: int | None = None
    all_rows: bool = False

    @property
    def asks_for_length(self) -> bool:
        """Whether a record must claim something to be given."""
        return self.min_moves is not None or self.max_moves is not None

    def has_length(self, moves: int) -> bool:
        """Tell whether this many moves are neither too few nor too many."""
        return (self.min_moves is None or moves >= self.min_moves) and (
            self.max_moves is None or moves <= self.max_moves
        )

    def wants(self, problem: Problem) -> bool:
        """Tell whether what a problem claims has the length asked for."""
        if not self.asks_for_length:
            return True
        moves = abs(problem.claim.mate) if problem.claim else problem.no_mate
        return moves is not None and self.has_length(moves)


EVERYTHING = Selection()
"""All that claims a mate or may do so."""


_DISTANCE = re.compile(r"[+-]?[0-9]{1,9}")
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


def parse_distance(name: str, text: str) -> int:
    """Read moves to mate, negative where the side to move is mated.

    Parameters
    ----------
    name : str
        What the error calls it.
    text : str
        Decimal digits, with or without a sign.

    Raises
    ------
    InputError
        If it is no number from 1 to `MAX_MOVES` or from -`MAX_MOVES` to -1.
    """
    if not _DISTANCE.fullmatch(text) or not 1 <= abs(int(text)) <= MAX_MOVES:
        msg = (
            f"{name}: expected 1 to {MAX_MOVES} moves, negative when the side to "
            f"move is mated, found {quote(text)}"
        )
        raise InputError(msg)
    return int(text)


def parse_no_mate(name: str, text: str) -> int:
    """Read in how many moves there is no mate.

    Raises
    ------
    InputError
        If it is no number from 1 to `MAX_MOVES`.
    """
    if not _DISTANCE.fullmatch(text) or not 1 <= int(text) <= MAX_MOVES:
        msg = f"{name}: expected 1 to {MAX_MOVES} moves, found {quote(text)}"
        raise InputError(msg)
    return int(text)


def parse_move(board: chess.Board, name: str, text: str) -> chess.Move:
    """Read a move in SAN or UCI, with or without marks such as ! behind it.

    Raises
    ------
    InputError
        If it is not legal, or fits several men.
    """
    import chess

    bare = text.rstrip("+#!?")
    try:
        move = board.parse_uci(bare) if _UCI.fullmatch(bare) else board.parse_san(bare)
    except ValueError:
        move = chess.Move.null()
    if not move:  # python-chess reads -- and Z0 as passing, which no key does
        msg = (
            f"{name}: expected a legal move in SAN or UCI that fits one man only, "
            f"found {quote(text)}"
        )
        raise InputError(msg)
    return move


def parse_keys(board: chess.Board, name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Read first moves; give each once, in UCI notation.

    Raises
    ------
    InputError
        If one is not legal, or fits several men.
    """
    keys = (parse_move(board, name, word).uci() for word in words)
    return tuple(dict.fromkeys(keys))


def parse_line(board: chess.Board, name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Read moves that are played one after the other; give them in UCI notation.

    Raises
    ------
    InputError
        If one is not legal in its place, or fits several men.
    """
    board = board.copy(stack=False)
    line = []
    for word in words:
        move = parse_move(board, name, word)
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def make_problem(
    fen: str, name: str, source: str, claim: Claim | None, no_mate: int | None
) -> Problem:
    """Put together what a record says.

    Parameters
    ----------
    fen : str
        Six fields.
    name : str
        What the record calls itself; without a name it is called after its place.
    source : str
        `file:line`.
    claim : Claim or None
    no_mate : int or None

    Raises
    ------
    InputError
        If it claims both a mate and none.
    """
    if claim and no_mate:
        msg = (
            f"expected a mate or none, found a mate in {claim.mate} "
            f"and nomate {no_mate}"
        )
        raise InputError(msg)
    if not name:
        path, _, line = source.rpartition(":")
        name = f"{_file_name(path)}:{line}"
    return Problem(fen=fen, id=name, claim=claim, source=source, no_mate=no_mate)


@lru_cache
def _file_name(path: str) -> str:
    return PurePath(path).name
