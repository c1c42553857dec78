"""JSON documents, YAML and TOML: which values are records, their fields, and faults.

In tables `@A` and `@B` are FENs and `@1` is a record. Of an entry, its fields are
written, with its headings after ` < `.
"""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import InputError
from solver.formats import detection, registry, streams, trees
from solver.formats.claims import FileSummary
from solver.problem import Claim, Problem
from tests.formats.cases import arrows

if TYPE_CHECKING:
    from pathlib import Path

    from solver.formats.entries import Entry

FEN = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
OTHER = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
ONE = {"fen": FEN, "claim": 2}
PROSE = f"What mates here?\n{FEN}\nAnswer in SAN."


def filled(text: str) -> str:
    """Replace what begins with @."""
    text = text.replace("@1", '{"fen": "@A", "claim": 2}')
    return text.replace("@A", FEN).replace("@B", OTHER)


def spelled(entries: Any) -> str:
    """Return entries as the tables write them; their numbers must count."""
    entries = [*entries]
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    found = []
    for entry in entries:
        fields = ", ".join(f"{name}={text}" for name, text in entry.fields.items())
        found.append(" < ".join([fields, *entry.heads]))
    text = "; ".join(found).replace(FEN, "@A").replace(OTHER, "@B")
    return text.replace("fen=@A, claim=2", "@1").replace("\n", "\\n")


def show(entries: Any) -> list[tuple[dict[str, str], tuple[str, ...], str]]:
    """Return the fields, the headings and the name of each entry."""
    return [(entry.fields, entry.heads, entry.name) for entry in entries]


def whole(value: object) -> list[Any]:
    """Return the same of a value, or why it has no records."""
    try:
        return show(trees.entries_of(value, 1))
    except InputError as error:
        return [str(error).partition(":")[2]]


def read_json(
    text: str, size: int = 1 << 14, summary: FileSummary | None = None
) -> list[Entry | InputError]:
    raw = text.encode(errors="surrogateescape")
    pieces = (raw[start : start + size] for start in range(0, len(raw), size))
    return [*trees.read_document(pieces, summary or FileSummary("x"))]


RECORDS = r"""
@1 -> @1
{"mateIn2": [@1, @1]} -> @1 < mateIn2; @1 < mateIn2
{"n": 2, "Title": "Two", "p": [@1, @1], "name": "late"} -> @1 < Two < p; @1 < Two < p
{"sets": {"easy": {"k": @1}, "b": [@1]}} -> @1 < sets < easy < k; @1 < sets < b
{"start": "@A", "end": "@B", "x": ["Ra7", "Kg8"]} -> start=@A, end=@B, x=Ra7 Kg8
{"m": [{"fen": "@B"}, {"fen": "@B"}], "fen": "@A"} -> m.1.fen=@B, m.2.fen=@B, fen=@A
{"M": {"ladder": "@A", "b": "@B"}} -> name=ladder, fen=@A < M; name=b, fen=@B < M
{"ladder": "@A mate in 2", "b": "@B"} -> text=@A mate in 2 < ladder; name=b, fen=@B
{"@A": {"mate": 2}, "@B": "Qg7#", "n": 1} -> fen=@A, mate=2; fen=@B, value=Qg7#
[@1, "@A", @1] -> @1; text=@A; @1
{"a": [["@A", 2, ["e4", "e5"]], ["@B", null]]} -> 1=@A, 2=2, 3=e4 e5 < a; 1=@B, 2= < a
["A ladder", "@A", "A queen", "@B"] -> text=A ladder\n@A\nA queen\n@B
{"id": 1, "book": "@A\n@B"} -> text=@A\n@B < book
{"m": [{"b": "Solve\n@A"}, {"b": "Ra7"}]} -> m.1.b=Solve\n@A, m.2.b=Ra7
[{"t": "x", "pgn": "[FEN \"@A\"]\n\n1. Ra7"}] -> t=x, pgn=[FEN "@A"]\n\n1. Ra7
[{"id": 1}, {}, @1, {"mate": 2}] -> id=1; ; @1; mate=2
{"authors": [{"name": "a"}, {"name": "b"}], "p": [@1, @1]} -> @1 < p; @1 < p
{"n": 2, "games": [{"t": "1. e4"}, {"t": "1. d4"}]} -> t=1. e4 < games; t=1. d4 < games
{"g": {"pgn": "e4 e5", "p": [{"a": 1}]}, "b": ["e1"]} -> g.pgn=e4 e5, g.p.a=1, b=e1
"""


@pytest.mark.parametrize(("text", "expected"), arrows(RECORDS))
def test_records_are_found_by_their_fens(text: str, expected: str) -> None:
    value = json.loads(filled(text))
    assert spelled(trees.entries_of(value, 1)) == expected
    assert spelled(read_json(json.dumps(value))) == expected
    assert spelled(read_json(json.dumps(value, indent=1), 1)) == expected


