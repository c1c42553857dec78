"""The whole play: known trees, and an oracle written from the definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Problem, variations
from solver.problem import Stipulation
from solver.solving import Solver
from tests.oracles import play as oracle
from tests.oracles.walks import small_positions
from tests.typed_play import all_attacks_of, names, typed

if TYPE_CHECKING:
    from collections.abc import Iterable


pytestmark = pytest.mark.usefixtures("kernel")

BLOCK = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - -"
"""A mate in two with set play, duals and four tries."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def whole(board: chess.Board, stipulation: str, solver: Solver, **options: Any) -> Any:
    problem = Problem(board.fen(), stipulation=Stipulation.parse(stipulation))
    return typed(variations(problem, solver=solver, **options))


def continuations(defences: Iterable[Any]) -> dict[str, list[str]]:
    return {
        defence.move: [attack.move for attack in defence.continuations]
        for defence in defences
    }


def as_oracle(play: Any) -> oracle.WholePlay:
    """Return a tree in the form of the oracle's."""
    return oracle.WholePlay(
        _defences(play.set_play), _attacks(play.tries), _attacks(play.keys)
    )


def _attacks(attacks: Iterable[Any]) -> frozenset[oracle.Attack]:
    return frozenset(
        oracle.Attack(
            attack.move,
            attack.moves_left,
            _attacks(attack.threats),
            attack.is_zugzwang,
            _defences(attack.defences),
            frozenset(names(attack.refutations)),
        )
        for attack in attacks
    )


def _defences(defences: Iterable[Any]) -> frozenset[oracle.Defence]:
    return frozenset(
        oracle.Defence(defence.move, _attacks(defence.continuations))
        for defence in defences
    )


def test_the_play_of_a_known_problem_is_complete(solver: Solver) -> None:
    play = whole(chess.Board(BLOCK + " 0 1"), "#2", solver, set_play=True, tries=1)
    assert play.complete_moves is None
    assert play.keys_complete
    assert play.tries_complete
    assert continuations(play.set_play) == {
        "c8d7": ["h5d5"],
        "c8e6": ["h5e5"],
        "d8d5": ["h5d5"],
        "e8e5": ["h5e5"],
        "f8d6": ["h5d5"],
        "f8e7": ["h5e5"],
    }
    (key,) = play.keys
    assert (key.move, key.moves_left, key.is_zugzwang) == ("h5a5", 1, True)
    assert key.threats == []
    defences = continuations(key.defences)
    assert len(defences) == 15
    duals = {reply: sorted(moves) for reply, moves in defences.items() if moves[1:]}
    both = ["a5b4", "a5b6"]
    assert duals == {"e8e7": both, "f8h6": both, "f8g7": both}
    tries = {attack.move: attack for attack in play.tries}
    assert {name: names(attack.refutations) for name, attack in tries.items()} == {
        "e3c2": ["d3c2"],
        "h5b5": ["a6b5"],
        "h5d5": ["d8d5"],
        "h5e5": ["e8e5"],
    }
    assert [threat.move for threat in tries["h5b5"].threats] == ["b5c4"]
    assert continuations(tries["h5b5"].defences) == {"c8e6": ["b5e5"]}
    assert [name for name, attack in tries.items() if attack.defences] == ["h5b5"]
    assert not any(attack.is_zugzwang for attack in play.tries)


def attacking_positions(count: int, seed: int) -> list[chess.Board]:
    """Return positions of few pieces in which the stronger side is to move."""
    boards = small_positions(20 * count, seed)
    strong = (board for board in boards if _weight(board, board.turn) > 5)
    return [board for board in strong if not _weight(board, not board.turn)][:count]


def _weight(board: chess.Board, color: chess.Color) -> int:
    worth = {chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3}
    return sum(
        weight * len(board.pieces(kind, color)) for kind, weight in worth.items()
    )


