"""The play, and the marks of problemists, are what oracles find by the definitions."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import variations
from solver.board import Place
from solver.formats.registry import read_collection
from solver.play.builder import build_variations
from solver.play.record import (
    KEY_FEATURES,
    MateMark,
    PlayOptions,
    Variations,
    find_mate_mark,
    mark_key,
)
from solver.problem import Limits, Problem, Restriction, Stipulation
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.oracles import marks, special, walks
from tests.oracles import play as oracle
from tests.oracles.restrictions import RestrictedGame
from tests.oracles.walks import small_positions
from tests.output.answers import ROOK_BY_TABLE
from tests.played import Ply, require_whole_mate, walk
from tests.sizes import sized
from tests.typed_play import all_attacks_of, names, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.usefixtures("kernel")

BLOCK = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - -"
"""A mate in two with set play, duals and four tries."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def whole(board: chess.Board, stipulation: str, solver: Solver, **options: Any) -> Any:
    problem = Problem(board.fen(), stipulation=Stipulation.parse(stipulation))
    return typed(variations(problem, solver=solver, **options))


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
SHORT_SELFMATE = "Q7/8/6B1/3R4/8/2R2p2/4kNN1/6BK w - -"
AT_ONCE = "8/8/8/8/8/6k1/P4q2/7K w - -"
"""The set play ends at once: the defender, in reflex play, must mate."""

# fmt: off
OTHER = [
    pytest.param("s#2", SELFMATE, marks=pytest.mark.slow),
    ("s#2", SHORT_SELFMATE), ("s=2", SHORT_SELFMATE),
    ("r#2", "K7/3q4/8/k7/8/1P3r2/8/8 w - -"), ("r#2", AT_ONCE),
    ("semi-r#2", "1N6/8/8/8/1k2r3/8/2qq4/K7 w - -"), ("semi-r#2", AT_ONCE),
    ("=2", "1k6/8/2R5/K7/5P2/8/8/8 w - -"),
]
# fmt: on


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


def test_in_check_there_is_no_set_play(solver: Solver) -> None:
    board = chess.Board("k7/8/1K6/8/8/8/8/1r5R w - - 0 1")
    assert board.is_check()
    play = whole(board, "#2", solver, set_play=True)
    assert play.set_play == []
    assert play.complete_moves is None


PUZZLES = Path(__file__).parents[2] / "puzzles"

MATED = "7k/8/p5K1/8/8/8/8/1R6 b - - 0 1"
"""Mated in 1, whichever of the two moves is played."""


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


def puzzles(name: str, most: int, count: int) -> list[Problem]:
    """Return the first puzzles of a file that claim a mate in at most `most` moves."""
    records = read_collection(str(PUZZLES / f"{name}.epd"))
    problems = [record for record in records if isinstance(record, Problem)]
    claimed = (one for one in problems if one.claim and 0 < abs(one.claim.mate) <= most)
    return list(islice(claimed, count))


@pytest.mark.parametrize(("name", "most"), [("traps", 4), ("classics", 3)])
def test_every_defence_of_a_puzzle_ends_in_mate_in_time(
    name: str, most: int, solver: Solver
) -> None:
    for problem in puzzles(name, most, 15):
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
        for attack in all_attacks_of(variations):
            lengths = [defence.length for defence in attack.defences]
            assert lengths == sorted(lengths, reverse=True), problem.id


def test_without_time_the_main_line_and_the_keys_are_still_complete(
    solver: Solver,
) -> None:
    solution = solver.solve(Problem("7k/8/5K2/8/8/8/8/RR6 w - - 0 1"), Limits())
    assert solution.mate == 2
    assert len(solution.keys) > 2
    variations = play(solution, solver, time_s=0)
    assert variations.complete_moves == 0
    assert {key.move for key in variations.keys} == set(solution.keys)
    assert all(key.is_cut for key in variations.keys)
    assert [bool(key.defences) for key in variations.keys][:2] == [True, False]
    assert mainline(variations) == solution.pv
    solution = solver.solve(Problem("8/8/8/8/1Q6/2K5/8/k7 w - - 0 1"), Limits())
    assert solution.mate == 1
    assert play(solution, solver, time_s=0).complete_moves is None
    stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
    solution = solver.solve(Problem(stalemate), Limits(max_moves=2))
    assert play(solution, solver) == Variations(fen=stalemate)


def test_the_side_to_move_may_be_mated(solver: Solver) -> None:
    found = solver.solve(Problem(MATED), Limits())
    assert found.mate == -1
    assert require_whole_mate(plies(found, play(found, solver)), -1) == 1
    for line in ((), ("a6a5", "b1b8")):
        solver.workspace.begin(None)
        solution = Solution(Problem(MATED), Status.PROVED, -1, 1, pv=line)
        variations = play(solution, solver)
        assert require_whole_mate(plies(solution, variations), -1) == 1
        # Among equally long defences the main line comes first.
        assert mainline(variations) == line or not line


@pytest.mark.parametrize("flights", [None, 2])
def test_the_attacker_obeys_a_restriction(flights: int | None, solver: Solver) -> None:
    restriction = Restriction(checks_only=flights is None, king_flights=flights)
    game = RestrictedGame(flights is None, flights, None, None)
    shown = 0
    for problem in puzzles("generated-3", 3, 60):
        limits = Limits(max_moves=4, nodes=100_000)
        solution = solver.solve(problem, limits, restriction=restriction)
        if not solution.mate:
            continue
        variations = play(solution, solver)
        require_whole_mate(plies(solution, variations), solution.mate)
        for ply in plies(solution, variations):
            if not ply.is_attackers and ply.moves:
                assert game.admits(ply.before), (problem.fen, ply)
        shown += 1
    assert shown > 3


