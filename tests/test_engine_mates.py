"""benchmarks.engine_mates: the same set, and an engine's claims as EPD."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks import engine_mates
from solver.formats.epd import parse_record

if TYPE_CHECKING:
    from collections.abc import Callable

PUZZLES = Path(__file__).parents[1] / "puzzles"

SET = """\
7k/8/8/8/8/8/R7/1R4K1 w - - dm 2; id "ladder";
7k/8/6K1/8/8/8/8/R7 b - - dm -1; id "mated";
6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 2; id "known too long";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - dm 9; id "no mate found";
8/7K/8/8/8/8/R7/7k w - - nomate 7;
"""


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    def call(*words: str | Path) -> str:
        monkeypatch.setattr("sys.argv", ["engine_mates", *map(str, words)])
        engine_mates.main()
        return capsys.readouterr().out

    return call


def test_a_sample_is_the_same_each_time_and_has_no_position_twice(
    run: Callable[..., str],
) -> None:
    files = [PUZZLES / "classics.epd", PUZZLES / "nomates.epd", PUZZLES / "traps.epd"]
    printed = run("sample", "50", *files)
    assert printed == run("sample", "50", *files, files[0])
    problems = [parse_record(line, "set:1") for line in printed.splitlines()]
    assert len({problem.fen for problem in problems}) == 50
    assert all(problem.claim for problem in problems)


@pytest.mark.usefixtures("kernel")
def test_an_engines_last_scores_are_its_claims(
    run: Callable[..., str], tmp_path: Path
) -> None:
    path, engine = tmp_path / "set.epd", tmp_path / "engine"
    path.write_text(SET)
    engine.write_text(f"#!/bin/sh\nexec {sys.executable} -m solver uci\n")
    engine.chmod(0o755)
    claims = tmp_path / "claims.epd"
    claims.write_text(run("run", engine, "20000", path))
    ladder, mated, short = claims.read_text().splitlines()
    assert ladder.startswith("7k/8/8/8/8/8/R7/1R4K1 w - - dm 2; pv R")
    assert mated == '7k/8/6K1/8/8/8/8/R7 b - - dm -1; pv Kg8 Ra8#; id "mated";'
    assert " dm 1; pv Ra8#;" in short
    *_, total = run("compare", path, claims).splitlines()
    assert total == "| 1 to 27 | 4 | 3 | 2 |"


def test_other_words_print_the_usage(run: Callable[..., str]) -> None:
    with pytest.raises(SystemExit, match="usage"):
        run("sample", "5")
