"""Collections are read in the same way, whatever their format and bytes."""

from __future__ import annotations

import errno
import gzip
import io
import os
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solver.errors import FormatError
from solver.formats.claims import FileSummary, ReadOptions, Selection
from solver.formats.detection import detect
from solver.formats.registry import FORMATS, read_collection, title_of
from solver.formats.streams import BATCH_LINES, MAX_LINE_BYTES
from solver.problem import Claim, Problem
from tests.formats.whole_files import read_with, with_source

if TYPE_CHECKING:
    from collections.abc import Callable

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
GOOD = f"{ROOK} dm 8;\n".encode()
SUITES = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.epd"


def outcomes(path: Path, text: bytes, **options: Any) -> list[Problem | FormatError]:
    """The records of a file with these bytes, without the folder in their sources."""
    path.write_bytes(text)
    return [local(record, path) for record in read_with(path, **options)]


def local(record: Problem | FormatError, path: Path) -> Problem | FormatError:
    return with_source(record, record.source.replace(str(path), "x.epd"))


def problem(line: int) -> Problem:
    return Problem(f"{ROOK} 0 1", f"x.epd:{line}", Claim(8), f"x.epd:{line}")


@pytest.mark.parametrize(
    "text",
    ["", "\n", "   \t\r\n", "# a comment", "  % another", "; a third", "\ufeff", "#"],
)
def test_blank_lines_and_comments_are_skipped(path: Path, text: str) -> None:
    assert outcomes(path, text.encode()) == []
    text = text.rstrip() + "\n"
    assert outcomes(path, text.encode() + GOOD) == [problem(2)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="line feed"),
        pytest.param(GOOD.replace(b"\n", b"\r\n"), id="carriage return"),
        pytest.param(GOOD.rstrip(), id="no line end"),
        pytest.param(b"\xef\xbb\xbf" + GOOD, id="byte order mark"),
        pytest.param(b"  " + GOOD, id="indented"),
    ],
)
def test_a_line_may_begin_and_end_in_several_ways(path: Path, text: bytes) -> None:
    assert outcomes(path, text) == [problem(1)]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"\xff\xfe\n", "expected plain ASCII, found U+00FF at character 1"),
        (b"8/8 caf\xe9\n", "expected plain ASCII, found U+00E9 at character 8"),
        (b"hello\n", "board: expected 8 ranks with / between them, found 1 in 'hello'"),
        (
            b"8/" * MAX_LINE_BYTES + b"\n",
            "expected a line of at most 65,536 bytes, found a longer one",
        ),
        (
            b" " * (MAX_LINE_BYTES + 1) + b"\n",
            "expected a line of at most 65,536 bytes, found a longer one",
        ),
        (b"\0\n", "board: expected 8 ranks with / between them, found 1 in '\\x00'"),
    ],
)
def test_a_bad_line_is_reported_and_skipped(
    path: Path, bad: bytes, reason: str
) -> None:
    error = FormatError("x.epd:2", reason)
    epd = {"source_format": "epd"}
    assert outcomes(path, GOOD + bad + GOOD, **epd) == [problem(1), error, problem(3)]
    assert outcomes(path, GOOD + bad.rstrip(b"\n"), **epd) == [problem(1), error]


def test_the_longest_line_has_the_stated_length(path: Path) -> None:
    padded = GOOD.rstrip() + b" " * (MAX_LINE_BYTES - len(GOOD)) + b"\n"
    assert len(padded) == MAX_LINE_BYTES
    assert outcomes(path, padded) == [problem(1)]


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_bytes(GOOD)
    source = f"{path}:1"
    expected = Problem(f"{ROOK} 0 1", "x.epd:1", Claim(8), source)
    assert list(read_collection(path)) == [expected]
    assert list(read_collection(str(path))) == [expected]


@pytest.mark.parametrize("name", ["missing.epd", "."])
def test_a_file_that_cannot_be_read_is_an_os_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        list(read_collection(tmp_path / name))


def test_standard_input_may_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    assert [record.source for record in read_collection("-")] == ["stdin:1"]


