"""Answers for programs: one JSON object a position, the same from every command."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from solver.reports.line import first_moves
from solver.version import __version__

if TYPE_CHECKING:
    from solver.errors import FormatError
    from solver.solution import Solution

SCHEMA = 1
"""Grows when a field changes its meaning or goes away, not when one is added."""


def solution_record(solution: Solution) -> dict[str, object]:
    """Make the record of an answer.

    Parameters
    ----------
    solution : Solution
        The answer.

    Returns
    -------
    dict
        What `json.dumps` takes, in the order in which it is printed. Moves are in UCI
        notation, bounds and distances in moves, `time_s` in seconds to the microsecond;
        `claim` and `mate` are negative when the side to move is mated. At its end, only
        if there are any, `lane`: what the attacker was restricted to, of which alone
        `lower_bound` and `keys` speak; `tablebase`: the tables that say what was not
        proved.
    """
    problem = solution.problem
    sans = first_moves(problem.fen, solution.keys)
    record: dict[str, object] = {
        "schema": SCHEMA,
        "id": problem.id,
        "fen": problem.fen,
        "claim": problem.claim.mate if problem.claim else None,
        "status": str(solution.status),
        "mate": solution.mate,
        "lower_bound": solution.lower_bound,
        "keys": [
            {"uci": uci, "san": san}
            for uci, san in zip(solution.keys, sans, strict=True)
        ],
        "keys_complete": solution.keys_complete,
        "pv": list(solution.pv),
        "nodes": solution.stats.nodes,
        "time_s": round(solution.stats.time_s, 6),
        "stopped_by": str(solution.stopped_by) if solution.stopped_by else None,
        "solver": __version__,
    }
    if solution.lane:
        record["lane"] = asdict(solution.lane)
    if solution.tablebase:
        record["tablebase"] = str(solution.tablebase)
    return record


def unreadable_record(error: FormatError) -> dict[str, object]:
    """Make the record that stands in the place of an answer to an unreadable line.

    Parameters
    ----------
    error : FormatError
        What is wrong with the line.

    Returns
    -------
    dict
        `id` is the line's `file:line`, `error` the reason; the rest is None.
    """
    return {
        "schema": SCHEMA,
        "id": error.source,
        "fen": None,
        "claim": None,
        "status": None,
        "error": error.reason,
        "solver": __version__,
    }
