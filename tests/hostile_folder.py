"""A folder of puzzles in which each file would run if Python looked there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = ("chess", "click", "llvmlite", "numba", "numpy", "pip", "rich", "solver")
"""What the program, and its installation, import besides the standard library."""

HOOKS = ("sitecustomize", "usercustomize", "setup")
"""Modules that Python or an installer runs unasked, if they are on its path."""

MARK = "import os; os.makedirs({folder!r}, exist_ok=True); open({file!r}, 'w').close()"


def make_hostile(folder: Path, marks: Path) -> None:
    """Fill a folder with code that leaves a file in `marks` when it runs.

    There is a module of each name that Python or the program imports, a `.pth` file, a
    project whose build runs code of its own, and settings of numba.
    """
    for name in (*sys.stdlib_module_names, *PACKAGES, *HOOKS):
        (folder / f"{name}.py").write_text(_mark(marks, name))
    for name in ("solver", "encodings"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(_mark(marks, f"{name}, a folder"))
    (folder / "x.pth").write_text(_mark(marks, "x.pth"))
    (folder / "backend.py").write_text(_mark(marks, "pyproject.toml"))
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\n'
        'backend-path = ["."]\n[project]\nname = "hostile"\nversion = "0"\n'
    )
    (folder / ".numba_config.yaml").write_text("disable_jit: 1\n")


def _mark(marks: Path, name: str) -> str:
    return MARK.format(folder=str(marks), file=str(marks / name)) + "\n"
