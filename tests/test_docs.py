"""README and docs: samples are what the program prints; what pages name exists."""

from __future__ import annotations

import doctest
import html
import re
import runpy
import tomllib
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

import click
import pytest

import solver
from solver.cli.main import SUMMARIES, matesolve
from tests.pages.live import new_page
from tools import charts
from tools.pictures import PICTURES
from tools.samples import MARK, PAGES, ROOT, misquoted, replay, samples, without_times

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser

pytestmark = pytest.mark.usefixtures("kernel")

TEXTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PAGES
}
PYTHON = re.compile(r"^```python\n(>>> .*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(
    r"^```(?:sh|console)\n(.*?)^```$|`([^`\n]+)`", re.DOTALL | re.MULTILINE
)
LINK = re.compile(r"\]\(([^()#:]+)(?:#[^()]*)?\)")


def pages_with(pattern: re.Pattern[str]) -> list[str]:
    return [name for name, text in TEXTS.items() if pattern.search(text)]


@pytest.mark.parametrize("page", [name for name in TEXTS if samples(TEXTS[name])])
def test_samples_show_what_the_program_prints(page: str) -> None:
    for sample, printed in replay(TEXTS[page]):
        assert without_times(printed) == without_times(sample.shown), sample.command


@pytest.mark.parametrize("page", [name for name in TEXTS if MARK in TEXTS[name]])
def test_sentences_repeat_what_the_samples_show(page: str) -> None:
    assert misquoted(TEXTS[page]) == []


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Mate in <!-- sample: mates in {}. -->8, no less.", []),
        ("It took <!-- sample: {} nodes -->401,373.", []),
        ("Mate in <!-- sample: mates in {}. -->7.", ["mates in 7."]),
        ("Mate in <!-- sample: mates in {}. -->eight.", [MARK]),
        ("<!-- sample: mates in {}. -->8 moves.", [MARK]),
        ("- It takes\n  <!-- sample: mates in {}. -->8 moves.", [MARK]),
    ],
)
def test_a_sentence_that_repeats_another_number_is_found(
    sentence: str, found: list[str]
) -> None:
    sample = "```console\n$ matesolve\nWhite mates in 8.\n401,373  nodes\n```\n"
    assert misquoted(f"{sample}\n{sentence}\n") == found


