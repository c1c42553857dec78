"""Collections with the mates that were proved in place of wrong claims."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit import corrections, job
from solver.audit.corrections import Cause, Correction, Decisions, Drop
from solver.audit.workers import audit, local_workers
from solver.errors import InputError
from solver.formats.claims import ReadOptions, Selection
from solver.formats.registry import read_collection
from solver.problem import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("kernel")

KEYS = job.AuditOptions(Limits(hash_mib=1), all_keys=True, farther=True)
READ = ReadOptions()
AS_FOUND = Decisions()
DROP_REJECTED = Decisions(frozenset([Drop.REJECT]))
DROP_UNREADABLE = Decisions(frozenset([Drop.UNREADABLE]))

SHINKMAN = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
DEFENCE = "7k/8/8/8/8/8/R7/1R4K1 b - - 0 1"
NOTHING = "7k/8/8/8/8/8/7b/1K6 w - - 0 1"
PLAYED = "Ra7 Kg8 Rb8#"
LINE = "Kg6 Kg1 Kf5 Kf1 Ke4 Ke1 Kd3 Kf1 Ke3 Kg1 Kf3 Kh1 Kg3 Kg1 Ra1#"


def results_of(path: Path, read: ReadOptions = READ) -> list[AuditResult]:
    records = read_collection(path, read)
    return list(audit(records, KEYS, local_workers(KEYS, 1), ordered=True))


def correct(
    path: Path,
    results: list[AuditResult] | None = None,
    read: ReadOptions = READ,
    decisions: Decisions = AS_FOUND,
) -> tuple[bytes, list[Correction]]:
    """Return a corrected file, and what happened to each record."""
    made: list[Correction] = []
    results = results_of(path, read) if results is None else results
    pieces = corrections.correct(path, read, results, made.append, decisions)
    return b"".join(pieces), made


def left_of(made: list[Correction]) -> list[tuple[str, ...]]:
    return [one.left for one in made]


def saved(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def corrected(folder: Path, name: str, text: str, read: ReadOptions = READ) -> str:
    """Return a corrected file, whose audit has no disagreement left."""
    path = saved(folder, name, text)
    written, made = correct(path, read=read)
    assert {*left_of(made)} == {()}
    path.write_bytes(written)
    again = results_of(path, read)
    assert [(x.source, x.disagreements) for x in again if x.disagreements] == []
    return written.decode()


TABLE = (
    f"\ufeffNr,FEN, Author ,Mate,Solution,Comment\r\n"
    f'1,{SHINKMAN},"Loyd, ""S""",{{}},Qa5 Bd7 Qd5#,\r\n2,{ROOK},,mate in {{}},Kg6,\r\n'
    f'3,{BACK_RANK},"a\n7",{{}},{{}},\r\n4,{BACK_RANK},  X ,1,Ra8#,=1\r\n'
    f"5,{BACK_RANK},,{{}},{{}},\r\n6,{DEFENCE},,{{}},,\r\n7,{SHINKMAN},,2,{{}},\r\n"
)
BEFORE = "r3k2r/pb1p1ppp/1b4q1/1Q2P3/8/2NP1Pn1/PP4PP/R1B2R1K w kq - 1 19"
LICHESS = (
    f"PuzzleId,FEN,Moves,Rating,Themes\n0018S,{BEFORE},h2g3 g6h5,1,mate mateIn{{}} x\n"
)
OWN = (
    "id,fen,claim,nomate,claimed_keys,claimed_line,any_last_move,stipulation\n"
    f"a,{LADDER},{{0}},,{{1}},,,\nb,{LADDER},,{{2}},,,,\nc,{ROOK},{{3}},,,,,#{{3}}\n"
)
WORDS = f"fen;title\n{ROOK};Problem 7: White to play and mate in {{}} (7 pieces)\n"
JSON_LINES = (
    f'{{{{"fen": "{SHINKMAN}", "mate": {{}}, "keys": ["Qa5"], "x": {{{{"mate":1}}}}}}}}'
    f'\n\n{{{{"id":"\\u00e9","fen":"{ROOK}","claim":"#{{}}","solution":["h7g6"]}}}}\n'
    f'{{{{"schema":1,"fen":"{BACK_RANK}","claim":{{}},"claimed_keys":["{{}}"]}}}}'
)
EPD = (
    f'# dm 7;\n{ROOK[:-4]} dm {{}}; id "dm 7;"; c0 "7";\n'
    f'{BACK_RANK[:-4]} bm #{{}}; PV: {{}}; 00:02; id "back rank";\n'
    f"{SHINKMAN[:-4]} acd 3; bm {{}};  dm 2;\n{LADDER[:-4]} dm 2; bm {{}};\n"
    f"{DEFENCE[:-4]} mated in {{}};\n{LADDER[:-4]} nomate {{}};\n"
    f'{ROOK[:-4]} dm {{}}; pv {LINE}; stipulation "#{{}}";\n'
)
GAMES = f"""\
% a comment 7
[Event "Rook 7, mate in {{0}}"]
[Site "7"]
[SetUp "1"]
[FEN "{ROOK}"]

{{{{ mate in {{0}} }}}} 1. Kg6 Kg1 {{{{mate in 7}}}} *


[Event "ladder"]
[FEN "{LADDER}"]
[Stipulation "#{{1}}"]
[Keys "{{2}}"]

{{3}} 1-0

[Event "right"]
[FEN "{BACK_RANK}"]

1. Ra8# *
"""

