"""TEMPORARY stand-in with the final interface; the real one replaces this file."""

from __future__ import annotations

import threading
import time

import chess

from solver.problem import Limits, Problem
from solver.solution import Solution, Stats, Status, StoppedBy


class Control:
    """A running search seen from another thread: stop it, read how far it is."""

    def __init__(self) -> None:
        self._reason: StoppedBy | None = None

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        """Ask the search to end; the first reason given is the one told."""
        self._reason = self._reason or reason

    @property
    def nodes(self) -> int:
        return 0

    @property
    def lower_bound(self) -> int:
        """No mate takes fewer moves than this, so far."""
        return 1


class Solver:
    """Table and working memory for one search at a time; one for each thread."""

    def __init__(self, hash_mib: int = 128) -> None: ...

    def solve(self, problem: Problem, limits: Limits, *, within: int | None = None,
              all_keys: bool = True, control: Control | None = None) -> Solution:
        """Solve in the calling thread (blocking; Limits.time_s is kept by a timer)."""
        t = time.perf_counter()
        board = chess.Board(problem.fen)
        top = limits.max_moves or 3
        if within is not None:
            top = abs(within)
        for n in range(1, top + 1):
            keys = []
            for m in board.legal_moves:
                board.push(m)
                if mated(board, n - 1):
                    keys.append(m.uci())
                board.pop()
            if keys:
                pv = line(board, n)
                return Solution(problem, Status.PROVED, n, n, pv, tuple(keys), True,
                                stats=Stats(1, time.perf_counter() - t))
        return Solution(problem, Status.DISPROVED if limits.max_moves or within else Status.UNDECIDED,
                        None, top + 1, stopped_by=None if limits.max_moves or within else StoppedBy.TIME,
                        stats=Stats(1, time.perf_counter() - t))


def mates(b, n):
    for m in b.legal_moves:
        b.push(m)
        ok = mated(b, n - 1)
        b.pop()
        if ok:
            return m
    return None


def mated(b, n):
    if b.is_checkmate():
        return True
    if n == 0 or not any(b.legal_moves):
        return False
    for m in b.legal_moves:
        b.push(m)
        ok = mates(b, n)
        b.pop()
        if not ok:
            return False
    return True


def line(b, n):
    b = b.copy()
    out = []
    while True:
        m = mates(b, n)
        out.append(m.uci())
        b.push(m)
        if b.is_checkmate():
            return tuple(out)
        for r in b.legal_moves:
            b.push(r)
            if n - 2 == 0 or mates(b, n - 2) is None:
                break
            b.pop()
        out.append(b.peek().uci())
        n -= 1


def solve(problem: Problem | str | chess.Board, limits: Limits | None = None, *,
          within: int | None = None, all_keys: bool = True,
          control: Control | None = None) -> Solution:
    """Solve one position; runs in a worker thread, the caller waits and may Ctrl-C.

    within: only ask whether a mate in that many moves exists (negative: the side to
    move is mated), not whether it is the shortest.
    """
    if isinstance(problem, chess.Board):
        problem = Problem(problem.fen())
    elif isinstance(problem, str):
        from solver.formats.fen import parse_fen
        problem = Problem(parse_fen(problem).fen())
    return Solver().solve(problem, limits or Limits(), within=within, all_keys=all_keys)
