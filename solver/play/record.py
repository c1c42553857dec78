"""The play of a problem: the question about it, its record, and marks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import problem, solution
from solver.board import MoveRow, Place, mate_mark
from solver.kernel.border.interface import KeyFeature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import chess

# --------------------------------------------------------------------------------------
# The question about the play of a problem.

MOST_MOVES = 50_000
"""Moves of both sides in a tree: usually enough for the play of a mate in four."""

TIME_S = 60.0


class PlayOptions(NamedTuple):
    """Which play is wanted, and what it may cost.

    Attributes
    ----------
    set_play : bool
        Show what would follow if the defender began.
    tries : int
        Show first moves that at most this many defences refute; 0: no tries.
    threats : bool
        Look for threats, and leave out defences that change nothing about them.
    all_defences : bool
        Show these defences too.
    depth : int or None
        Show at most this many moves of the attacker; None: all.
    most_moves : int
        The greatest number of moves of both sides, not counting the main line.
    time_s : float
        Seconds to build the tree.
    popeye : bool
        Add the fields that only Popeye's text needs; see `FOR_POPEYE`.
    """

    set_play: bool = False
    tries: int = 0
    threats: bool = True
    all_defences: bool = False
    depth: int | None = None
    most_moves: int = MOST_MOVES
    time_s: float = TIME_S
    popeye: bool = False


# --------------------------------------------------------------------------------------
# The play as records: docs/reference/record.md defines the fields of a move.

Record = dict[str, Any]
"""A move and the play after it; its fields that are empty, 0 or false are left out."""

FOR_POPEYE = ("long", "forced")
"""Fields that only Popeye's text needs: a move's name in long notation, and the moves
with which reflex play forces the attacker to end the play."""


def move_record(row: MoveRow, *, popeye: bool = False) -> Record:
    """Return the record of a move, for Popeye's text with its long name."""
    record: Record = {"uci": row.uci, "san": row.san}
    if popeye:
        record["long"] = row.long
    return record


def attack_record(row: MoveRow, left: int = 0, *, popeye: bool = False) -> Record:
    """Return the record of a move after which the attacker needs `left` moves.

    A last move has the mark of the mate.
    """
    record = move_record(row, popeye=popeye)
    if left:
        record["moves_left"] = left
    elif mark := MARKS[int(row.mark)]:
        record["mark"] = str(mark)
    return record


@dataclass(frozen=True, slots=True)
class Variations:
    """The play from a position: set play, tries, keys and what follows them.

    Attributes
    ----------
    stipulation : Stipulation
        What the play shows: `#n` for a mate in n. `MATE` if there is no play.
    fen : str
        The position, a FEN of six fields.
    forced : list of dict
        The moves with which reflex play forces the attacker to end it at once; only
        where Popeye's text was wanted.

    Notes
    -----
    The others are the fields of `play` in a record, and so are those of its moves,
    which are dicts; docs/reference/record.md defines them.
    """

    stipulation: problem.Stipulation = problem.MATE
    fen: str = ""
    set_play: Sequence[Record] = field(default_factory=list)
    tries: Sequence[Record] = field(default_factory=list)
    tries_complete: bool = False
    keys: Sequence[Record] = field(default_factory=list)
    keys_complete: bool = False
    defences: Sequence[Record] = field(default_factory=list)
    refutations: Sequence[Record] = field(default_factory=list)
    threats: Sequence[Record] = field(default_factory=list)
    zugzwang: bool = False
    key_moves: int | None = None
    set_play_moves: int | None = None
    try_moves: int | None = None
    forced: Sequence[Record] = field(default_factory=list)

    def __repr__(self) -> str:
        keys = " ".join(key["uci"] for key in self.keys)
        return f"<Variations {self.stipulation}, keys={keys!r}, fen={self.fen!r}>"

    def _repr_html_(self) -> str:
        return str(solution.show_answer(self, "html"))

    def to_dict(self) -> Record:
        """Return the record that `solve --variations --json` prints as `play`.

        Returns
        -------
        dict
            What `json.dumps` takes. It shares its moves with this object.
        """
        record = {name: getattr(self, name) for name in _IN_RECORD}
        record["stipulation"] = self.stipulation.text or None
        return record | ({"forced": self.forced} if self.forced else {})

    @property
    def complete_moves(self) -> int | None:
        """The depth to which every part is complete; None if nothing is cut off."""
        parts = (self.key_moves, self.set_play_moves, self.try_moves)
        return min((moves for moves in parts if moves is not None), default=None)


_IN_RECORD = (
    *("stipulation", "set_play", "tries", "tries_complete", "keys", "keys_complete"),
    *("defences", "refutations", "threats", "zugzwang"),
    *("complete_moves", "key_moves", "set_play_moves", "try_moves"),
)


