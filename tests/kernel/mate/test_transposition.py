"""The tables: bounds and proof numbers are read back, and for no other question."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE
from random import Random
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.kernel.border.search_struct import Search
from solver.kernel.build.jit import native, record_at
from solver.kernel.build.words import by_reference, i64, pointer, u64
from solver.kernel.mate import transposition
from solver.kernel.mate.dfpn import plus
from solver.kernel.mate.transposition import HashKey
from tests.kernel import linked, positions
from tests.kernel.positions import WORDS, position_of

BUCKET_BYTES = 64
LARGEST = int(transposition.NUMBER_BITS)
"""The largest proof number that an entry can hold."""

words = st.integers(0, 2**64 - 1)
numbers = st.integers(1, int(transposition.MOST))


calling = native(i64(pointer(by_reference(Search)), u64, u64, i64, pointer(i64)))


@calling
def read(search: Any, check: Any, bucket: Any, moves: Any, out: Any) -> Any:
    """Write no_mate, mate and move to `out`; for moves, the numbers phi and delta."""
    search, key = record_at(search), HashKey(check, bucket)
    if moves:
        found = transposition.probe_numbers(search, key, moves)
        out[0], out[1] = np.int64(found.phi), np.int64(found.delta)
    else:
        bounds = transposition.probe(search, key)
        out[0], out[1], out[2] = bounds.no_mate, bounds.mate, np.int64(bounds.move)
    return moves


@calling
def write(search: Any, check: Any, bucket: Any, moves: Any, entry: Any) -> Any:
    """Store bounds and their effort; for moves, numbers and the nodes they took."""
    search, key = record_at(search), HashKey(check, bucket)
    if moves:
        found = transposition.Numbers(np.uint64(entry[0]), np.uint64(entry[1]))
        transposition.store_numbers(search, key, moves, found, entry[2])
    else:
        bounds = transposition.Bounds(entry[0], entry[1], np.uint64(entry[2]))
        transposition.store(search, key, bounds, entry[3])
    return moves


@native(i64(u64, u64))
def add(left: Any, right: Any) -> Any:
    """Add two proof numbers."""
    return np.int64(plus(left, right))


C_WORDS = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64)
PROTOTYPE = CFUNCTYPE(ctypes.c_int64, *C_WORDS, ctypes.POINTER(ctypes.c_int64))
READ, WRITE = PROTOTYPE(linked(read)), PROTOTYPE(linked(write))
ADD = CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64)(linked(add))


class Table:
    """A table of some buckets of bounds and as many of proof numbers."""

    def __init__(self, buckets: int, content: bytes = b"") -> None:
        size = 2 * buckets * BUCKET_BYTES
        self.memory = (ctypes.c_char * size).from_buffer_copy(content or bytes(size))
        self.search = Search(
            table=ctypes.addressof(self.memory),
            generation=1,
            buckets=buckets,
            most_buckets=buckets,
        )

    def read(self, entry: Bounds | Numbers) -> tuple[int, ...]:
        out = (ctypes.c_int64 * len(entry.kept))()
        self._call(READ, entry, out)
        return tuple(out)

    def write(self, entry: Bounds | Numbers) -> None:
        values = (ctypes.c_int64 * len(entry[3:]))(*entry[3:])
        self._call(WRITE, entry, values)

    def _call(self, function: Any, entry: Bounds | Numbers, values: Any) -> None:
        search = ctypes.addressof(self.search)
        function(search, entry.check, entry.bucket, entry.moves, values)


NO_BOUNDS = (0, 255, 0)
NO_NUMBERS = (0, 0)
"""What is read of a position that is not stored."""


class Bounds(NamedTuple):
    """A key, its bounds and their effort."""

    check: int
    bucket: int
    moves: int
    no_mate: int
    mate: int
    move: int
    effort: int

    @property
    def kept(self) -> tuple[int, ...]:
        return self.no_mate, self.mate, self.move


class Numbers(NamedTuple):
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


bounds = st.builds(
    Bounds,
    check=words,
    bucket=words,
    moves=st.just(0),
    no_mate=st.integers(0, 200),
    mate=st.integers(1, 255),
    move=st.integers(0, 2**17 - 1),
    effort=st.integers(0, 255),
)
entries = st.builds(
    Numbers,
    check=words,
    bucket=words,
    moves=st.integers(1, 200),
    phi=numbers,
    delta=numbers,
    nodes=st.integers(1, 2**40),
)


@given(st.lists(bounds, max_size=4, unique_by=lambda entry: entry.check), entries)
def test_a_bucket_holds_four_positions_and_what_fits_of_numbers(
    stored: list[Bounds], entry: Numbers
) -> None:
    table = Table(1)
    for each in stored:
        assert table.read(each) == NO_BOUNDS
        table.write(each)
    assert [table.read(each) for each in stored] == [each.kept for each in stored]
    assert table.read(entry) == NO_NUMBERS
    table.write(entry)
    assert table.read(entry) == entry.kept
    assert all(0 < number < transposition.INFINITE for number in entry.kept)


@given(
    st.lists(bounds, min_size=1, max_size=60)
    | st.lists(entries, min_size=1, max_size=60),
    st.sampled_from([1, 2, 8]),
    st.integers(1, 30),
)
@settings(max_examples=300)
def test_replacement_never_gives_what_belongs_to_another_question(
    stored: list[Bounds] | list[Numbers], buckets: int, keys: int
) -> None:
    """Few keys, so that questions are stored again, with other bounds or numbers."""
    table = Table(buckets)
    last: dict[tuple[int, int], Bounds | Numbers] = {}
    for entry in stored:
        key = entry.check % keys
        moves = entry.moves and 1 + entry.moves % 7
        again = entry._replace(check=key << 40, bucket=key * 7, moves=moves)
        table.write(again)
        assert table.read(again) == again.kept
        last[key, again.moves] = again
        for known in last.values():
            assert table.read(known) in {
                known.kept,
                (NO_BOUNDS, NO_NUMBERS)[len(known) == 6],
            }
    half = buckets * BUCKET_BYTES
    halves = table.memory.raw[:half], table.memory.raw[half:]
    assert not any(halves[isinstance(stored[0], Bounds)]), "in the other half"


def test_the_cheapest_of_a_full_bucket_makes_room() -> None:
    table = Table(1)
    stored = [Bounds(key, 0, 0, 1, 255, 0, effort=9 - key) for key in range(1, 6)]
    for entry in stored:
        table.write(entry)
    *dear, cheapest, newest = stored
    assert table.read(cheapest) == NO_BOUNDS
    assert all(table.read(entry) == entry.kept for entry in (*dear, newest))


@given(bounds, entries, st.integers(2, 2**12 - 1))
def test_another_generation_reads_nothing(
    entry: Bounds, asked: Numbers, generation: int
) -> None:
    table = Table(1)
    for each in (entry, asked):
        table.write(each)
    table.search.generation = generation
    assert (table.read(entry), table.read(asked)) == (NO_BOUNDS, NO_NUMBERS)
    table.write(entry._replace(no_mate=0))
    table.write(asked)
    assert table.read(entry) == (0, *entry.kept[1:])
    assert table.read(asked) == asked.kept


def test_random_bytes_are_never_read_as_bounds() -> None:
    table = Table(64, Random(1).randbytes(128 * BUCKET_BYTES))
    table.search.generation = 3
    for key in range(1000):
        assert table.read(Bounds(key, key, 0, 0, 0, 0, 0)) == NO_BOUNDS


@given(entries, st.integers(1, 200), st.permutations(range(4)))
def test_numbers_hold_for_one_length_or_for_the_lengths_that_share_them(
    entry: Numbers, moves: int, shared: list[int]
) -> None:
    other = entry._replace(moves=moves)
    for lengths, asked, is_same in (
        (0, 0, moves == entry.moves),
        (2, 2, (moves + 3) // 4 == (entry.moves + 3) // 4),
        (*shared[:2], False),
    ):
        table = Table(1)
        table.search.shared_lengths = lengths
        table.write(entry)
        table.search.shared_lengths = asked
        assert table.read(other) == (entry.kept if is_same else NO_NUMBERS)


def test_first_numbers_make_room_for_all_others_and_take_it_from_none() -> None:
    table = Table(1)
    searched = [Numbers(key << 32, 0, 3, 7, 9, nodes=1) for key in range(1, 4)]
    first, second = (Numbers(key << 32, 0, 3, 2, 5, nodes=0) for key in (8, 9))
    for entry in (first, *searched):
        table.write(entry)
    assert table.read(first) == first.kept
    table.write(second)
    assert table.read(second) == second.kept
    assert table.read(first) == NO_NUMBERS

    last = Numbers(4 << 32, 0, 3, 7, 9, nodes=1)
    table.write(last)
    assert table.read(second) == NO_NUMBERS
    table.write(first)
    assert table.read(first) == NO_NUMBERS
    assert all(table.read(entry) == entry.kept for entry in (*searched, last))


@given(numbers | st.just(0), numbers | st.just(0))
def test_a_sum_is_finite_unless_a_number_is_infinite(left: int, right: int) -> None:
    infinite = int(transposition.INFINITE)
    assert ADD(left, right) == min(left + right, int(transposition.MOST))
    assert ADD(left, infinite) == ADD(infinite, left) == infinite


# The hash function


@numba.njit
def _hash(rows: Any, checks: Any, buckets: Any) -> None:
    """Hash each row for the attacker (even indices) and the defender (odd ones)."""
    for index in range(len(rows)):
        position = position_of(rows[index])
        for side in range(2):
            key = transposition.hash_key(position, side == 0)
            checks[2 * index + side] = key.check
            buckets[2 * index + side] = key.bucket


def hash_keys(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return check words and buckets; each of shape (2 * rows,), uint64."""
    checks = np.empty(2 * len(rows), np.uint64)
    buckets = np.empty_like(checks)
    _hash(rows, checks, buckets)
    return checks, buckets


