"""The kernel across processes: compiled once, loaded without numba, rebuilt if damaged.

Compiling takes some twenty seconds, so all tests share one cache. Tests that damage it
use a copy.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.kernel import cache
from solver.kernel import loader as compiled
from solver.kernel.cache import FALLBACK, read_kernel, write_kernel
from solver.kernel.loader import CannotExtractError, KernelError, extract, self_test
from tests.processes import run, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.kernel.interface import Kernel

ROOT = Path(__file__).parents[2]
PATIENCE_S = 300
"""For processes that compile."""

HEAVY = {"numba", "numpy"}

SOLVE = """
import json, sys
from solver.kernel.loader import load_kernel

notices = []
build = load_kernel(notices.append)
from solver import Limits, solve

answers = [solve(fen, Limits(hash_mib=1, max_moves=8)) for fen in sys.argv[1:]]
print(json.dumps({
    "origin": build.origin,
    "path": str(build.path),
    "notices": notices,
    "modules": sorted(sys.modules),
    "answers": [[a.mate, a.pv, a.keys, a.stats.nodes] for a in answers],
}))
"""

FENS = (
    "8/7K/8/8/8/8/R7/7k w - - 0 1",
    "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
    "8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1",
)


@contextmanager
def solving(**variables: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that loads the kernel and solves."""
    unset = {cache.DIRECTORY_VARIABLE, cache.FALLBACK_VARIABLE}
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    with started(
        [sys.executable, "-W", "error", "-c", SOLVE, *FENS],
        patience_s=PATIENCE_S,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**environment, **variables},
    ) as process:
        yield process


def output_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert error == ""
    printed: dict[str, Any] = json.loads(out)
    return printed


def output_with(**variables: str) -> dict[str, Any]:
    with solving(**variables) as process:
        return output_of(process)


def output(directory: Path, **variables: str) -> dict[str, Any]:
    return output_with(MATESOLVE_CACHE_DIR=str(directory), **variables)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """Return a new cache and the output of two processes that filled it at once."""
    directory = tmp_path_factory.mktemp("compiled") / "cache"
    variables = {cache.DIRECTORY_VARIABLE: str(directory)}
    with solving(**variables) as one, solving(**variables) as other:
        return directory, [output_of(one), output_of(other)]


@pytest.fixture
def copied(first: tuple[Path, list[Any]], tmp_path: Path) -> Path:
    """Return a copy of the cache that a test may damage."""
    return Path(shutil.copytree(first[0], tmp_path / "copy"))


def stored_file(directory: Path) -> Path:
    (path,) = directory.glob("*.bin")
    return path


def test_two_processes_may_compile_at_once(first: tuple[Path, list[Any]]) -> None:
    directory, printed = first
    for process in printed:
        assert process["origin"] == "compiled"
        assert process["notices"] == [compiled.COMPILING]
        assert process["path"] == str(stored_file(directory))
        assert process["answers"][0][0] == 8
    assert printed[0]["answers"] == printed[1]["answers"]
    assert [path.suffix for path in directory.iterdir()] == [".bin"]
    if os.name == "posix":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_later_processes_load_it_without_numba(first: tuple[Path, list[Any]]) -> None:
    directory, printed = first
    for _ in range(2):
        later = output(directory)
        assert later["origin"] == "stored"
        assert later["notices"] == []
        assert later["answers"] == printed[0]["answers"]
        assert not HEAVY & set(later["modules"])


def test_a_damaged_file_is_reported_and_rebuilt(copied: Path) -> None:
    path = stored_file(copied)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    mending = output(copied)
    assert mending["origin"] == "compiled"
    damaged, compiling = mending["notices"]
    assert "found a damaged file" in damaged
    assert compiling == compiled.COMPILING
    mended = output(copied)
    assert mended["origin"] == "stored"
    assert mended["notices"] == []
    assert mended["answers"] == mending["answers"]


@pytest.mark.parametrize(
    "content", [b"", b"garbage\n" * 999, cache.MAGIC], ids=["empty", "other", "start"]
)
def test_a_file_without_a_kernel_is_not_loaded(copied: Path, content: bytes) -> None:
    path = stored_file(copied)
    path.write_bytes(content)
    notices: list[str] = []
    assert compiled._load(path, notices.append) is None
    assert len(notices) == 1
    assert "found a damaged file" in notices[0]


def test_half_a_kernel_is_not_loaded(copied: Path) -> None:
    path = stored_file(copied)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    notices: list[str] = []
    assert compiled._load(path, notices.append) is None
    assert len(notices) == 1


