"""What is asked: a position, what its source claims of it, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass

from solver.errors import InputError

MAX_MOVES = 200
"""The longest mate that a search looks for, in attacker's moves."""

DEFAULT_HASH_MIB = 128
"""Size of the transposition table when nothing is said, in MiB."""

MAX_HASH_MIB = 1 << 20
"""The largest table that can be asked for: one tebibyte."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a collection says of one of its positions.

    Attributes
    ----------
    mate : int
        Moves to mate; negative when the side to move is mated.
    keys : tuple of str
        First moves that the source names, in UCI notation.
    line : tuple of str
        The line that the source gives, in UCI notation.
    any_last_move : bool
        The source counts every mate in one alike, as lichess does: there, further keys
        are no cooks.
    """

    mate: int
    keys: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    any_last_move: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """A position to be solved.

    Attributes
    ----------
    fen : str
        Six-field FEN of a legal position of orthodox chess.
    id : str
        What the source calls it, else `file:line`; empty when it has no name.
    claim : Claim or None
        What the source says of it.
    source : str
        `file:line`, or empty.
    no_mate : int or None
        The source claims the opposite: no mate in so many moves or fewer.
    """

    fen: str
    id: str = ""
    claim: Claim | None = None
    source: str = ""
    no_mate: int | None = None

    @property
    def position(self) -> str:
        """The FEN without its clocks, which no search minds."""
        return " ".join(self.fen.split()[:4])


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may cost. `None` is no limit.

    Attributes
    ----------
    max_moves : int or None
        The longest mate to look for, in attacker's moves.
    time_s : float or None
        Seconds of searching, compilation left out.
    nodes : int or None
        Positions entered by the search, mate-in-one tests included.
    hash_mib : int
        Size of the transposition table in MiB.
    threads : int
        How many cores to use on one position.

    Raises
    ------
    InputError
        A limit is out of its range: 1 to `MAX_MOVES` moves, at least 0 seconds and
        nodes, at least 1 MiB, at least 1 thread.
    """

    max_moves: int | None = None
    time_s: float | None = None
    nodes: int | None = None
    hash_mib: int = DEFAULT_HASH_MIB
    threads: int = 1

    def __post_init__(self) -> None:
        if self.max_moves is not None:
            require_length(self.max_moves)
        for name in ("time_s", "nodes"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                msg = f"{name}: expected 0 or more, found {value}"
                raise InputError(msg)
        for name in ("hash_mib", "threads"):
            value = getattr(self, name)
            if value < 1:
                msg = f"{name}: expected 1 or more, found {value}"
                raise InputError(msg)


def require_length(moves: int) -> None:
    """Refuse a length of mate that no search can look for."""
    if not 1 <= moves <= MAX_MOVES:
        msg = f"moves to mate: expected 1 to {MAX_MOVES}, found {moves}"
        raise InputError(msg)
