"""Stores with a damaged value: an unreadable record with the reason."""

from __future__ import annotations

import csv
import json
import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from solver.cli.main import run
from tests.pages.records import records_of

pytestmark = pytest.mark.usefixtures("help_kernel")

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
COLLECTION = [
    f'{BACK_RANK} dm 1; bm Ra8; pv Ra8; id "fine";',
    f'{BACK_RANK} dm 2; pv Ra7 Kf8 Ra8; id "short";',
    f'{BACK_RANK} dm 1; bm Ra8; pv Ra8; id "fine again";',
    '8/7K/8/8/8/8/R7/7k w - - dm 1; id "none";',
    '8/7K/8/8/8/8/R7/7k w - - nomate 1; id "none, as claimed";',
    "hello",
    '7k/R7/8/8/8/8/8/1R4K1 b - - dm -1; pv Kg8 Rb8; id "lost";',
    '5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - dm 2; pv Qg8 Rxg8 Nf7; id "smothered";',
    f'{BACK_RANK} id "nothing claimed";',
]
HELP = {"id": "help", "fen": "8/1K3p2/8/5k2/8/8/P7/8 b - - 0 1"} | {
    "stipulation": "h=2",
    "claimed_solutions": 1,
}
MARK = {"fen": f"{BACK_RANK} 0 1", "claim": 2, "mark": "cook"}
VERIFY = ("verify", "set.epd", "help.jsonl", "--every-ply", "--store", "run.db")
"""Answers of every kind: with plies, solutions, a mark, a twin's error, no mate."""

