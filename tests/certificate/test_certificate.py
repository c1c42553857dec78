"""The checker proves from a certificate, or a claim for MateBench, what was said."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import errors
from solver.board import pack_board
from solver.certificate import build, matebench
from solver.certificate.matebench import FORMATS, encode_claim
from solver.checker import Checked, check
from solver.formats.registry import read_collection
from solver.problem import Claim, Limits, Problem
from solver.search import threads
from solver.search.threads import Control
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.oracles import remembering, walks
from tests.oracles.walks import random_positions, small_positions
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"

SEED = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


@pytest.fixture
def prover() -> build.WorkspaceProver:
    return prover_of()


def prover_of(nodes: int | None = None) -> build.WorkspaceProver:
    workspace = Workspace(hash_mib=16)
    workspace.begin(nodes)
    return build.WorkspaceProver(workspace)


def solved(fen: str, mate: int | None, lower_bound: int) -> Solution:
    """An answer as a search would return it; the status is irrelevant."""
    return Solution(Problem(fen), Status.FOUND, mate, lower_bound)


def prove(certification: build.Certification) -> Checked:
    """What the certificate proves after it is written and read."""
    assert certification.certificate is not None
    assert certification.left_out == ()
    return check(json.loads(certification.certificate.encode()))


def puzzles(*names: str) -> Iterator[Problem]:
    for name in names:
        for problem in read_collection(str(PUZZLES / f"{name}.epd")):
            assert isinstance(problem, Problem)
            yield problem


@pytest.mark.parametrize(
    "name", ["traps", "generated-2", pytest.param("classics", marks=pytest.mark.slow)]
)
def test_every_puzzle_is_certified_as_claimed(
    name: str, solver: Solver, prover: build.WorkspaceProver
) -> None:
    certified = 0
    for problem in puzzles(name):
        assert problem.claim is not None
        if abs(problem.claim.mate) > 4:
            continue
        solution = solver.solve(problem, Limits(), keys=False)
        checked = prove(build.certify(solution, prover))
        claimed = problem.claim.mate
        proved = checked.fen, checked.mate, checked.lower_bound
        assert proved == (problem.fen, claimed, abs(claimed)), problem.id
        certified += 1
    assert certified > 20


def test_random_positions_are_certified_as_solved(
    solver: Solver, prover: build.WorkspaceProver
) -> None:
    boards = [*small_positions(90, seed=3), *random_positions(40, seed=4)]
    mates = set()
    for board in boards:
        for claim in (Claim(2), Claim(-2)):
            problem = Problem(board.fen(), claim=claim)
            solution = solver.solve(problem, Limits(max_moves=2), keys=False)
            if solution.mate is None and solution.lower_bound == 1:
                continue
            checked = prove(build.certify(solution, prover))
            assert checked.mate == solution.mate, board.fen()
            assert checked.lower_bound >= solution.lower_bound, board.fen()
            mates.add(solution.mate)
    assert mates == {None, -2, -1, 0, 1, 2}


def test_what_may_not_be_shortest_or_is_undecided_has_its_lower_bound(
    prover: build.WorkspaceProver,
) -> None:
    checked = prove(build.certify(solved(SEED, 12, 4), prover))
    # The nodes may prove a shorter mate than the answer's.
    assert 8 <= (checked.mate or 0) <= 12
    assert checked.lower_bound == 4
    checked = prove(build.certify(solved(SEED, None, 4), prover))
    assert (checked.mate, checked.lower_bound) == (None, 4)
    nothing = build.certify(solved(SEED, None, 1), prover)
    assert nothing == build.Certification(None, ())


def test_the_mate_of_a_small_endgame_is_proved_beyond_the_reach_of_search(
    prover: build.WorkspaceProver,
) -> None:
    for fen, mate in (
        ("7k/8/5K2/8/4N3/8/8/5B2 w - - 0 1", 22),
        ("7k/8/3N1K2/8/8/8/8/5B2 b - - 0 1", -21),
    ):
        assert prove(build.certify(solved(fen, mate, 1), prover)).mate == mate


def test_a_part_that_is_too_large_is_left_out_and_reported(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MATE_NODES", 500)
    monkeypatch.setattr(build, "REFUTATION_MOVES", 100)
    certification = build.certify(solved(SEED, 8, 8), prover)
    assert certification.certificate is not None
    assert certification.certificate.refutation is None
    left_out = "the proof of no mate in 7 is left out: more than 100 moves"
    assert certification.left_out == (left_out,)
    checked = check(certification.certificate.document())
    assert (checked.mate, checked.lower_bound) == (8, 1)
    monkeypatch.setattr(build, "MATE_NODES", 3)
    assert build.certify(solved(SEED, 8, 8), prover) == build.Certification(
        None, ("the proof of mate in 8 is left out: more than 3 nodes", left_out)
    )


HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
"""No mate is near: searching for a mate in 9 would take hours."""


def test_building_and_a_single_long_search_end_at_the_time_limit(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = bytes(pack_board(chess.Board(HARD)))
    with pytest.raises(errors.TooLargeError, match=r"^more than 0\.1 s of building$"):
        prover.mates(packed, 9, threads.Budget(1, "nodes", 0.1))
    monkeypatch.setattr(build, "BUILDING_S", 0)
    assert build.certify(solved(SEED, 8, 1), prover).left_out == (
        "the proof of mate in 8 is left out: more than 0 s of building",
    )


def test_a_stopped_prover_or_one_without_nodes_ends_the_building() -> None:
    stopped = prover_of()
    stopped._workspace.search.stop = 1
    for prover in (stopped, prover_of(nodes=1000)):
        with pytest.raises(errors.BuildingStoppedError):
            build.certify(solved(SEED, 8, 8), prover)


def test_moves_are_named_as_python_chess_names_them() -> None:
    moves = build.Moves()
    for board in random_positions(400, seed=7):
        packed = bytes(pack_board(board))
        names = {build.uci_of(packed, move, board.turn) for move in moves.legal(packed)}
        assert names == {move.uci() for move in board.legal_moves}


DOCUMENTATION = Path(__file__).parents[2] / "docs" / "reference"


def test_the_documented_example_is_what_is_written(
    prover: build.WorkspaceProver,
) -> None:
    text = (DOCUMENTATION / "certificate-format.md").read_text(encoding="utf-8")
    block = r"```console\n\$ cat \S+/example.json\n(.*?)```"
    shown = re.findall(block, text, re.DOTALL)
    file = (DOCUMENTATION / "example.json").read_text(encoding="utf-8")
    certification = build.certify(solved("8/8/8/8/8/5KR1/8/7k w - - 0 1", 3, 3), prover)
    assert certification.certificate is not None
    assert shown == [file] == [certification.certificate.encode().decode()]


# Claims for MateBench

ROOK_MATE = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
"""Mate in 3."""


def certified(
    prover: build.WorkspaceProver, fen: str, mate: int | None, lower_bound: int
) -> build.Certification:
    """The program's own certificate of bounds."""
    problem = Problem(fen, claim=Claim(mate or 1))
    return build.certify(Solution(problem, Status.FOUND, mate, lower_bound), prover)


