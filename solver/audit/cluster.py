"""The same audit on dask.distributed: batches become tasks of a cluster.

As many batches are under way as keep each thread of the cluster busy while the next one
waits there. Tasks of a worker that is lost run again elsewhere. A problem that was
alone in tasks that lost their workers is tried once more while nothing else is under
way, since else it could not be told from its neighbours.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import tempfile
import threading
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dask.system import CPU_COUNT
from distributed import Client, KilledWorker, LocalCluster, Security
from distributed.comm.core import connect

from solver.audit import remote
from solver.audit.workers import Staff, WorkerLostError
from solver.errors import ClusterError, MatesolveError
from solver.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.audit.control import AuditControl
    from solver.audit.examiner import Examined
    from solver.audit.inquiry import Inquiry
    from solver.problem import Problem

LOCAL = "local"
"""The address of a cluster that is started here, and ends with the audit."""

CONNECT_S = 10.0
"""How long to wait for a scheduler, and for its first worker."""

BATCH_S = 1.5
"""How much work a batch should be."""

BATCHES_PER_THREAD = 2
"""One that is examined, and one that waits for it."""

MOST_BATCHES = 512
"""How many may be under way; each takes a thread here, to wait for it."""

WINDOW = 16_384
"""How many records a batch may be ahead of those told: room for two of `BATCH_S`."""

MOST_AHEAD = 131_072
"""How many all batches may be."""

LOCAL_RERUNS = 1
"""How often a cluster that is started here runs a task again whose worker was lost."""

TICK_S = 0.1
"""How soon a thread that waits for a batch notices that the audit was stopped."""


class Cluster:
    """A cluster at work on one audit.

    Parameters
    ----------
    client : distributed.Client
        Connected to a scheduler that has workers.
    inquiry : Inquiry
        What they are to ask.

    Attributes
    ----------
    client : distributed.Client
        As given.
    staff : Staff
        Who waits for the batches that are under way at once.

    Raises
    ------
    ClusterError
        A worker has no solver, one of another version, or lacks the endgame tables.
    """

    def __init__(self, client: Any, inquiry: Inquiry) -> None:
        self.client = client
        self._audit = str(uuid4())
        places = tuple(str(Path(place).absolute()) for place in inquiry.directories)
        self._inquiry = replace(inquiry, directories=places)
        self._require_alike()
        threads = sum(self.client.nthreads().values())
        jobs = max(2, min(BATCHES_PER_THREAD * threads, MOST_BATCHES))
        window = min(WINDOW, MOST_AHEAD // jobs)
        self.staff = Staff(lambda control: ClusterWorker(self, control), jobs, window)
        self._places = threading.Semaphore(jobs)
        self._quarantine = threading.Lock()
        self._suspects: set[Problem] = set()

    def examine_all(
        self, problems: Sequence[Problem], control: AuditControl
    ) -> list[Examined | None]:
        """Have a batch examined; see `Worker.examine_all`."""
        is_alone = len(problems) == 1
        with self._place(apart=is_alone and problems[0] in self._suspects):
            try:
                return self._wait_for(self._submit(problems), problems, control)
            except WorkerLostError:
                if is_alone:
                    self._suspects.add(problems[0])
                raise

    def end(self) -> None:
        """Stop what is still searched, and free the memory that the audit has there."""
        if self.client.status == "running":
            self.client.run(remote.end, self._audit, on_error="ignore")

    def _require_alike(self) -> None:
        places = self._inquiry.directories
        told: dict[str, object] = self.client.run(
            remote.introduce, places, on_error="return"
        )
        try:  # dask has the scheduler read the tasks, too
            told["the scheduler"] = self.client.run_on_scheduler(remote.introduce, ())
        except ImportError as error:
            told["the scheduler"] = error
        for where, answer in told.items():
            if isinstance(answer, MatesolveError | OSError):
                msg = f"{where}: {answer}"
                raise ClusterError(msg)
            if answer != __version__:
                found = f"none ({answer})" if isinstance(answer, Exception) else answer
                msg = f"{where}: {remote.other_version(__version__, str(found))}"
                raise ClusterError(msg)

    def _submit(self, problems: Sequence[Problem]) -> Any:
        self._require_scheduler()
        return self.client.submit(
            remote.examine_all,
            self._audit,
            __version__,
            self._inquiry,
            list(problems),
            key=f"matesolve-{uuid4()}",  # never the answer to an earlier task
        )

    def _wait_for(
        self, task: Any, problems: Sequence[Problem], control: AuditControl
    ) -> list[Examined | None]:
        done = threading.Event()
        task.add_done_callback(lambda _: done.set())
        while not done.wait(TICK_S):
            if control.is_stopped():
                task.release()
                return [None] * len(problems)
        if task.status == "error":
            error = task.exception()
            if isinstance(error, KilledWorker):
                raise WorkerLostError from None
            if isinstance(error, ImportError):
                msg = f"a worker has no matesolve {__version__}: {error}"
                raise ClusterError(msg)
            raise error
        try:
            examined: list[Examined | None] = task.result()
        except (CancelledError, OSError):
            self._require_scheduler()
            raise WorkerLostError from None
        return examined

    def _require_scheduler(self) -> None:
        if self.client.status != "running":
            msg = "lost the connection to the cluster's scheduler"
            raise ClusterError(msg)

    @contextmanager
    def _place(self, *, apart: bool) -> Iterator[None]:
        """Take part in the work, or have all places, so that nobody else works."""
        taken = self.staff.jobs if apart else 1
        with self._quarantine if apart else nullcontext():
            for _ in range(taken):
                self._places.acquire()
        try:
            yield
        finally:
            self._places.release(taken)


class ClusterWorker:
    """Has batches examined by a cluster, one after the other."""

    batch_s = BATCH_S * BATCHES_PER_THREAD  # each waits for the one before

    def __init__(self, cluster: Cluster, control: AuditControl) -> None:
        self._cluster = cluster
        self._control = control

    def examine_all(self, problems: Sequence[Problem]) -> list[Examined | None]:
        """Send a batch and wait for what comes back."""
        return self._cluster.examine_all(problems, self._control)

    def close(self) -> None:
        """Do nothing: the cluster is closed once for all."""


@contextmanager
def open_cluster(
    address: str, inquiry: Inquiry, jobs: int | None = None
) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine.

    dask's log is kept off stderr meanwhile: what ends the audit is raised.

    Parameters
    ----------
    address : str
        A scheduler's, such as `tcp://10.0.0.1:8786`, or `local`.
    inquiry : Inquiry
        What its workers are to ask.
    jobs : int or None
        How many processes to start; None: as many as there are cores.

    Raises
    ------
    ClusterError
        There is no scheduler, it has no workers, or they cannot do this audit.
    """
    with ExitStack() as stack:
        stack.enter_context(_silence())
        if address != LOCAL:
            _require_scheduler_at(address)
        with _ctrl_c_held_back():
            where: Any = address
            if address == LOCAL:
                scratch = stack.enter_context(tempfile.TemporaryDirectory())
                where = _start(jobs or CPU_COUNT, scratch)
                stack.callback(_close, where)
            client = _connect(where, address)
            stack.callback(_close, client)
        cluster = Cluster(client, inquiry)
        stack.callback(cluster.end)
        yield cluster


