"""Many games at once, in processes, and their results in order.

A game does not depend on the process that plays it, so any number of jobs gives the
same games.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from solver.audit.workers import begin_process, interrupts_blocked
from solver.errors import MatesolveError
from solver.search.threads import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

    from solver.search.threads import GroupControl
    from solver.solution import StoppedBy

AHEAD = 4
"""How many games a process may be ahead of the last one yielded."""

Result_co = TypeVar("Result_co", covariant=True)


class Games(Protocol[Result_co]):
    """Games by number. Each process receives a copy."""

    def begin(self) -> Callable[[int], Result_co]:
        """Return the function that plays a game."""


def play_games(
    games: Games[Result_co], numbers: Iterable[int], jobs: int, control: GroupControl
) -> Iterator[Result_co]:
    """Play games, several at once.

    Parameters
    ----------
    games : Games
    numbers : iterable of int
        Which games.
    jobs : int
        How many at once, each in its process.
    control : GroupControl
        Stops play; games that are not finished then are lost.

    Yields
    ------
    object
        What each game returned, in the order of the numbers.

    Raises
    ------
    MatesolveError
        A process died.
    """
    with _start_processes(games, jobs, control) as submit:
        waiting = iter(numbers)
        try:
            running = deque(map(submit, islice(waiting, jobs * AHEAD)))
            while running:
                game = running.popleft()
                while not game.done():
                    wait_for([game], WAIT_S)
                yield game.result()
                running.extend(map(submit, islice(waiting, 1)))
        except BrokenExecutor:
            if control.is_stopped():
                return
            msg = "a process that played games died"
            raise MatesolveError(msg) from None


@contextmanager
def _start_processes(
    games: Games[Result_co], jobs: int, control: GroupControl
) -> Iterator[Callable[[int], Future[Result_co]]]:
    """Provide the function that gives a game to the next free process."""
    context = multiprocessing.get_context("spawn")
    far, near = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(games, far)
    )

    def submit(number: int) -> Future[Result_co]:
        with interrupts_blocked():  # this may start a process
            return cast("Future[Result_co]", executor.submit(_play, number))

    def stop(_reason: StoppedBy) -> None:
        near.close()  # takes no lock, and every process notices it

    try:
        with control.stopping(stop):
            yield submit
    finally:
        near.close()
        executor.shutdown(cancel_futures=True)
        far.close()


_play_number: Callable[[int], object]
"""Plays a game, in a process of the pool."""


def _begin(games: Games[object], stopped: Connection) -> None:
    """Prepare a process, which exits when play is stopped."""
    begin_process(stopped)
    global _play_number  # noqa: PLW0603 -- an initializer returns nothing
    _play_number = games.begin()


def _play(number: int) -> object:
    return _play_number(number)
