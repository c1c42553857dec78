"""A problem as composers write it down: men on squares, `#n`, and options.

White begins and mates. By the composers' convention, which Popeye follows, castling is
legal where king and rook stand at home, unless the options take it away; that a game
could not have left the right is not looked into. An en passant capture in the first
move is legal only if the options say so.
"""

from __future__ import annotations

import re

import chess

from solver.errors import InputError
from solver.formats.claims import parse_keys, quote
from solver.formats.fen import parse_fen
from solver.formats.popeye_options import Options
from solver.problem import MAX_MOVES

# Find the keys in a solution as Popeye and problemists write it.

_COMMENT = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(
    r"""(?<! [0-9.] ) 1\. \s*+
        (?P<move> [0O]-[0O](?:-[0O])?
                | [KQRBSN]? [a-h]? [1-8]? [-*x:]? [a-h][1-8] (?: =? [QRBSN] )? )
        (?: \s*+ ep\. )? \s*+ [+#]{0,2} \s*+ !++ (?! \? )""",
    re.VERBOSE,
)
"""Behind the key there is a !, behind a try a ?; set play begins with `1...`."""
_SPELLING = str.maketrans("S*:", "Nxx")


def find_keys(board: chess.Board, text: str, expected: int = 1) -> tuple[str, ...]:
    """Find the first moves that are marked by an exclamation mark.

    Parameters
    ----------
    board : chess.Board
        The position.
    text : str
        Moves such as `1.Sd4-f5 !` or `1.Sf5!`, knights being S or N; what stands in
        braces is a comment.
    expected : int
        How many keys the author intended.

    Returns
    -------
    tuple of str
        Moves in UCI notation; none where another number is found, or one cannot be
        read, since the text then tells of cooks, or in another language.
    """
    words = [found["move"] for found in _KEY.finditer(_COMMENT.sub(" ", text))]
    try:
        keys = parse_keys(board, "key", (word.translate(_SPELLING) for word in words))
    except InputError:
        return ()
    return keys if len(keys) == expected else ()


_MEN = {
    "K": chess.KING,
    "Q": chess.QUEEN,
    "R": chess.ROOK,
    "B": chess.BISHOP,
    "S": chess.KNIGHT,
    "P": chess.PAWN,
}
_DIRECT_MATE = re.compile(r"#\s*([0-9]{1,9})")


class Composition:
    """A problem that is being read.

    Attributes
    ----------
    options : Options
        To be filled in by who reads them.
    """

    def __init__(self) -> None:
        self.options = Options()
        self._men: dict[chess.Square, chess.Piece] = {}
        self._moves: int | None = None

    @property
    def moves(self) -> int:
        """In how many moves to mate.

        Raises
        ------
        InputError
            If no stipulation was told.
        """
        if self._moves is None:
            msg = "stipulation: expected #n, found none"
            raise InputError(msg)
        return self._moves

    def stipulate(self, text: str) -> None:
        """Read `#3`.

        Raises
        ------
        InputError
            If it is another stipulation, or one of too many moves.
        """
        found = _DIRECT_MATE.fullmatch(text)
        if not found:
            msg = f"stipulation: expected #n, found {quote(text)}"
            raise InputError(msg)
        if not 1 <= int(found[1]) <= MAX_MOVES:
            msg = f"stipulation: expected 1 to {MAX_MOVES} moves, found {quote(text)}"
            raise InputError(msg)
        self._moves = int(found[1])

    def place(self, man: str, color: chess.Color, square: chess.Square) -> None:
        """Put a man on its square.

        Parameters
        ----------
        man : str
            Its letter: a knight is S, since N is the nightrider.
        color : chess.Color
        square : chess.Square

        Raises
        ------
        InputError
            If it is no man of orthodox chess, or stands where another does.
        """
        kind = _MEN.get(man.upper())
        if kind is None:
            msg = f"men: expected K, Q, R, B, P, or S for a knight, found {quote(man)}"
            raise InputError(msg)
        if square in self._men:
            msg = f"men: expected one on {chess.square_name(square)}, found two"
            raise InputError(msg)
        self._men[square] = chess.Piece(kind, color)

    def board(self) -> chess.Board:
        """Set up the position.

        Raises
        ------
        InputError
            If it is no legal position of orthodox chess.
        """
        board = chess.Board(None)
        board.set_piece_map(self._men)
        board.turn = not self.options.black_begins
        board.castling_rights = chess.BB_CORNERS
        board.castling_rights = board.clean_castling_rights() & ~self._immobile()
        board.ep_square = self.options.en_passant
        return parse_fen(board.fen(en_passant="fen"))

    def _immobile(self) -> chess.Bitboard:
        """Give the corners whose rooks, or whose kings, have lost their right."""
        lost = chess.SquareSet(self.options.immobile)
        for king, rank in ((chess.E1, chess.BB_RANK_1), (chess.E8, chess.BB_RANK_8)):
            if king in lost:
                lost |= chess.SquareSet(rank)
        return int(lost)
