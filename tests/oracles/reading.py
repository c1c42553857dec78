"""Read FENs and moves by their definitions, with python-chess.

It decides which FENs are strictly right, and names the first fault of the others as
`FenFault` does: a fault of the whole text, then of a field, then of the position.
"""

from __future__ import annotations

import re
from collections import Counter

import chess

FIELDS = (
    ("SIDE", re.compile("[wb]").fullmatch),
    ("CASTLING_LETTERS", re.compile(r"-|(?!.*(.).*\1)[KQkq]+").fullmatch),
    ("EN_PASSANT", re.compile("-|[a-h][1-8]").fullmatch),
    ("CLOCK", re.compile("[0-9]{1,17}").fullmatch),
    ("NUMBER", re.compile("[0-9]{1,17}").fullmatch),
)
"""The fields after the first, and how they are written."""

RIGHTS = {"K": "e1h1", "Q": "e1a1", "k": "e8h8", "q": "e8a8"}
UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


def read_fen(text: str, side: chess.Color = chess.WHITE) -> chess.Board | str:
    """Return the position, or the fault; `side` is to move if the FEN does not say."""
    if fault := _fault_of_text(text.encode(errors="surrogatepass")):
        return fault
    placement, *others = text.split()
    if fault := _fault_of_board(placement) or _fault_of_fields(others):
        return fault
    defaults = "wb"[not side], "-", "-", "0", "1"
    turn, castling, *last = (*others, *defaults[len(others) :])
    if fault := _fault_of_pieces(placement, castling):
        return fault
    rights = "".join(sorted(castling))  # python-chess insists on White's first
    board = chess.Board(" ".join((placement, turn, rights, *last)))
    return _fault_of_en_passant(board) or _fault_of_checks(board) or board


def _fault_of_text(text: bytes) -> str:
    bare = text.strip(b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")
    if not bare:
        return "EMPTY"
    if len(bare) > 200:
        return "TOO_LONG"
    if not bare.isascii():
        return "NOT_ASCII"
    return "" if len(bare.decode().split()) in {1, 2, 4, 6} else "FIELDS"


def _fault_of_board(placement: str) -> str:
    ranks = placement.split("/")
    if len(ranks) != 8:
        return "RANKS"
    for rank in ranks:
        if not re.fullmatch("[PNBRQKpnbrqk1-8]*", rank):
            return "LETTER"
        if re.search("[1-8][1-8]", rank):
            return "DIGITS"
        if len(re.sub("[1-8]", lambda digit: "." * int(digit[0]), rank)) != 8:
            return "SQUARES"
    return ""


def _fault_of_fields(fields: list[str]) -> str:
    named = zip(FIELDS, fields, strict=False)
    return next((name for (name, is_right), field in named if not is_right(field)), "")


def _fault_of_pieces(placement: str, castling: str) -> str:
    count = Counter(placement)
    edges = placement.split("/")[::7]
    for side, pieces in (("WHITE", "PNBRQK"), ("BLACK", "pnbrqk")):
        pawn, king = pieces[0], pieces[-1]
        if count[king] != 1:
            return f"{side}_KING"
        if any(pawn in rank for rank in edges):
            return "EDGE_PAWN"
        if count[pawn] > 8:
            return f"{side}_PAWNS"
        if sum(count[piece] for piece in pieces) > 16:
            return f"{side}_PIECES"
    board = chess.BaseBoard(placement)
    for right in castling.replace("-", ""):
        homes = zip((RIGHTS[right][:2], RIGHTS[right][2:]), "KR", strict=True)
        for square, kind in homes:
            piece = chess.Piece.from_symbol(kind if right.isupper() else kind.lower())
            if board.piece_at(chess.parse_square(square)) != piece:
                return "CASTLING_PIECES"
    return ""


def _fault_of_en_passant(board: chess.Board) -> str:
    if board.ep_square is None:
        return ""
    if chess.square_rank(board.ep_square) != (5 if board.turn else 2):
        return "EN_PASSANT_RANK"
    before, after = (board.ep_square + step for step in (8, -8)[:: board.turn or -1])
    if board.piece_at(after) != chess.Piece(chess.PAWN, not board.turn):
        return "EN_PASSANT_PAWN"
    if board.piece_at(board.ep_square) or board.piece_at(before):
        return "EN_PASSANT_BLOCKED"
    # python-chess then asks whether the double step can give the checks.
    is_possible = not board.status() & chess.STATUS_IMPOSSIBLE_CHECK
    return "" if is_possible else "EN_PASSANT_CHECKS"


def _fault_of_checks(board: chess.Board) -> str:
    status = board.status()
    names = {
        chess.STATUS_OPPOSITE_CHECK: "OPPOSITE_CHECK",
        chess.STATUS_TOO_MANY_CHECKERS: "TOO_MANY_CHECKS",
        chess.STATUS_IMPOSSIBLE_CHECK: "IMPOSSIBLE_CHECKS",
    }
    found = [name for flag, name in names.items() if status & flag]
    assert found or status == chess.STATUS_VALID, status
    return found[0] if found else ""


def read_move(board: chess.Board, text: str) -> chess.Move | None:
    """Return a legal move in SAN or UCI, perhaps with marks; None for other texts."""
    bare = text.rstrip("+#!?")
    try:
        move = board.parse_uci(bare) if UCI.fullmatch(bare) else board.parse_san(bare)
    except ValueError:
        return None
    return move or None  # -- and Z0 are null moves
