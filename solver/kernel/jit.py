"""The one compiler decorator, and the types that kernel signatures are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numpy as np
from numba import types

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
boolean = types.boolean
void = types.void


def jit(signature: Any, *, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a kernel function for one explicit signature.

    Parameters
    ----------
    signature
        Numba signature. Arguments are cast to it, so that no second specialisation
        (a literal is int64, a bitboard uint64) can come into being.
    inline
        Let LLVM merge the function into its callers.

    Notes
    -----
    Kernels allocate nothing: without numba's runtime no array is reference-counted.
    """
    compiled: Callable[[Function], Function] = numba.jit(
        signature,
        nopython=True,
        nogil=True,
        error_model="numpy",
        forceinline=inline,
        _nrt=False,
    )
    return compiled
