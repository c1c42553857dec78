"""A client's session: commands are handled while the kernel loads or searches.

Three threads work here: one reads commands, one loads the kernel or searches, and the
session's thread handles commands. Only the last one changes the state and writes to the
client; the other two queue tasks for it.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import chess

from solver import __version__
from solver.errors import AllocationError, InputError, quote
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part
from solver.problem import DEFAULT_HASH_MIB
from solver.solving import Solver
from solver.uci.analysis import Search
from solver.uci.protocol import (
    CLEAR_HASH,
    HASH,
    MULTI_PV,
    OPTIONS,
    SYZYGY_PATH,
    THREADS,
    parse_go,
    parse_move,
    parse_option,
    parse_position,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


WAIT_S = 0.05
"""The longest sleep of the session, and thus the longest delay of a report."""


class Session:
    """Handles the commands of one client.

    Parameters
    ----------
    send : callable
        Sends a line to the client; only called in the thread of `run`.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._options = {name: option.default for name, option in OPTIONS.items()}
        self._board: chess.Board | str = chess.Board()
        """The position, or the reason why the last `position` was refused."""
        self._solver: Solver | None = None
        self._solver_is_for: tuple[object, ...] | None = None
        self._loaded = False
        self._pending_ready = 0
        self._search: Search | None = None
        self._thread: Thread | None = None
        self._ended = False
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._commands: dict[str, Callable[[str], None]] = {
            "uci": self._send_identity,
            "isready": self._send_ready,
            "setoption": self._set_option,
            "ucinewgame": self._start_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponder_hit,
            "quit": self._quit,
            "d": self._draw,
            "debug": _ignore,
            "register": _ignore,
        }

    def run(self, commands: Iterable[str]) -> None:
        """Handle commands until `quit` or the last one, then stop a running search.

        Parameters
        ----------
        commands : iterable of str
            Lines, read by another thread as they come.

        Raises
        ------
        CacheError, KernelError
            The kernel cannot be loaded; the client has been sent the reason.
        """
        self._spawn(lambda: self._listen(commands), self._end)
        self._spawn(self._load, self._handle_loaded)
        try:
            while not self._ended or self._search:
                try:
                    task = self._tasks.get(timeout=self._timeout_s())
                except Empty:
                    pass
                else:
                    task()
                self._update_search()
        finally:
            self._interrupt()

    def _spawn(self, work: Callable[[], None], then: Callable[[], None]) -> Thread:
        """Run `work` in another thread, then queue `then`, or the error if it fails."""

        def run() -> None:
            try:
                work()
            except Exception as error:
                self._tasks.put(partial(self._fail, error))
            else:
                self._tasks.put(then)

        thread = Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _fail(self, error: Exception) -> None:
        self._send(f"info string error: {' '.join(str(error).split())}")
        raise error

    def _listen(self, commands: Iterable[str]) -> None:
        for line in commands:
            self._tasks.put(partial(self._handle, line))

    def _load(self) -> None:
        def notice(text: str) -> None:
            self._tasks.put(partial(self._send, f"info string {text}"))

        @contextmanager
        def compiling(line: str) -> Iterator[None]:
            notice(line)
            yield

        load_part(SEARCH, notice, compiling)

    def _timeout_s(self) -> float:
        deadline = self._search.deadline if self._search else None
        if deadline is None:
            return WAIT_S
        return min(WAIT_S, max(0.0, deadline - time.monotonic()))

    def _update_search(self) -> None:
        """Poll the running search, and send its `bestmove` when it is over."""
        if self._search:
            self._search.poll()
            if self._search.over:
                self._search.send_best_move()
                self._search = None

    def _handle(self, line: str) -> None:
        words = line.split(maxsplit=1)
        if not words or self._ended:
            return
        word, rest = words[0], "".join(words[1:]).rstrip()
        command = self._commands.get(word)
        if command is None:
            known = ", ".join(self._commands)
            self._send(f"info string expected one of {known}, found {quote(word)}")
            return
        try:
            command(rest)
        except InputError as error:
            self._send(f"info string {error}")

    def _send_identity(self, _rest: str) -> None:
        self._send(f"id name matesolve {__version__}")
        self._send("id author the matesolve authors")
        for name, option in OPTIONS.items():
            self._send(f"option name {name} {option.declaration}")
        self._send("uciok")

    def _send_ready(self, _rest: str) -> None:
        if self._loaded:
            self._send("readyok")
        else:
            self._pending_ready += 1

    def _handle_loaded(self) -> None:
        """Answer `isready` and start the search that waited for the kernel."""
        self._loaded = True
        for _ in range(self._pending_ready):
            self._send("readyok")
        if self._search:
            self._start(self._search)

    def _set_option(self, text: str) -> None:
        name, value = parse_option(text)
        self._options[name] = value
        if name == CLEAR_HASH:
            self._solver_is_for = None  # so the next search gets a new table

    def _start_game(self, _rest: str) -> None:
        """Forget a refused position; nothing else carries over between searches."""
        if isinstance(self._board, str):
            self._board = chess.Board()

    def _set_position(self, text: str) -> None:
        try:
            self._board = parse_position(text)
        except InputError as error:
            # Searching the previous position would answer the wrong question.
            self._board = str(error)
            raise

    def _go(self, text: str) -> None:
        if self._search:
            msg = (
                "go: expected after the bestmove of the previous go, which is still "
                "running"
            )
            raise InputError(msg)
        try:
            board = self._require_board()
            go = parse_go(text)
            for word in go.searchmoves:
                parse_move(board, word)
        except InputError as error:
            self._send(f"info string {error}")
            self._send("bestmove (none)")  # the client waits for an answer
            return
        if go.unknown:
            self._send(f"info string go: ignored {quote(' '.join(go.unknown))}")
        self._search = Search(board, go, self._options[MULTI_PV], self._send)
        if self._loaded:
            self._start(self._search)

    def _require_board(self) -> chess.Board:
        if isinstance(self._board, str):
            msg = f"no position, because the last one was refused: {self._board}"
            raise InputError(msg)
        return self._board

    def _start(self, search: Search) -> None:
        search.start(self._get_solver())
        self._thread = self._spawn(search.run, self._finish)

    def _finish(self) -> None:
        self._thread = None
        if self._search:
            self._search.finish()

    def _get_solver(self) -> Solver:
        """Return the solver, or a new one if its options have changed."""
        hash_mib, threads, tablebases = wanted = tuple(
            self._options[name] for name in (HASH, THREADS, SYZYGY_PATH)
        )
        if self._solver is None or self._solver_is_for != wanted:
            self._solver = None  # free its table before the next is allocated
            try:
                self._solver = Solver(hash_mib, tablebases, threads=threads)
            except AllocationError as error:
                least = DEFAULT_HASH_MIB
                self._send(f"info string option {HASH}: {error}; using {least} MiB")
                self._solver = Solver(least, tablebases, threads=threads)
            self._solver_is_for = wanted
        return self._solver

    def _stop(self, _rest: str) -> None:
        if self._search:
            self._search.stop()

    def _ponder_hit(self, _rest: str) -> None:
        if self._search:
            self._search.ponder_hit()

    def _draw(self, _rest: str) -> None:
        board = self._require_board()
        self._send(f"{board}\nFen: {board.fen()}")

    def _quit(self, _rest: str) -> None:
        self._interrupt()
        self._ended = True

    def _end(self) -> None:
        """Report what is known and end, since the input has ended."""
        self._stop("")
        self._ended = True

    def _interrupt(self) -> None:
        if self._search and self._thread:
            self._search.interrupt()
            self._thread.join()
        self._search = None


def _ignore(_rest: str) -> None:
    """Accept a command that has no effect on this engine."""
