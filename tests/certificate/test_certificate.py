"""The checker proves from a built certificate what the answer said."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.board import pack_board
from solver.certificate import build
from solver.checker import Checked, check, read
from solver.formats.registry import read_collection
from solver.problem import Claim, Limits, Problem
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status
from solver.solving import Solver
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
def workspace() -> Workspace:
    workspace = Workspace(hash_mib=16)
    workspace.begin(None)
    return workspace


@pytest.fixture
def prover(workspace: Workspace) -> build.WorkspaceProver:
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
    "name",
    [
        "traps",
        "generated-2",
        "generated-3",
        pytest.param("classics", marks=pytest.mark.slow),
    ],
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


@sized("longest", 3, 4)
def test_positions_without_a_mate_are_certified_as_such(
    solver: Solver, prover: build.WorkspaceProver, longest: int
) -> None:
    for problem in puzzles("nomates"):
        most = problem.no_mate
        assert most is not None
        if most > longest:
            continue
        solution = solver.solve(problem, Limits(max_moves=most))
        checked = prove(build.certify(solution, prover))
        assert (checked.mate, checked.lower_bound) == (None, most + 1), problem.id
        assert checked.attacker == chess.Board(problem.fen).turn


def test_random_positions_are_certified_as_solved(
    solver: Solver, prover: build.WorkspaceProver
) -> None:
    boards = [*small_positions(150, seed=3), *random_positions(60, seed=4)]
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


def test_a_mate_that_may_not_be_shortest_comes_with_its_lower_bound(
    prover: build.WorkspaceProver,
) -> None:
    checked = prove(build.certify(solved(SEED, 12, 4), prover))
    # The nodes may prove a shorter mate than the answer's.
    assert checked.mate is not None
    assert 8 <= checked.mate <= 12
    assert checked.lower_bound == 4


@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        ("7k/8/5K2/8/4N3/8/8/5B2 w - - 0 1", 22),
        ("7k/8/3N1K2/8/8/8/8/5B2 b - - 0 1", -21),
    ],
)
def test_the_mate_of_a_small_endgame_is_proved_beyond_the_reach_of_search(
    prover: build.WorkspaceProver, fen: str, mate: int
) -> None:
    assert prove(build.certify(solved(fen, mate, 1), prover)).mate == mate


def test_an_undecided_answer_has_a_proved_lower_bound(
    prover: build.WorkspaceProver,
) -> None:
    checked = prove(build.certify(solved(SEED, None, 4), prover))
    assert (checked.mate, checked.lower_bound) == (None, 4)


def test_without_a_mate_the_claim_says_who_attacks(
    prover: build.WorkspaceProver,
) -> None:
    fen = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
    problem = Problem(fen, claim=Claim(-1))
    lost = Solution(problem, Status.DISPROVED, None, 2)
    assert prove(build.certify(lost, prover)).attacker is chess.BLACK


def test_without_a_proof_there_is_no_certificate(prover: build.WorkspaceProver) -> None:
    assert build.certify(solved(SEED, None, 1), prover) == build.Certification(None, ())


class Wanderer:
    """Proves mates of a rook endgame, but chooses longer ways within the bound.

    So bounds are loose, and a position is searched with several bounds.
    """

    def __init__(self, prover: build.WorkspaceProver, seed: int) -> None:
        self._prover = prover
        self._random = random.Random(seed)
        self._moves = build.Moves()
        self.bounds: dict[bytes, int] = {}
        self.repeated = 0

    def attack(
        self, packed: bytes, moves: int, budget: build.Budget
    ) -> tuple[int, int]:
        """Return a random move that mates within the bound, and the bound itself."""
        if packed in self.bounds:
            assert moves < self.bounds[packed]
            self.repeated += 1
        self.bounds[packed] = moves
        fast, shortest = self._prover.attack(packed, moves, budget)
        if shortest == moves:
            return fast, moves
        choices = list(self._moves.after_each(packed))
        self._random.shuffle(choices)
        for attack, after in choices:
            replies = [reply for _, reply in self._moves.after_each(after)]
            if replies and all(
                self.mates(reply, moves - 1, budget) for reply in replies
            ):
                return attack, moves
        return fast, shortest

    def mates(self, packed: bytes, moves: int, budget: build.Budget) -> bool:
        return self._prover.mates(packed, moves, budget)


@pytest.mark.parametrize("seed", range(3))
def test_a_prover_that_takes_detours_still_proves_the_mate(
    seed: int, prover: build.WorkspaceProver
) -> None:
    wanderer = Wanderer(prover, seed)
    fen = "8/8/8/8/8/4K3/R7/6k1 w - - 0 1"
    checked = prove(build.certify(solved(fen, 9, 1), wanderer))
    assert checked.mate is not None
    assert 1 <= checked.mate <= 9
    assert wanderer.repeated > 0


def test_a_part_that_is_too_large_is_left_out_and_reported(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MATE_NODES", 500)
    monkeypatch.setattr(build, "REFUTATION_MOVES", 100)
    certification = build.certify(solved(SEED, 8, 8), prover)
    assert certification.certificate is not None
    assert certification.certificate.refutation is None
    assert certification.left_out == (
        "the proof of no mate in 7 is left out: more than 100 moves",
    )
    checked = check(certification.certificate.document())
    assert (checked.mate, checked.lower_bound) == (8, 1)


def test_without_both_parts_there_is_no_certificate(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MATE_NODES", 3)
    monkeypatch.setattr(build, "REFUTATION_MOVES", 3)
    assert build.certify(solved(SEED, 8, 8), prover) == build.Certification(
        None,
        (
            "the proof of mate in 8 is left out: more than 3 nodes",
            "the proof of no mate in 7 is left out: more than 3 moves",
        ),
    )


def test_time_is_a_limit(
    prover: build.WorkspaceProver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BUILDING_S", 0)
    certification = build.certify(solved(SEED, 8, 1), prover)
    assert certification.left_out == (
        "the proof of mate in 8 is left out: more than 0 s of building",
    )


HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
"""No mate is near: searching for a mate in 9 would take hours."""


def test_a_single_long_search_ends_at_the_time_limit(
    prover: build.WorkspaceProver,
) -> None:
    with pytest.raises(build.TooLargeError, match=r"^more than 0\.1 s of building$"):
        prover.mates(
            bytes(pack_board(chess.Board(HARD))), 9, build.Budget(1, "nodes", 0.1)
        )


def test_a_stopped_prover_ends_the_building(workspace: Workspace) -> None:
    workspace.search.stop = 1
    with pytest.raises(build.BuildingStoppedError):
        build.certify(solved(SEED, 8, 8), build.WorkspaceProver(workspace))


def test_a_search_without_nodes_left_ends_the_building(workspace: Workspace) -> None:
    workspace.begin(1000)
    with pytest.raises(build.BuildingStoppedError):
        build.certify(solved(SEED, 8, 8), build.WorkspaceProver(workspace))


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
    shown = re.findall(
        r"```console\n\$ cat \S+/example.json\n(.*?)```", text, re.DOTALL
    )
    file = (DOCUMENTATION / "example.json").read_text(encoding="utf-8")
    certification = build.certify(solved("8/8/8/8/8/5KR1/8/7k w - - 0 1", 3, 3), prover)
    assert certification.certificate is not None
    assert shown == [file] == [certification.certificate.encode().decode()]


def test_the_document_has_a_line_for_each_node() -> None:
    fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    part: dict[str, Any] = {"moves": 1, "nodes": [["a1a8", {}]]}
    assert build.Certificate(fen, chess.WHITE, part).encode() == (
        b'{"certificate":1,\n'
        b'"fen":"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",\n'
        b'"attacker":"white",\n'
        b'"mate":{"moves":1,"nodes":[\n'
        b'["a1a8",{}]\n'
        b"]}}\n"
    )


@pytest.mark.parametrize("name", ["proof.json", "proof.json.gz"])
def test_a_file_is_compressed_if_its_name_says_so(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    build.write(b"[1]", path)
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert read(path) == [1]
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_bytes_are_compressed_to_the_same_file(tmp_path: Path) -> None:
    build.write(b"[1]", tmp_path / "one.gz")
    build.write(b"[1]", tmp_path / "two.gz")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_a_file_that_cannot_be_replaced_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "proof.json"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        build.write(b"[1]", path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
