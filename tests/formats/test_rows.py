"""Rows with named fields: anyone's, matesolve's own, and lichess's."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary, ReadOptions, Selection
from solver.formats.json_records import read_jsonl
from solver.formats.rows import CSV_HEAD, FormulaGuard, is_formula, read_csv
from solver.problem import Claim, Problem
from tests.formats.cases import (
    Records,
    arrows,
    cases,
    problems_of,
    read_with,
    said,
    shown,
    warned,
    with_source,
)

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
"""Mate in two, as in Ra7 Kg8 Rb8#."""

BEFORE = "6k1/8/8/8/8/8/R7/1R4K1 b - - 0 1"
"""After Kh8 it is the ladder."""

LINE = "2 key a2a7 pv a2a7 h8g8 b1b8"


class Read(NamedTuple):
    """What was read of a file; of its last record, the problem or what is shown."""

    records: Records
    summary: FileSummary

    @property
    def problem(self) -> Problem:
        return problems_of(self.records)[-1]

    @property
    def shown(self) -> str:
        return shown(self.records[-1])


def read(folder: Path, text: str, **options: Any) -> Read:
    path = folder / "x"
    path.write_text(text, encoding="utf-8")
    summary = FileSummary()
    return Read([*read_with(path, summary, **options)], summary)


def record(**fields: Any) -> str:
    return json.dumps({"fen": LADDER, **fields}) + "\n"


def test_a_table_begins_with_a_line_that_names_a_position(tmp_path: Path) -> None:
    text = f"No;start_fen;mate\n7;{LADDER};2\n"
    found = read(tmp_path, text)
    assert (found.problem.fen, found.shown) == (LADDER, "2")
    assert found.summary.title == "CSV with ;"
    names = {"position": {"start_fen": None}, "claim": {"mate": None}}
    assert found.summary.fields == names
    assert found.summary.ignored == {"No": False}
    found = read(tmp_path, text.replace(";", "\t").replace("start_fen", "Initial FEN"))
    assert (found.shown, found.summary.title) == ("2", "CSV with tabs")


ILLEGIBLE = "expected a move in SAN or UCI, found"
TWO = "! claims: expected one, found a mate in"
FIELDS = f"""
{{"mate": "2"}} ~ {{"mate_in": "+2"}} ~ {{"Mate In": "#2"}} ~ {{"MateIn": " 2 "}} -> 2
{{"mate-in": "2"}} ~ {{"dm": "2.0"}} ~ {{"DM": 2}} ~ {{"moves to mate": 2.0}} -> 2
{{"Moves_To_Mate": "two"}} ~ {{"mate_in_n": "2"}} ~ {{"bm": "#2"}} -> 2
{{"best_move": "2"}} ~ {{"claim": "Mate in two"}} ~ {{"claim": "2 moves"}} -> 2
{{"claim": "White mates in two"}} ~ {{"type": "Mate in Two"}} ~ {{"Type": "#2"}} -> 2
{{"claim": "mate in 3 moves"}} ~ {{"problem_type": "White mates in three"}} -> 3
{{"claim": ""}} ~ {{"claim": "-"}} ~ {{"claim": "?"}} ~ {{"claim": null}} -> -
{{"claim": "NaN"}} ~ {{"claim": "n/a"}} ~ {{"title": "#201 A title"}} -> -
{{"themes": ["short", "mateIn2"]}} ~ {{"name": "mate in 2"}} -> 2
{{"goal": "Deliver mate in one."}} -> 1
{{"title": "No mate in 2, but mate in 3"}} -> 3
{{"type": "endgame"}} ~ {{"themes": "smotheredMate"}} -> -
{{"moves": "a2a7"}} ~ {{"solution": "Ra7!"}} ~ {{"Solution": "1. Ra7"}} -> KEY
{{"answer": "a2-a7"}} ~ {{"best_move": "Ra2-a7"}} ~ {{"best move": "Ra7"}} -> KEY
{{"keys": ["a2a7"]}} ~ {{"key": "Ra7"}} ~ {{"bm": "Ra7"}} -> KEY
{{"moves": "a2a7 h8g8 b1b8"}} ~ {{"Moves": "1. Ra7 Kg8 2. Rb8#"}} -> {LINE}
{{"solution": ["Ra7", "Kg8", "Rb8#"]}} -> {LINE}
{{"answer": "1.a2-a7 h8-g8 2.b1-b8"}} -> {LINE}
{{"solutionUci": ["a2a7", "h8g8", "b1b8"]}} -> {LINE}
{{"mate": 2, "pv": "a2a7 h8g8 b1b8"}} -> 2 pv a2a7 h8g8 b1b8
{{"moves": "a2a7 h8g8 b1b7"}} -> -
{{"moves": "Ra7 Kg8 Rb8", "themes": "mateIn3"}} -> 3 key a2a7 pv a2a7 h8g8 b1b8 {TWO} 3
{{"claim": 4, "type": "Mate in two"}} -> 4 {TWO} 4 and a mate in 2; kept mate in 4
{{"mate": 2, "dm": 3}} -> 2 {TWO} 2 and a mate in 3; kept mate in 2
{{"type": "Mate in 2", "key": 17, "answer": "1."}} -> 2 ! answer: {ILLEGIBLE}
{{"answer": "1."}} -> ? answer: {ILLEGIBLE}
{{"line": "{{x}}"}} -> ? line: {ILLEGIBLE}
{{"mate": 2, "key": "Ra7", "line": "K"}} -> KEY ! line: {ILLEGIBLE} 'K'; kept
"""


