"""The memory of a search, laid out once for ctypes and for numba."""

from __future__ import annotations

from ctypes import (
    Structure,
    byref,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    memmove,
    sizeof,
)
from enum import IntEnum
from typing import ClassVar

# --------------------------------------------------------------------------------------
# The memory of one search, laid out once for ctypes and for numba.
#
# Kernel functions allocate nothing. The caller brings a `Search` for each thread and a
# transposition table. This module imports neither numba nor numpy, so that a process
# that loads the stored kernel needs neither.

MAX_PLIES = 448
"""Rows for the longest line that can be asked for, and for a threat at its end."""

POSITION_WORDS = 8
"""The fields of a position."""

MAX_LEGAL_MOVES = 256
"""Entries of a row; no legal position is known with more than 218 moves."""

MOVE_KINDS = 1 << 17
"""The number of values that an encoded move can have."""

ARRIVALS = MOVE_KINDS >> 6
"""The same without the move's origin, for a kind of piece and a target square."""

MOST_TOUCHED = 1 << 8
"""Histories that are cleared one by one before the next problem: 6 after a mate in two,
20 at most. To clear all of them takes a microsecond, a tenth of its time."""

LINE_MEMO = 1 << 10
"""How many positions' lines are remembered while a line is read."""

LINE_NODES = 1 << 12
"""Nodes of all lines read for one line; long mates of matetrack take 30."""

STACK_TOP = 2 << 20
"""In WebAssembly, the stack pointer that the host sets, in bytes; the host's own memory
begins here."""


class BattlePlay(IntEnum):
    """The stipulations of battle play other than the direct mate.

    Reflex play, and it alone, is at `REFLEX` and above.
    """

    STALEMATE = 0
    """`=n`"""
    SELF_MATE = 1
    """`s#n`"""
    SELF_STALEMATE = 2
    """`s=n`"""
    EXACT_MATE = 3
    """`exact-#n`"""
    REFLEX = 4
    """`r#n`"""
    SEMI_REFLEX = 5
    """`semi-r#n`"""
    REFLEX_STALEMATE = 6
    """`r=n`"""
    SEMI_REFLEX_STALEMATE = 7
    """`semi-r=n`"""


class PositionStruct(Structure):
    """A position as eight bitboards; see `solver.kernel.rules.bitboards`."""

    _fields_: ClassVar = [
        ("pawns", c_uint64),
        ("knights", c_uint64),
        ("diagonal", c_uint64),
        ("orthogonal", c_uint64),
        ("kings", c_uint64),
        ("us", c_uint64),
        ("them", c_uint64),
        ("rights", c_uint64),
    ]


class Stop(IntEnum):
    """Why a search has to end; larger values are more urgent."""

    NONE = 0
    LIMIT = 1
    """A proved mate is finished first: its line is read."""
    INTERRUPT = 2


RESTRICTION_FACTOR = 0x9B05688C2B3E6C1F
"""This odd word without a pattern, multiplied by the number of a restriction, gives a
hash for the bounds proved under that restriction."""


def restriction_word(number: int) -> int:
    """Return the word that marks the hash keys of a restriction; see `Search`."""
    return number * RESTRICTION_FACTOR & ((1 << 64) - 1)


