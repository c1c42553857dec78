"""How kernel functions are compiled: decorators, types and machine instructions.

Every kernel function has one explicit signature, written in the types below. A literal
combined with a bitboard needs a type too, because numba gives `uint64 + int64` the type
int64; `solver.kernel.rules.bitboards` has typed literals. Counts are int64 and take
plain literals, except as the argument of a recursive call (see
`solver.kernel.mate.prover`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numba
import numba.extending
import numpy as np
from llvmlite import ir

from solver.kernel.border.query_struct import Experiment, Query
from solver.kernel.border.search_struct import HelpPlay, LoggedNode, Nets, Search
from solver.kernel.build.cache import (
    FALLBACK,
    FALLBACK_VARIABLE,
)

if TYPE_CHECKING:
    from collections.abc import Callable


Function = TypeVar("Function", bound="Callable[..., Any]")

# Types for the reader. mypy cannot check them: inside a kernel function a word has the
# type of the signature, and numpy's types do not describe how numba mixes words and
# literals.
Bitboard: TypeAlias = Any
"""64 squares in a uint64: bit 0 is a1, bit 7 is h1, bit 63 is h8."""
Square: TypeAlias = Any
"""0 (a1) to 63 (h8), uint64."""
Move: TypeAlias = Any
"""An encoded move; see `solver.kernel.rules.bitboards`; uint64."""
Number: TypeAlias = Any
"""A count, an index, a score or a verdict; int64."""

# Types for numba's signatures.
types: Any = numba.types
u64 = types.uint64
i64 = types.int64
search_t = numba.from_dtype(np.dtype(Search))
"""A `Search` by reference."""
experiment_t = numba.from_dtype(np.dtype(Experiment))
"""An `Experiment` by reference."""
help_play_t = numba.from_dtype(np.dtype(HelpPlay))
"""A `HelpPlay` by reference."""
nets_t = numba.from_dtype(np.dtype(Nets))
"""`Nets` by reference."""
logged_node_t = numba.from_dtype(np.dtype(LoggedNode))
"""A `LoggedNode` by reference."""
LOGGED_NODE_BYTES = np.dtype(LoggedNode).itemsize
query_t = numba.from_dtype(np.dtype(Query))
"""A `Query` by reference."""
QUERY_BYTES = np.dtype(Query).itemsize
u8 = types.uint8
u16 = types.uint16
u32 = types.uint32
pointer = types.CPointer
boolean = types.boolean
void = types.void


ENTRY = i64(i64, pointer(u64), pointer(search_t), i64, i64)
"""The type of each part's C function; see `border.interface.PROTOTYPE`."""

ROW = types.Array(u64, 1, "C")
"""A row of moves; the low 32 bits of an entry are the move, the others may be used
too."""


def named_words(cls: type) -> Any:
    """Return the numba type of a NamedTuple whose fields are all uint64."""
    return types.NamedUniTuple(u64, len(cls.__annotations__), cls)


BY_NUMBA = os.environ.get(FALLBACK_VARIABLE) == FALLBACK
"""Whether numba compiles by itself; see `solver.kernel.build.compiler`."""

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",  # no test for a division by zero
    "_nrt": False,  # kernels allocate nothing, so no array is reference-counted
}
if not BY_NUMBA:
    from solver.kernel.build.compiler import FrontEnd

    OPTIONS["pipeline_class"] = FrontEnd


def jit(signature: Any, *, inline: bool = False) -> Callable[[Function], Function]:
    """Compile a kernel function for one explicit signature.

    Parameters
    ----------
    signature
        Numba signature. Arguments are cast to it, so numba never compiles the function
        a second time for other types.
    inline : bool
        Make LLVM inline the function into its callers.
    """
    compiled: Callable[[Function], Function] = numba.jit(
        signature, forceinline=inline, **OPTIONS
    )
    return compiled


def native(signature: Any) -> Callable[[Function], Any]:
    """Compile a function that C will call.

    Returns
    -------
    callable
        A decorator. `solver.kernel.build.compiler.compile_object` takes its result. If
        numba compiles by itself, the result has an `address`.
    """
    return numba.cfunc(signature, **OPTIONS) if BY_NUMBA else jit(signature)


# Machine instructions and pointers, which numba does not offer by name

intrinsic: Callable[[Callable[..., Any]], Any] = numba.extending.intrinsic

WORD = ir.IntType(64)
WIDE = ir.IntType(128)
BIT = ir.IntType(1)


def _instruction(name: str, *flags: Any) -> Any:
    """Make a numba function of an LLVM intrinsic that takes a word and `flags`."""

    @intrinsic
    def instruction(_context: Any, word: Any) -> Any:
        def generate(
            _context: Any, builder: Any, _signature: Any, arguments: Any
        ) -> Any:
            operands = [*arguments, *flags]
            signature = ir.FunctionType(WORD, [value.type for value in operands])
            function = builder.module.declare_intrinsic(name, (WORD,), signature)
            return builder.call(function, operands)

        return u64(word), generate

    return instruction


READ_DATA_KEEP = (0, 3, 1)
"""Operands of a prefetch: for reading, keep in all caches, data."""

