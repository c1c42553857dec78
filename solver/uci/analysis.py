"""The analysis of one position: which first moves mate, or are mated, and how fast.

The facts are a set of lines that mate by force, at most one for each first move. The
set only grows, so stopping a search loses nothing. `Search` is the analysis for one
`go`, with its clock and its reports.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from solver import errors, problem
from solver.kernel.border.interface import NO_LIMIT
from solver.search.threads import Control
from solver.solution import Solution, StoppedBy
from solver.uci import protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import chess

    from solver.solving import Solver

FIRST_NODES = 1 << 16
GROWTH = 8
"""If several searches are open, each gets `FIRST_NODES` nodes, and `GROWTH` times as
many in each later round. Repeated searches cost a seventh of the total."""

LOSS_SHARE = 8
"""The search for being mated gets this part of the nodes of the search for a mate."""

KEPT_FROM = 1_000_000
"""A search of fewer nodes is not kept. This many take half a second or more, and
keeping their bounds takes 2 to 10 ms with a table of 128 MiB. A shorter search is soon
repeated, and every later search has to read what is kept."""

MOST_KEPT_MB = 8
"""The largest size of the kept bounds: reading them adds 0.1 s to each search."""

KEPT_SHARE = 16
"""They take at most this part of the table, or else a search has too little room left:
if three quarters of the bounds are kept ones, it takes up to 1.5 times the nodes."""


def most_kept_mb(hash_mib: int) -> int:
    """Return how many megabytes of bounds to keep for a table of this size."""
    return max(1, min(MOST_KEPT_MB, hash_mib // KEPT_SHARE))


class Analysis:
    """Answers one `go`: `run` works in one thread while others read the results so far.

    Parameters
    ----------
    board : chess.Board
        The position; not mutated.
    go : Go
        The request; the caller enforces its time limits.
    line_count : int
        The number of best first moves to find.
    kept_mb : int
        How many megabytes of bounds the solver keeps for its later searches; 0: none.
    """

    def __init__(
        self, board: chess.Board, go: protocol.Go, line_count: int, kept_mb: int = 0
    ) -> None:
        self._board = board
        self._go = go
        self._line_count = line_count
        self._kept_mb = kept_mb
        legal = [move.uci() for move in board.legal_moves]
        self._moves = [move for move in legal if move in (go.searchmoves or legal)]
        self._all_moves = len(self._moves) == len(legal)
        self._can_mate = board.occupied_co[board.turn].bit_count() > 1
        self._placed: list[str] = []
        self._facts = Facts()
        self._lower_bound = 1
        self._reason: StoppedBy | None = None
        self._query = _Query(Control(), 0)

    @property
    def nodes(self) -> int:
        """Positions entered so far."""
        return self._query.nodes_before + self._query.control.nodes

    @property
    def lower_bound(self) -> int:
        """No move without a line is proved to mate in fewer moves than this."""
        query = self._query
        live = query.control.lower_bound if query.bounds_mates else 1
        return max(self._lower_bound, live)

    def lines(self) -> tuple[protocol.Line, ...]:
        """Return the best first moves, best first; empty without a legal move."""
        facts = _add_found(self._facts, self._query)
        return facts.best(self._moves, self.lower_bound, self._line_count)

    def stop(self, reason: StoppedBy) -> None:
        """Stop the search soon."""
        self._reason = self._reason or reason
        self._query.control.stop(reason)

    def run(self, solver: Solver) -> None:
        """Search until everything is answered or a limit is hit."""
        within = self._go.within
        searches = []
        if within or not self._all_moves:
            searches.append(self._search_losses)
        if (within is None or within > 0) and (self._all_moves or self._can_mate):
            searches.append(self._search_mates)
        nodes = FIRST_NODES
        while self._moves and searches and not self._over:
            if len(searches) == self._line_count == 1:
                nodes = NO_LIMIT
            searches = [search for search in searches if not search(solver, nodes)]
            nodes *= GROWTH

    @property
    def _over(self) -> bool:
        return self._reason is not None or self.nodes >= self._go.nodes

    def _search_mates(self, solver: Solver, nodes: int) -> bool:
        """Search the moves that mate, fastest first; return whether this is complete.

        Each move found is excluded from the next search.
        """
        left = [move for move in self._moves if move not in self._placed]
        complete = True
        while left and len(self._moves) - len(left) < self._line_count:
            if self._over:
                return False
            if self._facts.lost_in:
                return self._search_defences(solver, nodes)
            solution = self._solve(solver, nodes, self._go.within, root_moves=left)
            complete = complete and _is_answered(solution)
            if solution.pv and solution.pv[0] in left:
                left.remove(solution.pv[0])
                if complete:
                    self._placed.append(solution.pv[0])
            elif not self._facts.lost_in:
                break
        return complete

    def _search_losses(self, solver: Solver, nodes: int) -> bool:
        """Search whether the side to move is mated; return whether this is complete.

        This covers requests for which the solver does not search this itself.
        """
        if self._facts.winning:
            return True
        within = self._go.within
        if within is None or within > 0:
            nodes //= LOSS_SHARE
        complete = True
        if within and self._all_moves and not self._facts.lost_in:
            solution = self._solve(solver, nodes, -abs(within))
            complete = _is_answered(solution)
        if self._facts.lost_in or not self._all_moves:
            complete = self._search_defences(solver, nodes) and complete
        return complete

    def _search_defences(self, solver: Solver, nodes: int) -> bool:
        """Search how fast each move is mated; return whether this is complete."""
        if self._all_moves and self._line_count == 1:
            return True  # the line of the loss starts with the longest defence
        complete = True
        within = self._facts.lost_in or abs(self._go.within or 0) or None
        for move in self._moves:
            if self._over:
                return False
            known = self._facts.lines.get(move)
            if known is None or not known.shortest:
                share = max(1, nodes // len(self._moves))
                solution = self._solve(solver, share, within, prefix=(move,))
                complete = complete and _is_answered(solution)
        return complete

    def _solve(
        self,
        solver: Solver,
        nodes: int,
        within: int | None,
        *,
        prefix: tuple[str, ...] = (),
        root_moves: Sequence[str] = (),
    ) -> Solution:
        """Run one search, and add its result to the facts."""
        board = self._board.copy(stack=False)
        for move in prefix:
            board.push_uci(move)
        restricted = bool(root_moves) and len(root_moves) < board.legal_moves.count()
        used = self.nodes
        # Without a limit, the solver ends by itself at what tablebases answer.
        is_unlimited = nodes == self._go.nodes == NO_LIMIT
        limit = None if is_unlimited else min(nodes, self._go.nodes - used)
        attacks = (
            within > 0 if within else board.occupied_co[board.turn].bit_count() > 1
        )
        query = _Query(
            Control(), used, prefix, attacks=attacks, bounds_mates=bool(root_moves)
        )
        self._query = query
        if self._reason:
            query.control.stop(self._reason)
        solution = solver.solve(
            problem.Problem(board.fen()),
            problem.Limits(self._go.max_moves, nodes=limit),
            within=within,
            keys=False,
            control=query.control,
            root_moves=tuple(root_moves) if restricted else None,
        )
        facts = _add_found(self._facts, query)
        self._facts = _add_mate(
            facts, prefix, solution.mate, solution.pv, solution.lower_bound
        )
        if root_moves and not self._facts.lost_in:
            self._lower_bound = max(self._lower_bound, solution.lower_bound)
        if self._kept_mb and solution.stats.nodes >= KEPT_FROM:
            # The next search empties the table.
            solver.keep(most_mb=self._kept_mb)
        return solution


def _is_answered(solution: Solution) -> bool:
    """Whether nothing was left open except a proof of the tablebases' answer."""
    return solution.stopped_by is None or solution.tablebase is not None


