"""Rows with named fields: which names are known, and how their cells are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary, Selection
from solver.problem import Claim, Problem
from tests.formats.whole_files import read_with

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
"""Mate in two, as in Ra7 Kg8 Rb8#."""

KEY = ("a2a7",)
LINE = ("a2a7", "h8g8", "b1b8")
BEFORE = "6k1/8/8/8/8/8/R7/1R4K1 b - - 0 1"
"""After Kh8 it is the ladder."""


class Read(NamedTuple):
    """What was read of a file."""

    records: list[Problem | FormatError]
    summary: FileSummary

    @property
    def problem(self) -> Problem:
        (problem,) = self.records
        assert isinstance(problem, Problem), problem
        return problem

    @property
    def fault(self) -> str:
        (error,) = self.records
        assert isinstance(error, FormatError), error
        return error.reason


def read(folder: Path, text: str, **options: Any) -> Read:
    path = folder / "x"
    path.write_text(text, encoding="utf-8")
    summary = FileSummary()
    return Read([*read_with(path, summary, **options)], summary)


def table(*rows: str, delimiter: str = ",") -> str:
    return "".join(f"{row.replace('|', delimiter)}\n" for row in rows)


def record(**fields: Any) -> str:
    return json.dumps({"fen": LADDER, **fields}) + "\n"


@pytest.mark.parametrize(
    "name",
    ["fen", "FEN", "Fen", "position", "Position", "EPD", "start_fen", "Initial FEN"],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_begins_with_a_line_that_names_a_position(
    name: str, delimiter: str, tmp_path: Path
) -> None:
    found = read(
        tmp_path, table(f"No|{name}|mate", f"7|{LADDER}|2", delimiter=delimiter)
    )
    assert found.problem.fen == LADDER
    assert found.problem.claim == Claim(2)
    titles = {",": "CSV", ";": "CSV with ;", "\t": "CSV with tabs"}
    assert found.summary.title == titles[delimiter]
    assert found.summary.fields == {"position": {name: None}, "claim": {"mate": None}}
    assert found.summary.ignored == {"No": False}


def test_a_name_of_a_position_alone_is_a_table_of_one_column(tmp_path: Path) -> None:
    problem = read(tmp_path, f"FEN\n{LADDER}\n").problem
    assert (problem.fen, problem.id, problem.claim) == (LADDER, "x:2", None)


@pytest.mark.parametrize(
    "name",
    [
        *("claim", "mate", "mate_in", "Mate In", "MateIn", "mate-in", "dm", "DM"),
        *("moves to mate", "Moves_To_Mate", "mate_in_n", "bm", "best_move"),
    ],
)
@pytest.mark.parametrize("cell", ["2", "+2", "#2", " 2 ", "2.0"])
def test_a_number_in_these_fields_claims_a_mate(
    name: str, cell: str, tmp_path: Path
) -> None:
    assert read(tmp_path, record(**{name: cell})).problem.claim == Claim(2)


@pytest.mark.parametrize(
    ("cell", "mate"),
    [
        (2, 2),
        (2.0, 2),
        ("#-2", -2),
        ("M3", 3),
        ("two", 2),
        ("Mate in two", 2),
        ("mate in 3 moves", 3),
        ("mateIn4", 4),
        ("2 moves", 2),
        ("3-mover", 3),
        ("mated in 2", -2),
        ("White mates in two", 2),
        ("Black mates in two", -2),
    ],
)
def test_a_claim_is_a_number_or_says_it_in_words(
    cell: object, mate: int, tmp_path: Path
) -> None:
    assert read(tmp_path, record(claim=cell)).problem.claim == Claim(mate)


@pytest.mark.parametrize("cell", ["", "-", "?", None, "NaN", "n/a"])
def test_an_empty_claim_claims_nothing(cell: object, tmp_path: Path) -> None:
    assert read(tmp_path, record(claim=cell)).problem.claim is None


@pytest.mark.parametrize(
    ("fields", "mate"),
    [
        ({"type": "Mate in Two"}, 2),
        ({"type": "mate in 2"}, 2),
        ({"Type": "#2"}, 2),
        ({"problem_type": "White mates in three"}, 3),
        ({"description": "A fine mate in 2 by Loyd"}, 2),
        ({"title": "checkmate in 4"}, 4),
        ({"description": "Find the checkmate in 1 move"}, 1),
        ({"goal": "Deliver mate in one."}, 1),
        ({"description": "White to move. Mate in One."}, 1),
        ({"stipulation": "Mate in 3"}, 3),
        ({"stipulation": "#3"}, 3),
        ({"themes": ["short", "mateIn2"]}, 2),
        ({"themes": "mate mateIn3"}, 3),
        ({"theme": "mate in 2"}, 2),
        ({"title": "No mate in 2, but mate in 3"}, 3),
        ({"name": "mate in 2"}, 2),
    ],
)
def test_words_and_themes_claim_a_mate(
    fields: dict[str, Any], mate: int, tmp_path: Path
) -> None:
    problem = read(tmp_path, record(**fields)).problem
    assert (problem.claim, problem.warnings) == (Claim(mate), ())


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "#201 A title"},
        {"title": "Puzzle #2"},
        {"id": "#2"},
        {"title": "White could avoid mate in 2"},
        {"type": "endgame"},
        {"themes": "smotheredMate short"},
        {"description": "not a mate in 2"},
    ],
)
def test_other_texts_claim_nothing(fields: dict[str, Any], tmp_path: Path) -> None:
    assert read(tmp_path, record(**fields)).problem.claim is None


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"claim": 2, "type": "Selfmate in 2"}, "Selfmate in 2"),
        ({"claim": 2, "type": "helpmate"}, "helpmate"),
        ({"mate": 3, "title": "Series help-mate in 3"}, "Series help"),
        ({"stipulation": "White wins"}, "White wins"),
        ({"stipulation": "ser-h#3"}, "ser-h#3"),
    ],
)
def test_another_stipulation_in_words_is_refused_by_its_name(
    fields: dict[str, Any], what: str, tmp_path: Path
) -> None:
    fault = read(tmp_path, record(**fields)).fault
    assert "expected #n, =n, s#n" in fault
    assert what in fault


