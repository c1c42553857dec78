"""Claims in a log of matecheck.py: an engine's last score of each position."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import chess
import pytest

from solver.errors import FormatError
from solver.formats import detection, epd, registry
from solver.formats.claims import FileSummary, ReadOptions
from solver.problem import Claim, Problem

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
MATED = "7k/8/6K1/8/8/8/8/R7 b - - 0 1"
SUMMARY = """\
Using ./engine on mates.epd with --nodes 10000
Engine ID:     Engine 1
Total FENs:    4
Found mates:   2
Best mates:    1
"""


def read(text: str) -> list[Problem | FormatError]:
    lines = enumerate(io.BytesIO(text.encode()), start=1)
    return list(epd.read_matecheck(lines, FileSummary("run.log")))


def sent(*said: str, pid: int = 7) -> str:
    """What an engine is sent, and what it answers after `>>`."""
    return "".join(
        f"DEBUG:chess.engine:<UciProtocol (pid={pid})>: "
        f"{line if line.startswith('>>') else f'<< {line}'}\n"
        for line in said
    )


def score(words: str) -> str:
    return f">> info depth 9 {words} nodes 685 time 2"


def answer(*scores: str, fen: str = LADDER, pid: int = 7) -> str:
    said = [f"position fen {fen}", "go nodes 10000", *scores, ">> bestmove a2a7"]
    return sent("ucinewgame", *said, pid=pid)


def claims(text: str) -> list[Claim | None]:
    problems = read(text)
    assert all(isinstance(problem, Problem) for problem in problems), problems
    return [problem.claim for problem in problems if isinstance(problem, Problem)]


def test_the_last_mate_score_is_the_claim_with_its_line_and_the_line_of_the_log() -> (
    None
):
    text = "DEBUG:asyncio:Using selector: EpollSelector\n" + answer(
        score("multipv 1 score mate 3"),
        f"{score('multipv 1 score mate 2')} pv a2a7 h8g8 b1b8",
    )
    claim = Claim(2, (), ("a2a7", "h8g8", "b1b8"))
    assert read(text) == [Problem(LADDER, "run.log:6", claim, "run.log:6")]


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (score("score cp 942"), []),
        (score("score mate 1 upperbound"), [Claim(2)]),
        (score("lowerbound score mate 1"), [Claim(2)]),
        (score("multipv 2 score mate 1"), [Claim(2)]),
        (">> info depth 9 currmove a2a7 currmovenumber 1", [Claim(2)]),
        (">> info string score mate 1", [Claim(2)]),
        (">> info score mate -0", []),
        (">> readyok", [Claim(2)]),
    ],
)
def test_the_last_exact_score_of_the_first_line_counts(
    last: str, expected: list[Claim]
) -> None:
    assert claims(answer(score("score mate 2"), last)) == expected


def test_several_engines_may_write_one_log() -> None:
    ours, theirs = (
        answer(score(f"score mate {mate}"), fen=fen, pid=pid).splitlines(keepends=True)
        for mate, fen, pid in [(2, LADDER, 7), (-1, MATED, 8)]
    )
    mixed = "".join(line for pair in zip(ours, theirs, strict=True) for line in pair)
    assert claims(mixed) == [Claim(2), Claim(-1)]


def test_an_unfinished_search_claims_nothing() -> None:
    text = sent(f"position fen {LADDER}", "go infinite", score("score mate 2"))
    assert claims(text) == []
    assert claims(text + answer(score("score cp 9"))) == []
    assert claims(sent(score("score mate 2"), ">> bestmove a2a7")) == []


def test_the_initial_position() -> None:
    text = sent("position startpos", score("score mate 9"), ">> bestmove e2e4")
    (problem,) = read(text)
    assert isinstance(problem, Problem)
    assert problem.fen == chess.STARTING_FEN


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("a2a7 h8g8 b1b9", "pv: expected a move in SAN or UCI, found 'b1b9'"),
        (
            "a2a7 h8h7",
            "pv: expected a legal, unambiguous move in SAN or UCI, found 'h8h7'",
        ),
        ("0000", "pv: expected a move in SAN or UCI, found '0000'"),
    ],
)
def test_a_bad_line_costs_only_itself(line: str, warning: str) -> None:
    (problem,) = read(answer(f"{score('score mate 2')} pv {line}"))
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(2)
    assert problem.warnings == (f"{warning}; kept mate in 2",)


def test_a_bad_claim_is_one_error_and_the_next_is_read() -> None:
    text = answer(score("score mate 201")) + answer(score("score mate 2"))
    error, problem = read(text)
    reason = "expected 1 to 200 moves, negative when the side to move is mated"
    assert error == FormatError("run.log:4", f"mate: {reason}, found '201'")
    assert isinstance(problem, Problem)


def test_moves_after_the_position_are_refused() -> None:
    (error,) = read(answer(score("score mate 2"), fen=f"{LADDER} moves a2a7"))
    assert isinstance(error, FormatError)
    assert error.reason == "expected a FEN of 1, 2, 4 or 6 fields, found 8"


@pytest.mark.parametrize(
    ("line", "mate"),
    [
        (f'Found mate #-2 (better) for FEN "{LADDER[:-4]}" with bm #-3.', -2),
        (f'Found mate #3 (wrong sign) for FEN "{LADDER}"  with bm #-3.', 3),
        (f'Found mate #3 with PV status "short" for FEN "{LADDER}"  with bm #2.', 3),
        (f'Found mate #3 with PV status "error "no"" for FEN "{LADDER}"', 3),
        (f'Found invalid mate #124 outside of [-123, 123] for FEN "{LADDER}"', 124),
        (f'Only found mate #6 for FEN "{LADDER}" with bm #4.', 6),
    ],
)
def test_what_matecheck_prints_claims_where_it_differs_from_the_file(
    line: str, mate: int
) -> None:
    text = f"Loaded 4 FENs with 3 bm values.\n\n{line}\nPV: a2a9\n{SUMMARY}"
    claim = Claim(mate)
    assert read(text) == [Problem(LADDER, "run.log:3", claim, "run.log:3")]


def test_secondary_lines_and_an_empty_result_claim_nothing() -> None:
    line = f'multipv2: Found mate #3 (better) for FEN "{LADDER}"  with bm #5.'
    assert read(f"{line}\nDid not find mate.\n{SUMMARY}") == []


def test_another_file_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_text("hello\nworld\n")
    (error,) = registry.read_collection(path, ReadOptions(source_format="matecheck"))
    reason = "expected a log of matecheck.py, found none of its lines"
    assert error == FormatError(f"{path}:3", reason)


@pytest.mark.parametrize(
    "line",
    [
        "DEBUG:asyncio:Using selector: EpollSelector",
        "DEBUG:chess.engine:<UciProtocol (pid=7)>: Connection made",
        "Logging of engine output to run.log enabled.",
        "Loaded 4 FENs with 3 bm values, with |bm| (min avg max): 1 3 8.",
        "Loading FENs...",
        f'Found mate #-2 (better) for FEN "{MATED}" with bm #-3.',
    ],
)
def test_a_log_is_recognised(line: str) -> None:
    assert detection.detect(line.encode()) == "matecheck"
