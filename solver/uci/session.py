"""A client's session: commands are handled while the kernel loads or searches.

Three threads work here: one reads commands, one loads the kernel or searches, and the
session's thread handles commands. Only the last one changes the state and writes to the
client; the other two queue tasks for it.

Commands take effect in the order in which they were sent. While a search runs, a
command waits for its `bestmove`, except those in `PASSING`. So each `go` gets exactly
one `bestmove`, whether a client waits for it or sends everything in one write.
"""

from __future__ import annotations

import re
import time
from collections import deque
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import chess

from solver import __version__, errors, problem, solving
from solver.formats.streams import MAX_RECORD_BYTES
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part
from solver.position_text import read_position
from solver.uci import protocol
from solver.uci.analysis import UciSearch, most_kept_mb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from solver.endgames.tablebases import Tablebases


WAIT_S = 0.05
"""The longest sleep of the session, and thus the longest delay of a report."""

PASSING = frozenset({"isready", "stop", "ponderhit", "quit"})
"""The commands that take effect at once, also during a search. `setoption` does too,
unless other commands wait: what it sets holds for the next `go` that is sent."""


class Session:
    """Handles the commands of one client.

    Parameters
    ----------
    send : callable
        Sends a line to the client; only called in the thread of `run`.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._options = {
            name: option.default for name, option in protocol.OPTIONS.items()
        }
        self._board: chess.Board | str = chess.Board()
        """The position, or the reason why the last `position` was refused."""
        self._solver: solving.Solver | None = None
        self._solver_is_for: tuple[object, ...] | None = None
        self._wanted: tuple[Any, ...] = ()
        """What the last `go` needs of the solver."""
        self._clearings = 0
        """How often the client has set an option that clears the solver's memory."""
        self._tablebases: Tablebases | None = None
        self._loaded = False
        self._pending_ready = 0
        self._search: UciSearch | None = None
        self._thread: Thread | None = None
        self._quitting = False
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._waiting: deque[_Command] = deque()
        # Commands are numbered in the order of their arrival. `stop` and `ponderhit`
        # reach the searches that wait, too: those of commands up to these numbers.
        self._arrived = self._current = 0
        self._stopped = self._endless_stopped = self._ponder_hit_at = 0
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

    def run(self, commands: Iterable[bytes]) -> None:
        """Handle commands until `quit` or the last one, and answer all before it.

        Searches without a limit then end at once. A second `quit`, or a `stop` after
        the first, ends the other ones too.

        Parameters
        ----------
        commands : iterable of bytes
            Lines, read by another thread as they come.

        Raises
        ------
        CacheError, KernelError
            The kernel cannot be loaded; the client has been sent the reason.
        """
        self._spawn(lambda: self._listen(commands), self._end)
        self._spawn(self._load, self._handle_loaded)
        try:
            while self._search or self._waiting or not self._quitting:
                try:
                    task = self._tasks.get(timeout=self._timeout_s())
                except Empty:
                    pass
                else:
                    task()
                self._advance()
        finally:
            self._interrupt()
            self._use(None)

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
        self._send(protocol.format_notice(f"error: {error}"))
        raise error

    def _listen(self, commands: Iterable[bytes]) -> None:
        for line in commands:
            self._tasks.put(partial(self._receive, line))

    def _load(self) -> None:
        def notice(text: str) -> None:
            self._tasks.put(partial(self._send, protocol.format_notice(text)))

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

    def _advance(self) -> None:
        """Poll the search; after its `bestmove`, obey what waits, up to the next."""
        while self._search or self._waiting:
            if self._search:
                self._search.poll()
                if not self._search.over:
                    return
                self._search.send_best_move()
                self._search = None
            else:
                self._obey(self._waiting.popleft())

    def _receive(self, line: bytes) -> None:
        """Obey a command, or let it wait."""
        self._arrived += 1
        command = self._parse(line)
        word = command.word
        is_blank = not (word or command.text)
        if is_blank or (self._quitting and word not in {"stop", "quit"}):
            return
        passes = word in PASSING or (word == "setoption" and not self._waiting)
        if (self._search or self._waiting) and not passes:
            self._waiting.append(command)
        else:
            self._obey(command)

    def _parse(self, line: bytes) -> _Command:
        """Split a line at the first word that is a command, and skip what precedes."""
        text = line.decode(errors="surrogateescape").strip()
        cut = len(line.rstrip(b"\r\n")) > MAX_RECORD_BYTES
        for word in re.finditer(r"\S+", text):
            if word[0] in self._commands:
                rest = text[word.end() :].strip()
                return _Command(self._arrived, word[0], rest, cut=cut)
        return _Command(self._arrived, "", text, cut=cut)

    def _obey(self, command: _Command) -> None:
        """Do what a command asks for, or say why not."""
        self._current = command.number
        try:
            self._perform(command)
        except errors.InputError as error:
            self._send(protocol.format_notice(error))
            if command.word == "position":
                # Searching the previous position would answer the wrong question.
                self._board = str(error)
            if command.word == "go":
                self._send("bestmove (none)")  # the client waits for an answer

    def _perform(self, command: _Command) -> None:
        if not command.word:
            known, found = ", ".join(self._commands), command.text.split()[0]
            errors.refuse(f"expected one of {known}", errors.quote(found))
        if command.cut:
            most = f"a line of at most {MAX_RECORD_BYTES:,} bytes"
            errors.refuse(f"{command.word}: expected {most}", "a longer one")
        self._commands[command.word](command.text)

    def _send_identity(self, _rest: str) -> None:
        self._send(f"id name matesolve {__version__}")
        self._send("id author the matesolve authors")
        for name, option in protocol.OPTIONS.items():
            self._send(f"option name {name} {option.declaration}")
        self._send("uciok")

    def _send_ready(self, _rest: str) -> None:
        self._pending_ready += 1
        if self._loaded:
            self._send_pending_ready()

    def _send_pending_ready(self) -> None:
        for _ in range(self._pending_ready):
            self._send("readyok")
        self._pending_ready = 0

    def _handle_loaded(self) -> None:
        """Answer `isready` and start the search that waited for the kernel."""
        self._loaded = True
        self._send_pending_ready()
        if self._search:
            self._start(self._search)

    def _set_option(self, text: str) -> None:
        name, value = protocol.parse_option(text)
        forgets = name == protocol.KEEP_BOUNDS and self._options[name] and not value
        if name == protocol.CLEAR_HASH or forgets:
            self._clearings += 1  # so the next `go` gets a new solver
        self._options[name] = value

    def _start_game(self, _rest: str) -> None:
        """Forget a refused position; the bounds of `Keep Bounds` hold in any game."""
        if isinstance(self._board, str):
            self._board = chess.Board()

    def _set_position(self, text: str) -> None:
        position = read_position(text, repair=True)
        for warning in position.warnings:
            self._send(protocol.format_notice(f"position: {warning}"))
        self._board = position.board

    def _go(self, text: str) -> None:
        board = self._require_board()
        go = protocol.parse_go(text)
        for word in go.searchmoves:
            protocol.parse_move(board, word)
        if go.unknown:
            ignored = errors.quote(" ".join(go.unknown))
            self._send(protocol.format_notice(f"go: ignored {ignored}"))
        options = self._options
        hash_mib = options[protocol.HASH]
        self._wanted = (
            hash_mib,
            options[protocol.THREADS],
            options[protocol.SYZYGY_PATH],
            self._clearings,
        )
        kept_mb = most_kept_mb(hash_mib) if options[protocol.KEEP_BOUNDS] else 0
        lines = options[protocol.MULTI_PV]
        search = UciSearch(board, go, lines, self._send, kept_mb)
        if self._current <= self._ponder_hit_at:
            search.ponder_hit()
        stopped = self._endless_stopped if search.endless else self._stopped
        if self._current <= stopped:
            search.stop()
        elif self._loaded:
            self._start(search)
        self._search = search

    def _require_board(self) -> chess.Board:
        if isinstance(self._board, str):
            msg = f"no position, because the last one was refused: {self._board}"
            raise errors.InputError(msg)
        return self._board

    def _start(self, search: UciSearch) -> None:
        search.start(self._get_solver())
        self._thread = self._spawn(search.run, self._finish)

    def _finish(self) -> None:
        self._thread = None
        if self._search:
            self._search.finish()

    def _get_solver(self) -> solving.Solver:
        """Return the solver, or a new one if its options have changed."""
        if self._solver is None or self._solver_is_for != self._wanted:
            hash_mib, threads, tablebases, _ = self._wanted
            self._solver = None  # free its table before the next is allocated
            self._use(tablebases)
            try:
                self._solver = solving.Solver(hash_mib, tablebases, threads=threads)
            except errors.AllocationError:
                least = problem.DEFAULT_HASH_MIB
                found = f"expected {hash_mib} MiB of memory, found less"
                self._send(
                    protocol.format_notice(
                        f"option {protocol.HASH}: {found}; using {least} MiB"
                    )
                )
                self._solver = solving.Solver(least, tablebases, threads=threads)
            self._solver_is_for = self._wanted
        return self._solver

    def _use(self, tablebases: Tablebases | None) -> None:
        """Close the tablebases used so far, unless they are the same."""
        if self._tablebases and self._tablebases is not tablebases:
            self._tablebases.close()
        self._tablebases = tablebases

    def _stop(self, _rest: str) -> None:
        """End the search, and those that wait and would never end.

        If it was ending already, or after `quit`, end all that wait.
        """
        self._endless_stopped = self._arrived
        if self._search:
            if self._search.stopped or self._quitting:
                self._stopped = self._arrived
            self._search.stop()

    def _ponder_hit(self, _rest: str) -> None:
        self._ponder_hit_at = self._arrived
        if self._search:
            self._search.ponder_hit()

    def _draw(self, _rest: str) -> None:
        board = self._require_board()
        self._send(f"{board}\nFen: {board.fen()}")

    def _quit(self, rest: str) -> None:
        if self._quitting:
            self._stop(rest)
        self._end()

    def _end(self) -> None:
        """End when all searches have ended; those without a limit end now."""
        self._quitting = True
        self._send_pending_ready()  # there is nothing left to be ready for
        self._endless_stopped = self._arrived
        if self._search and self._search.endless:
            self._search.stop()

    def _interrupt(self) -> None:
        if self._search and self._thread:
            self._search.interrupt()
            self._thread.join()
        self._search = None


class _Command(NamedTuple):
    """A line that the client has sent.

    Attributes
    ----------
    number : int
        Counts the lines, from 1.
    word : str
        The command; empty if no word of the line is one.
    text : str
        What follows it; the whole line without a command.
    cut : bool
        Whether the line was too long, and its end is missing.
    """

    number: int
    word: str
    text: str
    cut: bool


def _ignore(_rest: str) -> None:
    """Accept a command that has no effect on this engine."""
