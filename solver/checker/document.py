"""From a file to the JSON value in it, whatever the file holds."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from solver.errors import CertificateError, ForgeryError

if TYPE_CHECKING:
    import os


# Values as JSON gives them, taken for what they should be or refused.

_SHOWN_CHARACTERS = 40

_MOST = (1 << 63) - 1
"""Python does not write numbers of any length, so none may grow beyond its limit."""


def shown(value: object) -> str:
    """Show what was found: the beginning of it, on one line of ASCII."""
    match value:
        case list():
            return f"an array of {len(value)}"
        case dict():
            return f"an object of {len(value)}"
        case int() if abs(value) > _MOST:
            return f"a number of {value.bit_length()} bits"
    text = ascii(value[: _SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def as_object(value: object, where: str) -> dict[str, Any]:
    """Take a JSON object.

    Raises
    ------
    CertificateError
        It is something else, as in the other functions of this module.
    """
    if not isinstance(value, dict):
        msg = f"{where}: expected an object, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_array(value: object, where: str, size: int | None = None) -> list[Any]:
    """Take a JSON array, of so many elements if that is told."""
    if not isinstance(value, list) or size not in {None, len(value)}:
        told = "" if size is None else f" of {size}"
        msg = f"{where}: expected an array{told}, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_text(value: object, where: str) -> str:
    """Take a string."""
    if not isinstance(value, str):
        msg = f"{where}: expected a string, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_number(value: object, where: str, least: int) -> int:
    """Take a whole number from `least` to 2^63 - 1; Python's True is none."""
    if type(value) is not int or value < least:
        msg = f"{where}: expected a whole number from {least} up, found {shown(value)}"
        raise CertificateError(msg)
    if value > _MOST:
        msg = f"{where}: expected a number of at most 63 bits, found {shown(value)}"
        raise CertificateError(msg)
    return value


def require_names(
    table: dict[str, Any], where: str, needed: set[str], optional: set[str]
) -> None:
    """Refuse an object that lacks a name, or has one that nothing checks."""
    if missing := sorted(needed - table.keys()):
        msg = f"{where}: expected {missing[0]!r}, found none"
        raise CertificateError(msg)
    if extra := sorted(table.keys() - needed - optional):
        expected = ", ".join(sorted(needed | optional))
        msg = f"{where}: expected only {expected}, found {shown(extra[0])}"
        raise CertificateError(msg)


MAX_BYTES = 1 << 28
"""A quarter of a gibibyte, decompressed; the solver's own stay far below."""

_GZIP_MAGIC = b"\x1f\x8b"


def read(path: str | os.PathLike[str]) -> Any:
    """Read a certificate's file; see `load`.

    Raises
    ------
    OSError
        It cannot be opened or read.
    CertificateError, ForgeryError
        See `load`.
    """
    with Path(path).open("rb") as stream:
        return load(stream)


def load(stream: BinaryIO) -> Any:
    """Read JSON, compressed by gzip or not, which is told by its first bytes.

    Returns
    -------
    object
        The JSON value, not checked further.

    Raises
    ------
    CertificateError
        It is damaged, too large, or not JSON in UTF-8.
    ForgeryError
        An object has a name twice, of which any reader sees but one.
    """
    data = stream.read(MAX_BYTES + 1)
    if data.startswith(_GZIP_MAGIC):
        data = _decompress(data)
    if len(data) > MAX_BYTES:
        msg = f"expected at most {MAX_BYTES:,} bytes, found more"
        raise CertificateError(msg)
    try:
        return json.loads(
            data.decode(),
            object_pairs_hook=_unite,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except UnicodeDecodeError as error:
        msg = f"expected UTF-8, found other bytes at {error.start:,}"
        raise CertificateError(msg) from None
    except RecursionError:
        msg = "expected a flat list of nodes, found arrays or objects nested deeply"
        raise CertificateError(msg) from None
    except ValueError as error:  # also a number of more digits than Python reads
        msg = f"expected JSON, found none: {error}"
        raise CertificateError(msg) from None


def _decompress(data: bytes) -> bytes:
    """Give what the file holds, at most one byte more than is allowed."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return stream.read(MAX_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        msg = f"expected whole gzip data, found damage: {error}"
        raise CertificateError(msg) from None


def _unite(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, count in names.items() if count > 1)
        msg = f"expected each name of an object once, found {shown(twice)} doubled"
        raise ForgeryError(msg)
    return table


def _refuse_number(text: str) -> NoReturn:
    msg = f"expected whole numbers only, found {shown(text)}"
    raise CertificateError(msg)
