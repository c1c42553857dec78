"""The options of Popeye, which Olive's entries have too, as far as they concern a mate.

Which there are, and what they ask, tells Popeye's manual (py-engl.txt, version 4.104).
Most speak of the output, or of what a search may cost, and change no mate in n.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

from solver.errors import InputError
from solver.formats.claims import quote

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable


# Keywords that may be shortened, as Popeye's may.


def expand(word: str, keywords: Iterable[str], shortest: int = 3) -> str | None:
    """Find the keyword that a word is, or is the beginning of.

    Parameters
    ----------
    word : str
        In small or capital letters.
    keywords : iterable of str
    shortest : int
        How many letters it must have. Popeye takes any number, and its manual warns
        that fewer than four may not stay unique.

    Returns
    -------
    str or None
        The keyword; None where the word fits none or several, or is too short.
    """
    if len(word) < shortest:
        return None
    fitting = [key for key in keywords if key.lower().startswith(word.lower())]
    whole = [key for key in fitting if len(key) == len(word)]
    candidates = whole or fitting
    return candidates[0] if len(candidates) == 1 else None


_HARMLESS = (
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
    "WhiteToPlay",  # speaks of helpmates; Popeye ignores it elsewhere
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
_OPTIONS = (*_HARMLESS, *_REFUSED, "EnPassant", "HalfDuplex", "NoCastling")
_SHOWN_SQUARES = 8
_SQUARES = re.compile(r"(?:[a-h][1-8])+", re.IGNORECASE)


class Options:
    """What the options of a problem say of its position.

    Attributes
    ----------
    black_begins : bool
        `HalfDuplex`: Black is to move, and to mate.
    immobile : list of chess.Square
        `NoCastling`: kings and rooks that may not castle.
    en_passant : chess.Square or None
        `EnPassant`: the square that a pawn has just passed.
    """

    def __init__(self) -> None:
        self.black_begins = False
        self.immobile: list[chess.Square] = []
        self.en_passant: chess.Square | None = None

    def take(self, words: deque[str]) -> bool:
        """Take one option and what belongs to it off the words.

        Parameters
        ----------
        words : deque of str
            What follows, changed in place.

        Returns
        -------
        bool
            Whether there was one.

        Raises
        ------
        InputError
            If it changes what is asked, or its squares make no sense.
        """
        option = expand(words[0], _OPTIONS) if words else None
        if option is None:
            return False
        word = words.popleft()
        match option:
            case "HalfDuplex":
                self.black_begins = True
            case "NoCastling":
                self.immobile = _take_squares(option, words)
            case "EnPassant":
                self.en_passant = _passed(_take_squares(option, words))
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


def parse_squares(text: str) -> list[chess.Square]:
    """Read squares without space between them; give none if there is anything else."""
    if not _SQUARES.fullmatch(text):
        return []
    names = (text[i : i + 2].lower() for i in range(0, len(text), 2))
    return [chess.parse_square(name) for name in names]


def _take_squares(option: str, words: deque[str]) -> list[chess.Square]:
    squares: list[chess.Square] = []
    while words and (chain := parse_squares(words[0])):
        words.popleft()
        squares += chain
    if not squares:
        found = quote(words[0]) if words else "none"
        msg = f"option {option}: expected squares, found {found}"
        raise InputError(msg)
    return squares


def _passed(squares: list[chess.Square]) -> chess.Square:
    """Find the square that the pawn passed, alone or between those of its move."""
    match squares:
        case [passed]:
            return passed
        case [start, passed, end] if start - passed == passed - end in {8, -8}:
            return passed
    names = " ".join(map(chess.square_name, squares[:_SHOWN_SQUARES]))
    if len(squares) > _SHOWN_SQUARES:
        names += " ..."
    msg = f"option EnPassant: expected a double step such as e2e3e4, found {names}"
    raise InputError(msg)