class Search(Structure):
    """The input, the counters and the scratch memory of one search.

    Attributes
    ----------
    stop : int64
        Set to a `Stop` by any thread to stop the search.
    patience : int64
        The search goes on unless `stop` is larger than this.
    nodes : int64
        Positions entered so far; a mate-in-one test counts as one. The kernel never
        resets it, except where a search begins.
    node_limit : int64
        The search stops when `nodes` reaches this number.
    report_at : int64
        In WebAssembly only: when `nodes` reaches this number, the search calls the
        host, at every node until the host raises the number. It may also set `stop`.
    table : uint64
        Address of the transposition table, in buckets of 64 bytes; see
        `solver.kernel.mate.transposition`.
    generation : uint64
        Number of the problem, from 1. Entries of other generations count as empty.
    first_bits : uint64
        The binary logarithm of the buckets of each kind that a search begins with.
    buckets : uint64
        Buckets of bounds in use, and of proof numbers; a power of two. 0, for the
        scored search only: no table.
    most_buckets : uint64
        As many of each kind have memory; proof numbers begin after all of bounds.
    used_buckets : uint64
        The most that were in use since the memory was last zero.
    grow_at : int64
        The number of nodes at which the buckets are doubled.
    known, numbers : uint64
        Addresses of exported bounds and proof numbers that a search begins with; see
        `solver.kernel.mate.transposition`.
    known_size, known_numbers : int64
        How many they are.
    is_helper : int64
        Whether another thread leads this search. A helper thread searches in another
        order, so that the two share the work.
    shared_lengths : uint64
        The binary logarithm of how many neighbouring n share their proof numbers. From
        four on, a line can return to a position whose number is its own, and the two
        may then raise each other for long: such a search needs a node limit.
    restriction : uint64
        A word that sets the hash keys of the current restriction apart; 0: none.
    restricted_only : int64
        1 if the question is about the restriction itself. 0 if any mate will do and
        the restriction only says where to look.
    checks_only, most_flights, most_replies, threat_moves : int64
        The restriction of the attacker's moves; see `solver.kernel.mate.dfpn`.
    play : int64
        A `BattlePlay`, for `solver.kernel.compositions.battle_play` only.
    is_stepwise : int64
        1 if the df-pn search searches the last moves itself, so that its log shows
        them. 0: it leaves them to the prover.
    text : uint64
        Address of the memory for the texts of a batch's rows.
    text_size, text_written : int64
        Its size and the part in use, in bytes.
    log : uint64
        Address of an array of `LoggedNode`.
    log_room, log_size : int64
        Its length, 0 for no log, and the entries in use. A full log keeps what it has.
    log_cuts : int64
        Cuts by mate-distance pruning so far, if there is a log.
    log_only_cuts : int64
        1: what is below a node without such a cut is taken out of the log.
    rows : uint64, shape (MAX_PLIES, MAX_LEGAL_MOVES)
        The moves of each ply.
    killers : uint64, shape (MAX_PLIES, 2)
        The last two refutations at each ply.
    counters : uint64, shape (ARRIVALS,)
        The last refutation of each arrival of a piece on a square.
    history : uint32, shape (MOVE_KINDS,)
        For each refutation, the sum of its squared distances from the leaves.
    touched : uint32, shape (MOST_TOUCHED,)
        The refutations whose history is not 0, as long as they have room.
    touched_size : int64
        How many of them there are.
    phis, deltas : uint32, shape (MAX_PLIES, MAX_LEGAL_MOVES)
        The proof numbers of the positions after the moves of each row.
    line, older_line : uint64, shape (MAX_PLIES,)
        The mating line, written by `find_line` and `read_line`.
    lines : uint64, shape (2, MAX_PLIES)
        The best lines of a query, the expected attacker's and the other side's.
    line_memo : uint64, shape (LINE_MEMO,)
        The nodes of the positions from which a line was read.
    line_moves, line_links : uint64, shape (LINE_NODES,)
        The nodes of these lines; see `solver.kernel.mate.bounds`.
    line_nodes : int64
        How many of them are in use; the first is none.
    """

    _fields_: ClassVar = [
        ("stop", c_int64),
        ("patience", c_int64),
        ("nodes", c_int64),
        ("node_limit", c_int64),
        ("report_at", c_int64),
        ("table", c_uint64),
        ("generation", c_uint64),
        ("first_bits", c_uint64),
        ("buckets", c_uint64),
        ("most_buckets", c_uint64),
        ("used_buckets", c_uint64),
        ("grow_at", c_int64),
        ("known", c_uint64),
        ("known_size", c_int64),
        ("numbers", c_uint64),
        ("known_numbers", c_int64),
        ("is_helper", c_int64),
        ("shared_lengths", c_uint64),
        ("restriction", c_uint64),
        ("restricted_only", c_int64),
        ("checks_only", c_int64),
        ("most_flights", c_int64),
        ("most_replies", c_int64),
        ("threat_moves", c_int64),
        ("play", c_int64),
        ("is_stepwise", c_int64),
        ("text", c_uint64),
        ("text_size", c_int64),
        ("text_written", c_int64),
        ("log", c_uint64),
        ("log_room", c_int64),
        ("log_size", c_int64),
        ("log_cuts", c_int64),
        ("log_only_cuts", c_int64),
        ("rows", c_uint64 * MAX_LEGAL_MOVES * MAX_PLIES),
        ("killers", c_uint64 * 2 * MAX_PLIES),
        ("counters", c_uint64 * ARRIVALS),
        ("history", c_uint32 * MOVE_KINDS),
        ("touched", c_uint32 * MOST_TOUCHED),
        ("touched_size", c_int64),
        ("phis", c_uint32 * MAX_LEGAL_MOVES * MAX_PLIES),
        ("deltas", c_uint32 * MAX_LEGAL_MOVES * MAX_PLIES),
        ("line", c_uint64 * MAX_PLIES),
        ("older_line", c_uint64 * MAX_PLIES),
        ("lines", c_uint64 * MAX_PLIES * 2),
        ("line_memo", c_uint64 * LINE_MEMO),
        ("line_moves", c_uint64 * LINE_NODES),
        ("line_links", c_uint64 * LINE_NODES),
        ("line_nodes", c_int64),
    ]


