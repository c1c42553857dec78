"""`matesolve inspect`, and what the other commands print about a file."""

from __future__ import annotations

import gzip
import json
import re
import signal
from itertools import combinations, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from solver.cli.problems import FIRST, SHOWN_DUPLICATES
from tests.cli.processes import process

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"
MIXED = f"""\
{BACK_RANK} dm 1; bm Ra8; pv Ra8; id "back rank";
{ROOK} nomate 7; acd 3;
hello
{ROOK} dm 8; pv Kg6 K;
"""
SAMPLE = f"{FIRST:,} records; claim from dm; the first {FIRST:,} records\n"
UNKNOWN = f"fen,distance\n{BACK_RANK},1\n"


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    path = tmp_path / "mixed.epd"
    path.write_text(MIXED, encoding="utf-8")
    return str(path)


def test_inspect_prints_what_is_read_and_the_first_records(
    matesolve: Matesolve, mixed: str
) -> None:
    ended = matesolve("inspect", mixed)
    assert ended.code == 65
    assert ended.err == ""
    assert (
        ended.out
        == f"""\
{mixed}: EPD, 4 records; claim from dm, nomate, keys from bm, line from pv, \
name from id; ignored acd; 1 unreadable; warnings about pv 1
  {mixed}:1: back rank
    {BACK_RANK} 0 1
    claims mate in 1
    keys: Ra8#
    line: Ra8#
  {mixed}:2: mixed.epd:2
    {ROOK} 0 1
    claims no mate in 7
  {mixed}:3: error: board: expected 8 ranks with / between them, found 1 in 'hello'
"""
    )


def test_inspect_prints_json(matesolve: Matesolve, mixed: str) -> None:
    ended = matesolve("inspect", mixed, "--json")
    record = json.loads(ended.out)
    assert (record["records"], record["unreadable"]) == (4, 1)
    assert record["fields"]["claim"] == ["dm", "nomate"]
    back_rank, _, error = record["first"]
    assert back_rank["claimed_keys"] == ["a1a8"]
    assert back_rank["warnings"] == []
    assert error["error"].startswith("board: expected 8 ranks")


DUPLICATES = (
    f'{BACK_RANK} dm 1; bm Ra8; id "back rank";',
    f'{ROOK} dm 8; id "rook";',
    f'{BACK_RANK} dm 1; hmvc 4; id "later";',
    "8/K7/8/8/8/8/7R/k7 w - - dm 7;",
    "r5k1/8/8/8/8/8/5PPP/6K1 b - - dm 1; bm Rb8;",
    "7K/r7/8/8/8/8/7k/8 b - - nomate 7;",
)


def test_duplicates_of_all_files_are_named_with_their_claims(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    first, second = (str(tmp_path / name) for name in ("first.epd", "second.epd"))
    for path, rows in (first, DUPLICATES[:4]), (second, DUPLICATES[4:]):
        Path(path).write_text("\n".join(rows), encoding="utf-8")
    ended = matesolve("inspect", first, second, "--duplicates")
    assert (ended.code, ended.err) == (0, "")
    _, _, named = ended.out.partition("duplicates:\n")
    assert (
        named
        == f"""\
  {first}:1: back rank (#1)
    {first}:3: later (#1), with other counters
    {second}:1 (#1), with colours exchanged, with other first moves
  {first}:2: rook (#8)
    {first}:4 (#7), mirrored, with another claim
    {second}:2 (no #7), with colours exchanged, with another claim
2 groups of duplicates: 4 records repeat an earlier position (2 with another claim, \
1 with other first moves)
"""
    )
    assert (
        matesolve("inspect", first, second).out + f"duplicates:\n{named}" == ended.out
    )

    decoder = json.JSONDecoder()
    text = matesolve("inspect", first, second, "--duplicates", "--json").out
    record, end = decoder.raw_decode(text)
    last, _ = decoder.raw_decode(text[end:].lstrip())
    assert "duplicates" not in record
    assert [[one["source"] for one in group] for group in last["duplicates"]] == [
        [f"{first}:1", f"{first}:3", f"{second}:1"],
        [f"{first}:2", f"{first}:4", f"{second}:2"],
    ]
    assert last["duplicates"][1][1] == {
        "source": f"{first}:4",
        "id": "",
        "claim": "#7",
        "relation": "mirrored",
        "differs": "another claim",
    }


TRIPLES = [*islice(combinations(range(8), 3), 23)]


def test_only_the_first_groups_and_records_are_printed(matesolve: Matesolve) -> None:
    ranks = ["".join("pP"[at in one] for at in range(8)) for one in TRIPLES]
    boards = [f"7k/8/8/8/8/{rank}/8/1R4K1 w - -" for rank in ranks]
    rows = [f"{board} dm 9;" for board in [*boards, *boards, *20 * boards[:1]]]
    printed = matesolve("inspect", "-", "--duplicates", stdin="\n".join(rows)).out
    *lines, more, count = printed.partition("duplicates:\n")[2].splitlines()
    assert lines[SHOWN_DUPLICATES] == "    and 2 more records"
    assert sum(not line.startswith("    ") for line in lines) == SHOWN_DUPLICATES
    assert more == "  and 3 more groups"
    assert count == "23 groups of duplicates: 43 records repeat an earlier position"


def test_a_file_without_duplicates_says_so(matesolve: Matesolve) -> None:
    ended = matesolve("inspect", "-", "--duplicates", stdin=f"{ROOK} dm 8;\n")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "no duplicates")