def play_attacks(play: Record) -> Iterator[Record]:
    """Yield every move of the attacker, parents before children."""
    begun = {"defences": [*play["set_play"], *play["defences"]]}
    first = [*play["keys"], *play["tries"], *play["threats"], begun]
    return (attack for attack in all_attacks(first) if attack is not begun)


def all_attacks(attacks: Iterable[Record]) -> Iterator[Record]:
    """Yield moves of the attacker and all below them, parents before children."""
    ahead = [*attacks]
    while ahead:
        attack = ahead.pop()
        yield attack
        ahead += attack.get("threats", ())
        for defence in attack.get("defences", ()):
            ahead += defence.get("continuations", ())


def without_popeye(play: Record) -> Record:
    """Return a record of the play without the fields that only Popeye's text needs."""

    def plain(fields: Record) -> Record:
        return {name: fields[name] for name in fields if name not in FOR_POPEYE}

    copy: Record = json.loads(json.dumps(play), object_hook=plain)
    return copy


# --------------------------------------------------------------------------------------
# What problemists note beside the play: pure, model and ideal mates, features of keys.
#
# The docstrings have the definitions; each concerns one position or one move, not the
# tree around it.


class MateMark(StrEnum):
    """How economical and pure a mate is; each level includes those before it."""

    PLAIN = ""
    """No purity."""

    PURE = "pure"
    """Each square of the king's field is barred in one way; see `find_mate_mark`."""

    MODEL = "model"
    """Pure, and every piece of the mating side except king and pawns takes part."""

    IDEAL = "ideal"
    """Pure, and every piece on the board takes part."""


MARKS = tuple(MateMark)
"""The marks in the kernel's order."""


def find_mate_mark(board: chess.Board) -> MateMark:
    """Return whether a checkmate is pure, a model mate or an ideal mate.

    The king's field is the squares next to the king. A square is guarded once for each
    piece of the mating side that attacks it with the mated king off the board, or that
    protects a piece of its own side on it. Pinned pieces guard too.

    - A mate is *pure* if each square of the field is either blocked by a piece of the
      mated side and not guarded, or not blocked and guarded exactly once; and one piece
      gives check. A blocking piece may be guarded by the piece that pins it if
      otherwise it could parry the check. Two pieces may give check if the mated side
      could parry each check alone.
    - A piece of the mating side *takes part* if it gives check, guards a square of the
      field, or pins as above. A piece of the mated side takes part if it blocks.
    - A *model* mate is a pure mate in which all pieces of the mating side take part;
      its king and pawns may, but need not.
    - An *ideal* mate is a pure mate in which all pieces of both sides take part.

    Parameters
    ----------
    board : chess.Board
        The mated side is to move; not changed.

    Returns
    -------
    MateMark
        PLAIN also if it is not checkmate.
    """
    return MARKS[mate_mark(board)]


def mark_key(place: Place, uci: str) -> list[str]:
    """Return what a problemist would note about a key, the worst first.

    - It gives check, captures (also en passant), promotes, or castles.
    - *Flights* are squares that the defender's king can move to. They are given if this
      holds only after the key, and taken if it holds only before. Before means: if the
      defender were to move. Castling does not count.
    - Pieces of the defender are pinned or unpinned.
    - The piece that moved is a *sacrifice* if it can be taken. Others of the attacker's
      are put *en prise* if they can be taken after it, but not before.

    Parameters
    ----------
    place : Place
        The position before it.
    uci : str
        A legal move.

    Returns
    -------
    list of str
        Empty if the move mates.
    """
    return [
        KEY_FEATURES[feature].replace("{}", squares)
        for feature, squares in place.key_features(uci)
    ]


_PIECES = (1, "pawn"), (2, "knight"), (4, "bishop"), (8, "rook"), (12, "queen")

KEY_FEATURES: dict[int, str] = {
    KeyFeature.CHECK: "check",
    KeyFeature.TAKES_FLIGHT: "takes flight {}",
    KeyFeature.TAKES_FLIGHTS: "takes flights {}",
    KeyFeature.PINS: "pins {}",
    KeyFeature.CASTLING: "castling",
    KeyFeature.UNPINS: "unpins {}",
    KeyFeature.GIVES_FLIGHT: "gives flight {}",
    KeyFeature.GIVES_FLIGHTS: "gives flights {}",
    KeyFeature.SACRIFICE: "sacrifice",
    KeyFeature.EN_PRISE: "puts {} en prise",
    **{KeyFeature.CAPTURES + kind: f"captures a {name}" for kind, name in _PIECES},
    **{KeyFeature.PROMOTES + kind: f"promotes to a {name}" for kind, name in _PIECES},
}
"""What a key does, in words; squares replace `{}`. The pages use the same table."""
