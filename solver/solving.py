"""A problem in, its solution out: the conductor of the prover.

"Mate in n?" is asked for n = 1, 2, 3, ...; every no lifts the lower bound, the first
yes is the shortest mate.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from solver.background import run_stoppable
from solver.board import pack, unpack_line, unpack_move
from solver.control import WATCHDOG, Control
from solver.formats.fen import parse_fen
from solver.kernel.calls import Verdict
from solver.problem import DEFAULT_HASH_MIB, Limits, Problem
from solver.question import Question, understand
from solver.solution import Solution, Stats, Status, StoppedBy
from solver.workspace import Workspace

if TYPE_CHECKING:
    from solver.kernel.memory import Position

__all__ = ["Control", "Solver", "solve"]

OTHER_SIDE_SHARE = 8
OTHER_SIDE_NODES = 10_000
"""Where nobody said who attacks, the mate of the other side is looked for with an
eighth of the nodes, and so many at least."""


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
        attacker, unless a claim says that it is mated or it has but its king. Without
        a claim, its being mated is looked for as well, with a share of the effort.
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
    """Solves one problem after the other in the same memory: one for each thread.

    Parameters
    ----------
    hash_mib : int
        Size of the transposition table in MiB, rounded down to a power of two.
    """

    def __init__(self, hash_mib: int = DEFAULT_HASH_MIB) -> None:
        self._workspace = Workspace(hash_mib)

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
        started = time.perf_counter()
        board = chess.Board(problem.fen)
        question = understand(problem, board, limits, within)
        control = control or Control()
        attempt = _Attempt(self._workspace, board, control, all_keys=all_keys)
        self._workspace.begin(limits.nodes)
        control.attach(self._workspace.search)
        with WATCHDOG.limit(control, limits.time_s):
            answer = attempt.answer(question)
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
            stats=Stats(self._workspace.search.nodes, time.perf_counter() - started),
        )


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


class _Attempt:
    """One problem on its way through the search."""

    def __init__(
        self,
        workspace: Workspace,
        board: chess.Board,
        control: Control,
        *,
        all_keys: bool,
    ) -> None:
        self._workspace = workspace
        self._board = board
        self._position: Position = pack(board)
        self._control = control
        self._all_keys = all_keys
        self._other_side_moves = 1

    def answer(self, question: Question) -> _Answer:
        """Ask for a mate in 1, 2, 3, ... moves."""
        if self._board.is_checkmate():
            return _Answer(Status.PROVED, 0, 0, keys_complete=True)
        none = _Answer(Status.DISPROVED, None, question.most_moves + 1)
        if question.hopeless:
            return none
        attacking = question.attacking
        for moves in range(1, question.most_moves + 1):
            self._control.lower_bound = moves
            verdict = self._workspace.decide(self._position, moves, attacking=attacking)
            if verdict is Verdict.STOPPED:
                return _Answer(Status.UNDECIDED, None, moves, complete=False)
            if verdict is Verdict.MATE:
                return self._tell_attack(moves) if attacking else self._tell_loss(moves)
            if question.both_sides and self._other_side_mates(moves):
                return self._tell_loss(self._other_side_moves)
        return none

    def _other_side_mates(self, moves: int) -> bool:
        """Look, at a share of the cost, whether the side to move is mated.

        The length looked for, kept between calls, is as exact as the attacker's own:
        no length is passed over, so a mate that is found is the shortest.
        """
        workspace = self._workspace
        share = workspace.search.nodes // OTHER_SIDE_SHARE
        verdict = Verdict.NO_MATE
        with workspace.budget(max(share, OTHER_SIDE_NODES)):
            while verdict is Verdict.NO_MATE and self._other_side_moves <= moves:
                verdict = workspace.decide(
                    self._position, self._other_side_moves, attacking=False
                )
                if verdict is Verdict.NO_MATE:
                    self._other_side_moves += 1
        return verdict is Verdict.MATE

    def _tell_attack(self, moves: int) -> _Answer:
        """Give the line of a proved mate, and its keys within the limits."""
        line = self._line(moves, attacking=True)
        keys, all_found = line[:1], False
        if self._all_keys:
            words, all_found = self._workspace.keys(self._position, moves)
            keys = tuple(unpack_move(self._board, word).uci() for word in words) or keys
        return _Answer(
            Status.PROVED,
            moves,
            moves,
            pv=line,
            keys=keys,
            keys_complete=all_found,
            complete=bool(line) and all_found >= self._all_keys,
        )

    def _tell_loss(self, moves: int) -> _Answer:
        """Give the line of a proved mate of the side to move."""
        line = self._line(moves, attacking=False)
        return _Answer(
            Status.PROVED,
            -moves,
            moves,
            pv=line,
            keys_complete=True,
            complete=bool(line),
        )

    def _line(self, moves: int, *, attacking: bool) -> tuple[str, ...]:
        """Give the whole line, or none when it was interrupted."""
        with self._control.finishing():
            words = self._workspace.line(self._position, moves, attacking=attacking)
        whole = len(words) == 2 * moves - attacking
        return unpack_line(self._board, words) if whole else ()
