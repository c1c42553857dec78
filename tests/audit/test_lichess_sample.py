"""500 rows of lichess's database, row by row, as docs/howto/lichess.md lists them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit import job, workers
from solver.formats import claims, registry
from solver.problem import Limits, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes")

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "lichess_500.csv"

if not SAMPLE.exists():
    pytest.skip("the sample is not part of the project", allow_module_level=True)

RIVALS_AT_THE_END = {"004kB", "008o6", "00DPQ", "00EWi", "00LRq", "00OCQ", "00Pr6"}


def audited(options: job.AuditOptions, records: Sequence[Problem]) -> list[AuditResult]:
    return list(workers.audit(records, options, workers.local_workers(options, 1)))


def test_all_rows_that_claim_a_mate_are_sound_and_each_move_is_the_only_one() -> None:
    summary = claims.FileSummary()
    records = [
        record
        for record in registry.read_collection(SAMPLE, summary=summary)
        if isinstance(record, Problem)
    ]
    assert (summary.records, summary.not_selected) == (144, 356)
    options = job.AuditOptions(Limits(), all_keys=True, every_ply=True)
    results = audited(options, records)
    assert Counter(result.claim for result in results) == {1: 64, 2: 64, 3: 14, 4: 2}
    assert {(x.verdict, x.soundness, x.only_moves) for x in results} == {
        ("proved", "sound", 1)
    }


def test_python_chess_confirms_rows_with_other_mates_on_the_last_move() -> None:
    rivals = set()
    for record in registry.read_collection(SAMPLE):
        assert isinstance(record, Problem)
        assert record.claim
        board = chess.Board(record.fen)
        for uci in record.claim.line[:-1]:
            board.push_uci(uci)
        mates = 0
        for move in board.legal_moves:
            board.push(move)
            mates += board.is_checkmate()
            board.pop()
        if mates > 1:
            rivals.add(record.id)
    assert rivals == RIVALS_AT_THE_END


def test_one_row_that_claims_no_mate_has_a_mate() -> None:
    everything = registry.read_collection(
        SAMPLE, claims.ReadOptions(selection=claims.Selection(all_rows=True))
    )
    unclaimed = [
        record
        for record in everything
        if isinstance(record, Problem) and record.claim is None
    ]
    assert len(unclaimed) == 356
    results = audited(job.AuditOptions(Limits(max_moves=3)), unclaimed)
    mates = {x.id: (x.mate, x.keys) for x in results if x.mate is not None}
    assert mates == {"00QkV": (1, "e7e8")}
