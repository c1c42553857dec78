"""A trace as text: the first plies of its tree, a line for each node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from solver.laboratory.node_log import LOG_NODES
from solver.laboratory.traces import ALPHA_BETA, CERTIFICATE, PROOF_NUMBER
from solver.output.columns import Column, fit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console, RenderableType

    from solver.laboratory.traces import Trace

    Node = dict[str, Any]
    """The fields of an entry of the log."""

NEARLY_INFINITE = 1 << 29
"""A threshold above this is infinity less the numbers of other nodes."""

MOST_ROWS = 1_000
"""The lines of a tree."""

REASONS = {
    "open": "not finished",
    "mate-distance": "cut: no mate here is short enough",
    "horizon": "evaluated at the horizon",
    "table": "known from the table",
    "mate": "mate",
    "stalemate": "stalemate",
    "material": "pruned by material",
    "null-move": "pruned by a null move",
    "multi-cut": "pruned by multi-cut",
    "beta": "a move reaches beta",
    "moves": "all moves searched",
}
"""Why the search of a node ended."""

TITLES = {
    ALPHA_BETA: "{name}: iteration of {depth} plies, {logged:,} nodes",
    PROOF_NUMBER: "Proof-number search, {name}: {logged:,} nodes",
    CERTIFICATE: "Certificate, mate in {depth}: {logged:,} positions of the attacker",
}


def describe_trace(
    console: Console, search: str, trace: Trace, plies: int
) -> Iterator[str | RenderableType]:
    """Describe a trace: a title, a table of the nodes, and what is missing.

    Parameters
    ----------
    console : Console
        A narrow one gets fewer columns.
    search : str
        What is traced, one of `SEARCHES`.
    trace : Trace
    plies : int
        The last ply that is shown.
    """
    logged = trace.nodes - trace.nodes_before
    title = TITLES[search].format(name=trace.name, depth=trace.depth, logged=logged)
    if trace.nodes_before:
        title += f" after {trace.nodes_before:,} in earlier iterations"
    answer = "no mate found"
    if trace.mate is not None:
        answer = f"{'mate' if trace.mate > 0 else 'mated'} in {abs(trace.mate)}"
    yield f"{title}; {answer}."
    shown = [
        {name: values[index] for name, values in trace.log.items()}
        for index, ply in enumerate(trace.log["ply"])
        if ply <= plies and trace.log["kind"][index] != "update"
    ]
    yield fit(console, [*_COLUMNS[search](shown[:MOST_ROWS])])
    if left_out := len(shown[MOST_ROWS:]):
        yield f"{left_out:,} entries at these plies are left out; --json has all."
    if deeper := sum(ply > plies for ply in trace.log["ply"]):
        yield f"{deeper:,} deeper entries of the log are left out; --plies shows more."
    if not trace.is_complete:
        yield f"The log is full: it has the first {LOG_NODES:,} entries."
    if trace.is_stopped:
        yield "The search was stopped."


def _column(
    head: str,
    nodes: list[Node],
    cell: Callable[[Node], str],
    *,
    left: bool = False,
    rank: int = 0,
) -> Column:
    """Make a column from the fields of each node."""
    return Column(head, [cell(node) for node in nodes], left=left, rank=rank)


def _moves(nodes: list[Node]) -> Column:
    return _column(
        "move",
        nodes,
        lambda node: "  " * int(node["ply"]) + (node["san"] or "root"),
        left=True,
    )


def _scored(nodes: list[Node]) -> Iterator[Column]:
    def narrowed(node: Node) -> str:
        return "" if own(node) == given(node) else own(node)

    given, own = _range("alpha", "beta"), _range("low", "high")
    yield _moves(nodes)
    yield _column("type", nodes, lambda node: node["kind"], left=True, rank=3)
    yield _column("depth", nodes, lambda node: str(node["depth"]), rank=4)
    yield _column("window", nodes, given, rank=1)
    if any(map(narrowed, nodes)):
        yield _column("narrowed to", nodes, narrowed, rank=1)
    yield _column("end", nodes, lambda node: REASONS[node["end"]], left=True, rank=2)
    yield _column("score", nodes, lambda node: _number(node["score"], ""))


def _range(low: str, high: str) -> Callable[[Node], str]:
    return lambda node: f"{node[low]:,} to {node[high]:,}"


def _numbered(nodes: list[Node]) -> Iterator[Column]:
    def thresholds(node: Node) -> str:
        return "" if node["kind"] == "child" else limits(node)

    limits = _pair("pn_limit", "dn_limit")
    yield _moves(nodes)
    yield _column("node", nodes, lambda node: node["kind"], left=True, rank=1)
    yield _column("left", nodes, lambda node: str(node["depth"]), rank=3)
    yield _column("thresholds", nodes, thresholds, rank=1)
    yield _column("end", nodes, _how_it_ended, left=True, rank=2)
    yield _column("pn / dn", nodes, _pair("pn", "dn"))


def _pair(proof: str, disproof: str) -> Callable[[Node], str]:
    return lambda node: f"{_number(node[proof])} / {_number(node[disproof])}"


def _how_it_ended(node: Node) -> str:
    by = {"table": ", known from the table", "prover": " by the prover"}
    end = "reached a threshold" if node["end"] == "threshold" else node["end"]
    return end + by.get(node["by"], "")


def _proved(nodes: list[Node]) -> Iterator[Column]:
    def follows(node: Node) -> str:
        if node["end"] == "moves":
            return "some move" if node["kind"] == "attacker" else "every reply"
        return {"known": "proved above", "mate": "mate"}[node["end"]]

    yield _moves(nodes)
    yield _column("then", nodes, follows, left=True)
    yield _column("mate in", nodes, lambda node: str(node["mate"]))


_COLUMNS = {ALPHA_BETA: _scored, PROOF_NUMBER: _numbered, CERTIFICATE: _proved}


def _number(number: int | None, none: str = "inf") -> str:
    return none if number is None or number > NEARLY_INFINITE else f"{number:,}"
