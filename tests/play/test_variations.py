"""`solver.variations`: arguments, limits, stops, and what is cut."""

from __future__ import annotations

import doctest
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Claim, Control, InputError, Limits, Problem, Restriction
from solver.output.play_text import missing
from solver.play import builder
from solver.play.builder import build_variations, find_variations, variations_after
from solver.play.record import PlayOptions
from solver.problem import Stipulation
from solver.search.queries import read_question
from solver.solution import Stats
from solver.solving import Solver
from tests.cpu_time import after_work
from tests.typed_play import all_attacks_of, names, typed

if TYPE_CHECKING:
    from collections.abc import Iterable


IN_THREE = "R1K5/5k2/2ppNpNp/7p/3P1Q2/8/2b5/b7 w - - 0 1"
"""Alexander Alekhine, K Novoi Armii, 1920."""

IN_TWO = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def text(play: Any, depth: int | None = None) -> str:
    """Write a tree in its own order, to a depth in defences."""
    return repr(
        [
            _defences(play.set_play, depth),
            _attacks(play.tries, depth),
            _attacks(play.keys, depth),
            _defences(play.defences, depth),
        ]
    )


def _attacks(attacks: Iterable[Any], depth: int | None) -> list[Any]:
    if depth is not None and depth < 1:
        return [attack.move for attack in attacks]
    below = None if depth is None else depth - 1
    return [
        (
            attack.move,
            attack.moves_left,
            attack.is_zugzwang,
            _attacks(attack.threats, below),
            _defences(attack.defences, depth),
            names(attack.refutations),
        )
        for attack in attacks
    ]


def _defences(defences: Iterable[Any], depth: int | None) -> list[Any]:
    if depth is not None and depth < 1:
        return []
    below = None if depth is None else depth - 1
    return [
        (defence.move, _attacks(defence.continuations, below)) for defence in defences
    ]


def variations(*question: Any, **options: Any) -> Any:
    return typed(builder.variations(*question, **options))


def problem_of(fen: str, stipulation: str) -> Problem:
    return Problem(fen, stipulation=Stipulation.parse(stipulation))


def built(solver: Solver, problem: Problem, **options: Any) -> Any:
    question = read_question(problem, Limits())
    return typed(find_variations(solver, question, PlayOptions(**options), Control()))


@pytest.mark.usefixtures("kernel")
def test_cut_play_is_complete_to_the_depth_it_names_and_claims_no_more(
    solver: Solver,
) -> None:
    problem = problem_of(IN_THREE, "#3")
    options: dict[str, Any] = {"set_play": True, "tries": 2, "all_defences": True}
    whole = built(solver, problem, **options)
    assert whole.complete_moves is None
    assert not any(attack.is_cut for attack in all_attacks_of(whole))
    depths = []
    for most in (0, 10, 100, 300, 600, 1000, 2000, 100_000):
        play = built(solver, problem, most_moves=most, **options)
        depths.append(play.complete_moves)
        if play.complete_moves is None:
            assert text(play) == text(whole)
            continue
        assert text(play) != text(whole)
        assert any(attack.is_cut for attack in all_attacks_of(play))
        assert text(play, play.complete_moves) == text(whole, play.complete_moves)
        assert any(missing(play.to_dict()))
    assert depths[0] == 0
    assert depths[-1] is None
    assert len(set(depths)) > 2


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_depth_cuts_after_so_many_moves_of_the_attacker(
    depth: int, solver: Solver
) -> None:
    problem = problem_of(IN_THREE, "#3")
    whole = variations(problem, solver=solver, tries=1)
    play = variations(problem, solver=solver, tries=1, depth=depth)
    if depth == 3:
        assert text(play) == text(whole)
        assert play.complete_moves is None
    else:
        assert play.complete_moves == depth - 1
        assert text(play, depth - 1) == text(whole, depth - 1)
    if depth == 1:
        main_line = 2
        first = len(whole.keys) + len(whole.tries)
        assert len(list(all_attacks_of(play))) == first + main_line


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("depth", [1, 2])
def test_a_cut_selfmate_has_the_main_line_to_its_last_reply(
    depth: int, solver: Solver
) -> None:
    problem = problem_of("8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - -", "s#2")
    play = variations(problem, solver=solver, set_play=True, depth=depth)
    (key,) = play.keys
    (defence,) = key.defences
    (last,) = defence.continuations
    (end,) = last.defences
    assert (key.move, defence.move, last.move) == ("h6h7", "f1f2", "h7d3")
    assert (end.move, end.continuations) == ("g3g2", [])
    assert (key.is_cut, last.is_cut) == (depth == 1, True)
    assert play.complete_moves == depth - 1
    assert missing(play.to_dict()).keys


