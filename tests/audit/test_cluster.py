"""Audits on dask.distributed: real schedulers and workers on this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from itertools import chain, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("distributed")

from distributed import WorkerPlugin

from solver import __version__
from solver.audit import cluster
from solver.audit.job import AuditJob, AuditOptions
from solver.audit.workers import audit, local_workers
from solver.cli.main import run
from solver.errors import ClusterError
from solver.formats.registry import read_collection
from solver.problem import Claim, Limits, Problem
from solver.search.endgame import BEFORE_TABLE
from solver.search.threads import GroupControl
from solver.solution import StoppedBy
from tests.cli import conftest, processes
from tests.processes import PATIENCE_S, started
from tests.processes import run as run_process

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    records: Iterable[Problem | FormatError], pool: WorkerPool
) -> Iterator[AuditResult]:
    """Audit the records; an audit that hangs is stopped and lacks results."""
    control = GroupControl()
    alarm = threading.Timer(PATIENCE_S, control.stop)
    alarm.start()
    try:
        for result in audit(records, OPTIONS, pool, control=control):
            yield result._replace(time_s=0.0)
    finally:
        alarm.cancel()


def living(group: int) -> list[str]:
    """Return the states of a group's processes, without those that have ended."""
    listed = run_process(["ps", "-e", "-o", "pgid=,stat="], check=True)
    fields = map(str.split, listed.stdout.splitlines())
    return [state for pgid, state in fields if int(pgid) == group and state[0] != "Z"]


class Deadly(WorkerPlugin):
    """Kills each worker that a problem named `deadly` reaches."""

    def setup(self, worker: object) -> None:
        assert worker
        whole = AuditJob.run_batch

        def run_batch(job: AuditJob, problems: list[Problem], *more: Any) -> Any:
            if "deadly" in [problem.id for problem in problems]:
                os._exit(1)
            return whole(job, problems, *more)

        AuditJob.run_batch = run_batch  # type: ignore[assignment,method-assign]


@pytest.mark.slow
def test_killed_and_deadly_problems_neither_lose_nor_repeat_a_result() -> None:
    asked = [*generated(1, 2)]
    expected = sorted(audited(asked, local_workers(OPTIONS, 1)))
    found: list[AuditResult] = []
    with cluster.open_cluster(cluster.LOCAL, OPTIONS, 2) as machines:
        machines.client.register_plugin(Deadly())
        pids = machines.client.run(os.getpid).values()
        assert len(set(pids)) == 2
        asked.insert(len(asked) // 2, replace(MATE, id="deadly"))
        for result in audited(asked, machines.pool):
            found.append(result)
            if len(found) == 20:
                os.kill(min(pids), signal.SIGKILL)
        assert min(pids) not in machines.client.run(os.getpid).values()
    (deadly,) = (result for result in found if result.id == "deadly")
    assert deadly.stopped_by == StoppedBy.CRASH
    found.remove(deadly)
    assert sorted(found) == expected


def test_an_audit_ends_with_an_error_when_its_scheduler_is_gone(tmp_path: Path) -> None:
    place = tmp_path / "scheduler.json"
    common = ["--scheduler-file", str(place), "--no-dashboard", "--host", "127.0.0.1"]

    def dask(role: str, *more: str) -> AbstractContextManager[subprocess.Popen[str]]:
        return started(
            [sys.executable, "-m", f"distributed.cli.dask_{role}", *common, *more],
            env=processes.ENVIRONMENT,
            stderr=subprocess.DEVNULL,
        )

    with (
        dask("scheduler", "--port", "0") as scheduler,
        dask("worker", "--no-nanny", "--nthreads", "1"),
    ):
        address = None
        while address is None:
            time.sleep(0.05)
            assert scheduler.poll() is None
            with suppress(FileNotFoundError, ValueError):
                address = json.loads(place.read_text())["address"]
        with cluster.open_cluster(address, OPTIONS) as machines:
            results = audited(cycle([*generated(5)]), machines.pool)
            next(results)
            scheduler.kill()
            with pytest.raises(ClusterError, match="lost the connection"):
                list(results)


@pytest.mark.parametrize(
    ("version", "folders", "reason"),
    [
        ("99.0", (), r"expected matesolve 99\.0, found \d"),
        (__version__, ("/none",), r"127\.0\.0\.1:\d+: .*none"),
    ],
)
def test_a_worker_with_another_solver_or_other_tables_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, version: str, folders: tuple[str, ...], reason: str
) -> None:
    monkeypatch.setattr(cluster, "__version__", version)
    options = replace(OPTIONS, directories=folders)
    with (
        pytest.raises(ClusterError, match=reason),
        cluster.open_cluster(cluster.LOCAL, options, 1),
    ):
        pass


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


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["tcp://host"], "tcp://HOST:8786, found 'tcp://host'\n"),
        (["http://host:80"], "tcp://HOST:8786, found 'http://host:80'\n"),
        (["tcp://[::1]:1", "-j", "2"], "--jobs cannot be combined with a cluster"),
    ],
)
def test_a_malformed_address_and_jobs_elsewhere_are_usage_errors(
    capsys: pytest.CaptureFixture[str], options: list[str], reason: str
) -> None:
    assert run(["verify", "-", "--cluster", *options]) == 2
    assert reason in capsys.readouterr().err


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


def test_the_output_is_the_same_as_without_a_cluster(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """dask gives a first cluster its port 8787, and warns in a second."""
    found = []
    with (
        warnings.catch_warnings(record=True) as caught,
        cluster.open_cluster(cluster.LOCAL, OPTIONS, 1),
    ):
        warnings.simplefilter("always")
        for options in ([], ["--cluster", "local", "--jobs", "1"]):
            code = run(["verify", str(PUZZLES / "traps.epd"), "--keys", *options])
            out, err = capsys.readouterr()
            found.append((code, COSTS.sub("", out), err))
    assert found[0] == found[1]
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
        for _ in range(100):  # one of Python's own ends a moment later
            if not living(verify.pid):
                break
            time.sleep(0.1)
        assert living(verify.pid) == []
