"""Build what is published, and test it installed: python -m tools.release DIRECTORY.

1. With `--tag`, the tag, the version of the package and the changelog must agree.
2. The sdist is built from the checkout, the wheels are built from the sdist alone: one
   for every machine and one for this platform, with object code.
3. The sdist builds all of them again at the same time, in another folder with another
   umask. The files must be the same, byte for byte.
4. twine checks the metadata, `tools/distributions.py` the files.
5. Each wheel is installed into a fresh environment, where it solves the README's first
   position and passes the smoke tests. These run where there is no folder solver/, and
   with a new cache, in which a wheel with object code and modules must store nothing.
6. `tools/npm.py` builds the npm package, and tries it where Node is present.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from solver import __version__
from solver.kernel.border.parts import PARTS
from tools.distributions import is_pure, package_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)

POSITION = "8/7K/8/8/8/8/R7/7k w - - 0 1"
ANSWER = "Proved: mate in 8 is forced, and none is shorter."

WITHOUT_GIT_S = 1_577_836_800
"""The time in the packages, 2020-01-01, where there is no commit to take it from."""

KINDS = ("0", "1")
"""The kinds of wheels, as MATESOLVE_SHIP_OBJECT selects them: pure, and with code."""


def version_faults(tag: str, version: str, changelog: str) -> list[str]:
    """Return a line for each place that does not state the version of a release.

    `changelog` must have `version` and a date below the heading of unreleased changes.
    """
    faults = []
    if tag != f"v{version}":
        faults.append(f"tag: expected v{version}, as in the package, found {tag}")
    headings = [*HEADING.findall(changelog), "nothing", "nothing"]
    if headings[0] != "[Unreleased]":
        faults.append(f"CHANGELOG.md: expected ## [Unreleased], found {headings[0]}")
    expected = rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d"
    if not re.fullmatch(expected, headings[1]):
        faults.append(
            f"CHANGELOG.md: expected ## [{version}] - YEAR-MONTH-DAY second, "
            f"found {headings[1]}"
        )
    return faults


def at_once(*tasks: Callable[[], object]) -> None:
    """Do tasks that start processes; raise the first error when all have ended."""
    with ThreadPoolExecutor(len(tasks)) as pool:
        running = [pool.submit(task) for task in tasks]
    for task in running:
        task.result()


def run(*words: str | Path, cwd: Path = ROOT, umask: int = -1, **variables: str) -> str:
    """Run a command to its end, print how long it took, and return its output."""
    start = time.perf_counter()
    done = subprocess.run(
        words,
        cwd=cwd,
        umask=umask if os.name == "posix" else -1,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    shown = " ".join(map(str, words))
    sys.stdout.write(f"{time.perf_counter() - start:5.1f} s  {shown}\n")
    sys.stdout.flush()
    if done.returncode:
        sys.exit(f"{done.stdout}\n{shown}: exit code {done.returncode}")
    return done.stdout


def build(source: Path, out: Path, what: str, umask: int = -1, kind: str = "0") -> None:
    """Build a package from a folder."""
    words = sys.executable, "-m", "build", what, "--outdir", out
    run(*words, cwd=source, umask=umask, MATESOLVE_SHIP_OBJECT=kind)


def build_wheels(source: Path, out: Path, umask: int = -1) -> None:
    """Build a wheel of each kind from a folder."""
    for kind in KINDS:
        build(source, out, "--wheel", umask, kind)


@contextmanager
def unpacked(sdist: Path) -> Iterator[Path]:
    """Unpack an sdist into a new folder, and remove it in the end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (content,) = Path(folder).iterdir()
        yield content


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a folder by its name."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def build_twice(sdist: Path, dist: Path) -> None:
    """Build the wheels, and all once more; end the program if any file differs."""
    with (
        unpacked(sdist) as tree,
        unpacked(sdist) as other,
        tempfile.TemporaryDirectory() as folder,
    ):
        for path in (other, *other.rglob("*")):
            path.chmod(path.stat().st_mode & 0o700)

        def build_again() -> None:
            build(other, Path(folder), "--sdist", 0o077)
            build_wheels(other, Path(folder), 0o077)

        at_once(partial(build_wheels, tree, dist), build_again)
        first, second = hashes(dist), hashes(Path(folder))
    if first != second:
        sys.exit(f"expected the same packages twice, found\n{first}\n{second}")


def check_installed(wheel: Path, sdist: Path) -> None:
    """Install a wheel into a fresh environment, solve, and run the smoke tests."""
    with unpacked(sdist) as tree:
        (tree / "solver").rename(tree / "not-imported")
        environment = tree / "environment"
        venv.create(environment, symlinks=os.name != "nt", with_pip=True)
        scripts = environment / ("Scripts" if os.name == "nt" else "bin")
        python = shutil.which("python", path=scripts) or "python"
        cache = tree / "cache"
        inside = partial(run, cwd=tree, MATESOLVE_CACHE_DIR=str(cache))
        pip = "-m", "pip", "--disable-pip-version-check", "install", "--quiet"
        inside(python, *pip, wheel, "pytest")

        program = shutil.which("matesolve", path=scripts) or "matesolve"
        answer = inside(program, "solve", POSITION)
        if ANSWER not in answer:
            sys.exit(f"{wheel.name}: expected {ANSWER!r}, found\n{answer}")
        smoke = "-m", "pytest", "-q", "-m", "smoke", "tests/test_smoke.py"
        sys.stdout.write(inside(python, *smoke))
        if not is_pure(wheel):
            modules = inside(program, "warmup", "--wasm")
            if modules.count("shipped with the package") != len(PARTS):
                sys.exit(f"{wheel.name}: expected all modules, found\n{modules}")
        has_compiled = cache.exists() and any(cache.iterdir())
        if has_compiled != is_pure(wheel):
            stored = "object code" if has_compiled else "nothing"
            sys.exit(f"{wheel.name}: {stored} in the cache, expected the contrary")


def main() -> None:
    """Do all of it, or end with a message and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m tools.release")
    parser.add_argument("directory", type=Path, help="where the packages go; empty")
    parser.add_argument("--tag", help="the tag of the release, such as v1.2.3")
    options = parser.parse_args()
    dist: Path = options.directory.resolve()
    if dist.exists() and any(dist.iterdir()):
        sys.exit(f"{dist}: expected an empty directory, found files")
    if options.tag is not None:
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        if faults := version_faults(options.tag, __version__, changelog):
            sys.exit("\n".join(faults))
    os.environ.pop("PYTHONPATH", None)  # the tests import what is installed
    if (ROOT / ".git").exists():
        commit_time_s = run("git", "log", "-1", "--format=%ct").strip()
        os.environ.setdefault("SOURCE_DATE_EPOCH", commit_time_s)
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(WITHOUT_GIT_S))

    build(ROOT, dist, "--sdist")
    (sdist,) = dist.glob("*.tar.gz")
    build_twice(sdist, dist)
    run(sys.executable, "-m", "twine", "check", "--strict", *sorted(dist.iterdir()))
    wheels = sorted(dist.glob("*.whl"))
    if len(wheels) != len(KINDS):
        sys.exit(f"{dist}: expected {len(KINDS)} wheels, found {len(wheels)}")
    if faults := package_faults(wheels, sdist):
        sys.exit("\n".join(faults))
    with tempfile.TemporaryDirectory() as folder:
        at_once(
            *(partial(check_installed, wheel, sdist) for wheel in wheels),
            lambda: sys.stdout.write(run(sys.executable, "-m", "tools.npm", folder)),
        )


if __name__ == "__main__":
    main()
