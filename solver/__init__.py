"""matesolve: the shortest forced mate in a chess position, with its proof.

`solve` is the door; what it takes and gives stands in `Problem`, `Limits` and
`Solution`. Importing the package loads neither numba nor python-chess.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from solver.errors import FenError, InputError, MatesolveError
from solver.lane import Lane
from solver.problem import Claim, Limits, Problem
from solver.solution import Solution, Stats, Status, StoppedBy
from solver.version import __version__

if TYPE_CHECKING:
    from solver.solving import Control, Solver, solve

__all__ = [
    "Claim",
    "Control",
    "FenError",
    "InputError",
    "Lane",
    "Limits",
    "MatesolveError",
    "Problem",
    "Solution",
    "Solver",
    "Stats",
    "Status",
    "StoppedBy",
    "__version__",
    "solve",
]


def __getattr__(name: str) -> Any:
    """Load what needs the compiled kernel when it is first asked for."""
    if name in {"Control", "Solver", "solve"}:
        return getattr(import_module("solver.solving"), name)
    msg = f"module 'solver' has no attribute {name!r}"
    raise AttributeError(msg)
