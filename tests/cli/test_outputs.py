"""Outputs of all commands: no input is overwritten, and errors name their file."""

from __future__ import annotations

import errno
import mmap
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver import Limits, Solver
from solver.cli.main import run
from solver.errors import AllocationError
from tests.cli.conftest import rows
from tests.cli.processes import process

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

MATE = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
GAME = '[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


@pytest.fixture(autouse=True)
def _inputs(_folder: None) -> None:
    """One input of each kind."""
    Path("mates.epd").write_text(f"{MATE} dm 1;\n" * 9)
    Path("games.pgn").write_text(GAME)
    for name in ("empty", "a.db-wal", "a.svg"):
        Path(name).touch()
    assert run(["verify", "mates.epd", "--quiet", "--store", "a.db"]) == 0
    assert run(["export", "a.db", "-o", "audit.jsonl"]) == 0
    assert run(["mip", "build", "games.pgn", "-o", "games.mip"]) == 0


def contents() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def words_of(line: str) -> list[str]:
    return [MATE if word == "FEN" else word for word in line.split()]


NOT_APART = """
convert mates.epd mates.epd
improve mates.epd -o mates.epd
improve mates.epd -o new.epd --store mates.epd
export a.db --to csv -o a.db-wal
report a.db -o a.db
mip build games.pgn -o games.pgn
verify empty --store empty
verify a.db --store a.db
verify mates.epd --marks a.db --store a.db
solve FEN --svg new --pgn new
solve FEN --html new --certificate ./new
table FEN --mip-table a.svg --html a.svg
table mates.epd --html mates.epd
"""


@pytest.mark.parametrize("link", ["none", "hard", "symbolic"])
def test_an_output_that_is_an_input_or_another_output_is_a_usage_error(
    link: str, matesolve: Cli
) -> None:
    for number, (line,) in enumerate(rows(NOT_APART)):
        *others, output = words_of(line)
        if link != "none":
            linked = f"link{number}{Path(output).suffix}"
            Path(output).touch()
            make = os.link if link == "hard" else os.symlink
            make(output, linked)
            output = linked
        before = contents()
        code, out, err = matesolve(*others, output)
        assert (code, out) == (2, ""), line
        error = err.splitlines()[-1]
        assert "found an input" in error or "found the same file twice" in error
        assert contents() == before, line


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell's redirection")
def test_standard_input_is_an_input_too() -> None:
    record = f'{{"id":"%s","fen":"{MATE} 0 1","claim":1}}\n'
    Path("mates.json").write_text(record % "mates" + record % "other")
    before = contents()
    proofs = ("--certificates", ".", "--format", "jsonl")
    with Path("mates.json").open("rb") as stdin:
        words = ("convert", "-", "mates.json", "--to", "jsonl")
        with process(*words, stdin=stdin) as running:
            _, err = running.communicate()
        assert running.returncode == 2
        assert "expected an output that is not an input" in err
        with process("verify", "-", "--quiet", *proofs, stdin=stdin) as running:
            _, err = running.communicate()
        assert running.returncode == 74
    assert "error: mates.json: expected a new file, found an input\n" in err
    after = contents()
    assert after.pop("other.json")
    assert after == before


def test_a_store_and_a_table_may_be_added_to() -> None:
    before = contents()
    assert run(["verify", "mates.epd", "--quiet", "--store", "a.db"]) == 0
    build = ["mip", "build", "games.pgn", "--merge", "games.mip", "-o", "games.mip"]
    assert run(build) == 0
    assert contents()["games.mip"] != before["games.mip"]
    # A device is no file.
    assert run(["solve", MATE, "--svg", os.devnull, "--pgn", os.devnull]) == 0
    assert Path(os.devnull).is_char_device() or os.name != "posix"


FILES = """
solve FEN --svg
solve FEN --certificate
board -o
match --a off --games-file
table --html
report audit.jsonl -o
mip build games.pgn -o
trace FEN --html
verify mates.epd --store
"""


def test_a_file_that_cannot_be_written_or_is_no_file_is_reported_before_the_search(
    matesolve: Cli,
) -> None:
    for line in FILES.strip().splitlines():
        before = contents()
        code, out, err = matesolve(*words_of(line), "-")
        assert (code, out) == (2, "")
        assert err.splitlines()[-1] == "Error: -: expected the name of a file."
        if line.endswith("--store"):
            continue  # a store has errors of its own
        for name, reason in (
            ("missing/file", "No such file or directory"),
            (".", "Is a directory"),
            ("mates.epd/file", "Not a directory"),
        ):
            ended = matesolve(*words_of(line), name)
            assert ended == (74, "", f"error: {name}: {reason}\n")
        assert contents() == before


FULL = """
solve FEN --svg | new.svg
solve FEN --html | new.html
solve FEN --certificate | new.json
convert mates.epd | new.epd.gz
convert mates.epd | new.parquet
export a.db -o | new.csv
mip build games.pgn -o | new.mip
table FEN -d 1 --html | table.html
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line_that_names_the_file(matesolve: Cli) -> None:
    for line, file in rows(FULL):
        if "parquet" in file:
            pytest.importorskip("pyarrow")
        Path(file).symlink_to("/dev/full")
        code, _, err = matesolve(*words_of(line), file)
        assert (code, err) == (74, f"error: {file}: No space left on device\n")


@pytest.mark.parametrize("fault", [OSError(errno.ENOMEM, "no room"), MemoryError()])
def test_a_table_too_large_for_memory_names_option_and_size(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    system_mmap = mmap.mmap

    def refuse(fileno: int, size: int, *place: int, **flags: int) -> mmap.mmap:
        if size >= 64 << 20:
            raise fault
        return system_mmap(fileno, size, *place, **flags)

    monkeypatch.setattr(mmap, "mmap", refuse)
    for line, expected in (
        ("solve - --hash 64 --json", "--hash: expected 64 MiB"),
        ("verify - --hash 1024", "--hash: expected 1,024 MiB"),
        ("table --table-entries 2^22", "--table-entries: expected 64 MiB"),
    ):
        code, out, err = cli(line, stdin=f"{MATE} dm 1;\n")
        assert (code, out, err.count("\n")) == (74, "", 1)
        assert err.startswith(f"error: {expected} of memory for the table, found ")
    with pytest.raises(AllocationError, match="64 MiB"):
        Solver(64).solve(MATE, Limits(1))
