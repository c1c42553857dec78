"""python-chess confirms the published perft counts, as far as it is fast enough."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import chess
import pytest

AFFORDABLE = 100_000
"""The most leaves to count; python-chess takes about a second for them."""


class Entry(TypedDict):
    """One position of `perft.json`; `counts[d - 1]` is its perft to depth d."""

    name: str
    fen: str
    source: str
    counts: list[int]


ENTRIES: list[Entry] = json.loads(
    (Path(__file__).parents[1] / "data" / "perft.json").read_text(encoding="utf-8")
)


def perft(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_shallow_counts_are_confirmed(entry: Entry) -> None:
    board = chess.Board(entry["fen"])
    assert board.is_valid()
    for depth, count in enumerate(entry["counts"], start=1):
        if count <= AFFORDABLE:
            assert perft(board, depth) == count


def test_entries_have_different_names_and_give_their_source() -> None:
    assert len(ENTRIES) >= 14
    assert len({entry["name"] for entry in ENTRIES}) == len(ENTRIES)
    assert len({entry["fen"] for entry in ENTRIES}) == len(ENTRIES)
    assert all(entry["source"] for entry in ENTRIES)
