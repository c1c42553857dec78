"""How many cores this process may use.

The command line reads it before anything is imported that searches.
"""

from __future__ import annotations

import math
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CORES = 16
"""More threads on one position were not measured."""


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
    with open(path, encoding="ascii") as file:  # noqa: PTH123 -- pathlib takes 9 ms
        return file.read()
