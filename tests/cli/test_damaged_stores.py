"""Stores in which something has changed: each damaged row is named and left out."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from solver.audit.store import HIDDEN, TABLES, Store
from solver.cli.main import run
from solver.errors import StoreError
from tests.pages.records import records_of
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.audit.results import AuditResult
    from solver.errors import FormatError
    from tests.cli.conftest import Cli


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
HELP = {"id": "help", "fen": "8/K5P1/8/8/8/8/2p5/k7 b - - 0 1"} | {
    "stipulation": "h=2",
    "claimed_solutions": 1,
}
SMOTHERED = "claim = 2 AND mate = 2 AND stipulation IS NULL"
"""The answer to the record on line 8."""
MARK = {"fen": f"{BACK_RANK} 0 1", "claim": 2, "mark": "cook", "note": "1. Ra8"}
VERIFY = ("verify", "set.epd", "help.jsonl", "--every-ply", "--store", "run.db", "-q")
"""Answers of every kind: with plies, solutions, a mark, a twin's error, no mate."""

COMMANDS = (
    ("report", "run.db", "-o", "page.html"),
    ("export", "run.db", "-o", "run.jsonl"),
    ("export", "run.db", "-o", "run.epd"),
    ("export", "run.db", "-o", "run.csv"),
    ("convert", "set.epd", "corrected.epd", "--correct", "run.db"),
)

EXPORT = COMMANDS[3]

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
        assert run([*VERIFY, "--marks", "marks.jsonl"]) == 65
        assert run(EXPORT) == 0
    return folder


@pytest.fixture(autouse=True)
def _copies(made: Path, _folder: None) -> None:
    for name in made.iterdir():
        shutil.copy(name, ".")


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
        return {row["source"]: row for row in csv.DictReader(file)}


# --- one changed value


def require_left_out(matesolve: Cli, message: str) -> None:
    """Require that each command names the record on line 8 and uses all others."""
    good = rows()
    for words in COMMANDS:
        code, _, err = matesolve(*words)
        assert (code, err.splitlines()[0]) == (65, f"error: {message}"), words
    del good["set.epd:8"]
    assert rows() == good
    page = Path("page.html").read_bytes()
    assert b"Damaged in the store: 1." in page
    listed = records_of(page)
    written = [*map(json.loads, Path("run.jsonl").read_text().splitlines())]
    for records in (listed, written):
        assert {record["source"] for record in records} == good.keys()
    assert len(Path("run.epd").read_text().splitlines()) == len(good) - 1
    assert COLLECTION[7] in Path("corrected.epd").read_text().splitlines()


DAMAGED_ANSWERS = [("mate", 10), ("nodes", "many"), ("checksum", None), ("key", b"")]


@pytest.mark.parametrize(("column", "value"), DAMAGED_ANSWERS)
def test_a_record_with_a_damaged_answer_or_none_is_named_and_left_out(
    matesolve: Cli, column: str, value: object
) -> None:
    assert damage(column, value, SMOTHERED) == 1
    state = "missing" if column == "key" else "damaged"
    message = f"set.epd:8: its answer is {state} in the store; left out"
    require_left_out(matesolve, message)


