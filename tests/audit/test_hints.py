"""Hints: conventions with which a claim holds, and mates longer than claimed."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions, variants
from solver.audit.store import ResumeStore, Store
from solver.audit.workers import audit, local_workers
from solver.output.audit_records import audit_record, read_record
from solver.output.audit_text import disagreement
from solver.problem import Claim, Limits, Problem, Stipulation
from solver.search.threads import GroupControl
from solver.solution import Stats, StoppedBy
from solver.solving import Solver
from tests.oracles import help_play, naive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("kernel")

OPTIONS = AuditOptions(Limits(hash_mib=1))


class Case(NamedTuple):
    """A position, a claimed mate, the verdict, and the fields that make it hold."""

    fen: str
    claim: int
    verdict: str
    convention: str
    fields: str


CASES = [
    Case(
        "8/8/8/3RpP1R/p3k3/6K1/8/8 w - -", 2, "refuted", "with en passant on e6", "- e6"
    ),
    Case("k7/8/8/2pP4/8/8/8/KQB5 w - -", 2, "refuted", "with en passant on c6", "- c6"),
    Case(
        "4r1k1/8/8/8/1pP5/1b6/8/1K6 b - -",
        2,
        "refuted",
        "with en passant on c3",
        "- c3",
    ),
    Case(
        "8/8/8/8/6Pp/3kn3/r7/6K1 b - -", 2, "refuted", "with en passant on g3", "- g3"
    ),
    Case(
        "4k2r/1R5p/8/5R2/8/8/8/7K w k -",
        2,
        "refuted",
        "without Black's castling (O-O)",
        "- -",
    ),
    Case(
        "rK2k2r/RQ6/8/8/8/3B4/8/8 w kq -",
        2,
        "refuted",
        "without Black's castling (O-O)",
        "q -",
    ),
    Case(
        "8/4r3/8/4P2k/8/8/7q/R3K3 b Q -",
        2,
        "refuted",
        "without White's castling (O-O-O)",
        "- -",
    ),
    Case(
        "8/8/8/8/8/8/6R1/k3K2R w K -",
        2,
        "shorter",
        "without White's castling (O-O)",
        "- -",
    ),
    Case(
        "1K2k2r/6r1/8/8/4P3/3P4/1P6/8 b k -",
        2,
        "shorter",
        "without Black's castling (O-O)",
        "- -",
    ),
    Case(
        "5R2/8/8/8/8/4k3/8/R3K2R w KQ -",
        3,
        "shorter",
        "without White's castling (O-O-O)",
        "K -",
    ),
    Case(
        "r3k2r/8/8/8/4K3/8/8/5q2 b kq -",
        3,
        "shorter",
        "without Black's castling (O-O-O)",
        "k -",
    ),
]
IDS = [case.fen.split()[0] for case in CASES]


def run(problem: Problem, options: AuditOptions = OPTIONS) -> AuditResult:
    result = AuditJob(options).run_batch([problem])[0]
    assert result is not None
    return result


def claiming(case: Case) -> Problem:
    return Problem(f"{case.fen} 0 1", "x", Claim(case.claim), "x.epd:1")


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_convention_is_named_and_the_verdict_stays(case: Case) -> None:
    result = run(claiming(case))
    assert result.verdict == case.verdict
    assert result.disagreements[0] == case.verdict
    assert result.hint == f"solves as claimed {case.convention}"


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_python_chess_confirms_the_convention(case: Case) -> None:
    placement, side, *_ = case.fen.split()
    assert naive.shortest_mate(chess.Board(f"{case.fen} 0 1"), case.claim) != case.claim
    variant = chess.Board(f"{placement} {side} {case.fields} 0 1")
    assert variant.is_valid()
    assert naive.shortest_mate(variant, case.claim) == case.claim


@pytest.mark.parametrize(
    ("fen", "claim"),
    [
        ("7k/8/Q7/6Pp/8/1K6/8/8 w - -", Claim(2)),  # a mate in 3 with en passant
        ("8/8/8/8/8/8/6R1/k3K2R w K -", Claim(3)),  # a mate in 2 without castling
        ("8/7K/8/8/8/8/R7/7k w - -", Claim(7)),  # nothing to try
        ("8/8/4p3/3RPP1R/p3k3/6K1/8/8 w - -", Claim(1)),  # the pawn made no double step
        ("8/4p3/8/3RpP1R/p3k3/6K1/8/8 w - -", Claim(1)),  # its first square is occupied
        ("4k2r/1R5p/8/5R2/8/8/8/7K w - -", Claim(1)),  # there is no right to deny
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


def test_a_claim_that_holds_has_no_hint() -> None:
    fen = "8/8/8/3RpP1R/p3k3/6K1/8/8 w - e6 0 1"
    result = run(Problem(fen, "x", Claim(2, ("f5e6",))))
    assert (result.verdict, result.hint) == ("proved", None)


def test_within_accepts_a_convention_with_a_shorter_mate() -> None:
    problem = Problem("8/8/8/3RpP1R/p3k3/6K1/8/8 w - - 0 1", "x", Claim(2))
    result = run(problem, AuditOptions(Limits(hash_mib=1), within=True))
    assert result.hint == "solves as claimed with en passant on e6"


HELP = [
    ("8/8/8/2Q5/kPp5/6K1/8/6Q1 b - -", 2, "with en passant on b3", "- b3"),
    ("2k5/8/2K5/8/4pPR1/8/8/8 b - -", 2, "with en passant on f3", "- f3"),
    ("4k2r/8/6K1/3N4/8/2N5/7Q/8 b k -", 2, "without Black's castling (O-O)", "- -"),
]


@pytest.mark.parametrize(("fen", "solutions", "convention", "fields"), HELP)
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


def test_each_convention_has_a_name() -> None:
    fen = "r3k2r/8/8/2pPpP2/8/8/8/R3K2R w KQkq e6 0 1"
    found = {words: one.fen.split()[2:4] for words, one in variants(Problem(fen))}
    assert found == {
        "with en passant on c6": ["KQkq", "c6"],
        "without White's castling (O-O)": ["Qkq", "e6"],
        "without White's castling (O-O-O)": ["Kkq", "e6"],
        "without Black's castling (O-O)": ["KQq", "e6"],
        "without Black's castling (O-O-O)": ["KQk", "e6"],
        "without White's castling": ["kq", "e6"],
        "without Black's castling": ["KQ", "e6"],
        "with Black to move": ["KQkq", "-"],
    }


def test_the_other_side_is_tried_unless_the_solution_is_legal_for_this_one() -> None:
    black = Problem("7k/8/8/8/8/8/R7/1R4K1 b - - 0 1", "x", Claim(2))
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
        if (
            chess.square_rank(square) == (5 if board.turn else 2)
            and variant.is_valid()
            and variant.has_legal_en_passant()
        ):
            yield variant
    for mask in (1, 128, 129, 1 << 56, 1 << 63, (1 << 56) | (1 << 63)):
        if mask & board.castling_rights == mask:
            variant = board.copy(stack=False)
            variant.castling_rights &= ~mask
            yield variant
    variant = board.copy(stack=False)
    variant.turn, variant.ep_square = not board.turn, None
    if variant.is_valid():
        yield variant


def mutants(case: Case, count: int, seeded: Random) -> Iterator[chess.Board]:
    """Yield positions in which a piece stands elsewhere."""
    while count:
        board = chess.Board(f"{case.fen} 0 1")
        start = seeded.choice(list(board.piece_map()))
        end = seeded.randrange(64)
        if board.piece_at(end) is None:
            board.set_piece_at(end, board.remove_piece_at(start))
        board.castling_rights = board.clean_castling_rights()
        if board.is_valid():
            count -= 1
            yield board


@pytest.mark.parametrize("case", [case for case in CASES if case.claim == 2], ids=str)
def test_a_hint_is_given_if_and_only_if_brute_force_finds_a_convention(
    case: Case,
) -> None:
    hinted = 0
    for board in mutants(case, 20, Random(case.fen)):
        if naive.shortest_mate(board, 2) == 2:
            continue
        result = run(Problem(board.fen(en_passant="fen"), "x", Claim(2)))
        expected = any(
            naive.shortest_mate(variant, 2) == 2
            for variant in brute_force_variants(board)
        )
        assert (result.hint is not None) is expected, board.fen()
        hinted += expected
    assert hinted


EN_PASSANT = Problem(
    "8/8/8/3RpP1R/p3k3/6K1/8/8 w - - 0 1",
    "one",
    Claim(2),
    "x.epd:1",
    warnings=("acd: expected a number, found x",),
)


@pytest.mark.parametrize("jobs", [1, 2])
def test_it_is_stored_and_repeated_and_comes_back_from_workers(
    tmp_path: Path, jobs: int
) -> None:
    other = Problem(
        EN_PASSANT.fen, "two", Claim(2), "x.epd:2", warnings=("c0: expected y",)
    )
    hint = "solves as claimed with en passant on e6"
    for origins in (["searched", "repeated"], ["stored", "repeated"]):
        with Store(tmp_path / "run.db") as store:
            results = list(
                audit(
                    [EN_PASSANT, other],
                    OPTIONS,
                    local_workers(OPTIONS, jobs),
                    resume=ResumeStore(store, OPTIONS),
                    ordered=True,
                )
            )
            assert [one.origin for one in results] == origins
            assert [one.hint for one in results] == [hint, hint]
            assert [one.warnings for one in results] == [
                EN_PASSANT.warnings,
                other.warnings,
            ]
            stored = list(store.results())
            assert [(one.hint, one.warnings) for one in stored] == [(hint, ())] * 2


def test_it_is_printed_and_written() -> None:
    result = run(EN_PASSANT)
    text = disagreement(result)
    assert text is not None
    assert text.splitlines()[:2] == [
        "x.epd:1: one: claimed mate in 2, but no mate in 2 exists",
        "  solves as claimed with en passant on e6",
    ]
    record = json.loads(json.dumps(audit_record(result)))
    assert record["hint"] == "solves as claimed with en passant on e6"
    assert record["warnings"] == ["acd: expected a number, found x"]
    again = read_record(record)
    assert (again.hint, again.warnings) == (result.hint, result.warnings)


@pytest.mark.parametrize(("search", "last"), [("variant", 2), ("farther", 3)])
def test_an_interrupt_leaves_the_record_to_the_next_run(search: str, last: int) -> None:
    options, problem = {
        "variant": (OPTIONS, EN_PASSANT),
        "farther": (FARTHER, Problem(ROOK_ENDING, "x", Claim(3))),
    }[search]
    control = GroupControl()
    searches = 0

    def searching() -> object:
        nonlocal searches
        searches += 1
        if searches == last:
            control.stop()
        return control.search()

    job = AuditJob(options, searching=searching)  # type: ignore[arg-type]
    assert job.run_batch([problem]) == [None]
    assert searches == last


def test_a_variant_that_a_limit_stops_gives_no_hint() -> None:
    case = CASES[0]
    full = run(claiming(case))
    options = AuditOptions(Limits(hash_mib=1, nodes=full.nodes))
    result = run(claiming(case), options)
    assert result.verdict in {"refuted", "undecided"}
    assert result.stopped_by in {None, str(StoppedBy.NODES)}


# --- a longer mate than claimed

FARTHER = AuditOptions(Limits(hash_mib=1), all_keys=True, farther=True)
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
ROOK_ENDING = "8/7K/8/8/8/8/R7/7k w - - 0 1"
DEFENCE = "7k/8/8/8/8/8/R7/1R4K1 b - - 0 1"


def answered(result: AuditResult) -> tuple[object, ...]:
    return result.mate, result.lower_bound, result.status


@pytest.mark.parametrize(
    ("fen", "claim", "mate"),
    [(LADDER, 1, 2), (ROOK_ENDING, 3, 8), (ROOK_ENDING, 7, 8), (DEFENCE, -1, -3)],
)
def test_a_refuted_claim_gets_the_true_length_beside_its_verdict(
    fen: str, claim: int, mate: int
) -> None:
    problem = Problem(fen, "x", Claim(claim), "x.epd:1")
    result, plain = run(problem, FARTHER), run(problem)
    assert answered(result) == (mate, abs(mate), "proved")
    assert answered(plain) == (None, abs(claim) + 1, "disproved")
    assert (result.verdict, plain.verdict) == ("refuted", "refuted")
    assert result.nodes > plain.nodes
    assert result.stopped_by is None
    assert naive.shortest_mate(chess.Board(fen), 2) == mate or abs(mate) > 2
    text = disagreement(result)
    assert text is not None
    mated = "only mate" if mate > 0 else "but mated"
    assert f"{mated} in {abs(mate)} (proved): 1." in text
    assert read_record(audit_record(result))[:15] == result[:15]


def test_all_keys_of_the_longer_mate_are_found_if_all_keys_are_wanted() -> None:
    result = run(Problem(LADDER, "x", Claim(1)), FARTHER)
    expected = naive.keys(chess.Board(LADDER), 2)
    assert ({*result.keys.split()}, result.keys_complete) == (expected, 1)
    assert len(result.pv.split()) == 3


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        (Problem(ROOK_ENDING, "x", Claim(-7)), FARTHER),  # the other side mates
        (Problem("8/8/8/8/8/8/7k/K1B5 w - - 0 1", "x", Claim(2)), FARTHER),  # no one
        (Problem(LADDER, "x", stipulation="s#1"), FARTHER),
        (
            Problem(ROOK_ENDING, "x", Claim(3)),
            AuditOptions(Limits(hash_mib=1, nodes=3000), farther=True),
        ),
    ],
)
def test_a_refuted_claim_without_a_longer_mate_stays_as_it_is(
    problem: Problem, options: AuditOptions
) -> None:
    result = run(problem, options)
    assert result == run(problem, replace(options, farther=False))._replace(
        nodes=result.nodes, time_s=result.time_s
    )
    assert (result.verdict, result.mate) == ("refuted", None)


@pytest.mark.parametrize(
    ("problem", "options", "count"),
    [
        (Problem(ROOK_ENDING, "x", Claim(3)), FARTHER, 3),
        (Problem("8/8/8/8/8/8/7k/K1B5 w - - 0 1", "x", Claim(2)), FARTHER, 3),
        (claiming(CASES[0]), OPTIONS, 2),
        (claiming(CASES[-1]), FARTHER, 3),
        (
            Problem(LADDER, "x", Claim(2, ("a2a7",), ("a2a7", "h8g8", "b1b8"))),
            replace(OPTIONS, all_keys=True, every_ply=True),
            2,
        ),
    ],
)
def test_nodes_and_time_are_those_of_all_searches(
    monkeypatch: pytest.MonkeyPatch,
    problem: Problem,
    options: AuditOptions,
    count: int,
) -> None:
    searched: list[Stats] = []
    answers = Solver.answers

    def listed(*arguments: Any, **named: Any) -> Iterator[Any]:
        for answered in answers(*arguments, **named):
            assert answered.solution
            searched.append(answered.solution.stats)
            yield answered

    monkeypatch.setattr(Solver, "answers", listed)
    result = run(problem, options)
    assert len(searched) == count
    assert result.nodes == sum(cost.nodes for cost in searched)
    expected_s = sum(cost.time_s for cost in searched)
    assert result.time_s == pytest.approx(expected_s, abs=1e-5)


def test_a_claim_that_a_convention_explains_keeps_its_answer() -> None:
    result = run(claiming(CASES[0]), FARTHER)
    assert result.hint is not None
    assert result.mate is None


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_longer_mate_is_the_same_for_any_number_of_workers(jobs: int) -> None:
    problems = [
        Problem(fen, "x", Claim(1), f"x.epd:{line}")
        for line, fen in enumerate([LADDER, ROOK_ENDING] * 5, 1)
    ]
    results = audit(problems, FARTHER, local_workers(FARTHER, jobs), ordered=True)
    expected = [(2, 2, "proved"), (8, 8, "proved")] * 5
    assert [answered(result) for result in results] == expected
