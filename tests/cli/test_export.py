"""`matesolve export`: stores in every format."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.store import Store
from solver.cli.main import run
from solver.formats.registry import read_collection
from solver.problem import Claim, Problem
from solver.record import COLUMNS
from tests.pages.records import records_of

if TYPE_CHECKING:
    from pathlib import Path

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATED = "7k/R7/8/8/8/8/8/1R4K1 b - -"
COLLECTION = f"""\
{BACK_RANK} dm 2; id "one, \\"two\\"";
{BACK_RANK} dm 1; bm Ra8; id "fine";
8/7K/8/8/8/8/R7/7k w - - dm 2; id "none";
hello
{MATED} dm -1; id "lost";
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.epd").write_text(COLLECTION)
    return tmp_path


@pytest.fixture
def store(capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["verify", "set.epd", "--keys", "--store", "run.db", "-q"]) == 65
    capsys.readouterr()
    return "run.db"


def run_command(
    capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    code = run(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_store_keeps_names_and_the_terminal_gets_one_line(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    name = " two\t\u00a0\x1b[2J "
    record = json.dumps({"id": name, "fen": BACK_RANK, "claim": 2})
    (folder / "names.jsonl").write_text(f"{record}\n")
    code, out, _ = run_command(capsys, "verify", "names.jsonl", "--store", "names.db")
    assert code == 1
    assert "names.jsonl:1: two \ufffd[2J: claimed " in out
    assert not set(out) & {"\t", "\x1b", "\u00a0"}
    for suffix in ("jsonl", "csv", "parquet"):
        run_command(capsys, "export", "names.db", "-o", f"out.{suffix}")
        (problem,) = read_collection(folder / f"out.{suffix}")
        assert isinstance(problem, Problem)
        assert problem.id == name


def test_csv_has_a_column_for_each_field_and_reads_back(
    capsys: pytest.CaptureFixture[str], folder: Path, store: str
) -> None:
    assert run_command(capsys, "export", store, "-o", "run.csv") == (
        0,
        "",
        "5 written\n",
    )
    with (folder / "run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["id"] for row in rows] == [
        'one, "two"', "fine", "none", "set.epd:4", "lost"
    ]  # fmt: skip
    assert [row["verdict"] for row in rows] == [
        "shorter", "proved", "refuted", "unreadable", "proved"
    ]  # fmt: skip
    with Store(store, read_only=True) as opened:
        results = list(opened.results())
    assert [[*row.values()] for row in rows] == [
        ["" if field is None else str(field) for field in result.row()]
        for result in results
    ]


def test_json_lines_are_what_verify_prints(
    capsys: pytest.CaptureFixture[str], folder: Path, store: str
) -> None:
    run_command(capsys, "export", store, "-o", "run.jsonl.gz")
    lines = gzip.decompress((folder / "run.jsonl.gz").read_bytes()).splitlines()
    _, out, _ = run_command(capsys, "verify", "set.epd", "--keys", "--jsonl")

    def timeless(record: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in record.items() if name != "time_s"}

    printed = [timeless(json.loads(line)) for line in out.splitlines()]
    assert [timeless(json.loads(line)) for line in lines] == printed


def test_epd_is_a_corrected_collection_that_verifies(
    capsys: pytest.CaptureFixture[str], folder: Path, store: str
) -> None:
    code, out, _ = run_command(capsys, "export", store, "--to", "epd", "-o", "-")
    assert code == 0
    assert out == (
        f'{BACK_RANK} dm 1; bm Ra8#; pv Ra8#; id "one, \\"two\\"";\n'
        f'{BACK_RANK} dm 1; bm Ra8#; pv Ra8#; id "fine";\n'
        "8/7K/8/8/8/8/R7/7k w - - dm 8; bm Kg6; pv Kg6 Kg1 Kf5 Kf1 Ke4 Ke1 Kd3 Kf1 Ke3 "
        'Kg1 Kf3 Kh1 Kg3 Kg1 Ra1#; id "none";\n'
        f'{MATED} dm -1; pv Kg8 Rb8#; id "lost";\n'
    )
    (folder / "better.epd").write_text(out)
    assert run_command(capsys, "verify", "better.epd", "--keys", "-q") == (0, "", "")


def test_epd_denies_no_mate_where_only_being_mated_is_disproved(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    rook = "8/7K/8/8/8/8/R7/7k w - -"  # White mates in 8
    (folder / "sign.epd").write_text(f'{rook} dm -8; id "sign";\n')
    assert run(["verify", "sign.epd", "--store", "sign.db", "-q"]) == 1
    capsys.readouterr()
    out = run_command(capsys, "export", "sign.db", "--to", "epd", "-o", "-")[1]
    assert out == f'{rook} id "sign";\n'


def test_epd_says_that_help_play_has_no_solution_and_names_what_it_leaves_out(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    bare, queen = "7k/8/8/8/8/8/8/K7", "7k/8/8/8/8/8/8/KQ6"
    (folder / "plays.epd").write_text(
        f'{bare} b - - stipulation "h#2"; id "help";\n'
        f'{queen} w - - stipulation "s#1"; id "self";\n'
        "hello\n"
    )
    assert run(["verify", "plays.epd", "--store", "plays.db", "-q"]) == 65
    capsys.readouterr()
    code, out, err = run_command(capsys, "export", "plays.db", "-o", "out.epd")
    assert (code, out) == (0, "")
    assert err == "1 written\n2 left out, which EPD cannot express\n"
    written = (folder / "out.epd").read_text()
    assert written == f'{bare} b - - stipulation "h#2"; solutions 0; id "help";\n'
    (problem,) = read_collection(folder / "out.epd")
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(2, solutions=0)
    assert run_command(capsys, "verify", "out.epd", "-q") == (0, "", "")


def test_parquet_has_the_same_rows(
    capsys: pytest.CaptureFixture[str], folder: Path, store: str
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run_command(capsys, "export", store, "-o", "run.parquet")
    rows = parquet.read_table(folder / "run.parquet").to_pylist()
    with Store(store, read_only=True) as opened:
        assert [tuple(row.values()) for row in rows] == [
            result.row() for result in opened.results()
        ]


def test_exported_parquet_is_verified_again(
    capsys: pytest.CaptureFixture[str], store: str
) -> None:
    pytest.importorskip("pyarrow")
    run_command(capsys, "export", store, "-o", "run.parquet")
    printed = [
        [json.loads(line) for line in run_command(capsys, *words)[1].splitlines()]
        for words in (
            ("export", store, "--to", "jsonl", "-o", "-"),
            ("verify", "run.parquet", "--jsonl"),
        )
    ]
    fields = ("id", "fen", "claim", "nomate", "verdict", "mate", "keys")
    claims, again = (
        [[record.get(name) for name in fields] for record in records if record["fen"]]
        for records in printed
    )
    assert again == claims
    assert claims


@pytest.mark.parametrize(
    ("chosen", "ids"),
    [
        ("--verdict shorter", ['one, "two"']),
        ("--verdict shorter,refuted", ['one, "two"', "none"]),
        ("--verdict unreadable", ["set.epd:4"]),
        ("--verdict none", []),
        ("--soundness sound", ["fine"]),
        ("--soundness sound,short-solution", ['one, "two"', "fine"]),
        ("--claim 2", ['one, "two"', "none"]),
        ("--claim #1,#-1", ["fine", "lost"]),
        ("--claim -1", ["lost"]),
        ("--claim none", ["set.epd:4"]),
        ("--claim 2 --verdict refuted", ["none"]),
        ("--claim 1 --verdict refuted", []),
    ],
)
def test_options_select_the_same_results_for_an_export_and_a_report(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    store: str,
    chosen: str,
    ids: list[str],
) -> None:
    words = chosen.split()
    code, out, err = run_command(
        capsys, "export", store, *words, "-o", "-", "--to", "jsonl"
    )
    assert (code, err) == (0, f"{len(ids)} written\n")
    assert [json.loads(line)["id"] for line in out.splitlines()] == ids
    assert run_command(capsys, "report", store, *words, "-o", "page.html")[0] == 0
    page = (folder / "page.html").read_bytes()
    assert sorted(record["id"] for record in records_of(page)) == sorted(ids)


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (
            ["run.db", "--verdict", "wrong", "-o", "x.csv"],
            2,
            None,
        ),
        (["set.epd", "-o", "x.csv"], 74, None),
        (
            ["missing.db", "-o", "x.csv"],
            74,
            f"error: missing.db: {os.strerror(errno.ENOENT)}\n",
        ),
        (["run.db", "-o", "no/such/x.csv"], 74, None),
        (["run.db", "-o", "x.doc"], 2, None),
        (["run.db"], 2, None),
    ],
)
def test_an_export_that_fails_is_reported_and_leaves_no_file(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    store: str,
    arguments: list[str],
    code: int,
    error: str | None,
) -> None:
    before = sorted(folder.iterdir())
    got, out, err = run_command(capsys, "export", *arguments)
    assert (got, out) == (code, "")
    assert error is None or err == error
    assert "Traceback" not in err
    assert sorted(folder.iterdir()) == before
    with Store(store, read_only=True) as opened:
        assert len(list(opened.results())) == 5


def test_formulas_are_named_or_escaped(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "=x.epd").write_text(f'{BACK_RANK} dm 1; id "+M2";\n')
    assert run(["verify", "=x.epd", "--store", "x.db", "-q"]) == 0
    capsys.readouterr()
    export = "export", "x.db", "-o", "-", "--to"
    code, out, err = run_command(capsys, *export, "csv")
    (row,) = csv.DictReader(out.splitlines())
    assert (code, row["id"], row["source"]) == (0, "+M2", "=x.epd:1")
    first, written = err.splitlines()
    assert first.startswith("warning: 2 cells are a formula to a spreadsheet (line 2, ")
    assert written == "1 written"
    code, out, err = run_command(capsys, *export, "csv", "--escape-formulas")
    (row,) = csv.DictReader(out.splitlines())
    assert (code, err) == (0, "1 written\n")
    assert (row["id"], row["source"]) == ("'+M2", "'=x.epd:1")
    assert run_command(capsys, *export, "epd", "--escape-formulas")[0] == 2
