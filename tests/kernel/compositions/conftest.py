"""A search with a table, and nets, for help play."""

from __future__ import annotations

import ctypes

import pytest

from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.search_struct import Nets, Search
from solver.stipulations.solving_moves import make_nets
from tests.kernel.compositions.help_lines import BUCKETS

TABLE = (ctypes.c_uint64 * (BUCKETS * 8))()


@pytest.fixture
def search() -> Search:
    table = ctypes.addressof(TABLE)
    return Search(node_limit=NO_LIMIT, table=table, generation=1, buckets=BUCKETS)


@pytest.fixture(scope="module")
def nets() -> Nets:
    return make_nets(is_stalemate=False)
