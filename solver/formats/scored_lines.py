"""Read a FEN or an EPD record with the result of the game that it is from.

The result is White's, whoever is to move. It stands behind the position, as collections
have it: `1-0`, `1/2-1/2` or `0-1` anywhere, with or without quotes (`c9 "1-0";`,
`; 1-0`); `[1.0]`, `[0.5]` or `[0.0]` anywhere; `| 1.0` at the end, behind a position
and a score with bars between them. `*` stands for a game without a result.

Files of these have millions of lines, so of a position only the men are read.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache

from solver.errors import InputError
from solver.formats.fen import parse_fen
from solver.formats.game_position import RESULTS, UNFINISHED, GamePosition
from solver.formats.wording import quote
from solver.laboratory.material import Material, count_men

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