@pytest.mark.parametrize(("fields", "expected"), arrows(FIELDS))
def test_a_field_is_read_by_name(fields: str, expected: str, tmp_path: Path) -> None:
    given = json.loads(fields)
    if expected == "KEY":
        given["mate"] = 2
    found = read(tmp_path, record(**given)).shown
    expected = expected.replace("KEY", "2 key a2a7")
    assert found.startswith(expected)
    assert "!" in expected or "?" in expected or found == expected


OTHER = """
{"claim": 2, "type": "Selfmate in 2"} -> Selfmate in 2
{"mate": 3, "title": "Series help-mate in 3"} -> Series help
{"stipulation": "White wins"} -> White wins
{"stipulation": "ser-h#3"} -> ser-h#3
"""


def test_another_stipulation_in_words_is_refused_by_its_name(tmp_path: Path) -> None:
    for fields, what in arrows(OTHER):
        fault = read(tmp_path, record(**json.loads(fields))).shown
        assert "expected #n, =n, s#n" in fault
        assert what in fault
    found = read(tmp_path, record(type="h#2"))
    assert (str(found.problem.stipulation), found.shown) == ("h#2", "2")


NAMES = """
{"id": 7, "title": "x"} -> 7
{"PuzzleId": "abc"} -> abc
{"id": "", "title": "A title"} -> A title
{} -> x:1
"""


def test_the_first_field_with_a_name_names_the_record(tmp_path: Path) -> None:
    for fields, name in arrows(NAMES):
        assert read(tmp_path, record(**json.loads(fields))).problem.id == name


NAMED: list[tuple[str, dict[str, str]]] = [
    (f"ID,Stellung,N\n7,{LADDER},2", {"fen": "Stellung", "claim": "N"}),
    (f"ID;Board;n moves\n7;{LADDER};2", {"FEN": "board", "mate": "N Moves"}),
    (f"id,fen,mate,n\n7,{LADDER},9,2", {"claim": "n"}),
    (f"7;x;{LADDER};2", {"id": "1", "fen": "3", "claim": "4"}),
]


@pytest.mark.parametrize(("text", "columns"), NAMED)
def test_columns_get_names(text: str, columns: dict[str, str], tmp_path: Path) -> None:
    found = read(tmp_path, text, columns=columns)
    assert (found.problem.fen, found.shown, found.problem.id) == (LADDER, "2", "7")


