"""Traces: one search, node by node, as the kernel logged it.

A trace shows the laboratory's search, the df-pn search or a certificate.
docs/reference/trace.md describes the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from solver.board import pack
from solver.certificate.build import certify
from solver.certificate.proving import WorkspaceProver
from solver.errors import InputError
from solver.kernel.border.interface import Verdict
from solver.laboratory.mate_scores import DEEPEST, mate_distance, score_value
from solver.laboratory.node_log import LOG_NODES, Columns, MoveWriter, NodeLog, Place
from solver.search.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import chess

    from solver.laboratory.iterative_deepening import Laboratory, Runner
    from solver.laboratory.mate_scores import Iteration
    from solver.laboratory.techniques import Variant
    from solver.search.threads import Control
    from solver.solution import Solution

ALPHA_BETA, PROOF_NUMBER, CERTIFICATE = "alpha-beta", "proof-number", "certificate"
SEARCHES = (ALPHA_BETA, PROOF_NUMBER, CERTIFICATE)

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
    is_complete : bool
        The log has all nodes that it should have.
    only_cuts : bool
        What is below nodes without a cut by mate-distance pruning is left out.
    is_stopped : bool
        A limit or an interrupt stopped the search.
    log : Columns
    iterations : tuple of Iteration
        Those that were completed; of alpha-beta only.
    """

    name: str
    depth: int
    mate: int | None
    nodes: int
    nodes_before: int
    is_complete: bool
    only_cuts: bool
    is_stopped: bool
    log: Columns
    iterations: tuple[Iteration, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready record."""
        record: dict[str, Any] = {
            "name": self.name,
            "depth": self.depth,
            "mate": self.mate,
            "nodes": self.nodes,
            "nodes_before": self.nodes_before,
            "complete": self.is_complete,
            "only_cuts": self.only_cuts,
            "stopped": self.is_stopped,
        }
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
    """
    log = NodeLog(laboratory.search, only_cuts=only_cuts)
    iterations: list[Iteration] = []

    def noted() -> Iterator[Iteration]:
        deepest = depth or DEEPEST
        for iteration in runner.deepen(board, variant.techniques, deepest):
            iterations.append(iteration)
            yield iteration

    if depth:
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
        is_complete=not log.is_full,
        only_cuts=only_cuts,
        is_stopped=not is_over,
        log=log.scored_nodes(pack(board), black=not board.turn),
        iterations=tuple(iterations),
    )


def trace_numbers(
    board: chess.Board,
    mate: int,
    control: Control,
    *,
    nodes: int | None = None,
    stepwise: bool = False,
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
    """
    workspace = Workspace(HASH_MIB)
    workspace.begin(nodes)
    workspace.search.is_stepwise = stepwise
    control.attach(workspace.search)
    log = NodeLog(workspace.search)
    position, attacking = pack(board), mate > 0
    verdict = workspace.search_dfpn(position, abs(mate), attacking=attacking)
    return Trace(
        "mate in " + str(abs(mate)),
        abs(mate),
        mate if verdict == Verdict.MATE else None,
        nodes=workspace.search.nodes,
        nodes_before=0,
        is_complete=not log.is_full,
        only_cuts=False,
        is_stopped=verdict == Verdict.STOPPED,
        log=log.numbered_nodes(position, black=not board.turn, attacking=attacking),
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
    root = Place(MoveWriter(), pack(board), black=not board.turn)
    walk.go(root, attacking=solution.mate > 0)
    return Trace(
        "certificate",
        walk.mate,
        solution.mate,
        nodes=len(found.certificate.mate["nodes"]),
        nodes_before=0,
        is_complete=not walk.is_full,
        only_cuts=False,
        is_stopped=False,
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
        after, san = place.after_uci(attack)
        end = "moves" if replies else "mate"
        self._note(ply + 1, (attack, san), "defender", bound - 1, end)
        self._defend(replies, after, ply + 1)

    def _defend(self, replies: dict[str, int], place: Place, ply: int) -> None:
        """Note every reply, the ones that hold out longest first."""
        ranked = sorted(replies.items(), key=lambda pair: -self._bounds[pair[1]])
        for reply, number in ranked:
            after, san = place.after_uci(reply)
            self._attack(number, after, ply + 1, (reply, san))


def record_of(fen: str, search: str, traces: list[Trace]) -> dict[str, Any]:
    """Return the JSON-ready record of traces that are shown side by side."""
    return {
        "schema": 1,
        "fen": fen,
        "search": search,
        "traces": [trace.to_dict() for trace in traces],
    }
