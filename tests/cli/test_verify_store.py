"""`matesolve verify --store`: resuming an audit, and what prevents it."""

from __future__ import annotations

import gzip
import os
import re
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit.job import AuditJob
from solver.audit.store import VERSION, ResumeStore, Store
from solver.audit.workers import ProcessWorker
from solver.cli.main import run
from solver.search.threads import GroupControl
from tests.cli.conftest import without_summaries
from tests.cli.processes import ENVIRONMENT
from tests.processes import PATIENCE_S
from tests.processes import run as run_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from solver.audit.results import AuditResult
    from solver.problem import Problem
    from solver.solution import StoppedBy

ROOT = Path(__file__).parents[2]
PUZZLES = ROOT / "puzzles"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
COSTS = re.compile(r" +(nodes +time|[\d,]+ +[\d.]+ m?s)$", re.MULTILINE)
KNOWN = re.compile(r"^not searched: .*\n", re.MULTILINE)
TIME = re.compile(r" +(time|[\d.]+ m?s)$", re.MULTILINE)

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


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixed.epd").write_text(MIXED)
    (tmp_path / "good.epd").write_text(f"{BACK_RANK} dm 1;\n")
    (tmp_path / "long.epd").write_text(f"{LONG} dm 12;\n")
    lines = [
        line
        for length in (1, 2, 3)
        for line in (PUZZLES / f"generated-{length}.epd").read_text().splitlines()
        if not line.startswith("#")
    ]
    (tmp_path / "many.epd").write_text("\n".join(lines) + "\n")
    return tmp_path


class Recorder:
    """Records the problems that workers are given; calls a function at some of them.

    A problem is recorded once: on a busy machine one may take longer than its time
    slice, and is then given again.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[str] = []
        self.at: dict[int, Callable[[], object]] = {}
        self._lock = threading.Lock()
        for kind in (AuditJob, ProcessWorker):
            monkeypatch.setattr(kind, "run_batch", self._recorded(kind))

    def _recorded(self, kind: type[AuditJob | ProcessWorker]) -> object:
        run_batch = kind.run_batch

        def watch(
            worker: AuditJob | ProcessWorker, problems: Sequence[Problem]
        ) -> list[AuditResult | None]:
            with self._lock:
                sources = [problem.source for problem in problems]
                self.given += [each for each in sources if each not in self.given]
                for number in [n for n in self.at if n <= len(self.given)]:
                    self.at.pop(number)()
            return run_batch(worker, problems)  # type: ignore[arg-type]

        return watch

    def clear(self) -> None:
        self.given.clear()


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    return Recorder(monkeypatch)


class Output:
    """The output of the command, without nodes and times in the table."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = KNOWN.sub("", COSTS.sub("", out))
        self.nodes = TIME.sub("", out)
        self.err = without_summaries(err)

    @property
    def cost(self) -> int:
        """The nodes in the last line of the table."""
        (line,) = re.findall(r"^ +all.* ([\d,]+)$", self.nodes, re.MULTILINE)
        return int(line.replace(",", ""))

    @property
    def known(self) -> list[str]:
        """What is said of records that were not searched."""
        return KNOWN.findall(self.nodes)


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str]) -> Callable[..., Output]:
    """Run the command in this process, with the store `run.db` by default."""

    def call(*arguments: str, store: str = "run.db") -> Output:
        code = run(["verify", *arguments, "--hash", "1", "--store", store])
        printed = capsys.readouterr()
        return Output(code, printed.out, printed.err)

    return call


def stored(path: str = "run.db") -> list[AuditResult]:
    with Store(path, read_only=True) as store:
        return list(store.results())


def untimed(results: list[AuditResult]) -> list[AuditResult]:
    return [result._replace(time_s=0.0) for result in results]


def require_sound(path: str = "run.db") -> None:
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# --- what is taken up again


@jobs
def test_a_second_run_prints_the_same_and_searches_nothing(
    verify: Callable[..., Output], recorder: Recorder, jobs: str
) -> None:
    first = verify("mixed.epd", "-j", jobs)
    assert sorted(recorder.given) == [f"mixed.epd:{n}" for n in (1, 2, 4, 6, 7)]
    assert first.err == UNREADABLE
    assert first.code == 65
    kept = stored()
    recorder.clear()
    second = verify("mixed.epd", "-j", jobs)
    assert recorder.given == []
    assert (second.code, second.out, second.err) == (first.code, first.out, first.err)
    assert stored() == kept
    assert [result.source for result in kept] == [f"mixed.epd:{n}" for n in range(1, 8)]


def test_a_store_does_not_change_the_output(
    verify: Callable[..., Output], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["verify", "mixed.epd", "--hash", "1"])
    printed = capsys.readouterr()
    without = Output(code, printed.out, printed.err)
    for with_store in (verify("mixed.epd"), verify("mixed.epd")):
        assert (with_store.code, with_store.out, with_store.err) == (
            without.code,
            without.out,
            without.err,
        )


