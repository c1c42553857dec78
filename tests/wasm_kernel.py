"""The kernel's WebAssembly modules, run by wasmtime: a `Kernel` like any other.

A module has its own memory: each call copies what it is given there, and back.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from ctypes import (
    Structure,
    addressof,
    c_void_p,
    cast,
    memmove,
    memset,
    sizeof,
    string_at,
)
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import wasmtime

from solver import solving
from solver.columns import grade
from solver.kernel.border.interface import NO_LIMIT, Kernel
from solver.kernel.border.parts import PARTS
from solver.kernel.border.query_struct import Query
from solver.kernel.border.scored_struct import Experiment
from solver.kernel.border.search_struct import (
    STACK_TOP,
    HelpPlay,
    LoggedNode,
    PositionStruct,
    Search,
)
from solver.kernel.build import loader
from solver.kernel.build.wasm import STACK_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.border.parts import Part

BUCKET_BYTES = 64
PAGE_BYTES = 1 << 16
MEMORY_BYTES = 160 << 20
ALIGNMENT = 64
PAINT = 0xA5

STRUCTS: dict[str, type[Structure]] = {
    "READ_ROWS": Query,
    "SOLVE_QUERIES": Query,
    "GRADE_ROWS": Query,
    "TAKE_TURN": Query,
    "WRITE_LINES": Query,
    "NAME_ROWS": Query,
    "WRITE_FORMS": Query,
    "ENUMERATE": HelpPlay,
    "IS_HOPELESS": HelpPlay,
    "SEARCH_SCORE": Experiment,
}
"""What the operation's number is the address of."""

SEVERAL = {"READ_ROWS", "SOLVE_QUERIES", "GRADE_ROWS", "NAME_ROWS"}
"""Operations with an array of structs, whose length is the flag."""


@cache
def _engine() -> wasmtime.Engine:
    return wasmtime.Engine()


