"""Answers in sentences, and audits in a table with warnings of draws."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from random import Random

import chess
import pytest
from rich.console import Console

from solver.audit.results import audit_result
from solver.errors import FormatError
from solver.output.audit_text import AuditTable, find_warnings, result_warnings
from solver.output.columns import Column, bar, bars
from solver.output.text import Sentence, describe, duration
from solver.position_text import first_moves
from solver.problem import Claim, Problem, Restriction, Stipulation, at_most
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat
from solver.stipulations import numbered_line
from tests.formats.cases import cases
from tests.output.answers import (
    MATED,
    ROOK,
    ROOK_BY_TABLE,
    ROOK_DISPROVED,
    ROOK_FOUND,
    ROOK_LINE,
    ROOK_UNDECIDED,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
    STATS,
)


def described(solution: Solution) -> list[str]:
    return [line for part in describe(solution) for line in part.lines()]


COSTS = "1,234,567 nodes in 0.41 s"
MATE_IN = "Proved: mate in"
NONE_LONGER = "Proved. Longer mates were not searched."


@pytest.mark.parametrize(
    ("solution", "style", "lines"),
    [
        (
            *(SMOTHERED, "dim"),
            [
                "smothered: 5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
                *("White to move", "White mates in 2.", "1. Qg8+ Rxg8 2. Nf7#"),
                *("Only key: Qg8+", f"{MATE_IN} 2 is forced, and none is shorter."),
                COSTS,
            ],
        ),
        (
            *(ROOK_FOUND, "bold magenta"),
            [
                *("White to move", "White mates in 3."),
                "1. Ra8 Kh2 2. Ra1 Kh3 3. Rh1#",
                "Keys: Ra8, Ra7 (there may be others)",
                "Proved: mate in 3 is forced, and there is none in 1 move. "
                "Undecided: mate in 2.",
                *("Stopped by the time limit.", COSTS),
            ],
        ),
        (
            *(ROOK_BY_TABLE, "bold magenta"),
            [
                *("White to move", "White mates in 3."),
                "1. Ra8 Kh2 2. Ra1 Kh3 3. Rh1#",
                "All 2 keys: Ra8, Ra7",
                "Gaviota: mate in 3 is forced, and none is shorter. "
                "Proved: no mate in 1 move.",
                *("Stopped by the tablebase result.", COSTS),
            ],
        ),
        (
            *(ROOK_DISPROVED, "bold red"),
            ["White to move", "No mate in 2 or fewer moves.", NONE_LONGER, COSTS],
        ),
        (
            *(ROOK_UNDECIDED, "bold magenta"),
            [
                *("White to move", "Undecided: no mate found so far."),
                *("Proved: nothing yet.", "Stopped by the node limit."),
                "1 node in 0.0 ms",
            ],
        ),
        (
            *(MATED, "bold green"),
            [
                *("White to move", "White is mated in 1."),
                *(f"{MATE_IN} 1 is forced, and none is shorter.", COSTS),
            ],
        ),
    ],
)
def test_an_answer_says_what_is_found_and_what_is_proved(
    solution: Solution, style: str, lines: list[str]
) -> None:
    assert described(solution) == lines
    assert describe(solution)[1].style == style


def test_a_name_is_printed_as_one_line_of_printable_characters() -> None:
    problem = replace(SMOTHERED.problem, id=" a\x1b\n\tname ")
    shown, *_ = described(replace(SMOTHERED, problem=problem))
    assert shown == f"a\ufffd name: {problem.fen}"
    blank = replace(SMOTHERED, problem=replace(problem, id="\n"))
    assert described(blank)[0] == "White to move"


def test_the_lengths_between_the_bounds_are_undecided() -> None:
    for lower_bound, shorter in (
        (1, ". Undecided: mate in 1 to 8."),
        (4, ", and there is none in 3 or fewer moves. Undecided: mate in 4 to 8."),
        (8, ", and there is none in 7 or fewer moves. Undecided: mate in 8."),
    ):
        solution = replace(ROOK_FOUND, mate=9, lower_bound=lower_bound)
        assert f"{MATE_IN} 9 is forced{shorter}" in described(solution)


def test_an_answer_to_who_is_mated_says_nothing_about_who_mates() -> None:
    problem = replace(ROOK, claim=Claim(-4))
    disproved = replace(ROOK_DISPROVED, problem=problem, lower_bound=5)
    assert described(disproved)[1:3] == [
        *("White is not mated in 4 or fewer moves.", NONE_LONGER)
    ]
    undecided = replace(ROOK_UNDECIDED, problem=problem, lower_bound=3)
    proved = "Proved: White is not mated in 2 or fewer moves."
    assert described(undecided)[2] == proved
    tables = [
        "Gaviota: White is not mated in the given number of moves.",
        "Syzygy: White is not mated in any number of moves.",
    ]
    for found, headline in zip(TableFormat, tables, strict=True):
        answer = replace(undecided, tablebase=found)
        assert described(answer)[1:3] == [headline, proved]


def test_an_undecided_search_names_the_lengths_it_excluded() -> None:
    proved = "Proved: no mate in 2 or fewer moves."
    interrupted = replace(ROOK_UNDECIDED, lower_bound=3, stopped_by=StoppedBy.INTERRUPT)
    assert described(interrupted)[2:4] == [proved, "Stopped by an interrupt."]
    for tables, headline in (
        (TableFormat.GAVIOTA, "Gaviota: no mate in the given number of moves."),
        (TableFormat.SYZYGY, "Syzygy: no mate in any number of moves."),
    ):
        by_table = replace(interrupted, tablebase=tables)
        assert described(by_table)[1:3] == [headline, proved]


def unsolved(fen: str, stipulation: str) -> Solution:
    problem = Problem(fen, stipulation=stipulation)
    return Solution(problem, Status.DISPROVED, mate=None, lower_bound=3, stats=STATS)


CORNER = "k7/p1K5/8/8/8/8/8/1R6"


@pytest.mark.usefixtures("kernel")
def test_a_position_for_the_usual_roles_is_legal_and_stays_on_one_line() -> None:
    half = described(unsolved(f"{CORNER} b - - 3 9", "exact-h=2.5"))
    assert half[1:3] == [
        "Black begins, so the roles are exchanged: White helps Black to stalemate.",
        f"The usual roles need White to move: {CORNER} w - - 3 9",
    ]
    check = "k7/p1K4r/8/8/8/8/8/1R6 w - - 0 1"
    lines = described(unsolved(check, "h#2"))
    assert lines[1].startswith("White begins, so the roles are exchanged")
    assert lines[2] == "No helpmate in 2."
    for stipulation in ("#2", "s#2", "r#2", "exact-#2", "h#2"):
        battle = unsolved(f"{CORNER} b - - 0 1", stipulation)
        assert "roles" not in "".join(described(battle))
    exchanged = describe(unsolved(f"{CORNER} w - - 0 1", "h#2"))
    (usual,) = (part for part in exchanged if "usual" in part.text)
    assert usual.lines(40)[1] == f"  {CORNER} b - - 0 1"


def test_a_game_that_is_over_and_rights_are_named() -> None:
    mated = Problem("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    checkmate = Solution(mated, Status.PROVED, mate=0, lower_bound=0)
    assert described(checkmate)[:-1] == ["Black to move", "Black is checkmated."]
    drawn = Problem("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", claim=Claim(-3))
    stalemate = Solution(drawn, Status.DISPROVED, mate=None, lower_bound=4)
    assert described(stalemate)[:-1] == ["Black to move", "Black is stalemated."]
    rights = Problem("4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1")
    solution = Solution(rights, Status.DISPROVED, mate=None, lower_bound=2)
    assert described(solution)[:2] == [
        *("White to move, castling KQ, en passant d6", "No mate in 1 move.")
    ]


def test_very_many_keys_are_counted_after_the_first() -> None:
    def named(keys: list[str], *, complete: bool = True) -> str:
        solution = replace(ROOK_FOUND, keys=tuple(keys), keys_complete=complete)
        lines = described(solution)
        (line,) = (line for line in lines if re.match(r"(Key|All \d+ keys): ", line))
        return line

    rook = [f"a2{file}2" for file in "bcdefgh"] + [f"a2a{rank}" for rank in "1345678"]
    king = ["f3e2", "f3e3", "f3e4", "f3f4", "f3g3", "f3g4"]
    assert named(["a2a8"], complete=False) == "Key: Ra8 (there may be others)"
    every = named(king + rook)
    assert every.startswith("All 20 keys: Ke2, ")
    assert every.endswith(", Ra8")
    more = named(king + rook + king)
    assert more.startswith("All 26 keys: Ke2, ")
    assert more.endswith(", Ra8 and 6 more")


def test_a_line_of_moves_is_broken_between_its_numbers() -> None:
    moves = next(part for part in describe(ROOK_FOUND) if "Kh2" in part.text)
    assert moves.lines(16) == ["1. Ra8 Kh2", "  2. Ra1 Kh3", "  3. Rh1#"]
    fen = "5r1k/6pp/7N/8/2Q5/8/8/6K1"  # longer than the line
    assert Sentence(f"at {fen} now").lines(20) == ["at", f"  {fen}", "  now"]


def test_times_and_counts_have_the_unit_and_digits_that_suit_them() -> None:
    times = [0.0, 0.01234, 0.1, 12.345, 59.994, 60.0, 3725.4]
    assert ", ".join(map(duration, times)) == (
        "0.0 ms, 12.3 ms, 0.10 s, 12.35 s, 59.99 s, 1 min 00 s, 62 min 05 s"
    )
    assert [at_most(1), at_most(2)] == ["1 move", "2 or fewer moves"]
    assert described(replace(SMOTHERED, stats=Stats(1, 0.5)))[-1] == "1 node in 0.50 s"


UNDER = "under this restriction"


@pytest.mark.parametrize(
    ("solution", "restriction", "sentences"),
    [
        (
            *(ROOK_FOUND, Restriction(threat=1)),
            [
                "Restricted: threats of mate in 1",
                f"Proved: mate in 3 is forced, and there is none in 1 move {UNDER}. "
                "Undecided: mate in 2.",
            ],
        ),
        (
            *(ROOK_DISPROVED, Restriction(king_flights=1)),
            [
                f"No mate in 2 or fewer moves {UNDER}.",
                "Proved. Other moves and longer mates were not searched.",
            ],
        ),
        (
            replace(ROOK_UNDECIDED, lower_bound=3),
            Restriction(king_flights=0),
            [f"Proved: no mate in 2 or fewer moves {UNDER}."],
        ),
    ],
)
def test_a_restriction_is_named_before_the_mate_and_in_the_proof(
    solution: Solution, restriction: Restriction, sentences: list[str]
) -> None:
    lines = described(replace(solution, restriction=restriction))
    assert lines.index(sentences[0]) <= lines.index(sentences[-1])
    assert lines.index("White to move") < lines.index(sentences[0])


def test_moves_are_numbered_from_one_and_named_in_san() -> None:
    numbered = ["1. Ra8 Kh2", "2. Ra1 Kh3", "3. Rh1#"]
    assert numbered_line(ROOK.fen, ROOK_LINE) == numbered
    later = SMOTHERED.problem.fen.replace(" 0 1", " 3 41")
    assert numbered_line(later, SMOTHERED.pv) == ["1. Qg8+ Rxg8", "2. Nf7#"]
    assert numbered_line(ROOK.fen, ()) == []
    black = ["Black to move", "Black mates in 2.", "1... Qg1+ 2. Rxg1 Nf2#"]
    assert described(SMOTHERED_BY_BLACK)[:3] == black
    fen = "3k4/P7/8/8/8/1N6/8/R3K1NR w KQ - 0 1"
    moves = ["e1c1", "a7a8n", "b3d2", "g1e2"]
    assert first_moves(fen, moves) == ["O-O-O+", "a8=N", "Nd2", "Ne2"]


def demanding(text: str, solution: Solution, solutions: int | None = None) -> Solution:
    """An answer to the same question, but with a stipulation."""
    stipulation = Stipulation.parse(text)
    claim = Claim(stipulation.attacker_moves, solutions=solutions)
    problem = Problem(solution.problem.fen, claim=claim, stipulation=stipulation)
    return replace(solution, problem=problem)


@pytest.mark.parametrize(
    ("stipulation", "goal", "headline"),
    cases("""
        #3      | mate            | White mates in 3.
        =3      | stalemate       | White stalemates in 3.
        s#3     | selfmate        | White forces selfmate in 3.
        s=3     | selfstalemate   | White forces selfstalemate in 3.
        r#3     | reflexmate      | White forces reflexmate in 3.
        semi-r#3| semi-reflexmate | White forces semi-reflexmate in 3.
    """),
)
def test_every_sentence_names_the_goal(
    stipulation: str, goal: str, headline: str
) -> None:
    found = described(demanding(stipulation, ROOK_FOUND))
    assert found[1] == headline
    assert found[4] == (
        f"Proved: {goal} in 3 is forced, and there is none in 1 move. "
        f"Undecided: {goal} in 2."
    )
    refuted = demanding(stipulation, replace(ROOK_DISPROVED, lower_bound=4))
    assert described(refuted)[2] == f"Proved. Longer {goal}s were not searched."
    open_ = demanding(stipulation, replace(ROOK_UNDECIDED, lower_bound=3))
    assert described(open_)[2] == f"Proved: no {goal} in 2 or fewer moves."


HELP = replace(
    ROOK_DISPROVED,
    status=Status.PROVED,
    mate=2,
    pv=("a2a8", "g1h1", "a8a7", "h1g1"),
    solutions=(("a2a8",), ("a2a7",)),
    solutions_complete=True,
)
ONE = replace(HELP, solutions=HELP.solutions[:1])
NO_OTHERS = "Proved: there are no others."


@pytest.mark.parametrize(
    ("stipulation", "solution", "wanted", "words"),
    [
        ("h=2.5", ONE, 1, ["Helpstalemate in 2.5: 1 solution.", NO_OTHERS]),
        ("h#2", HELP, 3, ["Helpmate in 2: 2 solutions, 3 stipulated.", NO_OTHERS]),
        (
            *("h#2", ROOK_UNDECIDED, None),
            [
                "Undecided: no helpmate in 2 found so far.",
                *("Proved: nothing yet.", "Stopped by the node limit."),
            ],
        ),
    ],
)
def test_help_play_counts_its_solutions(
    stipulation: str, solution: Solution, wanted: int | None, words: list[str]
) -> None:
    lines = described(demanding(stipulation, solution, wanted))
    assert [line for line in lines[1:-1] if "roles" not in line] == words


# Audits


FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"

WIDE = """\
claim  proved  shorter  undecided  unreadable  total   nodes    time
   #2       1        1                             2  12,347  4.50 s
   #3                           1                  1   1,000  1.0 ms
 none       1                               1      2       7  0.0 ms
  all       2        1          1           1      5  13,354  4.50 s
