"""What searches cost, each with memory of its own; to compare two checkouts.

usage: python -m benchmarks.searches draw SUITE.epd LEAST MOST COUNT SEED > SAMPLE.epd
       python -m benchmarks.searches run SAMPLE.epd NODES [HASH_MIB] > RUN.jsonl
       python -m benchmarks.searches table OLD.jsonl NEW.jsonl [OLD.jsonl NEW.jsonl ...]

`draw` chooses positions with a mate in LEAST to MOST. `run` solves each in a new solver
with one thread, and prints CPU and system seconds, nodes and the answer. `table`
compares runs of two checkouts, which have alternated: the median over the runs for each
position, then the ratio of the sums, and of the positions the median and the range.
Positions whose answers differ are listed; a node limit may end two searches at
different bounds.
"""

from __future__ import annotations

import json
import random
import re
import resource
import statistics
import sys
import time
from pathlib import Path

from solver import Limits, Solver

_CLAIM = re.compile(r"(\S+ [wb] \S+ \S+).*?\bbm #(\d+);")
ANSWER = ("status", "mate", "lower_bound")


def draw(path: str, least: int, most: int, count: int, seed: int) -> None:
    """Print a sample of the positions with such a mate, each once."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    claims = [found for line in lines if (found := _CLAIM.match(line))]
    fitting = {found[1]: found[2] for found in claims if least <= int(found[2]) <= most}
    for fen in random.Random(seed).sample(sorted(fitting), min(count, len(fitting))):
        print(f"{fen} bm #{fitting[fen]};")


def run(path: str, nodes: int, hash_mib: int = 128) -> None:
    """Solve the positions and print a record for each."""
    Solver(1).solve("7k/8/6K1/8/8/8/8/R7 w - - 0 1")  # loads the search
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        fen = " ".join(line.split()[:4]) + " 0 1"
        started, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF)
        found = Solver(hash_mib).solve(fen, Limits(nodes=nodes))
        after = resource.getrusage(resource.RUSAGE_SELF)
        record = {
            "fen": fen,
            "cpu_s": time.process_time() - started,
            "system_s": after.ru_stime - before.ru_stime,
            "nodes": found.stats.nodes,
            **{name: getattr(found, name) for name in ANSWER},
        }
        print(json.dumps(record), flush=True)


def table(*paths: str) -> None:
    """Print how the second of each two runs compares with the first."""
    runs = [
        [json.loads(line) for line in Path(path).read_text().splitlines()]
        for path in paths
    ]
    costs = {
        name: [
            [statistics.median(each) for each in zip(*column, strict=True)]
            for column in (
                [[row[name] for row in rows] for rows in runs[side::2]]
                for side in range(2)
            )
        ]
        for name in ("cpu_s", "system_s", "nodes")
    }
    ratios = [new / old for old, new in zip(*costs["cpu_s"], strict=True)]
    for name, (old, new) in costs.items():
        print(f"{name:8} {sum(old):14,.2f} {sum(new):14,.2f} {sum(new) / sum(old):.3f}")
    print(
        f"CPU time of a position: median {statistics.median(ratios):.3f}, "
        f"{min(ratios):.2f} to {max(ratios):.2f}"
    )
    for old, new in zip(runs[0], runs[1], strict=True):
        if any(old[name] != new[name] for name in ANSWER):
            print(old["fen"], *(old[n] for n in ANSWER), *(new[n] for n in ANSWER))


def main() -> None:
    """Run the command that the command line names."""
    match sys.argv[1:]:
        case ["draw", path, *numbers] if len(numbers) == 4:
            draw(path, *map(int, numbers))
        case ["run", path, *numbers] if 1 <= len(numbers) <= 2:
            run(path, *map(int, numbers))
        case ["table", *paths] if paths and len(paths) % 2 == 0:
            table(*paths)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