FORMATS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "table.csv": (
        TABLE,
        [1, 9, "#2", "1. Rd1 h6 2. Rd8#", "M3", "a1d1 h7h6 d1d8", -1, "Qg5 Bd7 Qd5"],
        [2, 8, "#1", "1. Ra8#", "M1", "a1a8", -3, "Qa5 Bb7 Nf5#"],
    ),
    "lichess.csv": (LICHESS, [2], [1]),
    "own.csv": (OWN, [1, "a2a7", 2, 7], [2, "b1b7 a2a7", 1, 8]),
    "words.csv": (WORDS, ["seven"], ["eight"]),
    "set.jsonl": (JSON_LINES, [1, 7, 2, "a1d1"], [2, 8, 1, "a1a8"]),
    "set.epd": (
        EPD,
        [7, 2, "Rd1 h6 Rd8#", "Qg5", "Ra7", 1, 2, 3, 3],
        [8, 1, "Ra8#", "Qa5", "Rb7 Ra7", 3, 1, 8, 8],
    ),
    "games.pgn": (
        GAMES,
        [7, 1, "a2a7", "1. Ra7 (1. Rb7)"],
        [8, 2, "b1b7 a2a7", "1. Ra7 (1. Rb7)"],
    ),
}
"""By file name: a text, wrong claims for it, and the right ones."""


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_keeps_what_is_no_claim(tmp_path: Path, name: str) -> None:
    text, wrong, right = FORMATS[name]
    assert corrected(tmp_path, name, text.format(*wrong)) == text.format(*right)


def test_a_corrected_record_need_not_be_selected_by_its_new_claim(
    tmp_path: Path,
) -> None:
    read = ReadOptions(selection=Selection("mateIn2", max_claim=2))
    path = saved(tmp_path, "lichess.csv", LICHESS.format(2))
    written, made = correct(path, read=read)
    assert (written.decode(), left_of(made)) == (LICHESS.format(1), [()])


EN_PASSANT = "8/8/8/3RpP1R/p3k3/6K1/8/8 w - -"
HINTED = "solves as claimed with en passant on e6: --hints writes that position"
UNCORRECTED = [
    (f"{NOTHING[:-4]} dm 2;\n", Cause.UNPROVED),
    (f"{LADDER[:-4]} ce 32766;\n", Cause.NO_FIELD),
    (f"{EN_PASSANT} dm 2;\n", HINTED),
    ('8/8/8/8/8/2k5/3R4/K7 b - - stipulation "h#1";\n', Cause.OTHER),
]