def test_dots_lead_into_nested_objects(tmp_path: Path) -> None:
    columns = {"fen": "input", "claim": "m.n", "keys": "answer.moves.0"}
    asked = {"input": LADDER, "answer": {"moves": {"0": "a2a7"}}}
    for nested in ({"m": {"n": 2}}, {"m.n": 2, "m": {"n": 3}}):
        found = read(tmp_path, json.dumps(asked | nested), columns=columns)
        assert (found.problem.fen, found.shown) == (LADDER, "2 key a2a7")
        assert found.summary.fields["claim"] == {"m.n": None}
        document = json.dumps({"puzzles": [asked | nested]}, indent=1)
        assert read(tmp_path, document, columns=columns).shown == "2 key a2a7"


def test_a_nested_field_may_be_missing_from_later_records_only(tmp_path: Path) -> None:
    columns = {"claim": "m.n"}
    for nested in ({}, {"m": 2}, {"m": None}):
        later = record(m={"n": 2}) + record(**nested)
        assert shown(read(tmp_path, later, columns=columns).records[1]) == "-"
        fault = read(tmp_path, record(**nested), columns=columns).shown
        assert fault.startswith("? --columns: expected one of fen")
        assert fault.endswith("found 'm.n'")


def test_an_unknown_column_is_refused_with_what_there_is(tmp_path: Path) -> None:
    table, line = f"id,fen,n\n7,{LADDER},2", record(id=7, n=2)
    for text, columns, fault in (
        (table, {"claim": "M"}, "expected one of id, fen, n, found 'M'"),
        (table, {"clam": "n"}, "expected one of position, stipulation, claim"),
        (line, {"claim": "M"}, "expected one of fen, id, n, found 'M'"),
    ):
        found = read(tmp_path, text, columns=columns).shown
        assert found.startswith(f"? --columns: {fault}")


def test_the_first_move_may_be_played_before_the_puzzle(tmp_path: Path) -> None:
    for moves in ("g8h8 a2a7 h8g8 b1b8", "1... Kh8 2. Ra7 Kg8 3. Rb8#"):
        text = f"fen;themes;solution\n{BEFORE};mateIn2;{moves}\n"
        found = read(tmp_path, text, columns={"moves": "after-first"})
        assert found.problem.fen.startswith("7k/8/8/8/8/8/R7/1R4K1 w - - 1 2")
        assert found.shown == LINE
        columns = {"moves": "after-first", "line": "solution"}
        assert read(tmp_path, text, columns=columns).problem == found.problem


def test_numbers_that_may_be_claims_are_named_and_not_guessed(tmp_path: Path) -> None:
    text = "ID,FEN,Rating,depth,length,url\n" + f"7,{LADDER},1500,2,3,x\n" * 2
    found = read(tmp_path, text)
    assert [*map(shown, found.records)] == ["-", "-"]
    assert found.summary.unread_claims == ["depth", "length"]
    for name in ("moves", "solutions"):
        found = read(tmp_path, record(**{name: 3}))
        assert (found.shown, found.summary.unread_claims) == ("-", [name])


def test_themes_and_ratings_select_rows_of_any_table(tmp_path: Path) -> None:
    rows = [("a", 2, "fork pin", 1499), ("b", 3, "pin", 1500.5)]
    as_table, as_lines = "id;fen;mate;Themes;Rating\n", ""
    for name, mate, themes, rating in rows:
        as_table += f"{name};{LADDER};{mate};{themes};{rating}\n"
        as_lines += record(id=name, mate=mate, themes=themes.split(), rating=rating)
    for selection, kept in (
        (Selection(theme="fork"), "a"),
        (Selection(min_rating=1500), "b"),
        (Selection(min_claim=3), "b"),
        (Selection(max_claim=2), "a"),
    ):
        for text in (as_table, as_lines):
            found = read(tmp_path, text, selection=selection)
            assert found.problem.id == kept
            assert found.summary.not_selected == 1
    for selection, part in (
        (Selection(theme="x"), "themes"),
        (Selection(min_rating=1), "rating"),
    ):
        found = read(tmp_path, f"fen,mate\n{LADDER},2\n", selection=selection)
        fault = f"expected a field {part}, found 'fen, mate'"
        assert found.shown == f"? --theme and --min-rating: {fault}"


