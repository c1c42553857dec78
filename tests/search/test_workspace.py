"""The memory of a search."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from solver.search.workspaces import MIB, SMALL_PAGES, Workspace, allocate


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's list of mappings")
@pytest.mark.parametrize(("size_mib", "is_huge"), [(16, False), (32, True)])
def test_linux_may_use_huge_pages_for_the_end_of_each_half_of_a_table(
    size_mib: int, is_huge: bool
) -> None:
    """Linux gives none to shared memory, whatever is advised."""
    workspace = Workspace(size_mib)
    table = workspace.search.table
    half = size_mib * MIB // 2
    for start in (table, table + half):
        assert flags_at(start) == ("rw-p", False)
        assert flags_at(start + SMALL_PAGES - 1) == ("rw-p", False)
        if is_huge:
            assert flags_at(start + SMALL_PAGES) == ("rw-p", True)
            assert flags_at(start + half - 1) == ("rw-p", True)


def flags_at(address: int) -> tuple[str, bool]:
    """Return the modes of an address's mapping, and whether huge pages are advised."""
    content = Path("/proc/self/smaps").read_text()
    mappings = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", content, flags=re.MULTILINE)[1:]
    for mapping in mappings:
        limits, modes, *_ = mapping.split(maxsplit=2)
        start, end = (int(limit, 16) for limit in limits.split("-"))
        if start <= address < end:
            (flags,) = re.findall(r"^VmFlags: (.*)$", mapping, re.MULTILINE)
            return modes, "hg" in flags.split()
    pytest.fail("expected a mapping, found none")


def test_memory_for_a_table_is_zero() -> None:
    memory = allocate(MIB, "--hash")
    assert memory[:] == bytes(MIB)
