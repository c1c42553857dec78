"""The one compiler decorator, and the types that kernel signatures are written in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numpy as np

from solver.errors import CacheError
from solver.kernel.cache import FALLBACK, FALLBACK_VARIABLE, holds_numba_entry
from solver.kernel.memory import Experiment, Search

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")

# What mypy cannot see: inside a kernel a word has the type that the signature gives it,
# and numpy's scalar types do not describe how numba mixes words and literals.
Bitboard: TypeAlias = Any
"""64 squares in a uint64: bit 0 is a1, bit 7 h1, bit 63 h8."""
Square: TypeAlias = Any
"""0 (a1) to 63 (h8), uint64."""
Move: TypeAlias = Any
"""See `solver.kernel.moves`; uint64."""
Number: TypeAlias = Any
"""A count, an index or a verdict; int64."""

types: Any = numba.types
config: Any = numba.config
u64 = types.uint64
i64 = types.int64
search_t = numba.from_dtype(np.dtype(Search))
"""A `Search` by reference."""
experiment_t = numba.from_dtype(np.dtype(Experiment))
"""An `Experiment` by reference."""
pointer = types.CPointer
boolean = types.boolean
void = types.void


ROW = types.Array(u64, 1, "C")
"""A row of moves; an entry's low 32 bits are the move, the rest is the caller's."""


def named_words(cls: type) -> Any:
    """Give the numba type of a NamedTuple whose fields are all uint64."""
    return types.NamedUniTuple(u64, len(cls.__annotations__), cls)


NUMBA_CACHE = os.environ.get(FALLBACK_VARIABLE) == FALLBACK
"""Whether numba's own cache serves, because the stored object code cannot."""

IS_CACHED = NUMBA_CACHE and holds_numba_entry(Path(config.CACHE_DIR))
"""Whether the function that C calls is there. It holds all others, which then need no
compiling, nor loading one by one: that takes longer than importing numba."""

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "error_model": "numpy",  # no test for a zero divisor
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
    signatures = () if IS_CACHED else (signature,)
    compiled: Callable[[Function], Function] = numba.jit(
        *signatures, nogil=True, forceinline=inline, **OPTIONS
    )
    return compiled


def native(signature: Any) -> Callable[[Function], Any]:
    """Compile a function that C can call.

    Raises
    ------
    CacheError
        Numba does not take what its cache holds. To compile anew would be to compile
        without the signatures of the others.
    """
    compile_function: Callable[[Function], Any] = numba.cfunc(
        signature, cache=NUMBA_CACHE, **OPTIONS
    )

    def build(function: Function) -> Any:
        compiled = compile_function(function)
        if IS_CACHED and not compiled.cache_hits:
            msg = f"{config.CACHE_DIR}: not of use to numba; remove it"
            raise CacheError(msg)
        return compiled

    return build
