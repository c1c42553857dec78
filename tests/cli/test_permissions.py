"""Users with few write permissions: each command works, without extra output."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import solver
from solver.kernel.border.parts import PARTS
from solver.kernel.build import cache
from solver.kernel.build.loader import load_part
from tests.cli.conftest import without_summaries
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import CompletedProcess

FEN = "8/7K/8/8/8/8/R7/7k w - - 0 1"
NOBODY = 65534

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="folders are named otherwise"
)


class Place(NamedTuple):
    """Where a user runs the command: all folders but `work` may be read-only."""

    package: Path
    home: Path
    temporary: Path
    work: Path
    through: tuple[str, ...]

    def run(self, *arguments: str, stdin: str = "") -> CompletedProcess[str]:
        """Run Python there."""
        unset = {cache.DIRECTORY_VARIABLE, cache.FALLBACK_VARIABLE, "XDG_CACHE_HOME"}
        return run(
            [*self.through, sys.executable, *arguments],
            stdin=stdin,
            cwd=self.work,
            env={
                **{k: v for k, v in os.environ.items() if k not in unset},
                "HOME": str(self.home),
                "PYTHONPATH": str(self.package),
                "TMPDIR": str(self.temporary),
            },
        )


def close(folder: Path) -> None:
    """Make a folder and its subfolders read-only."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o555)


def fill(folder: Path) -> None:
    """Store the compiled kernel in a folder of the user's own."""
    folder.mkdir(mode=0o700, parents=True)
    for part in PARTS:
        stored = load_part(part).path
        if stored is None:
            pytest.skip("no kernel can be stored on this machine")
        shutil.copy(stored, folder)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A read-only installation without Python's compiled files."""
    through: tuple[str, ...] = ()
    if os.geteuid() == 0:  # root may write anywhere without this
        setpriv = shutil.which("setpriv")
        through = (str(setpriv), "--inh-caps=-all", "--bounding-set=-all")
        if setpriv is None or run([*through, "true"]).returncode:
            pytest.skip("the superuser's rights cannot be given up here")
    folders = [tmp_path / name for name in ("package", "home", "temporary", "work")]
    for folder in folders:
        folder.mkdir()
    package, home, temporary, work = folders
    place = Place(package, home, temporary, work, through)
    shutil.copytree(
        Path(solver.__file__).parent,
        place.package / "solver",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    close(place.package)
    assert run([*through, "test", "-w", place.package]).returncode == 1
    found = place.run("-c", "import solver; print(solver.__file__)").stdout
    assert found == f"{place.package / 'solver' / '__init__.py'}\n"
    yield place
    for folder in (tmp_path, *filter(Path.is_dir, tmp_path.rglob("*"))):
        folder.chmod(0o755)


def require_answers(place: Place) -> None:
    """Check that the commands work, and print nothing about read-only folders."""
    (place.work / "one.epd").write_text(f"{FEN} dm 8;\n")
    verify = ("verify", "--store", "one.db", "one.epd")
    go = f"position fen {FEN}\ngo mate 8\nisready\n"
    for arguments, stdin, answer in (
        (["solve", FEN], "", "White mates in 8."),
        (verify, "", "  all       1      1"),
        (["warmup"], "", "from the cache"),
        (["doctor"], "", "self-test passed"),
        (["uci"], go, "bestmove"),
    ):
        ended = place.run("-m", "solver", *arguments, stdin=stdin)
        assert (ended.returncode, without_summaries(ended.stderr)) == (0, ""), arguments
        assert answer in ended.stdout
    assert not list(place.package.rglob("__pycache__"))


def test_a_stored_kernel_is_used_in_a_read_only_place(place: Place) -> None:
    fill(place.home / ".cache" / "matesolve")
    for folder in (place.home, place.temporary):
        close(folder)
    require_answers(place)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser gives files away")
def test_the_temporary_folder_replaces_another_users_cache(
    place: Place,
) -> None:
    fill(place.home / ".cache" / "matesolve")
    fill(place.temporary / f"matesolve-{os.geteuid()}")
    os.chown(place.home / ".cache" / "matesolve", NOBODY, NOBODY)
    require_answers(place)


def test_the_temporary_folder_serves_an_unknown_user(
    place: Place,
) -> None:
    fill(place.temporary / f"matesolve-{os.geteuid()}")
    program = (
        "import os, pwd, sys\n"
        "os.environ.pop('HOME')\n"
        "pwd.getpwuid = {}.__getitem__\n"
        "from solver.cli.main import run\n"
        f"sys.exit(run(['solve', {FEN!r}]))\n"
    )
    ended = place.run("-c", program)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "White mates in 8." in ended.stdout
