"""The memory of help play, laid out once for ctypes and for numba."""

from __future__ import annotations

from ctypes import (
    Structure,
    byref,
    c_int64,
    c_uint8,
    c_uint64,
    memmove,
    sizeof,
)
from enum import IntEnum
from typing import ClassVar

from solver.kernel.border.memory import MAX_PLIES, POSITION_WORDS, Position

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

    def set_up(self, position: Position, *, is_attacking: bool) -> None:
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