def _start(processes: int, scratch: str) -> Any:
    """Start a cluster that only this machine can reach."""
    start: Any = LocalCluster  # its arguments have no types
    return start(
        n_workers=processes,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        local_directory=scratch,
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        scheduler_kwargs={"allowed_failures": LOCAL_RERUNS},
    )


def _connect(where: Any, address: str) -> Any:
    begin: Any = Client  # its arguments have no types
    client = begin(where, timeout=CONNECT_S, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        client.close()
        msg = f"{address}: expected workers, found none within {CONNECT_S:g} s"
        raise ClusterError(msg) from None
    return client


def _require_scheduler_at(address: str) -> None:
    """Refuse an address at which no scheduler answers; a client might wait forever."""
    security: Any = Security
    settings = security().get_connection_args("client")
    if address.startswith("tls:") and settings["ssl_context"] is None:
        msg = f"{address}: dask's settings name no certificates (distributed.comm.tls)"
        raise ClusterError(msg)
    knock: Any = connect
    opened = threading.Event()

    async def try_it() -> None:
        with suppress(OSError):
            comm = await knock(address, timeout=CONNECT_S, **settings)
            opened.set()
            await comm.close()

    # A thread that may be left behind: what accepts a connection and then says nothing
    # keeps dask waiting beyond its own time limit.
    knocking = threading.Thread(target=lambda: asyncio.run(try_it()), daemon=True)
    knocking.start()
    knocking.join(CONNECT_S)
    if not opened.is_set():
        msg = f"{address}: expected a dask scheduler, found none within {CONNECT_S:g} s"
        raise ClusterError(msg)


def _close(connection: Any) -> None:
    with _ctrl_c_held_back():  # half closed, dask would close it at exit once more
        connection.close()


@contextmanager
def _silence() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Let Ctrl-C wait; threads and processes that begin meanwhile never hear of it.

    A terminal sends it to all processes, but only the audit's own is to act on it.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
