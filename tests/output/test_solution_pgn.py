"""Answers as PGN games, written and read back."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest

from solver import __version__
from solver.formats.registry import read_collection
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
from tests.played import require_whole_mate, walk
from tests.typed_play import attack_of, defence_of, play_record, typed

PUZZLES = Path(__file__).parents[2] / "puzzles"

SMOTHERED_PLAY = Variations(
    keys=(attack_of("c4g8", 1, defences=[defence_of("f8g8", [attack_of("h6f7", 0)])]),)
)


def pgn(solution: Solution, play: Variations) -> bytes:
    return encode_pgn(solution, play_record(replace(play, fen=solution.problem.fen)))


def read_back(data: bytes) -> chess.pgn.Game:
    """Read the one game of a file, which has no errors."""
    file = io.StringIO(data.decode())
    game = chess.pgn.read_game(file)
    assert game is not None
    assert game.errors == []
    assert chess.pgn.read_game(file) is None
    return game


def comment(solution: Solution, variations: Variations | None = None) -> str:
    game = read_back(pgn(solution, variations or Variations()))
    return " ".join(game.comment.split())


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


@pytest.mark.parametrize(
    ("solution", "result"),
    [
        (SMOTHERED, "1-0"),
        (SMOTHERED_BY_BLACK, "0-1"),
        (MATED, "0-1"),
        (replace(MATED, mate=0, lower_bound=0), "0-1"),
        (ROOK_FOUND, "1-0"),
        (ROOK_DISPROVED, "*"),
        (ROOK_UNDECIDED, "*"),
    ],
)
def test_the_result_is_that_of_the_mate(solution: Solution, result: str) -> None:
    game = read_back(pgn(solution, Variations()))
    assert game.headers["Result"] == result
    assert game.board().fen() == solution.problem.fen


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        (SMOTHERED, "mate in 2. Proved, and none is shorter."),
        (MATED, "mated in 1. Proved, and none is shorter."),
        (replace(MATED, mate=0, lower_bound=0), "checkmate."),
        (
            ROOK_FOUND,
            "mate in 3. Proved; there may be a shorter one. Proved: no mate takes "
            "1 move. There may be more keys.",
        ),
        (
            replace(ROOK_FOUND, lower_bound=1),
            "mate in 3. Proved; there may be a shorter one. There may be more keys.",
        ),
        (
            ROOK_BY_TABLE,
            "mate in 3. From a tablebase. Proved: no mate takes 1 move.",
        ),
        (ROOK_DISPROVED, "Proved: no mate takes 2 or fewer moves."),
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
            replace(SMOTHERED, restriction=Restriction(checks_only=True)),
            "mate in 2. Proved, and none is shorter under this restriction. "
            "Restricted: checks only.",
        ),
        (
            replace(ROOK_DISPROVED, restriction=Restriction(checks_only=True)),
            "Proved: no mate takes 2 or fewer moves under this restriction. "
            "Restricted: checks only.",
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
    cut = Variations(
        keys=(
            attack_of("a2a8", 2, defences=[defence_of("g1h2", [end])]),
            attack_of("a2a7", 2, cut=True),
        ),
        key_moves=0,
        set_play_moves=0,
    )
    game = read_back(pgn(ROOK_FOUND, cut))
    assert comment(ROOK_FOUND, cut).endswith(
        "Only the defences of the main line are shown. There may be set play."
    )
    assert [node.comment for node in game.variations] == ["", "mate in 2 more"]
    assert game.end().comment == "mate in 1 more"


def test_duals_are_variations_of_the_continuation() -> None:
    duals = Variations(
        keys=(
            attack_of(
                "c4g8",
                1,
                defences=[
                    defence_of("f8g8", [attack_of("h6f7", 0), attack_of("h6f5", 0)])
                ],
            ),
        )
    )
    text = pgn(SMOTHERED, duals).decode()
    assert "1. Qg8+ $1 Rxg8 2. Nf7# ( 2. Nf5 ) 1-0" in " ".join(text.split())


def test_no_line_of_the_opening_comment_is_long() -> None:
    solution = replace(ROOK_FOUND, restriction=Restriction(True, 3, 4, 5))
    text = pgn(solution, Variations(key_moves=7)).decode()
    assert max(map(len, text.splitlines())) <= 90


def test_a_name_cannot_leave_its_tag() -> None:
    problem = replace(SMOTHERED.problem, id='a "b"]\n[Result "0-1"] \\')
    game = read_back(pgn(replace(SMOTHERED, problem=problem), Variations()))
    assert game.headers["Event"] == r"a \"b\"] [Result \"0-1\"] \\"
    assert game.headers["Result"] == "1-0"


def test_tags_have_what_the_mainline_cannot_show() -> None:
    tags = read_back(pgn(ROOK_FOUND, Variations())).headers
    assert (tags.get("Keys"), tags.get("Stipulation")) == ("a2a8 a2a7", None)
    tags = read_back(pgn(SMOTHERED, Variations())).headers
    assert (tags.get("Keys"), tags.get("Stipulation")) == (None, None)
    tags = read_back(pgn(ROOK_DISPROVED, Variations())).headers
    assert (tags.get("Keys"), tags.get("Stipulation")) == (None, "?")


def test_a_position_without_a_name_has_an_unknown_event() -> None:
    assert read_back(pgn(MATED, Variations())).headers["Event"] == "?"


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
        variations = typed(build_variations(solution, solver.workspace, options))
        game = read_back(pgn(solution, variations))
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


def shuffled(moves: int) -> tuple[str, Variations]:
    """Kings that go to and fro for a number of moves, with a side step each time."""
    key = attack = attack_of("a1b1", moves - 1)
    for left in reversed(range(moves - 1)):
        reply, answer = ("g8h8", "a1b1") if attack.move == "b1a1" else ("h8g8", "b1a1")
        following = attack_of(answer, left)
        other = "h8h7" if reply == "h8g8" else "g8f8"
        attack["defences"] = [defence_of(reply, [following]), defence_of(other)]
        attack = following
    return "7k/8/8/8/8/8/R7/K7 w - - 0 1", Variations(keys=[key])


def test_the_longest_mates_can_be_written_and_read() -> None:
    fen, variations = shuffled(200)
    line = Solution(Problem(fen), Status.FOUND, 200, 1)
    game = read_back(pgn(line, variations))
    assert sum(1 for _ in game.mainline_moves()) == 399


def demanding(text: str, fen: str, **fields: object) -> Solution:
    stipulation = Stipulation.parse(text)
    problem = Problem(fen, "named", stipulation=stipulation)
    mate = stipulation.attacker_moves
    solution = Solution(problem, Status.PROVED, mate, mate)
    return replace(solution, **fields)  # type: ignore[arg-type]


STALEMATE = "8/8/8/8/8/1K6/7R/k7 w - - 0 1"


@pytest.mark.parametrize(
    ("stipulation", "mate", "result", "claim"),
    [
        ("=1", 1, "1/2-1/2", "stalemate in 1."),
        ("s#2", 2, "0-1", "selfmate in 2."),
        ("s=2", 2, "1/2-1/2", "selfstalemate in 2."),
        ("r#2", 1, "0-1", "reflexmate in 1."),
        ("semi-r#2", 2, "0-1", "semi-reflexmate in 2."),
    ],
)
def test_other_stipulations_have_their_tag_result_and_words(
    stipulation: str, mate: int, result: str, claim: str
) -> None:
    solution = demanding(stipulation, STALEMATE, mate=mate, lower_bound=mate)
    game = read_back(pgn(solution, Variations()))
    assert game.headers["Stipulation"] == stipulation
    assert game.headers["Result"] == result
    assert game.comment.startswith(claim)
    missed = demanding(stipulation, STALEMATE, mate=None, status=Status.DISPROVED)
    assert read_back(pgn(missed, Variations())).headers["Result"] == "*"


HELP = demanding(
    "h#2",
    "8/8/8/8/8/1K5R/8/k7 b - - 0 1",
    solutions=(("a1b1", "h3h4", "b1a1", "h4h1"), ("a1b1", "h3h5", "b1a1", "h5h1")),
    solutions_complete=True,
)


def games(data: bytes) -> list[chess.pgn.Game]:
    file = io.StringIO(data.decode())
    found = list(iter(lambda: chess.pgn.read_game(file), None))
    assert all(game.errors == [] for game in found)
    return found


def test_each_solution_of_help_play_is_a_game() -> None:
    found = games(encode_solutions(HELP))
    assert [game.headers["Round"] for game in found] == ["1", "2"]
    for game, line in zip(found, HELP.solutions, strict=True):
        assert game.headers["Stipulation"] == "h#2"
        assert game.headers["Solutions"] == "2"
        assert game.headers["Result"] == "1-0"
        assert [move.uci() for move in game.mainline_moves()] == list(line)
        assert game.end().board().is_checkmate()
    assert found[0].comment == "2 solutions, and no others."


def test_set_play_of_help_play_comes_first_with_the_other_side_to_move() -> None:
    first, *others = games(encode_solutions(HELP, [("h3h2", "a1b1", "h2h1")]))
    assert first.headers["SetPlay"] == "1"
    assert first.headers["Stipulation"] == "?"
    assert first.board().turn == chess.WHITE
    assert first.end().board().is_checkmate()
    assert len(others) == 2


def test_help_play_without_solutions_is_a_game_without_moves() -> None:
    none = replace(HELP, solutions=(), mate=None, status=Status.DISPROVED)
    (game,) = games(encode_solutions(none))
    assert list(game.mainline_moves()) == []
    assert game.headers["Result"] == "*"
    assert game.comment == "No solution."
    partly = replace(HELP, status=Status.FOUND, solutions_complete=False)
    game, _ = games(encode_solutions(partly))
    assert game.comment == "2 solutions found."
    assert "Solutions" not in game.headers


def test_our_own_reader_finds_the_stipulation_and_the_solutions(tmp_path: Path) -> None:
    path = tmp_path / "help.pgn"
    path.write_bytes(encode_solutions(HELP))
    for problem in read_collection(str(path)):
        assert isinstance(problem, Problem)
        assert problem.stipulation == HELP.problem.stipulation
        assert problem.claim is not None
        assert problem.claim.solutions == 2


def test_the_play_where_the_defender_begins_has_its_threat() -> None:
    fen = "7k/8/p5K1/8/8/8/8/1R6 b - - 0 1"
    play = Variations(
        Stipulation.parse("#1"),
        fen,
        defences=(defence_of("h8g8", [attack_of("b1b8", 0)]),),
        threats=(attack_of("b1b8", 0),),
    )
    solution = Solution(Problem(fen), Status.PROVED, -1, 1, pv=("h8g8", "b1b8"))
    game = read_back(pgn(solution, play))
    assert game.comment == ("mated in 1. Proved, and none is shorter. threat: 2. Rb8#")
