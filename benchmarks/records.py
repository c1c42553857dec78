"""Print what an audit of a collection of records has proved, by length, as Markdown.

usage: python -m benchmarks.records RUN.db

RUN.db is a store of `matesolve verify --store`. Every line is replayed with
python-chess: it must have the length of its mate and end in checkmate. Records that
are beaten or wrong are listed below the table.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NoReturn

import chess

from benchmarks.laboratory_commands import table
from solver.audit.store import Store

if TYPE_CHECKING:
    from solver.errors import FormatError

COLUMNS = ("proved", "1 apart", "2 apart", "further", "longer", "open", "wrong")


def fault_of_line(fen: str, mate: int, line: list[str]) -> str | None:
    """Return what is wrong with the line of a mate, or None."""
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(line) != plies:
        return f"expected {plies} plies, found {len(line)}"
    board = chess.Board(fen)
    for uci in line:
        move = chess.Move.from_uci(uci)
        if move not in board.legal_moves:
            return f"{uci} is not legal"
        board.push(move)
    return None if board.is_checkmate() else "its end is not checkmate"


def class_of(row: dict[str, Any]) -> str:
    """Return the column of a result: how far its bounds are from its claim."""
    if row["verdict"] in ("proved", "shorter", "refuted"):
        return "proved" if row["verdict"] == "proved" else "wrong"
    if row["mate"] is None:
        return "open"
    if abs(row["mate"]) > abs(row["claim"]):
        return "longer"
    apart = abs(row["mate"]) - row["lower_bound"]
    return f"{apart} apart" if apart <= 2 else "further"


def read_results(path: str) -> list[dict[str, Any]]:
    """Return the store's results with a claim, without duplicates."""

    def refuse(damaged: FormatError) -> NoReturn:
        sys.exit(str(damaged))

    with Store(path, read_only=True) as store:
        claimed = [one for one in store.results(refuse) if one.claim is not None]
    claimed.sort(key=lambda result: (abs(result.claim or 0), result.fen))
    return list({result.fen: result._asdict() for result in claimed}.values())


def main() -> None:
    """Print the table, and the records that are beaten or wrong."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = read_results(sys.argv[1])
    tally: defaultdict[int, Counter[str]] = defaultdict(Counter)
    replayed = 0
    for row in rows:
        tally[abs(row["claim"])][class_of(row)] += 1
        if row["mate"]:
            line = row["pv"].split()
            if fault := fault_of_line(row["fen"], row["mate"], line):
                sys.exit(f"{row['fen']}: mate in {row['mate']}: {fault}")
            replayed += 1

    total = sum(tally.values(), Counter[str]())
    shown = [
        (
            name,
            f"{counts.total():,}",
            *(f"{n:,}" if (n := counts[column]) else "" for column in COLUMNS),
        )
        for name, counts in [*sorted(tally.items()), ("all", total)]
    ]
    print(table(("mate in", "positions", *COLUMNS), shown))
    print(f"{replayed:,} lines replayed.")
    for row in rows:
        if class_of(row) == "wrong":
            print(f"- `{row['fen']}`: claim {row['claim']}, {row['verdict']}, {row}")


if __name__ == "__main__":
    main()
