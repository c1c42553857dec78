"""Machine code is linked, and compiled for the intended types and processors."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
from ctypes import CFUNCTYPE, c_int64, c_uint64, sizeof
from pathlib import Path
from typing import Any

import chess
import llvmlite.binding as llvm
import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

import solver.kernel
from solver.board import pack_board
from solver.kernel.border import parts
from solver.kernel.border.interface import Kernel, KernelError
from solver.kernel.border.parts import Operation
from solver.kernel.border.search_struct import POSITION_WORDS, Search
from solver.kernel.build import cache, linker, loader
from solver.kernel.build.compiler import Typing
from solver.kernel.build.jit import jit, native
from solver.kernel.build.words import Bitboard, Number, i64
from tests.kernel import linked
from tests.processes import run

with_images = pytest.mark.skipif(
    not cache.HAS_IMAGES, reason="code is loaded through llvmlite here"
)

PROGRAM = """
@primes = internal constant [4 x i64] [i64 2, i64 3, i64 5, i64 7]

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal i64 @prime(i64 %n) noinline {
  %place = getelementptr [4 x i64], ptr @primes, i64 0, i64 %n
  %value = load i64, ptr %place
  ret i64 %value
}

define i64 @matesolve_entry(i64 %n) nounwind {
  %room = alloca [20000 x i8], align 64
  call void @llvm.memset.p0.i64(ptr %room, i8 5, i64 20000, i1 false)
  %place = getelementptr [20000 x i8], ptr %room, i64 0, i64 19999
  %last = load i8, ptr %place
  %wide = zext i8 %last to i64
  %prime = call i64 @prime(i64 %n)
  %product = mul i64 %prime, %wide
  ret i64 %product
}
"""
"""Returns five times a prime: a call, constants, and memory that memset fills."""


def assembled(*texts: str) -> bytes:
    """Return an object file for this cache."""
    generator = cache.target_machine(cache.host())
    module = llvm.parse_assembly("")
    for text in texts:
        module.link_in(llvm.parse_assembly(text))
    module.triple, module.data_layout = generator.triple, str(generator.target_data)
    code: bytes = generator.emit_object(module)
    return code


@with_images
def test_an_image_answers_as_llvmlites_own_linking_of_the_same_object_file() -> None:
    code = assembled(PROGRAM, cache.MEMSET)
    image = loader.load_image(linker.link(code, loader.SYMBOL))
    for address in (image, loader.place_object(code)):
        function: Any = CFUNCTYPE(c_int64, c_int64)(address)
        assert [function(number) for number in range(4)] == [10, 15, 25, 35]


@with_images
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (cache.MEMSET + "@words = global i64 1", "found section .data"),
        (cache.MEMSET + "@words = global i64 0", "found section .bss"),
        (
            cache.MEMSET + "@word = constant i64 1\n@place = constant ptr @word",
            "found section .data.rel.ro",
        ),
        ("", "its own symbols only, found memset"),
    ],
)
def test_an_object_file_that_needs_more_is_refused(text: str, found: str) -> None:
    code = assembled(PROGRAM, text)
    with pytest.raises(KernelError, match=re.escape(found)):
        linker.link(code, loader.SYMBOL)
    with pytest.raises(KernelError, match="expected the function another, found none"):
        linker.link(assembled(PROGRAM, cache.MEMSET), "another")
    for other in (b"\0" * 64, b"\x7fELF" + b"\1" * 60):
        with pytest.raises(KernelError, match="expected a relocatable ELF file"):
            linker.link(other, loader.SYMBOL)


@with_images
def test_an_image_without_its_function_is_refused() -> None:
    code = linker.link(assembled(PROGRAM, cache.MEMSET), loader.SYMBOL)
    body = code[cache.ENTRY.size :]
    for wrong in (len(body), 1 << 40, 2):
        with pytest.raises(KernelError, match=f"found one at {wrong}$"):
            loader.load_image(cache.ENTRY.pack(wrong) + body)
    for size in (0, 1, cache.ENTRY.size):
        with pytest.raises(KernelError, match="expected a function in "):
            loader.load_image(code[:size])


# Types


KERNEL = Path(solver.kernel.__path__[0])
MODULES = [
    ".".join(path.relative_to(KERNEL.parents[1]).with_suffix("").parts)
    for path in sorted(KERNEL.rglob("*.py"))
    if path.stem != "__init__"
]


def compiled_functions(module: str) -> dict[str, Dispatcher]:
    """Return the functions that a module defines for numba, by their names."""
    # The functions of the border to Python; the rest of the folder is compiled.
    importlib.import_module("solver.kernel.mate.entry")
    return {
        name: function
        for name, function in vars(importlib.import_module(module)).items()
        if isinstance(function, Dispatcher) and function.py_func.__module__ == module
    }


def test_a_function_has_one_signature_and_no_floating_point() -> None:
    """A second signature or a double shows a literal beside a bitboard."""
    functions = {module: compiled_functions(module) for module in MODULES}
    checked = {module.split(".")[-1] for module, found in functions.items() if found}
    assert checked >= {"bitboards", "movegen", "mating", "prover", "dfpn"}
    assert sum(map(len, functions.values())) > 50
    for module, found in functions.items():
        for name, function in found.items():
            assert len(function.signatures) == 1, (module, name)
            (text,) = function.inspect_llvm().values()
            assert "define " in text, (module, name)
            assert not re.search(" (double|float) ", text), (module, name)


def test_a_recursive_call_with_other_types_is_found_when_compiling() -> None:
    """numba itself would crash, and not before the second process."""

    @jit
    def descend(word: Bitboard, depth: Number) -> Number:
        if word == depth:
            return 0
        return descend(0, depth - 1)

    @native(i64(i64))
    def entry(depth: Any) -> Any:
        return descend(1, depth)

    with pytest.raises(KernelError, match="expected calls of its own functions"):
        linked(entry)


def test_an_operation_has_the_type_that_numba_gives_it() -> None:
    numbas_own = cpu_target.typing_context
    assert len(Typing.found) > 100
    for (operation, arguments), signature in Typing.found.items():
        found = numbas_own.resolve_function_type(operation, arguments, {})
        assert found == signature


# AArch64 code, compiled and linked here, counts the same nodes in an emulator. The test
# needs Debian's packages gcc-aarch64-linux-gnu and qemu-user.


COMPILER = shutil.which("aarch64-linux-gnu-gcc")
EMULATOR = shutil.which("qemu-aarch64")

PERFT = Path(__file__).parents[2] / "data" / "perft.json"

# Loads an image as `loader.load_image` does. It reads questions from its input
# (operation, number, flag, and the words of a position) and prints result and nodes.
HARNESS = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef int64_t (*entry_t)(int64_t, uint64_t *, char *, int64_t, int64_t);

int main(int count, char **arguments) {
    uint64_t start, at[7], position[8], table[16] = {0};
    long bytes = atol(arguments[2]);
    FILE *file = fopen(arguments[1], "rb");
    if (fread(&start, 8, 1, file) != 1) return 1;
    char *image = mmap(0, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fread(image, 1, bytes, file) != bytes) return 2;
    if (mprotect(image, bytes, PROT_READ | PROT_EXEC)) return 3;
    entry_t entry = (entry_t)(image + start);
    char *search = calloc(1, atol(arguments[3]));
    for (int i = 0; i < 7; i++) at[i] = atol(arguments[4 + i]);
    for (int i = 1; i < 7; i++) *(uint64_t *)(search + at[i]) = 1;
    *(int64_t *)(search + at[1]) = INT64_MAX;
    *(uint64_t *)(search + at[2]) = (uint64_t)table;
    int64_t operation, number, flag;
    while (scanf("%ld %ld %ld", &operation, &number, &flag) == 3) {
        for (int i = 0; i < 8; i++)
            if (scanf("%lu", position + i) != 1) return 4;
        int64_t result = entry(operation, position, search, number, flag);
        printf("%ld %ld\\n", result, *(int64_t *)(search + at[0]));
    }
    return 0;
}
"""

