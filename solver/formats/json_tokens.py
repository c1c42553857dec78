"""Tokens of JSON, piece by piece.

Called by `detection` and `trees`; imports `problem`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FAULT = "fault"
"""The token of a fault in JSON."""

_TOO_LONG = re.compile(rb"[0-9]{601}")
"""So long a number could crash ijson 3.6 in C: Python does not convert it."""


def parse_tokens(
    pieces: Iterable[bytes], *, is_whole: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield the tokens of JSON texts, as ijson names them, as soon as they arrive.

    The last may be a fault and what it is; with `is_whole` also an unexpected end.
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
            parser.send(piece)
            yield from tokens
            tokens.clear()
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
