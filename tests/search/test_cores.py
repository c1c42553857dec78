"""The usable cores are those of the affinity, within every quota of a control group."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from solver.problem import MOST_CORES
from solver.search.threads import usable_cores

if TYPE_CHECKING:
    from pathlib import Path

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


def test_no_control_groups_limit_nothing(tmp_path: Path) -> None:
    assert usable_cores(str(tmp_path)) == 8


def test_at_most_sixteen_cores_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    have_cores(monkeypatch, 200)
    assert usable_cores(str(tmp_path)) == MOST_CORES == 16


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


def test_version_2_the_smallest_quota_counts(tmp_path: Path) -> None:
    files = {
        "sys/fs/cgroup/docker/cpu.max": "500000 100000",
        "sys/fs/cgroup/docker/web/cpu.max": "300000 100000",
        f"sys/fs/cgroup/{GROUP}/cpu.max": "max 100000",
        "sys/fs/cgroup/other/cpu.max": "100000 100000",
    }
    assert usable_cores(write_groups(tmp_path, f"0::/{GROUP}", files)) == 3


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


def test_a_container_may_see_its_own_group_at_the_root(tmp_path: Path) -> None:
    """As with version 1 in Docker: the list names a group outside the container."""
    files = {
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
    }
    assert usable_cores(write_groups(tmp_path, "4:cpu:/docker/1f2e", files)) == 2


def test_quotas_of_other_controllers_and_groups_do_not_count(tmp_path: Path) -> None:
    lines = "5:cpuset:/docker\n4:cpu:/docker/web"
    files = {
        "sys/fs/cgroup/cpuset/docker/cpu.cfs_quota_us": "100000",
        "sys/fs/cgroup/cpu/docker/other/cpu.cfs_quota_us": "100000",
        "sys/fs/cgroup/cpu/docker/other/cpu.cfs_period_us": "100000",
        "cpu.max": "100000 100000",
    }
    assert usable_cores(write_groups(tmp_path, lines, files)) == 8


@pytest.mark.skipif(sys.platform != "linux", reason="affinity is Linux's")
def test_this_process_may_use_at_most_the_cores_it_may_run_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    assert 1 <= usable_cores() <= len(os.sched_getaffinity(0))
