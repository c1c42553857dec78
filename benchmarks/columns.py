"""Rows per second of columns, of easy problems, on one core.

usage: python -m benchmarks.columns FILE.epd ROWS [TASK...]

Repeats the positions of a file of mates in 2 to a number of rows, and prints the rows
per second of each task:

- `solve` and `keys`: `solve_many`, with one key and with all keys;
- `grade`: `grade_many` of whole lines;
- `answers`: of ten answers as of language models, one is the whole line, one its first
  move, four are other legal moves in SAN, two lines go wrong after the key, one move is
  illegal and one text is no move;
- `wrong`: other legal moves only;
- `calls`: the microseconds of one call of `grade` and of `solve`.

`trees`, which runs only if it is named, finds the accepted moves of each row within its
`dm`: median and most of the CPU milliseconds, of the moves and of the bytes of JSON.
"""

from __future__ import annotations

import json
import re
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

import chess

from solver import Status, accepted, grade, grade_many, solve, solve_many

if TYPE_CHECKING:
    from collections.abc import Callable

MOVES = 2
GRADED = 100_000
"""Rows that are graded at most."""

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
        passed = (time.perf_counter() - started) / min(CALLS, len(fens))
        print(f"{name} {passed * 1e6:.0f} us", end="  ")
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


def time_rows(name: str, rows: int, work: Callable[[], Any]) -> Any:
    """Do some work, print its rows per second, and return its result."""
    started = time.perf_counter()
    result = work()
    print(f"{name:8} {rows / (time.perf_counter() - started):,.0f} rows/s", flush=True)
    return result


def time_solving(fens: list[str], *, keys: bool) -> None:
    """Solve all positions."""
    solve_many(fens[:1], max_moves=MOVES)  # loads the kernel
    table = time_rows(
        "keys" if keys else "solve",
        len(fens),
        lambda: solve_many(fens, max_moves=MOVES, keys=keys),
    )
    assert set(table.status.tolist()) == {Status.PROVED}


def time_grading(task: str, fens: list[str]) -> None:
    """Grade lines or answers, or call `grade` and `solve` for each."""
    fens = fens[:GRADED]
    lines = list(solve_many(fens, max_moves=MOVES, keys=False).pv)
    if task == "grade":
        grades = time_rows(task, len(fens), lambda: grade_many(fens, lines, MOVES))
        assert grades.is_right.all()
        return
    answers = answers_to(fens, lines, range(2, 6) if task == "wrong" else range(10))
    if task == "calls":
        time_calls(fens, answers)
        return
    grades = time_rows(task, len(fens), lambda: grade_many(fens, answers, MOVES))
    unreadable = sum(each.status == "unreadable" for each in grades)
    assert unreadable == (0 if task == "wrong" else len(fens) // 10)


def main() -> None:
    """Run the tasks that the command line names, or all but `trees`."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    path, number, *tasks = sys.argv[1:]
    rows = rows_of(path, int(number))
    fens = [" ".join(row.split()[:4]) for row in rows]
    for task in tasks or ("solve", "keys", "grade", "answers", "wrong", "calls"):
        if task == "trees":
            time_trees(rows)
        elif task in {"solve", "keys"}:
            time_solving(fens, keys=task == "keys")
        else:
            time_grading(task, fens)


if __name__ == "__main__":
    main()
