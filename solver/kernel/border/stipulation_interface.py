"""The border between Python and the kernel of stipulations other than the direct mate.

`BattleKernel` searches the stipulations that have two opponents, `HelpKernel`
enumerates help play. Like `solver.kernel.border.interface`, this module imports neither
numba nor numpy.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    addressof,
    byref,
    c_int64,
    c_uint64,
    memmove,
    sizeof,
)
from enum import IntEnum

from solver.kernel.border.interface import (
    NO_LIMIT,
    PROTOTYPE,
    STOPPED,
    Verdict,
)
from solver.kernel.border.memory import (
    HELP_LINE_WORDS,
    BattlePlay,
    HelpPlay,
    Position,
    Search,
)
from solver.kernel.border.self_test import BUCKET_WORDS, compare_answers


class BattleOperation(IntEnum):
    """An operation of the C function of battle play."""

    REACHES_WITHIN = 0
    SOLVING_MOVES = 1
    REFUTATIONS = 2
    FIND_LINE = 3


class HelpOperation(IntEnum):
    """An operation of help play's C function."""

    ENUMERATE = 0
    IS_HOPELESS = 1


class HelpState(IntEnum):
    """How a call of help play's enumeration ended."""

    STOPPED = STOPPED
    COMPLETE = -2
    PAUSED = -3


HELP_PROTOTYPE = CFUNCTYPE(c_int64, c_int64, POINTER(Search), POINTER(HelpPlay))
"""operation, search, play -> result."""


