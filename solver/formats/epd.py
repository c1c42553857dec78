"""Read one record: a FEN, then operations such as `dm 3;` and `id "Loyd, 1878";`.

The dialects of EPD that mate collections are written in are read alike:

- `dm 3;` and matetrack's `bm #3;` claim a mate in 3; a negative number claims that the
  side to move is mated in so many moves.
- `nomate 3;` claims that there is no mate in 3 moves or fewer.
- `bm Qe3;` names the key, or the keys, in SAN or UCI. It says nothing of a mate by
  itself: without a distance there is no claim.
- `pv ...;` or matetrack's `PV: ...;` gives the line, in SAN or UCI.
- `id "a name";` names the problem, with or without quotes.

All other operations are comments to us, and so are free tails such as `00:07;`. The FEN
may have four fields, as EPD has, or six. A line that is a FEN and nothing more may have
one or two as well.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

import chess

from solver.errors import InputError
from solver.formats.fen import parse_fen
from solver.formats.wording import quote
from solver.problem import MAX_MOVES, Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"\S+")
_OPERATION = re.compile(
    r"""\s* (?P<opcode> [^\s;]*)
        (?P<operand> (?: (?<=\s) " (?: [^"\\] | \\. )*+ " | (?<!\s) " | [^";] )*+ )
        (?: ; | \Z )""",
    re.VERBOSE,
)
"""Up to a semicolon outside quotes. They open after a space only: 00'12" is a time."""
_ESCAPED = re.compile(r"\\(.)")
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
_MOVE_NUMBER = re.compile(r"\A[0-9]+\.+")
_DISTANCE = re.compile(r"[+-]?[0-9]{1,9}")


def parse_record(text: str, source: str) -> Problem:
    """Read a FEN and the operations behind it.

    Parameters
    ----------
    text : str
        One record without its line end.
    source : str
        `file:line`, which names the problem too when it has no `id`.

    Returns
    -------
    Problem
        The position and what the record claims of it.

    Raises
    ------
    InputError
        If position, distance or moves cannot be read, the distance is outside 1 to
        `MAX_MOVES`, or two distances differ.
    """
    fen, tail = _split_record(text)
    board = parse_fen(fen)
    name = ""
    distances: list[int] = []
    no_mate = None
    keys: list[str] = []
    line: tuple[str, ...] = ()
    for opcode, operand in _operations(tail):
        match opcode:
            case "id":
                name = _printable(operand)
            case "dm":
                distances.append(_parse_distance("dm", operand))
            case "nomate":
                no_mate = _parse_no_mate(operand)
            case "bm":
                for word in operand.split():
                    if word.startswith("#"):
                        distances.append(_parse_distance("bm #", word[1:]))
                    else:
                        keys.append(_parse_move(board, "bm", word).uci())
            case "pv":
                line = _parse_line(board, operand)
    claim = _claim(distances, keys, line)
    if claim and no_mate:
        msg = f"expected a mate or none, found dm {claim.mate} and nomate {no_mate}"
        raise InputError(msg)
    return Problem(
        fen=board.fen(en_passant="fen"),
        id=name or PurePath(source).name,
        claim=claim,
        source=source,
        no_mate=no_mate,
    )


def _split_record(text: str) -> tuple[str, str]:
    """Cut where the operations begin: a word with a letter where no field has one."""
    for number, word in enumerate(_WORD.finditer(text)):
        if number in {4, 6} and word[0][0].isalpha():
            return text[: word.start()], text[word.start() :]
        if number > 6:
            break
    return text, ""


def _operations(tail: str) -> Iterator[tuple[str, str]]:
    """Give each opcode, in small letters, with its operand, out of its quotes."""
    start = 0
    while start < len(tail):
        operation = _OPERATION.match(tail, start)
        if operation is None:
            msg = f"operations: expected a closing quote, found {quote(tail[start:])}"
            raise InputError(msg)
        start = operation.end()
        operand = operation["operand"].strip()
        if len(operand) >= 2 and operand[0] == operand[-1] == '"':
            operand = _ESCAPED.sub(r"\1", operand[1:-1])
        yield operation["opcode"].lower().removesuffix(":"), operand


def _printable(name: str) -> str:
    """Make a name safe for a terminal."""
    words = " ".join(name.split())
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


def _parse_distance(opcode: str, text: str) -> int:
    if not _DISTANCE.fullmatch(text) or not 1 <= abs(int(text)) <= MAX_MOVES:
        msg = (
            f"{opcode}: expected 1 to {MAX_MOVES} moves, negative when the side to "
            f"move is mated, found {quote(text)}"
        )
        raise InputError(msg)
    return int(text)


def _parse_no_mate(text: str) -> int:
    if not _DISTANCE.fullmatch(text) or not 1 <= int(text) <= MAX_MOVES:
        msg = f"nomate: expected 1 to {MAX_MOVES} moves, found {quote(text)}"
        raise InputError(msg)
    return int(text)


def _parse_move(board: chess.Board, opcode: str, text: str) -> chess.Move:
    bare = text.rstrip("+#!?")
    try:
        move = board.parse_uci(bare) if _UCI.fullmatch(bare) else board.parse_san(bare)
    except ValueError:
        move = chess.Move.null()
    if not move:  # python-chess reads -- and Z0 as passing, which no key does
        msg = (
            f"{opcode}: expected a legal move in SAN or UCI that fits one man only, "
            f"found {quote(text)}"
        )
        raise InputError(msg)
    return move


def _parse_line(board: chess.Board, operand: str) -> tuple[str, ...]:
    board = board.copy(stack=False)
    line = []
    for word in operand.split():
        if text := _MOVE_NUMBER.sub("", word, count=1):
            move = _parse_move(board, "pv", text)
            line.append(move.uci())
            board.push(move)
    return tuple(line)


def _claim(
    distances: list[int], keys: list[str], line: tuple[str, ...]
) -> Claim | None:
    if not distances:
        return None
    if len(set(distances)) > 1:
        found = " and ".join(str(distance) for distance in distances)
        msg = f"expected one distance to mate, found {found}"
        raise InputError(msg)
    return Claim(distances[0], tuple(dict.fromkeys(keys)), line)
