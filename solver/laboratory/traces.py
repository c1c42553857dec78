"""Traces: one search, node by node, as the kernel logged it.

A trace shows the laboratory's search, the df-pn search or a certificate. A column of
its log is a list with an entry for each node, in the order in which the search entered
them. docs/reference/trace.md describes the record and the columns.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.board import MoveWriter, Place, pack_board
from solver.certificate.build import WorkspaceProver, certify
from solver.errors import InputError
from solver.kernel.border import interface
from solver.kernel.border.search_struct import LogEnd, LoggedNode, LogKind, Search
from solver.laboratory.techniques import (
    DEEPEST,
    EXTENSION,
    mate_distance,
    score_value,
)
from solver.search.workspaces import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import chess

    from solver.kernel.border.search_struct import PositionStruct
    from solver.laboratory.iterative_deepening import Laboratory, Runner
    from solver.laboratory.techniques import Iteration, Variant
    from solver.search.threads import Control
    from solver.solution import Solution


# The log

LOG_NODES = 100_000
"""The entries of a log. When it is full, it keeps the first part of the tree."""

INFINITE = (1 << 30) - 1
"""The kernel's infinite proof number."""

PASS, NO_MOVE = ("0000", "--"), ("", "")
"""A null move, and the move before the first position, in UCI and SAN."""

Columns = dict[str, list[Any]]


def is_extended(log: Mapping[str, Any], row: int) -> bool:
    """Whether the move to a node of the laboratory's search cost no depth."""
    ply, depth = log["ply"], log["depth"]
    parent = row - 1
    while parent >= 0 and ply[parent] >= ply[row]:
        parent -= 1
    return parent >= 0 and depth[row] >= depth[parent]


def steps_of(log: Mapping[str, Any]) -> list[tuple[int, bool]]:
    """Return the row of each step of a trace's page, and whether the node is left then.

    A step enters a node, leaves it or updates its numbers; a node without visits below
    it is entered and left in one; pages/modules/steps.mjs has the same.
    """
    steps: list[tuple[int, bool]] = []
    visits: list[int] = []

    def leave(least: int) -> None:
        while len(visits) > least:
            row = visits.pop()
            if log["end"][row] == "open":
                continue
            if steps[-1][0] == row:
                steps.pop()
            steps.append((row, True))

    for row, (ply, kind) in enumerate(zip(log["ply"], log["kind"], strict=True)):
        leave(ply + (kind == "update"))
        if kind != "child":
            steps.append((row, False))
        if kind not in {"child", "update"}:
            visits.append(row)
    leave(0)
    return steps


def find_step(log: Mapping[str, Any], until: str) -> int | None:
    """Return the first step, from 1, that leaves a node by this end.

    `EXTENSION`: that enters a node whose move cost no depth.
    """
    for number, (row, left) in enumerate(steps_of(log), 1):
        if until == EXTENSION:
            is_found = is_extended(log, row)
        else:
            is_found = left and log["end"][row] == until
        if is_found:
            return number
    return None


