"""matesolve: the shortest forced mate in a chess position, with its proof.

`solve` is the door; what it takes and gives stands in `Problem`, `Limits` and
`Solution`. Importing the package loads neither numba nor python-chess.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing itself takes a while to load
if TYPE_CHECKING:
    from typing import Any

    from solver.errors import FenError, InputError, MatesolveError
    from solver.lane import Lane
    from solver.problem import Claim, Limits, Problem
    from solver.solution import Solution, Stats, Status, StoppedBy
    from solver.solving import Control, Solver, solve
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
    "Control": "solving",
    "FenError": "errors",
    "InputError": "errors",
    "Lane": "lane",
    "Limits": "problem",
    "MatesolveError": "errors",
    "Problem": "problem",
    "Solution": "solution",
    "Solver": "solving",
    "Stats": "solution",
    "Status": "solution",
    "StoppedBy": "solution",
    "__version__": "version",
    "solve": "solving",
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
