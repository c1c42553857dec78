"""Collections with the mates that were proved in place of wrong claims."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit import corrections, job
from solver.audit.workers import audit, local_workers
from solver.errors import InputError
from solver.formats.claims import ReadOptions, Selection
from solver.formats.registry import read_collection
from solver.problem import Limits

if TYPE_CHECKING:
    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("kernel")

KEYS = job.AuditOptions(Limits(hash_mib=1), all_keys=True, farther=True)
READ = ReadOptions()

SHINKMAN = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
DEFENCE = "7k/8/8/8/8/8/R7/1R4K1 b - - 0 1"
NOTHING = "7k/8/8/8/8/8/7b/1K6 w - - 0 1"
LINE = "Kg6 Kg1 Kf5 Kf1 Ke4 Ke1 Kd3 Kf1 Ke3 Kg1 Kf3 Kh1 Kg3 Kg1 Ra1#"


def results_of(
    path: Path, options: job.AuditOptions = KEYS, read: ReadOptions = READ
) -> list[AuditResult]:
    records = read_collection(path, read)
    return list(audit(records, options, local_workers(options, 1), ordered=True))


def correct(
    path: Path, results: list[AuditResult] | None = None, read: ReadOptions = READ
) -> tuple[bytes, list[tuple[str, ...]]]:
    """Return a corrected file, and for each wrong claim why it is still wrong."""
    left: list[tuple[str, ...]] = []

    def report(_result: AuditResult, corrected: corrections.Corrected) -> None:
        left.append(corrected.left)

    results = results_of(path, read=read) if results is None else results
    return b"".join(corrections.corrected_lines(path, read, results, report)), left


def corrected(folder: Path, name: str, text: str, read: ReadOptions = READ) -> str:
    """Return a corrected file, whose audit has no disagreement left."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    written, left = correct(path, read=read)
    assert set(left) == {()}
    path.write_bytes(written)
    again = results_of(path, read=read)
    assert [(x.source, x.disagreements) for x in again if x.disagreements] == []
    return written.decode()


ROWS = [
    # A wrong claim, and the cells of the same row with the right one.
    (SHINKMAN, "1", "Qa5 Bd7 Qd5#", "2", "Qa5 Bd7 Qd5#"),
    (SHINKMAN, "3", "Qa5 Bd7 Qd5#", "2", "Qa5 Bd7 Qd5#"),
    (SHINKMAN, "2", "Qg5 Bd7 Qd5", "2", "Qa5 Bb7 Nf5#"),
    (ROOK, "7", "Kg6", "8", "Kg6"),
    (ROOK, "mate in 9", "Kg6", "mate in 8", "Kg6"),
    (BACK_RANK, "#2", "1. Rd1 h6 2. Rd8#", "#1", "1. Ra8#"),
    (BACK_RANK, "M3", "a1d1 h7h6 d1d8", "M1", "a1a8"),
    (DEFENCE, "-1", "", "-3", ""),
]


