"""JSON documents: where their records are, faults, limits, and detection."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import FormatError
from solver.formats import claims, detection, registry, streams
from solver.problem import Claim, Problem
from tests.formats.whole_files import read_with

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
ONE = {"fen": LADDER, "claim": 2}


def read(
    folder: Path, text: str, summary: claims.FileSummary | None = None, **options: Any
) -> list[tuple[str, str]]:
    """Return the source of each record, and its name or what is wrong with it."""
    path = folder / "x"
    path.write_text(text, encoding="utf-8")
    records = []
    for record in read_with(path, summary, **options):
        source = record.source.replace(str(path), "x")
        if isinstance(record, Problem):
            assert record.fen == LADDER
            assert record.claim == Claim(2)
            records.append((source, record.id))
        else:
            records.append((source, record.reason))
    return records


DOCUMENTS: dict[str, tuple[Any, list[str]]] = {
    "array": ([ONE, ONE], ["x:1", "x:2"]),
    "one object": ({"id": "a", **ONE, "line": {"keys": []}}, ["a"]),
    "in a list": ({"problems": [ONE, {"id": 7, **ONE}]}, ["x:1", "7"]),
    "in lists": ({"a": {"b": [ONE]}, "c": [[ONE], [ONE]]}, ["x:1", "x:2", "x:3"]),
    "keyed by id": (
        {"p1": ONE, "p2": ONE, "p3": {**ONE, "id": "q"}},
        ["p1", "p2", "q"],
    ),
    "keyed by claims": ({"mate_in_2": ONE, "mateIn2": ONE}, ["x:1", "x:2"]),
    "keyed in groups": (
        {"puzzles": {"easy": {"k": ONE, "l": ONE}, "hard": [ONE]}},
        ["k", "l", "x:3"],
    ),
    "one in a group": (
        {"puzzles": {"easy": {"k": ONE}, "hard": [ONE]}},
        ["x:1", "x:2"],
    ),
    "keyed around objects": ({"a": {"puzzle": ONE}, "b": {"puzzle": ONE}}, ["a", "b"]),
    "beside others": ({"version": {"n": 1}, "n": 2, "sets": [{"m": [ONE]}]}, ["x:1"]),
    "a position that is none": ({"position": "a book", "puzzles": [ONE]}, ["x:1"]),
    "other names": ([{"Position": LADDER, "Mate In": "2"}], ["x:1"]),
    "nested fields": (
        [{**ONE, "game": {"fen": "x", "moves": [{"fen": "y"}]}}],
        ["x:1"],
    ),
}


@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_records_are_the_objects_that_hold_a_position(
    name: str, indent: int | str | None, tmp_path: Path
) -> None:
    document, names = DOCUMENTS[name]
    summary = claims.FileSummary()
    found = read(tmp_path, json.dumps(document, indent=indent), summary)
    assert found == [(f"x:{n}", given) for n, given in enumerate(names, 1)]
    is_line = name == "one object" and indent is None
    assert summary.title == ("JSON lines" if is_line else "JSON document")


def test_several_documents_may_follow_each_other(tmp_path: Path) -> None:
    text = json.dumps({"a": [ONE]}, indent=2) + "\n" + json.dumps([ONE]) + "\n"
    assert [source for source, _ in read(tmp_path, text)] == ["x:1", "x:2"]


def test_what_is_beside_records_is_named(tmp_path: Path) -> None:
    puzzles = [{"fen": LADDER}] * 2
    document = {"mate": 3, "url": "x", "set": {"a": 1}, "puzzles": puzzles}
    path = tmp_path / "x"
    path.write_text(json.dumps(document), encoding="utf-8")
    summary = claims.FileSummary()
    for problem in registry.read_collection(path, summary=summary):
        assert isinstance(problem, Problem)
        assert problem.claim is None
    assert summary.problems == len(puzzles)
    assert summary.ignored == {"mate": True, "url": False, "set": True}
    assert summary.unread_claims == ["mate", "set"]


NOTHING = "expected a FEN, found nothing"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([ONE, {"id": 1}, ONE], ["x:1", NOTHING, "x:3"]),
        ([{"id": 1}, {}, ONE], [NOTHING, NOTHING, "x:3"]),
        ({"a": ONE, "b": {"mate": 2}, "c": ONE}, ["a", NOTHING, "c"]),
        ({"b": {}, "a": ONE, "c": ONE}, [NOTHING, "a", "c"]),
        ({"a": ONE, "b": {"mate": 2}}, ["x:1"]),  # the largest object with one FEN
        ([{"title": "x"}], [NOTHING]),
        ({"a": {"b": [1]}}, [NOTHING]),
        ([ONE, {"fen": None, "mate": 2}], ["x:1", NOTHING]),
        ([{"position": "x"}, ONE], [NOTHING, "x:2"]),
    ],
)
def test_an_object_without_a_position_is_an_error(
    document: object, expected: list[str], tmp_path: Path
) -> None:
    found = [text for _, text in read(tmp_path, json.dumps(document))]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('["a","b"]', "['a', 'b']"),
        ("[]", "[]"),
        ("[1, 2]", "[1, 2]"),
        ('["8/8/8",\n 3]', "['8/8/8', 3]"),
    ],
)
def test_a_document_without_positions_is_refused_in_one_line(
    text: str, found: str, tmp_path: Path
) -> None:
    expected = "expected objects, lists or texts with a FEN, found"
    assert read(tmp_path, text) == [("x:1", f"JSON document: {expected} {found}")]


FAULT = "JSON document: expected JSON, found a fault: "


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "]]",
        ', {"fen" "x"}]',
        ', {"fen": x}]',
        f', {{"fen": "{LADDER}", "claim": NaN}}]',
        f', {{"fen": "{LADDER}", "claim": 2',
        f', {{"fen": "{LADDER}", "claim": {"9" * 5000}}}]',
        ", {'fen': 1}]",
        f', {{"fen": "{LADDER}", "claim": 1e{"9" * 20}}}]',
    ],
)
@pytest.mark.parametrize("separator", ["", "\n"])
def test_a_broken_document_gives_the_records_before_the_fault(
    rest: str, separator: str, tmp_path: Path
) -> None:
    text = f"[{separator}{json.dumps(ONE)},{separator}{json.dumps(ONE)}{rest}"
    *good, (source, reason) = read(tmp_path, text)
    assert good == [("x:1", "x:1"), ("x:2", "x:2")]
    assert source == "x:3"
    assert reason.startswith(FAULT)
    assert reason.isprintable()


def test_a_large_number_costs_only_its_record(tmp_path: Path) -> None:
    numbers = (2**64, 10**100)
    document = [ONE, *({**ONE, "hash": number} for number in numbers), ONE]
    assert len(read(tmp_path, json.dumps(document))) == 4
    (_, (_, reason), _) = read(
        tmp_path, json.dumps([ONE, {**ONE, "claim": 10**30}, ONE])
    )
    assert reason.startswith("claim: expected 1 to 200 moves")


def test_a_record_that_is_too_large_is_one_error(tmp_path: Path) -> None:
    large = {"x": "y" * streams.MAX_RECORD_BYTES, **ONE}
    many = {**ONE, "x": list(range(streams.MAX_RECORD_BYTES // 8))}
    found = read(tmp_path, json.dumps({"a": [ONE, large, many, ONE]}))
    reason = "expected at most 1,048,576 bytes, found a larger one"
    assert found == [("x:1", "x:1"), ("x:2", reason), ("x:3", reason), ("x:4", "x:4")]


def test_a_document_that_is_too_deep_ends_with_an_error(tmp_path: Path) -> None:
    deep = "[" * 10**5
    found = read(tmp_path, f'[{json.dumps(ONE)}, {{"fen": "{LADDER}", "x": {deep}')
    reason = "JSON document: expected at most 50 levels, found more"
    assert found == [("x:1", "x:1"), ("x:2", reason)]


def test_a_long_document_in_one_line_is_read_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "x"
    count = 20_000
    with path.open("w", encoding="utf-8") as file:
        file.write('\ufeff{"count": 1, "puzzles": [')
        padded = {**ONE, "text": "x" * 300}
        file.write(",".join(json.dumps({**padded, "n": n}) for n in range(count)))
        file.write("]}")
    summary = claims.FileSummary()
    fractions = set()
    for number, record in enumerate(registry.read_collection(path, summary=summary), 1):
        assert record.source == f"{path}:{number}"
        fractions.add(summary.fraction())
    assert summary.problems == count
    # An object is kept until it is too large to be one record.
    least = streams.MAX_RECORD_BYTES / path.stat().st_size
    assert least < min(filter(None, fractions)) < least + 0.1
    assert len(fractions) > 50


def test_records_of_a_pipe_are_read_as_they_arrive_if_the_format_is_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", stdin)
        records = registry.read_collection("-", claims.ReadOptions("json"))
        source.write(b"[")
        for number in (1, 2):
            source.write(f"{json.dumps(ONE)},".encode())
            assert next(records).source == f"stdin:{number}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps([ONE]), "json"),
        (json.dumps({"puzzles": [ONE]}), "json"),
        (json.dumps({"puzzles": [ONE]})[:40], "json"),
        (json.dumps({**ONE, "x": 1})[:-1], "jsonl"),
        (json.dumps({**ONE, "x": [1]})[:-2], "json"),
        (json.dumps({"position": "a title", "puzzles": [ONE]}), "json"),
        ("[\n" + json.dumps(ONE), "json"),
        ('{\n  "a": 1', "json"),
        ("[", "json"),
        ("[]", "json"),
        (json.dumps(ONE) + "\n" + json.dumps(ONE), "jsonl"),
        ('{"a": 1}\n' + json.dumps(ONE), "jsonl"),
        ('{"fen": x}\n' + json.dumps(ONE), "jsonl"),
    ],
)
def test_json_is_detected_by_parsing(text: str, expected: str) -> None:
    assert detection.detect(text.encode()) == expected


def test_json_may_be_chosen(tmp_path: Path) -> None:
    assert read(tmp_path, json.dumps(ONE), source_format="json") == [("x:1", "x:1")]
    (error,) = read(tmp_path, "hello", source_format="json")
    assert error[1].startswith(FAULT)


def test_a_compressed_document_that_is_truncated_gives_its_records(
    tmp_path: Path,
) -> None:
    import gzip

    path = tmp_path / "x"
    whole = gzip.compress(json.dumps([ONE] * 3)[:-1].encode() + b",")
    path.write_bytes(whole + gzip.compress(b"x" * 1000)[:-12])
    *good, error = registry.read_collection(path)
    assert [type(record) for record in good] == [Problem] * 3
    assert isinstance(error, FormatError)