def test_jsonl_of_a_second_run_is_that_of_the_first(
    verify: Callable[..., Output], recorder: Recorder
) -> None:
    first = verify("mixed.epd", "--jsonl")
    recorder.clear()
    assert verify("mixed.epd", "--jsonl").out == first.out
    assert recorder.given == []


@jobs
def test_a_position_that_occurs_twice_is_searched_once(
    verify: Callable[..., Output], recorder: Recorder, folder: Path, jobs: str
) -> None:
    lines = [f'{BACK_RANK} dm 1; id "{number}";\n' for number in range(300)]
    (folder / "same.epd").write_text("".join(lines))
    printed = verify("same.epd", "good.epd", "-j", jobs)
    assert recorder.given == ["same.epd:1"]
    assert printed.out == (
        "claim  proved  total\n   #1     301    301\n  all     301    301\n"
        "300 records repeat an earlier position: inspect --duplicates names them\n"
    )
    assert (printed.code, printed.err) == (0, "")
    ids = {result.id for result in stored()}
    assert ids == {*map(str, range(300)), "good.epd:1"}


@jobs
def test_the_table_has_the_cost_of_this_run_and_a_line_that_of_stored_answers(
    verify: Callable[..., Output], folder: Path, jobs: str
) -> None:
    once = verify("long.epd", "--nodes", "900", store="once.db").cost
    lines = [f'{LONG} dm 12; id "{number}";\n' for number in range(31)]
    (folder / "same.epd").write_text("".join(lines))
    arguments = ("same.epd", "--nodes", "900", "-j", jobs)
    first, again = verify(*arguments), verify(*arguments)
    assert once > 0
    assert (first.cost, again.cost) == (once, 0)
    assert first.known == ["not searched: 30 records repeat a question\n"]
    (known,) = again.known
    cost = f"1 answer is from the store and had cost {once:,} nodes and [0-9.]+ m?s"
    assert re.fullmatch(f"not searched: {cost}; 30 records repeat a question\n", known)


@pytest.mark.parametrize(
    "options",
    [["--keys"], ["--within"], ["--every-ply"], ["-n", "4"]],
)
def test_other_options_are_searched_again(
    verify: Callable[..., Output], recorder: Recorder, options: list[str]
) -> None:
    verify("good.epd")
    recorder.clear()
    verify("good.epd", *options)
    assert recorder.given == ["good.epd:1"]


def test_fresh_searches_all_again_and_deletes_the_rest(
    verify: Callable[..., Output], recorder: Recorder
) -> None:
    verify("mixed.epd")
    recorder.clear()
    printed = verify("good.epd", "--fresh")
    assert recorder.given == ["good.epd:1"]
    assert (printed.code, printed.err) == (0, "")
    assert [result.source for result in stored()] == ["good.epd:1"]


@jobs
def test_undecided_results_are_retried_only_with_wider_limits(
    verify: Callable[..., Output], recorder: Recorder, jobs: str
) -> None:
    def again(*options: str) -> tuple[int, str, list[str]]:
        recorder.clear()
        printed = verify("long.epd", "good.epd", "-j", jobs, "--time", "900", *options)
        return printed.code, printed.err, recorder.given[:]

    verify("long.epd", "good.epd", "--nodes", "2000", "--time", "900", "-j", jobs)
    retry = ("--retry", "undecided")
    spared = "run.db: 1 not searched again: the limits are not wider than before\n"
    assert again("--nodes", "5000") == (3, "", [])
    assert again("--nodes", "2000", *retry) == (3, spared, [])
    assert again("--nodes", "1000", *retry) == (3, spared, [])
    assert again("--nodes", "5000", "--retry", "holds") == (3, "", [])
    assert again("--nodes", "5000", *retry) == (3, "", ["long.epd:1"])
    assert again("--nodes", "4000", *retry) == (3, spared, [])
    undecided = [result for result in stored() if result.word == "undecided"]
    assert [result.stopped_by for result in undecided] == ["nodes"]
    assert undecided[0].nodes > 2000


