"""The file of a material-imbalance table, checked before it is read.

A file is a NumPy `.npz` archive of four arrays:

=========== ======== ============== ==================================================
name        dtype    shape          content
=========== ======== ============== ==================================================
``version`` ``<u8``  ``()``         2; files of version 1 had another format
``source``  ``S``    ``()``         what the counts come from, one line of UTF-8
``ignored`` ``<u8``  ``()``         positions with more pieces than any cell has
``counts``  ``<u8``  ``(CELLS, 3)`` positions that White won, drew and lost, all below
                                    2^56
=========== ======== ============== ==================================================

A file may come from anywhere, so `read_arrays` checks each size before it unpacks
anything, and accepts only the header that NumPy writes for that dtype and shape.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.errors import ImbalanceError, quote
from solver.laboratory.material import CELLS

if TYPE_CHECKING:
    import numpy.typing as npt

VERSION = 2

COUNTS = (CELLS, 3)
"""The shape of a table's counts."""

MAX_FILE_BYTES = 1 << 23
"""Larger than the file of any table: the counts alone take 5.4 MiB uncompressed."""

_ARRAYS = {
    "version": ("<u8", ()),
    "source": ("|S", ()),
    "ignored": ("<u8", ()),
    "counts": ("<u8", COUNTS),
}
"""The dtype and the shape of each array; `|S` is of any length."""

_ZIP_START, _ZIP_END = b"PK\x03\x04", b"PK\x05\x06"
_ZIP_END_BYTES = 22
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""What numpy writes. Other kinds may need much memory: LZMA declares its own."""

_NPY_START = b"\x93NUMPY\x01\x00"
_MAX_ARRAY_BYTES = 8 * CELLS * COUNTS[1] + 1000

_DAMAGED_TABLE = "expected a whole table, found a damaged one"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    RuntimeError,  # an encrypted member, or features that zipfile does not have
    ValueError,
    OverflowError,
)
"""What zipfile raises on a damaged file."""


def read_arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a file by their names.

    Raises
    ------
    ImbalanceError
        If the file is damaged, of another kind or of another version.
    """
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
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {
                member.filename.removesuffix(".npy"): _unpack(archive, member)
                for member in archive.infolist()
            }
    except _DAMAGED:
        raise ImbalanceError(_DAMAGED_TABLE) from None
    if "version" not in members:
        msg = "expected a material-imbalance table, found another .npz archive"
        raise ImbalanceError(msg)
    version = int(_read("version", members["version"]))
    if version != VERSION:
        newer = ", of a newer program" if version > VERSION else ""
        msg = f"expected a table of version {VERSION}, found version {version}{newer}"
        raise ImbalanceError(msg)
    if members.keys() != _ARRAYS.keys():
        names, found = ", ".join(_ARRAYS), quote(", ".join(sorted(members)))
        msg = f"expected the arrays {names}, found {found}"
        raise ImbalanceError(msg)
    return {name: _read(name, members[name]) for name in _ARRAYS}


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a `.npy` file, unless it declares an excessive size."""
    if member.file_size > _MAX_ARRAY_BYTES:
        msg = (
            f"{member.filename}: expected at most {_MAX_ARRAY_BYTES:,} bytes, "
            f"found {member.file_size:,}"
        )
        raise ImbalanceError(msg)
    if member.compress_type not in _COMPRESSIONS:
        raise ImbalanceError(_DAMAGED_TABLE)
    with archive.open(member) as stream:
        # Without a size, zipfile decompresses up to 2 GiB at once. The byte beyond the
        # end makes it compare the checksum.
        return stream.read(member.file_size + 1)


def _read(name: str, content: bytes) -> npt.NDArray[Any]:
    """Return the array of a `.npy` file, which must have its dtype and shape."""
    dtype, shape = _ARRAYS[name]
    start = len(_NPY_START) + 2
    end = start + int.from_bytes(content[start - 2 : start], "little")
    header, values = content[start:end].strip(), content[end:]
    if dtype == "|S":
        dtype += str(len(values))
    size = np.dtype(dtype).itemsize * int(np.prod(shape))
    expected = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    if not content.startswith(_NPY_START) or header != expected.encode():
        found = quote(header.decode("latin-1"))
        msg = f"{name}: expected the header {expected}, found {found}"
        raise ImbalanceError(msg)
    if len(values) != size:
        msg = f"{name}: expected {size} bytes, found {len(values)}"
        raise ImbalanceError(msg)
    return np.frombuffer(values, dtype).reshape(shape)
