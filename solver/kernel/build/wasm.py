"""WebAssembly: a part of the kernel as a module, which a web page or any runtime loads.

LLVM's object file for WebAssembly is already a module, except that it exports nothing.
So no linker is needed: `to_module` adds the export and removes what only a linker
reads.

A module's host provides the memory and the stack pointer, and reads and writes the
structs of `solver.kernel.border` there; an address is an offset in this memory. The
module's tables of constants are at the start of memory. The stack grows down towards
them from `STACK_TOP`; the host owns all memory above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.kernel.border import interface, search_struct
from solver.kernel.build import cache

if TYPE_CHECKING:
    from collections.abc import Iterator

STACK_BYTES = 1 << 20
"""The least room for the stack; `tests/kernel/build/test_wasm.py` measures its use."""

IMPORTS = {
    ("env", "__linear_memory"),
    ("env", "__stack_pointer"),
    ("env", "report"),
}
"""What a host must provide: the memory, the stack pointer (a global variable), and the
function that is called at `Search.report_at`, without arguments or a result."""

# A shuffle of bytes halves the time in V8, which does not see that the fifteen shifts
# and masks for a byte swap are one instruction of the processor.
DEFINITIONS = """
declare void @report()

define void @matesolve_report() alwaysinline {
  call void @report()
  ret void
}

define i64 @matesolve_byte_swap(i64 %word) alwaysinline {
  %words = insertelement <2 x i64> poison, i64 %word, i32 0
  %bytes = bitcast <2 x i64> %words to <16 x i8>
  %swapped = shufflevector <16 x i8> %bytes, <16 x i8> poison, <16 x i32>
    <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0,
     i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  %result = bitcast <16 x i8> %swapped to <2 x i64>
  %first = extractelement <2 x i64> %result, i32 0
  ret i64 %first
}
"""

# WebAssembly has no product of 128 bits, so LLVM calls this function.
LIBRARY = """
define i128 @__multi3(i128 %a, i128 %b) {
  ; 1. The product of the lower halves a and c, from products of their own halves.
  %a.low = trunc i128 %a to i64
  %b.low = trunc i128 %b to i64
  %a0 = and i64 %a.low, 4294967295
  %a1 = lshr i64 %a.low, 32
  %b0 = and i64 %b.low, 4294967295
  %b1 = lshr i64 %b.low, 32
  %p00 = mul i64 %a0, %b0
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %p11 = mul i64 %a1, %b1
  %p00.high = lshr i64 %p00, 32
  %p01.low = and i64 %p01, 4294967295
  %p10.low = and i64 %p10, 4294967295
  %sum = add i64 %p00.high, %p01.low
  %middle = add i64 %sum, %p10.low
  %low = mul i64 %a.low, %b.low
  %p01.high = lshr i64 %p01, 32
  %p10.high = lshr i64 %p10, 32
  %carried = lshr i64 %middle, 32
  %h0 = add i64 %p11, %p01.high
  %h1 = add i64 %h0, %p10.high
  %h2 = add i64 %h1, %carried

  ; 2. The products with an upper half, as far as they are below 2^128.
  %a.shifted = lshr i128 %a, 64
  %b.shifted = lshr i128 %b, 64
  %a.high = trunc i128 %a.shifted to i64
  %b.high = trunc i128 %b.shifted to i64
  %c0 = mul i64 %a.low, %b.high
  %c1 = mul i64 %a.high, %b.low
  %h3 = add i64 %h2, %c0
  %high = add i64 %h3, %c1

  %wide.low = zext i64 %low to i128
  %wide.high = zext i64 %high to i128
  %upper = shl i128 %wide.high, 64
  %product = or i128 %upper, %wide.low
  ret i128 %product
}
"""

WASM32 = cache.Target(
    "wasm32",
    "generic",
    "+bulk-memory,+sign-ext,+simd128",
    triple="wasm32-unknown-unknown",
    definitions=DEFINITIONS,
    library=LIBRARY,
    imports=frozenset({"report"}),
)
"""Features that browsers have had since 2023: vectors, but one thread and 32-bit
addresses."""

CUSTOM, IMPORTED, EXPORTED, DATA = 0, 2, 7, 11
"""The numbers of sections."""

FUNCTION, TABLE, MEMORY, GLOBAL = range(4)
"""What can be imported and exported."""

SYMBOL_TABLE = 8
"""The number of this part of the section `linking`."""

DATA_SYMBOL, SECTION_SYMBOL = 1, 3
"""Kinds of symbols with another layout than FUNCTION."""

UNDEFINED, EXPLICIT_NAME = 0x10, 0x40
"""Flags of a symbol: it is imported, and has another name than the import."""

I32_CONST, END = 0x41, 0x0B
"""The instructions that place a piece of data."""

HEADER_BYTES = 8
"""The magic number and the version of the format."""


def to_module(code: bytes, symbol: str) -> bytes:
    """Return an object file as a module that exports one function.

    Parameters
    ----------
    code : bytes
        An object file of LLVM's for `WASM32`.
    symbol : str
        The name of the function.

    Raises
    ------
    KernelError
        The module needs more than `IMPORTS` from its host, or leaves too little room
        for the stack.
    """
    # 1. What it needs.
    sections = [*_sections(code)]
    bodies = dict(sections)
    if missing := {*_imports(bodies[IMPORTED])} - IMPORTS:
        msg = f"wasm32: expected no imports but {sorted(IMPORTS)}, found {missing}"
        raise interface.KernelError(msg)
    if (
        size := _data_end(bodies.get(DATA, b"\0"))
    ) > search_struct.STACK_TOP - STACK_BYTES:
        limit = search_struct.STACK_TOP - STACK_BYTES
        msg = f"wasm32: expected at most {limit} bytes of data, found {size}"
        raise interface.KernelError(msg)

    # 2. The export comes before all sections with larger numbers.
    name = symbol.encode()
    index = _function_index(sections, symbol)
    export = b"\1" + _uleb(len(name)) + name + bytes([FUNCTION]) + _uleb(index)
    kept = [(number, body) for number, body in sections if number != CUSTOM]
    place = sum(number < EXPORTED for number, _ in kept)
    kept.insert(place, (EXPORTED, export))
    return code[:HEADER_BYTES] + b"".join(
        bytes([number]) + _uleb(len(body)) + body for number, body in kept
    )


class _Reader:
    """Reads the numbers and names of the binary format, one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def take(self, size: int) -> bytes:
        """Read bytes."""
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self) -> int:
        """Read an unsigned number: seven bits in each byte, the lowest first."""
        value = shift = 0
        more = True
        while more:
            (byte,) = self.take(1)
            value |= (byte & 127) << shift
            shift += 7
            more = byte > 127
        return value

    def block(self) -> bytes:
        """Read bytes that follow their number: a section or a name."""
        return self.take(self.number())