class LogKind(IntEnum):
    """What an entry of a log is; the first three are the kernel's types of nodes."""

    ALL = -1
    PV = 0
    CUT = 1
    ATTACKER = 2
    DEFENDER = 3
    CHILD = 4
    """A child with the numbers that are known of it; it is not entered."""
    UPDATE = 5
    """New numbers of the node that is being visited; the move is its best child's."""


class LogEnd(IntEnum):
    """Why the search of a node ended."""

    OPEN = 0
    """It has not ended."""
    MATE_DISTANCE = 1
    HORIZON = 2
    TABLE = 3
    MATE = 4
    STALEMATE = 5
    MATERIAL = 6
    NULL_MOVE = 7
    MULTI_CUT = 8
    BETA = 9
    """A move reached beta."""
    MOVES = 10
    """All moves were searched."""
    NUMBERS = 11
    """The df-pn search returned the node's numbers."""


class LoggedNode(Structure):
    """An entry of a log, in the order in which nodes were entered.

    Attributes
    ----------
    ply : int64
        Distance from the root. The parent is the last node before with one ply less.
    move : uint64
        The move that led to the node; 0 at the root and after a null move.
    depth : int64
        What is left: plies, or the attacker's moves in the df-pn search.
    kind : int64
        A `LogKind`.
    nodes : int64
        `Search.nodes` when the node was entered.
    given : int64, shape (2,)
        What its parent sets: alpha and beta, or the thresholds of phi and delta.
    own : int64, shape (2,)
        The window after mate-distance pruning, or phi and delta.
    score : int64
        What the node returned; df-pn: unused.
    end : int64
        A `LogEnd`.
    cuts : int64
        `Search.log_cuts` when the node was entered.
    """

    _fields_: ClassVar = [
        ("ply", c_int64),
        ("move", c_uint64),
        ("depth", c_int64),
        ("kind", c_int64),
        ("nodes", c_int64),
        ("given", c_int64 * 2),
        ("own", c_int64 * 2),
        ("score", c_int64),
        ("end", c_int64),
        ("cuts", c_int64),
    ]


# --------------------------------------------------------------------------------------
# The memory of help play, laid out once for ctypes and for numba.

HELP_LINE_WORDS = 1 << 15
"""How many moves fit into the buffer of help play's solutions."""

MOST_MOVERS = 32
"""More than the attacker's pieces, with a second entry for each promoting pawn."""


class HelpState(IntEnum):
    """How a call of help play's enumeration ended."""

    STOPPED = -1
    COMPLETE = -2
    PAUSED = -3


MOST_PIECES = 16
"""Of each side; more are searched without nets."""

MOST_SLOTS = 2 * MOST_PIECES

MOST_NET_MOVES = 15
"""Of each side; longer help play is searched without nets."""

NET_PLIES = 2 * MOST_NET_MOVES + 1
NEED_KINDS = 13
NEED_CODES = 12 * 64 + 2
NEED_WORDS = NEED_KINDS * 64 * NEED_CODES
MOST_WAYS = 1 << 15
MOST_CHOICES = 64
EXPLORED_GROUPS = 13

KINDS = (
    (True, False, False, False, False),
    (False, True, False, False, False),
    (False, False, True, False, False),
    (False, False, False, True, False),
    (False, False, True, True, False),
    (False, False, False, False, True),
)
"""The boards of a pawn, knight, bishop, rook, queen and king."""

NO_SLOT = 255
"""On an empty square."""


