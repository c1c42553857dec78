"""The claims for MateBench say what brute force says, and the checker proves them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solver.certificate import build, matebench
from solver.certificate.matebench import FORMATS, encode_claim
from solver.checker import check
from solver.problem import MAX_MOVES, Claim, Limits, Problem
from solver.search.threads import Control
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.oracles import remembering, walks
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("kernel")

ROOK_MATE = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
"""Mate in 3."""


@pytest.fixture
def prover() -> build.WorkspaceProver:
    workspace = Workspace(hash_mib=16)
    workspace.begin(None)
    return build.WorkspaceProver(workspace)


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


def test_nodes_are_shared_between_positions_and_moves_left(
    prover: build.WorkspaceProver,
) -> None:
    fen = "8/8/3k4/8/8/8/8/B6K w - - 0 1"
    document = written(certified(prover, fen, None, 4))
    assert check(document).positions > len(document["certificate"]["nodes"])


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
    with pytest.raises(build.BuildingStoppedError):
        encode_claim(certified(prover, ROOK_MATE, 3, 3), "matebench", control)


def test_a_mate_too_long_to_nest_is_left_out(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matebench, "MAX_MOVES", 2)
    data, left_out = encode_claim(
        certified(prover, ROOK_MATE, 3, 1), "matebench", Control()
    )
    assert data is None
    assert left_out == ("a proof for MateBench is left out: more than 2 moves",)


def test_the_longest_line_that_is_written_can_be_read() -> None:
    tree: dict[str, Any] = {"a": "a1a2", "mate": True}
    for _ in range(MAX_MOVES):
        tree = {"a": "a1a2", "d": [{"r": "h8h7", "p": tree}]}
    assert json.loads(json.dumps(tree)) == tree


def test_the_defender_has_no_claim(prover: build.WorkspaceProver) -> None:
    certification = certified(prover, ROOK_MATE.replace(" w ", " b "), -2, 2)
    reason = "MateBench has no claims about the side that defends"
    assert encode_claim(certification, "matebench", Control()) == (None, (reason,))


def test_the_own_format_is_unchanged(prover: build.WorkspaceProver) -> None:
    certification = certified(prover, ROOK_MATE, 3, 3)
    assert certification.certificate is not None
    expected = certification.certificate.encode()
    assert encode_claim(certification, FORMATS[0], Control()) == (expected, ())


def test_nothing_proved_gives_no_claim() -> None:
    nothing = build.Certification(None, ("too large",))
    assert encode_claim(nothing, "matebench", Control()) == (None, ("too large",))
