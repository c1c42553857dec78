"""What a search is asked and what it answers: structs for ctypes and for numba."""

from __future__ import annotations

from ctypes import Structure, c_int64, c_uint64
from enum import IntEnum, StrEnum
from typing import ClassVar

from solver.kernel.border import search_struct

# --------------------------------------------------------------------------------------
# One search in one struct: its question, its progress and its answer.
#
# Like `solver.kernel.border.search_struct`, this module imports neither numba nor
# numpy.

MAX_FEN_BYTES = 200
"""No FEN of orthodox chess is half as long; white space around it does not count."""

MAX_DIGITS = 17
"""A counter of this many digits, plus the moves of any line, fits in an int64."""

FEN_TEXT_BYTES = 136
"""The longest FEN that is written: 71 bytes of board and counters below 10^18."""

MOVE_TEXT_BYTES = 6
"""The longest move in UCI and a space."""

SAN_TEXT_BYTES = 8
"""The longest move in SAN and a space."""

LONG_TEXT_BYTES = 10
"""The longest move in Popeye's notation, as `write_lines` writes it, and a space."""

ROW_TEXT_BYTES = 16 + MOVE_TEXT_BYTES + SAN_TEXT_BYTES + LONG_TEXT_BYTES
"""A row of the play; see `LevelRole`."""

MOVES_TEXT_BYTES = search_struct.MAX_LEGAL_MOVES * ROW_TEXT_BYTES
"""A row for each legal move of a position."""

MOST_ENDING_PIECES = 4
"""Small endgames have at most this many pieces, and no pawns; see `solver.endgames`."""

MOST_TEXT = 8192
"""Room for a row's texts in bytes: lines and keys of the longest mate."""

FORM_WORDS = 4
"""Words for a position's form and its marks: MIRRORED, BLACK, and from FIRST_SHIFT on
the index of the first position with this form."""

MIRRORED, BLACK, FIRST_SHIFT = 1, 2, 2


class QueryState(IntEnum):
    """How far a query has been worked on."""

    UNREAD = 0
    REFUSED = 1
    """Its FEN or line is wrong: `fen_fault` is the FEN's fault, or else the line has
    one. `solver.fen_faults` explains the former."""
    READ = 2
    """The position is set up."""
    OPEN = 3
    """The search has begun."""
    ANSWERED = 4
    """The answer is proved, or a limit was hit."""


class LevelRole(StrEnum):
    """What a row of the play is, in the first letter of its text."""

    ATTACK = "A"
    """A continuation of the defence above it."""
    THREAT = "T"
    """A continuation after a null move."""
    DEFENCE = "D"
    ENDING = "E"
    """A defence that itself ends the play, as in self- and reflex play."""
    ZUGZWANG = "Z"
    """No move: the attacker threatens nothing."""


class LevelFlag(IntEnum):
    """Flags of `write_level`; their values are added."""

    BLACK = 1
    """Black is to move."""
    ALL = 2
    """Defences that are not relevant are wanted too."""


class LineStyle(IntEnum):
    """How `write_lines` writes lines of moves."""

    SAN = 0
    WITH_END = 1
    """SAN, and the FEN of the final position on a further line; its counters mean
    nothing."""
    LONG = 2
    """Popeye's notation; see `solver.kernel.rules.notation.write_spelling`."""


class Turn(IntEnum):
    """What `take_turn` leaves to its caller."""

    GOES_ON = 0
    """Nothing is left to the caller: take the next turn."""
    PAUSES = 1
    """No limit was hit: the caller may end the search or start helper threads."""
    ENDS = 2
    """The query is ANSWERED."""


class Answer(IntEnum):
    """The status of an answer, as in `solver.solution.Status`."""

    PROVED = 0
    FOUND = 1
    DISPROVED = 2
    UNDECIDED = 3


class LineFault(IntEnum):
    """Why a line does not mate by force."""

    NONE = 0
    EMPTY = 1
    """There is no move."""
    ILLEGAL = 2
    """A move is unreadable, ambiguous or illegal."""
    NO_MATE = 3
    """After one of the attacker's moves there is no mate in the moves left."""


class FenFault(IntEnum):
    """Why a text is not the FEN of a legal position; `FEN_FAULTS` has the words.

    If White and Black have one member each, Black's follows White's.
    """

    NONE = 0
    EMPTY = 1
    TOO_LONG = 2
    NOT_ASCII = 3
    FIELDS = 4
    RANKS = 5
    LETTER = 6
    DIGITS = 7
    SQUARES = 8
    SIDE = 9
    CASTLING_LETTERS = 10
    EN_PASSANT = 11
    CLOCK = 12
    NUMBER = 13
    WHITE_KING = 14
    BLACK_KING = 15
    EDGE_PAWN = 16
    WHITE_PAWNS = 17
    BLACK_PAWNS = 18
    WHITE_PIECES = 19
    BLACK_PIECES = 20
    CASTLING_PIECES = 21
    EN_PASSANT_RANK = 22
    EN_PASSANT_PAWN = 23
    EN_PASSANT_BLOCKED = 24
    EN_PASSANT_CHECKS = 25
    OPPOSITE_CHECK = 26
    TOO_MANY_CHECKS = 27
    IMPOSSIBLE_CHECKS = 28


