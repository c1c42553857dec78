"""matesolve: the shortest forced mate in a chess position, with its proof.

Call `solve` with a position. `Problem` and `Limits` describe the question; `Solution`
is the answer. Importing the package loads neither numba nor python-chess.

Examples
--------
>>> from solver import Limits, solve
>>> solution = solve("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", Limits(max_moves=5))
>>> solution.status, solution.mate, solution.lower_bound
(<Status.PROVED: 'proved'>, 2, 2)
>>> solution.pv_san
('Qg8+', 'Rxg8', 'Nf7#')
>>> solution.to_dict()["keys"]
[{'uci': 'c4g8', 'san': 'Qg8+'}]
>>> solve("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", Limits(max_moves=0))
Traceback (most recent call last):
    ...
solver.errors.InputError: max_moves: expected 1 to 200, found 0
"""

__version__ = "0.1.0"

_HOMES = {
    "Claim": "problem",
    "Control": "search.threads",
    "FenError": "errors",
    "Grade": "columns.grade_table",
    "GradeStatus": "columns.grade_table",
    "GradeTable": "columns.grade_table",
    "InputError": "errors",
    "Limits": "problem",
    "MateRow": "columns.solve_many",
    "MateTable": "columns.solve_many",
    "MatesolveError": "errors",
    "Problem": "problem",
    "Restriction": "problem",
    "Solution": "solution",
    "Solver": "solving",
    "Stats": "solution",
    "Status": "solution",
    "Stipulation": "problem",
    "StoppedBy": "solution",
    "Variations": "play.record",
    "accepted": "columns.accepted",
    "generate": "columns.generate",
    "grade": "columns.grade",
    "grade_many": "columns.grade",
    "solve": "solving",
    "solve_many": "columns.solve_many",
    "variations": "play.builder",
}
"""The module of each public name, which is imported on first use.

Type checkers and editors read `__init__.pyi`, which has the same names.
"""

__all__ = ["__version__"]
__all__ += list(_HOMES)


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that the command starts quickly."""
    if name not in _HOMES:
        msg = f"module 'solver' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # loads a file; see `solver.cli`

    value = getattr(import_module(f"solver.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
