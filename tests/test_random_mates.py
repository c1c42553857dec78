"""The mates that benchmarks.lichess makes are distinct, and all claims hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import chess
import pytest

from benchmarks import lichess
from solver.errors import FormatError
from solver.formats.registry import read_collection
from solver.problem import Problem
from tests.cli.conftest import without_summaries
from tests.processes import run

pytestmark = pytest.mark.usefixtures("kernel")

ROOT = Path(__file__).parents[1]
ROWS = 400


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, kernel: object) -> Path:  # noqa: ARG001
    path = tmp_path_factory.mktemp("made") / "mates.csv"
    lichess.make_mates(str(path), ROWS, seed=1)
    return path


def problems(path: Path) -> list[Problem]:
    records = list(read_collection(path))
    assert not [record for record in records if isinstance(record, FormatError)]
    return [record for record in records if isinstance(record, Problem)]


def test_an_audit_proves_every_claim(made: Path) -> None:
    command = [sys.executable, "-m", "solver", "verify", str(made), "--jsonl"]
    done = run(command, cwd=ROOT)
    assert (done.returncode, without_summaries(done.stderr)) == (0, "")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["verdict"] for record in records] == ["proved"] * ROWS
    assert not any("disagreements" in record for record in records)


def test_positions_are_distinct_and_each_line_ends_in_mate(made: Path) -> None:
    found = problems(made)
    assert len({problem.fen for problem in found}) == len(found) == ROWS
    lengths = []
    for problem in found:
        assert problem.claim
        board = chess.Board(problem.fen)
        assert board.is_valid()
        for move in problem.claim.line:
            board.push(board.parse_uci(move))
        assert board.is_checkmate()
        lengths.append(problem.claim.mate)
    assert min(map(lengths.count, (1, 2, 3))) > ROWS / 20
    assert set(lengths) == {1, 2, 3}
    sides = [problem.fen.split()[1] for problem in found]
    assert min(map(sides.count, "wb")) > ROWS / 4


def test_a_seed_always_makes_the_same_rows(made: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again.csv", tmp_path / "other.csv"
    lichess.make_mates(str(again), ROWS // 2, seed=1)
    assert made.read_bytes().startswith(again.read_bytes())
    lichess.make_mates(str(other), ROWS // 2, seed=2)
    assert not set(again.read_text().splitlines()[1:]) & set(
        other.read_text().splitlines()[1:]
    )


def test_a_file_may_be_compressed(made: Path) -> None:
    pytest.importorskip("zstandard")
    packed = made.with_name("mates.csv.zst")
    lichess.make_mates(str(packed), ROWS, seed=1)
    assert packed.stat().st_size < made.stat().st_size / 2
    assert [problem.fen for problem in problems(packed)] == [
        problem.fen for problem in problems(made)
    ]