class NodeLog:
    """The log of one search at a time.

    Parameters
    ----------
    search : Search
        The search that writes it.
    room : int
        Its entries.
    only_cuts : bool
        Leave out what is below a node without a cut by mate-distance pruning.
    """

    def __init__(
        self, search: Search, room: int = LOG_NODES, *, only_cuts: bool = False
    ) -> None:
        self._search = search
        self._memory = (LoggedNode * room)()
        search.log = ctypes.addressof(self._memory)
        search.log_room = room
        search.log_size = search.log_cuts = 0
        search.log_only_cuts = only_cuts

    @property
    def is_full(self) -> bool:
        """Whether nodes may be missing."""
        return bool(self._search.log_size >= self._search.log_room)

    def scored_nodes(self, position: PositionStruct, *, black: bool) -> Columns:
        """Return the columns of the laboratory's search.

        Parameters
        ----------
        position : Position
            The root.
        black : bool
            Whether Black is to move there.
        """
        nodes = self._nodes()
        is_open = nodes["end"] == LogEnd.OPEN
        scores: list[int | None] = nodes["score"].tolist()
        for index in np.flatnonzero(is_open):
            scores[index] = None
        return {
            **_common(nodes, position, black=black),
            "kind": _names(LogKind, nodes["kind"]),
            "alpha": nodes["given"][:, 0].tolist(),
            "beta": nodes["given"][:, 1].tolist(),
            "low": nodes["own"][:, 0].tolist(),
            "high": nodes["own"][:, 1].tolist(),
            "score": scores,
            "end": _names(LogEnd, nodes["end"]),
        }

    def numbered_nodes(
        self, position: PositionStruct, *, black: bool, attacking: bool
    ) -> Columns:
        """Return the columns of the df-pn search.

        Parameters
        ----------
        position : Position
            The root.
        black : bool
            Whether Black is to move there.
        attacking : bool
            Whether that side attacks.
        """
        nodes = self._nodes()
        # phi is the proof number where the attacker is to move, else the disproof
        # number.
        is_attacker = (nodes["ply"] % 2 == 0) == attacking
        is_visit = nodes["kind"] < LogKind.CHILD
        columns = {
            **_common(nodes, position, black=black),
            "kind": _names(LogKind, nodes["kind"]),
        }
        for name, pair, shown in (
            ("_limit", nodes["given"], is_visit),
            ("", nodes["own"], np.ones_like(is_visit)),
        ):
            for side, own in (("pn", is_attacker), ("dn", ~is_attacker)):
                numbers = np.where(own, pair[:, 0], pair[:, 1])
                is_shown = shown & (numbers < INFINITE)
                columns[side + name] = [
                    number if known else None
                    for number, known in zip(
                        numbers.tolist(), is_shown.tolist(), strict=True
                    )
                ]
        columns |= _endings(nodes, columns, self._search.nodes)
        return columns

    def find_step(self, until: str) -> int | None:
        """Return the step of the laboratory's search that `find_step` finds."""
        nodes = self._nodes()
        names = {"kind": _names(LogKind, nodes["kind"])}
        names["end"] = _names(LogEnd, nodes["end"])
        numbers = {name: nodes[name].tolist() for name in ("ply", "depth")}
        return find_step(names | numbers, until)

    def _nodes(self) -> Any:
        """Return the entries as a structured array that shares their memory."""
        entries = np.frombuffer(
            memoryview(self._memory).cast("B"), np.dtype(LoggedNode)
        )
        return entries[: self._search.log_size]


def _common(nodes: Any, position: PositionStruct, *, black: bool) -> Columns:
    """Return the columns that all logs have."""
    plies, moves = nodes["ply"].tolist(), nodes["move"].tolist()
    is_update = (nodes["kind"] == LogKind.UPDATE).tolist()
    line = [Place(MoveWriter(), position, black=black)]
    names: list[tuple[str, str]] = []
    for ply, move, updates in zip(plies, moves, is_update, strict=True):
        if updates:  # the move is the best child's
            names.append(_names_of(line[ply], move, NO_MOVE))
            continue
        del line[max(ply, 1) :]
        if ply:
            names.append(_names_of(line[-1], move, PASS))
            line.append(line[-1].after(move))
        else:
            names.append(NO_MOVE)
    return {
        "ply": plies,
        "uci": [uci for uci, _ in names],
        "san": [san for _, san in names],
        "depth": nodes["depth"].tolist(),
        "nodes": nodes["nodes"].tolist(),
    }


def _names_of(place: Place, move: int, other: tuple[str, str]) -> tuple[str, str]:
    """Return a legal move in UCI and SAN; `other` for a null move."""
    row = place.name(move) if move else None
    return (row.uci, row.san) if row else other


def _names(enum: type[LogKind | LogEnd], numbers: Any) -> list[str]:
    words = {member.value: member.name.lower().replace("_", "-") for member in enum}
    return [words[number] for number in numbers.tolist()]


def _endings(nodes: Any, columns: Columns, nodes_in_all: int) -> Columns:
    """Say how each visit ended, and what decided a node without children."""
    ends, decided_by = [], []
    kinds, plies = columns["kind"], [*columns["ply"], 0]
    before = [*columns["nodes"], nodes_in_all]
    for index, kind in enumerate(kinds):
        end = by = ""
        if kind not in {"child", "update"}:
            proof, disproof = columns["pn"][index], columns["dn"][index]
            is_open = nodes["end"][index] == LogEnd.OPEN
            if is_open or proof == disproof == 0:
                end = "stopped"
            else:
                ends_by_number = {proof: "proved", disproof: "disproved"}
                end = ends_by_number.get(0, "threshold")
                entered = before[index + 1] - before[index]
                by = "table" if entered <= 1 else "prover"
                if plies[index + 1] > plies[index] or kinds[index + 1 :][:1] == [
                    "update"
                ]:
                    by = "moves"
        ends.append(end)
        decided_by.append(by)
    return {"end": ends, "by": decided_by}