class _Query(NamedTuple):
    """The current search; it is replaced as a whole, so any thread can read it."""

    control: Control
    nodes_before: int
    prefix: tuple[str, ...] = ()
    """The move from the root to the searched position, or () at the root."""
    attacks: bool = True
    """Whether its lower bound is about mates by the side to move, not of it."""
    bounds_mates: bool = False
    """Whether its lower bound applies to the mates not yet found."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The lines known to mate by force, at most one for each first move; immutable.

    Attributes
    ----------
    lines : dict of str to Line
        By their first move.
    lost_in : int or None
        The side to move is mated in at most this many moves, whatever it plays.
    """

    lines: dict[str, protocol.Line] = field(default_factory=dict)
    lost_in: int | None = None

    @property
    def winning(self) -> bool:
        """Whether some first move mates."""
        return any(line.wins for line in self.lines.values())

    def add(self, line: protocol.Line) -> Facts:
        """Return these facts plus this line, if it improves on the known one."""
        known = self.lines.get(line.pv[0])
        if known and (known.length, -known.lower_bound) <= (
            line.length,
            -line.lower_bound,
        ):
            return self
        return replace(self, lines={**self.lines, line.pv[0]: line})

    def add_answer(self, line: protocol.Line) -> Facts:
        """Return these facts plus the answer to the position.

        If the position is lost, every first move loses.
        """
        if line.wins:
            return self.add(line)
        # A line that resists longer is not forced once a faster loss is known.
        kept = {
            m: known for m, known in self.lines.items() if known.length <= line.length
        }
        return replace(self, lines=kept, lost_in=line.length).add(line)

    def best(
        self, moves: Iterable[str], lower_bound: int, count: int
    ) -> tuple[protocol.Line, ...]:
        """Return the best `count` of the first moves `moves`, best first.

        A move without a known line has no score and the bound `lower_bound`. If every
        move loses, the moves without a known line are left out.
        """
        lines = [self.lines[move] for move in moves if move in self.lines]
        if self.lost_in is None:
            lines += [
                protocol.Line(None, (move,), lower_bound)
                for move in moves
                if move not in self.lines
            ]
        return tuple(sorted(lines, key=lambda line: line.rank)[:count])


