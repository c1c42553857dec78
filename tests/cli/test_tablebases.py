"""Tablebases beside the search: what they add, and how they fail."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import chess
import pytest

from tests.endgames.gaviota import write_table
from tests.oracles.endgames import solve_endgame

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Matesolve

LONGEST = "8/8/R7/1k6/8/8/8/7K w - - 0 1"
MOVES = 16
SHORT = "8/8/8/8/8/5K2/R7/6k1 w - - 0 1"
"""A mate in 3."""

FEW_NODES = ("--nodes", "1000")
"""Too few nodes to prove anything about 15 moves."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory with the Gaviota table KRvK."""
    directory = tmp_path_factory.mktemp("gaviota")
    write_table(solve_endgame(chess.ROOK), directory)
    return str(directory)


@pytest.fixture(autouse=True, scope="module")
def _compiled(matesolve: Matesolve) -> None:
    """Compile before the tests, so that none of them gets the notice."""
    matesolve("solve", SHORT)


def test_a_mate_beyond_the_search_is_found_and_labelled(
    tables: str, matesolve: Matesolve
) -> None:
    code, out, err = matesolve(
        "solve", LONGEST, "--tablebases", tables, *FEW_NODES, "--jsonl"
    )

    record = json.loads(out)
    board = chess.Board(LONGEST)
    for move in record["pv"]:
        board.push_uci(move)
    assert (code, err) == (3, "")
    assert (record["status"], record["mate"]) == ("found", MOVES)
    assert (record["tablebase"], record["keys_complete"]) == ("gaviota", True)
    assert 1 <= record["lower_bound"] < MOVES
    assert len(record["pv"]) == 2 * MOVES - 1
    assert board.is_checkmate()


def test_without_limits_the_search_ends_with_the_tablebase_result(
    tables: str, matesolve: Matesolve
) -> None:
    fen = "8/8/8/8/8/1k6/8/R6K b - - 0 1"

    code, out, _ = matesolve("solve", fen, "--tablebases", tables, "--jsonl")

    record = json.loads(out)
    assert (code, record["status"]) in {(0, "proved"), (3, "found")}
    assert record["mate"] < 0
    assert ("tablebase" in record) == (record["status"] == "found")


def test_a_proof_needs_no_tablebase(tables: str, matesolve: Matesolve) -> None:
    code, out, _ = matesolve("solve", SHORT, "--tablebases", tables, "--jsonl")

    record = json.loads(out)
    assert (code, record["status"], record["mate"]) == (0, "proved", 3)
    assert "tablebase" not in record


def test_a_mate_with_all_moves_is_no_answer_under_a_restriction(
    tables: str, matesolve: Matesolve
) -> None:
    code, out, err = matesolve(
        "solve", SHORT, "--tablebases", tables, "--checks-only", "--jsonl"
    )

    record = json.loads(out)
    assert (code, record["status"], err) == (1, "disproved", "")
    assert "tablebase" not in record


def test_no_mate_with_all_moves_is_no_mate_under_a_restriction(
    tables: str, matesolve: Matesolve
) -> None:
    asked = ("solve", LONGEST, "-n", str(MOVES - 1), "--tablebases", tables)

    out = matesolve(*asked, "--king-flights", "6", *FEW_NODES, "--jsonl").out

    assert json.loads(out)["tablebase"] == "gaviota"


def test_a_longer_mate_than_requested_is_denied_not_disproved(
    tables: str, matesolve: Matesolve
) -> None:
    asked = ("solve", LONGEST, "-n", str(MOVES - 1), "--tablebases", tables)

    code, out, _ = matesolve(*asked, *FEW_NODES, "--jsonl")

    record = json.loads(out)
    assert (code, record["status"], record["mate"]) == (3, "undecided", None)
    assert record["tablebase"] == "gaviota"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [(MOVES, "holds"), (MOVES + 1, "shorter"), (MOVES - 1, "undecided")],
)
def test_an_audit_probes_tablebases_too(
    tables: str, matesolve: Matesolve, claim: int, verdict: str
) -> None:
    line = f"{LONGEST.removesuffix(' 0 1')} dm {claim};\n"

    _, out, err = matesolve(
        "verify", "-", "--tablebases", tables, *FEW_NODES, "--jsonl", stdin=line
    )

    record = json.loads(out)
    assert (record["verdict"], err) == (verdict, "")
    assert record["tablebase"] == "gaviota"


@pytest.mark.parametrize("command", ["solve", "verify"])
def test_an_invalid_directory_is_one_line(
    tmp_path: Path, matesolve: Matesolve, command: str
) -> None:
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()

    absent = matesolve(command, "-", "--tablebases", str(missing), stdin=SHORT)
    bare = matesolve(command, "-", "--tablebases", str(empty), stdin=SHORT)

    assert (absent.code, absent.out) == (74, "")
    assert re.fullmatch(r"error: \S+missing: [ -~]+\n", absent.err)
    assert (bare.code, bare.out) == (65, "")
    assert re.fullmatch(r"error: \S+empty: expected tables, [ -~]+\n", bare.err)


@pytest.mark.parametrize("command", ["solve", "verify"])
def test_a_damaged_tablebase_is_one_line(
    tmp_path: Path, matesolve: Matesolve, command: str
) -> None:
    (tmp_path / "krk.gtb.cp4").write_bytes(b"no table")

    code, out, err = matesolve(
        command, "-", "--tablebases", str(tmp_path), stdin=LONGEST
    )

    assert (code, out) == (65, "")
    assert re.fullmatch(
        r"error: \S+krk\.gtb\.cp4: expected a whole table, [ -~]+\n", err
    )
