"""The answer to a problem, and how it calls what prints it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import chess

    from solver.problem import Problem, Restriction


# --------------------------------------------------------------------------------------
# How answers show themselves: `print` and notebooks call the methods of an answer.
#
# The functions that write and draw answers are imported when an answer is first shown,
# since the rooms that find answers know nothing of them. These are the only imports of
# the package that point upwards; the contract in pyproject.toml lists them.


def show_answer(answer: Any, form: str) -> Any:
    """Return an answer as `html`, `record` (a dict), `svg` or `text`."""
    if form == "html":
        from solver.pages.viewer_pages import html

        return html(answer)
    if form == "record":
        from solver.record import record

        return record(answer)
    from solver.output import shown_play

    return shown_play.svg(answer) if form == "svg" else shown_play.text(answer)


# --------------------------------------------------------------------------------------
# The answer: bounds on the shortest mate, its line, and what they cost.

SCHEMA = 1
"""Version of the JSON records. Incremented when a field changes its meaning or is
removed, not when one is added."""


class Status(StrEnum):
    """How far the question was answered."""

    PROVED = "proved"
    """There is a mate, and none is shorter: the bounds have met."""

    FOUND = "found"
    """There is a mate; there may be a shorter one."""

    DISPROVED = "disproved"
    """The attacker has no mate within the moves that were searched.

    If the caller did not say who attacks, this is the side to move; whether it is being
    mated is left open."""

    UNDECIDED = "undecided"
    """A limit was hit before a mate was found."""


class StoppedBy(StrEnum):
    """The limit that ended a search early."""

    TIME = "time"
    NODES = "nodes"
    SOLUTIONS = "solutions"
    """Help play only: the requested number of solutions was found."""
    INTERRUPT = "interrupt"
    CRASH = "crash"
    """Every process that worked on the problem ended without an answer."""
    TABLEBASE = "tablebase"
    """No limit was set; the search stopped without a proof of the tablebases'
    answer."""


class TableFormat(StrEnum):
    """Tablebases that know more than was proved."""

    GAVIOTA = "gaviota"
    """Distances to mate."""

    SYZYGY = "syzygy"
    """Won, drawn or lost."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What a search cost.

    Attributes
    ----------
    nodes : int
        Positions entered by the search; a mate-in-one test counts as one.
    time_s : float
        Seconds of searching, without compilation.
    """

    nodes: int = 0
    time_s: float = 0.0


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """The answer to a `Problem`.

    Attributes
    ----------
    problem : Problem
        The problem, with a FEN of six fields.
    status : Status
        How far it was answered.
    mate : int or None
        Moves to mate, a proved upper bound unless `tablebase` is set; negative when
        the side to move is mated (0: it is checkmate); None when no mate was found.
    lower_bound : int
        No mate takes fewer moves than this: proved.
    pv : tuple of str
        The mating line in UCI notation: 2n-1 plies for mate in n, 2n when the side
        to move is mated in n. The defender resists as long as possible.
    keys : tuple of str
        First moves, in UCI notation, that mate in `mate` moves.
    keys_complete : bool
        Whether `keys` holds all of them.
    stopped_by : StoppedBy or None
        The limit that ended the search early; None: the question is answered.
    stats : Stats
        What the search cost.
    restriction : Restriction or None
        The restriction of the attacker's moves. The whole answer holds under it; that
        a mate was found holds without it too.
    tablebase : TableFormat or None
        The tablebases that the answer rests on where it is not proved. With a mate,
        they say that it is forced and the shortest, and the line was checked move by
        move. Without one, GAVIOTA says that there is no mate within the moves
        searched, SYZYGY that there is no mate at all.
    solutions : tuple of tuple of str
        Help play only: every solution that was found, in UCI notation and play order.
    solutions_complete : bool
        Whether `solutions` has all of them.

    With another stipulation than mate, `mate` and `lower_bound` count the attacker's
    moves to its goal, which may be stalemate, and `keys` are the first moves that reach
    it in time.
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
    solutions: tuple[tuple[str, ...], ...] = ()
    solutions_complete: bool = False

    def __repr__(self) -> str:
        return (
            f"<Solution {self.status}, mate={self.mate}, "
            f"lower_bound={self.lower_bound}, fen={self.problem.fen!r}>"
        )

    def __str__(self) -> str:
        return str(show_answer(self, "text"))

    def _repr_html_(self) -> str:
        return str(show_answer(self, "html"))

    def _repr_svg_(self) -> str:
        return str(show_answer(self, "svg"))

    @property
    def board(self) -> chess.Board:
        """The position, on a new board."""
        import chess

        return chess.Board(self.problem.fen)

    @property
    def pv_san(self) -> tuple[str, ...]:
        """The mating line `pv` in SAN."""
        from solver.position_text import write_lines

        (line,) = write_lines(self.problem.fen, [self.pv])
        return tuple(line)

    @property
    def keys_san(self) -> tuple[str, ...]:
        """The first moves `keys` in SAN."""
        from solver.position_text import first_moves

        return tuple(first_moves(self.problem.fen, self.keys))

    def to_dict(self) -> dict[str, object]:
        """Return the record that the command prints with `--json`.

        Returns
        -------
        dict
            What `json.dumps` takes, in the order in which it is printed. Moves are in
            UCI notation, bounds and lengths in moves, `time_s` in seconds to the
            microsecond; `claim` and `mate` are negative when the side to move is mated.
            These fields appear only where they apply: `tablebase`, the tablebases that
            the answer rests on; `stipulation`; in help play `solutions` and
            `solutions_complete`; `warnings`, what was repaired in the position's text;
            and `restriction`, that of the attacker's moves.
        """
        return dict(show_answer(self, "record"))