def test_names_of_fields_are_printed_safely(tmp_path: Path) -> None:
    for name in ("\x1b[31mN", "\ud800", "a\nb", "x" * 10_000):
        text = record(**{name: 2, "cla\nim": 2})
        fault = read(tmp_path, text, columns={"keys": "M"}).shown
        assert fault.startswith("? --columns: expected one of fen, ")
        assert (fault.isprintable(), len(fault) < 200) == (True, True)
        found = read(tmp_path, text)
        assert found.problem.claim == Claim(2)
        assert str(found.summary).isprintable()


# --- matesolve's own: JSON lines and CSV


def read_lines(*lines: str) -> Records:
    raw = (line.encode() for line in lines)
    return list(read_jsonl(enumerate(raw, 1), FileSummary("x"), ReadOptions()))


def read_rows(
    *rows: str, summary: FileSummary | None = None, **options: Any
) -> Records:
    raw = (f"{row}\n".encode() for row in rows)
    records = read_csv(
        enumerate(raw, 1), summary or FileSummary("x"), ReadOptions(**options)
    )
    return [with_source(record, record.source) for record in records]


ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
WHOLE = Problem(
    ROOK, "rook", Claim(8, ("h7g6",), ("h7g6", "h1g1"), any_last_move=True), "x:2"
)
ANSWER = {"mate": 2, "keys": [{"uci": "h7g6", "san": "Kg6"}], "pv": ["h7g6", "h1g1"]}

MOVE = "expected a legal, unambiguous move in SAN or UCI"
SIGNED = "expected 1 to 200 moves, negative when the side to move is mated"


def own(**fields: Any) -> str:
    return json.dumps({"id": "rook", "fen": ROOK} | fields)


def test_a_line_is_a_problem() -> None:
    moves = {"claimed_keys": ["h7g6"], "claimed_line": ["h7g6", "h1g1"]}
    assert read_lines("", own(claim=8, any_last_move=True, **moves)) == [WHOLE]
    bare = Problem(ROOK, "x:1", None, "x:1")
    assert read_lines('{"fen":"8/7K/8/8/8/8/R7/7k"}') == [bare]
    for name in (" red \x1b[31m\n\trook ", " ", "\ud83d"):
        (found,) = problems_of(read_lines(own(id=name)))
        assert found.id == name.replace("\ud83d", "\ufffd")


LINES = f"""
{{"claim": null, "nomate": null, "claimed_keys": null}} -> -
{{"claim": -3}} -> -3
{{"nomate": 4}} -> no mate in 4
{{"claimed_keys": ["h7g6"]}} -> -
{{"claim": 8, "claimed_keys": ["Kg6", "h7g6"]}} -> 8 key h7g6
{{"schema": 1, "mate": 8, "keys": [{{"uci": "h7g6"}}], "pv": []}} -> -
{json.dumps(ANSWER)} -> 2 key h7g6 pv h7g6 h1g1
{json.dumps(ANSWER | {"schema": 1, "claim": 8, "claimed_keys": ["h7g7"]})} -> 8 key h7g7
{json.dumps(ANSWER | {"verdict": "shorter", "claim": 8, "claimed_line": None})} -> 8
{{"fen": null}} -> ? expected a FEN, found nothing
{{"fen": 3}} -> ? board: expected 8 ranks with / between them, found 1 in '3'
{{"claim": true}} -> ? claim: {SIGNED}, found 'true'
{{"claim": 3.5}} -> ? claim: {SIGNED}, found '3.5'
{{"claim": 3, "nomate": 3}} -> 3 ! claims: expected one, found a mate in 3 and nomate 3
{{"claim": 8, "any_last_move": 1}} -> 8 ! any_last_move: expected true, false or nothing
{{"claim": 8, "claimed_keys": ["h7h5"]}} -> 8 ! claimed_keys: {MOVE}, found 'h7h5'
{{"claim": 8, "claimed_line": ["h7g6", "h7g6"]}} -> 8 ! claimed_line: {MOVE}, found
"""


