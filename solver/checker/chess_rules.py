"""What checks share: the rules of chess, by python-chess, and values in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeAlias

import chess

from solver.errors import CertificateError, ForgeryError, refuse

if TYPE_CHECKING:
    from collections.abc import Collection

_SHOWN_CHARACTERS = 40

MOST_INTEGER = (1 << 63) - 1
"""Python cannot print integers of more than 4,300 digits, so they are limited."""

_MAX_FEN_CHARACTERS = 200
"""More than twice what any position needs."""

Key: TypeAlias = "tuple[object, ...]"
"""Positions with equal keys have the same continuations."""


def forged(expected: str, found: object) -> NoReturn:
    """Refuse a proof that does not prove what it states."""
    refuse(expected, found, ForgeryError)


def damaged(expected: str, found: object) -> NoReturn:
    """Refuse what is not in the format of a certificate."""
    refuse(expected, found, CertificateError)


def parse_position(fen: str) -> chess.Board:
    """Parse a FEN of six fields, spelled as python-chess writes it.

    Raises
    ------
    ForgeryError
        It is not such a FEN, or the position is illegal.
    """
    if len(fen) > _MAX_FEN_CHARACTERS:
        forged("fen: expected a position", f"{len(fen):,} characters")
    try:
        board = chess.Board(fen)
    except ValueError:
        forged("fen: expected a position", shown(fen))
    if not board.is_valid():
        fault = str(board.status()).rpartition(".")[2]
        forged("fen: expected a legal position", f"{fault}: {shown(fen)}")
    if board.fen() != fen:
        forged(f"fen: expected {board.fen()}", shown(fen))
    return board


def key_of(board: chess.Board) -> Key:
    """Return a position's key, without move counters and history."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        board.ep_square if board.has_legal_en_passant() else None,
    )


def was_replayed(board: chess.Board, node: str, replayed: dict[str, Key]) -> bool:
    """Return whether a shared node was replayed before, and record its position.

    Raises
    ------
    ForgeryError
        It was replayed in another position.
    """
    key, is_known = key_of(board), node in replayed
    if replayed.setdefault(node, key) != key:
        forged(f"{node}: expected the same position", f"another: {board.fen()}")
    return is_known


def moves_of(board: chess.Board) -> dict[str, chess.Move]:
    """Return the legal moves by their names in UCI notation."""
    return {move.uci(): move for move in board.legal_moves}


def legal_move(board: chess.Board, text: str, where: str) -> chess.Move:
    """Return the legal move of this name in UCI notation, or refuse it."""
    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        move = chess.Move.null()
    # `is_legal` would also accept e1h1 as castling.
    origin = chess.BB_SQUARES[move.from_square]
    if move.uci() != text or move not in board.generate_legal_moves(origin):
        forged(f"{where}: expected a legal move", shown(text))
    return move


def require_exactly(
    found: Collection[str], legal: dict[str, chess.Move], what: str, where: str
) -> None:
    """Require a list of moves to be exactly the list of legal moves."""
    if len(found) == len(legal) and all(name in legal for name in found):
        return
    if missing := sorted(legal.keys() - set(found)):
        msg = f"{where}: {what} {missing[0]} is missing"
        raise ForgeryError(msg)
    extra = min(set(found) - legal.keys())
    msg = f"{where}: {what} {shown(extra)} is not legal"
    raise ForgeryError(msg)


def has_mate_in_one(board: chess.Board) -> chess.Move | None:
    """Return a move that mates, or None.

    Only moves that may give check are tried. A checking piece is a knight's jump or a
    clear line away from the king. Either it has just moved to such a square, or a piece
    that left such a square opened its line. Castling and en passant captures move or
    remove a second piece, so they are always tried.
    """
    king = board.king(not board.turn)
    assert king is not None  # the position is legal
    sight = (
        chess.BB_KNIGHT_ATTACKS[king]
        | chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & board.occupied]
        | chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & board.occupied]
        | chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & board.occupied]
    )
    for move in board.legal_moves:
        squares = chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        if not (
            squares & sight or board.is_castling(move) or board.is_en_passant(move)
        ):
            continue
        board.push(move)
        mates = board.is_checkmate()
        board.pop()
        if mates:
            return move
    return None


def has_king_alone(board: chess.Board, color: chess.Color) -> bool:
    """Return whether a side has only its king, and so cannot mate."""
    return board.occupied_co[color].bit_count() == 1


def shown(value: object) -> str:
    """Show the beginning of a value for a message, as one line of ASCII."""
    match value:
        case list():
            return f"an array of {len(value):,}"
        case dict():
            return f"an object of {len(value):,}"
        case int() if abs(value) > MOST_INTEGER:
            return f"a number of {value.bit_length()} bits"
    text = ascii(value[: _SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
