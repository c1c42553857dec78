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
from solver.verification.shape import shown

if TYPE_CHECKING:
    import os

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
