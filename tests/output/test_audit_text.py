"""The audit table: columns that a narrow terminal drops, and counts of soundness."""

from __future__ import annotations

import io
import re
from random import Random

import chess
import pytest
from rich.console import Console

from solver.audit.results import audit_result
from solver.errors import FormatError
from solver.output.audit_text import AuditTable, find_warnings, result_warnings
from solver.problem import Claim, Problem
from solver.solution import Solution, Stats, Status

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"

WIDE = """\
claim  proved  shorter  undecided  unreadable  total   nodes    time
   #2       1        1                             2  12,347  4.50 s
   #3                           1                  1   1,000  1.0 ms
 none       1                               1      2       7  0.0 ms
  all       2        1          1           1      5  13,354  4.50 s
"""

MIDDLE = """\
claim  proved  shorter  undecided  unreadable  total
   #2       1        1                             2
   #3                           1                  1
 none       1                               1      2
  all       2        1          1           1      5
"""

NARROW = """\
#2: 1 proved, 1 shorter
#3: 1 undecided
none: 1 proved, 1 unreadable
all: 2 proved, 1 shorter, 1 undecided, 1
unreadable
"""


@pytest.fixture
def table() -> AuditTable:
    table = AuditTable()
    for claim, status, mate, lower_bound, nodes, time_s in (
        (Claim(3), Status.UNDECIDED, None, 1, 1000, 0.001),
        (None, Status.PROVED, 1, 1, 7, 0.00001),
        (Claim(2), Status.PROVED, 2, 2, 12_345, 4.5),
        (Claim(2), Status.PROVED, 1, 1, 2, 0.0),
    ):
        stats = Stats(nodes, time_s)
        problem = Problem(FEN, claim=claim)
        answer = Solution(problem, status, mate, lower_bound, stats=stats)
        table.add(audit_result(answer))
    error = FormatError("x.epd:5", "expected a FEN, found nothing")
    table.add(audit_result(error))
    return table


@pytest.mark.parametrize(
    ("width", "drawn"),
    [
        (10_000, WIDE),
        (68, WIDE),
        (67, MIDDLE),
        (52, MIDDLE),
        (51, NARROW),
        (40, NARROW),
    ],
)
def test_columns_are_dropped_before_figures_are_cut(
    table: AuditTable, width: int, drawn: str
) -> None:
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    console.print(table.draw(console))
    lines = [line.rstrip() for line in paper.getvalue().splitlines()]
    if width == 51:  # room for the last word as well
        drawn = drawn.replace("1\nunreadable", "1 unreadable")
    assert lines == drawn.splitlines()


@pytest.mark.parametrize("width", [80, 16])
def test_counts_of_thousands_have_separators(width: int) -> None:
    table = AuditTable()
    for _ in range(1_234):
        table.add(audit_result(Solution(Problem(FEN), Status.PROVED, 1, 1)))
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    console.print(table.draw(console))
    counts = re.findall(r"[0-9,]*234", paper.getvalue())
    assert counts == ["1,234"] * (4 if width == 80 else 2)


def test_soundness_is_counted_in_its_own_order(table: AuditTable) -> None:
    assert table.soundness() == "soundness: 1 short-solution"
    problem = Problem(FEN, claim=Claim(2))
    keys = ("a2a3",)
    answer = Solution(problem, Status.PROVED, 2, 2, keys=keys, keys_complete=True)
    table.add(audit_result(answer))
    assert table.soundness() == "soundness: 1 sound, 1 short-solution"
    assert AuditTable().soundness() == ""


# Draws by rule

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"


def shuffle(board: chess.Board, moves: str, times: int) -> list[str]:
    line = moves.split() * times
    for move in line:
        assert chess.Move.from_uci(move) in board.legal_moves
        board.push_uci(move)
    return line


def warnings(counters: str, mate: int, line: list[str]) -> list[str]:
    return list(find_warnings(f"{BACK_RANK} {counters}", mate, line))


SHUFFLE = "a1b1 g8f8 b1a1 f8g8"
SHUFFLED = (*SHUFFLE.split() * 3, "a1a8")


def test_a_line_that_repeats_a_position_is_warned_of_once() -> None:
    line = shuffle(chess.Board(f"{BACK_RANK} 0 1"), SHUFFLE, 3)
    found = warnings("0 1", 13, [*line, "a1a8"])
    assert found == ["the line repeats a position: after 0 plies and after 4"]


SHUFFLED_BOARDS = (
    "8/8/4k3/8/8/3K4/8/R6R w - -",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -",
    "4k3/3r4/8/8/3pP3/8/8/3RK3 b - e3",
    "k7/8/8/K7/3pP2r/8/8/8 b - e3",
    "4k3/8/5n2/8/8/2N5/8/N3K3 w - -",
)
"""With castling rights to lose, pawns to capture en passant, and pieces to exchange."""


