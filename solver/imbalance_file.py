"""The file of a material-imbalance table.

A *number* is an unsigned integer below 2^56 in LEB128: seven bits a byte, the lowest
first, the high bit set in all bytes but the last, and no byte more than it takes.

========  ===========  =========================================================
magic     8 bytes      89 4D 49 50 0D 0A 1A 0A
version   1 byte       1
source    number       how many bytes of UTF-8 follow: what made the table
ignored   number       positions with more men than there are cells for
filled    number       how many cells follow: those without positions are left out
cells     4 numbers    each: how far from the cell before (the first: from -1), then
                       the positions that White won, drew and lost
checksum  32 bytes     SHA-256 of all bytes before
========  ===========  =========================================================

Equal content gives equal bytes.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import ImbalanceError
from solver.laboratory.material import CELLS

if TYPE_CHECKING:
    from collections.abc import Iterable

MAGIC = b"\x89MIP\r\n\x1a\n"
"""As PNG's: a copy that rewrites line ends, or that cuts the eighth bit, spoils it."""

VERSION = 1
CHECKSUM_BYTES = 32

NUMBER_LIMIT = 1 << 56
MAX_SOURCE_BYTES = 1000
MAX_FILE_BYTES = 1 << 23
"""More than a table with all cells filled and the greatest of counts."""

_NUMBER_BYTES = 8


class Content(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    source : str
        What made the table, in one line.
    ignored : int
        Positions that no cell has room for.
    cells : list of tuple
        Cell, and positions won, drawn and lost by White; in the order of the cells,
        none without positions.
    """

    source: str
    ignored: int
    cells: Iterable[tuple[int, int, int, int]]


def check_source(source: str) -> None:
    """Refuse a source that is too long or not one printable line."""
    strange = next((letter for letter in source if not letter.isprintable()), None)
    if strange is not None:
        msg = f"source: expected one printable line, found U+{ord(strange):04X}"
        raise ImbalanceError(msg)
    if (size := len(source.encode())) > MAX_SOURCE_BYTES:
        msg = f"source: expected at most {MAX_SOURCE_BYTES} bytes, found {size}"
        raise ImbalanceError(msg)


def encode(content: Content) -> bytes:
    """Write a file.

    Raises
    ------
    ImbalanceError
        If the source is too long or not one printable line, or a count too great.
    """
    check_source(content.source)
    source = content.source.encode()
    body = bytearray()
    filled, before = 0, -1
    for cell, *outcomes in content.cells:
        filled += 1
        for number in (cell - before, *outcomes):
            _append(body, number)
        before = cell
    head = bytearray((*MAGIC, VERSION))
    _append(head, len(source))
    head += source
    for number in (content.ignored, filled):
        _append(head, number)
    data = bytes(head + body)
    return data + hashlib.sha256(data).digest()


def decode(data: bytes) -> Content:
    """Read a file.

    Raises
    ------
    ImbalanceError
        It is no such file, of another version, damaged, or holds what no table does.
    """
    if not data.startswith(MAGIC):
        msg = "expected a material-imbalance table, found another kind of file"
        raise ImbalanceError(msg)
    start = len(MAGIC) + 1
    if len(data) < start + CHECKSUM_BYTES:
        msg = f"expected a whole table, found {len(data)} bytes of one"
        raise ImbalanceError(msg)
    version = data[start - 1]
    if version != VERSION:
        newer = ", of a newer program" if version > VERSION else ""
        msg = f"expected a table of version {VERSION}, found version {version}{newer}"
        raise ImbalanceError(msg)
    data, checksum = data[:-CHECKSUM_BYTES], data[-CHECKSUM_BYTES:]
    if hashlib.sha256(data).digest() != checksum:
        msg = "expected a whole table, found one that does not fit its checksum"
        raise ImbalanceError(msg)
    return _read(_Reader(data, start))


def _append(data: bytearray, number: int) -> None:
    if number >= NUMBER_LIMIT:
        msg = f"expected counts below 2^56, found {number}"
        raise ImbalanceError(msg)
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)


class _Reader:
    """Takes one item after the other, and none that is not there."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._next = start

    def take_bytes(self, size: int) -> bytes:
        taken = self._data[self._next : self._next + size]
        if len(taken) < size:
            msg = "expected another item, found the end of the table"
            raise ImbalanceError(msg)
        self._next += size
        return taken

    def take_number(self) -> int:
        number = 0
        for place in range(_NUMBER_BYTES):
            (byte,) = self.take_bytes(1)
            number |= (byte & 0x7F) << 7 * place
            if byte <= 0x7F:
                if place and not byte:
                    break
                return number
        msg = f"expected a number of at most {_NUMBER_BYTES} bytes, none of them idle"
        raise ImbalanceError(msg)

    def require_end(self) -> None:
        if extra := len(self._data) - self._next:
            msg = f"expected the end of the table, found {extra} more bytes"
            raise ImbalanceError(msg)


def _read(reader: _Reader) -> Content:
    size = reader.take_number()
    try:
        source = reader.take_bytes(size).decode()
    except UnicodeDecodeError:
        msg = "source: expected UTF-8, found other bytes"
        raise ImbalanceError(msg) from None
    check_source(source)
    ignored, filled = reader.take_number(), reader.take_number()
    cells = []
    cell = -1
    for _ in range(filled):
        step, *outcomes = (reader.take_number() for _ in range(4))
        cell += step
        if not step or cell >= CELLS or not any(outcomes):
            msg = (
                f"expected cells in order, below {CELLS}, with positions, "
                f"found cell {cell} with {outcomes}"
            )
            raise ImbalanceError(msg)
        won, drawn, lost = outcomes
        cells.append((cell, won, drawn, lost))
    reader.require_end()
    return Content(source, ignored, cells)
