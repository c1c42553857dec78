"""A problem as composers write it: pieces on squares, a stipulation, and options.

Olive's and Popeye's files have this in common. By the composers' convention, which
Popeye follows, White begins, except in help play of whole moves, where Black begins.
Castling is legal when king and rook are on their home squares, unless the options
forbid it; whether a game could have kept the right is not checked. An en passant
capture as the first move is legal only if the options say so.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace

import chess

from solver.errors import InputError, quote
from solver.formats.claims import MAX_SOLUTIONS
from solver.formats.popeye_words import ENGLISH, Options, kind_of, refuse
from solver.position_text import GivenPosition
from solver.stipulation import EXPECTED, MATE, Stipulation

_RIGHTS_OF_KINGS = {chess.E1: chess.BB_RANK_1, chess.E8: chess.BB_RANK_8}
_FORSYTH = re.compile(r"[0-9]{1,2}|/|\.\w\w|.")


@dataclass(slots=True)
class Composition:
    """A problem that is being read, part by part.

    Attributes
    ----------
    options : Options
        The reader of the file fills them in.
    pieces : dict of chess.Square to chess.Piece
    is_twin : bool
        Whether the pieces were changed: an en passant capture that no longer makes
        sense is then ignored.
    """

    options: Options = field(default_factory=Options)
    pieces: dict[chess.Square, chess.Piece] = field(default_factory=dict)
    is_twin: bool = False
    _asked: Stipulation = MATE

    @property
    def stipulation(self) -> Stipulation:
        """What the problem demands, with the option `WhiteToPlay` applied.

        The option removes Black's first move from help play that Black begins.

        Raises
        ------
        InputError
            If there was no stipulation.
        """
        found = self._demanded()
        if not found.has_number:
            refuse(f"stipulation: expected {EXPECTED}", "none")
        return found

    def _demanded(self) -> Stipulation:
        found = self._asked
        if "WhiteToPlay" in self.options and not found.white_begins:
            return found.without_first_move() or found
        return found

    def stipulate(self, text: str) -> None:
        """Read a stipulation such as `s#3`.

        Raises
        ------
        InputError
            If `Stipulation` does not know it.
        """
        self._asked = Stipulation.parse(text)

    def place(self, square: chess.Square, piece: chess.Piece) -> None:
        """Place a piece on an empty square.

        Raises
        ------
        InputError
            If the square is occupied.
        """
        if square in self.pieces:
            refuse(f"pieces: expected one on {chess.square_name(square)}", "two")
        self.pieces[square] = piece

    def place_all(self, forsyth: str, language: int = ENGLISH) -> None:
        """Place pieces from a8 to h8, then from a7 to h7, and so on.

        Parameters
        ----------
        forsyth : str
            Letters as in `kind_of`, White's in upper case. Runs of empty squares may
            be longer than a rank, and empty squares at the end are omitted.
        language : int
            Of the letters.

        Raises
        ------
        InputError
            If a rank is not full before a `/`, or the board is too small.
        """
        index = 0
        for sign in _FORSYTH.findall(forsyth):
            if sign.isascii() and sign.isdecimal():
                index += int(sign)
            elif sign == "/":
                if index % 8:
                    refuse("Forsyth: expected full ranks before /", quote(forsyth))
            else:
                if index < 64:
                    piece = chess.Piece(kind_of(sign, language), sign.isupper())
                    self.place(chess.square_mirror(index), piece)
                index += 1
        if index > 64:
            refuse("Forsyth: expected at most 64 squares", index)

    def copy(self) -> Composition:
        """Return a twin with the same options."""
        return replace(self, pieces=self.pieces.copy(), is_twin=True)

    def position(self, *, exchanged: bool = False) -> GivenPosition:
        """Return the position.

        Parameters
        ----------
        exchanged : bool
            The other side begins: the second question of the option `Duplex`.

        Raises
        ------
        InputError
            If it is not a legal position of orthodox chess.
        """
        board = chess.Board(None)
        board.set_piece_map(self.pieces)
        is_exchanged = exchanged ^ ("HalfDuplex" in self.options)
        board.turn = self._demanded().white_begins ^ is_exchanged
        board.castling_rights = chess.BB_CORNERS
        for square in self.options.immobile:
            rights = _RIGHTS_OF_KINGS.get(square, chess.BB_SQUARES[square])
            board.castling_rights &= ~rights
        board.castling_rights = board.clean_castling_rights()
        board.ep_square = self.options.en_passant
        if self.is_twin or exchanged:
            with suppress(InputError):
                return GivenPosition(board.fen(en_passant="fen"))
            board.ep_square = None
        return GivenPosition(board.fen(en_passant="fen"))


_COMMENT = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(
    r"(?<![0-9.])1\.\s*+(?P<move>\w[^\s!?+#]*+)(?:\s*+e\.?p\.?)?\s*+[+#]{0,2}\s*+!++"
    r"(?!\?)"
)
"""A key is followed by !, a try by ?; set play begins with `1...`."""

_PLY = r"""(?> \s*+ (?: (?!1\.) [0-9]+\. )? \s*+
    (?: [0O]-[0O](?:-[0O])? | [KQRBSN]?[a-h]?[1-8]?[-*x:]?[a-h][1-8](?:=?[QRBSN])? )
    (?:\s*+e\.?p\.?)? \s*+ \+{0,2} )"""


def find_keys(
    name: str, position: GivenPosition, text: str, expected: int = 1
) -> tuple[str, ...]:
    """Find the first moves that a solution marks with an exclamation mark.

    Parameters
    ----------
    name : str
        The field's name in the error.
    position : GivenPosition
    text : str
        A solution as Popeye and problemists write it, with moves such as `1.Sd4-f5 !`
        or `1.Sf5!`. Knights are S or N, and comments are in braces.
    expected : int
        The number of keys that the author intended.

    Returns
    -------
    tuple of str
        Moves in UCI notation; empty if none is marked.

    Raises
    ------
    InputError
        One cannot be parsed, as in another language; or their number is not the
        expected one, since the text then lists cooks.
    """
    moves = [found["move"] for found in _KEY.finditer(_COMMENT.sub(" ", text))]
    keys = position.keys(name, " ".join(moves).replace("S", "N"))
    if keys and len(keys) != expected:
        refuse(f"{name}: expected {expected} marked with !", len(keys))
    return keys


def count_solutions(name: str, text: str, stipulation: Stipulation) -> int:
    """Count the solutions of help play that a text lists, without set play.

    Parameters
    ----------
    name : str
        The field's name in the error.
    text : str
        As Popeye writes it: `1.Kd4-e4 Sb3-c5 2.Ke4-f4 Qa1-h8 #`, with half a move more
        from `1...` on.
    stipulation : Stipulation
        It says how long each solution is.

    Raises
    ------
    InputError
        Their number is not clear: there are other words, or moves that share their
        beginning with those before them.
    """
    rest, number = _listed(stipulation).subn("", _COMMENT.sub(" ", text))
    if set_play := stipulation.without_first_move():
        rest = _listed(set_play).sub("", rest)
    if rest.strip() or not 0 < number <= MAX_SOLUTIONS:
        expected = f"{stipulation.plies} half-moves and {stipulation.goal} in each line"
        refuse(f"{name}: expected {expected}", quote(" ".join(rest.split())))
    return number


def _listed(stipulation: Stipulation) -> re.Pattern[str]:
    """Return what matches a solution of help play."""
    dots = r"\s*+\.{2,3}" if stipulation.half else ""
    line = rf"(?<![0-9.])1\.{dots} {_PLY}{{{stipulation.plies}}} \s*+ (?: \#|==? )"
    return re.compile(line, re.VERBOSE)


_HEADING = re.compile(r"^[ \t]*\+?([a-z]|z[0-9]+)\)", re.MULTILINE)
"""The beginning of a twin's solution, such as `b) wPa2-->a3`."""


def parts_of(solution: str) -> dict[str, str]:
    """Return the parts of a solution that follow the labels of twins."""
    _, *parts = _HEADING.split(solution)  # labels and parts in turn
    return dict(zip(parts[::2], parts[1::2], strict=True))
