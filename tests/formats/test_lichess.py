"""lichess's rows: the position after the first move, and its claim."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from solver.errors import FormatError
from solver.formats.claims import EVERYTHING, FileSummary, ReadOptions, Selection
from solver.formats.rows import read_csv
from solver.problem import Claim, Problem
from tests.formats.whole_files import with_source

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "lichess_500.csv"

HEADER = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,"
    "OpeningTags"
)
FEN = "6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30"
"""After Rb2, Ra8 mates."""

AFTER = "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31"
ROOKS = "7k/8/8/8/8/R7/1R6/K7 b - - 0 1"
"""After Kg8 the rooks mate in two, as in Ra7 Kf8 Rb8."""


def row(
    name: str = "abc12",
    fen: str = FEN,
    moves: str = "a2b2 a1a8",
    rating: str = "1500",
    themes: str = "mate mateIn1 short",
) -> str:
    return f"{name},{fen},{moves},{rating},75,94,6608,{themes},https://x/y#1,"


MATE = Problem(
    AFTER, "abc12", Claim(1, ("a1a8",), ("a1a8",), any_last_move=True), "x.csv:2"
)


def read(
    *rows: str, selection: Selection = EVERYTHING, summary: FileSummary | None = None
) -> list[Problem | FormatError]:
    lines = ((number, f"{text}\n".encode()) for number, text in enumerate(rows, 1))
    records = read_csv(
        lines, summary or FileSummary("x.csv"), ReadOptions(selection=selection)
    )
    return [with_source(record, record.source) for record in records]


def test_a_row_is_the_problem_after_the_opponents_move() -> None:
    assert read(HEADER, row()) == [MATE]


def test_without_a_header_columns_are_in_the_databases_order() -> None:
    first, second = read(row(), row())
    assert first == Problem(MATE.fen, MATE.id, MATE.claim, "x.csv:1")
    assert second == MATE


def test_columns_are_found_by_name_in_any_order() -> None:
    names = "Themes,New,Moves,PuzzleId,FEN"
    cells = f"mateIn1,1,a2b2 a1a8,abc12,{FEN}"
    assert read(names, cells) == [MATE]
    assert read(names, "") == []


def test_cells_may_be_quoted() -> None:
    quoted = row().replace("https://x/y#1", '"https://x/y,""z"""')
    assert read(HEADER, quoted) == [MATE]


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("PuzzleId,FEN,Moves", f"abc12,{FEN},a2b2 a1a8"),
        ("puzzle_id;fen;moves;themes", f"abc12;{FEN};a2b2 a1a8;mateIn1"),
        ("FEN\tMoves\tThemes\tid", f"{FEN}\ta2b2 a1a8\tmate\tabc12"),
    ],
)
def test_rows_with_fewer_or_other_columns_mean_the_same(names: str, rows: str) -> None:
    (problem,) = read(names, rows, selection=Selection(all_rows=True))
    assert isinstance(problem, Problem)
    assert (problem.fen, problem.id) == (MATE.fen, MATE.id)
    assert problem.claim == (MATE.claim if "hemes" in names else None)


def test_without_moves_the_position_is_unknown() -> None:
    (error,) = read("PuzzleId,FEN,Themes", f"abc12,{FEN},mateIn1")
    reason = "Moves: expected a move in SAN or UCI, found ''"
    assert error == FormatError("x.csv:2", reason)


def test_a_rating_is_required_only_for_a_selection_by_rating() -> None:
    names = HEADER.replace("Rating,", "other,")
    assert read(names, row()) == [MATE]
    (error,) = read(names, row(), selection=Selection(min_rating=1))
    assert isinstance(error, FormatError)
    expected = "--theme and --min-rating: expected a field rating, found "
    assert error.reason.startswith(expected)


SHUFFLE = "h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3 h8g8 a3a2"
"""Seven pairs of legal moves from ROOKS."""


@pytest.mark.parametrize(
    ("theme", "pairs"),
    [("mate", 3), ("mateIn2", 2), ("mateIn4", 4), ("mateIn5", 5), ("mateIn5", 7)],
)
def test_the_claim_is_the_number_of_the_solvers_moves(theme: str, pairs: int) -> None:
    moves = SHUFFLE.split()[: 2 * pairs]
    (problem,) = read(row(fen=ROOKS, moves=" ".join(moves), themes=theme))
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(
        pairs, ("a3a2",), tuple(moves[1:]), any_last_move=True
    )


