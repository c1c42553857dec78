"""The kernel, had once for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from solver.kernel.calls import NO_LIMIT
from solver.kernel.compiled import load_kernel
from solver.kernel.memory import Search

if TYPE_CHECKING:
    from solver.kernel.calls import Kernel


@pytest.fixture(scope="session", autouse=True)
def kernel() -> Kernel:
    """The compiled kernel, stored before any test starts a process that needs it."""
    return load_kernel().kernel


@pytest.fixture
def search() -> Search:
    """Memory for one search, with a table of one bucket and no node limit."""
    return Search(node_limit=NO_LIMIT, generation=1, buckets=1)
