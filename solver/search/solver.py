"""A problem in, its solution out."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import chess

from solver import arguments
from solver.endgames import SeenEndings
from solver.errors import InputError, TablebaseError
from solver.formats.fast_fen import format_fen
from solver.formats.fen import parse_fen
from solver.problem import (
    DEFAULT_HASH_MIB,
    Limits,
    Problem,
    Restriction,
    hash_size,
    signed_length,
    thread_count,
)
from solver.search.bounds import Answer, Attempt
from solver.search.question import understand
from solver.search.threads import WATCHDOG, Control, HelperThreads, run_stoppable
from solver.search.workspace import Workspace
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.endgames.tablebases import Tablebases
    from solver.search.question import Question


# What endgame tables add to an answer: they find, and prove nothing.


def consult(
    tables: Tablebases, board: chess.Board, question: Question
) -> Answer | None:
    """Ask the tables what is asked of the search; None: they do not know."""
    sides = {question.attacking, question.attacking ^ question.both_sides}
    mate = tables.mate(board)
    if mate and abs(mate.moves) <= question.most_moves and (mate.moves > 0) in sides:
        return Answer(
            Status.FOUND,
            mate.moves,
            1,
            pv=mate.line,
            keys=mate.keys,
            keys_complete=True,
            complete=False,
            tablebase=TableFormat.GAVIOTA,
        )
    denials = [
        tables.denied_by(
            board, board.turn if attacking else not board.turn, question.most_moves
        )
        for attacking in sides
    ]
    if None in denials:
        return None
    # The weaker word, where the two sides are denied by different tables.
    by = max(denials, key=lambda table: table is TableFormat.GAVIOTA)
    return Answer(Status.UNDECIDED, None, 1, complete=False, tablebase=by)


def weigh(answer: Answer, told: Answer) -> Answer:
    """Let the tables answer what the search could not; a proof is never replaced.

    Raises
    ------
    TablebaseError
        The search has proved a table wrong.
    """
    if told.mate is not None and answer.lower_bound > abs(told.mate):
        msg = (
            f"Gaviota: expected no mate in fewer than {answer.lower_bound} moves, as "
            f"proved, found mate in {abs(told.mate)}; a table is damaged"
        )
        raise TablebaseError(msg)
    if answer.complete or answer.status is Status.PROVED:
        return answer
    return replace(told, lower_bound=answer.lower_bound)


TABLE_NODES = 10_000_000
"""Without limits, what endgame tables answer is searched no further than that."""

__all__ = ["Control", "Solver", "solve"]


def solve(
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    within: int | None = None,
    all_keys: bool = True,
    control: Control | None = None,
    restriction: Restriction | None = None,
    root_moves: Sequence[str] | None = None,
    solver: Solver | None = None,
) -> Solution:
    """Find the shortest forced mate, and prove it.

    The search runs in a thread of its own; the caller waits and can be interrupted.

    Parameters
    ----------
    problem : Problem, str or chess.Board
        A position of orthodox chess; a string is a FEN of 1, 2, 4 or 6 fields. The side
        to move is the attacker, unless a claim says that it is mated or it has but its
        king. Without a claim, its being mated is looked for as well, with a share of
        the effort.
    limits : Limits, optional
        What the search may cost. Without limits it ends when there is an answer.
    within : int, optional
        Ask only for a mate within so many moves; negative: the side to move is mated.
    all_keys : bool
        Once the mate is proved, look for every first move that mates as fast.
    control : Control, optional
        To stop the search or to read its progress from another thread.
    restriction : Restriction, optional
        Let the attacker play only such moves; the answer then speaks of these alone.
    root_moves : sequence of str, optional
        The attacker's first moves to look at, in UCI notation; the answer then speaks
        of these alone. Where the side to move is mated, it says nothing.
    solver : Solver, optional
        Memory to use again, where many problems are solved one after the other, and
        endgame tables, if it has some.

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        The position is one of another variant, an argument is of another type or out of
        its range, or a root move is not legal.
    CacheError, KernelError
        The compiled kernel cannot be had; see `solver.kernel.loader`.
    """
    asked, _ = set_up(problem)
    limits = Limits() if limits is None else limits
    root_moves = _check_arguments(
        limits, within, all_keys, control, restriction, root_moves
    )
    if solver is not None:
        arguments.instance("solver", solver, Solver, "a Solver or None")
    control = control or Control()
    return run_stoppable(
        lambda: (solver or Solver(limits.hash_mib, threads=limits.threads)).solve(
            asked,
            limits,
            within=within,
            all_keys=all_keys,
            control=control,
            restriction=restriction,
            root_moves=root_moves,
        ),
        control,
    )


def set_up(problem: Problem | str | chess.Board) -> tuple[Problem, chess.Board]:
    """Read whatever names a position, and set it up.

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        It is one of another variant or of Chess960, or does not name a position.
    """
    if isinstance(problem, Problem):
        board = parse_fen(problem.fen)
        fen = format_fen(board)  # six fields, as python-chess has them
        return problem if problem.fen == fen else replace(problem, fen=fen), board
    if isinstance(problem, chess.Board):
        if problem.uci_variant != "chess" or problem.chess960:
            found = "Chess960" if problem.chess960 else type(problem).__name__
            msg = f"problem: expected a board of orthodox chess, found one of {found}"
            raise InputError(msg)
        problem = problem.fen()
    expected = "a FEN, a chess.Board or a Problem"
    board = parse_fen(arguments.instance("problem", problem, str, expected))
    return Problem(board.fen()), board


def _check_arguments(
    limits: object,
    within: object,
    all_keys: object,
    control: object,
    restriction: object,
    root_moves: object,
) -> tuple[str, ...] | None:
    """Refuse what `solve` cannot take by its name; give the root moves as a tuple."""
    arguments.instance("limits", limits, Limits, "Limits or None")
    if within is not None:
        signed_length("within", within)
    arguments.flag("all_keys", all_keys)
    if control is not None:
        arguments.instance("control", control, Control, "a Control or None")
    if restriction is not None:
        arguments.instance(
            "restriction", restriction, Restriction, "a Restriction or None"
        )
    if root_moves is None:
        return None
    return arguments.texts("root_moves", root_moves, "legal moves in UCI notation")


class Solver:
    """Solves one problem after the other in the same memory: one for each thread.

    It remembers nothing of a problem but which small endings it has met: these are then
    answered from endgame tables (docs/explanation/endgames.md).

    Parameters
    ----------
    hash_mib : int
        Size of the transposition table in MiB, rounded down to a power of two.
    tablebases : Tablebases or None
        Endgame tables to ask as well; they may be shared by several solvers.
    threads : int
        How many cores to use on one position.

    Raises
    ------
    InputError
        An argument is of another type, or out of its range.
    """

    def __init__(
        self,
        hash_mib: int = DEFAULT_HASH_MIB,
        tablebases: Tablebases | None = None,
        *,
        threads: int = 1,
    ) -> None:
        hash_mib, threads = hash_size(hash_mib), thread_count(threads)
        if tablebases is not None:
            from solver.endgames.tablebases import Tablebases

            arguments.instance(
                "tablebases", tablebases, Tablebases, "Tablebases or None"
            )
        self._workspace = Workspace(hash_mib)
        self._tablebases = tablebases
        self._helper_threads = HelperThreads(self._workspace, threads - 1)
        self._seen_endings = SeenEndings()

    @property
    def workspace(self) -> Workspace:
        """The memory of the last search, with what it proved."""
        return self._workspace

    def hashfull(self) -> int:
        """Tell how full the table is, per mille."""
        return self._workspace.hashfull()

    def solve(
        self,
        problem: Problem | str | chess.Board,
        limits: Limits | None = None,
        *,
        within: int | None = None,
        all_keys: bool = True,
        control: Control | None = None,
        restriction: Restriction | None = None,
        root_moves: Sequence[str] | None = None,
    ) -> Solution:
        """Solve in the calling thread; see `solve` for parameters and errors.

        The table keeps the size that it was made with, whatever `limits` says.
        """
        started = time.perf_counter()
        problem, board = set_up(problem)
        limits = Limits() if limits is None else limits
        root_moves = _check_arguments(
            limits, within, all_keys, control, restriction, root_moves
        )
        question = understand(problem, board, limits, within)
        require_legal(board, root_moves)
        if restriction is not None and restriction.is_open:
            restriction = None
        if restriction is not None:
            question = replace(question, both_sides=False)
        control = control or Control()
        told = self._tablebases and consult(self._tablebases, board, question)
        enough = bool(told) and limits.time_s is None and limits.nodes is None
        self._workspace.begin(TABLE_NODES if enough else limits.nodes, restriction)
        control.attach(self._workspace.search)
        self._helper_threads.begin()

        pristine = board.copy(stack=False)

        def accompany(helper: Workspace, progress: Control) -> None:
            own = pristine.copy(stack=False)  # threads must not play on the same board
            Attempt(helper, own, progress, question, root_moves).search()

        building_s = math.inf if limits.time_s is None else limits.time_s
        attempt = Attempt(
            self._workspace,
            board,
            control,
            question,
            root_moves,
            seen=self._seen_endings,
            building_s=0.0 if limits.nodes is not None else building_s,
            on_turn=lambda: self._helper_threads.start(accompany, restriction),
        )
        try:
            with WATCHDOG.limit(control, limits.time_s):
                answer = attempt.answer(all_keys=all_keys)
        finally:
            self._helper_threads.stop()
        if told:
            answer = weigh(answer, told)
        stopped_by = None
        if not answer.complete:
            by_nodes = StoppedBy.TABLEBASE if enough else StoppedBy.NODES
            stopped_by = control.reason or by_nodes
        return Solution(
            problem=problem,
            status=answer.status,
            mate=answer.mate,
            lower_bound=answer.lower_bound,
            pv=answer.pv,
            keys=answer.keys,
            keys_complete=answer.keys_complete,
            stopped_by=stopped_by,
            stats=Stats(
                self._workspace.search.nodes + self._helper_threads.nodes,
                time.perf_counter() - started,
            ),
            restriction=restriction,
            tablebase=answer.tablebase,
        )


def require_legal(board: chess.Board, root_moves: Sequence[str] | None) -> None:
    """Refuse first moves that are none."""
    if root_moves is None:
        return
    legal = {move.uci() for move in board.legal_moves}
    wrong = [move for move in root_moves if move not in legal]
    if wrong or not root_moves:
        found = repr(wrong[0]) if wrong else "none"
        msg = f"root_moves: expected legal moves in UCI notation, found {found}"
        raise InputError(msg)