@pytest.mark.parametrize(
    ("theme", "pairs", "mate", "other"),
    [
        ("mateIn2", 1, 2, 1),
        ("mateIn2", 3, 2, 3),
        ("mateIn5", 4, 5, 4),
        ("mateIn4", 5, 4, 5),
        ("mate mateIn1 mateIn3", 1, 1, 3),
    ],
)
def test_a_theme_that_contradicts_the_moves_is_kept_with_them_and_a_warning(
    theme: str, pairs: int, mate: int, other: int
) -> None:
    moves = SHUFFLE.split()[: 2 * pairs]
    (problem,) = read(row(fen=ROOKS, moves=" ".join(moves), themes=theme))
    assert isinstance(problem, Problem)
    line = tuple(moves[1:])
    assert problem.claim == Claim(mate, line[:1], line, any_last_move=True)
    (warning,) = problem.warnings
    found = f"found a mate in {mate} and a mate in {other}; kept mate in {mate}"
    assert warning.startswith(f"claims: expected one, {found}, key a3a2")
    assert problem.id == "abc12"


LEGAL = "Moves: expected a legal, unambiguous move in SAN or UCI, found"
UNREADABLE = "Moves: expected a move in SAN or UCI, found"
COUNT = "Moves: expected 1 to 200 moves of each side, the opponent's first"


@pytest.mark.parametrize(
    ("moves", "line", "warning"),
    [
        ("a2a1 a1a8", (), f"{LEGAL} 'a1a8'"),
        ("a2b2 a1b2", (), f"{LEGAL} 'a1b2'"),
        ("a2b2 x", (), f"{UNREADABLE} 'x'"),
        ("a2b2", (), f"{COUNT}, found 1"),
        ("a2b2 a1a8 b2b8", ("a1a8", "b2b8"), f"{COUNT}, found 3"),
    ],
)
def test_moves_that_cannot_be_read_cost_only_a_claim_without_a_number(
    moves: str, line: tuple[str, ...], warning: str
) -> None:
    (problem,) = read(row(moves=moves))
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(1, line[:1], line, any_last_move=True)
    assert problem.warnings[0].startswith(f"{warning}; kept mate in 1")
    (error,) = read(row(moves=moves, themes="mate"))
    assert error == FormatError("x.csv:1", warning)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (row(moves="g8g6 a1a8"), f"{LEGAL} 'g8g6'"),
        (row(moves="0000 a1a8"), f"{UNREADABLE} '0000'"),
        (row(moves="Q@a3 a1a8"), f"{UNREADABLE} 'Q@a3'"),
        (row(moves=""), f"{UNREADABLE} ''"),
        (
            row(fen="8/8 b - - 0 1"),
            "board: expected 8 ranks with / between them, found 2 in '8/8'",
        ),
        ("a,b", "expected 10 columns, found 2"),
        ("hello", "expected 10 columns, found 1"),
        (
            f'{row()}"x',
            f"expected a row of CSV, found {(row() + chr(34) + 'x')[:60]!r}...: "
            "unexpected end of data",
        ),
    ],
)
def test_a_bad_row_is_reported_and_skipped(bad: str, reason: str) -> None:
    good, error, _ = read(HEADER, row(), bad, row())[0:3]
    assert good == MATE
    assert error == FormatError("x.csv:3", reason)
    assert len(read(HEADER, row(), bad, row())) == 3


def test_a_line_that_does_not_mate_is_still_a_claim() -> None:
    (problem,) = read(row(moves="a2b2 a1a7"))
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(1, ("a1a7",), ("a1a7",), any_last_move=True)


