"""Proof numbers are read back as far as they fit, and for no other question."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.kernel.border.search_struct import Search
from solver.kernel.build.jit import native, record_at
from solver.kernel.build.words import by_reference, i64, pointer, u64
from solver.kernel.mate import transposition
from solver.kernel.mate.dfpn import plus
from tests.kernel import linked

SLOTS = 4
BUCKET_BYTES = 64
NOTHING = (0, 0)
LARGEST = int(transposition.NUMBER_BITS)
"""The largest number that an entry can hold."""

words = st.integers(0, 2**64 - 1)
numbers = st.integers(1, int(transposition.MOST))


@native(i64(pointer(by_reference(Search)), u64, u64, i64, pointer(i64)))
def read_numbers(search: Any, check: Any, bucket: Any, moves: Any, out: Any) -> Any:
    """Write phi and delta to `out`."""
    found = transposition.probe_numbers(
        record_at(search), transposition.HashKey(check, bucket), moves
    )
    out[0], out[1] = np.int64(found.phi), np.int64(found.delta)
    return np.int64(0)


@native(i64(pointer(by_reference(Search)), u64, u64, i64, pointer(i64)))
def write_numbers(search: Any, check: Any, bucket: Any, moves: Any, entry: Any) -> Any:
    """Store phi and delta, and the nodes that they took."""
    found = transposition.Numbers(np.uint64(entry[0]), np.uint64(entry[1]))
    key = transposition.HashKey(check, bucket)
    transposition.store_numbers(record_at(search), key, moves, found, entry[2])
    return np.int64(0)


@native(i64(u64, u64))
def add(left: Any, right: Any) -> Any:
    """Add two proof numbers."""
    return np.int64(plus(left, right))


PROTOTYPE = CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.c_uint64,
    ctypes.c_int64,
    ctypes.POINTER(ctypes.c_int64),
)
ADD = CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64)(linked(add))
READ, WRITE = PROTOTYPE(linked(read_numbers)), PROTOTYPE(linked(write_numbers))


class Entry(NamedTuple):
    """A question, the numbers stored for it, and the nodes that they took."""

    check: int
    bucket: int
    moves: int
    phi: int
    delta: int
    nodes: int

    @property
    def kept(self) -> tuple[int, int]:
        return min(self.phi, LARGEST), min(self.delta, LARGEST)


entries = st.builds(
    Entry,
    check=words,
    bucket=words,
    moves=st.integers(1, 200),
    phi=numbers,
    delta=numbers,
    nodes=st.integers(1, 2**40),
)


class Table:
    """A table of some buckets of bounds and as many of proof numbers."""

    def __init__(self, buckets: int) -> None:
        self.memory = (ctypes.c_char * (2 * buckets * BUCKET_BYTES))()
        self.search = Search(
            table=ctypes.addressof(self.memory),
            generation=1,
            buckets=buckets,
            most_buckets=buckets,
        )

    def read(self, entry: Entry) -> tuple[int, ...]:
        out = (ctypes.c_int64 * 2)()
        self._call(READ, entry, out)
        return tuple(out)

    def write(self, entry: Entry) -> None:
        numbers = (ctypes.c_int64 * 3)(entry.phi, entry.delta, entry.nodes)
        self._call(WRITE, entry, numbers)

    def _call(self, function: Any, entry: Entry, numbers: Any) -> None:
        search = ctypes.addressof(self.search)
        function(search, entry.check, entry.bucket, entry.moves, numbers)


@given(entries)
def test_what_fits_is_read_back_and_what_does_not_is_the_largest(entry: Entry) -> None:
    table = Table(4)
    assert table.read(entry) == NOTHING
    table.write(entry)
    assert table.read(entry) == entry.kept


@given(entries)
def test_no_number_that_is_kept_is_proved_or_infinite(entry: Entry) -> None:
    table = Table(1)
    table.write(entry)
    assert all(0 < number < transposition.INFINITE for number in table.read(entry))


@given(entries, st.integers(1, 200))
def test_numbers_hold_for_one_number_of_moves(entry: Entry, moves: int) -> None:
    table = Table(1)
    table.write(entry)
    if moves != entry.moves:
        assert table.read(entry._replace(moves=moves)) == NOTHING


@given(entries, st.integers(1, 200))
def test_neighbouring_numbers_of_moves_can_share_numbers(
    entry: Entry, moves: int
) -> None:
    table = Table(1)
    table.search.shared_lengths = 2
    table.write(entry)
    is_shared = (moves + 3) // 4 == (entry.moves + 3) // 4
    expected = entry.kept if is_shared else NOTHING
    assert table.read(entry._replace(moves=moves)) == expected


@given(entries, st.integers(1, 200), st.permutations(range(4)))
def test_shared_numbers_are_kept_apart_from_others(
    entry: Entry, moves: int, shared: list[int]
) -> None:
    table = Table(1)
    table.search.shared_lengths = shared[0]
    table.write(entry)
    table.search.shared_lengths = shared[1]
    assert table.read(entry._replace(moves=moves)) == NOTHING


@given(entries, st.integers(2, 2**12 - 1))
def test_another_generation_reads_nothing(entry: Entry, generation: int) -> None:
    table = Table(1)
    table.write(entry)
    table.search.generation = generation
    assert table.read(entry) == NOTHING
    table.write(entry)
    assert table.read(entry) == entry.kept


@given(st.lists(entries, min_size=1, max_size=60), st.sampled_from([1, 2, 8]))
@settings(max_examples=200)
def test_replacement_never_gives_the_numbers_of_another_question(
    stored: list[Entry], buckets: int
) -> None:
    """Few positions, so that questions are stored again, with other numbers."""
    table = Table(buckets)
    last: dict[tuple[int, int], Entry] = {}
    for entry in stored:
        position = entry.check % 8
        again = entry._replace(
            check=position << 40, bucket=position * 7, moves=entry.moves % 8
        )
        table.write(again)
        assert table.read(again) == again.kept
        last[again.check, again.moves] = again
        for known in last.values():
            assert table.read(known) in {known.kept, NOTHING}


def test_what_cost_least_makes_room_in_a_full_bucket() -> None:
    table = Table(1)
    costs = [100_000, 30, 5000, 2_000_000]
    stored = [
        Entry(key << 32, 0, 3, 7, 9, cost) for key, cost in enumerate(costs, start=1)
    ]
    newest = Entry(99 << 32, 0, 3, 1, 1, nodes=1)
    for entry in (*stored, newest):
        table.write(entry)
    assert [table.read(entry) != NOTHING for entry in stored] == [
        cost != min(costs) for cost in costs
    ]
    assert table.read(newest) == newest.kept


def test_first_numbers_make_room_for_all_others_and_take_it_from_none() -> None:
    table = Table(1)
    searched = [Entry(key << 32, 0, 3, 7, 9, nodes=1) for key in range(1, 4)]
    first, second = (Entry(key << 32, 0, 3, 2, 5, nodes=0) for key in (8, 9))
    for entry in (first, *searched):
        table.write(entry)
    assert table.read(first) == first.kept
    table.write(second)
    assert table.read(second) == second.kept
    assert table.read(first) == NOTHING

    last = Entry(4 << 32, 0, 3, 7, 9, nodes=1)
    table.write(last)
    assert table.read(second) == NOTHING
    table.write(first)
    assert table.read(first) == NOTHING
    assert all(table.read(entry) == entry.kept for entry in (*searched, last))


@given(st.lists(entries, max_size=40))
def test_numbers_stay_out_of_the_bounds(stored: list[Entry]) -> None:
    table = Table(2)
    for entry in stored:
        table.write(entry)
    assert not any(table.memory.raw[: 2 * BUCKET_BYTES])


@given(numbers | st.just(0), numbers | st.just(0))
def test_a_sum_of_finite_numbers_is_finite(left: int, right: int) -> None:
    assert ADD(left, right) == min(left + right, int(transposition.MOST))


@given(numbers | st.just(0))
def test_a_sum_with_an_infinite_number_is_infinite(number: int) -> None:
    assert ADD(number, int(transposition.INFINITE)) == transposition.INFINITE
    assert ADD(int(transposition.INFINITE), number) == transposition.INFINITE
