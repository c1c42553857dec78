"""Stop a search, limit its time, and share it among cores."""

from __future__ import annotations

import ctypes
import heapq
import math
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from solver.errors import InUseError, TooLargeError
from solver.kernel.border import interface, parts, search_struct
from solver.kernel.build.loader import load_part, loaded_part
from solver.problem import MOST_CORES, require_instance
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn, TypeAlias

    from solver.search.workspaces import Workspace

    Stoppable: TypeAlias = "Control | GroupControl"


class Exclusive:
    """Lets one search at a time use an object; any other gets an error at once.

    Parameters
    ----------
    name : str
        What is used, for the message.
    remedy : str
        What to do instead, for the message.
    """

    def __init__(self, name: str, remedy: str) -> None:
        self._name = name
        self._remedy = remedy
        self._lock = threading.Lock()

    def __reduce__(self) -> NoReturn:
        """Refuse to pickle the owner, such as a solver."""
        reason = "cannot be pickled, because it belongs to this process"
        msg = f"{self._name}: {reason}; make one in each process"
        raise TypeError(msg)

    @contextmanager
    def use(self) -> Iterator[None]:
        """Keep all other searches from using the object while the block runs.

        Raises
        ------
        InUseError
            It is in use already, in another thread or in this one.
        """
        if not self._lock.acquire(blocking=False):
            msg = f"{self._name} is already in use; {self._remedy}"
            raise InUseError(msg)
        try:
            yield
        finally:
            self._lock.release()


class Control:
    """Stops a search and shows its progress, from any thread.

    It controls one search at a time. `stop` waits for no lock, so a signal handler may
    call it.

    Attributes
    ----------
    exclusive : Exclusive
        Used by the search that it controls.
    lower_bound : int
        No mate takes fewer moves: proved so far.
    best : tuple or None
        The shortest mate so far, negative when the side to move is mated, and its line
        in UCI notation; None: no mate was found yet.
    detail : str
        What else is known of the search, for people to read.
    work : str
        What is built from an answer, for people to read; empty while it is searched.
    """

    def __init__(self) -> None:
        self.exclusive = Exclusive("control", "use one for each search")
        self._search: search_struct.Search | None = None
        self._reason: StoppedBy | None = None
        self.lower_bound = 1
        self.best: tuple[int, tuple[str, ...]] | None = None
        self.detail = ""
        self.work = ""

    def describe(self, work: str) -> None:
        """Set what is being built."""
        self.work = work

    @property
    def nodes(self) -> int:
        """Positions entered so far."""
        search = self._search
        return search.nodes if search else 0

    @property
    def reason(self) -> StoppedBy | None:
        """The first reason to stop the search; None if it was not stopped."""
        return self._reason

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """Stop the search; it ends within milliseconds, with what it has proved."""
        require_instance("reason", reason, StoppedBy, "a StoppedBy")
        self._reason = self._reason or reason
        self._apply(reason)

    def attach(self, search: search_struct.Search) -> None:
        """Control a search that is about to begin."""
        search.stop = search.patience = 0
        self._search = search
        if self._reason:
            self._apply(self._reason)

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Let the block finish a proved answer: only an interrupt stops it."""
        search = self._search
        assert search is not None
        limit, search.node_limit = search.node_limit, interface.NO_LIMIT
        search.patience = search_struct.Stop.LIMIT
        try:
            yield
        finally:
            search.patience = search_struct.Stop.NONE
            search.node_limit = limit

    def _apply(self, reason: StoppedBy) -> None:
        if self._search:
            is_urgent = reason is StoppedBy.INTERRUPT
            self._search.stop |= (
                search_struct.Stop.INTERRUPT if is_urgent else search_struct.Stop.LIMIT
            )


class Budget:
    """Counts the cost of what is built from an answer, and limits it.

    Parameters
    ----------
    most : int
        The greatest count allowed.
    what : str
        What is counted, for the message.
    time_s : float
        Seconds allowed, from now on.
    """

    def __init__(self, most: int, what: str, time_s: float) -> None:
        self._most = most
        self._what = what
        self._time_s = time_s
        self._deadline = time.monotonic() + time_s
        self.count = 0
        """What was spent; a caller that drops part of its work may subtract it."""

    def spend(self, count: int) -> None:
        """Add to the count.

        Raises
        ------
        TooLargeError
            The count or the time exceeds its limit.
        """
        self.count += count
        if self.count > self._most:
            msg = f"more than {self._most:,} {self._what}"
            raise TooLargeError(msg)
        self.check_time()

    def check_time(self) -> None:
        """Raise TooLargeError if the time limit is exceeded."""
        if time.monotonic() > self._deadline:
            msg = f"more than {self._time_s:g} s of building"
            raise TooLargeError(msg)


def require_control(control: Control | None) -> Control:
    """Return a control, a new one for None; anything else raises InputError."""
    if control is None:
        return Control()
    return require_instance("control", control, Control, "a Control or None")


class GroupControl:
    """Stops a group of searches, including those that have not begun.

    No method takes a lock: a signal handler calls them in a thread that may hold one.
    """

    def __init__(self) -> None:
        self._reason: StoppedBy | None = None
        self._stops: set[Callable[[StoppedBy], None]] = set()

    def is_stopped(self) -> bool:
        """Return whether the group has been stopped."""
        return self._reason is not None

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """Stop the group and its searches."""
        self._reason = self._reason or reason
        for stop in tuple(self._stops):
            stop(reason)

    @contextmanager
    def stopping(self, stop: Callable[[StoppedBy], None]) -> Iterator[None]:
        """Call `stop` when the group is stopped, or at once if it has been stopped."""
        self._stops.add(stop)
        try:
            if self._reason is not None:  # set before the line above, perhaps
                stop(self._reason)
            yield
        finally:
            self._stops.discard(stop)

    @contextmanager
    def search(self) -> Iterator[Control]:
        """Provide the control of a new search, which stops with the group."""
        control = Control()
        with self.stopping(control.stop):
            yield control


class SharedCores:
    """How many cores one search of an audit may use.

    It is one while every worker has work. At the end of a collection, the last workers
    share the cores of those that have none. Processes that are started with it read the
    number in shared memory.

    Parameters
    ----------
    jobs : int
        How many workers there are.
    threads : int
        The most that one search may use. If they are more than the workers, they are
        all the cores that the workers share.
    """

    def __init__(self, jobs: int, threads: int) -> None:
        self.jobs = jobs
        self._total = max(jobs, threads)
        self._number = ctypes.c_int32(self._total // jobs)
        self._is_shared = False
        self._lock = threading.Lock()

    def __call__(self) -> int:
        """Return how many cores one search may use at present."""
        return self._number.value

    def divide(self, workers: int) -> None:
        """Divide the cores among this many workers, which are searching."""
        with self._lock:
            self._number.value = self._total // max(1, workers)

    def share(self) -> ctypes.c_int32:
        """Return the number, in memory that a process can be started with."""
        with self._lock:
            if not self._is_shared:
                from multiprocessing.sharedctypes import RawValue

                shared = RawValue(ctypes.c_int32, self._number.value)
                self._number, self._is_shared = shared, True
            return self._number


class Watchdog:
    """Stops searches when their time is over; one thread serves all of them."""

    def __init__(self) -> None:
        self._deadlines: list[tuple[float, int, Stoppable]] = []
        self._changed = threading.Condition()
        self._count = 0
        self._wakes_s = math.inf
        """When the thread looks at the deadlines again, unless it is notified."""
        self._thread: threading.Thread | None = None

    @contextmanager
    def limit(
        self, control: Stoppable, seconds: float | None, spent_s: float = 0.0
    ) -> Iterator[None]:
        """Stop `control` if the block takes longer than `seconds`; None means no limit.

        `spent_s` seconds have passed already.
        """
        if seconds is None or seconds == math.inf:
            yield
            return
        with self._changed:
            self._count += 1
            entry = (time.monotonic() + seconds - spent_s, self._count, control)
            heapq.heappush(self._deadlines, entry)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            elif entry[0] < self._wakes_s:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                if entry in self._deadlines:
                    self._deadlines.remove(entry)
                    heapq.heapify(self._deadlines)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                while self._deadlines and self._deadlines[0][0] <= now:
                    heapq.heappop(self._deadlines)[2].stop(StoppedBy.TIME)
                self._wakes_s = self._deadlines[0][0] if self._deadlines else math.inf
                self._changed.wait(self._wakes_s - now if self._deadlines else None)


WATCHDOG = Watchdog()


Result = TypeVar("Result")

WAIT_S = 0.05
"""How long the caller sleeps at a time: not every system wakes it for a signal, and no
system does for `_thread.interrupt_main`."""


def run_stoppable(work: Callable[[], Result], control: Control) -> Result:
    """Do the work in another thread, so that this one can be interrupted.

    Parameters
    ----------
    work : callable
        Takes no arguments.
    control : Control
        Stops the work.

    Returns
    -------
    object
        What the work returns. An exception of the work is raised here too.

    Raises
    ------
    BaseException
        Whatever interrupts the waiting caller, such as KeyboardInterrupt; it stops
        the work first.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(WAIT_S)
    except BaseException:  # also an interrupt: the work must not run on
        control.stop(StoppedBy.INTERRUPT)
        if thread.ident is not None:  # else it never began
            thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]


