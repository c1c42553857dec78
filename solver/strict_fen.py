"""Read a FEN with python-chess, and explain what is wrong with it.

`parse_strictly` accepts exactly what the compiled reader in `solver.kernel.rules.fen`
accepts; see `solver.position_text`. `mend` makes such a FEN of what programs and people
write.

Positions that no game reaches are legal, as composers need them: any promoted pieces,
as long as a side has at most eight pawns and sixteen pieces. A position that no last
move can explain is illegal: the side not to move is in check, or several checks cannot
have arisen together.
"""

from __future__ import annotations

import re

import chess

from solver.errors import FenError, quote

MAX_CHARACTERS = 200
"""No FEN of orthodox chess is half as long."""

MAX_DIGITS = 17
"""A counter of this many digits, plus the moves of any line, fits in an int64."""

_SPACES = "".join(letter for letter in map(chr, range(128)) if letter.isspace())
_DEFAULTS = ("-", "-", "0", "1")
_FIELD_COUNTS = (1, 2, 4, 6)
_CHESS960_RIGHTS = re.compile(r"[A-HKQa-hkq]+")
_HOMES = {
    "K": (chess.E1, chess.H1),
    "Q": (chess.E1, chess.A1),
    "k": (chess.E8, chess.H8),
    "q": (chess.E8, chess.A8),
}
"""The squares of king and rook for each castling right."""


