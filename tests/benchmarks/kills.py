"""An audit that is killed over and over, against one that nobody disturbs.

usage: python -m tests.benchmarks.kills FILE... [--kills K] [--terms T] [--seed S]
                                        [--jobs J] [--nodes N] [--longest SECONDS]

Runs `matesolve verify FILE... --store`, kills it with all its processes (SIGKILL) at a
random moment, resumes it, and so on K times; then it may run to its end. Before, it is
asked to end (SIGTERM) T times: it must then exit with 130 and print the table of what
it has. The store is checked each time. In the end its results and the table printed
must be those of one undisturbed run, row for row, but for the times. Limits are in
nodes, since what a clock leaves undecided is another row each time.
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

ROOT = Path(__file__).parents[2]

SOONEST_S = 0.2
LONGEST_S = 4.0
"""When an audit is killed, in seconds from its start."""

HASH_MIB = 16
TIME_S = 100_000
"""No search takes as long."""

PATIENCE_S = 3600.0
"""No audit takes as long."""

INTERRUPTED = 130
"""What an audit exits with that was asked to end."""

_TIME = r"(?:\d+ min )?[\d.]+ m?s"
_TIMES = re.compile(rf" +(?:time|{_TIME})$", re.MULTILINE)
_TOTAL = re.compile(rf"^ *all\b.* ([\d,]+) +[\d,]+ +{_TIME}$", re.MULTILINE)
"""Below `total`, which stands before nodes and time."""


class DifferentError(Exception):
    """The killed audit has come to something else."""


@dataclass(frozen=True)
class Audit:
    """A command that is run again and again.

    Attributes
    ----------
    files : sequence of str
        What is audited.
    jobs : int
        How many processes search.
    nodes : int
        What one search may cost.
    """

    files: Sequence[str]
    jobs: int = 1
    nodes: int = 300_000

    def start(self, store: Path) -> AbstractContextManager[subprocess.Popen[str]]:
        """Start it in a process group of its own; see `started`."""
        limits = ("--nodes", self.nodes, "--time", TIME_S, "--hash", HASH_MIB)
        words = ("--keys", "--store", store, "--jobs", self.jobs, *limits, *self.files)
        return started(
            [sys.executable, "-m", "solver", "verify", *map(str, words)],
            patience_s=PATIENCE_S,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        )

    def finish(self, store: Path) -> str:
        """Run it to its end, and give what it prints but for the times."""
        with self.start(store) as running:
            out, _ = running.communicate()
        return _TIMES.sub("", out)

    def is_killed(self, store: Path, after_s: float) -> bool:
        """Kill it after so many seconds; False if it has ended before."""
        with self.start(store) as running:
            try:
                running.communicate(timeout=after_s)
            except subprocess.TimeoutExpired:
                kill_group(running.pid)
                running.communicate()
                return True
        return False

    def is_ended(self, store: Path, after_s: float) -> bool:
        """Ask it to end after so many seconds; False if it has ended before.

        Raises
        ------
        DifferentError
            It has not printed how many results it has put into the store.
        """
        before, _ = check(store)
        with self.start(store) as running:
            try:
                running.communicate(timeout=after_s)
            except subprocess.TimeoutExpired:
                running.terminate()
                table, said = running.communicate()
            else:
                return False
        if running.returncode != INTERRUPTED:
            return False  # the signal came when all was printed, if this is the table
        records, _ = check(store)
        total = _TOTAL.search(table)
        told = int(total[1].replace(",", "")) if total else 0
        if not records - before <= told <= records:
            msg = (
                f"expected a table of {records - before:,} new results at least and of "
                f"{records:,} at most, found {told:,}\n{table}{said}"
            )
            raise DifferentError(msg)
        return True


def rows(store: Path) -> list[tuple[object, ...]]:
    """Give all that a store tells, in the order of the records, but for the times."""
    with closing(sqlite3.connect(store)) as base:
        names = [row[1] for row in base.execute("PRAGMA table_info(results)")]
        told = ", ".join(name for name in names if name != "time_s")
        return base.execute(
            f"SELECT {told} FROM results ORDER BY file, line"
        ).fetchall()


def check(store: Path) -> tuple[int, int]:
    """See that the file is sound, and count its records and answers."""
    if not store.exists():  # killed before it was made
        return 0, 0
    with closing(sqlite3.connect(store)) as base:
        (state,) = base.execute("PRAGMA integrity_check").fetchone()
        if state != "ok":
            msg = f"integrity_check: {state}"
            raise DifferentError(msg)
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
    """Disturb an audit, and hold it against an undisturbed one.

    Parameters
    ----------
    audit : Audit
        What is run.
    kills : int
        How often it is killed.
    seed : int
        Of the moments when.
    folder : Path
        Where the two stores are put.
    longest_s : float
        It is killed before this, in seconds from its start.
    terms : int
        How often it is asked to end, before it is killed.

    Returns
    -------
    int
        How many records there are.

    Raises
    ------
    DifferentError
        A row or a table is another one, or the store is damaged.
    """
    moments = random.Random(seed)
    disturbed, undisturbed = folder / "killed.db", folder / "undisturbed.db"
    ways = [("asked to end", audit.is_ended)] * terms
    ways += [("killed", audit.is_killed)] * kills
    times = dict.fromkeys(("asked to end", "killed", "ended before"), 0)
    for number, (how, disturb) in enumerate(ways, 1):
        after_s = moments.uniform(SOONEST_S, longest_s)
        came = how if disturb(disturbed, after_s) else "ended before"
        times[came] += 1
        records, answers = check(disturbed)
        print(
            f"{number:3}  {after_s:5.2f} s  {came}: {records:,} records, "
            f"{answers:,} answers, sound",
            flush=True,
        )
    table, expected_table = audit.finish(disturbed), audit.finish(undisturbed)
    found, expected = rows(disturbed), rows(undisturbed)
    for row, expected_row in zip(found, expected, strict=False):
        if row != expected_row:
            msg = f"expected {expected_row}, found {row}"
            raise DifferentError(msg)
    if len(found) != len(expected):
        msg = f"expected {len(expected):,} rows, found {len(found):,}"
        raise DifferentError(msg)
    if table != expected_table:
        msg = f"expected the table\n{expected_table}\nfound\n{table}"
        raise DifferentError(msg)
    print(
        f"killed {times['killed']} times, asked to end {times['asked to end']} times; "
        f"{len(found):,} rows and the table are the same"
    )
    return len(found)


def main() -> None:
    """Read the command line, and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--terms", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=300_000)
    parser.add_argument("--longest", type=float, default=LONGEST_S, metavar="SECONDS")
    asked = parser.parse_args()
    audit = Audit(asked.files, asked.jobs, asked.nodes)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        compare(
            audit,
            asked.kills,
            asked.seed,
            Path(folder),
            asked.longest,
            terms=asked.terms,
        )
        print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
