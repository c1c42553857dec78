"""Records for programs of what has no answer: one JSON object a record."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, get_type_hints

from solver.audit.result import COLUMNS, AuditResult
from solver.output.text import first_moves
from solver.problem import Claim, Problem
from solver.version import SCHEMA, __version__

if TYPE_CHECKING:
    from solver.errors import FormatError


# Findings for programs: the record of an answer, and how its claim fared.


def audit_record(result: AuditResult) -> dict[str, object]:
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
        "id": result.id,
        "source": result.source,
        "fen": result.fen,
        "claim": result.claim,
        "status": result.status,
        "verdict": result.verdict,
    }
    if result.fen is None:
        return {**told, "error": result.error, "solver": result.solver}
    keys = result.keys.split()
    sans = first_moves(result.fen, keys)
    told |= {
        "soundness": result.soundness,
        "mate": result.mate,
        "lower_bound": result.lower_bound,
        "keys": [{"uci": uci, "san": san} for uci, san in zip(keys, sans, strict=True)],
        "keys_complete": bool(result.keys_complete),
        "pv": result.pv.split(),
        "nodes": result.nodes,
        "time_s": result.time_s,
        "stopped_by": result.stopped_by,
        "solver": result.solver,
    }
    if result.nomate is not None:
        told["nomate"] = result.nomate
    for name in ("claimed_keys", "claimed_line", "wrong_keys"):
        if moves := getattr(result, name):
            told[name] = moves.split()
    if result.only_moves is not None:
        told["only_moves"] = bool(result.only_moves)
    if result.plies:
        told["plies"] = json.loads(result.plies)
    if result.tablebase:
        told["tablebase"] = result.tablebase
    if result.disagreements:
        told["disagreements"] = list(result.disagreements)
    return told


# Findings written down for other programs: CSV, JSON lines, EPD, Parquet.

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Export: TypeAlias = Callable[[Iterable[AuditResult], BinaryIO], int]

ROW_GROUP = 10_000
"""So many findings are held in memory for Parquet, which is written in groups."""


def write_csv(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write all columns of `Finding`, which name themselves in the first row.

    Returns
    -------
    int
        How many were written; so do the other formats.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    count = 0
    for result in results:
        rows.writerow(result.row())
        count += 1
    text.detach()
    return count


def write_jsonl(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the records that `verify --jsonl` prints, one a line."""
    count = 0
    for result in results:
        record = json.dumps(audit_record(result), separators=(",", ":"))
        file.write(record.encode() + b"\n")
        count += 1
    return count


def write_epd(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write what was found as a collection: the claims of a corrected edition.

    `dm`, `bm` with all known keys and `pv` tell the mate that was found; where there
    is none, `nomate` tells the moves that it was proved of. What is unreadable is left
    out.
    """
    from solver.formats.epd import write_epd

    count = 0
    for result in results:
        if result.fen is not None:
            file.write(write_epd(_problem(result, result.fen)).encode())
            count += 1
    return count


def write_parquet(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write all columns of `Finding` as Apache Parquet; needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"int": pa.int64(), "float": pa.float64(), "str": pa.string()}
    types = {
        name: kinds[getattr(kind, "__args__", (kind,))[0].__name__]
        for name, kind in get_type_hints(AuditResult).items()
        if name in COLUMNS
    }
    schema = pa.schema(list(types.items()))
    rest = (result.row() for result in results)
    count = 0
    with pq.ParquetWriter(file, schema) as writer:
        while rows := list(islice(rest, ROW_GROUP)):
            columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
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


def _problem(result: AuditResult, fen: str) -> Problem:
    if result.mate:
        line, keys = tuple(result.pv.split()), tuple(result.keys.split())
        claim = Claim(result.mate, keys if result.mate > 0 else (), line)
        return Problem(fen, result.id, claim)
    excluded = (result.lower_bound or 1) - 1
    return Problem(fen, result.id, no_mate=excluded if excluded > 0 else None)


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
