"""Stores in which something has changed: each damaged row is named and left out."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
import struct
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from solver.audit.results import AuditResult
from solver.audit.store import HIDDEN, TABLES, Store
from solver.cli.main import run
from solver.errors import StoreError
from tests.pages.records import records_of
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.errors import FormatError


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
        return {row["source"]: row for row in csv.DictReader(file)}


# --- one changed value


def require_left_out(capsys: pytest.CaptureFixture[str], message: str) -> None:
    """Require that each command names the record on line 8 and uses all others."""
    good = rows()
    for command in COMMANDS:
        assert run(command) == 65, command
        first, *_ = capsys.readouterr().err.splitlines()
        assert first == f"error: {message}", command
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


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("mate", 10),
        ("lower_bound", 1),
        ("nodes", None),
        ("nodes", "many"),
        ("pv", "c4c8"),
        ("verdict", None),
        ("time_s", 0.5),
        ("soundness", b"sound"),
        ("options", "keys"),
        ("node_limit", 0),
        ("hint", ""),
        ("checksum", None),
    ],
)
def test_a_record_with_a_damaged_answer_is_named_and_left_out(
    capsys: pytest.CaptureFixture[str], column: str, value: object
) -> None:
    assert damage(column, value, SMOTHERED) == 1
    require_left_out(capsys, "set.epd:8: its answer is damaged in the store; left out")


def test_a_record_without_its_answer_is_named_and_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert damage("key", b"", SMOTHERED) == 1
    require_left_out(capsys, "set.epd:8: its answer is missing in the store; left out")


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("fen", BACK_RANK, "set.epd:8"),
        ("id", b"smothered", "set.epd:8"),
        ("id", NOT_UTF_8, "set.epd:8"),
        ("error", "", "set.epd:8"),
        ("solver", "9.0.0", "set.epd:8"),
        ("key", b"?", "set.epd:8"),
        ("line", -8, "set.epd:-8"),
        ("line", "eight", "set.epd:eight"),
        ("file", None, "None:8"),
        ("file", "\x1b[2J\u202e.epd", "\ufffd[2J\ufffd.epd:8"),
        ("file", NOT_UTF_8, "a\ufffdb:8"),
    ],
)
def test_a_damaged_record_is_named_by_its_row_and_left_out(
    capsys: pytest.CaptureFixture[str], column: str, value: object, named: str
) -> None:
    with closing(sqlite3.connect("run.db")) as base:
        query = "SELECT rowid FROM records WHERE line = 8"
        (number,) = base.execute(query).fetchone()
    assert damage(column, value, "line = 8", "records") == 1
    message = f"row {number} of records ({named}): damaged in the store; left out"
    require_left_out(capsys, message)


@pytest.mark.parametrize("column", ["mark", "note", "claim", "checksum"])
def test_a_damaged_mark_is_named_and_its_record_is_used_without_it(
    capsys: pytest.CaptureFixture[str], column: str
) -> None:
    good = rows()
    assert damage(column, 1, table="marks") == 1

    assert run(["export", "run.db", "-o", "run.csv"]) == 65

    named = "row 1 of marks (set.epd:2): damaged in the store; left out"
    assert capsys.readouterr().err == f"error: {named}\n10 written\n"
    assert good["set.epd:2"]["mark"] == "cook"
    good["set.epd:2"] |= {"mark": "", "note": ""}
    assert rows() == good
    assert run(VERIFY) == 65  # for the unreadable record of the collection
    assert f"error: run.db: {named}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "value"),
    [("pv", "a1a9"), ("nodes", 0), ("claim", 3), ("node_limit", 1), ("checksum", 0)],
)
def test_a_damaged_answer_is_searched_again(
    capsys: pytest.CaptureFixture[str], column: str, value: object
) -> None:
    before = [{**row, "time_s": ""} for row in rows().values()]
    assert damage(column, value, SMOTHERED) == 1

    assert run(VERIFY) == 65  # for the unreadable record of the collection

    _, notice = capsys.readouterr().err.splitlines()
    assert notice == (
        "run.db: answers damaged in the store, so searched again: set.epd:8"
    )
    assert run(["export", "run.db", "-o", "run.csv"]) == 0
    assert [{**row, "time_s": ""} for row in rows().values()] == before


# --- any bit of a store

MATE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
FLIPPED = 400
"""Records of the store whose bits are flipped."""


def fill(path: Path) -> None:
    """Write a store of many pages: long and short rows, marks, unreadable records."""
    with Store(path) as store:
        for number in range(FLIPPED):
            key = (number - number % 3).to_bytes(16, "big")
            result = AuditResult(
                f"problem {number}",
                f"set.epd:{number + 1}",
                MATE,
                claim=2,
                status="proved",
                verdict="shorter",
                soundness="short-solution",
                mate=1,
                lower_bound=1,
                keys="a1a8",
                keys_complete=1,
                pv="a1a8",
                nodes=number,
                time_s=number / 1000,
                claimed_keys="a1a7",
                claimed_line="a1a7 g8f8 a7a8",
                plies='[{"move": "a1a7", "mate": 1}]' * (number % 50),
                only_moves=0,
                hint="\u2654" if number % 2 else None,
            )
            if number % 3 == 0:
                store.put_answer(key, result, "keys every-ply", 10.0, None)
            if number % 10 == 0:
                result = AuditResult(
                    result.id, result.source, verdict="unreadable", error="no FEN"
                )
                store.put_record(result, None)
            else:
                store.put_record(result, key)
            if number % 7 == 0:
                store.put_mark(result.subject, "cook", f"see {number}")


def flipped(value: float | str | bytes, seeded: Random) -> tuple[str, object]:
    """Return the SQL that writes a value, and the value with one bit changed."""
    if isinstance(value, int):
        return "?", value ^ 1 << seeded.randrange(63)
    if isinstance(value, float):
        _, changed = flipped(struct.pack(">d", value), seeded)
        return "?", *struct.unpack(">d", changed)  # type: ignore[arg-type]
    given = bytearray(value.encode() if isinstance(value, str) else value)
    given[seeded.randrange(len(given))] ^= 1 << seeded.randrange(8)
    return "CAST(? AS TEXT)" if isinstance(value, str) else "?", bytes(given)


def flip_value(path: Path, seeded: Random) -> str:
    """Flip a bit of a value, checksums included; return which."""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.text_factory = lambda text: str(text, errors="surrogateescape")
        while True:
            table = seeded.choice(["answers", "answers", "records", "marks"])
            column = seeded.choice([*TABLES[table], "checksum"])
            query = f"SELECT rowid, {column} FROM {table}"
            found = [x for x in base.execute(query) if x[1] not in (None, "", b"")]
            if not found:
                continue
            rowid, before = seeded.choice(found)
            sql, after = flipped(before, seeded)
            update = f"UPDATE OR IGNORE {table} SET {column} = {sql} WHERE rowid = ?"
            if base.execute(update, (after, rowid)).rowcount:  # else not unique
                return f"{table}.{column} in row {rowid}: {before!r:.60}, {after!r:.60}"


def flip_byte(path: Path, seeded: Random) -> str:
    """Flip a bit of the file; return which."""
    content = bytearray(path.read_bytes())
    place, bit = seeded.randrange(len(content)), seeded.randrange(8)
    content[place] ^= 1 << bit
    path.write_bytes(content)
    return f"bit {bit} of byte {place}"


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
    except StoreError as error:
        return "refused" if len(str(error).splitlines()) == 1 else str(error)
    is_hidden = any(HIDDEN in error.reason for error in named)
    marks = sum(" of marks (" in error.source for error in named)
    others = [name for name, result in found.items() if result != good.get(name)]
    for name in others:  # only the mark is left out
        assert found[name] == good[name]._replace(mark=None, note=None)
    assert is_hidden or len(others) <= marks
    assert is_hidden or len(good) - len(found) <= len(named) - marks
    return "hidden" if is_hidden else "named" if named else "harmless"


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.db"
    fill(path)
    return path


@sized("count", 60, 2000)
def test_a_flipped_bit_of_a_value_is_noticed(sound: Path, count: int) -> None:
    good, named = read_all(sound)
    assert (len(good), named) == (FLIPPED, [])
    for number in range(count):
        shutil.copy(sound, "flipped.db")
        what = flip_value(Path("flipped.db"), Random(number))
        assert require_true(good, Path("flipped.db")) == "named", what


@sized("count", 60, 2000)
def test_no_flipped_bit_of_a_page_changes_a_result(sound: Path, count: int) -> None:
    good, _ = read_all(sound)
    outcomes = Counter[str]()
    for number in range(count):
        shutil.copy(sound, "flipped.db")
        what = flip_byte(Path("flipped.db"), Random(number))
        outcome = require_true(good, Path("flipped.db"))
        assert outcome in {"named", "hidden", "refused", "harmless"}, (what, outcome)
        outcomes[outcome] += 1
    assert outcomes["named"] > count // 2


@sized("count", 30, 2000)
def test_no_flipped_bit_of_a_page_is_written_further(sound: Path, count: int) -> None:
    good, _ = read_all(sound)
    for number in range(count):
        path = Path("flipped.db")
        shutil.copy(sound, path)
        what = flip_byte(path, Random(number))
        try:
            fill(path)  # as an audit that is resumed
        except StoreError:
            continue
        outcome = require_true(good, path)
        assert outcome in {"named", "harmless"}, (what, outcome)


STAYS = {"records.file", "records.line", "records.twin", "marks"}
"""What an audit does not write again."""


@sized("count", 4, 200)
def test_verify_makes_a_store_sound_again(made: Path, count: int) -> None:
    for number in range(count):
        shutil.copy(made / "run.db", "run.db")
        what = flip_value(Path("run.db"), Random(number))
        assert run(VERIFY) == 65, what
        good, found = (
            {
                name: result._replace(nodes=0, time_s=0.0, mark=None, note=None)
                for name, result in read_all(path)[0].items()
            }
            for path in (made / "run.db", Path("run.db"))
        )
        assert found == good, what
        stays = any(what.startswith(name) for name in STAYS)
        assert bool(read_all(Path("run.db"))[1]) == stays, what


def test_rows_that_damaged_pages_may_hide_are_mentioned(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(sound)) as base:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = 'records'"
        (page,) = base.execute(query).fetchone()
    content = bytearray(sound.read_bytes())
    (cells,) = struct.unpack_from(">H", content, (page - 1) * 4096 + 3)
    struct.pack_into(">H", content, (page - 1) * 4096 + 3, cells - 1)
    sound.write_bytes(content)
    assert run(["export", str(sound), "-o", "run.csv"]) == 65
    (message, count) = capsys.readouterr().err.splitlines()
    assert message.startswith(f"error: {sound}: damaged: ")
    assert message.endswith(f"; {HIDDEN}")
    assert int(count.split()[0]) == len(rows()) < FLIPPED
    before = sound.read_bytes()
    assert run([*VERIFY[:-2], str(sound), "-q"]) == 74
    message = capsys.readouterr().err
    assert message.startswith(f"error: {sound}: damaged: ")
    assert message.endswith("; verify the collection again, into a new store\n")
    assert sound.read_bytes() == before
