"""A client's session: one command after the other, while the kernel loads or searches.

Three threads meet here: one reads commands, one loads the kernel or searches, and the
session's own obeys. It alone holds the state and speaks to the client; the others send
it what there is to do.
"""

from __future__ import annotations

import time
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import chess

from solver import __version__
from solver.errors import AllocationError, InputError
from solver.formats.claims import quote
from solver.kernel.loader import load_kernel
from solver.search.solver import Solver
from solver.solution import StoppedBy
from solver.uci.analysis import Analysis
from solver.uci.protocol import (
    CLEAR_HASH,
    HASH,
    MULTI_PV,
    OPTIONS,
    THREADS,
    Effort,
    Options,
    declarations,
    depth_below,
    parse_go,
    parse_move,
    parse_position,
    tell_best,
    tell_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.uci.protocol import Go, Line


# One `go` from its command to its `bestmove`.

REPORT_S = 1.0
"""Between two reports of a search that has found nothing new."""


class Search:
    """Works on one `go`, watches its clock, and tells the client how far it is.

    `run` belongs in a thread of its own; all else is for the session's thread, which
    alone speaks to the client.

    Parameters
    ----------
    board : chess.Board
        The position.
    go : Go
        What is asked.
    line_count : int
        How many of the best first moves are wanted.
    tell : callable
        Takes a line for the client.
    """

    def __init__(
        self, board: chess.Board, go: Go, line_count: int, tell: Callable[[str], None]
    ) -> None:
        self._board = board
        self._go = go
        self._tell = tell
        self._analysis = Analysis(board, go, line_count)
        self._solver: Solver | None = None
        self._finished = False
        self._pondering = go.ponder
        self._released = False
        self._started = self._reported = time.monotonic()
        self._deadline: float | None = None
        self._told: tuple[Line, ...] = ()
        self._told_bound = 1

    @property
    def over(self) -> bool:
        """It is time for `bestmove`."""
        held = self._pondering or self._go.infinite or self._go.unlimited
        return self._finished and (self._released or not held)

    @property
    def deadline(self) -> float | None:
        """When to look again at the latest, by the monotonic clock."""
        return self._deadline

    def begin(self, solver: Solver) -> None:
        """Start the clock: `run` follows."""
        self._solver = solver
        self._started = self._reported = time.monotonic()
        if not self._pondering:
            self._start_clock()

    def run(self) -> None:
        """Search to the end."""
        assert self._solver is not None
        self._analysis.run(self._solver)

    def watch(self) -> None:
        """Stop when time is over, and tell what is new."""
        if self._finished or self._solver is None:
            return
        now = time.monotonic()
        if self._deadline is not None and now >= self._deadline:
            self._deadline = None
            self._analysis.stop(StoppedBy.TIME)
        lines, bound = self._analysis.lines(), self._analysis.lower_bound
        if _mates(lines) != _mates(self._told):
            self._report(lines)
        elif now - self._reported >= REPORT_S:
            self._reported = now
            self._told_bound = max(bound, self._told_bound)
            depth = depth_below(self._told_bound)
            self._tell(f"info depth {depth} {self._effort().words}")

    def finish(self) -> None:
        """Tell all that is known: there is nothing more to come."""
        self._finished = True
        self._deadline = None
        if lines := self._analysis.lines():
            self._report(lines)
        else:
            score = "mate 0" if self._board.is_check() else "cp 0"
            self._tell(f"info depth 0 score {score}")

    def tell_best(self) -> None:
        """Tell the move."""
        self._tell(tell_best(self._analysis.lines()))

    def stop(self) -> None:
        """Hold nothing back, and end: at once where it has not begun."""
        self._released = True
        self.abandon()
        if self._solver is None and not self._finished:
            self.finish()

    def abandon(self) -> None:
        """End `run` soon."""
        self._analysis.stop(StoppedBy.INTERRUPT)

    def hit(self) -> None:
        """Go on by the clock: the move that was pondered on has been played."""
        if self._pondering:
            self._pondering = False
            if self._solver:
                self._start_clock()

    def _start_clock(self) -> None:
        time_s = self._go.time_s(self._board.turn)
        if time_s is not None and not self._finished:
            self._deadline = time.monotonic() + time_s

    def _report(self, lines: tuple[Line, ...]) -> None:
        self._told = lines
        self._reported = time.monotonic()
        effort = self._effort()
        for number, line in enumerate(lines, 1):
            self._tell(tell_line(number, line, effort))

    def _effort(self) -> Effort:
        time_s = time.monotonic() - self._started
        hashfull = self._solver.hashfull() if self._solver else 0
        return Effort(self._analysis.nodes, time_s, hashfull)


def _mates(lines: tuple[Line, ...]) -> list[tuple[str, ...]]:
    """The mating lines, by which a report is told from the one before."""
    return [line.pv for line in lines if line.mate is not None]


WAIT_S = 0.05
"""How long the session sleeps at a time; what a search finds is told no later."""


class Session:
    """Obeys the commands of one client.

    Parameters
    ----------
    tell : callable
        Takes a line for the client; called by the thread of `run` only.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._options = Options()
        self._board: chess.Board | str = chess.Board()
        """The position, or why the last `position` was refused."""
        self._solver: Solver | None = None
        self._solver_is_for: tuple[int, int] | None = None
        self._loaded = False
        self._asked_ready = 0
        self._search: Search | None = None
        self._thread: Thread | None = None
        self._ended = False
        self._to_do: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._commands: dict[str, Callable[[str], None]] = {
            "uci": self._introduce,
            "isready": self._answer_ready,
            "setoption": self._set_option,
            "ucinewgame": self._begin_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._hit,
            "quit": self._quit,
            "d": self._draw,
            "debug": _need_nothing,
            "register": _need_nothing,
        }

    def run(self, commands: Iterable[str]) -> None:
        """Obey until `quit` or the last command; a search is stopped then.

        Parameters
        ----------
        commands : iterable of str
            Lines, read by another thread as they come.

        Raises
        ------
        CacheError, KernelError
            The compiled kernel cannot be had; the client has been told.
        """
        self._spawn(lambda: self._listen(commands), self._end)
        self._spawn(self._load, self._begin_work)
        try:
            while not self._ended or self._search:
                try:
                    to_do = self._to_do.get(timeout=self._patience_s())
                except Empty:
                    pass
                else:
                    to_do()
                self._attend()
        finally:
            self._abandon()

    def _spawn(self, work: Callable[[], None], then: Callable[[], None]) -> Thread:
        """Work in another thread; then, or when it fails, send word."""

        def run() -> None:
            try:
                work()
            except Exception as error:
                self._to_do.put(partial(self._fail, error))
            else:
                self._to_do.put(then)

        thread = Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _fail(self, error: Exception) -> None:
        self._tell(f"info string error: {' '.join(str(error).split())}")
        raise error

    def _listen(self, commands: Iterable[str]) -> None:
        for line in commands:
            self._to_do.put(partial(self._obey, line))

    def _load(self) -> None:
        load_kernel(
            lambda text: self._to_do.put(partial(self._tell, f"info string {text}"))
        )

    def _patience_s(self) -> float:
        deadline = self._search.deadline if self._search else None
        if deadline is None:
            return WAIT_S
        return min(WAIT_S, max(0.0, deadline - time.monotonic()))

    def _attend(self) -> None:
        """See to the running search."""
        if self._search:
            self._search.watch()
            if self._search.over:
                self._search.tell_best()
                self._search = None

    def _obey(self, line: str) -> None:
        word, _, rest = " ".join(line.split()).partition(" ")
        if not word or self._ended:
            return
        command = self._commands.get(word)
        if command is None:
            known = ", ".join(self._commands)
            self._tell(f"info string expected one of {known}, found {quote(word)}")
            return
        try:
            command(rest)
        except InputError as error:
            self._tell(f"info string {error}")

    def _introduce(self, _rest: str) -> None:
        self._tell(f"id name matesolve {__version__}")
        self._tell("id author the matesolve authors")
        for declaration in declarations():
            self._tell(declaration)
        self._tell("uciok")

    def _answer_ready(self, _rest: str) -> None:
        if self._loaded:
            self._tell("readyok")
        else:
            self._asked_ready += 1

    def _begin_work(self) -> None:
        """Do what has waited for the kernel."""
        self._loaded = True
        for _ in range(self._asked_ready):
            self._tell("readyok")
        if self._search:
            self._begin(self._search)

    def _set_option(self, text: str) -> None:
        if self._options.set(text) == CLEAR_HASH:
            self._solver_is_for = None  # so the next search gets another table

    def _begin_game(self, _rest: str) -> None:
        """Leave a refused position behind; no search depends on those before it."""
        if isinstance(self._board, str):
            self._board = chess.Board()

    def _set_position(self, text: str) -> None:
        try:
            self._board = parse_position(text)
        except InputError as error:
            # The client believes in its position: the one before would be a wrong one.
            self._board = str(error)
            raise

    def _go(self, text: str) -> None:
        if self._search:
            msg = "go: expected after the bestmove of the last, which is still running"
            raise InputError(msg)
        try:
            board = self._require_board()
            go = parse_go(text)
            for word in go.searchmoves:
                parse_move(board, word)
        except InputError as error:
            self._tell(f"info string {error}")
            self._tell("bestmove (none)")  # whoever asked waits for an answer
            return
        if go.unknown:
            self._tell(f"info string go: left out {quote(' '.join(go.unknown))}")
        self._search = Search(board, go, self._options[MULTI_PV], self._tell)
        if self._loaded:
            self._begin(self._search)

    def _require_board(self) -> chess.Board:
        if isinstance(self._board, str):
            msg = f"no position, since the last was refused: {self._board}"
            raise InputError(msg)
        return self._board

    def _begin(self, search: Search) -> None:
        search.begin(self._get_solver())
        self._thread = self._spawn(search.run, self._finish)

    def _finish(self) -> None:
        self._thread = None
        if self._search:
            self._search.finish()

    def _get_solver(self) -> Solver:
        """Keep the solver until an option changes what it is made of."""
        wanted = self._options[HASH], self._options[THREADS]
        if self._solver is None or self._solver_is_for != wanted:
            self._solver = None  # its table goes before another is made
            try:
                self._solver = Solver(wanted[0], threads=wanted[1])
            except AllocationError as error:
                least = OPTIONS[HASH].default
                self._tell(f"info string option {HASH}: {error}; {least} MiB serve")
                self._solver = Solver(least, threads=wanted[1])
            self._solver_is_for = wanted
        return self._solver

    def _stop(self, _rest: str) -> None:
        if self._search:
            self._search.stop()

    def _hit(self, _rest: str) -> None:
        if self._search:
            self._search.hit()

    def _draw(self, _rest: str) -> None:
        board = self._require_board()
        self._tell(f"{board}\nFen: {board.fen()}")

    def _quit(self, _rest: str) -> None:
        self._abandon()
        self._ended = True

    def _end(self) -> None:
        """Hear that nothing more is to come: tell what is known, and end."""
        self._stop("")
        self._ended = True

    def _abandon(self) -> None:
        if self._search and self._thread:
            self._search.abandon()
            self._thread.join()
        self._search = None


def _need_nothing(_rest: str) -> None:
    """Answer a command that says nothing to this engine."""
