"""Marks of mates and keys with python-chess, as `solver.play.record` defines them."""

from __future__ import annotations

import chess

from solver.play.record import MateMark


def mark_mate(board: chess.Board) -> MateMark:
    """See `solver.play.record.find_mate_mark`."""
    if not board.is_checkmate():
        return MateMark.PLAIN
    mated = board.turn
    king = board.king(mated)
    assert king is not None
    # 1. The king's square and its field.
    if board.checkers().mask.bit_count() > 1 and not _needs_both_checks(board):
        return MateMark.PLAIN
    barred = _bars(board, king)
    if barred is None:
        return MateMark.PLAIN
    guards, blocks = barred

    # 2. Pins of pieces that do not stand beside the king.
    others = _pieces(board, mated) - blocks
    for square in others:
        pinners = _pinners(board, square)
        if pinners and _needs_pin(board, square, pinners):
            guards |= pinners

    # 3. Who takes part.
    idle = _pieces(board, not mated) - guards - board.checkers()
    king_and_pawns = chess.SquareSet(board.kings | board.pawns)
    if idle - king_and_pawns:
        return MateMark.PURE
    return MateMark.MODEL if idle or others else MateMark.IDEAL


def _pieces(board: chess.Board, color: chess.Color) -> chess.SquareSet:
    """Return the squares of a side's pieces, without the king if it is mated."""
    kings = board.kings if color == board.turn else 0
    return chess.SquareSet(board.occupied_co[color] & ~kings)


def _bars(
    board: chess.Board, king: chess.Square
) -> tuple[chess.SquareSet, chess.SquareSet] | None:
    """Return the pieces that guard the field and those that block it.

    None if a square of the field is barred in two ways.
    """
    bare = board.copy(stack=False)
    bare.remove_piece_at(king)
    guards, blocks = chess.SquareSet(), chess.SquareSet()
    for square in chess.SquareSet(chess.BB_KING_ATTACKS[king]):
        here = bare.attackers(not board.turn, square)
        if board.color_at(square) == board.turn:
            blocks.add(square)
            is_pure = not here or _needs_pin(board, square, here)
        else:
            is_pure = len(here) == 1
        if not is_pure:
            return None
        guards |= here
    return guards, blocks


def _pinners(board: chess.Board, square: chess.Square) -> chess.SquareSet:
    """Return the piece that pins a piece of the side to move, if there is one."""
    if not board.is_pinned(board.turn, square):
        return chess.SquareSet()
    line = board.pin(board.turn, square)
    sliders = board.bishops | board.rooks | board.queens
    behind = line & sliders & board.occupied_co[not board.turn]
    return chess.SquareSet(s for s in behind if square in board.attacks(s))


def _needs_pin(
    board: chess.Board, square: chess.Square, guards: chess.SquareSet
) -> bool:
    """Return whether a piece could parry the check if `guards` did not pin it."""
    if guards != _pinners(board, square):
        return False
    unpinned = board.copy(stack=False)
    for guard in guards:
        unpinned.remove_piece_at(guard)
    return any(
        unpinned.is_legal(move)
        for move in unpinned.generate_pseudo_legal_moves(chess.BB_SQUARES[square])
    )


def _needs_both_checks(board: chess.Board) -> bool:
    """Return whether each of two checks alone could be parried without a king move."""
    king = board.kings & board.occupied_co[board.turn]
    for checker in board.checkers():
        alone = board.copy(stack=False)
        for other in board.checkers() - chess.SquareSet.from_square(checker):
            alone.remove_piece_at(other)
        parries = alone.generate_legal_moves(from_mask=~king & chess.BB_ALL)
        if not any(parries):
            return False
    return True


def mark_key(board: chess.Board, move: chess.Move) -> list[str]:
    """See `solver.play.record.mark_key`."""
    attacker = board.turn
    after = board.copy(stack=False)
    after.push(move)
    if after.is_checkmate():
        return []
    before = board.copy(stack=False)
    before.turn = not attacker  # no null move: the attacker may be in check
    before.ep_square = None

    captured = board.piece_type_at(move.to_square)
    if board.is_en_passant(move):
        captured = chess.PAWN
    moved = {move.to_square}
    castles = board.is_castling(move)
    flights = _flight_squares(before), _flight_squares(after)
    taken = _capturable(before), _capturable(after)
    pinned = _pinned_pieces(before), _pinned_pieces(after)
    notes = (
        ("check", after.is_check()),
        (f"captures a {_NAMES[captured]}", captured and not castles),
        ("takes {}", _flights(flights[0] - flights[1])),
        ("pins {}", _named(pinned[1] - pinned[0])),
        (f"promotes to a {_NAMES[move.promotion]}", move.promotion),
        ("castling", castles),
        ("unpins {}", _named(pinned[0] - pinned[1])),
        ("gives {}", _flights(flights[1] - flights[0])),
        ("sacrifice", taken[1] & moved),
        ("puts {} en prise", _named(taken[1] - taken[0] - moved)),
    )
    return [text.format(found) for text, found in notes if found]


_NAMES = dict(enumerate(chess.PIECE_NAMES)) | {None: ""}


def _flight_squares(board: chess.Board) -> set[chess.Square]:
    """Return the squares that the king of the side to move can go to."""
    king = board.kings & board.occupied_co[board.turn]
    moves = board.generate_legal_moves(from_mask=king)
    return {move.to_square for move in moves if not board.is_castling(move)}


def _capturable(board: chess.Board) -> set[chess.Square]:
    """Return the squares of the pieces that the side to move can take, not kings."""
    targets = board.occupied_co[not board.turn] & ~board.kings
    moves = board.generate_legal_moves(to_mask=targets)
    squares = {move.to_square for move in moves}
    for move in board.generate_legal_ep():
        squares.add(move.to_square ^ 8)  # the pawn stands one rank farther
    return squares


def _pinned_pieces(board: chess.Board) -> set[chess.Square]:
    """Return the squares of the pinned pieces of the side to move."""
    own = chess.SquareSet(board.occupied_co[board.turn] & ~board.kings)
    return {square for square in own if board.is_pinned(board.turn, square)}


def _named(squares: set[chess.Square]) -> str:
    return ", ".join(sorted(chess.SQUARE_NAMES[square] for square in squares))


def _flights(squares: set[chess.Square]) -> str:
    names = _named(squares)
    return names and f"flight{'s' if len(squares) > 1 else ''} {names}"