@pytest.mark.parametrize(("fields", "expected"), arrows(LINES))
def test_a_field_is_read_ignored_or_named_as_wrong(fields: str, expected: str) -> None:
    (found,) = read_lines(own(**json.loads(fields)))
    assert shown(found).startswith(expected)
    assert ("!" in shown(found)) == ("!" in expected)


def test_a_bad_line_is_reported_in_one_line_and_skipped() -> None:
    for bad, reason in (
        ("[1]", "record: expected objects, lists or texts with a FEN, found [1]"),
        ("8/8", "expected a JSON object, found '8/8': Extra data"),
        (f'{{"claim":{"9" * 5000}}}', 'expected a JSON object, found \'{"claim":999'),
        ("[" * 60_000, "expected a JSON object, found '[[["),
        (" " * 65_537, "expected a line of at most 65,536 bytes, found a longer one"),
    ):
        lines = read_lines("# a comment", own(), "  \r\n", bad, own())
        assert [one.source for one in lines] == ["x:2", "x:4", "x:5"]
        assert [shown(one)[0] for one in lines] == ["-", "?", "-"]
        assert shown(lines[1]).startswith(f"? {reason}")
        assert shown(lines[1]).isprintable()


HEAD = "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move"
"""The columns of a mate; files of matesolve 0.1 have no others."""


def test_a_row_is_a_problem() -> None:
    assert f"{HEAD},stipulation,claimed_solutions\n" == CSV_HEAD
    assert read_rows(HEAD, f"rook,{ROOK},8,,h7g6,h7g6 h1g1,true") == [WHOLE]
    found = read_rows("", "solver,claim,fen,id", "", f"0.1,8,{ROOK},rook", " \r\n")
    assert found == [Problem(ROOK, "rook", Claim(8), "x:4")]
    assert read_rows() == []


ROWS = rf"""
rook,@,,,,, -> rook -> -
rook,@,,4,,, -> rook -> no mate in 4
rook,@,8,,h7g6 h7h6,, -> rook -> 8 key h7g6 h7h6
"a ""rook""; 1,2",@,,,,, -> a "rook"; 1,2 -> -
#1,@,,,,, -> #1 -> -
 rook , @ , ,,,, ->  rook  -> -
rook,@,8,8,,, -> rook -> 8 ! claims: expected one, found a mate in 8 and nomate 8
rook,@,8,,h7h5,, -> rook -> 8 ! claimed_keys: {MOVE}
rook,@,8,,,,yes -> rook -> 8 ! any_last_move: expected true, false or nothing
rook,@,8,,,h7g6 x, -> rook -> 8 ! claimed_line: expected a move in SAN or UCI
rook,@,x,4,,, -> rook -> no mate in 4 ! claim: expected 1 to 200 moves
rook,@,,,, ->  -> ? expected 7 columns, found 6
a, rook,@,,,,, ->  -> ? expected 7 columns, found 8
rook,,,,,, ->  -> ? expected a FEN, found nothing
rook,@,x,,,, ->  -> ? claim: {SIGNED}, found 'x'
"rook,@,8 ->  -> ? expected a row of CSV, found '"rook,@,8': unexpected end of data
"""


@pytest.mark.parametrize(("row", "name", "expected"), arrows(ROWS))
def test_a_row_and_a_cell_cost_no_other(row: str, name: str, expected: str) -> None:
    good = f"good,{ROOK},,,,,"
    first, found, last = read_rows(HEAD, good, row.replace("@", ROOK), good)
    assert (first.source, found.source, last.source) == ("x:2", "x:3", "x:4")
    assert shown(first) == shown(last) == "-"
    assert shown(found).startswith(expected.replace("@", ROOK))
    assert ("!" in shown(found)) == ("!" in expected)
    if isinstance(found, Problem):
        assert (found.id, found.fen) == (name, ROOK)


