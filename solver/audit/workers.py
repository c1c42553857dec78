"""Audit a collection: the pipeline of batches, and the workers that it feeds."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from solver.audit.job import BATCH_S, AuditJob, AuditOptions
from solver.audit.results import AuditResult, Origin, audit_result
from solver.errors import FormatError, StoreError
from solver.search.threads import GroupControl, SharedCores, usable_cores
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from solver.audit.store import ResumeStore
    from solver.endgames.tablebases import Tablebases
    from solver.problem import Problem


# --------------------------------------------------------------------------------------
# What a worker of an audit does, and a worker in a process that may be killed.
#
# `AuditJob` is a worker in this process, `ClusterWorker` one on a cluster.
#
# A short audit starts no process, so multiprocessing is imported when the first one is.

SHORT_S = 0.5
"""An audit that takes less CPU time, in seconds, needs no other process: starting one
takes 0.15 s."""

WINDOW = 2048
"""How many records a worker on this machine may be ahead of the last one yielded."""


class WorkerDiedError(Exception):
    """A worker was killed or crashed, or its machine is gone."""


class Worker(Protocol):
    """Runs one batch after another."""

    @property
    def batch_s(self) -> float:
        """How much work to put into a batch, in seconds; 0: one problem at a time."""

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        """Audit a batch; see `AuditJob.run_batch`.

        Raises
        ------
        WorkerDiedError
            The worker died; the next call starts another one.
        """

    def close(self) -> None:
        """Free what the worker holds."""


class WorkerPool(NamedTuple):
    """The workers of an audit.

    Attributes
    ----------
    make_worker : callable
        Makes one of them.
    jobs : int
        How many of them work at once.
    window : int
        How many records each may be ahead of those yielded. A batch is at most half as
        large.
    cores : SharedCores or None
        The cores that the workers' searches share; None: they share none.
    make_first : callable or None
        Makes the worker of a short audit, which `make_worker` replaces by all the
        others when the audit has taken `SHORT_S`; None: they begin at once.
    """

    make_worker: Callable[[GroupControl], Worker]
    jobs: int
    window: int = WINDOW
    cores: SharedCores | None = None
    make_first: Callable[[GroupControl], Worker] | None = None


class ProcessWorker:
    """Runs batches in a separate process, which ends with the audit.

    The process is spawned, so that it inherits no threads that hold locks, no open
    files and no signal handlers.
    """

    batch_s = BATCH_S

    def __init__(
        self,
        options: AuditOptions,
        control: GroupControl,
        cores: SharedCores | None = None,
    ) -> None:
        self._options = options
        self._cores = cores.share() if cores else None
        self._control = control
        self._start()

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        """Send a batch and wait for its results."""
        try:
            with self._control.stopping(self._kill):
                self._near.send(list(problems))
                answer = self._near.recv()
        except (EOFError, OSError):
            self.close()
            if not self._control.is_stopped():
                self._start()
            raise WorkerDiedError from None
        if isinstance(answer, BaseException):
            raise answer
        results: list[AuditResult | None] = answer
        return results

    def close(self) -> None:
        """Kill the process; it is idle, or its results are not needed."""
        self._near.close()
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")
        self._near, far = context.Pipe()
        given = far, self._options, self._cores
        process = context.Process(target=_serve, args=given, daemon=True)
        with interrupts_blocked():
            process.start()
        self._process = process  # only now can it be killed
        far.close()

    def _kill(self, _reason: StoppedBy) -> None:
        self._process.kill()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block interrupts; a process that is started in the block never receives them.

    Terminals and supervisors send interrupts to all processes, but only the process
    that called the audit should handle them.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    _start_without_traceback()
    resource_tracker.ensure_running()  # its start would unblock Ctrl-C
    interrupts = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, interrupts)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


WITHOUT_PARENT = """
from pickle import UnpicklingError

try:
    {}
except (EOFError, UnpicklingError):
    raise SystemExit(1) from None
