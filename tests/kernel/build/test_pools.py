"""A worker of any pool loads the compiled search, and does not compile it again.

The workers of pytest-xdist, in which these tests usually run, do so too.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.processes import run

ROOT = Path(__file__).parents[3]

PROGRAM = """
import json, sys
from tests.kernel.build.pools import POOLS

print(json.dumps(POOLS[sys.argv[1]](sys.argv[2])))
"""

CPU_S = 2.0
"""Compiling takes three times as long at least."""


@pytest.mark.usefixtures("kernel")
@pytest.mark.skipif(sys.platform == "win32", reason="no fork, no forkserver")
@pytest.mark.parametrize(
    ("pool", "how"),
    [
        *(("joblib", each) for each in ("loky", "threading", "multiprocessing")),
        *(("concurrent.futures", each) for each in ("spawn", "fork", "forkserver")),
        *(("DataLoader", each) for each in ("spawn", "fork", "forkserver")),
        ("distributed", "processes"),
    ],
)
def test_a_worker_loads_the_compiled_search(pool: str, how: str) -> None:
    if pool != "DataLoader" and find_spec(pool) is None:
        pytest.skip(f"{pool} is not installed")
    words = [sys.executable, "-c", PROGRAM, pool, how]
    ended = run(words, check=True, cwd=ROOT)
    found = json.loads(ended.stdout)
    assert [mate for mate, _, _ in found] == [2, 1, 2, 1]
    assert {origin for _, origin, _ in found} <= {"cache", "wheel"}
    assert max(cpu_s for _, _, cpu_s in found) < CPU_S
