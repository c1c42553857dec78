"""`matesolve report`: records read, and a page written."""

from __future__ import annotations

import gzip
import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from solver.cli.main import run
from tests.reports.html_page import data_of, entries_of, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Matesolve

RECORDS = "".join(f"{json.dumps(record(id=name))}\n" for name in "ab")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.jsonl").write_text(RECORDS)
    return tmp_path


def names(page: Path) -> list[str]:
    return [entry["id"] for entry in entries_of(page.read_bytes())]


def test_a_page_is_written_of_what_verify_printed(
    matesolve: Matesolve, folder: Path
) -> None:
    printed = matesolve("verify", "puzzles/traps.epd", "--jsonl").out
    page = folder / "page.html"

    ended = matesolve("report", "-", "-o", str(page), stdin=printed)

    assert ended == (0, "", "")
    told = [json.loads(line)["id"] for line in printed.splitlines()]
    assert names(page) == told
    assert data_of(page.read_bytes())["disagreements"] == 0
    assert b"<title>Audit of stdin</title>" in page.read_bytes()


def test_a_file_may_be_compressed_and_names_the_page(folder: Path) -> None:
    (folder / "run.jsonl.gz").write_bytes(gzip.compress(RECORDS.encode()))

    assert run(["report", "run.jsonl.gz", "-o", "page.html"]) == 0

    page = folder / "page.html"
    assert names(page) == ["a", "b"]
    assert b"<title>Audit of run.jsonl.gz</title>" in page.read_bytes()


def test_a_page_can_be_given_a_title(folder: Path) -> None:
    assert run(["report", "run.jsonl", "-o", "page.html", "--title", "Mine"]) == 0

    assert b"<h1>Mine</h1>" in (folder / "page.html").read_bytes()


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ('{"schema":1,"id":', "Expecting value"),
        ("\n[1]", "found '[1]'"),
        ("8/8/8/8/8/8/8/8 w - -", "Extra data"),
    ],
)
def test_a_damaged_line_is_told_listed_and_costs_itself_only(
    damaged: str, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_text(f"{RECORDS}{damaged}\n{RECORDS}")
    source = f"run.jsonl:{3 + damaged.count(chr(10))}"

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"error: {source}: expected a JSON object, found ")
    assert reason in told.err
    assert names(folder / "page.html") == ["a", "b", source, "a", "b"]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_records_are_lines_whatever_ends_them(
    end: str,
    compress: Callable[[bytes], bytes],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = f"{RECORDS}\nhello\n{RECORDS}".replace("\n", end)
    (folder / "run.jsonl").write_bytes(compress(text.encode()))

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65

    assert capsys.readouterr().err.startswith("error: run.jsonl:4: expected ")
    assert names(folder / "page.html") == ["a", "b", "run.jsonl:4", "a", "b"]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_of_nothing_a_page_is_written_too(text: str, folder: Path) -> None:
    (folder / "run.jsonl").write_text(text)

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 0
    assert names(folder / "page.html") == []


def test_bytes_that_are_no_text_are_a_damaged_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_bytes(b"\xff\xfe{}\n")

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65
    assert "error: run.jsonl:1: expected a JSON object" in capsys.readouterr().err


def test_a_store_makes_the_page_that_its_records_make(folder: Path) -> None:
    (folder / "set.epd").write_text(
        '6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 2; id "short";\nhello\n'
    )
    run(["verify", "set.epd", "--keys", "--store", "run.db", "-q"])
    run(["export", "run.db", "-o", "told.jsonl"])
    assert run(["report", "run.db", "-o", "store.html", "--title", "x"]) == 0
    assert run(["report", "told.jsonl", "-o", "lines.html", "--title", "x"]) == 0
    page = (folder / "store.html").read_bytes()
    assert page == (folder / "lines.html").read_bytes()
    assert [entry["word"] for entry in entries_of(page)] == ["shorter", "unreadable"]


def test_another_database_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(folder / "run.db") as database:
        database.execute("CREATE TABLE anything (it)")
    database.close()

    assert run(["report", "run.db", "-o", "page.html"]) == 74
    assert capsys.readouterr().err == (
        "error: run.db: expected a store of audits, found another database\n"
    )
    assert not (folder / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("run.jsonl",), 2, "Missing option '-o'"),
        (("none.jsonl", "-o", "p.html"), 74, "none.jsonl: No such file or directory"),
        (("run.jsonl", "-o", "no/p.html"), 74, "no/p.html: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_told_and_leaves_no_page(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["report", *arguments]) == code
    assert message in capsys.readouterr().err
    assert list(folder.glob("**/*.html")) == []
