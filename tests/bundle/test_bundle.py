"""A bundle that PyInstaller makes solves without numba, and stores nothing.

The tests need PyInstaller, and take minutes: the code for a bundle is compiled.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from solver.bundle import hook_dirs
from solver.kernel.build import cache
from tests.processes import run

MATES = """\
5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - dm 2;
8/8/8/8/1p6/8/6QN/2k1K2R w K - dm 1;
"""

MATE_IN_2 = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"

HEAVY = ["numba", *(["llvmlite"] if cache.HAS_IMAGES else [])]

OF_DEVELOPERS = ("IPython", "matplotlib", "numba", "pandas", "pytest", "sphinx")
"""Packages that a user's environment lacks; other packages import them."""

PROGRAM = f"""
HEAVY = {HEAVY}
from multiprocessing import freeze_support

freeze_support()

import sys
from solver.__main__ import main

if sys.argv[1:] == ["own"]:
    from solver import solve
    mate = solve("8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1").mate
    print(mate, [name for name in HEAVY if name in sys.modules])
else:
    main()
"""


def test_pyinstaller_finds_a_hook_for_the_package() -> None:
    (folder,) = hook_dirs()
    assert [path.name for path in Path(folder).glob("hook-*.py")] == ["hook-solver.py"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("PyInstaller") is None, reason="needs PyInstaller")
def test_a_bundle_solves_without_numba_and_stores_nothing(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "PyInstaller", "--log-level", "ERROR"]
    command += [f"--exclude-module={name}" for name in OF_DEVELOPERS]
    subprocess.check_call([*command, "program.py"], cwd=tmp_path)

    stored = tmp_path / "cache"
    environment = {**os.environ, cache.DIRECTORY_VARIABLE: str(stored)}
    program = [str(tmp_path / "dist" / "program" / "program")]
    assert run([*program, "own"], env=environment).stdout == "1 []\n"
    solved = run([*program, "solve", MATE_IN_2, "--json"], env=environment)
    assert json.loads(solved.stdout)["mate"] == 2
    (tmp_path / "mates.epd").write_text(MATES)
    command = [*program, "verify", str(tmp_path / "mates.epd"), "--jobs", "2"]
    checked = run(command, env=environment)
    assert checked.returncode == 0, checked.stderr
    assert "Usage" not in checked.stderr
    printed = run([*program, "doctor"], env=environment).stdout
    assert "shipped with the package" in printed
    assert not stored.exists()
