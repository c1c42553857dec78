"""Compare `matesolve popeye` with Popeye: the trees they print, and their times.

Run from the repository's root, on a quiet machine:

    python -m benchmarks.popeye POPEYE --suite mate-in-2.epd --suite matetrack.epd

POPEYE is the program `py`, version 4.104. Each set is solved by both programs, one
process each, with tables of the same size. The table has one line for a set: how many
problems both finished and how many trees are equal, each program's median time for a
problem as it prints it, and the median of the ratios. Differences follow.

`--after-key` takes the sets with `PostKeyPlay`. In those "at once" the defender can
reach the goal with its first move; no other set has such a position in reflex play.

`--stored` compares on the problems that the tests keep, which takes a minute. Other
problems are drawn again, and `--count` says how many a set has.

`--make` solves the sets with Popeye alone and writes the trees that the tests expect to
tests/data: trees as data, no text of Popeye's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.popeye_sets import (
    SETS,
    after_first_moves,
    drawn,
    drawn_after_key,
    from_suites,
    generated,
)
from solver.cli.popeye_answer import PopeyeAnswer
from solver.errors import FormatError
from solver.formats.popeye import read_inputs
from solver.solving import Solver
from tests.popeye_trees import Entry, Tree, as_input, difference, parse

DATA = Path(__file__).parents[1] / "tests" / "data" / "popeye_trees.json.gz"

HASH_MIB = 128
HASH = f"{HASH_MIB}M"
OURS = [sys.executable, "-m", "solver", "popeye"]

MOST_SOLUTIONS = 40
MOST_MOVES = 1500
"""The largest tree that the tests keep, in moves."""

MADE = {
    "#2": 150,
    "#3": 60,
    "#4": 25,
    "s#2": 30,
    "s#3": 12,
    **dict.fromkeys(("#5", "s#4", "h#3.5", "h#4"), 0),
    **dict.fromkeys(("=3 after", "exact-#2 after", "r#3 after", "r=2 after"), 4),
    **dict.fromkeys(("semi-r#3 after", "semi-r=2 after"), 4),
    **{name: 4 for name, kind in SETS.items() if kind.at_once is not None},
}
"""How many problems of a set the tests keep, if not `MADE_OTHERS`."""

MADE_OTHERS = 20

DRAWN = 4
"""Positions of help play that are drawn for each problem that is kept."""

SHORT_S = 2


def run(program: list[str], entries: list[Entry], max_time: int) -> list[Tree]:
    """Solve problems with a program and return what it prints, parsed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problems.inp"
        path.write_text(as_input(entries), encoding="utf-8")
        limits = ["-maxmem", HASH, "-maxtime", str(max_time)]
        done = subprocess.run(
            [*program, *limits, str(path)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60 + (max_time + 1) * len(entries),
        )
    problems = parse(done.stdout)
    if len(problems) != len(entries):
        sys.exit(
            f"{program[0]}: expected {len(entries)} problems, found {len(problems)}\n"
            f"{done.stderr[-2000:]}"
        )
    return problems


def measure(entries: list[Entry]) -> list[float]:
    """Return the seconds that our answer to each problem takes, text included."""
    lines = as_input(entries).encode().splitlines(keepends=True)
    solver = Solver(HASH_MIB)
    seconds = []
    inputs = list(read_inputs(enumerate(lines, 1), "benchmark"))
    for found in [inputs[0], *inputs]:  # the first one warms up
        started = time.perf_counter()
        assert not isinstance(found, FormatError)
        for _text in PopeyeAnswer(found, solver, None).texts():
            pass
        seconds.append(time.perf_counter() - started)
    return seconds[1:]


def chosen(
    name: str, count: int, suites: list[Path], popeye: str, solver: Solver
) -> list[Entry]:
    """Return the problems of a set."""
    kind = SETS[name]
    if kind.at_once is not None:
        return list(drawn_after_key(kind, count))
    if not kind.stipulation.startswith("h"):
        entries = (
            from_suites(kind, suites, count)
            if kind.stipulation.startswith("#") and suites
            else list(generated(kind, count, solver))
        )
        if kind.is_after_key:
            return list(after_first_moves(entries, solver))
        return entries
    entries = list(drawn(kind, DRAWN * count))
    trees = run([popeye], entries, SHORT_S)
    return [
        entry
        for entry, tree in zip(entries, trees, strict=True)
        if tree["ending"] == "finished" and 0 < size_of(tree["play"]) <= MOST_SOLUTIONS
    ][:count]


@dataclass
class Comparison:
    """What both programs print on a set.

    Pairs are ours and Popeye's. `finished` counts the problems that both finished;
    `differences` has a problem, and where its trees differ.
    """

    finished: int = 0
    unfinished: tuple[int, int] = (0, 0)
    times: list[tuple[float, float]] = field(default_factory=list)
    differences: list[tuple[Entry, str]] = field(default_factory=list)


def compare(entries: list[Entry], popeye: str, max_time: int) -> Comparison:
    """Solve problems with both programs, and compare their trees."""
    ours = run(OURS, entries, max_time)
    theirs = run([popeye], entries, max_time)
    found = Comparison()
    ends = [[one["ending"] == "finished" for one in side] for side in (ours, theirs)]
    found.unfinished = ends[0].count(False), ends[1].count(False)
    seconds = measure(entries)
    for entry, our, their, our_s in zip(entries, ours, theirs, seconds, strict=True):
        if our["ending"] == their["ending"] == "finished":
            found.finished += 1
            found.times.append((our_s, their["time_s"]))
            if where := difference(our["play"], their["play"]):
                found.differences.append((entry, where))
    return found


def line_of(name: str, found: Comparison) -> str:
    """Return a line of the table."""
    if not found.times:
        return f"{name:16} none finished"
    ours, theirs = (
        statistics.median(times) for times in zip(*found.times, strict=True)
    )
    ratio = statistics.median(their / our for our, their in found.times)
    equal = found.finished - len(found.differences)
    return (
        f"{name:16} {found.finished:8} {equal:6} "
        f"{found.unfinished[0]:6} {found.unfinished[1]:6} "
        f"{1000 * ours:9.2f} {1000 * theirs:9.1f} {ratio:7.1f}"
    )


HEAD = (
    "set              finished  equal  stopped (ours, theirs)  ms ours  theirs   ratio"
)


def size_of(tree: object) -> int:
    """Return the number of moves in a tree, or of lines."""
    if isinstance(tree, dict):
        return sum(1 + size_of(below) for below in tree.values())
    return len(tree) if isinstance(tree, list) else 0


def stored() -> dict[str, list[dict[str, Any]]]:
    """Return the problems that the tests keep and their trees, by set."""
    found: dict[str, list[dict[str, Any]]] = {}
    for line in gzip.decompress(DATA.read_bytes()).decode().splitlines():
        row = json.loads(line)
        found.setdefault(row["name"], []).append(row)
    return found


def make(popeye: str, asked: argparse.Namespace) -> None:
    """Write the trees that the tests expect, set by set; keep those of other sets."""
    rows = stored()
    solver = Solver(128)
    for name in asked.sets:
        count = MADE.get(name, MADE_OTHERS)
        if not count:
            continue
        entries = chosen(name, count * 3 // 2, asked.suite, popeye, solver)
        trees = run([popeye], entries, asked.max_time)
        kept = [
            {**entry._asdict(), "play": tree["play"][""]}
            for entry, tree in zip(entries, trees, strict=True)
            if tree["ending"] == "finished" and size_of(tree["play"]) <= MOST_MOVES
        ]
        rows[name] = kept[:count]
        lines = [
            json.dumps(row, separators=(",", ":"))
            for kind in SETS
            for row in rows.get(kind, ())
        ]
        text = "".join(f"{line}\n" for line in lines)
        DATA.write_bytes(gzip.compress(text.encode(), mtime=0))
        print(f"{name}: {len(rows[name])}; {len(lines)} in all", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("popeye", metavar="POPEYE")
    parser.add_argument("--suite", type=Path, action="append", default=[])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument(
        "--after-key",
        dest="sets",
        action="store_const",
        const=[name for name, kind in SETS.items() if kind.is_after_key],
        help="the sets of play after a key",
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--max-time", type=int, default=60, metavar="S")
    parser.add_argument("--show", type=int, default=3, help="differences of a set")
    parser.add_argument("--stored", action="store_true", help="the tests' problems")
    parser.add_argument("--make", action="store_true")
    asked = parser.parse_args()
    if asked.make:
        make(asked.popeye, asked)
        return
    solver = Solver(128)
    print(HEAD)
    kept = stored() if asked.stored else {}
    for name in kept or asked.sets:
        entries = [
            Entry(**{field: row[field] for field in Entry._fields})
            for row in kept.get(name, ())
        ] or chosen(name, asked.count, asked.suite, asked.popeye, solver)
        if not entries:
            print(f"{name:16} no problems")
            continue
        found = compare(entries, asked.popeye, asked.max_time)
        print(line_of(name, found), flush=True)
        for entry, where in found.differences[: asked.show]:
            print(f"    {entry.fen} {entry.stipulation}: {where}")


if __name__ == "__main__":
    main()
