"""`--checkpoints`: what an audit keeps of searches that a limit stopped."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit.job import AuditJob, AuditOptions, CheckpointFolder, TimeSlice
from solver.cli.console import Exit
from solver.cli.main import run
from solver.problem import Claim, Limits, Problem

if TYPE_CHECKING:
    from solver.audit.results import AuditResult

EASY = Problem("8/7K/8/8/8/8/R7/7k w - - 0 1", "easy", Claim(8))
HARD = Problem("1k6/1P2p3/KP3pp1/8/7p/8/4PPPP/8 w - - 0 1", "hard", Claim(11))
OTHER = Problem("8/5p1p/8/8/7P/7p/5K2/6Nk w - - 0 1", "other", Claim(11))


FEW, ENOUGH = 1_000_000, 20_000_000


@pytest.fixture
def folder(tmp_path: Path) -> CheckpointFolder:
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    (tmp_path / "kept").mkdir()
    return CheckpointFolder(str(tmp_path / "kept"), str(key), 1000)


def audited(
    kept: CheckpointFolder | None, nodes: int, *problems: Problem
) -> list[AuditResult]:
    """Audit problems one by one, as after a batch in which they took too long."""
    options = AuditOptions(Limits(nodes=nodes, hash_mib=16), checkpoints=kept)
    job = AuditJob(options)
    found = [job.run_batch([problem])[0] for problem in problems]
    return [result for result in found if result]


def files_of(kept: CheckpointFolder) -> list[Path]:
    return sorted(Path(kept.path).iterdir())


def test_a_search_that_a_limit_stopped_goes_on_with_wider_limits(
    folder: CheckpointFolder,
) -> None:
    (fresh,) = audited(None, ENOUGH, HARD)
    _, stopped, _ = audited(folder, FEW, EASY, HARD, OTHER)
    assert (stopped.verdict, stopped.stopped_by) == ("holds", "nodes")
    assert len(files_of(folder)) == 2
    (resumed,) = audited(folder, ENOUGH, HARD)
    assert (resumed.verdict, resumed.mate, resumed.stopped_by) == ("proved", 11, None)
    assert resumed.nodes < 0.95 * fresh.nodes
    assert (resumed.notices, len(files_of(folder))) == ((), 1)


def test_all_files_together_keep_to_their_limit(folder: CheckpointFolder) -> None:
    audited(folder._replace(most_mb=1), 3_000_000, HARD, OTHER)
    assert 0 < folder.size_bytes() <= 1_000_000
    audited(folder._replace(most_mb=0), FEW, HARD, OTHER)
    assert folder.size_bytes() == 0


@pytest.mark.parametrize(
    ("limits", "problems", "found"),
    [
        # It is searched again alone, without the limit of a time slice.
        (Limits(time_s=60.0, hash_mib=16), [HARD, EASY], None),
        # The longer mate is found, or not, with a million nodes at most.
        (Limits(nodes=FEW, hash_mib=16), [replace(HARD, claim=Claim(5))], "refuted"),
    ],
)
def test_other_searches_are_not_kept(
    folder: CheckpointFolder, limits: Limits, problems: list[Problem], found: str | None
) -> None:
    options = AuditOptions(limits, farther=True, checkpoints=folder)
    result = AuditJob(options).run_batch(problems, TimeSlice(0.02, 10.0))[0]
    assert (result and result.verdict) == found
    assert files_of(folder) == []


def test_a_damaged_file_is_named_and_the_search_begins_anew(
    folder: CheckpointFolder,
) -> None:
    audited(folder, FEW, HARD)
    (file,) = files_of(folder)
    data = file.read_bytes()
    file.write_bytes(data[:5000] + b"!" + data[5001:])
    (fresh,), (found,) = audited(None, FEW, HARD), audited(folder, FEW, HARD)
    assert (found.verdict, found.nodes) == (fresh.verdict, fresh.nodes)
    (notice,) = found.notices
    assert notice.startswith(f"{file}: expected a whole checkpoint, found a damaged")
    assert notice.endswith("; searched from the beginning")


def test_retry_goes_on_with_what_the_command_kept_and_fresh_deletes_it(
    folder: CheckpointFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    record = f"{HARD.fen[:-4]} dm 11;\n{EASY.fen[:-4]} dm 8;\n"
    (tmp_path / "long.epd").write_text(record)
    key = Path(folder.key or "")

    def verify(*more: str) -> int:
        words = "verify long.epd --jobs 1 --store run.db --checkpoints"
        return run([*words.split(), "--checkpoint-key", str(key), *more])

    def sizes() -> list[int]:
        return [file.stat().st_size for file in Path("run.db-checkpoints").iterdir()]

    assert verify("--nodes", f"{FEW}") == Exit.LIMIT
    assert re.search(
        r"^run\.db-checkpoints: [\d.]+ of 1,000 MB; with --retry and wider limits, "
        "these searches go on$",
        capsys.readouterr().err,
        re.MULTILINE,
    )
    (before,) = sizes()
    assert before > 1000
    assert verify("--nodes", f"{ENOUGH}", "--retry", "holds") == Exit.PROVED
    assert sizes() == []
    assert "checkpoints" not in capsys.readouterr().err
    verify("--nodes", f"{FEW}", "--fresh")
    assert max(sizes()) > 1000
    verify("--nodes", "1", "--fresh")
    assert max(sizes()) < 1000
    key.chmod(0o644)
    capsys.readouterr()
    assert verify() == Exit.BAD_INPUT
    assert capsys.readouterr().err == (
        f"error: {key}: expected a key that its owner alone can read "
        "(mode 0600), found 0644\n"
    )