@pytest.mark.parametrize(("text", "cause"), UNCORRECTED)
@pytest.mark.usefixtures("help_kernel")
def test_a_record_without_a_proved_mate_keeps_its_text(
    tmp_path: Path, text: str, cause: str
) -> None:
    written, made = correct(saved(tmp_path, "set.epd", text))
    assert left_of(made) == [("refuted", "no-solution", cause)]
    assert written.decode() == text


def test_a_wrong_length_is_corrected_even_if_there_is_no_room_for_all_keys(
    tmp_path: Path,
) -> None:
    text = f"fen,mate,solution\n{LADDER},{{}},{PLAYED}\n{LADDER},2,{PLAYED}\n"
    path = saved(tmp_path, "set.csv", text.format(1))
    written, made = correct(path)
    assert written.decode() == text.format(2)
    assert [str(one) for one in made] == [
        f"{path}:2: changed mate 1 -> 2; left (cooked): {Cause.NO_KEYS}",
        f"{path}:3: left (cooked): {Cause.NO_KEYS}",
    ]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("Ra7", "Rb7 Ra7"), ("Key: h5g5", "Key: h5a5"), ("1. \u2655g5!", "1. \u2655a5!")],
)
def test_a_solution_that_names_only_the_key_gets_no_line(
    tmp_path: Path, wrong: str, right: str
) -> None:
    fen = LADDER if "Ra7" in wrong else SHINKMAN
    texts = (f"fen,mate,solution\n{fen},2,{one}\n" for one in (wrong, right))
    assert corrected(tmp_path, "set.csv", next(texts)) == next(texts)


def test_moves_have_the_letters_of_the_files_language(tmp_path: Path) -> None:
    rows = "fen;mate;solution\n{};1;Sf7#\n{};2;{}\n"
    knight = "6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1"
    wrong = rows.format(knight, SHINKMAN, "1.Dg5! Ld7 2.Dd5#")
    right = rows.format(knight, SHINKMAN, "1. Da5 Lb7 2. Sf5#")
    assert corrected(tmp_path, "set.csv", wrong) == right
    dutch = [text.replace("S", "P") for text in (wrong, right)]
    assert corrected(tmp_path, "set.csv", dutch[0]) == dutch[1]
    path = saved(tmp_path, "set.csv", "\n".join(wrong.splitlines()[::2]) + "\n")
    assert left_of(correct(path)[1])[0][-1] == Cause.NO_FIELD  # German or Dutch?


def test_a_mate_that_may_not_be_the_shortest_is_no_correction(tmp_path: Path) -> None:
    path = saved(tmp_path, "set.epd", f"{ROOK[:-4]} dm 3;\n")
    (result,) = results_of(path)
    for better in (result._replace(lower_bound=7), result._replace(mate=None)):
        written, made = correct(path, [better])
        left = "refuted", "no-solution", Cause.UNPROVED
        assert (written, left_of(made)) == (path.read_bytes(), [left])


# --- which result belongs to a record


def test_records_may_have_moved_but_have_the_claim_that_was_audited(
    tmp_path: Path,
) -> None:
    """To another line, and their file to another folder."""
    records = f'{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 4; id "x";\n'
    path = saved(tmp_path, "set.epd", records)
    results = results_of(path)
    moved = [
        one._replace(source=f"elsewhere/set.epd:{number}")
        for number, one in enumerate(results, 1)
    ]
    path.write_text(f"# a new line\n{records}")
    written, made = correct(path, moved)
    right = records.replace("3;", "8;").replace("4;", "8;")
    assert written.decode() == f"# a new line\n{right}"
    assert left_of(made) == [(), ()]
    path.write_text(records.replace("3;", "5;"))
    written, made = correct(path, [*moved, *results])  # those of the same path count
    left = "refuted", "no-solution", Cause.GONE
    assert written.decode() == records.replace("3;", "5;").replace("4;", "8;")
    assert left_of(made) == [left, ()]


