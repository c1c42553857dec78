"""What is answered: bounds on the shortest mate, its line, and what they cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from solver.version import SCHEMA, __version__

if TYPE_CHECKING:
    import chess

    from solver.problem import Problem, Restriction


class Status(StrEnum):
    """How far the question was answered."""

    PROVED = "proved"
    """There is a mate, and none is shorter: both bounds are one."""

    FOUND = "found"
    """There is a mate; a shorter one is not excluded."""

    DISPROVED = "disproved"
    """The attacker has no mate in the number of moves asked.

    Where nobody said who attacks, that is the side to move; of its being mated within
    the same number this says nothing."""

    UNDECIDED = "undecided"
    """A limit was hit before a mate was found."""


class StoppedBy(StrEnum):
    """The limit that ended a search early."""

    TIME = "time"
    NODES = "nodes"
    INTERRUPT = "interrupt"
    CRASH = "crash"
    """Each process that was given the problem ended without an answer."""
    TABLEBASE = "tablebase"
    """No limit was set, and tables had answered what the search could not prove."""


class TableFormat(StrEnum):
    """Endgame tables that tell more than was proved."""

    GAVIOTA = "gaviota"
    """Distances to mate."""

    SYZYGY = "syzygy"
    """Won, drawn or lost."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What an answer cost.

    Attributes
    ----------
    nodes : int
        Positions entered by the search, a mate-in-one test being one.
    time_s : float
        Seconds of searching, compilation left out.
    """

    nodes: int = 0
    time_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer to a `Problem`.

    Attributes
    ----------
    problem : Problem
        What was asked.
    status : Status
        How far it was answered.
    mate : int or None
        Moves to mate, a proved upper bound unless `tablebase` says otherwise; negative
        when the side to move is mated (0: it is mated already); None when no mate was
        found.
    lower_bound : int
        No mate takes fewer moves than this: proved.
    pv : tuple of str
        The mating line in UCI notation: 2n-1 plies for mate in n, 2n when the side
        to move is mated in n; the defender lasts as long as possible.
    keys : tuple of str
        First moves, in UCI notation, that mate in `mate` moves.
    keys_complete : bool
        Whether `keys` names all of them.
    stopped_by : StoppedBy or None
        The limit that ended the search early.
    stats : Stats
        What it cost.
    restriction : Restriction or None
        What the attacker was restricted to: all of this holds in the lane alone, but
        that the mate found is a mate.
    tablebase : TableFormat or None
        Tables that say what was not proved. With a mate, the line is checked move by
        move, and the tables say that the mate is forced and none is shorter. Without
        one, GAVIOTA says that there is none in the moves asked, SYZYGY none at all.
    """

    problem: Problem
    status: Status
    mate: int | None
    lower_bound: int
    pv: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    keys_complete: bool = False
    stopped_by: StoppedBy | None = None
    stats: Stats = field(default_factory=Stats)
    restriction: Restriction | None = None
    tablebase: TableFormat | None = None

    @property
    def board(self) -> chess.Board:
        """The position asked, on a board of its own."""
        import chess

        return chess.Board(self.problem.fen)

    @property
    def san(self) -> tuple[str, ...]:
        """The mating line `pv` in SAN."""
        board = self.board
        return tuple(board.san_and_push(board.parse_uci(move)) for move in self.pv)

    def to_dict(self) -> dict[str, object]:
        """Make the record that the command prints with `--json`.

        Returns
        -------
        dict
            What `json.dumps` takes, in the order in which it is printed. Moves are in
            UCI notation, bounds and distances in moves, `time_s` in seconds to the
            microsecond; `claim` and `mate` are negative when the side to move is mated.
            At its end, only if there are any, `lane`: what the attacker was restricted
            to, of which alone `lower_bound` and `keys` speak; `tablebase`: the tables
            that say what was not proved.
        """
        problem, board = self.problem, self.board
        record: dict[str, object] = {
            "schema": SCHEMA,
            "id": problem.id,
            "fen": problem.fen,
            "claim": problem.claim.mate if problem.claim else None,
            "status": str(self.status),
            "mate": self.mate,
            "lower_bound": self.lower_bound,
            "keys": [
                {"uci": key, "san": board.san(board.parse_uci(key))}
                for key in self.keys
            ],
            "keys_complete": self.keys_complete,
            "pv": list(self.pv),
            "nodes": self.stats.nodes,
            "time_s": round(self.stats.time_s, 6),
            "stopped_by": str(self.stopped_by) if self.stopped_by else None,
            "solver": __version__,
        }
        if self.restriction:
            record["lane"] = asdict(self.restriction)
        if self.tablebase:
            record["tablebase"] = str(self.tablebase)
        return record