def test_an_en_passant_square_is_kept_only_if_a_pawn_can_capture() -> None:
    fens = ("4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    records = read(*(row(fen=fen, moves="e2e4 e8e7") for fen in fens))
    assert [record.fen for record in records if isinstance(record, Problem)] == [
        "4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1",
        "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1",
    ]


ROWS = [
    row("one", rating="1000"),
    row("two", rating="2000", themes="mate mateIn1 hangingPiece"),
    row("win", rating="3000", themes="crushing backRankMate"),
    row("bad", moves="x", rating="1500", themes="mate"),
    row(
        "six",
        fen=ROOKS,
        moves=" ".join(SHUFFLE.split()[:12]),
        rating="1500.0",
        themes="mate mateIn5",
    ),
]


@pytest.mark.parametrize(
    ("selection", "given"),
    [
        (Selection(), ["one", "two", "x.csv:4", "six"]),
        (Selection(all_rows=True), ["one", "two", "win", "x.csv:4", "six"]),
        (Selection(min_rating=1500), ["two", "x.csv:4", "six"]),
        (Selection(min_rating=1501), ["two"]),
        (Selection(min_rating=1501, all_rows=True), ["two", "win"]),
        (Selection(theme="hangingPiece"), ["two"]),
        (Selection(theme="hanging"), []),
        (Selection(theme="crushing"), []),
        (Selection(theme="crushing", all_rows=True), ["win"]),
        (Selection(min_claim=2), ["six"]),
        (Selection(max_claim=5), ["one", "two", "x.csv:4"]),
        (Selection(min_claim=1, max_claim=4), ["one", "two"]),
        (Selection(min_claim=1, max_claim=1, all_rows=True), ["one", "two"]),
    ],
)
def test_rows_are_selected_by_their_cells(
    selection: Selection, given: list[str]
) -> None:
    summary = FileSummary("x.csv")
    records = read(*ROWS, selection=selection, summary=summary)
    assert summary.not_selected == len(ROWS) - len(records)
    assert [
        record.id if isinstance(record, Problem) else record.source
        for record in records
        if isinstance(record, FormatError) or selection.includes(record)
    ] == given


def test_a_row_that_claims_no_mate_is_a_problem_without_a_claim() -> None:
    (problem,) = read(ROWS[2], selection=Selection(all_rows=True))
    assert problem == Problem(AFTER, "win", None, "x.csv:1")


@pytest.mark.parametrize("rating", ["", "high"])
def test_a_rating_that_is_not_a_number_is_reported(rating: str) -> None:
    records = read(row(rating=rating), selection=Selection(min_rating=1))
    reason = f"rating: expected a number, found {rating!r}"
    assert records == [FormatError("x.csv:1", reason)]
    assert read(row(rating=rating))[0].source == "x.csv:1"


def test_the_sample_is_read_whole() -> None:
    if not SAMPLE.exists():
        pytest.skip("the sample is not part of the project")
    summary = FileSummary("x.csv")
    with SAMPLE.open("rb") as file:
        records = list(read_csv(enumerate(file, 1), summary, ReadOptions()))
    assert (len(records), summary.not_selected) == (144, 356)
    for record in records:
        assert isinstance(record, Problem)
        assert record.claim is not None
        board = chess.Board(record.fen)
        assert board.fen() == record.fen
        for move in record.claim.line:
            board.push_uci(move)
        assert board.is_checkmate()
        assert len(record.claim.line) == 2 * record.claim.mate - 1


def test_the_summary_names_lichess_fields_of_rows_read_in_compiled_code() -> None:
    summary = FileSummary("x.csv")
    assert read(*ROWS, summary=summary)
    assert summary.fields == {
        "name": {"PuzzleId": None},
        "position": {"FEN": None},
        "line": {"Moves": None},
        "claim": {"Themes": None},
    }


def test_a_right_without_its_rook_is_dropped_before_the_first_move() -> None:
    fen = "7k/8/8/8/8/8/R7/1R4K1 b K - 0 1"
    moves, themes = "h8g8 a2a7 g8f8 b1b8", "mate mateIn2"
    (problem,) = read(HEADER, row("x", fen=fen, moves=moves, themes=themes))
    assert isinstance(problem, Problem)
    assert problem.fen == "6k1/8/8/8/8/8/R7/1R4K1 w - - 1 2"
    assert problem.claim
    assert problem.claim.line == ("a2a7", "g8f8", "b1b8")
    (warning,) = problem.warnings
    assert warning.startswith("castling right K: ")
