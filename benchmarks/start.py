"""What a process costs that solves one mate in 2: its imports, processor time, memory.

    python -m benchmarks.start
    python -m benchmarks.start --stockfish /usr/games/stockfish --popeye POPEYE

Lists the imports of `matesolve solve` by their own cost, each the least of several
runs; `-X importtime` itself takes part of it. Then runs whole processes in turns and
prints the median of their processor time and their peak memory, which is at least that
of this program. Modules are compiled to `.pyc` files, and the search is, before
anything is measured. Every answer is checked.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from tests.processes import started

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[1]

FEN = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
HEADLINE = "White mates in 2.\n1. Qg8+ Rxg8 2. Nf7#\nOnly key: Qg8+\n"
RECORDS = 10

COMMAND = [sys.executable, "-m", "solver"]
SOLVE = [*COMMAND, "solve", FEN]

API = f"""
import solver
found = solver.solve({FEN!r})
print(found.status, found.mate, *found.keys)
"""

BOARD = FEN.partition(" ")[0]
POPEYE_INPUT = f"BeginProblem\nForsyth {BOARD}\nStipulation #2\nEndProblem\n"
STOCKFISH_INPUT = f"position fen {FEN}\ngo mate 2\n"

SHOWN_MODULES = 25
SHOWN_PACKAGES = 12

_IMPORT = re.compile(r"import time: +(\d+) \| +\d+ \| *(\S+)")


class Program(NamedTuple):
    """A process to measure; `is_right` checks what it prints.

    With `last`, it gets the command to quit when it has printed a line that begins so.
    """

    name: str
    words: Sequence[str]
    is_right: Callable[[str], bool]
    stdin: str = ""
    last: str = ""


class Cost(NamedTuple):
    """What a process took: processor time in seconds, peak memory in MiB."""

    cpu_s: float
    peak_mib: float


def environment() -> dict[str, str]:
    """Return the variables of each process: this checkout, with `.pyc` files."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def cost_of(program: Program) -> Cost:
    """Run a program to its end, and check its answer."""
    pipe, stderr = subprocess.PIPE, subprocess.STDOUT
    with started(
        program.words,
        stdin=pipe,
        stdout=pipe,
        stderr=stderr,
        env=environment(),
        cwd="/",
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(program.stdin)
        process.stdin.flush()
        lines = []
        if program.last:
            for line in process.stdout:
                lines.append(line)
                if line.startswith(program.last):
                    break
            process.stdin.write("quit\n")
        process.stdin.close()
        text = "".join([*lines, *process.stdout])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{program.name}: {process.returncode}"
    assert program.is_right(text), f"{program.name}: {text}"
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def contains(part: str, text: str) -> bool:
    """Return whether a text contains another."""
    return part in text


def is_record(text: str) -> bool:
    """Return whether a text is the JSON record of the mate in 2."""
    record = json.loads(text)
    return (record["status"], record["mate"], record["pv"]) == (
        *("proved", 2),
        ["c4g8", "f8g8", "h6f7"],
    )


def all_proved(text: str) -> bool:
    """Return whether the table of an audit has the records as proved mates in 2."""
    return f"#2 {RECORDS} {RECORDS}" in " ".join(text.split())


def programs(folder: Path, popeye: str | None, stockfish: str | None) -> list[Program]:
    """Return what to measure; files to read are written to a folder."""
    collection = folder / "ten.epd"
    collection.write_text(f"{FEN.removesuffix(' 0 1')} dm 2; bm Qg8+;\n" * RECORDS)
    found = [
        Program("python -c pass", [sys.executable, "-c", "pass"], lambda _: True),
        Program("--version", [*COMMAND, "--version"], partial(contains, "matesolve")),
        Program("--help", [*COMMAND, "--help"], partial(contains, "COMMAND --help")),
        Program("solve FEN", SOLVE, partial(contains, HEADLINE)),
        Program("solve FEN --json", [*SOLVE, "--json"], is_record),
        Program(
            "solve - (one line)", [*SOLVE[:-1], "-"], partial(contains, HEADLINE)
        )._replace(stdin=f"{FEN}\n"),
        Program(
            "import solver; solve()",
            [sys.executable, "-c", API],
            partial(contains, "proved 2 c4g8"),
        ),
        Program(
            f"verify ({RECORDS} lines)",
            [*COMMAND, "verify", str(collection)],
            all_proved,
        ),
    ]
    if stockfish:
        is_mate = partial(contains, "score mate 2")
        words, text = [stockfish], STOCKFISH_INPUT
        found.append(Program("Stockfish", words, is_mate, text, last="bestmove"))
    if popeye:
        problem = folder / "one.inp"
        problem.write_text(POPEYE_INPUT)
        is_key = partial(contains, "Qc4-g8")
        found.append(Program("Popeye", [popeye, str(problem)], is_key))
    return found


def import_costs(words: Sequence[str], rounds: int) -> dict[str, int]:
    """Return the microseconds that each module's own import takes, at least."""
    least: dict[str, int] = {}
    for _ in range(rounds):
        done = subprocess.run(
            [words[0], "-X", "importtime", *words[1:]],
            capture_output=True,
            text=True,
            check=True,
            env=environment(),
            cwd="/",
        )
        for cost, name in _IMPORT.findall(done.stderr):
            least[name] = min(int(cost), least.get(name, int(cost)))
    return least


def print_imports(costs: dict[str, int]) -> None:
    """Print the imports by package, then the slowest modules."""
    packages: Counter[str] = Counter()
    for name, cost in costs.items():
        packages[name.partition(".")[0]] += cost
    print(f"{len(costs)} modules, {sum(costs.values()) / 1000:.1f} ms")
    for title, shown in (
        ("package", packages.most_common(SHOWN_PACKAGES)),
        ("module", Counter(costs).most_common(SHOWN_MODULES)),
    ):
        print(f"\n{title:36} {'ms':>6}")
        for name, cost in shown:
            print(f"{name:36} {cost / 1000:6.2f}")


def print_costs(measured: Sequence[Program], rounds: int) -> None:
    """Run the programs in turns, and print what each takes."""
    costs: dict[str, list[Cost]] = {program.name: [] for program in measured}
    for program in measured:
        cost_of(program)  # compiles what is not yet compiled
    for _ in range(rounds):
        for program in measured:
            costs[program.name].append(cost_of(program))
    print(f"\n{'process':24} {'CPU':>9} {'memory':>9}")
    for name, found in costs.items():
        cpu_s = median(cost.cpu_s for cost in found)
        peak_mib = median(cost.peak_mib for cost in found)
        print(f"{name:24} {cpu_s:7.3f} s {peak_mib:5.0f} MiB")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="runs of each process")
    parser.add_argument("--popeye", metavar="PATH", help="also run Popeye")
    parser.add_argument("--stockfish", metavar="PATH", help="also run Stockfish")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = programs(Path(folder), asked.popeye, asked.stockfish)
        cost_of(Program("solve", SOLVE, partial(contains, HEADLINE)))
        print_imports(import_costs(SOLVE, asked.rounds))
        print_costs(measured, asked.rounds)


if __name__ == "__main__":
    main()
