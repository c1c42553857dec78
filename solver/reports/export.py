"""Findings written down for other programs: CSV, JSON lines, EPD, Parquet."""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, get_type_hints

from solver.audit.result import Finding
from solver.problem import Claim, Problem

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
    from solver.reports.audit_record import finding_record

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