def test_a_line_with_two_records_is_neither_changed_nor_dropped(tmp_path: Path) -> None:
    record = f'{{"fen":"{ROOK}","mate":3}}'
    first = f'{{"x":[{record},{record.replace("3", "8")}]}}\n'
    path = saved(tmp_path, "set.jsonl", f"{first}{record}\n")
    marked = [one._replace(mark="reject") for one in results_of(path)]
    written, made = correct(path, marked, decisions=DROP_REJECTED)
    assert written.decode() == first
    causes = [one.dropped or one.left[-1] for one in made]
    assert causes == [Cause.NO_PLACE, "rejected"]


def test_a_fault_of_the_whole_file_is_named(tmp_path: Path) -> None:
    text = f'[{{"fen":"{ROOK}","mate":3}},\n{{"fen": oops'
    written, made = correct(saved(tmp_path, "set.json", text))
    assert written.decode() == text.replace(":3", ":8")
    assert left_of(made) == [(), (Cause.NO_PLACE,)]
    assert "oops" in str(made[1]) or "JSON" in str(made[1])


# --- what the editor decides


RECORDS = {
    "set.csv": '{i},{fen},"L\xf6we\n""b""",{n}\n',
    "set.epd": '{fen} dm {n}; id "L\xf6we \xdf";\n',
    "set.jsonl": '{{"id":"L\xf6we","fen":"{fen}","mate":{n}}}\n',
    "set.json": '{{"fen": "{fen}", "mate": {n}}},\n ',
    "set.pgn": '[Event "L\xf6we"]\n[FEN "{fen}"]\n[Stipulation "#{n}"]\n\n*\n\n',
}
"""How a record is written in each format; `set.json` ends without the last comma."""

each_format = pytest.mark.parametrize("name", RECORDS)


def form(name: str, claims: dict[int, int], fen: str = ROOK) -> str:
    """Return a file with a record for each claim, by its number."""
    records = (RECORDS[name].format(i=i, fen=fen, n=n) for i, n in claims.items())
    text = "".join(records)
    if name == "set.json":
        return "[" + text.removesuffix(",\n ") + "]"
    return "no,fen,note,mate\n" * (name == "set.csv") + text


@each_format
@pytest.mark.parametrize("gone", [{0}, {1, 3}, {0, 1, 2, 3}])
def test_rejected_records_are_dropped_only_if_asked(
    tmp_path: Path, name: str, gone: set[int]
) -> None:
    claims = {0: 3, 1: 8, 2: 5, 3: 4}
    path = saved(tmp_path, name, form(name, claims))
    marked = [
        one._replace(mark="reject" if number in gone else None)
        for number, one in enumerate(results_of(path))
    ]
    kept, made = correct(path, marked)
    right = {i: claim if i in gone else 8 for i, claim in claims.items()}
    assert kept.decode() == form(name, right)
    assert {one.left[-1] for one in made if one.left} == {Cause.REJECTED}
    dropped, made = correct(path, marked, decisions=DROP_REJECTED)
    assert [one.dropped for one in made if one.dropped] == ["rejected"] * len(gone)
    assert dropped.decode() == form(name, dict.fromkeys({*claims} - gone, 8))


def test_duplicates_are_dropped_unless_they_contradict_each_other_or_the_first_is(
    tmp_path: Path,
) -> None:
    rook, mirrored, ladder = ROOK[:-4], "8/K7/8/8/8/8/7R/k7 w - -", LADDER[:-4]
    claims = ((rook, 8), (mirrored, 8), (rook, 7), (ladder, 3), (ladder, 3))
    lines = [f"{fen} dm {claim};\n" for fen, claim in claims]
    path = saved(tmp_path, "set.epd", "".join(lines))
    results = results_of(path)
    decisions = Decisions(frozenset([Drop.DUPLICATES, Drop.REJECT]))
    right = lines[0], lines[2].replace("7;", "8;"), lines[3].replace("3;", "2;")
    second, fifth = (f"a duplicate of {path}:{first}" for first in (1, 4))
    # What repeats a record that is left out stays.
    for mark, dropped in (
        (None, {":2": second, ":5": fifth}),
        ("reject", {":2": second, ":4": "rejected"}),
    ):
        results[3] = results[3]._replace(mark=mark)
        written, made = correct(path, results, decisions=decisions)
        assert written.decode() == "".join(right)
        found = {one.result.source[-2:]: one.dropped for one in made if one.dropped}
        assert found == dropped


