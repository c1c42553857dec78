"""A trace as text: the first plies of its tree, a line for each node."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from solver.kernel.border.scored_struct import MATE_SCORE, MATE_ZONE
from solver.laboratory.techniques import ALPHA_BETA, CERTIFICATE, PROOF_NUMBER
from solver.laboratory.traces import is_extended, steps_of
from solver.output.columns import Column, fit
from solver.output.text import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console, RenderableType

    from solver.laboratory.traces import Trace

INFINITY = "\N{INFINITY}"

NEARLY_INFINITE = 1 << 29
"""A threshold above this is infinity less the numbers of other nodes."""

PROOF_NUMBERS = ("pn", "dn", "pn_limit", "dn_limit")

MOST_ROWS = 1_000
"""The lines of a tree."""

NARROW_PLIES = 8
"""A deeper tree is indented by one column a ply instead of two."""

SENTENCES: dict[str, list[list[str]]] = tomllib.loads(
    files(__package__).joinpath("trace_words.toml").read_text(encoding="utf-8")
)
"""The table of sentences; a page of a trace has it too."""


class TraceWords:
    """What happens in a search, in words.

    `pages/modules/steps.mjs` has the same class. Both compute facts, and `SENTENCES`
    has what follows from them.

    Parameters
    ----------
    record : Mapping
        From `record_of`. Scores are as the attacker sees them: in alpha-beta, the side
        to move at the root.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        first, *_ = record["traces"]
        self.search: str = record["search"]
        self.first = first["log"]["kind"][:1] == ["defender"]
        black_attacks = (record["fen"].split()[1] == "b") != self.first
        self.sides = ("Black", "White") if black_attacks else ("White", "Black")

    def say(self, name: str, facts: Mapping[str, object]) -> str:
        """Return a sentence; empty if there is none of these facts."""
        return say(name, facts, SENTENCES)

    def search_facts(self, trace: Mapping[str, Any]) -> dict[str, Any]:
        """Return the facts of one search of the record."""
        attacker, defender = self.sides
        mate, nodes = trace["mate"], trace["nodes"] - trace["nodes_before"]
        return {
            **trace,
            self.search: True,
            "attacker": attacker,
            "defender": defender,
            "side": self.sides[self.first],
            "over": mate == 0,
            "mated": (mate or 0) < 0,
            "mate_in": abs(mate or 0),
            "one": nodes == 1,
            "nodes": nodes,
            "rows": 0 if trace["complete"] else len(trace["log"]["ply"]),
        }

    def node_facts(self, log: Mapping[str, Any], row: int) -> dict[str, Any]:
        """Return the facts of a visit once it has ended."""
        ply, end = log["ply"][row], log["end"][row]
        defends = bool((ply + self.first) % 2)
        to_go = log["mate" if "mate" in log else "depth"][row]
        about = {
            self.search: True,
            end: True,
            "left": end != "open",
            "leaf": max(log["ply"][row + 1 : row + 2], default=0) <= ply,
            "alone": not any(log["ply"]),
            "defender": defends,
            "name": log["san"][row] or "The root",
            "child": "".join(log["san"][row + 1 : row + 2]),
            "side": self.sides[defends],
            "other": self.sides[not defends],
            "attacker": self.sides[0],
            "ply": ply,
            "to_go": to_go,
            "one": to_go == 1,
            "check": log["san"][row][-1:] in {"+", "#"},
        }
        if "score" in log:
            about |= self._scored(log, row, defends=defends)
        elif "pn" in log:
            about["by_" + log["by"][row]] = True
            for name in PROOF_NUMBERS:
                number = proof_number(log[name][row])
                hidden = number == INFINITY and name.endswith("limit")
                about[name] = "" if hidden else number
        return about

    def _scored(
        self, log: Mapping[str, Any], row: int, *, defends: bool
    ) -> dict[str, Any]:
        names = ("alpha", "beta", "low", "high", "score")
        alpha, beta, low, high, score = (log[name][row] for name in names)
        ply, is_upper = log["ply"][row], low == alpha
        window, narrowed = (
            " to ".join(
                map(score_words, sorted((-end if defends else end) for end in ends))
            )
            for ends in ((alpha, beta), (low, high))
        )
        returned = -score if defends and score else score
        return {
            "extended": is_extended(log, row),
            "upper": is_upper,
            "fails_low": score is not None and score <= low,
            "mated": score is not None and MATE_ZONE <= abs(score) <= MATE_SCORE,
            "mate_ply": MATE_SCORE - abs(score or 0),
            "score": "" if score is None else score_words(returned),
            "window": window,
            "narrowed": narrowed if narrowed != window else "",
            "here": (ply + 1) // 2,
            "next": (ply + 2) // 2,
            "already": (MATE_SCORE - abs(alpha if is_upper else beta) + 1) // 2,
        }

    def sentence(self, log: Mapping[str, Any], row: int) -> str:
        """Say how a visit ended."""
        return self.say("sentence", self.node_facts(log, row))

    def step(self, log: Mapping[str, Any], number: int) -> str:
        """Say what happens at a step, counted from 1: a node is entered or left."""
        row, left = steps_of(log)[number - 1]
        return self.say("sentence", self.node_facts(log, row) | {"left": left})

    def short(self, log: Mapping[str, Any], row: int) -> str:
        """Say in few words how a visit ended, and whether its move was extended."""
        facts = self.node_facts(log, row)
        reason, _, _ = self.say("reason", facts).partition(":")
        extended = ", extended" if facts.get("extended") else ""
        return reason[0].lower() + reason[1:] + extended


