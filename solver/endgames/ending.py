"""Small endgames, and which of them a solver has met.

Apart from `solver.endgames.probe`, because most searches only ask whether a position is
one, which needs neither a table nor python-chess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.kernel.border.query_struct import MOST_ENDING_PIECES

if TYPE_CHECKING:
    import chess

    from solver.kernel.border.search_struct import PositionStruct

PieceCounts: TypeAlias = tuple[int, ...]
"""How many queens, rooks, bishops and knights the attacker and the defender have."""


def is_ending(position: PositionStruct) -> bool:
    """Return whether a position is a small endgame: four pieces at most, no pawns."""
    return (
        not position.pawns
        and not position.rights
        and piece_count(position) <= MOST_ENDING_PIECES
    )


def piece_count(position: PositionStruct) -> int:
    """Return the number of pieces on the board, kings and pawns included."""
    occupied: int = position.us | position.them
    return occupied.bit_count()


class EndingHistory:
    """The small endgames that one solver has met.

    Each solver begins with none, whatever tables other solvers of the process have
    built. The cost of its answers thus depends on its own problems alone.
    """

    def __init__(self) -> None:
        self._first: dict[PieceCounts, tuple[bytes, bool]] = {}
        self._probed: set[PieceCounts] = set()

    def is_further(self, position: PositionStruct, *, black: bool) -> bool:
        """Remember a position; return whether an earlier one had the same pieces.

        The colours make no difference.

        Parameters
        ----------
        position : Position
            A small endgame.
        black : bool
            Whether Black is to move.
        """
        counts = max(_piece_counts(position, attacking=side) for side in (True, False))
        seen = bytes(position), black
        return self._first.setdefault(counts, seen) != seen

    def note_probe(self, position: PositionStruct, *, attacking: bool) -> None:
        """Remember that a table was probed: that of the side to move if `attacking`."""
        self._probed.add(_piece_counts(position, attacking=attacking))

    def was_probed(self, position: PositionStruct, *, attacking: bool) -> bool:
        """Return whether that table was probed; a bare king needs none."""
        counts = _piece_counts(position, attacking=attacking)
        return not any(counts[: len(counts) // 2]) or counts in self._probed


def _piece_counts(position: PositionStruct, *, attacking: bool) -> PieceCounts:
    """Count the pieces; the side to move is the attacker if `attacking`."""
    diagonal, orthogonal = position.diagonal, position.orthogonal
    kinds: tuple[int, ...] = (
        diagonal & orthogonal,
        orthogonal & ~diagonal,
        diagonal & ~orthogonal,
        position.knights,
    )
    sides: list[int] = [position.us, position.them]
    if not attacking:
        sides.reverse()
    return tuple((kind & side).bit_count() for side in sides for kind in kinds)


class Piece(NamedTuple):
    """A piece of an endgame.

    Attributes
    ----------
    attacks : bool
        Whether it is the attacker's.
    kind : chess.PieceType
        Queen, rook, bishop, knight or, outside `Pieces`, king.
    """

    attacks: bool
    kind: chess.PieceType


Pieces: TypeAlias = tuple[Piece, ...]
"""All pieces except kings: the attacker's first, on each side the strongest first."""


class Placement(NamedTuple):
    """A position without the side to move.

    Attributes
    ----------
    pieces : Pieces
        The pieces besides the kings.
    king : chess.Square
        The attacker's king.
    squares : tuple of chess.Square
        The squares of the pieces, in the same order.
    target : chess.Square
        The defender's king, which is to be mated.
    """

    pieces: Pieces
    king: chess.Square
    squares: tuple[chess.Square, ...]
    target: chess.Square