def table(claims: slice, ending: str = "\n", mark: str = "") -> str:
    """Return `ROWS` twice: 16 wrong claims or the right ones, and 16 other rows."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator=ending)
    rows.writerow(["Nr", "FEN", " Author ", "Mate", "Solution", "Rating", "Comment"])
    for number, row in enumerate([*ROWS, *ROWS]):
        names = [f'Loyd, "Sam" {number}', 1500 + number, "a,b" if number % 2 else ""]
        rows.writerow([number, row[0], names[0], *row[claims], *names[1:]])
        rows.writerow([f"{number}b", BACK_RANK, "  X ", 1, "Ra8#", "", "=1"])
    return mark + text.getvalue()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_table_with_16_wrong_claims_changes_in_their_cells_only(
    tmp_path: Path, ending: str, mark: str
) -> None:
    wrong, right = (table(one, ending, mark) for one in (slice(1, 3), slice(3, 5)))
    (tmp_path / "puzzles.csv").write_text(wrong, encoding="utf-8", newline="")
    failing = [x for x in results_of(tmp_path / "puzzles.csv") if x.disagreements]
    assert len(failing) == 16
    assert corrected(tmp_path, "puzzles.csv", wrong) == right


LICHESS = "PuzzleId,FEN,Moves,Rating,Themes\n"
BEFORE = "r3k2r/pb1p1ppp/1b4q1/1Q2P3/8/2NP1Pn1/PP4PP/R1B2R1K w kq - 1 19"

OTHERS = [
    (
        "lichess.csv",
        f"{LICHESS}0018S,{BEFORE},h2g3 g6h5,1,mate mateIn2 short\n",
        f"{LICHESS}0018S,{BEFORE},h2g3 g6h5,1,mate mateIn1 short\n",
    ),
    (
        "own.csv",
        "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move,stipulation\n"
        f"a,{LADDER},1,,a2a7,,,\nb,{LADDER},,2,,,,\nc,{ROOK},7,,,,,#7\n",
        "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move,stipulation\n"
        f"a,{LADDER},2,,b1b7 a2a7,,,\nb,{LADDER},,1,,,,\nc,{ROOK},8,,,,,#8\n",
    ),
    (
        "words.csv",
        f"fen;title\n{ROOK};Problem 7: White to play and mate in seven (7 pieces)\n",
        f"fen;title\n{ROOK};Problem 7: White to play and mate in eight (7 pieces)\n",
    ),
    (
        "lines.jsonl",
        f'{{"fen": "{SHINKMAN}", "mate": 1, "keys": ["Qa5"], "x": {{"mate": 1}}}}\n\n'
        f'{{"id":"\\u00e9","fen":"{ROOK}","claim":"#7","solution":["h7g6"]}}\n'
        f'{{"schema":1,"id":"c","fen":"{BACK_RANK}","claim":2,"claimed_keys":["a1d1"]}}',
        f'{{"fen": "{SHINKMAN}", "mate": 2, "keys": ["Qa5"], "x": {{"mate": 1}}}}\n\n'
        f'{{"id":"\\u00e9","fen":"{ROOK}","claim":"#8","solution":["h7g6"]}}\n'
        f'{{"schema":1,"id":"c","fen":"{BACK_RANK}","claim":1,"claimed_keys":["a1a8"]}}',
    ),
    (
        "set.epd",
        f'# dm 7;\n{ROOK[:-4]} dm 7; id "dm 7;"; c0 "7";\n'
        f'{BACK_RANK[:-4]} bm #2; PV: Rd1 h6 Rd8#; 00:02; id "back rank";\n'
        f"{SHINKMAN[:-4]} acd 3; bm Qg5;  dm 2;\n{LADDER[:-4]} dm 2; bm Ra7;\n"
        f"{DEFENCE[:-4]} mated in 1;\n{LADDER[:-4]} nomate 2;\n"
        f'{ROOK[:-4]} dm 3; pv {LINE}; stipulation "#3";\n',
        f'# dm 7;\n{ROOK[:-4]} dm 8; id "dm 7;"; c0 "7";\n'
        f'{BACK_RANK[:-4]} bm #1; PV: Ra8#; 00:02; id "back rank";\n'
        f"{SHINKMAN[:-4]} acd 3; bm Qa5;  dm 2;\n{LADDER[:-4]} dm 2; bm Rb7 Ra7;\n"
        f"{DEFENCE[:-4]} mated in 3;\n{LADDER[:-4]} nomate 1;\n"
        f'{ROOK[:-4]} dm 8; pv {LINE}; stipulation "#8";\n',
    ),
]


GAMES = """\
% a comment 7
[Event "Rook 7, mate in 7"]
[Site "7"]
[SetUp "1"]
[FEN "8/7K/8/8/8/8/R7/7k w - - 0 1"]

{{ mate in {rook} }} 1. Kg6 Kg1 {{mate in 7}} *


[Event "ladder"]
[FEN "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"]
[Stipulation "#{ladder}"]
[Keys "{keys}"]

{line} 1-0

[Event "right"]
[FEN "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"]

