"""The root of a search: prover and df-pn search, keys, and the line of a mate."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess

from solver.board import pack, unpack_line, unpack_move
from solver.kernel.border.interface import SMALL_NODES, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.kernel.border.interface import Bounds
    from solver.kernel.border.memory import Position
    from solver.search.question import Question
    from solver.search.workspace import Workspace

    Engine: TypeAlias = Callable[..., Verdict]
    """`prove` or `search_dfpn`."""

MOST_READINGS = 5
"""How often a line that repeats a position is read; two or three times are enough."""


def prove(
    workspace: Workspace, position: Position, moves: int, *, attacking: bool
) -> Verdict:
    """Decide by depth-first search whether the attacker mates within `moves`.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; it must not be restricted.
    position : Position
        The position.
    moves : int
        The bound, in attacker's moves.
    attacking : bool
        Whether the attacker is to move.

    Returns
    -------
    Verdict
        STOPPED when a limit was hit first; otherwise the verdict is proved.
    """
    if workspace.search.nodes > SMALL_NODES:
        workspace.use_whole_table()
    return workspace.kernel.mates_within(
        position, workspace.search, moves, attacking=attacking
    )


def search_dfpn(
    workspace: Workspace, position: Position, moves: int, *, attacking: bool
) -> Verdict:
    """Decide the same by proof numbers (df-pn), which search deep and narrow.

    This search keeps to the workspace's restriction; see `prove` for the rest.
    """
    workspace.use_whole_table()
    return workspace.kernel.find_mate(
        position, workspace.search, moves, attacking=attacking
    )


class Root:
    """The position of a question, searched as a whole or by its root moves.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    question : Question
        The position and the root moves. Root moves are the attacker's, so they count
        only where the side to move attacks.
    attacking : bool
        Whether the side to move is the attacker.
    """

    def __init__(
        self, workspace: Workspace, question: Question, *, attacking: bool
    ) -> None:
        self.workspace = workspace
        self.attacking = attacking
        self._board = question.board
        self._position = question.position
        chosen = question.root_moves if attacking else None
        self._chosen = None if chosen is None else tuple(self._children(chosen))
        self._key = 0

    def search(self, engine: Engine, moves: int) -> Verdict:
        """Decide with `prove` or `search_dfpn` whether there is a mate within `moves`.

        Root moves that were chosen share the nodes that are left.
        """
        workspace = self.workspace
        if self._chosen is None:
            return engine(workspace, self._position, moves, attacking=self.attacking)
        search = workspace.search
        share = (search.node_limit - search.nodes) // max(1, len(self._chosen))
        all_refuted = True
        for move, child in self._chosen:
            with workspace.budget(share):
                verdict = engine(workspace, child, moves - 1, attacking=False)
            if verdict is Verdict.MATE:
                self._key = move
                return verdict
            all_refuted &= verdict is Verdict.NO_MATE
        # With a restriction to threats, a limit may have hidden a chosen move.
        if workspace.is_exhausted or not all_refuted:
            return Verdict.STOPPED
        return Verdict.NO_MATE

    def keys(self, moves: int) -> tuple[tuple[str, ...], bool]:
        """Find the first moves that mate within `moves`.

        Returns
        -------
        keys : tuple of str
            The keys that were found, in UCI notation.
        complete : bool
            Whether every first move was decided before a limit was hit.
        """
        chosen, workspace = self._chosen, self.workspace
        keys: list[str] = []
        for move, child in self._children() if chosen is None else chosen:
            verdict = workspace.kernel.decide(child, workspace.search, moves - 1)
            if verdict is Verdict.STOPPED:
                return tuple(keys), False
            if verdict is Verdict.MATE:
                keys.append(unpack_move(self._board, move).uci())
        return tuple(keys), not workspace.is_exhausted

    def line(self, moves: int, *, is_shortest: bool) -> tuple[str, ...]:
        """Return the line of a mate that was just proved within `moves`.

        Parameters
        ----------
        moves : int
            The bound that was proved.
        is_shortest : bool
            The prover has proved that no mate is shorter.

        Returns
        -------
        tuple of str
            The line in UCI notation; a line shorter than `moves` lowers the bound.
            Empty when the search was interrupted.
        """
        workspace, position, attacking = self.workspace, self._position, self.attacking
        first: tuple[int, ...] = ()
        if self._chosen is not None:
            first = (self._key,)
            position = workspace.kernel.made(position, workspace.search, self._key)
            moves, attacking = moves - 1, False
        words: Sequence[int] | None
        if is_shortest and not workspace.is_restricted:
            words = workspace.kernel.line(
                position, workspace.search, moves, attacking=attacking
            )
            if len(words) != 2 * moves - attacking:
                words = None
        else:
            words = mating_line(workspace, position, moves, attacking=attacking)
        return () if words is None else unpack_line(self._board, (*first, *words))

    def _children(
        self, chosen: Sequence[str] | None = None
    ) -> Iterator[tuple[int, Position]]:
        """Yield admitted first moves, all or those chosen, and where they lead."""
        workspace, position = self.workspace, self._position
        for word in workspace.kernel.moves(position, workspace.search):
            move = unpack_move(self._board, word)
            is_chosen = chosen is None or move.uci() in chosen
            if is_chosen and is_admitted(workspace, self._board, move):
                yield word, workspace.kernel.made(position, workspace.search, word)


def is_admitted(workspace: Workspace, board: chess.Board, move: chess.Move) -> bool:
    """Return whether the workspace's restriction admits a legal move of the attacker.

    A threat has to be searched for; once the search is stopped, the result is False.
    """
    restriction = workspace.restriction
    if restriction is None:
        return True
    after = board.copy(stack=False)
    after.push(move)
    checks = after.is_check()
    if restriction.checks_only and not checks:
        return False
    if (
        restriction.king_flights is not None
        and _count_flights(after) > restriction.king_flights
    ):
        return False
    if (
        restriction.replies is not None
        and after.legal_moves.count() > restriction.replies
    ):
        return False
    if restriction.threat is None or checks:
        return True
    after.push(chess.Move.null())
    verdict = prove(workspace, pack(after), restriction.threat, attacking=True)
    return verdict is Verdict.MATE


def _count_flights(board: chess.Board) -> int:
    """Count the squares that the king of the side to move can go to, not castling."""
    king = board.kings & board.occupied_co[board.turn]
    moves = board.generate_legal_moves(from_mask=king)
    return sum(not board.is_castling(move) for move in moves)


def mating_line(
    workspace: Workspace, position: Position, moves: int, *, attacking: bool
) -> tuple[int, ...] | None:
    """Return a line of a mate that the df-pn search proved within `moves`.

    The line is read from the table; parts of the proof that the table has lost are
    proved again. The df-pn search bounds mates from above, so some turn out shorter
    than their bound. The attacker plays the proved moves and the defender resists
    longest against these, so the length of the line is a proved bound too.

    A line that repeats a position has shown that this mates sooner than its bound said
    when it was read first. The line is then read again, with all that is proved by now:
    it becomes no longer, and often shorter.

    Returns
    -------
    tuple of int, or None
        The moves of both sides as kernel moves; None when the search was interrupted.
    """
    words = _read_line(workspace, position, moves, attacking=attacking)
    for _ in range(MOST_READINGS - 1):
        if words is None or not _repeats(workspace, position, words):
            break
        again = _read_line(workspace, position, moves, attacking=attacking)
        if again is None:
            break
        words = min(again, words, key=len)
    return words


def _read_line(
    workspace: Workspace, position: Position, moves: int, *, attacking: bool
) -> tuple[int, ...] | None:
    reader = _LineReader(workspace)
    read = reader.attack if attacking else reader.defend
    try:
        return read(position, moves).words
    except _InterruptedError:
        return None


def _repeats(workspace: Workspace, position: Position, words: Sequence[int]) -> bool:
    """Return whether a position occurs twice in a line."""
    seen = {bytes(position)}
    for word in words:
        position = workspace.kernel.made(position, workspace.search, word)
        seen.add(bytes(position))
    return len(seen) <= len(words)


class _Line(NamedTuple):
    """A line of kernel moves, and how many of them are the attacker's."""

    moves: int
    words: tuple[int, ...]