def test_closed_standard_input_is_an_os_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match="standard input is closed"):
        next(read_collection("-"))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("KRvK1000.epd", 502),
        ("classic280.epd", 152),
        ("mate-in-2.epd", 3067),
        ("matetrack.epd", 3233),
    ],
)
def test_public_suites_are_read_whole(name: str, count: int) -> None:
    if not (SUITES / name).exists():
        pytest.skip("the public suites are not part of the project")
    records = list(read_collection(SUITES / name))
    assert [record for record in records if isinstance(record, FormatError)] == []
    assert len(records) == count
    assert all(record.claim for record in records if isinstance(record, Problem))


LINES = st.lists(
    st.binary(max_size=120)
    | st.text(max_size=60).map(str.encode)
    | st.sampled_from([GOOD.strip(), b"", b"# comment"]),
    max_size=6,
)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(LINES)
def test_any_bytes_have_at_most_one_outcome_per_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.epd"
    lines = [re.sub(rb"[\r\n]", b"", line) for line in lines]
    assume(not b"".join(lines[:1]).startswith(b"PAR1"))  # Parquet has no lines
    records = outcomes(path, b"\n".join(lines), source_format="epd")
    numbers = [int(record.source.rpartition(":")[2]) for record in records]
    assert numbers == sorted(set(numbers))
    assert {n for n, line in enumerate(lines, 1) if line == GOOD.strip()} <= set(
        numbers
    )
    assert all(n <= len(lines) for n in numbers)


BEGINNINGS = [
    (f"{ROOK} dm 8;", "epd"),
    (ROOK, "epd"),
    ("8/7K/8/8/8/8/R7/7k", "epd"),
    ("hello", "text"),
    ("PuzzleId,FEN,Moves,Rating,Themes", "csv"),
    ("Themes,Moves,FEN,New,PuzzleId", "csv"),
    (f"00008,{ROOK} 0 1,h7g6 h1g1,1940,75,94,6608,mate mateIn1,url,", "csv"),
    ("fen", "csv"),
    ("id,fen,claim,nomate,claimed_keys,claimed_line", "csv"),
    ('"id","fen"', "csv"),
    ('{"fen": null}', "jsonl"),
    ('{ "id" : "x", "fen": "8/8"}', "jsonl"),
    ("{}", "jsonl"),
    ('[Event "?"]', "pgn"),
    ("{a comment} 1. e4", "pgn"),
    ("1. e4 e5", "pgn"),
    ("1.e4", "pgn"),
    ("BeginProblem", "popeye"),
    ("beginproblem", "popeye"),
    ("---", "olive"),
    ("authors:", "olive"),
    ("algebraic:", "olive"),
    ('stipulation: "#2"', "olive"),
    ("- algebraic:", "olive"),
    ("-", "olive"),
]


@pytest.mark.parametrize(("line", "expected"), BEGINNINGS)
def test_the_format_is_detected_from_the_first_line(line: str, expected: str) -> None:
    assert detect(line.encode()) == expected
    assert detect(f"  {line} \r\n".encode()) == expected


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_reader_and_a_title(path: Path, name: str) -> None:
    assert title_of(name)
    is_text = name in {"text", "html", "markdown"}  # in which nothing is a record
    assert len(outcomes(path, b"hello\n", source_format=name)) == (not is_text)


