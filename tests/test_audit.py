"""Audits: order, windows, limits, interruption; the searches are played by a stand-in.

The stand-in mates in as many moves as the problem's `id` says and takes its time over
those whose `id` begins with "slow", until it is stopped.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from solver import audit as audit_module
from solver.audit import WINDOW, AuditControl, audit
from solver.errors import FormatError
from solver.problem import Claim, Limits, Problem
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterator

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"
PATIENCE_S = 20.0
LIMITS = Limits(time_s=5.0, hash_mib=3)


@dataclass
class Searches:
    """What the stand-ins were asked, and when they may answer."""

    asked: list[tuple[str, Limits, int | None, bool]] = field(default_factory=list)
    solvers: list[int] = field(default_factory=list)
    threads: dict[str, int] = field(default_factory=dict)
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    go_on: threading.Event = field(default_factory=threading.Event)

    def solver(self, hash_mib: int, *_: Any, **__: Any) -> Any:
        self.solvers.append(hash_mib)
        return _Solver(self)


@dataclass(eq=False)
class _Control:
    stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        assert reason is StoppedBy.INTERRUPT
        self.stopped.set()


@dataclass
class _Solver:
    searches: Searches

    def solve(
        self,
        problem: Problem,
        limits: Limits,
        *,
        within: int | None,
        all_keys: bool,
        control: _Control,
    ) -> Solution:
        self.searches.asked.append((problem.id, limits, within, all_keys))
        self.searches.threads[problem.id] = threading.get_ident()
        self.searches.started.release()
        if problem.id == "broken":
            msg = "the search broke"
            raise RuntimeError(msg)
        if problem.id.startswith("slow"):
            while not self.searches.go_on.wait(0.005):
                if control.stopped.is_set():
                    return Solution(
                        problem,
                        Status.UNDECIDED,
                        None,
                        1,
                        stopped_by=StoppedBy.INTERRUPT,
                    )
        return Solution(problem, Status.PROVED, 2, 2)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Searches:
    searches = Searches()
    monkeypatch.setattr(audit_module, "Solver", searches.solver)
    monkeypatch.setattr(audit_module, "Control", _Control)
    return searches


def problems(*names: str) -> list[Problem | FormatError]:
    return [Problem(FEN, name, Claim(2)) for name in names]


def names(results: Any) -> list[str]:
    return [
        result.answer.source
        if isinstance(result.answer, FormatError)
        else result.answer.problem.id
        for result in results
    ]


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_records(
    searches: Searches, jobs: int
) -> None:
    asked = [str(number) for number in range(300)]
    records = problems(*asked)
    records.insert(7, FormatError("x.epd:8", "expected a FEN, found nothing"))
    results = list(audit(records, LIMITS, jobs=jobs))
    assert names(results) == [*asked[:7], "x.epd:8", *asked[7:]]
    assert [result.word for result in results].count("unreadable") == 1
    assert sorted(name for name, *_ in searches.asked) == sorted(asked)


def test_a_slow_position_holds_up_only_the_telling(searches: Searches) -> None:
    results = audit(problems("slow", "1", "2"), LIMITS, jobs=2)
    told: list[str] = []
    teller = threading.Thread(target=lambda: told.extend(names(results)))
    teller.start()
    for _ in range(3):
        assert searches.started.acquire(timeout=PATIENCE_S)
    assert told == []
    searches.go_on.set()
    teller.join(PATIENCE_S)
    assert told == ["slow", "1", "2"]


def test_each_worker_has_one_solver_of_the_asked_size(searches: Searches) -> None:
    searches.go_on.clear()
    results = audit(problems("slow 1", "slow 2", "3", "4", "5"), LIMITS, jobs=2)
    first = threading.Thread(target=lambda: list(results))
    first.start()
    for _ in range(2):
        assert searches.started.acquire(timeout=PATIENCE_S)
    assert searches.threads["slow 1"] != searches.threads["slow 2"]
    searches.go_on.set()
    first.join(PATIENCE_S)
    assert len(searches.asked) == 5
    assert searches.solvers == [3, 3]


def test_no_solver_is_made_where_nothing_is_to_be_solved(searches: Searches) -> None:
    error = FormatError("x.epd:1", "expected a FEN, found nothing")
    assert names(audit([error], LIMITS, jobs=2)) == ["x.epd:1"]
    assert searches.solvers == []


@pytest.mark.parametrize(
    ("claim", "max_moves", "within", "searched_to", "asked_within"),
    [
        (Claim(7), None, False, 7, None),
        (Claim(-7), None, False, 7, None),
        (Claim(7), 9, False, 9, None),
        (Claim(7), None, True, None, 7),
        (Claim(-7), None, True, None, -7),
        (None, None, False, None, None),
        (None, None, True, None, None),
        (None, 4, False, 4, None),
    ],
)
def test_a_claim_says_how_far_to_search(
    searches: Searches,
    claim: Claim | None,
    max_moves: int | None,
    within: bool,
    searched_to: int | None,
    asked_within: int | None,
) -> None:
    limits = Limits(max_moves=max_moves, nodes=99)
    list(audit([Problem(FEN, "x", claim)], limits, within=within, all_keys=True))
    expected = Limits(max_moves=searched_to, nodes=99)
    assert searches.asked == [("x", expected, asked_within, True)]


def test_records_are_read_no_further_than_the_window(searches: Searches) -> None:
    read = 0

    def endless() -> Iterator[Problem]:
        nonlocal read
        while True:
            read += 1
            yield Problem(FEN, f"slow {read}" if read == 1 else str(read))

    results = audit(endless(), LIMITS, jobs=2)
    teller = threading.Thread(target=lambda: names([next(results)]))
    teller.start()
    for _ in range(2 * WINDOW):
        assert searches.started.acquire(timeout=PATIENCE_S)
    assert not searches.started.acquire(timeout=0.05)
    assert read == 2 * WINDOW
    searches.go_on.set()
    teller.join(PATIENCE_S)
    results.close()


def test_a_result_is_told_before_the_next_record_is_there(searches: Searches) -> None:
    more = threading.Event()

    def typed() -> Iterator[Problem]:
        yield Problem(FEN, "first")
        assert more.wait(PATIENCE_S)
        yield Problem(FEN, "second")

    results = audit(typed(), LIMITS)
    assert names([next(results)]) == ["first"]
    more.set()
    assert names(results) == ["second"]
    assert len(searches.asked) == 2


def test_stopping_keeps_what_is_complete_and_leaves_out_what_is_not(
    searches: Searches,
) -> None:
    control = AuditControl()
    results = audit(
        problems("1", "slow", "3", "slow too"), LIMITS, jobs=2, control=control
    )
    assert names([next(results)]) == ["1"]
    for _ in range(4):
        assert searches.started.acquire(timeout=PATIENCE_S)
    control.stop()
    assert control.is_stopped()
    assert names(results) == ["3"]


@pytest.mark.usefixtures("searches")
def test_stopping_does_not_wait_for_a_record_that_does_not_come() -> None:
    forever = threading.Event()
    control = AuditControl()

    def typed() -> Iterator[Problem]:
        yield Problem(FEN, "first")
        forever.wait()

    results = audit(typed(), LIMITS, control=control)
    assert names([next(results)]) == ["first"]
    control.stop()
    assert names(results) == []
    forever.set()


@pytest.mark.usefixtures("searches")
def test_a_search_that_begins_after_the_stop_is_stopped_too() -> None:
    control = AuditControl()
    control.stop()
    with control.search() as search:
        assert isinstance(search, _Control)
        assert search.stopped.is_set()


def test_an_error_in_a_search_is_raised_in_its_turn(searches: Searches) -> None:
    results = audit(problems("1", "broken", "3"), LIMITS, jobs=2)
    assert names([next(results)]) == ["1"]
    with pytest.raises(RuntimeError, match="the search broke"):
        next(results)
    assert searches.solvers


@pytest.mark.usefixtures("searches")
def test_an_error_of_the_source_is_raised_in_its_turn() -> None:
    def source() -> Iterator[Problem]:
        yield Problem(FEN, "1")
        msg = "the disk is gone"
        raise OSError(msg)

    results = audit(source(), LIMITS, jobs=3)
    assert names([next(results)]) == ["1"]
    with pytest.raises(OSError, match="the disk is gone"):
        next(results)


def test_leaving_off_early_ends_the_workers(searches: Searches) -> None:
    before = set(threading.enumerate())
    results = audit(problems("1", "slow", *"abcdef"), LIMITS, jobs=2)
    assert names([next(results)]) == ["1"]
    assert searches.started.acquire(timeout=PATIENCE_S)
    results.close()
    for worker in set(threading.enumerate()) - before:
        worker.join(PATIENCE_S)
        assert not worker.is_alive()


def test_nothing_asked_gives_nothing(searches: Searches) -> None:
    assert list(audit([], LIMITS, jobs=4)) == []
    assert searches.asked == []