def test_a_type_may_be_a_stipulation(tmp_path: Path) -> None:
    problem = read(tmp_path, record(type="h#2")).problem
    assert (str(problem.stipulation), problem.claim) == ("h#2", Claim(2))


@pytest.mark.parametrize(
    ("field", "cell"),
    [
        ("moves", "a2a7"),
        ("solution", "Ra7!"),
        ("Solution", "1. Ra7"),
        ("answer", "a2-a7"),
        ("best_move", "Ra2-a7"),
        ("best move", "Ra7"),
        ("keys", ["a2a7"]),
        ("key", "Ra7"),
        ("bm", "Ra7"),
        ("bestMoveUci", "a2a7"),
        ("solution", [{"uci": "a2a7", "san": "Ra7"}]),
        ("moves", [{"san": "Ra7"}]),
    ],
)
def test_a_single_move_of_a_longer_mate_is_a_key(
    field: str, cell: object, tmp_path: Path
) -> None:
    problem = read(tmp_path, record(mate=2, **{field: cell})).problem
    assert (problem.claim, problem.warnings) == (Claim(2, KEY), ())


@pytest.mark.parametrize(
    ("field", "cell"),
    [
        ("moves", "a2a7 h8g8 b1b8"),
        ("Moves", "1. Ra7 Kg8 2. Rb8#"),
        ("solution", ["Ra7", "Kg8", "Rb8#"]),
        ("solution", ["1. Ra7 Kg8", "2. Rb8#"]),
        ("answer", "1.a2-a7 h8-g8 2.b1-b8"),
        ("main_line", [["a2a7", "h8g8"], ["b1b8"]]),
        ("solutions", [["Ra7", "Kg8", "Rb8"]]),
        ("solutionUci", ["a2a7", "h8g8", "b1b8"]),
        ("solutionSAN", ["Ra7", "Kg8", "Rb8#"]),
        ("lines", [["Ra7", "Kg8", "Rb8#"]]),
    ],
)
def test_a_line_has_a_key_and_claims_its_length_if_it_mates(
    field: str, cell: object, tmp_path: Path
) -> None:
    problem = read(tmp_path, record(**{field: cell})).problem
    assert (problem.claim, problem.warnings) == (Claim(2, KEY, LINE), ())