class Nets(Structure):
    """The final positions of an enumeration of help play, as far as they are needed.

    A *slot* is a piece of the first position, whatever becomes of it. A *net* says what
    becomes of some slots, and which squares are empty; see
    `solver.kernel.compositions.net_list`. All squares are those of the attacker's view.

    Attributes
    ----------
    needs : uint64
        The address of NEED_WORDS 32-bit words; see
        `solver.kernel.compositions.net_needs`.
    codes : uint64
        The address of MOST_SLOTS columns of `most` 16-bit codes: what becomes of each
        slot in each net.
    clear : uint64
        The address of `most` bitboards: the squares that are empty in each net.
    entries : uint64
        The address of the lists of nets in reach, at most `size` words for each ply;
        see `solver.kernel.compositions.net_list`.
    most, size : int64
        The room for nets, and their number.
    budget, steps : int64
        The listing gives up after so many steps, and how many it took.
    is_full : int64
        Whether its memory was too small.
    is_stalemate : int64
        The goal.
    is_filled : int64
        Whether the needs are those of the first position's pieces.
    rights : uint64
        The rooks that may castle.
    all_kinds : uint64
        A set of the kinds that slots may have at any time.
    pawn_squares : uint64, shape (2,)
        Where the attacker's pawns may ever be, and the defender's.
    slots, attackers : int64
        Their number, and how many are the attacker's, which come first.
    kinds, squares : int64, shape (MOST_SLOTS,)
        The slots in the first position; see
        `solver.kernel.compositions.net_needs` for the kinds.
    promotes : int64, shape (MOST_SLOTS,)
        The fewest moves for a pawn to promote; more than there are for other slots.
    limits : uint64
        The most that the needs of a net may add up to.
    mated, field : uint64
        While listing: the king at the end, and the squares beside it.
    fates : int64, shape (MOST_SLOTS,)
        While listing: the codes of the slots.
    explored : uint64, shape (MOST_SLOTS, EXPLORED_GROUPS)
        While listing: the codes of ways that have been explored.
    choices : int64
    first_ways, next_ways : int64, shape (MOST_CHOICES,)
        While listing: the ways of each choice, and which comes next.
    ways : int64
    way_slots, way_fates : int64, shape (MOST_WAYS,)
    way_clear : uint64, shape (MOST_WAYS,)
        While listing: the ways of all choices.
    listed : int64
        The last ply of the line whose nets in reach are known; -1: none.
    starts : int64, shape (NET_PLIES + 1,)
        Where the entries of each ply begin.
    slot_at : uint8, shape (NET_PLIES, 64)
        The slot on each square, by ply of the line.
    kind_of : uint8, shape (NET_PLIES, MOST_SLOTS)
        The kind of each slot, by ply of the line.
    """

    def set_up(self, position: PositionStruct, *, is_attacking: bool) -> None:
        """Number the pieces of the first position, seen by the side to move."""
        flip = 0 if is_attacking else 56
        us, them = position.us, position.them
        kind_sets = (
            *(position.pawns, position.knights, position.diagonal),
            *(position.orthogonal, position.kings),
        )
        self.is_filled = self.slots = self.all_kinds = self.rights = 0
        self.pawn_squares[:] = (0, 0)
        self.slot_at[0][:] = [NO_SLOT] * 64
        for side, pieces in enumerate((us, them) if is_attacking else (them, us)):
            self.attackers = self.slots
            for square in range(64):
                piece = 1 << (square ^ flip)
                if position.rights & pieces & piece:
                    self.rights |= 1 << square
                if pieces & piece:
                    boards = tuple(bool(board & piece) for board in kind_sets)
                    self._add_slot(KINDS.index(boards), side, square)

    def _add_slot(self, kind: int, side: int, square: int) -> None:
        slot, self.slots = self.slots, self.slots + 1
        self.kinds[slot] = self.kind_of[0][slot] = kind + len(KINDS) * side
        self.squares[slot], self.slot_at[0][square] = square, slot
        self.promotes[slot] = MOST_NET_MOVES + 1
        self.all_kinds |= 1 << self.kinds[slot]
        if kind == 0:
            rank = square >> 3 if side else 7 - (square >> 3)
            self.promotes[slot] = min(rank, 5)
            self.all_kinds |= 0b011110 << len(KINDS) * side
            for other in range(64):
                ranks = ((other >> 3) - (square >> 3)) * (-1 if side else 1)
                if abs((other & 7) - (square & 7)) <= ranks:
                    self.pawn_squares[side] |= 1 << other

    _fields_: ClassVar = [
        ("needs", c_uint64),
        ("codes", c_uint64),
        ("clear", c_uint64),
        ("entries", c_uint64),
        ("most", c_int64),
        ("size", c_int64),
        ("budget", c_int64),
        ("steps", c_int64),
        ("is_full", c_int64),
        ("is_stalemate", c_int64),
        ("is_filled", c_int64),
        ("rights", c_uint64),
        ("all_kinds", c_uint64),
        ("pawn_squares", c_uint64 * 2),
        ("slots", c_int64),
        ("attackers", c_int64),
        ("kinds", c_int64 * MOST_SLOTS),
        ("squares", c_int64 * MOST_SLOTS),
        ("promotes", c_int64 * MOST_SLOTS),
        ("limits", c_uint64),
        ("mated", c_uint64),
        ("field", c_uint64),
        ("fates", c_int64 * MOST_SLOTS),
        ("explored", c_uint64 * EXPLORED_GROUPS * MOST_SLOTS),
        ("choices", c_int64),
        ("first_ways", c_int64 * MOST_CHOICES),
        ("next_ways", c_int64 * MOST_CHOICES),
        ("ways", c_int64),
        ("way_slots", c_int64 * MOST_WAYS),
        ("way_fates", c_int64 * MOST_WAYS),
        ("way_clear", c_uint64 * MOST_WAYS),
        ("listed", c_int64),
        ("starts", c_int64 * (NET_PLIES + 1)),
        ("slot_at", c_uint8 * 64 * NET_PLIES),
        ("kind_of", c_uint8 * MOST_SLOTS * NET_PLIES),
    ]


