"""`matesolve report`: records and stores become a page."""

from __future__ import annotations

import gzip
import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from solver.audit.store import Store
from solver.cli.main import run
from tests.cpu_time import spending_less_than
from tests.pages.records import data_of, headline_of, record, records_of

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
    return [listed["id"] for listed in records_of(page.read_bytes())]


def test_the_records_of_verify_become_a_page(
    matesolve: Matesolve, folder: Path
) -> None:
    printed = matesolve("verify", "puzzles/traps.epd", "--jsonl").out
    page = folder / "page.html"

    ended = matesolve("report", "-", "-o", str(page), stdin=printed)

    assert ended == (0, "", f"{page}: written\n")
    expected = [json.loads(line)["id"] for line in printed.splitlines()]
    assert names(page) == expected
    assert "all proved" in headline_of(page.read_bytes())
    assert b"<title>Audit of stdin</title>" in page.read_bytes()


def test_a_file_may_be_compressed_and_its_name_is_the_title(folder: Path) -> None:
    (folder / "run.jsonl.gz").write_bytes(gzip.compress(RECORDS.encode()))

    assert run(["report", "run.jsonl.gz", "-o", "page.html"]) == 0

    page = folder / "page.html"
    assert names(page) == ["a", "b"]
    assert b"<title>Audit of run.jsonl.gz</title>" in page.read_bytes()


def test_the_title_of_a_page_can_be_set(folder: Path) -> None:
    assert run(["report", "run.jsonl", "-o", "page.html", "--title", "Mine"]) == 0

    assert b"<h1>Mine</h1>" in (folder / "page.html").read_bytes()


@pytest.mark.parametrize("options", [[], ["--solver"]])
def test_only_a_page_with_the_search_has_its_modules(
    options: list[str], folder: Path
) -> None:
    assert run(["report", "run.jsonl", "-o", "page.html", *options]) == 0

    modules = data_of((folder / "page.html").read_bytes()).get("modules", {})
    assert {*modules} == ({"search", "battle", "help"} if options else set())


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ('{"schema":1,"id":', "Expecting value"),
        ("\n[1]", "found '[1]'"),
        ("8/8/8/8/8/8/8/8 w - -", "Extra data"),
    ],
)
def test_a_damaged_line_is_reported_and_listed_and_harms_no_other(
    damaged: str, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_text(f"{RECORDS}{damaged}\n{RECORDS}")
    source = f"run.jsonl:{3 + damaged.count(chr(10))}"

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"error: {source}: expected a JSON object, found ")
    assert reason in printed.err
    assert names(folder / "page.html") == ["a", "b", source, "a", "b"]


