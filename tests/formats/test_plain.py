"""Records of plain shape are read as all others are.

The oracle is the reader of records of any shape: compiled code for many positions is
made to refuse them all.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.mutation import mutate
from solver.errors import FormatError
from solver.formats import plain, registry
from solver.formats.claims import FileSummary, ReadOptions, Selection
from solver.position_text import read_compiled, read_many

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from solver.problem import Problem

MATES = (
    ("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", 2, "c4g8 f8g8 h6f7"),
    ("2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - -", 2, "h5a5 c8d7 a5d5"),
    ("2N2B2/2N1r3/8/3nQ2R/1k6/8/2B5/R3K3 w Q -", 2, "e1c1 d5c7 e5c5"),
    ("7k/8/5K2/8/8/8/8/6Q1 w - -", 1, "g1g7"),
    ("8/5P1k/8/6K1/8/8/8/6R1 w - -", 2, "f7f8q h7h8 g1h1"),
)
LICHESS = (
    ("6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30", "a2b2 a1a8", "mate mateIn1 short"),
    ("7k/8/8/8/8/R7/1R6/K7 b - - 0 1", "h8g8 a3a7 g8f8 b2b8", "mate mateIn2"),
    ("r6k/pp2r2p/4Rp1Q/3p4/8/1N1P2R1/PqP2bPP/7K b - - 0 24", "f2g3 e6e7", "crushing"),
)


def epd(seeded: Random) -> str:
    fen, mate, line = seeded.choice(MATES)
    counters = seeded.choice(("", "", " 3 40", " 0 0"))
    claim = seeded.choice((f"dm {mate};", f"bm #{mate};", f"bm # {mate};", "", "dm 0;"))
    moves = seeded.choice(("", f" PV: {line};", f" pv {line};", f" pv {line} a1a2;"))
    name = seeded.choice(("", ' id "Loyd";', ' id "a; mate in 3";', ' id "a\\"b";'))
    return f"{fen}{counters} {claim}{moves}{name}"


def numbered(seeded: Random) -> list[object]:
    fen, mate, _ = seeded.choice(MATES)
    return [seeded.choice(("", "a\ufffd", " b ")), f"{fen} 0 1", mate]


def csv(seeded: Random) -> str:
    name, fen, mate = numbered(seeded)
    return f"{name},{fen},{seeded.choice((mate, 0, f' {mate} ', '007', '201'))}"


def json_line(seeded: Random) -> str:
    pairs = [*zip(("id", "fen", "mate"), numbered(seeded), strict=True)]
    if not seeded.randrange(8):
        seeded.shuffle(pairs)
    return json.dumps(dict(pairs))


def lichess(seeded: Random) -> str:
    fen, moves, themes = seeded.choice(LICHESS)
    themes = seeded.choice((themes, themes, themes, "mate mateIn3"))
    numbers = ",".join(str(seeded.randrange(9999)) for _ in range(4))
    return f"00{seeded.randrange(9)},{fen},{moves},{numbers},{themes},https://x/#1,"


COLUMNS = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,"
    "OpeningTags\n"
)
FILES: dict[str, tuple[str, Callable[[Random], str]]] = {
    "epd": ("", epd),
    "csv": ("id,fen,mate\n", csv),
    "jsonl": ("", json_line),
    "lichess": (COLUMNS, lichess),
}
SELECTIONS = (Selection(), Selection(all_rows=True), Selection(min_claim=2))
ROWS = 500


def described(record: Problem | FormatError) -> dict[str, str]:
    """Return all fields of a record; equality leaves some out."""
    if isinstance(record, FormatError):
        return {name: repr(value) for name, value in record._asdict().items()}
    claim = record.claim and asdict(record.claim)
    return {name: repr(value) for name, value in asdict(record).items()} | {
        "claim": repr(claim)
    }


def read(path: Path, source_format: str, selection: Selection) -> list[object]:
    summary = FileSummary()
    records = registry.read_collection(
        path, ReadOptions(source_format, selection), summary
    )
    found: list[object] = [described(record) for record in records]
    return [*found, summary.record(), str(summary), summary.faults()]


@pytest.mark.parametrize("is_changed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_records_of_plain_shape_are_read_as_all_others_are(
    name: str, is_changed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, make = FILES[name]
    seeded = Random(len(name))
    lines = [make(seeded).encode() for _ in range(ROWS)]
    if is_changed:
        # Other cells of lichess's rows may become claims, of which its lines are none.
        size = {"lichess": 50}.get(name)
        lines = [
            mutate(one[:size], seeded) + one[len(one) if size is None else size :]
            if seeded.random() < 0.3
            else one
            for one in lines
        ]
    path = tmp_path / "x"
    path.write_bytes(head.encode() + b"\n".join(lines) + b"\n")
    counts: Counter[bool] = Counter()

    def read_and_count(*given: Any, **options: Any) -> list[tuple[str, str] | None]:
        positions = read_many(*given, **options)
        counts.update(position is not None for position in positions)
        return positions

    monkeypatch.setattr(plain, "read_many", read_and_count)
    found = [read(path, name, selection) for selection in SELECTIONS]
    assert counts[True] > len(SELECTIONS) * ROWS // 20
    monkeypatch.setattr(plain, "read_many", lambda fens, *_, **__: [None] * len(fens))
    assert found == [read(path, name, selection) for selection in SELECTIONS]


def test_many_positions_are_read_as_each_alone() -> None:
    seeded = Random(1)
    texts = [
        (mutate(fen.encode(), seeded).decode("latin-1"), line)
        for fen, _, line in MATES * 40
    ]
    texts += [
        (fen, mutate(line.encode(), seeded).decode("latin-1"))
        for fen, _, line in MATES * 40
    ]
    fens, lines = zip(*texts, strict=True)
    for played in (0, 1, 2):
        for uci_only in (False, True):
            alone = [
                read_compiled(fen, line, played=played, uci_only=uci_only)
                for fen, line in texts
            ]
            assert read_many(fens, lines, played=played, uci_only=uci_only) == alone
            assert 10 < sum(one is not None for one in alone) < len(alone)
    assert read_many(fens) == [read_compiled(fen) for fen in fens]
    assert read_many([]) == []