@pytest.mark.parametrize(
    ("operations", "shown"),
    [
        ('stipulation "h#2"; solutions 3;', ["claims h#2", "solutions: 3"]),
        ("dm -2;", ["claims mated in 2"]),
        ("acd 1;", ["claims nothing"]),
        (
            "dm 8; pv K;",
            [
                "claims mate in 8",
                "warning: pv: expected a move in SAN or UCI, found 'K'; kept mate in 8",
            ],
        ),
    ],
)
def test_inspect_shows_each_kind_of_claim(
    matesolve: Matesolve, operations: str, shown: list[str]
) -> None:
    ended = matesolve("inspect", "-", stdin=f"{ROOK} {operations}\n")
    assert ended.code == 0
    assert [line.strip() for line in ended.out.splitlines()[3:]] == shown


def test_inspect_answers_before_it_has_read_a_long_file() -> None:
    line = f"{BACK_RANK} dm 1;\n"
    with process("inspect", "-", "--format", "epd") as running:
        assert running.stdin
        assert running.stdout
        running.stdin.write(line * (FIRST + 1))
        running.stdin.flush()
        first = running.stdout.readline()
        running.stdin.write(line * 499)
        out, err = running.communicate()
    assert first == f"stdin: EPD, {SAMPLE}"
    assert out.splitlines()[-1] == "stdin: EPD, 1,500 records; claim from dm"
    assert (running.returncode, err) == (0, "")


@pytest.mark.parametrize("count", [FIRST - 1, FIRST, FIRST + 1])
def test_inspect_says_of_a_longer_file_that_it_shows_a_sample(
    matesolve: Matesolve, count: int
) -> None:
    ended = matesolve("inspect", "-", stdin=f"{BACK_RANK} dm 1;\n" * count)
    whole = f"stdin: EPD, {count:,} records; claim from dm\n"
    first = f"stdin: EPD, {SAMPLE}" if count > FIRST else whole
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(first)
    assert ended.out.endswith(whole) == (count > FIRST)
    assert ended.out.count("stdin: EPD") == 1 + (count > FIRST)


@pytest.mark.parametrize("damaged", [[], [1], [2, 5, 6, 7], [6, 7, 8, 900], [1500]])
def test_inspect_lists_unreadable_records_of_the_sample(
    matesolve: Matesolve, damaged: list[int]
) -> None:
    rows = [f"{BACK_RANK} dm 1;"] * 1500
    for number in damaged:
        rows[number - 1] = f"8/8/{number} w - -"
    ended = matesolve("inspect", "-", stdin="\n".join(rows))
    sources = [line.strip().split(" ")[0] for line in ended.out.splitlines()[1:]]
    shown = [source for source in sources if source.startswith("stdin:")]
    listed = [number for number in damaged if number <= FIRST][:3]
    numbers = [1, 2, 3, *(number for number in listed if number > 3)]
    assert shown == [*(f"stdin:{number}:" for number in numbers), "stdin:"]
    for number in listed:
        assert f"  stdin:{number}: error: board: expected 8 ranks" in ended.out
        assert f"'8/8/{number}'" in ended.out
    assert ended.code == (65 if damaged else 0)
    record = json.loads(matesolve("inspect", "-", "--json", stdin="\n".join(rows)).out)
    assert [one["source"] for one in record["first"]] == [
        f"stdin:{number}" for number in numbers
    ]