"""
"""What a new process runs; braces stand for the program of multiprocessing."""


def _start_without_traceback() -> None:
    """Let a new process end without a traceback if its parent is gone by then.

    It reads from a pipe what it is to do. A parent that is killed before it has written
    that would leave a traceback on the terminal.
    """
    from multiprocessing import spawn

    if getattr(spawn.get_command_line, "ends_without_parent", False):
        return
    usual = spawn.get_command_line

    def get_command_line(**handles: int) -> list[str]:
        words = usual(**handles)
        if "-c" in words:  # not in a bundle
            program = words.index("-c") + 1
            words[program] = WITHOUT_PARENT.format(words[program])
        return words

    get_command_line.ends_without_parent = True  # type: ignore[attr-defined]
    spawn.get_command_line = get_command_line


def _serve(
    pipe: Connection, options: AuditOptions, cores: ctypes.c_int32 | None
) -> None:
    """Run in a worker process: answer batches until the pipe is closed."""
    begin_process()
    job: AuditJob | None = None
    while True:
        try:
            problems = pipe.recv()
        except (EOFError, OSError):  # the parent is gone
            return
        answer: list[AuditResult | None] | Exception
        try:
            if job is None:
                allowed = None if cores is None else lambda: cores.value
                job = AuditJob(options, cores=allowed)
            answer = job.run_batch(problems)
        except Exception as error:  # raised again in the audit's process
            answer = error
        try:
            pipe.send(answer)
        except OSError:
            return


def begin_process(*pipes: Connection) -> None:
    """Prepare a process started with interrupts blocked.

    It exits when its parent is gone, so that no search outlives it, or when one of
    these pipes is closed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it cannot be blocked
    if sys.platform != "win32":  # the parent may send it at its own exit
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, args=pipes, daemon=True).start()


def _end_with_parent(*pipes: Connection) -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel, *pipes])
    os._exit(1)


# --------------------------------------------------------------------------------------
# The pipeline: search every problem and compare the answer with its claim.
#
# One thread reads the records into a `WorkQueue`, as far ahead as there is room. Each
# worker has a thread that takes batches from the queue and runs them: in this process,
# in another, or on a cluster. The calling thread yields the results.
#
# A problem that takes too long in a batch returns to the queue and is then searched
# alone. A worker that dies costs only the problem that it was searching. With a store,
# a question is not searched if it was answered before, or if another record with the
# same question is being searched.

TICK_S = 0.01
"""How soon a waiting thread notices a change, in seconds."""

GATHER_S = 0.005
"""How long a waiting worker gathers a batch, in seconds; one row alone costs more."""

JOIN_S = 1.0
"""How long an audit waits for its threads after it has stopped them, in seconds."""

LAST_RESULTS_S = 0.5
"""How long a stopped audit waits for the last results of its workers, in seconds."""

BEFORE_ALL = -1
"""The place of an error that is raised at once, not in its turn."""

BATCH_GROWTH = 4
"""A batch is at most this many times as large as the one before it."""

MAX_CRASHES = 3
"""A problem is given up after this many workers died while searching it alone."""

OnResult: TypeAlias = "Callable[[AuditResult], None]"

Run: TypeAlias = "tuple[int, list[AuditResult] | BaseException]"
"""The place of a record in the collection, and the results from there on or an error to
raise."""


def audit(
    records: Iterable[Problem | FormatError],
    options: AuditOptions,
    pool: WorkerPool,
    *,
    resume: ResumeStore | None = None,
    on_result: OnResult | None = None,
    ordered: bool = False,
    control: GroupControl | None = None,
) -> Generator[AuditResult]:
    """Yield the result of each record of a collection as soon as it is known.

    Parameters
    ----------
    records : iterable of Problem or FormatError
        The collection. A separate thread reads it.
    options : AuditOptions
        What to search for.
    pool : WorkerPool
        The workers; see `local_workers`.
    resume : ResumeStore or None
        Returns earlier answers and saves new ones.
    on_result : callable or None
        Called with each new result, its certificate included, before the result is
        saved; in a worker's thread.
    ordered : bool
        Yield the results in the order of the records, so that a slow problem delays all
        after it. A single worker always keeps the order.
    control : GroupControl or None
        Stops the audit: results that are complete by then are yielded, searches that
        were interrupted are left out.

    Yields
    ------
    AuditResult
        One for each record.

    Raises
    ------
    Exception
        The error of a worker, of the store, or of the source of the records.
    """
    control = control or GroupControl()
    queue = WorkQueue(
        records,
        control,
        resume=resume,
        on_result=on_result,
        room=pool.window * pool.jobs,
        cores=pool.cores,
    )
    largest = 1 if options.certify else pool.window // 2
    loop = WorkerLoop(queue, control, pool, largest)
    # Daemons: a thread that waits for a line of standard input must not delay the exit.
    workers = [
        threading.Thread(target=loop.run, args=(make,), daemon=True)
        for make in (
            pool.make_first or pool.make_worker,
            *[pool.make_worker] * (pool.jobs - 1),
        )
    ]
    for thread in (threading.Thread(target=queue.read, daemon=True), *workers):
        thread.start()
    try:
        is_ordered = ordered or pool.jobs == 1
        yield from queue.results(lambda: is_ordered or loop.is_short())
    except BaseException:  # also an interrupt, or the caller closes this generator
        control.stop()
        raise
    finally:
        until = time.monotonic() + JOIN_S
        for thread in workers:
            thread.join(max(0.0, until - time.monotonic()))


