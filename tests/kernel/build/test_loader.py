"""The kernel across processes: compiled once, loaded without numba, rebuilt if damaged.

Compiling takes seconds, so the tests use copies of what is compiled once. Those that
compile themselves are slow; test_mended_cache.py has quick ones without a compiler.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import CacheError
from solver.kernel.border import interface, parts, search_struct
from solver.kernel.build import cache, loader
from tests.processes import run, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


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
WAITING = "waiting for another process that compiles the search ..."

FENS = (
    "8/7K/8/8/8/8/R7/7k w - - 0 1",
    "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
    "8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1",
)


@contextmanager
def solving(
    program: str = SOLVE, cwd: Path = ROOT, **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """Start a process that loads the kernel and solves."""
    unset = {cache.DIRECTORY_VARIABLE, cache.FALLBACK_VARIABLE}
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    with started(
        [sys.executable, "-W", "error", "-c", program, *FENS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**environment, **variables},
    ) as process:
        yield process


def output_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert error == ""
    printed: dict[str, Any] = json.loads(out)
    return printed


def output_with(
    program: str = SOLVE, cwd: Path = ROOT, **variables: str
) -> dict[str, Any]:
    with solving(program, cwd, **variables) as process:
        return output_of(process)


def output(directory: Path, **variables: str) -> dict[str, Any]:
    return output_with(SOLVE, ROOT, MATESOLVE_CACHE_DIR=str(directory), **variables)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """Return a new cache and the output of two processes that needed it at once."""
    directory = tmp_path_factory.mktemp("compiled") / "cache"
    variables = {cache.DIRECTORY_VARIABLE: str(directory)}
    with (
        solving(SOLVE, ROOT, **variables) as one,
        solving(SOLVE, ROOT, **variables) as other,
    ):
        return directory, [output_of(one), output_of(other)]


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
    assert (compiled["origin"], compiled["notices"]) == ("compiled", [COMPILING])
    assert (waited["origin"], waited["notices"]) == ("cache", [WAITING])
    assert not HEAVY & set(waited["modules"])
    for process in printed:
        assert process["path"] == str(stored_file(directory))
        assert process["answers"][0][0] == 8
    assert printed[0]["answers"] == printed[1]["answers"]
    assert stored_file(directory).name.startswith("search-")
    assert len(list(directory.iterdir())) == 1
    if os.name == "posix":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_later_processes_load_it_without_numba(copied: Path) -> None:
    printed = [output(copied) for _ in range(2)]
    for later in printed:
        assert later["origin"] == "cache"
        assert later["notices"] == []
        assert later["answers"][0][0] == 8
        assert not HEAVY & set(later["modules"])
    assert printed[0]["answers"] == printed[1]["answers"]


@pytest.mark.slow
def test_a_damaged_file_is_reported_and_rebuilt(copied: Path) -> None:
    path = stored_file(copied)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    mending = output(copied)
    assert mending["origin"] == "compiled"
    damaged, compiling = mending["notices"]
    assert "found a damaged file" in damaged
    assert compiling == COMPILING
    mended = output(copied)
    assert mended["origin"] == "cache"
    assert mended["notices"] == []
    assert mended["answers"] == mending["answers"]


@pytest.mark.parametrize(
    ("module", "fact"), [(cache, "source_hash"), (cache, "triple")]
)
def test_code_of_other_sources_or_for_another_system_is_not_loaded(
    copied: Path, module: ModuleType, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored_file(copied)
    with monkeypatch.context() as patched:
        patched.setattr(module, fact, lambda: "other")
        cache.write_object(str(path), b"code")
    with pytest.raises(CacheError, match=r"expected sources .*, found .* other"):
        loader._read(parts.SEARCH, str(path))


def test_a_kernel_that_fails_its_self_test_is_not_used(copied: Path) -> None:
    part = parts.SEARCH._replace(answers=lambda _: {"perft": (8901, 8902)})
    with pytest.raises(interface.KernelError, match="found 8901"):
        loader._read(part, str(stored_file(copied)))


def test_the_self_test_notices_a_wrong_answer(
    kernel: interface.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts.SEARCH.self_test(kernel)
    monkeypatch.setattr(type(kernel), "perft", lambda *_: 8901)
    with pytest.raises(interface.KernelError, match="expected 8902, found 8901"):
        parts.SEARCH.self_test(kernel)


def test_the_laboratorys_self_test_notices_a_wrong_answer(
    laboratory_kernel: interface.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts.LABORATORY.self_test(laboratory_kernel)
    monkeypatch.setattr(type(laboratory_kernel), "search_score", lambda *_: False)
    with pytest.raises(interface.KernelError, match="expected True, found False"):
        parts.LABORATORY.self_test(laboratory_kernel)


def test_the_self_test_of_battle_play_notices_a_wrong_answer(
    battle_kernel: interface.Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts.BATTLE.self_test(battle_kernel)
    monkeypatch.setattr(type(battle_kernel), "line", lambda *_: [1, 2, 3])
    with pytest.raises(interface.KernelError, match="expected 4, found 3"):
        parts.BATTLE.self_test(battle_kernel)


def test_an_operation_of_another_part_is_an_error(
    help_kernel: interface.Kernel,
) -> None:
    with pytest.raises(interface.KernelError, match=r"expected one of .*, found PERFT"):
        help_kernel.perft(search_struct.PositionStruct(), search_struct.Search(), 1)


def test_a_file_of_other_sources_is_left_alone(copied: Path) -> None:
    other = copied / f"search-{'0' * 32}.bin"
    cache.write_object(str(other), cache.read_object(str(stored_file(copied))))
    assert output(copied)["path"] != str(other)


OTHER_INTERNALS = """
import numba.core.compiler_machinery
del numba.core.compiler_machinery.PassManager.add_pass_after
"""


@pytest.mark.slow
def test_a_numba_with_other_internals_compiles_by_itself(
    first: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    directory = tmp_path / "cache"
    program = OTHER_INTERNALS + SOLVE
    printed = output_with(program, MATESOLVE_CACHE_DIR=str(directory))
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


def test_a_folder_that_cannot_be_used_ends_the_command(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    directory.mkdir()
    directory.chmod(0o777)
    ended = run(
        [sys.executable, "-m", "solver", "solve", FENS[0]],
        cwd=ROOT,
        env={**os.environ, cache.DIRECTORY_VARIABLE: str(directory)},
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
    assert printed["origin"] == "cache"
    assert printed["path"] == str(stored_file(home))


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
    assert printed["notices"][1:] == [COMPILING]


CHECK_BOUNDS = """
import json, sys
from pathlib import Path
import chess, numba
from solver.board import pack
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
    position = pack(chess.Board(entry["fen"]))
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