class BattleKernel:
    """The compiled search of `=n`, `s#n`, `s=n`, `r#n` and `semi-r#n`.

    `Search.play` says which. A verdict MATE means that the attacker reaches the goal.
    Stateless, and releases the GIL.

    Parameters
    ----------
    address : int
        Address of the C function, whose code must outlive this object.
    """

    def __init__(self, address: int) -> None:
        self._call = PROTOTYPE(address)

    def reaches_within(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> Verdict:
        """Decide whether the attacker reaches the goal within `moves` of its moves.

        Parameters
        ----------
        position : Position
            The attacker is to move if `attacking`, else the defender.
        search : Search
        moves : int
            At least 0.
        attacking : bool

        Returns
        -------
        Verdict
        """
        return Verdict(
            self._run(
                BattleOperation.REACHES_WITHIN, position, search, moves, attacking
            )
        )

    def solving_moves(
        self, position: Position, search: Search, moves: int
    ) -> list[int] | None:
        """Return the attacker's moves that reach the goal within `moves` (at least 1).

        Returns
        -------
        list of int, or None
            None if a limit was hit first.
        """
        size = self._run(BattleOperation.SOLVING_MOVES, position, search, moves)
        return None if size == STOPPED else search.line[:size]

    def refutations(
        self, position: Position, search: Search, moves: int, most: int
    ) -> list[int] | None:
        """Return replies after which the attacker fails within `moves`.

        A defender that must mate, or cannot move, has none.

        Parameters
        ----------
        position : Position
            The defender is to move.
        search : Search
        moves : int
            The attacker's moves, at least 0.
        most : int
            Look for at most this many.

        Returns
        -------
        list of int, or None
            None if a limit was hit first.
        """
        size = self._run(BattleOperation.REFUTATIONS, position, search, moves, most)
        return None if size == STOPPED else search.line[:size]

    def line(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> list[int]:
        """Return a line to the goal, whose shortest distance is `moves`.

        It is cut short if the search was stopped.
        """
        size = self._run(BattleOperation.FIND_LINE, position, search, moves, attacking)
        return search.line[:size]

    def _run(
        self,
        operation: BattleOperation,
        position: Position,
        search: Search,
        number: int,
        flag: int = 0,
    ) -> int:
        result: int = self._call(
            operation, byref(position), byref(search), number, flag
        )
        return result


class HelpKernel:
    """The compiled enumeration of help play. Stateless, and releases the GIL.

    Parameters
    ----------
    address : int
        Address of help play's C function, whose code must outlive this object.
    """

    def __init__(self, address: int) -> None:
        self._call = HELP_PROTOTYPE(address)

    def begin(
        self,
        position: Position,
        plies: int,
        *,
        is_stalemate: bool = False,
        is_pruned: bool = True,
    ) -> HelpPlay:
        """Return the state before an enumeration.

        Parameters
        ----------
        position : Position
            The side to move begins. The side that does not make the last move is
            mated or stalemated.
        plies : int
            The length of a solution, 1 to 400.
        is_stalemate : bool
            The goal is stalemate instead of mate.
        is_pruned : bool
            Leave out positions that are proved hopeless. The solutions are the same.
        """
        play = HelpPlay(
            plies=plies, is_stalemate=is_stalemate, is_pruned=is_pruned, ply=-1
        )
        memmove(play.positions, byref(position), sizeof(position))
        return play

    def resume(
        self, play: HelpPlay, search: Search, most: int | None = None
    ) -> tuple[list[list[int]], HelpState]:
        """Continue an enumeration.

        Parameters
        ----------
        play : HelpPlay
            The state, advanced.
        search : Search
            The same for all calls. Its rows belong to the enumeration until that ends;
            its table may change.
        most : int or None
            At most so many solutions, at least 1; None: as many as the buffer holds.

        Returns
        -------
        lines : list of list of int
            Further solutions. No other call returns the same.
        state : HelpState
            PAUSED with `most` solutions, and there may be more; COMPLETE; or STOPPED by
            a limit or `Search.stop`. An enumeration that was stopped can be continued.
        """
        room = HELP_LINE_WORDS // play.plies
        play.most = room if most is None else min(room, most)
        play.written = 0
        state = HelpState(
            self._call(HelpOperation.ENUMERATE, byref(search), byref(play))
        )
        words, plies = play.lines[: play.written * play.plies], play.plies
        return [words[at : at + plies] for at in range(0, len(words), plies)], state

    def is_hopeless(self, play: HelpPlay) -> bool:
        """Return whether the enumeration would leave its first position out.

        True is a proof that there is no solution; False says nothing.
        """
        return bool(self._call(HelpOperation.IS_HOPELESS, None, byref(play)))


# The self-tests


def self_mate_in_two() -> Position:
    """Return king a1, queens a6 and c2 against king g1, rook h1 and queen b3: s#2."""
    king, queens = 1 << 0, 1 << 40 | 1 << 10
    their_king, rook, queen = 1 << 6, 1 << 7, 1 << 17
    return Position(
        diagonal=queens | queen,
        orthogonal=queens | queen | rook,
        kings=king | their_king,
        us=king | queens,
        them=their_king | rook | queen,
    )


def self_test_battle(kernel: BattleKernel) -> None:
    """Compare the answers of battle play with the known ones.

    Raises
    ------
    KernelError
        An answer is wrong; the message names the question and both answers.
    """
    table = (c_uint64 * BUCKET_WORDS)()
    search = Search(
        node_limit=NO_LIMIT,
        table=addressof(table),
        generation=1,
        buckets=1,
        play=BattlePlay.SELF_MATE,
    )
    position = self_mate_in_two()
    compare_answers(
        {
            "s#1": (kernel.reaches_within(position, search, 1), Verdict.NO_MATE),
            "s#2": (kernel.reaches_within(position, search, 2), Verdict.MATE),
            "plies of its line": (len(kernel.line(position, search, 2)), 4),
        }
    )


def self_test_help(kernel: HelpKernel) -> None:
    """Compare the answers of help play's enumeration with the known ones.

    Raises
    ------
    KernelError
        An answer is wrong; the message names the question and both answers.
    """
    table = (c_uint64 * BUCKET_WORDS)()
    search = Search(
        node_limit=NO_LIMIT, table=addressof(table), generation=1, buckets=1
    )
    rook, king, mated = 1 << 56, 1 << 21, 1 << 7
    position = Position(  # mate_in_two(), but the king in the corner begins
        orthogonal=rook, kings=king | mated, us=mated, them=king | rook
    )
    lines, state = kernel.resume(kernel.begin(position, 4), search)
    compare_answers(
        {
            "solutions of h#2": (len(lines), 22),
            "how it ended": (state, HelpState.COMPLETE),
        }
    )