def written(certification: build.Certification) -> Any:
    """The claim, read again."""
    data, left_out = encode_claim(certification, "matebench", Control())
    assert left_out == certification.left_out == ()
    assert data is not None
    assert data.count(b"\n") == 1  # a line of JSON Lines
    return json.loads(data)


@sized("count", 30, 1000)
def test_small_positions_are_claimed_as_brute_force_proves(
    count: int, prover: build.WorkspaceProver
) -> None:
    solver, found = Solver(hash_mib=16), set()
    for board in walks.small_positions(count, seed=5):
        problem = Problem(board.fen(), claim=Claim(3))
        solution = solver.solve(problem, Limits(max_moves=3), keys=False)
        if board.is_checkmate():
            continue
        document = written(build.certify(solution, prover))
        oracle = remembering.Oracle()
        mate = next((n for n in (1, 2, 3) if oracle.mate_in(board, n)), None)
        claim = ("minimality", mate) if mate else ("absence", 3)
        assert (document["claim"], document["n"]) == claim, board.fen()
        assert document["fen"] == board.epd()
        checked = check(document)
        bounds = (mate, mate) if mate else (None, 4)
        assert (checked.mate, checked.lower_bound) == bounds, board.fen()
        found.add(mate)
    assert found == {None, 1, 2, 3}


def test_a_king_alone_has_every_move_down_to_the_last(
    prover: build.WorkspaceProver,
) -> None:
    fen = "8/8/4k3/8/8/8/8/r6K w - - 0 1"
    certification = certified(prover, fen, None, 7)
    assert certification.certificate is not None
    assert certification.certificate.refutation == {"moves": 6, "nodes": []}
    checked = check(written(certification))
    assert checked.lower_bound == 7
    assert checked.positions > 50


def test_without_a_proof_that_none_is_shorter_the_mate_stands_alone(
    prover: build.WorkspaceProver,
) -> None:
    document = written(certified(prover, ROOK_MATE, 3, 2))
    assert document.keys() == {"fen", "a", "d"}
    assert (check(document).mate, check(document).lower_bound) == (3, 1)


def test_a_proof_that_is_too_large_is_left_out_and_reported(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    certification = certified(prover, ROOK_MATE, 3, 3)
    with monkeypatch.context() as nesting:
        nesting.setattr(matebench, "MAX_MOVES", 2)
        long = encode_claim(certification, "matebench", Control())
    assert long == (None, ("a proof for MateBench is left out: more than 2 moves",))
    monkeypatch.setattr(build, "REFUTATION_MOVES", 30)
    data, left_out = encode_claim(certification, "matebench", Control())
    assert left_out == ("a proof for MateBench is left out: more than 30 moves",)
    assert data is not None
    assert check(json.loads(data)).mate == 3
    monkeypatch.setattr(build, "MATE_NODES", 2)
    data, left_out = encode_claim(certification, "matebench", Control())
    assert data is None
    assert left_out == ("a proof for MateBench is left out: more than 2 nodes",)


def test_an_interrupt_stops_it(prover: build.WorkspaceProver) -> None:
    control = Control()
    control.stop()
    with pytest.raises(errors.BuildingStoppedError):
        encode_claim(certified(prover, ROOK_MATE, 3, 3), "matebench", control)


def test_the_defender_has_no_claim_and_the_own_format_is_unchanged(
    prover: build.WorkspaceProver,
) -> None:
    mated = certified(prover, ROOK_MATE.replace(" w ", " b "), -2, 2)
    reason = "MateBench has no claims about the side that defends"
    assert encode_claim(mated, "matebench", Control()) == (None, (reason,))
    certification = certified(prover, ROOK_MATE, 3, 3)
    assert certification.certificate is not None
    expected = certification.certificate.encode()
    assert encode_claim(certification, FORMATS[0], Control()) == (expected, ())
    nothing = build.Certification(None, ("too large",))
    assert encode_claim(nothing, "matebench", Control()) == (None, ("too large",))