def local_workers(
    options: AuditOptions, jobs: int | None, tablebases: Tablebases | None = None
) -> WorkerPool:
    """Return workers on this machine.

    Together they use as many cores as there are workers, or as `Limits.threads` says
    if that is more. A search gets several of them when others have no work.

    Parameters
    ----------
    options : AuditOptions
        What to search for.
    jobs : int or None
        The number of workers: a single one runs in this process, several run in
        separate processes. None: one until the audit has taken `SHORT_S`, then one for
        each core.
    tablebases : Tablebases or None
        The endgame tables of the options, open until the audit has ended.
    """
    count, threads = jobs or usable_cores(), options.limits.threads
    cores = SharedCores(count, threads) if count > 1 and threads > 1 else None

    def here(control: GroupControl) -> AuditJob:
        return AuditJob(options, tablebases, control.search, cores)

    def apart(control: GroupControl) -> ProcessWorker:
        return ProcessWorker(options, control, cores)

    if count == 1:
        return WorkerPool(here, 1)
    return WorkerPool(apart, count, cores=cores, make_first=None if jobs else here)


class Task(NamedTuple):
    """A problem and its place in the collection.

    Attributes
    ----------
    number : int
        From 0, counting all records.
    problem : Problem
    key : bytes
        Identifies the question in the store; empty without a store.
    """

    number: int
    problem: Problem
    key: bytes = b""


