"""`matesolve board`: the page in a file, or in the browser."""

from __future__ import annotations

import json
import re
import stat
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from solver.cli.main import run

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve


def data_of(page: Path) -> dict[str, Any]:
    """Return the data of a page."""
    (text,) = re.findall(r'id="data">(.*?)</script>', page.read_text())
    data: dict[str, Any] = json.loads(text)
    return data


def test_the_page_begins_with_the_position(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    page = tmp_path / "board.html"
    fen = ("k7/8/8/8/8/8/8/K6R", "b", "-", "-")
    ended = matesolve("board", *fen, "-o", str(page))
    assert ended == (0, "", "")
    data = data_of(page)
    assert data["fen"] == "k7/8/8/8/8/8/8/K6R b - - 0 1"
    assert {*data["modules"]} == {"search", "battle", "help", "laboratory"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["8/8/8/8/8/8/8/8"], 65, "error: expected one white king, found none"),
        (["-o", "no/folder.html"], 74, "error: no/folder.html: No such file"),
        (["-o", "-"], 2, "Error: -: expected the name of a file."),
    ],
)
def test_what_cannot_be_written_is_one_line(
    matesolve: Matesolve, arguments: list[str], code: int, message: str
) -> None:
    ended = matesolve("board", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err


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
    assert ("no browser was found" in printed.err) is not opens
    assert data_of(page)["fen"] == "8/7K/8/8/8/8/R7/7k w - - 0 1"
