"""The position that a search is asked about, whole or with few of its first moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import pack, unpack_line, unpack_move
from solver.kernel.interface import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.kernel.interface import Bounds
    from solver.kernel.memory import Position
    from solver.search.workspace import Workspace


# Which first moves lie in a lane, told by python-chess's rules.


def is_admitted(workspace: Workspace, board: chess.Board, move: chess.Move) -> bool:
    """Whether the workspace's lane admits a legal move of the attacker.

    A threat is searched for; once the search is stopped, the answer is no.
    """
    lane = workspace.lane
    if lane is None:
        return True
    after = board.copy(stack=False)
    after.push(move)
    checks = after.is_check()
    if lane.checks_only and not checks:
        return False
    if lane.king_flights is not None and _flights(after) > lane.king_flights:
        return False
    if lane.replies is not None and after.legal_moves.count() > lane.replies:
        return False
    if lane.threat is None or checks:
        return True
    after.push(chess.Move.null())
    verdict = workspace.decide(pack(after), lane.threat, attacking=True)
    return verdict is Verdict.MATE


def _flights(board: chess.Board) -> int:
    """How many squares the king of the side to move can go to, castling aside."""
    king = board.kings & board.occupied_co[board.turn]
    moves = board.generate_legal_moves(from_mask=king)
    return sum(not board.is_castling(move) for move in moves)


# The line of a mate that the finder proved: read from the table, proved again if
# lost.
#
# The finder bounds a mate from above, so on the way some mates turn out to be nearer
# than their bound. The line that is given has exactly the length that it proves.


class _Line(NamedTuple):
    """A line of kernel moves, and how many of them are the attacker's."""

    moves: int
    words: tuple[int, ...]


class _InterruptedError(Exception):
    """The search was stopped while a lost part of the proof was made anew."""


def mating_line(
    workspace: Workspace, position: Position, moves: int, *, attacking: bool
) -> tuple[int, ...] | None:
    """Give a line of a mate proved within `moves`, as kernel moves of both sides.

    The attacker plays what is proved, the defender what lasts longest against that, so
    the line's length is itself a proved bound, at most `moves`.

    Returns
    -------
    tuple of int, or None
        None when the search was interrupted.
    """
    reader = _Reader(workspace)
    read = reader.attack if attacking else reader.defend
    try:
        return read(position, moves).words
    except _InterruptedError:
        return None


