"""The border between Python and the compiled kernel: a C function for each part.

`Kernel` searches for mates, `BattleKernel` the other stipulations that have two
opponents. `HelpKernel` enumerates help play, and `LaboratoryKernel` runs the
experiments. These are compiled apart, because few processes need them. Each has a
self-test: positions with known answers.

This module imports neither numba nor numpy, so that a process that loads the stored
kernel needs neither.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    addressof,
    byref,
    c_int64,
    c_uint32,
    c_uint64,
    memmove,
    sizeof,
)
from enum import IntEnum
from typing import NamedTuple

from solver.errors import MatesolveError
from solver.kernel.memory import (
    HELP_LINE_WORDS,
    MAX_LEGAL_MOVES,
    BattlePlay,
    Experiment,
    HelpPlay,
    Position,
    Search,
)

NO_LIMIT = (1 << 63) - 1
"""The node limit of a search without one."""

NO_BOUND = 255
"""The upper bound of a position with no known mate."""

STOPPED = -1
"""The result of any operation that a limit or `Search.stop` ended early."""

MATE_SCORE = 30_000
"""The scored search's score for giving mate now, in centipawns."""

MATE_ZONE = 29_000
"""Scores at least this far from 0 are mates; the evaluation stays below."""

INFINITE_SCORE = 32_000
"""Larger than every score."""

MATE_SHIFT = 8
MOVE_SHIFT = 16

NULL_MOVE = 0
"""Passes the turn; no legal move has this number."""


class Operation(IntEnum):
    """An operation of the search's C function."""

    PERFT = 0
    GENERATE = 1
    GENERATE_CHECKS = 2
    MAKE = 3
    MATE_IN_ONE = 4
    MATES_WITHIN = 5
    FIND_MATE = 6
    FIND_LINE = 7
    BOUNDS = 8
    SOLVING_MOVES = 9
    REFUTATIONS = 10
    CONTINUATIONS = 11
    IS_CHECK = 12


class BattleOperation(IntEnum):
    """An operation of the C function of battle play."""

    REACHES_WITHIN = 0
    SOLVING_MOVES = 1
    REFUTATIONS = 2
    FIND_LINE = 3


class LaboratoryOperation(IntEnum):
    """An operation of the laboratory's C function."""

    SEARCH_SCORE = 0
    MATERIAL_CELL = 1


class HelpOperation(IntEnum):
    """An operation of help play's C function."""

    ENUMERATE = 0
    IS_HOPELESS = 1


class HelpState(IntEnum):
    """How a call of help play's enumeration ended."""

    STOPPED = STOPPED
    COMPLETE = -2
    PAUSED = -3


class Verdict(IntEnum):
    """An answer to "is there a mate in n?"; all but STOPPED are proved."""

    STOPPED = STOPPED
    NO_MATE = 0
    MATE = 1


class Bounds(NamedTuple):
    """What the table holds as proved of a position.

    Attributes
    ----------
    no_mate : int
        This many moves are not enough.
    mate : int or None
        This many moves are enough; None if no mate is known.
    move : int
        The attacker's mating move or the defender's refutation; 0 if none is known.
    """

    no_mate: int
    mate: int | None
    move: int


PROTOTYPE = CFUNCTYPE(
    c_int64, c_int64, POINTER(Position), POINTER(Search), c_int64, c_int64
)
"""operation, position, search, number, flag -> result."""

LABORATORY_PROTOTYPE = CFUNCTYPE(
    c_int64, c_int64, POINTER(Position), POINTER(Search), POINTER(Experiment)
)
"""operation, position, search, experiment -> result."""

HELP_PROTOTYPE = CFUNCTYPE(c_int64, c_int64, POINTER(Search), POINTER(HelpPlay))
"""operation, search, play -> result."""


