"""Sets of positions, folded and unfolded bit by bit."""

from __future__ import annotations

import chess
import numpy as np

from solver.endgames.endgame_table import (
    REFLECTIONS,
    TRIANGLE,
    align,
    pack_flags,
    unpack,
)


def test_a_reflection_keeps_distances_and_leads_into_the_triangle() -> None:
    for square, reflection in enumerate(REFLECTIONS):
        images = reflection.images.tolist()
        assert images[square] == TRIANGLE[reflection.place]
        for a in chess.SQUARES:
            for b in (0, 10, 37):
                before = chess.square_knight_distance(a, b)
                assert chess.square_knight_distance(images[a], images[b]) == before


def test_packing_keeps_each_position_in_its_bit() -> None:
    words = np.array([1 << 63 | 1, 1 << 8, 0], np.uint64)
    flags = unpack(words)
    assert [np.flatnonzero(row).tolist() for row in flags] == [[0, 63], [8], []]
    assert np.array_equal(pack_flags(flags), words)


def test_unfolding_reflects_pieces_and_bits_alike() -> None:
    flags = np.random.default_rng(1).random((10, 64, 64)) < 0.5
    words = pack_flags(flags)
    for reflection in REFLECTIONS:
        images = reflection.images
        expected = flags[reflection.place][images][:, images]
        assert np.array_equal(unpack(reflection.unfold(words)), expected)


def test_small_arrays_align_with_their_axes() -> None:
    table = np.arange(6, dtype=np.uint64).reshape(2, 3)
    aligned = align(table, [2, 0], 3)
    assert aligned.shape == (3, 1, 2)
    assert aligned[1, 0, 1] == table[1, 1] == 4
    assert aligned[2, 0, 0] == table[0, 2] == 2
