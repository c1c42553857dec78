"""`matesolve generate`: exact output, limits, interrupts and closed pipes."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from solver import generate
from solver.formats.epd import write_epd
from tests.cli.processes import process

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

OPTIONS = ("--puzzles", "3", "--seed", "7", "--unique-key")
HEAD = "# matesolve generate 2 --seed 7 --pieces 5-9 --unique-key\n"


def epd(moves: int, count: int, **arguments: int) -> str:
    return "".join(map(write_epd, generate(moves, count, **arguments)))  # type: ignore[arg-type]


def test_puzzles_are_printed_as_epd_with_how_they_were_made(
    matesolve: Matesolve,
) -> None:
    assert matesolve("generate", "2", *OPTIONS) == (
        0,
        HEAD + "qB6/4B3/6p1/P7/8/2p1Q3/8/K6k w - - dm 2; "
        'bm Qh3+; pv Qh3+ Kg1 Bc5#; id "mate-in-2-seed-7-1";\n'
        "8/7p/4Q3/r7/8/8/5k2/7K b - - dm 2; "
        'bm Rh5+; pv Rh5+ Qh3 Rxh3#; id "mate-in-2-seed-7-2";\n'
        "8/3q4/7K/4n3/8/6p1/5R1R/k5N1 w - - dm 2; "
        'bm Rf1+; pv Rf1+ Qd1 Rxd1#; id "mate-in-2-seed-7-3";\n',
        "",
    )


def test_ten_puzzles_of_seed_1_are_the_default(matesolve: Matesolve) -> None:
    head = "# matesolve generate 1 --seed 1 --pieces 5-9\n"
    assert matesolve("generate", "1").out == head + epd(1, 10)


def test_verify_proves_what_is_printed(matesolve: Matesolve) -> None:
    printed = matesolve("generate", "2", "--puzzles", "20", "--pieces", "6-12").out
    ended = matesolve("verify", "-", "--keys", "--jsonl", "-q", stdin=printed)
    assert ended.out.count('"verdict":"proved"') == 20


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("60",), "'N': expected a whole number from 1 to 6, found '60'"),
        (("0",), "'N': expected a whole number from 1 to 6, found '0'"),
        (
            ("2", "--pieces", "0"),
            "'--pieces': expected a range within 3 to 20, such as 5-9, found '0'",
        ),
        (
            ("2", "--pieces", "9-5"),
            "'--pieces': expected a range within 3 to 20, such as 5-9, found '9-5'",
        ),
        (
            ("2", "--pieces", "5-21"),
            "'--pieces': expected a range within 3 to 20, such as 5-9, found '5-21'",
        ),
        (("2", "--seed", "-1"), "'--seed': expected a whole number from 0 to"),
        (("2", "--seed", f"{2**63}"), "'--seed': expected a whole number from 0 to"),
        (("2", "--puzzles", "0"), "'--puzzles': expected a whole number from 1"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(
    matesolve: Matesolve, arguments: tuple[str, ...], expected: str
) -> None:
    ended = matesolve("generate", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert expected in ended.err.splitlines()[-1]


def test_a_search_that_finds_nothing_more_says_so(
    matesolve: Matesolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.columns.generate.PATIENCE", 100_000)
    ended = matesolve("generate", "4", "--pieces", "3")
    assert ended.code == 3
    assert ended.out.splitlines() == ["# matesolve generate 4 --seed 1 --pieces 3-3"]
    assert ended.err == "0 of 10 made: a billion nodes found no more\n"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_ends_a_long_run_with_whole_lines() -> None:
    with process("generate", "2", "--puzzles", "1000000") as running:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(5)]
        running.send_signal(signal.SIGINT)
        made = "".join(lines) + running.stdout.read()
        assert running.wait() == 130
        assert running.stderr is not None
        errors = running.stderr.read()
    assert made.endswith(";\n")
    assert errors == "interrupted\n"


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    with process("generate", "1", "--puzzles", "1000000") as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("# matesolve generate 1")
        running.stdout.close()
        assert running.wait() == 74
        assert running.stderr is not None
        assert running.stderr.read() == ""
