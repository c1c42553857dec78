"""A problem in, its solution out: the conductor of the prover.

"Mate in n?" is asked for n = 1, 2, 3, ...; every no lifts the lower bound, the first
yes is the shortest mate.
"""

from __future__ import annotations

import ctypes
import mmap
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from solver.background import run_stoppable
from solver.board import pack, unpack_line, unpack_move
from solver.control import WATCHDOG, Control
from solver.formats.fen import parse_fen
from solver.kernel.calls import NO_LIMIT, Verdict
from solver.kernel.compiled import load_kernel
from solver.kernel.memory import Search
from solver.problem import DEFAULT_HASH_MIB, MAX_MOVES, Limits, Problem
from solver.solution import Solution, Stats, Status, StoppedBy

if TYPE_CHECKING:
    from solver.kernel.memory import Position

__all__ = ["Control", "Solver", "solve"]

BUCKET_BYTES = 64
MIB = 1 << 20
GENERATIONS = 1 << 24

SMALL_BUCKETS = 1 << 14
SMALL_NODES = 20_000
"""A search of so few nodes keeps to a table of 1 MiB, which the CPU's caches hold; the
many short problems of a collection then never touch the rest."""


def solve(
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    within: int | None = None,
    all_keys: bool = True,
    control: Control | None = None,
    solver: Solver | None = None,
) -> Solution:
    """Find the shortest forced mate, and prove it.

    The search runs in a thread of its own; the caller waits and can be interrupted.

    Parameters
    ----------
    problem : Problem, str or chess.Board
        The position; a string is a FEN of 1, 2, 4 or 6 fields. The side to move is the
        attacker, unless a claim says that it is mated or it has but its king.
    limits : Limits, optional
        What the search may cost. Without limits it ends when there is an answer.
    within : int, optional
        Ask only for a mate within so many moves; negative: the side to move is mated.
    all_keys : bool
        Once the mate is proved, look for every first move that mates as fast.
    control : Control, optional
        To stop the search or to read its progress from another thread.
    solver : Solver, optional
        Memory to use again, where many problems are solved one after the other.

    Raises
    ------
    FenError
        The position is not legal.
    CacheError, KernelError
        The compiled kernel cannot be had; see `solver.kernel.compiled`.
    """
    asked = as_problem(problem)
    limits = limits or Limits()
    control = control or Control()
    return run_stoppable(
        lambda: (solver or Solver(limits.hash_mib)).solve(
            asked, limits, within=within, all_keys=all_keys, control=control
        ),
        control,
    )