def load_search() -> None:
    """Load the search; it may have to be compiled, for seconds that can be stopped."""
    if loaded_part(parts.SEARCH) is None:
        run_stoppable(lambda: load_part(parts.SEARCH), Control())


SHORT_NODES = 10_000
"""Nodes that a call searches in the calling thread, before it moves to another one.
They take some milliseconds, in which no interrupt is noticed. To start a thread and
wait for it takes as long as to solve a mate in two."""


class HasWorkspace(Protocol):
    """Searches in a workspace."""

    @property
    def workspace(self) -> Workspace:
        """The memory of its last search."""


Searcher = TypeVar("Searcher", bound=HasWorkspace)


class ShortCalls(Generic[Searcher]):
    """Does the work of short calls in the calling thread, with memory that is kept.

    What waits for the next call is taken out while it works: no other thread, forked
    process or signal handler can use it, and an error loses it.

    Parameters
    ----------
    make : callable
        Makes a searcher: a solver or a grader.
    """

    def __init__(self, make: Callable[..., Searcher]) -> None:
        self._make = make
        self._waiting: dict[tuple[int, ...], Searcher] = {}

    def run(
        self,
        size: tuple[int, ...],
        work: Callable[[Searcher, int | None], Result | None],
        control: Control,
        own: Searcher | None = None,
    ) -> Result:
        """Do short work in this thread, and longer work as `run_stoppable` does.

        Parameters
        ----------
        size : tuple of int
            The arguments of `make`.
        work : callable
            Takes the searcher and a number of nodes, or None. Returns None if its
            search needs more nodes; it is then called again, with None.
        control : Control
            Stops the work.
        own : Searcher or None
            The caller's, which is not kept here.
        """
        searcher = own or self._waiting.pop(size, None)
        if searcher is None:
            load_search()
            searcher = self._make(*size)
        result = work(searcher, SHORT_NODES)
        if result is None:
            result = run_stoppable(lambda: work(searcher, None), control)
            assert result is not None
        elif own is None and searcher.workspace.is_small:
            self._waiting.clear()
            self._waiting[size] = searcher
        return result


HELPED_FROM = 1_000_000
"""Nodes after which helper threads may join a search. A shorter one, 0.15 s on Zen 5,
takes the same nodes whatever the number of cores."""

SHARED_GROWTH = 8
"""How much larger the table is made before threads share it. A shared table cannot
grow, so the threads end for that and begin again."""


