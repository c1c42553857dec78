"""`matesolve convert`: exact outputs, and files that are complete or absent."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.cli.main import run
from tests.cli.processes import process

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
RECORD = f'{ROOK} dm 8; bm Kg6; id "rook";\n'
JSON = f'{{"id":"rook","fen":"{ROOK} 0 1","claim":8,"claimed_keys":["h7g6"]}}\n'
LICHESS = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,"
    "OpeningTags\n"
    "one,6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30,a2b2 a1a8,1000,75,9,6,mate mateIn1,u,\n"
    "two,6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30,a2b2 a1a8,2000,75,9,6,mate mateIn1,u,\n"
    "win,6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30,a2b2 a1a8,2000,75,9,6,crushing,u,\n"
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.epd"
    path.write_text(RECORD)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("out.epd", RECORD),
        ("out.fen", f"{ROOK} 0 1\n"),
        ("out.jsonl", JSON),
        (
            "out.csv",
            "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move,stipulation,"
            f"claimed_solutions\nrook,{ROOK} 0 1,8,,h7g6,,,,\n",
        ),
    ],
)
def test_the_suffix_selects_the_format(
    source: Path, matesolve: Matesolve, name: str, text: str
) -> None:
    target = source.with_name(name)
    expected = (0, "", "1 written, 0 not selected, 0 skipped\n")
    assert matesolve("convert", str(source), str(target)) == expected
    assert target.read_text() == text
    assert matesolve("convert", str(source), f"{target}.gz") == expected
    compressed = target.with_name(f"{name}.gz").read_bytes()
    assert gzip.decompress(compressed).decode() == text
    assert sorted(path.name for path in source.parent.iterdir()) == sorted(
        ["x.epd", name, f"{name}.gz"]
    )


def test_the_same_problems_make_the_same_compressed_file(
    source: Path, matesolve: Matesolve
) -> None:
    names = [str(source.with_name(name)) for name in ("a.epd.gz", "b.epd.gz")]
    for name in names:
        matesolve("convert", str(source), name)
    first, second = (Path(name).read_bytes() for name in names)
    assert first == second


def test_standard_streams_are_input_and_output(matesolve: Matesolve) -> None:
    ended = matesolve("convert", "-", "-", "--to", "jsonl", stdin=RECORD)
    assert ended == (0, JSON, "1 written, 0 not selected, 0 skipped\n")
    back = matesolve("convert", "-", "-", "--to", "epd", stdin=JSON)
    assert back.out == RECORD


def test_the_option_overrides_the_suffix(source: Path, matesolve: Matesolve) -> None:
    target = source.with_name("out.epd")
    matesolve("convert", str(source), str(target), "--to", "fen")
    assert target.read_text() == f"{ROOK} 0 1\n"


@pytest.mark.parametrize(
    ("options", "names", "expected"),
    [
        ((), ["one", "two"], "2 written, 1 not selected, 0 skipped\n"),
        (
            ("--min-rating", "1500"),
            ["two"],
            "1 written, 2 not selected, 0 skipped\n",
        ),
        (
            ("--theme", "mateIn1"),
            ["one", "two"],
            "2 written, 1 not selected, 0 skipped\n",
        ),
        (
            ("--max-claim", "1", "--theme", "mate"),
            ["one", "two"],
            "2 written, 1 not selected, 0 skipped\n",
        ),
        (
            ("--all-rows", "--theme", "crushing"),
            ["win"],
            "1 written, 2 not selected, 0 skipped\n",
        ),
    ],
)
def test_records_are_selected(
    matesolve: Matesolve, options: tuple[str, ...], names: list[str], expected: str
) -> None:
    ended = matesolve("convert", "-", "-", "--to", "csv", *options, stdin=LICHESS)
    assert (ended.code, ended.err) == (0, expected)
    assert [row.split(",")[0] for row in ended.out.splitlines()[1:]] == names


def test_a_bad_record_is_reported_and_skipped(
    tmp_path: Path, matesolve: Matesolve
) -> None:
    source, target = tmp_path / "x.epd", tmp_path / "y.epd"
    source.write_text(f"{RECORD}hello\n{RECORD}")
    assert matesolve("convert", str(source), str(target)) == (
        65,
        "",
        f"error: {source}:2: board: expected 8 ranks with / between them, "
        "found 1 in 'hello'\n2 written, 0 not selected, 1 skipped\n",
    )
    assert target.read_text() == RECORD * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("x.epd", "x.txt"),
            "x.txt: unknown suffix; choose one of these formats with --to: epd, fen, "
            "jsonl, ",
        ),
        (
            ("x.epd", "-"),
            "-: unknown suffix; choose one of these formats with --to: epd, fen, ",
        ),
        (("x.epd", "x.epd"), "expected an output that is not an input"),
        (("x.epd", "link.epd"), "expected an output that is not an input"),
        (("x.epd", "y.epd", "--from", "chess"), "'chess' is not one of"),
        (("x.epd", "y.epd", "--to", "lichess"), "'lichess' is not one of"),
        (("x.epd", "y.epd", "--min-claim", "0"), "from 1 to 200"),
        (("x.epd",), "Missing argument 'OUT'"),
    ],
)
def test_senseless_arguments_are_usage_errors(
    source: Path, matesolve: Matesolve, arguments: tuple[str, ...], message: str
) -> None:
    link = source.with_name("link.epd")
    link.symlink_to(source)
    named = [
        str(source.parent / name) if ".epd" in name else name for name in arguments
    ]
    ended = matesolve("convert", *named)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert source.read_text() == RECORD
    assert set(source.parent.iterdir()) == {source, link}


def test_if_reading_or_writing_fails_nothing_is_left(
    source: Path, matesolve: Matesolve
) -> None:
    missing = source.with_name("missing.epd")
    target = source.with_name("y.epd")
    assert matesolve("convert", str(missing), str(target)) == (
        74,
        "",
        f"error: {missing}: No such file or directory\n",
    )
    nowhere = source.parent / "none" / "y.epd"
    assert matesolve("convert", str(source), str(nowhere)) == (
        74,
        "",
        f"error: {nowhere}: No such file or directory\n",
    )
    assert list(source.parent.iterdir()) == [source]


def test_only_lichess_has_themes(source: Path, matesolve: Matesolve) -> None:
    ended = matesolve("convert", str(source), "-", "--to", "fen", "--theme", "mate")
    assert ended == (
        65,
        "",
        f"error: {source}: --theme and --min-rating: expected lichess's CSV, "
        "found EPD\n0 written, 0 not selected, 1 skipped\n",
    )


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupt_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "y.epd"
    target.write_text("what was there\n")
    with process("convert", "--from", "epd", "-", str(target)) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        # The error line shows that reading has begun.
        running.stdin.write(f"{RECORD}hello\n")
        running.stdin.flush()
        assert "expected 8 ranks" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        running.stdin.close()
        assert running.wait() == 130
        assert running.stderr.read() == "interrupted\n"
    assert target.read_text() == "what was there\n"
    assert list(tmp_path.iterdir()) == [target]


def test_without_records_the_output_is_empty(
    tmp_path: Path, matesolve: Matesolve
) -> None:
    target = tmp_path / "x.csv"
    counts = "0 written, 0 not selected, 0 skipped\n"
    expected = (65, "", f"{counts}error: expected records, found none: stdin\n")
    assert matesolve("convert", "-", str(target), stdin="\n# nothing\n") == expected
    assert target.read_bytes() == b""
    ended = matesolve(
        "convert", "-", "-", "--to", "csv", "--min-claim", "2", stdin=LICHESS
    )
    counts = "0 written, 3 not selected, 0 skipped\n"
    error = "error: expected records, found none: stdin (3 not selected)\n"
    assert ended == (65, "", counts + error)


def test_a_file_that_changes_while_it_is_read_is_not_converted(
    source: Path, tmp_path: Path
) -> None:
    target = tmp_path / "y.epd"
    with source.open("r+") as growing:
        growing.write("hello\n" + RECORD * 20_000)
        growing.flush()
        with process("convert", str(source), str(target)) as running:
            assert running.stderr is not None
            assert "expected 8 ranks" in running.stderr.readline()
            growing.write(RECORD)
            growing.flush()
            assert running.wait() == 74
            error = running.stderr.read()
    assert error == f"error: {source}: changed while it was read\n"
    assert list(tmp_path.iterdir()) == [source]


def test_parquet_has_the_rows_of_csv_and_is_read_again(
    tmp_path: Path, matesolve: Matesolve
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    expected = (0, "", "2 written, 1 not selected, 0 skipped\n")
    source, table, back = (tmp_path / name for name in ("a.csv", "b.parquet", "c.csv"))
    source.write_text(LICHESS)
    assert matesolve("convert", str(source), str(table)) == expected
    as_csv = matesolve("convert", str(source), "-", "--to", "csv").out
    rows = parquet.read_table(table).to_pylist()
    assert [list(row) for row in rows] == [as_csv.splitlines()[0].split(",")] * 2
    assert rows[1] == {
        "id": "two",
        "fen": "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31",
        "claim": 1,
        "nomate": None,
        "claimed_keys": "a1a8",
        "claimed_line": "a1a8",
        "any_last_move": True,
        "stipulation": None,
        "claimed_solutions": None,
    }
    read = "2 written, 0 not selected, 0 skipped\n"
    assert matesolve("convert", str(table), str(back)) == (0, "", read)
    assert back.read_text() == as_csv
    assert matesolve("convert", str(table), f"{table}.gz") == (0, "", read)
    assert gzip.decompress(Path(f"{table}.gz").read_bytes()) == table.read_bytes()
    assert matesolve("convert", f"{table}.gz", "-", "--to", "csv") == (0, as_csv, read)


def test_a_table_without_rows_is_still_parquet(
    tmp_path: Path, matesolve: Matesolve
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = tmp_path / "x.parquet"
    counts = "0 written, 0 not selected, 0 skipped\n"
    nothing = "error: expected records, found none: "
    expected = (65, "", f"{counts}{nothing}stdin\n")
    assert matesolve("convert", "-", str(table), stdin="\n") == expected
    assert parquet.read_table(table).num_rows == 0
    expected = (65, "", f"{counts}{nothing}{table}\n")
    assert matesolve("convert", str(table), "-", "--to", "epd") == expected


@pytest.mark.parametrize(
    "arguments", [("convert", "x.epd", "y.parquet"), ("export", "x.db", "-o", "-")]
)
def test_without_pyarrow_parquet_is_not_written(
    arguments: tuple[str, ...],
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(source.parent)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run([*arguments, "--to", "parquet"]) == 2
    message = (
        "Error: Parquet needs pyarrow, which is not installed: pip install pyarrow"
    )
    assert capsys.readouterr().err.splitlines()[-1] == message
    assert list(source.parent.iterdir()) == [source]


def test_a_bad_row_of_parquet_is_reported_with_its_number(
    tmp_path: Path, matesolve: Matesolve
) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"fen": [ROOK, "hello"]}), source)
    assert matesolve("convert", str(source), "-", "--to", "fen") == (
        65,
        f"{ROOK} 0 1\n",
        f"error: {source}:2: board: expected 8 ranks with / between them, "
        "found 1 in 'hello'\n1 written, 0 not selected, 1 skipped\n",
    )


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("out.pgn", RECORD),
        ("out.inp", f'{ROOK} dm 8; id "rook";\n'),
    ],
)
def test_pgn_and_popeyes_input_are_written_and_read_again(
    source: Path, matesolve: Matesolve, name: str, kept: str
) -> None:
    source.write_text(RECORD * 3)
    target = str(source.with_name(name))
    expected = "3 written, 0 not selected, 0 skipped\n"
    assert matesolve("convert", str(source), target) == (0, "", expected)
    assert matesolve("convert", target, "-", "--to", "epd") == (0, kept * 3, expected)


def test_claims_that_the_format_cannot_express_are_skipped(
    matesolve: Matesolve,
) -> None:
    records = f"{ROOK} nomate 3;\n{RECORD}{ROOK}\n"
    ended = matesolve("convert", "-", "-", "--to", "popeye", stdin=records)
    assert ended.code == 65
    assert ended.out.count("Stipulation") == 1
    first, second, summary = ended.err.splitlines()
    assert first.startswith("error: stdin:1: ")
    assert second.startswith("error: stdin:3: ")
    assert summary == "1 written, 0 not selected, 2 skipped"


# --- corrected claims

WRONG = """fen,mate,name
8/7K/8/8/8/8/R7/7k w - - 0 1,7,"a, b"
7k/8/8/8/8/8/7b/1K6 w - - 0 1,2,none
6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1,1,right
"""


def test_a_corrected_file_has_proved_claims_and_names_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.csv").write_text(WRONG)
    assert run(["verify", "set.csv", "--store", "run.db", "-q"]) == 1
    capsys.readouterr()
    correct = ["convert", "set.csv", "out.csv", "--correct", "run.db"]
    assert run(correct) == 1
    assert Path("out.csv").read_text() == WRONG.replace(",7,", ",8,")
    assert capsys.readouterr().err == (
        "set.csv:2: a, b: changed mate 7 -> 8\n"
        "set.csv:3: none: left (refuted, no-solution): no shortest mate is proved\n"
        "1 corrected, 1 left\n"
    )
    Path("marks").write_text("id,mark\nnone,accept\n")
    run(["verify", "set.csv", "--store", "run.db", "-q", "--marks", "marks"])
    assert run(correct) == 0
    assert capsys.readouterr().err.endswith("1 corrected, 0 left\n")
    assert run(["verify", "out.csv", "--marks", "marks", "-q"]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-", "out.csv"], 2, "--correct needs the name of a file"),
        (["set.csv", "out.csv", "--to", "epd"], 2, "and keeps its format"),
        (["set.csv", "out.epd"], 2, "and keeps its format"),
        (["set.csv", "set.csv"], 2, "expected an output that is not an input"),
        (["set.csv", "run.db"], 2, "expected an output that is not an input"),
        (["set.toml", "out.toml"], 65, "results of set.toml, found those of set.csv"),
        (["set.json", "out.csv"], 2, "and keeps its format"),
        (
            ["set.csv", "out.csv", "--changes", "x.txt"],
            2,
            "a name with .jsonl or .html",
        ),
        (["set.csv", "out.csv", "--drop", "cook"], 2, "not one of reject, unreadable"),
        (["none.csv", "out.csv"], 74, "none.csv: No such file"),
    ],
)
def test_what_cannot_be_corrected_is_refused_before_anything_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.csv").write_text(WRONG)
    Path("set.toml").write_text(f'fen = "{WRONG.splitlines()[1][:28]}"\ndm = 2\n')
    run(["verify", "set.csv", "--store", "run.db", "-q"])
    capsys.readouterr()
    assert run(["convert", *arguments, "--correct", "run.db"]) == code
    assert message in capsys.readouterr().err
    assert Path("set.csv").read_text() == WRONG
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("option", ["--drop=reject", "--hints", "--cooks=claim"])
def test_what_an_editor_decides_needs_a_store(
    matesolve: Matesolve, option: str
) -> None:
    ended = matesolve("convert", "x.epd", "y.epd", option)
    assert ended.code == 2
    assert ended.err.endswith("need --correct.\n")


NAMED = "Nr;Stellung;Z\xfcge\r\nx;8/7K/8/8/8/8/R7/7k w - - 0 1;{}\r\n"


def test_a_file_is_read_again_as_it_was_for_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_bytes(NAMED.format(7).encode("cp1252"))
    named = ["--columns", "id=Nr,claim=Z\xfcge", "--min-claim", "2"]
    run(["verify", "x.csv", *named, "--store", "run.db", "-q"])
    capsys.readouterr()
    for options in ([], named):
        assert run(["convert", "x.csv", "y.csv", "--correct", "run.db", *options]) == 0
        said = "x.csv:2: x: changed Z\xfcge 7 -> 8\n1 corrected, 0 left\n"
        assert capsys.readouterr().err == said
        assert Path("y.csv").read_bytes() == NAMED.format(8).encode("cp1252")


def test_each_correction_is_written_with_its_evidence_for_programs_and_people(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.csv").write_text(WRONG + "not a position,3,x\n")
    Path("marks").write_text("id,mark\nright,reject\n")
    run(["verify", "set.csv", "--store", "run.db", "-q", "--marks", "marks"])
    files = ["--changes", "made.jsonl", "--changes", "made.html"]
    drop = ["--drop", "reject,unreadable"]
    correct = ["convert", "set.csv", "out.csv", "--correct", "run.db", *files, *drop]
    assert run(correct) == 1
    assert (
        Path("out.csv").read_text() == WRONG.replace(",7,", ",8,").rpartition("6k1")[0]
    )
    records = [json.loads(line) for line in Path("made.jsonl").read_text().splitlines()]
    assert [(one["source"], one["action"]) for one in records] == [
        ("set.csv:2", "changed"),
        ("set.csv:3", "left"),
        ("set.csv:4", "dropped"),
        ("set.csv:5", "dropped"),
    ]
    changed, left, *_ = records
    assert (changed["before"], changed["after"]) == ({"mate": "7"}, {"mate": "8"})
    assert changed["why"].startswith("claimed mate in 7, but no mate in 7 exists, only")
    assert changed["evidence"]["lower_bound"] == changed["evidence"]["mate"] == 8
    assert left["left"][-1] == "no shortest mate is proved"
    page = Path("made.html").read_text()
    assert "<title>Corrections of set.csv" in page
    assert "changed mate 7 -&gt; 8" in page
    assert capsys.readouterr().err.endswith("1 corrected, 1 left, 2 dropped\n")


def test_formulas_are_written_exactly_with_a_warning_or_with_a_quote(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    table, back = tmp_path / "x.csv", tmp_path / "y.csv"
    records = [
        {"id": "=1+1", "fen": fen, "claim": 1},
        {"id": "\t@x", "fen": fen, "stipulation": "=2"},
        {"id": "-3", "fen": fen, "claim": -2},
    ]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    counts = "3 written, 0 not selected, 0 skipped"
    ended = matesolve("convert", "-", str(table), stdin=lines)
    warning, *others = ended.err.splitlines()
    assert (ended.code, others) == (0, [counts])
    assert warning == (
        "warning: 3 cells are a formula to a spreadsheet (line 2, id: '=1+1'; line 3, "
        "id: '\\t@x'; line 3, stipulation: '=2'); --escape-formulas writes ' before "
        "each"
    )
    assert matesolve("convert", str(table), str(back)).code == 0
    assert back.read_bytes() == table.read_bytes()
    read = matesolve("convert", str(table), "-", "--to", "jsonl").out
    assert [json.loads(line)["id"] for line in read.splitlines()] == [
        "=1+1",
        "\t@x",
        "-3",
    ]

    ended = matesolve(
        "convert", "-", "-", "--to", "csv", "--escape-formulas", stdin=lines
    )
    assert ended.err.splitlines() == [counts]
    cells = [
        (row["id"], row["stipulation"])
        for row in csv.DictReader(ended.out.splitlines())
    ]
    assert cells == [("'=1+1", ""), ("'\t@x", "'=2"), ("-3", "")]


@pytest.mark.parametrize("options", [("--to", "epd"), ("--correct", "x.db")])
def test_formulas_are_escaped_in_csv_only(
    matesolve: Matesolve, options: tuple[str, ...]
) -> None:
    ended = matesolve("convert", "x.epd", "-", "--escape-formulas", *options)
    assert ended.code == 2
    assert ended.err.endswith("--escape-formulas needs CSV.\n")
