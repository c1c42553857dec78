"""Measure the overhead of an audit: rows per second by kind of worker and with a store.

usage: python -m benchmarks.audit FILE... [--times N]

Each problem is used in up to four forms, with colours or sides of the board exchanged,
so that positions differ and a store must search them all. The kinds of workers take
turns in each round, so that ratios hold on a machine whose speed changes; the median of
the rounds is printed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from solver.audit.job import AuditJob, AuditOptions
from solver.audit.store import ResumeStore, Store
from solver.audit.workers import ProcessWorker, WorkerPool, audit
from solver.errors import FormatError
from solver.formats.registry import read_collection
from solver.problem import Limits
from tests.processes import limited_workers, restore_signals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.workers import Worker
    from solver.problem import Problem
    from solver.search.threads import GroupControl

OPTIONS = AuditOptions(Limits(time_s=60.0))
ROUNDS = 3
TIMEOUT_S = 3600.0
"""Longer than any measurement."""


def write_forms(files: list[str], target: Path) -> int:
    """Write all forms of the problems, with claims but no keys; return their number."""
    count = 0
    with target.open("w", encoding="utf-8") as file:
        for path in files:
            for record in read_collection(path):
                if isinstance(record, FormatError) or not record.claim:
                    continue
                for form in _forms(record):
                    file.write(f"{form} dm {record.claim.mate};\n")
                    count += 1
    return count


def _forms(problem: Problem) -> Iterator[str]:
    board = chess.Board(problem.fen)
    yield board.epd()
    yield board.mirror().epd()
    if not board.castling_rights:
        flipped = board.transform(chess.flip_horizontal)
        yield flipped.epd()
        yield flipped.mirror().epd()


def rate(collection: Path, kind: str, jobs: int, folder: Path, times: int) -> float:
    """Audit a collection and return its rows per second."""

    def make(control: GroupControl) -> Worker:
        if kind == "process":
            return ProcessWorker(OPTIONS, control)
        return AuditJob(OPTIONS, searching=control.search)

    def records() -> Iterator[Problem | FormatError]:
        for _ in range(times):
            yield from read_collection(collection)

    store = Store(folder / "run.db", fresh=True) if kind == "store" else None
    resume = ResumeStore(store, OPTIONS) if store else None
    started = time.perf_counter()
    results = audit(records(), OPTIONS, WorkerPool(make, jobs), resume=resume)
    count = sum(1 for _ in results)
    if store:
        store.close()
    return count / (time.perf_counter() - started)


def main() -> None:
    """Measure all kinds of workers and print their rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument(
        "--times", type=int, default=1, help="how often to read the files"
    )
    arguments = parser.parse_args()
    kinds = [("thread", 1), ("store", 1), ("thread", 2), ("process", 2)]
    restore_signals()
    with tempfile.TemporaryDirectory() as name, limited_workers(TIMEOUT_S):
        folder = Path(name)
        collection = folder / "forms.epd"
        print(f"{arguments.times * write_forms(arguments.files, collection):,} rows")
        rates: dict[tuple[str, int], list[float]] = {kind: [] for kind in kinds}
        for _ in range(ROUNDS):
            for kind, jobs in kinds:
                rates[kind, jobs].append(
                    rate(collection, kind, jobs, folder, arguments.times)
                )
    alone = rates["thread", 1]
    for (kind, jobs), measured in rates.items():
        ratio = statistics.median(x / y for x, y in zip(measured, alone, strict=True))
        median = statistics.median(measured)
        print(f"{kind:8}{jobs} {median:8,.0f} rows/s  {ratio:.2f}")


if __name__ == "__main__":
    main()
