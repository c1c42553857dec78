"""Results for programs: JSON records, and exports as CSV, JSON lines, EPD and Parquet.

`solver.solution.Solution.to_dict` makes the record of an answer. `audit_record` adds
the verdict on its claim, and `unreadable_record` is for a line without a problem.
"""

from __future__ import annotations

import codecs
import csv
import json
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, get_type_hints

from solver import __version__
from solver.audit.result import COLUMNS, AuditResult
from solver.formats.native import one_line
from solver.output.text import first_moves
from solver.problem import Claim, Problem
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.errors import FormatError
    from solver.stipulation import Stipulation

    Export: TypeAlias = Callable[[Iterable[AuditResult], BinaryIO], int]


def audit_record(result: AuditResult) -> dict[str, object]:
    """Make the record of an audit result.

    Parameters
    ----------
    result : AuditResult
        The result.

    Returns
    -------
    dict
        For `json.dumps`: the record of the answer (see `Solution.to_dict`) with
        `source` (`file:line`) after `id`, and `verdict` and `soundness` after `status`,
        None if they do not apply. At the end, if there are any: `nomate` (the number of
        moves in which no mate is claimed to exist), `claimed_keys`, `claimed_line` and
        `wrong_keys` in UCI notation, `only_moves` and `plies` of the claimed line,
        `tablebase`, `stipulation` and in help play `claimed_solutions`, `solutions` and
        `solutions_complete`, and `disagreements` (see `AuditResult.disagreements`). If
        the record is unreadable: `error`.
    """
    record: dict[str, object] = {
        "schema": SCHEMA,
        "id": result.id,
        "source": result.source,
        "fen": result.fen,
        "claim": result.claim,
        "status": result.status,
        "verdict": result.verdict,
    }
    if result.fen is None:
        return {**record, "error": result.error, "solver": result.solver}
    keys = result.keys.split()
    sans = first_moves(result.fen, keys)
    record |= {
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
        record["nomate"] = result.nomate
    for name in ("claimed_keys", "claimed_line", "wrong_keys"):
        if moves := getattr(result, name):
            record[name] = moves.split()
    if result.only_moves is not None:
        record["only_moves"] = bool(result.only_moves)
    if result.plies:
        record["plies"] = json.loads(result.plies)
    if result.tablebase:
        record["tablebase"] = result.tablebase
    record |= _stipulation_fields(result)
    if result.disagreements:
        record["disagreements"] = list(result.disagreements)
    return record


def _stipulation_fields(result: AuditResult) -> dict[str, object]:
    """Return the fields of a stipulation and of help play, as far as there are any."""
    fields: dict[str, object] = {}
    if result.stipulation:
        fields["stipulation"] = result.stipulation
    if result.claimed_solutions is not None:
        fields["claimed_solutions"] = result.claimed_solutions
    if result.solutions is not None:
        fields["solutions"] = [list(line) for line in result.found_solutions()]
        fields["solutions_complete"] = bool(result.solutions_complete)
    return fields


def unreadable_record(error: FormatError) -> dict[str, object]:
    """Make the record that replaces the answer to an unreadable line.

    Parameters
    ----------
    error : FormatError
        What is wrong with the line.

    Returns
    -------
    dict
        `id` is the line's `file:line`, `error` the reason; the other fields are None.
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


def write_csv(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the columns of the store as CSV, with their names in the first row.

    A row is one line, so a line break in a name becomes a space.

    Returns
    -------
    int
        The number of results written, as for the other formats.
    """
    # A TextIOWrapper would close the file, which may be stdout, after an error.
    rows = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    rows.writerow(COLUMNS)
    count = 0
    for result in results:
        rows.writerow(result._replace(id=one_line(result.id)).row())
        count += 1
    return count


def write_jsonl(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the records that `verify --jsonl` prints, one per line."""
    count = 0
    for result in results:
        record = json.dumps(audit_record(result), separators=(",", ":"))
        file.write(record.encode() + b"\n")
        count += 1
    return count


def write_epd(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the results as an EPD collection: the input with corrected claims.

    A mate is written as `dm`, `bm` with all known keys, and `pv`. Without a mate,
    `nomate` is the number of moves for which that is proved. Another stipulation is
    written in as many moves as were found, in help play with the number of solutions;
    if there is no solution, nothing is claimed. Unreadable records are left out.
    """
    from solver.formats.epd import write_epd

    count = 0
    for result in results:
        if result.fen is not None:
            file.write(write_epd(_problem(result, result.fen)).encode())
            count += 1
    return count


def write_parquet(results: Iterable[AuditResult], file: BinaryIO) -> int:
    """Write the columns of the store as Apache Parquet; needs pyarrow."""
    from solver.formats.parquet import write_rows

    hints = get_type_hints(AuditResult)
    types = {
        name: getattr(hints[name], "__args__", (hints[name],))[0] for name in COLUMNS
    }
    return write_rows(types, (result.row() for result in results), file)


EXPORTS: dict[str, Export] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "epd": write_epd,
    "parquet": write_parquet,
}
"""The export formats by name, which is also the suffix of a file."""


def _problem(result: AuditResult, fen: str) -> Problem:
    if stipulation := result.other_stipulation:
        return _composition(result, fen, stipulation)
    if result.mate:
        line, keys = tuple(result.pv.split()), tuple(result.keys.split())
        claim = Claim(result.mate, keys if result.mate > 0 else (), line)
        return Problem(fen, result.id, claim)
    excluded = (result.lower_bound or 1) - 1
    return Problem(fen, result.id, no_mate=excluded if excluded > 0 else None)


def _composition(result: AuditResult, fen: str, stipulation: Stipulation) -> Problem:
    if not result.mate:
        return Problem(fen, result.id)
    found = stipulation.with_attacker_moves(result.mate)
    line, keys = tuple(result.pv.split()), tuple(result.keys.split())
    if not stipulation.is_help:
        claim = Claim(result.mate, keys, line)
    elif result.solutions_complete:
        lengths = list(map(len, result.found_solutions()))
        claim = Claim(result.mate, solutions=lengths.count(found.plies))
    else:
        claim = Claim(result.mate)
    return Problem(fen, result.id, claim, stipulation=found)
