"""The file of a material-imbalance table, checked before it is read.

A file is a NumPy `.npz` archive of four arrays:

=========== ======== ============== ==================================================
name        dtype    shape          content
=========== ======== ============== ==================================================
``version`` ``<u8``  ``()``         2; files of version 1 had a format of their own
``source``  ``S``    ``()``         what the counts come from, one line of UTF-8
``ignored`` ``<u8``  ``()``         positions with more pieces than any cell has
``counts``  ``<u8``  ``(CELLS, 3)`` positions that White won, drew and lost, all below
                                    2^56
=========== ======== ============== ==================================================

A file may come from anywhere, so `Archive` checks each size, shape and dtype before it
reads an array, and never unpickles.
"""

from __future__ import annotations

import io
import struct
import tokenize
import warnings
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from solver.errors import ImbalanceError, quote
from solver.laboratory.material import CELLS

if TYPE_CHECKING:
    import numpy.typing as npt

VERSION = 2

COUNTS = (CELLS, 3)
"""The shape of a table's counts."""

COUNT_BYTES = 8

MAX_FILE_BYTES = 1 << 23
"""Larger than the file of any table: the counts alone take 5.4 MiB uncompressed."""

_NAMES = ("version", "source", "ignored", "counts")
_ZIP_START, _ZIP_END = b"PK\x03\x04", b"PK\x05\x06"
_ZIP_END_BYTES = 22
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""What numpy writes. Others may need much memory: LZMA declares its own."""

_MAX_HEADER_BYTES = 1000
_MAX_ARRAY_BYTES = COUNT_BYTES * CELLS * COUNTS[1] + _MAX_HEADER_BYTES

_DAMAGED_TABLE = "expected a whole table, found a damaged one"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,  # an encrypted member, or features that zipfile does not have
    ValueError,  # most faults of a header
    OverflowError,
    SyntaxError,
    TypeError,
    tokenize.TokenError,
    Warning,  # a header of Python 2
)
"""What zipfile and numpy raise on a damaged file."""


class Archive:
    """The arrays of a file, each checked before it is read.

    All methods raise ImbalanceError if the file is damaged, of another kind or of
    another version.

    Parameters
    ----------
    data : bytes
        The content of the file.
    """

    def __init__(self, data: bytes) -> None:
        if not data.startswith(_ZIP_START):
            msg = "expected a material-imbalance table, found another kind of file"
            raise ImbalanceError(msg)
        if len(data) > MAX_FILE_BYTES:
            msg = f"expected at most {MAX_FILE_BYTES:,} bytes, found more"
            raise ImbalanceError(msg)
        end = data[-_ZIP_END_BYTES:]
        if not (end.startswith(_ZIP_END) and end.endswith(b"\0\0")):
            raise ImbalanceError(_DAMAGED_TABLE)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGED:
            raise ImbalanceError(_DAMAGED_TABLE) from None
        names = sorted(self._zip.namelist())
        if "version.npy" not in names:
            msg = "expected a material-imbalance table, found another .npz archive"
            raise ImbalanceError(msg)
        version = int(self.read("version", "<u8", ()))
        if version != VERSION:
            newer = ", of a newer program" if version > VERSION else ""
            msg = f"expected a table of version {VERSION}, found version {version}"
            raise ImbalanceError(msg + newer)
        if names != sorted(f"{name}.npy" for name in _NAMES):
            found = quote(", ".join(names))
            msg = f"expected the arrays {', '.join(_NAMES)}, found {found}"
            raise ImbalanceError(msg)

    def read(self, name: str, dtype: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Return an array of that dtype (`S`: bytes of any length) and shape."""
        import numpy as np
        from numpy.lib import format as npy

        stream = io.BytesIO(self._member(name))
        try:
            if npy.read_magic(stream) != (1, 0):
                msg = "expected a .npy file of version 1.0"
                raise ValueError(msg)
            with warnings.catch_warnings(action="error"):
                found_shape, fortran, found = npy.read_array_header_1_0(
                    stream, max_header_size=_MAX_HEADER_BYTES
                )
        except _DAMAGED:
            raise ImbalanceError(_DAMAGED_TABLE) from None
        expected = found if dtype == found.kind == "S" else np.dtype(dtype)
        size = expected.itemsize * int(np.prod(shape))
        if (found, found_shape) != (expected, shape):
            msg = (
                f"{name}: expected {dtype} of shape {shape}, "
                f"found {quote(f'{found} of shape {found_shape}')}"
            )
            raise ImbalanceError(msg)
        if fortran and len(shape) > 1:
            msg = f"{name}: expected row-major order, found column-major order"
            raise ImbalanceError(msg)
        values = stream.read()
        if len(values) != size:
            msg = f"{name}: expected {size} bytes, found {len(values)}"
            raise ImbalanceError(msg)
        return np.frombuffer(values, expected).reshape(shape)

    def _member(self, name: str) -> bytes:
        """Return the `.npy` file of an array, unless it declares an excessive size."""
        member = self._zip.getinfo(f"{name}.npy")
        if member.file_size > _MAX_ARRAY_BYTES:
            msg = (
                f"{name}: expected at most {_MAX_ARRAY_BYTES:,} bytes, "
                f"found {member.file_size:,}"
            )
            raise ImbalanceError(msg)
        if member.compress_type not in _COMPRESSIONS:
            raise ImbalanceError(_DAMAGED_TABLE)
        try:
            with self._zip.open(member) as stream:
                # Without a size, zipfile decompresses up to 2 GiB at once. The byte
                # beyond the end makes it compare the checksum.
                return stream.read(member.file_size + 1)
        except _DAMAGED:
            raise ImbalanceError(_DAMAGED_TABLE) from None