def test_a_cell_is_a_formula_by_its_first_character_unless_it_is_a_number() -> None:
    formulas = ("=1+1", "+M2", "-M2", "-", "@SUM(A1)", "\t=1", "\r=1", "\0=1", "+1-2")
    for cell in (*formulas, '=HYPERLINK("http://x")'):
        assert is_formula(cell), cell
    for cell in ("", "-3", "+3", "-0.25", "a=1", "'=1", " =1", '"=1'):
        assert not is_formula(cell), cell


CELLS = (
    ["id", "fen", "claim"],
    ["=1", "8/8 w - -", "-3"],
    ["a,b", '=say "x"', "1"],
    ["", 'say "=1"', ""],
    ["\t", "two\nlines", "+M2"],
    ['"=1', "fine", "2"],
    ["@last", "fine", "2"],
)


WARNING = (
    "warning: 5 cells are a formula to a spreadsheet (line 2, id: '=1'; line 3, "
    "fen: '=say \"x\"'; line 5, id: '\\t'; ...); --escape-formulas writes ' before each"
)


@pytest.mark.parametrize("escapes", [False, True])
def test_cells_that_are_formulas_are_named_or_get_a_quote(escapes: bool) -> None:
    whole, file = FormulaGuard(escapes=escapes), io.BytesIO()
    one_by_one = FormulaGuard(cast("BinaryIO", file), escapes=escapes)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(CELLS)
    written = whole.check(text.getvalue())
    for row in CELLS:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(row)
        one_by_one.writelines([text.getvalue().encode()])
    assert file.getvalue().decode() == written
    quoted = [["'" * is_formula(one) + one for one in row] for row in CELLS]
    rows = [*csv.reader(io.StringIO(written, newline=""))]
    assert rows == (quoted if escapes else [*map(list, CELLS)])
    for guard in (whole, one_by_one):
        lines: list[str] = []
        guard.report(lines.append)
        assert lines == ([] if escapes else [WARNING])


# --- lichess's: the position after the first move, and its claim

HEADER = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,"
    "OpeningTags"
)
FEN = "6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30"
"""After Rb2, Ra8 mates."""

AFTER = "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31"
ROOKS = "7k/8/8/8/8/R7/1R6/K7 b - - 0 1"
CLAIM = Claim(1, ("a1a8",), ("a1a8",), any_last_move=True)
MATE = Problem(AFTER, "abc12", CLAIM, "x:2")
SHUFFLE = "h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3 h8g8 a3a2"
"""Seven pairs of legal moves from ROOKS."""


def row(
    name: str = "abc12",
    fen: str = FEN,
    moves: str = "a2b2 a1a8",
    rating: str = "1500",
    themes: str = "mate mateIn1 short",
) -> str:
    return f"{name},{fen},{moves},{rating},75,94,6608,{themes},https://x/y#1,"


def test_a_row_is_the_problem_after_the_opponents_move() -> None:
    assert read_rows(HEADER, row()) == [MATE]
    first, second = read_rows(row(), row())  # without a header
    assert first == Problem(MATE.fen, MATE.id, MATE.claim, "x:1")
    assert second == MATE
    quoted = row().replace("https://x/y#1", '"https://x/y,""z"""')
    assert read_rows(HEADER, quoted) == [MATE]
    names = "FEN\tMoves\tThemes\tid"  # fewer and in another order
    assert read_rows(names, f"{FEN}\ta2b2 a1a8\tmate\tabc12") == [MATE]


