"""The reply that is tried before the others are listed is the first of the ranking."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE
from typing import Any

import numpy as np
import pytest

from solver.kernel.border.search_struct import MOVE_KINDS, Search
from solver.kernel.build import jit, words
from solver.kernel.mate import ordering
from solver.kernel.rules.bitboards import NO_MOVE, position_at
from solver.kernel.rules.movegen import generate
from tests.kernel import linked, positions


@jit.native(
    words.i64(
        words.pointer(words.by_reference(Search)),
        words.pointer(words.u64),
        words.pointer(words.u64),
    )
)
def write_replies(search: Any, words: Any, out: Any) -> Any:
    """Write the forcing reply and the first of all replies if it is forcing."""
    search = jit.record_at(search)
    position = position_at(words)
    moves = search.rows[0]
    out[0] = ordering.forcing_reply(position, moves, search)
    size = generate(position, moves)
    ordering.rank_replies(position, moves, size, 0, NO_MOVE, search)
    best = np.uint64(0)
    for index in range(size):
        best = max(best, moves[index])
    out[1] = (
        ordering.unranked(best)
        if best >> ordering.WORTH_SHIFT >= ordering.CAPTURE
        else NO_MOVE
    )
    return np.int64(0)


REPLIES = CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(linked(write_replies))


@pytest.mark.parametrize(
    ("kind", "rows", "quiet"),
    [
        (positions.of_play, 20_000, 1_000),
        (positions.of_problems, 20_000, 1_000),
        (positions.of_passing, 5_000, 0),
        pytest.param(positions.of_play, 500_000, 25_000, marks=pytest.mark.slow),
        pytest.param(positions.of_problems, 500_000, 25_000, marks=pytest.mark.slow),
    ],
)
def test_the_forcing_reply_is_the_first_of_all_replies(
    kind: Any, rows: int, quiet: int
) -> None:
    search = Search()
    random = np.random.default_rng(3)
    history = np.ctypeslib.as_array(search.history)
    history[:] = random.integers(0, 2 * int(ordering.MOST_HISTORY), MOVE_KINDS)
    out = (ctypes.c_uint64 * 2)()
    without = 0
    for row in kind(rows, seed=5):
        REPLIES(ctypes.byref(search), row.ctypes.data, out)
        assert out[0] == out[1], row
        without += out[0] == NO_MOVE
    assert quiet <= without < rows
