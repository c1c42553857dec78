"""Read positions with the results of their games: PGN, and FENs or EPD with results.

Which of the two a file is, and whether and how it is compressed, its content tells. It
is read as a stream, in constant memory. A line or a game that cannot be read costs
itself and no other; so does the rest of a compressed file that was cut short.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.errors import FormatError, InputError
from solver.formats.claims import quote
from solver.formats.fen import parse_fen
from solver.formats.pgn import (
    RESULTS,
    UNFINISHED,
    MainLine,
    split_games,
    visit_game,
)
from solver.formats.streams import (
    MAX_RECORD_BYTES,
    NumberedLines,
    name_of,
    open_decompressed,
)
from solver.laboratory.material import Material, count_men

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import chess


class GamePosition(NamedTuple):
    """The men of one position, and the result of the game that it is from.

    Attributes
    ----------
    material : Material
    result : float
        1 if White won, 0.5 for a draw, 0 if Black won.
    """

    material: Material
    result: float


class Unfinished(NamedTuple):
    """A line or a game without a result (`*`): in order, but of no use here.

    Attributes
    ----------
    source : str
        `file:line`.
    """

    source: str


# Read a FEN or an EPD record with the result of the game that it is from.
#
# The result is White's, whoever is to move. It stands behind the position, as
# collections have it: `1-0`, `1/2-1/2` or `0-1` anywhere, with or without quotes (`c9
# "1-0";`, `; 1-0`); `[1.0]`, `[0.5]` or `[0.0]` anywhere; `| 1.0` at the end, behind
# a position and a score with bars between them. `*` stands for a game without a
# result.
#
# Files of these have millions of lines, so of a position only the men are read.

_NUMBER = r"(?: [01](?:\.0*)? | 0?\.50* )"
_RESULT = re.compile(
    rf"""[\s"';,|()\[\]]
         ( (?: 1-0 | 0-1 | 1/2(?:-1/2)? | \* ) (?= [\s"';,|()\[\]] | \Z )
         | (?<=\[) \s* {_NUMBER} \s* (?=\])
         | (?<=\|) \s* {_NUMBER} \s* \Z )""",
    re.VERBOSE,
)

_UNITS = {man: 1 << 8 * place for place, man in enumerate("QqRrBbNnPpKk")}
"""Men are added up in one integer that has a byte for each kind."""

_RANK = re.compile(r"(?:[1-8](?![1-8])|[PNBRQKpnbrqk])+")

_KEPT = 1 << 16
"""The same ranks, and the same men, come again and again."""


def parse_scored_line(text: str) -> GamePosition | None:
    """Read a position and a result.

    Parameters
    ----------
    text : str
        One record: a board, the side to move, anything, a result.

    Returns
    -------
    GamePosition or None
        None for a game without a result.

    Raises
    ------
    InputError
        If the board is none that a game can have, or there is no result, or two that
        differ.
    """
    placement, _, tail = text.strip().partition(" ")
    material = _read_men(placement)
    if not tail.startswith(("w ", "b ")):
        msg = f"side to move: expected w or b, found {quote(tail.partition(' ')[0])}"
        raise InputError(msg)
    result = _read_result(tail)
    return None if result is None else GamePosition(material, result)


def _read_result(tail: str) -> float | None:
    words = _RESULT.findall(tail)
    results = {_value(word) for word in words}
    if len(results) != 1:
        found = quote(" and ".join(words)) if words else "none"
        msg = f'expected one result, such as c9 "1-0"; or [0.5], found {found}'
        raise InputError(msg)
    return results.pop()


@lru_cache
def _value(word: str) -> float | None:
    if word == UNFINISHED:
        return None
    return RESULTS[word] if word in RESULTS else float(word)


def _read_men(placement: str) -> Material:
    """Count the men of a FEN's first field, quickly where it is in order."""
    ranks = placement.split("/")
    if len(ranks) == 8:
        with suppress(_NoBoardError):
            inner = sum(map(_count_rank, ranks[1:7]))
            ends = _count_end_rank(ranks[0]) + _count_end_rank(ranks[7])
            return _unpack(inner + ends)
    return count_men(parse_fen(placement))  # which tells what is wrong


class _NoBoardError(Exception):
    """The quick count found a fault, which the strict reader will name."""


@lru_cache(_KEPT)
def _count_rank(rank: str) -> int:
    if not _RANK.fullmatch(rank):
        raise _NoBoardError
    if sum(int(letter) if letter.isdigit() else 1 for letter in rank) != 8:
        raise _NoBoardError
    return sum(_UNITS[letter] for letter in rank if letter.isalpha())


@lru_cache(_KEPT)
def _count_end_rank(rank: str) -> int:
    if "P" in rank or "p" in rank:
        raise _NoBoardError
    return _count_rank(rank)


@lru_cache(_KEPT)
def _unpack(men: int) -> Material:
    *counts, white_king, black_king = men.to_bytes(len(_UNITS), "little")
    material = Material(*counts)
    pawns = max(material.white_pawns, material.black_pawns)
    if (white_king, black_king) != (1, 1) or pawns > 8:
        raise _NoBoardError
    if max(sum(material.white), sum(material.black)) > 15:
        raise _NoBoardError
    return material


Record: TypeAlias = GamePosition | Unfinished | FormatError

_COMMENT_MARKS = (b"#", b"%", b";")
_PGN_START = re.compile(rb"\[|\{|[0-9]+\s*\.")


def read_results(
    path: str | os.PathLike[str], *, skip_plies: int = 0
) -> Iterator[Record]:
    """Read the positions of a file, each with the result of its game.

    Parameters
    ----------
    path : str or PathLike
        A file, or `-` for standard input.
    skip_plies : int
        How many positions to leave out at the beginning of each game in PGN.

    Yields
    ------
    GamePosition or Unfinished or FormatError
        For a game in PGN all positions of its main line, from the one before the first
        move; for another line one position; instead one `Unfinished` where the result
        is `*` or missing in PGN, and one `FormatError` where something is wrong.

    Raises
    ------
    OSError
        If the file cannot be opened or read.
    """
    name = name_of(path)
    try:
        stream = open_decompressed(path)
    except InputError as error:
        yield FormatError(name, str(error))
        return
    with stream:
        lines = NumberedLines(stream, MAX_RECORD_BYTES)
        try:
            yield from _read(lines, name, skip_plies)
        except InputError as error:
            yield FormatError(f"{name}:{lines.number + 1}", str(error))


def _read(lines: NumberedLines, name: str, skip_plies: int) -> Iterator[Record]:
    numbered = iter(lines)
    first = next((item for item in numbered if _is_record(item[1].strip())), None)
    if first is None:
        return
    numbered = chain([first], numbered)
    if _PGN_START.match(first[1].lstrip()):
        yield from _read_games(numbered, name, skip_plies)
    else:
        yield from _read_positions(numbered, name)


def _read_games(
    lines: Iterator[tuple[int, bytes]], name: str, skip_plies: int
) -> Iterator[Record]:
    for line, text in split_games(lines):
        source = f"{name}:{line}"
        try:
            materials, result = parse_game(text)
        except InputError as error:
            yield FormatError(source, str(error))
            continue
        if result is None:
            yield Unfinished(source)
            continue
        for material in materials[skip_plies:]:
            yield GamePosition(material, result)


def _read_positions(lines: Iterator[tuple[int, bytes]], name: str) -> Iterator[Record]:
    for number, line in lines:
        text = line.strip()
        if not _is_record(text):
            continue
        try:
            position = _parse(text)
        except InputError as error:
            yield FormatError(f"{name}:{number}", str(error))
            continue
        yield position or Unfinished(f"{name}:{number}")


def _is_record(text: bytes) -> bool:
    return bool(text) and not text.startswith(_COMMENT_MARKS)


def _parse(text: bytes) -> GamePosition | None:
    if len(text) > MAX_RECORD_BYTES:
        msg = f"expected a line of at most {MAX_RECORD_BYTES} bytes, found a longer one"
        raise InputError(msg)
    # A position is ASCII; the rest may be in any encoding.
    return parse_scored_line(text.decode("latin-1"))


# Games in PGN.


class Game(NamedTuple):
    """What is counted of a game.

    Attributes
    ----------
    materials : list of Material
        The men on the board before the first move and after each.
    result : float or None
        1 if White won, 0.5 for a draw, 0 if Black won; None if it has no result.
    """

    materials: list[Material]
    result: float | None


def parse_game(text: bytes) -> Game:
    """Play a game.

    Parameters
    ----------
    text : bytes
        One game without blank lines. Moves are ASCII; names may be in any encoding.

    Returns
    -------
    Game
        Its main line, from the position of its `FEN` tag if it has one.

    Raises
    ------
    InputError
        If it is too long, is another game than orthodox chess, begins with a position
        that is none, has an illegal move, or has two results.
    """
    return visit_game(text, _Count)


class _Count(MainLine[Game]):
    """Counts the men at each ply."""

    def __init__(self) -> None:
        super().__init__()
        self._materials: list[Material] = []

    def visit_board(self, board: chess.Board) -> None:
        self._materials.append(count_men(board))

    def result(self) -> Game:
        told = [self.tags.get("Result", UNFINISHED), self.ending]
        results = {RESULTS[word] for word in told if word in RESULTS}
        if len(results) > 1:
            msg = f"expected one result, found {told[0]} in the tag and {told[1]} below"
            raise InputError(msg)
        return Game(self._materials, results.pop() if results else None)
