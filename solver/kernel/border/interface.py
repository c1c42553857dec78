"""The border between Python and the compiled kernel: a C function for each part.

`Kernel` calls its operations by name. `solver.kernel.border.parts` lists the parts and
the operations of each.

This module imports neither numba nor numpy, so that a process that loads the stored
kernel needs neither.
"""

from __future__ import annotations

import mmap
from ctypes import (
    CFUNCTYPE,
    POINTER,
    PYFUNCTYPE,
    Array,
    addressof,
    byref,
    c_int64,
    sizeof,
)
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from solver import errors
from solver.kernel.border import query_struct, search_struct

if TYPE_CHECKING:
    from solver.kernel.border import scored_struct

NO_LIMIT = (1 << 63) - 1
"""The node limit of a search without one."""

NO_BOUND = 255
"""The upper bound of a position with no known mate."""

STOPPED = -1
"""The result of any operation that a limit or `Search.stop` ended early."""

MATE_SHIFT = 8
MOVE_SHIFT = 16
EFFORT_BITS = 7
"""The number of entries to export stands below the bits of their effort."""

NULL_MOVE = 0
"""Passes the turn; no legal move has this number."""


class KernelError(errors.MatesolveError):
    """The compiled kernel lacks a function or gives a wrong answer."""


class Decision(IntEnum):
    """An answer to "is there a mate in n?"; all but STOPPED are proved."""

    STOPPED = STOPPED
    NO_MATE = 0
    MATE = 1


class ReplyFlag(IntEnum):
    """Flags of a reply; their values are added."""

    ENDS = 1
    """The reply itself reaches the goal, as in self- and reflex play."""
    RELEVANT = 2
    """The reply is a relevant defence: it acts against the threats, and does not end
    the play sooner than others."""


class KeyFeature(IntEnum):
    """What a key does; `solver.play.record` defines each."""

    CHECK = 0
    TAKES_FLIGHT = 1
    TAKES_FLIGHTS = 2
    PINS = 3
    CASTLING = 4
    UNPINS = 5
    GIVES_FLIGHT = 6
    GIVES_FLIGHTS = 7
    SACRIFICE = 8
    EN_PRISE = 9
    CAPTURES = 16
    """Plus the piece, as the boards that have it: pawn 1, knight 2, bishop 4, rook 8,
    queen 12."""
    PROMOTES = 32
    """Plus the piece."""


REPLY_WORDS = 4
"""Words for each reply in a list of replies, without its continuations."""

LEVEL_SHIFT = 16
"""A list of replies has fewer words than 1 << LEVEL_SHIFT."""


