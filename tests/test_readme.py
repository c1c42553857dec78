"""The README: its samples are what the program prints; the gate runs its command."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from solver.cli.main import matesolve

pytestmark = pytest.mark.usefixtures("kernel")

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

SAMPLES = re.findall(r"```\n\$ matesolve ([^\n]+)\n(.*?)```", README, re.DOTALL)

DURATION = re.compile(r"\b[0-9.]+ m?s\b|(?<=\"time_s\":)[0-9.]+")


def without_times(text: str) -> list[list[str]]:
    """The words of each line; times differ from run to run, and columns with them."""
    return [DURATION.sub("TIME", line).split() for line in text.splitlines()]


def test_there_is_a_sample_for_each_use() -> None:
    commands = {arguments.split()[0] for arguments, _ in SAMPLES}
    assert commands == {"solve", "verify", "check", "table", "mip"}


@pytest.mark.parametrize(
    ("arguments", "shown"), SAMPLES, ids=[arguments for arguments, _ in SAMPLES]
)
def test_a_sample_is_what_the_program_prints(
    arguments: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    words: list[str] = []
    for word in shlex.split(arguments):
        words += sorted(map(str, Path().glob(word))) if "*" in word else [word]
    printed = CliRunner().invoke(matesolve, words).stdout
    assert without_times(printed) == without_times(shown)


def test_every_extra_is_listed_with_its_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    del extras["test"]
    packages = {extra: re.match(r"[\w-]+", needs[0]) for extra, needs in extras.items()}
    listed = re.findall(r"^\| `(\w+)` \| (\S+) \|", README, re.MULTILINE)
    assert dict(listed) == {
        extra: package and package[0] for extra, package in packages.items()
    }


def test_no_text_installs_a_package_that_is_not_published() -> None:
    texts = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("solver/**/*.py")]
    for path in texts:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"pip install '?matesolve|matesolve\[\w+\]", text), path


def test_the_python_samples_do_what_they_show() -> None:
    samples = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert samples
    runner = doctest.DocTestRunner()
    for number, sample in enumerate(samples):
        test = doctest.DocTestParser().get_doctest(
            sample, {}, f"sample {number}", "README.md", 0
        )
        assert test.examples
        assert runner.run(test).failed == 0


def test_the_sample_audit_is_what_the_program_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "reference" / "verdicts.md").read_text(encoding="utf-8")
    sample = re.search(
        r"\$ cat (\S+)\n(.*?)\$ matesolve ([^\n]+)\n(.*?)```", page, re.DOTALL
    )
    assert sample
    file, collection, arguments, shown = sample.groups()
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text(collection, encoding="utf-8")
    printed = CliRunner().invoke(matesolve, arguments.split()).stdout
    assert without_times(printed) == without_times(shown)


def test_the_gate_runs_the_command_that_the_readme_gives_for_the_tests() -> None:
    command = next(line for line in README.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
