"""What searches cost: to compare two checkouts, or two numbers of threads.

usage: python -m benchmarks.searches half tuned|reported SUITE.epd > HALF.epd
       python -m benchmarks.searches draw SUITE.epd LEAST MOST COUNT SEED > SAMPLE.epd
       python -m benchmarks.searches run SAMPLE.epd NODES [MIB [THREADS]] > RUN.jsonl
       python -m benchmarks.searches table OLD.jsonl NEW.jsonl [OLD.jsonl NEW.jsonl ...]

`half` prints the half of a suite that is for tuning or the half for reporting. The
latter has the lines whose position, the first four fields, has an even CRC-32, so a
position stays in its half whatever else is in the suite.

`draw` chooses positions with a mate in LEAST to MOST. `run` solves each in a new solver
with its own memory, and prints seconds, nodes and the answer. `table` compares runs of
two checkouts, which have alternated: the median over the runs for each position, then
the sums and their ratio, and the median and the range of the ratios. Positions whose
answers differ are listed; a node limit may end two searches at different bounds.
"""

from __future__ import annotations

import json
import math
import random
import re
import resource
import statistics
import sys
import time
from pathlib import Path
from zlib import crc32

from solver import Limits, Solver

HALVES = {"reported": 0, "tuned": 1}

_CLAIM = re.compile(r"(\S+ [wb] \S+ \S+).*?\bbm #(\d+);")
COSTS = ("time_s", "cpu_s", "system_s", "nodes")
ANSWER = ("status", "mate", "lower_bound")


def lines_of(path: str) -> list[str]:
    """Return the lines of a file."""
    return Path(path).read_text(encoding="utf-8").splitlines()


def half(lines: list[str], name: str) -> list[str]:
    """Return the lines of a suite that belong to a half."""
    positions = (" ".join(line.split()[:4]).encode() for line in lines)
    return [
        line
        for line, position in zip(lines, positions, strict=True)
        if crc32(position) % 2 == HALVES[name]
    ]


def claims_of(lines: list[str], least: int, most: int) -> dict[str, int]:
    """Return the positions whose `bm` is a mate in `least` to `most`, and this mate."""
    claims = {found[1]: int(found[2]) for found in map(_CLAIM.match, lines) if found}
    return {fen: mate for fen, mate in claims.items() if least <= mate <= most}


def draw(claims: dict[str, int], count: int, seed: int) -> list[tuple[str, int]]:
    """Draw positions and their mates."""
    return random.Random(seed).sample(sorted(claims.items()), min(count, len(claims)))


def run(path: str, nodes: int, hash_mib: int = 128, threads: int = 1) -> None:
    """Solve the positions and print a record for each."""
    Solver(1).solve("7k/8/6K1/8/8/8/8/R7 w - - 0 1")  # loads the search
    for line in lines_of(path):
        fen = " ".join(line.split()[:4]) + " 0 1"
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        found = Solver(hash_mib, threads=threads).solve(fen, Limits(nodes=nodes))
        time_s = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_SELF)
        system_s = after.ru_stime - before.ru_stime
        record = {
            "fen": fen,
            "time_s": time_s,
            "cpu_s": after.ru_utime - before.ru_utime + system_s,
            "system_s": system_s,
            "nodes": found.stats.nodes,
            **{name: getattr(found, name) for name in ANSWER},
        }
        print(json.dumps(record), flush=True)


def table(*paths: str) -> None:
    """Print how the second of each two runs compares with the first."""
    runs = [[json.loads(line) for line in lines_of(path)] for path in paths]
    for name in COSTS:
        columns = [[row[name] for row in rows] for rows in runs]
        old, new = (
            [statistics.median(each) for each in zip(*columns[side::2], strict=True)]
            for side in range(2)
        )
        ratios = [y / (x or math.nan) for x, y in zip(old, new, strict=True)]
        print(
            f"{name:8} {sum(old):14,.2f} {sum(new):14,.2f} "
            f"{sum(new) / (sum(old) or math.nan):.3f}; of a position: median "
            f"{statistics.median(ratios):.3f}, {min(ratios):.2f} to {max(ratios):.2f}"
        )
    for old, new in zip(runs[0], runs[1], strict=True):
        if any(old[name] != new[name] for name in ANSWER):
            print(old["fen"], *(old[n] for n in ANSWER), *(new[n] for n in ANSWER))


def main() -> None:
    """Run the command that the command line names."""
    match sys.argv[1:]:
        case ["half", name, path] if name in HALVES:
            print(*half(lines_of(path), name), sep="\n")
        case ["draw", path, *numbers] if len(numbers) == 4:
            least, most, count, seed = map(int, numbers)
            for fen, mate in draw(claims_of(lines_of(path), least, most), count, seed):
                print(f"{fen} bm #{mate};")
        case ["run", path, *numbers] if 1 <= len(numbers) <= 3:
            run(path, *map(int, numbers))
        case ["table", *paths] if paths and len(paths) % 2 == 0:
            table(*paths)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
