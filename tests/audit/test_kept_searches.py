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
from solver.problem import Claim, Limits, Problem, Stipulation

if TYPE_CHECKING:
    from solver.audit.results import AuditResult

EASY = Problem("8/7K/8/8/8/8/R7/7k w - - 0 1", "easy", Claim(8))
HARD = Problem("1k6/1P2p3/KP3pp1/8/7p/8/4PPPP/8 w - - 0 1", "hard", Claim(11))
OTHER = Problem("8/5p1p/8/8/7P/7p/5K2/6Nk w - - 0 1", "other", Claim(11))
SELF_MATE = Problem(
    "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1", stipulation=Stipulation.parse("s#5")
)
FEW, ENOUGH = 1_000_000, 20_000_000


@pytest.fixture
def folder(tmp_path: Path) -> CheckpointFolder:
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    (tmp_path / "kept").mkdir()
    return CheckpointFolder(str(tmp_path / "kept"), str(key), 1000)


def audited(
    kept: CheckpointFolder | None,
    nodes: int,
    *problems: Problem,
    all_keys: bool = False,
) -> list[AuditResult]:
    """Audit problems one by one, as after a batch in which they took too long."""
    limits = Limits(nodes=nodes, hash_mib=16)
    options = AuditOptions(limits, all_keys=all_keys, checkpoints=kept)
    job = AuditJob(options)
    found = [job.run_batch([problem])[0] for problem in problems]
    assert None not in found
    return [result for result in found if result]


def files_of(kept: CheckpointFolder) -> list[Path]:
    return sorted(Path(kept.path).iterdir())


def test_a_search_that_a_limit_stopped_goes_on_with_wider_limits(
    folder: CheckpointFolder,
) -> None:
    (fresh,) = audited(None, ENOUGH, HARD)
    (stopped,) = audited(folder, FEW, HARD)
    assert (stopped.verdict, stopped.stopped_by) == ("holds", "nodes")
    assert len(files_of(folder)) == 1
    (resumed,) = audited(folder, ENOUGH, HARD)
    assert (resumed.verdict, resumed.mate, resumed.stopped_by) == ("proved", 11, None)
    assert resumed.nodes < 0.95 * fresh.nodes
    assert (resumed.notices, files_of(folder)) == ((), [])


def test_each_question_has_its_own_file(folder: CheckpointFolder) -> None:
    audited(folder, FEW, EASY, HARD, OTHER)
    assert len(files_of(folder)) == 2
    alone, again = audited(None, ENOUGH, OTHER)[0], audited(folder, ENOUGH, OTHER)[0]
    assert (again.verdict, again.mate) == (alone.verdict, alone.mate)
    assert len(files_of(folder)) == 1