print(*(path.name for path in compile_shipped(Path(sys.argv[1]))))
"""


def ship(directory: Path, **variables: str) -> list[str]:
    """Compile the files of a wheel in a separate process; return their names."""
    directory.mkdir()
    ended = run(
        [sys.executable, "-W", "error", "-c", SHIP, str(directory)],
        cwd=ROOT,
        env={**os.environ, **variables},
    )
    assert ended.stderr == ""
    names: str = ended.stdout
    return names.split()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what a wheel for this machine carries."""
    if not cache.portable_targets():
        pytest.skip("nothing is shipped for this architecture")
    directory = tmp_path_factory.mktemp("shipped") / "objects"
    ship(directory, PYTHONHASHSEED="1")
    return directory


@pytest.fixture
def installed(shipped: Path, tmp_path: Path) -> Path:
    """Return a folder that holds the package as a platform wheel installs it."""
    package = tmp_path / "site-packages" / "solver"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "solver", package, ignore=ignored)
    shutil.copytree(shipped, package / "kernel" / "objects")
    return package.parent


def output_of_installed(place: Path, tmp_path: Path) -> dict[str, Any]:
    cache_directory = tmp_path / "cache"
    return output_with(cwd=place, MATESOLVE_CACHE_DIR=str(cache_directory))


