"""The record of one result of an audit, read with its types checked."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from solver.audit.result import AuditResult, write_plies
from solver.audit.verdict import DUAL, Ply, Verdict, only_moves, recorded_only
from solver.errors import InputError
from solver.formats.claims import quote
from solver.output.audit_text import name_claim

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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


NOT_AGREEING = tuple(
    word for word in WORDS if not AuditResult("", "", verdict=word).agrees
)
"""Verdicts with which no record agrees."""


def check_record(record: Mapping[str, object]) -> AuditResult:
    """Read the JSON record of an audited row.

    Parameters
    ----------
    record : Mapping
        As `records.audit_record` returns it; fields may be missing or None.

    Raises
    ------
    InputError
        A field has another type, or there is no verdict.
    """
    verdict, status = _text(record, "verdict"), _text(record, "status")
    if not (verdict or status) and "error" in record:
        verdict = Verdict.UNREADABLE.value
    word = verdict or status
    if word not in WORDS:
        msg = f"verdict or status: expected one of {', '.join(WORDS)}, found "
        raise InputError(msg + (quote(word) if word else "neither"))
    is_only = _read(record, "only_moves", bool)
    plies = [_ply(ply, only_moves=is_only) for ply in _records(record, "plies")]
    if is_only is None:
        is_only = only_moves(plies)
    result = AuditResult(
        source=_text(record, "source"),
        id=_text(record, "id"),
        fen=_text(record, "fen") or None,
        claim=_read(record, "claim", int),
        nomate=_read(record, "nomate", int),
        claimed_keys=_moves(record, "claimed_keys"),
        claimed_line=_moves(record, "claimed_line"),
        status=status or None,
        verdict=verdict or None,
        soundness=_text(record, "soundness") or None,
        mate=_read(record, "mate", int),
        lower_bound=_read(record, "lower_bound", int),
        keys=" ".join(_text(key, "uci") for key in _records(record, "keys")),
        keys_complete=int(_read(record, "keys_complete", bool) or False),
        wrong_keys=_moves(record, "wrong_keys"),
        pv=_moves(record, "pv"),
        plies=write_plies(plies),
        only_moves=None if is_only is None else int(is_only),
        nodes=_read(record, "nodes", int) or 0,
        time_s=_seconds(record, "time_s"),
        stopped_by=_text(record, "stopped_by") or None,
        tablebase=_text(record, "tablebase") or None,
        error=_text(record, "error") or None,
        solver=_text(record, "solver"),
    )
    moves = (
        result.pv,
        result.keys,
        result.claimed_keys,
        result.claimed_line,
        result.wrong_keys,
        result.plies,
    )
    if not result.fen and (word != Verdict.UNREADABLE or any(moves)):
        msg = "fen: expected a position, found none"
        raise InputError(msg)
    return result


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


def _moves(record: Mapping[str, object], name: str) -> str:
    return " ".join(_texts(record, name))


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


# All records of an audit, counted; none of them is kept.

BINS_PER_DECADE = 10
"""How finely times are counted: a bin ends a quarter above where it begins."""

SHORTEST_S = 1e-6
"""Records tell times to the microsecond."""

MANY_CLAIMS = 14
"""With more than so many kinds of claims, the long ones share rows of the charts."""

BAND_ENDS = (10, 15, 20, 30, 50, 100)
"""Up to the first of these lengths each claim has its own row; then each band has."""


@dataclass(slots=True)
class _Row:
    """What is known of all records with the same claim."""

    words: Counter[str] = field(default_factory=Counter)
    bins: Counter[int] = field(default_factory=Counter)
    times_s: array[float] = field(default_factory=lambda: array("d"))
    nodes: int = 0
    time_s: float = 0.0


class Tally:
    """Records counted by claim, verdict, soundness and time.

    Of each record only the time is kept, in 8 bytes, since a median needs them all.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], _Row] = {}
        self._soundness: Counter[str] = Counter()
        self._solvers: dict[str, None] = {}
        self._agreeing = 0
        self._disagreements = 0
        self._duals = 0

    def add(self, result: AuditResult) -> None:
        """Count one record."""
        row = self._rows.setdefault(name_claim(result.claim, result.nomate), _Row())
        row.words[result.word] += 1
        row.nodes += result.nodes
        if result.fen and result.time_s is not None:
            row.time_s += result.time_s
            row.bins[time_bin(result.time_s)] += 1
            row.times_s.append(result.time_s)
        if result.soundness:
            self._soundness[result.soundness] += 1
        if result.solver:
            self._solvers[result.solver] = None
        self._agreeing += result.agrees
        disagreements = result.disagreements
        self._disagreements += bool(disagreements)
        self._duals += DUAL in disagreements

    def summary(self) -> dict[str, object]:
        """Give what `json.dumps` takes.

        Returns
        -------
        dict
            `claims`: a row for each claim in their order, with the counts by `words`,
            `nodes`, `time_s` and the `times` as pairs of a bin and a count;
            `rows`: those of the charts, each with the places of its `claims` and their
            `median_s`; `soundness`: counts, the most frequent first; `duals`: how many
            records have one; `solvers`: their versions; `agreeing`: how many records
            are as claimed; `disagreements`: how many are not. What is undecided or
            unreadable is neither.
        """
        rows = [(name, row) for (_, name), row in sorted(self._rows.items())]
        return {
            "claims": [
                {
                    "name": name,
                    "words": row.words,
                    "nodes": row.nodes,
                    "time_s": row.time_s,
                    "times": sorted(row.bins.items()),
                }
                for name, row in rows
            ],
            "rows": list(_chart_rows(rows)),
            "soundness": dict(self._soundness.most_common()),
            "solvers": list(self._solvers),
            "duals": self._duals,
            "agreeing": self._agreeing,
            "disagreements": self._disagreements,
        }


