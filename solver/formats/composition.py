"""A problem as composers write it: pieces on squares, `#n`, and options.

Olive's and Popeye's files have this in common. White begins and mates. By the
composers' convention, which Popeye follows, castling is legal when king and rook are on
their home squares, unless the options forbid it; whether a game could have kept the
right is not checked. An en passant capture as the first move is legal only if the
options say so.
"""

from __future__ import annotations

import re

import chess

from solver.errors import InputError, quote
from solver.formats.claims import parse_keys
from solver.formats.fen import parse_fen
from solver.formats.popeye_options import Options
from solver.stipulation import MAX_MOVES

_PIECES = {
    "K": chess.KING,
    "Q": chess.QUEEN,
    "R": chess.ROOK,
    "B": chess.BISHOP,
    "S": chess.KNIGHT,
    "P": chess.PAWN,
}
_DIRECT_MATE = re.compile(r"#\s*([0-9]{1,9})")


class Composition:
    """A problem that is being read, part by part.

    Attributes
    ----------
    options : Options
        The reader of the file fills them in.
    """

    def __init__(self) -> None:
        self.options = Options()
        self._pieces: dict[chess.Square, chess.Piece] = {}
        self._moves: int | None = None

    @property
    def moves(self) -> int:
        """The number of moves in which to mate.

        Raises
        ------
        InputError
            If there was no stipulation.
        """
        if self._moves is None:
            msg = "stipulation: expected #n, found none"
            raise InputError(msg)
        return self._moves

    def stipulate(self, text: str) -> None:
        """Read a stipulation such as `#3`.

        Raises
        ------
        InputError
            If it is not a direct mate in 1 to `MAX_MOVES` moves.
        """
        found = _DIRECT_MATE.fullmatch(text)
        if not found:
            msg = f"stipulation: expected #n, found {quote(text)}"
            raise InputError(msg)
        if not 1 <= int(found[1]) <= MAX_MOVES:
            msg = f"stipulation: expected 1 to {MAX_MOVES} moves, found {quote(text)}"
            raise InputError(msg)
        self._moves = int(found[1])

    def place(self, piece: str, color: chess.Color, square: chess.Square) -> None:
        """Place a piece on its square.

        Parameters
        ----------
        piece : str
            Its letter. A knight is S, since N is the nightrider.
        color : chess.Color
        square : chess.Square

        Raises
        ------
        InputError
            If it is not a piece of orthodox chess, or the square is occupied.
        """
        kind = _PIECES.get(piece.upper())
        if kind is None:
            msg = (
                "pieces: expected K, Q, R, B, P, or S for a knight, "
                f"found {quote(piece)}"
            )
            raise InputError(msg)
        if square in self._pieces:
            msg = f"pieces: expected one on {chess.square_name(square)}, found two"
            raise InputError(msg)
        self._pieces[square] = chess.Piece(kind, color)

    def board(self) -> chess.Board:
        """Return the position.

        Raises
        ------
        InputError
            If it is not a legal position of orthodox chess.
        """
        board = chess.Board(None)
        board.set_piece_map(self._pieces)
        board.turn = not self.options.black_begins
        board.castling_rights = chess.BB_CORNERS
        board.castling_rights = board.clean_castling_rights() & ~self._immobile()
        board.ep_square = self.options.en_passant
        return parse_fen(board.fen(en_passant="fen"))

    def _immobile(self) -> chess.Bitboard:
        """Return the corners whose rook or king has lost the right to castle."""
        lost = chess.SquareSet(self.options.immobile)
        for king, rank in ((chess.E1, chess.BB_RANK_1), (chess.E8, chess.BB_RANK_8)):
            if king in lost:
                lost |= chess.SquareSet(rank)
        return int(lost)


_COMMENT = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(
    r"""(?<! [0-9.] ) 1\. \s*+
        (?P<move> [0O]-[0O](?:-[0O])?
                | [KQRBSN]? [a-h]? [1-8]? [-*x:]? [a-h][1-8] (?: =? [QRBSN] )? )
        (?: \s*+ ep\. )? \s*+ [+#]{0,2} \s*+ !++ (?! \? )""",
    re.VERBOSE,
)
"""A key is followed by !, a try by ?; set play begins with `1...`."""
_SPELLING = str.maketrans("S*:", "Nxx")


def find_keys(board: chess.Board, text: str, expected: int = 1) -> tuple[str, ...]:
    """Find the first moves that a solution marks with an exclamation mark.

    Parameters
    ----------
    board : chess.Board
        The position.
    text : str
        A solution as Popeye and problemists write it, with moves such as `1.Sd4-f5 !`
        or `1.Sf5!`. Knights are S or N, and comments are in braces.
    expected : int
        The number of keys that the author intended.

    Returns
    -------
    tuple of str
        Moves in UCI notation. Empty if the number of marked moves differs from
        `expected` or one cannot be parsed, since the text then lists cooks or is in
        another language.
    """
    words = [found["move"] for found in _KEY.finditer(_COMMENT.sub(" ", text))]
    try:
        keys = parse_keys(board, "key", (word.translate(_SPELLING) for word in words))
    except InputError:
        return ()
    return keys if len(keys) == expected else ()
