"""The options of Popeye's input, which Olive's files have too.

They are those of Popeye's manual (py-engl.txt, version 4.104). Most of them concern the
output or the cost of a search and do not change a mate in n.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

from solver.errors import InputError, quote

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable

_IGNORED = (
    "Beep",
    "Defence",
    "GoalIsEnd",
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
    "SetPlay",
    "StartMoveNumber",
    "StopOnShortSolutions",
    "SuppressGrid",
    "Threat",
    "TrivialTriesAvoid",
    "Try",
    "UpToMoveNumber",
    "Variations",
    "WhiteToPlay",  # is about helpmates; Popeye ignores it elsewhere
    "WriteGrid",
)
_REFUSED = (
    "CastlingMutuallyExclusive",
    "Duplex",
    "LastCapture",
    "NoBk",
    "NoWk",
    "NullMoves",
    "PostKeyPlay",
    "Quodlibet",
)
_OPTIONS = (*_IGNORED, *_REFUSED, "EnPassant", "HalfDuplex", "NoCastling")
_SHOWN_SQUARES = 8
_SQUARES = re.compile(r"(?:[a-h][1-8])+", re.IGNORECASE)


class Options:
    """The options of a problem that affect its position.

    Attributes
    ----------
    black_begins : bool
        `HalfDuplex`: Black is to move, and to mate.
    immobile : list of chess.Square
        `NoCastling`: squares of kings and rooks that may not castle.
    en_passant : chess.Square or None
        `EnPassant`: the square that a pawn has just skipped.
    """

    def __init__(self) -> None:
        self.black_begins = False
        self.immobile: list[chess.Square] = []
        self.en_passant: chess.Square | None = None

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
            If the option changes the question, or its squares make no sense.
        """
        option = expand(words[0], _OPTIONS) if words else None
        if option is None:
            return False
        word = words.popleft()
        match option:
            case "HalfDuplex":
                self.black_begins = True
            case "NoCastling":
                self.immobile = _parse_squares_of(option, words)
            case "EnPassant":
                self.en_passant = _skipped(_parse_squares_of(option, words))
            case _ if option in _REFUSED:
                msg = (
                    "option: expected none that changes what a mate in n is, "
                    f"found {quote(word)}"
                )
                raise InputError(msg)
            case _:
                while words and words[0].isdecimal():
                    words.popleft()
        return True


def expand(word: str, keywords: Iterable[str], shortest: int = 3) -> str | None:
    """Return the keyword that a word abbreviates, as Popeye's keywords may be.

    Parameters
    ----------
    word : str
        In lower or upper case.
    keywords : iterable of str
    shortest : int
        The least number of letters. Popeye accepts any number, and its manual warns
        that fewer than four may not stay unique.

    Returns
    -------
    str or None
        The keyword; None if the word is too short, or fits none or several.
    """
    if len(word) < shortest:
        return None
    fitting = [key for key in keywords if key.lower().startswith(word.lower())]
    whole = [key for key in fitting if len(key) == len(word)]
    candidates = whole or fitting
    return candidates[0] if len(candidates) == 1 else None


def parse_squares(text: str) -> list[chess.Square]:
    """Read squares such as `a1b2`; return none if the text has anything else."""
    if not _SQUARES.fullmatch(text):
        return []
    names = (text[i : i + 2].lower() for i in range(0, len(text), 2))
    return [chess.parse_square(name) for name in names]


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
