"""EPD in every dialect, matetrack's lines, and logs of matecheck.py."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError, InputError
from solver.formats import claims, detection, epd, registry
from solver.formats.epd import MISSING, Row, read_matetrack_row
from solver.problem import Claim, Problem
from tests.formats.cases import Records, arrows, cases, problems_of, said, shown, warned
from tests.oracles import walks

if TYPE_CHECKING:
    from pathlib import Path

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATED = "7k/8/6K1/8/8/8/8/R7 b - -"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"


def read(text: str) -> Problem:
    return epd.parse_record(text, "some/mates.epd:7")


def outcome(text: str) -> str:
    """Return what is read, and each warning without what was kept."""
    try:
        words = shown(read(text)).split(" ! ")
    except InputError as error:
        return f"? {error}"
    return " ! ".join(word.partition("; kept ")[0] for word in words)


READ = r"""
dm 8; ~ dm 8 ~ dm  +8 ; ~ bm #8; ~ DM 8; ~ dm 8; bm #8; ~ acd 3; dm 8; ce 32752; -> 8
bm #8; 00:00 @ C0/R-2/K4/P15/X47; ~ bm #8; ep; 00:00; ~ bm #8; Duals(2); 01:12+; -> 8
bm #8; --:-- @ C0/R-12/K2/P3; 00'29" (by hand); ~ bm #8; c0 "was bm #5; dm 4;"; -> 8
c0 "a \"quoted; dm 4;\" word"; dm 8; ~ dm8; ~ dm:8; id:x ~ bm#8; ~ BM #+8 -> 8
mate 8; ~ mate in 8 ~ Mate_in 8; ~ MateIn8; ~ mate in 8 moves. ~ bm mate in 8; -> 8
#8 ~ M8; ~ m8 ~ Kg6 dm 8 ~ ce 32752; ~ pes MateIn8; ~ c9 x;;; dm 8;; -> 8
dm -8; ~ Dm=-8 ~ bm #-8; ~ mated in 8; ~ #-8; ~ ce -32751; -> -8
ce +32766; -> 1
ce -32765; -> -1
bm Kg6; dm 8; ~ dm 8; bm Kg6! h7g6; ~ bm Kg6 dm 8 ~ bm Kg6 dm8 -> 8 key h7g6
dm 8 bm Kg6 acd 9 id x ~ bm Kg6! c3 "a pawn's move" dm 8 ~ dm 8, bm Kg6, -> 8 key h7g6
id "dm 3; bm #4" bm Kg6 dm 8 ~ id "x" dm 8 c0 "dm 4"; bm Kg6 -> 8 key h7g6
dm 8 | bm Kg6 ~ bm Kg6 ; dm 8 ; id 'x'; ~ bm Kg6; ce 32752; -> 8 key h7g6
dm 8; pv 1. Kg6 Kg1 2.Kf5; -> 8 pv h7g6 h1g1 g6f5
bm #8; PV: h7g6 h1g1; -> 8 pv h7g6 h1g1
bm Kg6 mate ~ ce 32000; ~ ce 51; pes +0.512; ~ am Kg6; pv Kg6; -> -
"""

TWO = "! claims: expected one, found a mate"
DISTANCE = "expected 1 to 200 moves, negative when the side to move is mated, found"
ILLEGAL = "expected a legal, unambiguous move in SAN or UCI, found"
UNREADABLE = "expected a move in SAN or UCI, found"

WARNED = rf"""
dm 8; bm #9; -> 8 {TWO} in 8 and a mate in 9
dm 8; dm -8; -> 8 {TWO} in 8 and a mate in -8
dm 8; dm two; -> 8 ! dm: {DISTANCE} 'two'
bm #x; dm 8; -> 8 ! bm #: {DISTANCE} 'x'
dm 8; bm Kg5; -> 8 ! bm: {ILLEGAL} 'Kg5'
dm 8; bm --; -> 8 ! bm: {UNREADABLE} '--'
dm 8; bm Kg6; pv Kg6 K; -> 8 key h7g6 ! pv: {UNREADABLE} 'K'
dm 8; pv Kg6 Kh1 ... etc; -> 8 ! pv: {ILLEGAL} 'Kh1'
dm 8; id "a; -> 8 ! operations: expected a closing quote, found 'id "a;'
dm 8; c0 "a \ -> 8 ! operations: expected a closing quote, found 'c0 "a \\'
dm 8; fmvn -1; -> 8 ! fmvn: expected a whole number from 0 up, found '-1'
ce 32765; -> 1 ! ce: expected 32767 less an odd number of plies, found '32765'
ce -32750; -> -8 ! ce: expected 32767 less an even number of plies, found '-32750'
ce 32762; nomate 7; -> no mate in 7 ! ce: expected no mate, found one in 3
"""

REFUSED = f"""
dm 0; -> ? dm: {DISTANCE} '0'
dm 201; -> ? dm: {DISTANCE} '201'
dm {"9" * 500}; -> ? dm: {DISTANCE} '{"9" * 60}'...
ce 32001; -> ? ce: {DISTANCE} '383'
bm Kg5; -> ? bm: {ILLEGAL} 'Kg5'
pv Kg5; -> ? pv: {ILLEGAL} 'Kg5'
nomate 0; -> ? nomate: expected 1 to 200 moves, found '0'
id "a; dm 8; -> ? operations: expected a closing quote, found 'id "a; dm 8;'
"""


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        *arrows(READ),
        *arrows(WARNED),
        *arrows(REFUSED),
        ("dm 8; bm Kg6\0", "8 key h7g6"),
    ],
)
def test_a_tail_is_read_in_every_dialect(tail: str, expected: str) -> None:
    assert outcome(f"{ROOK} {tail}") == expected
    assert outcome(f"{ROOK} 0 1 {tail}") == expected


def test_a_key_is_kept_in_uci() -> None:
    for move in ("Ra8#", "Ra8", "a1a8", "R1a8", "Ra1a8"):
        assert outcome(f"{BACK_RANK} dm 1; bm {move};") == "1 key a1a8"
    for move in ("O-O-O", "0-0-0", "O-O-O+", "e1c1"):
        assert outcome(f"8/8/8/8/8/6k1/8/R3K3 w Q - dm 1; bm {move};") == "1 key e1c1"


def test_a_problem_without_a_name_is_named_after_its_line() -> None:
    for tail, name in {
        **dict.fromkeys(("dm 8;", 'id "";'), "mates.epd:7"),
        "id Sam  Loyd's best;": "Sam Loyd's best",
        'id "semi;colon \\"and\\" quotes"; dm 8': 'semi;colon "and" quotes',
        'id "\x1b[31m";': "\ufffd[31m",
    }.items():
        problem = read(f"{ROOK} {tail}")
        assert (problem.id, problem.source) == (name, "some/mates.epd:7")


POSITIONS = """
@ ~ 8/7K/8/8/8/8/R7/7k ~ 8/7K/8/8/8/8/R7/7k w ~ @ fmvn 0; ~ @; bm Kg6; -> @ 0 1 -> -
@ ; bm Kg6 ~ @; ~ @, -657 ~ @ 0 1|A title|Kg6 ~ @ ;D1 15 ;D2 60 -> @ 0 1 -> -
8/7K/8/8/8/8/R7/7k; dm 8 ~ 8/7K/8/8/8/8/R7/7k w dm 8; ~ @ 0 1 | dm 8 -> @ 0 1 -> 8
4k3/8/8/8/4P3/8/8/4K3 b - e3 -> 4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1 -> -
@ 1 2 hmvc 3; -> @ 3 2 -> -
https://lichess.org/analysis/8/7K/8/8/8/8/R7/7k_w_-_-_0_1 dm 8; -> @ 0 1 -> 8
7k/8/5K2/8/8/8/8/6Q1 w K - dm 8; -> 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1 -> 8 ! K
4k3/8/8/8/2pP4/8/8/4K3 b KQ d3 -> 4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1 -> - ! K ! Q
@ 5 dm 8; -> @ 5 1 -> 8 ! expected a FEN of 1, 2, 4 or 6 fields, found 5
@ - - dm 8; -> @ 0 1 -> 8 ! halfmove clock ! move number
8/7K/8/8/8/8/R7/7k W - - dm 8; -> @ 0 1 -> 8 ! side to move
"""


@pytest.mark.parametrize(("record", "fen", "expected"), arrows(POSITIONS))
def test_nonsense_in_positions_is_left_out(
    record: str, fen: str, expected: str
) -> None:
    record = record.replace("@", ROOK)
    assert read(record).fen == fen.replace("@", ROOK)
    words = [word.partition(": ")[0] for word in outcome(record).split(" ! ")]
    found = [word.removeprefix("castling right ") for word in words]
    assert " ! ".join(found) == expected
    assert outcome(f"{ROOK}\0") == "-"


BAD = """
@ 0 1 moves h7g6 -> expected a FEN of 1, 2, 4 or 6 fields, found 8
8/7K/8/8/8/8/R7/7k x - - dm 8; -> side to move: expected w or b, found 'x'
8/7K/8/8/8/8/R7/7k w HAha - -> castling rights: expected - or letters of KQkq (
hello dm 8; -> board: expected 8 ranks with / between them, found 1 in 'hello'
7k/8/8/8/8/8/8/8 w - - dm 8; -> expected one white king, found none
"""


def test_a_bad_record_is_refused_with_one_clear_line() -> None:
    for record, reason in arrows(BAD):
        assert outcome(record.replace("@", ROOK)).startswith(f"? {reason}")
    # in linear time; backtracking would take minutes
    found = outcome(f'{ROOK} {"a " * 50_000} "')
    reason = "? operations: expected a closing quote, found "
    assert found == f"{reason}'{'a ' * 30}'..."


IGNORED = """
v=-385 -> v
acd 3; acn 5; am Kg6; -> acd acn am
00:07; Kg6?; -- -> other text
ce 30012; ~ ce -M3; ~ ce -29998; ~ ce 32767; -> ce!
c0 "was bm #3"; -> c0!
c0 "Puzzle #3"; -> c0
id "Loyd, #3"; ~ id Loyd dm 3; -> id!
Be2 acd 9; -> other text acd
v2 Ke2 dm 3; -> v2!
mate by Loyd; -> mate!
id "Material 3"; ->
"""


def test_what_is_not_read_is_named() -> None:
    for tail, ignored in arrows(IGNORED):
        summary = claims.FileSummary("x")
        assert epd.parse_record(f"{ROOK} {tail}", "x:1", summary).claim is None
        found = [f"{name}{'!' * claim}" for name, claim in summary.ignored.items()]
        assert " ".join(found) == ignored


def test_no_move_is_taken_for_an_opcode() -> None:
    for board in walks.random_positions(100, seed=42):
        sans = [board.san(move) for move in board.legal_moves]
        lines = [move.uci() for move in board.legal_moves]
        for keys in (sans, lines):
            problem = read(f"{board.epd(en_passant='fen')} bm {' '.join(keys)} dm 9")
            assert problem.claim
            assert problem.claim.mate == 9
            assert set(problem.claim.keys) == set(lines)
            assert problem.warnings == ()


@settings(derandomize=True, deadline=None)
@given(st.text(max_size=200) | st.text('dmbpvi "\\#;:+-0123456789Kgh6', max_size=60))
def test_any_tail_gives_a_problem_or_a_one_line_error(tail: str) -> None:
    assert outcome(f"{ROOK} c0 x; {tail}").isprintable()


# --- matetrack: written back with nothing else changed


def row_of(text: str | bytes) -> Row:
    raw = text if isinstance(text, bytes) else text.encode()
    row = read_matetrack_row(raw, "some/mates.epd:7", claims.FileSummary())
    assert isinstance(row, Row), row
    return row


@pytest.mark.parametrize(
    ("tail", "expected", "fault"),
    cases(f"""
        bm #1                  | #1               | {MISSING}
        bm #1; PV: ;           | #1               | {MISSING}
        bm #1; PV: a1a8;       | #1 line a1a8
        dm 1; pv 1. Ra8#;      | #1 line a1a8
        bm #1 Ra8; PV: a1a8;   | #1 keys a1a8 line a1a8
        dm 1; bm #2;           | #1               | {MISSING}
        bm #1; PV: a1a9;       | #1               | pv: {UNREADABLE} 'a1a9'
        bm #2; PV: a1a8;       | #2 line a1a8     | pv: expected 3 plies, found 1
        bm #1; PV: a1a7;       | #1 line a1a7     | pv: expected mate at the end, found none
        bm #-1; PV: a1a7;      | #-1 line a1a7    | pv: expected 2 plies, found 1
    """),  # noqa: E501
)
def test_a_row_has_a_claim_and_a_fault(tail: str, expected: str, fault: str) -> None:
    row = row_of(f"{BACK_RANK} {tail}\n")
    assert (said(row.problem), row.fault) == (expected, fault)
    assert row.claim == row.problem.claim
    assert row.problem.source == "some/mates.epd:7"


REWRITTEN = """
    bm #2                           | bm #1; PV: a1a8;
    bm #2;PV: a1a7;c                | bm #1;PV: a1a8;c
    bm #2;   PV:  a1a7  h7h6 ; ;;   | bm #1;   PV:  a1a8 ; ;;
    bm #2; PV:;                     | bm #1; PV: a1a8;
    PV: a1a7; bm #2; dm 2;          | PV: a1a8; bm #1; dm 1;
    dm 2;                           | dm 1; pv Ra8#;
    dm +2; pv Ra7;                  | dm 1; pv Ra8#;
    dm 2; pv "Ra7 Kh8"; c           | dm 1; pv Ra8#; c
    bm#2; PV: a1a7;                 | bm#1; PV: a1a8;
    mate in 2 moves;                | mate in 1 moves; pv Ra8#;
    dm 2 pv Ra7                     | dm 1 pv Ra8#
    dm 2 acd 3                      | dm 1; pv Ra8#; acd 3
    dm 2; ce 32764; id "M\xfcller"; | dm 1; pv Ra8#; ce 32764; id "M\xfcller";
    bm #2; c1 "bm #2; PV: x";       | bm #1; PV: a1a8; c1 "bm #2; PV: x";
    id "#2 dm 2;"; dm 2;            | id "#2 dm 2;"; dm 1; pv Ra8#;
"""


@pytest.mark.parametrize(("before", "after"), cases(REWRITTEN))
def test_only_distance_and_moves_are_replaced(before: str, after: str) -> None:
    for counters in ("", " 3 17"):
        for end in ("\n", "\r\n", "\r", " \t\n", "", "\0\n"):
            row = row_of(f"{BACK_RANK}{counters} {before}{end}")
            written = row.rewrite(1, ["a1a8"]).decode()
            assert written == f"{BACK_RANK}{counters} {after}{end}"
            again = row_of(written)
            claim = (again.claim.mate, again.claim.line, again.fault)
            assert claim == (1, ("a1a8",), "")


NOT_REWRITTEN = r"""
                                 | none
    nomate 3;                    | nomate 3
    stipulation "s#2";           | s#2
    c0 bm #1;                    | none
    ce 32766;                    | #1
    mated in 1;                  | #-1
    bm #1; \xff\0                | ? expected text, found a NUL byte
    bm #0;                       | ? bm #: expected 1 to 200 moves
    bm #1; pv a1a8; PV: a1a8;    | ? expected one line
    c0 "open; bm #1;             | ? operations: expected a closing quote
    bm #1; PV: a1a8 "g; c "x;    | ? pv: expected moves, found 'a1a8 "g; c "x'
"""


@pytest.mark.parametrize(("tail", "expected"), cases(NOT_REWRITTEN))
def test_another_row_is_only_a_problem_or_one_error(tail: str, expected: str) -> None:
    text = f"{BACK_RANK} {tail}\n".replace(r"\xff\0", "\xff\0").encode("latin-1")
    found = read_matetrack_row(text, "x:1", claims.FileSummary())
    assert isinstance(found, FormatError if expected[:1] == "?" else Problem)
    assert expected.removeprefix("? ") in said(found)


# --- logs of matecheck.py: an engine's last score of each position

PRINTED = "Using ./engine on mates.epd\nTotal FENs:    4\nBest mates:    1\n"


def logged(text: str) -> Records:
    lines = enumerate(io.BytesIO(text.encode()), start=1)
    return list(epd.read_matecheck(lines, claims.FileSummary("run.log")))


def sent(*lines: str, pid: int = 7) -> str:
    """What an engine is sent, and what it answers after `>>`."""
    marked = (line if line.startswith(">>") else f"<< {line}" for line in lines)
    return "".join(f"DEBUG:chess.engine:<Uci (pid={pid})>: {line}\n" for line in marked)


def score(words: str) -> str:
    return f">> info depth 9 {words} nodes 685 time 2"


def answer(*scores: str, fen: str = LADDER, pid: int = 7) -> str:
    lines = ("ucinewgame", f"position fen {fen}", "go nodes 10000", *scores)
    return sent(*lines, ">> bestmove a2a7", pid=pid)


def test_the_last_mate_score_is_the_claim_with_its_line() -> None:
    last = f"{score('multipv 1 score mate 2')} pv a2a7 h8g8 b1b8"
    begun = "DEBUG:asyncio:Using selector: EpollSelector\n"
    text = begun + answer(score("multipv 1 score mate 3"), last)
    claim = Claim(2, (), ("a2a7", "h8g8", "b1b8"))
    assert logged(text) == [Problem(LADDER, "run.log:6", claim, "run.log:6")]
    text = sent("position startpos", score("score mate 9"), ">> bestmove e2e4")
    assert [one.fen for one in problems_of(logged(text))] == [chess.STARTING_FEN]


def test_the_last_exact_score_of_the_first_line_counts() -> None:
    for last, expected in {
        **dict.fromkeys(("depth 9 score cp 942", "score mate -0"), ""),
        "depth 9 score mate 1 upperbound": "#2",
        "depth 9 multipv 2 score mate 1": "#2",
        "depth 9 currmove a2a7": "#2",
        "string score mate 1": "#2",
    }.items():
        found = logged(answer(score("score mate 2"), f">> info {last}"))
        assert " ".join(map(said, found)) == expected


def test_engines_may_share_a_log_and_an_unfinished_search_claims_nothing() -> None:
    ours = answer(score("score mate 2")).splitlines()
    theirs = answer(score("score mate -1"), fen=f"{MATED} 0 1", pid=8).splitlines()
    mixed = "\n".join(line for pair in zip(ours, theirs, strict=True) for line in pair)
    assert [*map(said, logged(mixed + "\n"))] == ["#2", "#-1"]
    text = sent(f"position fen {LADDER}", "go infinite", score("score mate 2"))
    assert logged(text) == logged(text + answer(score("score cp 9"))) == []
    assert logged(sent(score("score mate 2"), ">> bestmove a2a7")) == []


def test_a_bad_line_or_claim_costs_only_itself() -> None:
    for line in ("a2a7 h8g8 b1b9", "0000"):
        (problem,) = logged(answer(f"{score('score mate 2')} pv {line}"))
        assert warned(problem) == f"pv: {UNREADABLE} '{line.split()[-1]}'"
        assert said(problem) == "#2"
    text = answer(score("score mate 201")) + answer(score("score mate 2"))
    moves = answer(score("score mate 2"), fen=f"{LADDER} moves a2a7")
    assert [(one.source, said(one)) for one in logged(text + moves)] == [
        ("run.log:4", f"mate: {DISTANCE} '201'"),
        ("run.log:9", "#2"),
        ("run.log:14", "expected a FEN of 1, 2, 4 or 6 fields, found 8"),
    ]


def test_what_matecheck_prints_claims_where_it_differs_from_the_file() -> None:
    for line, mate in {
        f'Found mate #-2 (better) for FEN "{LADDER[:-4]}" with bm #-3.': -2,
        f'Found mate #3 with PV status "error "no"" for FEN "{LADDER}"': 3,
        f'Found invalid mate #124 outside of [-123, 123] for FEN "{LADDER}"': 124,
        f'Only found mate #6 for FEN "{LADDER}" with bm #4.': 6,
        f'multipv2: Found mate #3 (better) for FEN "{LADDER}"  with bm #5.': 0,
    }.items():
        text = f"Loaded 4 FENs with 3 bm values.\n\n{line}\nPV: a2a9\n{PRINTED}"
        problem = Problem(LADDER, "run.log:3", Claim(mate or 1), "run.log:3")
        assert logged(text) == [problem] * bool(mate)


def test_a_log_is_recognised_and_another_file_is_one_error(tmp_path: Path) -> None:
    for line in (
        "DEBUG:chess.engine:<UciProtocol (pid=7)>: Connection made",
        "Logging of engine output to run.log enabled.",
        "Loaded 4 FENs with 3 bm values, with |bm| (min avg max): 1 3 8.",
        f'Found mate #-2 (better) for FEN "{MATED} 0 1" with bm #-3.',
    ):
        assert detection.detect(line.encode()) == "matecheck", line
    path = tmp_path / "run.log"
    path.write_text("hello\nworld\n")
    (error,) = registry.read_collection(path, claims.ReadOptions("matecheck"))
    reason = "expected a log of matecheck.py, found none of its lines"
    assert error == FormatError(f"{path}:3", reason)