def test_other_stipulations_are_kept_too(folder: CheckpointFolder) -> None:
    (fresh,) = audited(None, ENOUGH, SELF_MATE, all_keys=True)
    audited(folder, fresh.nodes // 2, SELF_MATE, all_keys=True)
    assert len(files_of(folder)) == 1
    (resumed,) = audited(folder, ENOUGH, SELF_MATE, all_keys=True)
    assert (resumed.status, resumed.keys) == (fresh.status, fresh.keys)
    assert resumed.nodes < fresh.nodes
    assert files_of(folder) == []


def test_a_damaged_file_is_named_and_the_search_begins_anew(
    folder: CheckpointFolder,
) -> None:
    audited(folder, FEW, HARD)
    (file,) = files_of(folder)
    data = file.read_bytes()
    file.write_bytes(data[:5000] + b"!" + data[5001:])
    (fresh,), (found,) = audited(None, ENOUGH, HARD), audited(folder, ENOUGH, HARD)
    assert (found.verdict, found.nodes) == (fresh.verdict, fresh.nodes)
    (notice,) = found.notices
    assert notice.startswith(f"{file}: expected a whole checkpoint, found a damaged")
    assert notice.endswith("; searched from the beginning")


def test_all_files_together_keep_to_their_limit(folder: CheckpointFolder) -> None:
    audited(folder._replace(most_mb=1), 3_000_000, HARD, OTHER)
    assert 0 < folder.size_bytes() <= 1_000_000
    audited(folder._replace(most_mb=0), FEW, HARD, OTHER)
    assert folder.size_bytes() == 0


def test_a_search_that_is_repeated_alone_keeps_nothing_of_its_time_slice(
    folder: CheckpointFolder,
) -> None:
    options = AuditOptions(Limits(time_s=60.0, hash_mib=16), checkpoints=folder)
    slices = TimeSlice(problem_s=0.02, batch_s=10.0)
    results = AuditJob(options).run_batch([HARD, EASY], slices)
    assert results[0] is None
    assert files_of(folder) == []


def test_a_file_that_cannot_be_written_costs_no_answer(
    folder: CheckpointFolder,
) -> None:
    audited(folder, FEW, HARD)
    (file,) = files_of(folder)
    file.unlink()
    file.mkdir()
    (found,) = audited(folder, FEW, HARD)
    assert found.verdict == "holds"
    assert len(found.notices) == 2
    assert all(str(file) in notice for notice in found.notices)


def test_searches_that_explain_a_failed_claim_are_not_kept(
    folder: CheckpointFolder,
) -> None:
    """The longer mate is found, or not, with a million nodes at most."""
    options = AuditOptions(
        Limits(nodes=FEW, hash_mib=16), farther=True, checkpoints=folder
    )
    refuted = replace(HARD, claim=Claim(5))
    (found,) = AuditJob(options).run_batch([refuted])
    assert found is not None
    assert found.verdict == "refuted"
    assert files_of(folder) == []


# The command


def verify(*arguments: str) -> Exit:
    return Exit(run(["verify", "long.epd", "--jobs", "1", *arguments]))


@pytest.fixture
def in_folder(
    folder: CheckpointFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    monkeypatch.chdir(tmp_path)
    record = f"{HARD.fen[:-4]} dm 11;\n{EASY.fen[:-4]} dm 8;\n"
    (tmp_path / "long.epd").write_text(record)
    return Path(folder.key or "")


def test_retry_goes_on_with_what_the_command_kept(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = ["--store", "run.db", "--checkpoints", "--checkpoint-key", str(in_folder)]
    assert verify(*kept, "--nodes", f"{FEW}") == Exit.LIMIT
    assert re.search(
        r"^run\.db-checkpoints: [\d.]+ of 1,000 MB; with --retry and wider limits, "
        "these searches go on$",
        capsys.readouterr().err,
        re.MULTILINE,
    )
    assert len(list(Path("run.db-checkpoints").iterdir())) == 1
    wider = [*kept, "--nodes", f"{ENOUGH}", "--retry", "holds"]
    assert verify(*wider) == Exit.PROVED
    assert list(Path("run.db-checkpoints").iterdir()) == []
    assert "checkpoints" not in capsys.readouterr().err


def test_fresh_deletes_what_was_kept(in_folder: Path) -> None:
    kept = ["--store", "run.db", "--checkpoints", "--checkpoint-key", str(in_folder)]
    verify(*kept, "--nodes", f"{FEW}")
    before = [file.stat().st_size for file in Path("run.db-checkpoints").iterdir()]
    verify(*kept, "--nodes", "1", "--fresh")
    after = [file.stat().st_size for file in Path("run.db-checkpoints").iterdir()]
    assert max(after) < 1000 < max(before)


def test_a_key_that_others_can_read_is_refused_before_the_searches(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_folder.chmod(0o644)
    kept = ["--store", "run.db", "--checkpoints", "--checkpoint-key", str(in_folder)]
    assert verify(*kept) == Exit.BAD_INPUT
    assert capsys.readouterr().err == (
        f"error: {in_folder}: expected a key that its owner alone can read "
        "(mode 0600), found 0644\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--checkpoints"], "--fresh, --retry and --checkpoints need a --store."),
        (
            ["--store", "run.db", "--checkpoint-key", "key"],
            "--checkpoint-key needs --checkpoints.",
        ),
        (
            ["--store", "run.db", "--checkpoints", "--cluster", "local"],
            "--checkpoints cannot be combined with --cluster.",
        ),
    ],
)
@pytest.mark.usefixtures("in_folder")
def test_options_that_contradict_each_other_are_refused(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(*arguments) == Exit.USAGE
    assert capsys.readouterr().err.endswith(f"Error: {reason}\n")
