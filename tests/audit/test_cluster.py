"""Audits on dask.distributed: real schedulers and workers on this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from itertools import chain, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("distributed")

from distributed import KilledWorker

from solver import __version__
from solver.audit import cluster
from solver.audit.job import AuditOptions
from solver.audit.store import ResumeStore, Store
from solver.audit.workers import WorkerDiedError, audit, local_workers
from solver.cli.main import run
from solver.errors import ClusterError
from solver.formats.registry import read_collection
from solver.problem import Claim, Limits, Problem
from solver.search.endgame import BEFORE_TABLE
from solver.search.threads import GroupControl
from solver.solution import StoppedBy
from tests.audit.deadly import Deadly
from tests.cli import conftest, processes
from tests.processes import PATIENCE_S, started
from tests.processes import run as run_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from solver.audit.results import AuditResult
    from solver.audit.workers import WorkerPool
    from solver.errors import FormatError

pytestmark = pytest.mark.usefixtures("worker_processes")

PUZZLES = Path(__file__).parents[2] / "puzzles"
# With this limit no small ending is answered from an endgame table, whose nodes and
# lines depend on which worker built it.
OPTIONS = AuditOptions(Limits(nodes=BEFORE_TABLE, hash_mib=1), all_keys=True)
MATE = Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "mate", Claim(1), "x.epd:1")
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
COSTS = re.compile(r" +(nodes +time|[\d,]+ +[\d.]+ m?s)$", re.MULTILINE)


def generated(*moves: int) -> Iterator[Problem | FormatError]:
    files = (PUZZLES / f"generated-{number}.epd" for number in moves)
    return chain.from_iterable(map(read_collection, files))


def audited(
    records: Iterable[Problem | FormatError],
    pool: WorkerPool,
    resume: ResumeStore | None = None,
) -> Iterator[AuditResult]:
    """Audit the records; an audit that hangs is stopped and lacks results."""
    control = GroupControl()
    alarm = threading.Timer(PATIENCE_S, control.stop)
    alarm.start()
    try:
        yield from audit(records, OPTIONS, pool, resume=resume, control=control)
    finally:
        alarm.cancel()


def rows(store: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(store)) as base:
        base.row_factory = sqlite3.Row
        found = map(dict, base.execute("SELECT * FROM results ORDER BY file, line"))
        return [row | {"time_s": None} for row in found]


def living(group: int) -> list[str]:
    """Return the processes of a group, without those that have ended."""
    listed = run_process(["ps", "-e", "-o", "pgid=,stat=,args="], check=True)
    fields = (line.split(maxsplit=2) for line in listed.stdout.splitlines())
    return [
        args
        for pgid, state, args in fields
        if int(pgid) == group and not state.startswith("Z")
    ]


@pytest.mark.slow
def test_a_killed_worker_neither_loses_nor_repeats_a_result(tmp_path: Path) -> None:
    with Store(tmp_path / "calm.db") as store:
        calm = ResumeStore(store, OPTIONS)
        asked = len(list(audited(generated(3, 4, 5), local_workers(OPTIONS, 1), calm)))
    with (
        Store(tmp_path / "killed.db") as store,
        cluster.open_cluster(cluster.LOCAL, OPTIONS, 2) as machines,
    ):
        pids = machines.client.run(os.getpid).values()
        assert len(set(pids)) == 2
        found = 0
        for _ in audited(
            generated(3, 4, 5), machines.pool, ResumeStore(store, OPTIONS)
        ):
            found += 1
            if found == 20:
                os.kill(min(pids), signal.SIGKILL)
        left = machines.client.run(os.getpid).values()
    assert min(pids) not in left
    assert found == asked == 300
    assert rows(tmp_path / "killed.db") == rows(tmp_path / "calm.db")


@pytest.mark.slow
def test_a_problem_that_kills_its_workers_is_undecided_and_harms_no_other() -> None:
    deadly = replace(MATE, id="deadly")
    with cluster.open_cluster(cluster.LOCAL, OPTIONS, 2) as machines:
        machines.client.register_plugin(Deadly())
        records = [*generated(1), deadly, *generated(2)]
        results = {result.id: result for result in audited(records, machines.pool)}
    assert len(results) == len(records)
    assert results.pop("deadly").stopped_by == StoppedBy.CRASH
    assert {result.word for result in results.values()} == {"proved"}


class Lost:
    """A client and its task, whose workers all die; counts the tasks."""

    status = "running"

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.submitted = 0
        self.go_on = threading.Event()

    def run(self, *_: Any, **__: Any) -> dict[str, str]:
        return {}

    def run_on_scheduler(self, *_: Any) -> str:
        return __version__

    def nthreads(self) -> dict[str, int]:
        return {"a": 1}

    def submit(self, *_: Any, key: str) -> Ending:
        assert key
        self.submitted += 1
        self.begun.release()
        return Ending(self.go_on)


class Ending:
    status = "error"

    def __init__(self, go_on: threading.Event) -> None:
        self.go_on = go_on

    def add_done_callback(self, call: Callable[[Ending], None]) -> None:
        self.go_on.wait(PATIENCE_S)
        call(self)

    def exception(self) -> Exception:
        died: Any = KilledWorker  # its arguments have no types
        error: Exception = died("task", None, 1)
        return error


def test_a_suspect_runs_again_while_nothing_else_runs() -> None:
    client = Lost()
    machines = cluster.Cluster(client, OPTIONS)
    control = GroupControl()

    def lose(problem: Problem) -> None:
        with pytest.raises(WorkerDiedError):
            machines.run_batch([problem], control)

    client.go_on.set()
    lose(MATE)
    client.go_on.clear()
    other = replace(MATE, id="other")
    threads = [threading.Thread(target=lose, args=[one]) for one in (other, MATE)]
    threads[0].start()
    for _ in range(2):
        assert client.begun.acquire(timeout=PATIENCE_S)
    threads[1].start()
    assert not client.begun.acquire(timeout=0.1)
    assert client.submitted == 2
    client.go_on.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert client.submitted == 3


def test_an_audit_ends_with_an_error_when_its_scheduler_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(place), "--no-dashboard"]

    def dask(role: str, *more: str) -> AbstractContextManager[subprocess.Popen[str]]:
        return started(
            [sys.executable, "-m", f"distributed.cli.dask_{role}", *common, *more],
            env=processes.ENVIRONMENT,
            stderr=subprocess.DEVNULL,
        )

    with (
        dask("scheduler", "--host", "127.0.0.1", "--port", "0") as scheduler,
        dask("worker", "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1"),
        cluster.open_cluster(scheduler_of(place), OPTIONS) as machines,
    ):
        results = audited(cycle([*generated(5)]), machines.pool)
        next(results)
        scheduler.kill()
        with pytest.raises(ClusterError, match="lost the connection"):
            list(results)


def scheduler_of(place: Path) -> str:
    for _ in range(int(PATIENCE_S / 0.05)):
        with suppress(FileNotFoundError, ValueError):
            return str(json.loads(place.read_text())["address"])
        time.sleep(0.05)
    pytest.fail("no scheduler came up")


def test_a_worker_with_another_solver_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster, "__version__", "99.0")
    with (
        pytest.raises(ClusterError, match=r"expected matesolve 99\.0, found \d"),
        cluster.open_cluster(cluster.LOCAL, OPTIONS, 1),
    ):
        pass


def test_a_worker_with_another_solver_that_joins_later_is_refused_too() -> None:
    with pytest.raises(ClusterError, match=r"expected matesolve 99\.0, found \d"):
        cluster.run_batch("audit", "99.0", OPTIONS, [MATE])


def test_a_worker_without_the_endgame_tables_is_refused(tmp_path: Path) -> None:
    options = replace(OPTIONS, directories=(str(tmp_path / "none"),))
    with (
        pytest.raises(ClusterError, match=r"127\.0\.0\.1:\d+: .*none"),
        cluster.open_cluster(cluster.LOCAL, options, 1),
    ):
        pass


def test_a_batch_keeps_its_order_and_its_audit_can_be_ended() -> None:
    problems = [MATE, replace(MATE, claim=Claim(2))]
    version = __version__
    found = cluster.run_batch("ended", version, OPTIONS, problems)
    assert [one and one.word for one in found] == ["proved", "shorter"]
    cluster.end_audit("ended")
    assert "ended" not in cluster._running


def test_an_address_without_a_scheduler_is_an_error_of_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        code = run(["verify", str(PUZZLES / "traps.epd"), "--cluster", address])
    assert code == 74
    assert capsys.readouterr() == (
        "",
        f"error: {address}: expected a dask scheduler, found none within 0.5 s\n",
    )


@pytest.mark.parametrize("address", ["here", "tcp://host", "http://host:80", ""])
def test_a_malformed_address_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], address: str
) -> None:
    assert run(["verify", "-", "--cluster", address]) == 2
    assert f"tcp://HOST:8786, found {address!r}\n" in capsys.readouterr().err


def test_jobs_are_refused_for_a_cluster_elsewhere(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["verify", "-", "--cluster", "tcp://127.0.0.1:1", "-j", "2"]) == 2
    assert "--jobs cannot be combined with a cluster" in capsys.readouterr().err


def test_without_dask_the_package_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "solver.audit.cluster")
    assert run(["verify", "-", "--cluster", "local"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == (
        "Error: --cluster needs distributed, which is not installed: "
        "pip install distributed"
    )


def test_dask_is_loaded_for_a_cluster_only() -> None:
    program = "from solver.cli.main import run; run(['verify', '-q', '/dev/null'])"
    _, heavy = processes.run_and_list_heavy(program)
    assert "dask" not in heavy


def test_the_output_is_the_same_as_without_a_cluster(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = []
    for options in ([], ["--cluster", "local", "--jobs", "1"]):
        code = run(["verify", str(PUZZLES / "traps.epd"), "--keys", *options])
        out, err = capsys.readouterr()
        found.append((code, COSTS.sub("", out), err))
    assert found[0] == found[1]


def test_two_clusters_on_one_machine_do_not_disturb_each_other() -> None:
    """dask gives the first one its port 8787, and warns in the second."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with (
            cluster.open_cluster(cluster.LOCAL, OPTIONS, 1),
            cluster.open_cluster(cluster.LOCAL, OPTIONS, 1),
        ):
            pass
    assert not [each for each in caught if "8787" in str(each.message)]


def test_ctrl_c_leaves_no_process_behind() -> None:
    words = ["verify", "-", "--format", "epd", "--jsonl"]
    words += ["--time", "1000", "--cluster", "local"]
    with processes.process(*words) as verify:
        assert verify.stdin is not None
        assert verify.stdout is not None
        verify.stdin.write(f"{MATE.fen}\n{LONG}\n")
        verify.stdin.flush()
        first = json.loads(verify.stdout.readline())
        os.killpg(verify.pid, signal.SIGINT)
        out, err = verify.communicate()
        assert first["mate"] == 1
        err = conftest.without_summaries(err)
        assert (verify.returncode, out, err) == (130, "", "interrupted\n")
        assert living(verify.pid) == []