class _InterruptedError(Exception):
    """The search was stopped while a lost part of a proof was proved again."""


class _LineReader:
    """Reads lines of proved mates, and keeps the line of each position it has read."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kernel = workspace.kernel
        self._search = workspace.search
        self._lines: dict[bytes, _Line] = {}

    def attack(self, position: Position, moves: int) -> _Line:
        """Return the line with the attacker to move and a mate proved in `moves`."""
        key = bytes(position)
        if (line := self._lines.get(key)) is None or line.moves > moves:
            if mate := self._kernel.mate_in_one(position, self._search):
                line = _Line(1, (mate,))
            else:
                move = self._proved(position, moves).move
                child = self._kernel.made(position, self._search, move)
                rest = self.defend(child, moves - 1)
                line = _Line(rest.moves + 1, (move, *rest.words))
            self._lines[key] = line
        return line

    def defend(self, position: Position, moves: int) -> _Line:
        """Return the line with the defender to move, proved to be mated in `moves`.

        Follow the reply with the largest bound, until a line is as long as its bound.
        """
        kernel, search = self._kernel, self._search
        replies = kernel.moves(position, search)
        children = {reply: kernel.made(position, search, reply) for reply in replies}
        bounds = {
            reply: 1
            if kernel.mate_in_one(child, search)
            else self._proved(child, moves).mate or moves
            for reply, child in children.items()
        }
        line = _Line(0, ())
        while bounds:
            reply = max(bounds, key=bounds.__getitem__)
            rest = self.attack(children[reply], bounds[reply])
            line = _Line(rest.moves, (reply, *rest.words))
            if rest.moves == bounds[reply]:
                break
            bounds[reply] = rest.moves
        return line

    def _proved(self, position: Position, moves: int) -> Bounds:
        """Read the bounds of an attacker's position with a mate within `moves`."""
        bounds = self._bounds(position)
        while bounds.mate is None or bounds.mate > moves:
            verdict = search_dfpn(self._workspace, position, moves, attacking=True)
            if verdict is not Verdict.MATE:
                raise _InterruptedError
            bounds = self._bounds(position)
        return bounds

    def _bounds(self, position: Position) -> Bounds:
        return self._kernel.bounds(position, self._search, attacking=True)
