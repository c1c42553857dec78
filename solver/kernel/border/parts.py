"""The compiled parts of the kernel, in the one table that all tools loop over.

Each part is an object file, compiled when first needed. Its C function receives an
operation's number; `solver.kernel.border.interface.Kernel` calls operations by name and
says what each takes and returns.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border.self_test import (
    self_test_battle,
    self_test_help,
    self_test_laboratory,
    self_test_search,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.kernel.border.interface import Kernel

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


class BattleOperation(IntEnum):
    """An operation of battle play: stalemate, self- and reflex play."""

    REACHES_WITHIN = 0
    SOLVING_MOVES = 1
    REFUTATIONS = 2
    LINE = 3
    TAKE_TURN = 4
    CONTINUATIONS = 5
    HAS_TRIES = 6


class HelpOperation(IntEnum):
    """An operation of help play."""

    ENUMERATE = 0
    IS_HOPELESS = 1
    LIST_NETS = 2
    COUNT_LEFT = 3


class LaboratoryOperation(IntEnum):
    """An operation of the laboratory's search."""

    SEARCH_SCORE = 0


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
    self_test : callable
        Raises KernelError for a kernel that gives a wrong answer.
    """

    name: str
    title: str
    module: str
    operations: type[IntEnum]
    self_test: Callable[[Kernel], None]


SEARCH = Part(
    "search",
    "the search",
    "solver.kernel.mate.entry",
    Operation,
    self_test_search,
)
BATTLE = Part(
    "battle",
    "the search of battle play",
    "solver.kernel.compositions.battle_turns",
    BattleOperation,
    self_test_battle,
)
LABORATORY = Part(
    "laboratory",
    "the laboratory's search",
    "solver.kernel.laboratory.alphabeta",
    LaboratoryOperation,
    self_test_laboratory,
)
HELP = Part(
    "help",
    "help play",
    "solver.kernel.compositions.help_play",
    HelpOperation,
    self_test_help,
)
PARTS = (SEARCH, BATTLE, LABORATORY, HELP)
