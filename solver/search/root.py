"""The position that a search is asked about, whole or with few of its first moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.board import pack, unpack_line, unpack_move
from solver.kernel.interface import Verdict
from solver.lane_moves import is_admitted
from solver.mating_line import mating_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import chess

    from solver.kernel.memory import Position
    from solver.search.workspace import Workspace

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
