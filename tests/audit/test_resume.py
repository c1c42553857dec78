"""Resuming from a store: what makes a question, and which answers are retried."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest

from solver.audit import store as store_file
from solver.audit.job import AuditOptions
from solver.audit.results import audit_result
from solver.audit.store import KEY_BYTES, ResumeStore, Store
from solver.audit.workers import WorkerPool, audit
from solver.errors import FormatError, StoreError
from solver.problem import Claim, Limits, Problem, Stipulation
from solver.solution import Solution, Status, StoppedBy
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from solver.audit.results import AuditResult
    from solver.search.threads import GroupControl

pytestmark = pytest.mark.usefixtures("worker_processes")

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
PROBLEM = Problem(FEN, "one", Claim(2, ("a1a8",), ("a1a8",)), "a.epd:1")
OPTIONS = AuditOptions(Limits(time_s=5.0, nodes=1000, hash_mib=3))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "run.db") as store:
        yield store


def undecided(problem: Problem, stopped_by: StoppedBy = StoppedBy.TIME) -> AuditResult:
    answer = Solution(problem, Status.UNDECIDED, None, 1, stopped_by=stopped_by)
    return audit_result(answer)


def proved(problem: Problem) -> AuditResult:
    return audit_result(Solution(problem, Status.PROVED, 2, 2))


# --- what makes a question


def claiming(**changes: object) -> Problem:
    assert PROBLEM.claim
    return replace(PROBLEM, claim=replace(PROBLEM.claim, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        replace(PROBLEM, id="another name"),
        replace(PROBLEM, source="b.epd:77"),
        replace(PROBLEM, fen=FEN.replace("0 1", "49 60")),
    ],
)
def test_id_source_and_clocks_are_not_part_of_the_question(
    store: Store, other: Problem
) -> None:
    asked = ResumeStore(store, OPTIONS)
    assert asked.key(other) == asked.key(PROBLEM)
    assert len(asked.key(PROBLEM)) == KEY_BYTES


OTHERS = {
    "side": replace(PROBLEM, fen=FEN.replace(" w ", " b ")),
    "board": replace(PROBLEM, fen=FEN.replace("R5K1", "R4K2")),
    "castling": replace(PROBLEM, fen="6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"),
    "no castling": replace(PROBLEM, fen="6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"),
    "mate": claiming(mate=3),
    "mated": claiming(mate=-2),
    "keys": claiming(keys=("a1a7",)),
    "more keys": claiming(keys=("a1a8", "a1a7")),
    "no keys": claiming(keys=()),
    "line": claiming(line=("a1a8", "g8h8")),
    "no line": claiming(line=()),
    "any last move": claiming(any_last_move=True),
    "no claim": replace(PROBLEM, claim=None),
    "no mate": replace(PROBLEM, claim=None, no_mate=2),
    "another no mate": replace(PROBLEM, claim=None, no_mate=3),
    "selfmate": replace(PROBLEM, stipulation=Stipulation.parse("s#2")),
    "reflex mate": replace(PROBLEM, stipulation=Stipulation.parse("r#2")),
    "stalemate": replace(PROBLEM, stipulation=Stipulation.parse("=2")),
    "helpmate": replace(PROBLEM, stipulation=Stipulation.parse("h#2")),
    "half a move more": replace(PROBLEM, stipulation=Stipulation.parse("h#1.5")),
    "no solution": replace(claiming(solutions=0), stipulation=Stipulation.parse("h#2")),
    "two solutions": replace(
        claiming(solutions=2), stipulation=Stipulation.parse("h#2")
    ),
}


def test_position_and_claim_are_part_of_the_question(store: Store) -> None:
    asked = ResumeStore(store, OPTIONS)
    keys = {asked.key(problem) for problem in (PROBLEM, *OTHERS.values())}
    assert len(keys) == 1 + len(OTHERS)


@pytest.mark.parametrize(
    "other",
    [
        replace(OPTIONS, within=True),
        replace(OPTIONS, all_keys=True),
        replace(OPTIONS, every_ply=True),
        replace(OPTIONS, certify=True),
        replace(OPTIONS, directories=("tables",)),
        replace(OPTIONS, limits=replace(OPTIONS.limits, max_moves=7)),
        replace(OPTIONS, limits=replace(OPTIONS.limits, max_moves=8)),
    ],
)
def test_options_are_part_of_the_question(store: Store, other: AuditOptions) -> None:
    assert ResumeStore(store, other).key(PROBLEM) != ResumeStore(store, OPTIONS).key(
        PROBLEM
    )


def test_different_options_have_different_keys(store: Store) -> None:
    keys = {
        ResumeStore(store, AuditOptions(Limits(), within, keys, plies, proof)).key(
            PROBLEM
        )
        for within, keys, plies, proof in product([False, True], repeat=4)
    }
    assert len(keys) == 16


def test_time_and_node_limits_are_not_part_of_the_question(store: Store) -> None:
    other = replace(OPTIONS, limits=Limits(time_s=1.0, nodes=5, hash_mib=9, threads=2))
    assert ResumeStore(store, other).key(PROBLEM) == ResumeStore(store, OPTIONS).key(
        PROBLEM
    )


def test_the_version_is_part_of_the_question(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ResumeStore(store, OPTIONS).key(PROBLEM)
    monkeypatch.setattr(store_file, "__version__", "99.0")
    assert ResumeStore(store, OPTIONS).key(PROBLEM) != before


# --- what is found, and what is retried


def test_a_saved_answer_is_found_for_another_record(store: Store) -> None:
    asked = ResumeStore(store, OPTIONS)
    key = asked.key(PROBLEM)
    assert asked.find(PROBLEM, key) is None
    asked.save(key, proved(PROBLEM))
    again = replace(PROBLEM, id="two", source="b.epd:2", fen=FEN.replace("0 1", "3 9"))
    assert asked.find(again, key) == proved(again)._replace(origin="repeated")
    assert [f.source for f in store.results()] == ["a.epd:1", "b.epd:2"]


def test_a_record_without_an_answer_is_not_stored(store: Store) -> None:
    asked = ResumeStore(store, OPTIONS)
    assert asked.find(PROBLEM, asked.key(PROBLEM)) is None
    assert list(store.results()) == []


BOTH = Limits(time_s=5.0, nodes=1000)


@pytest.mark.parametrize(
    ("limits", "is_searched"),
    [
        (BOTH, False),
        (Limits(time_s=5.1, nodes=1000), True),
        (Limits(time_s=5.0, nodes=1001), True),
        (Limits(time_s=50.0, nodes=5000), True),
        (Limits(time_s=5.0), True),
        (Limits(nodes=1000), True),
        (Limits(), True),
        (Limits(time_s=4.9, nodes=1000), False),
        (Limits(time_s=5.0, nodes=999), False),
        (Limits(time_s=50.0, nodes=999), False),
        (Limits(time_s=4.9), False),
        (Limits(time_s=5.0, nodes=1000, hash_mib=7, threads=2), False),
    ],
)
def test_a_problem_is_retried_if_a_limit_is_wider_and_none_is_narrower(
    store: Store, limits: Limits, is_searched: bool
) -> None:
    first = ResumeStore(store, AuditOptions(BOTH))
    key = first.key(PROBLEM)
    first.save(key, undecided(PROBLEM))
    again = ResumeStore(store, AuditOptions(limits), {"undecided"})
    assert (again.find(PROBLEM, key) is None) is is_searched
    assert again.not_retried == (not is_searched)


def test_no_limit_is_as_wide_as_none(store: Store) -> None:
    unlimited = AuditOptions(Limits())
    asked = ResumeStore(store, unlimited, {"undecided"})
    key = asked.key(PROBLEM)
    asked.save(key, undecided(PROBLEM, StoppedBy.TABLEBASE))
    assert asked.find(PROBLEM, key) is not None
    assert asked.not_retried == 1


@pytest.mark.parametrize("retry", [(), ("holds",), ("proved", "found")])
def test_only_the_given_verdicts_are_retried(
    store: Store, retry: tuple[str, ...]
) -> None:
    first = ResumeStore(store, OPTIONS)
    key = first.key(PROBLEM)
    first.save(key, undecided(PROBLEM))
    again = ResumeStore(store, AuditOptions(Limits()), retry)
    found = again.find(PROBLEM, key)
    assert found == undecided(PROBLEM)._replace(origin="repeated")
    assert again.not_retried == 0


def test_without_a_claim_the_status_selects_retries(store: Store) -> None:
    unclaimed = replace(PROBLEM, claim=None)
    first = ResumeStore(store, OPTIONS)
    key = first.key(unclaimed)
    answer = Solution(unclaimed, Status.FOUND, 4, 2, stopped_by=StoppedBy.TIME)
    first.save(key, audit_result(answer))
    wide = AuditOptions(Limits())
    assert ResumeStore(store, wide, {"undecided"}).find(unclaimed, key) is not None
    assert ResumeStore(store, wide, {"found"}).find(unclaimed, key) is None


def test_a_crash_is_retried_with_the_same_limits(store: Store) -> None:
    asked = ResumeStore(store, OPTIONS, {"undecided"})
    key = asked.key(PROBLEM)
    asked.save(key, undecided(PROBLEM, StoppedBy.CRASH))
    assert asked.find(PROBLEM, key) is None
    assert asked.not_retried == 0


def test_a_retried_answer_is_stored_with_its_wider_limits(store: Store) -> None:
    first = ResumeStore(store, OPTIONS)
    key = first.key(PROBLEM)
    first.save(key, undecided(PROBLEM))
    wider = AuditOptions(replace(OPTIONS.limits, time_s=60.0))
    ResumeStore(store, wider).save(key, undecided(PROBLEM))
    assert ResumeStore(store, wider, {"undecided"}).find(PROBLEM, key) is not None


# --- in an audit


class Prover:
    """A worker that proves every claim and records what it was given."""

    batch_s = 0.0

    def __init__(self) -> None:
        self.given: list[str] = []

    def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
        self.given += [problem.id for problem in problems]
        return [proved(problem) for problem in problems]

    def close(self) -> None: ...


def run(
    store: Store, *records: Problem | FormatError, jobs: int = 1, ordered: bool = False
) -> list[str]:
    """Audit the records; return the ids of those that a worker was given."""
    worker = Prover()

    def make(_control: GroupControl) -> Prover:
        return worker

    asked = ResumeStore(store, OPTIONS)
    pool = WorkerPool(make, jobs)
    results = audit(records, OPTIONS, pool, resume=asked, ordered=ordered)
    sources = sorted(result.source for result in results)
    assert sources == sorted(record.source for record in records)
    assert sorted(f.source for f in store.results()) == sources
    return worker.given


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_question_is_searched_once_however_often_it_occurs(
    store: Store, jobs: int
) -> None:
    same = [
        replace(PROBLEM, id=str(line), source=f"a.epd:{line}") for line in range(1, 400)
    ]
    other = replace(OTHERS["mate"], id="other", source="b.epd:1")
    error = FormatError("b.epd:2", "expected a FEN, found nothing")
    given = run(store, *same, other, error, jobs=jobs)
    assert len(given) == 2
    assert "other" in given
    assert run(store, *same, other, error, jobs=jobs) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_store_that_fails_ends_the_audit_with_its_error(
    store: Store, jobs: int
) -> None:
    store._base.execute("PRAGMA max_page_count = 20")
    records = [
        replace(PROBLEM, fen=FEN.replace("0 1", f"0 {n}"), source=f"{'x' * 500}:{n}")
        for n in range(1, 2000)
    ]
    with pytest.raises(StoreError, match="the disk is full"):
        run(store, *records, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ordered", [False, True])
def test_an_answer_that_cannot_be_stored_ends_the_audit_with_the_error(
    store: Store, monkeypatch: pytest.MonkeyPatch, jobs: int, ordered: bool
) -> None:
    def refuse(*_: object) -> None:
        msg = "run.db: the disk is full"
        raise StoreError(msg)

    monkeypatch.setattr(store, "put_answer", refuse)
    with pytest.raises(StoreError, match="the disk is full"):
        run(store, PROBLEM, *OTHERS.values(), jobs=jobs, ordered=ordered)


def test_a_store_that_fails_stops_a_slow_search_before_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        msg = "run.db: the disk is full"
        raise StoreError(msg)

    class Slow(Prover):
        """A worker that needs for ever for the first problem, but can be stopped."""

        def __init__(self, control: GroupControl) -> None:
            super().__init__()
            self._control = control

        def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
            ended = threading.Event()
            if problems[0] is slow:
                with self._control.stopping(lambda _: ended.set()):
                    assert ended.wait(PATIENCE_S)
            return super().run_batch(problems)

    slow, *others = OTHERS.values()
    monkeypatch.setattr(store, "put_answer", refuse)
    results = audit(
        [slow, *others],
        OPTIONS,
        WorkerPool(Slow, 2),
        resume=ResumeStore(store, OPTIONS),
        ordered=True,
    )
    with pytest.raises(StoreError, match="the disk is full"):
        list(results)


@pytest.mark.parametrize("number", [1, 2])
def test_a_full_disk_leaves_no_record_without_its_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """One thread has saved an answer, but not its records, when another fails."""
    read, answered, failed = (threading.Event() for _ in range(3))
    put_record = store.put_record
    waiting = f"a.epd:{number}"

    def records() -> Iterator[Problem | FormatError]:
        yield PROBLEM
        yield replace(PROBLEM, source="a.epd:2")  # the same question
        read.set()
        assert answered.wait(PATIENCE_S)
        yield FormatError("b.epd:1", 500_000 * "x")

    def put(result: AuditResult, key: bytes | None) -> None:
        if result.source == waiting:
            answered.set()
            assert failed.wait(PATIENCE_S)
        try:
            put_record(result, key)
        except StoreError:
            failed.set()
            raise

    class Waiting(Prover):
        def run_batch(self, problems: Sequence[Problem]) -> list[AuditResult | None]:
            assert read.wait(PATIENCE_S)
            return super().run_batch(problems)

    store._base.execute("PRAGMA max_page_count = 60")
    monkeypatch.setattr(store, "put_record", put)
    pool = WorkerPool(lambda _control: Waiting(), 1)
    asked = ResumeStore(store, OPTIONS)
    with pytest.raises(StoreError, match="the disk is full"):
        list(audit(records(), OPTIONS, pool, resume=asked))
    assert list(store.results()) == []
