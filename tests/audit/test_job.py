"""Audit jobs with the real solver: slow problems, interruptions, options, results."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions, TimeSlice
from solver.audit.results import AuditResult
from solver.checker import check, load
from solver.errors import TablebaseError
from solver.problem import Claim, Limits, Problem
from solver.search.threads import Control
from solver.solution import StoppedBy
from tests.oracles import naive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from solver.search.queries import Question
    from solver.solution import Solution

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


def run(problem: Problem, options: AuditOptions) -> AuditResult:
    result = AuditJob(options).run_batch([problem])[0]
    assert result is not None
    return result


# --- records that claim the same are compared once

FENS = (
    *(BACK_RANK.fen, TWO_ROOKS, "6k1/5ppp/8/8/8/8/8/R5K1 b - - 3 9"),
    *("7K/5k2/8/8/8/8/8/6q1 b - - 0 1", "7K/5k2/8/8/8/8/8/6q1 w - - 0 1"),
    *("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "k7/8/1K6/8/8/8/8/7R w - - 0 1"),
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
        for no_mate in (None, 2)
        for stipulation in (None, "#2")
        if stipulation is None or claim is None or claim.mate == 2
        for fen in FENS
    ]
    limits = Limits(hash_mib=1, max_moves=3, nodes=nodes)
    options = AuditOptions(limits, within=within, all_keys=all_keys)
    together = AuditJob(options).run_batch(problems, LATER)
    alone = [run(problem, options) for problem in problems]
    for one, other in zip(together, alone, strict=True):
        assert one
        assert one._replace(time_s=0.0) == other._replace(time_s=0.0)
    verdicts = {one.verdict for one in alone}
    assert verdicts >= {None, "proved", "refuted"}
    assert nodes is None or "undecided" in verdicts


# --- slow problems


def test_a_slow_problem_of_a_batch_is_returned_unfinished() -> None:
    job = AuditJob(AuditOptions(SMALL))
    batch = [BACK_RANK, LONG, BACK_RANK]
    result = job.run_batch(batch, SOON)
    assert [x and x.verdict for x in result] == ["proved", None, "proved"]


def test_the_rest_of_a_slow_batch_is_returned_unfinished() -> None:
    job = AuditJob(AuditOptions(SMALL))
    job.run_batch([BACK_RANK])
    batch = [BACK_RANK, LONG, BACK_RANK, BACK_RANK]
    result = job.run_batch(batch, TimeSlice(problem_s=0.5, batch_s=0.3))
    assert [x and x.verdict for x in result] == ["proved", None, None, None]


def test_a_problem_that_is_alone_may_use_its_own_limit() -> None:
    job = AuditJob(AuditOptions(replace(SMALL, nodes=100_000)))
    (result,) = job.run_batch([LONG], TimeSlice(1e-9, 1e-9))
    assert result is not None
    assert (result.word, result.stopped_by) == ("undecided", "nodes")


def test_a_shorter_time_limit_of_its_own_gives_a_result() -> None:
    job = AuditJob(AuditOptions(replace(SMALL, time_s=0.01)))
    result = job.run_batch([LONG, LONG], LATER)
    assert [x and x.stopped_by for x in result] == ["time", "time"]


def test_a_node_limit_that_is_hit_first_gives_a_result() -> None:
    job = AuditJob(AuditOptions(replace(SMALL, nodes=500)))
    result = job.run_batch([LONG, LONG], LATER)
    assert [x and x.stopped_by for x in result] == ["nodes", "nodes"]


def test_an_interrupted_search_has_no_result() -> None:
    @contextmanager
    def stopped() -> Iterator[Control]:
        control = Control()
        control.stop()
        yield control

    job = AuditJob(AuditOptions(SMALL), searching=stopped)
    assert job.run_batch([LONG])[0] is None
    assert job.run_batch([LONG, LONG], SOON) == [None, None]


def test_a_line_whose_second_move_is_interrupted_has_no_result() -> None:
    begun: list[Control] = []

    @contextmanager
    def stopped_later() -> Iterator[Control]:
        control = Control()
        if begun:
            control.stop()
        begun.append(control)
        yield control

    problem = Problem(LONG.fen, "", Claim(12, line=("f7f8q", "c8b7", "d7e5")))
    options = AuditOptions(replace(SMALL, nodes=10_000), every_ply=True)
    assert AuditJob(options, searching=stopped_later).run_batch([problem])[0] is None
    assert len(begun) == 2


# --- options


@pytest.mark.parametrize(
    ("claimed", "options", "verdict", "mate"),
    [
        (1, AuditOptions(SMALL), "proved", 1),
        (3, AuditOptions(SMALL), "shorter", 1),
        (3, AuditOptions(SMALL, within=True), "holds", 1),
        (1, AuditOptions(replace(SMALL, max_moves=5)), "proved", 1),
    ],
)
def test_within_and_the_length_follow_the_options(
    claimed: int, options: AuditOptions, verdict: str, mate: int
) -> None:
    found = run(replace(BACK_RANK, claim=Claim(claimed)), options)
    assert (found.verdict, found.mate) == (verdict, mate)


def test_a_search_goes_no_further_than_the_claim_unless_requested() -> None:
    problem = Problem(TWO_ROOKS, claim=Claim(1))
    found = run(problem, AuditOptions(SMALL))
    assert (found.verdict, found.mate, found.lower_bound) == ("refuted", None, 2)
    found = run(problem, AuditOptions(replace(SMALL, max_moves=4)))
    assert (found.verdict, found.mate, found.lower_bound) == ("refuted", 2, 2)


def test_a_claim_of_no_mate_is_compared_with_the_bounds() -> None:
    proved, refuted = (
        run(Problem(TWO_ROOKS, no_mate=n), AuditOptions(SMALL)) for n in (1, 2)
    )
    assert (proved.verdict, proved.nomate, proved.claim) == ("proved", 1, None)
    assert (refuted.verdict, refuted.mate) == ("refuted", 2)


def test_all_keys_are_found_only_if_requested() -> None:
    expected = naive.keys(chess.Board(TWO_ROOKS), 2)
    assert len(expected) > 1
    problem = Problem(TWO_ROOKS, claim=Claim(2, LINE[:1]))
    found = run(problem, AuditOptions(SMALL, all_keys=True))
    assert (set(found.keys.split()), found.keys_complete) == (expected, 1)
    assert found.soundness == "cooked"
    found = run(problem, AuditOptions(SMALL))
    assert (found.keys_complete, found.soundness) == (0, None)


# --- every attacker move of the line


def naive_plies(fen: str, line: tuple[str, ...], mate: int) -> list[dict[str, object]]:
    board = chess.Board(fen)
    plies: list[dict[str, object]] = []
    for number, move in enumerate(line):
        if number % 2 == 0:
            left = mate - number // 2
            shortest = naive.shortest_mate(board, left)
            keys = naive.keys(board, shortest) if shortest else set()
            plies.append(
                {
                    "move": move,
                    "mate": shortest,
                    "keys": sorted(keys),
                    "only": keys == {move} if keys else None,
                }
            )
        board.push_uci(move)
    return plies


@pytest.mark.parametrize(
    ("line", "only"),
    [
        (LINE, 0),
        (LINE[:1], 0),
        (("b5b7", "h8g8", "a6a7"), 0),  # does not mate
        (("a6a2", "h8g8", "b5b8"), 0),  # begins too slowly
    ],
)
def test_each_attacker_move_of_the_line_is_searched(
    line: tuple[str, ...], only: int
) -> None:
    problem = Problem(TWO_ROOKS, claim=Claim(2, line=line))
    found = run(problem, AuditOptions(SMALL, every_ply=True))
    plies = json.loads(found.plies)
    for ply in plies:
        ply["keys"].sort()
    assert plies == naive_plies(TWO_ROOKS, line, 2)
    assert found.only_moves == only


def test_a_line_of_only_moves_is_marked() -> None:
    problem = replace(BACK_RANK, claim=Claim(1, line=("a1a8",)))
    found = run(problem, AuditOptions(SMALL, every_ply=True))
    assert json.loads(found.plies) == [
        {"move": "a1a8", "mate": 1, "keys": ["a1a8"], "only": True}
    ]
    assert (found.only_moves, found.soundness) == (1, "sound")


def test_after_a_limit_it_is_unknown_whether_moves_are_the_only_ones() -> None:
    problem = replace(LONG, claim=Claim(12, line=("f7f8q",)))
    found = run(problem, AuditOptions(replace(SMALL, nodes=1000), every_ply=True))
    assert (found.only_moves, found.soundness) == (None, None)
    assert json.loads(found.plies) == [
        {"move": "f7f8q", "mate": None, "keys": [], "only": None}
    ]


def test_a_limit_hit_later_in_the_line_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job = AuditJob(AuditOptions(SMALL, every_ply=True))
    answer = job._solver.answer

    def answer_the_first(question: Question, control: Control) -> Solution:
        solution = answer(question, control)
        if question.problem.id == "two rooks":
            return solution
        return replace(solution, keys_complete=False, stopped_by=StoppedBy.NODES)

    monkeypatch.setattr(job._solver, "answer", answer_the_first)
    problem = Problem(TWO_ROOKS, "two rooks", Claim(2, line=LINE))
    result = job.run_batch([problem])[0]
    assert result is not None
    assert (result.verdict, result.stopped_by) == ("proved", "nodes")


@pytest.mark.parametrize("claim", [None, Claim(-1, line=("g8f8",))])
def test_only_a_line_of_a_mate_by_the_side_to_move_is_searched(
    claim: Claim | None,
) -> None:
    found = run(replace(BACK_RANK, claim=claim), AuditOptions(SMALL, every_ply=True))
    assert (found.plies, found.only_moves) == ("", None)


# --- several endings with the same pieces

ENDINGS = (
    *(("8/8/8/8/1R6/3K4/8/7k w - - 0 1", 5), ("7k/8/8/8/7K/8/3R4/8 w - - 0 1", 4)),
    *(("8/4K3/6k1/8/8/1R6/8/8 w - - 0 1", 6), ("7k/8/8/8/7K/8/4R3/8 w - - 0 1", 5)),
    *(("8/8/8/8/4k3/8/Q7/K7 w - - 0 1", 7), ("8/8/8/8/5k2/8/Q7/K7 w - - 0 1", 7)),
    *(("8/8/8/4k3/8/8/3Q4/K7 b - - 0 1", -8), ("8/8/8/5k2/8/8/3Q4/K7 b - - 0 1", -9)),
)
"""Endings with rook or queen, with right and wrong claims."""


def run_in_turn(options: AuditOptions, order: int) -> dict[str, AuditResult]:
    """Audit the endings, the last first if `order` is -1."""
    job = AuditJob(options)
    results = {}
    for fen, moves in ENDINGS[::order]:
        result = job.run_batch([Problem(fen, claim=Claim(moves))])[0]
        assert result is not None
        results[fen] = result._replace(time_s=0.0)
    return results


@pytest.mark.parametrize("all_keys", [True, False])
def test_the_order_of_small_endings_changes_only_their_costs_and_lines(
    all_keys: bool,
) -> None:
    options = AuditOptions(SMALL, all_keys=all_keys)
    first, again = (run_in_turn(options, order) for order in (1, -1))
    assert {result.verdict for result in first.values()} >= {"proved", "refuted"}
    assert any(first[fen].nodes != again[fen].nodes for fen in first)
    for fen, result in first.items():
        other = again[fen]
        assert len(result.pv) == len(other.pv)
        keys = other.pv[:4] if result.keys and not all_keys else result.keys
        assert other == result._replace(pv=other.pv, nodes=other.nodes, keys=keys)


def test_with_a_node_limit_the_order_of_small_endings_changes_nothing() -> None:
    options = AuditOptions(replace(SMALL, nodes=200_000), all_keys=True)
    first, again = (run_in_turn(options, order) for order in (1, -1))
    assert {result.verdict for result in first.values()} >= {"proved", "undecided"}
    assert first == again


# --- certificates and tables


def test_a_certificate_proves_the_answer() -> None:
    result = AuditJob(AuditOptions(SMALL, certify=True)).run_batch([BACK_RANK])[0]
    assert isinstance(result, AuditResult)
    assert result.certificate is not None
    checked = check(load(io.BytesIO(result.certificate)))
    assert (checked.mate, checked.lower_bound) == (1, 1)
    assert result.notices == ()


def test_no_certificate_is_built_unless_requested() -> None:
    result = AuditJob(AuditOptions(SMALL)).run_batch([BACK_RANK])[0]
    assert result is not None
    assert result.certificate is None


def test_a_directory_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TablebaseError):
        AuditJob(AuditOptions(SMALL, directories=(str(tmp_path),)))


# --- followed lines

ROOK_LINE = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
ROOK = Problem(
    "8/7K/8/8/8/8/R7/7k w - - 0 1", "rook", Claim(8, line=tuple(ROOK_LINE.split()))
)


def test_a_mate_that_the_search_does_not_find_is_proved_along_its_line() -> None:
    limits = Limits(nodes=5000, hash_mib=1)
    alone = run(ROOK, AuditOptions(limits))
    assert (alone.verdict, alone.mate, alone.plies) == ("undecided", None, "")
    led = run(ROOK, AuditOptions(limits, follow=True))
    assert (led.verdict, led.mate) == ("holds", 8)
    assert [ply.move for ply in led.claimed_plies()] == ROOK_LINE.split()[::2]
    assert [ply.holds for ply in led.claimed_plies()] == [True] * 8
    assert led.nodes > alone.nodes
    assert AuditOptions(limits, follow=True).describe() == "follow"


def test_a_certificate_proves_what_the_line_has_led_to() -> None:
    options = AuditOptions(Limits(nodes=5000, hash_mib=1), follow=True, certify=True)
    result = run(ROOK, options)
    assert result.certificate is not None
    verdict = check(load(io.BytesIO(result.certificate)))
    assert verdict.mate == 8


def test_a_mate_within_the_claim_needs_no_more_once_the_line_has_led_to_it() -> None:
    limits = Limits(nodes=1000, hash_mib=1)
    result = run(ROOK, AuditOptions(limits, within=True, follow=True))
    assert (result.verdict, result.mate, result.stopped_by) == ("holds", 8, None)


def test_within_the_claim_a_wrong_line_leaves_the_mate_to_the_search() -> None:
    wrong = replace(ROOK, claim=Claim(8, line=("h7g7", "h1g1")))
    result = run(wrong, AuditOptions(SMALL, within=True, follow=True))
    alone = run(wrong, AuditOptions(SMALL, within=True))
    assert (result.verdict, result.mate, result.pv) == ("holds", 8, alone.pv)
    assert [ply.holds for ply in result.claimed_plies()] == [False]
    assert result.nodes > alone.nodes
    assert result.stopped_by is None


def test_what_is_known_already_has_no_certificate_unless_requested() -> None:
    options = AuditOptions(SMALL, certify=True, certify_known=False)
    known = replace(BACK_RANK, claim=Claim(1, line=("a1a8",)))
    assert run(known, options).certificate is None
    for claim in (Claim(1), Claim(1, line=("a1b1",)), Claim(2, line=("a1a8",))):
        assert run(replace(known, claim=claim), options).certificate is not None
    options = replace(options, certify_known=True)
    assert run(known, options).certificate is not None


def test_a_line_that_takes_too_long_in_a_batch_is_returned_unfinished() -> None:
    line = ("d7e5",)
    slow = replace(LONG, claim=Claim(12, line=line))
    options = AuditOptions(Limits(hash_mib=1, time_s=1000.0), follow=True)
    unfinished, quick = AuditJob(options).run_batch(
        [slow, BACK_RANK], TimeSlice(problem_s=0.1, batch_s=60.0)
    )
    assert unfinished is None
    assert quick is not None
