"""Audit jobs with the real solver: slow problems, interruptions, options, results."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions, TimeSlice
from solver.checker import check, load
from solver.problem import Claim, Limits, Problem
from solver.search.threads import Control
from tests.oracles import naive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes")

BACK_RANK = Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "quick", Claim(1))
LONG = Problem(
    "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1", "long", Claim(12)
)
TWO_ROOKS = "7k/8/R7/1R6/8/8/8/K7 w - - 0 1"
LINE = ("b5b7", "h8g8", "a6a8")
SOON = TimeSlice(problem_s=0.5, batch_s=60.0)
LATER = TimeSlice(problem_s=1000.0, batch_s=1000.0)

SMALL = Limits(hash_mib=1)
PLIES = AuditOptions(SMALL, every_ply=True)


def run_one(job: AuditJob, problem: Problem) -> AuditResult:
    result = job.run_batch([problem])[0]
    assert result is not None
    return result


def run(problem: Problem, options: AuditOptions) -> AuditResult:
    return run_one(AuditJob(options), problem)


# --- records that claim the same are compared once

FENS = (
    *(BACK_RANK.fen, TWO_ROOKS, "6k1/5ppp/8/8/8/8/8/R5K1 b - - 3 9"),
    *("7K/5k2/8/8/8/8/8/6q1 b - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
    "3k4/8/3K4/8/8/8/8/7R w - -",
)
CLAIMS = (
    *(None, Claim(1), Claim(2), Claim(2, by_line=True), Claim(3, LINE[:1], LINE)),
    *(Claim(1, ("a1a8",), ("a1a8",), any_last_move=True), Claim(-1), Claim(-2)),
)


@pytest.mark.parametrize("all_keys", [False, True])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("nodes", [None, 30])
def test_the_results_of_a_batch_are_those_of_its_problems_alone(
    all_keys: bool, within: bool, nodes: int | None
) -> None:
    problems = [
        Problem(fen, f"{place} {fen}", claim, f"x:{place + 1}", no_mate, stipulation)
        for place, claim in enumerate(CLAIMS)
        for no_mate, stipulation in product((None, 2), (None, "#2"))
        if stipulation is None or claim is None or claim.mate == 2
        for fen in FENS
    ]
    limits = Limits(hash_mib=1, max_moves=3, nodes=nodes)
    options = AuditOptions(limits, within=within, all_keys=all_keys)
    together = AuditJob(options).run_batch(problems, LATER)
    alone = [run(problem, options) for problem in problems]
    assert [one and one._replace(time_s=0.0) for one in together] == [
        one._replace(time_s=0.0) for one in alone
    ]
    verdicts = {one.verdict for one in alone}
    assert verdicts >= {None, "proved", "refuted"}
    assert nodes is None or "undecided" in verdicts


# --- slow problems


LINED = replace(LONG, claim=Claim(12, line=("f7f8q", "c8b7", "d7e5")))


@pytest.mark.parametrize(
    ("batch", "searches"), [([LONG], 0), ([LONG, LONG], 0), ([LINED], 1)]
)
def test_an_interrupted_search_has_no_result(
    batch: list[Problem], searches: int
) -> None:
    """Nor has a line whose second move is interrupted."""
    begun: list[Control] = []

    @contextmanager
    def stopped_later() -> Iterator[Control]:
        control = Control()
        if len(begun) >= searches:
            control.stop()
        begun.append(control)
        yield control

    options = AuditOptions(replace(SMALL, nodes=10_000), every_ply=True)
    job = AuditJob(options, searching=stopped_later)
    assert job.run_batch(batch, SOON) == [None] * len(batch)
    assert len(begun) > searches


# --- options


@pytest.mark.parametrize(
    ("fen", "claimed", "options", "verdict", "mate"),
    [
        (BACK_RANK.fen, 1, AuditOptions(SMALL), "proved", 1),
        (BACK_RANK.fen, 3, AuditOptions(SMALL), "shorter", 1),
        (BACK_RANK.fen, 3, AuditOptions(SMALL, within=True), "holds", 1),
        # No further than the claim, unless requested.
        (TWO_ROOKS, 1, AuditOptions(SMALL), "refuted", None),
        (TWO_ROOKS, 1, AuditOptions(replace(SMALL, max_moves=4)), "refuted", 2),
    ],
)
def test_within_the_length_and_the_keys_follow_the_options(
    fen: str, claimed: int, options: AuditOptions, verdict: str, mate: int | None
) -> None:
    problem = Problem(fen, claim=Claim(claimed))
    found = run(problem, options)
    assert (found.verdict, found.mate, found.lower_bound) == (verdict, mate, mate or 2)
    assert found.keys_complete == 0
    found = run(problem, replace(options, all_keys=True))
    expected = naive.keys(chess.Board(fen), mate) if mate else set()
    if not options.within:
        assert set(found.keys.split()) == expected
        assert bool(found.keys_complete) == bool(mate)


# --- every attacker move of the line


@pytest.mark.parametrize(
    ("fen", "line", "only"),
    [
        (TWO_ROOKS, LINE, 0),
        (TWO_ROOKS, ("b5b7", "h8g8", "a6a7"), 0),  # does not mate
        (TWO_ROOKS, ("a6a2", "h8g8", "b5b8"), 0),  # begins too slowly
        (BACK_RANK.fen, ("a1a8",), 1),
    ],
)
def test_each_attacker_move_of_the_line_is_searched(
    fen: str, line: tuple[str, ...], only: int
) -> None:
    mate = 1 if only else 2
    found = run(Problem(fen, claim=Claim(mate, line=line)), PLIES)
    board, expected = chess.Board(fen), []
    for number, move in enumerate(line):
        if number % 2 == 0:
            shortest = naive.shortest_mate(board, mate - number // 2)
            keys = naive.keys(board, shortest) if shortest else set()
            is_only = keys == {move} if keys else None
            expected.append((move, shortest, keys, is_only))
        board.push_uci(move)
    plies = json.loads(found.plies)
    assert expected == [
        (ply["move"], ply["mate"], {*ply["keys"]}, ply["only"]) for ply in plies
    ]
    assert found.only_moves == only


@pytest.mark.parametrize("claim", [None, Claim(-1, line=("g8f8",))])
def test_only_a_line_of_a_mate_by_the_side_to_move_is_searched(
    claim: Claim | None,
) -> None:
    found = run(replace(BACK_RANK, claim=claim), PLIES)
    assert (found.plies, found.only_moves) == ("", None)


# --- several endings with the same pieces

ENDINGS = (
    *(("8/8/8/8/1R6/3K4/8/7k w - - 0 1", 5), ("7k/8/8/8/7K/8/3R4/8 w - - 0 1", 4)),
    *(("8/4K3/6k1/8/8/1R6/8/8 w - - 0 1", 6), ("7k/8/8/8/7K/8/4R3/8 w - - 0 1", 5)),
    *(("8/8/8/8/4k3/8/Q7/K7 w - - 0 1", 7), ("8/8/8/8/5k2/8/Q7/K7 w - - 0 1", 7)),
    *(("8/8/8/4k3/8/8/3Q4/K7 b - - 0 1", -8), ("8/8/8/5k2/8/8/3Q4/K7 b - - 0 1", -9)),
)
"""Endings with rook or queen, with right and wrong claims."""


@pytest.mark.parametrize("nodes", [None, 200_000])
def test_the_order_of_small_endings_changes_only_their_costs_and_lines(
    nodes: int | None,
) -> None:
    """With a limit of nodes it changes nothing."""
    options = AuditOptions(Limits(hash_mib=1, nodes=nodes), all_keys=True)
    found = []
    for endings in (ENDINGS, ENDINGS[::-1]):
        job = AuditJob(options)
        solved = {f: run_one(job, Problem(f, claim=Claim(n))) for f, n in endings}
        found.append({fen: one._replace(time_s=0.0) for fen, one in solved.items()})
    results, others = found
    other_verdict = "undecided" if nodes else "refuted"
    assert {result.verdict for result in results.values()} >= {"proved", other_verdict}
    assert (results == others) is bool(nodes)
    for fen, result in results.items():
        other = others[fen]
        assert len(result.pv) == len(other.pv)
        assert other == result._replace(pv=other.pv, nodes=other.nodes)


# --- followed lines

ROOK_LINE = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
ROOK = Problem(
    "8/7K/8/8/8/8/R7/7k w - - 0 1", "rook", Claim(8, line=tuple(ROOK_LINE.split()))
)


def test_a_mate_that_the_search_does_not_find_is_proved_along_its_line() -> None:
    limits = Limits(nodes=5000, hash_mib=1)
    alone = run(ROOK, AuditOptions(limits))
    assert (alone.verdict, alone.mate, alone.plies) == ("undecided", None, "")
    led = run(ROOK, AuditOptions(limits, follow=True, certify=True))
    assert (led.verdict, led.mate, led.notices) == ("holds", 8, ())
    assert [ply.move for ply in led.claimed_plies()] == ROOK_LINE.split()[::2]
    assert [ply.holds for ply in led.claimed_plies()] == [True] * 8
    assert led.nodes > alone.nodes
    assert check(load(io.BytesIO(led.certificate or b""))).mate == 8
    assert AuditOptions(limits, follow=True).describe() == "follow"


def test_what_is_known_already_has_no_certificate_unless_requested() -> None:
    options = AuditOptions(SMALL, certify=True, certify_known=False)
    known = replace(BACK_RANK, claim=Claim(1, line=("a1a8",)))
    assert run(known, options).certificate is None
    for claim in (Claim(1), Claim(1, line=("a1b1",)), Claim(2, line=("a1a8",))):
        assert run(replace(known, claim=claim), options).certificate is not None
    assert run(known, replace(options, certify_known=True)).certificate is not None


def test_a_line_that_takes_too_long_in_a_batch_is_returned_unfinished() -> None:
    slow = replace(LONG, claim=Claim(12, line=("d7e5",)))
    job = AuditJob(AuditOptions(Limits(hash_mib=1, time_s=1000.0), follow=True))
    unfinished, quick = job.run_batch([slow, BACK_RANK], TimeSlice(0.1, 60.0))
    assert (unfinished, quick and quick.verdict) == (None, "proved")
