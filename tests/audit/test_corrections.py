"""Collections with the mates that were proved in place of wrong claims."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit import corrections, job
from solver.audit.corrections import Cause, Correction, Decisions, Drop
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
AS_FOUND = Decisions()

SHINKMAN = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
DEFENCE = "7k/8/8/8/8/8/R7/1R4K1 b - - 0 1"
NOTHING = "7k/8/8/8/8/8/7b/1K6 w - - 0 1"
PLAYED = "Ra7 Kg8 Rb8#"
LINE = "Kg6 Kg1 Kf5 Kf1 Ke4 Ke1 Kd3 Kf1 Ke3 Kg1 Kf3 Kh1 Kg3 Kg1 Ra1#"


def results_of(
    path: Path, options: job.AuditOptions = KEYS, read: ReadOptions = READ
) -> list[AuditResult]:
    records = read_collection(path, read)
    return list(audit(records, options, local_workers(options, 1), ordered=True))


def correct(
    path: Path,
    results: list[AuditResult] | None = None,
    read: ReadOptions = READ,
    decisions: Decisions = AS_FOUND,
) -> tuple[bytes, list[Correction]]:
    """Return a corrected file, and what happened to each record."""
    made: list[Correction] = []
    results = results_of(path, read=read) if results is None else results
    pieces = corrections.correct(path, read, results, made.append, decisions)
    return b"".join(pieces), made


def left_of(made: list[Correction]) -> list[tuple[str, ...]]:
    return [one.left for one in made]


def corrected(folder: Path, name: str, text: str, read: ReadOptions = READ) -> str:
    """Return a corrected file, whose audit has no disagreement left."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    written, made = correct(path, read=read)
    assert {*left_of(made)} == {()}
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


@pytest.mark.parametrize(("ending", "mark"), [("\n", ""), ("\r\n", "\ufeff")])
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
    written, made = correct(path, read=read)
    assert (written.decode(), left_of(made)) == (OTHERS[0][2], [()])


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "set.epd.gz"
    path.write_bytes(gzip.compress(f"{ROOK[:-4]} dm 7;\r".encode()))
    assert correct(path)[0].decode() == f"{ROOK[:-4]} dm 8;\r"


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
    path = tmp_path / "set.epd"
    path.write_text(text)
    written, made = correct(path)
    assert left_of(made) == [("refuted", "no-solution", cause)]
    assert written.decode() == text


def test_a_wrong_length_is_corrected_even_if_there_is_no_room_for_all_keys(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.csv"
    path.write_text(f"fen,mate,solution\n{LADDER},1,{PLAYED}\n{LADDER},2,{PLAYED}\n")
    written, made = correct(path)
    row = f"{LADDER},2,{PLAYED}\n"
    assert written.decode() == f"fen,mate,solution\n{row}{row}"
    assert left_of(made) == [("cooked", Cause.NO_KEYS), ("cooked", Cause.NO_KEYS)]
    assert [str(one) for one in made] == [
        f"{path}:2: changed mate 1 -> 2; left (cooked): {Cause.NO_KEYS}",
        f"{path}:3: left (cooked): {Cause.NO_KEYS}",
    ]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Ra7", "Rb7 Ra7"),
        ("1.Qg5!", "1.Qa5!"),
        ("Key: h5g5", "Key: h5a5"),
        ("Dg5", "Da5"),  # in German, French and many others
        ("1. \u2655g5!", "1. \u2655a5!"),
    ],
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
    path = tmp_path / "set.csv"
    path.write_text("\n".join(wrong.splitlines()[::2]) + "\n")
    assert left_of(correct(path)[1])[0][-1] == Cause.NO_FIELD  # German or Dutch?


