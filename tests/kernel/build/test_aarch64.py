"""AArch64 code, compiled and linked here, counts the same nodes in an emulator.

The test needs Debian's packages gcc-aarch64-linux-gnu and qemu-user.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from ctypes import c_uint64, sizeof
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.parts import BUCKET_WORDS, PARTS, Operation, search_with
from solver.kernel.border.search_struct import POSITION_WORDS, Search
from solver.kernel.build import cache, loader
from tests.processes import run

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel

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

MATES = (
    ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 2),
    ("8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1", 2),
    ("8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1", 3),
    ("r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 0", 3),
)


def questions() -> list[tuple[Operation, int, str]]:
    """Return operations with a number and a FEN."""
    entries = json.loads(PERFT.read_text())
    return [
        *((Operation.PERFT, 3, entry["fen"]) for entry in entries),
        *((Operation.MATES_WITHIN, moves, fen) for fen, moves in MATES),
        *((Operation.FIND_MATE, moves, fen) for fen, moves in MATES),
    ]


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
    search_image, *_ = [loader.compile_part(part, cross) for part in PARTS]
    (tmp_path / "harness.c").write_text(HARNESS)
    (tmp_path / "search").write_bytes(search_image)
    subprocess.check_call(
        [str(COMPILER), "-O1", "-static", "-o", "harness", "harness.c"], cwd=tmp_path
    )

    table = (c_uint64 * (2 * BUCKET_WORDS))()
    search = search_with(table)
    search.most_buckets = 1
    lines, expected = [], []
    for operation, number, fen in questions():
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
    assert len(expected) > 2 * len(MATES)
