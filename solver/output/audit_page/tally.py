"""Rows of the audit page: records, checked as they are read, and their totals.

`check_record` turns the record of a result back into an `AuditResult`. The record may
come from a file that anyone has edited, so every field is checked. `Tally` counts the
results for the page's totals, its charts and its table.
"""

from __future__ import annotations

import json
import math
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from solver.audit.result import AuditResult, write_solutions
from solver.audit.verdict import DUAL, Verdict
from solver.errors import InputError, quote
from solver.output.audit_text import name_claim
from solver.stipulation import Stipulation

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
"""Verdicts, and statuses for records that claim nothing, in the order of the page."""

_MAX_BITS = 63
"""Larger integers are refused: Python cannot write integers of any length, nor their
sums."""

_KINDS = {int: "a whole number", str: "a text", bool: "true or false", list: "a list"}

Kind = TypeVar("Kind")


def check_record(record: Mapping[str, object]) -> AuditResult:
    """Read the record of a result.

    Parameters
    ----------
    record : Mapping
        As `solver.output.audit_records.audit_record` makes it; any field may be missing or
        None.

    Returns
    -------
    AuditResult
        `solver` is empty and `time_s` is None if the record does not have them.

    Raises
    ------
    InputError
        A field has the wrong type, or there is no verdict, or no position.
    """
    verdict, status = _text(record, "verdict"), _text(record, "status")
    if not (verdict or status) and "error" in record:
        verdict = Verdict.UNREADABLE
    word = verdict or status
    if word not in WORDS:
        msg = f"verdict or status: expected one of {', '.join(WORDS)}, found "
        raise InputError(msg + (quote(word) if word else "neither"))
    keys = [_text(key, "uci") for key in _records(record, "keys")]
    plies = [_ply(ply) for ply in _records(record, "plies")]
    only_moves = _read(record, "only_moves", bool)
    if any(ply.get("only") is False for ply in plies):
        only_moves = False
    stipulation = _text(record, "stipulation")
    solutions = _lines(record, "solutions")
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
        keys=" ".join(keys),
        keys_complete=_flag(record, "keys_complete") or 0,
        wrong_keys=_moves(record, "wrong_keys"),
        pv=_moves(record, "pv"),
        plies=json.dumps(plies) if plies else "",
        only_moves=None if only_moves is None else int(only_moves),
        nodes=_read(record, "nodes", int) or 0,
        time_s=_seconds(record, "time_s"),
        stopped_by=_text(record, "stopped_by") or None,
        tablebase=_text(record, "tablebase") or None,
        error=_text(record, "error") or None,
        solver=_text(record, "solver"),
        stipulation=str(Stipulation.parse(stipulation)) if stipulation else None,
        claimed_solutions=_read(record, "claimed_solutions", int),
        solutions=None if solutions is None else write_solutions(solutions),
        solutions_complete=_flag(record, "solutions_complete"),
    )
    if result.fen is None and (word != Verdict.UNREADABLE or _has_moves(result)):
        msg = "fen: expected a position, found none"
        raise InputError(msg)
    return result


NOT_AGREEING = tuple(
    word for word in WORDS if not AuditResult("", "", verdict=word).agrees
)
"""Verdicts of which no record agrees with its claim."""


def _has_moves(result: AuditResult) -> bool:
    """Return whether there are moves, which mean nothing without a position."""
    return any(
        (
            result.keys,
            result.pv,
            result.claimed_keys,
            result.claimed_line,
            result.wrong_keys,
            result.plies,
            result.solutions,
        )
    )


def _ply(record: Mapping[str, object]) -> dict[str, object]:
    ply: dict[str, object] = {
        "move": _text(record, "move"),
        "mate": _read(record, "mate", int),
        "keys": _texts(record, "keys"),
    }
    for name in ("only", "holds"):  # earlier versions did not write them
        if name in record:
            ply[name] = _read(record, name, bool)
    return ply


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