def zstandard_of(text: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    compressed: bytes = zstandard.ZstdCompressor().compress(text)
    return compressed


@pytest.mark.parametrize("compress", [gzip.compress, zstandard_of])
def test_a_truncated_file_yields_its_complete_records(
    path: Path, compress: Callable[[bytes], bytes]
) -> None:
    # The second part is truncated, so that the first is certainly complete.
    text = compress(GOOD * 3) + compress(GOOD * 3)[:-10]
    *given, error = outcomes(path, text)
    assert given[:3] == [problem(1), problem(2), problem(3)]
    assert isinstance(error, FormatError)
    assert error.source == f"x.epd:{len(given) + 1}"
    assert error.reason.endswith(
        "expected more compressed data, found the end of the file"
    )


def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(GOOD)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert [record.source for record in read_collection("-")] == ["stdin:1"]


HEADS = {
    "epd": "# a comment",
    "lichess": "PuzzleId,FEN,Moves,Themes",
    "csv": "claim,fen",
    "jsonl": "",
}
RECORDS = {
    "epd": f"{ROOK} dm 8;",
    "lichess": "x,8/7K/8/8/8/8/R7/6k1 b - - 0 1,g1h1 h7g6,mate",
    "csv": f"8,{ROOK}",
    "jsonl": f'{{"fen":"{ROOK}","claim":8}}',
}
BAD = {"epd": "8/8", "lichess": "x,8/8,a1a8,mate", "csv": "8,8/8", "jsonl": "{}"}


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("source_format", ["auto", "its own"])
def test_every_format_is_read_and_a_bad_record_skipped(
    path: Path, name: str, source_format: str
) -> None:
    lines = (HEADS[name], RECORDS[name], BAD[name], "", RECORDS[name])
    chosen = name if source_format == "its own" else source_format
    text = "\n".join(lines).encode()
    first, error, last = outcomes(path, text, source_format=chosen)
    assert isinstance(first, Problem)
    assert isinstance(error, FormatError)
    assert isinstance(last, Problem)
    sources = [record.source for record in (first, error, last)]
    assert sources == ["x.epd:2", "x.epd:3", "x.epd:5"]
    assert first.claim is not None
    assert first.fen.startswith("8/7K/8/8/8/8/R7/7k w - - ")


@pytest.mark.parametrize("name", HEADS)
def test_every_line_of_standard_input_is_read_as_it_arrives_if_its_format_is_stated(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", stdin)
        records = read_collection("-", ReadOptions(name))
        source.write(f"{HEADS[name]}\n".encode())
        for number in (2, 3):
            # A reader that reads ahead would hang here.
            source.write(f"{RECORDS[name]}\n".encode())
            assert next(records).source == f"stdin:{number}"


def test_rows_that_claim_no_mate_are_counted(path: Path) -> None:
    text = f"{HEADS['lichess']}\n{RECORDS['lichess']}\n".encode()
    text += f"{RECORDS['lichess'].replace('mate', 'crushing')}\n".encode()
    summary = FileSummary()
    assert len(outcomes(path, text, summary=summary)) == 1
    assert (summary.records, summary.not_selected) == (1, 1)
    taken = outcomes(path, text, selection=Selection(all_rows=True))
    assert [isinstance(record, Problem) for record in taken] == [True, True]


CHANGES = {
    "grown": lambda path: path.write_bytes(GOOD * 4),
    "shrunk": lambda path: path.write_bytes(b""),
    "touched": lambda path: os.utime(path, ns=(1, 1)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_file_that_changes_while_it_is_read_is_an_error_after_its_records(
    path: Path, change: Callable[[Path], object]
) -> None:
    path.write_bytes(GOOD * 2)
    records = read_collection(path)
    given = [next(records)]
    change(path)
    with pytest.raises(OSError, match="changed while it was read") as caught:
        given.extend(records)
    assert caught.value.errno == errno.ESTALE
    assert caught.value.filename == str(path)
    assert [local(record, path) for record in given[:2]] == [problem(1), problem(2)]


CLAIMS = b"".join(
    f"{ROOK} {tail}\n".encode()
    for tail in ("dm 2;", "dm -3;", "nomate 4;", "bm Kg6;", "dm 500;", "dm 5;")
)


@pytest.mark.parametrize(
    ("selection", "lines"),
    [
        (Selection(), [1, 2, 3, 4, 5, 6]),
        (Selection(all_rows=True), [1, 2, 3, 4, 5, 6]),
        (Selection(min_claim=3), [2, 3, 5, 6]),
        (Selection(max_claim=3), [1, 2, 5]),
        (Selection(min_claim=3, max_claim=4), [2, 3, 5]),
        (Selection(min_claim=100), [5]),
    ],
)
def test_claims_are_selected_by_length_and_errors_are_always_reported(
    path: Path, selection: Selection, lines: list[int]
) -> None:
    summary = FileSummary()
    records = outcomes(path, CLAIMS, selection=selection, summary=summary)
    assert [int(record.source.rpartition(":")[2]) for record in records] == lines
    assert summary.records == len(lines)
    assert summary.not_selected == 6 - len(lines)


@pytest.mark.parametrize("selection", [Selection(theme="x"), Selection(min_rating=1)])
def test_only_lichess_has_themes_and_ratings(path: Path, selection: Selection) -> None:
    reason = "--theme and --min-rating: expected lichess's CSV, found EPD"
    assert outcomes(path, GOOD, selection=selection) == [FormatError("x.epd", reason)]
    assert outcomes(path, b"\n", selection=selection) == []


def test_the_summary_measures_the_progress_in_a_plain_file(path: Path) -> None:
    path.write_bytes(GOOD * (2 * BATCH_LINES))
    summary = FileSummary()
    fractions = [summary.fraction()]
    fractions += [summary.fraction() for _ in read_collection(path, summary=summary)]
    assert [*dict.fromkeys(fractions)] == [None, 0.5, 1.0]


def test_the_summary_measures_the_progress_in_a_compressed_file(path: Path) -> None:
    noise = "".join(random.Random(1).choices("abcdefgh", k=400_000))
    names = (
        f'{ROOK} dm 8; id "{noise[i : i + 100]}";\n' for i in range(0, 390_000, 100)
    )
    path.write_bytes(gzip.compress("".join(names).encode()))
    summary = FileSummary()
    fractions = [
        summary.fraction() or 0 for _ in read_collection(path, summary=summary)
    ]
    assert fractions == sorted(fractions)
    assert fractions[0] < 0.5
    assert len(set(fractions)) > 10
    assert fractions[-1] == 1.0


def test_the_summary_has_no_progress_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    summary = FileSummary()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    assert [summary.fraction() for _ in read_collection("-", summary=summary)] == [None]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            f'[Event "x"]\n[SetUp "1"]\n[FEN "{ROOK} 0 1"]\n\n'
            "{mate in 8} 1. Kg6 Kg1 *\n",
            Claim(8, ("h7g6",), ("h7g6", "h1g1")),
        ),
        (
            "BeginProblem\nTitle x\nPieces White Kh7 Ra2 Black Kh1\n"
            "Stipulation #8\nEndProblem\n",
            Claim(8),
        ),
        (
            "title: x\nalgebraic: {white: [Kh7, Ra2], black: [Kh1]}\n"
            'stipulation: "#8"\n',
            Claim(8),
        ),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_formats_with_records_of_many_lines_are_detected_too(
    path: Path, text: str, claim: Claim, compress: Callable[[bytes], bytes]
) -> None:
    summary = FileSummary()
    (record,) = outcomes(path, compress(text.encode()), summary=summary)
    assert with_source(record, "") == Problem(f"{ROOK} 0 1", "x", claim)
    assert outcomes(path, text.encode(), selection=Selection(max_claim=7)) == []
    assert summary.fraction() == 1.0


BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"


@pytest.mark.parametrize(
    ("text", "mate"),
    [
        (f"sep=;\nFEN;mate\n{BACK_RANK};2\n", 2),
        (f'[{{"fen":"{BACK_RANK}","moves":["a1a8"]}}]', 1),
        (f'"{BACK_RANK}"\n', None),
        (f"{BACK_RANK.replace(' ', '_')}\n", None),
        (f"https://lichess.org/analysis/{BACK_RANK.replace(' ', '_')}\n", None),
    ],
)
def test_files_are_read_as_people_write_them(
    path: Path, text: str, mate: int | None
) -> None:
    (record,) = outcomes(path, text.encode())
    assert isinstance(record, Problem), record
    assert (record.fen, record.claim and record.claim.mate) == (BACK_RANK, mate)
    assert record.warnings == ()
