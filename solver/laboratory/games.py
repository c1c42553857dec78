"""Read the material of positions with the results of their games.

A file is PGN, or a list of FENs or EPD records with results; the format and compression
are detected from the content. Files are read as streams, in constant memory. An
unreadable line or game is reported and skipped, and so is the missing part of a
truncated compressed file.

In a list, the result is White's, whoever is to move, and follows the position: `1-0`,
`1/2-1/2` or `0-1` anywhere, with or without quotes (`c9 "1-0";`, `; 1-0`); `[1.0]`,
`[0.5]` or `[0.0]` anywhere; `| 1.0` at the end, after a position and a score separated
by bars. `*` means a game without a result. Such files have millions of lines, so only
the pieces of a position are read.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.board import parse_fen
from solver.errors import FormatError, InputError, quote, refuse
from solver.formats import pgn, streams
from solver.laboratory.imbalance import Material, count_material

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator


class GamePosition(NamedTuple):
    """The material of one position, and the result of its game.

    Attributes
    ----------
    material : Material
    result : float
        1 if White won, 0.5 for a draw, 0 if Black won.
    """

    material: Material
    result: float


class Unfinished(NamedTuple):
    """A line or a game without a result (`*`): valid, but not counted.

    Attributes
    ----------
    source : str
        `file:line`.
    """

    source: str


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
        How many positions to skip at the beginning of each game in PGN.

    Yields
    ------
    GamePosition or Unfinished or FormatError
        For a game in PGN, each position of its main line, the initial one included; for
        a line of a list, one position. If the result is `*`, or missing in PGN, one
        `Unfinished` instead; if the record is unreadable, one `FormatError`.

    Raises
    ------
    OSError
        If the file cannot be opened or read.
    """
    name = streams.name_of(path)
    try:
        stream = streams.open_decompressed(path)
    except InputError as error:
        yield FormatError(name, str(error))
        return
    with stream:
        lines = streams.NumberedLines(stream, streams.MAX_RECORD_BYTES)
        try:
            yield from _read(lines, name, skip_plies)
        except InputError as error:
            yield FormatError(f"{name}:{lines.number + 1}", str(error))


def _read(lines: streams.NumberedLines, name: str, skip_plies: int) -> Iterator[Record]:
    numbered = iter(lines)
    first = next((item for item in numbered if _is_record(item[1].strip())), None)
    if first is None:
        return
    numbered = chain([first], numbered)
    records: Iterable[tuple[int, bytes]]
    if _PGN_START.match(first[1].lstrip()):
        parse, records = parse_game, pgn.split_games(numbered)
    else:
        parse, skip_plies = parse_line, 0
        records = (item for item in numbered if _is_record(item[1].strip()))
    for number, text in records:
        source = f"{name}:{number}"
        try:
            materials, result = parse(text)
        except InputError as error:
            yield FormatError(source, str(error))
            continue
        if result is None:
            yield Unfinished(source)
            continue
        for material in materials[skip_plies:]:
            yield GamePosition(material, result)


def _is_record(text: bytes) -> bool:
    return bool(text) and not text.startswith(_COMMENT_MARKS)


class Game(NamedTuple):
    """The positions of a game and its result.

    Attributes
    ----------
    materials : list of Material
        The material before the first move and after each move; in a line of a list, of
        its one position.
    result : float or None
        1 if White won, 0.5 for a draw, 0 if Black won; None if it has no result.
    """

    materials: list[Material]
    result: float | None


_NUMBER = r"(?: [01](?:\.0*)? | 0?\.50* )"
_RESULT = re.compile(
    rf"""[\s"';,|()\[\]]
         ( (?: 1-0 | 0-1 | 1/2(?:-1/2)? | \* ) (?= [\s"';,|()\[\]] | \Z )
         | (?<=\[) \s* {_NUMBER} \s* (?=\])
         | (?<=\|) \s* {_NUMBER} \s* \Z )""",
    re.VERBOSE,
)

_UNITS = {piece: 1 << 8 * place for place, piece in enumerate("QqRrBbNnPpKk")}
"""Pieces are counted in one integer with a byte for each type and colour."""

_RANK = re.compile(r"(?:[1-8](?![1-8])|[PNBRQKpnbrqk])+")

_KEPT = 1 << 16
"""Size of caches: the same ranks and material occur in many positions."""


def parse_line(text: bytes) -> Game:
    """Read a position and a result.

    Parameters
    ----------
    text : bytes
        A board, the side to move, and a result somewhere after them.

    Raises
    ------
    InputError
        If the board is impossible in a game, or there is no result, or two different
        results.
    """
    if len(text) > streams.MAX_RECORD_BYTES:
        refuse(
            f"expected a line of at most {streams.MAX_RECORD_BYTES:,} bytes",
            "a longer one",
        )
    # A position is ASCII; the rest may be in any encoding.
    placement, _, tail = text.decode("latin-1").strip().partition(" ")
    material = _read_pieces(placement)
    if not tail.startswith(("w ", "b ")):
        refuse("side to move: expected w or b", quote(tail.partition(" ")[0]))
    return Game([material], _read_result(tail))


def _read_result(tail: str) -> float | None:
    written = _RESULT.findall(tail)
    results = {_value(result) for result in written}
    if len(results) != 1:
        found = quote(" and ".join(written)) if written else "none"
        msg = f'expected one result, such as c9 "1-0"; or [0.5], found {found}'
        raise InputError(msg)
    return results.pop()


@lru_cache
def _value(result: str) -> float | None:
    if result == pgn.UNFINISHED:
        return None
    return pgn.RESULTS[result] if result in pgn.RESULTS else float(result)


def _read_pieces(placement: str) -> Material:
    """Count the pieces of a FEN's first field, quickly if it is valid."""
    ranks = placement.split("/")
    if len(ranks) == 8:
        with suppress(_NoBoardError):
            inner = sum(map(_count_rank, ranks[1:7]))
            ends = _count_end_rank(ranks[0]) + _count_end_rank(ranks[7])
            return _unpack(inner + ends)
    return count_material(parse_fen(placement))  # its error names the fault


class _NoBoardError(Exception):
    """The quick count found a fault, which the strict parser will name."""


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
def _unpack(pieces: int) -> Material:
    *counts, white_king, black_king = pieces.to_bytes(len(_UNITS), "little")
    material = Material(*counts)
    pawns = max(material.white_pawns, material.black_pawns)
    if (white_king, black_king) != (1, 1) or pawns > 8:
        raise _NoBoardError
    if max(sum(material.white), sum(material.black)) > 15:
        raise _NoBoardError
    return material


def parse_game(text: bytes) -> Game:
    """Replay a game.

    Parameters
    ----------
    text : bytes
        One game without blank lines. Moves are ASCII; names may be in any encoding.

    Returns
    -------
    Game
        Its main line, from the position in the `FEN` tag if there is one.

    Raises
    ------
    InputError
        If it is too long, is not orthodox chess, begins with an invalid position, has
        an illegal move, or has two different results.
    """
    game = pgn.PgnGame(text)
    materials = [count_material(game.board)]
    materials += [count_material(game.board) for each in game.play() if each is None]
    written = [game.tags.get("Result", pgn.UNFINISHED), game.ending]
    results = {pgn.RESULTS[result] for result in written if result in pgn.RESULTS}
    if len(results) > 1:
        tag, ending = written
        refuse("expected one result", f"{tag} in the tag and {ending} below")
    return Game(materials, results.pop() if results else None)