def _texts(record: Mapping[str, object], name: str) -> list[str]:
    values = _read(record, name, list) or []
    if not all(isinstance(value, str) for value in values):
        msg = f"{name}: expected a list of texts, found {quote(repr(values))}"
        raise InputError(msg)
    return values


def _moves(record: Mapping[str, object], name: str) -> str:
    return " ".join(_texts(record, name))


def _lines(record: Mapping[str, object], name: str) -> list[list[str]] | None:
    values = _read(record, name, list)
    for value in values or ():
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            msg = f"{name}: expected a list of lists of texts, found "
            raise InputError(msg + quote(repr(values)))
    return values


def _flag(record: Mapping[str, object], name: str) -> int | None:
    value = _read(record, name, bool)
    return None if value is None else int(value)


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


BINS_PER_DECADE = 10
"""Resolution of the histograms of times: each bin ends 26% above its beginning."""

SHORTEST_S = 1e-6
"""Records give times in whole microseconds."""

MANY_CLAIMS = 14
"""If there are more kinds of claims, the long ones share rows of the charts."""

BAND_ENDS = (10, 15, 20, 30, 50, 100)
"""Claims up to the first of these lengths have a row each; longer ones share a row with
all claims up to the next of them."""


@dataclass(slots=True)
class _Row:
    """Sums over all results with the same claim."""

    words: Counter[str] = field(default_factory=Counter)
    bins: Counter[int] = field(default_factory=Counter)
    times_s: array[float] = field(default_factory=lambda: array("d"))
    nodes: int = 0
    time_s: float = 0.0


class Tally:
    """Results counted by claim, verdict, soundness and time.

    It keeps only the time of each result, 8 bytes, because a median needs all of them.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], _Row] = {}
        self._soundness: Counter[str] = Counter()
        self._solvers: dict[str, None] = {}
        self._agreeing = 0
        self._disagreements = 0
        self._duals = 0

    def add(self, result: AuditResult) -> None:
        """Count a result."""
        row = self._rows.setdefault(name_claim(result), _Row())
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
        """Return the totals as JSON can hold them.

        Returns
        -------
        dict
            `claims`: for each claim, in order, its `name`, the counts by `words`,
            `nodes`, `time_s`, and its `times` as pairs of bin and count;
            `rows`: for each row of the charts its `name`, the indices of its `claims`
            and its `median_s`;
            `soundness`: counts, the most frequent first;
            `solvers`: the versions that found the answers;
            `duals`: the number of records with a dual;
            `agreeing` and `disagreements`: the numbers of records that agree with
            their claims and that do not. Undecided and unreadable records are neither.
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
    """Return the bin of a time; bin `b` starts at `10 ** (b / 10)` seconds."""
    return math.floor(BINS_PER_DECADE * math.log10(max(time_s, SHORTEST_S)))


def _chart_rows(claims: Sequence[tuple[str, _Row]]) -> Iterator[dict[str, object]]:
    """Group claims into rows of a chart; long claims share rows if there are many.

    Parameters
    ----------
    claims : sequence of tuple
        The name and the sums of each claim, in order.
    """
    rows: dict[str, list[int]] = {}
    for index, (name, _) in enumerate(claims):
        band = band_name(name) if len(claims) > MANY_CLAIMS else name
        rows.setdefault(band, []).append(index)
    for name, indices in rows.items():
        times_s = [claims[index][1].times_s for index in indices]
        yield {"name": name, "claims": indices, "median_s": median(times_s)}


def band_name(claim: str) -> str:
    """Return the row of a claim such as `#17`: `#16 to 20`, or `over #100`.

    A claim with half a move has a row of its own.
    """
    if claim.endswith(".5"):
        return claim
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
    """Return the exact median of all times, or None if there are none.

    It copies the times: 8 more bytes for each.
    """
    import numpy as np

    times = np.concatenate([np.frombuffer(part) for part in times_s])
    return float(np.median(times, overwrite_input=True)) if times.size else None