@each_format
def test_unreadable_records_are_named_and_dropped_if_asked(
    tmp_path: Path, name: str
) -> None:
    text = form(name, {0: 8, 1: 8, 2: 8})
    at = text.rindex(ROOK)
    path = saved(tmp_path, name, text[:at] + text[at:].replace("R7/7k", "R7/8"))
    results = results_of(path)
    written, made = correct(path, results)
    assert written == path.read_bytes()
    assert left_of(made) == [(Cause.UNREADABLE,)]
    assert "R7/8" in str(made[0])
    written, made = correct(path, results, decisions=DROP_UNREADABLE)
    assert written.decode() == form(name, {0: 8, 1: 8})
    assert [one.dropped for one in made] == ["unreadable"]


COOKS = [
    ("set.csv", "fen,mate,keys\n{fen},2,Ra7\n", "Rb7 Ra7", ""),
    ("set.epd", "{fen} dm 2; bm Ra7; c0 x;\n", "Rb7 Ra7", "{fen} dm 2; c0 x;\n"),
    ("set.jsonl", '{{"fen":"{fen}","mate":2,"keys":["a2a7"]}}\n', '"b1b7", "a2a7"', ""),
    ("set.json", '[{{"fen":"{fen}","mate":2,"line":"Ra7"}}]', "Rb7 Ra7", ""),
]


@pytest.mark.parametrize(("name", "text", "keys", "without"), COOKS)
def test_a_cook_gets_all_keys_or_keeps_only_its_claim(
    tmp_path: Path, name: str, text: str, keys: str, without: str
) -> None:
    path = saved(tmp_path, name, text.format(fen=LADDER))
    marked = [one._replace(mark="cook") for one in results_of(path)]
    named = '"a2a7"' if "a2a7" in text else "Ra7"
    expected = text.replace(named, keys).format(fen=LADDER)
    assert correct(path, marked)[0].decode() == expected
    written, made = correct(path, marked, decisions=Decisions(keeps_claim_only=True))
    without = without or text.replace(named, "")
    assert written.decode() == without.format(fen=LADDER)
    assert left_of(made) == [("cooked",)]


def test_accepted_records_stay_and_a_mark_without_effect_is_named(
    tmp_path: Path,
) -> None:
    path = saved(tmp_path, "set.epd", f"{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 8;\n")
    first, second = (one._replace(mark="cook") for one in results_of(path))
    written, made = correct(path, [first, second])
    assert written.decode() == f"{ROOK[:-4]} dm 8;\n" * 2
    assert left_of(made) == [(Cause.NOT_COOKED,), (Cause.NOT_COOKED,)]
    written, made = correct(path, [first._replace(mark="accept"), second])
    assert written == path.read_bytes()
    assert left_of(made) == [(Cause.NOT_COOKED,)]


HINTS = [
    ("set.csv", EN_PASSANT, EN_PASSANT.replace("- -", "- e6")),
    ("set.epd", "4k2r/1R5p/8/5R2/8/8/8/7K w k -", "4k2r/1R5p/8/5R2/8/8/8/7K w - -"),
    ("set.jsonl", DEFENCE[:-4], LADDER[:-4]),
    ("set.json", EN_PASSANT, EN_PASSANT.replace("- -", "- e6")),
    ("set.pgn", DEFENCE[:-4], LADDER[:-4]),
]


