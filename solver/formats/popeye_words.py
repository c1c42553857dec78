"""Words of Popeye's input: keywords that may be shortened, squares, pieces, options.

Olive writes its pieces, options and twins in the same words. The options are those of
Popeye's manual (py-engl.txt, version 4.104). Most of them concern the output or the
cost of a search: readers of collections ignore them, and the command `popeye` obeys
them. Options that change the rules or the question are refused.
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

KINDS = dict(zip("PSBRQK", chess.PIECE_TYPES, strict=True))
"""The pieces of orthodox chess. A knight is S, since N is the nightrider."""

_COLORS = {"White": chess.WHITE, "Black": chess.BLACK}
_ALL_COLORS = (*_COLORS, "Neutral", "TotalInvisible")
_SQUARES = re.compile(r"(?:[a-h][1-8])+", re.IGNORECASE)
_PIECES = re.compile(
    r"(?P<piece>[a-z]|[a-z][a-z0-9]|[0-9]{2})(?P<squares>(?:[a-h][1-8])*)",
    re.IGNORECASE,
)


def expand(word: str, keywords: tuple[str, ...], shortest: int = 3) -> str | None:
    """Return the keyword that a word abbreviates.

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


def shown(words: deque[str], nothing: str = "none") -> str:
    """Quote the next word for a message; `nothing` if there is none."""
    return quote(words[0]) if words else nothing


def next_word(keyword: str, words: deque[str]) -> str:
    """Remove the next word and return it.

    Raises
    ------
    InputError
        If there is none; the message begins with `keyword`.
    """
    if not words:
        msg = f"{keyword}: expected a value, found the end of the problem"
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
    """Read squares such as `a1b2`; return none if the text contains anything else."""
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
        name = expand(words[0], _ALL_COLORS, shortest=2)
        if name in _COLORS:
            color = _COLORS[name]
            words.popleft()
            continue
        if name or color is None:
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


_PLAY = (
    "Beep",
    "Defence",
    "Duplex",
    "GoalIsEnd",
    "HalfDuplex",
    "Intelligent",
    "KeepMatingPiece",
    "MatesIn1",
    "MaxFlightsquares",
    "MaxSolutions",
    "MaxTime",
    "MoveNumbers",
    "NoBoard",
    "NonTrivial",
    "NoShortVariations",
    "NoThreat",
    "PostKeyPlay",
    "SetPlay",
    "StartMoveNumber",
    "StopOnShortSolutions",
    "SuppressGrid",
    "Threat",
    "TrivialTriesAvoid",
    "Try",
    "UpToMoveNumber",
    "Variations",
    "WhiteToPlay",
    "WriteGrid",
)
_REFUSED = (
    "CastlingMutuallyExclusive",
    "LastCapture",
    "NoBk",
    "NoWk",
    "NullMoves",
    "Quodlibet",
)
_OPTIONS = (*_PLAY, *_REFUSED, "EnPassant", "NoCastling")
_SHOWN_SQUARES = 8
_MAX_DIGITS = 9


class Options:
    """The options of a problem.

    `"SetPlay" in options` says whether an option was given, by its full name.

    Attributes
    ----------
    numbers : dict of str to tuple of int
        The full name of each option that was given, and the numbers after it. Those of
        more than nine digits are read as 999,999,999.
    immobile : list of chess.Square
        `NoCastling`: squares of kings and rooks that may not castle.
    en_passant : chess.Square or None
        `EnPassant`: the square that a pawn has just skipped.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, tuple[int, ...]] = {}
        self.immobile: list[chess.Square] = []
        self.en_passant: chess.Square | None = None
        self._words: dict[str, str] = {}

    def __contains__(self, option: str) -> bool:
        return option in self.numbers

    def number(self, option: str, default: int) -> int:
        """Return the first number of an option; the default if it has none."""
        return next(iter(self.numbers.get(option, ())), default)

    def refuse(self, option: str) -> None:
        """Raise InputError if an option was given."""
        if option in self:
            raise _refusal(self._words[option])

    def parse_next(self, words: deque[str]) -> bool:
        """Parse one option and its values, and remove them from the words.

        Parameters
        ----------
        words : deque of str
            The words that follow, changed in place.

        Returns
        -------
        bool
            Whether the first word was an option.

        Raises
        ------
        InputError
            If the option changes the rules, or its squares make no sense.
        """
        option = expand(words[0], _OPTIONS, shortest=2) if words else None
        if option is None:
            return False
        word = words.popleft()
        if option in _REFUSED:
            raise _refusal(word)
        self._words[option] = word
        numbers = []
        if option == "NoCastling":
            self.immobile = _parse_squares_of(option, words)
        elif option == "EnPassant":
            self.en_passant = _skipped(_parse_squares_of(option, words))
        else:
            while words and words[0].isdecimal():
                digits = words.popleft()
                numbers.append(int(digits if len(digits) <= _MAX_DIGITS else _MOST))
        self.numbers[option] = tuple(numbers)
        return True


_MOST = _MAX_DIGITS * "9"


def _refusal(word: str) -> InputError:
    msg = (
        "option: expected none that changes the rules or the question, "
        f"found {quote(word)}"
    )
    return InputError(msg)


def _parse_squares_of(option: str, words: deque[str]) -> list[chess.Square]:
    squares: list[chess.Square] = []
    while words and (chain := parse_squares(words[0])):
        words.popleft()
        squares += chain
    if not squares:
        msg = f"option {option}: expected squares, found {shown(words)}"
        raise InputError(msg)
    return squares


def _skipped(squares: list[chess.Square]) -> chess.Square:
    """Return the square that the pawn skipped, given alone or within its move."""
    match squares:
        case [skipped]:
            return skipped
        case [start, skipped, end] if start - skipped == skipped - end in {8, -8}:
            return skipped
    names = " ".join(map(chess.square_name, squares[:_SHOWN_SQUARES]))
    if len(squares) > _SHOWN_SQUARES:
        names += " ..."
    msg = f"option EnPassant: expected a double step such as e2e3e4, found {names}"
    raise InputError(msg)