class TableBounds(NamedTuple):
    """What the table has proved about a position.

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


def new_search(**fields: int) -> search_struct.Search:
    """Return a search with these fields; the others are 0.

    A `Search()` would write zeros into all of its 2.4 MB at once.
    """
    search = search_struct.Search.from_buffer(map_memory(sizeof(search_struct.Search)))
    for name, value in fields.items():
        setattr(search, name, value)
    return search


def map_memory(size: int) -> mmap.mmap:
    """Map zeroed memory, private if the system offers that; unused pages cost nothing.

    Python's default is shared memory, for which Linux uses no huge pages.

    Raises
    ------
    OSError, MemoryError
        The system does not have that much memory.
    """
    if hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)


TYPES = (
    c_int64,
    c_int64,
    POINTER(search_struct.PositionStruct),
    POINTER(search_struct.Search),
    c_int64,
    c_int64,
)
"""result; operation, position, search, number, flag."""
PROTOTYPE = CFUNCTYPE(*TYPES)
SHORT_PROTOTYPE = PYFUNCTYPE(*TYPES)
"""The same, but keeps the GIL. A thread that releases it for a microsecond may wait 5
ms until another one gives it back."""

SHORT = frozenset({"MOVES", "CHECKING_MOVES", "MAKE", "IS_CHECK", "MATE_IN_ONE"})
"""Operations that take a microsecond or so."""


class Kernel:
    """A compiled part, whose operations are called by name.

    Stateless: every call brings its own memory. The searches read and write the
    transposition table at `Search.table`.

    Parameters
    ----------
    address : int
        Address of the part's C function, whose code must outlive this object.
    operations : type of IntEnum
        The operations that the part has. A call of any other raises KernelError.

    Notes
    -----
    Calls release the GIL, except of short operations, so threads with one `Search` each
    run in parallel.
    """

    def __init__(self, address: int, operations: type[IntEnum]) -> None:
        self._call = PROTOTYPE(address)
        self._call_short = SHORT_PROTOTYPE(address)
        self._operations = {each.name: each.value for each in operations}

    def run(
        self,
        operation: str,
        position: search_struct.PositionStruct | None,
        search: search_struct.Search | None,
        number: int = 0,
        flag: int = 0,
    ) -> int:
        """Run an operation; the methods below say what each takes and returns.

        Raises
        ------
        KernelError
            The part does not have the operation.
        """
        if operation not in self._operations:
            msg = f"operation: expected one of {[*self._operations]}, found {operation}"
            raise KernelError(msg)
        is_short = operation in SHORT or (operation == "READ_ROWS" and flag == 1)
        call = self._call_short if is_short else self._call
        result: int = call(
            self._operations[operation],
            byref(position) if position else None,
            byref(search) if search else None,
            number,
            flag,
        )
        return result

    # The search for mates

    def perft(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        depth: int,
        *,
        listed: bool = False,
    ) -> int:
        """Count the leaves `depth` plies (at least 1) below; STOPPED after a stop.

        The moves of the last ply are only counted, or listed as in a search.
        """
        return self.run("PERFT", position, search, depth, listed)

    def moves(
        self, position: search_struct.PositionStruct, search: search_struct.Search
    ) -> list[int]:
        """Return the legal moves."""
        size = self.run("MOVES", position, search)
        return search.rows[0][:size]

    def checking_moves(
        self, position: search_struct.PositionStruct, search: search_struct.Search
    ) -> list[int]:
        """Return the legal moves that give check."""
        size = self.run("CHECKING_MOVES", position, search)
        return search.rows[0][:size]

    def made(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        move: int,
    ) -> search_struct.PositionStruct:
        """Return the position after a legal or null move, seen by the other side."""
        child = search_struct.PositionStruct.from_buffer_copy(position)
        self.run("MAKE", child, search, move)
        return child

    def is_check(
        self, position: search_struct.PositionStruct, search: search_struct.Search
    ) -> bool:
        """Return whether the side to move is in check."""
        return bool(self.run("IS_CHECK", position, search))

    def mate_mark(
        self, position: search_struct.PositionStruct, search: search_struct.Search
    ) -> int:
        """Return the index of a position's `MateMark`; the mated side is to move."""
        return self.run("MATE_MARK", position, search)

    def key_features(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        move: int,
        *,
        black: bool,
    ) -> list[int]:
        """List what a legal move does; each is a `KeyFeature`.

        Parameters
        ----------
        position : Position
            The position before it.
        search : Search
            Its `text` receives the squares of each, with a line end after each list.
        move : int
        black : bool
            Whether Black is to move.
        """
        size = self.run("KEY_FEATURES", position, search, move, black)
        return search.rows[0][:size]

    def mate_in_one(
        self, position: search_struct.PositionStruct, search: search_struct.Search
    ) -> int:
        """Return a mating move, or 0 if there is none."""
        return self.run("MATE_IN_ONE", position, search)

    def mates_within(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        *,
        attacking: bool = True,
    ) -> Decision:
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
        Decision
        """
        return Decision(self.run("MATES_WITHIN", position, search, moves, attacking))

    def find_mate(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        *,
        attacking: bool = True,
    ) -> Decision:
        """Decide the same with the df-pn search, under the restriction of `search`."""
        return Decision(self.run("FIND_MATE", position, search, moves, attacking))

    def bounds(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        *,
        attacking: bool,
    ) -> TableBounds:
        """Read the table's bounds of a position under the restriction of `search`."""
        packed = self.run("BOUNDS", position, search, 0, attacking)
        no_mate, mate, move = (
            packed & 255,
            packed >> MATE_SHIFT & 255,
            packed >> MOVE_SHIFT,
        )
        return TableBounds(no_mate, None if mate == NO_BOUND else mate, move)

    def line(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        *,
        attacking: bool = True,
    ) -> list[int]:
        """Return the line of a position whose shortest mate is `moves`.

        In battle play, this is the line to the goal, at the shortest distance `moves`.
        It is cut short if the search was stopped.
        """
        size = self.run("LINE", position, search, moves, attacking)
        return search.line[:size]

    def proved_line(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        *,
        attacking: bool = True,
    ) -> list[int] | None:
        """Return the line of a mate that the df-pn search proved within `moves`.

        None if a lost part of the proof could not be proved again. See
        `solver.kernel.mate.bounds`.
        """
        size = self.run("PROVED_LINE", position, search, moves, attacking)
        return None if size == STOPPED else search.line[:size]

    def solving_moves(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
    ) -> list[int] | None:
        """Return the attacker's moves that mate within `moves`, at least 1.

        In battle play, these are the moves that reach the goal. They are in the
        generator's order. None if the search was stopped.
        """
        size = self.run("SOLVING_MOVES", position, search, moves)
        return None if size == STOPPED else search.rows[0][:size]

    def refutations(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        most: int,
    ) -> list[int] | None:
        """Return replies after which the attacker fails within `moves`.

        In reflex play, a defender that must mate has none.

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
            Empty if every reply loses in time, and if there is none. None if the search
            was stopped.
        """
        size = self.run("REFUTATIONS", position, search, moves, most)
        return None if size == STOPPED else search.rows[0][:size]

    def list_continuations(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        *,
        threats: bool,
    ) -> int | None:
        """List the attacker's shortest continuations after every reply in `search`.

        Parameters
        ----------
        position : Position
            The defender is to move.
        search : Search
        moves : int
            The most moves that a continuation may take, at least 1; in battle play 0
            for the replies after the attacker's last move.
        threats : bool
            Begin with the null move as a reply, unless the defender is in check, must
            reach the goal of reflex play, or `moves` is 0.

        Returns
        -------
        int or None
            The length of the list, which `write_level` reads. None if the search was
            stopped.
        """
        size = self.run("CONTINUATIONS", position, search, moves, threats)
        return None if size == STOPPED else size

    def write_level(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        size: int,
        first: int = 0,
        *,
        black: bool,
        all_defences: bool = False,
    ) -> int:
        """Write a list of replies as rows, named and in order; see `LevelRole`.

        Only the search for mates has this operation, for lists of all parts.

        Parameters
        ----------
        position : Position
            The defender is to move.
        search : Search
            Has the list. Its `text` has room for MOVES_TEXT_BYTES.
        size : int
            The length of the list.
        first : int
            What the last call returned, to go on; 0: begin.
        black : bool
            Whether Black is to move.
        all_defences : bool
            Write defences that are not relevant, too.

        Returns
        -------
        int
            Where to go on; 0: all is written.
        """
        flags = black * query_struct.LevelFlag.BLACK
        flags += all_defences * query_struct.LevelFlag.ALL
        number = size | first << LEVEL_SHIFT
        return self.run("WRITE_LEVEL", position, search, number, flags)

    def has_tries(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
    ) -> bool:
        """Return whether a move that does not solve within `moves` can be a try.

        It cannot be if it is the last move, except in selfmates and selfstalemates, or
        if reflex play allows the attacker no other move.
        """
        return bool(self.run("HAS_TRIES", position, search, moves))

    def read_rows(
        self,
        rows: Array[query_struct.Query],
        search: search_struct.Search,
        first: int,
        end: int,
    ) -> int:
        """Read the FENs and lines of rows; see `solver.kernel.mate.entry`.

        Parameters
        ----------
        rows : array of Query
            With their texts; they receive what was read.
        search : Search
            Its `text` receives the texts, and its first row of moves is overwritten.
        first, end : int
            Which rows: from `first` on, before `end`.

        Returns
        -------
        int
            The first row that was not read because `Search.text` may have too little
            room for it; `end` if all were.
        """
        return self._run_rows("READ_ROWS", rows, search, first, end)

    def write_lines(
        self,
        query: query_struct.Query,
        search: search_struct.Search,
        style: query_struct.LineStyle = query_struct.LineStyle.SAN,
    ) -> None:
        """Write lines of moves to `search.text`, by name up to the first illegal move.

        Parameters
        ----------
        query : Query
            READ: its position begins each line. Its `line` is the lines, with a line
            end between them. Its position is overwritten.
        search : Search
            Its `text` has room for twice the bytes of the lines and LONG_TEXT_BYTES;
            with WITH_END, for FEN_TEXT_BYTES more for each line. It receives the lines,
            with a space after each move and a line end after each line.
        style : LineStyle
            How they are written.
        """
        self.run("WRITE_LINES", None, search, addressof(query), style)

    def name_rows(
        self,
        rows: Array[query_struct.Query],
        search: search_struct.Search,
        first: int,
        end: int,
    ) -> int:
        """Write the moves of rows in SAN; see `solver.kernel.mate.entry`.

        Parameters and result are those of `read_rows`.
        """
        return self._run_rows("NAME_ROWS", rows, search, first, end)

    def write_forms(
        self, query: query_struct.Query, search: search_struct.Search
    ) -> None:
        """Write the common form of positions that pose the same problem.

        Parameters
        ----------
        query : Query
            Its `fen` is their FENs, with a line end between them.
        search : Search
            Its `text` has room for FORM_WORDS words for each, and receives them; see
            `solver.kernel.mate.entry`.
        """
        self.run("WRITE_FORMS", None, search, addressof(query))

    def find_first_forms(self, search: search_struct.Search, count: int) -> None:
        """Find the first of each of `count` forms that are equal.

        Parameters
        ----------
        search : Search
            Its `text` is what `write_forms` wrote, and receives the indices. Its
            `table` has zeros in `buckets` buckets, a power of two, with more words than
            `count`.
        count : int
        """
        self.run("FIND_FIRST_FORMS", None, search, count)

    def take_turn(
        self, query: query_struct.Query, search: search_struct.Search
    ) -> query_struct.Turn:
        """Take the next turn of a query; see `solver.kernel.mate.turns`.

        Parameters
        ----------
        query : Query
            READ or OPEN; it receives the progress and the answer.
        search : Search
            Its `text` receives the texts of the answer.
        """
        return query_struct.Turn(self.run("TAKE_TURN", None, search, addressof(query)))

    def solve_queries(
        self,
        queries: Array[query_struct.Query],
        search: search_struct.Search,
        first: int,
        end: int,
    ) -> int:
        """Answer queries, until one is left to the caller; see `take_turn`.

        Parameters
        ----------
        queries : array of Query
            READ, with their questions; they receive their answers. Those that are
            REFUSED are passed over.
        search : Search
            Its `text` receives the texts.
        first, end : int
            Which queries: from `first` on, before `end`.

        Returns
        -------
        int
            The first query that is left to the caller; `end` if none is.
        """
        return self._run_rows("SOLVE_QUERIES", queries, search, first, end)

    def grade_rows(
        self,
        rows: Array[query_struct.Query],
        search: search_struct.Search,
        first: int,
        end: int,
    ) -> int:
        """Grade the lines of rows; see `solver.kernel.mate.grading`.

        Parameters and result are those of `read_rows`. The node limit of `search` is
        overwritten.
        """
        return self._run_rows("GRADE_ROWS", rows, search, first, end)

    def begin(self, search: search_struct.Search) -> None:
        """Forget the last search: its nodes, its table's entries and its refutations.

        A helper thread's search keeps the table that it shares.
        """
        self.run("BEGIN", None, search)

    def grow(self, search: search_struct.Search, buckets: int) -> None:
        """Give the table this many buckets of each kind, as far as there is memory.

        It keeps its entries. A stop of the search ends this before it is done.
        """
        self.run("GROW", None, search, buckets)

    def export_entries(
        self,
        search: search_struct.Search,
        address: int,
        room: int,
        efforts: tuple[int, int],
        *,
        of_numbers: bool = False,
    ) -> int:
        """Write the entries of these efforts, as far as they fit; return how many."""
        least, most = efforts
        flag = ((room << 1 | of_numbers) << EFFORT_BITS | most) << EFFORT_BITS | least
        return self.run("EXPORT_ENTRIES", None, search, address, flag)

    def merge_bounds(
        self, search: search_struct.Search, address: int, size: int
    ) -> int:
        """Add exported bounds; return how many, up to one that contradicts another."""
        return self.run("MERGE_BOUNDS", None, search, address, size)

    def _run_rows(
        self,
        operation: str,
        rows: Array[query_struct.Query],
        search: search_struct.Search,
        first: int,
        end: int,
    ) -> int:
        address = addressof(rows) + first * sizeof(query_struct.Query)
        return first + self.run(operation, None, search, address, end - first)

    # Battle play

    def reaches_within(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        moves: int,
        *,
        attacking: bool = True,
    ) -> Decision:
        """Decide whether the attacker reaches the goal of `Search.play`; MATE: it does.

        Parameters and result are those of `mates_within`.
        """
        return Decision(self.run("REACHES_WITHIN", position, search, moves, attacking))

    # Help play

    def solutions(
        self,
        play: search_struct.HelpPlay,
        search: search_struct.Search,
        most: int | None = None,
    ) -> tuple[list[list[int]], search_struct.HelpState]:
        """Continue an enumeration of help play.

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
        room = search_struct.HELP_LINE_WORDS // play.plies
        play.most = room if most is None else min(room, most)
        play.written = 0
        state = search_struct.HelpState(
            self.run("ENUMERATE", None, search, addressof(play))
        )
        words, plies = play.lines[: play.written * play.plies], play.plies
        return [words[at : at + plies] for at in range(0, len(words), plies)], state

    def is_hopeless(self, play: search_struct.HelpPlay) -> bool:
        """Return whether the enumeration would skip its first position.

        True is a proof that there is no solution; False says nothing.
        """
        return bool(self.run("IS_HOPELESS", None, None, addressof(play)))

    def list_nets(
        self, play: search_struct.HelpPlay, search: search_struct.Search
    ) -> bool:
        """List the final positions that an enumeration can reach.

        Parameters
        ----------
        play : HelpPlay
            Points to its `Nets`, with memory and budget. It may have begun.
        search : Search
            Its `stop` ends the listing.

        Returns
        -------
        bool
            Whether the list is complete; False: it was stopped, or its budget or memory
            was too small, and the enumeration must not use it.
        """
        return bool(self.run("LIST_NETS", None, search, addressof(play)))

    def nets_left(
        self, play: search_struct.HelpPlay, search: search_struct.Search
    ) -> int:
        """Return how many nets the first moves that are left may reach."""
        return self.run("COUNT_LEFT", None, search, addressof(play))

    # The laboratory's search

    def search_score(
        self,
        position: search_struct.PositionStruct,
        search: search_struct.Search,
        experiment: scored_struct.Experiment,
    ) -> bool:
        """Run the scored search that `experiment` describes.

        Returns
        -------
        bool
            Whether it was completed; `experiment` then has the result.
        """
        self.run("SEARCH_SCORE", position, search, addressof(experiment))
        return not experiment.stopped