class _Reader:
    """Reads lines of proved mates; what was read of a position is kept."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._read: dict[bytes, _Line] = {}

    def attack(self, position: Position, moves: int) -> _Line:
        """Give the line of the attacker to move, with a mate proved within `moves`."""
        key = bytes(position)
        if (line := self._read.get(key)) is None or line.moves > moves:
            if mate := self._workspace.mate_in_one(position):
                line = _Line(1, (mate,))
            else:
                move = self._proved(position, moves).move
                child = self._workspace.made(position, move)
                rest = self.defend(child, moves - 1)
                line = _Line(rest.moves + 1, (move, *rest.words))
            self._read[key] = line
        return line

    def defend(self, position: Position, moves: int) -> _Line:
        """Give the line of the defender to move, mated within `moves` as is proved.

        The reply with the largest bound is followed, until a bound is borne out.
        """
        workspace = self._workspace
        replies = workspace.moves(position)
        children = {reply: workspace.made(position, reply) for reply in replies}
        bounds = {
            reply: 1
            if workspace.mate_in_one(child)
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
        workspace = self._workspace
        bounds = workspace.bounds(position, attacking=True)
        while bounds.mate is None or bounds.mate > moves:
            if workspace.find(position, moves, attacking=True) is not Verdict.MATE:
                raise _InterruptedError
            bounds = workspace.bounds(position, attacking=True)
        return bounds


KEY_BUDGET = 100_000
"""Nodes that the prover, then the finder, may spend on a first move; doubled until one
of them tells whether it is a key."""


class Root:
    """Puts "mate within n?" to the prover and to the finder.

    Parameters
    ----------
    workspace : Workspace
        Where the search works.
    board : chess.Board
        The position.
    attacking : bool
        The side to move is the attacker.
    moves : sequence of str or None
        The attacker's first moves that are looked at, in UCI notation; None: all.
    """

    def __init__(
        self,
        workspace: Workspace,
        board: chess.Board,
        *,
        attacking: bool,
        moves: Sequence[str] | None = None,
    ) -> None:
        self.workspace = workspace
        self.attacking = attacking
        self._board = board
        self._position = pack(board)
        self._chosen = None if moves is None else tuple(self._children(moves))
        self._key = 0

    def decide(self, moves: int) -> Verdict:
        """Ask the prover; in a lane the finder decides, for the prover knows none."""
        workspace = self.workspace
        engine = workspace.find if workspace.has_lane else workspace.decide
        return self._ask(engine, moves)

    def find(self, moves: int) -> Verdict:
        """Ask the finder."""
        return self._ask(self.workspace.find, moves)

    def line(self, moves: int, *, shortest: bool) -> tuple[str, ...]:
        """Give the line of a mate that was just proved within `moves`.

        Parameters
        ----------
        moves : int
            The bound that was proved.
        shortest : bool
            The prover has proved that no mate is shorter.

        Returns
        -------
        tuple of str
            The line in UCI notation; it may be shorter than the bound, which it then
            lowers. Empty when the search was interrupted.
        """
        workspace, position, attacking = self.workspace, self._position, self.attacking
        first: tuple[int, ...] = ()
        if self._chosen is not None:
            first = (self._key,)
            position = workspace.made(position, self._key)
            moves, attacking = moves - 1, False
        words: Sequence[int] | None
        if shortest and not workspace.has_lane:
            words = workspace.line(position, moves, attacking=attacking)
            if len(words) != 2 * moves - attacking:
                words = None
        else:
            words = mating_line(workspace, position, moves, attacking=attacking)
        return () if words is None else unpack_line(self._board, (*first, *words))

    def keys(self, moves: int) -> tuple[tuple[str, ...], bool]:
        """Give the first moves that mate within `moves`, and whether that is all."""
        chosen = self._chosen
        keys: list[str] = []
        for move, child in self._children() if chosen is None else chosen:
            verdict = self._settle(child, moves - 1)
            if verdict is Verdict.STOPPED:
                return tuple(keys), False
            if verdict is Verdict.MATE:
                keys.append(unpack_move(self._board, move).uci())
        return tuple(keys), not self.workspace.is_exhausted

    def _settle(self, child: Position, moves: int) -> Verdict:
        """Ask prover and finder in turn until one of them knows, or a limit comes."""
        workspace = self.workspace
        engines = (workspace.decide, workspace.find)[workspace.has_lane :]
        budget = KEY_BUDGET
        while not workspace.is_exhausted:
            for engine in engines:
                with workspace.budget(budget):
                    verdict = engine(child, moves, attacking=False)
                if verdict is not Verdict.STOPPED:
                    return verdict
            budget *= 2
        return Verdict.STOPPED

    def _ask(self, engine: Callable[..., Verdict], moves: int) -> Verdict:
        if self._chosen is None:
            return engine(self._position, moves, attacking=self.attacking)
        search = self.workspace.search
        share = (search.node_limit - search.nodes) // max(1, len(self._chosen))
        all_settled = True
        for move, child in self._chosen:
            with self.workspace.budget(share):
                verdict = engine(child, moves - 1, attacking=False)
            if verdict is Verdict.MATE:
                self._key = move
                return verdict
            all_settled &= verdict is Verdict.NO_MATE
        if self.workspace.is_exhausted:  # a threat may have been overlooked
            return Verdict.STOPPED
        return Verdict.NO_MATE if all_settled else Verdict.STOPPED

    def _children(
        self, chosen: Sequence[str] | None = None
    ) -> Iterator[tuple[int, Position]]:
        """Give first moves in the lane, all or those chosen, and where they lead."""
        workspace = self.workspace
        for word in workspace.moves(self._position):
            move = unpack_move(self._board, word)
            is_chosen = chosen is None or move.uci() in chosen
            if is_chosen and is_admitted(workspace, self._board, move):
                yield word, workspace.made(self._position, word)