@pytest.mark.parametrize(
    ("row", "title"),
    [
        ("- fen: {}\n  mate: 1\n  note: {}\n", "YAML"),
        ("Mate in 1\n{}\n1. Ra8#\n# {}\n\n", "text"),
        ("<p>{} mate in 1 {}</p>\n", "HTML or XML"),
        ("# {1}\n{0} dm 1;\n", "EPD"),
    ],
)
def test_records_before_the_end_of_a_truncated_file_are_read(
    matesolve: Matesolve, tmp_path: Path, row: str, title: str
) -> None:
    noise = Random(1)  # so that something is decompressed before the end
    rows = [row.format(BACK_RANK, noise.randbytes(1000).hex()) for _ in range(300)]
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress("".join(rows).encode())[:-100_000])
    ended = matesolve("inspect", str(path))
    assert (ended.code, ended.err) == (65, "")
    found = re.match(rf"{path}: {title}, (\d+) records; ", ended.out)
    assert found
    assert 100 < int(found[1]) < 300
    assert "claim from" in ended.out
    assert ended.out.endswith(
        ": error: gzip: expected more compressed data, found the end of the file\n"
    )


def test_inspect_names_a_file_that_cannot_be_read(
    matesolve: Matesolve, mixed: str, tmp_path: Path
) -> None:
    ended = matesolve("inspect", str(tmp_path / "none"), str(tmp_path), mixed)
    assert ended.code == 74
    assert "No such file" in ended.err
    assert "Is a directory" in ended.err
    assert "4 records" in ended.out


def test_a_closed_pipe_ends_inspect_without_a_message(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_text(f"{BACK_RANK} dm 1;\n" * 50)
    with process("inspect", str(path), *[str(path)] * 200) as running:
        assert running.stdout
        running.stdout.readline()
        running.stdout.close()
        assert running.wait() == 74
        assert running.stderr
        assert running.stderr.read() == ""


def test_an_interrupted_inspect_prints_what_has_been_read(tmp_path: Path) -> None:
    path = tmp_path / "long.epd"
    path.write_text(f"{BACK_RANK} dm 1;\n" * 300_000)
    with process("inspect", str(path)) as running:
        assert running.stdout
        shown = [running.stdout.readline() for _ in range(10)]
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert shown[0] == f"{path}: EPD, {SAMPLE}"
    assert shown[-1] == "    claims mate in 1\n"
    # Only if it had read on before the signal came is there more to print.
    assert re.fullmatch(f"({path}: EPD, [0-9,]+ records; claim from dm\n)?", out)
    assert (running.returncode, err) == (130, "interrupted\n")


# --- the same in the other commands


@pytest.mark.parametrize(
    "arguments", ["verify -", "verify - --jsonl", "convert - - --to fen"]
)
def test_each_command_prints_a_line_about_each_file(
    matesolve: Matesolve, arguments: str
) -> None:
    ended = matesolve(*arguments.split(), stdin=f"{BACK_RANK} dm 1; acd 3;\n")
    assert ended.code == 0
    assert ended.summaries == ["stdin: EPD, 1 record; claim from dm; ignored acd\n"]


def test_the_line_precedes_the_table_and_quiet_hides_it(
    matesolve: Matesolve, mixed: str
) -> None:
    assert len(matesolve("verify", mixed).summaries) == 1
    assert matesolve("verify", mixed, "-q").summaries == []


def test_board_prints_the_line_too(
    matesolve: Matesolve, mixed: str, tmp_path: Path
) -> None:
    ended = matesolve("board", mixed, "-o", str(tmp_path / "x.html"))
    assert ended.code == 65  # for the unreadable record
    (line,) = ended.summaries
    assert "4 records" in line


def commands(tmp_path: Path) -> list[list[str]]:
    path = tmp_path / "unknown.csv"
    path.write_text(UNKNOWN, encoding="utf-8")
    page = str(tmp_path / "x.html")
    return [
        ["verify", str(path)],
        ["inspect", str(path)],
        ["convert", str(path), str(tmp_path / "x.epd")],
        ["board", str(path), "-o", page],
    ]


def test_unread_claims_are_no_success_in_any_command(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    for arguments in commands(tmp_path):
        ended = matesolve(*arguments)
        assert ended.code == 65, arguments
        printed = ended.out + ended.err
        assert "distance" in printed
        assert "--columns claim=distance" in printed
        assert "--no-claims" in printed
        assert matesolve(*arguments, "--no-claims").code == 0, arguments
        named = matesolve(*arguments, "--columns", "claim=distance")
        assert named.code == 0, arguments


@pytest.mark.parametrize("separator", [",", ";", "|", " ; "])
def test_a_number_after_a_fen_may_be_a_claim(
    matesolve: Matesolve, separator: str
) -> None:
    rows = f"{BACK_RANK} 0 1{separator}1\n" * 3
    ended = matesolve("verify", "-", stdin=rows)
    assert ended.code == 65
    assert "expected claims, found none" in ended.err
    assert "but 2 ('1') may hold them; --columns claim=2 reads it, " in ended.err
    assert matesolve("verify", "-", "--no-claims", stdin=rows).code == 0
    stated = matesolve("verify", "-", "--columns", "claim=2", stdin=rows)
    assert stated.code == 0
    assert "claim from 2" in stated.summaries[0]


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ('"goal": "1"', 65),
        ('"task": "White wins in 1"', 65),
        ('"depth": 1', 65),
        ('"type": "two-mover"', 1),
        ('"description": "Matt in 2"', 1),
        ('"title": "A two-mover"', 1),
        ('"title": "An ending"', 0),
        ('"themes": ["endgame"]', 0),
        ('"rating": 1500', 0),
        ('"type": "#1"', 0),
        ('"type": "mate in one"', 0),
    ],
)
def test_words_that_may_claim_are_named_if_nothing_else_claims(
    matesolve: Matesolve, field: str, code: int
) -> None:
    text = f'[{{"fen": "{BACK_RANK}", {field}}}]'
    ended = matesolve("verify", "-", stdin=text)
    assert ended.code == code
    name, value = (part.strip('"') for part in field.split(": "))
    is_number = name in {"goal", "depth"}
    how = f"--columns claim={name} reads it, " if is_number else ""
    advice = (
        f"but {name} ('{value}') may hold them; {how}--no-claims reads positions only\n"
    )
    assert ended.err.endswith(advice) == (code == 65)
    if is_number:
        stated = matesolve("verify", "-", "--columns", f"claim={name}", stdin=text)
        assert stated.code == 0
        assert f"claim from {name}" in stated.summaries[0]


