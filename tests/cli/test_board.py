"""`matesolve board`: the page in a file, or in the browser."""

from __future__ import annotations

import stat
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from solver.audit.store import REMEDY, Store
from solver.cli.main import run
from tests.pages.records import data_of, records_of

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

pytestmark = pytest.mark.usefixtures("modules")


def test_the_page_begins_with_the_position(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    page = tmp_path / "board.html"
    fen = ("k7/8/8/8/8/8/8/K6R", "b", "-", "-")
    ended = matesolve("board", *fen, "-o", str(page))
    assert ended == (0, "", f"{page}: written\n")
    data = data_of(page.read_bytes())
    assert data["fen"] == "k7/8/8/8/8/8/8/K6R b - - 0 1"
    assert {*data["modules"]} == {"search", "battle", "help"}


def test_the_page_begins_with_the_position_of_an_address(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    page = tmp_path / "board.html"
    address = "https://lichess.org/editor/k7/8/8/8/8/8/8/K6R_b_K_-_0_1?color=white"
    ended = matesolve("board", address, "-o", str(page))
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("warning: castling right K: expected a white king on")
    assert data_of(page.read_bytes())["fen"] == "k7/8/8/8/8/8/8/K6R b - - 0 1"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["8/8/8/8/8/8/8/8"], 65, "error: expected one white king, found none"),
        (["none.epd"], 65, "error: expected a FEN, found 'none.epd', and"),
        (["."], 74, "error: .: Is a directory"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    matesolve: Matesolve, arguments: list[str], code: int, message: str
) -> None:
    ended = matesolve("board", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err


CLAIMS = """7k/8/8/8/8/8/R7/1R4K1 w - - dm 2; id "ladder";
7k/8/8/8/8/8/R7/1R4K1 w - - dm 3; id "too long";
8/8/8
"""


def test_a_collection_is_listed_unsolved_and_can_be_solved(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    (tmp_path / "mates.epd").write_text(CLAIMS)
    page = tmp_path / "board.html"
    ended = matesolve("board", str(tmp_path / "mates.epd"), "-o", str(page))
    assert (ended.code, ended.out) == (65, "")
    assert "mates.epd:3: " in ended.err
    listed = records_of(page.read_bytes())
    assert [found["status"] for found in listed] == [None] * 3
    assert [found["row"][0] for found in listed] == ["#2", "#3", "none"]
    assert {*data_of(page.read_bytes())["modules"]} == {"search", "battle", "help"}


LICHESS = """\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
a,6k1/5ppp/8/8/8/8/8/RK6 b - - 0 1,g8h8 a1a8,900,75,94,66,mate mateIn1 short,x,
b,6k1/5ppp/8/8/8/8/8/RK6 b - - 0 1,g8h8 a1a7,950,75,94,66,crushing short,x,
c,6k1/5ppp/8/8/8/8/8/RK6 b - - 0 1,g8h8 a1a6,950,75,94,66,crushing short,x,
"""


@pytest.mark.parametrize(
    ("options", "listed", "note"),
    [
        ([], 1, "Left out: 2 without a mate; --all-rows reads them too."),
        (["--min-rating", "950", "--all-rows"], 2, "Left out: 1 not selected."),
        (["--all-rows"], 3, ""),
    ],
)
def test_the_page_says_how_many_rows_are_left_out(
    matesolve: Matesolve, tmp_path: Path, options: list[str], listed: int, note: str
) -> None:
    puzzles, page = tmp_path / "puzzles.csv", tmp_path / "board.html"
    puzzles.write_text(LICHESS)
    assert matesolve("board", str(puzzles), *options, "-o", str(page)).code == 0
    assert len(records_of(page.read_bytes())) == listed
    assert f'<span id="note" role="status">{note}</span>' in page.read_text()


def test_a_store_and_its_records_are_listed_with_what_agrees(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    collection, store = tmp_path / "mates.epd", tmp_path / "run.db"
    collection.write_text(CLAIMS.replace("8/8/8\n", ""))
    audited = matesolve("verify", str(collection), "--store", str(store), "--jsonl")
    (tmp_path / "run.jsonl").write_text(audited.out)
    for name in ("run.db", "run.jsonl"):
        page = tmp_path / "board.html"
        ended = matesolve("board", str(tmp_path / name), "-o", str(page))
        assert ended == (0, "", f"{page}: written\n")
        verdicts = [found["verdict"] for found in records_of(page.read_bytes())]
        assert verdicts == ["proved", "shorter"]


def test_a_store_that_was_cut_off_is_refused_in_a_line(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    store = tmp_path / "run.db"
    Store(store).close()
    store.write_bytes(store.read_bytes()[:5000])
    for command in ("board", "report"):
        ended = matesolve(command, str(store), "-o", str(tmp_path / "page.html"))
        assert (ended.code, ended.out) == (74, "")
        reason = f"database disk image is malformed; {REMEDY}"
        assert ended.err == f"error: {store}: {reason}\n"


@pytest.mark.parametrize("opens", [True, False])
def test_without_a_file_the_page_is_opened_from_a_private_folder(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    *,
    opens: bool,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def open_url(url: str) -> bool:
        opened.append(url)
        return opens

    monkeypatch.setattr(webbrowser, "open", open_url)
    assert run(["board"]) == 0
    printed = capsys.readouterr()
    page = Path(printed.out.strip())
    assert urlsplit(opened[0]).path == str(page)
    if sys.platform != "win32":
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert ("found no browser" in printed.err) is not opens
    assert data_of(page.read_bytes())["fen"] == "8/7K/8/8/8/8/R7/7k w - - 0 1"
