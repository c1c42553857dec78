"""Certificates as MateBench reads them: one claim, on one line of JSON.

They are made from the program's own certificates, and list more: a mate is a tree
without shared nodes, and its absence has every move of the attacker down to its last
one, also where it has only its king. See docs/reference/certificate-format.md.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import chess

from solver.certificate import build
from solver.errors import BuildingStoppedError, TooLargeError
from solver.problem import MAX_MOVES
from solver.search.threads import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from solver.search.threads import Control

FORMATS = ("matesolve", "matebench")

ABSENCE = "matebench-absence-1"
MINIMALITY = "matebench-minimality-1"


def encode_claim(
    certification: build.Certification, form: str, control: Control
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return a certificate in one of `FORMATS`, and what is left out.

    For MateBench it is the strongest claim that fits: minimality, the mate alone if
    shorter ones are not excluded, or absence if there is no mate.

    Returns
    -------
    data : bytes or None
        None if there is nothing to write.
    left_out : tuple of str
        A line for each part that is left out.

    Raises
    ------
    BuildingStoppedError
        `control` stopped it.
    """
    certificate, left_out = certification.certificate, certification.left_out
    if certificate is None:
        return None, left_out
    if form == FORMATS[0]:
        return certificate.encode(), left_out
    board = chess.Board(certificate.fen)
    if board.turn != certificate.attacker:
        return None, (*left_out, "MateBench has no claims about the side that defends")
    fen, mate, refutation = board.epd(), certificate.mate, certificate.refutation
    tree = absence = None
    n = excluded = refutation["moves"] if refutation else 0
    try:
        if mate is not None:
            n, tree = mate["moves"], _mate_tree(mate)
        if refutation and n <= excluded + 1:
            absence = _Absence(refutation, control).encode(board)
    except TooLargeError as limit:
        left_out = (*left_out, f"a proof for MateBench is left out: {limit}")
    if tree and (absence or n == 1):
        head = _dump({"format": MINIMALITY, "n": n, "mate": tree})
        proof = f'{head[:-1]},"no_shorter":{absence or "null"}}}'
        return _claim(fen, "minimality", n, proof), left_out
    if tree:
        return f"{_dump({'fen': fen, **tree})}\n".encode(), left_out
    claim = _claim(fen, "absence", excluded, absence) if absence else None
    return claim, left_out


def _claim(fen: str, claim: str, n: int, certificate: str) -> bytes:
    head = _dump({"fen": fen, "claim": claim, "n": n})
    return f'{head[:-1]},"certificate":{certificate}}}\n'.encode()


def _dump(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _mate_tree(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return the proof of a mate in MateProver's format, whose nodes are not shared.

    Replies lead to higher numbers, so the last node comes first.
    """
    if part["moves"] > MAX_MOVES:  # readers of JSON limit how deep it nests
        msg = f"more than {MAX_MOVES} moves"
        raise TooLargeError(msg)
    sizes: dict[int, int] = {}
    trees: dict[int, dict[str, Any]] = {}
    for number, (attack, replies) in reversed([*enumerate(part["nodes"])]):
        sizes[number] = 1 + sum(sizes[child] for child in replies.values())
        trees[number] = (
            {
                "a": attack,
                "d": [
                    {"r": reply, "p": trees[child]} for reply, child in replies.items()
                ],
            }
            if replies
            else {"a": attack, "mate": True}
        )
    Budget(build.MATE_NODES, "nodes", build.BUILDING_S).spend(sizes[0])
    return trees[0]


class _Absence:
    """Writes the proof that there is no mate within a number of moves.

    A node lists the attacker's moves in a position with a number of moves left, and
    refers to the nodes that follow. Nodes with the same content are one, even if their
    positions differ: the format checks each use by itself.

    Parameters
    ----------
    part : mapping
        The `refutation` of a certificate.
    control : Control
        Stops it.
    """

    def __init__(self, part: Mapping[str, Any], control: Control) -> None:
        self._control = control
        self._moves: int = part["moves"]
        self._answers: list[dict[str, Any]] = part["nodes"]
        self._budget = Budget(build.REFUTATION_MOVES, "moves", build.BUILDING_S)
        self._known: dict[tuple[str, int], int] = {}
        self._nodes: dict[str, int] = {}

    def encode(self, board: chess.Board) -> str:
        """Return the proof from a position, which is not changed."""
        root = self._number(board, 0 if self._answers else None, self._moves)
        head = _dump({"format": ABSENCE, "k": self._moves, "proof": {"ref": f"{root}"}})
        nodes = ",".join(f'"{number}":{node}' for node, number in self._nodes.items())
        return f'{head[:-1]},"nodes":{{{nodes}}}}}'

    def _number(self, board: chess.Board, answers: int | None, left: int) -> int:
        """Return the number of the node of a position with this many moves left."""
        use = board.epd(), left
        if use in self._known:
            return self._known[use]
        entries = [
            {"a": attack}
            if reply is None
            else {"a": attack, "r": reply, "p": {"ref": f"{number}"}}
            for attack, reply, number in self._refuted(board, answers, left)
        ]
        node = _dump({"m": entries})
        if node not in self._nodes:
            self._budget.spend(len(entries))
        self._known[use] = self._nodes.setdefault(node, len(self._nodes))
        return self._known[use]

    def _refuted(
        self, board: chess.Board, answers: int | None, left: int
    ) -> Iterator[tuple[str, str | None, int | None]]:
        """Yield each attack, its reply if one is needed, and the node that follows."""
        self._budget.check_time()
        if self._control.reason is not None:
            raise BuildingStoppedError
        if left == 1:
            yield from ((move.uci(), None, None) for move in board.legal_moves)
            return
        for attack, answer in self._attacks(board, answers):
            if answer is None:
                yield attack, None, None
                continue
            reply, following = (answer, None) if isinstance(answer, str) else answer
            board.push_uci(attack)
            board.push_uci(reply)
            yield attack, reply, self._number(board, following, left - 1)
            board.pop()
            board.pop()

    def _attacks(
        self, board: chess.Board, answers: int | None
    ) -> Iterator[tuple[str, Any]]:
        """Yield each attack and the answer to it.

        In a position without a node the attacker has only its king, so that any reply
        will do.
        """
        if answers is not None:
            yield from self._answers[answers].items()
            return
        for move in [*board.legal_moves]:
            board.push(move)
            reply = next((reply.uci() for reply in board.legal_moves), None)
            board.pop()
            yield move.uci(), reply