def test_a_line_of_an_engine_claims_no_key(tmp_path: Path) -> None:
    problem = read(tmp_path, record(mate=2, pv="a2a7 h8g8 b1b8")).problem
    assert problem.claim == Claim(2, (), LINE)


def test_a_line_that_does_not_mate_claims_no_length(tmp_path: Path) -> None:
    assert read(tmp_path, record(moves="a2a7 h8g8 b1b7")).problem.claim is None


def test_an_even_line_that_mates_begins_with_the_opponents_move(tmp_path: Path) -> None:
    mated = "k7/8/1KQ5/8/8/8/8/8 b - - 0 1"
    found = read(tmp_path, record(fen=mated, line="a8b8 c6b7"))
    assert found.problem.fen.startswith("1k6/8/1KQ5/8/8/8/8/8 w")
    assert found.problem.claim == Claim(1, ("c6b7",), ("c6b7",))
    assert found.summary.reading == (
        "moves begin one move before the position: "
        "1 of 1 lines end in mate that way, 0 the other way"
    )
    said = read(tmp_path, record(fen=mated, line="a8b8 c6b7", mate=-1))
    assert said.problem.claim == Claim(-1, (), ("a8b8", "c6b7"))


@pytest.mark.parametrize(
    ("fields", "mate", "other"),
    [
        ({"themes": "mateIn3", "moves": "Ra7 Kg8 Rb8"}, 3, 2),
        ({"claim": 4, "type": "Mate in two"}, 4, 2),
        ({"mate": 2, "dm": 3}, 2, 3),
        ({"type": "#3", "solution": list(LINE)}, 3, 2),
    ],
)
def test_of_contradicting_fields_the_clearest_counts_and_both_are_named(
    fields: dict[str, Any], mate: int, other: int, tmp_path: Path
) -> None:
    problem = read(tmp_path, record(id="a name", **fields)).problem
    assert problem.claim is not None
    assert problem.claim.mate == mate
    assert (problem.id, problem.fen) == ("a name", LADDER)
    (warning,) = problem.warnings
    found = f"found a mate in {mate} and a mate in {other}; kept mate in {mate}"
    assert warning.startswith(f"claims: expected one, {found}")


@pytest.mark.parametrize("fields", [{"moves": 3}, {"solutions": "2"}])
def test_a_number_in_a_field_of_moves_is_neither_a_claim_nor_lost(
    fields: dict[str, Any], tmp_path: Path
) -> None:
    found = read(tmp_path, record(**fields))
    assert found.problem.claim is None
    assert found.summary.unread_claims == [*fields]
    problem = read(tmp_path, record(type="Mate in 2", key=17, **fields)).problem
    assert problem.claim == Claim(2)


@pytest.mark.parametrize("fields", [{"answer": "1."}, {"line": "{x}"}])
def test_what_is_no_move_is_neither_a_line_nor_lost(
    fields: dict[str, Any], tmp_path: Path
) -> None:
    fault = read(tmp_path, record(**fields)).fault
    assert fault.startswith(
        f"{next(iter(fields))}: expected a move in SAN or UCI, found"
    )
    problem = read(tmp_path, record(type="Mate in 2", key=17, **fields)).problem
    assert problem.claim == Claim(2)
    assert len(problem.warnings) == 1


