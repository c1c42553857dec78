"""`--accepted`: the same tree in records, in games and in Python."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import chess.pgn
import pytest

from solver import accepted
from solver.formats import registry
from solver.problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Matesolve

TWO_KEYS = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
ROWS = (
    f'{TWO_KEYS} dm 3; id "rook";\n'
    "rn3k2/p3p1bp/8/1N1p1b2/1p3P1p/2PP1q1B/P3N2K/R1B5 b - - dm 2; "
    'pv Bxh3 Nc7 Qg2#; id "another reply";\n'
)


def tree_of(node: chess.pgn.GameNode) -> list[Any]:
    """Return the accepted moves of a game, in UCI, with the reply and those after it.

    Of several replies, the last one is that of the tree; a claimed line precedes it.
    """
    found: list[Any] = []
    for right in node.variations:
        reply = right.variations[-1] if right.variations else None
        after = [] if reply is None else [reply.move.uci(), tree_of(reply)]
        found.append([right.move.uci(), *after])
    return sorted(found)


def plain(tree: dict[str, Any]) -> list[Any]:
    """Return a tree in the form of `tree_of`."""
    found: list[Any] = []
    for right in tree["right_moves"]:
        after = [right["reply"]["uci"], plain(right)] if "reply" in right else []
        found.append([right["uci"], *after])
    return sorted(found)


def games_of(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert all(game.errors == [] for game in games)
    return games


def test_an_answer_has_its_tree_in_the_record_and_in_the_game(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    path = tmp_path / "tree.pgn"
    words = (TWO_KEYS, "--accepted", "--pgn", str(path))
    code, out, err = matesolve("solve", *words, "--jsonl")
    record = json.loads(out)
    assert (code, err, list(record)[-1]) == (0, "", "accepted")
    assert record["accepted"] == accepted(TWO_KEYS, 2)
    (game,) = games_of(path.read_text())
    assert tree_of(game) == plain(record["accepted"])
    assert [move.uci() for move in game.mainline_moves()] == record["pv"]
    assert matesolve("solve", *words[:2]).out.splitlines()[-5:] == [
        "Keys",
        "  1.Kg6! (takes flight h7)",
        "    1...Kg8 2.Ra8# (ideal)",
        "  1.Kf7! (takes flight g8)",
        "    1...Kh7 2.Rh1# (ideal)",
    ]


def test_without_a_mate_the_tree_is_empty(matesolve: Matesolve) -> None:
    code, out, _ = matesolve("solve", TWO_KEYS, "-n", "1", "--accepted", "--jsonl")
    assert code == 1
    assert json.loads(out)["accepted"] == {"complete": True, "right_moves": []}


def test_a_limit_of_the_search_cuts_the_tree(matesolve: Matesolve) -> None:
    fen = "8/8/7p/5K1k/8/6p1/5bPP/4N3 w - - 0 1"
    words = ("solve", fen, "--first", "--accepted")
    whole = json.loads(matesolve(*words, "--jsonl").out)
    nodes = str(whole["nodes"] + 50)
    code, out, _ = matesolve(*words, "--nodes", nodes, "--jsonl")
    assert (code, whole["accepted"]["complete"]) == (0, True)
    assert json.loads(out)["accepted"]["complete"] is False
    cut = "  The tree is cut: more moves are accepted.\n"
    assert matesolve(*words, "--nodes", nodes).out.endswith(cut)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--variations", "--accepted and --variations cannot be combined."),
        ("--depth 1", "--accepted and --depth cannot be combined."),
        ("--checks-only", "cannot be combined with --accepted."),
        ("--stipulation s#2", "--accepted cannot be combined with --stipulation s#2."),
    ],
)
def test_other_play_is_a_usage_error(
    matesolve: Matesolve, options: str, message: str
) -> None:
    code, out, err = matesolve("solve", TWO_KEYS, "--accepted", *options.split())
    assert (code, out) == (2, "")
    assert message in err


def test_a_collection_gets_trees_within_its_claims(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    words = ("convert", "-", "-", "--accepted", "--to")
    code, out, err = matesolve(*words, "jsonl", stdin=ROWS)
    assert (code, err) == (0, "2 written, 0 not selected, 0 skipped\n")
    trees = [json.loads(line)["accepted"] for line in out.splitlines()]
    rook, other = ROWS.splitlines()
    assert trees == [accepted(TWO_KEYS, 3), accepted(other.partition(" dm")[0], 2)]
    # What is read again are the same problems, without a field more.
    path = tmp_path / "rows.jsonl"
    path.write_text(out)
    for read, row in zip(registry.read_collection(path), (rook, other), strict=True):
        assert isinstance(read, Problem)
        (given,) = registry.read_text(row)
        assert isinstance(given, Problem)
        assert (read.fen, read.claim, read.id) == (given.fen, given.claim, given.id)

    games = games_of(matesolve(*words, "pgn", stdin=ROWS).out)
    assert [tree_of(game) for game in games] == [plain(tree) for tree in trees]
    first = trees[0]["right_moves"][0]
    line = [move.uci() for move in games[0].mainline_moves()]
    assert line[:2] == [first["uci"], first["reply"]["uci"]]
    line = [move.uci() for move in games[1].mainline_moves()]
    assert line == ["f5h3", "b5c7", "f3g2"]
    assert trees[1]["right_moves"][0]["reply"]["uci"] == "a1b1"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (f"{TWO_KEYS} dm 1;", "a mate within 1 move, found none in this position"),
        (f"{TWO_KEYS} dm -2;", "a mate by the side to move, found mated in 2"),
        (f"{TWO_KEYS} nomate 1;", "a mate by the side to move, found none"),
        (f'{TWO_KEYS} stipulation "s#2";', "a mate by the side to move, found s#2"),
    ],
)
def test_a_record_without_a_tree_is_named(
    matesolve: Matesolve, row: str, fault: str
) -> None:
    words = ("convert", "-", "-", "--accepted", "--to", "jsonl")
    code, out, err = matesolve(*words, stdin=f"{row}\n{ROWS}")
    assert (code, out.count("\n")) == (65, 2)
    assert f"error: stdin:1: claim: expected {fault}\n" in err


@pytest.mark.parametrize("options", ["--to csv", "--correct run.db"])
def test_formats_without_trees_are_a_usage_error(
    matesolve: Matesolve, options: str
) -> None:
    code, _, err = matesolve("convert", "-", "-", "--accepted", *options.split())
    assert code == 2
    assert "--accepted needs JSON lines, PGN or .db3, and no --correct." in err