def test_a_kernel_that_fails_its_self_test_is_not_used(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Kernel) -> None:
        msg = "self-test, perft: expected 8902, found 8901"
        raise KernelError(msg)

    monkeypatch.setattr(compiled, "self_test", fail)
    notices: list[str] = []
    assert compiled._load(stored_file(copied), notices.append) is None
    assert notices == [
        "the stored kernel is not used: self-test, perft: expected 8902, found 8901"
    ]


def test_the_self_test_notices_a_wrong_answer(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    self_test(kernel)
    monkeypatch.setattr(type(kernel), "perft", lambda *_: 8901)
    with pytest.raises(KernelError, match="expected 8902, found 8901"):
        self_test(kernel)


def test_a_file_of_other_sources_is_left_alone(copied: Path) -> None:
    other = copied / f"kernel-{'0' * 32}.bin"
    write_kernel(other, read_kernel(stored_file(copied)))
    assert output(copied)["path"] != str(other)


def test_numba_without_accessible_object_code_is_recognised() -> None:
    with pytest.raises(CannotExtractError):
        extract(object())


def test_a_folder_that_cannot_be_used_ends_the_command(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    directory.mkdir()
    directory.chmod(0o777)
    ended = run(
        [sys.executable, "-m", "solver", "solve", FENS[0]],
        cwd=ROOT,
        env={**os.environ, cache.DIRECTORY_VARIABLE: str(directory)},
        patience_s=PATIENCE_S,
    )
    assert ended.returncode == 74
    assert ended.stdout == ""
    assert "by the user alone, found 0777" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="folders are named otherwise")
def test_a_user_without_a_cache_folder_uses_the_temporary_folder(
    copied: Path, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("in the way")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    home = copied.rename(temporary / f"matesolve-{os.geteuid()}")
    printed = output_with(XDG_CACHE_HOME=str(in_the_way), TMPDIR=str(temporary))
    assert printed["origin"] == "stored"
    assert printed["path"] == str(stored_file(home))


def test_numbas_own_cache_works_in_one_process_after_another(
    first: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    """numba's cache of recursive functions has crashed in a second process."""
    directory = tmp_path / "cache"
    for expected in ([compiled.COMPILING], []):
        printed = output(directory, **{cache.FALLBACK_VARIABLE: FALLBACK})
        assert printed["origin"] == "numba"
        assert printed["notices"] == expected
        assert printed["answers"] == first[1][0]["answers"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="folders are named otherwise")
def test_without_any_folder_every_start_compiles(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("in the way")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (temporary / f"matesolve-{os.geteuid()}").write_text("in the way")
    printed = output_with(XDG_CACHE_HOME=str(in_the_way), TMPDIR=str(temporary))
    assert printed["origin"] == "compiled"
    assert printed["path"] == "None"
    assert printed["notices"][0].startswith("no folder for compiled code")
    assert printed["notices"][1:] == [compiled.COMPILING]


CHECK_BOUNDS = """
import json, sys
from pathlib import Path
import chess, numba
from solver.board import pack
from solver.kernel.loader import load_kernel
from solver.kernel.memory import Search
from solver.laboratory.search import Laboratory
from solver.laboratory.techniques import Settings, ablation
from solver.problem import Limits, Problem
from solver.search.solver import Solver
from tests.oracles import walks

assert numba.config.BOUNDSCHECK == 1
kernel, search = load_kernel().kernel, Search()
for entry in json.loads(Path("tests/data/perft.json").read_text()):
    position = pack(chess.Board(entry["fen"]))
    for listed in (False, True):
        assert kernel.perft(position, search, 3, listed=listed) == entry["counts"][2]
solver = Solver(1)
boards = [*walks.small_positions(300, 1), *walks.random_positions(300, 1)]
for board in boards:
    for within in (3, -2):
        solver.solve(Problem(board.fen()), Limits(nodes=20_000), within=within)
laboratory = Laboratory(64)
for variant in ablation(Settings()):
    for board in boards[::4]:
        list(laboratory.deepen(board, variant.techniques, 6, nodes=5_000))
print(len(boards))
"""


@pytest.mark.slow
def test_no_index_is_out_of_bounds(tmp_path: Path) -> None:
    ended = run(
        [sys.executable, "-c", CHECK_BOUNDS],
        cwd=ROOT,
        env={
            **os.environ,
            "NUMBA_BOUNDSCHECK": "1",
            cache.DIRECTORY_VARIABLE: str(tmp_path / "cache"),
            cache.FALLBACK_VARIABLE: FALLBACK,
        },
        patience_s=PATIENCE_S,
    )
    assert ended.stderr == ""
    assert ended.stdout == "600\n"
