"""matesolve: the shortest forced mate in a chess position, with its proof.

Call `solve` with a position; see `Problem`, `Limits` and `Solution` for what it takes
and returns. Importing the package loads neither numba nor python-chess.

Examples
--------
>>> from solver import Limits, solve
>>> solution = solve("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", Limits(max_moves=5))
>>> solution.status, solution.mate, solution.lower_bound
(<Status.PROVED: 'proved'>, 2, 2)
>>> solution.san
('Qg8+', 'Rxg8', 'Nf7#')
>>> solution.to_dict()["keys"]
[{'uci': 'c4g8', 'san': 'Qg8+'}]
>>> solve("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", Limits(max_moves=0))
Traceback (most recent call last):
    ...
solver.errors.InputError: max_moves: expected 1 to 200, found 0
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