@pytest.mark.parametrize("name", ["turn", "Side to move", "color", "first"])
@pytest.mark.parametrize("cell", ["b", "Black", "black to move"])
def test_a_position_without_its_side_takes_it_from_its_field(
    name: str, cell: str, tmp_path: Path
) -> None:
    fields = {"fen": LADDER.partition(" ")[0], "mate": 2, name: cell}
    assert read(tmp_path, record(**fields)).problem.fen == LADDER.replace("w", "b")
    fields["fen"] = LADDER
    assert read(tmp_path, record(**fields)).problem.fen == LADDER


def test_a_solution_that_cannot_be_read_is_a_warning_if_a_mate_is_claimed(
    tmp_path: Path,
) -> None:
    problem = read(tmp_path, record(mate=2, best_move="Ra7", solution="K")).problem
    assert problem.claim == Claim(2, KEY)
    assert problem.warnings == (
        "solution: expected a move in SAN or UCI, found 'K'; kept mate in 2, key a2a7",
    )
    fault = read(tmp_path, record(solution="K")).fault
    assert fault == "solution: expected a move in SAN or UCI, found 'K'"


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"id": 7, "title": "x"}, "7"),
        ({"PuzzleId": "abc"}, "abc"),
        ({"Problem ID": "3b"}, "3b"),
        ({"Name": "Loyd"}, "Loyd"),
        ({"id": "", "title": "A title"}, "A title"),
        ({}, "x:1"),
    ],
)
def test_the_first_field_with_a_name_names_the_record(
    fields: dict[str, Any], name: str, tmp_path: Path
) -> None:
    assert read(tmp_path, record(**fields)).problem.id == name


@pytest.mark.parametrize(
    ("head", "row", "columns"),
    [
        ("ID,Stellung,N", f"7,{LADDER},2", {"fen": "Stellung", "claim": "N"}),
        ("ID;Board;n moves", f"7;{LADDER};2", {"FEN": "board", "mate": "N Moves"}),
        ("id,fen,mate,n", f"7,{LADDER},9,2", {"claim": "n"}),
        (f"7,{LADDER},2", "", {"id": "1", "fen": "2", "claim": "3"}),
        (f"7;x;{LADDER};2", "", {"id": "1", "fen": "3", "claim": "4"}),
    ],
)
def test_columns_may_be_named_by_hand(
    head: str, row: str, columns: dict[str, str], tmp_path: Path
) -> None:
    problem = read(tmp_path, f"{head}\n{row}", columns=columns).problem
    assert (problem.fen, problem.claim, problem.id) == (LADDER, Claim(2), "7")


@pytest.mark.parametrize("nested", [{"m": {"n": 2}}, {"m.n": 2, "m": {"n": 3}}])
def test_dots_lead_into_nested_objects(
    nested: dict[str, object], tmp_path: Path
) -> None:
    columns = {"fen": "input", "claim": "m.n", "keys": "answer.moves.0"}
    asked = {"input": LADDER, "answer": {"moves": {"0": "a2a7"}}} | nested
    found = read(tmp_path, json.dumps(asked), columns=columns)
    assert (found.problem.fen, found.problem.claim) == (LADDER, Claim(2, KEY))
    assert found.summary.fields["claim"] == {"m.n": None}
    document = json.dumps({"puzzles": [asked]}, indent=1)
    assert read(tmp_path, document, columns=columns).problem.claim == Claim(2, KEY)


@pytest.mark.parametrize("nested", [{}, {"m": 2}, {"m": None}])
def test_a_nested_field_may_be_missing_from_later_records_only(
    nested: dict[str, object], tmp_path: Path
) -> None:
    columns = {"claim": "m.n"}
    later = record(m={"n": 2}) + record(**nested)
    problem = read(tmp_path, later, columns=columns).records[1]
    assert isinstance(problem, Problem)
    assert problem.claim is None
    fault = read(tmp_path, record(**nested), columns=columns).fault
    assert fault.startswith("--columns: expected one of fen")
    assert fault.endswith("found 'm.n'")


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"claim": "M"}, "--columns: expected one of id, fen, n, found 'M'"),
        ({"clam": "n"}, "--columns: expected one of position, stipulation, claim"),
    ],
)
def test_an_unknown_column_or_part_is_refused_with_what_there_is(
    columns: dict[str, str], fault: str, tmp_path: Path
) -> None:
    text = table("id,fen,n", f"7,{LADDER},2")
    assert read(tmp_path, text, columns=columns).fault.startswith(fault)
    found = read(tmp_path, record(id=7, n=2), columns={"claim": "M"})
    assert found.fault.startswith("--columns: expected one of fen, id, n, found 'M'")