1. Ra8# *
"""
OTHERS += [
    (
        "games.pgn",
        GAMES.format(rook=7, ladder=1, keys="a2a7", line="1. Ra7 (1. Rb7)"),
        GAMES.format(
            rook=8, ladder=2, keys="b1b7 a2a7", line="1. Ra7 (1. Rb7)"
        ).replace('mate in 7"]', 'mate in 8"]'),
    ),
    (
        "line.pgn",
        GAMES.format(
            rook=8, ladder=3, keys="a2a7", line="1. Ra2a7 Kg8 2. Kf1 Kf8"
        ).replace('mate in 7"]', 'mate in 8"]'),
        GAMES.format(
            rook=8, ladder=2, keys="b1b7 a2a7", line="1. Rb7 Kg8 2. Ra8#"
        ).replace('mate in 7"]', 'mate in 8"]'),
    ),
]


@pytest.mark.parametrize(("name", "wrong", "right"), OTHERS)
def test_each_format_keeps_what_is_no_claim(
    tmp_path: Path, name: str, wrong: str, right: str
) -> None:
    assert corrected(tmp_path, name, wrong) == right


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    read = ReadOptions(columns={"claim": "N"})
    wrong, right = (f"N,fen,mate\n{n},{ROOK},x\n" for n in (7, 8))
    assert corrected(tmp_path, "named.csv", wrong, read) == right
    read = ReadOptions(columns={"fen": "1", "claim": "3"})
    wrong, right = (f"{ROOK},7,{n}\n" * 2 for n in (7, 8))
    assert corrected(tmp_path, "numbered.csv", wrong, read) == right


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.epd", f"{ROOK[:-4]} dm 7;"), ("a.jsonl", f'{{"fen":"{ROOK}","mate":7}}')],
)
def test_a_byte_order_mark_stays(tmp_path: Path, name: str, text: str) -> None:
    right = text.replace("dm 7", "dm 8").replace('":7', '":8')
    assert corrected(tmp_path, name, f"\ufeff{text}") == f"\ufeff{right}"


def test_a_corrected_record_need_not_be_selected_by_its_new_claim(
    tmp_path: Path,
) -> None:
    read = ReadOptions(selection=Selection("mateIn2", max_claim=2))
    path = tmp_path / "lichess.csv"
    path.write_text(OTHERS[0][1])
    written, left = correct(path, read=read)
    assert (written.decode(), left) == (OTHERS[0][2], [()])


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "set.epd.gz"
    path.write_bytes(gzip.compress(f"{ROOK[:-4]} dm 7;\r".encode()))
    assert correct(path)[0].decode() == f"{ROOK[:-4]} dm 8;\r"


UNCORRECTED = [
    (f"{NOTHING[:-4]} dm 2;\n", ("refuted", "no-solution")),
    (f"{LADDER[:-4]} ce 32766;\n", ("refuted", "no-solution")),
    ("8/8/8/3RpP1R/p3k3/6K1/8/8 w - - dm 2;\n", ("refuted", "no-solution")),
    ('8/8/8/8/8/2k5/3R4/K7 b - - stipulation "h#1";\n', ("refuted", "no-solution")),
]


@pytest.mark.parametrize(("text", "left"), UNCORRECTED)
@pytest.mark.usefixtures("help_kernel")
def test_a_record_without_a_proved_mate_keeps_its_text(
    tmp_path: Path, text: str, left: tuple[str, ...]
) -> None:
    path = tmp_path / "set.epd"
    path.write_text(text)
    written, found = correct(path)
    assert found == [left]
    assert written.decode() == text


def test_a_wrong_length_is_corrected_even_if_there_is_no_room_for_all_keys(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.csv"
    path.write_text(f"fen,mate,solution\n{LADDER},1,Ra7\n{LADDER},2,Ra7\n")
    written, left = correct(path)
    assert written.decode() == f"fen,mate,solution\n{LADDER},2,Ra7\n{LADDER},2,Ra7\n"
    assert left == [("cooked",), ("cooked",)]


def test_a_mate_that_may_not_be_the_shortest_is_no_correction(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n")
    (result,) = results_of(path)
    for better in (result._replace(lower_bound=7), result._replace(mate=None)):
        written, left = correct(path, [better])
        assert (written, left) == (path.read_bytes(), [("refuted", "no-solution")])


def test_accepted_records_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 4;\n")
    first, second = results_of(path)
    written, left = correct(path, [first._replace(mark="accept"), second])
    assert written.decode() == f"{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 8;\n"
    assert left == [()]


def test_a_record_that_has_changed_since_the_audit_is_not_corrected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n")
    results = results_of(path)
    path.write_text(f"{ROOK[:-4]} dm 4;\n")
    other = results[0]._replace(source="other.epd:1")
    written, left = correct(path, [*results, other])
    assert (written, left) == (path.read_bytes(), [("no longer in the file",)])


def test_text_in_another_encoding_is_not_converted(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_bytes(f'{ROOK[:-4]} dm 3; id "é";\n{ROOK[:-4]} dm 4;\n'.encode("cp1252"))
    written, left = correct(path)
    assert written == path.read_bytes().replace(b"dm 4", b"dm 8")
    assert left == [("refuted", "no-solution"), ()]
    assert not written.startswith(codecs.BOM_UTF8)


def test_files_whose_records_are_not_lines_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(f'[{{"fen": "{ROOK}", "claim": 3}}]')
    with pytest.raises(
        InputError, match="of CSV, JSON lines, EPD or PGN to correct, found"
    ):
        correct(path)


def test_lichess_rows_come_back_as_they_were(tmp_path: Path) -> None:
    sample = Path(__file__).parents[3] / "shared" / "data" / "lichess_500.csv"
    if not sample.exists():
        pytest.skip("the sample is not part of the project")
    right = sample.read_bytes()
    lines = right.splitlines(keepends=True)
    for number, line in enumerate(lines[:250]):
        other = line.replace(b"mateIn2", b"mateIn3").replace(b"mateIn1", b"mateIn2")
        lines[number] = other if number % 2 else line
    path = tmp_path / "lichess.csv"
    path.write_bytes(b"".join(lines))
    written, left = correct(path)
    assert written == right
    assert left.count(()) == len(left) > 16