FIELDS = (
    *(Search.nodes, Search.node_limit, Search.table),
    *(Search.generation, Search.buckets, Search.most_buckets),
)


MATE_IN_THREE = "8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1"


@pytest.mark.slow
@pytest.mark.skipif(
    not (COMPILER and EMULATOR and cache.HAS_IMAGES),
    reason="needs a cross compiler and an emulator for AArch64",
)
def test_code_for_aarch64_counts_the_nodes_of_this_processor(
    kernel: Kernel, tmp_path: Path
) -> None:
    (target,) = cache.PORTABLE["aarch64"]
    cross = target._replace(triple="aarch64-unknown-linux-gnu")
    search_image, *_ = [loader.compile_part(part, cross) for part in parts.PARTS]
    (tmp_path / "harness.c").write_text(HARNESS)
    (tmp_path / "search").write_bytes(search_image)
    subprocess.check_call(
        [str(COMPILER), "-O1", "-static", "-o", "harness", "harness.c"], cwd=tmp_path
    )

    questions = [
        (Operation.PERFT, 3, entry["fen"]) for entry in json.loads(PERFT.read_text())
    ]
    for operation in (Operation.MATES_WITHIN, Operation.FIND_MATE):
        questions += [(operation, moves, MATE_IN_THREE) for moves in (2, 3)]
    table = (c_uint64 * (2 * parts.BUCKET_WORDS))()
    search = parts.search_with(table)
    search.most_buckets = 1
    lines, expected = [], []
    for operation, number, fen in questions:
        position = pack_board(chess.Board(fen))
        words = (c_uint64 * POSITION_WORDS).from_buffer_copy(position)
        lines.append(f"{operation.value} {number} 1 {' '.join(map(str, words))}\n")
        result = kernel.run(operation.name, position, search, number, 1)
        expected.append(f"{result} {search.nodes}\n")
    sizes = len(search_image) - cache.ENTRY.size, sizeof(Search)
    numbers = [*sizes, *(field.offset for field in FIELDS)]
    command = [str(EMULATOR), "harness", "search", *map(str, numbers)]
    ended = run(command, cwd=tmp_path, stdin="".join(lines))
    assert ended.stdout.splitlines(keepends=True) == expected
    assert len(expected) > 5