@pytest.mark.parametrize(("name", "wrong", "right"), HINTS)
def test_a_convention_is_written_only_if_asked(
    tmp_path: Path, name: str, wrong: str, right: str
) -> None:
    counters = "" if name == "set.epd" else " 0 1"
    claims = {0: 2, 1: 2}
    path = saved(tmp_path, name, form(name, claims, wrong + counters))
    results = results_of(path)
    written, made = correct(path, results)
    assert written == path.read_bytes()
    assert {one.left[-1].partition(": ")[2] for one in made} == {Cause.HINT}
    written, made = correct(path, results, decisions=Decisions(hints=True))
    assert written.decode() == form(name, claims, right + counters)
    assert left_of(made) == [(), ()]
    path.write_bytes(written)
    assert {one.verdict for one in results_of(path)} == {"proved"}


# --- encodings


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["set.csv", "set.epd", "set.pgn", "set.jsonl"])
def test_a_file_keeps_its_encoding(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    path.write_bytes(form(name, {0: 3}).encode(encoding))
    written, made = correct(path)
    assert written == form(name, {0: 8}).encode(encoding)
    assert left_of(made) == [()]


def test_bytes_of_no_encoding_come_back_in_epd_pgn_and_compressed(
    tmp_path: Path,
) -> None:
    record = f'{ROOK[:-4]} dm 3; id "'.encode() + b'\x81\xe9\xff";\n'
    path = tmp_path / "set.epd.gz"
    path.write_bytes(gzip.compress(record))
    assert correct(path)[0] == record.replace(b"dm 3", b"dm 8")
    game = form("set.pgn", {0: 3}).encode() + b"{ \x81\xe9\xff }\n"
    path = tmp_path / "set.pgn"
    path.write_bytes(game)
    assert correct(path)[0] == game.replace(b"#3", b"#8")


# --- workbooks


def book_of(path: Path, claims: list[object], **more: object) -> None:
    openpyxl, styles = map(pytest.importorskip, ("openpyxl", "openpyxl.styles"))
    book = openpyxl.Workbook()
    book.active.append(["Nr", "FEN", "Mate"])
    for number, claim in enumerate(claims):
        book.active.append([number, ROOK, claim])
    for place, value in more.items():
        book.active[place] = value
    book.active["C2"].font = styles.Font(bold=True)
    book.save(path)


def test_a_workbook_keeps_all_but_its_claims_and_drops_rows(tmp_path: Path) -> None:
    path, claims = tmp_path / "set.xlsx", [7, "#7", 8, 5]
    right = [(0, ROOK, 8), (1, ROOK, "#8"), (2, ROOK, 8), (3, ROOK, 8)]

    def sheet(decisions: Decisions = AS_FOUND) -> Any:
        content = io.BytesIO(correct(path, results, decisions=decisions)[0])
        return pytest.importorskip("openpyxl").load_workbook(content).active

    book_of(path, claims)
    results = results_of(path)
    results[0] = results[0]._replace(mark="reject")
    rows = sheet(DROP_REJECTED).iter_rows(min_row=2, max_col=3, values_only=True)
    assert [*rows] == right[1:]
    results[0] = results[0]._replace(mark=None)
    book_of(path, claims, E1="=SUM(C2:C5)")
    written = sheet()
    rows = written.iter_rows(min_row=2, max_col=3, values_only=True)
    assert [*rows] == right
    assert (written["E1"].value, written["C2"].font.b) == ("=SUM(C2:C5)", True)
    results[0] = results[0]._replace(mark="reject")
    with pytest.raises(InputError, match="to drop rows, found formulas"):
        sheet(DROP_REJECTED)


def test_a_workbook_with_pictures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.xlsx"
    book_of(path, [7])
    results = results_of(path)
    with zipfile.ZipFile(path, "a") as parts:
        parts.writestr("xl/media/board.png", b"")
    with pytest.raises(InputError, match=r"which would be lost \(xl/media/board.png\)"):
        correct(path, results)


def test_other_formats_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, "set.yaml", f"- fen: {ROOK}\n  claim: 3\n")
    with pytest.raises(InputError, match="to correct, found 'YAML'"):
        correct(path)