def test_a_corrected_line_is_read_and_searched(
    verify: Callable[..., Output], recorder: Recorder, folder: Path
) -> None:
    verify("mixed.epd")
    recorder.clear()
    mended = MIXED.replace("hello", f'{BACK_RANK} dm 3; id "mended";')
    (folder / "mixed.epd").write_text(mended)
    printed = verify("mixed.epd")
    assert recorder.given == ["mixed.epd:3"]
    assert (printed.code, printed.err) == (1, "")
    kept = stored()
    assert [result.id for result in kept][2] == "mended"
    assert {result.error for result in kept} == {None}


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
    verify: Callable[..., Output],
    recorder: Recorder,
    interrupt: Callable[[], None],
    jobs: str,
) -> None:
    undisturbed = verify("many.epd", "-j", jobs, store="undisturbed.db")
    recorder.clear()
    recorder.at[120] = interrupt
    printed = verify("many.epd", "-j", jobs)
    assert (printed.code, printed.err) == (130, "interrupted\n")
    require_sound()
    kept = stored()
    assert 0 < len(kept) < 300
    recorder.clear()
    printed = verify("many.epd", "-j", jobs)
    assert not {result.source for result in kept} & set(recorder.given)
    assert (printed.code, printed.out, printed.err) == (0, undisturbed.out, "")
    assert untimed(stored()) == untimed(stored("undisturbed.db"))


@jobs
def test_an_audit_resumes_after_a_full_disk(
    verify: Callable[..., Output],
    monkeypatch: pytest.MonkeyPatch,
    recorder: Recorder,
    folder: Path,
    jobs: str,
) -> None:
    named = (folder / "many.epd").read_text().replace('id "', 'id "' + 900 * "x")
    (folder / "many.epd").write_text(named)
    undisturbed = verify("many.epd", "-j", jobs, store="undisturbed.db")
    prepare = Store._prepare

    def prepare_little(store: Store, *, fresh: bool) -> None:
        prepare(store, fresh=fresh)
        store._base.execute("PRAGMA max_page_count = 60")

    with monkeypatch.context() as context:
        context.setattr(Store, "_prepare", prepare_little)
        context.setattr("solver.audit.store.COMMIT_ROWS", 50)
        printed = verify("many.epd", "-j", jobs)
    assert (printed.code, printed.out) == (74, "")
    assert printed.err == (
        "error: run.db: the disk is full; what was committed before is kept\n"
    )
    require_sound()
    recorder.clear()
    kept = {result.source for result in stored()}
    assert 0 < len(kept) < 300
    printed = verify("many.epd", "-j", jobs)
    assert not kept & set(recorder.given)
    assert (printed.code, printed.out, printed.err) == (0, undisturbed.out, "")
    assert untimed(stored()) == untimed(stored("undisturbed.db"))


