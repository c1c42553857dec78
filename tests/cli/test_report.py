"""`matesolve report` and `matesolve export`: records and stores as pages and files."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.store import Store
from solver.cli.main import run
from solver.formats.registry import read_collection
from solver.problem import Claim, Problem
from solver.record import COLUMNS
from tests.cli.conftest import ROOT, Ended, names, rows
from tests.cpu_time import spending_less_than
from tests.pages.records import data_of, headline_of, record, records_of

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

RECORDS = "".join(f"{json.dumps(record(id=name))}\n" for name in "ab")
PAGE = Path("page.html")


@pytest.fixture
def report(matesolve: Cli) -> Cli:
    """Return the command for a file, with the given content if there is one."""
    Path("run.jsonl").write_text(RECORDS)

    def call(*words: str | bytes, source: str = "run.jsonl") -> Ended:
        for content in words:
            if isinstance(content, bytes):
                Path(source).write_bytes(content)
        options = [word for word in words if isinstance(word, str)]
        return matesolve("report", source, "-o", str(PAGE), *options)

    return call


def listed(page: Path = PAGE) -> list[str]:
    return [one["id"] for one in records_of(page.read_bytes())]


# --- a page from records


def test_what_verify_prints_is_a_page(matesolve: Cli) -> None:
    traps = str(ROOT / "puzzles" / "traps.epd")
    printed = matesolve("verify", traps, "--jsonl").out
    ended = matesolve("report", "-", "-o", str(PAGE), stdin=printed)
    assert ended == (0, "", f"{PAGE}: written\n")
    assert listed() == [json.loads(line)["id"] for line in printed.splitlines()]
    assert "all proved" in headline_of(PAGE.read_bytes())
    assert b"<title>Audit of stdin</title>" in PAGE.read_bytes()


def test_a_page_has_the_title_and_the_modules_that_are_wanted(report: Cli) -> None:
    packed = gzip.compress(RECORDS.encode())
    assert report(packed, source="run.jsonl.gz")[0] == 0
    assert b"<title>Audit of run.jsonl.gz</title>" in PAGE.read_bytes()
    assert "modules" not in data_of(PAGE.read_bytes())
    assert report("--title", "Mine", "--solver")[0] == 0
    assert b"<h1>Mine</h1>" in PAGE.read_bytes()
    assert {*data_of(PAGE.read_bytes())["modules"]} == {"search", "battle", "help"}
    assert listed() == ["a", "b"]
    assert report(b"\n \n")[0] == 0
    assert listed() == []


BOARD = "board: expected 8 ranks"
DAMAGED = [
    (b'{"schema":1,"id":', "run.jsonl:3", "expected a JSON object", "Expecting value"),
    (b"\n[1]", "run.jsonl:4", "expected a JSON object", "found '[1]'"),
    (b"\xff\xfe{}", "run.jsonl:3", "expected a JSON object", ""),
    (b'{"fen":"x"}', "record 3", "verdict or status: expected one of proved,", ""),
    (json.dumps(record(fen="8/8")).encode(), "record 3", BOARD, ""),
]


def test_a_damaged_line_is_reported_and_listed_and_harms_no_other(report: Cli) -> None:
    for damaged, source, expected, reason in DAMAGED:
        given = RECORDS.encode()
        code, out, err = report(given + damaged + b"\n" + given)
        assert (code, out) == (65, "")
        place = source if ":" in source else f"run.jsonl: {source}"
        assert err.startswith(f"error: {place}: {expected}")
        assert reason in err
        assert listed() == ["a", "b", source, "a", "b"]


def test_a_malicious_record_is_refused_at_once(report: Cli) -> None:
    for value in ("9" * 10**6, "[" * 985 + "]" * 985, "9" * 4300):
        with spending_less_than(cpu_s=5):
            err = report(f'{RECORDS}{{"mate":{value}}}\n'.encode())[2]
        assert len(err) < 400
        assert len(listed()) == 3


LICHESS = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl"
PUZZLE = "00008,8/8/8/8,e2e4 e7e5,1,2,3,4,mate,x\n"


def test_a_file_without_results_is_refused_in_one_line(report: Cli) -> None:
    for text, found in (
        (f"{LICHESS}\n" + 1000 * PUZZLE, f"'{LICHESS[:60]}'... on line 1"),
        ("\n\n8/8/8/8/8/8/8/8 w - -\n", "'8/8/8/8/8/8/8/8 w - -' on line 3"),
    ):
        expected = "expected a store or the lines of `verify --jsonl`"
        for content in (text.encode(), gzip.compress(text.encode())):
            error = f"error: other: {expected}, found {found}\n"
            assert report(content, source="other") == (65, "", error)
        assert not PAGE.exists()


def test_other_databases_and_missing_files_leave_no_page(
    matesolve: Cli, report: Cli
) -> None:
    Store(Path("run.db")).close()
    with sqlite3.connect("other.db") as database:
        database.execute("CREATE TABLE anything (it)")
    database.close()
    found = "expected the lines of `verify --jsonl`, found a database"
    store = Path("run.db").read_bytes()
    ended = matesolve("report", "-", "-o", str(PAGE), stdin=store)
    assert ended == (65, "", f"error: stdin: {found}\n")
    error = "error: other.db: expected a store, found another database\n"
    assert report(source="other.db") == (74, "", error)
    error = "error: none.jsonl: No such file or directory\n"
    assert report(source="none.jsonl") == (74, "", error)
    assert matesolve("report", "run.jsonl").code == 2
    assert not PAGE.exists()


# --- a store in every format

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATED = "7k/R7/8/8/8/8/8/1R4K1 b - -"
COLLECTION = f"""\
{BACK_RANK} dm 2; id "one, \\"two\\"";
{BACK_RANK} dm 1; bm Ra8; id "fine";
8/7K/8/8/8/8/R7/7k w - - dm 2; id "none";
hello
{MATED} dm -1; id "lost";
"""
CORRECTED = f"""\
{BACK_RANK} dm 1; bm Ra8#; pv Ra8#; id "one, \\"two\\"";
{BACK_RANK} dm 1; bm Ra8#; pv Ra8#; id "fine";
8/7K/8/8/8/8/R7/7k w - - dm 8; bm Kg6; pv Kg6 Kg1 Kf5 Kf1 Ke4 Ke1 Kd3 Kf1 Ke3 \
Kg1 Kf3 Kh1 Kg3 Kg1 Ra1#; id "none";
{MATED} dm -1; pv Kg8 Rb8#; id "lost";
"""


def store_of(text: str, code: int, *options: str) -> list[Any]:
    """Audit a collection into `run.db`, and return its rows."""
    Path("set.epd").write_text(text)
    assert run(["verify", "set.epd", "--store", "run.db", "-q", *options]) == code
    with Store("run.db", read_only=True) as opened:
        return [result.row() for result in opened.results()]


@pytest.fixture
def export(matesolve: Cli) -> Cli:
    return partial(matesolve, "export", "run.db")


def test_csv_and_parquet_have_a_column_for_each_field(
    matesolve: Cli, export: Cli
) -> None:
    stored = store_of(COLLECTION, 65, "--keys")
    assert export("-o", "run.csv") == (0, "", "5 written\n")
    with Path("run.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == list(COLUMNS)
    verdicts = ["shorter", "proved", "refuted", "unreadable", "proved"]
    assert [row["verdict"] for row in found] == verdicts
    assert [[*row.values()] for row in found] == [
        ["" if field is None else str(field) for field in row] for row in stored
    ]
    parquet = pytest.importorskip("pyarrow.parquet")
    export("-o", "run.parquet")
    table = parquet.read_table("run.parquet").to_pylist()
    assert [tuple(row.values()) for row in table] == stored
    _, out, _ = matesolve("verify", "run.parquet", "--jsonl", "-q")
    again = [json.loads(line) for line in out.splitlines()]
    assert [one["verdict"] for one in again if one["fen"]] == [*verdicts[:3], "proved"]


def test_exported_lines_are_what_verify_prints(
    matesolve: Cli, report: Cli, export: Cli
) -> None:
    store_of(COLLECTION, 65, "--keys")
    export("-o", "run.jsonl.gz")
    lines = gzip.decompress(Path("run.jsonl.gz").read_bytes()).splitlines()
    printed = matesolve("verify", "set.epd", "--keys", "--jsonl")[1].splitlines()
    without_time = {"time_s": 0}
    exported = [json.loads(line) | without_time for line in lines]
    assert exported == [json.loads(line) | without_time for line in printed]
    pages = []
    for source in ("run.db", "run.jsonl.gz"):
        assert report("--title", "x", source=source)[0] == 0
        pages.append(PAGE.read_bytes())
    assert pages[0] == pages[1]


def test_epd_is_a_corrected_collection_that_verifies(
    matesolve: Cli, export: Cli
) -> None:
    store_of(COLLECTION, 65, "--keys")
    code, out, _ = export("--to", "epd", "-o", "-")
    assert (code, out) == (0, CORRECTED)
    Path("better.epd").write_text(out)
    assert matesolve("verify", "better.epd", "--keys", "-q") == (0, "", "")


def test_epd_names_what_it_leaves_out(matesolve: Cli, export: Cli) -> None:
    bare, queen = "7k/8/8/8/8/8/8/K7", "7k/8/8/8/8/8/8/KQ6"
    helped = f'{bare} b - - stipulation "h#2";'
    store_of(f'{helped}\n{queen} w - - stipulation "s#1";\nhello\n', 65)
    err = "1 written\n2 left out, which EPD cannot express\n"
    assert export("-o", "out.epd") == (0, "", err)
    assert Path("out.epd").read_text() == f'{helped} solutions 0; id "set.epd:1";\n'
    (problem,) = read_collection(Path("out.epd"))
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(2, solutions=0)
    assert matesolve("verify", "out.epd", "-q") == (0, "", "")


CHOSEN = """
--verdict shorter | 1
--verdict shorter,refuted | 1 3
--verdict none |
--soundness sound,short-solution | 1 2
--claim #1,#-1 | 2 5
--claim none | 4
--claim 2 --verdict refuted | 3
"""


def test_an_export_and_a_report_select_the_same(report: Cli, export: Cli) -> None:
    store_of(COLLECTION, 65, "--keys")
    for chosen, lines in rows(CHOSEN):
        code, out, err = export(*chosen.split(), "-o", "-", "--to", "jsonl")
        written = [json.loads(line) for line in out.splitlines()]
        sources = [one["source"] for one in written]
        assert (code, err) == (0, f"{len(sources)} written\n")
        assert sources == [f"set.epd:{line}" for line in lines.split()], chosen
        assert report(*chosen.split(), source="run.db")[0] == 0
        assert sorted(listed()) == sorted(one["id"] for one in written), chosen


def test_an_export_that_fails_is_reported_and_leaves_no_file(cli: Cli) -> None:
    store_of(COLLECTION, 65)
    before = names()
    missing = f"error: missing.db: {os.strerror(errno.ENOENT)}\n"
    assert cli("export missing.db -o x.csv") == (74, "", missing)
    for words, expected in (
        ("run.db --verdict wrong -o x.csv", 2),
        ("set.epd -o x.csv", 74),
        ("run.db -o no/such/x.csv", 74),
        ("run.db -o x.doc", 2),
    ):
        ended = cli(f"export {words}")
        assert (ended.code, ended.out) == (expected, ""), words
    assert names() == before