@pytest.mark.slow
def test_shipped_code_answers_with_an_empty_cache_and_without_numba(
    installed: Path, first: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    printed = output_of_installed(installed, tmp_path)
    assert printed["origin"] == "wheel"
    assert Path(printed["path"]).is_relative_to(installed)
    assert printed["notices"] == []
    assert printed["answers"] == first[1][0]["answers"]
    assert not HEAVY & set(printed["modules"])
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
def test_shipped_code_is_the_same_from_one_build_to_the_next(
    shipped: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again"
    for name in ship(again, PYTHONHASHSEED="2"):
        assert (again / name).read_bytes() == (shipped / name).read_bytes(), name
    assert {path.name for path in again.iterdir()} == {
        path.name for path in shipped.iterdir()
    }


def doctor(place: Path, tmp_path: Path) -> str:
    """Return what `matesolve doctor` prints for an installed package."""
    environment = {**os.environ, cache.DIRECTORY_VARIABLE: str(tmp_path / "cache")}
    command = [sys.executable, "-m", "solver", "doctor"]
    printed: str = run(command, cwd=place, env=environment).stdout
    return printed


@pytest.mark.slow
def test_doctor_shows_the_shipped_code_or_why_it_is_not_used(
    installed: Path, tmp_path: Path
) -> None:
    objects = installed / "solver" / "kernel" / "objects"
    shown = f"wheel      {objects}: {len(list(objects.iterdir()))} shipped\n"
    printed = doctor(installed, tmp_path)
    assert shown in printed
    assert len(re.findall(r"shipped with the package \(.* s\): ", printed)) == len(
        parts.PARTS
    )
    for path in objects.iterdir():
        path.chmod(0o666)
    printed = doctor(installed, tmp_path)
    assert f"wheel      {objects}: not used: {objects}/" in printed
    assert "expected it to be writable by its owner alone, found 0666\n" in printed
    assert len(re.findall(r"compiled now \(.* s\): ", printed)) == len(parts.PARTS)


@pytest.mark.slow
def test_shipped_code_that_is_damaged_is_reported_and_compiled_instead(
    installed: Path, tmp_path: Path
) -> None:
    files = sorted((installed / "solver" / "kernel" / "objects").glob("search-*"))
    for path in files:
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    printed = output_of_installed(installed, tmp_path)
    assert printed["origin"] == "compiled"
    *damaged, compiling = printed["notices"]
    assert all("found a damaged file" in notice for notice in damaged)
    assert compiling == COMPILING


@pytest.mark.slow
def test_shipped_code_of_older_sources_is_not_used(
    installed: Path, tmp_path: Path
) -> None:
    source = installed / "solver" / "kernel" / "mate" / "prover.py"
    source.write_text(f"{source.read_text()}\n# changed\n")
    printed = output_of_installed(installed, tmp_path)
    assert printed["origin"] == "compiled"
    assert "expected sources" in printed["notices"][0]


@pytest.mark.slow
def test_a_processor_without_the_features_gets_the_code_of_a_lower_level(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("only x86-64 has levels")
    monkeypatch.setattr(cache, "SHIPPED", str(shipped))
    missing: set[str] = set()
    monkeypatch.setattr(
        cache, "features", lambda: cache.PORTABLE["x86_64"][0].required - missing
    )

    def names() -> list[str]:
        files = loader._files(parts.SEARCH)
        return [Path(path).name for origin, path in files if origin == "wheel"]

    lower = ["search-x86-64-v3.bin", "search-x86-64-v2.bin"]
    assert names() == ["search-x86-64-v3-pext.bin", *lower]
    missing.add(cache.FAST_EXTRACT)
    assert names() == lower
    missing.add("avx2")
    assert names() == ["search-x86-64-v2.bin"]
    missing.add("popcnt")
    assert names() == []


@pytest.mark.skipif(
    not Path("/lib64/ld-linux-x86-64.so.2").exists(), reason="needs glibc's loader"
)
def test_the_levels_of_this_processor_are_those_that_glibc_finds() -> None:
    printed = run(["/lib64/ld-linux-x86-64.so.2", "--help"]).stdout
    for level in cache.PORTABLE["x86_64"]:
        found = re.search(rf"^  {level.cpu}( \(supported)?", printed, re.MULTILINE)
        assert found, printed
        needs = level.required - {cache.FAST_EXTRACT}
        assert cache.runs_here(level._replace(required=needs)) == bool(found[1])


def test_calling_a_function_of_the_kernel_from_python_is_an_error() -> None:
    from solver.kernel.rules.bitboards import without_origin

    with pytest.raises(TypeError):
        without_origin(1)
