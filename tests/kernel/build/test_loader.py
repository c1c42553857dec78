"""The kernel across processes: compiled once, loaded without numba, rebuilt if damaged.

Compiling takes seconds, so the tests use copies of what is compiled once. Those that
compile themselves are slow; test_mended_cache.py has quick ones without a compiler.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import shutil
import stat
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from solver import solve
from solver.errors import CacheError
from solver.kernel.border import interface, parts, search_struct
from solver.kernel.build import cache, loader
from tests.processes import run

ROOT = Path(__file__).parents[3]
HEAVY = {"numba", "numpy", *(["llvmlite"] if cache.HAS_IMAGES else [])}

SOLVE = """
import contextlib, json, sys
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part

notices = []

@contextlib.contextmanager
def compiling(line):
    notices.append(line)
    yield

build = load_part(SEARCH, notices.append, compiling)
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

COMPILING = "compiling the search, once for this version and machine ..."

FENS = (
    "8/7K/8/8/8/8/R7/7k w - - 0 1",
    "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
    "8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1",
)


def output(
    directory: Path, *, program: str = SOLVE, cwd: Path = ROOT
) -> dict[str, Any]:
    """Solve in a process with this cache; return what it prints."""
    environment = {**os.environ, cache.DIRECTORY_VARIABLE: str(directory)}
    environment.pop(cache.FALLBACK_VARIABLE, None)
    words = [sys.executable, "-W", "error", "-c", program, *FENS]
    ended = run(words, cwd=cwd, env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    printed: dict[str, Any] = json.loads(ended.stdout)
    return printed


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """Return a new cache and the output of two processes that needed it at once."""
    directory = tmp_path_factory.mktemp("compiled") / "cache"
    with ThreadPoolExecutor(2) as threads:
        return directory, list(threads.map(output, [directory] * 2))


@pytest.fixture
def copied(kernel: interface.Kernel, tmp_path: Path) -> Path:  # noqa: ARG001
    """Return a cache with a copy of the compiled search, which a test may damage."""
    path = loader.load_part(parts.SEARCH).path
    if path is None or not path.endswith(".bin"):
        pytest.skip("numba compiles by itself here")
    directory = tmp_path / "copy"
    directory.mkdir(mode=0o700)
    shutil.copy2(path, directory)
    return directory


def stored_file(directory: Path) -> Path:
    (path,) = directory.glob("*.bin")
    return path


@pytest.mark.slow
def test_of_two_processes_one_compiles(first: tuple[Path, list[Any]]) -> None:
    directory, printed = first
    compiled, waited = sorted(printed, key=lambda each: each["origin"], reverse=True)
    waiting = "waiting for another process that compiles the search ..."
    assert (compiled["origin"], compiled["notices"]) == ("compiled", [COMPILING])
    assert (waited["origin"], waited["notices"]) == ("cache", [waiting])
    assert not HEAVY & set(waited["modules"])
    for process in printed:
        assert process["path"] == str(stored_file(directory))
        assert process["answers"][0][0] == 8
    assert printed[0]["answers"] == printed[1]["answers"]
    assert stored_file(directory).name.startswith("search-")
    assert len(list(directory.iterdir())) == 1
    if os.name == "posix":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_a_later_process_loads_it_without_numba(copied: Path) -> None:
    path = stored_file(copied)
    other = copied / f"search-{'0' * 32}.bin"  # of other sources
    cache.write_object(str(other), cache.read_object(str(path)))
    later = output(copied)
    assert (later["origin"], later["path"]) == ("cache", str(path))
    assert later["notices"] == []
    assert later["answers"][0][0] == 8
    assert not HEAVY & set(later["modules"])


@pytest.mark.parametrize("fact", ["source_hash", "triple"])
def test_code_of_other_sources_or_for_another_system_or_that_fails_is_not_loaded(
    copied: Path, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored_file(copied)
    part = parts.SEARCH._replace(answers=lambda _: {"perft": (8901, 8902)})
    with pytest.raises(interface.KernelError, match="found 8901"):
        loader._read(part, str(path))
    with monkeypatch.context() as patched:
        patched.setattr(cache, fact, lambda: "other")
        cache.write_object(str(path), b"code")
    with pytest.raises(CacheError, match=r"expected sources .*, found .* other"):
        loader._read(parts.SEARCH, str(path))


@pytest.mark.parametrize(
    ("part", "operation", "wrong", "found"),
    [
        (parts.SEARCH, "perft", 8901, "expected 8902, found 8901"),
        (parts.LABORATORY, "search_score", False, "expected True, found False"),
        (parts.BATTLE, "line", [1, 2, 3], "expected 4, found 3"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_the_self_test_notices_a_wrong_answer(
    part: parts.Part,
    operation: str,
    wrong: object,
    found: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = loader.load_part(part).kernel
    part.self_test(kernel)
    monkeypatch.setattr(interface.Kernel, operation, lambda *_: wrong)
    with pytest.raises(interface.KernelError, match=found):
        part.self_test(kernel)
    with pytest.raises(interface.KernelError, match=r"expected one of .*, found NONE"):
        kernel.run("NONE", search_struct.PositionStruct(), search_struct.Search())


@pytest.mark.slow
def test_a_numba_with_other_internals_compiles_by_itself(
    first: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    directory = tmp_path / "cache"
    without = (
        "import numba.core.compiler_machinery as machinery\n"
        "del machinery.PassManager.add_pass_after\n"
    )
    printed = output(directory, program=without + SOLVE)
    assert printed["origin"] == "numba"
    compiling, failed, by_numba = printed["notices"]
    assert compiling == COMPILING
    assert "add_pass_after" in failed
    assert by_numba == "compiling the search with numba alone, at every start ..."
    assert printed["answers"] == first[1][0]["answers"]
    assert not list(directory.iterdir())


@pytest.mark.parametrize("fault", [MemoryError(), OSError(28, "No space left")])
def test_a_fault_of_the_machine_is_not_taken_for_other_internals(
    fault: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """numba alone would not help."""

    def fail(*_: object) -> bytes:
        raise fault

    monkeypatch.setattr(loader, "compile_part", fail)
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path))
    with pytest.raises(type(fault)):
        loader._by_compiler(parts.SEARCH, print, loader.log_compiling)
    assert not list(tmp_path.iterdir())


CHECK_BOUNDS = """
import json, sys
from pathlib import Path
import chess, numba
from solver.board import pack_board
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part
from solver.kernel.border.search_struct import Search
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import ablation
from solver.problem import Limits, Problem
from solver.solving import Solver
from tests.oracles import walks

assert numba.config.BOUNDSCHECK == 1
kernel, search = load_part(SEARCH).kernel, Search()
for entry in json.loads(Path("tests/data/perft.json").read_text()):
    position = pack_board(chess.Board(entry["fen"]))
    for listed in (False, True):
        assert kernel.perft(position, search, 3, listed=listed) == entry["counts"][2]
solver = Solver(1)
boards = [*walks.small_positions(300, 1), *walks.random_positions(300, 1)]
for board in boards:
    for within in (3, -2):
        solver.solve(Problem(board.fen()), Limits(nodes=20_000), within=within)
laboratory = Laboratory(64)
for variant in ablation():
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
            cache.FALLBACK_VARIABLE: cache.FALLBACK,
        },
    )
    assert ended.stderr == ""
    assert ended.stdout == "600\n"


# Code that a wheel ships


SHIP = """
import sys
from pathlib import Path
from solver.kernel.build.loader import compile_shipped

compile_shipped(Path(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not cache.portable_targets(), reason="nothing is shipped for it")
def test_shipped_code_is_the_same_in_each_build_and_answers_without_numba(
    first: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    built = tmp_path / "1", tmp_path / "2"
    for directory in built:
        directory.mkdir()
        words = [sys.executable, "-W", "error", "-c", SHIP, str(directory)]
        environment = {**os.environ, "PYTHONHASHSEED": directory.name}
        ended = run(words, cwd=ROOT, env=environment)
        assert ended.stderr == ""
    one, two = ({p.name: p.read_bytes() for p in each.iterdir()} for each in built)
    assert one == two
    package = tmp_path / "site-packages" / "solver"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "solver", package, ignore=ignored)
    shutil.copytree(built[0], package / "kernel" / "objects")

    printed = output(tmp_path / "cache", cwd=package.parent)
    assert printed["origin"] == "wheel"
    assert Path(printed["path"]).is_relative_to(package)
    assert printed["notices"] == []
    assert printed["answers"] == first[1][0]["answers"]
    assert not HEAVY & set(printed["modules"])
    assert not (tmp_path / "cache").exists()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has levels")
def test_a_processor_without_the_features_gets_the_code_of_a_lower_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names(*missing: str) -> list[str]:
        there = cache.PORTABLE["x86_64"][0].required - {*missing}
        monkeypatch.setattr(cache, "features", lambda: there)
        files = loader._files(parts.SEARCH)
        return [Path(path).name for origin, path in files if origin == "wheel"]

    assert names() == []
    monkeypatch.setattr(cache, "SHIPPED", str(tmp_path))
    lower = ["search-x86-64-v3.bin", "search-x86-64-v2.bin"]
    assert names() == ["search-x86-64-v3-pext.bin", *lower]
    assert names(cache.FAST_EXTRACT) == lower
    assert names(cache.FAST_EXTRACT, "avx2") == ["search-x86-64-v2.bin"]
    assert names(cache.FAST_EXTRACT, "avx2", "popcnt") == []


# A worker of any pool loads the compiled search, and does not compile it again


WORKER = """
import json, sys
from tests.kernel.build.test_loader import solve_in_pool

if __name__ == "__main__":
    print(json.dumps(solve_in_pool(sys.argv[1])))
"""

ROOK_MATES = ["7k/8/8/8/8/8/R7/1R4K1 w - -", "6k1/5ppp/8/8/8/8/8/R5K1 w - -"] * 2


def solve_in_worker(fen: str) -> tuple[int | None, str]:
    """Return what a worker found, and how it got the search."""
    mate, build = solve(fen).mate, loader.loaded_part(parts.SEARCH)
    assert build
    return mate, build.origin


def solve_in_pool(method: str) -> list[tuple[int | None, str]]:
    """Return what the workers found; joblib's loky replaces parts of the standard."""
    if method == "loky":
        joblib = import_module("joblib")
        tasks = [joblib.delayed(solve_in_worker)(fen) for fen in ROOK_MATES]
        return list(joblib.Parallel(n_jobs=2, backend=method)(tasks))
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        return list(pool.map(solve_in_worker, ROOK_MATES))


@pytest.mark.usefixtures("kernel")
@pytest.mark.skipif(sys.platform == "win32", reason="no fork, no forkserver")
@pytest.mark.parametrize("method", ["loky", "spawn", "fork", "forkserver"])
def test_a_worker_loads_the_compiled_search(method: str) -> None:
    if method == "loky" and find_spec("joblib") is None:
        pytest.skip("joblib is not installed")
    ended = run([sys.executable, "-c", WORKER, method], check=True, cwd=ROOT)
    mates, origins = zip(*json.loads(ended.stdout), strict=True)
    assert mates == (2, 1, 2, 1)
    assert {*origins} <= {"cache", "wheel"}
