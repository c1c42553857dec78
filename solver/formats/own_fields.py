"""The fields that records of our own have, in JSON lines and in CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.formats.claims import (
    make_problem,
    parse_distance,
    parse_keys,
    parse_line,
    parse_no_mate,
)
from solver.formats.fast_fen import format_fen
from solver.formats.fen import parse_fen
from solver.formats.wording import printable
from solver.problem import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.problem import Problem


class Fields(NamedTuple):
    """What a record says, before it is checked; empty where it says nothing.

    Attributes
    ----------
    id, fen : str
        As in `Problem`.
    claim, nomate : str
        Moves in decimal digits.
    claimed_keys, claimed_line : sequence of str
        Moves in UCI notation or SAN.
    any_last_move : bool
        As in `Claim`.
    """

    id: str
    fen: str
    claim: str
    nomate: str
    claimed_keys: Sequence[str]
    claimed_line: Sequence[str]
    any_last_move: bool

    def check(self, source: str) -> Problem:
        """Make the problem that they say.

        Parameters
        ----------
        source : str
            `file:line`, which names the problem too when it has no `id`.

        Raises
        ------
        InputError
            If position, distance or moves cannot be read, or if both a mate and none
            are claimed.
        """
        board = parse_fen(self.fen)
        keys = parse_keys(board, "claimed_keys", self.claimed_keys)
        line = parse_line(board, "claimed_line", self.claimed_line)
        claim = None
        if self.claim:
            mate = parse_distance("claim", self.claim)
            claim = Claim(mate, keys, line, self.any_last_move)
        no_mate = parse_no_mate("nomate", self.nomate) if self.nomate else None
        fen = format_fen(board)
        return make_problem(fen, printable(self.id), source, claim, no_mate)