MAPS = """
{"p": {"a": @1, "b": @1}, "c": @1} -> a,b,
{"x": {"n": 1}, "a": @1, "b": @1} -> x,a,b
{"mate_in_2": @1, "mateIn3": @1, "#2": @1, "a": @1} -> ,,,a
{"a": @1, "b": {"mate": 2}} ->
[{"puzzle": @1}, {"puzzle": @1}] -> ,
{"fen": "@A", "a": @1, "b": @1} ->
"""


def test_a_record_in_a_map_of_records_is_named_by_its_key() -> None:
    for text, names in arrows(MAPS):
        value = json.loads(filled(text))
        for found in (trees.entries_of(value, 1), read_json(json.dumps(value), 1)):
            assert ",".join(entry.name for entry in found) == names  # type: ignore[union-attr]


NAMES = ["title", "name", "fen", "mate", "moves", "a", "b", "x"]
SCALARS = [FEN, OTHER, PROSE, f"{FEN}\n{OTHER}", "Ra7", "x\n", 2, 2.5, None, True]
SCALARS += ["Mate in 2", {"from": "a1", "to": "a7"}, {"san": "Ra7"}]


def random_value(dice: random.Random, depth: int, names: list[str]) -> Any:
    if not depth or dice.random() < 0.3:
        return dice.choice(SCALARS)
    size = dice.randrange(4)
    if dice.random() < 0.5:
        return [random_value(dice, depth - 1, names) for _ in range(size)]
    return {
        dice.choice(names): random_value(dice, depth - 1, names) for _ in range(size)
    }