# Traces

HASH_MIB = 16
"""The table of the df-pn search, which begins empty."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One search, node by node.

    Attributes
    ----------
    name : str
        The variant or the search.
    depth : int
        Plies of the iteration that the log has, or n of "mate in n".
    mate : int or None
        The answer; negative: the side to move is mated.
    nodes : int
        Nodes of the whole search, as `table` and `solve` count them.
    nodes_before : int
        Nodes of the iterations before the one that the log has.
    complete : bool
        The log has all nodes that it should have.
    only_cuts : bool
        What is below nodes without a cut by mate-distance pruning is left out.
    stopped : bool
        A limit or an interrupt stopped the search.
    step : int or None
        The step at which a page opens, from 1; None: the first.
    log : Columns
    iterations : tuple of Iteration
        Those that were completed; of alpha-beta only.
    """

    name: str
    depth: int
    mate: int | None
    nodes: int
    nodes_before: int = field(default=0, kw_only=True)
    complete: bool
    only_cuts: bool = field(default=False, kw_only=True)
    stopped: bool = field(default=False, kw_only=True)
    step: int | None = field(default=None, kw_only=True)
    log: Columns
    iterations: tuple[Iteration, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready record."""
        record = {field.name: getattr(self, field.name) for field in fields(self)[:-2]}
        if self.iterations:
            record["iterations"] = [
                {
                    "depth": each.depth,
                    "score": score_value(each.score),
                    "nodes": each.nodes,
                    "nodes_total": each.nodes_total,
                }
                for each in self.iterations
            ]
        return record | {"log": self.log}


def trace_scores(
    runner: Runner,
    laboratory: Laboratory,
    board: chess.Board,
    variant: Variant,
    depth: int | None,
    *,
    only_cuts: bool = False,
    until: str | None = None,
) -> Trace:
    """Trace the last iteration of the laboratory's search.

    Parameters
    ----------
    runner : Runner
        Runs the search, and stops it.
    laboratory : Laboratory
        The one that it runs.
    board : chess.Board
    variant : Variant
        The techniques.
    depth : int or None
        The last iteration; None: the one that finds the shortest mate, at most
        `DEEPEST`.
    only_cuts : bool
        See `NodeLog`.
    until : str or None
        One of `techniques.ENDS`, at whose first step the trace opens. Without a depth,
        the first iteration that has it is the last.
    """
    log = NodeLog(laboratory.search, only_cuts=only_cuts)
    iterations: list[Iteration] = []
    deepest = depth or DEEPEST

    def noted() -> Iterator[Iteration]:
        for iteration in runner.deepen(board, variant.techniques, deepest):
            iterations.append(iteration)
            yield iteration

    if until and not depth:
        is_found = any(log.find_step(until) for _ in noted())
        is_over = is_found or len(iterations) == deepest
    elif depth:
        is_over = len(list(noted())) == depth
    else:
        is_over = laboratory.find_mate(noted(), variant.techniques, DEEPEST).complete
    logged = len(iterations) + (not is_over)
    earlier = iterations[: logged - 1]
    last = iterations[-1] if iterations else None
    return Trace(
        variant.name,
        logged,
        mate_distance(last.score) if last else None,
        nodes=laboratory.search.nodes,
        nodes_before=earlier[-1].nodes_total if earlier else 0,
        complete=not log.is_full,
        only_cuts=only_cuts,
        stopped=not is_over,
        step=log.find_step(until) if until else None,
        log=log.scored_nodes(pack_board(board), black=not board.turn),
        iterations=tuple(iterations),
    )


def trace_numbers(
    board: chess.Board,
    mate: int,
    control: Control,
    *,
    nodes: int | None = None,
    stepwise: bool = False,
    until: str | None = None,
) -> Trace:
    """Trace the df-pn search for a mate in n, with an empty table.

    Parameters
    ----------
    board : chess.Board
    mate : int
        n, in moves of the attacker; negative: the side to move defends.
    control : Control
        Stops the search.
    nodes : int or None
        Its limit.
    stepwise : bool
        Search the last two moves too, which are the prover's otherwise.
    until : str or None
        One of `techniques.ENDS`, at whose first step the trace opens.
    """
    workspace = Workspace(HASH_MIB)
    workspace.begin(nodes)
    workspace.search.is_stepwise = stepwise
    control.attach(workspace.search)
    log = NodeLog(workspace.search)
    position, attacking = pack_board(board), mate > 0
    verdict = workspace.search_dfpn(position, abs(mate), attacking=attacking)
    columns = log.numbered_nodes(position, black=not board.turn, attacking=attacking)
    return Trace(
        "mate in " + str(abs(mate)),
        abs(mate),
        mate if verdict == interface.Decision.MATE else None,
        nodes=workspace.search.nodes,
        complete=not log.is_full,
        stopped=verdict == interface.Decision.STOPPED,
        step=find_step(columns, until) if until else None,
        log=columns,
    )


def trace_certificate(
    board: chess.Board, solution: Solution, control: Control
) -> Trace:
    """Trace the proof of a mate: some move of the attacker, every reply.

    Parameters
    ----------
    board : chess.Board
    solution : Solution
        Its mate is proved again.
    control : Control
        Stops the prover.

    Raises
    ------
    InputError
        The proof is too large.
    BuildingStoppedError
        The prover was stopped.
    """
    assert solution.mate is not None
    workspace = Workspace(HASH_MIB)
    workspace.begin(None)
    control.attach(workspace.search)
    found = certify(solution, WorkspaceProver(workspace))
    if found.certificate is None or found.certificate.mate is None:
        raise InputError("; ".join(found.left_out))
    walk = _CertificateWalk(found.certificate.mate)
    walk.go(Place.of(board), attacking=solution.mate > 0)
    return Trace(
        "certificate",
        walk.mate,
        solution.mate,
        nodes=len(found.certificate.mate["nodes"]),
        complete=not walk.is_full,
        log=walk.columns,
    )


class _CertificateWalk:
    """The positions of a certificate depth first; each is entered once."""

    def __init__(self, part: Mapping[str, Any]) -> None:
        self._nodes: list[tuple[str, dict[str, int]]] = part["nodes"]
        self._replies: dict[str, int] = part.get("replies", {})
        self.mate: int = part["moves"]
        self._bounds = [0] * len(self._nodes)
        for number in range(len(self._nodes) - 1, -1, -1):
            replies = self._nodes[number][1].values()
            self._bounds[number] = 1 + max(
                map(self._bounds.__getitem__, replies), default=0
            )
        self._seen: set[int] = set()
        self.columns: Columns = {
            name: []
            for name in ("ply", "uci", "san", "depth", "nodes", "kind", "mate", "end")
        }

    @property
    def is_full(self) -> bool:
        """Whether the log has no room for another node."""
        return len(self.columns["ply"]) >= LOG_NODES

    def go(self, root: Place, *, attacking: bool) -> None:
        """Walk from the root."""
        if attacking:
            self._attack(0, root, 0, ("", ""))
        else:
            self._note(
                0, ("", ""), "defender", self.mate, "moves" if self._replies else "mate"
            )
            self._defend(self._replies, root, 0)

    def _note(
        self, ply: int, move: tuple[str, str], kind: str, mate: int, end: str
    ) -> None:
        values = (ply, *move, mate, len(self._seen), kind, mate, end)
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)

    def _attack(
        self, number: int, place: Place, ply: int, move: tuple[str, str]
    ) -> None:
        """Note an attacker node, its move, and what follows."""
        if self.is_full:
            return
        bound, known = self._bounds[number], number in self._seen
        self._note(ply, move, "attacker", bound, "known" if known else "moves")
        if known:
            return
        self._seen.add(number)
        attack, replies = self._nodes[number]
        row = place.moves[attack]
        end = "moves" if replies else "mate"
        self._note(ply + 1, (attack, row.san), "defender", bound - 1, end)
        self._defend(replies, place.after(row.word), ply + 1)

    def _defend(self, replies: dict[str, int], place: Place, ply: int) -> None:
        """Note every reply, the ones that hold out longest first."""
        ranked = sorted(replies.items(), key=lambda pair: -self._bounds[pair[1]])
        for reply, number in ranked:
            row = place.moves[reply]
            after = place.after(row.word)
            self._attack(number, after, ply + 1, (reply, row.san))


def record_of(fen: str, search: str, traces: list[Trace]) -> dict[str, Any]:
    """Return the JSON-ready record of traces that are shown side by side."""
    return {
        "schema": 1,
        "fen": fen,
        "search": search,
        "traces": [trace.to_dict() for trace in traces],
    }