@pytest.mark.parametrize(
    "moves", ["g8h8 a2a7 h8g8 b1b8", "1... Kh8 2. Ra7 Kg8 3. Rb8#"]
)
def test_the_first_move_may_be_played_before_the_puzzle(
    moves: str, tmp_path: Path
) -> None:
    text = table("fen;themes;solution", f"{BEFORE};mateIn2;{moves}")
    columns = {"moves": "after-first"}
    problem = read(tmp_path, text, columns=columns).problem
    assert problem.fen.startswith("7k/8/8/8/8/8/R7/1R4K1 w - - 1 2")
    assert problem.claim == Claim(2, KEY, LINE)
    columns["line"] = "solution"
    assert read(tmp_path, text, columns=columns).problem == problem


def test_numbers_that_may_be_claims_are_named_and_not_guessed(tmp_path: Path) -> None:
    text = table("ID,FEN,Rating,depth,length", *2 * [f"7,{LADDER},1500,2,3"])
    found = read(tmp_path, text)
    assert [type(record) for record in found.records] == [Problem, Problem]
    assert found.summary.unread_claims == ["depth", "length"]
    only_positions = table("ID,FEN,Rating,url", f"7,{LADDER},1500,x")
    found = read(tmp_path, only_positions)
    assert (found.problem.claim, found.summary.unread_claims) == (None, [])


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(theme="fork"), ["a"]),
        (Selection(min_rating=1500), ["b"]),
        (Selection(min_claim=3), ["b"]),
        (Selection(max_claim=2), ["a"]),
    ],
)
def test_themes_and_ratings_select_rows_of_any_table(
    selection: Selection, names: list[str], tmp_path: Path
) -> None:
    rows = [("a", 2, "fork pin", 1499), ("b", 3, "pin", 1500.5)]
    as_table = table(
        "id;fen;mate;Themes;Rating",
        *(";".join([name, LADDER, *map(str, rest)]) for name, *rest in rows),
    )
    as_lines = "".join(
        record(id=name, mate=mate, themes=themes.split(), rating=rating)
        for name, mate, themes, rating in rows
    )
    for text in (as_table, as_lines):
        found = read(tmp_path, text, selection=selection)
        given = [item.id for item in found.records if isinstance(item, Problem)]
        assert given == names
        assert found.summary.not_selected == 1


def test_a_selection_without_its_field_is_refused(tmp_path: Path) -> None:
    text = table("fen,mate", f"{LADDER},2")
    for selection, part in (
        (Selection(theme="x"), "themes"),
        (Selection(min_rating=1), "rating"),
    ):
        expected = (
            f"--theme and --min-rating: expected a field {part}, found 'fen, mate'"
        )
        assert read(tmp_path, text, selection=selection).fault == expected


@pytest.mark.parametrize("name", ["\x1b[31mN", "\ud800", "a\nb", "x" * 10_000])
def test_names_of_fields_are_printed_safely(name: str, tmp_path: Path) -> None:
    text = record(**{name: 2, "cla\nim": 2})
    found = read(tmp_path, text, columns={"keys": "M"})
    assert found.fault.startswith("--columns: expected one of fen, ")
    assert found.fault.isprintable()
    assert len(found.fault) < 200
    found = read(tmp_path, text)
    assert found.problem.claim == Claim(2)
    assert str(found.summary).isprintable()