COLUMNS = {
    ALPHA_BETA: [
        ("type", "{kind}", True, 3),
        ("depth", "{depth}", False, 4),
        ("window", "{window}", False, 1),
        ("narrowed to", "{narrowed}", False, 1),
        ("end", "{short}", True, 2),
        ("score", "{score}", False, 0),
    ],
    PROOF_NUMBER: [
        ("node", "{kind}", True, 1),
        ("left", "{depth}", False, 3),
        ("thresholds", "{limits}", False, 1),
        ("end", "{short}", True, 2),
        ("pn / dn", "{pn} / {dn}", False, 0),
    ],
    CERTIFICATE: [
        ("then", "{short}", True, 0),
        ("mate in", "{mate}", False, 0),
    ],
}
"""The columns after the moves: head, cell, left-aligned, and rank."""


def describe_trace(
    console: Console, record: Mapping[str, Any], number: int, plies: int
) -> Iterator[str | RenderableType]:
    """Describe a trace: a title, a table of the nodes, and what is missing.

    Parameters
    ----------
    console : Console
        A narrow one gets fewer columns.
    record : Mapping
        From `record_of`.
    number : int
        Which of its traces.
    plies : int
        The last ply that is shown.
    """
    words, trace = TraceWords(record), record["traces"][number]
    log = trace["log"]
    yield words.say("heading", words.search_facts(trace))
    rows = [
        row
        for row, ply in enumerate(log["ply"])
        if ply <= plies and log["kind"][row] != "update"
    ]
    nodes = [_cells(words, log, row) for row in rows[:MOST_ROWS]]
    deepest = max(node["ply"] for node in nodes)
    step = " " if deepest > NARROW_PLIES else "  "
    names = [step * node["ply"] + (node["san"] or "root") for node in nodes]
    moves = Column("move", names, left=True)
    columns = [
        Column(head, [cell.format_map(node) for node in nodes], left=left, rank=rank)
        for head, cell, left, rank in COLUMNS[words.search]
    ]
    yield fit(console, [moves, *(column for column in columns if any(column.cells))])
    if not any(log["ply"]):
        yield words.sentence(log, 0)
    if left_out := len(rows[MOST_ROWS:]):
        yield f"{left_out:,} entries at these plies are left out; --json has all."
    if deeper := sum(ply > plies for ply in log["ply"]):
        yield f"{deeper:,} deeper entries of the log are left out; --plies shows more."
    if step := trace["step"]:
        yield f"Step {step:,}: {words.step(log, step)}"


def opened_ply(trace: Trace) -> int:
    """Return the ply of the step at which a trace opens."""
    row, _ = steps_of(trace.log)[(trace.step or 1) - 1]
    return int(trace.log["ply"][row])


def _cells(words: TraceWords, log: Mapping[str, Any], row: int) -> dict[str, Any]:
    """Return what the columns show of a node; scores are for the side to move."""
    node = {name: values[row] for name, values in log.items()}
    is_child = node["kind"] == "child"
    node["short"] = "" if is_child else words.short(log, row)
    if "score" in log:
        ends = [score_words(node[name]) for name in ("alpha", "beta", "low", "high")]
        window, narrowed = " to ".join(ends[:2]), " to ".join(ends[2:])
        node["window"], node["narrowed"] = window, narrowed * (narrowed != window)
        node["score"] = "" if node["score"] is None else score_words(node["score"])
    elif "pn" in log:
        numbers = {name: proof_number(node[name]) for name in PROOF_NUMBERS}
        node |= numbers
        node["limits"] = "" if is_child else "{pn_limit} / {dn_limit}".format(**numbers)
    return node


def score_words(score: int) -> str:
    """Write a score or an end of a window; more than a mate at once is infinite."""
    if abs(score) > MATE_SCORE:
        return f"{'+' if score > 0 else '-'}{INFINITY}"
    return f"{score:,}"


def proof_number(number: int | None) -> str:
    """Write a proof number or a threshold."""
    if number is None or number > NEARLY_INFINITE:
        return INFINITY
    return f"{number:,}"
