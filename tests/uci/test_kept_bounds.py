"""Bounds that are kept for later searches: what they save, and when they are forgotten.

The sessions run in this process. With one thread, node counts are deterministic.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import chess
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

    from solver.uci.protocol import Line

pytestmark = pytest.mark.usefixtures("kernel")

MATE_IN_8 = "5r2/8/3pp3/7B/3N4/2nP4/5pNp/5k1K w - - 0 1"
"""The engine takes 1.2 million nodes."""

MATE_IN_9 = "4r3/8/8/P7/p3Q3/6k1/8/7K w - - 0 1"
"""The engine takes 2.1 million nodes."""

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


def test_a_position_searched_before_takes_a_tenth_of_the_nodes() -> None:
    position, other = f"position fen {MATE_IN_8}", f"position fen {TWO_ROOKS}"

    first, _, again, third = answers(
        *(SMALL_TABLE, KEEP, position, GO),
        *(other, GO, "ucinewgame", position, GO, GO),
    )

    assert first.nodes >= KEPT_FROM
    assert again.nodes <= first.nodes // 10
    assert third.nodes <= first.nodes // 10
    for answer in first, again, third:
        assert (answer.depth, answer.score) == (15, "mate 8")


def test_a_later_position_of_the_game_is_answered_from_the_same_search() -> None:
    position = f"position fen {MATE_IN_8}"
    (first,) = answers(SMALL_TABLE, position, GO)
    later = f"{position} moves {' '.join(first.pv.split()[:2])}"

    (alone,) = answers(SMALL_TABLE, later, GO)
    _, kept = answers(SMALL_TABLE, KEEP, position, GO, later, GO)

    assert kept.nodes <= alone.nodes // 10
    assert (kept.depth, kept.score) == (alone.depth, alone.score) == (13, "mate 7")


def test_a_search_that_was_cut_short_goes_on() -> None:
    position = f"position fen {MATE_IN_8}"

    cut, rest = answers(SMALL_TABLE, KEEP, position, f"go nodes {KEPT_FROM}", GO)
    (whole,) = answers(SMALL_TABLE, position, GO)

    assert cut.depth < rest.depth == whole.depth
    assert rest.nodes <= whole.nodes // 2


def test_several_positions_are_kept() -> None:
    positions = f"position fen {MATE_IN_8}", f"position fen {MATE_IN_9}"

    found = answers(SMALL_TABLE, KEEP, *(p for fen in positions * 2 for p in (fen, GO)))

    for first, again in zip(found[:2], found[2:], strict=True):
        assert again.nodes <= first.nodes // 10
        assert (again.depth, again.score) == (first.depth, first.score)


def test_nothing_is_kept_by_default() -> None:
    first, again = answers(SMALL_TABLE, f"position fen {MATE_IN_8}", GO, GO)

    assert first == again


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


def test_a_short_search_is_not_kept() -> None:
    go = f"go nodes {KEPT_FROM // 10}"

    first, again = answers(SMALL_TABLE, KEEP, f"position fen {MATE_IN_8}", go, go)

    assert first == again


@pytest.mark.parametrize(
    ("hash_mib", "kept_mb"), [(1, 1), (64, 4), (128, 8), (MAX_HASH_MIB, 8)]
)
def test_kept_bounds_leave_room_for_a_search(hash_mib: int, kept_mb: int) -> None:
    assert most_kept_mb(hash_mib) == kept_mb


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> Solver:
    """A solver that keeps every search of `analyse`, however short."""
    monkeypatch.setattr(analysis, "KEPT_FROM", 0)
    return Solver(hash_mib=4)


@pytest.mark.parametrize("count", [1, 4])
def test_the_answers_are_those_of_a_naive_search(count: int, keeping: Solver) -> None:
    def scores(lines: tuple[Line, ...]) -> list[int | None]:
        return [line.mate for line in lines]

    for _ in range(2):
        for fen in TWO_ROOKS, QUEEN, SAVE_ONE:
            found = analyse(keeping, fen, "depth 3", count, kept_mb=1)
            assert scores(found) == rated(fen, 2)[:count]
        found = analyse(keeping, BARE_KING, "", count, kept_mb=1)
        assert scores(found) == rated(BARE_KING, 4)[:count]


@pytest.mark.parametrize("count", [1, 3])
def test_the_answers_are_those_of_a_new_solver(count: int, keeping: Solver) -> None:
    """For each position of a game, then in the opposite order, twice."""
    (best,) = analyse(keeping, MATE_IN_8, "nodes 4000000")
    board = chess.Board(MATE_IN_8)
    fens = []
    for attack, reply in zip(best.pv[::2], best.pv[1::2], strict=False):
        fens.append(board.fen())
        board.push_uci(attack)
        board.push_uci(reply)
    for fen in fens + 2 * fens[::-1]:
        found = analyse(keeping, fen, "depth 9", count, kept_mb=1)
        expected = analyse(Solver(hash_mib=4), fen, "depth 9", count)
        assert [(line.mate, line.lower_bound) for line in found] == [
            (line.mate, line.lower_bound) for line in expected
        ]
