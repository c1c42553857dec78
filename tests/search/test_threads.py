"""Stopping a search from outside, and the clock that does it."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from solver.problem import MOST_CORES
from solver.search.threads import Control, Watchdog, usable_cores
from solver.solution import StoppedBy
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from solver.kernel.border.search_struct import Search


class EventControl(Control):
    """A control with an event that is set when it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = threading.Event()

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        super().stop(reason)
        self.stopped.set()


def is_heard(search: Search) -> bool:
    """Return whether a stop ends the search now."""
    return bool(search.stop > search.patience)


def test_a_stop_reaches_the_search_and_the_first_reason_is_kept(search: Search) -> None:
    control, early = Control(), Control()
    search.stop = 1
    control.attach(search)
    assert (search.stop, control.reason, control.nodes) == (0, None, 0)
    search.nodes = 1234
    assert control.nodes == 1234
    control.stop()
    control.stop(StoppedBy.TIME)
    assert search.stop
    assert control.reason is StoppedBy.INTERRUPT
    early.stop(StoppedBy.TIME)
    early.attach(search)
    assert search.stop
    assert early.reason is StoppedBy.TIME


@pytest.mark.parametrize("reason", StoppedBy)
@pytest.mark.parametrize("is_earlier", [False, True])
def test_a_limit_waits_until_a_proof_is_finished_and_an_interrupt_does_not(
    search: Search, reason: StoppedBy, is_earlier: bool
) -> None:
    control = Control()
    search.node_limit = 7
    control.attach(search)
    with control.finishing():
        assert search.node_limit > 1 << 60
    assert (search.stop, search.node_limit) == (0, 7)
    if is_earlier:
        control.stop(reason)
    with control.finishing():
        if not is_earlier:
            control.stop(reason)
        assert is_heard(search) == (reason is StoppedBy.INTERRUPT)
    assert is_heard(search)
    assert search.node_limit == 7


def test_the_watchdog_stops_a_search_over_time_and_no_other() -> None:
    watchdog, before = Watchdog(), threading.active_count()
    with watchdog.limit(Control(), None):
        assert threading.active_count() == before
    early, late = EventControl(), EventControl()
    with watchdog.limit(early, 0.05):
        pass
    with watchdog.limit(late, 0.1):
        assert late.stopped.wait(PATIENCE_S)
    assert late.reason is StoppedBy.TIME
    assert not early.stopped.is_set()
    long, short = EventControl(), EventControl()
    with watchdog.limit(long, PATIENCE_S), watchdog.limit(short, 0.01):
        assert short.stopped.wait(PATIENCE_S)
        assert not long.stopped.is_set()
    one, other = EventControl(), EventControl()
    with watchdog.limit(one, 0), watchdog.limit(other, 0):
        assert one.stopped.wait(PATIENCE_S)
        assert other.stopped.wait(PATIENCE_S)


# The usable cores: those of the affinity, within every quota of a control group


GROUP = "docker/web/worker"


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process run on eight cores, whatever this machine has."""
    have_cores(monkeypatch, 8)


def have_cores(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    for name in ("process_cpu_count", "cpu_count"):
        monkeypatch.setattr(os, name, lambda: count, raising=False)
    allowed = set(range(count))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: allowed, raising=False)


def write_groups(root: Path, lines: str, files: dict[str, str]) -> str:
    """Write a tree of control groups: a process's list, and files by their path."""
    for name, text in {"proc/self/cgroup": lines, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="ascii")
    return str(root)


@pytest.mark.parametrize(
    ("quota", "cores"),
    [
        ("max 100000", 8),
        ("200000 100000", 2),
        ("150000 100000", 2),  # rounded up
        ("10000 100000", 1),
        ("1600000 100000", 8),  # more than the affinity
    ],
)
@pytest.mark.parametrize("folder", ["", "docker", GROUP])
def test_version_2_every_group_up_to_the_root_may_set_a_quota(
    tmp_path: Path, quota: str, cores: int, folder: str
) -> None:
    file = f"sys/fs/cgroup/{folder}/cpu.max"
    assert usable_cores(write_groups(tmp_path, f"0::/{GROUP}", {file: quota})) == cores


@pytest.mark.parametrize(
    ("quota", "cores"), [("-1", 8), ("400000", 4), ("350001", 4), ("1000", 1)]
)
@pytest.mark.parametrize("folder", ["", "docker", GROUP])
def test_version_1_every_group_up_to_the_root_may_set_a_quota(
    tmp_path: Path, quota: str, cores: int, folder: str
) -> None:
    lines = f"9:memory:/elsewhere\n4:cpu,cpuacct:/{GROUP}\n0::/"
    files = {
        f"sys/fs/cgroup/cpu/{folder}/cpu.cfs_quota_us": quota,
        f"sys/fs/cgroup/cpu/{folder}/cpu.cfs_period_us": "100000",
    }
    assert usable_cores(write_groups(tmp_path, lines, files)) == cores


OTHERS = {
    "sys/fs/cgroup/docker/cpu.max": "500000 100000",
    "sys/fs/cgroup/docker/web/cpu.max": "300000 100000",
    f"sys/fs/cgroup/{GROUP}/cpu.max": "max 100000",
    "sys/fs/cgroup/other/cpu.max": "100000 100000",
    "sys/fs/cgroup/cpuset/docker/cpu.cfs_quota_us": "100000",
    "sys/fs/cgroup/cpu/docker/other/cpu.cfs_quota_us": "100000",
    "sys/fs/cgroup/cpu/docker/other/cpu.cfs_period_us": "100000",
}
AT_THE_ROOT = {
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
}
"""As Docker shows version 1: the list names a group outside the container."""


@pytest.mark.parametrize(
    ("lines", "files", "cores"),
    [
        (f"0::/{GROUP}", OTHERS, 3),
        ("5:cpuset:/docker\n4:cpu:/docker/web", OTHERS, 8),
        ("4:cpu:/docker/1f2e", AT_THE_ROOT, 2),
    ],
)
def test_the_smallest_quota_of_the_groups_of_the_process_counts(
    tmp_path: Path, lines: str, files: dict[str, str], cores: int
) -> None:
    assert usable_cores(write_groups(tmp_path, lines, files)) == cores


def test_at_most_sixteen_cores_and_those_of_this_machine_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert usable_cores(str(tmp_path)) == 8
    have_cores(monkeypatch, 200)
    assert usable_cores(str(tmp_path)) == MOST_CORES == 16
    if sys.platform == "linux":
        monkeypatch.undo()
        assert 1 <= usable_cores() <= len(os.sched_getaffinity(0))
