"""Measure how much sooner several threads answer a position than one.

usage: python -m benchmarks.threads choose SUITE.epd > CHOSEN.epd
       python -m benchmarks.threads run CHOSEN.epd 1 2 4 8 > RUNS.jsonl
       python -m benchmarks.threads table RUNS.jsonl

`choose` draws 20 positions whose shortest mate, in 8 to 10, one thread proves with all
keys in 7 to 45 million nodes: 1 to 7 s. `run` answers each position with each number
of threads in turn, and asserts that the answers agree. `table` compares with one
thread.

On idle cores, compare the times. On one core (`taskset -c 0`), CPU time and nodes show
what the threads do in vain. A time counts only if other processes used less than a
tenth of a core meanwhile.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from solver.problem import Limits
from solver.solution import Status
from solver.solving import Solver

LENGTHS = (8, 9, 10)
LEAST_NODES, MOST_NODES = 7_000_000, 45_000_000
COUNT = 20
SEED = 1
MOST_OTHERS = 0.1


def choose(path: str) -> None:
    """Print the positions to measure, as EPD."""
    rows = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        position, _, claim = line.partition(" bm #")
        mate = int(claim.split(";")[0])
        if mate in LENGTHS:
            rows.append((position, mate))
    random.Random(SEED).shuffle(rows)
    solver, chosen = Solver(), 0
    for position, mate in rows:
        found = solver.solve(position, Limits(nodes=MOST_NODES))
        is_answered = found.stopped_by is None and found.mate == mate
        if is_answered and found.stats.nodes >= LEAST_NODES:
            print(f"{position} dm {mate};", flush=True)
            chosen += 1
        if chosen == COUNT:
            return


def busy_s() -> float:
    """Return the CPU seconds of all processes on this machine."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0))


def run(path: str, counts: list[int]) -> None:
    """Print a line of JSON for each position and number of threads."""
    solvers = {count: Solver(threads=count) for count in counts}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        position, _, claim = line.partition(" dm ")
        answers = set()
        for count, solver in solvers.items():
            started, cpu_s, all_s = time.perf_counter(), time.process_time(), busy_s()
            found = solver.solve(position)
            spent_s = time.process_time() - cpu_s
            wall_s = time.perf_counter() - started
            assert found.status is Status.PROVED, position
            assert found.mate == int(claim.rstrip("; ")), position
            answers.add(frozenset(found.keys))
            row = {
                "position": position,
                "threads": count,
                "time_s": wall_s,
                "cpu_s": spent_s,
                "nodes": found.stats.nodes,
                "others": (busy_s() - all_s - spent_s) / wall_s,
            }
            print(json.dumps(row), flush=True)
        assert len(answers) == 1, position


def table(path: str) -> None:
    """Print each position's ratios to one thread, and their medians and totals."""
    best: dict[tuple[str, int], dict[str, Any]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = row["position"], row["threads"]
        is_worse = key in best and best[key]["others"] <= row["others"]
        if not is_worse:
            best[key] = row
    counts = sorted({threads for _, threads in best} - {1})
    positions = [position for position, threads in best if threads == 1]
    print("threads  times as fast  CPU time  nodes  others  position")
    for count in counts:
        pairs = [
            (best[position, 1], best[position, count])
            for position in positions
            if (position, count) in best
        ]
        for one, many in pairs:
            print(
                f"{count:7} {one['time_s'] / many['time_s']:14.2f}"
                f" {many['cpu_s'] / one['cpu_s']:9.2f}"
                f" {many['nodes'] / one['nodes']:6.2f}"
                f" {max(one['others'], many['others']):7.2f}"
                f"  {one['position']} ({one['time_s']:.1f} s)"
            )
        quiet = [
            pair for pair in pairs if max(row["others"] for row in pair) < MOST_OTHERS
        ]
        for word, kept, name, is_speed in (
            ("times as fast", quiet, "time_s", True),
            ("CPU time", pairs, "cpu_s", False),
            ("nodes", pairs, "nodes", False),
        ):
            if not kept:
                continue
            values = [
                (one[name], many[name]) if is_speed else (many[name], one[name])
                for one, many in kept
            ]
            median = statistics.median(top / bottom for top, bottom in values)
            total = sum(top for top, _ in values) / sum(low for _, low in values)
            print(
                f"{count} threads, {word}: median {median:.2f}, total {total:.2f}, "
                f"{len(kept)} positions"
            )


def main() -> None:
    """Do what the command line says."""
    match sys.argv[1:]:
        case ["choose", path]:
            choose(path)
        case ["run", path, *counts] if counts:
            run(path, [int(count) for count in counts])
        case ["table", path]:
            table(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