class WorkQueue:
    """Problems and results of an audit; any number of threads may use it.

    Parameters
    ----------
    records : iterable of Problem or FormatError
        The collection.
    control : GroupControl
        Stops the audit.
    resume : ResumeStore or None
        Returns earlier answers and saves new ones.
    on_result : callable or None
        Called with each new result before it is saved, in a worker's thread.
    room : int
        How many records may have been read without their results having been yielded.
    cores : SharedCores or None
        Divided among the workers that have a batch when nothing waits for the others.
    """

    def __init__(
        self,
        records: Iterable[Problem | FormatError],
        control: GroupControl,
        *,
        resume: ResumeStore | None,
        on_result: OnResult | None,
        room: int,
        cores: SharedCores | None = None,
    ) -> None:
        self._records = records
        self._control = control
        self._resume = resume
        self._on_result = on_result
        self._room = room
        self._cores = cores
        self._changed = threading.Condition()
        self._waiting = 0
        """How many threads wait for a task or for room."""
        self._read = self._yielded = 0
        """How many records were read, and how many results were yielded."""
        self._tasks: deque[Task] = deque()
        self._late: deque[Task] = deque()
        self._same: dict[bytes, list[Task]] = {}
        """By question being searched: the other records that pose it."""
        self._taken = 0
        self._batches = 0
        """How many of them are being worked on; `_taken` counts their problems."""
        self._at_end = False
        self._done: deque[Run] = deque()

    def read(self) -> None:
        """Read the collection to its end; a separate thread runs this."""
        try:
            for record in self._records:
                if not self._has_room():
                    self._wait(self._has_room)
                if self._control.is_stopped():
                    break
                self._put(self._read, record)
                self._read += 1
        except BaseException as error:  # raised again by `results`
            self._note_error(self._read, error)
        finally:
            with self._changed:
                self._at_end = True
                self._divide_cores()
                self._changed.notify_all()

    def _has_room(self) -> bool:
        return self._read < self._yielded + self._room

    def _wait(self, is_over: Callable[[], bool]) -> None:
        """Wait until a change ends this, or the audit is stopped."""
        with self._changed:
            self._waiting += 1  # before the look at what `_wake` is called after
            while not (is_over() or self._control.is_stopped()):
                self._changed.wait(TICK_S)
            self._waiting -= 1

    def _wake(self) -> None:
        """Let waiting threads look at what has changed, at the cost of a lock."""
        if self._waiting:
            with self._changed:
                self._changed.notify_all()

    def _put(self, number: int, record: Problem | FormatError) -> None:
        if isinstance(record, FormatError):
            result = audit_result(record)
            if self._resume:
                self._resume.store.put_record(result, None)
            self._done.append((number, [result]))
            return
        key = self._resume.key(record) if self._resume else b""
        task = Task(number, record, key)
        if self._resume:
            with self._changed:
                if key in self._same:
                    self._same[key].append(task)
                    return
                if (found := self._resume.find(record, key)) is not None:
                    self._done.append((number, [found]))
                    return
                self._same[key] = []
        self._tasks.append(task)
        self._wake()

    def take(self, most: int, workers: int = 1) -> list[Task]:
        """Wait for problems and hand them to a worker.

        Parameters
        ----------
        most : int
            The largest number of problems.
        workers : int
            How many workers share the waiting problems.

        Returns
        -------
        list of Task
            Empty when there is no more work.
        """
        with self._changed:
            while True:
                self._wait(lambda: bool(self._late or self._tasks) or self.is_over())
                if self.is_over():
                    return []
                if len(self._tasks) < most and not (self._late or self._at_end):
                    self._changed.wait(GATHER_S)
                if waiting := self._late or self._tasks:
                    share = 1 if self._late else len(self._tasks) // workers
                    batch = [waiting.popleft() for _ in range(max(1, min(most, share)))]
                    self._taken += len(batch)
                    self._batches += 1
                    self._divide_cores()
                    return batch

    def finish(
        self, tasks: Sequence[Task], results: Sequence[AuditResult | None]
    ) -> None:
        """Accept a batch from a worker; a problem without a result is queued again."""
        late: list[Task] = []
        runs: list[Run] = []
        run: list[AuditResult] = []
        end = BEFORE_ALL
        try:
            for task, result in zip(tasks, results, strict=True):
                if result is None:
                    late.append(task)
                    continue
                if self._on_result:
                    self._on_result(result)
                    result = result._replace(certificate=None, notices=())  # noqa: PLW2901
                if task.number != end:
                    run = []
                    runs.append((task.number, run))
                end = task.number + 1
                run.append(result)
                if self._resume:
                    self._save(self._resume, task, result)
        finally:
            self._done.extend(runs)
        with self._changed:
            self._late.extend(late)
            self._put_down(tasks)

    def _save(self, resume: ResumeStore, task: Task, result: AuditResult) -> None:
        """Pass on a result for all records that pose the same question."""
        resume.save(task.key, result)
        with self._changed:  # from here on the store answers this question
            same = self._same.pop(task.key)
        for other in same:
            copy = result.for_record(other.problem, Origin.REPEATED)
            resume.store.put_record(copy, task.key)
            self._done.append((other.number, [copy]))

    def fail(self, tasks: Sequence[Task], error: BaseException) -> None:
        """Accept a batch that raised an error."""
        self._note_error(tasks[0].number, error)
        with self._changed:
            self._put_down(tasks)

    def _put_down(self, tasks: Sequence[Task]) -> None:
        self._taken -= len(tasks)
        self._batches -= 1
        self._divide_cores()
        self._changed.notify_all()

    def _divide_cores(self) -> None:
        """Let the last batches have the cores of workers that have no work."""
        if self._cores:
            is_last = self._at_end and not (self._tasks or self._late)
            workers = self._batches if is_last else self._cores.jobs
            self._cores.divide(workers)

    def _note_error(self, number: int, error: BaseException) -> None:
        """Let `results` raise an error in order, or at once if the store failed.

        A failed store saves nothing more, so there is no point in searching on.
        """
        turn = BEFORE_ALL if isinstance(error, StoreError) else number
        self._done.append((turn, error))

    def results(self, is_ordered: Callable[[], bool]) -> Iterator[AuditResult]:
        """Yield the results until all are there or the audit is stopped.

        Parameters
        ----------
        is_ordered : callable
            Returns whether the next ones are to be in the order of the records.

        Raises
        ------
        Exception
            The error of a worker, of the store, or of the source of the records.
        """
        for _, found in _in_order(self._runs(), is_ordered):
            if isinstance(found, BaseException):
                raise found
            yield from found
            self._yielded += len(found)
            self._wake()

    def _runs(self) -> Iterator[Run]:
        while True:
            is_over = self.is_over()
            if self._control.is_stopped():
                self._wait_for_workers()
            while self._done:
                yield self._done.popleft()
            if is_over:
                return
            if self._resume:
                self._resume.store.commit_if_due()
            time.sleep(TICK_S)

    def _wait_for_workers(self) -> None:
        """Wait a moment for the last results of interrupted workers."""
        until = time.monotonic() + LAST_RESULTS_S
        with self._changed:
            while self._taken and time.monotonic() < until:
                self._changed.wait(TICK_S)

    def is_over(self) -> bool:
        """Return whether every record has its result, or the audit was stopped."""
        with self._changed:
            is_done = self._at_end and not (self._taken or self._tasks or self._late)
        return is_done or self._control.is_stopped()


