"""Play walked by python-chess's rules alone, whoever wrote it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import chess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Node = TypeVar("Node")


class Ply(NamedTuple):
    """A position that the play reaches."""

    before: chess.Board
    """Without the line that led there."""

    is_attackers: bool
    moves: tuple[str, ...]
    """What is played in it, in UCI notation, in the order given."""

    moves_played: int
    """By the attacker, so far."""

    on_mainline: bool


def walk(
    board: chess.Board,
    first: Iterable[Node],
    *,
    attacking: bool,
    move_of: Callable[[Node], str],
    next_of: Callable[[Node], Iterable[Node]],
) -> Iterator[Ply]:
    """Give each position of the play once for each way to it; all moves are legal."""
    ahead = [(board.copy(stack=False), list(first), attacking, 0, True)]
    while ahead:
        before, nodes, attacks, played, main = ahead.pop()
        moves = tuple(map(move_of, nodes))
        yield Ply(before, attacks, moves, played, main)
        assert len(set(moves)) == len(moves), (before.fen(), moves)
        for index, (node, uci) in enumerate(zip(nodes, moves, strict=True)):
            move = chess.Move.from_uci(uci)
            assert move in before.legal_moves, (before.fen(), uci)
            after = before.copy(stack=False)
            after.push(move)
            following = list(next_of(node))
            ahead.append(
                (after, following, not attacks, played + attacks, main and index == 0)
            )


def require_whole_mate(plies: Iterable[Ply], mate: int) -> int:
    """Hold uncut play to its claim: all replies, some attack, mate in time.

    Return how many moves the longest line takes of the attacker.
    """
    longest = 0
    for ply in plies:
        reason = ply.before.fen(), ply.moves
        if ply.is_attackers:
            assert ply.moves, reason
        else:
            legal = {move.uci() for move in ply.before.legal_moves}
            assert set(ply.moves) == legal, reason
            assert legal or ply.before.is_checkmate(), reason
        assert ply.moves_played <= abs(mate), reason
        longest = max(longest, ply.moves_played)
    return longest
