"""The one compiler decorator, and the types that kernel signatures are written in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numpy as np
from numba import types

from solver.kernel.cache import FALLBACK, FALLBACK_VARIABLE
from solver.kernel.memory import Search

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")

Bitboard: TypeAlias = np.uint64
"""64 squares, bit 0 is a1, bit 7 h1, bit 63 h8."""
Square: TypeAlias = np.uint64
"""0 (a1) to 63 (h8)."""
Move: TypeAlias = np.uint64
"""See `solver.kernel.moves`."""
Number: TypeAlias = np.int64

u64 = types.uint64
i64 = types.int64
search_t = numba.from_dtype(np.dtype(Search))
"""A `Search` by reference."""
boolean = types.boolean
void = types.void


NUMBA_CACHE = os.environ.get(FALLBACK_VARIABLE) == FALLBACK
"""Whether numba's own cache serves, because the stored object code cannot."""

OPTIONS = {
    "nopython": True,
    "error_model": "numpy",  # no test for a zero divisor
    "cache": NUMBA_CACHE,
    "_nrt": False,  # kernels allocate nothing, so no array is reference-counted
}


def jit(signature: Any, *, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a kernel function for one explicit signature.

    Parameters
    ----------
    signature
        Numba signature. Arguments are cast to it, so that no second specialisation
        (a literal is int64, a bitboard uint64) can come into being.
    inline : bool
        Let LLVM merge the function into its callers.
    """
    compiled: Callable[[Function], Function] = numba.jit(
        signature, nogil=True, forceinline=inline, **OPTIONS
    )
    return compiled


def native(signature: Any) -> Callable[[Function], Any]:
    """Compile a function that C can call."""
    compiled: Callable[[Function], Any] = numba.cfunc(signature, **OPTIONS)
    return compiled
