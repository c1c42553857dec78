"""The memory of one search, laid out once for ctypes and for numba.

Kernel functions allocate nothing. The caller brings a `Search` for each thread and a
transposition table. This module imports neither numba nor numpy, so that a process that
loads the stored kernel needs neither.
"""

from __future__ import annotations

from ctypes import Structure, c_int64, c_uint32, c_uint64
from enum import IntEnum
from typing import ClassVar

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


class Position(Structure):
    """A position as eight bitboards; see `solver.kernel.rules.position`."""

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
        resets it.
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
    buckets : uint64
        Buckets of bounds, a power of two. 0, for the scored search only: no table.
    is_helper : int64
        Whether another thread leads this search. A helper thread searches in another
        order, so that the two share the work.
    proofs_from : uint64
        The first bucket of proof numbers, after all buckets of bounds.
    proof_buckets : uint64
        Buckets of proof numbers, a power of two.
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
        The nodes of these lines; see `solver.kernel.mate.lines`.
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
        ("buckets", c_uint64),
        ("is_helper", c_int64),
        ("proofs_from", c_uint64),
        ("proof_buckets", c_uint64),
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