class Kernel:
    """The compiled search. Stateless: every call brings its own memory.

    The searches read and write the transposition table at `Search.table`.

    Parameters
    ----------
    address : int
        Address of the compiled C function, whose code must outlive this object.

    Notes
    -----
    Calls release the GIL, so threads with one `Search` each run in parallel.
    """

    def __init__(self, address: int) -> None:
        self._call = PROTOTYPE(address)

    def perft(
        self, position: Position, search: Search, depth: int, *, listed: bool = False
    ) -> int:
        """Count the leaves `depth` plies (at least 1) down; STOPPED on a stop.

        The last ply's moves are only counted, or listed as a search lists them.
        """
        return self._run(Operation.PERFT, position, search, depth, listed)

    def moves(self, position: Position, search: Search) -> list[int]:
        """Return the legal moves."""
        size = self._run(Operation.GENERATE, position, search)
        return search.rows[0][:size]

    def checking_moves(self, position: Position, search: Search) -> list[int]:
        """Return the legal moves that give check."""
        size = self._run(Operation.GENERATE_CHECKS, position, search)
        return search.rows[0][:size]

    def made(self, position: Position, search: Search, move: int) -> Position:
        """Return the position after a legal or null move, seen by the other side."""
        child = Position.from_buffer_copy(position)
        self._run(Operation.MAKE, child, search, move)
        return child

    def is_check(self, position: Position, search: Search) -> bool:
        """Return whether the side to move is in check."""
        return bool(self._run(Operation.IS_CHECK, position, search))

    def mate_in_one(self, position: Position, search: Search) -> int:
        """Return a mating move, or 0 if there is none."""
        return self._run(Operation.MATE_IN_ONE, position, search)

    def mates_within(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> Verdict:
        """Decide with the prover whether the attacker mates within `moves`.

        Parameters
        ----------
        position : Position
            The attacker is to move if `attacking`, else the defender.
        search : Search
        moves : int
            The attacker's own moves, at least 0.
        attacking : bool

        Returns
        -------
        Verdict
        """
        return Verdict(
            self._run(Operation.MATES_WITHIN, position, search, moves, attacking)
        )

    def find_mate(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> Verdict:
        """Decide the same with the df-pn search, under the restriction of `search`."""
        return Verdict(
            self._run(Operation.FIND_MATE, position, search, moves, attacking)
        )

    def bounds(self, position: Position, search: Search, *, attacking: bool) -> Bounds:
        """Read the table's bounds of a position under the restriction of `search`."""
        packed = self._run(Operation.BOUNDS, position, search, 0, attacking)
        no_mate, mate, move = (
            packed & 255,
            packed >> MATE_SHIFT & 255,
            packed >> MOVE_SHIFT,
        )
        return Bounds(no_mate, None if mate == NO_BOUND else mate, move)

    def line(
        self, position: Position, search: Search, moves: int, *, attacking: bool = True
    ) -> list[int]:
        """Return the mating line of a position whose shortest mate is `moves`.

        It is cut short if the search was stopped.
        """
        size = self._run(Operation.FIND_LINE, position, search, moves, attacking)
        return search.line[:size]

    def solving_moves(
        self, position: Position, search: Search, moves: int
    ) -> list[int] | None:
        """Return the attacker's moves that mate within `moves`, at least 1.

        The attacker is to move. The moves are in the generator's order. None if the
        search was stopped.
        """
        size = self._run(Operation.SOLVING_MOVES, position, search, moves)
        return None if size == STOPPED else search.rows[0][:size]

    def refutations(
        self, position: Position, search: Search, moves: int, most: int
    ) -> list[int] | None:
        """Return replies after which the attacker does not mate within `moves`.

        Parameters
        ----------
        position : Position
            The defender is to move.
        search : Search
        moves : int
            The attacker's own moves after the reply, at least 0.
        most : int
            Return as soon as there are this many, at least 1.

        Returns
        -------
        list of int, or None
            Empty if every reply is mated in time, and if there is none. None if the
            search was stopped.
        """
        size = self._run(Operation.REFUTATIONS, position, search, moves, most)
        return None if size == STOPPED else search.rows[0][:size]

    def continuations(
        self, position: Position, search: Search, moves: int, *, threats: bool
    ) -> list[int] | None:
        """List the attacker's shortest continuations after every reply.

        Parameters
        ----------
        position : Position
            The defender is to move.
        search : Search
        moves : int
            The most moves that a continuation may take, at least 1.
        threats : bool
            Begin with the null move as a reply, unless the defender is in check.

        Returns
        -------
        list of int, or None
            For each reply: the reply, the number of moves that the continuations take,
            the number of continuations, and these; both numbers are 0 if there is none.
            None if the search was stopped.
        """
        size = self._run(Operation.CONTINUATIONS, position, search, moves, threats)
        if size == STOPPED:
            return None
        if size <= MAX_LEGAL_MOVES:
            return search.phis[0][:size]
        words = (c_uint32 * size).from_buffer(search, Search.phis.offset)
        return words[:]

    def _run(
        self,
        operation: Operation,
        position: Position,
        search: Search,
        number: int = 0,
        flag: int = 0,
    ) -> int:
        result: int = self._call(
            operation, byref(position), byref(search), number, flag
        )
        return result


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


class LaboratoryKernel:
    """The compiled search of the laboratory. Stateless, and releases the GIL.

    Parameters
    ----------
    address : int
        Address of the laboratory's C function, whose code must outlive this object.
    """

    def __init__(self, address: int) -> None:
        self._call = LABORATORY_PROTOTYPE(address)

    def search_score(
        self, position: Position, search: Search, experiment: Experiment
    ) -> bool:
        """Run the scored search that `experiment` describes.

        Returns
        -------
        bool
            Whether it was completed; `experiment` then has the result.
        """
        self._call(
            LaboratoryOperation.SEARCH_SCORE,
            byref(position),
            byref(search),
            byref(experiment),
        )
        return not experiment.stopped

    def material_cell(self, position: Position) -> int:
        """Return the position's index in a material-imbalance table; -1 if none."""
        cell: int = self._call(
            LaboratoryOperation.MATERIAL_CELL, byref(position), None, None
        )
        return cell


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

BUCKET_WORDS = 8


class KernelError(MatesolveError):
    """The compiled kernel lacks a function, or gives a wrong answer."""


def start_position() -> Position:
    """Return the position at the start of a game."""
    return Position(
        pawns=0x00FF_0000_0000_FF00,
        knights=0x4200_0000_0000_0042,
        diagonal=0x2C00_0000_0000_002C,
        orthogonal=0x8900_0000_0000_0089,
        kings=0x1000_0000_0000_0010,
        us=0x0000_0000_0000_FFFF,
        them=0xFFFF_0000_0000_0000,
        rights=0x8100_0000_0000_0081,
    )


def mate_in_two() -> Position:
    """Return king f6 and rook a1 against king h8: 1. Kf7 Kh7 2. Rh1#, none shorter."""
    king, rook, their_king = 1 << 45, 1 << 0, 1 << 63
    return Position(
        orthogonal=rook, kings=king | their_king, us=king | rook, them=their_king
    )


def self_test_search(kernel: Kernel) -> None:
    """Compare the search's answers with the known ones.

    Raises
    ------
    KernelError
        An answer is wrong; the message names the question and both answers.
    """
    table = (c_uint64 * BUCKET_WORDS)()
    search = Search(
        node_limit=NO_LIMIT, table=addressof(table), generation=1, buckets=1
    )
    position = mate_in_two()
    _compare(
        {
            "perft 3": (kernel.perft(start_position(), search, 3), 8902),
            "mate in 1": (kernel.mates_within(position, search, 1), Verdict.NO_MATE),
            "mate in 2": (kernel.mates_within(position, search, 2), Verdict.MATE),
            "plies of its line": (len(kernel.line(position, search, 2)), 3),
        }
    )


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
    _compare(
        {
            "s#1": (kernel.reaches_within(position, search, 1), Verdict.NO_MATE),
            "s#2": (kernel.reaches_within(position, search, 2), Verdict.MATE),
            "plies of its line": (len(kernel.line(position, search, 2)), 4),
        }
    )


def self_test_laboratory(kernel: LaboratoryKernel) -> None:
    """Compare the answers of the laboratory's search with the known ones.

    Raises
    ------
    KernelError
        An answer is wrong; the message names the question and both answers.
    """
    experiment = Experiment(alpha=-INFINITE_SCORE, beta=INFINITE_SCORE, depth=4)
    search = Search(node_limit=NO_LIMIT)
    _compare(
        {
            "scored search": (
                kernel.search_score(mate_in_two(), search, experiment),
                True,
            ),
            "its score": (experiment.score, MATE_SCORE - 3),
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
    _compare(
        {
            "solutions of h#2": (len(lines), 22),
            "how it ended": (state, HelpState.COMPLETE),
        }
    )


def _compare(answers: dict[str, tuple[object, object]]) -> None:
    for question, (found, expected) in answers.items():
        if found != expected:
            msg = f"self-test, {question}: expected {expected!r}, found {found!r}"
            raise KernelError(msg)
