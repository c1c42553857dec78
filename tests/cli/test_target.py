"""No command overwrites what it reads, nor writes two outputs to one file."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from solver.cli.console import identify_file, prepare_outputs, require_apart
from solver.cli.main import run
from tests.cli.processes import process

MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
GAME = '[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one input of each kind."""
    monkeypatch.chdir(tmp_path)
    Path("mates.epd").write_text(f"{MATE_IN_1} dm 1;\n")
    Path("games.pgn").write_text(GAME)
    Path("empty").touch()
    assert run(["verify", "mates.epd", "--quiet", "--store", "a.db"]) == 0
    assert run(["verify", "mates.epd", "--quiet", "--store", "b.db"]) == 0
    assert run(["export", "a.db", "-o", "audit.jsonl"]) == 0
    assert run(["mip", "build", "games.pgn", "-o", "games.mip"]) == 0
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "mates.epd", "mates.epd"],
        ["improve", "mates.epd", "-o", "mates.epd"],
        ["improve", "mates.epd", "--store", "a.db", "-o", "a.db"],
        ["improve", "mates.epd", "-o", "new.epd", "--store", "mates.epd"],
        ["export", "a.db", "--to", "csv", "-o", "a.db"],
        ["export", "a.db", "--to", "csv", "-o", "a.db-wal"],
        ["report", "a.db", "-o", "a.db"],
        ["report", "audit.jsonl", "-o", "audit.jsonl"],
        ["mip", "build", "games.pgn", "-o", "games.pgn"],
        ["verify", "empty", "--store", "empty"],
        ["verify", "a.db", "--store", "a.db"],
        ["solve", MATE_IN_1, "--svg", "new", "--pgn", "new"],
        ["solve", MATE_IN_1, "--html", "new", "--certificate", "new"],
        ["table", MATE_IN_1, "--mip-table", "a.svg", "--html", "a.svg"],
        ["table", "mates.epd", "--html", "mates.epd"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("link", ["none", "hard", "symbolic"])
def test_an_output_that_is_an_input_or_another_output_is_a_usage_error(
    arguments: list[str], link: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *others, output = arguments
    for name in ("a.db-wal", "a.svg"):
        Path(name).touch()
    linked = f"link{Path(output).suffix}"
    if link != "none":
        Path(output).touch()
        make = os.link if link == "hard" else os.symlink
        make(output, linked)
        output = linked
    before = contents(folder)
    capsys.readouterr()

    assert run([*others, output]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    *_, error = err.splitlines()
    assert "found an input" in error or "found the same file twice" in error
    assert contents(folder) == before


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell's redirection")
def test_standard_input_is_an_input_too(folder: Path) -> None:
    before = contents(folder)
    with (
        Path("mates.epd").open("rb") as stdin,
        process("convert", "-", str(folder / "mates.epd"), stdin=stdin) as running,
    ):
        _, err = running.communicate()

    assert running.returncode == 2
    assert "expected an output that is not an input" in err
    assert contents(folder) == before


def test_the_files_beside_a_store_count_as_the_store(folder: Path) -> None:
    Path("link.db").symlink_to("a.db")
    Path("a.db-wal").touch()
    for store in ("a.db", "link.db"):
        before = contents(folder)
        assert run(["verify", "a.db-wal", "--store", store]) == 2
        assert run(["report", store, "-o", "a.db-wal"]) == 2
        assert contents(folder) == before


def test_a_store_and_a_table_may_be_added_to(folder: Path) -> None:
    before = contents(folder)
    assert run(["verify", "mates.epd", "--quiet", "--store", "a.db"]) == 0
    build = ["mip", "build", "games.pgn", "--merge", "games.mip", "-o", "games.mip"]
    assert run(build) == 0
    assert contents(folder)["games.mip"] != before["games.mip"]


def test_a_certificate_does_not_overwrite_an_input(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = '{{"id":"{0}","fen":"{1} 0 1","claim":1}}\n'
    collection = record.format("mates", MATE_IN_1) + record.format("other", MATE_IN_1)
    Path("mates.json").write_text(collection)
    arguments = ["verify", "mates.json", "--quiet", "--format", "jsonl"]

    assert run([*arguments, "--certificates", str(folder)]) == 74
    assert Path("mates.json").read_text() == collection
    assert Path("other.json").exists()
    error = f"error: {folder / 'mates.json'}: expected a new file, found an input\n"
    assert error in capsys.readouterr().err


def test_a_certificate_does_not_overwrite_standard_input(folder: Path) -> None:
    collection = Path("mates.json")
    collection.write_text(f'{{"id":"mates","fen":"{MATE_IN_1} 0 1","claim":1}}\n')
    before = collection.read_bytes()
    words = ("verify", "-", "--quiet", "--certificates", str(folder))
    with (
        collection.open("rb") as stdin,
        process(*words, "--format", "jsonl", stdin=stdin) as running,
    ):
        _, err = running.communicate()

    assert running.returncode == 74
    error = f"error: {folder / 'mates.json'}: expected a new file, found an input\n"
    assert error in err
    assert collection.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", MATE_IN_1, "--svg", "-"],
        ["solve", MATE_IN_1, "--pgn", "-"],
        ["solve", MATE_IN_1, "--html", "-"],
        ["solve", MATE_IN_1, "--certificate", "-"],
        ["board", "-o", "-"],
        ["match", "--a", "off", "--games-file", "-"],
        ["table", "--html", "-"],
        ["report", "a.db", "-o", "-"],
        ["mip", "build", "games.pgn", "-o", "-"],
        ["verify", "mates.epd", "--store", "-"],
    ],
    ids=" ".join,
)
def test_a_file_only_output_refuses_standard_output(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    capsys.readouterr()
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "Error: -: expected the name of a file."
    assert contents(folder) == before


def test_devices_may_be_used_twice() -> None:
    prepare_outputs(os.devnull, os.devnull, reads=[os.devnull])
    assert identify_file(os.devnull) is None


def test_missing_files_are_compared_by_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("target")
    require_apart(["a", "b", "target"])
    for other in ("./a", "b/../a", str(tmp_path / "a")):
        with pytest.raises(click.UsageError, match="same file twice"):
            require_apart(["a", other])
    with pytest.raises(click.UsageError, match="same file twice"):
        require_apart(["target", "link"])


@pytest.mark.parametrize(
    "arguments",
    [
        *(["solve", MATE_IN_1, f"--{form}"] for form in ("svg", "pgn", "html")),
        ["solve", MATE_IN_1, "--certificate"],
        ["board", "-o"],
        ["match", "--a", "off", "--games-file"],
        ["report", "audit.jsonl", "-o"],
        ["table", "--html"],
        ["trace", MATE_IN_1, "--html"],
        ["mip", "build", "games.pgn", "-o"],
    ],
    ids=" ".join,
)
def test_an_output_that_cannot_be_written_is_reported_before_the_search(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    capsys.readouterr()
    for name, reason in (
        ("missing/file", "No such file or directory"),
        (".", "Is a directory"),
        ("mates.epd/file", "Not a directory"),
    ):
        assert run([*arguments, name]) == 74
        assert capsys.readouterr() == ("", f"error: {name}: {reason}\n")
    assert contents(folder) == before