""".splitlines()

NARROW = """\
#2: 1 proved, 1 shorter
#3: 1 undecided
none: 1 proved, 1 unreadable
all: 2 proved, 1 shorter, 1 undecided, 1
unreadable
""".splitlines()


@pytest.fixture
def table() -> AuditTable:
    table = AuditTable()
    for claim, status, mate, lower_bound, nodes, time_s in (
        (Claim(3), Status.UNDECIDED, None, 1, 1000, 0.001),
        (None, Status.PROVED, 1, 1, 7, 0.00001),
        (Claim(2), Status.PROVED, 2, 2, 12_345, 4.5),
        (Claim(2), Status.PROVED, 1, 1, 2, 0.0),
    ):
        problem, stats = Problem(FEN, claim=claim), Stats(nodes, time_s)
        answer = Solution(problem, status, mate, lower_bound, stats=stats)
        table.add(audit_result(answer))
    table.add(audit_result(FormatError("x.epd:5", "expected a FEN, found nothing")))
    return table


def drawn(table: AuditTable, width: int) -> list[str]:
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    console.print(table.draw(console))
    return [line.rstrip() for line in paper.getvalue().splitlines()]


def test_columns_are_dropped_before_figures_are_cut(table: AuditTable) -> None:
    assert drawn(table, 10_000) == drawn(table, 68) == WIDE
    without_costs = [line[:52].rstrip() for line in WIDE]
    assert drawn(table, 67) == drawn(table, 52) == without_costs
    assert drawn(table, 51) == [*NARROW[:3], " ".join(NARROW[3:])]
    assert drawn(table, 40) == NARROW


def test_soundness_is_counted_in_its_own_order(table: AuditTable) -> None:
    assert table.soundness() == "soundness: 1 short-solution"
    problem, keys = Problem(FEN, claim=Claim(2)), ("a2a3",)
    answer = Solution(problem, Status.PROVED, 2, 2, keys=keys, keys_complete=True)
    table.add(audit_result(answer))
    assert table.soundness() == "soundness: 1 sound, 1 short-solution"
    assert AuditTable().soundness() == ""


# Draws by rule

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
SHUFFLED = (*["a1b1", "g8f8", "b1a1", "f8g8"] * 3, "a1a8")
"""Twelve plies that capture nothing, then mate."""

LONG = "may need more than 50 moves without a pawn move or capture"
REPEATED = "the line repeats a position: after 0 plies and after 4"


def warnings(counters: str, mate: int, line: tuple[str, ...]) -> list[str]:
    return list(find_warnings(f"{BACK_RANK} {counters}", mate, line))


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
                if (move.to_square, move.from_square)
                == (left.from_square, left.to_square)
            ]
            goes_back = back and random.random() < 0.4
            moves.append(random.choice(back if goes_back else legal))
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


def test_the_clock_of_the_fen_counts_to_the_fifty_moves() -> None:
    # Before the defender's last move the clock is eleven higher; who may make it a
    # hundred may claim the draw.
    fifty = "50 moves without a pawn move or capture at move 6"
    assert warnings("87 60", 7, SHUFFLED) == [REPEATED]
    assert sorted(warnings("88 60", 7, SHUFFLED)) == [fifty, REPEATED]
    assert warnings("99 60", 1, ("a1a8",)) == []  # mate on the hundredth ply


@pytest.mark.parametrize(
    ("counters", "mate", "expected"),
    [("0 1", 50, []), ("0 1", 51, [LONG]), ("0 1", -50, []), ("98 60", 2, [LONG])],
)
def test_a_long_mate_without_a_line_may_need_more_than_fifty_moves(
    counters: str, mate: int, expected: list[str]
) -> None:
    assert warnings(counters, mate, ()) == expected


@pytest.mark.parametrize(
    ("claim", "mate", "line", "expected"),
    [
        # The line that was found, since the claimed one is as long as another mate.
        (Claim(7, line=SHUFFLED), 1, ("a1a8",), []),
        (Claim(1, line=("a1a8",)), 7, SHUFFLED, [REPEATED]),
        # The claimed line, found again or not yet found.
        (Claim(7, line=SHUFFLED), 7, (), [REPEATED]),
        (Claim(7, line=SHUFFLED), None, (), [REPEATED]),
        # A part of a line does not show where the mate is.
        (Claim(60, line=SHUFFLED), 60, (), [LONG]),
        (Claim(60), None, (), [LONG]),
        (None, 60, (), [LONG]),
        (None, None, (), []),
        (None, 0, (), []),
    ],
)
def test_a_result_warns_of_the_mate_that_it_has(
    claim: Claim | None, mate: int | None, line: tuple[str, ...], expected: list[str]
) -> None:
    problem = Problem(f"{BACK_RANK} 0 1", "x.epd:1", claim, "x.epd:1")
    status = Status.UNDECIDED if mate is None else Status.PROVED
    solution = Solution(problem, status, mate, 1 if mate is None else mate, pv=line)
    assert list(result_warnings(audit_result(solution))) == expected


def test_what_is_no_mate_of_play_has_no_warnings() -> None:
    fen = f"{BACK_RANK} 0 1"
    selfmate = Problem(fen, source="x.epd:1", stipulation="s#60")
    full_clock = Problem(f"{BACK_RANK} 100 90", "x.epd:1", Claim(1), "x.epd:1")
    for answer in (
        FormatError("x.epd:1", "expected a FEN, found nothing"),
        Solution(Problem(fen, "x", Claim(60), "x:1"), Status.DISPROVED, None, 61),
        Solution(selfmate, Status.PROVED, 60, 60),
        Solution(full_clock, Status.PROVED, 1, 1, pv=("a1a8",)),
    ):
        assert not list(result_warnings(audit_result(answer)))


@pytest.mark.parametrize("stipulation", [None, "h#2"])
def test_what_could_not_be_read_is_a_warning_of_any_stipulation(
    stipulation: str | None,
) -> None:
    said = ("acd: expected a number, found 'x'; kept mate in 2", "a\x1bb: no")
    fen = f"{BACK_RANK} 0 1"
    problem = Problem(fen, "x", warnings=said, stipulation=stipulation)
    result = audit_result(Solution(problem, Status.UNDECIDED, None, 1))
    assert list(result_warnings(result)) == [said[0], "a\ufffdb: no"]


def test_a_bar_is_exact_to_an_eighth_and_in_ascii_to_a_half() -> None:
    lengths = [0, 0.01, 0.125, 0.5, 1, 2.9, 2.99]
    assert [*map(bar, lengths)] == ["", "", "▏", "▌", "█", "██▉", "███"]
    drawn = [bar(length, ascii_only=True) for length in (0, 0.4, 0.6, 3)]
    assert drawn == ["", "", "#", "###"]


def test_there_are_no_bars_without_room_or_lengths() -> None:
    columns = [Column("name", ["a", "bcd"], left=True)]
    for width, lengths, count in ((16, [1, 2], 1), (15, [1, 2], 0), (99, [None, 0], 0)):
        console = Console(file=io.StringIO(), width=width)
        assert len(bars(console, columns, [*lengths])) == count
