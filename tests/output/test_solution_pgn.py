"""Answers as PGN games, written and read back, and as diagrams in SVG."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import chess
import chess.pgn
import pytest

from solver import __version__
from solver.formats.registry import read_collection
from solver.output.shown_play import encode_svg, svg
from solver.output.solution_pgn import encode_pgn, encode_solutions
from solver.play.builder import build_variations
from solver.play.record import PlayOptions, Variations
from solver.problem import Claim, Limits, Problem, Restriction, Stipulation
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.output.answers import (
    MATED,
    ROOK,
    ROOK_BY_TABLE,
    ROOK_DISPROVED,
    ROOK_FOUND,
    ROOK_UNDECIDED,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
)
from tests.output.play_trees import HELPMATE, shuffled
from tests.played import require_whole_mate, walk
from tests.typed_play import attack_of, defence_of, play_record, typed

PUZZLES = Path(__file__).parents[2] / "puzzles"

SMOTHERED_PLAY = Variations(
    keys=(attack_of("c4g8", 1, defences=[defence_of("f8g8", [attack_of("h6f7", 0)])]),)
)


def pgn(solution: Solution, play: Variations) -> bytes:
    return encode_pgn(solution, play_record(replace(play, fen=solution.problem.fen)))


def games(data: bytes) -> list[chess.pgn.Game]:
    file = io.StringIO(data.decode())
    found = list(iter(lambda: chess.pgn.read_game(file), None))
    assert all(game.errors == [] for game in found)
    return found


def read_back(solution: Solution, play: Variations | None = None) -> chess.pgn.Game:
    """Read the one game of a file."""
    (game,) = games(pgn(solution, play or Variations()))
    return game


def comment(solution: Solution, play: Variations | None = None) -> str:
    return " ".join(read_back(solution, play).comment.split())


def test_a_game_has_its_tags_comment_and_moves() -> None:
    assert (
        pgn(SMOTHERED, SMOTHERED_PLAY).decode()
        == f"""\
[Event "smothered"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "?"]
[Result "1-0"]
[Annotator "matesolve {__version__}"]
[SetUp "1"]
[FEN "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"]

