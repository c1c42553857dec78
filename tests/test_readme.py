"""The README: a sample for each use, and the commands that the gate runs.

`tests/test_docs.py` runs its samples together with those of the other pages.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tools.samples import samples

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALLING = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")


def test_there_is_a_sample_for_each_use() -> None:
    commands = {sample.command.split()[1] for sample in samples(README)}
    assert commands >= {"solve", "verify", "check", "table"}


def test_the_readme_has_at_most_900_words() -> None:
    assert len(README.split()) <= 900


def test_every_extra_is_listed_with_its_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    del extras["test"], extras["docs"]
    packages = {extra: re.match(r"[\w-]+", needs[0]) for extra, needs in extras.items()}
    listed = re.findall(r"^\| `(\w+)` \| (\S+) \|", INSTALLING, re.MULTILINE)
    assert dict(listed) == {
        extra: package and package[0] for extra, package in packages.items()
    }


def test_no_text_installs_a_package_that_is_not_published() -> None:
    texts = [
        ROOT / "README.md",
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("solver/**/*.py"),
    ]
    for path in texts:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install '?matesolve|matesolve\[\w+\]", text), path


def test_the_gate_runs_the_command_that_the_readme_gives_for_the_tests() -> None:
    command = next(line for line in README.splitlines() if "-m pytest" in line)
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
