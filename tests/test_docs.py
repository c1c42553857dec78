"""README and docs: samples are what the program prints; what pages name exists."""

from __future__ import annotations

import doctest
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import solver
from solver.cli.main import SUMMARIES
from tools.pictures import PICTURES
from tools.samples import MARK, PAGES, ROOT, misquoted, replay, samples, without_times

pytestmark = pytest.mark.usefixtures("kernel")

TEXTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PAGES
}
PYTHON = re.compile(r"^```python\n(>>> .*?)^```$", re.DOTALL | re.MULTILINE)


def pages_with(pattern: re.Pattern[str]) -> list[str]:
    return [name for name, text in TEXTS.items() if pattern.search(text)]


@pytest.mark.parametrize("page", [name for name in TEXTS if samples(TEXTS[name])])
def test_samples_show_what_the_program_prints(page: str) -> None:
    for sample, printed in replay(TEXTS[page]):
        assert without_times(printed) == without_times(sample.shown), sample.command


@pytest.mark.parametrize("page", [name for name in TEXTS if MARK in TEXTS[name]])
def test_sentences_repeat_what_the_samples_show(page: str) -> None:
    assert misquoted(TEXTS[page]) == []


@pytest.mark.parametrize("page", pages_with(PYTHON))
def test_python_samples_do_what_they_show(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "puzzles").symlink_to(ROOT / "puzzles", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    source = "\n".join(PYTHON.findall(TEXTS[page]))
    test = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_pages_name_every_command_public_name_extra_and_picture() -> None:
    pytest.importorskip("sphinx_click")
    listed = runpy.run_path(str(ROOT / "docs" / "conf.py"))["list_commands"]()
    assert set(re.findall(r"\{doc\}`cli/(\w+)`", listed)) == {*SUMMARIES}
    page = TEXTS[str(Path("docs/reference/api.md"))]
    described = set(re.findall(r"^\.\. auto\w+:: solver\.(\w+)", page, re.MULTILINE))
    assert described == {*solver.__all__} - {"__version__"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].keys() - {"test", "docs"}
    table = re.findall(r"(?m)^\| `(\w+)` \| \S", TEXTS["docs/howto/install.md"])
    assert {*table} == extras
    for name, picture in PICTURES.items():
        assert f"(images/{Path(name).name})" in TEXTS[f"docs/{picture.page}"], name
        assert (ROOT / "docs" / name.replace(".webp", "-dark.webp")).exists(), name
