"""`matesolve convert`: exact outputs, and files that are complete or absent."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import names, rows

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
RECORD = f'{ROOK} dm 8; bm Kg6; id "rook";\n'
JSON = f'{{"id":"rook","fen":"{ROOK} 0 1","claim":8,"claimed_keys":["h7g6"]}}\n'
COLUMNS = (
    "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move,stipulation,"
    "claimed_solutions"
)
LICHESS = """\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
one,6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30,a2b2 a1a8,1000,75,9,6,mate mateIn1,u,
two,6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30,a2b2 a1a8,2000,75,9,6,mate mateIn1,u,
win,6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30,a2b2 a1a8,2000,75,9,6,crushing,u,
"""
NO_BOARD = "board: expected 8 ranks with / between them, found 1 in 'hello'"
NO_RECORDS = "error: expected records, found none:"


def counts(written: int, unselected: int = 0, skipped: int = 0) -> str:
    return f"{written} written, {unselected} not selected, {skipped} skipped\n"


@pytest.fixture
def convert(cli: Cli) -> Cli:
    """Return the command, in a folder with a collection of one record."""
    Path("x.epd").write_text(RECORD)
    return lambda words, **settings: cli(f"convert {words}", **settings)


def test_the_suffix_selects_the_format(convert: Cli) -> None:
    for name, text in (
        ("out.epd", RECORD),
        ("out.fen", f"{ROOK} 0 1\n"),
        ("out.jsonl", JSON),
        ("out.csv", f"{COLUMNS}\nrook,{ROOK} 0 1,8,,h7g6,,,,\n"),
    ):
        for written in (name, f"{name}.gz", f"again-{name}.gz"):
            assert convert(f"x.epd {written}") == (0, "", counts(1))
        assert Path(name).read_text() == text
        compressed = Path(f"{name}.gz").read_bytes()
        assert gzip.decompress(compressed).decode() == text
        assert Path(f"again-{name}.gz").read_bytes() == compressed
    assert len(names()) == 13


def test_standard_streams_are_input_and_output(convert: Cli) -> None:
    assert convert("- - --to jsonl", stdin=RECORD) == (0, JSON, counts(1))
    assert convert("- - --to epd", stdin=JSON).out == RECORD
    convert("x.epd out.epd --to fen")
    assert Path("out.epd").read_text() == f"{ROOK} 0 1\n"


def test_records_are_selected(convert: Cli) -> None:
    for options, selected in rows("""
                                    | one two
        --min-rating 1500           | two
        --max-claim 1 --theme mate  | one two
        --all-rows --theme crushing | win
    """):
        ended = convert(f"- - --to csv {options}", stdin=LICHESS)
        found = selected.split()
        assert (ended.code, ended.err) == (0, counts(len(found), 3 - len(found)))
        assert [row.split(",")[0] for row in ended.out.splitlines()[1:]] == found


def test_a_bad_record_is_reported_and_skipped(convert: Cli) -> None:
    Path("x.epd").write_text(f"{RECORD}hello\n{RECORD}")
    error = f"error: x.epd:2: {NO_BOARD}\n{counts(2, 0, 1)}"
    assert convert("x.epd y.epd") == (65, "", error)
    assert Path("y.epd").read_text() == RECORD * 2
    error = "--theme and --min-rating: expected lichess's CSV, found EPD"
    error = f"error: x.epd: {error}\n{counts(0, 0, 1)}"
    assert convert("x.epd - --to fen --theme mate") == (65, "", error)


SENSELESS = """
x.epd x.txt         | x.txt: unknown suffix; choose one of these formats with
x.epd -             | -: unknown suffix; choose one of these formats with --to:
x.epd link.epd      | expected an output that is not an input
x.epd y.epd --to lichess   | 'lichess' is not one of
x.epd y.epd --min-claim 0  | from 1 to 200
x.epd               | Missing argument 'OUT'
x.epd y.epd --drop=reject  | need --correct.
x.epd y.epd --cooks=claim  | need --correct.
x.epd - --escape-formulas --to epd | --escape-formulas needs CSV.
"""


def test_senseless_arguments_are_usage_errors(convert: Cli) -> None:
    Path("link.epd").symlink_to("x.epd")
    for words, message in rows(SENSELESS):
        ended = convert(words)
        assert (ended.code, ended.out, message in ended.err) == (2, "", True), words
    assert Path("x.epd").read_text() == RECORD
    assert names() == ["link.epd", "x.epd"]


def test_without_records_the_output_is_empty(convert: Cli) -> None:
    error = f"{counts(0)}{NO_RECORDS} stdin\n"
    assert convert("- x.csv", stdin="\n# nothing\n") == (65, "", error)
    assert Path("x.csv").read_bytes() == b""
    error = f"{counts(0, 3)}{NO_RECORDS} stdin (3 not selected)\n"
    assert convert("- - --to csv --min-claim 2", stdin=LICHESS) == (65, "", error)


def test_parquet_has_the_rows_of_csv_and_is_read_again(convert: Cli) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    Path("a.csv").write_text(LICHESS)
    assert convert("a.csv b.parquet") == (0, "", counts(2, 1))
    as_csv = convert("a.csv - --to csv").out
    rows = parquet.read_table("b.parquet").to_pylist()
    fen = "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31"
    cells = ["two", fen, 1, None, "a1a8", "a1a8", True, None, None]
    assert rows[1] == dict(zip(COLUMNS.split(","), cells, strict=True))
    assert convert("b.parquet b.parquet.gz") == (0, "", counts(2))
    assert convert("b.parquet.gz - --to csv") == (0, as_csv, counts(2))


@pytest.mark.parametrize("words", ["convert x.epd y.parquet", "export x.db -o -"])
@pytest.mark.usefixtures("convert")
def test_without_pyarrow_parquet_is_not_written(
    words: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = cli(f"{words} --to parquet")
    message = "Parquet needs pyarrow, which is not installed: pip install pyarrow"
    assert (ended.code, ended.err.splitlines()[-1]) == (2, f"Error: {message}")
    assert names() == ["x.epd"]


def test_a_formula_is_written_exactly_with_a_warning_or_with_a_quote(
    convert: Cli,
) -> None:
    line = json.dumps({"id": "=1+1", "fen": BACK_RANK})
    code, _, err = convert("- x.csv", stdin=line)
    begin = "warning: 1 cell is a formula to a spreadsheet (line 2, id: '=1+1'); "
    assert (code, err.startswith(begin)) == (0, True)
    assert json.loads(convert("x.csv - --to jsonl").out)["id"] == "=1+1"
    code, out, err = convert("- - --to csv --escape-formulas", stdin=line)
    assert (code, err, "\n'=1+1," in out) == (0, counts(1), True)


# --- corrected claims

WRONG = f"""fen,mate,name
8/7K/8/8/8/8/R7/7k w - - 0 1,7,"a, b"
7k/8/8/8/8/8/7b/1K6 w - - 0 1,2,none
{BACK_RANK},1,right
"""


def test_a_corrected_file_has_proved_claims_and_names_the_others(cli: Cli) -> None:
    Path("set.csv").write_text(WRONG)
    assert cli("verify set.csv --store run.db -q").code == 1
    correct = "convert set.csv out.csv --correct run.db"
    assert cli(correct)[::2] == (
        1,
        "set.csv:2: a, b: changed mate 7 -> 8\n"
        "set.csv:3: none: left (refuted, no-solution): no shortest mate is proved\n"
        "1 corrected, 1 left\n",
    )
    assert Path("out.csv").read_text() == WRONG.replace(",7,", ",8,")
    Path("marks").write_text("id,mark\nnone,accept\n")
    cli("verify set.csv --store run.db -q --marks marks")
    ended = cli(correct)
    assert ended.code == 0
    assert ended.err.endswith("1 corrected, 0 left\n")
    assert cli("verify out.csv --marks marks -q").code == 0


def test_what_cannot_be_corrected_is_refused_before_anything_is_written(
    cli: Cli,
) -> None:
    for words, code, message in rows("""
        - out.csv                | 2  | --correct needs the name of a file
        set.csv out.epd          | 2  | and keeps its format
        set.csv set.csv          | 2  | expected an output that is not an input
        set.toml out.toml        | 65 | results of set.toml, found those of set.csv
        set.csv out.csv --changes x.txt | 2 | a name with .jsonl or .html
        set.csv out.csv --drop cook     | 2 | not one of reject, unreadable
    """):
        Path("set.csv").write_text(WRONG)
        Path("set.toml").write_text(f'fen = "{WRONG.splitlines()[1][:28]}"\ndm = 2\n')
        cli("verify set.csv --store run.db -q")
        ended = cli(f"convert {words} --correct run.db")
        assert ended.code == int(code)
        assert message in ended.err
        assert Path("set.csv").read_text() == WRONG
        assert not Path("out.csv").exists()


NAMED = "Nr;Stellung;Z\xfcge\r\nx;8/7K/8/8/8/8/R7/7k w - - 0 1;{}\r\n"


def test_a_file_is_read_again_as_it_was_for_the_audit(cli: Cli) -> None:
    Path("x.csv").write_bytes(NAMED.format(7).encode("cp1252"))
    named = "--columns id=Nr,claim=Z\xfcge --min-claim 2"
    cli(f"verify x.csv {named} --store run.db -q")
    for options in ("", named):
        ended = cli(f"convert x.csv y.csv --correct run.db {options}")
        said = "x.csv:2: x: changed Z\xfcge 7 -> 8\n1 corrected, 0 left\n"
        assert ended[::2] == (0, said)
        assert Path("y.csv").read_bytes() == NAMED.format(8).encode("cp1252")


def test_each_correction_is_written_with_its_evidence_for_programs_and_people(
    cli: Cli,
) -> None:
    Path("set.csv").write_text(WRONG + "not a position,3,x\n")
    Path("marks").write_text("id,mark\nright,reject\n")
    cli("verify set.csv --store run.db -q --marks marks")
    options = "--changes made.jsonl --changes made.html --drop reject,unreadable"
    ended = cli(f"convert set.csv out.csv --correct run.db {options}")
    assert ended.code == 1
    assert ended.err.endswith("1 corrected, 1 left, 2 dropped\n")
    corrected = WRONG.replace(",7,", ",8,").rpartition("6k1")[0]
    assert Path("out.csv").read_text() == corrected
    records = [json.loads(line) for line in Path("made.jsonl").read_text().splitlines()]
    assert [f"{one['source']} {one['action']}" for one in records] == [
        *("set.csv:2 changed", "set.csv:3 left"),
        *("set.csv:4 dropped", "set.csv:5 dropped"),
    ]
    changed, left, *_ = records
    assert (changed["before"], changed["after"]) == ({"mate": "7"}, {"mate": "8"})
    assert changed["evidence"]["lower_bound"] == changed["evidence"]["mate"] == 8
    assert left["left"][-1] == "no shortest mate is proved"
    page = Path("made.html").read_text()
    assert "<title>Corrections of set.csv" in page
    assert "changed mate 7 -&gt; 8" in page