def _add_found(facts: Facts, query: _Query) -> Facts:
    """Return these facts plus the best mate that a search has found so far."""
    best = query.control.best
    if best is None:
        return facts
    mate, pv = best
    is_bounded = query.attacks == (mate > 0)
    bound = query.control.lower_bound if is_bounded else 1
    return _add_mate(facts, query.prefix, mate, pv, bound)


def _add_mate(
    facts: Facts,
    prefix: tuple[str, ...],
    mate: int | None,
    pv: tuple[str, ...],
    lower_bound: int,
) -> Facts:
    """Return these facts plus an answer about the root or the position after `prefix`.

    A mate without its complete line is left out.
    """
    if mate is None:
        return facts
    whole = len(pv) == (2 * mate - 1 if mate > 0 else -2 * mate)
    if not whole or not prefix + pv:
        return facts
    if not prefix:
        return facts.add_answer(protocol.Line(mate, pv, lower_bound))
    if mate > 0:
        return facts.add(protocol.Line(-mate, prefix + pv, lower_bound))
    return facts.add(protocol.Line(1 - mate, prefix + pv, 1))


REPORT_S = 1.0
"""Time between two reports of a search that has found nothing new."""


class UciSearch:
    """One `go` from its command to its `bestmove`: its clock and its reports.

    `run` is called in a separate thread, and all other methods in the session's thread,
    which alone writes to the client.

    Parameters
    ----------
    board : chess.Board
        The position.
    go : Go
        The request.
    line_count : int
        The number of best first moves to find.
    send : callable
        Sends a line to the client.
    kept_mb : int
        See `Analysis`.

    Attributes
    ----------
    deadline : float or None
        The latest time to call `poll`, by the monotonic clock; None: at any time.
    stopped : bool
        Whether `stop` was called.
    """

    def __init__(
        self,
        board: chess.Board,
        go: protocol.Go,
        line_count: int,
        send: Callable[[str], None],
        kept_mb: int = 0,
    ) -> None:
        self._board = board
        self._go = go
        self._send = send
        self._analysis = Analysis(board, go, line_count, kept_mb)
        self._solver: Solver | None = None
        self._fault: Exception | None = None
        self._finished = False
        self._pondering = go.ponder
        self.stopped = False
        self._started = self._reported = time.monotonic()
        self.deadline: float | None = None
        self._reported_lines: tuple[protocol.Line, ...] = ()
        self._reported_bound = 1

    @property
    def endless(self) -> bool:
        """Whether only `stop` releases the answer, or `ponderhit`."""
        limited = self._go.limited(self._board.turn)
        return self._pondering or self._go.infinite or not limited

    @property
    def over(self) -> bool:
        """Whether it is time for `bestmove`."""
        return self._finished and (self.stopped or not self.endless)

    def start(self, solver: Solver) -> None:
        """Start the clock, before `run`."""
        self._solver = solver
        self._started = self._reported = time.monotonic()
        if not self._pondering:
            self._start_clock()

    def run(self) -> None:
        """Search to the end; a damaged tablebase or a lack of memory ends it too."""
        assert self._solver is not None
        try:
            self._analysis.run(self._solver)
        except (errors.MatesolveError, OSError, MemoryError) as error:
            self._fault = error

    def poll(self) -> None:
        """Stop the search when its time is over, and report what is new."""
        if self._finished or self._solver is None:
            return
        now = time.monotonic()
        if self.deadline is not None and now >= self.deadline:
            self.deadline = None
            self._analysis.stop(StoppedBy.TIME)
        lines, bound = self._analysis.lines(), self._analysis.lower_bound
        if _mates(lines) != _mates(self._reported_lines):
            self._report(lines)
        elif now - self._reported >= REPORT_S:
            self._reported = now
            self._reported_bound = max(bound, self._reported_bound)
            depth = protocol.depth_below(self._reported_bound)
            self._send(f"info depth {depth} {self._effort()}")

    def finish(self) -> None:
        """Report the final lines, once `run` has ended, and what ended it early."""
        if self._fault:
            self._send(protocol.format_notice(self._fault))
        self._finished = True
        self.deadline = None
        if lines := self._analysis.lines():
            self._report(lines)
        else:
            score = "mate 0" if self._board.is_check() else "cp 0"
            self._send(f"info depth 0 score {score}")

    def send_best_move(self) -> None:
        """Send the `bestmove` line."""
        self._send(protocol.format_best_move(self._analysis.lines()))

    def stop(self) -> None:
        """End the search and release its answer, at once if it has not begun."""
        self.stopped = True
        self.interrupt()
        if self._solver is None and not self._finished:
            self.finish()

    def interrupt(self) -> None:
        """Make `run` end soon."""
        self._analysis.stop(StoppedBy.INTERRUPT)

    def ponder_hit(self) -> None:
        """Start the clock, since the expected move was played."""
        if self._pondering:
            self._pondering = False
            if self._solver:
                self._start_clock()

    def _start_clock(self) -> None:
        time_s = self._go.time_s(self._board.turn)
        if time_s is not None and not self._finished:
            self.deadline = time.monotonic() + time_s

    def _report(self, lines: tuple[protocol.Line, ...]) -> None:
        self._reported_lines = lines
        self._reported = time.monotonic()
        effort = self._effort()
        for number, line in enumerate(lines, 1):
            self._send(protocol.format_info(number, line, effort))

    def _effort(self) -> str:
        time_s = time.monotonic() - self._started
        hashfull = self._solver.hashfull() if self._solver else 0
        return protocol.format_effort(self._analysis.nodes, time_s, hashfull)


def _mates(lines: tuple[protocol.Line, ...]) -> list[tuple[str, ...]]:
    """Return the mating lines; a report is new when they differ from the last ones."""
    return [line.pv for line in lines if line.mate is not None]
