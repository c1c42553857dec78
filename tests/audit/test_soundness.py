"""Soundness: every kind, from hand-made answers and from solved positions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions
from solver.audit.results import Ply, audit_result, mark_only_moves, only_moves
from solver.problem import Claim, Limits, Problem
from solver.solution import Solution, Status
from tests.oracles import naive
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("kernel")

TWO_ROOKS = "7k/8/R7/1R6/8/8/8/K7 w - - 0 1"
LINE = ("b5b7", "h8g8", "a6a8")
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
FREE = Claim(1, ("a1a8",), any_last_move=True)


def soundness(
    claim: Claim | None,
    mate: int | None,
    lower_bound: int,
    keys: tuple[str, ...] = (),
    *plies: Ply,
    keys_complete: bool = True,
    within: bool = False,
) -> str | None:
    """Return the soundness of a hand-made answer."""
    answer = Solution(
        Problem(TWO_ROOKS, claim=claim),
        Status.PROVED,
        mate,
        lower_bound,
        keys=keys,
        keys_complete=keys_complete,
    )
    return audit_result(answer, within=within, plies=plies).soundness


KEY, COOK = LINE[0], "a6a7"
FAILURE = *LINE[:2], "a6a7"
SLOW = Ply("b5b6", 1, ("a6a8",))
FAST = Ply(KEY, 2, (KEY, COOK))


@pytest.mark.parametrize(
    ("claim", "keys", "expected"),
    [
        # nothing named
        (Claim(2), (KEY,), "sound"),
        (Claim(2), (KEY, COOK), "cooked"),
        # keys named
        (Claim(2, (KEY,)), (KEY,), "sound"),
        (Claim(2, (KEY,)), (KEY, COOK), "cooked"),
        (Claim(2, (KEY, COOK)), (KEY, COOK), "sound"),
        (Claim(2, (COOK, KEY)), (KEY, COOK), "sound"),
        (Claim(2, (KEY, COOK)), (KEY, COOK, "a6a5"), "cooked"),
        (Claim(2, (KEY, COOK)), (KEY,), "missing-solution"),
        (Claim(2, (COOK,)), (KEY,), "missing-solution"),
        (Claim(2, (COOK,)), (), "missing-solution"),
        # a line named
        (Claim(2, line=LINE), (KEY,), "sound"),
        (Claim(2, line=LINE), (KEY, COOK), "cooked"),
        (Claim(2, line=LINE), (COOK,), "missing-solution"),
        (Claim(2, line=LINE[:2]), (KEY,), "sound"),
        (Claim(2, line=(*LINE[:2], "a6a7")), (KEY,), "not-shortest-line"),
        (Claim(2, line=(*LINE[:2], "a6a7")), (KEY, COOK), "not-shortest-line"),
        (Claim(2, line=(*LINE, "g8h8", "a8b8")), (KEY,), "not-shortest-line"),
        # both: the keys count, and the line is compared too
        (Claim(2, (KEY,), LINE), (KEY,), "sound"),
        (Claim(2, (COOK,), LINE), (KEY,), "missing-solution"),
        (Claim(2, (KEY,), (*LINE, "g8h8")), (KEY,), "not-shortest-line"),
        # variations, and what of them was not read
        (Claim(2, (KEY,), variations=(LINE,)), (KEY,), "sound"),
        (Claim(2, line=LINE, variations=(LINE[:2],)), (KEY,), "sound"),
        (Claim(2, line=LINE, variations=(FAILURE,)), (KEY,), "not-shortest-line"),
        (Claim(2, (KEY,), partly_read=True), (KEY,), "partly-read"),
        (Claim(2, (KEY,), partly_read=True), (KEY, COOK), "cooked"),
    ],
)
def test_keys_and_line_are_compared_with_a_mate_of_the_claimed_length(
    claim: Claim, keys: tuple[str, ...], expected: str
) -> None:
    assert soundness(claim, 2, 2, keys) == expected
    assert soundness(claim, 2, 2, keys, keys_complete=False) is None


@pytest.mark.parametrize(
    ("mate", "lower_bound", "expected"),
    [
        (1, 1, "short-solution"),
        (None, 3, "no-solution"),
        (4, 3, "no-solution"),
        (-1, 1, "no-solution"),
        (2, 1, None),
        (None, 2, None),
        (4, 2, None),
    ],
)
@pytest.mark.parametrize("keys_complete", [False, True])
def test_without_such_a_mate_only_the_bounds_count(
    mate: int | None, lower_bound: int, expected: str | None, keys_complete: bool
) -> None:
    claim = Claim(2, (KEY,))
    found = soundness(claim, mate, lower_bound, (KEY,), keys_complete=keys_complete)
    assert found == expected


def test_with_within_a_shorter_mate_is_no_fault() -> None:
    assert soundness(Claim(2, (KEY,)), 1, 1, (KEY,), within=True) is None


@pytest.mark.parametrize("claim", [None, Claim(-2), Claim(-2, (KEY,), LINE)])
def test_only_a_claimed_mate_by_the_side_to_move_is_sound_or_not(
    claim: Claim | None,
) -> None:
    assert soundness(claim, -2, 2, (KEY,)) is None


def test_a_slow_move_in_the_line_is_reported() -> None:
    claim = Claim(2, line=LINE[:2])
    assert soundness(claim, 2, 2, (KEY,), Ply(KEY, 2, (KEY,)), SLOW) == (
        "not-shortest-line"
    )
    assert soundness(claim, 2, 2, (KEY,), Ply(KEY, 2, (KEY,))) == "sound"
    assert soundness(claim, 2, 2, (KEY,), Ply(KEY, 2, ())) == "sound"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("a1a8",), "sound"),
        (("a1a8", "a1a7"), "sound"),
        (("a1a7",), "missing-solution"),
    ],
)
def test_there_is_no_cook_if_the_source_accepts_every_mate_in_one(
    keys: tuple[str, ...], expected: str
) -> None:
    assert soundness(FREE, 1, 1, keys) == expected
    longer = replace(FREE, mate=2)
    cooked = "cooked" if expected == "sound" and len(keys) > 1 else expected
    assert soundness(longer, 2, 2, keys) == cooked


# --- moves that are the only ones


ONLY, BOTH, WRONG, OPEN = (
    Ply("a1a8", 2, ("a1a8",)),
    Ply("a1a8", 2, ("a1a8", "a1a7")),
    Ply("a1a8", 2, ("a1a7",)),
    Ply("a1a8", None, ()),
)


@pytest.mark.parametrize(
    ("plies", "expected"),
    [
        ((), None),
        ((ONLY,), True),
        ((ONLY, ONLY), True),
        ((BOTH,), False),
        ((WRONG,), False),
        ((ONLY, BOTH), False),
        ((OPEN,), None),
        ((ONLY, OPEN), None),
        ((OPEN, BOTH), False),
        ((BOTH, OPEN), False),
    ],
)
def test_a_line_has_only_moves_if_each_move_is_one(
    plies: tuple[Ply, ...], expected: bool | None
) -> None:
    assert only_moves(mark_only_moves(Claim(2), plies)) is expected


def test_several_last_moves_may_mate_if_the_source_accepts_all() -> None:
    last = Ply("a1a8", 1, ("a1a8", "a1a7"))
    assert (
        only_moves(mark_only_moves(Claim(2, any_last_move=True), (ONLY, last))) is True
    )
    assert only_moves(mark_only_moves(Claim(2), (ONLY, last))) is False
    assert (
        only_moves(mark_only_moves(Claim(2, any_last_move=True), (BOTH, last))) is False
    )


# --- positions that are solved, against the slow oracle


POSITIONS = (
    *("5k2/8/8/5P2/6Q1/2R5/7K/8 w - - 0 1", "4K3/2k5/8/7P/8/1R6/4Q3/8 w - - 0 1"),
    *("8/8/8/8/Pk6/8/2R1Q3/4K3 w - - 0 1", "8/8/8/5K2/3P4/8/4k3/Q4R2 w - - 0 1"),
    *("8/7k/8/8/K7/6Q1/2R3P1/8 w - - 0 1", "1k6/7P/2K5/3R4/8/3Q4/8/8 w - - 0 1"),
    *("k7/4Q3/8/8/K7/6P1/8/5R2 w - - 0 1", "3Q3K/8/8/8/8/7P/2R5/5k2 w - - 0 1"),
    *("8/2Q3P1/k7/8/8/8/1R6/6K1 w - - 0 1", "3K4/8/3P4/3Q4/8/8/3R4/k7 w - - 0 1"),
    *("5k2/Q7/4P3/8/1R6/6K1/8/8 w - - 0 1", "8/8/4P2K/3Q4/7k/R7/8/8 w - - 0 1"),
)
"""White mates in 1 or 2, with one key or with several; taken at random."""


@cache
def solved() -> list[tuple[str, int, set[str]]]:
    """Return positions, the lengths of their mates, and all keys, by the oracle."""
    found = []
    for fen in POSITIONS:
        board = chess.Board(fen)
        mate = naive.shortest_mate(board, 2)
        assert mate
        found.append((fen, mate, naive.keys(board, mate)))
    assert {(mate, len(keys) == 1) for _, mate, keys in found} == set(
        product((1, 2), (True, False))
    )
    return found


@cache
def job() -> AuditJob:
    return AuditJob(AuditOptions(Limits(hash_mib=1), all_keys=True))


def solve(fen: str, claim: Claim) -> tuple[str | None, set[str]]:
    result = job().run_batch([Problem(fen, claim=claim)])[0]
    assert result is not None
    return result.soundness, set(result.keys.split())


@sized("every", 5, 1)
def test_the_soundness_of_claimed_first_moves_agrees_with_the_oracle(
    every: int,
) -> None:
    for fen, mate, keys in solved():
        for move in list(chess.Board(fen).legal_moves)[::every]:
            expected = "sound" if len(keys) == 1 else "cooked"
            if move.uci() not in keys:
                expected = "missing-solution"
            assert solve(fen, Claim(mate, (move.uci(),))) == (expected, keys)


def test_claims_without_a_key_or_with_all_of_them() -> None:
    for fen, mate, keys in solved():
        expected = "sound" if len(keys) == 1 else "cooked"
        assert solve(fen, Claim(mate)) == (expected, keys)
        assert solve(fen, Claim(mate, tuple(keys))) == ("sound", keys)


def test_claims_of_another_length() -> None:
    for fen, mate, keys in solved():
        for claimed in (1, 2, 3):
            found, _ = solve(fen, Claim(claimed, tuple(keys)))
            if claimed > mate:
                assert found == "short-solution"
            elif claimed < mate:
                assert found == "no-solution"


def test_lines_that_do_not_end_in_mate() -> None:
    expected = {
        ("b5b7", "h8g8", "a6a8"): "cooked",
        ("b5b7", "h8g8", "a6a7"): "not-shortest-line",
        ("b5b7", "h8g8", "a6a7", "g8h8", "b7b8"): "not-shortest-line",
        ("b5b1", "h8g8", "a6a7"): "missing-solution",
    }
    for line, word in expected.items():
        assert solve(TWO_ROOKS, Claim(2, line=line))[0] == word


@pytest.mark.parametrize(("every_ply", "nodes"), [*product([False, True], [1, 2, 3])])
def test_soundness_is_unknown_after_a_limit(every_ply: bool, nodes: int) -> None:
    limits = Limits(hash_mib=1, nodes=nodes)
    options = AuditOptions(limits, all_keys=True, every_ply=every_ply)
    claim = Claim(2, line=LINE)
    result = AuditJob(options).run_batch([Problem(TWO_ROOKS, claim=claim)])[0]
    assert result is not None
    assert result.soundness is None


def test_a_result_has_its_soundness() -> None:
    answer = Solution(Problem(BACK_RANK, claim=Claim(2)), Status.PROVED, 1, 1)
    assert audit_result(answer).soundness == "short-solution"
