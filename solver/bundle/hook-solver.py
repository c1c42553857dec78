"""PyInstaller's hook: what a bundle needs that no import statement shows.

A bundle carries the compiled kernel, as a platform wheel does, and so no compiler: it
starts without numba. The kernel's sources are data, since compiled code names them.
Optional packages are left out, even if they are installed; PyInstaller's option
--hidden-import brings one in.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

from solver.kernel.build import cache, loader

KERNEL = "solver.kernel."

WITHOUT_NUMBA = (KERNEL + "border", KERNEL + "build")
"""The rooms of the kernel that are run as Python."""

COMPILER = {KERNEL + "build.compiler", KERNEL + "build.jit"}


def is_needed(module: str) -> bool:
    """Return whether a program with compiled code imports a module."""
    if module in COMPILER or module.startswith("solver.bundle"):
        return False
    return not module.startswith(KERNEL) or module.startswith(WITHOUT_NUMBA)


hiddenimports = collect_submodules("solver", filter=is_needed)
excludedimports = [
    *("numba", *(["llvmlite"] if cache.HAS_IMAGES else [])),
    *("distributed", "dask", "pandas", "polars", "pyarrow", "IPython"),
    *("mcp", "mcp_types", "anyio", "pydantic", "jsonschema", "resvg_py"),
]

datas = collect_data_files("solver")
datas += collect_data_files("solver.kernel", include_py_files=True)
if not Path(cache.SHIPPED).is_dir():
    # The wheel is for every machine, so the code is compiled now, which takes a minute.
    compiled = loader.compile_shipped(Path(tempfile.mkdtemp("-matesolve")))
    datas += [(str(path), "solver/kernel/objects") for path in compiled]
