"""benchmarks.help_play: Popeye's examples, and both programs' solutions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks import help_play

if TYPE_CHECKING:
    from pathlib import Path

GERMAN = """\
anfangproblem
autor           R. Weiss
forderung       h#2
steine  weiss   kc2 tf6
        schwarz ka1 sa2
option          satz intell
zwilling        ersetze t l
zwilling        verse a2 b1 hinzu schwarz bh3
weiteresproblem
forderung       ser-h#2
steine          weiss kc1 tf6 schwarz ka1
option          intelligent
weiteresproblem
bedingung       circe
forderung       h#2
steine          weiss kc1 tf6 schwarz ka1
option          intelligent
endeproblem
"""

ENGLISH = """\
BeginProblem
Pieces White Ke1 Rh1 Pc7 Black Ka8
Stipulation h=1
Option Intelligent Duplex
NextProblem
Pieces White Ke1 Black Ka8
Stipulation h#2
EndProblem
"""

EXAMPLES = [
    ("german.inp:3 a)", "h#2", "8/8/5R2/8/8/8/n1K5/k7 b - - 0 1"),
    ("german.inp:3 b)", "h#2", "8/8/5B2/8/8/8/n1K5/k7 b - - 0 1"),
    ("german.inp:3 c)", "h#2", "8/8/5R2/8/8/7p/2K5/kn6 b - - 0 1"),
    ("english.inp:2", "h=1", "k7/2P5/8/8/8/8/8/4K2R b K - 0 1"),
    ("english.inp:2 duplex", "h=1", "k7/2P5/8/8/8/8/8/4K2R w K - 0 1"),
]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for folder, name, text in (
        ("BEISPIEL", "german.inp", GERMAN),
        ("REGRESSIONS", "english.inp", ENGLISH),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
    return tmp_path


def test_examples_are_orthodox_help_play_in_intelligent_mode(sources: Path) -> None:
    assert list(help_play.read_examples(sources)) == EXAMPLES


def test_a_line_of_popeye_becomes_uci() -> None:
    white, black = (f"4k3/8/8/8/8/8/8/4K3 {side} - - 0 1" for side in "wb")
    line = "1.Kf5-e4 Sc6*d8+ 2.e2-e1=S 0-0#"
    assert help_play.as_uci(line, black) == "f5e4 c6d8 e2e1n e1g1"
    assert help_play.as_uci("1...a5*b6ep. 2.0-0-0 Ra1-a8=", white) == ("a5b6 e8c8 a1a8")
    with pytest.raises(ValueError, match="expected a move of Popeye"):
        help_play.as_uci("1.Kf5", black)


def test_the_summary_leaves_out_what_is_fast_in_both_programs() -> None:
    assert help_play.summary([(0.01, 0.04)]) == "no problem takes 0.05 s"
    assert help_play.summary([(0.01, 0.04), (0.2, 0.02), (1, 3), (0.5, 2)]) == (
        "3 take 0.05 s or more: we are at least 0.10 times as fast as Popeye, "
        "median 3.0; 1 take us more than twice as long"
    )


@pytest.mark.usefixtures("kernel")
def test_both_programs_solve_every_example(
    sources: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (sources / "BEISPIEL" / "german.inp").unlink()
    popeye = sources / "py"
    popeye.write_text(f'#!/bin/sh\nexec {sys.executable} -m solver popeye "$@"\n')
    popeye.chmod(0o755)
    words = [str(popeye), str(sources), "--plain", "9", "--max-time", "9"]
    monkeypatch.setattr("sys.argv", ["help_play", *words])
    help_play.main()
    *rows, times, solved, compared = capsys.readouterr().out.splitlines()
    columns = [row.split("\t") for row in rows]
    assert [tuple(row[:2]) for row in columns] == [found[:2] for found in EXAMPLES[3:]]
    assert all(row[4] == row[5] for row in columns)
    assert times
    assert solved == "2 problems: 0 not solved in 9 s each"
    assert compared == "2 compared: 0 with different solutions"
