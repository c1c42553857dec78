"""What builds proof trees: the prover, their context and their limits.

A `Prover` decides which move mates and within how many moves; `WorkspaceProver` does so
in the memory of the search that found the answer. `ProofContext` is the position, its
attacker, its moves and its prover. A `Budget` stops building when a limit is reached. A
packed position is the bytes of a kernel `Position`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import chess

from solver.board import pack, unpack_pieces
from solver.endgames.ending import is_ending
from solver.endgames.probe import find_ending
from solver.errors import MatesolveError
from solver.kernel.border.interface import Verdict, new_search
from solver.kernel.border.memory import Position
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part
from solver.position_text import SQUARE_BITS, spell_move
from solver.search.question import is_attacking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.search.workspace import Workspace
    from solver.solution import Solution

NEAR_MOVES = 4
"""Up to this many moves from mate, all attacks are compared for a small proof."""

FIRST_SLICE_NODES = 1 << 16
SLICE_NODES = 1 << 23
"""Nodes between two checks of the clock: about two seconds at most."""


class Prover(Protocol):
    """Proves whether and how the attacker mates in packed positions.

    Each method raises `BuildingStoppedError` if the prover was stopped, and
    `TooLargeError` if it takes too long.
    """

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Return a move that mates within `moves`, and the number of moves it takes.

        The attacker is to move and is known to mate within `moves`: this is the
        certified position, or it follows from earlier answers.
        """

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Return whether the attacker, to move, mates within `moves`."""


class WorkspaceProver:
    """Proves in the workspace of the search, whose table already has most answers.

    Parameters
    ----------
    workspace : Workspace
        Its search has ended, and `Workspace.resume` was called.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._moves = Moves()

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Return a move that mates, and the number of moves it takes.

        Near mate it is the fastest move, and among these the one with the fewest
        replies. Farther from mate it is the move that the search has proved.
        """
        if moves > NEAR_MOVES or self._workspace.is_restricted:
            return self._probe_ending(packed, budget) or self._search(
                packed, moves, budget
            )
        lengths = range(1, moves + 1)
        shortest = next(
            (length for length in lengths if self.mates(packed, length, budget)), None
        )
        assert shortest is not None  # the caller knows that there is a mate
        ranked = sorted(
            (len(self._moves.legal(after)), attack, after)
            for attack, after in self._moves.after_each(packed)
        )
        found = next(
            attack
            for _, attack, after in ranked
            if self._decide(after, shortest - 1, budget, attacking=False)
        )
        return found, shortest

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Return whether the attacker, to move, mates within `moves`."""
        return self._decide(packed, moves, budget, attacking=True)

    def _probe_ending(self, packed: bytes, budget: Budget) -> tuple[int, int] | None:
        """Return the attack of a solved small endgame; None if there is none."""
        position = Position.from_buffer_copy(packed)
        if self._workspace.is_restricted or not is_ending(position):
            return None
        budget.check_time()
        search = self._workspace.search
        found = find_ending(
            unpack_pieces(position),
            chess.WHITE,
            is_stopped=lambda: bool(search.stop),
            with_line=False,
        )
        if found is None or found.moves is None:
            return None
        attack = next(
            move
            for move in self._moves.legal(packed)
            if name_of(packed, move, chess.WHITE) == found.keys[0]
        )
        return attack, found.moves

    def _search(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Return the move in the table, searching until it mates within `moves`."""
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        kernel, search = workspace.kernel, workspace.search
        if mate := kernel.mate_in_one(position, search):
            return mate, 1
        bounds = kernel.bounds(position, search, attacking=True)
        while bounds.mate is None or bounds.mate > moves:
            self._decide(packed, moves, budget, attacking=True)
            bounds = kernel.bounds(position, search, attacking=True)
        return bounds.move, bounds.mate

    def _decide(
        self, packed: bytes, moves: int, budget: Budget, *, attacking: bool
    ) -> bool:
        """Run the prover and the df-pn search in turn until one of them decides.

        Both keep their results in the table, so a slice that was cut short is not
        wasted.
        """
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        slice_nodes = FIRST_SLICE_NODES
        engines = (workspace.prove, workspace.search_dfpn)[workspace.is_restricted :]
        while True:
            for engine in engines:
                if workspace.is_exhausted:
                    raise BuildingStoppedError
                budget.check_time()
                with workspace.budget(slice_nodes):
                    verdict = engine(position, moves, attacking=attacking)
                if verdict is not Verdict.STOPPED:
                    return verdict is Verdict.MATE
            slice_nodes = min(2 * slice_nodes, SLICE_NODES)


@dataclass(frozen=True, slots=True)
class ProofContext:
    """A position to prove something about, and what is needed for it.

    Attributes
    ----------
    packed : bytes
        The position, a `Position` from the point of view of the side to move.
    attacker : bool
        The side that mates, or does not; `chess.WHITE` or `chess.BLACK`.
    attacking : bool
        Whether the attacker is to move.
    moves : Moves
        Generates and plays moves.
    prover : Prover
        Decides what mates.
    """

    packed: bytes
    attacker: chess.Color
    attacking: bool
    moves: Moves
    prover: Prover

    @classmethod
    def of(cls, solution: Solution, prover: Prover) -> ProofContext:
        """Make the context of an answer, which says who attacks."""
        board = chess.Board(solution.problem.fen)
        if solution.mate is None:
            attacking = is_attacking(solution.problem, pack(board))
        else:
            attacking = solution.mate > 0
        attacker = board.turn if attacking else not board.turn
        return cls(bytes(pack(board)), attacker, attacking, Moves(), prover)


class TooLargeError(MatesolveError):
    """A part of a certificate exceeds a limit; the message says which."""


class Budget:
    """Counts the cost of a part of a certificate.

    Parameters
    ----------
    most : int
        The greatest count allowed.
    what : str
        What is counted, for the message.
    time_s : float
        Seconds allowed, from now on.
    """

    def __init__(self, most: int, what: str, time_s: float) -> None:
        self._most = most
        self._what = what
        self._time_s = time_s
        self._deadline = time.monotonic() + time_s
        self.count = 0
        """What was spent; a caller that drops part of its work may subtract it."""

    def spend(self, count: int) -> None:
        """Add to the count.

        Raises
        ------
        TooLargeError
            The count or the time exceeds its limit.
        """
        self.count += count
        if self.count > self._most:
            msg = f"more than {self._most:,} {self._what}"
            raise TooLargeError(msg)
        self.check_time()

    def check_time(self) -> None:
        """Raise TooLargeError if the time limit is exceeded."""
        if time.monotonic() > self._deadline:
            msg = f"more than {self._time_s:g} s of building"
            raise TooLargeError(msg)


class BuildingStoppedError(MatesolveError):
    """The prover was stopped."""


_LAST_RANK_SHIFT = 9
"""The first bit of the rank of a move's target."""


class Moves:
    """Generates and plays the moves of packed positions.

    Positions are bytes, so that they can be keys of a dict. Not thread-safe, because of
    the kernel's scratch memory.
    """

    def __init__(self) -> None:
        self._kernel = load_part(SEARCH).kernel
        self._search = new_search()

    def legal(self, packed: bytes) -> list[int]:
        """Return the legal moves."""
        position = Position.from_buffer_copy(packed)
        return self._kernel.moves(position, self._search)

    def checks(self, packed: bytes) -> list[int]:
        """Return the legal moves that give check."""
        position = Position.from_buffer_copy(packed)
        return self._kernel.checking_moves(position, self._search)

    def play(self, packed: bytes, move: int) -> bytes:
        """Return the position after a legal move."""
        position = Position.from_buffer_copy(packed)
        return bytes(self._kernel.made(position, self._search, move))

    def after_each(self, packed: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield each legal move, and the position after it."""
        position = Position.from_buffer_copy(packed)
        for move in self._kernel.moves(position, self._search):
            yield move, bytes(self._kernel.made(position, self._search, move))


def name_of(packed: bytes | Position, move: int, color: chess.Color) -> str:
    """Return a move in UCI notation.

    Parameters
    ----------
    packed : bytes or Position
        The position before it, from the point of view of the side to move.
    move : int
        A move of the kernel.
    color : chess.Color
        The side to move.
    """
    pawns = 0
    if goes_to_last_rank(move):
        pawns = Position.from_buffer_copy(packed).pawns
    is_pawn = bool(pawns >> (move & SQUARE_BITS) & 1)
    return spell_move(move, black=not color, is_pawn=is_pawn)


def goes_to_last_rank(move: int) -> bool:
    """Return whether a move may promote, so that its name depends on the position."""
    return move >> _LAST_RANK_SHIFT & 7 == 7


def has_king_alone(packed: bytes) -> bool:
    """Return whether the side to move has only its king, and so cannot mate."""
    us: int = Position.from_buffer_copy(packed).us
    return us.bit_count() == 1
