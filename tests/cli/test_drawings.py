"""`matesolve solve` with `--svg`, `--pgn`, `--html` and `--accepted`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import chess.pgn

from solver import accepted
from solver.errors import BuildingStoppedError
from tests.cli.conftest import names, rows
from tests.played import require_whole_mate, walk

if TYPE_CHECKING:
    import pytest

    from solver.play.record import Variations
    from tests.cli.conftest import Cli

FEN = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
"""Mate in 3."""

SEED = "8/7K/8/8/8/8/R7/7k"
FILES = ("--svg", "a.svg", "--pgn", "a.pgn", "--html", "a.html")


def game() -> chess.pgn.Game:
    (read,) = games_of(Path("a.pgn").read_text(encoding="utf-8"))
    return read


def games_of(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert all(game.errors == [] for game in games)
    return games


def longest_mate(mate: int) -> int:
    """Check with python-chess that the game's variations mate; return the moves."""
    plies = walk(
        game().board(),
        game().variations,
        attacking=True,
        move_of=lambda node: node.move.uci(),
        next_of=lambda node: node.variations,
    )
    return require_whole_mate(plies, mate)


def test_an_answer_is_written_in_every_form(matesolve: Cli) -> None:
    words = (*FILES, "--certificate", "a.json", "--jsonl")
    code, out, err = matesolve("solve", FEN, *words)
    assert (code, err) == (0, "")
    assert out.startswith('{"schema":1,')
    assert names() == ["a.html", "a.json", "a.pgn", "a.svg"]
    assert ET.parse("a.svg").getroot().tag.endswith("}svg")
    page = Path("a.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "White mates in 3." in page
    assert '"modules"' not in page
    assert longest_mate(3) == 3
    assert matesolve("check", "a.json")[0] == 0


ANSWERS = f"""
{FEN} | -n 2 | 1 | Proved: no mate takes 2 or fewer moves.
{SEED} | --nodes 3000 | 3 | Undecided. Proved: no mate takes 3 or fewer moves
7k/6Q1/6K1/8/8/8/8/8 b - - | | 0 | checkmate.
7k/8/p5K1/8/8/8/8/1R6 b - - | | 0 | mated in 1. Proved
"""


def test_every_kind_of_answer_is_written_and_sets_the_exit_code(matesolve: Cli) -> None:
    for fen, options, code, begins in rows(ANSWERS):
        ended = matesolve("solve", fen, *options.split(), *FILES)
        assert ended[::2] == (int(code), "")
        assert names() == ["a.html", "a.pgn", "a.svg"]
        assert game().comment.startswith(begins)


def test_the_same_answer_has_the_same_bytes(matesolve: Cli) -> None:
    for suffix in ("svg", "pgn"):
        for name in ("a", "b"):
            words = ("--king-flights", "2", f"--{suffix}", f"{name}.{suffix}")
            assert matesolve("solve", SEED, *words).code == 0
        assert Path(f"a.{suffix}").read_bytes() == Path(f"b.{suffix}").read_bytes()
    assert "Restricted: at most 2 king flights." in " ".join(game().comment.split())


def test_an_interrupt_while_building_leaves_only_the_diagram(
    matesolve: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> Variations:
        raise BuildingStoppedError

    monkeypatch.setattr("solver.play.builder.build_variations", stop)
    code, out, err = matesolve("solve", FEN, *FILES)
    lines = [f"interrupted: a.{suffix} is not written\n" for suffix in ("pgn", "html")]
    assert (code, err) == (130, "".join(lines))
    assert "White mates in 3." in out
    assert names() == ["a.svg"]


# --- `--accepted`: the same tree in records, in games and in Python

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


def test_record_and_game_have_the_tree(matesolve: Cli) -> None:
    words = (TWO_KEYS, "--accepted", "--pgn", "a.pgn")
    code, out, err = matesolve("solve", *words, "--jsonl")
    record = json.loads(out)
    assert (code, err, list(record)[-1]) == (0, "", "accepted")
    assert record["accepted"] == accepted(TWO_KEYS, 2)
    assert tree_of(game()) == plain(record["accepted"])
    assert [move.uci() for move in game().mainline_moves()] == record["pv"]
    assert matesolve("solve", *words[:2]).out.splitlines()[-5:] == [
        "Keys",
        "  1.Kg6! (takes flight h7)",
        "    1...Kg8 2.Ra8# (ideal)",
        "  1.Kf7! (takes flight g8)",
        "    1...Kh7 2.Rh1# (ideal)",
    ]
    code, out, _ = matesolve("solve", *words[:2], "-n", "1", "--jsonl")
    assert (code, json.loads(out)["accepted"]["right_moves"]) == (1, [])


USAGE_ERRORS = """
solve - --pgn a | --svg, --pgn and --html take a single position.
solve {fen} --solver --svg a | --solver needs --html.
solve {fen} --accepted --variations | --accepted and --variations cannot be combined.
solve {fen} --accepted --checks-only | cannot be combined with --accepted.
solve {fen} --accepted --stipulation s#2 | cannot be combined with --stipulation s#2.
convert - - --accepted --to csv | --accepted needs JSON lines, PGN or .db3, and no --co
"""


def test_other_play_and_other_formats_are_usage_errors(matesolve: Cli) -> None:
    for words, message in rows(USAGE_ERRORS):
        code, out, err = matesolve(*words.format(fen=TWO_KEYS).split())
        assert (code, out) == (2, "")
        assert message in err
        assert names() == []


def test_trees_keep_to_the_claims(matesolve: Cli) -> None:
    words = ("convert", "-", "-", "--accepted", "--to")
    code, out, err = matesolve(*words, "jsonl", stdin=ROWS)
    assert (code, err) == (0, "2 written, 0 not selected, 0 skipped\n")
    trees = [json.loads(line)["accepted"] for line in out.splitlines()]
    other = ROWS.splitlines()[1].partition(" dm")[0]
    assert trees == [accepted(TWO_KEYS, 3), accepted(other, 2)]
    # The same problems are read again.
    again = matesolve(*words, "jsonl", stdin=out)
    assert (again.code, again.out) == (0, out)
    games = games_of(matesolve(*words, "pgn", stdin=ROWS).out)
    assert [tree_of(game) for game in games] == [plain(tree) for tree in trees]
    line = [move.uci() for move in games[1].mainline_moves()]
    assert line == ["f5h3", "b5c7", "f3g2"]
    assert trees[1]["right_moves"][0]["reply"]["uci"] == "a1b1"


WITHOUT_A_TREE = """
dm 1; | a mate within 1 move, found none in this position
dm -2; | a mate by the side to move, found mated in 2
nomate 1; | a mate by the side to move, found none
stipulation "s#2"; | a mate by the side to move, found s#2
"""


def test_a_record_without_a_tree_is_named(matesolve: Cli) -> None:
    claims, faults = zip(*rows(WITHOUT_A_TREE), strict=True)
    text = "".join(f"{TWO_KEYS} {claim}\n" for claim in claims)
    words = ("convert", "-", "-", "--accepted", "--to", "jsonl")
    code, out, err = matesolve(*words, stdin=f"{text}{ROWS}")
    assert (code, out.count("\n")) == (65, 2)
    for line, fault in enumerate(faults, start=1):
        assert f"error: stdin:{line}: claim: expected {fault}\n" in err
