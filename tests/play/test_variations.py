"""`solver.variations`: arguments, limits, stops, what is cut, and the record."""

from __future__ import annotations

import doctest
import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Claim, Control, InputError, Limits, Problem, Restriction
from solver.output.answer_record import dump
from solver.output.play_text import missing
from solver.play import builder
from solver.play.builder import find_variations
from solver.play.record import PlayOptions
from solver.search.queries import read_question
from solver.solving import Solver
from tests.cpu_time import after_work
from tests.output.play_trees import BLOCK, BLOCK_PLAY, shuffled
from tests.typed_play import all_attacks_of, names, play_record, typed

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.usefixtures("kernel")

IN_THREE = "R1K5/5k2/2ppNpNp/7p/3P1Q2/8/2b5/b7 w - - 0 1"
"""Alexander Alekhine, K Novoi Armii, 1920."""

IN_TWO = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"

THREE = Problem(IN_THREE, stipulation="#3")


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def text(play: Any, depth: int = 99) -> str:
    """Write a tree in its own order, to a depth in defences."""
    return repr(
        [
            _defences(play.set_play, depth),
            *(_attacks(attacks, depth) for attacks in (play.tries, play.keys)),
            _defences(play.defences, depth),
        ]
    )


def _attacks(attacks: Iterable[Any], depth: int = 99) -> list[Any]:
    if depth < 1:
        return [attack.move for attack in attacks]
    return [
        (
            *(attack.move, attack.moves_left, attack.is_zugzwang),
            _attacks(attack.threats, depth - 1),
            _defences(attack.defences, depth),
            names(attack.refutations),
        )
        for attack in attacks
    ]


def _defences(defences: Iterable[Any], depth: int) -> list[Any]:
    return [
        (defence.move, _attacks(defence.continuations, depth - 1))
        for defence in defences
        if depth > 0
    ]


def variations(*question: Any, **options: Any) -> Any:
    return typed(builder.variations(*question, **options))


def built(solver: Solver, problem: Problem, **options: Any) -> Any:
    question = read_question(problem, Limits())
    return typed(find_variations(solver, question, PlayOptions(**options), Control()))


def test_cut_play_is_complete_to_the_depth_it_names_and_claims_no_more(
    solver: Solver,
) -> None:
    options: dict[str, Any] = {"set_play": True, "tries": 2, "all_defences": True}
    whole = built(solver, THREE, **options)
    assert whole.complete_moves is None
    assert not any(attack.is_cut for attack in all_attacks_of(whole))
    depths = []
    for most in (0, 600, 2000, 100_000):
        play = built(solver, THREE, most_moves=most, **options)
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


def test_a_depth_cuts_after_so_many_moves_of_the_attacker(solver: Solver) -> None:
    whole = variations(THREE, solver=solver, tries=1)
    for depth in (1, 2):
        play = variations(THREE, solver=solver, tries=1, depth=depth)
        assert play.complete_moves == depth - 1
        assert text(play, depth - 1) == text(whole, depth - 1)
        first, main_line = len(whole.keys) + len(whole.tries), 2
        assert depth > 1 or len(list(all_attacks_of(play))) == first + main_line


def test_a_cut_selfmate_has_the_main_line_to_its_last_reply(solver: Solver) -> None:
    problem = Problem("8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - -", stipulation="s#2")
    for depth in (1, 2):
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


def test_the_order_does_not_depend_on_memory_or_earlier_problems() -> None:
    texts = set()
    for hash_mib in (1, 16):
        solver = Solver(hash_mib)
        for earlier in (IN_TWO, "8/7K/8/8/8/8/R7/7k w - - 0 1"):
            texts.add(text(built(solver, THREE, set_play=True, tries=2)))
            solver.solve(earlier)
    assert len(texts) == 1


def test_a_limit_leaves_the_play_incomplete(solver: Solver) -> None:
    for limits, has_play in ((Limits(nodes=1), False), (Limits(nodes=5000), True)):
        play = variations(THREE, limits, solver=solver, set_play=True, tries=2)
        assert (play.complete_moves is None, bool(play.keys)) == (False, has_play)
    play = variations(IN_THREE, Limits(time_s=0), solver=solver)
    assert play.complete_moves is not None


def test_what_is_asked_for_besides_shortens_nothing(solver: Solver) -> None:
    for most in (0, 100, 5000):
        keys = built(solver, THREE, most_moves=most)
        more = built(solver, THREE, most_moves=most, set_play=True)
        tries = built(solver, THREE, most_moves=most, tries=1)
        most_tries = built(solver, THREE, most_moves=most, tries=5, set_play=True)
        for play in (more, tries, most_tries):
            assert play.key_moves == keys.key_moves
            assert _attacks(play.keys) == _attacks(keys.keys)
        assert more.set_play_moves == most_tries.set_play_moves
        shown = {attack.move: attack for attack in most_tries.tries}
        assert {attack.move for attack in tries.tries} < set(shown)
        if tries.try_moves is None:
            for attack in tries.tries:
                assert _attacks([attack]) == _attacks([shown[attack.move]])


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