@pytest.mark.parametrize("columns", ["fen", "fen=", "=N", "fen=a,fen=b", ","])
def test_wrong_columns_are_a_usage_error(
    matesolve: Matesolve, mixed: str, columns: str
) -> None:
    ended = matesolve("verify", mixed, "--columns", columns)
    assert ended.code == 2
    assert "expected columns such as fen=Position,claim=N" in ended.err


# --- verify --summary


def test_the_summary_is_the_first_record(matesolve: Matesolve, mixed: str) -> None:
    ended = matesolve("verify", mixed, "--jsonl", "--summary", "json")
    first, *rest = map(json.loads, ended.out.splitlines())
    (summary,) = first["summary"]
    assert (summary["records"], summary["unreadable"]) == (4, 1)
    assert summary["warnings"] == {"pv": 1}
    assert len(rest) == 4
    assert matesolve("verify", mixed, "--jsonl").out.count("\n") == 4


def test_a_report_leaves_the_summary_out(
    matesolve: Matesolve, mixed: str, tmp_path: Path
) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(matesolve("verify", mixed, "--jsonl", "--summary", "json").out)
    page = tmp_path / "x.html"
    ended = matesolve("report", str(run), "-o", str(page))
    assert (ended.code, ended.err) == (0, f"{page}: written\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["x.epd"], "needs --jsonl"), (["-", "--jsonl"], "twice")],
)
def test_a_summary_that_cannot_be_printed_is_a_usage_error(
    matesolve: Matesolve, arguments: list[str], reason: str
) -> None:
    ended = matesolve("verify", *arguments, "--summary", "json", stdin=f"{ROOK}\n")
    assert ended.code == 2
    assert reason in ended.err


def test_files_without_records_are_an_error_unless_another_has_some(
    matesolve: Matesolve, mixed: str, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.epd"
    empty.touch()
    ended = matesolve("inspect", str(empty))
    assert ended == (65, "", f"error: expected records, found none: {empty}\n")
    ended = matesolve("inspect", str(empty), mixed)
    assert ended.err == f"warning: {empty}: no records\n"
