"""The types of what kernel functions take and return, for readers and for numba.

mypy takes each for Any, because numpy's types do not describe how numba mixes words and
literals; `signature_of` finds numba's type in the annotations of a function.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

import numba
import numpy as np

from solver.kernel.border import query_struct, scored_struct, search_struct

if TYPE_CHECKING:
    from collections.abc import Callable

types: Any = numba.types
u64 = types.uint64
i64 = types.int64
pointer = types.CPointer


def by_reference(struct: type) -> Any:
    """Return the numba type of a ctypes structure passed by reference."""
    return numba.from_dtype(np.dtype(struct))


Word: TypeAlias = Annotated[Any, u64]
"""64 bits."""
Bitboard: TypeAlias = Annotated[Any, u64]
"""64 squares: bit 0 is a1, bit 7 is h1, bit 63 is h8."""
Square: TypeAlias = Annotated[Any, u64]
"""0 (a1) to 63 (h8)."""
Move: TypeAlias = Annotated[Any, u64]
"""An encoded move; see `solver.kernel.rules.bitboards`."""
Number: TypeAlias = Annotated[Any, i64]
"""A count, an index, a score or a verdict."""
Row: TypeAlias = Annotated[Any, types.Array(u64, 1, "C")]
"""A row of moves; the low 32 bits of an entry are the move, the others may be used
too."""
Words: TypeAlias = Annotated[Any, pointer(u64)]
"""The address of 64-bit words."""
Text: TypeAlias = Annotated[Any, pointer(types.uint8)]
"""The address of bytes."""
Search: TypeAlias = Annotated[Any, by_reference(search_struct.Search)]
Query: TypeAlias = Annotated[Any, by_reference(query_struct.Query)]
HelpPlay: TypeAlias = Annotated[Any, by_reference(search_struct.HelpPlay)]
Nets: TypeAlias = Annotated[Any, by_reference(search_struct.Nets)]
Experiment: TypeAlias = Annotated[Any, by_reference(scored_struct.Experiment)]

LOGGED_NODE_BYTES = np.dtype(search_struct.LoggedNode).itemsize
QUERY_BYTES = np.dtype(query_struct.Query).itemsize

ENTRY = i64(i64, pointer(u64), pointer(by_reference(search_struct.Search)), i64, i64)
"""The type of each part's C function; see `border.interface.PROTOTYPE`."""


def signature_of(function: Callable[..., Any]) -> Any:
    """Return numba's signature for a function, from its annotations.

    Raises
    ------
    TypeError
        An annotation has no numba type.
    """
    hints = get_type_hints(function, include_extras=True)
    result = hints.pop("return")
    return type_of(result)(*[type_of(hint) for hint in hints.values()])


def type_of(hint: Any) -> Any:
    """Return the numba type of an annotation."""
    if hint is bool:
        return types.boolean
    if hint is type(None):
        return types.void
    if get_origin(hint) is Annotated:
        return get_args(hint)[1]
    if get_origin(hint) is tuple:
        return types.Tuple([type_of(part) for part in get_args(hint)])
    if hasattr(hint, "_fields"):
        fields = [
            type_of(field)
            for field in get_type_hints(hint, include_extras=True).values()
        ]
        if len(set(fields)) == 1:
            return types.NamedUniTuple(fields[0], len(fields), hint)
        return types.NamedTuple(fields, hint)
    msg = f"{hint} has no numba type; expected a type of {__name__} or a NamedTuple"
    raise TypeError(msg)
