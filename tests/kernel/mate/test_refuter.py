"""A reply refutes what it is said to refute."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from solver.board import unpack_move
from solver.kernel.mate.refuter import find_refuter, is_refuted
from solver.kernel.rules.bitboards import after_null_move, make
from solver.kernel.rules.mating import mate_in_one
from solver.kernel.rules.movegen import generate
from tests.kernel import positions
from tests.kernel.positions import board_of, position_of
from tests.oracles import naive

NOWHERE = -1
"""The index of a position that disagrees, if none does."""


CLAIMS = 400
"""Refutations of each sample that python-chess checks."""


@numba.njit
def _compare(rows: Any, claims: Any) -> tuple[int, int, int]:
    """Return the first row with a wrong refutation, the right ones, and the missed.

    Some of the refutations are written to `claims`: row, attack, reply.
    """
    every = 100 * len(rows) // len(claims)
    attacks = np.empty(256, np.uint64)
    replies = np.empty(256, np.uint64)
    answers = np.empty(256, np.uint64)
    refuted, missed = 0, 0
    for index in range(len(rows)):
        position = position_of(rows[index])
        size = generate(position, attacks)
        for slot in range(generate(after_null_move(position), replies)):
            reply = replies[slot]
            refuter = find_refuter(position, reply)
            if not refuter.reply:
                continue
            for number in range(size):
                child = make(position, attacks[number])
                works = np.any(answers[: generate(child, answers)] == reply)
                if works:
                    works = mate_in_one(make(child, reply)) == 0
                if is_refuted(position, refuter, attacks[number]):
                    if not works:
                        return index, refuted, missed
                    if refuted % every == 0 and refuted // every < len(claims):
                        claims[refuted // every, 0] = index
                        claims[refuted // every, 1] = attacks[number]
                        claims[refuted // every, 2] = reply
                    refuted += 1
                elif works:
                    missed += 1
    return NOWHERE, refuted, missed


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        (positions.of_play, 1_500),
        (positions.of_problems, 1_500),
        (positions.of_passing, 1_500),
        (positions.of_special, 1_500),
        pytest.param(positions.of_problems, 500_000, marks=pytest.mark.slow),
        pytest.param(positions.of_passing, 100_000, marks=pytest.mark.slow),
    ],
)
def test_an_attack_said_to_be_refuted_is_refuted_by_that_reply(
    kind: Any, rows: int
) -> None:
    many = kind(rows, seed=21)
    claims = np.zeros((CLAIMS, 3), np.uint64)
    differs, refuted, missed = _compare(many, claims)
    assert differs == NOWHERE, many[differs]
    assert refuted > 100 * rows
    assert missed < refuted
    for index, attack, reply in claims.tolist():
        board = board_of(many[index])
        board.push(unpack_move(board, attack))
        move = unpack_move(board, reply)
        assert board.is_legal(move), (board.fen(), move)
        board.push(move)
        assert not naive.mate_in(board, 1), board.fen()
