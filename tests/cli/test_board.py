"""`matesolve board`: the page in a file, or in the browser."""

from __future__ import annotations

import stat
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.pages.records import data_of, records_of

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

pytestmark = pytest.mark.usefixtures("modules")

FEN = "k7/8/8/8/8/8/8/K6R b - - 0 1"
ADDRESS = "https://lichess.org/editor/k7/8/8/8/8/8/8/K6R_b_K_-_0_1?color=white"
PAGE = Path("board.html")
TO_PAGE = ("-o", "board.html")

CLAIMS = """7k/8/8/8/8/8/R7/1R4K1 w - - dm 2; id "ladder";
7k/8/8/8/8/8/R7/1R4K1 w - - dm 3; id "too long";
"""
LICHESS = """\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
a,6k1/5ppp/8/8/8/8/8/RK6 b - - 0 1,g8h8 a1a8,900,75,94,66,mate mateIn1 short,x,
b,6k1/5ppp/8/8/8/8/8/RK6 b - - 0 1,g8h8 a1a7,950,75,94,66,crushing short,x,
"""


def test_a_page_begins_with_a_fen_or_the_position_of_an_address(matesolve: Cli) -> None:
    ended = matesolve("board", *FEN.split()[:4], *TO_PAGE)
    assert ended == (0, "", f"{PAGE}: written\n")
    data = data_of(PAGE.read_bytes())
    assert data["fen"] == FEN
    assert {*data["modules"]} == {"search", "battle", "help"}
    code, out, err = matesolve("board", ADDRESS, *TO_PAGE)
    assert (code, out) == (0, "")
    assert err.startswith("warning: castling right K: expected a white king on")
    assert data_of(PAGE.read_bytes())["fen"] == FEN


def test_a_collection_is_listed_unsolved_and_can_be_solved(matesolve: Cli) -> None:
    Path("mates.epd").write_text(f"{CLAIMS}8/8/8\n")
    code, out, err = matesolve("board", "mates.epd", *TO_PAGE)
    assert (code, out, "mates.epd:3: " in err) == (65, "", True)
    listed = records_of(PAGE.read_bytes())
    assert [found["status"] for found in listed] == [None] * 3
    assert [found["row"][0] for found in listed] == ["#2", "#3", "none"]


def test_the_page_says_how_many_rows_are_left_out(matesolve: Cli) -> None:
    Path("puzzles.csv").write_text(LICHESS)
    for options, listed, note in (
        ("", 1, "Left out: 1 without a mate; --all-rows reads them too."),
        ("--min-rating 950 --all-rows", 1, "Left out: 1 not selected."),
        ("--all-rows", 2, ""),
    ):
        words = ("puzzles.csv", *options.split(), *TO_PAGE)
        assert matesolve("board", *words).code == 0
        assert len(records_of(PAGE.read_bytes())) == listed
        assert f'<span id="note" role="status">{note}</span>' in PAGE.read_text()


def test_a_store_and_its_records_are_listed_with_what_agrees(matesolve: Cli) -> None:
    Path("mates.epd").write_text(CLAIMS)
    words = ("verify", "mates.epd", "--store", "run.db", "--jsonl")
    Path("run.jsonl").write_text(matesolve(*words)[1])
    for name in ("run.db", "run.jsonl"):
        assert matesolve("board", name, *TO_PAGE) == (0, "", f"{PAGE}: written\n")
        verdicts = [found["verdict"] for found in records_of(PAGE.read_bytes())]
        assert verdicts == ["proved", "shorter"]


@pytest.mark.parametrize("opens", [True, False])
def test_without_a_file_the_page_is_opened_from_a_private_folder(
    monkeypatch: pytest.MonkeyPatch, matesolve: Cli, tmp_path: Path, *, opens: bool
) -> None:
    opened: list[str] = []

    def open_url(url: str) -> bool:
        opened.append(url)
        return opens

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", open_url)
    code, out, err = matesolve("board")
    page = Path(out.strip())
    assert code == 0
    assert urlsplit(opened[0]).path == str(page)
    if sys.platform != "win32":
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert ("found no browser" in err) is not opens
    assert data_of(page.read_bytes())["fen"] == "8/7K/8/8/8/8/R7/7k w - - 0 1"
