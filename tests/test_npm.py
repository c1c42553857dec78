"""The npm package: as small as promised, typed, and as right as the Python package."""

from __future__ import annotations

import json
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from solver import FenError, __version__, grade
from tests import npm
from tests.pages.live import new_page
from tests.processes import run
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

README = (npm.ROOT / "npm" / "README.md").read_text(encoding="utf-8")
LONG = "8/8/8/8/1p6/1P1k4/P7/K6R w - - 0 1"

needs_node = pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("npm")), reason="needs Node and npm"
)


def blocks(language: str) -> list[str]:
    """The examples of the README in a language."""
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", README)


@pytest.fixture(scope="module")
def written(kernel: object, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """The folder of the package."""
    folder = tmp_path_factory.mktemp("npm") / "matesolve"
    npm.write_package(folder)
    return folder


@pytest.fixture(scope="module")
def installed(written: Path) -> Path:
    """A new folder in which the packed package is installed."""
    packed = npm.pack(written)
    assert packed.stat().st_size <= npm.MOST_BYTES
    folder = written.parent / "installed"
    npm.install(packed, folder)
    return folder


def node(installed: Path, script: str) -> list[str]:
    """Run a script with the package; return the lines that it prints."""
    (installed / "script.mjs").write_text(script, encoding="utf-8")
    done = run(["node", "script.mjs"], cwd=installed)
    assert (done.returncode, done.stderr) == (0, "")
    lines: list[str] = done.stdout.splitlines()
    return lines


def test_the_package_says_what_it_is(written: Path) -> None:
    package = json.loads((written / "package.json").read_text(encoding="utf-8"))
    assert (package["name"], package["version"]) == ("matesolve", __version__)
    assert package["license"] == "GPL-3.0-or-later"
    assert package["type"] == "module"
    assert not [name for name in package if name.endswith("ependencies")]
    for path in package["exports"]["."].values():
        assert (written / path).is_file()
    imported = {
        (path.parent / name).resolve()
        for path in written.rglob("*.mjs")
        for name in re.findall(r'from "(\./.*)";', path.read_text(encoding="utf-8"))
    }
    assert all(path.is_file() for path in imported)


@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs TypeScript")
def test_the_types_are_right(written: Path) -> None:
    options = ("--noEmit", "--strict", "--module", "node16", "--skipLibCheck", "false")
    language = ("--target", "es2023", "--lib", "es2023,dom,dom.iterable")
    checked = "--allowJs", "--checkJs"
    modules = [str(written / "matesolve.mjs"), str(written / "worker.mjs")]
    run(["tsc", *options, *language, *checked, *modules], cwd=written, check=True)
    for index, example in enumerate(blocks("js")):
        path = written / f"example-{index}.mts"
        path.write_text(example, encoding="utf-8")
        run(["tsc", *options, *language, path.name], cwd=written, check=True)


@needs_node
@sized("count", 12, 200)
def test_answers_are_those_of_the_python_package(installed: Path, count: int) -> None:
    assert npm.compare(installed, npm.questions(count)) == []


@needs_node
def test_a_limit_of_null_is_none(installed: Path) -> None:
    script = """
      import { solve } from "matesolve";
      const options = { moves: null, nodes: null };
      console.log((await solve("8/7K/8/8/8/8/R7/7k w - -", options)).mate);"""
    assert node(installed, script) == ["8"]


@needs_node
def test_the_examples_of_the_readme_print_what_it_shows(installed: Path) -> None:
    examples, shown = blocks("js"), blocks("text")
    assert len(examples) == len(shown) == 2
    for example, lines in zip(examples, shown, strict=True):
        assert node(installed, example) == lines.splitlines()


FAULTS = [
    'solve("8/8 w - -")',
    'keys("8/8/8/8/8/5K2/R7/8 w - -", 1)',
    'isCorrect("", "a1a2", 1)',
    "solve(null)",
    f'isCorrect("{LONG}", ["h1h3", 5], 3)',
    f'isCorrect("{LONG}", null, 3)',
    f'solve("{LONG}", {{ moves: 0 }})',
    f'solve("{LONG}", {{ nodes: 1.5 }})',
    f'isCorrect("{LONG}", "", 201)',
    f'keys("{LONG}", 12, {{ nodes: 10 }})',
]


@needs_node
def test_what_cannot_be_read_is_an_error_of_one_line(installed: Path) -> None:
    names = 'import { isCorrect, keys, solve } from "matesolve";'
    calls = ", ".join(FAULTS)
    script = f"""{names}
      for (const each of await Promise.allSettled([{calls}])) {{
        console.log(each.reason.message);
      }}"""
    shown = node(installed, script)
    fens = ["8/8 w - -", "8/8/8/8/8/5K2/R7/8 w - -", ""]
    for fen, message in zip(fens, shown, strict=False):
        with pytest.raises(FenError) as error:
            grade(fen, "", 1)
        assert str(error.value).startswith(message)
    assert shown[3:] == [
        "fen: expected text, found null",
        "line: expected moves in one string or in several, found number",
        "line: expected moves in one string or in several, found null",
        "moves: expected a whole number from 1 to 200, found 0",
        f"nodes: expected a whole number from 1 to {2**53 - 1}, found 1.5",
        "n: expected a whole number from 1 to 200, found 201",
        "the node limit was hit",
    ]


TAKEN_BACK = f"""
import {{ solve }} from "matesolve";
const [first, second] = [new AbortController(), new AbortController()];
const seen = [];
const long = solve("{LONG}", {{
  signal: first.signal,
  onProgress: (progress) => {{
    seen.push(progress);
    if (progress.upper && progress.nodes > 100_000) first.abort(new Error("enough"));
  }},
}});
const next = solve("{LONG}", {{ signal: second.signal }});
const last = solve("8/7K/8/8/8/8/R7/7k w - -");
second.abort();
const aborted = solve("{LONG}", {{ signal: second.signal }});
const [one, two, three, four] = await Promise.allSettled([long, next, last, aborted]);
console.log(one.reason.message, two.reason.name, three.value.mate, four.reason.name);
console.log(seen.every(({{ lower, upper }}) => !upper || lower <= upper));
"""


@needs_node
def test_a_question_is_taken_back_and_the_others_are_answered(installed: Path) -> None:
    shown = node(installed, TAKEN_BACK)
    assert shown == ["enough AbortError 8 AbortError", "true"]


@needs_node
def test_a_search_shows_its_progress_after_a_long_one(
    installed: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy)
    host = copy / "node_modules" / "matesolve" / "modules" / "host.mjs"
    text = host.read_text(encoding="utf-8")
    (every,) = re.findall(r"REPORT_NODES = ([\d_]+);", text)
    # Each report of the kernel is passed on, however little time went by.
    text, count = re.subn(r"PROGRESS_MS = \d+;", "PROGRESS_MS = 0;", text)
    assert count == 1
    host.write_text(text, encoding="utf-8")
    script = f"""
      import {{ solve }} from "matesolve";
      await solve("{LONG}", {{ nodes: 3_000_000 }});
      let last = 0, widest = 0;
      const onProgress = ({{ nodes }}) => {{
        widest = Math.max(widest, nodes - last);
        last = nodes;
      }};
      await solve("{LONG}", {{ nodes: 3_000_000, onProgress }});
      console.log(widest);"""
    (widest,) = node(copy, script)
    assert int(every) <= int(widest) < 2 * int(every)


def test_the_packed_file_is_written_twice_into_one_directory(
    kernel: object,  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = npm.questions(1)
    monkeypatch.setattr(npm, "questions", lambda count: asked[:count])
    for _ in range(2):
        npm.build_and_try(tmp_path / "dist", count=1)
    packed = [f"matesolve-{__version__}.tgz"] if shutil.which("npm") else []
    assert [path.name for path in tmp_path.glob("dist/*")] == packed


@pytest.fixture
def served(installed: Path) -> Iterator[str]:
    """The address of a server with the README's page."""
    (page,) = blocks("html")
    (installed / "index.html").write_text(page, encoding="utf-8")
    (installed / "favicon.ico").touch()
    handler = partial(Quiet, directory=str(installed))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@needs_node
@pytest.mark.browser
def test_the_page_of_the_readme_solves_in_a_worker(
    served: str, chromium: Browser
) -> None:
    messages: list[str] = []
    page = new_page(chromium, messages)
    page.goto(served)
    page.wait_for_selector("#answer:text-is('mate in 8: Kg6')")
    assert messages == []
    page.context.close()
