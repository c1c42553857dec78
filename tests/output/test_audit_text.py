"""The audit table: columns that a narrow terminal drops, and counts of soundness."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from solver.audit.result import audit_result
from solver.errors import FormatError
from solver.output.audit_text import AuditTable
from solver.problem import Claim, Problem
from solver.solution import Solution, Stats, Status

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"

WIDE = """\
claim  proved  shorter  undecided  unreadable  total   nodes    time
   #2       1        1                             2  12,347  4.50 s
   #3                           1                  1   1,000  1.0 ms
 none       1                               1      2       7  0.0 ms
  all       2        1          1           1      5  13,354  4.50 s
"""

MIDDLE = """\
claim  proved  shorter  undecided  unreadable  total
   #2       1        1                             2
   #3                           1                  1
 none       1                               1      2
  all       2        1          1           1      5
"""

NARROW = """\
#2: 1 proved, 1 shorter
#3: 1 undecided
none: 1 proved, 1 unreadable
all: 2 proved, 1 shorter, 1 undecided, 1
unreadable
"""


@pytest.fixture
def table() -> AuditTable:
    table = AuditTable()
    for claim, status, mate, lower_bound, nodes, time_s in (
        (Claim(3), Status.UNDECIDED, None, 1, 1000, 0.001),
        (None, Status.PROVED, 1, 1, 7, 0.00001),
        (Claim(2), Status.PROVED, 2, 2, 12_345, 4.5),
        (Claim(2), Status.PROVED, 1, 1, 2, 0.0),
    ):
        stats = Stats(nodes, time_s)
        problem = Problem(FEN, claim=claim)
        answer = Solution(problem, status, mate, lower_bound, stats=stats)
        table.add(audit_result(answer))
    error = FormatError("x.epd:5", "expected a FEN, found nothing")
    table.add(audit_result(error))
    return table


@pytest.mark.parametrize(
    ("width", "drawn"),
    [
        (10_000, WIDE),
        (68, WIDE),
        (67, MIDDLE),
        (52, MIDDLE),
        (51, NARROW),
        (40, NARROW),
    ],
)
def test_columns_are_dropped_before_figures_are_cut(
    table: AuditTable, width: int, drawn: str
) -> None:
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    console.print(table.draw(console))
    lines = [line.rstrip() for line in paper.getvalue().splitlines()]
    if width == 51:  # room for the last word as well
        drawn = drawn.replace("1\nunreadable", "1 unreadable")
    assert lines == drawn.splitlines()


@pytest.mark.parametrize("width", [80, 16])
def test_counts_of_thousands_have_separators(width: int) -> None:
    table = AuditTable()
    for _ in range(1_234):
        table.add(audit_result(Solution(Problem(FEN), Status.PROVED, 1, 1)))
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    console.print(table.draw(console))
    counts = re.findall(r"[0-9,]*234", paper.getvalue())
    assert counts == ["1,234"] * (4 if width == 80 else 2)


def test_soundness_is_counted_in_its_own_order(table: AuditTable) -> None:
    assert table.soundness() == "soundness: 1 short-solution"
    problem = Problem(FEN, claim=Claim(2))
    keys = ("a2a3",)
    answer = Solution(problem, Status.PROVED, 2, 2, keys=keys, keys_complete=True)
    table.add(audit_result(answer))
    assert table.soundness() == "soundness: 1 sound, 1 short-solution"
    assert AuditTable().soundness() == ""
