"""Records for programs of what has no answer: one JSON object a record."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, get_type_hints

from solver.audit.result import Finding
from solver.output.text import first_moves
from solver.problem import Claim, Problem
from solver.version import SCHEMA, __version__

if TYPE_CHECKING:
    from solver.errors import FormatError


# Findings for programs: the record of an answer, and how its claim fared.


def finding_record(finding: Finding) -> dict[str, object]:
    """Make the record of what an audit tells of one record.

    Parameters
    ----------
    finding : Finding
        What it tells.

    Returns
    -------
    dict
        What `json.dumps` takes: the record of the answer (see `record`) with `source`
        (`file:line`) behind `id`, and `verdict` and `soundness` behind `status`, None
        where they do not apply. At its end, only if there are any: `nomate` (claimed:
        none in so many moves), `claimed_keys`, `claimed_line`, `wrong_keys` in UCI
        notation, `only_moves` and `plies` of the claimed line, `tablebase`,
        `disagreements` (see `Finding.disagreements`). Of what is unreadable: `error`.
    """
    told: dict[str, object] = {
        "schema": SCHEMA,
        "id": finding.id,
        "source": finding.source,
        "fen": finding.fen,
        "claim": finding.claim,
        "status": finding.status,
        "verdict": finding.verdict,
    }
    if finding.fen is None:
        return {**told, "error": finding.error, "solver": finding.solver}
    keys = finding.keys.split()
    sans = first_moves(finding.fen, keys)
    told |= {
        "soundness": finding.soundness,
        "mate": finding.mate,
        "lower_bound": finding.lower_bound,
        "keys": [{"uci": uci, "san": san} for uci, san in zip(keys, sans, strict=True)],
        "keys_complete": bool(finding.keys_complete),
        "pv": finding.pv.split(),
        "nodes": finding.nodes,
        "time_s": finding.time_s,
        "stopped_by": finding.stopped_by,
        "solver": finding.solver,
    }
    if finding.nomate is not None:
        told["nomate"] = finding.nomate
    for name in ("claimed_keys", "claimed_line", "wrong_keys"):
        if moves := getattr(finding, name):
            told[name] = moves.split()
    if finding.only_moves is not None:
        told["only_moves"] = bool(finding.only_moves)
    if finding.plies:
        told["plies"] = json.loads(finding.plies)
    if finding.tablebase:
        told["tablebase"] = finding.tablebase
    if finding.disagreements:
        told["disagreements"] = list(finding.disagreements)
    return told


# Findings written down for other programs: CSV, JSON lines, EPD, Parquet.

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Export: TypeAlias = Callable[[Iterable[Finding], BinaryIO], int]

ROW_GROUP = 10_000
"""So many findings are held in memory for Parquet, which is written in groups."""


def write_csv(findings: Iterable[Finding], file: BinaryIO) -> int:
    """Write all columns of `Finding`, which name themselves in the first row.

    Returns
    -------
    int
        How many were written; so do the other formats.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(Finding._fields)
    count = 0
    for finding in findings:
        rows.writerow(finding)
        count += 1
    text.detach()
    return count


def write_jsonl(findings: Iterable[Finding], file: BinaryIO) -> int:
    """Write the records that `verify --jsonl` prints, one a line."""
    count = 0
    for finding in findings:
        record = json.dumps(finding_record(finding), separators=(",", ":"))
        file.write(record.encode() + b"\n")
        count += 1
    return count


def write_epd(findings: Iterable[Finding], file: BinaryIO) -> int:
    """Write what was found as a collection: the claims of a corrected edition.

    `dm`, `bm` with all known keys and `pv` tell the mate that was found; where there
    is none, `nomate` tells the moves that it was proved of. What is unreadable is left
    out.
    """
    from solver.formats.epd import write_epd

    count = 0
    for finding in findings:
        if finding.fen is not None:
            file.write(write_epd(_problem(finding, finding.fen)).encode())
            count += 1
    return count


def write_parquet(findings: Iterable[Finding], file: BinaryIO) -> int:
    """Write all columns of `Finding` as Apache Parquet; needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
    types = {
        name: kinds[getattr(kind, "__args__", (kind,))[0].__name__]
        for name, kind in get_type_hints(Finding).items()
    }
    schema = pa.schema(list(types.items()))
    rest = iter(findings)
    count = 0
    with pq.ParquetWriter(file, schema) as writer:
        while rows := list(islice(rest, ROW_GROUP)):
            columns = dict(zip(Finding._fields, zip(*rows, strict=True), strict=True))
            writer.write_table(pa.table(columns, schema=schema))
            count += len(rows)
    return count


EXPORTS: dict[str, Export] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "epd": write_epd,
    "parquet": write_parquet,
}
"""The formats by name, which is what a file's name ends in as well."""


def _problem(finding: Finding, fen: str) -> Problem:
    if finding.mate:
        line, keys = tuple(finding.pv.split()), tuple(finding.keys.split())
        claim = Claim(finding.mate, keys if finding.mate > 0 else (), line)
        return Problem(fen, finding.id, claim)
    excluded = (finding.lower_bound or 1) - 1
    return Problem(fen, finding.id, no_mate=excluded if excluded > 0 else None)


def unreadable_record(error: FormatError) -> dict[str, object]:
    """Make the record that stands in the place of an answer to an unreadable line.

    Parameters
    ----------
    error : FormatError
        What is wrong with the line.

    Returns
    -------
    dict
        `id` is the line's `file:line`, `error` the reason; the rest is None.
    """
    return {
        "schema": SCHEMA,
        "id": error.source,
        "fen": None,
        "claim": None,
        "status": None,
        "error": error.reason,
        "solver": __version__,
    }
