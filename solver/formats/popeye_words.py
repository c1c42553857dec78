"""Words of Popeye's input: keywords that may be shortened, squares and pieces.

Olive writes its pieces, options and twins in the same words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import chess

from solver.errors import InputError, quote

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable

    Place = Callable[[str, chess.Color, chess.Square], None]

WORD = re.compile(r"[^\s;,]+")
"""A word; semicolons and commas separate words as white space does."""

KINDS = {
    "K": chess.KING,
    "Q": chess.QUEEN,
    "R": chess.ROOK,
    "B": chess.BISHOP,
    "S": chess.KNIGHT,
    "P": chess.PAWN,
}
"""The pieces of orthodox chess. A knight is S, since N is the nightrider."""

_COLORS = {"White": chess.WHITE, "Black": chess.BLACK}
_ALL_COLORS = (*_COLORS, "Neutral", "TotalInvisible")
_SQUARES = re.compile(r"(?:[a-h][1-8])+", re.IGNORECASE)
_PIECES = re.compile(
    r"(?P<piece>[a-z]|[a-z][a-z0-9]|[0-9]{2})(?P<squares>(?:[a-h][1-8])*)",
    re.IGNORECASE,
)


def expand(word: str, keywords: tuple[str, ...], shortest: int = 3) -> str | None:
    """Return the keyword that a word abbreviates, as Popeye's keywords may be.

    Parameters
    ----------
    word : str
        In lower or upper case.
    keywords : tuple of str
    shortest : int
        The least number of letters, from 2. Popeye accepts any number, and its manual
        warns that fewer than four may not stay unique.

    Returns
    -------
    str or None
        The keyword; None if the word is too short, or fits none or several.
    """
    if len(word) < shortest:
        return None
    lower = word.lower()
    same_start = _by_start(keywords).get(lower[:2], ())
    fitting = [key for key in same_start if key.lower().startswith(lower)]
    whole = [key for key in fitting if len(key) == len(word)]
    candidates = whole or fitting
    return candidates[0] if len(candidates) == 1 else None


@lru_cache
def _by_start(keywords: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the keywords by their first two letters, in lower case."""
    found: dict[str, list[str]] = {}
    for key in keywords:
        found.setdefault(key[:2].lower(), []).append(key)
    return found


def next_word(keyword: str, words: deque[str]) -> str:
    """Remove the next word and return it.

    Raises
    ------
    InputError
        If there is none; the message begins with `keyword`.
    """
    if not words:
        msg = f"{keyword}: expected more, found the end of the problem"
        raise InputError(msg)
    return words.popleft()


def next_stipulation(words: deque[str]) -> str:
    """Remove a stipulation such as `h#3` or `h# 3` and return it.

    Raises
    ------
    InputError
        If there is none.
    """
    text = next_word("stipulation", words)
    return text + next_word("stipulation", words) if text.endswith(("#", "=")) else text


def parse_squares(text: str) -> list[chess.Square]:
    """Read squares such as `a1b2`; return none if the text has anything else."""
    if not _SQUARES.fullmatch(text):
        return []
    names = (text[i : i + 2].lower() for i in range(0, len(text), 2))
    return [chess.parse_square(name) for name in names]


def parse_pieces(words: deque[str], place: Place) -> None:
    """Read colours and pieces such as `White Kg3 Qh5 Pa2b2 Black Kd4`.

    Parameters
    ----------
    words : deque of str
        The words that follow, changed in place.
    place : callable
        Takes the letter, the colour and the square of each piece.

    Raises
    ------
    InputError
        If a colour or a square is missing, or a piece has neither White's nor Black's
        colour.
    """
    color: chess.Color | None = None
    while words:
        if name := expand(words[0], _ALL_COLORS, shortest=2):
            if name not in _COLORS:
                msg = f"pieces: expected White or Black, found {quote(words[0])}"
                raise InputError(msg)
            color = _COLORS[name]
            words.popleft()
            continue
        if color is None:
            msg = f"pieces: expected White or Black, found {quote(words[0])}"
            raise InputError(msg)
        if not (pieces := _PIECES.fullmatch(words[0])):
            return
        words.popleft()
        # The squares may be a word of their own: P a2b2.
        squares = pieces["squares"] or next_word("pieces", words)
        if not parse_squares(squares):
            msg = f"pieces: expected squares after {pieces[0]}, found {quote(squares)}"
            raise InputError(msg)
        for square in parse_squares(squares):
            place(pieces["piece"], color, square)
