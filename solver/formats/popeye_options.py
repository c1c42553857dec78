"""The options of Popeye's input, which Olive's files have too.

They are those of Popeye's manual (py-engl.txt, version 4.104). Most of them concern the
output or the cost of a search; a collection is read without them, and the command
`popeye` honours them. Options that change the rules or the question are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.errors import InputError, quote
from solver.formats.popeye_words import expand, parse_squares

if TYPE_CHECKING:
    from collections import deque

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
        found = quote(words[0]) if words else "none"
        msg = f"option {option}: expected squares, found {found}"
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
