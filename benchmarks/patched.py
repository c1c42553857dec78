"""Run the program with a few lines changed, in a copy: for experiments.

Some questions about counts need no option, because nobody would use it twice: what if
the evaluation had another scale, or if nodes that mate-distance pruning cuts did not
count? A `Change` replaces lines of a copy of the program, which compiles its own
kernel.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.laboratory_commands import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ALPHABETA = "solver/kernel/laboratory/alphabeta.py"
EVALUATION = "solver/kernel/laboratory/evaluation.py"
DEEPENING = "solver/laboratory/iterative_deepening.py"


class Change(NamedTuple):
    """Lines to replace in a file of the repository, in which `old` occurs once."""

    file: str
    old: str
    new: str

    def apply(self, program: Path) -> None:
        """Replace the lines in a copy of the program."""
        path = program / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            sys.exit(f"{self.file}: expected once: {self.old!r}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


def _scale(rook: int, edge: int, closeness: int) -> tuple[Change, ...]:
    """Change what matters in the evaluation of king and rook against king."""
    return (
        Change(EVALUATION, "ROOK_WORTH = 500", f"ROOK_WORTH = {rook}"),
        Change(EVALUATION, "EDGE = 10", f"EDGE = {edge}"),
        Change(EVALUATION, "CLOSENESS = 4", f"CLOSENESS = {closeness}"),
    )


_CUT = "        return transposition.leave_node(search, node, MATE_DISTANCE, "
_ANSWERED = "        return transposition.leave_node(search, node, TABLE, "
_UNCOUNT = "        search.nodes -= 1\n"

ROOK_OF_GLASS = _scale(1000, 10, 4)
DOUBLED = _scale(1000, 20, 8)
HALVED = _scale(250, 5, 2)
MATERIAL_ALONE = _scale(500, 0, 0)
CUT_NODES_UNCOUNTED = (Change(ALPHABETA, _CUT, _UNCOUNT + _CUT),)
ANSWERS_UNCOUNTED = (Change(ALPHABETA, _ANSWERED, _UNCOUNT + _ANSWERED),)

WINDOW_AFTER_MATE = (
    Change(
        DEEPENING,
        "margin = 0 if is_mate(experiment.score) else techniques.aspiration",
        "margin = techniques.aspiration",
    ),
)
"""After a mate, too, the root is searched near the last score first."""

_AGAIN = "                experiment.extra_calls += 1\n"
_SEARCHED_AGAIN = """                    node_type,
                    AFTER_MOVE,
                    search,
                    experiment,
                )
"""
IN_VAIN = (
    Change(ALPHABETA, _AGAIN, ""),
    Change(
        ALPHABETA,
        _SEARCHED_AGAIN,
        f"{_SEARCHED_AGAIN}                if score <= alpha:\n    {_AGAIN}",
    ),
)
"""`--count again` counts only moves whose second search fails low."""

_INTERIOR = "    experiment.interior += 1\n"
_NO_INTERIOR = Change(ALPHABETA, _INTERIOR, "")
_WORD = "    return word & PER_CENT_BITS\n"
_ASKED = "    balance = (\n        ours.pawns\n"

MIP_ASKED = (
    _NO_INTERIOR,
    Change(EVALUATION, _ASKED, _INTERIOR + _ASKED),
)
MIP_ANSWERED = (_NO_INTERIOR, Change(EVALUATION, _WORD, _INTERIOR + _WORD))
MIP_DECIDED = (
    _NO_INTERIOR,
    Change(
        EVALUATION,
        _WORD,
        f"    if word & PER_CENT_BITS in (ALL_LOST, ALL_WON):\n    {_INTERIOR}{_WORD}",
    ),
)
"""`--count interior` counts how often the material table is asked, has a cell with
enough positions, and says 0 or 100 per cent."""

ALL = (
    *(ROOK_OF_GLASS, DOUBLED, HALVED, MATERIAL_ALONE),
    *(CUT_NODES_UNCOUNTED, ANSWERS_UNCOUNTED, WINDOW_AFTER_MATE, IN_VAIN),
    *(MIP_ASKED, MIP_ANSWERED, MIP_DECIDED),
)


@contextmanager
def program(changes: Sequence[Change]) -> Iterator[Path]:
    """Copy the program and change it, until the context ends."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.wasm")
        shutil.copytree(ROOT / "solver", copy / "solver", ignore=ignored)
        for change in changes:
            change.apply(copy)
        yield copy