@pytest.mark.parametrize("seed", range(4))
def test_random_documents_are_read_as_their_values(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(500):
        value = random_value(dice, 5, [*NAMES * 2, FEN])
        streamed = read_json(json.dumps(value), 7)
        if isinstance(streamed[0], InputError):
            assert [str(streamed[0]).partition(":")[2]] == whole(value)
        else:
            assert show(streamed) == whole(value), value


def strings_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return strings_of([*value.keys(), *value.values()])
    if isinstance(value, list):
        return [text for item in value for text in strings_of(item)]
    return [value] if isinstance(value, str) else []


def test_no_fen_of_a_document_is_lost_or_doubled() -> None:
    dice = random.Random(5)
    for _ in range(1500):
        value = random_value(dice, 5, NAMES)
        found = [entry for entry in whole(value) if not isinstance(entry, str)]
        texts = [
            text for fields, *_ in found for pair in fields.items() for text in pair
        ]
        for fen in (FEN, OTHER):
            there = sum(text.count(fen) for text in strings_of(value))
            assert sum(text.count(fen) for text in texts) == there, value


FIELDS = """
[true, false, null, "a"] -> x=true false a
null ~ [] -> x=
10000000000000000000000000000000 -> x=10000000000000000000000000000000
[{"from": "c4", "to": "g8"}, {"from": "b7", "to": "b8"}] -> x=c4g8 b7b8
{"from": "b7", "to": "b8", "promotion": "Knight"} -> x=b7b8n
{"from": "human", "to": "gpt"} -> x.from=human, x.to=gpt
[{"uci": "c4g8", "san": "Qg8+"}, {"move": "Rxg8"}] -> x=c4g8 Rxg8
[{"move": {"from": "c4", "to": "g8"}}] -> x=c4g8
{"Qg8+": {"Rxg8": "Nf7#"}, "Qh7": "x"} -> x=Qg8+ Rxg8 Nf7#
[{"move": "e4", "replies": [{"move": "e5"}, {"move": "c5"}]}] -> x=e4 e5
[["e4", "e5"], ["Nf3"]] -> x=e4 e5 Nf3
["@A", 3] -> x.1=@A, x.2=3
"""


@pytest.mark.parametrize(("text", "expected"), [*arrows(FIELDS), ("{}", "")])
def test_fields_are_texts(text: str, expected: str) -> None:
    value = {"fen": OTHER, "x": json.loads(filled(text))}
    found = spelled(trees.entries_of(value, 1))
    assert found == ", ".join(["fen=@B", *([expected] if expected else [])])


FIRST = json.dumps(ONE)
VALUES = ["3.0", "-0", "-0.0", "1E2", "1e400", "12e999999999999999999", "9" * 601]
VALUES += ["NaN", "-Infinity", "01", "1.", '"\\ud83d\\ude00"', '"\\ud83d"', '"\t"']
VALUES += ['"\udcff"', '"é"', '"\\/"', '"\\x"', '"}, {"', "[]", "{}", f'["{FEN}"]']
VALUES += [f'"{OTHER}"', f'{{"{OTHER}": 1}}', f'1, "{OTHER}": 2', '1, "x": 2']
VALUES += ["[" * depth + "]" * depth for depth in (48, 49, 50, 1000)]
LISTS = [f'[{FIRST}, {{"fen": "{FEN}", "x": {value}}}, {FIRST}]' for value in VALUES]
GAPS = " ", ",,", "\v,", ",\xa0", "}", "\n,\r\t", ", 1,"
LISTS += [f"[{FIRST}{gap}{FIRST}]" for gap in GAPS]
LISTS += [f"{FIRST}, {FIRST}", f'{{"x": {FIRST}, {FIRST}}}', f"[{FIRST}, {{}}, [2]]"]
LISTS += [f'[{FIRST}, "{OTHER}", {FIRST}]', f'[{FIRST}, {{"x": ["{FEN}", 2]}}]']


def test_an_object_that_arrives_whole_is_read_as_its_tokens() -> None:
    for text in LISTS:
        at_once, tokens = read_json(text), read_json(text, 1)
        assert list(map(str, at_once)) == list(map(str, tokens)), text


def test_what_is_beside_records_is_named() -> None:
    document = {"mate": 3, "url": "x", "set": {"a": 1}, "title": "y", "p": [ONE, ONE]}
    streamed, whole = FileSummary(), FileSummary()
    assert len(read_json(json.dumps(document), summary=streamed)) == 2
    first, second = trees.entries_of(document, 7, ("Mates",), summary=whole)
    assert (first.number, second.number) == (7, 8)
    assert first.heads == second.heads == ("Mates", "y", "p")
    for summary in (streamed, whole):
        assert summary.ignored == {"mate": True, "url": False, "set": True}


def test_a_value_without_fens_or_too_deep_is_refused() -> None:
    expected = "expected objects, lists or texts with a FEN, found "
    for text in ('["a","b"]', "[]", '"x"', "3", "[[], [1]]"):
        (error,) = read_json(text, summary=FileSummary())
        assert isinstance(error, InputError)
        assert expected in str(error)
        with pytest.raises(InputError, match=expected):
            [*trees.entries_of(json.loads(text), 1)]
    value: Any = ONE
    for _ in range(5000):
        value = [value]
    with pytest.raises(InputError, match="expected at most 50 levels"):
        [*trees.entries_of(value, 1)]


NUMBERS = ["NaN", "9" * 5000, f"1e{'9' * 20}"]
FAULTS = [f', {{"fen": "{FEN}", "claim": {number}}}]' for number in NUMBERS]
FAULTS += ["", "]]", ', {"fen" "x"}]', f', {{"fen": "{FEN}", "claim": 2', ', "\udcff"']


@pytest.mark.parametrize("begin", ["[", '{"a": [', '{"title": "t", "b": {"a": ['])
def test_records_before_a_fault_are_yielded(begin: str) -> None:
    for rest in (*FAULTS, ', {"a": [{"b": 1'):
        *good, error = read_json(f"{begin}{FIRST}, {FIRST}{rest}")
        assert [fields for fields, *_ in show(good)] == [{"fen": FEN, "claim": "2"}] * 2
        assert re.search(r"expected JSON, found a fault: [^\\]+\Z", str(error))
    # A record is yielded if it has ended.
    for text, given, reason in (
        ('[{"input": "1. e4"}, {"input": "1. d4"', "input=1. e4", "expected JSON"),
        ('[{"fen": "@A", "steps": [{"fen": "@B"}, {"x"', "", "expected JSON"),
        (f'[@1, {{"x": {"[" * 1000}', "@1", "expected at most 50 levels"),
    ):
        *good, error = read_json(filled(text))
        assert spelled(good) == given
        assert reason in str(error)


def test_a_record_that_is_too_large_is_one_error() -> None:
    large = {"x": "y" * streams.MAX_RECORD_BYTES, **ONE}
    many = {**ONE, "x": [*range(streams.MAX_RECORD_BYTES // 8)]}
    steps = {**ONE, "x": [{"fen": OTHER, "comment": "y" * 1000}] * 2000}
    error = "expected at most 1,048,576 bytes, found a larger one"
    for first, document in (
        ("", {"a": [ONE, large, many, steps, ONE]}),
        (error, [steps, large, many, steps, ONE]),
    ):
        found = read_json(json.dumps(document))
        reasons = [str(each) if isinstance(each, InputError) else "" for each in found]
        assert reasons == [first, error, error, error, ""]
        assert found[-1].number == 5  # type: ignore[union-attr]


# YAML and TOML


def read_yaml(text: str) -> list[Entry | InputError]:
    pytest.importorskip("yaml")
    return [*trees.read_yaml(text, FileSummary())]


YAML = r"""
- fen: @A\n  claim: 2\n- fen: @A\n  claim: 2\n -> @1; @1
fen: @A\nclaim: 2\n---\nfen: @A\nclaim: 2\n -> @1; @1
title: T\np:\n- fen: @A\n  claim: 2\n- {fen: @B}\n -> @1 < T < p; fen=@B < T < p
ladder: @A\nqueen: @B\n -> name=ladder, fen=@A; name=queen, fen=@B
- @A\n- @B\n -> text=@A; text=@B
fen: @A\nx: [1.0, yes, 0x1]\nz: ~\n -> fen=@A, x=1.0 yes 0x1, z=
"""
TOML = r"""
title = "T"\n[[p]]\nfen = "@A"\n[[p]]\nfen = "@B"\n -> fen=@A < T < p; fen=@B < T < p
[a]\nfen = "@A"\nclaim = 2\n[b]\nfen = "@A"\nclaim = 2\n -> @1 < a; @1 < b
fen = "@A"\nx = 1979-05-27\n -> fen=@A, x=1979-05-27
"""


@pytest.mark.parametrize(("text", "expected"), [*arrows(YAML), *arrows(TOML)])
def test_yaml_and_toml_are_read_by_the_same_rules(text: str, expected: str) -> None:
    is_yaml = (text, expected) in arrows(YAML)
    text = filled(text.replace("\\n", "\n"))
    found = read_yaml(text) if is_yaml else trees.read_toml(text)
    assert spelled(found) == expected


def test_an_unreadable_item_of_yaml_is_one_error() -> None:
    for bad, reason in (
        ("- &a [*a]", "an alias"),
        ("- {a", "line 2: expected YAML"),
        (f"- {'x' * (1 << 22)}", "expected at most 4,194,304 bytes"),
    ):
        first, error, last = read_yaml(f"- fen: {FEN}\n{bad}\n- fen: {FEN}\n")
        assert isinstance(error, InputError)
        assert reason in str(error)
        assert str(error).isprintable()
        assert [getattr(one, "number", 0) for one in (first, last)] == [1, 3]


def test_toml_that_cannot_be_read_is_one_error() -> None:
    deep = f"x = {'[' * 9999}"
    for text in ("x = ", f"x = {'9' * 5000}", deep, "# nothing", "x = '\ud800"):
        (error,) = trees.read_toml(text)
        assert isinstance(error, InputError) or error.fields == {}
        assert "\n" not in str(error)


# Files

NOTHING = "expected a FEN, found nothing"


TEXTS = json.dumps({"a": [ONE]}, indent=2) + "\n" + json.dumps([ONE]) + "\n"
NO_FEN = "JSON document: expected objects, lists or texts with a FEN, found [1, 2]"


DOCUMENTS: list[tuple[object, str]] = [
    ({"problems": [ONE, {"id": 7, **ONE}]}, "x:1, 7"),
    ({"p1": ONE, "p2": {**ONE, "id": "q"}}, "p1, q"),
    ([{**ONE, "game": {"fen": "x", "moves": [{"fen": "y"}]}}], "x:1"),
    (TEXTS, "x:1, x:2"),
    ([ONE, {"id": 1}, ONE], "x:1, NOTHING, x:3"),
    ({"b": {}, "a": ONE, "c": ONE}, "NOTHING, a, c"),
    ({"a": ONE, "b": {"mate": 2}}, "x:1"),  # the largest object with one FEN
    ([ONE, {"fen": None, "mate": 2}], "x:1, NOTHING"),
    ([ONE, {**ONE, "hash": 10**100}], "x:1, x:2"),
    ([1, 2], NO_FEN),
]


def test_records_are_the_objects_that_hold_a_position(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for document, names in DOCUMENTS:
        text = document if isinstance(document, str) else json.dumps(document)
        path.write_text(text, encoding="utf-8")
        records = [*registry.read_collection(path)]
        found = [one.id if isinstance(one, Problem) else one.reason for one in records]
        assert ", ".join(found) == names.replace("NOTHING", NOTHING)
        sources = [one.source.replace(str(path), "x") for one in records]
        assert sources == [f"x:{number}" for number in range(1, len(found) + 1)]
        claims = [(one.fen, one.claim) for one in records if isinstance(one, Problem)]
        assert claims == [(FEN, Claim(2))] * len(claims)


STARTS = [
    (f"[{FIRST}]", "json"),
    (json.dumps({"puzzles": [ONE]})[:40], "json"),
    (json.dumps({**ONE, "x": [1]})[:-2], "json"),
    ('{\n  "a": 1', "json"),
    (f"{FIRST}\n{FIRST}", "jsonl"),
    (f'{{"fen": x}}\n{FIRST}', "jsonl"),
]


def test_json_is_detected_by_parsing() -> None:
    for text, expected in STARTS:
        assert detection.detect(text.encode()) == expected, text
