"""`matesolve inspect`, and what the other commands print about a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.cli.problems import FIRST
from tests.cli.conftest import rows

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"
MIXED = f"""\
{BACK_RANK} dm 1; bm Ra8; pv Ra8; id "back rank";
{ROOK} nomate 7; acd 3;
hello
{ROOK} dm 8; pv Kg6 K;
"""


@pytest.fixture(autouse=True)
def _mixed(_folder: None) -> None:
    Path("mixed.epd").write_text(MIXED)


SAMPLE = f"{FIRST:,} records; claim from dm; the first {FIRST:,} records\n"


INSPECTED = f"""\
: EPD, 4 records; claim from dm, nomate, keys from bm, line from pv, \
name from id; ignored acd; 1 unreadable; warnings about pv 1
  mixed.epd:1: back rank
    {BACK_RANK} 0 1
    claims mate in 1
    keys: Ra8#
    line: Ra8#
  mixed.epd:2: mixed.epd:2
    {ROOK} 0 1
    claims no mate in 7
  mixed.epd:3: error: board: expected 8 ranks with / between them, found 1 in 'hello'
"""


def test_inspect_prints_the_first_records(cli: Cli) -> None:
    assert cli("inspect mixed.epd") == (65, f"mixed.epd{INSPECTED}", "")
    record = json.loads(cli("inspect mixed.epd --json").out)
    assert (record["records"], record["unreadable"]) == (4, 1)
    assert record["fields"]["claim"] == ["dm", "nomate"]
    back_rank, _, error = record["first"]
    assert (back_rank["claimed_keys"], back_rank["warnings"]) == (["a1a8"], [])
    assert error["error"].startswith("board: expected 8 ranks")


DUPLICATES = (
    f'{BACK_RANK} dm 1; bm Ra8; id "back rank";',
    f'{ROOK} dm 8; id "rook";',
    f'{BACK_RANK} dm 1; hmvc 4; id "later";',
    "8/K7/8/8/8/8/7R/k7 w - - dm 7;",
    "r5k1/8/8/8/8/8/5PPP/6K1 b - - dm 1; bm Rb8;",
    "7K/r7/8/8/8/8/7k/8 b - - nomate 7;",
)
NAMED = """\
  1:1: back rank (#1)
    1:3: later (#1), with other counters
    2:1 (#1), with colours exchanged, with other first moves
  1:2: rook (#8)
    1:4 (#7), mirrored, with another claim
    2:2 (no #7), with colours exchanged, with another claim
2 groups of duplicates: 4 records repeat an earlier position (2 with another claim, \
1 with other first moves)
"""


def test_duplicates_of_all_files_are_named(cli: Cli) -> None:
    Path("1").write_text("\n".join(DUPLICATES[:4]))
    Path("2").write_text("\n".join(DUPLICATES[4:]))
    out = f"{cli('inspect 1 2').out}duplicates:\n{NAMED}"
    assert cli("inspect 1 2 --duplicates") == (0, out, "")

    decoder = json.JSONDecoder()
    text = cli("inspect 1 2 --duplicates --json").out
    record, end = decoder.raw_decode(text)
    last, _ = decoder.raw_decode(text[end:].lstrip())
    assert "duplicates" not in record
    sources = [[one["source"] for one in group] for group in last["duplicates"]]
    assert sources == [["1:1", "1:3", "2:1"], ["1:2", "1:4", "2:2"]]
    fourth = {"source": "1:4", "id": "", "claim": "#7"}
    differs = {"relation": "mirrored", "differs": "another claim"}
    assert last["duplicates"][1][1] == fourth | differs


CLAIMS = """
stipulation "h#2"; solutions 3; | claims h#2 | solutions: 3
dm -2; | claims mated in 2
acd 1; | claims nothing
dm 8; pv K; | claims mate in 8 | \
warning: pv: expected a move in SAN or UCI, found 'K'; kept mate in 8
"""


def test_inspect_shows_each_kind_of_claim(matesolve: Cli) -> None:
    for operations, *shown in rows(CLAIMS):
        ended = matesolve("inspect", "-", stdin=f"{ROOK} {operations}\n")
        assert ended.code == 0
        assert [line.strip() for line in ended.out.splitlines()[3:]] == shown


def test_a_longer_file_is_shown_as_a_sample(matesolve: Cli) -> None:
    for count in (FIRST, FIRST + 1):
        ended = matesolve("inspect", "-", stdin=f"{BACK_RANK} dm 1;\n" * count)
        whole = f"stdin: EPD, {count:,} records; claim from dm\n"
        first = f"stdin: EPD, {SAMPLE}" if count > FIRST else whole
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith(first)
        assert ended.out.endswith(whole) == (count > FIRST)
        assert ended.out.count("stdin: EPD") == 1 + (count > FIRST)


def test_inspect_names_a_file_that_cannot_be_read_and_one_without_records(
    cli: Cli,
) -> None:
    ended = cli("inspect none . mixed.epd")
    errors = "error: none: No such file or directory\nerror: .: Is a directory\n"
    assert (ended.code, ended.err, "4 records" in ended.out) == (74, errors, True)
    Path("empty.epd").touch()
    error = "error: expected records, found none: empty.epd\n"
    assert cli("inspect empty.epd") == (65, "", error)
    assert cli("inspect empty.epd mixed.epd").err == "warning: empty.epd: no records\n"


# --- the same in the other commands


def test_each_command_prints_a_line_about_each_file_unless_quiet(cli: Cli) -> None:
    for words in ("verify -", "verify - --jsonl", "convert - - --to fen"):
        ended = cli(words, stdin=f"{BACK_RANK} dm 1; acd 3;\n")
        summary = "stdin: EPD, 1 record; claim from dm; ignored acd\n"
        assert (ended.code, ended.summaries) == (0, [summary])
    assert len(cli("board mixed.epd -o x.html").summaries) == 1
    assert cli("verify - -q", stdin=MIXED).summaries == []


READERS = ["verify x.csv", "inspect x.csv", "convert x.csv y.epd", "board x.csv -o y"]


def test_unread_claims_are_no_success_in_any_command(cli: Cli) -> None:
    for words in READERS:
        Path("x.csv").write_text(f"fen,distance\n{BACK_RANK},1\n")
        ended = cli(words)
        assert ended.code == 65
        assert "--columns claim=distance" in ended.out + ended.err
        assert "--no-claims" in ended.out + ended.err
        assert cli(f"{words} --no-claims").code == 0
        assert cli(f"{words} --columns claim=distance").code == 0


WORDS = """
depth | 1 | 65 | --columns claim=depth reads it,
task | "White wins in 1" | 65 |
type | "two-mover" | 1 |
themes | ["endgame"] | 0 |
"""


def test_words_that_may_claim_are_named_if_nothing_else_claims(matesolve: Cli) -> None:
    for name, value, code, how in rows(WORDS):
        text = f'[{{"fen": "{BACK_RANK}", "{name}": {value}}}]'
        ended = matesolve("verify", "-", stdin=text)
        assert ended.code == int(code)
        advice = f"{how} --no-claims reads positions only\n".lstrip()
        shown = value.strip('"')
        named = f"but {name} ('{shown}') may hold them; {advice}"
        assert ended.err.endswith(named) == (code == "65")


def test_wrong_columns_are_a_usage_error(matesolve: Cli) -> None:
    for columns in ("fen", "fen=", "=N", "fen=a,fen=b", ","):
        ended = matesolve("verify", "-", "--columns", columns, stdin=MIXED)
        assert ended.code == 2
        assert "expected columns such as fen=Position,claim=N" in ended.err


def test_the_summary_of_verify_is_the_first_record_and_not_in_a_report(
    cli: Cli,
) -> None:
    words = "--jsonl --summary json"
    ended = cli(f"verify mixed.epd {words}")
    first, *rest = map(json.loads, ended.out.splitlines())
    (summary,) = first["summary"]
    assert (summary["records"], summary["unreadable"]) == (4, 1)
    assert (summary["warnings"], len(rest)) == ({"pv": 1}, 4)
    assert cli("verify mixed.epd --jsonl").out.count("\n") == 4
    refused = cli(f"verify - {words}", stdin=ROOK)
    assert (refused.code, "twice" in refused.err) == (2, True)
    written = (0, "", "x.html: written\n")
    assert cli("report - -o x.html", stdin=ended.out) == written
