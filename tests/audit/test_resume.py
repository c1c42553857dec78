"""Resuming from a store: what makes a question, and which answers are retried."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes")

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
CLAIM = Claim(2, ("a1a8",), ("a1a8",))
PROBLEM = Problem(FEN, "one", CLAIM, "a.epd:1")
OPTIONS = AuditOptions(Limits(time_s=5.0, nodes=1000, hash_mib=3))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "run.db") as store:
        yield store


def answered(
    problem: Problem, status: Status, stopped_by: StoppedBy | None = None
) -> AuditResult:
    mate = {Status.PROVED: 2, Status.FOUND: 4}.get(status)
    return audit_result(Solution(problem, status, mate, 2, stopped_by=stopped_by))


def proved(problem: Problem) -> AuditResult:
    return answered(problem, Status.PROVED)


# --- what makes a question


SAME = [
    replace(PROBLEM, id="another name"),
    replace(PROBLEM, source="b.epd:77"),
    replace(PROBLEM, fen=FEN.replace("0 1", "49 60")),
]
FENS = [
    *(FEN.replace(" w ", " b "), FEN.replace("R5K1", "R4K2")),
    *(FEN.replace("R5K1 w -", f"R3K3 w {right}") for right in "Q-"),
]
CLAIMS = [
    *(replace(CLAIM, mate=mate) for mate in (3, -2)),
    *(replace(CLAIM, keys=keys) for keys in (("a1a7",), ("a1a8", "a1a7"), ())),
    *(replace(CLAIM, line=line) for line in (("a1a8", "g8h8"), ())),
    *(replace(CLAIM, any_last_move=True), None),
]
OTHERS = [
    *(replace(PROBLEM, claim=claim) for claim in CLAIMS),
    *(replace(PROBLEM, fen=fen) for fen in FENS),
    *(replace(PROBLEM, claim=None, no_mate=number) for number in (2, 3)),
    *(
        replace(PROBLEM, stipulation=Stipulation.parse(text))
        for text in ("s#2", "r#2", "=2", "h#2", "h#1.5")
    ),
    *(
        Problem(FEN, claim=Claim(2, solutions=number), stipulation="h#2")
        for number in (0, 2)
    ),
]


def test_position_and_claim_are_the_question_and_names_and_clocks_are_not(
    store: Store,
) -> None:
    asked = ResumeStore(store, OPTIONS)
    assert {asked.key(problem) for problem in SAME} == {asked.key(PROBLEM)}
    keys = {asked.key(problem) for problem in (PROBLEM, *OTHERS)}
    assert len(keys) == 1 + len(OTHERS)
    assert {len(key) for key in keys} == {KEY_BYTES}


def test_options_and_version_are_part_of_the_question_and_limits_are_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key(options: AuditOptions = OPTIONS) -> bytes:
        return ResumeStore(store, options).key(PROBLEM)

    limits = Limits(time_s=1.0, nodes=5, hash_mib=9, threads=2)
    assert key(replace(OPTIONS, limits=limits)) == key()
    others = [
        *(
            AuditOptions(Limits(), within, keys, plies, proof)
            for within, keys, plies, proof in product([False, True], repeat=4)
        ),
        replace(OPTIONS, directories=("tables",)),
        *(replace(OPTIONS, limits=Limits(max_moves=moves)) for moves in (7, 8)),
    ]
    keys = {key(other) for other in others}
    assert len(keys) == len(others)
    monkeypatch.setattr(store_file, "__version__", "99.0")
    assert key() not in keys


# --- what is found, and what is retried


def saved(store: Store, found: AuditResult, options: AuditOptions = OPTIONS) -> bytes:
    """Store an answer to `PROBLEM`; return its key."""
    asked = ResumeStore(store, options)
    key = asked.key(PROBLEM)
    asked.save(key, found)
    return key


def test_a_saved_answer_is_found_for_another_record(store: Store) -> None:
    asked = ResumeStore(store, OPTIONS)
    assert asked.find(PROBLEM, asked.key(PROBLEM)) is None
    assert list(store.results()) == []  # a record without an answer is not stored
    key = saved(store, proved(PROBLEM))
    again = replace(PROBLEM, id="two", source="b.epd:2", fen=FEN.replace("0 1", "3 9"))
    assert asked.find(again, key) == proved(again)._replace(origin="repeated")
    assert [f.source for f in store.results()] == ["a.epd:1", "b.epd:2"]


SOME = Limits(time_s=5.0, nodes=1000)
TIME, CRASH, TABLES = StoppedBy.TIME, StoppedBy.CRASH, StoppedBy.TABLEBASE


@pytest.mark.parametrize(
    ("stopped_by", "before", "now", "is_searched"),
    [
        # A limit must be wider, and none may be narrower.
        (TIME, SOME, SOME, False),
        (TIME, SOME, Limits(time_s=5.1, nodes=1000), True),
        (TIME, SOME, Limits(time_s=5.0, nodes=1001), True),
        (TIME, SOME, Limits(time_s=5.0), True),
        (TIME, SOME, Limits(nodes=1000), True),
        (TIME, SOME, Limits(time_s=50.0, nodes=999), False),
        (TIME, SOME, Limits(time_s=4.9), False),
        (TIME, SOME, replace(SOME, hash_mib=7, threads=2), False),
        # No limit is as wide as none; a crash is retried in any case.
        (TABLES, Limits(), Limits(), False),
        (CRASH, SOME, SOME, True),
    ],
)
def test_a_problem_is_retried_with_wider_limits_or_after_a_crash(
    store: Store, stopped_by: StoppedBy, before: Limits, now: Limits, is_searched: bool
) -> None:
    found = answered(PROBLEM, Status.UNDECIDED, stopped_by)
    key = saved(store, found, AuditOptions(before))
    again = ResumeStore(store, AuditOptions(now), {"undecided"})
    assert (again.find(PROBLEM, key) is None) is is_searched
    assert again.not_retried == (not is_searched)
    saved(store, found, AuditOptions(now))  # the answer has the limits of its search
    if is_searched and stopped_by is TIME:
        assert again.find(PROBLEM, key) is not None


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
    asked = ResumeStore(store, OPTIONS)
    pool = WorkerPool(lambda _control: worker, jobs)
    results = audit(records, OPTIONS, pool, resume=asked, ordered=ordered)
    sources = sorted(result.source for result in results)
    assert sources == sorted(record.source for record in records)
    assert sorted(f.source for f in store.results()) == sources
    return worker.given


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_question_is_searched_once_however_often_it_occurs(
    store: Store, jobs: int
) -> None:
    same = [replace(PROBLEM, source=f"a.epd:{line}") for line in range(1, 400)]
    other = replace(OTHERS[0], id="other", source="b.epd:1")
    error = FormatError("b.epd:2", "expected a FEN, found nothing")
    given = run(store, *same, other, error, jobs=jobs)
    assert len(given) == 2
    assert "other" in given
    assert run(store, *same, other, error, jobs=jobs) == []


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
        run(store, PROBLEM, *OTHERS, jobs=jobs, ordered=ordered)
