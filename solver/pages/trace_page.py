"""The page of a trace: a search that one steps through, node by node."""

from __future__ import annotations

import base64
import ctypes
import gzip
import json
from typing import TYPE_CHECKING, Any

from solver.kernel.border.memory import LoggedNode
from solver.laboratory.trace_text import SENTENCES, Words
from solver.laboratory.traces import HASH_MIB, LOG_NODES
from solver.pages import fill_page
from solver.pages.board_page import solver_data
from solver.pages.experiments import experiments
from solver.search.workspace import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_PLIES = 3
FIRST_ROWS = 200
"""Without scripts, a page lists nodes to this ply, and at most this many."""


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
    words = Words(record)
    facts = [words.search_facts(trace) for trace in record["traces"]]
    data: dict[str, Any] = {"sentences": SENTENCES}
    if modules:
        data |= solver_data(modules)
        layout = data["layout"] | {"logBytes": LOG_NODES * ctypes.sizeof(LoggedNode)}
        data |= {"experiments": experiments(), "layout": layout}
        data["tableBytes"] = HASH_MIB * MIB
    packed = gzip.compress(json.dumps(record, separators=(",", ":")).encode(), mtime=0)
    return fill_page(
        "trace.html",
        title=words.say("title", facts[0]),
        style="trace.css",
        scripts=["modules/trace.mjs"],
        data=data | {"record": base64.b64encode(packed).decode()},
        fen=record["fen"],
        legend=words.say("seen", facts[0]),
        traces=[
            {
                "name": trace["name"],
                "depth": trace["depth"],
                "facts": words.say("found", found),
                "lines": _lines(words, trace["log"]),
                "iterations": trace.get("iterations", ()),
            }
            for trace, found in zip(record["traces"], facts, strict=True)
        ],
    )


def _lines(words: Words, log: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the first visits, in their order, with their plies."""
    rows = [
        row
        for row, ply in enumerate(log["ply"])
        if ply <= FIRST_PLIES and log["kind"][row] not in {"child", "update"}
    ]
    return [
        {"ply": log["ply"][row], "text": words.sentence(log, row)}
        for row in rows[:FIRST_ROWS]
    ]
