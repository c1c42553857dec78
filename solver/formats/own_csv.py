"""CSV of our own: a header that names the columns, then one problem a row.

The columns `id`, `fen`, `claim`, `nomate`, `claimed_keys`, `claimed_line` and
`any_last_move` are read in any order, all others passed over; only `fen` must be there.
Moves are in UCI notation with spaces between them, distances in moves.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from typing import TYPE_CHECKING

from solver.errors import FormatError, InputError
from solver.formats.csv_row import rows_behind, split_row
from solver.formats.own_fields import Fields
from solver.formats.wording import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.problem import Problem

HEAD = ",".join(Fields._fields) + "\n"
"""What stands above the rows that `write_csv` writes."""

_FLAGS = {"": False, "false": False, "true": True}


def read_csv(
    lines: Iterator[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read CSV, each row as soon as it is there.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8; the first names the columns.
    name : str
        What to call the file in `file:line`.

    Yields
    ------
    Problem or FormatError
        One for each row that is not blank, in their order.
    """
    header: list[str] = []
    following: Iterable[tuple[int, bytes]] = ()
    for number, line in lines:
        if not line.strip():
            continue
        source = f"{name}:{number}"
        try:
            cells = [cell.strip() for cell in split_row(line, following)]
            if header:
                yield _name_fields(header, cells).check(source)
            else:
                header = _require_fen(cells)
                following = rows_behind(line, lines)
        except InputError as error:
            yield FormatError(source, str(error))
            if not header:
                return


def write_csv(problem: Problem) -> str:
    """Write a problem as one row below `HEAD`."""
    claim = problem.claim
    row = [
        problem.id,
        problem.fen,
        claim.mate if claim else "",
        problem.no_mate or "",
        " ".join(claim.keys) if claim else "",
        " ".join(claim.line) if claim else "",
        "true" if claim and claim.any_last_move else "",
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()


def _require_fen(header: list[str]) -> list[str]:
    if "fen" not in header:
        msg = f"expected a column fen, found {quote(','.join(header))}"
        raise InputError(msg)
    return header


def _name_fields(header: list[str], cells: list[str]) -> Fields:
    if len(cells) != len(header):
        msg = f"expected {len(header)} columns, found {len(cells)}"
        raise InputError(msg)
    row = defaultdict(str, zip(header, cells, strict=True))
    flag = row["any_last_move"]
    if flag not in _FLAGS:
        msg = f"any_last_move: expected true, false or nothing, found {quote(flag)}"
        raise InputError(msg)
    return Fields(
        id=row["id"],
        fen=row["fen"],
        claim=row["claim"],
        nomate=row["nomate"],
        claimed_keys=row["claimed_keys"].split(),
        claimed_line=row["claimed_line"].split(),
        any_last_move=_FLAGS[flag],
    )
