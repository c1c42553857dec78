"""Say what is wrong with a FEN that the kernel refuses or repairs.

`solver.kernel.rules.fen` decides which texts are FENs of legal positions, names the
fault of the others, and repairs some. `explain` finds in the text what a fault is
about.
"""

from __future__ import annotations

import re

import chess

from solver.errors import FenError, quote
from solver.kernel.border.query_struct import FEN_FAULTS, MAX_FEN_BYTES, FenFault

_SPACES = "".join(letter for letter in map(chr, range(128)) if letter.isspace())
_CHESS960_RIGHTS = re.compile(r"(?!.*(.).*\1)[A-HKQa-hkq]+")
_HOMES = {
    "K": (chess.E1, chess.H1),
    "Q": (chess.E1, chess.A1),
    "k": (chess.E8, chess.H8),
    "q": (chess.E8, chess.A8),
}
"""The squares of king and rook for each castling right."""

_CASTLING = chess.KING, chess.ROOK


def explain(text: str, fault: FenFault, side: chess.Color = chess.WHITE) -> FenError:
    """Say what was expected of a text, and what was found.

    Parameters
    ----------
    text : str
        What the kernel has refused as a FEN.
    fault : FenFault
        The reason.
    side : chess.Color
        The side to move if the text does not say.

    Returns
    -------
    FenError
        A message of one line.
    """
    return FenError(_sentences(text, fault, side)[0])


def explain_repairs(text: str, repaired: int, side: chess.Color) -> tuple[str, ...]:
    """Say what was wrong with a FEN that the kernel has repaired.

    Parameters
    ----------
    text : str
        The FEN.
    repaired : int
        A bit for each `FenFault`.
    side : chess.Color
        The side to move if the text does not say.

    Returns
    -------
    tuple of str
        Sentences as those of `explain`, one for each fault and each castling right.
    """
    faults = [fault for fault in FenFault if repaired >> fault & 1]
    return tuple(each for fault in faults for each in _sentences(text, fault, side))


def _sentences(text: str, fault: FenFault, side: chess.Color) -> list[str]:
    """Explain a fault: in one sentence, or in one for each wrong castling right."""
    text = text.strip(_SPACES)
    fields = text.split()
    if fault == FenFault.EMPTY:
        message = FEN_FAULTS[fault]
    elif fault < FenFault.RANKS:
        message = _explain_text(fault, text)
    elif fault < FenFault.SIDE:
        message = _explain_ranks(fault, fields[0])
    elif fault < FenFault.WHITE_KING:
        at = -1 if fault == FenFault.NUMBER else fault - FenFault.SIDE + 1
        message = _explain_field(fault, fields[at])
    else:
        board = chess.Board(None)
        board.set_board_fen(fields[0])
        board.turn = fields[1][0] in "wW" if len(fields) > 1 else side
        if fault < FenFault.CASTLING_PIECES:
            message = _explain_pieces(fault, board)
        elif fault == FenFault.CASTLING_PIECES:
            return _explain_castling(board, fields[2])
        elif fault < FenFault.OPPOSITE_CHECK:
            message = _explain_en_passant(fault, board, fields[3].lower())
        else:
            message = _explain_checks(fault, board)
    return [message]


def _explain_text(fault: FenFault, text: str) -> str:
    if fault == FenFault.FIELDS:
        found = str(len(text.split()))
    elif len(text) > MAX_FEN_BYTES:
        found = f"{len(text):,}: {quote(text)}"
    else:  # a shorter text may have more bytes, if it is not ASCII
        fault = FenFault.NOT_ASCII
        column = next(i for i, letter in enumerate(text) if not letter.isascii())
        found = f"U+{ord(text[column]):04X} at character {column + 1}"
    return f"{FEN_FAULTS[fault]}, found {found}"


def _explain_ranks(fault: FenFault, placement: str) -> str:
    rows, expected = placement.split("/"), FEN_FAULTS[fault]
    if fault == FenFault.RANKS:
        return f"{expected}, found {len(rows)} in {quote(placement)}"

    def find(row: str) -> str:
        if fault == FenFault.SQUARES:
            squares = sum(int(each) if each.isdigit() else 1 for each in row)
            return "" if squares == 8 else str(squares)
        wrong = "[1-8]{2}" if fault == FenFault.DIGITS else "[^PNBRQKpnbrqk1-8]"
        found = re.search(wrong, row)
        return quote(found[0]) if found else ""

    at, found = next((at, found) for at, found in enumerate(map(find, rows)) if found)
    expected = expected.replace("board", f"rank {8 - at}").removesuffix(" in each rank")
    return f"{expected}, found {found} in {quote(rows[at])}"