COMPOSED = [
    *(BLOCK, "8/8/2Q5/8/4N3/1K2k3/8/3R4 w - -", "8/1K6/8/2kN4/2n5/2P1R3/8/3Q4 w - -"),
    *("4k2r/R7/4K3/8/8/8/8/8 w - -", "r3k3/8/4K3/8/8/8/8/R6R b q -"),
    *("8/8/8/8/pP6/k1K5/8/1R6 b - b3", "8/2P1k3/4P3/3K4/8/8/8/8 w - -"),
]


@pytest.mark.parametrize(
    "options",
    [{}, {"all_defences": True}, {"threats": False}],
    ids=["usual", "all-defences", "no-threats"],
)
def test_the_play_of_mates_in_two_is_that_of_the_definition(
    options: dict[str, bool], solver: Solver
) -> None:
    expected_of = oracle.PlayOracle(Stipulation.parse("#2"), **options)
    boards = [chess.Board(f"{fen} 0 1") for fen in COMPOSED]
    boards += attacking_positions(20, seed=20261122)
    with_play = with_tries = with_threats = 0
    for board in boards:
        play = whole(board, "#2", solver, set_play=True, tries=2, **options)
        found = as_oracle(play)
        assert found == expected_of.whole_play(board, 2), board.fen()
        with_play += bool(found.keys)
        with_tries += bool(found.tries)
        with_threats += any(attack.threats for attack in all_attacks_of(play))
    assert with_play > 6
    assert with_tries > 3
    assert bool(with_threats) == options.get("threats", True)


@pytest.mark.parametrize(
    ("count", "seed"), [(6, 9), pytest.param(30, 10, marks=pytest.mark.slow)]
)
def test_the_play_of_mates_in_three_is_that_of_the_definition(
    count: int, seed: int, solver: Solver
) -> None:
    expected_of = oracle.PlayOracle(Stipulation.parse("#3"))
    shown = short = 0
    for board in attacking_positions(count, seed):
        play = whole(board, "#3", solver, set_play=True, tries=1)
        found = as_oracle(play)
        assert found == expected_of.whole_play(board, 1), board.fen()
        shown += bool(found.keys)
        short += any(key.moves_left < 2 for key in play.keys)
    assert shown > 2
    assert short > 0


SELFMATE = "8/8/1B5R/p7/N7/K2k4/R2p1Bp1/1q1Q2NR w - -"

OTHER = [
    ("s#2", SELFMATE),
    ("s#2", "Q7/8/6B1/3R4/8/2R2p2/4kNN1/6BK w - -"),
    ("s#1", SELFMATE),
    ("s=2", "Q7/8/6B1/3R4/8/2R2p2/4kNN1/6BK w - -"),
    ("r#2", "K7/3q4/8/k7/8/1P3r2/8/8 w - -"),
    ("semi-r#2", "1N6/8/8/8/1k2r3/8/2qq4/K7 w - -"),
    # The set play ends at once: the defender, in reflex play, must mate.
    ("r#2", "8/8/8/8/8/6k1/P4q2/7K w - -"),
    ("semi-r#2", "8/8/8/8/8/6k1/P4q2/7K w - -"),
    ("=2", "K7/1P4B1/3N4/1Bp2P2/N7/8/1pR5/1k6 w - -"),
    ("=2", "1k6/8/2R5/K7/5P2/8/8/8 w - -"),
    *(
        pytest.param(
            stipulation,
            "8/3p4/1B6/4P3/1pRN2k1/1q6/1P6/b1KN4 w - -",
            marks=pytest.mark.slow,
        )
        for stipulation in ("r#2", "semi-r#2")
    ),
]


@pytest.mark.parametrize(("stipulation", "fen"), OTHER)
def test_the_play_of_other_stipulations_is_that_of_the_definition(
    stipulation: str, fen: str, solver: Solver
) -> None:
    board = chess.Board(f"{fen} 0 1")
    expected = oracle.PlayOracle(Stipulation.parse(stipulation)).whole_play(board, 1)
    assert expected.keys | expected.tries
    play = whole(board, stipulation, solver, set_play=True, tries=1)
    assert as_oracle(play) == expected
    assert play.complete_moves is None