@pytest.mark.usefixtures("kernel")
def test_the_order_does_not_depend_on_memory_or_earlier_problems() -> None:
    problem = problem_of(IN_THREE, "#3")
    options: dict[str, Any] = {"set_play": True, "tries": 2}
    texts = set()
    for hash_mib in (1, 16):
        solver = Solver(hash_mib)
        for earlier in (IN_TWO, "8/7K/8/8/8/8/R7/7k w - - 0 1"):
            texts.add(text(built(solver, problem, **options)))
            solver.solve(earlier)
    assert len(texts) == 1


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("limits", "has_play"),
    [(Limits(nodes=1), False), (Limits(nodes=5000), True), (Limits(time_s=0), None)],
)
def test_a_limit_leaves_the_play_incomplete(
    limits: Limits, has_play: bool | None, solver: Solver
) -> None:
    problem = problem_of(IN_THREE, "#3")
    play = variations(problem, limits, solver=solver, set_play=True, tries=2)
    assert play.complete_moves is not None
    assert has_play is None or bool(play.keys) == has_play


@pytest.mark.usefixtures("kernel")
def test_what_is_asked_for_besides_shortens_nothing(solver: Solver) -> None:
    problem = problem_of(IN_THREE, "#3")
    for most in (0, 10, 100, 300, 5000):
        keys = built(solver, problem, most_moves=most)
        more = built(solver, problem, most_moves=most, set_play=True)
        tries = built(solver, problem, most_moves=most, tries=1)
        most_tries = built(solver, problem, most_moves=most, tries=5, set_play=True)
        for play in (more, tries, most_tries):
            assert play.key_moves == keys.key_moves
            assert _attacks(play.keys, None) == _attacks(keys.keys, None)
        assert more.set_play_moves == most_tries.set_play_moves
        shown = {attack.move: attack for attack in most_tries.tries}
        assert {attack.move for attack in tries.tries} < set(shown)
        if tries.try_moves is None:
            for attack in tries.tries:
                assert _attacks([attack], None) == _attacks([shown[attack.move]], None)


LONG = "1B6/4p3/N3Kp2/2NP4/P2k1P2/1P2pr2/1Pn1Bppb/4nrq1 w - - 0 1"
"""Mate in 6."""


@pytest.mark.usefixtures("kernel")
def test_the_tries_of_a_long_mate_are_found_with_their_play(solver: Solver) -> None:
    limits = Limits(nodes=5_000_000)
    play = variations(LONG, limits, solver=solver, tries=1, set_play=True)
    alone = variations(LONG, limits, solver=solver)
    assert play.complete_moves is None
    assert play.tries_complete
    assert {attack.move: names(attack.refutations) for attack in play.tries} == {
        "b3b4": ["e1d3"],
        "b8e5": ["f6e5"],
    }
    (defence,) = play.set_play
    assert (defence.move, defence.length) == ("f6f5", 1)
    (relevant,) = play.tries[0].defences
    assert (relevant.move, relevant.incomplete) == ("c2a1", 0)
    assert _attacks(play.keys, None) == _attacks(alone.keys, None)


@pytest.mark.usefixtures("kernel")
def test_a_claim_that_fails_in_many_moves_is_shown_with_what_refutes_it(
    solver: Solver,
) -> None:
    problem = Problem("8/8/7p/5K1k/8/6P1/5bP1/4N3 b - - 0 1", claim=Claim(-6))
    play = variations(problem, Limits(nodes=5_000_000), solver=solver)
    assert play.complete_moves is None
    assert names(play.refutations) == ["f2e1"]
    assert {defence.move for defence in play.defences} == {
        *("f2a7", "f2b6", "f2c5", "f2d4", "f2e3", "f2g1", "f2g3")
    }


@pytest.mark.usefixtures("kernel")
def test_under_a_restriction_no_set_play_is_looked_for(solver: Solver) -> None:
    problem = Problem("8/8/8/8/8/5K2/R7/7k w - - 0 1")
    question = read_question(problem, restriction=Restriction(king_flights=2))
    options = PlayOptions(set_play=True, tries=1)
    play = find_variations(solver, question, options, Control())
    assert (play.key_moves, play.set_play_moves) == (None, 0)
    assert solver.workspace.search.nodes < 10_000


@pytest.mark.usefixtures("kernel")
def test_the_time_of_the_search_counts_for_the_play(solver: Solver) -> None:
    limits = Limits(time_s=1000)
    solution = solver.solve(problem_of(IN_THREE, "#3"), limits)
    slow = replace(solution, stats=Stats(solution.stats.nodes, 1000.0))
    plays = [
        variations_after(found, solver.workspace, limits, PlayOptions(), Control())
        for found in (solution, slow)
    ]
    assert [play.complete_moves for play in plays] == [None, 0]


@pytest.mark.usefixtures("kernel")
def test_what_is_being_built_is_described(solver: Solver) -> None:
    solution = solver.solve(problem_of(IN_TWO, "#2"), Limits())
    solver.workspace.resume()
    works: list[str] = []
    options = PlayOptions(set_play=True, tries=1)
    play = build_variations(solution, solver.workspace, options, works.append)
    assert works[:3] == ["play of the key", "set play", "tries: move 1 of 31"]
    assert works[-2:] == ["tries: move 31 of 31", "play of the tries"]
    assert play.tries_complete


