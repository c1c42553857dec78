"""Audit results: the whole answer, verdict and soundness, from hand-made answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from solver import __version__
from solver.audit import results
from solver.audit.job import AuditOptions
from solver.audit.results import Ply, audit_result, mark_only_moves, only_moves
from solver.errors import FormatError
from solver.problem import Claim, Limits, Problem
from solver.record import COLUMNS
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat
from solver.stipulations import SPARE_SOLUTIONS

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"


def moves(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table; bars stand between them."""
    return [
        [cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()
    ]


def test_a_result_holds_the_whole_answer() -> None:
    claim = Claim(2, ("a1a8", "a1a7"), ("a1a8", "g8f8"))
    answer = Solution(
        Problem(FEN, "one", claim, "a.epd:1"),
        *(Status.PROVED, 2, 2, moves("a1a8 g8f8 e7e8q"), ("a1a8", "a1a6")),
        keys_complete=True,
        stopped_by=StoppedBy.NODES,
        stats=Stats(7, 0.25),
        tablebase=TableFormat.SYZYGY,
    )
    plies = [Ply("a1a8", 2, ("a1a8",)), Ply("e7e8q", 1, ("e7e8q", "e7e8r"))]
    flat = audit_result(answer, plies=plies)
    # fmt: off
    assert flat == results.AuditResult(
        "one", "a.epd:1", FEN, claim=2, claimed_keys="a1a8 a1a7",
        claimed_line="a1a8 g8f8", status="proved", verdict="proved",
        soundness="missing-solution", mate=2, lower_bound=2, keys="a1a8 a1a6",
        keys_complete=1, wrong_keys="a1a7", pv="a1a8 g8f8 e7e8q", plies=flat.plies,
        only_moves=0, nodes=7, time_s=0.25, stopped_by="nodes", tablebase="syzygy",
        solver=__version__,
    )
    # fmt: on
    assert [ply["only"] for ply in json.loads(flat.plies)] == [True, False]
    assert flat.claimed_plies() == mark_only_moves(claim, plies)
    assert {type(value) for value in flat.row()} <= {str, int, float, type(None)}
    assert dict(zip(COLUMNS, flat.row(), strict=True)).items() <= flat._asdict().items()
    # For another record it differs only in the record.
    again = Problem(FEN.replace("0 1", "5 40"), "two", claim, "b.epd:2")
    copy = flat.for_record(again, "searched")
    assert copy[:3] == (again.id, again.source, again.fen)
    assert copy[3:] == flat[3:]


def test_an_unreadable_record_has_its_own_verdict() -> None:
    error = FormatError("x.epd:3", "expected a ROOK, found nothing")
    assert audit_result(error) == results.AuditResult(
        "x.epd:3", "x.epd:3", verdict="unreadable", error=error.reason
    )


NUMBERED = ["a.epd:3", r"C:\x.epd:3", "12:30:4", "a\nb:4", f"a:{10**18 - 1}", ":5"]
OTHERS = [r"C:\x.epd", "a:", "a:-1", "a:007", "a:\u0663", "a:\xb2", f"a:{10**18}"]


@pytest.mark.parametrize("source", [*NUMBERED, *OTHERS])
def test_a_source_is_split_at_the_number_of_its_line(source: str) -> None:
    file, _, line = source.rpartition(":")
    expected = (file, int(line)) if source in NUMBERED else (source, 0)
    assert results.split_source(source) == expected


# --- verdicts

VERDICTS = """
 3 |  3 | 3 | proved    | proved
 3 |  3 | 2 | holds     | holds
 3 |  2 | 1 | shorter   | holds
 3 |  4 | 4 | refuted   | refuted
 3 |  5 | 3 | undecided | undecided
 3 |    | 4 | refuted   | refuted
 3 |  0 | 0 | refuted   | refuted
 3 | -3 | 3 | refuted   | refuted
-3 | -3 | 3 | proved    | proved
-3 | -3 | 1 | holds     | holds
-3 | -2 | 2 | shorter   | holds
-1 |  0 | 0 | shorter   | holds
-3 |    | 3 | undecided | undecided
-3 |  3 | 3 | refuted   | refuted
no |    | 4 | proved    | proved
no |    | 3 | undecided | undecided
no |  3 | 1 | refuted   | refuted
no |  4 | 4 | proved    | proved
no |  4 | 2 | undecided | undecided
no | -2 | 2 | proved    | proved
no |  0 | 0 | proved    | proved
"""


@pytest.mark.parametrize("stipulation", [None, "#3"])
@pytest.mark.parametrize("row", rows(VERDICTS), ids=" ".join)
def test_a_verdict_follows_from_the_two_bounds(
    row: list[str], stipulation: str | None
) -> None:
    """The claim is a mate in so many moves, or none in three; then come the bounds."""
    claimed, mate, lower_bound, verdict, within = row
    if claimed == "no":
        problem = Problem(ROOK, no_mate=3)
    elif stipulation and claimed == "3":
        problem = Problem(ROOK, stipulation=stipulation)
    else:
        problem = Problem(ROOK, claim=Claim(int(claimed)))
    found = int(mate) if mate else None
    solution = Solution(problem, Status.FOUND, found, int(lower_bound))
    result = audit_result(solution)
    assert (result.verdict, result.word) == (verdict, verdict)
    assert audit_result(solution, within=True).verdict == within
    assert (result.solutions, result.solutions_complete) == (None, None)
    unclaimed = audit_result(replace(solution, problem=Problem(ROOK)))
    assert (unclaimed.verdict, unclaimed.claim, unclaimed.word) == (None, None, "found")


# --- soundness

TWO_ROOKS = "7k/8/R7/1R6/8/8/8/K7 w - - 0 1"
SELFMATE = "4R3/7K/5k2/Bp3r2/8/7Q/8/8 w - - 0 1"
STALEMATE = "4Q3/k7/7K/8/7N/8/8/8 w - - 0 1"
LINE = moves("b5b7 h8g8 a6a8")
KEY, COOK = LINE[0], "a6a7"
FAILURE = *LINE[:2], "a6a7"


def soundness(
    claim: Claim | None,
    keys: tuple[str, ...],
    *plies: Ply,
    mate: int | None = 2,
    lower_bound: int = 2,
    complete: bool = True,
    within: bool = False,
    problem: Problem = Problem(TWO_ROOKS),  # noqa: B008
) -> str | None:
    """Return the soundness of a hand-made answer."""
    asked = replace(problem, claim=claim)
    answer = Solution(asked, Status.PROVED, mate, lower_bound, keys=keys)
    answer = replace(answer, keys_complete=complete)
    return audit_result(answer, within=within, plies=plies).soundness


FREE = Claim(2, (KEY,), any_last_move=True)
# fmt: off
COMPARED = [
    (Claim(2), (KEY,), "sound"),
    (Claim(2), (KEY, COOK), "cooked"),
    (Claim(2, (KEY,)), (KEY, COOK), "cooked"),
    (Claim(2, (COOK, KEY)), (KEY, COOK), "sound"),
    (Claim(2, (KEY, COOK)), (KEY, COOK, "a6a5"), "cooked"),
    (Claim(2, (KEY, COOK)), (KEY,), "missing-solution"),
    # a line named
    (Claim(2, line=LINE), (KEY,), "sound"),
    (Claim(2, line=LINE), (KEY, COOK), "cooked"),
    (Claim(2, line=LINE), (COOK,), "missing-solution"),
    (Claim(2, line=FAILURE), (KEY, COOK), "not-shortest-line"),
    (Claim(2, line=(*LINE, "g8h8", "a8b8")), (KEY,), "not-shortest-line"),
    # both: the keys count, and the line is compared too
    (Claim(2, (KEY,), LINE), (KEY,), "sound"),
    (Claim(2, (COOK,), LINE), (KEY,), "missing-solution"),
    (Claim(2, (KEY,), (*LINE, "g8h8")), (KEY,), "not-shortest-line"),
    # variations, and what of them was not read
    (Claim(2, (KEY,), variations=(LINE,)), (KEY,), "sound"),
    (Claim(2, line=LINE, variations=(FAILURE,)), (KEY,), "not-shortest-line"),
    (Claim(2, (KEY,), partly_read=True), (KEY,), "partly-read"),
    (Claim(2, (KEY,), partly_read=True), (KEY, COOK), "cooked"),
    # of a source that accepts every mate in one
    (FREE, (KEY, COOK), "cooked"),
    (replace(FREE, mate=1), (KEY, COOK), "sound"),
    (replace(FREE, mate=1), (COOK,), "missing-solution"),
]
# fmt: on


@pytest.mark.parametrize(("claim", "keys", "expected"), COMPARED)
def test_keys_and_line_are_compared_with_a_mate_of_the_claimed_length(
    claim: Claim, keys: tuple[str, ...], expected: str
) -> None:
    mate = claim.mate
    assert soundness(claim, keys, mate=mate, lower_bound=mate) == expected
    assert soundness(claim, keys, mate=mate, lower_bound=mate, complete=False) is None


@pytest.mark.parametrize(
    ("mate", "lower_bound", "expected"),
    [
        *[(1, 1, "short-solution"), (None, 3, "no-solution"), (4, 3, "no-solution")],
        *[(-1, 1, "no-solution"), (2, 1, None), (None, 2, None), (4, 2, None)],
    ],
)
@pytest.mark.parametrize("stipulation", [None, "s#2"])
@pytest.mark.parametrize("complete", [False, True])
def test_without_such_a_mate_only_the_bounds_count(
    mate: int | None,
    lower_bound: int,
    expected: str | None,
    stipulation: str | None,
    complete: bool,
) -> None:
    problem = Problem(TWO_ROOKS, stipulation=stipulation)
    bounds = {"mate": mate, "lower_bound": lower_bound, "complete": complete}
    found = soundness(Claim(2, (KEY,)), (KEY,), **bounds, problem=problem)  # type: ignore[arg-type]
    assert found == expected


def test_what_is_neither_sound_nor_unsound() -> None:
    shorter = soundness(Claim(2, (KEY,)), (KEY,), mate=1, lower_bound=1, within=True)
    assert shorter is None
    for claim in (None, Claim(-2), Claim(-2, (KEY,), LINE)):
        assert soundness(claim, (KEY,), mate=-2) is None


def test_a_slow_move_in_the_line_is_reported() -> None:
    claim, first = Claim(2, line=LINE[:2]), Ply(KEY, 2, (KEY,))
    slow = Ply("b5b6", 1, ("a6a8",))
    assert soundness(claim, (KEY,), first, slow) == "not-shortest-line"
    assert soundness(claim, (KEY,), first) == "sound"
    assert soundness(claim, (KEY,), Ply(KEY, 2, ())) == "sound"


@pytest.mark.parametrize(
    ("stipulation", "fen", "line", "wrong_end"),
    [
        ("s#2", SELFMATE, "a5d8 f6f7 h3h5 f5h5", "h3h6 f5h5"),
        ("=2", STALEMATE, "e8b5 a7a8 b5b6", "b5a6"),
        ("=2", STALEMATE, "e8b5 a7a8 b5b6", "b5c6"),
    ],
)
def test_a_claimed_line_must_reach_the_goal_in_time(
    stipulation: str, fen: str, line: str, wrong_end: str
) -> None:
    problem = Problem(fen, stipulation=stipulation)
    right = moves(line)
    for claimed, expected in (
        (right, "sound"),
        (right[:2], "sound"),
        ((*right[:2], *moves(wrong_end)), "not-shortest-line"),
        ((*right, "h7g8"), "not-shortest-line"),
    ):
        claim = Claim(2, line=claimed)
        assert soundness(claim, right[:1], problem=problem) == expected


PLIES = {
    "only": Ply("a1a8", 2, ("a1a8",)),
    "both": Ply("a1a8", 2, ("a1a8", "a1a7")),
    "wrong": Ply("a1a8", 2, ("a1a7",)),
    "open": Ply("a1a8", None, ()),
    "last": Ply("a1a8", 1, ("a1a8", "a1a7")),
}


@pytest.mark.parametrize(
    ("plies", "expected", "if_free"),
    [
        *[("", None, None), ("only only", True, True), ("wrong", False, False)],
        *[("only both", False, False), ("only open", None, None)],
        *[("open both", False, False), ("both open", False, False)],
        *[("only last", False, True), ("both last", False, False)],
    ],
)
def test_a_line_has_only_moves_if_each_move_is_one(
    plies: str, expected: bool | None, if_free: bool | None
) -> None:
    """Several last moves may mate if the source accepts all."""
    line = [PLIES[name] for name in plies.split()]
    assert only_moves(mark_only_moves(Claim(2), line)) is expected
    assert only_moves(mark_only_moves(FREE, line)) is if_free


# --- help play: the number of solutions

CORNERED = "7k/8/5K2/8/8/8/8/R7 b - - 0 1"
LINES = {
    "g8": moves("h8g8 f6g6 g8h8 a1a8"),
    "h7": moves("h8h7 a1a8 h7h8 f6g6"),
    "h7-too": moves("h8h7 f6f7 h7h8 a1h1"),
    "short": moves("h8g8 a1a8"),
}


def help_answer(
    claim: Claim | None, found: str, complete: bool = True, lower_bound: int = 0
) -> Solution:
    """Return an answer with these lines; its bound is the shortest, or above two."""
    lines = tuple(LINES[name] for name in found.split())
    mate = min((len(line) // 2 for line in lines), default=None)
    return Solution(
        Problem(CORNERED, claim=claim, stipulation="h#2"),
        *(Status.PROVED if found else Status.DISPROVED, mate, lower_bound or mate or 3),
        solutions=lines,
        solutions_complete=complete,
    )


SOLUTIONS = """
all   |   | g8           |   | proved    | sound
all   |   |              |   | refuted   | no-solution
all   | 2 | g8           |   | proved    | missing-solution
all   | 2 | g8 h7        |   | proved    | sound
all   | 2 | g8 h7 h7-too |   | proved    | cooked
all   | 0 |              |   | proved    | sound
all   | 0 | g8           |   | refuted   | cooked
all   | 2 | short g8     |   | shorter   | short-solution
some  | 1 |              | 1 | undecided |
some  | 0 |              | 2 | undecided |
some  | 1 | g8           | 2 | holds     |
some  | 1 | g8           | 1 | holds     |
some  | 2 | g8 h7        | 2 | holds     |
some  | 1 | g8 h7        | 2 | proved    | cooked
some  | 1 | g8 h7        | 1 | holds     | cooked
some  | 0 | g8           | 1 | refuted   | cooked
some  | 1 | short        | 1 | shorter   | short-solution
"""


@pytest.mark.parametrize("row", rows(SOLUTIONS), ids=" ".join)
def test_the_solutions_of_a_help_problem_are_counted(row: list[str]) -> None:
    """If only some are found, they decide what they can."""
    are_all, claimed, found, bound, verdict, soundness = row
    claim = Claim(2, solutions=int(claimed) if claimed else None)
    answer = help_answer(claim, found, are_all == "all", int(bound or 0))
    result = audit_result(answer)
    assert (result.verdict, result.soundness or "") == (verdict, soundness)
    assert result.claimed_solutions == int(claimed or 1)
    assert result.found_solutions() == tuple(LINES[name] for name in found.split())
    assert (result.stipulation, result.solutions_complete) == ("h#2", are_all == "all")
    if verdict == "shorter":
        result = audit_result(answer, within=True)
        assert (result.verdict, result.soundness) == ("holds", None)
    elif are_all == "all":
        assert result.agrees is (soundness == "sound")


CLAIMED_MOVES = """
h8g8      |                          | g8    | sound            |
h8h7      |                          | g8    | missing-solution | h8h7
h8g8 h8h7 |                          | g8 h7 | sound            |
h8g8 h8h7 |                          | g8    | missing-solution | h8h7
          | h8g8 f6g6 g8h8 a1a8      | g8    | sound            |
          | h8g8                     | g8    | sound            |
          | h8h7 f6f7 h7h8 a1h1      | h7    | missing-solution |
          | h8g8 f6g6 g8h8 a1a8 h8g8 | g8    | missing-solution |
"""


@pytest.mark.parametrize("row", rows(CLAIMED_MOVES), ids=" ".join)
def test_the_moves_that_a_help_problem_claims_must_be_solutions(
    row: list[str],
) -> None:
    keys, line, found, soundness, wrong_keys = row
    claim = Claim(2, moves(keys), moves(line))
    result = audit_result(help_answer(claim, found))
    assert (result.soundness, result.wrong_keys) == (soundness, wrong_keys)
    incomplete = audit_result(help_answer(claim, found, complete=False))
    assert (incomplete.soundness, incomplete.wrong_keys) == (None, "")


# --- how far to search


@pytest.mark.parametrize("within", [False, True])
def test_options_change_no_stipulation_but_a_mate(within: bool) -> None:
    options = AuditOptions(Limits(max_moves=9, nodes=7), within=within)
    for stipulation, most in (
        ("=2", None),
        ("semi-r#2", None),
        ("h#1.5", 1 + SPARE_SOLUTIONS),
    ):
        question = options.question(Problem(SELFMATE, stipulation=stipulation))
        assert question.limits == Limits(nodes=7, max_solutions=most)
        assert question.within is None
    question = AuditOptions(Limits(), within).question(Problem(ROOK, stipulation="#3"))
    expected = (None, 3) if within else (3, None)
    assert (question.limits.max_moves, question.within) == expected