class HelpPlay(Structure):
    """One enumeration of help play; see `solver.kernel.compositions.help_play`.

    Attributes
    ----------
    plies : int64
        The length of a solution.
    is_stalemate : int64
        Whether the play ends with stalemate; otherwise it ends with mate.
    is_pruned : int64
        Whether last moves that no mate can follow are left out unsearched.
    most : int64
        The enumeration pauses when it has written this many solutions, at least 1.
    written : int64
        Solutions in `lines`.
    ply : int64
        The ply of the current position; -1 before the enumeration and after it.
    positions : uint64, shape (MAX_PLIES, POSITION_WORDS)
        The position at each ply of the current line; the first is given.
    sizes, cursors : int64, shape (MAX_PLIES,)
        The number of moves in each row of `Search`, and the next one.
    solved : int64, shape (MAX_PLIES,)
        Whether the position at each ply has a solution.
    lines : uint64, shape (HELP_LINE_WORDS,)
        The solutions, `plies` moves each.
    nets : uint64
        The address of the `Nets` of the first position; 0: none are listed.

    The rest is the scratch memory of `solver.kernel.compositions.help_play`.
    """

    @classmethod
    def of(
        cls,
        position: PositionStruct,
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
        play = cls(plies=plies, is_stalemate=is_stalemate, is_pruned=is_pruned, ply=-1)
        memmove(play.positions, byref(position), sizeof(position))
        return play

    _fields_: ClassVar = [
        ("plies", c_int64),
        ("is_stalemate", c_int64),
        ("is_pruned", c_int64),
        ("most", c_int64),
        ("written", c_int64),
        ("ply", c_int64),
        ("positions", c_uint64 * POSITION_WORDS * MAX_PLIES),
        ("sizes", c_int64 * MAX_PLIES),
        ("cursors", c_int64 * MAX_PLIES),
        ("solved", c_int64 * MAX_PLIES),
        ("lines", c_uint64 * HELP_LINE_WORDS),
        ("nets", c_uint64),
        ("blocks", c_uint64 * 2),
        ("movers", c_int64),
        ("mover_pieces", c_uint64 * MOST_MOVERS),
        ("mover_kinds", c_int64 * MOST_MOVERS),
        ("mover_targets", c_uint64 * MOST_MOVERS),
        ("mover_standing", c_uint64 * MOST_MOVERS),
        ("mover_others", c_uint64 * MOST_MOVERS),
        ("mated_on", c_uint64),
        ("block_targets", c_uint64),
    ]
