"""Read the JSON of a certificate's file, and check the types of its values.

A damaged or forged file is refused with an error in one line.
"""

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


MAX_BYTES = 1 << 28
"""The limit of the decompressed size, far above the solver's own certificates."""

_GZIP_MAGIC = b"\x1f\x8b"


def read(path: str | os.PathLike[str]) -> Any:
    """Read the file of a certificate; see `load`.

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
    """Read JSON, or gzip-compressed JSON, which is recognised by its first two bytes.

    Returns
    -------
    object
        The JSON value, not checked further.

    Raises
    ------
    CertificateError
        It is damaged, too large, or not JSON in UTF-8.
    ForgeryError
        An object has a name twice, so that readers may disagree on its value.
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
            object_pairs_hook=_make_object,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except UnicodeDecodeError as error:
        msg = f"expected UTF-8, found other bytes at {error.start:,}"
        raise CertificateError(msg) from None
    except RecursionError:
        msg = "expected a flat list of nodes, found deeply nested arrays or objects"
        raise CertificateError(msg) from None
    except ValueError as error:  # also for a number with more digits than Python reads
        msg = f"expected JSON, found none: {error}"
        raise CertificateError(msg) from None


def _decompress(data: bytes) -> bytes:
    """Decompress at most one byte more than is allowed."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return stream.read(MAX_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        msg = f"expected intact gzip data, found damage: {error}"
        raise CertificateError(msg) from None


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in names.items() if count > 1)
        msg = f"expected each name of an object once, found {shown(repeated)} repeated"
        raise ForgeryError(msg)
    return fields


def _refuse_number(text: str) -> NoReturn:
    msg = f"expected whole numbers only, found {shown(text)}"
    raise CertificateError(msg)


_SHOWN_CHARACTERS = 40

_MOST = (1 << 63) - 1
"""Python cannot print integers of more than 4,300 digits, so they are limited."""


def shown(value: object) -> str:
    """Show the beginning of a value for a message, as one line of ASCII."""
    match value:
        case list():
            return f"an array of {len(value):,}"
        case dict():
            return f"an object of {len(value):,}"
        case int() if abs(value) > _MOST:
            return f"a number of {value.bit_length()} bits"
    text = ascii(value[: _SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def as_object(value: object, where: str) -> dict[str, Any]:
    """Require a JSON object.

    Raises
    ------
    CertificateError
        The value has another type; likewise in the functions below.
    """
    if not isinstance(value, dict):
        msg = f"{where}: expected an object, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_array(value: object, where: str, size: int | None = None) -> list[Any]:
    """Require a JSON array, of this size unless it is None."""
    if not isinstance(value, list) or size not in {None, len(value)}:
        of_size = "" if size is None else f" of {size}"
        msg = f"{where}: expected an array{of_size}, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_text(value: object, where: str) -> str:
    """Require a string."""
    if not isinstance(value, str):
        msg = f"{where}: expected a string, found {shown(value)}"
        raise CertificateError(msg)
    return value


def as_number(value: object, where: str, least: int) -> int:
    """Require an integer from `least` to 2^63 - 1; True does not count as one."""
    if type(value) is not int or value < least:
        msg = f"{where}: expected a whole number from {least} up, found {shown(value)}"
        raise CertificateError(msg)
    if value > _MOST:
        msg = f"{where}: expected a number of at most 63 bits, found {shown(value)}"
        raise CertificateError(msg)
    return value


def require_names(
    fields: dict[str, Any], where: str, required: set[str], optional: set[str]
) -> None:
    """Refuse an object with missing or unknown names."""
    if missing := sorted(required - fields.keys()):
        msg = f"{where}: expected {missing[0]!r}, found none"
        raise CertificateError(msg)
    if extra := sorted(fields.keys() - required - optional):
        expected = ", ".join(sorted(required | optional))
        msg = f"{where}: expected only {expected}, found {shown(extra[0])}"
        raise CertificateError(msg)