def _explain_field(fault: FenFault, field: str) -> str:
    expected = FEN_FAULTS[fault]
    if fault == FenFault.CASTLING_LETTERS and _CHESS960_RIGHTS.fullmatch(field):
        expected += " (Chess960 is not supported)"
    return f"{expected}, found {quote(field)}"


def _explain_pieces(fault: FenFault, board: chess.Board) -> str:
    expected, white = FEN_FAULTS[fault], board.occupied_co[chess.WHITE]
    if fault == FenFault.EDGE_PAWN:
        pawns = board.pawns & chess.BB_BACKRANKS
        square = chess.lsb(pawns & white or pawns)
        side = _side(bool(pawns & white))
        return f"{expected}, found a {side} one on {chess.square_name(square)}"
    color, _, pieces = fault.name.partition("_")
    squares = {"KING": board.kings, "PAWNS": board.pawns, "PIECES": board.occupied}
    found = squares[pieces] & board.occupied_co[color == "WHITE"]
    return f"{expected}, found {found.bit_count() or 'none'}"


def _explain_castling(board: chess.Board, castling: str) -> list[str]:
    def described(*pieces: chess.Piece | None) -> str:
        homes = zip(pieces, _HOMES[letter], strict=True)
        return " and ".join(
            f"{_described(piece)} on {chess.square_name(home)}" for piece, home in homes
        )

    sentences = []
    for letter in dict.fromkeys(castling.replace("-", "")):
        king, rook = (chess.Piece(kind, letter.isupper()) for kind in _CASTLING)
        expected = described(king, rook)
        found = described(*map(board.piece_at, _HOMES[letter]))
        if found != expected:
            sentences.append(
                f"castling right {letter}: expected {expected} (Chess960 is not "
                f"supported), found {found}"
            )
    return sentences


def _explain_en_passant(fault: FenFault, board: chess.Board, name: str) -> str:
    side = _side(board.turn).capitalize()
    rank, forward = (6, 8) if board.turn == chess.WHITE else (3, -8)
    if fault == FenFault.EN_PASSANT_RANK:
        return (
            f"en passant square: expected one on rank {rank} ({side} is to move), "
            f"found {name}"
        )
    if fault == FenFault.EN_PASSANT_CHECKS:
        expected = FEN_FAULTS[fault].partition(": ")[2]
        found = f"checks from {_names(board.checkers())}"
        return f"en passant square {name}: {expected}, found {found}"
    square = chess.parse_square(name)
    pushed_from, pushed_to = square + forward, square - forward
    if fault == FenFault.EN_PASSANT_PAWN:
        pawn = chess.Piece(chess.PAWN, not board.turn)
        at = pushed_to
        expected = (
            f"{_described(pawn)} on {chess.square_name(at)} that has just moved two "
            "squares"
        )
    else:
        at = square if board.piece_at(square) else pushed_from
        expected = f"{chess.square_name(at)} to be empty after the pawn's double step"
    found = f"{_described(board.piece_at(at))} on {chess.square_name(at)}"
    return f"en passant square {name}: expected {expected}, found {found}"


def _explain_checks(fault: FenFault, board: chess.Board) -> str:
    if fault == FenFault.OPPOSITE_CHECK:
        king = board.king(not board.turn)
        assert king is not None  # the kernel has counted the kings
        return (
            f"expected the {_side(not board.turn)} king out of check "
            f"({_side(board.turn).capitalize()} is to move), found it attacked from "
            f"{_names(board.attackers(board.turn, king))}"
        )
    checkers = board.checkers()
    is_many = fault == FenFault.TOO_MANY_CHECKS
    found = f"{len(checkers)} on" if is_many else "checks from"
    return f"{FEN_FAULTS[fault]}, found {found} {_names(checkers)}"


def _side(color: chess.Color) -> str:
    return chess.COLOR_NAMES[color]


def _described(piece: chess.Piece | None) -> str:
    if piece is None:
        return "nothing"
    return f"a {_side(piece.color)} {chess.piece_name(piece.piece_type)}"


def _names(squares: chess.SquareSet) -> str:
    return ", ".join(chess.square_name(square) for square in squares)
