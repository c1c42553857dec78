"""Images: machine code that is loaded by copying it into memory.

`solver.kernel.build.elf` makes them. This is apart from it because every process that
solves loads an image, and few make one.
"""

from __future__ import annotations

import os
from ctypes import CDLL, addressof, c_char, c_size_t, c_void_p, get_errno
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PROT_EXEC, PROT_READ, PROT_WRITE, mmap
from struct import Struct

from solver.kernel.border.interface import KernelError

ENTRY = Struct("<Q")
"""What stands before an image: at which of its bytes the C function begins."""

ENTRY_ALIGNMENT = 4
"""The least alignment of a function, on x86-64 and AArch64."""

_loaded: list[object] = []
"""The memory with the code, which is kept as long as the process."""


def load(code: bytes) -> int:
    """Copy an image into memory that can be executed; return the function's address.

    When a page becomes executable, Linux makes the instruction cache see what was
    written to it, which AArch64 does not do by itself.

    Raises
    ------
    KernelError
        The place of the C function is not in the image.
    OSError
        The system refuses executable memory.
    """
    size = len(code) - ENTRY.size
    (entry,) = ENTRY.unpack_from(code) if size > 0 else (0,)
    if entry >= size or entry % ENTRY_ALIGNMENT:
        msg = f"image: expected a function in {size} bytes, found one at {entry}"
        raise KernelError(msg)
    memory = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE)
    memory.write(memoryview(code)[ENTRY.size :])
    start = c_char.from_buffer(memory)
    system = CDLL(None, use_errno=True)
    protection = PROT_READ | PROT_EXEC
    if system.mprotect(c_void_p(addressof(start)), c_size_t(size), protection):
        reason = f"no memory for machine code: {os.strerror(get_errno())}"
        raise OSError(get_errno(), reason)
    _loaded.append(start)
    return addressof(start) + entry
