"""Who attacks when the caller does not say, and what the other side's mate may cost."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING

import chess
import pytest

from solver import Claim, InputError, Limits, Problem, Solution, Status, StoppedBy
from solver.board import pack_board
from solver.errors import FenError
from solver.problem import MAX_MOVES
from solver.search.queries import Question, Questions, read_question
from solver.search.threads import Control
from solver.solving import Solver
from tests.oracles import naive, walks
from tests.search.workspaces import untimed
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


pytestmark = pytest.mark.usefixtures("kernel")

ROOK_AGAINST_PAWN = "7k/8/5K2/8/8/8/6p1/R7 b - - 0 1"
"""Black to move is mated in 8; it has a pawn, so it might have mated itself."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def sides(
    fen: str, *, claim: int | None = None, within: int | None = None
) -> tuple[bool, bool]:
    problem = Problem(fen, claim=Claim(claim) if claim else None)
    question = read_question(problem, within=within)
    return question.attacking, question.both_sides


def test_the_sign_of_the_length_or_the_claim_says_who_attacks() -> None:
    assert sides(ROOK_AGAINST_PAWN, claim=3) == (True, False)
    assert sides(ROOK_AGAINST_PAWN, claim=-8) == (False, False)
    assert sides(ROOK_AGAINST_PAWN, claim=-8, within=2) == (True, False)
    assert sides(ROOK_AGAINST_PAWN, claim=2, within=-8) == (False, False)
    assert sides(ROOK_AGAINST_PAWN) == (True, True)


def test_the_search_goes_no_farther_than_the_limit() -> None:
    problem, limits = Problem(ROOK_AGAINST_PAWN), Limits(max_moves=4)
    assert read_question(problem).most_moves == MAX_MOVES
    assert read_question(problem, limits).most_moves == 4
    assert read_question(problem, limits, within=-6).most_moves == 6
    with pytest.raises(InputError, match="within: expected "):
        sides(ROOK_AGAINST_PAWN, within=-MAX_MOVES - 1)


def test_being_mated_is_an_answer(solver: Solver) -> None:
    solution = solver.solve(Problem(ROOK_AGAINST_PAWN), Limits())
    assert (solution.status, solution.mate) == (Status.PROVED, -8)
    assert len(solution.pv) == 16
    line = chess.Board(ROOK_AGAINST_PAWN)
    for move in solution.pv:
        line.push_uci(move)
    assert line.is_checkmate()
    claimed = solver.solve(Problem(ROOK_AGAINST_PAWN, claim=Claim(-8)), Limits())
    assert claimed.mate == -8
    for nodes in range(1, 2_000, 97):
        cut = solver.solve(Problem(ROOK_AGAINST_PAWN), Limits(nodes=nodes))
        assert (cut.status, cut.stopped_by) == (Status.UNDECIDED, StoppedBy.NODES)
    bare = solver.solve(Problem("7k/8/5K2/8/8/8/8/8 w - - 0 1"), Limits())
    assert (bare.status, bare.mate, bare.stats.nodes) == (Status.DISPROVED, None, 0)


@sized("count", 100, 400)
def test_the_side_that_mates_is_found_with_the_shortest_length(
    solver: Solver, count: int
) -> None:
    found = set()
    for board in walks.small_positions(count, 77):
        solution = solver.solve(Problem(board.fen()), Limits(max_moves=2))
        own = naive.shortest_mate(board, 2)
        lost = next((n for n in range(3) if naive.mated_in(board, n)), None)
        expected = -lost if lost is not None else own
        assert solution.mate == expected, board.fen()
        if own and lost is None:
            assert {*solution.keys} == naive.keys(board, own), board.fen()
            assert solution.keys_complete
        found.add(solution.mate)
    assert {-2, -1, 1, 2, None} <= found


def test_the_stipulation_says_who_begins_where_the_fen_does_not() -> None:
    begins = {"h#2": "b", "h=2": "b", "h#2.5": "w", "s#2": "w", "#2": "w"}
    for stipulation, side in begins.items():
        problem = Problem("7k/8/5K2/8/8/8/6p1/R7", stipulation=stipulation)
        assert read_question(problem).problem.fen.split()[1] == side, stipulation


# The position, read without python-chess


def test_a_position_is_read_as_python_chess_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    idle = 0
    for board in walks.random_positions(600, seed=44):
        whole, legal = board.fen(en_passant="fen"), board.fen()
        idle += whole != legal
        for given, fen in ((whole, legal), (Problem(whole), whole), (board, legal)):
            question = read_question(given)
            assert question.problem.fen == fen
            assert question.black == (board.turn == chess.BLACK)
            packed = [bytes(pack_board(chess.Board(each))) for each in (whole, legal)]
            assert bytes(question.position) in packed[: 1 + (given is board)]
            assert question.board == chess.Board(fen)
    assert idle > 20
    # Another thread may still load python-chess.
    start = chess.STARTING_FEN
    monkeypatch.setitem(sys.modules, "chess", ModuleType("chess"))
    assert read_question(start).problem.fen == start