_COUNTER = f"expected a whole number from 0 up, at most {MAX_DIGITS} digits"

FEN_FAULTS = {
    FenFault.EMPTY: "expected a FEN, found nothing",
    FenFault.TOO_LONG: f"expected a FEN of at most {MAX_FEN_BYTES} characters",
    FenFault.NOT_ASCII: "expected plain ASCII",
    FenFault.FIELDS: "expected a FEN of 1, 2, 4 or 6 fields",
    FenFault.RANKS: "board: expected 8 ranks with / between them",
    FenFault.LETTER: "board: expected pieces PNBRQK or pnbrqk and digits 1 to 8",
    FenFault.DIGITS: "board: expected one digit for adjacent empty squares",
    FenFault.SQUARES: "board: expected 8 squares in each rank",
    FenFault.SIDE: "side to move: expected w or b",
    FenFault.CASTLING_LETTERS: "castling rights: expected - or letters of KQkq",
    FenFault.EN_PASSANT: "en passant square: expected - or a square such as e3",
    FenFault.CLOCK: f"halfmove clock: {_COUNTER}",
    FenFault.NUMBER: f"move number: {_COUNTER}",
    FenFault.WHITE_KING: "expected one white king",
    FenFault.BLACK_KING: "expected one black king",
    FenFault.EDGE_PAWN: "expected no pawn on the first or last rank",
    FenFault.WHITE_PAWNS: "expected at most 8 white pawns",
    FenFault.BLACK_PAWNS: "expected at most 8 black pawns",
    FenFault.WHITE_PIECES: "expected at most 16 white pieces",
    FenFault.BLACK_PIECES: "expected at most 16 black pieces",
    FenFault.CASTLING_PIECES: (
        "castling right: expected the king and the rook on their initial squares"
    ),
    FenFault.EN_PASSANT_RANK: (
        "en passant square: expected one on rank 6 if White is to move, "
        "on rank 3 if Black is"
    ),
    FenFault.EN_PASSANT_PAWN: (
        "en passant square: expected a pawn that has just moved two squares over it"
    ),
    FenFault.EN_PASSANT_BLOCKED: (
        "en passant square: expected it and the square that the pawn came from "
        "to be empty"
    ),
    FenFault.EN_PASSANT_CHECKS: (
        "en passant square: expected checks that the pawn's double step can give"
    ),
    FenFault.OPPOSITE_CHECK: "expected the king of the side not to move out of check",
    FenFault.TOO_MANY_CHECKS: "expected at most two pieces giving check",
    FenFault.IMPOSSIBLE_CHECKS: "expected checks that a single move can give",
}
"""What was expected, for each fault. `solver.fen_faults` adds what was found."""


