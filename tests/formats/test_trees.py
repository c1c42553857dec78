"""Records in nested values: which objects they are, and their fields as texts."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from solver.errors import InputError
from solver.formats import json_tokens, streams, trees
from solver.formats.claims import FileSummary
from solver.formats.entries import Entry

FEN = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
OTHER = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
ONE = {"fen": FEN, "claim": 2}
PROSE = f"What mates here?\n{FEN}\nAnswer in SAN."
PADDING = "x" * 300
PGN = f'[FEN "{FEN}"]\n\n1. Ra7 Kg8 2. Rb8#'

Shown = list[tuple[dict[str, str], tuple[str, ...]]]


def show(entries: Any) -> Shown:
    """Return the fields and the headings of each entry; their numbers must count."""
    entries = [*entries]
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    return [(entry.fields, entry.heads) for entry in entries]


def read_json(
    text: str, size: int = 1 << 14, summary: FileSummary | None = None
) -> list[Entry | InputError]:
    raw = text.encode(errors="surrogateescape")
    pieces = (raw[start : start + size] for start in range(0, len(raw), size))
    return [*trees.read_document(pieces, summary or FileSummary("x"))]


def fields_of(value: object) -> list[dict[str, str]]:
    return [fields for fields, _ in show(trees.entries_of(value, 1))]


F1 = {"fen": FEN, "claim": "2"}

RECORDS: dict[str, tuple[Any, Shown]] = {
    "an object": (ONE, [(F1, ())]),
    "a list": ([ONE, ONE], [(F1, ()), (F1, ())]),
    "a named list": ({"mateIn2": [ONE, ONE]}, [(F1, ("mateIn2",))] * 2),
    "a title before a list": (
        {"n": 2, "Title": "Mate in 2", "puzzles": [ONE, ONE], "name": "late"},
        [(F1, ("Mate in 2", "puzzles"))] * 2,
    ),
    "groups": (
        {"sets": {"easy": {"k": ONE}, "hard": [ONE]}},
        [(F1, ("sets", "easy", "k")), (F1, ("sets", "hard"))],
    ),
    "a nested position": (
        {"position": {"fen": FEN}, "mate": 2},
        [({"position.fen": FEN, "mate": "2"}, ())],
    ),
    "a position nested in each": (
        [{"puzzle": {"fen": FEN}, "id": 1}] * 2,
        [({"puzzle.fen": FEN, "id": "1"}, ())] * 2,
    ),
    "two FENs and other fields": (
        {"start": FEN, "end": OTHER, "solution": ["Ra7", "Kg8"]},
        [({"start": FEN, "end": OTHER, "solution": "Ra7 Kg8"}, ())],
    ),
    "a FEN and steps": (
        {"moves": [{"fen": OTHER, "san": "Ra7"}] * 2, "fen": FEN},
        [
            (
                {
                    "moves.1.fen": OTHER,
                    "moves.1.san": "Ra7",
                    "moves.2.fen": OTHER,
                    "moves.2.san": "Ra7",
                    "fen": FEN,
                },
                (),
            )
        ],
    ),
    "names of positions": (
        {"Mates": {"ladder": FEN, "queen": OTHER}},
        [
            ({"name": "ladder", "fen": FEN}, ("Mates",)),
            ({"name": "queen", "fen": OTHER}, ("Mates",)),
        ],
    ),
    "names of texts": (
        {"ladder": f"{FEN} mate in 2", "queen": OTHER},
        [
            ({"text": f"{FEN} mate in 2"}, ("ladder",)),
            ({"name": "queen", "fen": OTHER}, ()),
        ],
    ),
    "FENs as keys": (
        {FEN: {"mate": 2}, OTHER: "Qg7#", "n": 1},
        [({"fen": FEN, "mate": "2"}, ()), ({"fen": OTHER, "value": "Qg7#"}, ())],
    ),
    "one FEN as a key": (
        {"a": 1, "b": {FEN: 2}},
        [({"fen": FEN, "value": "2"}, ("b",))],
    ),
    "a list of texts": (
        {"mate in 2": [FEN, f"{OTHER} bm Qg7#;"]},
        [
            ({"text": FEN}, ("mate in 2",)),
            ({"text": f"{OTHER} bm Qg7#;"}, ("mate in 2",)),
        ],
    ),
    "a text between records": (
        [ONE, FEN, ONE],
        [(F1, ()), ({"text": FEN}, ()), (F1, ())],
    ),
    "a list of one text": ([FEN], [({"text": FEN}, ())]),
    "a flat record": ([FEN, 2, "Qg8+"], [({"1": FEN, "2": "2", "3": "Qg8+"}, ())]),
    "flat records": (
        {"a": [[FEN, 2, ["Qg8+", "Kh1"]], [OTHER, None]]},
        [
            ({"1": FEN, "2": "2", "3": "Qg8+ Kh1"}, ("a",)),
            ({"1": OTHER, "2": ""}, ("a",)),
        ],
    ),
    "a list that names and gives FENs": (
        ["A ladder", FEN, "A queen", OTHER],
        [({"text": f"A ladder\n{FEN}\nA queen\n{OTHER}"}, ())],
    ),
    "a text with two FENs": (
        {"id": 1, "book": f"{FEN}\n{OTHER}"},
        [({"text": f"{FEN}\n{OTHER}"}, ("book",))],
    ),
    "a FEN in prose": (
        {"prompt": PROSE, "answer": "Ra7"},
        [({"prompt": PROSE, "answer": "Ra7"}, ())],
    ),
    "a dialogue": (
        {"messages": [{"role": "user", "content": PROSE}, {"content": "Ra7"}]},
        [
            (
                {
                    "messages.1.role": "user",
                    "messages.1.content": PROSE,
                    "messages.2.content": "Ra7",
                },
                (),
            )
        ],
    ),
    "PGN in a field": ([{"t": "x", "pgn": PGN}], [({"t": "x", "pgn": PGN}, ())]),
    "PGN with escapes": (
        [{"pgn": PGN.replace("\n", "\\n")}],
        [({"pgn": PGN.replace("\n", "\\n")}, ())],
    ),
    "objects beside records": (
        [{"id": 1}, {}, ONE, {"mate": 2}],
        [({"id": "1"}, ()), ({}, ()), (F1, ()), ({"mate": "2"}, ())],
    ),
    "an object beside one record": (
        {"n": 1, "puzzles": [ONE, {"fen": "broken"}]},
        [(F1, ("puzzles",)), ({"fen": "broken"}, ("puzzles",))],
    ),
    "other lists": (
        {"authors": [{"name": "a"}, {"name": "b"}], "puzzles": [ONE, ONE]},
        [(F1, ("puzzles",))] * 2,
    ),
    "games": (
        [{"input": "1. f3 e5 2. g4"}, {"input": "1. e4"}],
        [({"input": "1. f3 e5 2. g4"}, ()), ({"input": "1. e4"}, ())],
    ),
    "games in a list": (
        {"n": 2, "games": [{"input": "1. e4"}, {"input": "1. d4"}]},
        [({"input": "1. e4"}, ("games",)), ({"input": "1. d4"}, ("games",))],
    ),
    "lichess's puzzle": (
        {
            "game": {"pgn": "e4 e5", "players": [{"name": "a"}, {"name": "b"}]},
            "puzzle": {"solution": ["e1e8"], "themes": ["mate", "mateIn1"]},
        },
        [
            (
                {
                    "game.pgn": "e4 e5",
                    "game.players.1.name": "a",
                    "game.players.2.name": "b",
                    "puzzle.solution": "e1e8",
                    "puzzle.themes": "mate mateIn1",
                },
                (),
            )
        ],
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_found_by_their_fens(name: str) -> None:
    value, expected = RECORDS[name]
    assert show(trees.entries_of(value, 1)) == expected


@pytest.mark.parametrize("size", [1, 1 << 14])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", RECORDS)
def test_a_document_is_read_as_its_value(
    name: str, indent: int | None, size: int
) -> None:
    value, expected = RECORDS[name]
    assert show(read_json(json.dumps(value, indent=indent), size)) == expected


def names_of(entries: Any) -> list[str]:
    return [entry.name for entry in entries]


MAPS: dict[str, tuple[Any, list[str]]] = {
    "a map": ({"a": ONE, "b": ONE}, ["a", "b"]),
    "a map in a map": ({"p": {"a": ONE, "b": ONE}, "c": ONE}, ["a", "b", ""]),
    "objects around one": ({"a": {"p": {"q": ONE}}, "b": ONE}, ["a", "b"]),
    "an object without a position": ({"x": {"n": 1}, "a": ONE, "b": ONE}, [*"xab"]),
    "claims": (
        {"mate_in_2": ONE, "mateIn3": ONE, "#2": ONE, "a": ONE},
        [*[""] * 3, "a"],
    ),
    "one record": ({"a": ONE, "b": {"mate": 2}}, [""]),
    "a list": ({"a": [ONE], "b": [ONE]}, ["", ""]),
    "wrappers": ([{"puzzle": ONE}] * 2, ["", ""]),
    "steps of a record": ({"fen": FEN, "a": ONE, "b": ONE}, [""]),
    "beside a list": ({"x": {"n": 1}, "daily": ONE, "sets": [ONE]}, ["", ""]),
}


@pytest.mark.parametrize("name", MAPS)
def test_a_record_in_a_map_of_records_is_named_by_its_key(name: str) -> None:
    value, expected = MAPS[name]
    assert names_of(trees.entries_of(value, 1)) == expected
    assert names_of(read_json(json.dumps(value), 1)) == expected


@pytest.mark.parametrize("size", [0, streams.MAX_RECORD_BYTES - 200, 1 << 21])
def test_a_long_map_names_its_records_and_those_without_a_position(size: int) -> None:
    first = {"first": {**ONE, "x": "x" * size}}
    others = {f"{n}": {**ONE, "x": PADDING} for n in range(5000)}
    found = read_json(json.dumps({**first, **others, "z": {}, "n": 1}))
    if size > streams.MAX_RECORD_BYTES:
        assert isinstance(found.pop(0), InputError)
        first = {}
    assert names_of(found) == [*first, *others, "z"]


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


def whole(value: object) -> list[Any]:
    try:
        return show(trees.entries_of(value, 1))
    except InputError as error:
        return [str(error).partition(":")[2]]


@pytest.mark.parametrize("seed", range(8))
def test_random_documents_are_read_as_their_values(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(500):
        value = random_value(dice, 5, [*NAMES * 2, FEN])
        streamed = read_json(json.dumps(value), 7)
        if isinstance(streamed[0], InputError):
            assert [str(streamed[0]).partition(":")[2]] == whole(value)
        else:
            assert show(streamed) == whole(value), value
            assert names_of(streamed) == names_of(trees.entries_of(value, 1)), value


def strings_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [
            text for pair in value.items() for each in pair for text in strings_of(each)
        ]
    if isinstance(value, list):
        return [text for item in value for text in strings_of(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("seed", range(8))
def test_no_fen_of_a_document_is_lost_or_doubled(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(500):
        value = random_value(dice, 5, NAMES)
        for fen in (FEN, OTHER):
            there = sum(text.count(fen) for text in strings_of(value))
            found = [entry for entry in whole(value) if not isinstance(entry, str)]
            texts = [text for fields, _ in found for text in fields.values()]
            paths = [path for fields, _ in found for path in fields]
            assert sum(text.count(fen) for text in texts + paths) == there, value


FIELDS: dict[str, tuple[Any, dict[str, str]]] = {
    "numbers": ([2, 2.0, -2.5, 0], {"x": "2 2 -2.5 0"}),
    "words": ([True, False, None, "a"], {"x": "true false a"}),
    "nothing": (None, {"x": ""}),
    "no items": ([], {"x": ""}),
    "a large number": (10**100, {"x": "1" + "0" * 100}),
    "infinity": (float("inf"), {"x": "inf"}),
    "squares": (
        [{"from": "c4", "to": "g8"}, {"from": "b7", "to": "b8", "promotion": "q"}],
        {"x": "c4g8 b7b8q"},
    ),
    "a knight": ({"from": "b7", "to": "b8", "promotion": "Knight"}, {"x": "b7b8n"}),
    "senders": ({"from": "human", "to": "gpt"}, {"x.from": "human", "x.to": "gpt"}),
    "moves": ([{"uci": "c4g8", "san": "Qg8+"}, {"move": "Rxg8"}], {"x": "c4g8 Rxg8"}),
    "a move in a move": ([{"move": {"from": "c4", "to": "g8"}}], {"x": "c4g8"}),
    "no move": ({"move": "slowly", "n": 1}, {"x.move": "slowly", "x.n": "1"}),
    "a tree": ({"Qg8+": {"Rxg8": "Nf7#"}, "Qh7": "x"}, {"x": "Qg8+ Rxg8 Nf7#"}),
    "a tree of lists": (
        {"Qg8+": {"Rxg8": ["Nf7#", "Nf8"]}},
        {"x": "Qg8+ Rxg8 Nf7# Nf8"},
    ),
    "replies": (
        [
            {
                "move": "Qg8+",
                "replies": [
                    {"move": "Rxg8", "replies": [{"move": "Nf7#"}]},
                    {"move": "Kxg8"},
                ],
            },
            {"move": "Qh7"},
        ],
        {"x": "Qg8+ Rxg8 Nf7#"},
    ),
    "lists": ([["e4", "e5"], ["Nf3"]], {"x": "e4 e5 Nf3"}),
    "objects": ([{"a": 1}, {"a": {"b": 2}}], {"x.1.a": "1", "x.2.a.b": "2"}),
    "one object in a list": ([{"a": [{"b": 2}]}], {"x.a.b": "2"}),
    "a FEN in a list": ([FEN, 3], {"x.1": FEN, "x.2": "3"}),
    "an empty object": ({}, {}),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_are_texts(name: str) -> None:
    value, expected = FIELDS[name]
    assert fields_of({"fen": OTHER, "x": value}) == [{"fen": OTHER} | expected]


def test_numbers_of_a_document_are_written_as_those_of_a_line() -> None:
    text = f'{{"fen": "{FEN}", "x": [2.0, 1e400, 1e22, 0.1, -0.0, 1E2, 1e-7]}}'
    assert show(read_json(text)) == show(trees.entries_of(json.loads(text), 1))


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


@pytest.mark.parametrize("text", LISTS, ids=map(str, range(len(LISTS))))
def test_an_object_that_arrives_whole_is_read_as_its_tokens(text: str) -> None:
    whole, tokens = read_json(text), read_json(text, 1)
    assert list(map(str, whole)) == list(map(str, tokens))


def test_numbers_of_entries_follow_the_first_and_headings_are_given() -> None:
    first, second = trees.entries_of({"a": [ONE, ONE]}, 7, ("Mates",))
    assert (first.number, second.number) == (7, 8)
    assert first.heads == second.heads == ("Mates", "a")


def test_what_is_beside_records_is_named() -> None:
    document = {"mate": 3, "url": "x", "set": {"a": 1}, "title": "y", "p": [ONE, ONE]}
    for read in (
        lambda summary: read_json(json.dumps(document), summary=summary),
        lambda summary: [*trees.entries_of(document, 1, summary=summary)],
    ):
        summary = FileSummary()
        assert len(read(summary)) == 2
        assert summary.ignored == {"mate": True, "url": False, "set": True}


@pytest.mark.parametrize("text", ['["a","b"]', "[]", "[1, 2]", '"x"', "3", "[[], [1]]"])
def test_a_value_without_fens_and_objects_is_refused(text: str) -> None:
    expected = "expected objects, lists or texts with a FEN, found "
    (error,) = read_json(text, summary=FileSummary())
    assert isinstance(error, InputError)
    assert expected in str(error)
    with pytest.raises(InputError, match=expected):
        [*trees.entries_of(json.loads(text), 1)]


FAULTS = [
    "",
    "]]",
    ', {"fen" "x"}]',
    f', {{"fen": "{FEN}", "claim": 2',
    ', {"a": [{"b": 1',
    ', "\udcff"',
]


@pytest.mark.parametrize("begin", ["[", '{"a": [', '{"title": "t", "b": {"a": ['])
@pytest.mark.parametrize("rest", FAULTS)
def test_records_before_a_fault_are_yielded(begin: str, rest: str) -> None:
    text = f"{begin}{json.dumps(ONE)}, {json.dumps(ONE)}{rest}"
    *good, error = read_json(text)
    assert [fields for fields, _ in show(good)] == [F1, F1]
    assert re.search(r"expected JSON, found a fault: [^\\]+\Z", str(error))


def test_games_before_a_fault_are_yielded() -> None:
    *good, error = read_json('[{"input": "1. e4"}, {"input": "1. d4"')
    assert show(good) == [({"input": "1. e4"}, ())]
    assert isinstance(error, InputError)


def test_a_record_before_a_fault_that_has_not_ended_is_not_yielded() -> None:
    (error,) = read_json(f'[{{"fen": "{FEN}", "steps": [{{"fen": "{OTHER}"}}, {{"x"')
    assert isinstance(error, InputError)


def test_a_document_that_is_too_deep_ends_with_an_error() -> None:
    *good, error = read_json(f'[{json.dumps(ONE)}, {{"x": {"[" * 1000}')
    assert show(good) == [(F1, ())]
    assert "expected at most 50 levels, found more" in str(error)


def test_a_value_that_is_too_deep_is_refused() -> None:
    value: Any = ONE
    for _ in range(5000):
        value = [value]
    with pytest.raises(InputError, match="expected at most 50 levels"):
        [*trees.entries_of(value, 1)]


def test_a_record_that_is_too_large_is_one_error() -> None:
    large = {"x": "y" * streams.MAX_RECORD_BYTES, **ONE}
    many = {**ONE, "x": [*range(streams.MAX_RECORD_BYTES // 8)]}
    steps = {**ONE, "x": [{"fen": OTHER, "comment": "y" * 1000}] * 2000}
    error = "expected at most 1,048,576 bytes, found a larger one"
    for first, document in (
        ("", [ONE, large, many, steps, ONE]),
        ("", {"a": [ONE, large, many, steps, ONE]}),
        (error, [steps, large, many, steps, ONE]),
    ):
        found = read_json(json.dumps(document))
        reasons = [str(each) if isinstance(each, InputError) else "" for each in found]
        assert reasons == [first, error, error, error, ""]
        assert found[-1].number == 5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda record: [record] * 5000,
        lambda record: {"title": "t", "a": [record] * 5000},
        lambda record: {"title": "t", "a": {"b": [record] * 5000}},
        lambda record: {f"{n}": record for n in range(5000)},
        lambda record: {"a": {f"{n}": [record] for n in range(5000)}},
        lambda record: [[record] * 5000],
    ],
)
@pytest.mark.parametrize(
    "record", [ONE | {"x": PADDING}, [FEN, PADDING], PROSE + PADDING]
)
def test_a_long_document_is_read_as_its_value_in_constant_memory(
    wrap: Any, record: object
) -> None:
    value = wrap(record)
    text = json.dumps(value)
    stream = trees.Document(FileSummary())
    entries: list[Any] = []
    for kind, token in json_tokens.parse_tokens([text.encode()]):
        entries += stream.read(kind, token)
        assert sum(each.size for each in stream.stack) < 2 * streams.MAX_RECORD_BYTES
    entries += stream.end("x")
    assert show(entries) == show(trees.entries_of(value, 1))


def test_many_games_are_read_in_constant_memory() -> None:
    games = [{"input": f"1. e4 e5 {PADDING}"}] * 5000
    assert len(show(read_json(json.dumps(games)))) == 5000
    assert len(show(read_json(json.dumps({"a": games})))) == 5000


def test_records_are_yielded_as_they_arrive() -> None:
    sent = []

    def pieces() -> Any:
        for piece in ("[", f"{json.dumps(ONE)},", f"{json.dumps(ONE)},"):
            sent.append(piece)
            yield piece.encode()

    found = trees.read_document(pieces(), FileSummary())
    next(found)
    assert len(sent) == 2
    next(found)
    assert len(sent) == 3


@pytest.mark.parametrize("text", ["null", "3", '"x"', "8/8", "[" * 60_000])
def test_a_line_is_an_object_or_a_list(text: str) -> None:
    assert trees.parse_object("[1]") == [1]
    with pytest.raises(InputError, match="expected a JSON object, found '"):
        trees.parse_object(text)


# YAML and TOML


def read_yaml(text: str) -> list[Entry | InputError]:
    pytest.importorskip("yaml")
    return [*trees.read_yaml(text, FileSummary())]


YAML: dict[str, tuple[str, Shown]] = {
    "a list": (f"- fen: {FEN}\n  claim: 2\n- fen: {FEN}\n  claim: 2\n", [(F1, ())] * 2),
    "documents": (f"fen: {FEN}\nclaim: 2\n---\nfen: {FEN}\nclaim: 2\n", [(F1, ())] * 2),
    "a named list": (
        f"title: Mate in 2\npuzzles:\n- fen: {FEN}\n  claim: 2\n- {{fen: {OTHER}}}\n",
        [(F1, ("Mate in 2", "puzzles")), ({"fen": OTHER}, ("Mate in 2", "puzzles"))],
    ),
    "names": (
        f"ladder: {FEN}\nqueen: {OTHER}\n",
        [({"name": "ladder", "fen": FEN}, ()), ({"name": "queen", "fen": OTHER}, ())],
    ),
    "texts": (f"- {FEN}\n- {OTHER}\n", [({"text": FEN}, ()), ({"text": OTHER}, ())]),
    "scalars stay texts": (
        f"fen: {FEN}\nx: [1.0, yes, 0x1]\nz: ~\n",
        [({"fen": FEN, "x": "1.0 yes 0x1", "z": ""}, ())],
    ),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml_is_read_by_the_same_rules(name: str) -> None:
    text, expected = YAML[name]
    assert show(read_yaml(text)) == expected


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("- &a [*a]", "an alias"),
        ("- !!python/object/apply:os.system [x]", "the tag python/object/apply"),
        ("- " + "[" * 100, "more than 16 levels"),
        ("- {a", "line 2: expected YAML"),
        (f"- {'x' * (1 << 22)}", "expected at most 4,194,304 bytes"),
    ],
)
def test_an_unreadable_item_of_yaml_is_one_error(bad: str, reason: str) -> None:
    first, error, last = read_yaml(f"- fen: {FEN}\n{bad}\n- fen: {FEN}\n")
    assert isinstance(first, Entry)
    assert isinstance(last, Entry)
    assert (first.number, last.number) == (1, 3)
    assert isinstance(error, InputError)
    assert reason in str(error)
    assert str(error).isprintable()


TOML: dict[str, tuple[str, Shown]] = {
    "tables": (
        f'title = "Mate in 2"\n[[p]]\nfen = "{FEN}"\nclaim = 2\n'
        f'[[p]]\nfen = "{OTHER}"\n',
        [(F1, ("Mate in 2", "p")), ({"fen": OTHER}, ("Mate in 2", "p"))],
    ),
    "named tables": (
        f'[a]\nfen = "{FEN}"\nclaim = 2\n[b]\nfen = "{FEN}"\nclaim = 2\n',
        [(F1, ("a",)), (F1, ("b",))],
    ),
    "FENs as keys": (f'"{FEN}" = 2', [({"fen": FEN, "value": "2"}, ())]),
    "dates": (
        f'fen = "{FEN}"\nx = 1979-05-27\n',
        [({"fen": FEN, "x": "1979-05-27"}, ())],
    ),
}


@pytest.mark.parametrize("name", TOML)
def test_toml_is_read_by_the_same_rules(name: str) -> None:
    text, expected = TOML[name]
    assert show(trees.read_toml(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["x = ", f"x = {'9' * 5000}", f"x = {'[' * 9999}", "# nothing", "x = '\ud800"],
)
def test_toml_that_cannot_be_read_is_one_error(text: str) -> None:
    (error,) = trees.read_toml(text)
    assert isinstance(error, InputError) or error.fields == {}
    assert "\n" not in str(error)
