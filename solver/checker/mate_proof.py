"""Check the proof of a mate: one move of the attacker, every reply of the defender."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver.checker.chess_rules import (
    Key,
    legal_move,
    moves_of,
    require_exactly,
    was_replayed,
)
from solver.checker.document import (
    as_array,
    as_number,
    as_object,
    as_text,
    require_names,
    shown,
)
from solver.errors import ForgeryError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

Replies: TypeAlias = dict[str, int]
"""Each reply, and the number of the node that answers it."""


class Node(NamedTuple):
    """A position with the attacker to move."""

    attack: str
    replies: Replies


def check_mate(board: chess.Board, part: Any, *, attacking: bool) -> tuple[int, int]:
    """Check the proof of a mate.

    Every reply leads to a node with a higher number. So the nodes form no cycle, and a
    node is proved once all later nodes are proved.

    Parameters
    ----------
    board : chess.Board
        The position; not changed.
    part : object
        The `mate` part of the certificate.
    attacking : bool
        Whether the side to move is the attacker.

    Returns
    -------
    moves : int
        The attacker mates within this many moves; fewer are not excluded.
    positions : int
        The number of nodes replayed.

    Raises
    ------
    CertificateError
        The part is not in the format.
    ForgeryError
        It is not a proof.
    """
    fields = as_object(part, "mate")
    names = {"moves", "nodes"}
    require_names(fields, "mate", names if attacking else names | {"replies"}, set())
    stated = as_number(fields["moves"], "mate: moves", 1 if attacking else 0)
    raw = as_array(fields["nodes"], "mate: nodes")
    nodes = [_parse_node(node, number, len(raw)) for number, node in enumerate(raw)]
    if attacking:
        start = None
        if not nodes:
            msg = "mate: nodes: expected at least one, found none"
            raise ForgeryError(msg)
    else:
        start = _parse_replies(fields["replies"], "mate: replies", -1, len(nodes))

    uses = _count_uses(nodes, start)
    moves = _longest(nodes, start)
    if moves != stated:
        msg = f"mate: moves: expected {moves}, as in the nodes, found {stated}"
        raise ForgeryError(msg)
    _replay(board, nodes, start, uses)
    return moves, len(nodes)


def _parse_node(raw: Any, number: int, size: int) -> Node:
    where = _name(number)
    attack, replies = as_array(raw, where, 2)
    return Node(as_text(attack, where), _parse_replies(replies, where, number, size))


def _parse_replies(raw: Any, where: str, number: int, size: int) -> Replies:
    replies = as_object(raw, where)
    for reply, child in replies.items():
        if type(child) is not int or not number < child < size:
            as_number(child, f"{where}: reply {shown(reply)}", 0)
            msg = (
                f"{where}: reply {shown(reply)}: expected a node from {number + 1} "
                f"to {size - 1}, found {shown(child)}"
            )
            raise ForgeryError(msg)
    return replies


def _count_uses(nodes: list[Node], start: Replies | None) -> list[int]:
    """Count the replies that lead to each node; refuse a node without any."""
    uses = [0] * len(nodes)
    if start is None:
        uses[0] = 1
    for replies in (start or {}, *(node.replies for node in nodes)):
        for child in replies.values():
            uses[child] += 1
    if 0 in uses:
        msg = (
            f"{_name(uses.index(0))}: expected a reply that leads to this node, found "
            f"none"
        )
        raise ForgeryError(msg)
    return uses


def _longest(nodes: list[Node], start: Replies | None) -> int:
    """Count the attacker's moves in the longest line."""
    depths = [0] * len(nodes)
    for number in reversed(range(len(nodes))):
        replies = nodes[number].replies.values()
        depths[number] = 1 + max((depths[child] for child in replies), default=0)
    if start is None:
        return depths[0]
    return max((depths[child] for child in start.values()), default=0)


def _replay(
    board: chess.Board, nodes: list[Node], start: Replies | None, uses: list[int]
) -> None:
    """Play all moves, and require that a shared node always has the same position."""
    shared: dict[str, Key] = {}
    if start is None:
        ahead = [(0, board.copy(stack=False))]
    else:
        ahead = list(_after_replies(board, start, "mate: replies"))
    while ahead:
        number, board = ahead.pop()
        if uses[number] > 1 and was_replayed(board, _name(number), shared):
            continue
        attack, replies = nodes[number]
        board.push(legal_move(board, attack, _name(number)))
        ahead.extend(_after_replies(board, replies, _name(number)))


def _after_replies(
    board: chess.Board, replies: Replies, where: str
) -> Iterator[tuple[int, chess.Board]]:
    """Yield each node that follows, and its position."""
    legal = moves_of(board)
    require_exactly(replies, legal, "reply", where)
    if not legal and not board.is_check():
        msg = f"{where}: expected mate, found stalemate"
        raise ForgeryError(msg)
    for reply, child in replies.items():
        after = board.copy(stack=False)
        after.push(legal[reply])
        yield child, after


def _name(number: int) -> str:
    return f"mate: node {number}"
