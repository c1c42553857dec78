"""Random collections with wrong claims: only these change, and none is left wrong.

The files are compared value by value, as the csv and json modules, openpyxl,
python-chess and a split at semicolons read them.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import chess.pgn
import pytest

from solver.audit import corrections, job
from solver.audit.workers import audit, local_workers
from solver.columns.generate import generate
from solver.formats.claims import DEFAULTS
from solver.formats.registry import read_collection
from solver.problem import Limits, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("kernel")

OPTIONS = job.AuditOptions(Limits(hash_mib=1), all_keys=True, farther=True)
CLASSICS = Path(__file__).parents[2] / "puzzles" / "classics.epd"
RECORDS = 200
"""About half of them wrong, in each of seven formats: 700 corrections."""

Row = dict[str, Any]
"""The fields of a record: `id`, `fen`, `mate`, `key` (SAN, spaces between), others."""

NOTES = [
    'a "quoted" word',
    "a, b",
    "semi; colon",
    "L\xf6we \xdf",
    "",
    "mate, 1902",
    "-7",
]


def truth() -> list[Row]:
    """Return positions with the lengths of their mates and all keys, in SAN."""
    made, rows = [*generate(1, 10, seed=1), *generate(2, 10, seed=2)], list[Row]()
    for problem in (*made, *read_collection(CLASSICS)):
        assert isinstance(problem, Problem)
        assert problem.claim
        if problem.claim.mate < 3:
            board = chess.Board(problem.fen)
            keys = [board.san(chess.Move.from_uci(key)) for key in problem.claim.keys]
            rows.append({"fen": problem.fen, "mate": problem.claim.mate, "keys": keys})
    return rows


@pytest.fixture(scope="module")
def rows() -> tuple[list[Row], list[Row], set[int]]:
    """Return wrong rows, the right ones, and which are wrong."""
    seeded, known = Random(8), truth()
    wrong, right, faults = list[Row](), list[Row](), set[int]()
    for number in range(RECORDS):
        one = seeded.choice(known)
        row = {
            "id": f"Nr. {number}",
            "fen": one["fen"],
            "mate": one["mate"],
            "key": " ".join(one["keys"]),
            "note": seeded.choice(NOTES),
            "year": str(seeded.randint(1850, 2020)),
        }
        right.append(dict(row))
        if seeded.random() < 0.5:
            faults.add(number)
            board = chess.Board(one["fen"])
            others = [board.san(move) for move in board.legal_moves]
            others = [san for san in others if san not in one["keys"]]
            fault = seeded.choice(["shorter", "longer", "key", "both", "cooked"])
            if fault == "cooked" and len(one["keys"]) > 1:
                row["key"] = seeded.choice(one["keys"])
            elif fault in {"key", "both"} and others:
                row["key"] = seeded.choice(others)
            if fault in {"longer", "both", "cooked"} and row["key"] == right[-1]["key"]:
                row["mate"] += 1
            elif fault in {"shorter", "both"} or row == right[-1]:
                row["mate"] += -1 if row["mate"] > 1 else 1
        wrong.append(row)
    return wrong, right, faults


# --- the formats: how rows are written, and read again


def write_table(delimiter: str, encoding: str) -> Callable[[list[Row]], bytes]:
    def write(rows: list[Row]) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
        writer.writerow(["id", "Note", "FEN", "Mate", "Key", "Year"])
        for row in rows:
            names = ("id", "note", "fen", "mate", "key", "year")
            writer.writerow([row[name] for name in names])
        return text.getvalue().encode(encoding)

    return write


def read_table(delimiter: str, encoding: str) -> Callable[[bytes], list[Row]]:
    def read(content: bytes) -> list[Row]:
        text = io.StringIO(content.decode(encoding), newline="")
        rows = [*csv.DictReader(text, delimiter=delimiter)]
        return [
            {name.lower(): value for name, value in row.items()}
            | {"mate": int(row["Mate"])}
            for row in rows
        ]

    return read


def write_epd(rows: list[Row]) -> bytes:
    lines = (
        f"{' '.join(row['fen'].split()[:4])} dm {row['mate']}; bm {row['key']}; "
        f'id "{row["id"]}"; c0 "{row["note"].replace(chr(34), "").replace(";", "")}"; '
        f"c1 {row['year']};\n"
        for row in rows
    )
    return "".join(lines).encode()


def read_epd(content: bytes) -> list[Row]:
    rows = []
    for line in content.decode().splitlines():
        head, *rest = line.rstrip(";").split(";")
        board, length = head.split(" dm ")
        key, *others = rest
        key = key.removeprefix(" bm ")
        rows.append({"fen": board, "mate": int(length), "key": key, "rest": others})
    return rows


def write_pgn(rows: list[Row]) -> bytes:
    text = ""
    for row in rows:
        note = row["note"].replace('"', "'")
        text += f'[Event "{row["id"]}"]\n[Site "{note}"]\n[Year "{row["year"]}"]\n'
        text += f'[FEN "{row["fen"]}"]\n[SetUp "1"]\n[Stipulation "#{row["mate"]}"]\n'
        text += f'[Keys "{row["key"]}"]\n\n{{{row["year"]}}} *\n\n'
    return text.encode()


def read_pgn(content: bytes) -> list[Row]:
    file, rows = io.StringIO(content.decode()), []
    while game := chess.pgn.read_game(file):
        tags = dict(game.headers)
        rows.append(
            {
                "mate": int(tags.pop("Stipulation")[1:]),
                "key": tags.pop("Keys"),
                "rest": [tags, game.comment, [*game.mainline_moves()]],
            }
        )
    return rows


def as_object(row: Row) -> Row:
    return {
        "id": row["id"],
        "about": {"note": row["note"], "year": int(row["year"]), "mate": 3.5},
        "puzzle": {"fen": row["fen"], "mate": row["mate"]},
        "keys": row["key"].split(),
    }


def of_object(value: Row) -> Row:
    puzzle = dict(value["puzzle"])
    row = {"mate": puzzle.pop("mate"), "key": " ".join(value["keys"])}
    return {**row, "rest": [value["id"], value["about"], puzzle]}


def write_jsonl(rows: list[Row]) -> bytes:
    return "".join(f"{json.dumps(as_object(row))}\n" for row in rows).encode()


def read_jsonl(content: bytes) -> list[Row]:
    return [of_object(json.loads(line)) for line in content.splitlines()]


def write_json(rows: list[Row]) -> bytes:
    document = {
        "title": "mates",
        "problems": [*map(as_object, rows)],
        "count": len(rows),
    }
    return json.dumps(document, indent=1, ensure_ascii=False).encode()


def read_json(content: bytes) -> list[Row]:
    document = json.loads(content)
    assert (document["title"], document["count"]) == ("mates", RECORDS)
    return [*map(of_object, document["problems"])]


def write_xlsx(rows: list[Row]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    styles = pytest.importorskip("openpyxl.styles")
    book = openpyxl.Workbook()
    book.active.append(["Not read", 7])
    sheet = book.create_sheet("Mates")
    sheet.append(["id", "Note", "FEN", "Mate", "Key", "Year", "Twice"])
    for at, row in enumerate(rows, 2):
        names = ("id", "note", "fen", "mate", "key", "year")
        sheet.append([row[name] or None for name in names] + [f"=2*D{at}"])
        sheet.cell(at, 4).font = styles.Font(bold=True)
        sheet.cell(at, 4).number_format = "0.0"
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def read_xlsx(content: bytes) -> list[Row]:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert [[cell.value for cell in row] for row in book["Sheet"]] == [["Not read", 7]]
    rows = []
    for cells in [*book["Mates"]][1:]:
        *before, mate, key, year, twice = (cell.value for cell in cells)
        style = cells[3].font.b, cells[3].number_format
        rest = [*before, year, twice, style]
        rows.append({"mate": mate, "key": key, "rest": rest})
    return rows


WAYS = {
    "set.csv": (write_table(",", "cp1252"), read_table(",", "cp1252")),
    "set.tsv": (write_table("\t", "utf-16"), read_table("\t", "utf-16")),
    "set.epd": (write_epd, read_epd),
    "set.pgn": (write_pgn, read_pgn),
    "set.jsonl": (write_jsonl, read_jsonl),
    "set.json": (write_json, read_json),
    "set.xlsx": (write_xlsx, read_xlsx),
}


def results_of(path: Path) -> list[AuditResult]:
    records = read_collection(path)
    return list(audit(records, OPTIONS, local_workers(OPTIONS, 1), ordered=True))


@pytest.mark.parametrize("name", WAYS)
def test_only_wrong_claims_change_and_none_is_left(
    tmp_path: Path, rows: tuple[list[Row], list[Row], set[int]], name: str
) -> None:
    wrong, right, faults = rows
    write, read = WAYS[name]
    path = tmp_path / name
    path.write_bytes(write(wrong))
    results = results_of(path)
    failing = {number for number, one in enumerate(results) if one.disagreements}
    assert (len(results), failing) == (RECORDS, faults)
    made: list[corrections.Correction] = []
    pieces = corrections.correct(path, DEFAULTS, results, made.append)
    path.write_bytes(b"".join(pieces))
    assert len(made) == len(faults)
    assert [one for one in made if one.left] == []
    again = results_of(path)
    assert [(one.source, one.disagreements) for one in again if one.disagreements] == []
    found, expected = read(path.read_bytes()), read(write(right))
    for row in (*found, *expected):
        row["key"] = {*row["key"].split()}
    assert found == expected