def _in_order(runs: Iterator[Run], is_ordered: Callable[[], bool]) -> Iterator[Run]:
    """Hold back each run until all earlier results are there, or the audit ends.

    Once `is_ordered` returns False, none is held back.
    """
    early: dict[int, Run] = {}
    turn = 0
    for run in runs:
        if run[0] < turn:  # an error; the record's own result was yielded already
            yield run
        early[run[0]] = run
        while turn in early:
            _, found = due = early.pop(turn)
            yield due
            turn += 1 if isinstance(found, BaseException) else len(found)
        if early and not is_ordered():
            yield from (early.pop(number) for number in sorted(early))
    for number in sorted(early):
        yield early[number]


@dataclass
class WorkerLoop:
    """Keeps the workers of a pool busy; each thread that calls `run` serves one.

    Attributes
    ----------
    queue : WorkQueue
        Where the problems wait.
    control : GroupControl
        Stops the audit.
    pool : WorkerPool
        Makes a worker as soon as there is work for it.
    largest : int
        The largest number of problems in a batch.
    crashes : dict
        How many workers died with a problem alone, by its number.
    started_s : float
        The process's CPU time when the audit began.
    """

    queue: WorkQueue
    control: GroupControl
    pool: WorkerPool
    largest: int
    crashes: dict[int, int] = field(default_factory=dict)
    started_s: float = field(default_factory=time.process_time)

    def run(self, make: Callable[[GroupControl], Worker]) -> None:
        """Serve one worker, made by `make`, until there is no more work."""
        is_first = make is self.pool.make_first
        while not is_first and self.is_short() and not self.queue.is_over():
            time.sleep(TICK_S)
        worker: Worker | None = None
        size = 1
        try:
            while tasks := self.queue.take(size, self.pool.jobs):
                if is_first and worker and not self.is_short():
                    worker.close()
                    worker, make, is_first = None, self.pool.make_worker, False
                try:
                    worker = worker or make(self.control)
                    started = time.perf_counter()
                    results = self._run_batch(worker, tasks)
                    spent = time.perf_counter() - started
                    self.queue.finish(tasks, results)
                except Exception as error:
                    self.queue.fail(tasks, error)
                    continue  # results before it in the collection come first
                if len(tasks) == 1 < size:
                    continue  # a slow problem, taken alone, says nothing of the next
                done = len(tasks) - results.count(None)
                fitting = int(done * worker.batch_s / max(spent, 1e-6))
                size = max(1, min(fitting, BATCH_GROWTH * size, self.largest))
        finally:
            if worker:
                worker.close()

    def is_short(self) -> bool:
        """Return whether the audit is still the first worker's alone."""
        if self.pool.make_first is None:
            return False
        return time.process_time() - self.started_s < SHORT_S

    def _run_batch(
        self, worker: Worker, tasks: Sequence[Task]
    ) -> list[AuditResult | None]:
        try:
            return worker.run_batch([task.problem for task in tasks])
        except WorkerDiedError:
            # Any problem of the batch may be the cause: run each again, alone.
            if len(tasks) > 1 or self.control.is_stopped():
                return [None] * len(tasks)
        (task,) = tasks
        crashes = self.crashes[task.number] = self.crashes.get(task.number, 0) + 1
        if crashes < MAX_CRASHES:
            return [None]
        answer = Solution(
            task.problem, Status.UNDECIDED, None, 1, stopped_by=StoppedBy.CRASH
        )
        return [audit_result(answer)]
