"""Tokens of JSON, piece by piece."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from solver.formats.streams import PIECE_BYTES
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FAULT, OBJECTS = "fault", "objects"
"""The tokens of a fault in JSON, and of whole objects in a list."""

_TOO_LONG = re.compile(rb"[0-9]{601}")
"""A longer number, which Python does not convert, could crash ijson 3.6 in C."""

_next_object = re.compile(r"[ \t\r\n]*,[ \t\r\n]*(?={)").match
_find_half = re.compile(r"\\u[dD][89a-fA-F]").search
"""Half a character, which ijson does not accept alone."""

_decode = json.JSONDecoder(
    parse_float=lambda text: float(Decimal(text)),  # which refuses large exponents
    parse_constant=int,  # which refuses NaN and Infinity
).raw_decode


def parse_tokens(
    pieces: Iterable[bytes], *, is_whole: bool = True, levels: Callable[[], int] = int
) -> Iterator[tuple[str, Any]]:
    """Yield the tokens of JSON texts, as ijson names them, as soon as they arrive.

    The last may be a fault and what it is; with `is_whole` also an unexpected end.
    After an object, `levels` says how many levels the next ones of the same list may
    have that are yielded whole. ijson never sees these, nor the commas before them.
    """
    import ijson

    tokens = ijson.sendable_list()
    parser = ijson.basic_parse_coro(tokens, multiple_values=True)
    faults = (ijson.JSONError, ValueError, ArithmeticError)
    digits = b""  # at the end of the last piece
    try:
        for piece in pieces:
            before, digits = len(digits), digits + piece
            if found := _TOO_LONG.search(digits):
                piece = piece[: max(0, found.start() - before)] + b"?"  # noqa: PLW2901
            digits = digits[len(digits.rstrip(b"0123456789")) :]
            at = 0
            while at < len(piece):
                start, at = at, piece.find(b"}", at) + 1 or len(piece)
                parser.send(piece[start:at])
                is_object = tokens[-1:] == [("end_map", None)]
                yield from tokens
                tokens.clear()
                if is_object and (most := levels()):
                    values, at = _whole_objects(piece, at, most)
                    yield OBJECTS, values
        if is_whole:
            parser.close()
            yield from tokens  # a number that ends with the file
    except faults as error:
        yield from tokens
        raw = error.args[0]  # bytes if it quotes some that are no text
        text = raw.decode(errors="replace") if isinstance(raw, bytes) else f"{error}"
        # Without its context, or the place that ijson in Python counts.
        yield FAULT, printable(re.split(r"\n| at \d+$", text, maxsplit=1)[0])
    finally:
        with suppress(*faults):  # otherwise ijson in Python complains about the rest
            parser.close()


def _whole_objects(piece: bytes, start: int, levels: int) -> tuple[list[Any], int]:
    """Return the next objects of a list, and where they end in the piece.

    They end before whatever the decoder may read in another way than ijson. None is
    too large.
    """
    text, end, values = "", 0, list[Any]()
    with suppress(UnicodeDecodeError):
        text = piece[start : piece.rfind(b"}", start, start + PIECE_BYTES) + 1].decode()
    half = _find_half(text)
    text = text[: half.start()] if half else text
    with suppress(ValueError, ArithmeticError, RecursionError):
        while found := _next_object(text, end):
            begin = found.end()
            value, after = _decode(text, begin)
            if text.count("{", begin, after) + text.count("[", begin, after) > levels:
                break
            values.append(value)
            end = after
    return values, start + len(text[:end].encode())