def test_a_mate_that_may_not_be_the_shortest_is_no_correction(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n")
    (result,) = results_of(path)
    for better in (result._replace(lower_bound=7), result._replace(mate=None)):
        written, made = correct(path, [better])
        left = "refuted", "no-solution", Cause.UNPROVED
        assert (written, left_of(made)) == (path.read_bytes(), [left])


# --- which result belongs to a record


def test_a_record_with_another_claim_than_the_audited_one_is_not_corrected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n")
    results = results_of(path)
    path.write_text(f"{ROOK[:-4]} dm 4;\n")
    other = results[0]._replace(source="other.epd:1")
    written, made = correct(path, [*results, other])
    left = "refuted", "no-solution", Cause.GONE
    assert (written, left_of(made)) == (path.read_bytes(), [left])


def test_records_may_have_moved_to_another_line_and_the_file_to_another_folder(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.epd"
    records = f'{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 4; id "x";\n'
    path.write_text(records)
    results = [
        one._replace(source=f"elsewhere/set.epd:{number}")
        for number, one in enumerate(results_of(path), 1)
    ]
    path.write_text(f"# a new line\n{records}")
    written, made = correct(path, results)
    assert written.decode() == "# a new line\n" + records.replace("3;", "8;").replace(
        "4;", "8;"
    )
    assert left_of(made) == [(), ()]


def test_a_result_is_not_used_again_for_a_record_with_one_of_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.epd"
    path.write_text(
        f"{ROOK[:-4]} dm 8; bm Kg6;\n{ROOK[:-4]} dm 8; bm Kh6;\n{ROOK[:-4]} dm 7;\n"
        f"{ROOK[:-4]} dm 7;\n"
    )
    *others, accepted = results_of(path)
    written, made = correct(path, [*others, accepted._replace(mark="accept")])
    right = path.read_text().replace("Kh6", "Kg6").replace("dm 7", "dm 8", 1)
    assert written.decode() == right
    assert [(one.result.source, one.left) for one in made] == [
        (f"{path}:2", ()),
        (f"{path}:3", ()),
    ]


def test_a_line_with_two_records_is_neither_changed_nor_dropped(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    record = f'{{"fen":"{ROOK}","mate":3}}'
    path.write_text(f'{{"x":[{record},{record.replace("3", "8")}]}}\n{record}\n')
    results = [one._replace(mark="reject") for one in results_of(path)]
    written, made = correct(path, results, READ, Decisions(frozenset([Drop.REJECT])))
    assert written.decode() == path.read_text().splitlines(keepends=True)[0]
    assert [one.dropped or one.left[-1] for one in made] == [
        Cause.NO_PLACE,
        "rejected",
    ]


def test_a_fault_of_the_whole_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(f'[{{"fen":"{ROOK}","mate":3}},\n{{"fen": oops')
    written, made = correct(path)
    assert written.decode() == path.read_text().replace(":3", ":8")
    assert [one.left for one in made] == [(), (Cause.NO_PLACE,)]
    assert "oops" in str(made[1]) or "JSON" in str(made[1])


def test_the_file_of_the_same_path_is_meant_if_another_has_its_name(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n")
    (result,) = results_of(path)
    other = result._replace(source="elsewhere/set.epd:1", claim=5)
    assert len(correct(path, [other, result])[1]) == 1


# --- what the editor decides


def test_accepted_records_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 4;\n")
    first, second = results_of(path)
    written, made = correct(path, [first._replace(mark="accept"), second])
    assert written.decode() == f"{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 8;\n"
    assert left_of(made) == [()]


FORMS = [
    ("set.csv", "fen,mate\r\n", "{fen},{n}\r\n", ""),
    ("set.csv", "no,fen,note,mate\n", '{i},{fen},"a\n""b""",{n}\n', ""),
    ("set.epd", "", "{fen} dm {n};\n", "# the end\n"),
    ("set.jsonl", "", '{{"fen":"{fen}","mate":{n}}}\n', ""),
    ("set.json", "[", '{{"fen": "{fen}", "mate": {n}}},\n ', "]"),
    ("set.pgn", "", '[FEN "{fen}"]\n[Stipulation "#{n}"]\n\n*\n\n', ""),
]


def form(head: str, record: str, tail: str, claims: list[str], fen: str = ROOK) -> str:
    if not claims:
        return head + tail
    records = (record.format(i=i, fen=fen, n=n) for i, n in enumerate(claims))
    return head + "".join(records).removesuffix(",\n " * (tail == "]")) + tail


@pytest.mark.parametrize(("name", "head", "record", "tail"), FORMS)
@pytest.mark.parametrize("gone", [{0}, {2}, {1, 3}, {2, 3}, {0, 1, 2, 3}])
def test_rejected_records_are_dropped_only_if_asked(
    tmp_path: Path, name: str, head: str, record: str, tail: str, gone: set[int]
) -> None:
    path = tmp_path / name
    claims = ["3", "8", "5", "4"]
    path.write_text(form(head, record, tail, claims), newline="")
    marked = [
        one._replace(mark="reject" if number in gone else None)
        for number, one in enumerate(results_of(path))
    ]
    kept, made = correct(path, marked)
    right = [n if i in gone else "8" for i, n in enumerate(claims)]
    assert kept.decode() == form(head, record, tail, right)
    assert {one.left[-1] for one in made if one.left} == {Cause.REJECTED}
    dropped, made = correct(path, marked, READ, Decisions(frozenset([Drop.REJECT])))
    assert [one.dropped for one in made if one.dropped] == ["rejected"] * len(gone)
    rest = [i for i in range(4) if i not in gone]
    records = "".join(record.format(i=i, fen=ROOK, n=8) for i in rest)
    expected = head + records.removesuffix(",\n " * (tail == "]")) + tail
    assert dropped.decode() == expected


def test_duplicates_are_dropped_unless_they_contradict_each_other_or_the_first_is(
    tmp_path: Path,
) -> None:
    path = tmp_path / "set.epd"
    mirrored = "8/K7/8/8/8/8/7R/k7 w - -"
    lines = [
        f"{ROOK[:-4]} dm 8;\n",
        f"{mirrored} dm 8;\n",
        f"{ROOK[:-4]} dm 7;\n",
        f"{LADDER[:-4]} dm 3;\n",
        f"{LADDER[:-4]} dm 3;\n",
    ]
    path.write_text("".join(lines))
    *others, last = results_of(path)
    decisions = Decisions(frozenset([Drop.DUPLICATES, Drop.REJECT]))
    written, made = correct(path, [*others, last], READ, decisions)
    right = lines[0], lines[2].replace("7;", "8;"), lines[3].replace("3;", "2;")
    assert written.decode() == "".join(right)
    dropped = {one.result.source: one.dropped for one in made if one.dropped}
    assert dropped == {
        f"{path}:{number}": f"a duplicate of {path}:{first}"
        for number, first in ((2, 1), (5, 4))
    }
    others[-1] = others[-1]._replace(mark="reject")
    written, made = correct(path, [*others, last], READ, decisions)
    assert written.decode() == "".join(right)
    assert [one.dropped for one in made if one.dropped][1:] == ["rejected"]


@pytest.mark.parametrize(("name", "head", "record", "tail"), FORMS)
def test_unreadable_records_are_named_and_dropped_if_asked(
    tmp_path: Path, name: str, head: str, record: str, tail: str
) -> None:
    path = tmp_path / name
    text = form(head, record, tail, ["8", "8", "8"])
    at = text.rindex(ROOK)
    path.write_text(text[:at] + text[at:].replace("R7/7k", "R7/8"), newline="")
    results = results_of(path)
    written, made = correct(path, results)
    assert written == path.read_bytes()
    assert left_of(made) == [(Cause.UNREADABLE,)]
    assert "R7/8" in str(made[0])
    decisions = Decisions(frozenset([Drop.UNREADABLE]))
    written, made = correct(path, results, decisions=decisions)
    assert written.decode() == form(head, record, tail, ["8", "8"])
    assert [one.dropped for one in made] == ["unreadable"]


def test_a_record_that_is_no_item_of_a_list_cannot_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(
        f'{{"a": {{"fen": "{ROOK}", "mate": 3}}, "b": {{"fen": "{ROOK}"}}}}'
    )
    results = [one._replace(mark="reject") for one in results_of(path)]
    with pytest.raises(InputError, match="record 1: expected an item of a list"):
        correct(path, results, decisions=Decisions(frozenset([Drop.REJECT])))


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
    path = tmp_path / name
    path.write_text(text.format(fen=LADDER))
    marked = [one._replace(mark="cook") for one in results_of(path)]
    named = '"a2a7"' if "a2a7" in text else "Ra7"
    expected = text.replace(named, keys).format(fen=LADDER)
    assert correct(path, marked)[0].decode() == expected
    written, made = correct(path, marked, decisions=Decisions(keeps_claim_only=True))
    without = without or text.replace(named, "")
    assert written.decode() == without.format(fen=LADDER)
    assert left_of(made) == [("cooked",)]


def test_a_mark_without_effect_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_text(f"{ROOK[:-4]} dm 3;\n{ROOK[:-4]} dm 8;\n")
    marked = [one._replace(mark="cook") for one in results_of(path)]
    written, made = correct(path, marked)
    assert written.decode() == f"{ROOK[:-4]} dm 8;\n{ROOK[:-4]} dm 8;\n"
    assert left_of(made) == [(Cause.NOT_COOKED,), (Cause.NOT_COOKED,)]


HINTS = [
    (EN_PASSANT, "8/8/8/3RpP1R/p3k3/6K1/8/8 w - e6", 2),
    ("4k2r/1R5p/8/5R2/8/8/8/7K w k -", "4k2r/1R5p/8/5R2/8/8/8/7K w - -", 2),
    ("7k/8/8/8/8/8/R7/1R4K1 b - -", "7k/8/8/8/8/8/R7/1R4K1 w - -", 2),
]


@pytest.mark.parametrize(("wrong", "right", "claim"), HINTS)
@pytest.mark.parametrize(("name", "head", "record", "tail"), FORMS)
def test_a_convention_is_written_only_if_asked(
    tmp_path: Path,
    name: str,
    head: str,
    record: str,
    tail: str,
    wrong: str,
    right: str,
    claim: int,
) -> None:
    counters = "" if name == "set.epd" else " 0 1"
    path = tmp_path / name
    claims = [str(claim)] * 2
    path.write_text(form(head, record, tail, claims, wrong + counters), newline="")
    results = results_of(path)
    written, made = correct(path, results)
    assert written == path.read_bytes()
    assert {one.left[-1].partition(": ")[2] for one in made} == {Cause.HINT}
    written, made = correct(path, results, decisions=Decisions(hints=True))
    assert written.decode() == form(head, record, tail, claims, right + counters)
    assert left_of(made) == [(), ()]
    path.write_bytes(written)
    assert {one.verdict for one in results_of(path)} == {"proved"}


# --- encodings


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["set.csv", "set.epd", "set.pgn", "set.jsonl"])
def test_a_file_keeps_its_encoding(tmp_path: Path, name: str, encoding: str) -> None:
    texts = {
        "set.csv": f"Nr;Autor;FEN;Matt\n1;L\xf6we \xdf;{ROOK};{{n}}\n2;x;{ROOK};8\n",
        "set.epd": f'{ROOK[:-4]} dm {{n}}; id "L\xf6we \xdf";\n',
        "set.pgn": f'[Event "L\xf6we"]\n[FEN "{ROOK}"]\n[Stipulation "#{{n}}"]\n\n*\n',
        "set.jsonl": f'{{{{"id":"L\xf6we \xdf","fen":"{ROOK}","mate":{{n}}}}}}\n',
    }
    path = tmp_path / name
    path.write_bytes(texts[name].format(n=3).encode(encoding))
    written, made = correct(path)
    assert written == texts[name].format(n=8).encode(encoding)
    assert left_of(made) == [()]


def test_bytes_of_no_encoding_come_back(tmp_path: Path) -> None:
    path = tmp_path / "set.epd"
    path.write_bytes(f'{ROOK[:-4]} dm 3; id "'.encode() + b'\x81\xe9\xff";\n')
    written, _ = correct(path)
    assert written == path.read_bytes().replace(b"dm 3", b"dm 8")


# --- workbooks


def book_of(path: Path, claims: list[object], **more: object) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Nr", "FEN", "Mate"])
    for number, claim in enumerate(claims):
        book.active.append([number, ROOK, claim])
    for place, value in more.items():
        book.active[place] = value
    book.save(path)


def rows_of(content: bytes) -> list[tuple[object, ...]]:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(content))
    return [*book.active.iter_rows(min_row=2, max_col=3, values_only=True)]


def test_a_workbook_keeps_numbers_and_texts_and_drops_rows(tmp_path: Path) -> None:
    path = tmp_path / "set.xlsx"
    book_of(path, [7, "#7", 8, 5])
    results = results_of(path)
    assert rows_of(correct(path, results)[0]) == [
        (0, ROOK, 8),
        (1, ROOK, "#8"),
        (2, ROOK, 8),
        (3, ROOK, 8),
    ]
    results[0] = results[0]._replace(mark="reject")
    decisions = Decisions(frozenset([Drop.REJECT]))
    left = rows_of(correct(path, results, READ, decisions)[0])
    assert left == [(1, ROOK, "#8"), (2, ROOK, 8), (3, ROOK, 8)]
    book_of(path, [7, "#7", 8, 5], E1="=SUM(C2:C5)")
    with pytest.raises(InputError, match="to drop rows, found formulas"):
        correct(path, results, READ, decisions)


def test_a_workbook_with_pictures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.xlsx"
    book_of(path, [7])
    results = results_of(path)
    with zipfile.ZipFile(path, "a") as parts:
        parts.writestr("xl/media/board.png", b"")
    with pytest.raises(InputError, match=r"which would be lost \(xl/media/board.png\)"):
        correct(path, results)


def test_other_formats_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(f"- fen: {ROOK}\n  claim: 3\n")
    with pytest.raises(InputError, match="to correct, found 'YAML'"):
        correct(path)


def test_a_zip_is_refused_whatever_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("a.csv", f"fen,mate\n{ROOK},3\nnot a position,3\n")
    decisions = Decisions(frozenset([Drop.UNREADABLE]))
    with pytest.raises(InputError, match="to correct, found 'zip of CSV'"):
        correct(path, decisions=decisions)


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
    written, made = correct(path)
    assert written == right
    assert {*left_of(made)} == {()}
    assert len(made) > 16
