"""Bounds are read back for the position that they were stored for, and no other."""

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
from solver.kernel.mate.transposition import Bounds, HashKey, hash_key, probe, store
from tests.kernel import linked, positions
from tests.kernel.positions import WORDS, position_of

SLOTS = 4
NOTHING = (0, 255, 0)
"""The bounds of a position that is not stored."""

words = st.integers(0, 2**64 - 1)


@native(i64(pointer(by_reference(Search)), u64, u64, pointer(i64)))
def read_entry(search: Any, check: Any, bucket: Any, out: Any) -> Any:
    """Write no_mate, mate and move to `out`."""
    bounds = probe(record_at(search), HashKey(check, bucket))
    out[0], out[1], out[2] = bounds.no_mate, bounds.mate, np.int64(bounds.move)
    return np.int64(0)


@native(i64(pointer(by_reference(Search)), u64, u64, pointer(i64)))
def write_entry(search: Any, check: Any, bucket: Any, entry: Any) -> Any:
    """Store no_mate, mate, move and effort."""
    bounds = Bounds(entry[0], entry[1], np.uint64(entry[2]))
    store(record_at(search), HashKey(check, bucket), bounds, entry[3])
    return np.int64(0)


PROTOTYPE = CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_int64),
)
READ, WRITE = PROTOTYPE(linked(read_entry)), PROTOTYPE(linked(write_entry))


class Entry(NamedTuple):
    """A key, its bounds and their effort."""

    check: int
    bucket: int
    no_mate: int
    mate: int
    move: int
    effort: int

    @property
    def bounds(self) -> tuple[int, int, int]:
        return self.no_mate, self.mate, self.move


entries = st.builds(
    Entry,
    check=words,
    bucket=words,
    no_mate=st.integers(0, 200),
    mate=st.integers(1, 255),
    move=st.integers(0, 2**17 - 1),
    effort=st.integers(0, 255),
)


class Table:
    """A table of some buckets, empty or filled with random bytes."""

    def __init__(self, buckets: int, *, noise: Random | None = None) -> None:
        size = buckets * SLOTS * 16
        content = noise.randbytes(size) if noise else bytes(size)
        self._memory = (ctypes.c_char * size).from_buffer_copy(content)
        table = ctypes.addressof(self._memory)
        self.search = Search(table=table, generation=1, buckets=buckets)

    def read(self, entry: Entry) -> tuple[int, ...]:
        numbers = (ctypes.c_int64 * 3)()
        READ(ctypes.addressof(self.search), entry.check, entry.bucket, numbers)
        return tuple(numbers)

    def write(self, entry: Entry) -> None:
        numbers = (ctypes.c_int64 * 4)(*entry[2:])
        WRITE(ctypes.addressof(self.search), entry.check, entry.bucket, numbers)


@given(entries)
def test_what_is_stored_is_read_back(entry: Entry) -> None:
    table = Table(4)
    assert table.read(entry) == NOTHING
    table.write(entry)
    assert table.read(entry) == entry.bounds


@given(st.lists(entries, max_size=SLOTS, unique_by=lambda entry: entry.check))
def test_a_bucket_holds_four_positions(stored: list[Entry]) -> None:
    table = Table(1)
    for entry in stored:
        table.write(entry)
    assert [table.read(entry) for entry in stored] == [e.bounds for e in stored]


@given(
    st.lists(entries, min_size=1, max_size=60),
    st.sampled_from([1, 2, 8]),
    st.integers(1, 30),
)
@settings(max_examples=200)
def test_replacement_never_gives_the_bounds_of_another(
    stored: list[Entry], buckets: int, keys: int
) -> None:
    """Few keys, so that positions are stored again, with other bounds."""
    table = Table(buckets)
    last: dict[int, Entry] = {}
    for entry in stored:
        again = entry._replace(check=entry.check % keys, bucket=entry.check % keys * 7)
        table.write(again)
        assert table.read(again) == again.bounds
        last[again.check] = again
        for known in last.values():
            assert table.read(known) in {known.bounds, NOTHING}


def test_the_cheapest_of_a_full_bucket_makes_room() -> None:
    table = Table(1)
    stored = [Entry(key, 0, 1, 255, 0, effort=9 - key) for key in range(1, SLOTS + 2)]
    for entry in stored:
        table.write(entry)
    *dear, cheapest, newest = stored
    assert table.read(cheapest) == NOTHING
    assert all(table.read(entry) == entry.bounds for entry in (*dear, newest))


