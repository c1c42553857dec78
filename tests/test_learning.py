"""The first numbers' worths can be learnt again; see benchmarks.first_numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import first_numbers
from benchmarks.first_numbers import HAND, Attack, Data, Node

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
4R3/1P6/8/2k5/8/8/8/3K4 w - - bm #7;
5k2/8/4P3/8/8/8/K2R4/8 w - - bm #8;
8/8/R5KP/8/8/7k/8/8 w - - bm #7;
5k2/7R/8/8/4P3/8/8/K7 w - - bm #11;
8/8/8/4R3/5K2/8/k6P/8 w - - bm #9;
"""
"""Positions of the half for tuning."""


@pytest.mark.usefixtures("kernel")
def test_worths_are_learnt_from_a_suite(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suite = tmp_path / "suite.epd"
    suite.write_text(SUITE)
    words = ["first_numbers", str(suite), "--positions", "4", "--budget", "500"]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setattr(first_numbers, "ROUNDS", 20)
    first_numbers.main()
    printed = capsys.readouterr().out
    assert printed.startswith("5 positions; ")
    for name in ("hand", "kernel", "fit"):
        assert f"\n{name} " in printed
    for name in ("FLIGHTS", "OTHERS", "LOSSES", "BEYOND"):
        assert f"\n{name} = np.array([\n    [0, " in printed


def node(*attacks: tuple[int, int, int, int, int, bool]) -> Node:
    """Make a node: for each attack the fields of its defence, and whether it mates."""
    return Node(0, [Attack(attack[:5], attack[5]) for attack in attacks])


def test_what_mates_in_spite_of_it_weighs_less() -> None:
    """Moves of other pieces never matter here, and flights always do."""
    data = Data.of([node((1, 1, 0, 0, 0, False), (1, 0, 8, 0, 0, True))] * 20)
    steps = first_numbers.fit(data)
    assert steps[0][1, 0] > HAND[0][1, 0]
    assert (steps[1][1, :8] < HAND[1][1, :8]).all()
    assert np.allclose(steps[0][0], HAND[0][0])
    assert np.allclose(steps[2], HAND[2])


def test_slopes_are_those_of_the_likelihood() -> None:
    data = Data.of(
        [
            node((0, 2, 3, 1, 4, True), (1, 1, 0, 0, 2, False), (0, 0, 9, 4, 0, False)),
            node((1, 1, 2, 0, 1, True), (1, 2, 1, 2, 3, True), (0, 1, 1, 0, 0, False)),
        ]
    )
    steps = [step.copy() for step in HAND]

    def likelihood() -> float:
        work = data.work(first_numbers.tables_of(steps))
        return data.likelihood(work, first_numbers.POWER)[0]

    before = likelihood()
    for table, expected in enumerate(first_numbers.slopes(data, steps)):
        for place in np.ndindex(2, 2):
            steps[table][place] *= 1.0001
            slope = (likelihood() - before) / np.log(1.0001)
            steps[table][place] = HAND[table][place]
            assert slope == pytest.approx(expected[place], abs=1e-4)
