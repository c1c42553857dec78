"""Solve positions in the workers of a pool, and report how each got the search.

test_pools.py uses it in a separate process: joblib's loky replaces parts of
multiprocessing, and keeps its workers.
"""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import solve
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import loaded_part

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

FENS = ["7k/8/8/8/8/8/R7/1R4K1 w - -", "6k1/5ppp/8/8/8/8/8/R5K1 w - -"] * 2
MATES = [2, 1] * 2


class Solved(NamedTuple):
    """What a worker found, how it got the search, and its CPU time in seconds."""

    mate: int | None
    origin: str
    cpu_s: float


def solve_in_worker(fen: str) -> Solved:
    started = time.process_time()
    mate = solve(fen).mate
    build = loaded_part(SEARCH)
    assert build
    return Solved(mate, build.origin, time.process_time() - started)


def by_joblib(backend: str) -> list[Solved]:
    joblib = import_module("joblib")
    tasks = [joblib.delayed(solve_in_worker)(fen) for fen in FENS]
    found: list[Solved] = joblib.Parallel(n_jobs=2, backend=backend)(tasks)
    return found


def by_executor(method: str) -> list[Solved]:
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(solve_in_worker, FENS))


def load_data(
    wanted: Queue[tuple[int, str] | None], found: Queue[tuple[int, Solved]]
) -> None:
    while (asked := wanted.get()) is not None:
        found.put((asked[0], solve_in_worker(asked[1])))


def by_data_loader(method: str) -> list[Solved]:
    """Solve as PyTorch's DataLoader loads: processes that read and write a queue."""
    context: Any = multiprocessing.get_context(method)
    wanted, found = context.Queue(), context.Queue()
    asked = (*enumerate(FENS), None, None)
    workers = [context.Process(target=load_data, args=(wanted, found)) for _ in "12"]
    for worker in workers:
        worker.start()
    for each in asked:
        wanted.put(each)
    solved = dict(found.get() for _ in FENS)
    for worker in workers:
        worker.join()
    return [solved[number] for number in range(len(FENS))]


def by_dask(_: str) -> list[Solved]:
    distributed = import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        return list(client.gather(client.map(solve_in_worker, FENS, pure=False)))


POOLS = {
    "joblib": by_joblib,
    "concurrent.futures": by_executor,
    "DataLoader": by_data_loader,
    "distributed": by_dask,
}
