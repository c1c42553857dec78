"""The compiled parts of the kernel, in the one table that all tools loop over.

Each part is a file of machine code, compiled when first needed. Its C function gets an
operation's number; `solver.kernel.border.interface.Kernel` calls operations by name and
says what each takes and returns. A part's self-test compares answers with known ones
before the part is used.

Like the interface, this module imports neither numba nor numpy.
"""

from __future__ import annotations

from ctypes import addressof, c_uint64
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from solver.kernel.border import interface, search_struct

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import Array

UNKNOWN_OPERATION = -2
"""The result of a C function for an operation that it does not have."""


class Operation(IntEnum):
    """An operation of the search for mates."""

    PERFT = 0
    MOVES = 1
    CHECKING_MOVES = 2
    MAKE = 3
    MATE_IN_ONE = 4
    MATES_WITHIN = 5
    FIND_MATE = 6
    LINE = 7
    BOUNDS = 8
    SOLVING_MOVES = 9
    REFUTATIONS = 10
    CONTINUATIONS = 11
    IS_CHECK = 12
    PROVED_LINE = 13
    READ_ROWS = 14
    SOLVE_QUERIES = 15
    GRADE_ROWS = 16
    TAKE_TURN = 17
    WRITE_MOVES = 18
    HAS_TRIES = 19
    WRITE_LINES = 20
    MATE_MARK = 21
    KEY_FEATURES = 22
    BEGIN = 23
    GROW = 24
    WRITE_FORMS = 25
    FIND_FIRST_FORMS = 26
    NAME_ROWS = 27
    WRITE_LEVEL = 28
    EXPORT_ENTRIES = 29
    MERGE_BOUNDS = 30


class BattleOperation(IntEnum):
    """An operation of battle play: stalemate, self- and reflex play."""

    REACHES_WITHIN = 0
    SOLVING_MOVES = 1
    REFUTATIONS = 2
    LINE = 3
    TAKE_TURN = 4
    CONTINUATIONS = 5
    HAS_TRIES = 6
    BEGIN = 7


class HelpOperation(IntEnum):
    """An operation of help play."""

    ENUMERATE = 0
    IS_HOPELESS = 1
    LIST_NETS = 2
    COUNT_LEFT = 3
    BEGIN = 4


class LaboratoryOperation(IntEnum):
    """An operation of the laboratory's search."""

    SEARCH_SCORE = 0


# Self-tests

Answers: TypeAlias = "dict[str, tuple[object, object]]"
"""The answer that was found to each question, and the right one."""

BUCKET_WORDS = 8


def start_position() -> search_struct.PositionStruct:
    """Return the position at the start of a game."""
    return search_struct.PositionStruct(
        pawns=0x00FF_0000_0000_FF00,
        knights=0x4200_0000_0000_0042,
        diagonal=0x2C00_0000_0000_002C,
        orthogonal=0x8900_0000_0000_0089,
        kings=0x1000_0000_0000_0010,
        us=0x0000_0000_0000_FFFF,
        them=0xFFFF_0000_0000_0000,
        rights=0x8100_0000_0000_0081,
    )


def mate_in_two() -> search_struct.PositionStruct:
    """Return a mate in 2, king f6 and rook a1 against king h8: 1. Kf7 Kh7 2. Rh1#."""
    king, rook, their_king = 1 << 45, 1 << 0, 1 << 63
    return search_struct.PositionStruct(
        orthogonal=rook, kings=king | their_king, us=king | rook, them=their_king
    )


def search_with(table: Array[c_uint64]) -> search_struct.Search:
    """Return a search without limits, whose table is one bucket."""
    return interface.new_search(
        node_limit=interface.NO_LIMIT, table=addressof(table), generation=1, buckets=1
    )


def search_answers(kernel: interface.Kernel) -> Answers:
    """Return answers of the search and the right ones."""
    table = (c_uint64 * BUCKET_WORDS)()
    search = search_with(table)
    position = mate_in_two()
    return {
        "perft 3": (kernel.perft(start_position(), search, 3), 8902),
        "mate in 1": (
            kernel.mates_within(position, search, 1),
            interface.Decision.NO_MATE,
        ),
        "mate in 2": (
            kernel.mates_within(position, search, 2),
            interface.Decision.MATE,
        ),
        "plies of its line": (len(kernel.line(position, search, 2)), 3),
    }