@pytest.mark.usefixtures("kernel")
def test_a_search_of_fewer_moves_than_claimed_leaves_the_play_open(
    solver: Solver,
) -> None:
    fen = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
    solution = solver.solve(Problem(fen), Limits(max_moves=2))
    assert solution.status == "disproved"
    claimed = Problem(fen, claim=Claim(40))
    play = variations(claimed, Limits(max_moves=2), solver=solver)
    assert (play.keys, play.complete_moves) == ([], 0)
    play = variations(Problem(fen), Limits(max_moves=2), solver=solver)
    assert (play.keys, play.complete_moves) == ([], None)


@pytest.mark.usefixtures("kernel")
def test_a_stopped_control_leaves_no_complete_play(solver: Solver) -> None:
    control = Control()
    control.stop()
    play = variations(IN_THREE, solver=solver, control=control)
    assert play.complete_moves is not None


@pytest.mark.usefixtures("kernel")
def test_a_stop_ends_the_building_of_a_large_tree(solver: Solver) -> None:
    endless = problem_of("8/8/8/3k4/8/8/1Q5K/R7 w - - 0 1", "#7")
    control = Control()
    with after_work(control.stop, cpu_s=1):
        play = variations(endless, solver=solver, control=control, tries=9)
    assert play.complete_moves is not None


@pytest.mark.usefixtures("kernel")
def test_without_a_stipulation_the_shortest_mate_is_shown(solver: Solver) -> None:
    play = variations(IN_TWO, solver=solver)
    assert str(play.stipulation) == "#2"
    assert [key.move for key in play.keys] == ["c4g8"]


@pytest.mark.usefixtures("kernel")
def test_a_claim_says_within_how_many_moves_keys_solve(solver: Solver) -> None:
    fen = "7k/8/5K2/8/8/8/8/RR6 w - - 0 1"
    shortest = variations(fen, solver=solver)
    claimed = variations(Problem(fen, claim=Claim(3)), solver=solver)
    assert (str(shortest.stipulation), str(claimed.stipulation)) == ("#2", "#3")
    assert {key.moves_left for key in shortest.keys} == {1}
    assert {key.moves_left for key in claimed.keys} == {1, 2}
    sooner = {key.move for key in claimed.keys if key.moves_left == 1}
    assert sooner == {key.move for key in shortest.keys}


@pytest.mark.usefixtures("kernel")
def test_where_the_defender_begins_threats_stand_at_the_root(solver: Solver) -> None:
    board = chess.Board("2brrb2/8/p7/1Q6/1p1kpPp1/1P1pN1K1/3P4/8 b - - 0 1")
    play = variations(Problem(board.fen(), claim=Claim(-1)), solver=solver)
    assert [threat.move for threat in play.threats] == ["b5c4"]
    assert [defence.move for defence in play.defences] == ["c8e6"]
    assert names(play.refutations) == ["a6b5"]
    board = chess.Board("2brrb2/8/p7/Q7/1p1kpPp1/1P1pN1K1/3P4/8 b - - 0 1")
    play = variations(Problem(board.fen(), claim=Claim(-1)), solver=solver)
    assert (len(play.defences), play.threats, play.zugzwang) == (15, [], True)
    assert play.refutations == []
    assert play.keys == []
    assert play.tries == []
    assert play.set_play == []


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"tries": -1}, "tries"),
        ({"tries": True}, "tries"),
        ({"tries": 1000}, "tries"),
        ({"depth": 0}, "depth"),
        ({"depth": "2"}, "depth"),
        ({"set_play": 1}, "set_play"),
        ({"threats": None}, "threats"),
        ({"all_defences": "yes"}, "all_defences"),
        ({"control": 1}, "control"),
        ({"solver": 1}, "solver"),
        ({"limits": 1}, "limits"),
    ],
)
def test_an_argument_is_refused_by_its_name(options: Any, name: str) -> None:
    with pytest.raises(InputError, match=f"^{name}: expected"):
        variations(IN_TWO, **options)


@pytest.mark.parametrize("problem", [1, None, b"8/8", "", "not a fen"])
def test_a_wrong_position_is_refused(problem: Any) -> None:
    with pytest.raises(InputError):
        variations(problem)


def test_help_play_has_no_variations() -> None:
    problem = problem_of(IN_TWO, "h#2")
    with pytest.raises(InputError, match=r"found h#2$"):
        variations(problem)


@pytest.mark.usefixtures("kernel")
def test_the_example_in_the_help_runs_as_shown() -> None:
    outcome = doctest.testmod(sys.modules["solver.play.builder"])
    assert (outcome.failed, outcome.attempted) == (0, 5)