def as_problem(problem: Problem | str | chess.Board) -> Problem:
    """Read whatever names a position."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, chess.Board):
        problem = problem.fen()
    return Problem(parse_fen(problem).fen())


class Solver:
    """A table and the working memory of one search at a time: one for each thread.

    What one problem costs does not depend on the problems before it.

    Parameters
    ----------
    hash_mib : int
        Size of the table in MiB, rounded down to a power of two.
    """

    def __init__(self, hash_mib: int = DEFAULT_HASH_MIB) -> None:
        self._kernel = load_kernel().kernel
        self._search = Search()
        self._buckets = 1 << ((hash_mib * MIB // BUCKET_BYTES).bit_length() - 1)
        self._memory = _allocate(self._buckets * BUCKET_BYTES)
        self._table = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))

    def solve(
        self,
        problem: Problem,
        limits: Limits,
        *,
        within: int | None = None,
        all_keys: bool = True,
        control: Control | None = None,
    ) -> Solution:
        """Solve in the calling thread; see `solve` for the parameters.

        The table keeps the size that it was made with, whatever `limits` says.
        """
        board = chess.Board(problem.fen)
        question = _ask(problem, board, limits, within)
        control = control or Control()
        started = time.perf_counter()
        self._begin(limits)
        control.attach(self._search)
        with WATCHDOG.limit(control, limits.time_s):
            answer = self._answer(question, board, control, all_keys=all_keys)
        stopped_by = None
        if not answer.complete:
            stopped_by = control.reason or StoppedBy.NODES
        return Solution(
            problem=problem,
            status=answer.status,
            mate=answer.mate,
            lower_bound=answer.lower_bound,
            pv=answer.pv,
            keys=answer.keys,
            keys_complete=answer.keys_complete,
            stopped_by=stopped_by,
            stats=Stats(self._search.nodes, time.perf_counter() - started),
        )

    def _begin(self, limits: Limits) -> None:
        """Forget the last problem."""
        search = self._search
        search.nodes = 0
        search.node_limit = NO_LIMIT if limits.nodes is None else limits.nodes
        search.buckets = min(self._buckets, SMALL_BUCKETS)
        search.generation += 1
        if search.generation == GENERATIONS:
            search.generation = 1
            ctypes.memset(self._table, 0, len(self._memory))
        for remembered in (search.killers, search.counters, search.history):
            ctypes.memset(remembered, 0, ctypes.sizeof(remembered))

    def _answer(
        self,
        question: _Question,
        board: chess.Board,
        control: Control,
        *,
        all_keys: bool,
    ) -> _Answer:
        if board.is_checkmate():
            return _Answer(Status.PROVED, 0, 0, keys_complete=True)
        if question.hopeless:
            return _Answer(Status.DISPROVED, None, question.most_moves + 1)
        position = pack(board)
        for moves in range(1, question.most_moves + 1):
            control.lower_bound = moves
            verdict = self._kernel.mates_within(
                position,
                self._search,
                self._table,
                moves,
                attacking=question.attacking,
            )
            if verdict is Verdict.STOPPED:
                return _Answer(Status.UNDECIDED, None, moves, complete=False)
            if verdict is Verdict.MATE:
                return self._tell_mate(
                    question, board, position, moves, control, all_keys=all_keys
                )
            if self._search.nodes > SMALL_NODES:
                self._search.buckets = self._buckets
        return _Answer(Status.DISPROVED, None, question.most_moves + 1)

    def _tell_mate(
        self,
        question: _Question,
        board: chess.Board,
        position: Position,
        moves: int,
        control: Control,
        *,
        all_keys: bool,
    ) -> _Answer:
        """Give the line of a mate that is proved, and its keys within the limits."""
        memory = (self._search, self._table)
        with control.finishing():
            words = self._kernel.line(
                position, *memory, moves, attacking=question.attacking
            )
        if not question.attacking:
            line = unpack_line(board, words) if len(words) == 2 * moves else ()
            return _Answer(
                Status.PROVED,
                -moves,
                moves,
                pv=line,
                keys_complete=True,
                complete=bool(line),
            )
        line = unpack_line(board, words) if len(words) == 2 * moves - 1 else ()
        keys, whole = line[:1], False
        if all_keys:
            found, whole = self._kernel.keys(position, *memory, moves)
            keys = tuple(unpack_move(board, word).uci() for word in found) or keys
        return _Answer(
            Status.PROVED,
            moves,
            moves,
            pv=line,
            keys=keys,
            keys_complete=whole,
            complete=bool(line) and whole >= all_keys,
        )


@dataclass(frozen=True, slots=True)
class _Question:
    """Who attacks, and how far to look.

    `hopeless`: the attacker has but its king, and can mate in no number of moves.
    """

    attacking: bool
    most_moves: int
    hopeless: bool


@dataclass(frozen=True, slots=True)
class _Answer:
    """The fields of a `Solution` that the search decides; `complete`: no limit hit."""

    status: Status
    mate: int | None
    lower_bound: int
    pv: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    keys_complete: bool = False
    complete: bool = True


def _ask(
    problem: Problem, board: chess.Board, limits: Limits, within: int | None
) -> _Question:
    """Decide who attacks: a claim tells, else the side to move if it has the men."""
    mover_is_bare, other_is_bare = (
        chess.popcount(board.occupied_co[color]) == 1
        for color in (board.turn, not board.turn)
    )
    if within is not None:
        attacking = within > 0
    elif problem.claim:
        attacking = problem.claim.mate > 0
    else:
        attacking = not mover_is_bare or other_is_bare
    most = limits.max_moves if within is None else abs(within)
    return _Question(
        attacking,
        MAX_MOVES if most is None else most,
        hopeless=mover_is_bare if attacking else other_is_bare,
    )


def _allocate(size: int) -> mmap.mmap:
    """Get zeroed memory from the system; pages cost nothing until they are used."""
    memory = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory
