"""Moves in the long notation of problemists and of Popeye: `Qh5*a5 +`, `e7-e8=S #`.

A solution has thousands of moves, so a small board of letters follows the play here:
it needs a third of the time of python-chess.
"""

from __future__ import annotations

from itertools import product

import chess

_TO_LETTER = str.maketrans("Nn", "Ss")
_FORWARD = {"P": 8, "p": -8}


Line = tuple[tuple[int, ...], str]


def _lines(square: int, straight: str, diagonal: str) -> tuple[Line, ...]:
    """Return the squares of each line from a square, and what attacks along it."""
    found = []
    for file, rank in product((-1, 0, 1), repeat=2):
        line = []
        at_file, at_rank = chess.square_file(square), chess.square_rank(square)
        while (file or rank) and 0 <= at_file + file < 8 and 0 <= at_rank + rank < 8:
            at_file, at_rank = at_file + file, at_rank + rank
            line.append(chess.square(at_file, at_rank))
        if line:
            found.append((tuple(line), diagonal if file and rank else straight))
    return tuple(found)


_SQUARE = {name: square for square, name in enumerate(chess.SQUARE_NAMES)}
_LINES = [
    [_lines(square, *sliders) for square in chess.SQUARES]
    for sliders in (("QR", "QB"), ("qr", "qb"))
]
"""By colour of the king and its square: where the other side attacks it from."""
_KNIGHTS = [tuple(chess.SquareSet(mask)) for mask in chess.BB_KNIGHT_ATTACKS]
_PAWNS = [
    [tuple(chess.SquareSet(mask)) for mask in masks] for masks in chess.BB_PAWN_ATTACKS
]

Undo = tuple[tuple[int, str], ...]


class LongMoves:
    """Plays moves and names them.

    Attributes
    ----------
    white : bool
        Whether White is to move. `pass_move` and `play` change it.

    Parameters
    ----------
    fen : str
        The position to begin with.
    """

    def __init__(self, fen: str) -> None:
        board = chess.Board(fen)
        self.white = board.turn
        self._squares = [""] * 64
        for square, piece in board.piece_map().items():
            self._squares[square] = piece.symbol().translate(_TO_LETTER)

    def pass_move(self) -> None:
        """Let the other side move."""
        self.white = not self.white

    def play(self, uci: str) -> tuple[str, Undo]:
        """Play a legal move.

        Returns
        -------
        name : str
            The move, without a sign of check.
        undo : tuple
            For `take_back`.
        """
        squares = self._squares
        start, end = _SQUARE[uci[:2]], _SQUARE[uci[2:4]]
        piece, captured = squares[start], squares[end]
        undo: Undo = ((start, piece), (end, captured))
        squares[start], squares[end] = "", piece
        self.white = not self.white
        kind = piece.upper()
        name = f"{uci[:2]}{'*' if captured else '-'}{uci[2:4]}"
        if kind == "P":
            if len(uci) == 5:
                letter = uci[4].upper().translate(_TO_LETTER)
                squares[end] = letter if piece == "P" else letter.lower()
                return f"{name}={letter}", undo
            if not captured and (end - start) % 8:
                passed = end - _FORWARD[piece]
                undo += ((passed, squares[passed]),)
                squares[passed] = ""
                return f"{uci[:2]}*{uci[2:4]} ep.", undo
            return name, undo
        if kind == "K" and abs(end - start) == 2:
            corner, beside = (end + 1, end - 1) if end > start else (end - 2, end + 1)
            undo += ((corner, squares[corner]), (beside, ""))
            squares[beside], squares[corner] = squares[corner], ""
            return ("0-0" if end > start else "0-0-0"), undo
        return f"{kind}{name}", undo

    def take_back(self, undo: Undo) -> None:
        """Take back the last move."""
        for square, piece in undo:
            self._squares[square] = piece
        self.white = not self.white

    @property
    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        squares, white = self._squares, self.white
        king = squares.index("K" if white else "k")
        for line, sliders in _LINES[white][king]:
            for square in line:
                if piece := squares[square]:
                    if piece in sliders:
                        return True
                    break
        knight, pawn = ("s", "p") if white else ("S", "P")
        for square in _KNIGHTS[king]:
            if squares[square] == knight:
                return True
        return pawn in [squares[square] for square in _PAWNS[white][king]]

    def drawing(self) -> list[str]:
        """Return the board in lines, Black's pieces with a minus sign."""
        edge = "+" + "".join(f"---{file}" for file in "abcdefgh") + "---+"
        empty = "|" + " " * 35 + "|"
        lines = [edge, empty]
        for rank in range(7, -1, -1):
            pieces = self._squares[8 * rank : 8 * rank + 8]
            names = [piece if piece.isupper() else f"-{piece}" for piece in pieces]
            cells = [
                f"{name.upper() if piece else '.':>4}"
                for name, piece in zip(names, pieces, strict=True)
            ]
            lines += [f"{rank + 1}{''.join(cells)}   {rank + 1}", empty]
        return [*lines, edge]

    @property
    def counts(self) -> tuple[int, int]:
        """How many pieces White and Black have."""
        pieces = "".join(self._squares)
        white = sum(map(str.isupper, pieces))
        return white, len(pieces) - white