def parse_strictly(text: str, side: chess.Color = chess.WHITE) -> chess.Board:
    """Read a FEN of one, two, four or six fields.

    The defaults of missing fields are White to move, no castling, no en passant, and
    the counters 0 and 1. The side to move may be mated or stalemated.

    Parameters
    ----------
    text : str
        The FEN; surrounding white space is ignored.
    side : chess.Color
        The side to move if the FEN does not say; see `Stipulation.white_begins`.

    Returns
    -------
    chess.Board
        The position, without history.

    Raises
    ------
    FenError
        If it is not a legal position of orthodox chess. The message is one line: what
        was expected, and what was found.
    """
    fields = _split(text)
    defaults = ("", "w" if side else "b", *_DEFAULTS)
    placement, turn, castling, en_passant, clock, number = (
        *fields,
        *defaults[len(fields) :],
    )
    _check_placement(placement)
    if turn not in {"w", "b"}:
        msg = f"side to move: expected w or b, found {quote(turn)}"
        raise FenError(msg)
    _check_castling_letters(castling)
    if en_passant != "-" and en_passant not in chess.SQUARE_NAMES:
        msg = (
            "en passant square: expected - or a square such as e3, "
            f"found {quote(en_passant)}"
        )
        raise FenError(msg)
    _check_counter("halfmove clock", clock)
    _check_counter("move number", number)

    rights = "".join(sorted(castling))  # python-chess insists on White's first
    board = chess.Board(" ".join((placement, turn, rights, en_passant, clock, number)))
    _check_pieces(board)
    _check_castling(board, castling)
    _check_en_passant(board)
    _check_checks(board)
    return board


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
    text: str, side: chess.Color = chess.WHITE
) -> tuple[str, chess.Board, tuple[str, ...]]:
    """Read a FEN as programs and people write them, without what makes no sense in it.

    What leaves no doubt about the position is left out, or replaced by its default: a
    castling right without its king and rook, an en passant square without its pawn, a
    counter that is no number or is missing, a missing field. Letters of Chess960 and
    every fault of the board are refused.

    Parameters
    ----------
    text : str
        The FEN; see `plain_fen`.
    side : chess.Color
        The side to move if the FEN does not say.

    Returns
    -------
    text : str
        A FEN that `parse_strictly` accepts; it has a side to move if the text has one.
    board : chess.Board
        The position.
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
        fields.append(_DEFAULTS[len(fields) - 2])
    while True:
        fen = " ".join(fields)
        try:
            return fen, parse_strictly(fen, side), tuple(warnings)
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


def find_fault(text: str) -> FenError:
    """Return what is wrong with a FEN that the compiled reader refuses."""
    try:
        parse_strictly(text)
    except FenError as error:
        return error
    msg = f"the compiled reader refuses {text}"
    raise AssertionError(msg)


def _split(text: str) -> list[str]:
    text = text.strip(_SPACES)
    if not text:
        msg = "expected a FEN, found nothing"
        raise FenError(msg)
    if len(text) > MAX_CHARACTERS:
        msg = (
            f"expected a FEN of at most {MAX_CHARACTERS} characters, "
            f"found {len(text):,}: {quote(text)}"
        )
        raise FenError(msg)
    if not text.isascii():
        column = next(i for i, letter in enumerate(text) if not letter.isascii())
        msg = (
            "expected plain ASCII, "
            f"found U+{ord(text[column]):04X} at character {column + 1}"
        )
        raise FenError(msg)
    fields = text.split()
    if len(fields) not in _FIELD_COUNTS:
        msg = f"expected a FEN of 1, 2, 4 or 6 fields, found {len(fields)}"
        raise FenError(msg)
    return fields


def _check_placement(placement: str) -> None:
    rows = placement.split("/")
    if len(rows) != 8:
        msg = (
            f"board: expected 8 ranks with / between them, found {len(rows)} "
            f"in {quote(placement)}"
        )
        raise FenError(msg)
    for rank, row in zip(range(8, 0, -1), rows, strict=True):
        for letter in row:
            if letter not in "PNBRQKpnbrqk12345678":
                msg = (
                    f"rank {rank}: expected pieces PNBRQK or pnbrqk and digits 1 to 8, "
                    f"found {quote(letter)} in {quote(row)}"
                )
                raise FenError(msg)
        if pair := re.search("[1-8]{2}", row):
            msg = (
                f"rank {rank}: expected one digit for adjacent empty squares, "
                f"found {quote(pair[0])} in {quote(row)}"
            )
            raise FenError(msg)
        squares = sum(int(letter) if letter.isdigit() else 1 for letter in row)
        if squares != 8:
            msg = f"rank {rank}: expected 8 squares, found {squares} in {quote(row)}"
            raise FenError(msg)


def _check_castling_letters(castling: str) -> None:
    if castling == "-" or (set(castling) <= set("KQkq") and _all_differ(castling)):
        return
    note = ""
    if _CHESS960_RIGHTS.fullmatch(castling) and _all_differ(castling):
        note = " (Chess960 is not supported)"
    msg = (
        f"castling rights: expected - or letters of KQkq{note}, found {quote(castling)}"
    )
    raise FenError(msg)


def _all_differ(letters: str) -> bool:
    return len(set(letters)) == len(letters)


def _check_counter(name: str, digits: str) -> None:
    if not digits.isdecimal():
        msg = f"{name}: expected a whole number from 0 up, found {quote(digits)}"
        raise FenError(msg)
    if len(digits) > MAX_DIGITS:
        msg = f"{name}: expected at most {MAX_DIGITS} digits, found {len(digits)}"
        raise FenError(msg)


def _check_pieces(board: chess.Board) -> None:
    for color in (chess.WHITE, chess.BLACK):
        side = _side(color)
        kings = len(board.pieces(chess.KING, color))
        if kings != 1:
            msg = f"expected one {side} king, found {kings or 'none'}"
            raise FenError(msg)
        pawns = board.pieces(chess.PAWN, color)
        for square in pawns & chess.BB_BACKRANKS:
            msg = (
                "expected no pawn on the first or last rank, "
                f"found a {side} one on {chess.square_name(square)}"
            )
            raise FenError(msg)
        if len(pawns) > 8:
            msg = f"expected at most 8 {side} pawns, found {len(pawns)}"
            raise FenError(msg)
        pieces = board.occupied_co[color].bit_count()
        if pieces > 16:
            msg = f"expected at most 16 {side} pieces, found {pieces}"
            raise FenError(msg)


def _check_castling(board: chess.Board, castling: str) -> None:
    for letter in castling.replace("-", ""):
        color = letter.isupper()
        king, rook = _HOMES[letter]
        if board.piece_at(king) != chess.Piece(chess.KING, color) or (
            board.piece_at(rook) != chess.Piece(chess.ROOK, color)
        ):
            side = _side(color)
            msg = (
                f"castling right {letter}: expected a {side} king on "
                f"{chess.square_name(king)} and a {side} rook on "
                f"{chess.square_name(rook)} (Chess960 is not supported), "
                f"found {_piece_on(board, king)} and {_piece_on(board, rook)}"
            )
            raise FenError(msg)


def _check_en_passant(board: chess.Board) -> None:
    square = board.ep_square
    if square is None:
        return
    name = chess.square_name(square)
    rank, forward = (6, 8) if board.turn == chess.WHITE else (3, -8)
    if chess.square_rank(square) != rank - 1:
        msg = (
            f"en passant square: expected one on rank {rank} "
            f"({_side(board.turn).capitalize()} is to move), found {name}"
        )
        raise FenError(msg)
    pushed_from, pushed_to = square + forward, square - forward
    pawn = chess.Piece(chess.PAWN, not board.turn)
    if board.piece_at(pushed_to) != pawn:
        msg = (
            f"en passant square {name}: expected {_described(pawn)} on "
            f"{chess.square_name(pushed_to)} that has just moved two squares, "
            f"found {_piece_on(board, pushed_to)}"
        )
        raise FenError(msg)
    for empty in (square, pushed_from):
        if board.piece_at(empty):
            msg = (
                f"en passant square {name}: expected {chess.square_name(empty)} to be "
                f"empty after the pawn's double step, found {_piece_on(board, empty)}"
            )
            raise FenError(msg)


def _check_checks(board: chess.Board) -> None:
    status = board.status()
    if status & chess.STATUS_OPPOSITE_CHECK:
        king = board.king(not board.turn)
        assert king is not None  # _check_pieces has counted the kings
        msg = (
            f"expected the {_side(not board.turn)} king out of check "
            f"({_side(board.turn).capitalize()} is to move), found it attacked "
            f"from {_names(board.attackers(board.turn, king))}"
        )
        raise FenError(msg)
    if status & chess.STATUS_TOO_MANY_CHECKERS:
        msg = (
            "expected at most two pieces giving check, "
            f"found {len(board.checkers())} on {_names(board.checkers())}"
        )
        raise FenError(msg)
    if status & chess.STATUS_IMPOSSIBLE_CHECK:
        msg = (
            "expected checks that a single move can give, found checks from "
            f"{_names(board.checkers())}"
        )
        raise FenError(msg)
    # Every other status of python-chess has been refused above.
    assert status == chess.STATUS_VALID, status


def _side(color: chess.Color) -> str:
    return chess.COLOR_NAMES[color]


def _described(piece: chess.Piece) -> str:
    return f"a {_side(piece.color)} {chess.piece_name(piece.piece_type)}"


def _piece_on(board: chess.Board, square: chess.Square) -> str:
    piece = board.piece_at(square)
    found = _described(piece) if piece else "nothing"
    return f"{found} on {chess.square_name(square)}"


def _names(squares: chess.SquareSet) -> str:
    return ", ".join(chess.square_name(square) for square in squares)
