"""Each record of a file is read, named as unreadable, or counted as not selected.

The files are put together here from records whose fields are damaged, so that their
number is known without a reader.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.mutation import FORMATS, make_problems
from solver.errors import FormatError
from solver.formats import claims, registry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

RECORDS = 8
FILES = 25

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
    values: tuple[Any, ...] = (
        *JUNK,
        0,
        -3,
        10**25,
        None,
        True,
        [],
        {},
        ["x"],
        {"y": 1},
        1.5,
    )
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


def joined(name: str, records: Sequence[str]) -> str:
    form = FORMATS[name]
    return form.join([record.encode() for record in records]).decode()


def as_document(records: Sequence[str]) -> str:
    return json.dumps({"a": {"problems": [json.loads(record) for record in records]}})


def as_array(records: Sequence[str]) -> str:
    return json.dumps([json.loads(record) for record in records], indent=1)


def as_object(records: Sequence[str]) -> str:
    return json.dumps({f"n{i}": json.loads(text) for i, text in enumerate(records)})


def with_delimiter(delimiter: str) -> Callable[[Sequence[str]], str]:
    def join(records: Sequence[str]) -> str:
        return joined("csv", records).replace(",", delimiter)

    return join


WAYS: dict[str, tuple[str, Callable[[Sequence[str]], str]]] = {
    **{name: (name, partial(joined, name)) for name in LINES},
    "document": ("jsonl", as_document),
    "array": ("jsonl", as_array),
    "object": ("jsonl", as_object),
    "semicolons": ("csv", with_delimiter(";")),
    "tabs": ("csv", with_delimiter("\t")),
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
        summary = claims.FileSummary()
        options = claims.ReadOptions(SOURCES.get(way, name))
        records = list(registry.read_collection(path, options, summary))
        named = [record for record in records if isinstance(record, FormatError)]
        outcomes["problems"] += len(records) - len(named)
        outcomes["named"] += len(named)
        assert (summary.problems, summary.unreadable) == (
            len(records) - len(named),
            len(named),
        )
        counted = len(records) + summary.not_selected
        assert counted == RECORDS + 1, (seed, join([first, *texts]))
        sources = [record.source for record in records]
        assert len(set(sources)) == len(sources)
    assert outcomes["problems"] > FILES * 2
    assert outcomes["named"] > FILES // 2
