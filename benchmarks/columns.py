"""Rows per second of columns and of audits of easy problems, on one core.

usage: python -m benchmarks.columns mate-in-2.epd [ROWS]

Repeats the positions of an EPD file to a number of rows (by default 10^6). Each task
runs in a separate process; the output is its rows per second and its peak memory.
`solve_many` and `grade_many` get lists; `verify` reads EPD, and includes its start.

`answers` grades what language models answer: of ten, one is the whole line, one its
first move, four are other legal moves in SAN, two lines go wrong after the key, one
move is illegal and one text is no move. `wrong` grades other legal moves only. `calls`
grades the answers and solves, one call each, in microseconds.

    python -m benchmarks.columns mates.epd 100 trees

finds the accepted moves of each row within its `dm`: median and most of the CPU
milliseconds, the moves of either side and the bytes of JSON.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import chess

from benchmarks.memory import TIMEOUT_S, peak_mib
from solver import Status, accepted, grade, grade_many, solve, solve_many
from tests import processes

MODULE = "benchmarks.columns"
ROWS = 1_000_000
GRADED = 100_000
"""Rows that are graded."""

MOVES = 2
TASKS = ("solve", "keys", "grade", "answers", "wrong", "calls", "verify", "store")

CALLS = 2_000


def rows_of(path: str, number: int) -> list[str]:
    """Return the lines of a file, repeated to a number of rows."""
    lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    return list(islice(cycle(lines), number))


def answers_to(
    fens: list[str], lines: list[tuple[str, ...]], kinds: range
) -> list[str]:
    """Return an answer to each position, as described above; `kinds` are in turn."""
    draw, answers = Random(1), []
    for kind, fen, line in zip(cycle(kinds), fens, lines, strict=False):
        board, moves = chess.Board(fen), line
        match kind:
            case 0:
                answers.append(" ".join(line))
            case 1:
                answers.append(f"1. {board.san(chess.Move.from_uci(moves[0]))}!")
            case 2 | 3 | 4 | 5:
                others = [m for m in board.legal_moves if m.uci() != moves[0]]
                answers.append(board.san(draw.choice(others or [*board.legal_moves])))
            case 6 | 7:
                for move in moves[:2]:
                    board.push_uci(move)
                last = draw.choice([*board.legal_moves])
                answers.append(f"{' '.join(moves[:2])} {board.san(last)}")
            case 8:
                answers.append("1. O-O-O#")
            case _:
                answers.append("The best move is a check by the queen")
    return answers


def time_calls(fens: list[str], answers: list[str]) -> None:
    """Print the microseconds of a call of `grade` and of `solve`."""
    for name, call in (
        ("grade", lambda fen, answer: grade(fen, answer, MOVES)),
        ("solve", lambda fen, _answer: solve(fen)),
    ):
        started = time.perf_counter()
        for fen, answer in zip(fens[:CALLS], answers, strict=False):
            call(fen, answer)
        passed = time.perf_counter() - started
        print(f"{name} {passed / CALLS * 1e6:.0f} us", end="  ")
    print()


def count_moves(tree: dict[str, Any]) -> int:
    """Return how many moves of either side a tree has."""
    below = tree.get("right_moves", ())
    return sum(1 + ("reply" in move) + count_moves(move) for move in below)


def time_trees(rows: list[str]) -> None:
    """Print the cost and the size of the accepted trees of rows with a `dm`."""
    read = re.compile(r"((?:\S+ ){4}).*\bdm ([0-9]+);").match
    problems = [(found[1], int(found[2])) for found in map(read, rows) if found]
    accepted(*problems[0])  # loads the kernel
    costs = []
    for fen, moves in problems:
        started = time.process_time()
        tree = accepted(fen, moves)
        passed = 1000 * (time.process_time() - started)
        size = len(json.dumps(tree, separators=(",", ":")))
        costs.append((passed, count_moves(tree), size))
    for name, values in zip(
        ("ms", "moves", "bytes"), zip(*costs, strict=True), strict=True
    ):
        print(f"{name} {median(values):.5g}, at most {max(values):.5g}", end="; ")
    print(f"{len(costs)} trees")


def run(task: str, path: str, number: int) -> None:
    """Run a task on rows that were made before the clock starts; print its rate."""
    if task == "trees":
        time_trees(rows_of(path, number))
        return
    fens = [" ".join(row.split()[:4]) for row in rows_of(path, number)]
    if task in {"answers", "wrong", "calls"}:
        fens = fens[:GRADED]
        lines = list(solve_many(fens, max_moves=MOVES, keys=False).pv)
        kinds = range(2, 6) if task == "wrong" else range(10)
        answers = answers_to(fens, lines, kinds)
        if task == "calls":
            time_calls(fens, answers)
            return
        started = time.perf_counter()
        grades = grade_many(fens, answers, MOVES)
        rate = len(fens) / (time.perf_counter() - started)
        counts = Counter(str(each.status) for each in grades)
        print(f"{rate:,.0f} rows/s", dict(counts))
        assert counts["unreadable"] == (len(fens) // 10 if 9 in kinds else 0)
        return
    if task == "grade":
        fens = fens[:GRADED]
        lines = list(solve_many(fens, max_moves=MOVES, keys=False).pv)
        started = time.perf_counter()
        assert grade_many(fens, lines, MOVES).is_right.all()
        print(f"{len(fens) / (time.perf_counter() - started):,.0f} rows/s")
        return
    solve_many(fens[:1], max_moves=MOVES)  # loads the kernel
    started = time.perf_counter()
    table = solve_many(fens, max_moves=MOVES, keys=task == "keys")
    rate = number / (time.perf_counter() - started)
    assert set(table.status.tolist()) == {Status.PROVED}
    print(f"{rate:,.0f} rows/s")


def measure(path: str, number: int) -> None:
    """Run each task and print its line."""
    with tempfile.TemporaryDirectory() as folder:
        collection = Path(folder, "rows.epd")
        collection.write_text("".join(rows_of(path, number)), encoding="utf-8")
        for task in TASKS:
            if task in {"verify", "store"}:
                store = Path(folder, "rows.db")
                options = ("--store", str(store)) if task == "store" else ()
                started = time.perf_counter()
                peak = peak_mib(str(collection), *options)
                rate = number / (time.perf_counter() - started)
                print(f"{task:8} {rate:,.0f} rows/s, {peak:.0f} MiB", flush=True)
                continue
            words = [sys.executable, "-m", MODULE, path, str(number), task]
            done = processes.run(words, patience_s=TIMEOUT_S, check=True)
            print(f"{task:8} {done.stdout.strip()}", flush=True)


def main() -> None:
    """Measure, or run one task."""
    match sys.argv[1:]:
        case [path]:
            measure(path, ROWS)
        case [path, number]:
            measure(path, int(number))
        case [path, number, task]:
            run(task, path, int(number))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
