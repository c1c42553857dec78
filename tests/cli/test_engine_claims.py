"""Mates that engines claim: verdicts and exit codes of `verify`, and the CI recipe."""

from __future__ import annotations

import os
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import processes

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "engine-mates.md"

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - -"
"""Mate in 2."""

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
"""Mate in 8."""


def epd(mate: int, fen: str = LADDER, line: str = "") -> str:
    return f"{fen} bm #{mate};{line and f' PV: {line};'}\n"


def game(plies: int) -> str:
    return f'[Event "x"]\n[FEN "{LADDER} 0 1"]\n\n1. Ra7 {{+M{plies}/9 1s}} *\n'


def log(mate: int, line: str = "a2a7 h8g8") -> str:
    said = [
        f"<< position fen {LADDER} 0 1",
        f">> info depth 6 multipv 1 score mate {mate} nodes 685 pv {line}",
        ">> bestmove a2a7",
    ]
    engine = "DEBUG:chess.engine:<UciProtocol (pid=7)>: "
    return "".join(f"{engine}{words}\n" for words in said)


@pytest.mark.parametrize(
    ("texts", "source_format"),
    [
        (tuple(map(epd, (1, 2, 3))), "auto"),
        (tuple(map(game, (1, 3, 5))), "scores"),
        ((log(1, "a2a7"), log(2), log(3)), "auto"),
    ],
    ids=["EPD", "PGN", "log"],
)
def test_an_engines_claim_gets_its_verdict_and_exit_code(
    matesolve: Matesolve, texts: tuple[str, str, str], source_format: str
) -> None:
    def verify(text: str, *options: str) -> tuple[int, str]:
        arguments = ["verify", "-", "--format", source_format, "-q", *options]
        ended = matesolve(*arguments, stdin=text)
        return ended.code, ended.out.split("\n", 1)[0].partition("claimed ")[2]

    too_short, right, too_long = texts
    assert verify(too_short) == (
        1,
        "mate in 1, but no mate in 1 exists, only mate in 2 (proved): 1. Rb7 Kg8 2. "
        "Ra8#",
    )
    assert verify(right) == (0, "")
    assert verify(too_long)[0] == 1
    assert verify(too_long)[1].startswith("mate in 3, found mate in 2: 1. Rb7")
    for options in (["--within", "--follow"], ["--fail-on", "refuted"]):
        assert verify(too_short, *options)[0] == 1
        assert verify(right, *options)[0] == verify(too_long, *options)[0] == 0


def test_a_claim_of_the_wrong_side_is_refuted(matesolve: Matesolve) -> None:
    ended = matesolve("verify", "-", "-q", stdin=log(-2))
    assert ended.code == 1
    assert "claimed mated in 2, found" in ended.out


def test_a_claim_in_a_game_is_named_after_game_and_move(matesolve: Matesolve) -> None:
    text = f"{game(3)}\n{game(1)}"
    ended = matesolve("verify", "-", "--format", "scores", "-q", stdin=text)
    assert ended.out.startswith("stdin:6: game 2, 1. Ra7: claimed mate in 1, but no")


def test_games_of_which_no_score_is_read_are_no_success(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    words, scores = tmp_path / "words.pgn", tmp_path / "scores.pgn"
    words.write_text(game(3).replace("+M3/9 1s", "mate in 2"))
    scores.write_text(game(3))
    unread = (
        f"{words} (1 comment looks like a mate score, but cannot be read: first "
        f"'mate in 2' ({words}:1, game 1, after 1. Ra7))"
    )
    arguments = "verify", "--format", "scores", "-q", str(words)
    nothing = f"error: expected records, found none: {unread}\n"
    assert matesolve(*arguments) == (65, "", nothing)
    ended = matesolve(*arguments, str(scores))
    assert ended == (0, "", f"warning: {unread}: no records\n")


@pytest.mark.parametrize(
    ("text", "source_format", "error"),
    [
        (
            epd(201),
            "auto",
            "stdin:1: bm #: expected 1 to 200 moves, negative when the side to move is "
            "mated, found '201'",
        ),
        (
            log(201, "a2a7"),
            "auto",
            "stdin:2: mate: expected 1 to 200 moves, negative when the side to move is "
            "mated, found '201'",
        ),
        (
            game(403),
            "scores",
            "stdin:1: game 1, 1. Ra7: expected 1 to 200 moves, negative when the side "
            "to move is mated, found '202'",
        ),
    ],
)
def test_bad_input_is_one_line(
    matesolve: Matesolve, text: str, source_format: str, error: str
) -> None:
    ended = matesolve("verify", "-", "--format", source_format, stdin=text)
    assert ended.err == f"error: {error}\n"
    assert ended.code == 65


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        (epd(2, line="a2a7 h8g8 b1b8"), 0),
        (epd(1), 1),
        (epd(7, ROOK), 0),  # undecided: 3 is accepted
        (epd(201), 1),
    ],
    ids=["right", "refuted", "undecided", "unreadable"],
)
def test_the_recipe_for_continuous_integration(
    tmp_path: Path, environment: dict[str, str], claim: str, code: int
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (recipe,) = re.findall(
        r"^```sh\n(status=0\n.*?)^```$", page, re.DOTALL | re.MULTILINE
    )
    job = "".join(f"          {line}\n" for line in recipe.splitlines())
    assert job in page
    recipe = recipe.replace("--nodes 1000000", "--nodes 1000")
    (tmp_path / "claims.epd").write_text(claim)
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([scripts, environment["PATH"]])
    ended = processes.run(
        ["sh", "-e", "-c", recipe], cwd=tmp_path, env={**environment, "PATH": path}
    )
    assert ended.returncode == code, ended.stderr
    assert (tmp_path / "claims.db").exists()
    assert (tmp_path / "claims.html").exists()