def test_the_legal_moves_are_root_moves_and_no_others() -> None:
    random = Random(45)
    for board in walks.random_positions(500, seed=45):
        legal = [move.uci() for move in board.legal_moves]
        if legal:
            assert read_question(board, root_moves=legal).root_moves == tuple(legal)
        pseudo = {move.uci() for move in board.pseudo_legal_moves}
        start, end = random.sample(chess.SQUARE_NAMES, 2)
        for move in {*pseudo, start + end, f"{start}{end}q"} - {*legal}:
            with pytest.raises(InputError, match=f"root_moves: .* found '{move}'"):
                read_question(board, root_moves=[*legal, move])


# Batches: many problems in one call have the answers that each has alone


MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
CHECKMATE = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1"
BARE_KING = "8/8/8/8/4k3/8/3q4/5K2 w - - 0 1"
SMALL_ENDING = "8/8/8/8/8/2k5/3q4/K6R w - - 0 1"
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"

LIMITS = Limits(max_moves=3, nodes=200_000)


def uncontrolled() -> AbstractContextManager[Control]:
    return nullcontext(Control())


def questions_of_all_kinds() -> list[Question]:
    """Return questions_of_all_kinds of all kinds, each asked in several ways."""
    boards = [*walks.random_positions(150, seed=1), *walks.small_positions(150, seed=2)]
    fens = [board.fen(en_passant="fen") for board in boards]
    asked = [Question(Problem(LONG), replace(LIMITS, max_moves=None))]
    for fen in [*fens, MATE_IN_ONE, CHECKMATE, BARE_KING, SMALL_ENDING, LONG]:
        asked += [
            Question(Problem(fen), LIMITS),
            Question(Problem(fen, claim=Claim(2)), replace(LIMITS, max_moves=2)),
            Question(Problem(fen, claim=Claim(-1)), replace(LIMITS, max_moves=1)),
            Question(Problem(fen, no_mate=2), replace(LIMITS, max_moves=2)),
            Question(Problem(fen, claim=Claim(4)), LIMITS, within=2),
        ]
    return asked


def answers_to(asked: list[Question]) -> list[Solution]:
    solver = Solver(hash_mib=1)
    return list(answers_of(solver, asked))


def answers_of(
    solver: Solver,
    asked: list[Question],
    searching: Callable[[], AbstractContextManager[Control]] = uncontrolled,
) -> Iterator[Solution]:
    batch = Questions(solver.workspace, asked)
    for answered in solver.answers(batch, searching):
        yield from batch.solutions(answered)


@pytest.mark.parametrize("keys", [True, False])
def test_problems_of_a_batch_have_the_answers_that_each_has_alone(keys: bool) -> None:
    asked = [replace(question, all_keys=keys) for question in questions_of_all_kinds()]
    solver = Solver(hash_mib=1)
    together = answers_to(asked)
    assert len(together) == len(asked)
    for question, answer in zip(asked, together, strict=True):
        alone = solver.solve(
            question.problem, question.limits, within=question.within, keys=keys
        )
        assert untimed(answer) == untimed(alone), question
    assert {answer.status for answer in together} == {*Status} - {Status.FOUND}


def test_other_stipulations_and_unusual_fens_are_answered_too() -> None:
    asked = [
        Question(Problem(MATE_IN_ONE), LIMITS),
        Question(
            Problem("8/8/8/8/8/5k2/7p/5K1B b - - 0 1", stipulation="h#1"), Limits()
        ),
        Question(Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - -"), LIMITS),
        Question(Problem(MATE_IN_ONE), LIMITS),
    ]
    first, helped, unusual, last = answers_to(asked)
    assert first.mate == unusual.mate == last.mate == 1
    assert unusual.problem.fen == MATE_IN_ONE
    assert helped.solutions_complete
    assert answers_to([]) == []
    with pytest.raises(FenError, match="expected 8 ranks"):
        answers_to([asked[0], Question(Problem("8/8 w - -"), LIMITS)])


def test_an_interrupted_batch_decides_nothing_more() -> None:
    @contextmanager
    def interrupted() -> Iterator[Control]:
        control = Control()
        control.stop()
        yield control

    asked = [Question(Problem(LONG), Limits()) for _ in range(3)]
    answers = list(answers_of(Solver(hash_mib=1), asked, interrupted))
    assert [answer.stopped_by for answer in answers] == [StoppedBy.INTERRUPT] * 3
    assert {answer.status for answer in answers} == {Status.UNDECIDED}
    # An answer that comes before the clock is heard is an answer all the same.
    limits = replace(LIMITS, time_s=0.0)
    for answer in answers_to([Question(Problem(LONG), limits)] * 3):
        assert (answer.status, answer.stopped_by) in {
            (Status.UNDECIDED, StoppedBy.TIME),
            (Status.DISPROVED, None),
        }