def time_bin(time_s: float) -> int:
    """Number the bin of a time: from 10^(bin / 10) seconds on, up to the next."""
    return math.floor(BINS_PER_DECADE * math.log10(max(time_s, SHORTEST_S)))


def _chart_rows(claims: Sequence[tuple[str, _Row]]) -> Iterator[dict[str, object]]:
    """Gather the claims for a chart: each alone, or the long ones where there are many.

    Parameters
    ----------
    claims : sequence of tuple
        The names of the claims and what is known of them, in their order.
    """
    rows: dict[str, list[int]] = {}
    for place, (name, _) in enumerate(claims):
        band = band_name(name) if len(claims) > MANY_CLAIMS else name
        rows.setdefault(band, []).append(place)
    for name, places in rows.items():
        times_s = [claims[place][1].times_s for place in places]
        yield {"name": name, "claims": places, "median_s": median(times_s)}


def band_name(claim: str) -> str:
    """Name the band that a claim such as `#17` belongs to: `#16 to 20`, `over #100`."""
    sign = claim.rstrip("0123456789")
    moves = int(claim.removeprefix(sign) or 0)
    if moves <= BAND_ENDS[0]:
        return claim
    for before, end in pairwise(BAND_ENDS):
        if moves <= end:
            minus = "-" if sign.endswith("-") else ""
            return f"{sign}{before + 1} to {minus}{end}"
    return f"over {sign}{BAND_ENDS[-1]}"


def median(times_s: Sequence[array[float]]) -> float | None:
    """Give the median of all times; of an even number, the mean of the middle two.

    It is exact, and takes 8 more bytes a time while it is found.
    """
    import numpy as np

    times = np.concatenate([np.frombuffer(part) for part in times_s])
    return float(np.median(times, overwrite_input=True)) if times.size else None


def claim_name(result: AuditResult) -> str:
    """Name a claim: #3, #-2, no #4, or none."""
    return name_claim(result.claim, result.nomate)[1]
