"""Build the certificate of an answer, and write it to a file.

See docs/reference/certificate-format.md for the format.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from solver.certificate.proof_trees import build_mate, build_refutation
from solver.certificate.proving import (
    Budget,
    BuildingLimits,
    ProofContext,
    TooLargeError,
    WorkspaceProver,
)
from solver.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from solver.certificate.proving import Prover
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution

VERSION = 1

GZIP_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Certification:
    """The result of building a certificate.

    Attributes
    ----------
    certificate : Certificate or None
        None if nothing is proved, or every part is left out.
    left_out : tuple of str
        A line for each part that was left out because it exceeded a limit.
    """

    certificate: Certificate | None
    left_out: tuple[str, ...]


def certify_last(
    solution: Solution, workspace: Workspace, control: Control
) -> Certification:
    """Build the certificate of the last answer that was found in a workspace.

    Raises
    ------
    BuildingStoppedError
        `control` stopped it.
    """
    workspace.resume()
    control.attach(workspace.search)
    return certify(solution, WorkspaceProver(workspace))


def certify(
    solution: Solution, prover: Prover, limits: BuildingLimits | None = None
) -> Certification:
    """Build the certificate of an answer.

    Parameters
    ----------
    solution : Solution
        The bounds to prove: the mate, and that none takes fewer moves than
        `lower_bound`.
    prover : Prover
        Proves them again, node by node.
    limits : BuildingLimits, optional
        What each part may cost.

    Raises
    ------
    BuildingStoppedError
        The prover was stopped.
    """
    limits = limits or BuildingLimits()
    context = ProofContext.of(solution, prover)
    left_out: list[str] = []
    mate = refutation = None
    if solution.mate is not None:
        budget = Budget(limits.mate_nodes, "nodes", limits.time_s)
        mate = _build_part(build_mate, context, abs(solution.mate), budget, left_out)
    # With a restriction, the lower bound holds for the restricted attacker only.
    excluded = 0 if solution.restriction else solution.lower_bound - 1
    if excluded > 0:
        budget = Budget(limits.refutation_moves, "moves", limits.time_s)
        refutation = _build_part(build_refutation, context, excluded, budget, left_out)
    certificate = None
    if mate or refutation:
        fen = solution.problem.fen
        certificate = Certificate(fen, context.attacker, mate, refutation)
    return Certification(certificate, tuple(left_out))


def _build_part(
    build: Callable[[ProofContext, int, Budget], dict[str, Any]],
    context: ProofContext,
    moves: int,
    budget: Budget,
    left_out: list[str],
) -> dict[str, Any] | None:
    """Build a part, or note why it is left out."""
    try:
        return build(context, moves, budget)
    except TooLargeError as limit:
        what = "no mate" if build is build_refutation else "mate"
        left_out.append(f"the proof of {what} in {moves} is left out: {limit}")
        return None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proofs about a position.

    Attributes
    ----------
    fen : str
        The position.
    attacker : bool
        The side that mates, or does not; `chess.WHITE` or `chess.BLACK`.
    mate, refutation : mapping or None
        The two parts as JSON objects, at least one of them.
    """

    fen: str
    attacker: chess.Color
    mate: Mapping[str, Any] | None = None
    refutation: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object."""
        parts = {"mate": self.mate, "refutation": self.refutation}
        return {
            "certificate": VERSION,
            "fen": self.fen,
            "attacker": chess.COLOR_NAMES[self.attacker],
            **{name: part for name, part in parts.items() if part is not None},
        }

    def encode(self) -> bytes:
        """Return the document as JSON, with one node per line."""
        fields = (
            f"{json.dumps(name)}:{_encode_part(value)}"
            for name, value in self.document().items()
        )
        return ("{" + ",\n".join(fields) + "}\n").encode()


def _encode_part(value: object) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    fields = []
    for name, content in value.items():
        if name == "nodes":
            lines = ",\n".join(
                json.dumps(node, separators=(",", ":")) for node in content
            )
            text = f"[\n{lines}\n]" if content else "[]"
        else:
            text = json.dumps(content, separators=(",", ":"))
        fields.append(f"{json.dumps(name)}:{text}")
    return "{" + ",".join(fields) + "}"


def write(data: bytes, path: Path) -> None:
    """Write a file atomically, compressed if its name ends in .gz.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    if path.suffix == ".gz":
        data = gzip.compress(data, GZIP_LEVEL, mtime=0)
    write_whole(path, data)
