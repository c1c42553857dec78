"""The play of a mate agrees with python-chess's rules and with slow oracles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.formats.registry import read_collection
from solver.play.builder import build_variations
from solver.play.record import PlayOptions, Variations
from solver.problem import Limits, Problem, Restriction
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.oracles.remembering import Oracle
from tests.oracles.restrictions import RestrictedGame
from tests.output.answers import ROOK_BY_TABLE
from tests.played import Ply, require_whole_mate, walk
from tests.sizes import sized
from tests.typed_play import all_attacks_of, typed

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"

SEED = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8."""

MATED = "7k/8/p5K1/8/8/8/8/1R6 b - - 0 1"
"""Mated in 1, whichever of the two moves is played."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def play(
    solution: Solution, solver: Solver, *, most_moves: int = 5_000, **options: Any
) -> Any:
    """Build the play of the solver's last answer, with every defence."""
    solver.workspace.resume()
    wanted = PlayOptions(all_defences=True, most_moves=most_moves, **options)
    return typed(build_variations(solution, solver.workspace, wanted))


def first_of(variations: Any) -> Any:
    return variations.keys or variations.defences


def next_of(move: Any) -> Any:
    return move.defences or move.continuations


def plies(solution: Solution, variations: Any) -> Iterator[Ply]:
    assert solution.mate
    return walk(
        chess.Board(solution.problem.fen),
        first_of(variations),
        attacking=solution.mate > 0,
        move_of=lambda move: move.move,
        next_of=next_of,
    )


def mainline(variations: Any) -> tuple[str, ...]:
    line = []
    ahead = first_of(variations)
    while ahead:
        line.append(ahead[0].move)
        ahead = next_of(ahead[0])
    return tuple(line)


def puzzles(name: str, most: int) -> Iterator[Problem]:
    for problem in read_collection(str(PUZZLES / f"{name}.epd")):
        assert isinstance(problem, Problem)
        if problem.claim and 0 < abs(problem.claim.mate) <= most:
            yield problem


@pytest.mark.parametrize(
    ("name", "most"),
    [("traps", 4), ("classics", 3), ("generated-2", 2), ("generated-4", 4)],
)
def test_every_defence_of_a_puzzle_ends_in_mate_in_time(
    name: str, most: int, solver: Solver
) -> None:
    shown = 0
    for problem in list(puzzles(name, most))[:40]:
        solution = solver.solve(problem, Limits())
        assert solution.mate
        variations = play(solution, solver, most_moves=50_000)
        assert variations.complete_moves is None
        longest = require_whole_mate(plies(solution, variations), solution.mate)
        assert longest == abs(solution.mate)
        assert mainline(variations) == solution.pv, problem.id
        if solution.mate > 0:
            keys = [key.move for key in variations.keys]
            assert sorted(keys) == sorted(solution.keys)
        shown += 1
    assert shown > 20


@sized("count", 20, 60)
def test_near_mate_all_fastest_continuations_are_there_and_no_other(
    solver: Solver, count: int
) -> None:
    oracle = Oracle()
    compared = duals = 0
    for problem in list(puzzles("generated-3", 3))[:count]:
        solution = solver.solve(problem, Limits())
        variations = play(solution, solver)
        board = chess.Board(problem.fen)
        ahead: list[tuple[chess.Board, Any]] = [(board, a) for a in variations.keys]
        while ahead:
            before, attack = ahead.pop()
            after = before.copy(stack=False)
            after.push_uci(attack.move)
            assert oracle.mated_in(after, attack.moves_left), after.fen()
            left = [defence.length for defence in attack.defences]
            assert left == sorted(left, reverse=True), after.fen()
            for defence in attack.defences:
                then = after.copy(stack=False)
                then.push_uci(defence.move)
                shortest = next(n for n in range(1, 4) if oracle.mate_in(then, n))
                expected = set()
                for move in then.legal_moves:
                    then.push(move)
                    if oracle.mated_in(then, shortest - 1):
                        expected.add(move.uci())
                    then.pop()
                assert not defence.incomplete
                assert defence.length == shortest, then.fen()
                found = {attack.move for attack in defence.continuations}
                assert found == expected, then.fen()
                compared += 1
                duals += len(found) > 1
                ahead += [(then, following) for following in defence.continuations]
    assert compared > 5 * count
    assert duals > count // 2


def test_play_over_the_limit_is_cut_off_at_its_deep_end(solver: Solver) -> None:
    solution = solver.solve(Problem(SEED), Limits())
    whole = play(solution, solver, threats=False)
    assert whole.complete_moves is None
    assert not any(attack.is_cut for attack in all_attacks_of(whole))
    sizes = []
    for most in (0, 1, 4, 10, 20):
        variations = play(solution, solver, most_moves=most, threats=False)
        complete = variations.complete_moves
        assert complete is not None
        for ply in plies(solution, variations):
            legal = {move.uci() for move in ply.before.legal_moves}
            if ply.is_attackers:
                assert ply.moves
            elif ply.moves_played <= complete:
                assert set(ply.moves) == legal
            elif ply.on_mainline and legal:
                assert len(ply.moves) == 1
            else:
                assert ply.moves == ()
        assert mainline(variations) == solution.pv
        sizes.append(complete)
    assert sizes == sorted(sizes)
    assert sizes[0] == 1  # the key leaves only one reply
    assert sizes[-1] > 2


