"""Bounds that are kept for later searches: what they save, and when they are forgotten.

The sessions run in this process. With one thread, node counts are deterministic.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest

from solver.problem import MAX_HASH_MIB
from solver.solving import Solver
from solver.uci import analysis
from solver.uci.analysis import KEPT_FROM, most_kept_mb
from solver.uci.session import Session
from tests.uci.test_analysis import (
    BARE_KING,
    QUEEN,
    SAVE_ONE,
    TWO_ROOKS,
    analyse,
    rated,
)

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("kernel")

MATE_IN_8 = "5r2/8/3pp3/7B/3N4/2nP4/5pNp/5k1K w - - 0 1"
"""The engine takes 1.2 million nodes."""


KEEP = "setoption name Keep Bounds value true"
FORGET = "setoption name Keep Bounds value false"
SMALL_TABLE = "setoption name Hash value 32"
GO = "go nodes 4000000"


class Answer(NamedTuple):
    """What a `go` has printed last."""

    depth: int
    score: str
    nodes: int
    pv: str


def answers(*commands: str) -> list[Answer]:
    """Run a session with these commands, and return the answer to each `go`."""
    lines: list[str] = []
    Session(lines.append).run(f"{command}\n".encode() for command in commands)
    notices = [line for line in lines if line.startswith("info string")]
    assert not notices
    found = []
    for line, after in pairwise(lines):
        if after.startswith("bestmove"):
            words = re.fullmatch(
                r"info depth (\d+) .* score (\S+ \S+) nodes (\d+) .* pv (.*)", line
            )
            assert words
            found.append(Answer(int(words[1]), words[2], int(words[3]), words[4]))
    return found


def test_positions_of_a_game_searched_before_take_a_tenth_of_the_nodes() -> None:
    position, other = f"position fen {MATE_IN_8}", f"position fen {TWO_ROOKS}"
    (alone,) = answers(SMALL_TABLE, position, GO)
    later = f"{position} moves {' '.join(alone.pv.split()[:2])}"
    first, _, again, third, after = answers(
        *(SMALL_TABLE, KEEP, position, GO),
        *(other, GO, "ucinewgame", position, GO, GO, later, GO),
    )
    assert (first, first.nodes >= KEPT_FROM) == (alone, True)
    assert max(again.nodes, third.nodes, after.nodes) <= first.nodes // 10
    for answer in first, again, third:
        assert (answer.depth, answer.score) == (15, "mate 8")
    assert (after.depth, after.score) == (13, "mate 7")


@pytest.mark.parametrize(
    "option",
    [
        "setoption name Clear Hash",
        f"{FORGET}\n{KEEP}",
        "setoption name Hash value 33",
        "setoption name SyzygyPath value {}",
    ],
)
def test_kept_bounds_are_forgotten(option: str, tmp_path: Path) -> None:
    """A table of 33 MiB is as large as one of 32."""
    (tmp_path / "KRvK.rtbw").touch()
    options = option.format(tmp_path).split("\n")
    first, again = answers(
        *(SMALL_TABLE, KEEP, f"position fen {MATE_IN_8}", GO, *options, GO)
    )
    assert first == again


def test_a_short_search_is_not_kept_and_nothing_by_default() -> None:
    position = f"position fen {MATE_IN_8}"
    for commands in ((KEEP, position, f"go nodes {KEPT_FROM // 10}"), (position, GO)):
        first, again = answers(SMALL_TABLE, *commands, commands[-1])
        assert first == again
    assert [*map(most_kept_mb, (1, 64, 128, MAX_HASH_MIB))] == [1, 4, 8, 8]


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> Solver:
    """A solver that keeps every search of `analyse`, however short."""
    monkeypatch.setattr(analysis, "KEPT_FROM", 0)
    return Solver(hash_mib=4)


@pytest.mark.parametrize("count", [1, 4])
def test_the_answers_are_those_of_a_naive_search(count: int, keeping: Solver) -> None:
    for _ in range(2):
        for fen, go, most in (
            *((fen, "depth 3", 2) for fen in (TWO_ROOKS, QUEEN, SAVE_ONE)),
            (BARE_KING, "", 4),
        ):
            found = analyse(keeping, fen, go, count, kept_mb=1)
            assert [line.mate for line in found] == rated(fen, most)[:count]