DAMAGED_RECORDS = [
    ("fen", BACK_RANK, "set.epd:8"), ("id", NOT_UTF_8, "set.epd:8"),
    ("line", "eight", "set.epd:eight"), ("file", None, "None:8"),
    ("file", "\x1b[2J\u202e.epd", "\ufffd[2J\ufffd.epd:8"),
    ("file", NOT_UTF_8, "a\ufffdb:8"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value", "named"), DAMAGED_RECORDS)
def test_a_damaged_record_is_named_by_its_row_and_left_out(
    matesolve: Cli, column: str, value: object, named: str
) -> None:
    with closing(sqlite3.connect("run.db")) as base:
        query = "SELECT rowid FROM records WHERE line = 8"
        (number,) = base.execute(query).fetchone()
    assert damage(column, value, "line = 8", "records") == 1
    message = f"row {number} of records ({named}): damaged in the store; left out"
    require_left_out(matesolve, message)


def test_a_damaged_mark_is_named_and_its_record_is_used_without_it(
    matesolve: Cli,
) -> None:
    good = rows()
    assert damage("mark", 1, table="marks") == 1
    named = "row 1 of marks (set.epd:2): damaged in the store; left out"
    ended = matesolve(*EXPORT)
    assert ended == (65, "", f"error: {named}\n10 written\n")
    assert good["set.epd:2"]["mark"] == "cook"
    good["set.epd:2"] |= {"mark": "", "note": ""}
    assert rows() == good
    code, _, err = matesolve(*VERIFY)  # 65 for the collection's bad record
    assert (code, f"error: run.db: {named}" in err) == (65, True)


def test_a_damaged_answer_is_searched_again(matesolve: Cli, made: Path) -> None:
    assert damage("node_limit", 1, SMOTHERED) == 1
    code, _, err = matesolve(*VERIFY)  # 65 for the collection's bad record
    notice = "run.db: answers damaged in the store, so searched again: set.epd:8"
    assert (code, err.splitlines()[1:]) == (65, [notice])
    good, found = (
        {
            name: result._replace(nodes=0, time_s=0.0)
            for name, result in read_all(path)[0].items()
        }
        for path in (made / "run.db", Path("run.db"))
    )
    assert found == good


# --- any bit of a store


def read_all(path: Path) -> tuple[dict[str, AuditResult], list[FormatError]]:
    """Read the results by source, and what is named as damaged."""
    named: list[FormatError] = []
    with Store(path, read_only=True) as store:
        results = list(store.results(named.append))
    found = {result.source: result for result in results}
    assert len(found) == len(results)
    return found, named


def require_true(good: dict[str, AuditResult], path: Path) -> str:
    """Require that each result is true, or named; return what became of the flip."""
    try:
        found, named = read_all(path)
    except StoreError:
        return "refused"
    is_hidden = any(HIDDEN in error.reason for error in named)
    marks = sum(" of marks (" in error.source for error in named)
    others = [name for name, result in found.items() if result != good.get(name)]
    for name in others:  # only the mark is left out
        assert found[name] == good[name]._replace(mark=None, note=None)
    assert is_hidden or len(others) <= marks
    assert is_hidden or len(good) - len(found) <= len(named) - marks
    return "hidden" if is_hidden else "named" if named else "harmless"


PLACES = [
    (table, column)
    for table in ("answers", "records", "marks")
    for column in (*TABLES[table], "checksum")
]


def test_another_value_is_noticed_in_any_column(made: Path) -> None:
    good, named = read_all(made / "run.db")
    assert (len(good), named) == (10, [])
    for table, column in PLACES:
        shutil.copy(made / "run.db", ".")
        assert damage(column, "x", f"rowid = (SELECT max(rowid) FROM {table})", table)
        assert require_true(good, Path("run.db")) == "named", (table, column)


@sized("count", 60, 2000)
def test_no_flipped_bit_of_the_file_changes_a_result(made: Path, count: int) -> None:
    good, _ = read_all(made / "run.db")
    content, path, outcomes = (made / "run.db").read_bytes(), Path("run.db"), set()
    for number in range(count):
        flipped, seeded = bytearray(content), Random(number)
        what = place, bit = seeded.randrange(len(content)), seeded.randrange(8)
        flipped[place] ^= 1 << bit
        path.write_bytes(flipped)
        outcome = require_true(good, path)
        assert outcome in {"named", "hidden", "refused", "harmless"}, (what, outcome)
        outcomes.add(outcome)
    assert outcomes >= {"named", "harmless"}


def test_rows_that_damaged_pages_may_hide_are_mentioned(cli: Cli) -> None:
    with closing(sqlite3.connect("run.db")) as base:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'records'"
        (page,) = base.execute(query).fetchone()
    path = Path("run.db")
    content = bytearray(path.read_bytes())
    (cells,) = struct.unpack_from(">H", content, (page - 1) * 4096 + 3)
    struct.pack_into(">H", content, (page - 1) * 4096 + 3, cells - 1)
    path.write_bytes(content)
    code, _, err = cli("export run.db -o run.csv")
    message, count = err.splitlines()
    assert code == 65
    assert message.startswith("error: run.db: damaged: ")
    assert message.endswith(f"; {HIDDEN}")
    assert int(count.split()[0]) == len(rows()) < 10
    code, _, err = cli("verify set.epd help.jsonl --store run.db -q")
    assert code == 74
    assert err.startswith("error: run.db: damaged: ")
    assert err.endswith("; verify the collection again, into a new store\n")
    assert path.read_bytes() == content