def test_under_a_restriction_no_set_play_is_looked_for(solver: Solver) -> None:
    problem = Problem("8/8/8/8/8/5K2/R7/7k w - - 0 1")
    question = read_question(problem, restriction=Restriction(king_flights=2))
    options = PlayOptions(set_play=True, tries=1)
    play = find_variations(solver, question, options, Control())
    assert (play.key_moves, play.set_play_moves) == (None, 0)
    assert solver.workspace.search.nodes < 10_000


def test_a_search_of_fewer_moves_than_claimed_leaves_the_play_open(
    solver: Solver,
) -> None:
    problem = Problem("2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1")
    for claim, complete in ((Claim(40), 0), (None, None)):
        asked = replace(problem, claim=claim)
        play = variations(asked, Limits(max_moves=2), solver=solver)
        assert (play.keys, play.complete_moves) == ([], complete)


def test_a_stop_ends_the_building_of_a_large_tree(solver: Solver) -> None:
    endless = Problem("8/8/8/3k4/8/8/1Q5K/R7 w - - 0 1", stipulation="#7")
    control = Control()
    with after_work(control.stop, cpu_s=0.5):
        play = variations(endless, solver=solver, control=control, tries=9)
    assert play.complete_moves is not None


def test_a_claim_says_within_how_many_moves_keys_solve(solver: Solver) -> None:
    fen = "7k/8/5K2/8/8/8/8/RR6 w - - 0 1"
    shortest = variations(fen, solver=solver)
    claimed = variations(Problem(fen, claim=Claim(3)), solver=solver)
    assert (str(shortest.stipulation), str(claimed.stipulation)) == ("#2", "#3")
    assert {key.moves_left for key in shortest.keys} == {1}
    assert {key.moves_left for key in claimed.keys} == {1, 2}
    sooner = {key.move for key in claimed.keys if key.moves_left == 1}
    assert sooner == {key.move for key in shortest.keys}


def test_where_the_defender_begins_threats_stand_at_the_root(solver: Solver) -> None:
    board = chess.Board("2brrb2/8/p7/1Q6/1p1kpPp1/1P1pN1K1/3P4/8 b - - 0 1")
    play = variations(Problem(board.fen(), claim=Claim(-1)), solver=solver)
    assert [threat.move for threat in play.threats] == ["b5c4"]
    assert [defence.move for defence in play.defences] == ["c8e6"]
    assert names(play.refutations) == ["a6b5"]
    board = chess.Board("2brrb2/8/p7/Q7/1p1kpPp1/1P1pN1K1/3P4/8 b - - 0 1")
    play = variations(Problem(board.fen(), claim=Claim(-1)), solver=solver)
    assert (len(play.defences), play.threats, play.zugzwang) == (15, [], True)
    assert play.refutations == play.keys == play.tries == play.set_play == []


# fmt: off
WRONG = [
    ("tries", -1), ("tries", True), ("tries", 1000), ("depth", 0), ("depth", "2"),
    ("set_play", 1), ("threats", None), ("all_defences", "yes"), ("control", 1),
    ("solver", 1), ("limits", 1),
]
# fmt: on


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_an_argument_is_refused_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"^{name}: expected"):
        variations(IN_TWO, **{name: value})


def test_a_wrong_position_and_help_play_are_refused() -> None:
    with pytest.raises(InputError):
        variations("not a fen")
    with pytest.raises(InputError, match=r"found h#2$"):
        variations(Problem(IN_TWO, stipulation="h#2"))


def test_the_example_in_the_help_runs_as_shown() -> None:
    outcome = doctest.testmod(sys.modules["solver.play.builder"])
    assert (outcome.failed, outcome.attempted) == (0, 5)


def test_empty_fields_of_a_move_are_left_out_and_what_is_cut_is_marked() -> None:
    (key,) = variations(BLOCK).keys
    assert list(key) == ["uci", "san", "moves_left", "zugzwang", "defences"]
    mate = {"uci": "e3f5", "san": "Nf5#"}
    assert key["defences"][0] == {"uci": "c8b7", "san": "Bb7", "continuations": [mate]}
    key, *_ = variations("8/8/8/8/8/5KR1/8/7k w - -", depth=1).keys
    (defence,) = key["defences"]
    assert (key["cut"], defence["incomplete"]) == (True, True)
    assert defence["continuations"][0]["cut"] is True


def test_the_deepest_play_can_be_written_and_read() -> None:
    record = json.loads(dump(play_record(shuffled(200)), 2))
    depth, attack = 1, record["keys"][0]
    while attack.get("defences"):
        attack = attack["defences"][0]["continuations"][0]
        depth += 1
    assert depth == 200


def test_the_least_complete_part_says_how_far_all_is_complete() -> None:
    record = play_record(replace(BLOCK_PLAY, key_moves=3, set_play_moves=1))
    names = ("complete_moves", "key_moves", "set_play_moves", "try_moves")
    assert [record[name] for name in names] == [1, 3, 1, None]