@pytest.mark.parametrize("epd", SHUFFLED_BOARDS)
def test_a_repetition_is_one_that_python_chess_sees(epd: str) -> None:
    random, repeating = Random(epd), 0
    for _ in range(100):
        board, moves = chess.Board(f"{epd} 0 1"), list[chess.Move]()
        seen, expected = {board.epd(): 0}, list[str]()
        for ply in range(1, 12):
            legal = [*board.legal_moves]
            back = [
                move
                for move in legal
                for left in moves[-2:-1]
                if (move.from_square, move.to_square)
                == (left.to_square, left.from_square)
            ]
            moves.append(
                random.choice(back if back and random.random() < 0.4 else legal)
            )
            board.push(moves[-1])
            before = seen.setdefault(board.epd(), ply)
            expected += [f"after {before} plies and after {ply}"] * (before < ply)
            if board.is_game_over():
                break
        found = list(find_warnings(f"{epd} 0 1", 6, [move.uci() for move in moves]))
        first = [f"the line repeats a position: {words}" for words in expected[:1]]
        assert found == first, moves
        repeating += bool(found)
    assert 10 < repeating < 90


@pytest.mark.parametrize(("clock", "is_warned"), [(87, False), (88, True)])
def test_the_clock_of_the_fen_counts_to_the_fifty_moves(
    clock: int, is_warned: bool
) -> None:
    # Twelve plies that capture nothing, then mate. Before the defender's last move the
    # clock is eleven higher; who may make it a hundred may claim the draw.
    line = shuffle(chess.Board(f"{BACK_RANK} 0 1"), SHUFFLE, 3)
    found = warnings(f"{clock} 60", 7, [*line, "a1a8"])
    fifty = "50 moves without a pawn move or capture at move 6"
    assert (fifty in found) == is_warned
    assert len(found) == 1 + is_warned


def test_mate_on_the_hundredth_ply_is_no_draw() -> None:
    assert warnings("99 60", 1, ["a1a8"]) == []


def test_a_long_mate_without_a_line_may_need_more_than_fifty_moves() -> None:
    expected = ["may need more than 50 moves without a pawn move or capture"]
    assert warnings("0 1", 50, []) == []
    assert warnings("0 1", 51, []) == expected
    assert warnings("0 1", -50, []) == []
    assert warnings("98 60", 2, []) == expected


LONG = ("may need more than 50 moves without a pawn move or capture",)
REPEATED = ("the line repeats a position: after 0 plies and after 4",)


@pytest.mark.parametrize(
    ("claim", "mate", "line", "expected"),
    [
        # The line that was found, since the claimed one is as long as another mate.
        (Claim(7, line=SHUFFLED), 1, ("a1a8",), ()),
        (Claim(1, line=("a1a8",)), 7, SHUFFLED, REPEATED),
        # The claimed line, found again or not yet found.
        (Claim(7, line=SHUFFLED), 7, (), REPEATED),
        (Claim(7, line=SHUFFLED), None, (), REPEATED),
        # A part of a line does not show where the mate is.
        (Claim(60, line=SHUFFLED), 60, (), LONG),
        (Claim(60), None, (), LONG),
        (None, 60, (), LONG),
        (None, None, (), ()),
        (None, 0, (), ()),
    ],
)
def test_a_result_warns_of_the_mate_that_it_has(
    claim: Claim | None,
    mate: int | None,
    line: tuple[str, ...],
    expected: tuple[str, ...],
) -> None:
    problem = Problem(f"{BACK_RANK} 0 1", "x.epd:1", claim, "x.epd:1")
    status = Status.UNDECIDED if mate is None else Status.PROVED
    solution = Solution(problem, status, mate, 1 if mate is None else mate, pv=line)
    assert tuple(result_warnings(audit_result(solution))) == expected


def test_a_mate_in_one_on_a_full_clock_is_found_without_a_claimed_line() -> None:
    problem = Problem(f"{BACK_RANK} 100 90", "x.epd:1", Claim(1), "x.epd:1")
    solution = Solution(problem, Status.PROVED, 1, 1, pv=("a1a8",))
    assert tuple(result_warnings(audit_result(solution))) == ()


def test_a_claim_that_is_refuted_has_no_warnings() -> None:
    problem = Problem(f"{BACK_RANK} 0 1", "x.epd:1", Claim(60), "x.epd:1")
    solution = Solution(problem, Status.DISPROVED, None, 61)
    assert tuple(result_warnings(audit_result(solution))) == ()


def test_an_unreadable_record_and_another_stipulation_have_no_warnings() -> None:
    error = FormatError("x.epd:1", "expected a FEN, found nothing")
    assert not list(result_warnings(audit_result(error)))
    problem = Problem(f"{BACK_RANK} 0 1", source="x.epd:1", stipulation="s#60")
    solution = Solution(problem, Status.PROVED, 60, 60)
    assert not list(result_warnings(audit_result(solution)))


def test_what_could_not_be_read_is_a_warning_of_any_stipulation() -> None:
    for stipulation in (None, "h#2"):
        warnings = ("acd: expected a number, found 'x'; kept mate in 2", "a\x1bb: no")
        problem = Problem(
            f"{BACK_RANK} 0 1", "x", warnings=warnings, stipulation=stipulation
        )
        result = audit_result(Solution(problem, Status.UNDECIDED, None, 1))
        assert list(result_warnings(result)) == [warnings[0], "a\ufffdb: no"]
