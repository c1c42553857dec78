"""The memory of a search."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import pytest

from solver.search.workspaces import MIB, allocate


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's list of mappings")
@pytest.mark.parametrize(("size_mib", "is_huge"), [(128, False), (256, True)])
def test_linux_may_use_huge_pages_for_a_large_table(
    size_mib: int, is_huge: bool
) -> None:
    """Linux gives none to shared memory, whatever is advised."""
    memory = allocate(size_mib * MIB, "--hash")
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    content = Path("/proc/self/smaps").read_text()
    mappings = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", content, flags=re.MULTILINE)[1:]
    for mapping in mappings:
        limits, modes, *_ = mapping.split(maxsplit=2)
        start, end = (int(limit, 16) for limit in limits.split("-"))
        if start <= first < end:
            (flags,) = re.findall(r"^VmFlags: (.*)$", mapping, re.MULTILINE)
            assert modes == "rw-p"
            assert ("hg" in flags.split()) == is_huge
            return
    pytest.fail("expected a mapping of the table, found none")


def test_memory_for_a_table_is_zero() -> None:
    memory = allocate(MIB, "--hash")
    assert memory[:] == bytes(MIB)
