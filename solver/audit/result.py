"""What an audit tells of one record, flat: a row of a store, a line of a report."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import __version__
from solver.audit.verdict import (
    Ply,
    disagreements,
    is_undecided,
    only_moves,
    recorded_only,
)
from solver.errors import FormatError

if TYPE_CHECKING:
    from solver.audit.verdict import Result
    from solver.problem import Problem


_SOURCE = re.compile(r"(?P<file>.*):(?P<line>[1-9][0-9]{0,17})", re.DOTALL)
"""What is written otherwise, or too large for 64 bits, belongs to a file's name."""


class AuditResult(NamedTuple):
    """One result of an audit.

    Moves are in UCI notation with spaces between. Distances are in moves, negative
    when the side to move is mated.

    Attributes
    ----------
    source : str
        `file:line` of the record.
    id : str
        What the record calls itself, else the end of its `source`.
    fen : str or None
        The position; None where the record cannot be read.
    claim, nomate : int or None
        The mate that is claimed; the number of moves in which none is claimed to be.
    claimed_keys, claimed_line : str
        Moves that the source names.
    status, verdict, soundness : str or None
        See `solution.Status`, `verdict.Verdict` and `soundness.Soundness`.
    mate, lower_bound : int or None
        Moves to mate, and that none takes fewer; see `solution.Solution`.
    keys : str
        First moves that mate in `mate` moves; all of them if `keys_complete`.
    wrong_keys : str
        Claimed first moves that do not.
    pv : str
        The mating line.
    plies : str
        A JSON array, for each of the solver's moves in the claimed line
        `{"move": ..., "mate": ..., "keys": [...], "only": ...}`; empty where not
        looked at. Earlier versions wrote no `only`.
    only_moves : int or None
        1 where each of those is `only`, 0 where one is not, None where that is not
        known.
    nodes, time_s
        What the answer cost, `time_s` in seconds.
    stopped_by, tablebase : str or None
        The limit that came first, be it at a later move of the claimed line; tables
        that say what was not proved.
    error : str or None
        Why the record cannot be read.
    solver : str
        The version that has answered.
    """

    source: str
    id: str
    fen: str | None = None
    claim: int | None = None
    nomate: int | None = None
    claimed_keys: str = ""
    claimed_line: str = ""
    status: str | None = None
    verdict: str | None = None
    soundness: str | None = None
    mate: int | None = None
    lower_bound: int | None = None
    keys: str = ""
    keys_complete: int = 0
    wrong_keys: str = ""
    pv: str = ""
    plies: str = ""
    only_moves: int | None = None
    nodes: int = 0
    time_s: float | None = 0.0
    stopped_by: str | None = None
    tablebase: str | None = None
    error: str | None = None
    solver: str = __version__

    @property
    def word(self) -> str:
        """The verdict, or the answer's own status where nothing was claimed."""
        return str(self.verdict or self.status)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """What speaks against the claim; see `verdict.disagreements`."""
        plies = self.claimed_plies() if self.only_moves == 0 else ()
        return disagreements(self.word, self.soundness, self.wrong_keys, plies)

    @property
    def is_undecided(self) -> bool:
        """Whether a limit came before the whole answer."""
        return is_undecided(self.word, self.stopped_by)

    def claimed_plies(self) -> tuple[Ply, ...]:
        """Read `plies`."""
        return tuple(
            _read_ply(ply, only_moves=self.only_moves)
            for ply in json.loads(self.plies or "[]")
        )


def audit_result(result: Result) -> AuditResult:
    """Flatten a result."""
    answer = result.answer
    if isinstance(answer, FormatError):
        return AuditResult(
            source=answer.source,
            id=answer.source,
            verdict=_value(result.verdict),
            error=answer.reason,
        )
    problem, claim, plies = answer.problem, answer.problem.claim, result.plies
    is_only = only_moves(claim, plies) if claim else None
    return AuditResult(
        source=problem.source,
        id=problem.id,
        fen=problem.fen,
        claim=claim.mate if claim else None,
        nomate=problem.no_mate,
        claimed_keys=" ".join(claim.keys) if claim else "",
        claimed_line=" ".join(claim.line) if claim else "",
        status=answer.status.value,
        verdict=_value(result.verdict),
        soundness=_value(result.soundness),
        mate=answer.mate,
        lower_bound=answer.lower_bound,
        keys=" ".join(answer.keys),
        keys_complete=int(answer.keys_complete),
        wrong_keys=" ".join(result.wrong_keys),
        pv=" ".join(answer.pv),
        plies=json.dumps([ply._asdict() for ply in plies]) if plies else "",
        only_moves=None if is_only is None else int(is_only),
        nodes=answer.stats.nodes,
        time_s=round(answer.stats.time_s, 6),
        stopped_by=_value(answer.stopped_by),
        tablebase=_value(answer.tablebase),
    )


def renamed(finding: AuditResult, problem: Problem) -> AuditResult:
    """Tell of a record what was found for one that asks the same."""
    return finding._replace(source=problem.source, id=problem.id, fen=problem.fen)


def split_source(source: str) -> tuple[str, int]:
    """Split `file:line`; a source without a line has 0."""
    match = _SOURCE.fullmatch(source)
    return (match["file"], int(match["line"])) if match else (source, 0)


def _read_ply(ply: dict[str, Any], *, only_moves: int | None) -> Ply:
    move, keys = ply["move"], tuple(ply["keys"])
    if "only" in ply:
        return Ply(move, ply["mate"], keys, ply["only"])
    told = None if only_moves is None else bool(only_moves)
    return Ply(move, ply["mate"], keys, recorded_only(move, keys, only_moves=told))


def _value(word: object) -> str | None:
    """Make a plain string of an enumeration's: smaller to send, quicker to store."""
    return None if word is None else str(word)