def laboratory_answers(kernel: interface.Kernel) -> Answers:
    """Return answers of the laboratory's search and the right ones."""
    from solver.kernel.border import scored_struct

    experiment = scored_struct.Experiment(
        alpha=-scored_struct.INFINITE_SCORE, beta=scored_struct.INFINITE_SCORE, depth=4
    )
    search = interface.new_search(node_limit=interface.NO_LIMIT)
    is_complete = kernel.search_score(mate_in_two(), search, experiment)
    return {
        "scored search": (is_complete, True),
        "its score": (experiment.score, scored_struct.MATE_SCORE - 3),
    }


def self_mate_in_two() -> search_struct.PositionStruct:
    """Return king a1, queens a6 and c2 against king g1, rook h1 and queen b3: s#2."""
    king, queens = 1 << 0, 1 << 40 | 1 << 10
    their_king, rook, queen = 1 << 6, 1 << 7, 1 << 17
    return search_struct.PositionStruct(
        diagonal=queens | queen,
        orthogonal=queens | queen | rook,
        kings=king | their_king,
        us=king | queens,
        them=their_king | rook | queen,
    )


def battle_answers(kernel: interface.Kernel) -> Answers:
    """Return answers of battle play and the right ones."""
    table = (c_uint64 * BUCKET_WORDS)()
    search = search_with(table)
    search.play = search_struct.BattlePlay.SELF_MATE
    position = self_mate_in_two()
    return {
        "s#1": (kernel.reaches_within(position, search, 1), interface.Decision.NO_MATE),
        "s#2": (kernel.reaches_within(position, search, 2), interface.Decision.MATE),
        "plies of its line": (len(kernel.line(position, search, 2)), 4),
    }


def help_answers(kernel: interface.Kernel) -> Answers:
    """Return answers of help play's enumeration and the right ones."""
    table = (c_uint64 * BUCKET_WORDS)()
    search = search_with(table)
    rook, king, mated = 1 << 56, 1 << 21, 1 << 7
    # As in mate_in_two(), but the king in the corner begins.
    position = search_struct.PositionStruct(
        orthogonal=rook, kings=king | mated, us=mated, them=king | rook
    )
    lines, state = kernel.solutions(search_struct.HelpPlay.of(position, 4), search)
    return {
        "solutions of h#2": (len(lines), 22),
        "how it ended": (state, search_struct.HelpState.COMPLETE),
    }


# The table


class Part(NamedTuple):
    """A part of the kernel.

    Attributes
    ----------
    name : str
        The start of its files' names.
    title : str
        What the user reads that is compiled.
    module : str
        The module whose `entry` is the C function.
    operations : type of IntEnum
        The operations of the C function. numba compiles their numbers in.
    answers : callable
        Asks a kernel what is known.
    """

    name: str
    title: str
    module: str
    operations: type[IntEnum]
    answers: Callable[[interface.Kernel], Answers]

    def self_test(self, kernel: interface.Kernel) -> None:
        """Compare a kernel's answers with the known ones.

        Raises
        ------
        KernelError
            An answer is wrong; the message names the question and both answers.
        """
        for question, (found, expected) in self.answers(kernel).items():
            if found != expected:
                msg = f"self-test, {question}: expected {expected!r}, found {found!r}"
                raise interface.KernelError(msg)


SEARCH = Part(
    "search",
    "the search",
    "solver.kernel.mate.entry",
    Operation,
    search_answers,
)
BATTLE = Part(
    "battle",
    "the search of battle play",
    "solver.kernel.compositions.battle_play",
    BattleOperation,
    battle_answers,
)
LABORATORY = Part(
    "laboratory",
    "the laboratory's search",
    "solver.kernel.laboratory.alphabeta",
    LaboratoryOperation,
    laboratory_answers,
)
HELP = Part(
    "help",
    "help play",
    "solver.kernel.compositions.help_play",
    HelpOperation,
    help_answers,
)
PARTS = (SEARCH, BATTLE, LABORATORY, HELP)