MUST_MATE = "4N3/6R1/8/1n1r2Q1/8/8/2K2B2/k1b2q2 b - -"
"""1...Qd3+ 2.Kxc1 would be a try, if Black were not to mate at once."""

LAST_MOVE = "5K2/q7/7k/2R5/3n4/8/4B3/8 w - -"
"""After 1.Kg8 Black must mate; after 1.Rh5+ it cannot, and has one move only."""


@pytest.mark.parametrize(
    ("stipulation", "fen", "tries"),
    [
        ("r#2", MUST_MATE, []),
        ("semi-r#2", MUST_MATE, ["f1d3"]),
        ("r#1", LAST_MOVE, []),
        ("semi-r#1", LAST_MOVE, []),
        ("s#1", LAST_MOVE, ["c5h5"]),
    ],
)
def test_reflex_play_has_no_tries_where_a_mate_is_due_or_one_move_is_left(
    stipulation: str, fen: str, tries: list[str], solver: Solver
) -> None:
    board = chess.Board(f"{fen} 0 1")
    play = whole(board, stipulation, solver, tries=1)
    assert [attack.move for attack in play.tries] == tries
    assert play.tries_complete


def test_a_selfmate_ends_with_the_defender_s_mates(solver: Solver) -> None:
    board = chess.Board(f"{SELFMATE} 0 1")
    (key,) = whole(board, "s#2", solver).keys
    (defence,) = key.defences
    (last,) = defence.continuations
    assert (key.move, defence.move, last.move) == ("d1f3", "d3c4", "f3b3")
    assert last.moves_left == 0
    assert not last.is_zugzwang
    assert [(end.move, end.continuations) for end in last.defences] == [("b1b3", [])]
    assert last.defences[0].length == 0


def test_a_key_that_mates_sooner_has_only_the_play_of_its_length(
    solver: Solver,
) -> None:
    board = chess.Board("8/8/8/4N3/3n4/6pp/5npk/1K4bn w - - 0 1")
    in_two = whole(board, "#2", solver)
    in_three = whole(board, "#3", solver)
    (key,) = in_two.keys
    sooner = [attack for attack in in_three.keys if attack.move == key.move]
    assert _attacks(sooner) == _attacks([key])
    assert in_three.keys[0].moves_left == 1


@pytest.mark.parametrize("stipulation", ["#2", "s#2"])
def test_black_s_play_is_the_mirror_image(stipulation: str, solver: Solver) -> None:
    fen = BLOCK if stipulation == "#2" else SELFMATE
    board = chess.Board(f"{fen} 0 1")
    options = {"set_play": True, "tries": 1}
    play = as_oracle(whole(board, stipulation, solver, **options))
    mirrored = as_oracle(whole(board.mirror(), stipulation, solver, **options))
    flip = str.maketrans("12345678", "87654321")
    assert repr(_sorted(play)).translate(flip) != repr(_sorted(play))
    assert _sorted(mirrored) == _sorted(_flipped(play, flip))


def _flipped(node: Any, flip: dict[int, int]) -> Any:
    if isinstance(node, str):
        return node.translate(flip)
    if isinstance(node, frozenset):
        return frozenset(_flipped(child, flip) for child in node)
    if isinstance(node, tuple):
        return tuple(_flipped(child, flip) for child in node)
    return node


def _sorted(node: Any) -> Any:
    """Return a tree with its sets in order, so that it has one text."""
    if isinstance(node, frozenset):
        return sorted(map(_sorted, node), key=repr)
    if isinstance(node, tuple):
        return tuple(map(_sorted, node))
    return node


def test_in_check_there_is_no_set_play(solver: Solver) -> None:
    board = chess.Board("k7/8/1K6/8/8/8/8/1r5R w - - 0 1")
    assert board.is_check()
    play = whole(board, "#2", solver, set_play=True)
    assert play.set_play == []
    assert play.complete_moves is None