def test_the_mate_of_a_small_endgame_is_shown_beyond_the_reach_of_search(
    solver: Solver,
) -> None:
    solution = solver.solve(Problem("7k/8/5K2/8/4N3/8/8/5B2 w - - 0 1"), Limits())
    assert solution.mate == 22
    variations = play(solution, solver, most_moves=500)
    assert variations.complete_moves
    assert all(attack.moves_left < 22 for attack in all_attacks_of(variations))


def test_a_mate_from_a_tablebase_has_only_its_main_line_and_keys(
    solver: Solver,
) -> None:
    solver.workspace.begin(None)
    variations = play(ROOK_BY_TABLE, solver)
    assert variations.complete_moves == 0
    assert mainline(variations) == ROOK_BY_TABLE.pv
    assert {key.move for key in variations.keys} == set(ROOK_BY_TABLE.keys)


# Pure, model and ideal mates, and what a key does


PLAIN, PURE, MODEL, IDEAL = MateMark

MATES = [
    # One guard for each square; the king takes part.
    ("k6R/8/1K6/8/8/8/8/8 b - - 0 1", IDEAL),
    # An idle king or pawn leaves a model mate, an idle piece a pure one.
    ("4R1k1/5ppp/8/8/8/8/8/K7 b - - 0 1", MODEL),
    ("4R1k1/5ppp/8/8/8/8/8/K1B5 b - - 0 1", PURE),
    # An idle piece of the mated side prevents only an ideal mate.
    ("k6R/8/1K6/8/8/8/p7/8 b - - 0 1", MODEL),
    # A square guarded twice, and a block that is guarded.
    ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", PLAIN),
    ("4R1k1/5ppp/8/8/3B4/8/8/K7 b - - 0 1", PLAIN),
    # The rook far away would parry the check, so its pinner takes part; the knight
    # would not.
    ("k1K5/8/8/3r4/8/8/6B1/R7 b - - 0 1", MODEL),
    ("k1K5/8/8/3n4/8/8/6B1/R7 b - - 0 1", PURE),
    # The pawn f4 would capture en passant if the rook did not pin it.
    ("8/6K1/8/4pkp1/2Q1Ppp1/5R2/8/8 b - e3 0 1", IDEAL),
    # Stalemate is no mate.
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", PLAIN),
]


@pytest.mark.parametrize(("fen", "mark"), MATES)
def test_a_mate_is_marked_by_the_definition(fen: str, mark: MateMark) -> None:
    board = chess.Board(fen)
    assert board.is_checkmate() or mark is PLAIN
    assert find_mate_mark(board) is mark
    assert board.fen(en_passant="fen") == fen
    assert find_mate_mark(board.mirror()) is mark
    assert find_mate_mark(board.transform(chess.flip_horizontal)) is mark


def moves_of(count: int, seed: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Yield all legal moves of positions of all kinds, special moves among them."""
    boards = chain(
        walks.random_positions(count, seed),
        walks.small_positions(count, seed),
        walks.crowded_positions(count, seed),
        special.all_kinds(count // len(special.KINDS), seed),
    )
    return ((board, move) for board in boards for move in list(board.legal_moves))


def feature_of(remark: str) -> str:
    """Return a remark without its squares."""
    words = remark.replace(",", "").split()
    return " ".join(word for word in words if word not in chess.SQUARE_NAMES)


@sized("count", 30, 3_000)
def test_a_key_does_what_the_oracle_says(count: int) -> None:
    found: Counter[str] = Counter()
    for board, move in moves_of(count, seed=1):
        expected = marks.mark_key(board, move)
        assert mark_key(Place.of(board), move.uci()) == expected, (board.fen(), move)
        found.update(map(feature_of, expected))
        found[special.name_special(board, move)] += 1
    named = {feature_of(text.format("a1")) for text in KEY_FEATURES.values()}
    assert named - {"promotes to a pawn"} <= set(found)
    assert {"castling", "en passant", "promotion"} <= set(found)


def mates_of_play(count: int, seed: int) -> Iterator[chess.Board]:
    """Yield the mates that a legal move gives in positions of all kinds."""
    for board, move in moves_of(count, seed):
        board.push(move)
        if board.is_checkmate():
            yield board
        board.pop()


@sized("count", 150, 8_000)
def test_a_mate_is_what_the_oracle_says(count: int) -> None:
    found: Counter[str] = Counter()
    mates = chain(
        walks.mated_positions(count, seed=3),
        mates_of_play(count, seed=3),
    )
    for board in mates:
        mark = marks.mark_mate(board)
        assert find_mate_mark(board) is mark, board.fen()
        assert find_mate_mark(board.mirror()) is mark, board.fen()
        found[mark] += 1
        found["double check"] += mark != PLAIN and len(board.checkers()) > 1
        own = chess.SquareSet(board.occupied_co[board.turn] & ~board.kings)
        pinned = any(board.is_pinned(board.turn, square) for square in own)
        found["pin"] += mark != PLAIN and pinned
    assert {PLAIN, PURE, MODEL, "double check", "pin"} <= set(+found)