UNDEFINED_AT_ZERO = ir.Constant(BIT, 1)

_population = _instruction("llvm.ctpop")
_trailing_zeros = _instruction("llvm.cttz", UNDEFINED_AT_ZERO)


def _replaceable(
    name: str, kind: ir.FunctionType, define: Callable[[ir.IRBuilder, Any], object]
) -> Callable[[ir.IRBuilder, Any], Any]:
    """Make a function that calls a C function; a target may define it differently.

    Parameters
    ----------
    name : str
        Its name; see `solver.kernel.build.cache.Target.definitions`.
    kind : ir.FunctionType
    define : callable
        Writes its usual definition from a builder and the arguments.
    """

    def call(builder: ir.IRBuilder, arguments: Any) -> Any:
        function = builder.module.globals.get(name)
        if function is None:
            function = ir.Function(builder.module, kind, name)
            function.linkage = "linkonce_odr"  # a target's definition replaces it
            function.attributes.add("alwaysinline")
            define(ir.IRBuilder(function.append_basic_block()), function.args)
        return builder.call(function, arguments)

    return call


_call_byte_swap = _replaceable(
    "matesolve_byte_swap",
    ir.FunctionType(WORD, [WORD]),
    lambda builder, arguments: builder.ret(builder.bswap(*arguments)),
)
_call_report = _replaceable(
    "matesolve_report",
    ir.FunctionType(ir.VoidType(), []),
    lambda builder, _arguments: builder.ret_void(),
)


@intrinsic
def _byte_swap(_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call_byte_swap(builder, arguments)

    return u64(word), generate


@intrinsic
def _report(_context: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _call_report(builder, arguments)
        return context.get_dummy_value()

    return void(), generate


@intrinsic
def _fold_product(_context: Any, left: Any, right: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide = [builder.zext(value, WIDE) for value in arguments]
        product = builder.mul(*wide)
        high = builder.trunc(builder.lshr(product, ir.Constant(WIDE, 64)), WORD)
        return builder.xor(high, builder.trunc(product, WORD))

    return u64(left, right), generate


def _at_address(result: Any) -> Any:
    """Make a numba function that takes an address in memory for a `result`."""

    @intrinsic
    def at_address(_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(
                arguments[0], context.get_value_type(signature.return_type)
            )

        return result(address), generate

    return at_address


words_at = _at_address(pointer(u64))
"""Takes an address (uint64 or int64) and returns a pointer to the words there."""
bytes_at = _at_address(pointer(u8))
"""The same, but returns a pointer to the bytes there."""
halves_at = _at_address(pointer(u16))
"""The same, but returns a pointer to the 16-bit words there."""
needs_at = _at_address(pointer(u32))
"""The same, but returns a pointer to the 32-bit words there."""
query_at = _at_address(query_t)
"""The same, but returns the `Query` there by reference."""
experiment_at = _at_address(experiment_t)
"""The same, but returns the `Experiment` there."""
help_play_at = _at_address(help_play_t)
"""The same, but returns the `HelpPlay` there."""
nets_at = _at_address(nets_t)
"""The same, but returns the `Nets` there."""
logged_node_at = _at_address(logged_node_t)
"""The same, but the `LoggedNode` there."""


@intrinsic
def record_at(_context: Any, pointer: Any) -> Any:
    """Return the record that a pointer points to, by reference."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(
            arguments[0], context.get_value_type(signature.return_type)
        )

    return pointer.dtype(pointer), generate


@intrinsic
def _prefetch(_context: Any, words: Any, index: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        place = builder.gep(arguments[0], [arguments[1]])
        operands = [place, *(ir.IntType(32)(number) for number in READ_DATA_KEEP)]
        signature = ir.FunctionType(ir.VoidType(), [value.type for value in operands])
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [place.type], signature
        )
        builder.call(function, operands)
        return _context.get_dummy_value()

    return void(words, index), generate


@jit(void(pointer(u64), u64), inline=True)
def prefetch(words: Any, index: Bitboard) -> None:
    """Start loading a word's cache line, and do not wait for it."""
    _prefetch(words, index)


@jit(i64(u64), inline=True)
def population(board: Bitboard) -> Number:
    """Return the number of squares that are set."""
    return np.int64(_population(board))


@jit(u64(u64), inline=True)
def first_square(board: Bitboard) -> Square:
    """Return the lowest square that is set; undefined for an empty board."""
    return _trailing_zeros(board)


@jit(u64(u64), inline=True)
def flip(board: Bitboard) -> Bitboard:
    """Mirror the ranks: a1 becomes a8."""
    return _byte_swap(board)


@jit(u64(u64, u64), inline=True)
def fold_product(left: Bitboard, right: Bitboard) -> Bitboard:
    """Return the exclusive or of both halves of the 128-bit product."""
    return _fold_product(left, right)


@jit(void(search_t), inline=True)
def report_if_due(search: Any) -> None:
    """Call the host of a WebAssembly module at `Search.report_at`; else do nothing.

    In native code another thread watches the search instead.
    """
    if search.nodes >= search.report_at:
        _report()
