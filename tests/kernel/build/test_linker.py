"""An image does what llvmlite's own linking of the same object file does."""

from __future__ import annotations

import importlib
import re
from ctypes import CFUNCTYPE, c_int64, c_uint64
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import pytest

from solver.kernel.border import parts
from solver.kernel.border.interface import Kernel, KernelError
from solver.kernel.build import cache, compiler, linker, loader

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not cache.HAS_IMAGES, reason="code is loaded through llvmlite here"
)

# A call, a table of jumps, tables of constants, and memory that is cleared.
PROGRAM = """
@primes = internal constant [4 x i64] [i64 2, i64 3, i64 5, i64 7]
@halves = internal constant [4 x i16] [i16 11, i16 13, i16 17, i16 19]

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal i64 @prime(i64 %n) noinline {
  %place = getelementptr [4 x i64], ptr @primes, i64 0, i64 %n
  %value = load i64, ptr %place
  ret i64 %value
}

define i64 @matesolve_entry(i64 %n) nounwind {
  %room = alloca [20000 x i8], align 64
  call void @llvm.memset.p0.i64(ptr %room, i8 5, i64 20000, i1 false)
  switch i64 %n, label %other [
    i64 0, label %zero
    i64 1, label %one
    i64 2, label %two
    i64 3, label %three
    i64 4, label %four
  ]
zero:
  %prime = call i64 @prime(i64 3)
  ret i64 %prime
one:
  %place = getelementptr [20000 x i8], ptr %room, i64 0, i64 19999
  %last = load i8, ptr %place
  %wide = zext i8 %last to i64
  ret i64 %wide
two:
  call void @llvm.memset.p0.i64(ptr %room, i8 -1, i64 7777, i1 false)
  %before = getelementptr [20000 x i8], ptr %room, i64 0, i64 7776
  %after = load i16, ptr %before
  %read = zext i16 %after to i64
  ret i64 %read
three:
  %found = getelementptr [4 x i16], ptr @halves, i64 0, i64 2
  %half = load volatile i16, ptr %found
  %third = zext i16 %half to i64
  ret i64 %third
four:
  %fourth = call i64 @prime(i64 1)
  %product = mul i64 %fourth, 1000
  ret i64 %product
other:
  ret i64 -1
}
"""

ANSWERS = [7, 5, 0x05FF, 17, 3000, -1]
"""What `PROGRAM` returns for 0, 1, 2, and so on."""


def assembled(*texts: str) -> bytes:
    """Return an object file for this cache."""
    generator = cache.target_machine(cache.host())
    module = llvm.parse_assembly("")
    for text in texts:
        module.link_in(llvm.parse_assembly(text))
    module.triple, module.data_layout = generator.triple, str(generator.target_data)
    code: bytes = generator.emit_object(module)
    return code


def called(address: int) -> Callable[[int], int]:
    function: Any = CFUNCTYPE(c_int64, c_int64)(address)
    return lambda number: int(function(number))


def test_an_image_answers_as_llvmlites_own_linking_of_the_same_object_file() -> None:
    code = assembled(PROGRAM, cache.MEMSET)
    loaded = called(loader.load_image(linker.link(code, loader.SYMBOL)))
    linked = called(loader.place_object(code))
    numbers = range(len(ANSWERS))
    assert [loaded(number) for number in numbers] == ANSWERS
    assert [linked(number) for number in numbers] == ANSWERS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@words = global i64 1", "found section .data"),
        ("@words = global i64 0", "found section .bss"),
        (
            "@word = constant i64 1\n@place = constant ptr @word",
            "found section .data.rel.ro",
        ),
        (
            "declare void @other()\n"
            "define void @caller() nounwind {\n call void @other()\n ret void\n}",
            "its own symbols only, found other",
        ),
    ],
)
def test_an_object_file_that_needs_more_is_refused(text: str, found: str) -> None:
    code = assembled(PROGRAM, cache.MEMSET, text)
    with pytest.raises(KernelError, match=re.escape(found)):
        linker.link(code, loader.SYMBOL)


def test_an_object_file_without_memset_is_refused() -> None:
    with pytest.raises(KernelError, match="its own symbols only, found memset"):
        linker.link(assembled(PROGRAM), loader.SYMBOL)


def test_an_object_file_without_the_function_is_refused() -> None:
    code = assembled(PROGRAM, cache.MEMSET)
    with pytest.raises(KernelError, match="expected the function another, found none"):
        linker.link(code, "another")


@pytest.mark.parametrize("code", [b"\0" * 64, b"\x7fELF" + b"\1" * 60])
def test_another_file_is_refused(code: bytes) -> None:
    with pytest.raises(KernelError, match="expected a relocatable ELF file"):
        linker.link(code, loader.SYMBOL)


def test_an_image_whose_function_is_not_in_it_is_refused() -> None:
    code = linker.link(assembled(PROGRAM, cache.MEMSET), loader.SYMBOL)
    body = code[cache.ENTRY.size :]
    for wrong in (len(body), 1 << 40, 2):
        with pytest.raises(KernelError, match=f"found one at {wrong}$"):
            loader.load_image(cache.ENTRY.pack(wrong) + body)


@pytest.mark.parametrize("size", [0, 1, cache.ENTRY.size])
def test_an_image_without_code_is_refused(size: int) -> None:
    code = linker.link(assembled(PROGRAM, cache.MEMSET), loader.SYMBOL)
    with pytest.raises(KernelError, match="expected a function in "):
        loader.load_image(code[:size])


def answers(kernel: Kernel) -> list[tuple[int, int]]:
    """Return results of the search for mates, each with the nodes so far."""
    table = (c_uint64 * (2 * parts.BUCKET_WORDS))()
    search = parts.search_with(table)
    search.most_buckets = 1
    asked = [
        *(("PERFT", parts.start_position(), plies) for plies in (1, 2, 3, 4)),
        *(("MATES_WITHIN", parts.mate_in_two(), moves) for moves in (1, 2, 3)),
        *(("FIND_MATE", parts.mate_in_two(), moves) for moves in (1, 2, 3)),
        *(("MATES_WITHIN", parts.start_position(), moves) for moves in (1, 2, 3)),
        ("LINE", parts.mate_in_two(), 2),
    ]
    return [
        (kernel.run(name, position, search, number, 1), search.nodes)
        for name, position, number in asked
    ]


@pytest.mark.slow
def test_each_part_answers_as_llvmlites_own_linking_of_the_same_object_file() -> None:
    for part in parts.PARTS:
        entry = importlib.import_module(part.module).entry
        code = compiler.compile_object(entry, loader.SYMBOL, cache.host())
        loaded, linked = (
            Kernel(address, part.operations)
            for address in (
                loader.load_image(linker.link(code, loader.SYMBOL)),
                loader.place_object(code),
            )
        )
        part.self_test(loaded)
        part.self_test(linked)
        if part is parts.SEARCH:
            assert answers(loaded) == answers(linked)