{{ mate in 2. Proved, and none is shorter. }} 1. Qg8+ $1 Rxg8 2. Nf7# 1-0
"""
    )


CHECKMATE = replace(MATED, mate=0, lower_bound=0)
RESULTS = {
    "1-0": (SMOTHERED, ROOK_FOUND),
    "0-1": (SMOTHERED_BY_BLACK, MATED, CHECKMATE),
    "*": (ROOK_DISPROVED, ROOK_UNDECIDED),
}


@pytest.mark.parametrize("result", RESULTS)
def test_the_result_is_that_of_the_mate(result: str) -> None:
    for solution in RESULTS[result]:
        game = read_back(solution)
        assert game.headers["Result"] == result
        assert game.board().fen() == solution.problem.fen


CHECKS = Restriction(checks_only=True)
SHORTER = "mate in 3. Proved; there may be a shorter one."
NONE_IN_2 = "Proved: no mate takes 2 or fewer moves"


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        (MATED, "mated in 1. Proved, and none is shorter."),
        (CHECKMATE, "checkmate."),
        (
            ROOK_FOUND,
            f"{SHORTER} Proved: no mate takes 1 move. There may be more keys.",
        ),
        (replace(ROOK_FOUND, lower_bound=1), f"{SHORTER} There may be more keys."),
        (ROOK_BY_TABLE, "mate in 3. From a tablebase. Proved: no mate takes 1 move."),
        (ROOK_DISPROVED, f"{NONE_IN_2}."),
        (
            replace(ROOK_DISPROVED, problem=replace(ROOK, claim=Claim(-2))),
            "Proved: no mate against White takes 2 or fewer moves.",
        ),
        (ROOK_UNDECIDED, "Undecided."),
        (
            replace(ROOK_UNDECIDED, lower_bound=5),
            "Undecided. Proved: no mate takes 4 or fewer moves.",
        ),
        (
            replace(SMOTHERED, restriction=CHECKS),
            "mate in 2. Proved, and none is shorter under this restriction. "
            "Restricted: checks only.",
        ),
        (
            replace(ROOK_DISPROVED, restriction=CHECKS),
            f"{NONE_IN_2} under this restriction. Restricted: checks only.",
        ),
    ],
)
def test_a_comment_has_the_claim_and_what_is_proved(
    solution: Solution, expected: str
) -> None:
    assert comment(solution) == expected
    # A reader takes the first "mate in N" for the claim, and there is but one.
    claims = re.findall(r"mated? in \d+|#-?\d+", expected)
    assert len(claims) == bool(solution.mate)


def test_a_comment_names_what_is_cut_and_how_many_moves_are_missing() -> None:
    end = attack_of("a8a1", 1, cut=True)
    main = attack_of("a2a8", 2, defences=[defence_of("g1h2", [end])])
    cut = Variations(
        keys=(main, attack_of("a2a7", 2, cut=True)), key_moves=0, set_play_moves=0
    )
    game = read_back(ROOK_FOUND, cut)
    assert comment(ROOK_FOUND, cut).endswith(
        "Only the defences of the main line are shown. There may be set play."
    )
    assert [node.comment for node in game.variations] == ["", "mate in 2 more"]
    assert game.end().comment == "mate in 1 more"


def test_a_name_cannot_leave_its_tag() -> None:
    problem = replace(SMOTHERED.problem, id='a "b"]\n[Result "0-1"] \\')
    game = read_back(replace(SMOTHERED, problem=problem))
    assert game.headers["Event"] == r"a \"b\"] [Result \"0-1\"] \\"
    assert game.headers["Result"] == "1-0"
    assert read_back(MATED).headers["Event"] == "?"


def test_tags_have_what_the_mainline_cannot_show() -> None:
    for solution, keys, stipulation in (
        *((ROOK_FOUND, "a2a8 a2a7", None), (SMOTHERED, None, None)),
        (ROOK_DISPROVED, None, "?"),
    ):
        tags = read_back(solution).headers
        assert (tags.get("Keys"), tags.get("Stipulation")) == (keys, stipulation)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("name", ["traps", "generated-3"])
def test_a_game_that_is_read_back_has_the_whole_mate(name: str) -> None:
    solver = Solver(hash_mib=16)
    shown = 0
    for problem in list(read_collection(str(PUZZLES / f"{name}.epd")))[:30]:
        assert isinstance(problem, Problem)
        solution = solver.solve(problem, Limits())
        if not solution.mate:
            continue
        solver.workspace.resume()
        options = PlayOptions(all_defences=True)
        play = typed(build_variations(solution, solver.workspace, options))
        game = read_back(solution, play)
        plies = walk(
            game.board(),
            game.variations,
            attacking=solution.mate > 0,
            move_of=lambda node: node.move.uci(),
            next_of=lambda node: node.variations,
        )
        assert require_whole_mate(plies, solution.mate) == abs(solution.mate)
        mainline = tuple(move.uci() for move in game.mainline_moves())
        assert mainline == solution.pv
        shown += 1
    assert shown > 10


def test_the_longest_mates_can_be_written_and_read() -> None:
    play = shuffled(200)
    game = read_back(Solution(Problem(play.fen), Status.FOUND, 200, 1), play)
    assert sum(1 for _ in game.mainline_moves()) == 399


STALEMATE = "8/8/8/8/8/1K6/7R/k7 w - - 0 1"


@pytest.mark.parametrize(
    ("stipulation", "mate", "result", "claim"),
    [
        ("=1", 1, "1/2-1/2", "stalemate in 1."),
        ("s#2", 2, "0-1", "selfmate in 2."),
        ("s=2", 2, "1/2-1/2", "selfstalemate in 2."),
        ("r#2", 1, "0-1", "reflexmate in 1."),
    ],
)
def test_other_stipulations_have_their_tag_result_and_words(
    stipulation: str, mate: int, result: str, claim: str
) -> None:
    problem = Problem(STALEMATE, stipulation=Stipulation.parse(stipulation))
    solution = Solution(problem, Status.PROVED, mate, mate)
    game = read_back(solution)
    assert game.headers["Stipulation"] == stipulation
    assert game.headers["Result"] == result
    assert game.comment.startswith(claim)
    missed = replace(solution, mate=None, status=Status.DISPROVED)
    assert read_back(missed).headers["Result"] == "*"


def test_each_solution_of_help_play_is_a_game(tmp_path: Path) -> None:
    found = games(encode_solutions(HELPMATE))
    assert [game.headers["Round"] for game in found] == ["1", "2"]
    for game, line in zip(found, HELPMATE.solutions, strict=True):
        assert game.headers["Stipulation"] == "h#2"
        assert game.headers["Solutions"] == "2"
        assert game.headers["Result"] == "1-0"
        assert [move.uci() for move in game.mainline_moves()] == list(line)
        assert game.end().board().is_checkmate()
    assert found[0].comment == "2 solutions, and no others."
    # Our own reader finds the same.
    path = tmp_path / "help.pgn"
    path.write_bytes(encode_solutions(HELPMATE))
    for problem in read_collection(str(path)):
        assert isinstance(problem, Problem)
        assert problem.stipulation == HELPMATE.problem.stipulation
        assert problem.claim is not None
        assert problem.claim.solutions == 2


def test_set_play_of_help_play_comes_first_with_the_other_side_to_move() -> None:
    first, *others = games(encode_solutions(HELPMATE, [("h3h2", "a1b1", "h2h1")]))
    assert first.headers["SetPlay"] == "1"
    assert first.headers["Stipulation"] == "?"
    assert first.board().turn == chess.WHITE
    assert first.end().board().is_checkmate()
    assert len(others) == 2


def test_help_play_without_solutions_is_a_game_without_moves() -> None:
    none = replace(HELPMATE, solutions=(), mate=None, status=Status.DISPROVED)
    (game,) = games(encode_solutions(none))
    assert list(game.mainline_moves()) == []
    assert game.headers["Result"] == "*"
    assert game.comment == "No solution."
    partly = replace(HELPMATE, status=Status.FOUND, solutions_complete=False)
    game, _ = games(encode_solutions(partly))
    assert game.comment == "2 solutions found."
    assert "Solutions" not in game.headers


def test_the_play_where_the_defender_begins_has_its_threat() -> None:
    fen = "7k/8/p5K1/8/8/8/8/1R6 b - - 0 1"
    mates = [attack_of("b1b8", 0)]
    play = Variations(
        *(Stipulation.parse("#1"), fen),
        defences=(defence_of("h8g8", mates),),
        threats=tuple(mates),
    )
    solution = Solution(Problem(fen), Status.PROVED, -1, 1, pv=("h8g8", "b1b8"))
    said = "mated in 1. Proved, and none is shorter. threat: 2. Rb8#"
    assert read_back(solution, play).comment == said


SVG = "{http://www.w3.org/2000/svg}"


def drawn(solution: Solution) -> ET.Element:
    return ET.fromstring(encode_svg(solution))


def solved_by(fen: str, keys: str = "") -> Solution:
    return Solution(Problem(fen), Status.PROVED, 1, 1, keys=tuple(keys.split()))


def test_the_file_is_a_complete_svg_document_with_a_title() -> None:
    assert encode_svg(SMOTHERED).startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    picture = drawn(SMOTHERED)
    assert (picture.tag, picture.get("viewBox")) == (f"{SVG}svg", "0 0 390 390")
    title = picture[0]
    assert title.tag == f"{SVG}title"
    assert title.text == f"White to move: {SMOTHERED.problem.fen}"
    black = solved_by("6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 1")
    assert str(drawn(black)[0].text).startswith("Black to move: ")
    assert svg(MATED).startswith("<svg ")
    checked = f"{SVG}rect[@class='check']"
    assert not picture.findall(checked)
    assert len(drawn(solved_by("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")).findall(checked)) == 1
    named = replace(SMOTHERED.problem, id="</svg><script>")
    assert encode_svg(replace(SMOTHERED, problem=named)) == encode_svg(SMOTHERED)


def test_every_piece_is_on_its_square_with_white_at_the_bottom() -> None:
    uses = drawn(SMOTHERED).findall(f"{SVG}use")
    assert {(use.get("href"), use.get("transform")) for use in uses} == {
        (
            f"#{'white' if piece.color else 'black'}-"
            f"{chess.piece_name(piece.piece_type)}",
            f"translate({15 + 45 * (square % 8)}, {15 + 45 * (7 - square // 8)})",
        )
        for square, piece in chess.Board(SMOTHERED.problem.fen).piece_map().items()
    }


@pytest.mark.parametrize(
    ("solution", "arrows"),
    [
        (ROOK_FOUND, 2),
        (ROOK_UNDECIDED, 0),
        (solved_by("7k/P7/6K1/8/8/8/8/8 w - - 0 1", "a7a8q a7a8r"), 1),
        (  # at most six
            solved_by(
                "7k/8/8/8/8/8/8/KQQ5 w - - 0 1", "b1b2 b1b3 b1b4 b1b5 b1b6 b1b7 c1c8"
            ),
            6,
        ),
    ],
)
def test_each_key_is_an_arrow(solution: Solution, arrows: int) -> None:
    assert len(drawn(solution).findall(f"{SVG}line[@class='arrow']")) == arrows


def test_an_arrow_leads_from_the_key_s_first_square_to_its_last() -> None:
    (shaft,) = drawn(SMOTHERED).findall(f"{SVG}line")
    (head,) = drawn(SMOTHERED).findall(f"{SVG}polygon")
    c4, g8 = (15 + 45 * 2.5, 15 + 45 * 4.5), (15 + 45 * 6.5, 15 + 45 * 0.5)
    assert (float(shaft.get("x1", "")), float(shaft.get("y1", ""))) == c4
    tip = [float(number) for number in head.get("points", "").split()[0].split(",")]
    assert max(abs(tip[0] - g8[0]), abs(tip[1] - g8[1])) < 10
