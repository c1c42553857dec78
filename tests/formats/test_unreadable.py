"""Unreadable records keep their text and, where it can be read, their name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from solver.audit.store import Store
from solver.cli.main import run
from solver.errors import FormatError
from solver.formats.registry import read_collection

if TYPE_CHECKING:
    from pathlib import Path

OE = "\xf6"
BAD, GOOD = "8/7K/8/8/8/8/R7/8 w - -", "8/7K/8/8/8/8/R7/7k w - -"

CASES = [
    ("a.csv", f"id,fen,mate\nx,{GOOD},8\ny,{BAD},8\n", f"y,{BAD},8", "y"),
    ("a.csv", f'id,fen,mate\nx,{GOOD},8\nL\xf6we,"{BAD},8\n', f'L\xf6we,"{BAD},8', ""),
    ("a.epd", f'{GOOD} dm 8;\n{BAD} dm 8; id "y";\n', f'{BAD} dm 8; id "y";', "y"),
    (
        "a.pgn",
        f'[Event "y"]\n[FEN "{BAD} 0 1"]\n\n1. Ra8 *\n',
        f'[Event "y"]\n[FEN "{BAD} 0 1"]',
        "y",
    ),
    ("a.jsonl", f'{{"id":"y","fen":"{BAD}"}}\n', f"y | {BAD}", "y"),
    (
        "a.json",
        json.dumps([{"id": "x", "fen": GOOD, "mate": 8}, {"id": "y", "fen": BAD}]),
        f"y | {BAD}",
        "y",
    ),
]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize(("name", "content", "text", "id_"), CASES)
def test_the_error_has_the_text_and_the_name_of_its_record(
    tmp_path: Path, name: str, content: str, text: str, id_: str, encoding: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding)
    errors = [one for one in read_collection(path) if isinstance(one, FormatError)]
    assert [(one.text, one.name) for one in errors] == [(text, id_)]


def test_a_long_text_is_cut_between_two_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.epd"
    path.write_text(f'{BAD} c0 "{400 * OE}";\n', "utf-8")
    (error,) = read_collection(path)
    assert isinstance(error, FormatError)
    assert error.text == f'{BAD} c0 "{236 * OE}'
    assert len(error.text.encode()) <= 500


def test_a_store_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "a.epd"
    path.write_text(f'{BAD} dm 8; id "y";\n')
    assert run(["verify", str(path), "--store", str(tmp_path / "run.db")]) == 65
    with Store(tmp_path / "run.db", read_only=True) as store:
        (result,) = store.results()
    assert (result.id, result.text) == ("y", path.read_text().strip())
