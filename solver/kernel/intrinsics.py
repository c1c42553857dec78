"""Machine instructions that numba does not offer by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba.extending
import numpy as np
from llvmlite import ir

from solver.kernel.jit import Bitboard, Number, Square, i64, jit, pointer, u64, void

if TYPE_CHECKING:
    from collections.abc import Callable

intrinsic: Callable[[Callable[..., Any]], Any] = numba.extending.intrinsic

WORD = ir.IntType(64)
WIDE = ir.IntType(128)
BIT = ir.IntType(1)


def _instruction(name: str, *flags: Any) -> Any:
    """Offer an LLVM intrinsic from word to word; `flags` are its further operands."""

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


FOR_READING = (0, 3, 1)
"""A read, to be kept near, of data."""

UNDEFINED_AT_ZERO = ir.Constant(BIT, 1)

_population = _instruction("llvm.ctpop")
_trailing_zeros = _instruction("llvm.cttz", UNDEFINED_AT_ZERO)
_byte_swap = _instruction("llvm.bswap")


@intrinsic
def _fold_product(_context: Any, left: Any, right: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide = [builder.zext(value, WIDE) for value in arguments]
        product = builder.mul(*wide)
        high = builder.trunc(builder.lshr(product, ir.Constant(WIDE, 64)), WORD)
        return builder.xor(high, builder.trunc(product, WORD))

    return u64(left, right), generate


@intrinsic
def record_at(_context: Any, pointer: Any) -> Any:
    """The record that a pointer points to, by reference."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(
            arguments[0], context.get_value_type(signature.return_type)
        )

    return pointer.dtype(pointer), generate


@intrinsic
def _prefetch(_context: Any, words: Any, index: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        place = builder.gep(arguments[0], [arguments[1]])
        operands = [place, *(ir.IntType(32)(number) for number in FOR_READING)]
        signature = ir.FunctionType(ir.VoidType(), [value.type for value in operands])
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [place.type], signature
        )
        builder.call(function, operands)
        return _context.get_dummy_value()

    return void(words, index), generate


@jit(void(pointer(u64), u64), inline=True)
def prefetch(words: Any, index: Bitboard) -> None:
    """Ask for a word's cache line before it is needed."""
    _prefetch(words, index)


@jit(i64(u64), inline=True)
def population(board: Bitboard) -> Number:
    """How many squares are set."""
    return np.int64(_population(board))


@jit(u64(u64), inline=True)
def first_square(board: Bitboard) -> Square:
    """The lowest set square; undefined for an empty board."""
    return _trailing_zeros(board)


@jit(u64(u64), inline=True)
def turn_over(board: Bitboard) -> Bitboard:
    """Mirror the ranks: a1 becomes a8."""
    return _byte_swap(board)


@jit(u64(u64, u64), inline=True)
def fold_product(left: Bitboard, right: Bitboard) -> Bitboard:
    """Both halves of the 128-bit product, one laid over the other."""
    return _fold_product(left, right)
