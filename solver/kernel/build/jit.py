"""How kernel functions are compiled: decorators, types and machine instructions.

Every kernel function has one signature: the types of `words` in its annotations. A
literal combined with a bitboard needs a type too, because numba gives `uint64 + int64`
the type int64; `solver.kernel.rules.bitboards` has typed literals. Counts are int64 and
take plain literals, except as the argument of a recursive call (see
`solver.kernel.mate.prover`).
"""

from __future__ import annotations

import os
from typing import (
    TYPE_CHECKING,
    Any,
    TypeVar,
)

import numba
import numba.extending
import numpy as np
from llvmlite import ir

from solver.kernel.border import query_struct, scored_struct, search_struct
from solver.kernel.build import cache
from solver.kernel.build.words import (
    Bitboard,
    Number,
    Search,
    Square,
    Words,
    by_reference,
    pointer,
    signature_of,
    types,
    u64,
)

if TYPE_CHECKING:
    from collections.abc import Callable


Function = TypeVar("Function", bound="Callable[..., Any]")

BY_NUMBA = os.environ.get(cache.FALLBACK_VARIABLE) == cache.FALLBACK
"""Whether numba compiles by itself; see `solver.kernel.build.compiler`."""

OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",  # no test for a division by zero
    "_nrt": False,  # kernels allocate nothing, so no array is reference-counted
}
if not BY_NUMBA:
    from solver.kernel.build import compiler

    OPTIONS["pipeline_class"] = compiler.FrontEnd


def jit(function: Function) -> Function:
    """Compile a kernel function for the types of its annotations, and no others."""
    compiled: Function = numba.jit(signature_of(function), **OPTIONS)(function)
    return compiled


def inlined(function: Function) -> Function:
    """Compile a kernel function, and make LLVM inline it into its callers."""
    compiled: Function = numba.jit(signature_of(function), forceinline=True, **OPTIONS)(
        function
    )
    return compiled


def native(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function that C will call, for a signature of numba.

    Returns
    -------
    callable
        A decorator. `solver.kernel.build.compiler.compile_object` takes its result. If
        numba compiles by itself, the result has an `address`.
    """
    return (numba.cfunc if BY_NUMBA else numba.jit)(signature, **OPTIONS)


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


def _masked_instruction(name: str) -> Any:
    """Make a numba function of an LLVM intrinsic that takes a word and a mask."""

    @intrinsic
    def instruction(_context: Any, word: Any, mask: Any) -> Any:
        def generate(
            _context: Any, builder: Any, _signature: Any, arguments: Any
        ) -> Any:
            kind = ir.FunctionType(WORD, [WORD, WORD])
            function = builder.module.declare_intrinsic(name, (), kind)
            return builder.call(function, arguments)

        return u64(word, mask), generate

    return instruction


READ_DATA_KEEP = (0, 3, 1)
"""Operands of a prefetch: for reading, keep in all caches, data."""

UNDEFINED_AT_ZERO = ir.Constant(BIT, 1)

_population = _instruction("llvm.ctpop")
_trailing_zeros = _instruction("llvm.cttz", UNDEFINED_AT_ZERO)
_extract = _masked_instruction("llvm.x86.bmi.pext.64")
_deposit = _masked_instruction("llvm.x86.bmi.pdep.64")


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

_call_extracts_fast = _replaceable(
    "matesolve_extracts_fast",
    ir.FunctionType(BIT, []),
    lambda builder, _arguments: builder.ret(ir.Constant(BIT, 0)),
)


@intrinsic
def extracts_fast(_context: Any) -> Any:
    """Return whether `extract` and `deposit` exist and are fast: a constant."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _call_extracts_fast(builder, arguments)

    return types.boolean(), generate


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

    return types.void(), generate


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
bytes_at = _at_address(pointer(types.uint8))
"""The same, but returns a pointer to the bytes there."""
halves_at = _at_address(pointer(types.uint16))
"""The same, but returns a pointer to the 16-bit words there."""
needs_at = _at_address(pointer(types.uint32))
"""The same, but returns a pointer to the 32-bit words there."""
query_at = _at_address(by_reference(query_struct.Query))
"""The same, but returns the `Query` there by reference."""
experiment_at = _at_address(by_reference(scored_struct.Experiment))
"""The same, but returns the `Experiment` there."""
help_play_at = _at_address(by_reference(search_struct.HelpPlay))
"""The same, but returns the `HelpPlay` there."""
nets_at = _at_address(by_reference(search_struct.Nets))
"""The same, but returns the `Nets` there."""
logged_node_at = _at_address(by_reference(search_struct.LoggedNode))
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

    return types.void(words, index), generate


@inlined
def prefetch(words: Words, index: Bitboard) -> None:
    """Start loading a word's cache line, and do not wait for it."""
    _prefetch(words, index)


@inlined
def population(board: Bitboard) -> Number:
    """Return the number of squares that are set."""
    return np.int64(_population(board))


@inlined
def first_square(board: Bitboard) -> Square:
    """Return the lowest square that is set; undefined for an empty board."""
    return _trailing_zeros(board)


@inlined
def flip(board: Bitboard) -> Bitboard:
    """Mirror the ranks: a1 becomes a8."""
    return _byte_swap(board)


@inlined
def extract(board: Bitboard, mask: Bitboard) -> Bitboard:
    """Return the bits of `board` on the squares of `mask`, next to each other."""
    return _extract(board, mask)


@inlined
def deposit(bits: Bitboard, mask: Bitboard) -> Bitboard:
    """Return the board whose squares of `mask` have these bits, the lowest first."""
    return _deposit(bits, mask)


@inlined
def fold_product(left: Bitboard, right: Bitboard) -> Bitboard:
    """Return the exclusive or of both halves of the 128-bit product."""
    return _fold_product(left, right)


@inlined
def report_if_due(search: Search) -> None:
    """Call the host of a WebAssembly module at `Search.report_at`; else do nothing.

    In native code another thread watches the search instead.
    """
    if search.nodes >= search.report_at:
        _report()