def _uleb(value: int) -> bytes:
    """Encode a number, as `_Reader.number` reads it."""
    written = b""
    while value > 127:
        written += bytes([value & 127 | 128])
        value >>= 7
    return written + bytes([value])


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the body of each section."""
    reader = _Reader(code[HEADER_BYTES:])
    while reader:
        yield reader.number(), reader.block()


def _imports(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import."""
    reader = _Reader(body)
    for _ in range(reader.number()):
        yield reader.block().decode(), reader.block().decode()
        kind = reader.number()
        if kind == FUNCTION:
            reader.number()  # its type
        elif kind == GLOBAL:
            reader.take(2)  # its type, and whether it changes
        else:
            reader.take(kind == TABLE)  # the type of the elements
            for _ in range(1 + reader.number()):  # limits
                reader.number()


def _data_end(body: bytes) -> int:
    """Return the end of the static data in memory."""
    reader = _Reader(body)
    end = 0
    for _ in range(reader.number()):
        before = reader.number(), reader.number()
        start, after = reader.number(), reader.number()
        assert (*before, after) == (0, I32_CONST, END), "a constant place in memory"
        end = max(end, start + len(reader.block()))
    return end


def _function_index(sections: list[tuple[int, bytes]], name: str) -> int:
    """Return the index of a function, from the object file's symbols."""
    custom = [_Reader(body) for number, body in sections if number == CUSTOM]
    (linking,) = [reader for reader in custom if reader.block() == b"linking"]
    linking.number()  # the version
    while linking:
        kind, symbols = linking.number(), _Reader(linking.block())
        if kind != SYMBOL_TABLE:
            continue
        for _ in range(symbols.number()):
            kind, flags = symbols.number(), symbols.number()
            if kind == DATA_SYMBOL:
                symbols.block()
                if not flags & UNDEFINED:
                    for _ in range(3):  # segment, offset, size
                        symbols.number()
                continue
            index = symbols.number()
            if kind == SECTION_SYMBOL or (
                flags & UNDEFINED and not flags & EXPLICIT_NAME
            ):
                continue  # without a name
            if symbols.block().decode() == name and kind == FUNCTION:
                return index
    msg = f"wasm32: expected the function {name}, found none"
    raise interface.KernelError(msg)