@pytest.mark.parametrize(
    "value", ["9" * 10**6, "[" * 10**5, "[" * 985 + "]" * 985, "9" * 4300]
)
def test_a_malicious_record_is_refused_at_once(
    value: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_text(f'{RECORDS}{{"mate":{value}}}\n')

    with spending_less_than(cpu_s=5):
        run(["report", "run.jsonl", "-o", "page.html"])
    assert len(capsys.readouterr().err) < 400
    assert len(names(folder / "page.html")) == 3


@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_records_are_lines_with_any_line_ending(
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
def test_an_empty_file_becomes_a_page(text: str, folder: Path) -> None:
    (folder / "run.jsonl").write_text(text)

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 0
    assert names(folder / "page.html") == []


def test_bytes_that_are_not_utf_8_are_a_damaged_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_bytes(b"\xff\xfe{}\n" + RECORDS.encode())

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65
    assert "error: run.jsonl:1: expected a JSON object" in capsys.readouterr().err
    assert names(folder / "page.html") == ["run.jsonl:1", "a", "b"]


def test_of_many_damaged_lines_the_first_are_printed_and_the_others_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run.jsonl").write_text(RECORDS + "hello\n" * 1200)

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65

    *printed, more, written = capsys.readouterr().err.splitlines()
    assert len(printed) == 20
    assert written == "page.html: written"
    assert more == "error: 1,180 more records are damaged"
    assert len(names(folder / "page.html")) == 1202


def test_a_record_of_another_kind_is_reported_and_listed_and_harms_no_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = json.dumps(record(fen="8/8"))
    (folder / "run.jsonl").write_text(f'{RECORDS}{{"fen":"x"}}\n{damaged}\n{RECORDS}')

    assert run(["report", "run.jsonl", "-o", "page.html"]) == 65

    other, no_position, _ = capsys.readouterr().err.splitlines()
    assert other.startswith(
        "error: run.jsonl: record 3: verdict or status: expected one of proved,"
    )
    assert no_position.startswith("error: run.jsonl: record 4: board: expected 8 ranks")
    assert names(folder / "page.html") == [*"ab", "record 3", "record 4", *"ab"]


LICHESS = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl"
PROBLEM = '{"id":"a","fen":"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1","claim":1}'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            f"{LICHESS}\n" + 1000 * "00008,8/8/8/8,e2e4 e7e5,1,2,3,4,mate,x\n",
            f"'{LICHESS[:60]}'... on line 1",
        ),
        (1000 * f"{PROBLEM}\n", f"'{PROBLEM[:60]}'... on line 1"),
        ("\n\n8/8/8/8/8/8/8/8 w - -\n", "'8/8/8/8/8/8/8/8 w - -' on line 3"),
        ("[" * 100_000, f"'{'[' * 60}'... on line 1"),
    ],
)
@pytest.mark.parametrize("name", ["other.txt", "other.gz", "-"])
def test_a_file_without_results_is_refused_in_one_line(
    name: str, text: str, found: str, matesolve: Matesolve, folder: Path
) -> None:
    given = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    if name != "-":
        (folder / name).write_bytes(given)
    page = folder / "page.html"

    source = name if name == "-" else str(folder / name)
    ended = matesolve("report", source, "-o", str(page), stdin=text)

    shown = "stdin" if name == "-" else source
    assert (ended.code, ended.out) == (65, "")
    assert ended.err == (
        f"error: {shown}: expected a store or the lines of `verify --jsonl`, "
        f"found {found}\n"
    )
    assert not page.exists()


def test_a_store_on_standard_input_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Store(folder / "run.db").close()
    with (folder / "run.db").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run(["report", "-", "-o", "page.html"]) == 65
    assert capsys.readouterr().err == (
        "error: stdin: expected the lines of `verify --jsonl`, found a database\n"
    )
    assert not (folder / "page.html").exists()


def test_a_store_and_its_records_become_the_same_page(folder: Path) -> None:
    (folder / "set.epd").write_text(
        '6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 2; id "short";\n4k3/8/8/8/8/8/8 w - -\n'
    )
    run(["verify", "set.epd", "--keys", "--store", "run.db", "-q"])
    run(["export", "run.db", "-o", "run.jsonl"])
    assert run(["report", "run.db", "-o", "store.html", "--title", "x"]) == 0
    assert run(["report", "run.jsonl", "-o", "lines.html", "--title", "x"]) == 0
    page = (folder / "store.html").read_bytes()
    assert page == (folder / "lines.html").read_bytes()
    assert [listed["verdict"] for listed in records_of(page)] == [
        "shorter",
        "unreadable",
    ]


def test_another_database_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(folder / "run.db") as database:
        database.execute("CREATE TABLE anything (it)")
    database.close()

    assert run(["report", "run.db", "-o", "page.html"]) == 74
    assert capsys.readouterr().err == (
        "error: run.db: expected a store, found another database\n"
    )
    assert not (folder / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("run.jsonl",), 2, "Missing option '-o'"),
        (("none.jsonl", "-o", "p.html"), 74, "none.jsonl: No such file or directory"),
    ],
)
def test_an_error_is_reported_and_leaves_no_page(
    arguments: tuple[str, ...],
    code: int,
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["report", *arguments]) == code
    assert message in capsys.readouterr().err
    assert list(folder.glob("**/*.html")) == []
