"""The play of a problem as a tree, and the question about it.

Called by `builder`, `record`, `cli`, `mcp`, `output` and `pages`; imports `problem` and
`solution`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import problem, solution

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    """

    set_play: bool = False
    tries: int = 0
    threats: bool = True
    all_defences: bool = False
    depth: int | None = None
    most_moves: int = MOST_MOVES
    time_s: float = TIME_S


# --------------------------------------------------------------------------------------
# The tree: set play, tries, keys, defences, continuations. `solver.play.builder` builds
# it from proved answers; `record` and `solver.output` write it.


@dataclass(slots=True, eq=False)
class Attack:
    """A move of the attacker, and the play after it.

    Attributes
    ----------
    move : str
        In UCI notation.
    moves_left : int
        The attacker's moves that are still needed after it, as many as are proved to
        suffice; 0 if this is its last.
    threats : list of Attack
        The continuations after a null move of the defender, the shortest ones only.
        Empty if the move gives check, threatens nothing, or threats were not wanted.
    is_zugzwang : bool
        The move neither gives check nor threatens, so that only the defender's duty to
        move helps the attacker. False where threats were not looked for.
    defences : list of Defence
        The defender's moves: all, or only those that matter; see `ReplyFlag.RELEVANT`.
        The main line comes first, then the longest resistance.
    refutations : list of str
        Tries only: the defender's moves that refute it, in UCI notation.
    is_cut : bool
        The play after it is missing, or only the main line is there.
    """

    move: str
    moves_left: int
    threats: list[Attack] = field(default_factory=list)
    is_zugzwang: bool = False
    defences: list[Defence] = field(default_factory=list)
    refutations: list[str] = field(default_factory=list)
    is_cut: bool = False

    def __repr__(self) -> str:
        return f"<Attack {self.move}, defences={len(self.defences)}>"


@dataclass(slots=True, eq=False)
class Defence:
    """A move of the defender, and the attacker's continuations.

    Attributes
    ----------
    move : str
        In UCI notation.
    continuations : list of Attack
        The attacker's shortest continuations; more than one is a dual. Empty if this
        move itself ends the play (self- and reflex play).
    continuations_complete : bool
        Whether these are all, and proved to be the shortest. False far from mate,
        where one continuation within the proved bound stands for all, and on a main
        line whose other play is cut.
    """

    move: str
    continuations: list[Attack] = field(default_factory=list)
    continuations_complete: bool = True

    def __repr__(self) -> str:
        return f"<Defence {self.move}, continuations={len(self.continuations)}>"

    @property
    def moves_left(self) -> int:
        """The number of the attacker's moves needed after it; 0 if it ends the play."""
        return self.continuations[0].moves_left + 1 if self.continuations else 0


@dataclass(frozen=True, slots=True)
class Variations:
    """The play from a position.

    Attributes
    ----------
    stipulation : Stipulation
        What the play shows: `#n` for a mate in n. `MATE` if there is no play.
    fen : str
        The position, a FEN of six fields.
    set_play : tuple of Defence
        What would follow if the defender began: its moves that have a continuation,
        which is one move shorter than the stipulation.
    tries : tuple of Attack
        First moves that few defences refute.
    keys : tuple of Attack
        First moves that solve within the stipulated moves; the main line's first.
    defences : tuple of Defence
        The play where the defender begins, instead of keys.
    threats : tuple of Attack
        What the attacker threatens then.
    is_zugzwang : bool
        Whether the defender then is in zugzwang.
    key_moves, set_play_moves, try_moves : int or None
        The depth, in defences, to which the play of the keys (or where the defender
        begins), the set play and the play of the tries are complete; beyond it there is
        at most the main line. None if nothing is cut off.
    keys_complete : bool
        Whether `keys` has all keys.
    tries_complete : bool
        Whether `tries` has all tries; False where none were looked for.
    refutations : tuple of str
        Where the defender begins, its moves that have no continuation, in UCI notation:
        the position does not hold what it claims.
    """

    stipulation: problem.Stipulation = problem.MATE
    fen: str = ""
    set_play: tuple[Defence, ...] = ()
    tries: tuple[Attack, ...] = ()
    keys: tuple[Attack, ...] = ()
    defences: tuple[Defence, ...] = ()
    threats: tuple[Attack, ...] = ()
    is_zugzwang: bool = False
    key_moves: int | None = None
    set_play_moves: int | None = None
    try_moves: int | None = None
    keys_complete: bool = False
    tries_complete: bool = False
    refutations: tuple[str, ...] = ()

    def __repr__(self) -> str:
        keys = " ".join(key.move for key in self.keys)
        return f"<Variations {self.stipulation}, keys={keys!r}, fen={self.fen!r}>"

    def _repr_html_(self) -> str:
        return str(solution.show_answer(self, "html"))

    def to_dict(self) -> dict[str, Any]:
        """Return the record that `solve --variations --json` prints as `play`.

        Returns
        -------
        dict
            What `json.dumps` takes, with remarks on keys and final positions. Moves are
            in UCI notation and SAN.
        """
        return dict(solution.show_answer(self, "marked_play"))

    @property
    def complete_moves(self) -> int | None:
        """The depth to which every part is complete; None if nothing is cut off."""
        parts = (self.key_moves, self.set_play_moves, self.try_moves)
        return min((moves for moves in parts if moves is not None), default=None)

    def attacks(self) -> Iterator[Attack]:
        """Yield every move of the attacker, parents before children."""
        ahead = [*self.keys, *self.tries, *self.threats]
        for defence in (*self.set_play, *self.defences):
            ahead += defence.continuations
        while ahead:
            attack = ahead.pop()
            yield attack
            ahead += attack.threats
            for defence in attack.defences:
                ahead += defence.continuations