def test_the_claim_is_the_number_of_moves_and_a_theme_may_contradict_it() -> None:
    for themes, pairs, mate, other in (
        *(("mate", 3, 3, 0), ("mateIn2", 2, 2, 0), ("mateIn5", 7, 7, 0)),
        *(("mateIn2", 1, 2, 1), ("mateIn5", 4, 5, 4), ("mateIn1 mateIn3", 1, 1, 3)),
    ):
        moves = SHUFFLE.split()[: 2 * pairs]
        (problem,) = read_rows(row(fen=ROOKS, moves=" ".join(moves), themes=themes))
        assert isinstance(problem, Problem)
        claim = Claim(mate, ("a3a2",), tuple(moves[1:]), any_last_move=True)
        assert (problem.claim, problem.id) == (claim, "abc12")
        found = f"claims: expected one, found a mate in {mate} and a mate in {other}"
        assert warned(problem) == (found if other else "")


LEGAL = "Moves: expected a legal, unambiguous move in SAN or UCI, found"
UNREADABLE = "Moves: expected a move in SAN or UCI, found"
COUNT = "Moves: expected 1 to 200 moves of each side, the opponent's first"


@pytest.mark.parametrize(
    ("moves", "expected", "warning"),
    cases(f"""
        a2b2 a1a7       | #1 keys a1a7 line a1a7
        a2a1 a1a8       | #1 | {LEGAL} 'a1a8'
        a2b2 x          | #1 | {UNREADABLE} 'x'
        a2b2            | #1 | {COUNT}, found 1
        a2b2 a1a8 b2b8  | #1 keys a1a8 line a1a8 b2b8 | {COUNT}, found 3
    """),
)
def test_moves_that_cannot_be_read_cost_only_a_claim_without_a_number(
    moves: str, expected: str, warning: str
) -> None:
    (problem,) = problems_of(read_rows(row(moves=moves)))
    assert said(problem) == expected
    assert warned(problem).partition("; ")[0] == warning
    if warning:
        error = FormatError("x:1", warning)
        assert read_rows(row(moves=moves, themes="mate")) == [error]


CHOSEN = [
    row("one", rating="1000"),
    row("two", rating="2000", themes="mate mateIn1 hangingPiece"),
    row("win", rating="3000", themes="crushing backRankMate"),
    row("bad", moves="x", rating="1500", themes="mate"),
    row("six", ROOKS, " ".join(SHUFFLE.split()[:12]), "1500.0", "mate mateIn5"),
]


def test_rows_are_selected_by_their_cells() -> None:
    for selection, expected in (
        (Selection(), "one two x:4 six"),
        (Selection(all_rows=True), "one two win x:4 six"),
        (Selection(min_rating=1500), "two x:4 six"),
        (Selection(min_rating=1501), "two"),
        (Selection(theme="hangingPiece"), "two"),
        (Selection(theme="crushing"), ""),
        (Selection(theme="crushing", all_rows=True), "win"),
        (Selection(min_claim=2), "six"),
        (Selection(max_claim=5), "one two x:4"),
        (Selection(min_claim=1, max_claim=1, all_rows=True), "one two"),
    ):
        summary = FileSummary("x")
        records = read_rows(*CHOSEN, selection=selection, summary=summary)
        assert summary.not_selected == len(CHOSEN) - len(records)
        assert expected.split() == [
            record.id if isinstance(record, Problem) else record.source
            for record in records
            if isinstance(record, FormatError) or selection.includes(record)
        ]
        assert "PuzzleId" in summary.fields["name"]
    rated = Selection(min_rating=1)
    for rating in ("", "high"):
        reason = f"rating: expected a number, found {rating!r}"
        records = read_rows(row(rating=rating), selection=rated)
        assert records == [FormatError("x:1", reason)]
        assert said(*read_rows(row(rating=rating))) == "#1 keys a1a8 line a1a8"
    names = HEADER.replace("Rating,", "other,")
    assert read_rows(names, row()) == [MATE]
    expected = "--theme and --min-rating: expected a field rating, found "
    assert said(*read_rows(names, row(), selection=rated)).startswith(expected)
