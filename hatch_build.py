"""The build hook of platform wheels, which carry the compiled kernel.

With MATESOLVE_SHIP_OBJECT=1 in the environment, a wheel gets machine code for this
machine's architecture and the WebAssembly modules for web pages, and its first command
compiles nothing. Without it, a wheel is pure Python and compiles when it is first used.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "MATESOLVE_SHIP_OBJECT"

PLACE = "solver/kernel/objects"

# The machine code calls no library, so the oldest systems that numba supports will do.
# Only Linux on x86-64 was tried, and is released.
TAGS = {
    ("Linux", "x86_64"): "manylinux_2_17_x86_64",
    ("Linux", "aarch64"): "manylinux_2_17_aarch64",
    ("Darwin", "arm64"): "macosx_11_0_arm64",
    ("Darwin", "x86_64"): "macosx_11_0_x86_64",
    ("Windows", "AMD64"): "win_amd64",
}


class CompiledKernelHook(BuildHookInterface[Any]):
    """Adds the compiled kernel to a wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the compiler needs, in the versions of the project."""
        if os.environ.get(VARIABLE) != "1":
            return []
        needed = self.metadata.core.dependencies
        return [name for name in needed if name.startswith(("numba", "numpy"))]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and name the wheel after the platform."""
        if os.environ.get(VARIABLE) != "1" or version == "editable":
            return
        system = platform.system(), platform.machine()
        if system not in TAGS:
            msg = f"{VARIABLE}: expected one of {sorted(TAGS)}, found {system}"
            raise RuntimeError(msg)
        sys.path.insert(0, self.root)
        from solver.kernel.build.loader import compile_shipped

        self._folder = tempfile.TemporaryDirectory()
        for path in compile_shipped(Path(self._folder.name)):
            build_data["force_include"][str(path)] = f"{PLACE}/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[system]}"

    def finalize(self, *_arguments: object) -> None:
        """Remove the compiled files, which are in the wheel now."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
