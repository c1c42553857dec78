"""One worker's share of an audit: each problem solved, judged and flattened."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.audit.result import AuditResult, audit_result
from solver.audit.verdict import Ply, judge
from solver.certificate import BuildingStoppedError, certify_last
from solver.endgames.tablebases import Tablebases
from solver.problem import Problem
from solver.search.solver import Solver
from solver.search.threads import Control
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from solver.problem import Limits
    from solver.solution import Solution


# What an audit asks of each problem, the same in every thread, process and machine.


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The question to all problems.

    Attributes
    ----------
    limits : Limits
        What one search may cost; the table's size is that of each worker.
    within : bool
        Ask of each claim only whether there is a mate in at most so many moves.
    all_keys : bool
        Look for all keys, and compare them with the claimed ones.
    every_ply : bool
        Look at each of the solver's moves in the claimed line, too.
    certify : bool
        Build a certificate of each answer.
    directories : tuple of str
        Where endgame tables are to be asked as well.
    """

    limits: Limits
    within: bool = False
    all_keys: bool = False
    every_ply: bool = False
    certify: bool = False
    directories: tuple[str, ...] = ()

    def limits_for(self, problem: Problem) -> tuple[Limits, int | None]:
        """Say how far to search: as far as claimed, or as the limits say.

        Returns
        -------
        limits : Limits
            With the number of moves to look for, unless it is given by the next.
        within : int or None
            A mate within so many moves is all that is asked for.
        """
        claimed = problem.claim.mate if problem.claim else problem.no_mate
        if problem.claim and self.within:
            return self.limits, claimed
        if claimed and self.limits.max_moves is None:
            return replace(self.limits, max_moves=abs(claimed)), None
        return self.limits, None

    def words(self) -> str:
        """Name what changes an answer, apart from limits that leave it open."""
        told = {
            "within": self.within,
            "keys": self.all_keys,
            "every-ply": self.every_ply,
            "certificates": self.certify,
            "tablebases": bool(self.directories),
            f"moves={self.limits.max_moves}": self.limits.max_moves is not None,
        }
        return " ".join(word for word, is_asked in told.items() if is_asked)


class Examined(NamedTuple):
    """What a worker hands in of one problem.

    Attributes
    ----------
    finding : Finding
        How the claim fared.
    certificate : bytes or None
        The proof of the answer, if one was asked for and there is something proved.
    notices : tuple of str
        What was left out of it.
    """

    result: AuditResult
    certificate: bytes | None = None
    notices: tuple[str, ...] = ()


class Patience(NamedTuple):
    """How long others may be kept waiting, in seconds.

    Attributes
    ----------
    problem_s : float
        By one problem of a batch.
    batch_s : float
        By a batch that is harder than the last one.
    """

    problem_s: float
    batch_s: float


class Examiner:
    """Answers one inquiry for one problem after the other; one for each thread.

    Parameters
    ----------
    inquiry : Inquiry
        What is asked.
    tablebases : Tablebases or None
        Endgame tables that are open already; else the inquiry's are opened.
    searching : callable
        Gives the control of each new search.
    """

    def __init__(
        self,
        inquiry: Inquiry,
        tablebases: Tablebases | None = None,
        searching: Callable[[], AbstractContextManager[Control]] | None = None,
    ) -> None:
        self._inquiry = inquiry
        self._searching = searching or _unstoppable
        if tablebases is None and inquiry.directories:
            tablebases = Tablebases(inquiry.directories)
        limits = inquiry.limits
        self._solver = Solver(limits.hash_mib, tablebases, threads=limits.threads)

    def examine_all(
        self, problems: Sequence[Problem], patience: Patience
    ) -> list[Examined | None]:
        """Examine a batch, in which no problem is to wait long for another.

        Parameters
        ----------
        problems : sequence of Problem
            The batch.
        patience : Patience
            How long one of several problems, and all of them, may take. What takes
            longer is to come again, alone.

        Returns
        -------
        list of Examined or None
            One for each problem, in their order; None for one that is to come again.
        """
        if len(problems) == 1:
            return [self.examine(problems[0])]
        until = time.perf_counter() + patience.batch_s
        return [
            self.examine(problem, patience.problem_s)
            if time.perf_counter() < until
            else None
            for problem in problems
        ]

    def examine(
        self, problem: Problem, patience_s: float | None = None
    ) -> Examined | None:
        """Solve a problem and judge its claim.

        Returns
        -------
        Examined or None
            None where it was stopped, or took longer than `patience_s` seconds.
        """
        limits, within = self._inquiry.limits_for(problem)
        own_limit = limits.time_s
        if patience_s is not None and (own_limit is None or patience_s < own_limit):
            limits = replace(limits, time_s=patience_s)
        answer = self._solve(problem, limits, within)
        certificate: bytes | None = None
        notices: tuple[str, ...] = ()
        if self._inquiry.certify:  # at once: the workspace forgets the answer
            made = self._certify(answer)
            if made is None:
                return None
            certificate, notices = made
        plies: list[Ply] = []
        stops = [answer.stopped_by]
        for ply, stopped_by in self._examine_line(answer, limits):
            plies.append(ply)
            stops.append(stopped_by)
        is_late = limits.time_s != own_limit and StoppedBy.TIME in stops
        if is_late or StoppedBy.INTERRUPT in stops:
            return None
        result = audit_result(judge(answer, within=self._inquiry.within, plies=plies))
        first_stop = next((stop for stop in stops if stop), None)
        result = result._replace(stopped_by=first_stop and str(first_stop))
        return Examined(result, certificate, notices)

    def _solve(self, problem: Problem, limits: Limits, within: int | None) -> Solution:
        with self._searching() as control:
            return self._solver.solve(
                problem,
                limits,
                within=within,
                all_keys=self._inquiry.all_keys or self._inquiry.every_ply,
                control=control,
            )

    def _examine_line(
        self, answer: Solution, limits: Limits
    ) -> Iterator[tuple[Ply, StoppedBy | None]]:
        """Give each of the solver's moves in the line, and what stopped its search."""
        claim = answer.problem.claim
        if not self._inquiry.every_ply or claim is None or claim.mate < 1:
            return
        board = chess.Board(answer.problem.fen)
        for number, move in enumerate(claim.line[: 2 * claim.mate - 1]):
            if number % 2 == 0:
                if number:
                    left = replace(limits, max_moves=claim.mate - number // 2)
                    answer = self._solve(Problem(board.fen()), left, None)
                keys = answer.keys if answer.keys_complete else ()
                yield Ply(move, answer.mate, keys), answer.stopped_by
            board.push_uci(move)

    def _certify(self, answer: Solution) -> tuple[bytes | None, tuple[str, ...]] | None:
        """Prove an answer once more; None: it was told to stop."""
        with self._searching() as control:
            try:
                made = certify_last(answer, self._solver.workspace, control)
            except BuildingStoppedError:
                if control.reason is None:
                    raise
                return None
        proof = made.certificate.encode() if made.certificate else None
        return proof, made.left_out


def _unstoppable() -> AbstractContextManager[Control]:
    return nullcontext(Control())