class Query(Structure):
    """One search: its texts and position, its question, its progress and its answer.

    Texts that the kernel writes are in `Search.text`: an offset and a size in bytes.
    A pair has an entry for the expected attacker and one for the other side.

    Attributes
    ----------
    position : uint64, shape (POSITION_WORDS,)
        The fields of a `Position`, seen by the side to move.
    state : int64
        A `QueryState`.
    black : int64
        Whether Black is to move; before the FEN is read, whether Black is if it does
        not say.
    en_passant : int64
        The en passant square as the FEN gives it, 0 (a1) to 63; -1: none.
    clock, number : int64
        The FEN's counters, each below 10^18.
    fen, fen_size : int64
        The address and the size in bytes of a FEN.
    line, line_size : int64
        The same of a line of moves in UCI or SAN, separated by spaces.
    played : int64
        How many moves of the line come before the position that is asked about.
    uci_only : int64
        Whether the line must be in UCI, and castling in it a move of the king by two
        squares, as lichess writes them.
    repair : int64
        Whether to repair what leaves no doubt about the position.
    fen_fault : int64
        A `FenFault`: why the FEN was refused.
    repaired : int64
        A bit for each `FenFault` that was repaired.
    fen_at, fen_written : int64
        The position's FEN with six fields.
    line_at, line_written : int64
        The rest of the line in UCI notation.

    attacking : int64
        The question: whether the side to move is the attacker; -1: unless it has only
        its king, and being mated is an answer as well. The answer: who mates.
    most_moves : int64
        The longest mate to search for, in attacker's moves.
    any_length : int64
        Whether any mate within `most_moves` is an answer, not only the shortest.
    expected : int64
        The claimed length; 0: none.
    all_keys : int64
        Whether to find all keys of a proved mate.
    root_moves, root_count : int64
        The address and the number of the attacker's first moves to search, uint64 each;
        those that the restriction excludes are removed. A number of -1: all moves.
    node_limit : int64
        How many nodes the search may enter.
    replies : int64
        Whether a graded line is to be answered with the defender's reply.
    play : int64
        A `BattlePlay`, for battle play only.
    first_budget : int64
        Nodes that the df-pn search may spend on a length in the first round; see
        `solver.kernel.mate.bounds`.
    alone_from : int64
        A call for many queries leaves this one to its caller after so many nodes; 0:
        it is searched alone from the start.

    both_sides : int64
        Whether being mated is an answer as well.
    stage : int64
        A `turns.Stage`: which side's search takes the next turn, and why.
    turn_limit : int64
        The node count that ends the other side's turn.
    their_nodes : int64
        Nodes that the other side's search has taken.
    lower : int64, pair
        No mate takes fewer moves: proved.
    upper : int64, pair
        A mate within this many moves is proved; 0: none is known.
    line_plies : int64, pair
        The length of its line in `Search.lines`; 0: reading it was interrupted.
    phase, budget, reach, distance : int64, pair
        How far the bounds search has come in its round.
    key : uint64
        The root move that mates, of those in `root_moves`.
    lines_read : int64
        Grows by one with each line.
    keys_tried : int64
        How many first moves are known to be keys, or not to be.
    key_budget : int64
        Nodes that each search may spend on the next one.
    is_key : uint64, shape (MAX_LEGAL_MOVES // 64,)
        A bit for each first move: whether it is a key.

    status : int64
        An `Answer`.
    is_cut : int64
        Whether a limit left something undecided, or unread.
    mate : int64
        Moves to mate, at least 0; -1: none was found.
    lower_bound : int64
        No mate takes fewer moves: proved.
    keys_complete : int64
        Whether the keys are all.
    nodes : int64
        Positions that were entered.
    pv_at, pv_written : int64
        The line of the mate, in UCI notation.
    keys_at, keys_written : int64
        The keys, in UCI notation.
    fault : int64
        The first fault of a line that is graded, a `LineFault`.
    ends_in_mate : int64
        Whether the last of the moves before it mates at once.
    reply_at, reply_written : int64
        The defender's reply to the last attack of a graded line, in UCI notation; an
        attack that is wrong precedes its refutation. `fen_at` is the position then.
    """

    _fields_: ClassVar = [
        ("position", c_uint64 * search_struct.POSITION_WORDS),
        # The texts
        ("state", c_int64),
        ("black", c_int64),
        ("en_passant", c_int64),
        ("clock", c_int64),
        ("number", c_int64),
        ("fen", c_int64),
        ("fen_size", c_int64),
        ("line", c_int64),
        ("line_size", c_int64),
        ("played", c_int64),
        ("uci_only", c_int64),
        ("repair", c_int64),
        ("fen_fault", c_int64),
        ("repaired", c_int64),
        ("fen_at", c_int64),
        ("fen_written", c_int64),
        ("line_at", c_int64),
        ("line_written", c_int64),
        # The question
        ("attacking", c_int64),
        ("most_moves", c_int64),
        ("any_length", c_int64),
        ("expected", c_int64),
        ("all_keys", c_int64),
        ("root_moves", c_int64),
        ("root_count", c_int64),
        ("node_limit", c_int64),
        ("replies", c_int64),
        ("play", c_int64),
        ("first_budget", c_int64),
        ("alone_from", c_int64),
        # The progress
        ("both_sides", c_int64),
        ("stage", c_int64),
        ("turn_limit", c_int64),
        ("their_nodes", c_int64),
        ("lower", c_int64 * 2),
        ("upper", c_int64 * 2),
        ("line_plies", c_int64 * 2),
        ("phase", c_int64 * 2),
        ("budget", c_int64 * 2),
        ("reach", c_int64 * 2),
        ("distance", c_int64 * 2),
        ("key", c_uint64),
        ("lines_read", c_int64),
        ("keys_tried", c_int64),
        ("key_budget", c_int64),
        ("is_key", c_uint64 * (search_struct.MAX_LEGAL_MOVES // 64)),
        # The answer
        ("status", c_int64),
        ("is_cut", c_int64),
        ("mate", c_int64),
        ("lower_bound", c_int64),
        ("keys_complete", c_int64),
        ("nodes", c_int64),
        ("pv_at", c_int64),
        ("pv_written", c_int64),
        ("keys_at", c_int64),
        ("keys_written", c_int64),
        ("fault", c_int64),
        ("ends_in_mate", c_int64),
        ("reply_at", c_int64),
        ("reply_written", c_int64),
    ]
