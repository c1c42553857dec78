"""The files that packages must hold; `tools/release.py` checks them.

A wheel must hold every file of solver/ and docs/share/ and nothing else but its
metadata; a wheel for this platform also holds object code of each part, and each part
as a WebAssembly module. The sdist must hold what a packager needs to build and test the
program.
"""

from __future__ import annotations

import re
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from solver.kernel.border.parts import PARTS
from solver.kernel.build.loader import shipped_name, shipped_targets

ROOT = Path(__file__).parents[1]

METADATA = re.compile(r"[^/]+\.dist-info/")

SHARED = re.compile(r"[^/]+\.data/data/")
"""Where a wheel holds what pip installs beside the program, such as the man page."""

OBJECTS = "solver/kernel/objects/"
"""Where a wheel for one platform holds the compiled kernel."""

DIRECTORIES_OF_THE_SDIST = (
    "solver",
    "tests",
    "tools",
    "benchmarks",
    "puzzles",
    "docs",
    "integrations",
    "npm",
    ".ci",
    ".github",
)
GENERATED = re.compile(r"(^|/)(__pycache__|_build)/|^docs/reference/cli/")
"""Where .gitignore leaves files out: byte code, the site, and the pages of commands."""

FILES_OF_THE_SDIST = (
    ".dockerignore",
    ".pre-commit-config.yaml",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Containerfile",
    "LICENSE",
    "README.md",
    "action.yml",
    "hatch_build.py",
    "pyproject.toml",
    "server.json",
)


def files_of(*directories: str) -> set[str]:
    """Return the paths of the files in `directories`, relative to the repository.

    Files that are generated there are left out.
    """
    paths = (
        path.relative_to(ROOT).as_posix()
        for directory in directories
        for path in (ROOT / directory).rglob("*")
        if path.is_file()
    )
    return {path for path in paths if not GENERATED.search(path)}


def is_pure(wheel: Path) -> bool:
    """Return whether a wheel is for every machine, and so without object code."""
    return wheel.stem.endswith("-none-any")


def shipped_files() -> set[str]:
    """Return the names of the compiled files in a wheel for this platform."""
    return {
        OBJECTS + shipped_name(part, target)
        for part in PARTS
        for target in shipped_targets()
    }


def wheel_faults(names: set[str], *, has_code: bool = False) -> list[str]:
    """Return a line for each file that a wheel lacks or should not hold."""
    program = {SHARED.sub("docs/", name) for name in names if not METADATA.match(name)}
    expected = files_of("solver", "docs/share")
    if has_code:
        expected |= shipped_files()
    return [
        *(f"wheel: {name} is missing" for name in sorted(expected - program)),
        *(
            f"wheel: {name} is not in solver/ or docs/share/"
            for name in sorted(program - expected)
        ),
    ]


def sdist_faults(names: set[str]) -> list[str]:
    """Return a line for each file that an sdist lacks."""
    expected = files_of(*DIRECTORIES_OF_THE_SDIST) | {*FILES_OF_THE_SDIST}
    return [f"sdist: {name} is missing" for name in sorted(expected - names)]


def names_in_wheel(path: Path) -> set[str]:
    """Return the names of the files in a wheel."""
    with zipfile.ZipFile(path) as wheel:
        return {name for name in wheel.namelist() if not name.endswith("/")}


def names_in_sdist(path: Path) -> set[str]:
    """Return the names of the files in an sdist, without its top directory."""
    with tarfile.open(path) as sdist:
        return {
            PurePosixPath(*PurePosixPath(member.name).parts[1:]).as_posix()
            for member in sdist
            if member.isfile()
        }


def package_faults(wheels: list[Path], sdist: Path) -> list[str]:
    """Return a line for each file that the packages lack or should not hold."""
    faults = sdist_faults(names_in_sdist(sdist))
    for wheel in wheels:
        if "-linux_" in wheel.name:
            faults.append(f"{wheel.name}: expected a tag that an index accepts")
        faults += wheel_faults(names_in_wheel(wheel), has_code=not is_pure(wheel))
    return faults
