"""The page of a trace: a search that one steps through, node by node."""

from __future__ import annotations

import base64
import ctypes
import gzip
import json
from typing import TYPE_CHECKING, Any

from solver.kernel.border.memory import LoggedNode
from solver.laboratory.node_log import LOG_NODES
from solver.laboratory.trace_text import REASONS
from solver.laboratory.traces import HASH_MIB
from solver.pages import fill_page
from solver.pages.board_page import solver_data
from solver.pages.experiments import experiments
from solver.search.workspace import MIB

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TITLES = {
    "alpha-beta": "Alpha-beta search, node by node",
    "proof-number": "Proof-number search, node by node",
    "certificate": "Proof of a mate, node by node",
}

FIRST_PLIES = 3
FIRST_ROWS = 200
"""Without scripts, a page lists nodes to this ply, and at most this many."""

INFINITY = "\N{INFINITY}"


def encode_page(
    record: Mapping[str, Any], modules: Mapping[str, bytes] | None = None
) -> bytes:
    """Write a trace as one HTML page.

    The page loads nothing. Without scripts it has the position, the counts and the
    first nodes.

    Parameters
    ----------
    record : Mapping
        What `matesolve trace --json` prints.
    modules : mapping of str to bytes or None
        The WebAssembly modules with which the page searches other positions, by the
        names of their parts.

    Returns
    -------
    bytes
        UTF-8.
    """
    side = "Black" if " b " in record["fen"] else "White"
    is_scored = record["search"] == "alpha-beta"
    data: dict[str, Any] = {}
    if modules:
        data |= solver_data(modules)
        layout = data["layout"] | {"logBytes": LOG_NODES * ctypes.sizeof(LoggedNode)}
        data |= {"experiments": experiments(), "layout": layout, "titles": TITLES}
        data["tableBytes"] = HASH_MIB * MIB
    packed = gzip.compress(json.dumps(record, separators=(",", ":")).encode(), mtime=0)
    return fill_page(
        "trace.html",
        title=TITLES[record["search"]],
        style="trace.css",
        scripts=["modules/trace.mjs"],
        data=data | {"record": base64.b64encode(packed).decode()},
        fen=record["fen"],
        legend=f"Scores as {side} sees them." if is_scored else "",
        traces=[
            {
                "name": trace["name"],
                "depth": trace["depth"],
                "facts": " ".join(_facts(trace)),
                "lines": list(_lines(trace["log"])),
                "iterations": trace.get("iterations", ()),
            }
            for trace in record["traces"]
        ],
    )


def _facts(trace: Mapping[str, Any]) -> Iterator[str]:
    """Say what was found, and how much of it is in the log."""
    mate, nodes = trace["mate"], trace["nodes"]
    yield (
        "No mate found."
        if mate is None
        else (f"Mate in {mate}." if mate > 0 else f"Mated in {-mate}.")
    )
    if before := trace["nodes_before"]:
        yield (
            f"Depth {trace['depth']}: {nodes - before:,} nodes, after {before:,} in "
            "the iterations before, which are not shown."
        )
    else:
        counted = "positions of the attacker" if "mate" in trace["log"] else "nodes"
        yield f"{nodes:,} {counted}."
    kept = len(trace["log"]["ply"])
    if trace.get("stopped"):
        yield "The search was stopped."
    if not trace["complete"]:
        yield f"The log kept {kept:,} rows: the first part of the tree."
    if trace["only_cuts"]:
        yield "Only the parts of the tree with a cut by mate-distance pruning are kept."


def _lines(log: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the first nodes, in their order, with their plies."""
    rows = [
        row
        for row, ply in enumerate(log["ply"])
        if ply <= FIRST_PLIES and log["kind"][row] not in {"child", "update"}
    ]
    for row in rows[:FIRST_ROWS]:
        text = f"{log['san'][row] or 'root'}: {_result(log, row)}"
        end = log["end"][row]
        if "mate" in log and end == "moves":
            end = "some move" if log["kind"][row] == "attacker" else "every reply"
        yield {"ply": log["ply"][row], "text": f"{text}, {REASONS.get(end, end)}"}


def _result(log: Mapping[str, Any], row: int) -> str:
    """Return what the search of a node returned."""
    if "mate" in log:
        return f"mate in {log['mate'][row]}"
    if "score" in log:
        score = log["score"][row]
        is_flipped = log["ply"][row] % 2
        return "" if score is None else f"{-score if is_flipped else score:,}"
    numbers = (log[name][row] for name in ("pn", "dn"))
    return " and ".join(INFINITY if each is None else f"{each:,}" for each in numbers)
