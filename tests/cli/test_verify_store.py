"""`matesolve verify --store`: resuming an audit, and what prevents it."""

from __future__ import annotations

import re
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.job import AuditJob
from solver.audit.store import VERSION, ResumeStore, Store
from solver.audit.workers import ProcessWorker
from solver.search.threads import GroupControl
from tests.cli.conftest import COSTS, ROOT, Ended, rows
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from solver.audit.results import AuditResult
    from solver.problem import Problem
    from solver.solution import StoppedBy
    from tests.cli.conftest import Cli

    Verify = Callable[..., "Output"]

GENERATED = ROOT / "puzzles" / "generated-2.epd"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
KNOWN = re.compile(r"^not searched: .*\n", re.MULTILINE)

MIXED = f"""\
{BACK_RANK} dm 1; id "fine";
{BACK_RANK} dm 2; id "short";
hello
8/7K/8/8/8/8/R7/7k w - - dm 1; id "too soon";
{BACK_RANK} dm 1; id "again";
{BACK_RANK} nomate 1; id "there is one";
{BACK_RANK} id "nothing claimed";
"""
UNREADABLE = (
    "error: mixed.epd:3: board: expected 8 ranks with / between them, "
    "found 1 in 'hello'\n"
)

jobs = pytest.mark.parametrize("jobs", ["1", "2"])


class Recorder:
    """Records once the problems that workers are given; calls functions at some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[str] = []
        self.at: dict[int, Callable[[], object]] = {}
        self._lock = threading.Lock()
        for kind in (AuditJob, ProcessWorker):
            monkeypatch.setattr(kind, "run_batch", self._recorded(kind))

    def _recorded(self, kind: type[AuditJob | ProcessWorker]) -> object:
        run_batch: Any = kind.run_batch

        def watch(worker: object, problems: Sequence[Problem]) -> object:
            with self._lock:
                sources = [problem.source for problem in problems]
                self.given += [each for each in sources if each not in self.given]
                for number in [n for n in self.at if n <= len(self.given)]:
                    self.at.pop(number)()
            return run_batch(worker, problems)

        return watch


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    return Recorder(monkeypatch)


class Output(Ended):
    """The output of the command, without nodes and times in the table."""

    cost: int
    """The nodes in the last line of the table."""

    known: list[str]
    """What is said of records that were not searched."""


@pytest.fixture
def verify(cli: Cli, recorder: Recorder) -> Verify:
    """Return the command, with the store `run.db` by default; it clears `recorder`."""
    Path("mixed.epd").write_text(MIXED)
    Path("good.epd").write_text(f"{BACK_RANK} dm 1;\n")
    Path("long.epd").write_text(f"{LONG} dm 12;\n")
    lines = GENERATED.read_text().splitlines(keepends=True)
    Path("many.epd").write_text("".join(line for line in lines if line[0] != "#"))

    def call(words: str, store: str = "--store run.db") -> Output:
        recorder.given.clear()
        code, out, err = cli(f"verify {words} --hash 1 {store}")
        printed = Output(code, KNOWN.sub("", COSTS.sub("", out)), err)
        printed.known = KNOWN.findall(out)
        costs = re.findall(r"^ +all.* ([\d,]+) +[\d.]+ m?s$", out, re.MULTILINE)
        printed.cost = int("".join(costs).replace(",", "") or 0)
        return printed

    return call


def stored(path: str = "run.db") -> list[AuditResult]:
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with Store(path, read_only=True) as store:
        return list(store.results())


def untimed(results: list[AuditResult]) -> list[AuditResult]:
    return [result._replace(time_s=0.0) for result in results]


# --- what is taken up again


@jobs
def test_a_second_run_prints_the_same_and_searches_nothing(
    verify: Verify, recorder: Recorder, jobs: str
) -> None:
    first = verify(f"mixed.epd -j {jobs}")
    assert sorted(recorder.given) == [f"mixed.epd:{n}" for n in (1, 2, 4, 6, 7)]
    assert (first.code, first.err) == (65, UNREADABLE)
    kept = stored()
    assert verify(f"mixed.epd -j {jobs}") == first
    assert recorder.given == []
    assert verify(f"mixed.epd -j {jobs}", store="") == first
    assert stored() == kept
    assert [result.source for result in kept] == [f"mixed.epd:{n}" for n in range(1, 8)]
    records = verify("mixed.epd --jsonl", store="--store new.db")
    assert verify("mixed.epd --jsonl", store="--store new.db") == records
    assert recorder.given == []


def test_the_table_has_the_cost_of_this_run_and_a_line_that_of_stored_answers(
    verify: Verify,
) -> None:
    once = verify("long.epd --nodes 900", store="--store once.db").cost
    lines = [f'{LONG} dm 12; id "{number}";\n' for number in range(31)]
    Path("same.epd").write_text("".join(lines))
    first, again = (verify("same.epd --nodes 900") for _ in range(2))
    assert once > 0
    assert (first.cost, again.cost) == (once, 0)
    assert first.known == ["not searched: 30 records repeat a question\n"]
    (known,) = again.known
    cost = f"1 answer is from the store and had cost {once:,} nodes and [0-9.]+ m?s"
    assert re.fullmatch(f"not searched: {cost}; 30 records repeat a question\n", known)


def test_fresh_searches_all_again_and_deletes_the_rest(
    verify: Verify, recorder: Recorder
) -> None:
    verify("mixed.epd")
    assert verify("good.epd --fresh")[::2] == (0, "")
    assert recorder.given == ["good.epd:1"]
    assert [result.source for result in stored()] == ["good.epd:1"]


def test_undecided_results_are_retried_only_with_wider_limits(
    verify: Verify, recorder: Recorder
) -> None:
    verify("long.epd good.epd --time 900 --nodes 2000")
    retry = "--retry undecided"
    spared = "run.db: 1 not searched again: the limits are not wider than before\n"
    for options, err, given in (
        ("--nodes 5000", "", []),
        (f"--nodes 2000 {retry}", spared, []),
        ("--nodes 5000 --retry holds", "", []),
        (f"--nodes 5000 {retry}", "", ["long.epd:1"]),
        (f"--nodes 4000 {retry}", spared, []),
    ):
        printed = verify(f"long.epd good.epd --time 900 {options}")
        assert (printed.code, printed.err, recorder.given) == (3, err, given), options
    (undecided,) = (result for result in stored() if result.word == "undecided")
    assert undecided.stopped_by == "nodes"
    assert undecided.nodes > 2000


# --- audits that end early and resume


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Ctrl-C; it returns when the audit has heard it, so that no worker goes on."""
    stop, heard = GroupControl.stop, threading.Event()

    def stop_and_say(control: GroupControl, *reason: StoppedBy) -> None:
        stop(control, *reason)
        heard.set()

    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)
        assert heard.wait(PATIENCE_S)

    monkeypatch.setattr(GroupControl, "stop", stop_and_say)
    return interrupt


