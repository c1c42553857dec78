"""Stores with a damaged value: an unreadable record with the reason."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import chess
import pytest

from solver.cli.main import run
from tests.pages.records import records_of
from tests.sizes import sized

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
HELP = {"id": "help", "fen": "8/K5P1/8/8/8/8/2p5/k7 b - - 0 1"} | {
    "stipulation": "h=2",
    "claimed_solutions": 1,
}
SMOTHERED = "claim = 2 AND mate = 2 AND stipulation IS NULL"
"""The answer to the record on line 8."""
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
        ("pv", 5, "pv: expected moves in UCI notation, found '5'"),
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
    assert damage(column, value, SMOTHERED) == 1

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


def test_a_message_about_a_damaged_record_is_safe_to_print(
    capsys: pytest.CaptureFixture[str],
) -> None:
    damage("file", "\x1b[2J\u202e.epd", "line = 8", "records")
    damage("nodes", -1, SMOTHERED)

    assert run(["export", "run.db", "-o", "run.csv"]) == 65

    message, _ = capsys.readouterr().err.splitlines()
    assert message.startswith("error: \ufffd[2J\ufffd.epd:8: damaged in the store: ")


@pytest.mark.parametrize(
    ("column", "value"),
    [("pv", "a1a9"), ("nodes", "x"), ("claim", 3), ("node_limit", "x"), ("key", b"")],
)
def test_a_damaged_answer_is_searched_again(
    capsys: pytest.CaptureFixture[str], column: str, value: object
) -> None:
    before = [{**row, "time_s": ""} for row in rows().values()]
    assert damage(column, value, SMOTHERED) == 1

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


# --- any value in any column

TEXTS = ["x", "", "[", "{}", "[1]", '[["a"]]', "8/8 w", "a1a9", "\u202e", "9" * 5000]
NUMBERS = [-1, 0, 1, 5000, 2**62, -(2**63), 0.5, 1e300, math.inf]
DAMAGE = [*TEXTS, *NUMBERS, None, b"\xff\xfe", b"", NOT_UTF_8]
TABLES = ("answers", "answers", "answers", "records", "marks")
DISTANCE = r"-?[0-9]{1,3}"
DOCUMENTED = {
    "claim": DISTANCE,
    "nomate": "[0-9]{1,3}",
    "status": "proved|found|disproved|undecided",
    "verdict": "proved|holds|shorter|refuted|undecided",
    "soundness": "sound|cooked|short-solution|no-solution|missing-solution"
    "|not-shortest-line",
    "mate": DISTANCE,
    "lower_bound": "[0-9]{1,3}",
    "keys_complete": "0|1",
    "only_moves": "0|1",
    "nodes": "[0-9]{1,19}",
    "time_s": r"[0-9]+\.[0-9]+|[0-9.]+e[+-]?[0-9]+",
    "stopped_by": "time|nodes|solutions|interrupt|crash|tablebase",
    "tablebase": "gaviota|syzygy",
    "error": "",
    "claimed_solutions": "[0-9]{1,4}",
    "solutions_complete": "0|1",
    "mark": "accept|cook|reject",
}
"""docs/reference/store.md, as patterns of the cells that may also be empty."""
NEVER_EMPTY = ("status", "lower_bound", "keys_complete", "nodes", "time_s")


def find_junk(row: dict[str, str]) -> str:
    """Return the column of a readable row whose value is not documented; else empty."""
    for name, pattern in DOCUMENTED.items():
        if not re.fullmatch(
            pattern if name in NEVER_EMPTY else f"({pattern})?", row[name]
        ):
            return name
    if (row["verdict"] == "") != (row["claim"] == row["nomate"] == ""):
        return "verdict"
    board = chess.Board(row["fen"])
    if not board.is_valid() or board.fen(en_passant="fen") != row["fen"]:
        return "fen"
    lines = {name: [row[name]] for name in ("pv", "claimed_line")}
    lines |= {
        name: row[name].split() for name in ("keys", "claimed_keys", "wrong_keys")
    }
    lines["solutions"] = json.loads(row["solutions"] or "[]")
    claimed = row["claimed_line"].split()
    lines["plies"] = [
        " ".join([*claimed[: 2 * number], move])
        for number, ply in enumerate(json.loads(row["plies"] or "[]"))
        for move in (ply["move"], *ply["keys"])
    ]
    for name, given in lines.items():
        for line in given:
            played = board.copy()
            for move in line.split():
                if chess.Move.from_uci(move) not in played.legal_moves:
                    return name
                played.push_uci(move)
    return ""


def damage_anywhere(seeded: Random) -> str:
    """Change a value of the store, and say which; most of the time, it is damaged."""
    table = seeded.choice(TABLES)
    with closing(sqlite3.connect("run.db")) as base:
        columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
        column = seeded.choice(columns)
        found = base.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
    rowid, before = seeded.choice(found)
    value: object = seeded.choice(DAMAGE)
    if isinstance(before, str) and before and seeded.random() < 0.4:
        place = seeded.randrange(len(before))
        value = (
            before[:place] + seeded.choice(["", "x", " ", "9"]) + before[place + 1 :]
        )
    damage(column, value, f"rowid = {rowid}", table)
    return f"{table}.{column} = {value!r:.60} in row {rowid}"


COMMANDS = (
    ("report", "run.db", "-o", "page.html"),
    ("export", "run.db", "-o", "run.jsonl"),
    ("export", "run.db", "-o", "run.epd"),
    ("export", "run.db", "-o", "run.csv"),
)


@sized("count", 15, 2000)
def test_no_value_of_a_store_ends_a_command_or_is_passed_on(
    made: Path, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    unreadable = 0
    for number in range(count):
        shutil.copy(made / "run.db", "run.db")
        seeded = Random(number)
        what = f"{number}: {damage_anywhere(seeded)}"
        board = [("board", "run.db", "-o", "board.html")] if number % 40 == 0 else []
        codes = {run(command) for command in (*COMMANDS, *board)}
        damaged = sum(require_documented(row, what) for row in rows().values())
        unreadable += damaged
        assert codes == {65 if damaged else 0}, what
        listed = records_of(Path("page.html").read_bytes())
        lines = map(json.loads, Path("run.jsonl").read_text().splitlines())
        for records in (listed, [*lines]):
            errors = [str(record.get("error")) for record in records]
            assert len(errors) == len(COLLECTION) + 1, what
            assert sum(bool(DAMAGED.match(one)) for one in errors) == damaged, what
        assert run([*VERIFY, "-q"]) == 65, what
        assert run(COMMANDS[-1]) in {0, 65}, what
        for row in rows().values():
            require_documented(row, what)
        assert "internal" not in capsys.readouterr().err, what
    assert unreadable > count // 2


DAMAGED = re.compile("damaged in the store: ")


def require_documented(row: dict[str, str], what: str) -> bool:
    """Require that a row is as documented; return whether it is damaged."""
    if row["verdict"] != "unreadable":
        assert not find_junk(row), (what, row)
        return False
    others = {**row, "source": "", "id": "", "verdict": "", "error": "", "solver": ""}
    costs = {"keys_complete": "0", "nodes": "0", "time_s": "0.0"}
    assert {name: cell for name, cell in others.items() if cell} == costs, (what, row)
    return bool(DAMAGED.match(row["error"]))
