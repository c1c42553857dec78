"""Compare an audit that is killed over and over with one that runs undisturbed.

usage: python -m benchmarks.kills FILE... [--kills K] [--terms T] [--seed S]
                                        [--jobs J] [--nodes N] [--longest SECONDS]

Runs `matesolve verify FILE... --store`, interrupts it (SIGTERM) T times and then kills
it with all its processes (SIGKILL) K times, at random moments. Each time it checks the
store and resumes the audit; then the audit runs to its end. An interrupted run must
exit with 130 and print the table of its results. At the end the results and the printed
table must equal those of one undisturbed run, row for row, except for the costs. The
limits are node limits: with time limits other rows would be undecided in each run.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.processes import kill_group, started

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

ROOT = Path(__file__).parents[1]

SOONEST_S = 0.2
LONGEST_S = 4.0
"""The range of moments at which an audit is killed, in seconds from its start."""

HASH_MIB = 16
TIME_S = 100_000
"""Longer than any search."""

TIMEOUT_S = 3600.0
"""Longer than any audit."""

KILLED, INTERRUPTED = "killed", "interrupted"
INTERRUPTED_CODE = 130
"""The exit code of an interrupted audit."""

_TIME = r"(?:\d+ min )?[\d.]+ m?s"
_COSTS = re.compile(
    rf" +(?:nodes +time|[\d,]+ +{_TIME})$|^not searched: .*\n", re.MULTILINE
)
"""What a run has cost, and what it found in the store."""

_TOTAL = re.compile(rf"^ *all\b.* ([\d,]+) +[\d,]+ +{_TIME}$", re.MULTILINE)
"""The last row of the table: its total comes before nodes and time."""


class DifferentError(Exception):
    """The results of the killed audit differ, or its store is damaged."""


def require(holds: object, message: str) -> None:
    """Raise DifferentError unless a condition holds."""
    if not holds:
        raise DifferentError(message)


@dataclass(frozen=True)
class Audit:
    """The audit to run, kill and resume; `nodes` limits each of its searches."""

    files: Sequence[str]
    jobs: int = 1
    nodes: int = 300_000

    def start(self, store: Path) -> AbstractContextManager[subprocess.Popen[str]]:
        """Start the audit in a new process group; see `started`."""
        limits = ("--nodes", self.nodes, "--time", TIME_S, "--hash", HASH_MIB)
        words = ("--keys", "--store", store, "--jobs", self.jobs, *limits, *self.files)
        return started(
            [sys.executable, "-m", "solver", "verify", *map(str, words)],
            patience_s=TIMEOUT_S,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        )

    def finish(self, store: Path) -> str:
        """Run the audit to its end; return its output without its costs."""
        with self.start(store) as running:
            out, _ = running.communicate()
        return _COSTS.sub("", out)

    def stop(self, store: Path, after_s: float, how: str) -> bool:
        """Kill or interrupt the audit after some seconds; False if it ended before.

        Interrupted, it must print as many results as it has stored.
        """
        before, _ = check(store)
        with self.start(store) as running:
            try:
                running.communicate(timeout=after_s)
            except subprocess.TimeoutExpired:
                if how == KILLED:
                    kill_group(running.pid)
                else:
                    running.terminate()
                table, errors = running.communicate()
            else:
                return False
        if how == KILLED:
            return True
        if running.returncode != INTERRUPTED_CODE:
            return False  # everything had been printed before the signal
        records, _ = check(store)
        total = _TOTAL.search(table)
        printed = int(total[1].replace(",", "")) if total else 0
        require(
            records - before <= printed <= records,
            f"expected a table of {records - before:,} new results at least and of "
            f"{records:,} at most, found {printed:,}\n{table}{errors}",
        )
        return True


def rows(store: Path) -> list[tuple[object, ...]]:
    """Return all results in a store, ordered by record, without the times."""
    with closing(sqlite3.connect(store)) as base:
        names = [row[1] for row in base.execute("PRAGMA table_info(results)")]
        columns = ", ".join(name for name in names if name != "time_s")
        return base.execute(
            f"SELECT {columns} FROM results ORDER BY file, line"
        ).fetchall()


def check(store: Path) -> tuple[int, int]:
    """Check that the file is intact; return the numbers of its records and answers."""
    if not store.exists():  # killed before it was created
        return 0, 0
    with closing(sqlite3.connect(store)) as base:
        (state,) = base.execute("PRAGMA integrity_check").fetchone()
        require(state == "ok", f"integrity_check: {state}")
        (tables,) = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if not tables:
            return 0, 0
        records, answers = base.execute(
            "SELECT (SELECT count(*) FROM records), (SELECT count(*) FROM answers)"
        ).fetchone()
        return records, answers


def compare(
    audit: Audit,
    kills: int,
    seed: int,
    folder: Path,
    longest_s: float = LONGEST_S,
    *,
    terms: int = 0,
) -> int:
    """Interrupt, kill and resume an audit, and compare it with an undisturbed one.

    This comes at random moments, `longest_s` from the start at the latest. The two
    stores are made in the folder. Returns the number of records.
    """
    moments = random.Random(seed)
    disturbed, undisturbed = folder / "killed.db", folder / "undisturbed.db"
    times = dict.fromkeys((INTERRUPTED, KILLED, "ended before"), 0)
    for number, how in enumerate([INTERRUPTED] * terms + [KILLED] * kills, 1):
        after_s = moments.uniform(SOONEST_S, longest_s)
        came = how if audit.stop(disturbed, after_s, how) else "ended before"
        times[came] += 1
        records, answers = check(disturbed)
        print(
            f"{number:3}  {after_s:5.2f} s  {came}: {records:,} records, "
            f"{answers:,} answers, intact",
            flush=True,
        )
    table, expected_table = audit.finish(disturbed), audit.finish(undisturbed)
    found, expected = rows(disturbed), rows(undisturbed)
    for row, expected_row in zip(found, expected, strict=False):
        require(row == expected_row, f"expected {expected_row}, found {row}")
    size, expected_size = len(found), len(expected)
    require(size == expected_size, f"expected {expected_size:,} rows, found {size:,}")
    require(
        table == expected_table,
        f"expected the table\n{expected_table}\nfound\n{table}",
    )
    print(
        f"killed {times[KILLED]} times, interrupted {times[INTERRUPTED]} times; "
        f"{size:,} rows and the table are the same"
    )
    return size


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--terms", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--longest", type=float, default=LONGEST_S, metavar="SECONDS")
    arguments = parser.parse_args()
    audit = Audit(arguments.files, arguments.jobs, arguments.nodes)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        compare(
            audit,
            arguments.kills,
            arguments.seed,
            Path(folder),
            arguments.longest,
            terms=arguments.terms,
        )
        print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