def test_without_time_the_main_line_and_the_keys_are_still_complete(
    solver: Solver,
) -> None:
    problem = Problem("7k/8/5K2/8/8/8/8/RR6 w - - 0 1")
    solution = solver.solve(problem, Limits())
    assert solution.mate == 2
    assert len(solution.keys) > 2
    variations = play(solution, solver, time_s=0)
    assert variations.complete_moves == 0
    assert {key.move for key in variations.keys} == set(solution.keys)
    assert all(key.is_cut for key in variations.keys)
    assert [bool(key.defences) for key in variations.keys][:2] == [True, False]
    assert mainline(variations) == solution.pv


def test_the_side_to_move_may_be_mated(solver: Solver) -> None:
    solution = solver.solve(Problem(MATED), Limits())
    assert solution.mate == -1
    variations = play(solution, solver)
    assert require_whole_mate(plies(solution, variations), -1) == 1


@pytest.mark.parametrize("reply", ["h8g8", "a6a5"])
def test_among_equally_long_defences_the_main_line_comes_first(
    reply: str, solver: Solver
) -> None:
    solver.workspace.begin(None)
    line = (reply, "b1b8")
    solution = Solution(Problem(MATED), Status.PROVED, -1, 1, pv=line)
    variations = play(solution, solver)
    assert mainline(variations) == line
    assert len(variations.defences) == 2


def test_without_time_a_mate_in_one_is_still_complete(solver: Solver) -> None:
    solution = solver.solve(Problem("8/8/8/8/1Q6/2K5/8/k7 w - - 0 1"), Limits())
    assert solution.mate == 1
    assert play(solution, solver, time_s=0).complete_moves is None


@pytest.mark.parametrize(
    ("fen", "mate"),
    [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 0), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None)],
)
def test_without_a_mate_ahead_there_is_no_play(
    fen: str, mate: int | None, solver: Solver
) -> None:
    solution = solver.solve(Problem(fen), Limits(max_moves=2))
    assert solution.mate == mate
    assert play(solution, solver) == Variations(fen=fen)


@pytest.mark.parametrize(
    "restriction", [Restriction(checks_only=True), Restriction(king_flights=2)]
)
def test_the_attacker_obeys_a_restriction(
    restriction: Restriction, solver: Solver
) -> None:
    game = RestrictedGame(
        restriction.checks_only,
        restriction.king_flights,
        restriction.replies,
        restriction.threat,
    )
    shown = 0
    for problem in puzzles("generated-3", 3):
        solution = solver.solve(
            problem, Limits(max_moves=4, nodes=100_000), restriction=restriction
        )
        if not solution.mate:
            continue
        variations = play(solution, solver)
        require_whole_mate(plies(solution, variations), solution.mate)
        for ply in plies(solution, variations):
            if not ply.is_attackers and ply.moves:
                assert game.admits(ply.before), (problem.fen, ply)
        shown += 1
    assert shown > 5


def test_the_mate_of_a_small_endgame_is_shown_beyond_the_reach_of_search(
    solver: Solver,
) -> None:
    fen = "7k/8/5K2/8/4N3/8/8/5B2 w - - 0 1"
    solution = solver.solve(Problem(fen), Limits())
    assert solution.mate == 22
    variations = play(solution, solver, most_moves=500)
    assert variations.complete_moves
    assert all(attack.moves_left < 22 for attack in all_attacks_of(variations))


def test_a_stop_cuts_the_play_and_leaves_the_main_line(solver: Solver) -> None:
    solution = solver.solve(Problem(SEED), Limits())
    solver.workspace.resume()
    solver.workspace.search.stop = 1
    try:
        variations = typed(build_variations(solution, solver.workspace))
    finally:
        solver.workspace.search.stop = 0
    assert variations.complete_moves is not None
    assert any(attack.is_cut for attack in all_attacks_of(variations))
    assert mainline(variations) == solution.pv


def test_an_answer_without_a_line_still_shows_all_defences(solver: Solver) -> None:
    solver.workspace.begin(None)
    solution = Solution(Problem(MATED), Status.PROVED, -1, 1)
    variations = play(solution, solver)
    assert require_whole_mate(plies(solution, variations), -1) == 1


def test_a_mate_from_a_tablebase_has_only_its_main_line_and_keys(
    solver: Solver,
) -> None:
    solver.workspace.begin(None)
    variations = play(ROOK_BY_TABLE, solver)
    assert variations.complete_moves == 0
    assert mainline(variations) == ROOK_BY_TABLE.pv
    assert {key.move for key in variations.keys} == set(ROOK_BY_TABLE.keys)