NOT_UTF_8 = "CAST(x'61ff62' AS TEXT)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a collection, and the store of its audit."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "set.epd").write_text("\n".join(COLLECTION) + "\n")
    (folder / "help.jsonl").write_text(json.dumps(HELP) + "\n")
    (folder / "marks.jsonl").write_text(json.dumps(MARK) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run([*VERIFY, "--marks", "marks.jsonl", "-q"]) == 65
        assert run(["export", "run.db", "-o", "run.csv"]) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in made.iterdir():
        shutil.copy(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def damage(column: str, value: object, where: str = "1", table: str = "answers") -> int:
    """Write a value into a column of the store, and return how many rows have it."""
    sql = value if value is NOT_UTF_8 else "?"
    given = () if value is NOT_UTF_8 else (value,)
    with closing(sqlite3.connect("run.db", isolation_level=None)) as base:
        statement = f"UPDATE OR IGNORE {table} SET {column} = {sql} WHERE {where}"
        return base.execute(statement, given).rowcount


def rows(path: str = "run.csv") -> dict[str, dict[str, str]]:
    """Read the rows of an export as CSV, by their sources."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        csv.field_size_limit(10**9)
        return {row["source"]: row for row in csv.DictReader(file)}


# --- what a damaged value does


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("nodes", -1, "nodes: expected a whole number from 0 up, found -1"),
        ("nodes", "many", "nodes: expected a whole number from 0 up, found 'many'"),
        ("nodes", None, "nodes: expected a whole number from 0 up, found None"),
        ("pv", 5, "pv: expected a legal, unambiguous move in SAN or UCI, found '5'"),
        ("pv", None, "pv: expected a text, found None"),
        ("pv", "Qg8", "pv: expected moves in UCI notation, found 'Qg8'"),
        ("plies", "[", "plies: expected a list of plies, found '['"),
        ("plies", '[{"move": 1}]', "plies: expected a list of plies, found "),
        ("status", "solved", "status: expected one of proved, found, disproved, "),
        ("verdict", None, "verdict: expected one if there is a claim, found None"),
        ("mate", None, "mate: expected one, as the status says, found None"),
        ("claim", 0, "claim: expected that of the stipulation, found 0"),
        ("time_s", math.inf, "time_s: expected a finite number from 0 up, found inf"),
        ("stipulation", "s#", "stipulation: expected #n, =n, s#n, "),
        ("solutions", "[]", "solutions: expected a value in help play only, found "),
        ("soundness", b"\xff", "soundness: expected one of sound, cooked, "),
        ("key", b"", "key: expected that of an answer, found None"),
    ],
)
def test_a_damaged_answer_is_an_unreadable_record(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    column: str,
    value: object,
    reason: str,
) -> None:
    good = rows()
    assert damage(column, value, "claim = 2 AND mate = 2") == 1

    for command in (
        ["report", "run.db", "-o", "page.html"],
        ["export", "run.db", "-o", "run.csv"],
        ["export", "run.db", "-o", "run.jsonl"],
        ["export", "run.db", "-o", "run.epd"],
    ):
        assert run(command) == 65
        message, *_ = capsys.readouterr().err.splitlines()
        assert message.startswith(f"error: set.epd:8: damaged in the store: {reason}")

    (listed,) = [
        record
        for record in records_of((folder / "page.html").read_bytes())
        if record["source"] == "set.epd:8"
    ]
    assert (listed["fen"], listed["verdict"]) == (None, "unreadable")
    assert listed["error"].startswith(f"damaged in the store: {reason}")
    found = rows()
    assert found.pop("set.epd:8")["verdict"] == "unreadable"
    del good["set.epd:8"]
    assert found == good
    assert len(Path("run.epd").read_text().splitlines()) == len(good) - 1


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("fen", BACK_RANK, "fen: expected "),
        ("fen", "8/8 w", "board: expected 8 ranks"),
        ("fen", None, "fen: expected a text, found None"),
        ("id", b"fine", "id: expected a text, found b'fine'"),
        ("id", NOT_UTF_8, r"id: expected a text, found 'a\udcffb'"),
        ("error", "none", "error: expected none beside a position, found 'none'"),
        ("twin", "x", "twin: expected that of the name, found 'x'"),
        ("key", b"?", "key: expected that of an answer, found None"),
    ],
)
def test_a_damaged_record_is_unreadable_by_its_place(
    capsys: pytest.CaptureFixture[str], column: str, value: object, reason: str
) -> None:
    assert damage(column, value, "line = 8", "records") == 1

    assert run(["export", "run.db", "-o", "run.csv"]) == 65

    message, count = capsys.readouterr().err.splitlines()
    assert reason in message
    assert message.startswith("error: set.epd:8: damaged in the store: ")
    assert count == "10 written"
    assert rows()["set.epd:8"]["verdict"] == "unreadable"


@pytest.mark.parametrize("value", [None, b"x", "eight", -8, 0.5])
def test_a_record_without_a_place_is_counted(
    capsys: pytest.CaptureFixture[str], value: object
) -> None:
    column = "file" if value in (None, b"x") else "line"
    assert damage(column, value, "line = 8", "records") == 1

    assert run(["export", "run.db", "-o", "run.csv"]) == 65

    message, *_ = capsys.readouterr().err.splitlines()
    assert message.startswith("error: record ")
    assert "damaged in the store: source: expected a file and a line" in message
    assert len(rows()) == 10


@pytest.mark.parametrize(
    ("column", "value"),
    [("pv", "a1a9"), ("nodes", "x"), ("claim", 3), ("node_limit", "x"), ("key", b"")],
)
def test_a_damaged_answer_is_searched_again(
    capsys: pytest.CaptureFixture[str], column: str, value: object
) -> None:
    before = [{**row, "time_s": ""} for row in rows().values()]
    assert damage(column, value, "claim = 2 AND mate = 2") == 1

    assert run([*VERIFY, "-q"]) == 65  # for the unreadable record of the collection

    notices = capsys.readouterr().err.splitlines()[1:]
    if column == "key":
        assert notices == []
    else:
        (notice,) = notices
        damaged = "run.db: answers 1 damaged, so not used; set.epd:8: "
        assert notice.startswith(f"{damaged}{column}")
    assert run(["export", "run.db", "-o", "run.csv"]) == 0
    assert [{**row, "time_s": ""} for row in rows().values()] == before
