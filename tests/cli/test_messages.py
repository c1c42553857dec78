"""Messages name the option or the file that causes the error."""

from __future__ import annotations

import errno
import mmap
from pathlib import Path

import pytest

from solver import Limits, Solver
from solver.cli.main import run
from solver.errors import AllocationError
from tests.cli.conftest import without_summaries

FEN = "8/7K/8/8/8/8/R7/7k w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"


@pytest.mark.parametrize("fault", [OSError(errno.ENOMEM, "no room"), MemoryError()])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["solve", FEN, "--hash", "64"], "--hash: expected 64 MiB"),
        (["verify", "-", "--hash", "1024"], "--hash: expected 1,024 MiB"),
        (["table", "--table-entries", "2^22"], "--table-entries: expected 64 MiB"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_table_too_large_for_memory_names_option_and_size(
    arguments: list[str],
    expected: str,
    fault: Exception,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    system_mmap = mmap.mmap

    def refuse(fileno: int, size: int, *place: int, **flags: int) -> mmap.mmap:
        if size >= 64 << 20:
            raise fault
        return system_mmap(fileno, size, *place, **flags)

    monkeypatch.chdir(tmp_path)
    Path("mates.epd").write_text(f"{FEN} dm 8;\n")
    arguments = ["mates.epd" if word == "-" else word for word in arguments]
    monkeypatch.setattr(mmap, "mmap", refuse)
    assert run(arguments) == 74
    out, err = capsys.readouterr()
    err = without_summaries(err)
    assert out == ""
    assert err.startswith(f"error: {expected} of memory for the table, found ")
    assert err.count("\n") == 1
    with pytest.raises(AllocationError, match="64 MiB"):
        Solver(64).solve(FEN, Limits(1))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["solve", BACK_RANK, "--svg"], "new.svg"),
        (["solve", BACK_RANK, "--pgn"], "new.pgn"),
        (["solve", BACK_RANK, "--html"], "new.html"),
        (["solve", BACK_RANK, "--certificate"], "new.json"),
        (["convert", "mates.epd"], "new.epd"),
        (["convert", "mates.epd"], "new.epd.gz"),
        (["convert", "mates.epd"], "new.parquet"),
        (["export", "run.db", "-o"], "new.csv"),
        (["export", "run.db", "-o"], "new.parquet"),
        (["report", "run.db", "-o"], "new.html"),
        (["mip", "build", "games.pgn", "-o"], "new.mip"),
        (["table", BACK_RANK, "-d", "1", "--html"], "new.html"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_full_disk_is_one_line_that_names_the_file(
    arguments: list[str],
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "parquet" in file:
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    Path("mates.epd").write_text(f"{BACK_RANK} dm 1;\n" * 9)
    Path("games.pgn").write_text('[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    assert run(["verify", "mates.epd", "--quiet", "--store", "run.db"]) == 0
    capsys.readouterr()

    Path(file).symlink_to("/dev/full")
    assert run([*arguments, file]) == 74
    assert capsys.readouterr().err == f"error: {file}: No space left on device\n"
