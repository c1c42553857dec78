"""The record of one result of an audit, read with its types checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from solver.audit.verdict import Verdict, disagreements, is_undecided
from solver.errors import InputError
from solver.formats.wording import quote
from solver.soundness import Ply, recorded_only

WORDS = (
    "proved",
    "holds",
    "found",
    "disproved",
    "shorter",
    "refuted",
    "undecided",
    "unreadable",
)
"""Verdicts, and the statuses of what claims nothing, in the order of the page."""

_MAX_BITS = 63
"""Sums of such numbers can be written; Python does not write numbers of any length."""

Kind = TypeVar("Kind")

_KINDS = {int: "a whole number", str: "a text", bool: "true or false", list: "a list"}


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """What `verify --jsonl` tells of one record of a collection, in its words.

    Attributes
    ----------
    word : str
        One of `WORDS`: the verdict, or the status where nothing was claimed.
    keys : tuple of str
        The keys that were found, in SAN. Lines and claimed moves are in UCI notation.
    error : str
        Why the record could not be read, else empty.
    """

    word: str
    id: str = ""
    source: str = ""
    fen: str = ""
    claim: int | None = None
    no_mate: int | None = None
    soundness: str = ""
    status: str = ""
    mate: int | None = None
    lower_bound: int | None = None
    keys: tuple[str, ...] = ()
    keys_complete: bool = False
    pv: tuple[str, ...] = ()
    claimed_keys: tuple[str, ...] = ()
    claimed_line: tuple[str, ...] = ()
    wrong_keys: tuple[str, ...] = ()
    plies: tuple[Ply, ...] = ()
    nodes: int = 0
    time_s: float | None = None
    stopped_by: str = ""
    tablebase: str = ""
    solver: str = ""
    error: str = ""

    @property
    def is_read(self) -> bool:
        """Whether the record could be read, so that there is a position."""
        return self.word != Verdict.UNREADABLE

    @property
    def moves(self) -> tuple[str, ...]:
        """All moves in UCI notation, none of which means anything without a FEN."""
        plies = tuple(ply.move for ply in self.plies)
        return (
            *self.pv,
            *self.claimed_keys,
            *self.claimed_line,
            *self.wrong_keys,
            *plies,
        )

    @property
    def disagreements(self) -> tuple[str, ...]:
        """What speaks against the claim; see `verdict.disagreements`."""
        return disagreements(self.word, self.soundness, self.wrong_keys, self.plies)

    @property
    def agrees(self) -> bool:
        """Whether all is as claimed: read, decided, and without a disagreement."""
        is_decided = self.is_read and not is_undecided(self.word, self.stopped_by)
        return is_decided and not self.disagreements


NOT_AGREEING = tuple(word for word in WORDS if not CheckedRecord(word).agrees)
"""Verdicts with which no record agrees."""


def check_record(record: Mapping[str, object]) -> CheckedRecord:
    """Read a record.

    Parameters
    ----------
    record : Mapping
        As `finding_record` makes it; fields may be missing or None.

    Raises
    ------
    InputError
        If it is no such record: a field is of another type, or no verdict is there.
    """
    verdict = _text(record, "verdict")
    word = verdict or _text(record, "status")
    if not word and "error" in record:
        word = Verdict.UNREADABLE
    if word not in WORDS:
        msg = f"verdict or status: expected one of {', '.join(WORDS)}, found "
        raise InputError(msg + (quote(word) if word else "neither"))
    finding = CheckedRecord(
        word=word,
        id=_text(record, "id"),
        source=_text(record, "source"),
        fen=_text(record, "fen"),
        claim=_read(record, "claim", int),
        no_mate=_read(record, "nomate", int),
        soundness=_text(record, "soundness"),
        status=_text(record, "status"),
        mate=_read(record, "mate", int),
        lower_bound=_read(record, "lower_bound", int),
        keys=tuple(_text(key, "san") for key in _records(record, "keys")),
        keys_complete=_read(record, "keys_complete", bool) or False,
        pv=_texts(record, "pv"),
        claimed_keys=_texts(record, "claimed_keys"),
        claimed_line=_texts(record, "claimed_line"),
        wrong_keys=_texts(record, "wrong_keys"),
        plies=_plies(record),
        nodes=_read(record, "nodes", int) or 0,
        time_s=_seconds(record, "time_s"),
        stopped_by=_text(record, "stopped_by"),
        tablebase=_text(record, "tablebase"),
        solver=_text(record, "solver"),
        error=_text(record, "error"),
    )
    if not finding.fen and (finding.is_read or finding.moves):
        msg = "fen: expected a position, found none"
        raise InputError(msg)
    return finding


def _plies(record: Mapping[str, object]) -> tuple[Ply, ...]:
    only_moves = _read(record, "only_moves", bool)
    return tuple(_ply(ply, only_moves=only_moves) for ply in _records(record, "plies"))


def _ply(record: Mapping[str, object], *, only_moves: bool | None) -> Ply:
    move, keys = _text(record, "move"), _texts(record, "keys")
    only = _read(record, "only", bool)
    if "only" not in record:
        only = recorded_only(move, keys, only_moves=only_moves)
    return Ply(move, _read(record, "mate", int), keys, only)


def _read(record: Mapping[str, object], name: str, kind: type[Kind]) -> Kind | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        msg = f"{name}: expected {_KINDS[kind]}, found {quote(repr(value))}"
        raise InputError(msg)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        msg = f"{name}: expected at most {_MAX_BITS} bits, found {value.bit_length()}"
        raise InputError(msg)
    return value


def _text(record: Mapping[str, object], name: str) -> str:
    return _read(record, name, str) or ""


def _texts(record: Mapping[str, object], name: str) -> tuple[str, ...]:
    values = _read(record, name, list) or []
    if not all(isinstance(value, str) for value in values):
        msg = f"{name}: expected a list of texts, found {quote(repr(values))}"
        raise InputError(msg)
    return tuple(values)


def _records(record: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    values = _read(record, name, list) or []
    if not all(isinstance(value, Mapping) for value in values):
        msg = f"{name}: expected a list of objects, found {quote(repr(values))}"
        raise InputError(msg)
    return values


def _seconds(record: Mapping[str, object], name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        msg = f"{name}: expected a number of seconds, found {quote(repr(value))}"
        raise InputError(msg)
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        msg = f"{name}: expected a finite number of seconds, found {quote(str(value))}"
        raise InputError(msg)
    return seconds
