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

TYPE_CHECKING = False  # typing itself takes a while to load
if TYPE_CHECKING:
    from typing import Any

    from solver.errors import FenError, InputError, MatesolveError
    from solver.lane import Lane
    from solver.problem import Claim, Limits, Problem
    from solver.search.solver import Solver, solve
    from solver.search.threads import Control
    from solver.solution import Solution, Stats, Status, StoppedBy
    from solver.version import __version__

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


_HOMES = {
    "Claim": "problem",
    "Control": "search.solver",
    "FenError": "errors",
    "InputError": "errors",
    "Lane": "problem",
    "Limits": "problem",
    "MatesolveError": "errors",
    "Problem": "problem",
    "Solution": "solution",
    "Solver": "search.solver",
    "Stats": "solution",
    "Status": "solution",
    "StoppedBy": "solution",
    "__version__": "version",
    "solve": "search.solver",
}
"""The module of each public name, loaded when the name is first asked for."""


def __getattr__(name: str) -> Any:
    """Load what is asked for: the command has to start before it loads anything."""
    if name not in _HOMES:
        msg = f"module 'solver' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"solver.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
