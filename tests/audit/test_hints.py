"""Hints: conventions with which a claim holds, and mates longer than claimed."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions
from solver.audit.store import ResumeStore, Store
from solver.audit.workers import audit, local_workers
from solver.output.audit_records import audit_record, read_record
from solver.output.audit_text import disagreement
from solver.problem import Claim, Limits, Problem, Stipulation
from solver.search.threads import GroupControl
from tests.oracles import help_play, naive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("kernel")

OPTIONS = AuditOptions(Limits(hash_mib=1))
FARTHER = AuditOptions(Limits(hash_mib=1), all_keys=True, farther=True)
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
ROOK_ENDING = "8/7K/8/8/8/8/R7/7k w - - 0 1"
DEFENCE = "7k/8/8/8/8/8/R7/1R4K1 b - - 0 1"

HINT = "solves as claimed with en passant on e6"
FAULT = ("acd: expected a number, found x",)
EN_PASSANT = Problem(
    "8/8/8/3RpP1R/p3k3/6K1/8/8 w - - 0 1", "one", Claim(2), "x.epd:1", warnings=FAULT
)


# fmt: off
CASES = [
    ("8/8/8/3RpP1R/p3k3/6K1/8/8 w - -", 2, "refuted", "with en passant on e6"),
    ("8/8/8/8/6Pp/3kn3/r7/6K1 b - -", 2, "refuted", "with en passant on g3"),
    ("rK2k2r/RQ6/8/8/8/3B4/8/8 w kq -", 2, "refuted", "without Black's castling (O-O)"),
    ("8/4r3/8/4P2k/8/8/7q/R3K3 b Q -", 2, "refuted",
     "without White's castling (O-O-O)"),
    ("r3k2r/8/8/8/4K3/8/8/5q2 b kq -", 3, "shorter",
     "without Black's castling (O-O-O)"),
]
# fmt: on


def run(problem: Problem, options: AuditOptions = OPTIONS) -> AuditResult:
    result = AuditJob(options).run_batch([problem])[0]
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("fen", "claim"),
    [
        ("7k/8/Q7/6Pp/8/1K6/8/8 w - -", Claim(2)),  # a mate in 3 with en passant
        ("8/8/8/8/8/8/6R1/k3K2R w K -", Claim(3)),  # a mate in 2 without castling
        ("8/8/4p3/3RPP1R/p3k3/6K1/8/8 w - -", Claim(1)),  # the pawn made no double step
        ("8/4p3/8/3RpP1R/p3k3/6K1/8/8 w - -", Claim(1)),  # its first square is occupied
        ("8/8/8/3RpP1R/p3k3/6K1/8/8 w - -", Claim(2, ("d5d8",))),  # not the key
        ("8/8/8/3RpP1R/p3k3/6K1/8/8 w - e6", Claim(3)),  # en passant is allowed
    ],
)
def test_no_hint_is_given_where_the_claim_would_not_hold(
    fen: str, claim: Claim
) -> None:
    result = run(Problem(f"{fen} 0 1", "x", claim))
    assert result.disagreements
    assert result.hint is None


@pytest.mark.parametrize(
    ("fen", "solutions", "convention", "fields"),
    [
        ("8/8/8/2Q5/kPp5/6K1/8/6Q1 b - -", 2, "with en passant on b3", "- b3"),
        ("4k2r/8/6K1/3N4/8/2N5/7Q/8 b k -", 2, "without Black's castling (O-O)", "- -"),
    ],
)
def test_help_play_has_as_many_solutions_with_the_convention(
    fen: str, solutions: int, convention: str, fields: str
) -> None:
    asked = Stipulation.parse("h#1")
    claim = Claim(1, solutions=solutions)
    result = run(Problem(f"{fen} 0 1", "x", claim, stipulation=asked))
    assert result.disagreements
    assert result.hint == f"solves as claimed {convention}"
    placement, side, *_ = fen.split()
    variant = chess.Board(f"{placement} {side} {fields} 0 1")
    assert len(help_play.solutions(variant, 2)) == solutions


def test_the_other_side_is_tried_unless_the_solution_is_legal_for_this_one() -> None:
    black = Problem(DEFENCE, "x", Claim(2))
    assert run(black).hint == "solves as claimed with White to move"
    played = Claim(2, line=("h8g8", "g1g2", "g8f8"))
    assert run(replace(black, claim=played)).hint is None
    demanded = replace(black, stipulation=Stipulation.parse("s#2"))
    assert run(demanded).hint is None


def brute_force_variants(board: chess.Board) -> Iterator[chess.Board]:
    """Yield the variants by definition: every square, every subset of the rights."""
    for square in chess.SQUARES:
        variant = board.copy(stack=False)
        variant.ep_square = square
        rank = chess.square_rank(square)
        if rank == (5 if board.turn else 2) and variant.has_legal_en_passant():
            yield variant
    for mask in (1, 128, 129, 1 << 56, 1 << 63, (1 << 56) | (1 << 63)):
        if mask & board.castling_rights == mask:
            variant = board.copy(stack=False)
            variant.castling_rights &= ~mask
            yield variant
    variant = board.copy(stack=False)
    variant.turn, variant.ep_square = not board.turn, None
    yield variant


def mutants(fen: str, count: int, seeded: Random) -> Iterator[chess.Board]:
    """Yield positions in which a piece stands elsewhere."""
    while count:
        board = chess.Board(f"{fen} 0 1")
        start = seeded.choice(list(board.piece_map()))
        end = seeded.randrange(64)
        if board.piece_at(end) is None:
            board.set_piece_at(end, board.remove_piece_at(start))
        board.castling_rights = board.clean_castling_rights()
        if board.is_valid():
            count -= 1
            yield board


@pytest.mark.parametrize(("fen", "claim", "verdict", "convention"), CASES)
def test_a_hint_is_given_if_and_only_if_brute_force_finds_a_convention(
    fen: str, claim: int, verdict: str, convention: str
) -> None:
    """No claim that holds has one."""
    result = run(Problem(f"{fen} 0 1", "x", Claim(claim)))
    assert result.verdict == result.disagreements[0] == verdict
    assert result.hint == f"solves as claimed {convention}"
    hinted = 0
    for board in mutants(fen, 20, Random(fen)):
        result = run(Problem(board.fen(en_passant="fen"), "x", Claim(2)))
        expected = naive.shortest_mate(board, 2) != 2 and any(
            naive.shortest_mate(variant, 2) == 2
            for variant in brute_force_variants(board)
            if variant.is_valid()
        )
        assert (result.hint is not None) is expected, board.fen()
        hinted += expected
    assert hinted or claim == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_it_is_stored_and_repeated_and_comes_back_from_workers(
    tmp_path: Path, jobs: int
) -> None:
    problems = [EN_PASSANT, replace(EN_PASSANT, source="x.epd:2", warnings=("c0: x",))]
    for origins in (["searched", "repeated"], ["stored", "repeated"]):
        with Store(tmp_path / "run.db") as store:
            pool, resume = local_workers(OPTIONS, jobs), ResumeStore(store, OPTIONS)
            found = list(audit(problems, OPTIONS, pool, resume=resume, ordered=True))
            stored = [(one.hint, one.warnings) for one in store.results()]
        assert [one.origin for one in found] == origins
        assert [one.warnings for one in found] == [FAULT, ("c0: x",)]
        assert {one.hint for one in found} == {HINT}
        assert stored == [(HINT, ())] * 2


def test_it_is_printed_and_written() -> None:
    result = run(EN_PASSANT)
    assert (disagreement(result) or "").splitlines()[:2] == [
        "x.epd:1: one: claimed mate in 2, but no mate in 2 exists",
        f"  {HINT}",
    ]
    again = read_record(json.loads(json.dumps(audit_record(result))))
    assert (again.hint, again.warnings) == (HINT, FAULT)


@pytest.mark.parametrize(
    ("options", "problem", "last"),
    [(OPTIONS, EN_PASSANT, 2), (FARTHER, Problem(ROOK_ENDING, "x", Claim(3)), 3)],
    ids=["of the variant", "of the longer mate"],
)
def test_an_interrupt_leaves_the_record_to_the_next_run(
    options: AuditOptions, problem: Problem, last: int
) -> None:
    control, searches = GroupControl(), 0

    def searching() -> Any:
        nonlocal searches
        searches += 1
        if searches == last:
            control.stop()
        return control.search()

    assert AuditJob(options, searching=searching).run_batch([problem]) == [None]
    assert searches == last


# --- a longer mate than claimed


@pytest.mark.parametrize(
    ("fen", "claim", "mate"), [(LADDER, 1, 2), (ROOK_ENDING, 7, 8), (DEFENCE, -1, -3)]
)
def test_a_refuted_claim_gets_the_true_length_beside_its_verdict(
    fen: str, claim: int, mate: int
) -> None:
    problem = Problem(fen, "x", Claim(claim), "x.epd:1")
    result, plain = run(problem, FARTHER), run(problem)
    assert (result.verdict, plain.verdict) == ("refuted", "refuted")
    assert (result.mate, result.lower_bound) == (mate, abs(mate))
    assert (result.status, result.stopped_by) == ("proved", None)
    assert (plain.mate, plain.lower_bound) == (None, abs(claim) + 1)
    assert result.nodes > plain.nodes
    if mate == 2:
        assert {*result.keys.split()} == naive.keys(chess.Board(fen), mate)
        assert (result.keys_complete, len(result.pv.split())) == (1, 3)
    mated = "only mate" if mate > 0 else "but mated"
    assert f"{mated} in {abs(mate)} (proved): 1." in (disagreement(result) or "")
    assert read_record(audit_record(result))[:15] == result[:15]


FEW = AuditOptions(Limits(hash_mib=1, nodes=3000), farther=True)


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        (Problem(ROOK_ENDING, "x", Claim(-7)), FARTHER),  # the other side mates
        (Problem("8/8/8/8/8/8/7k/K1B5 w - - 0 1", "x", Claim(2)), FARTHER),  # no one
        (Problem(LADDER, "x", stipulation="s#1"), FARTHER),
        (Problem(ROOK_ENDING, "x", Claim(3)), FEW),
    ],
)
def test_a_refuted_claim_without_a_longer_mate_stays_as_it_is(
    problem: Problem, options: AuditOptions
) -> None:
    result = run(problem, options)
    plain = run(problem, replace(options, farther=False))
    assert result == plain._replace(nodes=result.nodes, time_s=result.time_s)
    assert (result.verdict, result.mate) == ("refuted", None)


def test_a_claim_that_a_convention_explains_keeps_its_answer() -> None:
    result = run(EN_PASSANT, FARTHER)
    assert (result.hint, result.mate) == (HINT, None)
    assert run(EN_PASSANT, replace(OPTIONS, within=True)).hint == HINT