class WasmKernel(Kernel):
    """A part of the kernel as a WebAssembly module: its own one, or other code.

    `on_report` receives the `Search` in the module's memory at its `report_at` (0:
    never); `search` is the last one there.
    """

    def __init__(self, part: Part, code: bytes | None = None) -> None:
        self._operations = {each.name: each.value for each in part.operations}
        self._store = store = wasmtime.Store(_engine())
        pages = wasmtime.Limits(MEMORY_BYTES // PAGE_BYTES, None)
        memory = wasmtime.Memory(store, wasmtime.MemoryType(pages))
        self._base = cast(memory.data_ptr(store), c_void_p).value or 0
        top = wasmtime.GlobalType(wasmtime.ValType.i32(), mutable=True)
        brought: dict[str | None, Any] = {
            "__linear_memory": memory,
            "__stack_pointer": wasmtime.Global(store, top, wasmtime.Val.i32(STACK_TOP)),
            "report": wasmtime.Func(store, wasmtime.FuncType([], []), self._report),
        }
        module = wasmtime.Module(_engine(), code or loader.load_module(part).code)
        imports = [brought[each.name] for each in module.imports]
        self._entry: Any = wasmtime.Instance(store, module, imports).exports(store)[
            loader.SYMBOL
        ]
        self.on_report: Callable[[Search], None] = lambda _search: None
        self.search = Search()

    def _report(self) -> None:
        self.on_report(self.search)

    def call(self, *arguments: int) -> int:
        """Call the module's function."""
        result: int = self._entry(self._store, *arguments)
        return result

    def paint_stack(self) -> None:
        """Prepare `stack_used`."""
        memset(self._base + STACK_TOP - STACK_BYTES, PAINT, STACK_BYTES)

    def stack_used(self) -> int:
        """Return how many bytes of the stack were written to since it was painted."""
        stack = string_at(self._base + STACK_TOP - STACK_BYTES, STACK_BYTES)
        return len(stack.lstrip(bytes([PAINT])))

    def run(
        self,
        operation: str,
        position: PositionStruct | None,
        search: Search | None,
        number: int = 0,
        flag: int = 0,
    ) -> int:
        loan, arguments = self.lend(operation, position, search, number, flag)
        result = self.call(*arguments)
        loan.give_back()
        return result

    def lend(
        self,
        operation: str,
        position: PositionStruct | None,
        search: Search | None,
        number: int,
        flag: int,
    ) -> tuple[Loan, tuple[int, ...]]:
        """Copy what an operation is given; return the arguments of `call`."""
        loan = Loan(self._base)
        words = loan.lend(position)
        at_search = loan.lend(search)
        if search:
            self.search = Search.from_address(self._base + at_search)
            buckets = max(search.buckets, 2 * search.most_buckets)
            loan.point(search, "table", buckets * BUCKET_BYTES)
            loan.point(search, "text", search.text_size)
            loan.point(search, "log", search.log_room * sizeof(LoggedNode))
            loan.replace(search, "report_at", search.report_at or NO_LIMIT)
        if operation in STRUCTS:
            count = flag if operation in SEVERAL else 1
            structs = (STRUCTS[operation] * count).from_address(number)
            number = loan.lend(structs)
            for each in structs:
                if isinstance(each, Query):
                    loan.point(each, "fen", each.fen_size)
                    loan.point(each, "line", each.line_size)
                    loan.point(each, "root_moves", 8 * each.root_count)
        return loan, (self._operations[operation], words, at_search, number, flag)


class TwinKernel(Kernel):
    """Runs each call in native code and in WebAssembly, and compares all memory."""

    def __init__(self, native: Kernel, wasm: WasmKernel) -> None:
        self._native = native
        self._wasm = wasm
        self.calls: Counter[str] = Counter()

    def run(
        self,
        operation: str,
        position: PositionStruct | None,
        search: Search | None,
        number: int = 0,
        flag: int = 0,
    ) -> int:
        loan, arguments = self._wasm.lend(operation, position, search, number, flag)
        result = self._wasm.call(*arguments)
        expected = self._native.run(operation, position, search, number, flag)
        assert result == expected, operation
        loan.require_same(operation)
        self.calls[operation] += 1
        return expected


class Loan:
    """What one call lends to a module's memory."""

    def __init__(self, base: int) -> None:
        self._base = base
        self._end = STACK_TOP
        self._lent: list[tuple[int, int, int]] = []
        self._replaced: list[tuple[Structure, str, int]] = []

    def _copy(self, address: int, size: int) -> int:
        """Copy memory into the module's; return its place there."""
        place = self._end
        self._end += (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        assert self._end <= MEMORY_BYTES
        memmove(self._base + place, address, size)
        self._lent.append((place, address, size))
        return place

    def lend(self, struct: Any) -> int:
        """Copy a struct; return its place; 0: there is none."""
        return 0 if struct is None else self._copy(addressof(struct), sizeof(struct))

    def point(self, struct: Structure, field: str, size: int) -> None:
        """Copy what a field of a lent struct points to."""
        address = getattr(struct, field)
        if address and size > 0:
            self.replace(struct, field, self._copy(address, size))

    def replace(self, struct: Structure, field: str, value: int) -> None:
        """Change a field of a lent struct, until it is given back."""
        self._replaced.append((struct, field, getattr(struct, field)))
        setattr(self._lent_one(struct), field, value)

    def contents(self) -> list[tuple[int, bytes]]:
        """Return what is lent, and where; what is empty is left out."""
        base = self._base
        copies = [
            (place, string_at(base + place, size)) for place, _, size in self._lent
        ]
        return [(place, copy) for place, copy in copies if any(copy)]

    def give_back(self) -> None:
        """Copy all back."""
        self._restore()
        for place, address, size in self._lent:
            memmove(address, self._base + place, size)

    def require_same(self, operation: str) -> None:
        """Compare all with what it was copied from."""
        self._restore()
        for place, address, size in self._lent:
            for start in range(0, size, PAGE_BYTES):
                count = min(PAGE_BYTES, size - start)
                found = string_at(self._base + place + start, count)
                is_same = found == string_at(address + start, count)
                assert is_same, f"{operation}: other memory, {start} of {size} bytes"

    def _restore(self) -> None:
        for struct, field, value in self._replaced:
            setattr(self._lent_one(struct), field, value)

    def _lent_one(self, struct: Structure) -> Structure:
        """Return a struct as the module's memory has it."""
        place, start = next(
            (place, start)
            for place, start, size in self._lent
            if start <= addressof(struct) < start + size
        )
        return type(struct).from_address(self._base + place + addressof(struct) - start)


@cache
def wasm_kernel(part: Part) -> WasmKernel:
    """Return a part's kernel, for all tests of this process."""
    return WasmKernel(part)


@contextmanager
def searching_with(make: Callable[[Part], Kernel]) -> Iterator[None]:
    """Let all that is created in the block search with other kernels."""
    with pytest.MonkeyPatch.context() as patched:
        for part in PARTS:
            build = loader.Build(make(part), "wasm", None)
            patched.setitem(loader._builds, part.name, build)
        for kept in (grade._short_calls, solving._short_calls):
            patched.setattr(kept, "_waiting", {})  # made before the block
        yield
