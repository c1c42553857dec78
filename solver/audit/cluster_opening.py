"""Clusters that are found or started, and closed quietly when the audit has ended."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from dask.system import CPU_COUNT
from distributed import Client, LocalCluster, Security
from distributed.comm.core import connect

from solver.audit.cluster import Cluster
from solver.audit.workers import interrupts_held_back
from solver.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.inquiry import Inquiry

LOCAL = "local"
"""The address of a cluster that is started here, and ends with the audit."""

CONNECT_S = 10.0
"""How long to wait for a scheduler, and for its first worker."""

LOCAL_RERUNS = 1
"""How often a cluster that is started here runs a task again whose worker was lost."""


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
        with interrupts_held_back():
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
    with interrupts_held_back():  # half closed, dask would close it at exit once more
        connection.close()


@contextmanager
def _silence() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