@given(entries, st.integers(2, 2**12 - 1))
def test_another_generation_reads_nothing(entry: Entry, generation: int) -> None:
    table = Table(1)
    table.write(entry)
    table.search.generation = generation
    assert table.read(entry) == NOTHING
    table.write(entry._replace(no_mate=0))
    assert table.read(entry) == (0, *entry.bounds[1:])


def test_random_bytes_are_never_read_as_an_entry() -> None:
    table = Table(64, noise=Random(1))
    table.search.generation = 3
    for key in range(1000):
        assert table.read(Entry(key, key, 0, 0, 0, 0)) == NOTHING


def test_a_key_of_zero_is_an_ordinary_key() -> None:
    table = Table(1)
    zero = Entry(0, 0, 3, 255, 0, 1)
    assert table.read(zero) == NOTHING
    table.write(zero)
    assert table.read(zero) == zero.bounds


# The hash function


@numba.njit
def _hash(rows: Any, checks: Any, buckets: Any) -> None:
    """Hash each row for the attacker (even indices) and the defender (odd ones)."""
    for index in range(len(rows)):
        position = position_of(rows[index])
        for side in range(2):
            key = hash_key(position, side == 0)
            checks[2 * index + side] = key.check
            buckets[2 * index + side] = key.bucket


def hash_keys(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return check words and buckets; each of shape (2 * rows,), uint64."""
    checks = np.empty(2 * len(rows), np.uint64)
    buckets = np.empty_like(checks)
    _hash(rows, checks, buckets)
    return checks, buckets


@pytest.fixture(scope="module")
def reached() -> np.ndarray:
    """Return more than two million positions, few of them twice."""
    return positions.of_play(2_200_000, seed=41)


def require_no_collision(rows: np.ndarray) -> int:
    """Require that equal check words are of equal positions; return their number."""
    checks, _ = hash_keys(rows)
    order = np.argsort(checks)
    same = np.flatnonzero(checks[order][1:] == checks[order][:-1])
    first, second = order[same], order[same + 1]
    assert np.array_equal(rows[first // 2], rows[second // 2])
    assert np.array_equal(first % 2, second % 2)
    return len(checks) - len(same)


def test_no_two_of_millions_of_positions_share_a_key(reached: np.ndarray) -> None:
    assert require_no_collision(reached) > 4_000_000


@pytest.mark.slow
def test_buckets_and_keys_are_spread_evenly(reached: np.ndarray) -> None:
    """n random words in n boxes leave one box in e empty."""
    checks, buckets = hash_keys(reached)
    different = np.sort(np.unique(checks, return_index=True)[1])[: 1 << 20]
    boxes = np.uint64((1 << 20) - 1)
    assert len(different) == 1 << 20
    for hashed in (buckets, checks, checks >> np.uint64(44), buckets ^ checks):
        used = len(np.unique(hashed[different] & boxes))
        assert abs(used / (1 << 20) - (1 - np.exp(-1))) < 0.003


def bit_flips(rows: np.ndarray) -> np.ndarray:
    """Return each row, and each with one bit changed; shape (rows * 513, WORDS)."""
    single = np.zeros((1 + 64 * WORDS, WORDS), np.uint64)
    for bit in range(64 * WORDS):
        single[1 + bit, bit // 64] = np.uint64(1 << bit % 64)
    return (rows[:, None, :] ^ single[None, :, :]).reshape(-1, WORDS)


def changed_bits(hashed: np.ndarray, rows: int) -> np.ndarray:
    """Return how many bits each flip changes; shape (rows, 512)."""
    table = hashed[::2].reshape(rows, -1)
    octets = (table[:, 1:] ^ table[:, :1])[..., None].view(np.uint8)
    changed: np.ndarray = np.unpackbits(octets, axis=-1).sum(axis=-1)
    return changed


def test_one_bit_changes_the_key_and_half_of_its_bits(reached: np.ndarray) -> None:
    rows = np.unique(reached[:: len(reached) // 2000], axis=0)
    flipped = bit_flips(rows)
    checks, buckets = hash_keys(flipped)
    for hashed in (checks, buckets):
        changed = changed_bits(hashed, len(rows))
        assert changed.min() > 0
        assert 31 < changed.mean() < 33
        # The number of changed bits does not depend on which bit was flipped.
        assert 28 < changed.mean(axis=0).min() < changed.mean(axis=0).max() < 36
    assert require_no_collision(flipped) > 2_000_000


def test_attacker_and_defender_have_different_keys(reached: np.ndarray) -> None:
    checks, buckets = hash_keys(reached[:100_000])
    assert np.all(checks[::2] != checks[1::2])
    assert np.all(buckets[::2] != buckets[1::2])