@pytest.mark.parametrize("page", pages_with(PYTHON))
def test_python_samples_do_what_they_show(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "puzzles").symlink_to(ROOT / "puzzles", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    source = "\n".join(PYTHON.findall(TEXTS[page]))
    test = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_every_module_that_a_page_runs_exists() -> None:
    modules = {
        module
        for text in TEXTS.values()
        for module in re.findall(
            r"python -m ((?:tests|tools|benchmarks)[\w.]*\w)", text
        )
    }
    assert modules
    assert {module for module in modules if not find_spec(module)} == set()


def is_defined(name: str) -> bool:
    """Whether a dotted name is a module, or something that its module defines."""
    file, members = ROOT, name.split(".")
    while members and (file / members[0]).is_dir():
        file /= members.pop(0)
    if members and (file / f"{members[0]}.py").exists():
        file /= f"{members.pop(0)}.py"
    else:
        file /= "__init__.py"
    text = file.read_text(encoding="utf-8")
    return all(
        re.search(rf"^ *(?:def |class |\")?{member}\b", text, re.MULTILINE)
        for member in members
    )


def test_every_full_name_in_a_text_is_that_of_something() -> None:
    rooms = ("solver", "tests", "tools", "benchmarks")
    files = [file for room in rooms for file in ROOT.glob(f"{room}/**/*.py")]
    texts = [*TEXTS.values(), *(file.read_text(encoding="utf-8") for file in files)]
    names = {
        name
        for text in texts
        for name in re.findall(rf"`((?:{'|'.join(rooms)})(?:\.\w+)+)`", text)
    }
    assert len(names) > 50
    assert {name for name in names if not is_defined(name)} == set()


def options(command: click.Command) -> set[str]:
    """Return the option names of a command and of its subcommands."""
    names = {"--help"}
    for parameter in command.params:
        names |= {*parameter.opts, *parameter.secondary_opts}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand
            names |= options(subcommand)
    return names


@pytest.mark.parametrize("page", TEXTS)
def test_every_option_in_a_command_exists(page: str) -> None:
    context = click.Context(matesolve)
    for block, inline in CODE.findall(TEXTS[page]):
        for line in (block or inline).splitlines():
            for part in re.findall(r"matesolve ([a-z]+\b[^|#`]*)", line):
                name = part.split()[0]
                command = matesolve.get_command(context, name)
                assert command, f"{page}: matesolve {name}"
                used = set(re.findall(r"(?<!\S)--[a-z][\w-]*", part))
                assert used <= options(command), f"{page}: {line}"


@pytest.mark.parametrize("page", pages_with(LINK))
def test_every_link_to_a_file_leads_to_one(page: str) -> None:
    folder = (ROOT / page).parent
    links = set(LINK.findall(TEXTS[page]))
    assert {link for link in links if not (folder / link).exists()} == set()


WIDEST = 110
"""Columns of a terminal that fit a page in a window of 1,280 px; see docs/site.css."""


@pytest.mark.parametrize("page", [name for name in TEXTS if samples(TEXTS[name])])
def test_tables_of_a_sample_fit_a_window(page: str) -> None:
    lines = "\n".join(sample.shown for sample in samples(TEXTS[page])).splitlines()
    rows = (re.sub("[\u2580-\u259f]+$", "", line) for line in lines)
    tables = [row for row in rows if len(re.findall(r"\S {2,}\S", row)) > 1]
    assert [row for row in tables if len(row.rstrip()) > WIDEST] == []


def test_words_and_numbers_of_a_terminal_have_no_colours() -> None:
    pytest.importorskip("sphinx_click")
    lexers: dict[str, Any] = {}

    class App:
        add_lexer = lexers.__setitem__

        def connect(self, *_: object) -> None:
            pass

    runpy.run_path(str(ROOT / "docs" / "conf.py"))["setup"](App())
    for language, quiet in (
        ("console", {"Token.Text", "Token.Generic.Prompt"}),
        ("sh", {"Token.Text", "Token.Comment"}),
    ):
        blocks = re.findall(rf"(?ms)^```{language}\n(.*?)^```", "".join(TEXTS.values()))
        assert len(blocks) > 30
        tokens = [*lexers[language]().get_tokens("".join(blocks))]
        assert {str(kind) for kind, _ in tokens} == quiet
        coloured = {text for kind, text in tokens if str(kind) != "Token.Text"}
        assert all(text == "$ " or text.startswith("# ") for text in coloured)


@pytest.mark.browser
def test_a_frame_of_a_page_is_as_high_as_what_it_shows(chromium: Browser) -> None:
    site = {
        "index": '<!DOCTYPE html><iframe src="inner"></iframe>'
        '<script src="site.js"></script>',
        "inner": '<!DOCTYPE html><body style="margin: 0"><p style="margin: 0">',
        "site.js": (ROOT / "docs" / "site.js").read_text(encoding="utf-8"),
    }
    messages: list[str] = []
    page = new_page(chromium, messages)
    page.route(
        "**/*",
        lambda route: route.fulfill(
            body=site.get(route.request.url.rpartition("/")[2], ""),
            content_type="text/javascript"
            if route.request.url.endswith(".js")
            else "text/html",
        ),
    )
    page.goto("http://site.test/index")
    for height in (900, 1_500, 400):
        inner = page.frames[1].locator("p")
        inner.evaluate("(p, height) => { p.style.height = `${height}px`; }", height)
        page.wait_for_function(
            "height => document.querySelector('iframe').clientHeight === height",
            arg=height,
        )
    page.context.close()
    assert messages == []


def test_the_pages_show_every_kind_of_answer() -> None:
    commands = {
        sample.command.split()[1] for text in TEXTS.values() for sample in samples(text)
    }
    assert commands >= {"solve", "verify", "check", "table", "mip", "convert", "report"}


def test_pages_are_short() -> None:
    shown = {name: re.sub(r"<!--.*?-->", "", text) for name, text in TEXTS.items()}
    words = {name: len(text.split()) for name, text in shown.items()}
    long = {Path(name).stem for name, count in words.items() if count > 2_500}
    assert long <= {"formats", "tried"}
    assert words["README.md"] <= 900


def test_the_board_and_the_command_of_the_front_page_solve_the_same_position() -> None:
    page = TEXTS[str(Path("docs/index.md"))]
    frame, link = re.findall(r'(?:src|href)="board\.html#fen=(.*?)"', page)
    assert frame == link
    assert f"$ matesolve solve {unquote(frame)}\n" in page


BOARD_LINK = re.compile(r'(?:src|href)="((?:\.\./)?)board\.html#(.*?)"')


def test_a_link_to_the_live_board_leads_to_the_root_of_the_site() -> None:
    for name, text in TEXTS.items():
        depth = len(Path(name).relative_to("docs").parts) - 1 if "docs" in name else 0
        assert {up for up, _ in BOARD_LINK.findall(text)} <= {"../" * depth}, name


@pytest.mark.browser
def test_a_link_to_the_live_board_of_the_site_shows_its_position(
    chromium: Browser, tmp_path: Path
) -> None:
    pytest.importorskip("sphinx_click")
    conf = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    built = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    for page in conf["LIVE_PAGES"].keys() - {"board.html"}:
        del conf["LIVE_PAGES"][page]
    conf["write_live_pages"](built, None)
    links = [link for text in TEXTS.values() for _, link in BOARD_LINK.findall(text)]
    assert len(set(links)) >= 2
    messages: list[str] = []
    for link in sorted(set(links)):
        page = new_page(chromium, messages)
        page.goto(f"{(tmp_path / 'board.html').as_uri()}#{html.unescape(link)}")
        given = dict(parse_qsl(html.unescape(link)))
        page.wait_for_selector(f'#answer[data-fen="{given["fen"]}"]')
        assert page.input_value("#setup-fen") == given["fen"]
        assert page.input_value("#answer-find") == given.get("find", "#")
        page.context.close()
    assert messages == []


def test_every_page_is_listed_in_the_index_of_its_folder() -> None:
    indexes = [ROOT / name for name in TEXTS if name.endswith("/index.md")]
    listed = {
        index.parent / page
        for index in indexes
        for line in index.read_text(encoding="utf-8").splitlines()
        for page in re.findall(r"^- \[.+?\]\((.+?)\): .", line)
    }
    assert {*ROOT.glob("docs/*/*.md")} - {*indexes} == listed


@pytest.mark.parametrize(
    "word",
    ["engine", "glossary", "helpmate", "Jupyter", "notebook", "puzzle", "tablebases"],
)
def test_the_site_s_search_finds_a_heading_with(word: str) -> None:
    headings = re.findall(r"^#+ (.+)$", "\n".join(TEXTS.values()), re.MULTILINE)
    assert [text for text in headings if word.lower() in text.lower()]


def test_every_command_has_a_page_in_the_index_of_commands() -> None:
    pytest.importorskip("sphinx_click")
    listed = runpy.run_path(str(ROOT / "docs" / "conf.py"))["list_commands"]()
    assert set(re.findall(r"\{doc\}`cli/(\w+)`", listed)) == {*SUMMARIES}


def test_the_api_page_describes_every_public_name() -> None:
    page = TEXTS[str(Path("docs/reference/api.md"))]
    described = set(re.findall(r"^\.\. auto\w+:: solver\.(\w+)", page, re.MULTILINE))
    assert described == {*solver.__all__} - {"__version__"}


def test_every_picture_is_in_the_table_and_on_its_page() -> None:
    docs = ROOT / "docs"
    drawn = {str(docs / name) for name in PICTURES}
    twins = {name.replace(".webp", "-dark.webp") for name in drawn}
    files = {str(file) for file in docs.glob("*/images/*")}
    assert {file for file in files if ".chart." not in file} == drawn | twins
    for name, picture in PICTURES.items():
        assert f"(images/{Path(name).name})" in TEXTS[f"docs/{picture.page}"], name


def test_pictures_are_small() -> None:
    sizes = [file.stat().st_size for file in ROOT.glob("docs/**/images/*")]
    assert max(sizes) <= 80 * 1024
    assert sum(sizes) <= 1536 * 1024


@pytest.mark.parametrize("scheme", charts.SCHEMES)
@pytest.mark.parametrize("chart", charts.CHARTS)
def test_a_chart_shows_what_its_tables_have(
    chart: Callable[[], list[charts.Bar]], scheme: str
) -> None:
    picture = charts.PAGES / "images" / f"{chart.__name__}{scheme}.chart.svg"
    words = re.findall(r">([^<>]+)</text>", picture.read_text(encoding="utf-8"))
    expected = [word for label, text, _ in chart() for word in (label, text)]
    assert len(expected) >= 20
    assert [word for word in map(html.unescape, words) if word in expected] == expected


# README

README = TEXTS["README.md"]


def test_there_is_a_sample_for_each_use() -> None:
    commands = {sample.command.split()[1] for sample in samples(README)}
    assert commands >= {"solve", "verify", "check", "table"}


def test_every_extra_is_listed_with_its_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    del extras["test"], extras["docs"]
    packages = {extra: re.match(r"[\w-]+", needs[0]) for extra, needs in extras.items()}
    listed = re.findall(
        r"^\| `(\w+)` \| (\S+) \|", TEXTS["docs/howto/install.md"], re.MULTILINE
    )
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
