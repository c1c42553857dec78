"""Check the proof that there is no mate: every move of the attacker, one reply each."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver.checker.chess_rules import (
    Key,
    has_king_alone,
    legal_move,
    mate_in_one,
    moves_of,
    require_exactly,
    was_replayed,
)
from solver.checker.document import (
    as_array,
    as_number,
    as_object,
    require_names,
    shown,
)
from solver.errors import CertificateError, ForgeryError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess


class Answer(NamedTuple):
    """The reply that refutes a move, and the node that follows.

    Without a reply the defender is stalemated. Without a node the attacker has no mate
    in one, or only its king.
    """

    reply: str | None
    node: int | None


Node: TypeAlias = dict[str, Answer]
"""The answer to each move of the attacker."""


def check_refutation(
    board: chess.Board, part: Any, *, attacking: bool
) -> tuple[int, int]:
    """Check the proof that there is no mate within a number of moves.

    A node whose shortest path from the root has d moves must hold for `moves - d`
    moves. That number decreases along every line, so the nodes may form cycles.

    Parameters
    ----------
    board : chess.Board
        The position; not changed.
    part : object
        The `refutation` part of the certificate.
    attacking : bool
        Whether the side to move is the attacker.

    Returns
    -------
    moves : int
        The attacker does not mate within this many moves.
    positions : int
        The number of nodes replayed, and of positions searched for a mate in one.

    Raises
    ------
    CertificateError
        The part is not in the format.
    ForgeryError
        It is not a proof.
    """
    fields = as_object(part, "refutation")
    names = {"moves", "nodes"}
    required = names if attacking else names | {"reply"}
    require_names(fields, "refutation", required, set())
    moves = as_number(fields["moves"], "refutation: moves", 1)
    raw = as_array(fields["nodes"], "refutation: nodes")
    nodes = [_parse_node(node, number, len(raw)) for number, node in enumerate(raw)]
    start = Answer(None, 0 if nodes else None)
    if not attacking:
        start = _parse_answer(fields["reply"], "refutation: reply", len(nodes))
    replay = _Replay(board, nodes, start, moves, attacking=attacking)
    return moves, replay.positions


def _parse_node(raw: Any, number: int, size: int) -> Node:
    where = _name(number)
    return {
        attack: _parse_answer(answer, f"{where}: move {shown(attack)}", size)
        for attack, answer in as_object(raw, where).items()
    }


def _parse_answer(raw: Any, where: str, size: int) -> Answer:
    match raw:
        case None:
            return Answer(None, None)
        case str():
            return Answer(raw, None)
        case [str(reply), node]:
            if as_number(node, where, 0) >= size:
                msg = f"{where}: expected a node below {size}, found {shown(node)}"
                raise ForgeryError(msg)
            return Answer(reply, node)
    msg = (
        f"{where}: expected null, a reply, or an array of a reply and a node, "
        f"found {shown(raw)}"
    )
    raise CertificateError(msg)


class _Replay:
    """Plays all moves, and requires that a shared node always has the same position."""

    def __init__(
        self,
        board: chess.Board,
        nodes: list[Node],
        start: Answer,
        moves: int,
        *,
        attacking: bool,
    ) -> None:
        self._attacker = board.turn if attacking else not board.turn
        self._nodes = nodes
        self._uses = [0] * len(nodes)
        self.positions = len(nodes)
        distances = self._measure(start)
        board = board.copy(stack=False)
        if not attacking and not self._play(board, start, "refutation: reply"):
            return
        ahead: list[tuple[int, chess.Board]] = []
        if start.node is None:
            self._check_end(board, moves, "refutation")
        else:
            ahead.append((start.node, board))
        shared: dict[str, Key] = {}
        while ahead:
            number, board = ahead.pop()
            is_shared = self._uses[number] > 1
            if is_shared and was_replayed(board, _name(number), shared):
                continue
            ahead.extend(self._visit(number, board, moves - distances[number] - 1))

    def _measure(self, start: Answer) -> list[int]:
        """Count the fewest moves that lead to each node; refuse an unreachable node."""
        distances = [-1] * len(self._nodes)
        ahead: deque[int] = deque()
        if start.node is not None:
            self._uses[start.node] = 1
            distances[start.node] = 0
            ahead.append(start.node)
        while ahead:
            number = ahead.popleft()
            for _, child in self._nodes[number].values():
                if child is None:
                    continue
                self._uses[child] += 1
                if distances[child] < 0:
                    distances[child] = distances[number] + 1
                    ahead.append(child)
        if -1 in distances:
            where = _name(distances.index(-1))
            msg = f"{where}: expected a move that leads to this node, found none"
            raise ForgeryError(msg)
        return distances

    def _visit(
        self, number: int, board: chess.Board, moves: int
    ) -> Iterator[tuple[int, chess.Board]]:
        """Yield each node that follows, where the attacker has `moves` left."""
        node = self._nodes[number]
        legal = moves_of(board)
        require_exactly(node, legal, "move", _name(number))
        for attack, answer in node.items():
            where = f"{_name(number)}: move {attack}"
            after = board.copy(stack=False)
            after.push(legal[attack])
            if not self._play(after, answer, where):
                continue
            if answer.node is None:
                self._check_end(after, moves, where)
            else:
                yield answer.node, after

    def _play(self, board: chess.Board, answer: Answer, where: str) -> bool:
        """Play the reply; return False if there is none because of stalemate."""
        if answer.reply is not None:
            board.push(legal_move(board, answer.reply, f"{where}: reply"))
            return True
        if any(board.legal_moves):
            msg = f"{where}: expected a reply, found none"
            raise ForgeryError(msg)
        if board.is_check():
            msg = f"{where}: expected no mate, found mate"
            raise ForgeryError(msg)
        return False

    def _check_end(self, board: chess.Board, moves: int, where: str) -> None:
        """Require that a position without a node has no mate within `moves`."""
        self.positions += 1
        if has_king_alone(board, self._attacker):
            return
        if moves > 1:
            msg = f"{where}: expected a node with {moves} moves left, found none"
            raise ForgeryError(msg)
        if mate := mate_in_one(board):
            msg = f"{where}: expected no mate in one, found {mate.uci()}: {board.fen()}"
            raise ForgeryError(msg)


def _name(number: int) -> str:
    return f"refutation: node {number}"