class HelperThreads:
    """Further threads that search the same problem in the same table.

    They search in another order than the leading workspace. They find in the table what
    the others have proved, so the leader, whose answer counts, gets it sooner.

    Parameters
    ----------
    leader : Workspace
        The workspace whose table they share.
    most : int
        How many threads at most; 0 is allowed.
    cores : callable or None
        Returns how many threads, the leader's included, may search at present; None:
        all of them. More may join as cores become free; none leaves before the end.

    Attributes
    ----------
    nodes : int
        Positions that the threads entered for the last problem, once they ended.
    """

    def __init__(
        self, leader: Workspace, most: int, cores: Callable[[], int] | None = None
    ) -> None:
        self._leader = leader
        self._most = most
        self._cores = cores
        self._helpers: list[Workspace] = []
        """Made when they are first needed: each takes 3 MB."""
        self._threads: list[threading.Thread] = []
        self._controls: list[Control] = []
        self._grow_at = interface.NO_LIMIT
        self._ended_nodes = 0
        """Those of threads that ended because the table became too small."""
        self.nodes = 0

    def start(self, work: Callable[[Workspace, Control], object]) -> None:
        """Let further threads do the work, as many as may join the search by now.

        The leader and the new threads get equal shares of its remaining nodes.
        """
        leader = self._leader.search
        if not self._most or leader.nodes < HELPED_FROM:
            return
        if self._threads and leader.nodes >= self._grow_at:
            for search in self._end():
                leader.node_limit += max(0, search.node_limit - search.nodes)
                self._ended_nodes += search.nodes
        running = len(self._threads)
        allowed = self._most if self._cores is None else self._cores() - 1
        size = min(self._most, allowed)
        if running >= size:
            return
        share = (leader.node_limit - leader.nodes) // (size - running + 1)
        leader.node_limit = leader.nodes + share
        if not running:
            self._grow_at = self._leader.grow(SHARED_GROWTH)
        while len(self._helpers) < size:
            self._helpers.append(self._leader.helper())
        for helper in self._helpers[running:size]:
            helper.join(self._leader, share)
            control = Control()
            control.attach(helper.search)  # here, so that no stop is overlooked
            self._controls.append(control)
            task = (helper, control)
            thread = threading.Thread(target=work, args=task, daemon=True)
            self._threads.append(thread)
            thread.start()

    def count(self) -> int:
        """Return the nodes of the threads so far, or for the last problem."""
        helped = self._helpers[: len(self._threads)]
        running: int = sum(helper.search.nodes for helper in helped)
        return self.nodes + self._ended_nodes + running

    def stop(self) -> None:
        """Stop the threads and wait until they end."""
        self.nodes = self._ended_nodes + sum(search.nodes for search in self._end())
        self._ended_nodes = 0

    def _end(self) -> list[search_struct.Search]:
        """End the threads; return their searches. The table may grow again."""
        for control in self._controls:
            control.stop()  # not the search itself, which may be finishing a mate
        for thread in self._threads:
            thread.join()
        if self._threads:
            self._leader.search.grow_at = self._grow_at
        helped = self._helpers[: len(self._threads)]
        self._threads.clear()
        self._controls.clear()
        return [helper.search for helper in helped]


def usable_cores(root: str = "") -> int:
    """Count the cores that this process may use, at most `MOST_CORES`.

    The system says on which cores it may run; on Linux, the control groups it belongs
    to may allow less time than these cores have, as in most containers.

    Parameters
    ----------
    root : str
        The root of the file system, without its last slash.
    """
    quota = min(_quotas(root), default=MOST_CORES)
    return max(1, min(_affinity(), MOST_CORES, math.ceil(quota)))


def _affinity() -> int:
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(root: str) -> Iterator[float]:
    """Yield the quotas of the process's control groups up to the root, in cores.

    Version 2 keeps a quota in `cpu.max`, version 1 in two files. A file that is missing
    or cannot be read sets no quota: not every system and not every group has one.
    """
    lines: list[str] = []
    with suppress(OSError):
        lines = _read(f"{root}/proc/self/cgroup").splitlines()
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        folder = f"{root}/sys/fs/cgroup/{'cpu' if controllers else ''}"
        for group in ("", *filter(None, path.split("/"))):
            folder = f"{folder}/{group}"
            with suppress(OSError):
                if controllers:
                    quota = _read(f"{folder}/cpu.cfs_quota_us").strip()
                    period = _read(f"{folder}/cpu.cfs_period_us")
                else:
                    quota, period = _read(f"{folder}/cpu.max").split()
                if quota not in ("max", "-1"):
                    yield int(quota) / int(period)


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 -- pathlib takes 9 ms
        return file.read()
