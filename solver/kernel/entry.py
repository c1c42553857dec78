"""The one compiled C function; see `solver.kernel.interface` for its Python side.

Importing this module compiles the kernel, or loads it from numba's own cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.alphabeta import search_score
from solver.kernel.checks import generate_checks
from solver.kernel.dfpn import known_bounds, settle
from solver.kernel.evaluation import evaluate
from solver.kernel.interface import Operation
from solver.kernel.intrinsics import record_at
from solver.kernel.jit import experiment_t, i64, native, pointer, search_t, u64
from solver.kernel.line import find_line
from solver.kernel.mate_in_one import mate_in_one
from solver.kernel.material import material_cell
from solver.kernel.movegen import generate
from solver.kernel.perft import perft
from solver.kernel.position import Position, make
from solver.kernel.proof_table import INFINITE, Numbers
from solver.kernel.prover import mates_within
from solver.kernel.transposition import address

PERFT = np.int64(Operation.PERFT)
GENERATE = np.int64(Operation.GENERATE)
GENERATE_CHECKS = np.int64(Operation.GENERATE_CHECKS)
MAKE = np.int64(Operation.MAKE)
MATE_IN_ONE = np.int64(Operation.MATE_IN_ONE)
MATES_WITHIN = np.int64(Operation.MATES_WITHIN)
FIND_LINE = np.int64(Operation.FIND_LINE)
SEARCH_SCORE = np.int64(Operation.SEARCH_SCORE)
EVALUATE = np.int64(Operation.EVALUATE)
MATERIAL_CELL = np.int64(Operation.MATERIAL_CELL)
BOUNDS = np.int64(Operation.BOUNDS)
FIND_MATE = np.int64(Operation.FIND_MATE)

ROOT = np.int64(0)
HALF_WORD = np.uint64(32)
MATE_SHIFT = np.int64(8)
MOVE_SHIFT = np.uint64(16)
UNKNOWN_OPERATION = np.int64(-2)

WORDS = pointer(u64)


@native(i64(i64, WORDS, pointer(search_t), WORDS, i64, i64, pointer(experiment_t)))
def kernel(
    operation: np.int64,
    words: Any,
    search_pointer: Any,
    table: Any,
    number: np.int64,
    flag: np.int64,
    experiment_pointer: Any,
) -> np.int64:
    """Do one operation on the position whose eight words are given."""
    search = record_at(search_pointer)
    position = Position(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
    )
    if operation == MATES_WITHIN:
        return mates_within(position, number, ROOT, flag != 0, search, table)
    if operation == FIND_MATE:
        limits = Numbers(INFINITE, INFINITE)
        numbers = settle(position, number, ROOT, flag != 0, limits, search, table)
        return np.int64((numbers.phi << HALF_WORD) | numbers.delta)
    if operation == FIND_LINE:
        return find_line(position, number, flag != 0, search, table)
    if operation == BOUNDS:
        bounds = known_bounds(address(position, flag != 0), search, table)
        packed = (bounds.move << MOVE_SHIFT) | np.uint64(bounds.mate << MATE_SHIFT)
        return np.int64(packed | np.uint64(bounds.no_mate))
    if operation == SEARCH_SCORE:
        return search_score(position, search, record_at(experiment_pointer), table)
    if operation == EVALUATE:
        return evaluate(position)
    if operation == MATERIAL_CELL:
        return material_cell(position)
    if operation == MATE_IN_ONE:
        return np.int64(mate_in_one(position))
    if operation == PERFT:
        return perft(position, number, search, flag != 0)
    if operation == GENERATE:
        return generate(position, search.rows[0])
    if operation == GENERATE_CHECKS:
        return generate_checks(position, search.rows[0])
    if operation == MAKE:
        child = make(position, np.uint64(number))
        words[0] = child.pawns
        words[1] = child.knights
        words[2] = child.diagonal
        words[3] = child.orthogonal
        words[4] = child.kings
        words[5] = child.us
        words[6] = child.them
        words[7] = child.rights
        return ROOT
    return UNKNOWN_OPERATION
