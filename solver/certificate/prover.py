"""Whoever tells the builder what mates and what does not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import chess

from solver.board import pack, unpack_pieces
from solver.endgames import find_ending, is_ending
from solver.errors import MatesolveError
from solver.kernel.interface import Verdict
from solver.kernel.loader import load_kernel
from solver.kernel.memory import Position, Search
from solver.search.question import is_attacking
from solver.search.root import prove, search_dfpn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.search.workspace import Workspace
    from solver.solution import Solution


# The kernel's moves and positions as a proof needs them: played, listed and named.

_SQUARE_BITS = 63
_FLIP_RANKS = 56
_LAST_RANK = 56
_PROMOTIONS = {2: "n", 4: "b", 8: "r", 12: "q"}


class Moves:
    """Plays and lists moves of packed positions, the bytes of a `Position`.

    Bytes are what nodes are told apart by. Scratch memory makes it of one thread.
    """

    def __init__(self) -> None:
        self._kernel = load_kernel().kernel
        self._search = Search()

    def legal(self, packed: bytes) -> list[int]:
        """List the legal moves."""
        position = Position.from_buffer_copy(packed)
        return self._kernel.moves(position, self._search)

    def checks(self, packed: bytes) -> list[int]:
        """List the legal moves that give check."""
        position = Position.from_buffer_copy(packed)
        return self._kernel.checking_moves(position, self._search)

    def play(self, packed: bytes, move: int) -> bytes:
        """Make a legal move."""
        position = Position.from_buffer_copy(packed)
        return bytes(self._kernel.made(position, self._search, move))

    def after_each(self, packed: bytes) -> Iterator[tuple[int, bytes]]:
        """Give each legal move, and the position after it."""
        position = Position.from_buffer_copy(packed)
        for move in self._kernel.moves(position, self._search):
            yield move, bytes(self._kernel.made(position, self._search, move))


def name_of(packed: bytes, move: int, color: chess.Color) -> str:
    """Name a move in UCI notation.

    Parameters
    ----------
    packed : bytes
        The position before it, as the side to move sees it.
    move : int
        The kernel's move.
    color : chess.Color
        The side to move.
    """
    start, end = move & _SQUARE_BITS, (move >> 6) & _SQUARE_BITS
    promotes = (
        end >= _LAST_RANK and Position.from_buffer_copy(packed).pawns >> start & 1
    )
    promotion = _PROMOTIONS[move >> 12] if promotes else ""
    flip = 0 if color == chess.WHITE else _FLIP_RANKS
    return _spell(start ^ flip, end ^ flip, promotion)


@cache
def _spell(start: int, end: int, promotion: str) -> str:
    """Write a move; one string serves all of its occurrences."""
    return chess.SQUARE_NAMES[start] + chess.SQUARE_NAMES[end] + promotion


def has_king_alone(packed: bytes) -> bool:
    """Tell whether the side to move has no man but its king, and so never mates."""
    us: int = Position.from_buffer_copy(packed).us
    return us.bit_count() == 1


# How far the building of a certificate goes before it is given up.


class TooLargeError(MatesolveError):
    """A part of a certificate would pass a limit; the message says which."""


@dataclass(frozen=True, slots=True)
class BuildingLimits:
    """What each part of a certificate may cost.

    Attributes
    ----------
    mate_nodes : int
        Nodes of the proof of a mate.
    refutation_moves : int
        Moves listed in a refutation, all nodes together.
    time_s : float
        Seconds of building a part.
    """

    mate_nodes: int = 500_000
    refutation_moves: int = 1_000_000
    time_s: float = 60.0


class Budget:
    """Counts what a part has cost.

    Parameters
    ----------
    most : int
        How many may be counted.
    what : str
        What is counted.
    time_s : float
        Seconds from now on.
    """

    def __init__(self, most: int, what: str, time_s: float) -> None:
        self._most = most
        self._what = what
        self._time_s = time_s
        self._deadline = time.monotonic() + time_s
        self._count = 0

    def spend(self, count: int) -> None:
        """Count so many more.

        Raises
        ------
        TooLargeError
            The limit is passed, or the time is over.
        """
        self._count += count
        if self._count > self._most:
            msg = f"more than {self._most:,} {self._what}"
            raise TooLargeError(msg)
        self.check_time()

    def check_time(self) -> None:
        """Raise TooLargeError if the time is over."""
        if time.monotonic() > self._deadline:
            msg = f"more than {self._time_s:g} s of building"
            raise TooLargeError(msg)


NEAR_MOVES = 4
"""So near, all attacks are compared, for a small proof."""

FIRST_SLICE_NODES = 1 << 16
SLICE_NODES = 1 << 23
"""Between two looks at the clock: some two seconds at most."""


class BuildingStoppedError(MatesolveError):
    """The prover was told to stop."""


class Prover(Protocol):
    """Answers that are proved, about packed positions: the bytes of a `Position`.

    Each method raises `BuildingStoppedError` when the prover was told to stop, and lets
    `budget` raise when it thinks for long, or itself `TooLargeError` to give up.
    """

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Give a move that mates, and within how many moves: at most `moves`.

        The attacker is to move. It is asked only where that was said to be possible:
        of the position that is certified, and of what follows from earlier answers.
        """

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Tell whether the attacker, which is to move, mates within so many moves."""


class WorkspaceProver:
    """Asks the workspace of the search, whose table knows most answers already.

    Parameters
    ----------
    workspace : Workspace
        Its search has ended, and `Workspace.resume` was called.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._moves = Moves()

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Give a move that mates: near mate the fastest, of several with few replies.

        Farther from mate it is what the search has proved, by way of the table.
        """
        if moves > NEAR_MOVES or self._workspace.is_restricted:
            return self._look_up(packed, budget) or self._remembered(
                packed, moves, budget
            )
        lengths = range(1, moves + 1)
        shortest = next(
            (length for length in lengths if self.mates(packed, length, budget)), None
        )
        assert shortest is not None  # asked only where there is a mate
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
        """Tell whether the attacker, which is to move, mates within so many moves."""
        return self._decide(packed, moves, budget, attacking=True)

    def _look_up(self, packed: bytes, budget: Budget) -> tuple[int, int] | None:
        """Read the attack off a small ending; None: it is none, or has no mate."""
        position = Position.from_buffer_copy(packed)
        board = unpack_pieces(position)
        if self._workspace.is_restricted or position.rights or not is_ending(board):
            return None
        budget.check_time()
        search = self._workspace.search
        found = find_ending(
            board,
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

    def _remembered(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        kernel, search = workspace.kernel, workspace.search
        if mate := kernel.mate_in_one(position, search):
            return mate, 1
        bounds = kernel.bounds(position, search, workspace.table, attacking=True)
        while bounds.mate is None or bounds.mate > moves:
            self._decide(packed, moves, budget, attacking=True)
            bounds = kernel.bounds(position, search, workspace.table, attacking=True)
        return bounds.move, bounds.mate

    def _decide(
        self, packed: bytes, moves: int, budget: Budget, *, attacking: bool
    ) -> bool:
        """Ask the prover and the finder in turn, for what is cut short is kept."""
        workspace, position = self._workspace, Position.from_buffer_copy(packed)
        slice_nodes = FIRST_SLICE_NODES
        engines = (prove, search_dfpn)[workspace.is_restricted :]
        while True:
            for engine in engines:
                if workspace.is_exhausted:
                    raise BuildingStoppedError
                budget.check_time()
                with workspace.budget(slice_nodes):
                    verdict = engine(workspace, position, moves, attacking=attacking)
                if verdict is not Verdict.STOPPED:
                    return verdict is Verdict.MATE
            slice_nodes = min(2 * slice_nodes, SLICE_NODES)


# What a proof is built of: the position, who attacks, and who proves.


@dataclass(frozen=True, slots=True)
class Case:
    """A position whose proofs are to be built.

    Attributes
    ----------
    packed : bytes
        The position, a `Position` as the side to move sees it.
    attacker : bool
        Who mates or does not; `chess.WHITE` or `chess.BLACK`.
    attacking : bool
        The attacker is to move.
    moves : Moves
        Plays them.
    prover : Prover
        Tells what mates.
    """

    packed: bytes
    attacker: chess.Color
    attacking: bool
    moves: Moves
    prover: Prover


def understand_case(solution: Solution, prover: Prover) -> Case:
    """Tell from an answer who attacks."""
    board = chess.Board(solution.problem.fen)
    if solution.mate is None:
        attacking = is_attacking(solution.problem, board)
    else:
        attacking = solution.mate > 0
    attacker = board.turn if attacking else not board.turn
    return Case(bytes(pack(board)), attacker, attacking, Moves(), prover)
