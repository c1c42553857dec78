"""Read positions with the results of their games: PGN, and FENs or EPD with results.

Which of the two a file is, and whether and how it is compressed, its content tells. It
is read as a stream, in constant memory. A line or a game that cannot be read costs
itself and no other; so does the rest of a compressed file that was cut short.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from solver.errors import FormatError, InputError
from solver.formats.game_position import MAX_RECORD_BYTES, GamePosition, Unfinished
from solver.formats.numbered_lines import NumberedLines
from solver.formats.opening import name_of
from solver.formats.pgn import parse_game, split_games
from solver.formats.scored_lines import parse_scored_line
from solver.formats.streams import open_decompressed

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

Record: TypeAlias = GamePosition | Unfinished | FormatError

_COMMENT_MARKS = (b"#", b"%", b";")
_PGN_START = re.compile(rb"\[|\{|[0-9]+\s*\.")


def read_results(
    path: str | os.PathLike[str], *, skip_plies: int = 0
) -> Iterator[Record]:
    """Read the positions of a file, each with the result of its game.

    Parameters
    ----------
    path : str or PathLike
        A file, or `-` for standard input.
    skip_plies : int
        How many positions to leave out at the beginning of each game in PGN.

    Yields
    ------
    GamePosition or Unfinished or FormatError
        For a game in PGN all positions of its main line, from the one before the first
        move; for another line one position; instead one `Unfinished` where the result
        is `*` or missing in PGN, and one `FormatError` where something is wrong.

    Raises
    ------
    OSError
        If the file cannot be opened or read.
    """
    name = name_of(path)
    try:
        stream = open_decompressed(path)
    except InputError as error:
        yield FormatError(name, str(error))
        return
    with stream:
        lines = NumberedLines(stream, MAX_RECORD_BYTES)
        try:
            yield from _read(lines, name, skip_plies)
        except InputError as error:
            yield FormatError(f"{name}:{lines.number + 1}", str(error))


def _read(lines: NumberedLines, name: str, skip_plies: int) -> Iterator[Record]:
    numbered = iter(lines)
    first = next((item for item in numbered if _is_record(item[1].strip())), None)
    if first is None:
        return
    numbered = chain([first], numbered)
    if _PGN_START.match(first[1].lstrip()):
        yield from _read_games(numbered, name, skip_plies)
    else:
        yield from _read_positions(numbered, name)


def _read_games(
    lines: Iterator[tuple[int, bytes]], name: str, skip_plies: int
) -> Iterator[Record]:
    for line, text in split_games(lines):
        source = f"{name}:{line}"
        try:
            materials, result = parse_game(text)
        except InputError as error:
            yield FormatError(source, str(error))
            continue
        if result is None:
            yield Unfinished(source)
            continue
        for material in materials[skip_plies:]:
            yield GamePosition(material, result)


def _read_positions(lines: Iterator[tuple[int, bytes]], name: str) -> Iterator[Record]:
    for number, line in lines:
        text = line.strip()
        if not _is_record(text):
            continue
        try:
            position = _parse(text)
        except InputError as error:
            yield FormatError(f"{name}:{number}", str(error))
            continue
        yield position or Unfinished(f"{name}:{number}")


def _is_record(text: bytes) -> bool:
    return bool(text) and not text.startswith(_COMMENT_MARKS)


def _parse(text: bytes) -> GamePosition | None:
    if len(text) > MAX_RECORD_BYTES:
        msg = f"expected a line of at most {MAX_RECORD_BYTES} bytes, found a longer one"
        raise InputError(msg)
    # A position is ASCII; the rest may be in any encoding.
    return parse_scored_line(text.decode("latin-1"))