@jobs
def test_a_locked_store_ends_the_audit_with_an_error_of_one_line(
    verify: Callable[..., Output], monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.setattr("solver.audit.store.BUSY_S", 0.1)
    Store("run.db").close()
    with closing(sqlite3.connect("run.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        printed = verify("good.epd", "-j", jobs)
        other.execute("ROLLBACK")
    assert (printed.code, printed.out) == (74, "")
    assert printed.err == (
        "error: run.db: locked by another program for 0.1 s; "
        "what was committed before is kept\n"
    )
    assert verify("good.epd").code == 0


def test_a_store_that_another_audit_writes_to_is_refused(
    verify: Callable[..., Output],
) -> None:
    with Store("run.db"):
        printed = verify("good.epd", "--fresh")
    assert (printed.code, printed.out) == (74, "")
    assert printed.err == "error: run.db: another program is writing to it\n"
    assert verify("good.epd").code == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no file that is open")
def test_a_removed_store_ends_the_audit_with_an_error_of_one_line(
    verify: Callable[..., Output], recorder: Recorder
) -> None:
    recorder.at[1] = Path("run.db").unlink
    printed = verify("many.epd")
    assert printed.code == 74
    assert printed.err == (
        "error: run.db: expected the store, found it removed or replaced\n"
    )


def test_a_store_of_another_version_is_refused(verify: Callable[..., Output]) -> None:
    Store("run.db").close()
    with closing(sqlite3.connect("run.db")) as base:
        base.execute(f"PRAGMA user_version = {VERSION + 1}")
    for options in ((), ("--fresh",)):
        printed = verify("good.epd", *options)
        assert (printed.code, printed.out) == (74, "")
        assert printed.err == (
            f"error: run.db: expected a store of version {VERSION}, "
            f"found {VERSION + 1}; verify the collection again, into a new store\n"
        )


@pytest.mark.parametrize("options", [(), ("--fresh",)])
def test_a_file_of_another_kind_is_refused_and_unchanged(
    verify: Callable[..., Output], options: tuple[str, ...]
) -> None:
    printed = verify("good.epd", *options, store="mixed.epd")
    assert (printed.code, printed.out) == (74, "")
    assert printed.err == ("error: mixed.epd: expected a store, found another file\n")
    assert Path("mixed.epd").read_text() == MIXED


def test_a_path_where_no_store_can_be_created_is_an_error(
    verify: Callable[..., Output],
) -> None:
    printed = verify("good.epd", store="missing/run.db")
    assert (printed.code, printed.out) == (74, "")
    assert printed.err == "error: missing/run.db: cannot be opened or created\n"


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (["--fresh"], "--fresh, --retry and --checkpoints need a --store."),
        (
            ["--retry", "undecided"],
            "--fresh, --retry and --checkpoints need a --store.",
        ),
        (
            ["--store", "."],
            "Invalid value for '--store': File '.' is a directory.",
        ),
        (
            ["--store", "run.db", "--retry", "sound"],
            "Invalid value for '--retry': 'sound' is not one of proved, holds, "
            "shorter, refuted, unforced, undecided, unreadable, found, none.",
        ),
    ],
)
def test_invalid_options_are_usage_errors(
    capsys: pytest.CaptureFixture[str], options: list[str], printed: str
) -> None:
    assert run(["verify", "good.epd", *options]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"Error: {printed}"
    assert not Path("run.db").exists()


# --- damaged collections


def zstandard(content: bytes) -> bytes:
    library = pytest.importorskip("zstandard")
    packed: bytes = library.ZstdCompressor().compress(content)
    return packed


def cut(name: str, content: bytes) -> tuple[bytes, bytes]:
    """Compress a collection; return it whole and truncated."""
    packed = zstandard(content) if name.endswith("zst") else gzip.compress(content)
    return packed, packed[: len(packed) * 2 // 3]


@jobs
@pytest.mark.parametrize(
    ("name", "method"), [("many.epd.gz", "gzip"), ("many.epd.zst", "Zstandard")]
)
def test_a_truncated_compressed_file_keeps_the_results_before_the_end(
    verify: Callable[..., Output],
    recorder: Recorder,
    folder: Path,
    name: str,
    method: str,
    jobs: str,
) -> None:
    # Noise, so that something is decompressed before the truncated end.
    noise = [f"# {os.urandom(1000).hex()}\n" for _ in range(600)]
    lines = (folder / "many.epd").read_text().splitlines(keepends=True)
    mixed = [part for pair in zip(noise, lines * 2, strict=True) for part in pair]
    whole, short = cut(name, "".join(mixed).encode())
    (folder / name).write_bytes(short)
    printed = verify(name, "-j", jobs)
    kept = stored()
    assert printed.code == 65
    assert printed.err == (
        f"error: {kept[-1].source}: {method}: expected more compressed data, "
        "found the end of the file\n"
    )
    require_sound()
    assert [result.word for result in kept] == ["proved"] * (len(kept) - 1) + [
        "unreadable"
    ]
    assert len(kept) > 200
    (folder / name).write_bytes(whole)
    recorder.clear()
    printed = verify(name, "-j", jobs)
    assert (printed.code, printed.err) == (0, "")
    assert not {result.source for result in kept[:-1]} & set(recorder.given)
    readable = [result for result in stored() if result.error is None]
    assert len(readable) == 600


def test_a_file_that_changes_while_it_is_read_is_reported(
    verify: Callable[..., Output], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ResumeStore.key

    def change(resume: ResumeStore, problem: Problem) -> bytes:
        with Path("good.epd").open("a") as file:
            file.write("# one line more\n")
        return key(resume, problem)

    monkeypatch.setattr(ResumeStore, "key", change)
    printed = verify("good.epd", "mixed.epd")
    assert printed.code == 74
    assert printed.err == f"error: good.epd: changed while it was read\n{UNREADABLE}"
    assert stored()[0].source == "good.epd:1"
    assert len(stored()) == 8
    require_sound()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_file_name_that_is_not_unicode_can_be_audited(
    verify: Callable[..., Output], folder: Path
) -> None:
    name = os.fsdecode(b"\xff.epd")
    try:
        (folder / name).write_text(f"{BACK_RANK} dm 1;\n")
    except OSError:
        pytest.skip("this file system has no such names")
    assert verify(name).code == 0
    assert [result.source for result in stored()] == ["\\udcff.epd:1"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.epd"], 0),
        (["mixed.epd", "--fail-on", "none"], 65),
        (["good.epd", "--fail-on", "proved"], 1),
        (["long.epd", "--nodes", "100"], 3),
        (["missing.epd", "mixed.epd"], 74),
    ],
)
def test_the_exit_code_is_the_same_if_nothing_is_left_to_search(
    verify: Callable[..., Output], recorder: Recorder, arguments: list[str], code: int
) -> None:
    assert verify(*arguments).code == code
    recorder.clear()
    assert verify(*arguments).code == code
    assert recorder.given == []


def test_one_stored_row_runs_code_in_at_most_33_files(folder: Path) -> None:
    row = ["verify", "--store", str(folder / "run.db"), str(folder / "good.epd")]
    words = [sys.executable, "-m", "benchmarks.trace", *row]
    listed = run_process(words, cwd=ROOT, env=ENVIRONMENT).stdout
    *files, count = listed[listed.index("audit/duplicates.py") :].splitlines()
    assert count == f"{len(files)} files"
    assert len(files) <= 33
