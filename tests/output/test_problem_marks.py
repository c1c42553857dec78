"""The marks of keys and mates in the words that are printed."""

from __future__ import annotations

import chess
import pytest

from solver.output.shown_play import ProblemMarks


@pytest.mark.parametrize(
    ("fen", "word"),
    [
        ("1R5k/8/6K1/8/8/8/8/8 b - - 0 1", "ideal"),
        ("1R5k/8/p5K1/8/8/8/8/8 b - - 0 1", "model"),
        ("1R5k/8/6K1/8/8/8/8/B7 b - - 0 1", ""),  # g7 is guarded twice
        ("1R5k/8/6K1/8/8/8/8/7B b - - 0 1", "pure"),
        ("7k/8/6K1/8/8/8/8/1R6 b - - 0 1", ""),  # no mate
    ],
)
def test_a_mate_has_its_highest_mark(fen: str, word: str) -> None:
    assert ProblemMarks(fen).remark(chess.Board(fen)) == word


def test_a_key_has_its_features() -> None:
    marks = ProblemMarks("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1")
    assert list(marks.features("c4g8")) == ["check", "sacrifice"]
    assert list(marks.features("c4c5")) == []
