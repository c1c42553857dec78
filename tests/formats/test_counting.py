"""Each record of a file is read, named as unreadable, or counted as not selected.

The files are put together here from records whose fields are damaged, so that their
number is known without a reader. Records of plain shape are read as all others are: of
those, the oracle is the reader of any shape, as compiled code is made to refuse them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.mutation import FORMATS, make_problems, mutate
from solver.errors import FormatError
from solver.formats import plain, registry
from solver.formats.claims import FileSummary, ReadOptions, Selection
from solver.position_text import read_many

if TYPE_CHECKING:
    from pathlib import Path

    from solver.problem import Problem

RECORDS = 8
FILES = 15

JUNK = (
    *("x", "Kf9", "dm 0", "mate in 999", "-1", "-", "K", "h#2", "ser-h#3", "e2e4 e7e5"),
    *("9" * 30, "\N{LATIN SMALL LETTER E WITH ACUTE}", "Ra1", "a1a1", "null", "1e9"),
)
"""What replaces a field; none of it ends a field or a record in any format."""


def damaged(pattern: str) -> Callable[[str, Random], str]:
    """Return a function that replaces a match of a pattern, or its last group."""

    def change(record: str, seeded: Random) -> str:
        found = seeded.choice(list(re.finditer(pattern, record)))
        start, end = found.span(found.lastindex or 0)
        return record[:start] + seeded.choice(JUNK) + record[end:]

    return change


def damaged_object(record: str, seeded: Random) -> str:
    """Replace one value of an object of JSON."""
    fields = json.loads(record)
    values: tuple[Any, ...] = (*JUNK, 0, -3, 10**25, None, True, [], {}, ["x"], 1.5)
    fields[seeded.choice([*fields])] = seeded.choice(values)
    return json.dumps(fields) + "\n"


LINES = {
    "epd": damaged(r'(?<=; )\w+ ([^;"]+)(?=;)|\S+'),
    "fen": damaged(r"\S+"),
    "jsonl": damaged_object,
    "csv": damaged(r"[^,\n]+"),
    "lichess": damaged(r"[^,\n]+"),
    "pgn": damaged(r'(?<= ")([^"]+)(?="\])|(?<=\n)(?:1\. )?(\w+)'),
    "olive": damaged(r"(?<=: )([^\n\[]+)|\w+(?=[,\]])"),
    "popeye": damaged(r"(?m)(?<=[a-z] )(.+)$"),
}
"""How one field of a record is damaged, by format."""


Join = Callable[[Sequence[str]], str]


def joined(name: str, delimiter: str = ",") -> Join:
    def join(records: Sequence[str]) -> str:
        text = FORMATS[name].join([record.encode() for record in records]).decode()
        return text.replace(",", delimiter)

    return join


def as_json(wrap: Callable[[list[Any]], object]) -> Join:
    return lambda records: json.dumps(wrap([json.loads(text) for text in records]))


WAYS: dict[str, tuple[str, Join]] = {
    **{name: (name, joined(name)) for name in LINES},
    "document": ("jsonl", as_json(lambda records: {"a": {"problems": records}})),
    "array": ("jsonl", as_json(list)),
    "object": ("jsonl", as_json(lambda all_: {f"n{i}": x for i, x in enumerate(all_)})),
    "semicolons": ("csv", joined("csv", ";")),
}
"""Ways to write a file: the format of its records, and how they are put together."""

SOURCES = dict.fromkeys(("document", "array", "object"), "json")
"""The formats of files that are not named as their records are."""


@pytest.mark.parametrize("way", WAYS)
def test_every_record_is_read_named_or_counted(way: str, tmp_path: Path) -> None:
    name, join = WAYS[way]
    path = tmp_path / "records"
    outcomes: Counter[str] = Counter()
    for seed in range(FILES):
        seeded = Random(seed)
        problems = make_problems(RECORDS + 1, seeded)
        first, *texts = [FORMATS[name].write(problem) for problem in problems]
        texts = [
            LINES[name](text, seeded) if seeded.random() < 0.7 else text
            for text in texts
        ]
        path.write_text(join([first, *texts]), encoding="utf-8")
        summary = FileSummary()
        options = ReadOptions(SOURCES.get(way, name))
        records = list(registry.read_collection(path, options, summary))
        named = [record for record in records if isinstance(record, FormatError)]
        outcomes["problems"] += len(records) - len(named)
        outcomes["named"] += len(named)
        assert summary.unreadable == len(named)
        assert summary.problems == len(records) - len(named)
        counted = len(records) + summary.not_selected
        assert counted == RECORDS + 1, (seed, join([first, *texts]))
        sources = [record.source for record in records]
        assert len(set(sources)) == len(sources)
    assert outcomes["problems"] > FILES * 2
    assert outcomes["named"] > FILES // 2


# --- records of plain shape, which compiled code reads, many at a time

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


def csv(seeded: Random) -> str:
    fen, mate, _ = seeded.choice(MATES)
    claim = seeded.choice((mate, 0, f" {mate} ", "007", "201"))
    return f"{seeded.choice(('', 'a', ' b '))},{fen} 0 1,{claim}"


def json_line(seeded: Random) -> str:
    fen, mate, _ = seeded.choice(MATES)
    name = seeded.choice(("", "a\ufffd", " b "))
    pairs = [("id", name), ("fen", f"{fen} 0 1"), ("mate", mate)]
    return json.dumps(dict(pairs if seeded.randrange(8) else pairs[::-1]))


def lichess(seeded: Random) -> str:
    fen, moves, themes = seeded.choice(LICHESS)
    themes = seeded.choice((themes, themes, themes, "mate mateIn3"))
    numbers = ",".join(str(seeded.randrange(9999)) for _ in range(4))
    return f"00{seeded.randrange(9)},{fen},{moves},{numbers},{themes},https://x/#1,"


COLUMNS = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,"
    "OpeningTags\n"
)
PLAIN: dict[str, tuple[str, Callable[[Random], str]]] = {
    "epd": ("", epd),
    "csv": ("id,fen,mate\n", csv),
    "jsonl": ("", json_line),
    "lichess": (COLUMNS, lichess),
}
SELECTIONS = (Selection(), Selection(all_rows=True), Selection(min_claim=2))
ROWS = 500


def described(record: Problem | FormatError) -> str:
    """Return all fields of a record; equality leaves some out."""
    return repr(record if isinstance(record, FormatError) else asdict(record))


def read_all(path: Path, source_format: str, selection: Selection) -> list[object]:
    summary, options = FileSummary(), ReadOptions(source_format, selection)
    records = registry.read_collection(path, options, summary)
    found: list[object] = [described(record) for record in records]
    return [*found, summary.record(), str(summary), summary.faults()]


@pytest.mark.parametrize("is_changed", [False, True])
@pytest.mark.parametrize("name", PLAIN)
def test_records_of_plain_shape_are_read_as_all_others_are(
    name: str, is_changed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, make = PLAIN[name]
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
    found = [read_all(path, name, selection) for selection in SELECTIONS]
    assert counts[True] > len(SELECTIONS) * ROWS // 20
    monkeypatch.setattr(plain, "read_many", lambda fens, *_, **__: [None] * len(fens))
    assert found == [read_all(path, name, selection) for selection in SELECTIONS]