def require_no_collision(rows: np.ndarray) -> int:
    """Require that equal check words are of equal positions; return their number."""
    checks, _ = hash_keys(rows)
    order = np.argsort(checks)
    same = np.flatnonzero(checks[order][1:] == checks[order][:-1])
    first, second = order[same], order[same + 1]
    assert np.array_equal(rows[first // 2], rows[second // 2])
    assert np.array_equal(first % 2, second % 2)
    return len(checks) - len(same)


@pytest.fixture(
    scope="module", params=[300_000, pytest.param(2_200_000, marks=pytest.mark.slow)]
)
def reached(request: pytest.FixtureRequest) -> np.ndarray:
    """Return positions of play, few of them twice."""
    return positions.of_play(request.param, seed=41)


def test_no_two_positions_or_sides_share_a_key_and_keys_are_spread(
    reached: np.ndarray,
) -> None:
    assert require_no_collision(reached) > 1.8 * len(reached)
    single = np.zeros((1 + 64 * WORDS, WORDS), np.uint64)  # and one bit changes the key
    for bit in range(64 * WORDS):
        single[1 + bit, bit // 64] = np.uint64(1 << bit % 64)
    rows = np.unique(reached[:: len(reached) // 1000], axis=0)
    flipped = (rows[:, None, :] ^ single[None, :, :]).reshape(-1, WORDS)
    assert require_no_collision(flipped) > 1_000_000
    for hashed in hash_keys(reached):
        assert np.all(hashed[::2] != hashed[1::2]), "attacker and defender"

    # They are spread evenly: n random words in n boxes leave one box in e empty.
    checks, buckets = hash_keys(reached)
    size = 1 << (18 if len(reached) < 1 << 20 else 20)
    different = np.sort(np.unique(checks, return_index=True)[1])[:size]
    assert len(different) == size
    for hashed in (buckets, checks, checks >> np.uint64(44), buckets ^ checks):
        used = len(np.unique(hashed[different] & np.uint64(size - 1)))
        assert abs(used / size - (1 - np.exp(-1))) < 0.003