@jobs
def test_an_audit_resumes_after_ctrl_c(
    verify: Verify, recorder: Recorder, interrupt: Callable[[], None], jobs: str
) -> None:
    undisturbed = verify(f"many.epd -j {jobs}", store="--store undisturbed.db")
    recorder.at[30] = interrupt
    printed = verify(f"many.epd -j {jobs}")
    assert (printed.code, printed.err) == (130, "interrupted\n")
    kept = stored()
    assert 0 < len(kept) < 100
    assert verify(f"many.epd -j {jobs}") == (0, undisturbed.out, "")
    assert not {result.source for result in kept} & set(recorder.given)
    assert untimed(stored()) == untimed(stored("undisturbed.db"))


@pytest.mark.parametrize("options", ["", "--fresh"])
def test_another_version_or_file_is_refused_and_unchanged(
    verify: Verify, options: str
) -> None:
    Store("run.db").close()
    with closing(sqlite3.connect("run.db")) as base:
        base.execute(f"PRAGMA user_version = {VERSION + 1}")
    expected = f"expected a store of version {VERSION}, found {VERSION + 1}; "
    code, _, err = verify(f"good.epd {options}")
    assert (code, err.startswith(f"error: run.db: {expected}")) == (74, True)
    for name, reason in (
        ("mixed.epd", "expected a store, found another file"),
        ("missing/run.db", "cannot be opened or created"),
    ):
        printed = verify(f"good.epd {options}", store=f"--store {name}")
        assert printed == (74, "", f"error: {name}: {reason}\n")
    assert Path("mixed.epd").read_text() == MIXED


NEED = "--fresh, --retry and --checkpoints need a --store."
USAGE_ERRORS = f"""
--fresh                       | {NEED}
--retry undecided             | {NEED}
--store .                     | Invalid value for '--store': File '.' is a directory.
--store run.db --retry sound  | '--retry': 'sound' is not one of proved, holds, sh
"""


def test_invalid_options_are_usage_errors(verify: Verify) -> None:
    for options, message in rows(USAGE_ERRORS):
        printed = verify(f"good.epd {options}", store="")
        assert printed.code == 2
        assert message in printed.err.splitlines()[-1]
        assert not Path("run.db").exists()


# --- damaged collections


def test_a_file_that_changes_while_it_is_read_is_reported(
    verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ResumeStore.key

    def change(resume: ResumeStore, problem: Problem) -> bytes:
        with Path("good.epd").open("a") as file:
            file.write("# one line more\n")
        return key(resume, problem)

    monkeypatch.setattr(ResumeStore, "key", change)
    printed = verify("good.epd mixed.epd")
    assert printed.code == 74
    assert printed.err == f"error: good.epd: changed while it was read\n{UNREADABLE}"
    assert stored()[0].source == "good.epd:1"
    assert len(stored()) == 8
