"""Say what is wrong with a FEN that the kernel refuses, and mend what leaves no doubt.

Called by `cli`, `columns`, `position_text` and `search`; imports `errors` and
`kernel.border`.

`solver.kernel.rules.fen` decides which texts are FENs of legal positions, and names the
fault of the others. `explain` finds in the text what the fault is about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

import chess

from solver.errors import FenError, quote
from solver.kernel.border.query_struct import FEN_FAULTS, MAX_FEN_BYTES, FenFault

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

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
    text = text.strip(_SPACES)
    fields = text.split()
    if fault == FenFault.EMPTY:
        message = FEN_FAULTS[fault]
    elif fault < FenFault.RANKS:
        message = _explain_text(fault, text)
    elif fault < FenFault.SIDE:
        message = _explain_ranks(fault, fields[0])
    elif fault < FenFault.WHITE_KING:
        message = _explain_field(fault, fields[fault - FenFault.SIDE + 1])
    else:
        board = chess.Board(None)
        board.set_board_fen(fields[0])
        board.turn = fields[1] == "w" if len(fields) > 1 else side
        if fault < FenFault.CASTLING_PIECES:
            message = _explain_pieces(fault, board)
        elif fault == FenFault.CASTLING_PIECES:
            message = _explain_castling(board, fields[2])
        elif fault < FenFault.OPPOSITE_CHECK:
            message = _explain_en_passant(fault, board, fields[3])
        else:
            message = _explain_checks(fault, board)
    return FenError(message)


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


def _explain_castling(board: chess.Board, castling: str) -> str:
    def described(*pieces: chess.Piece | None) -> str:
        homes = zip(pieces, _HOMES[letter], strict=True)
        return " and ".join(
            f"{_described(piece)} on {chess.square_name(home)}" for piece, home in homes
        )

    expected = found = ""
    for letter in castling:
        king, rook = (chess.Piece(kind, letter.isupper()) for kind in _CASTLING)
        expected = described(king, rook)
        found = described(*map(board.piece_at, _HOMES[letter]))
        if found != expected:
            break
    return (
        f"castling right {letter}: expected {expected} (Chess960 is not supported), "
        f"found {found}"
    )


def _explain_en_passant(fault: FenFault, board: chess.Board, name: str) -> str:
    side = _side(board.turn).capitalize()
    rank, forward = (6, 8) if board.turn == chess.WHITE else (3, -8)
    if fault == FenFault.EN_PASSANT_RANK:
        return (
            f"en passant square: expected one on rank {rank} ({side} is to move), "
            f"found {name}"
        )
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


_SEPARATORS = f"{_SPACES};,|"
_QUOTES = "\"'`\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_PREFIX = re.compile(r"\A\[?\s*(?:position\s+)?fen\b[\s:=]*", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?:/)?/?[\w.-]+\.[a-z]+(?::[0-9]+)?/", re.IGNORECASE)
_SIDES = {"w": "w", "b": "b", "white": "w", "black": "b"}
_STUCK_CLOCK = re.compile("-[0-9]+")
_SQUARE = re.compile("[A-Za-z][0-9]")
_IN_ADDRESS = re.compile(
    r"/(?:analysis|editor)/(?:standard/|fromPosition/)?([^?#&]+/[^?#&]+)"
    r"|[?&]fen=([^#&]+)",
    re.IGNORECASE,
)
_OTHER_GAME = re.compile(
    r"chess960|is960=(?:true|1)|[?&]variant=(?!standard|fromPosition)", re.IGNORECASE
)


def plain_fen(text: str) -> str:
    """Return the FEN in what another program or a web page prints.

    Parameters
    ----------
    text : str
        A FEN in quotes, with `_` for spaces, after the word `fen`, or with a comma or
        semicolon at its end; or the address of a page of lichess, chess.com or others
        that shows a position.

    Raises
    ------
    FenError
        It is another address.
    """
    text = text.strip(_SEPARATORS + _QUOTES + "]").translate(_DASHES)
    text = _PREFIX.sub("", text, count=1).strip(_SEPARATORS + _QUOTES)
    if _ADDRESS.match(text):
        found = _IN_ADDRESS.search(text)
        if found is None or _OTHER_GAME.search(text):
            msg = (
                "expected a FEN or the address of an orthodox position on lichess or "
                f"chess.com, found {quote(text)}"
            )
            raise FenError(msg)
        from urllib.parse import unquote, unquote_plus

        text = unquote(found[1]) if found[1] else unquote_plus(found[2])
    if " " not in text:
        text = text.replace("_", " ")
    return text.strip(_SEPARATORS)


def mend(
    text: str, read: Callable[[str], Result]
) -> tuple[str, Result, tuple[str, ...]]:
    """Read a FEN as programs and people write them, without what makes no sense in it.

    What leaves no doubt about the position is left out, or replaced by its default: a
    castling right without its king and rook, an en passant square without its pawn, a
    counter that is no number or is missing, a missing field. Letters of Chess960 and
    every fault of the board are refused.

    Parameters
    ----------
    text : str
        The FEN; see `plain_fen`.
    read : callable
        Called with a FEN; raises the error that `explain` returns if it is wrong.

    Returns
    -------
    fen : str
        A FEN that was read; it has a side to move if the text has one.
    result
        What `read` returned.
    warnings : tuple of str
        What was mended, in the words of the fault.

    Raises
    ------
    FenError
        There is another fault.
    """
    warnings: list[str] = []
    fields = plain_fen(text).split()
    for at, name in ((2, "castling rights"), (3, "en passant square")):
        if at < len(fields) < 6 and fields[at].isdecimal():
            warnings.append(f"{name}: expected -, found nothing before the counters")
            fields.insert(at, "-")
    if len(fields) == 5 and _STUCK_CLOCK.fullmatch(fields[3]):
        warnings.append(f"en passant square: expected - and a space, found {fields[3]}")
        fields[3:4] = "-", fields[3][1:]
    if len(fields) in {3, 5}:
        warnings.append(f"FEN: expected 4 or 6 fields, found {len(fields)}")
        fields.append("-" if len(fields) == 3 else "1")
    while True:
        fen = " ".join(fields)
        try:
            return fen, read(fen), tuple(warnings)
        except FenError as error:
            fault = str(error)
            mended = _mend(fields, fault)
            if mended == fields:
                raise
            has_subject = not fault.startswith("expected")
            warnings.append(
                fault if has_subject else f"en passant square {fields[3]}: {fault}"
            )
            fields = mended


def _mend(fields: list[str], fault: str) -> list[str]:
    """Return the fields without a fault; the same fields if it leaves a doubt."""
    subject, mended = fault.partition(":")[0], [*fields]
    if subject == "side to move":
        mended[1] = _SIDES.get(fields[1].lower(), fields[1])
    elif subject == "castling rights":
        if set(fields[2]) <= set("KQkq-"):
            mended[2] = "".join(dict.fromkeys(fields[2].replace("-", ""))) or "-"
    elif subject.startswith("castling right "):
        mended[2] = fields[2].replace(subject[-1], "") or "-"
    elif subject == "halfmove clock":
        mended[4] = "0"
    elif subject == "move number":
        mended[5] = "1"
    elif len(fields) > 3 and _SQUARE.fullmatch(fields[3]):
        square = fields[3].lower()  # also of checks that a double step cannot give
        is_legible = square != fields[3] and square in chess.SQUARE_NAMES
        mended[3] = square if is_legible else "-"
    return mended
