"""Every move that is as good, at each of the solver's turns.

A puzzle site accepts each move of the tree, plays the reply below it, and goes on with
the moves below that.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from solver.columns.grade import grade
from solver.columns.grade_table import GradeStatus
from solver.position_text import named_moves

if TYPE_CHECKING:
    from solver.search.threads import Control

NODES = 10_000
"""The most moves of a tree, those of either side. More are of no use to a reader, and
a position with mates to spare has millions."""


def accepted(
    fen: str, within: int, *, nodes: int | None = None, control: Control | None = None
) -> dict[str, Any]:
    """Find every move that mates in time, at each of the attacker's turns.

    The defender has one reply to each move: the one that lasts longest, as in
    `Grade.reply`. After a reply one move less is left. `grade` calls every line of the
    tree right, and wrong where it leaves the tree.

    Parameters
    ----------
    fen : str
        As for `grade`.
    within : int
        The attacker's moves to mate, 1 to 200.
    nodes : int, optional
        The most positions to enter for each move that is graded.
    control : Control, optional
        Stops the search from another thread.

    Returns
    -------
    dict
        For `json.dumps`. `right_moves` is the list of all moves that mate in time,
        empty if there is none. Each has its `uci` and `san` and, if it does not mate,
        the `reply` with `uci` and `san` and the `right_moves` after that. `complete` is
        false if the tree is cut: at `NODES` moves of either side, those nearest to
        `fen` first, or where a limit was hit. A list that would be cut is left out, so
        every list is whole.

    Raises
    ------
    FenError, InputError, AllocationError, CacheError, KernelError
        As for `grade`.

    Examples
    --------
    >>> from solver import accepted
    >>> tree = accepted("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", 2)
    >>> (key,) = tree["right_moves"]
    >>> key["san"], key["reply"]["san"], key["right_moves"]
    ('Qg8+', 'Rxg8', [{'uci': 'h6f7', 'san': 'Nf7#'}])
    """
    tree: dict[str, Any] = {"complete": False}
    turns = deque([(tree, fen, within)])
    size = 0
    while turns:
        place, fen, left = turns.popleft()
        answer = grade(fen, "", left, nodes=nodes, control=control)
        moves: list[dict[str, Any]] = [
            *named_moves(answer.right_moves, answer.right_moves_san)
        ]
        size += len(moves) * (1 + (left > 1))  # with the replies that they may have
        if answer.status is GradeStatus.UNDECIDED or size > NODES:
            return tree
        place["right_moves"] = moves
        for move in moves if left > 1 else ():
            played = grade(fen, move["uci"], left, nodes=nodes, control=control)
            if played.reply:
                move["reply"] = {"uci": played.reply, "san": played.reply_san}
                turns.append((move, played.fen, left - 1))
            elif not played.ends_in_mate:  # a limit was hit
                return tree
    tree["complete"] = True
    return tree
