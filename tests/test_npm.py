"""The npm package: as small as promised, typed, and as right as the Python package."""

from __future__ import annotations

import json
import re
import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from solver import FenError, __version__, solve
from tests.pages.live import new_page
from tests.processes import run
from tests.sizes import sized
from tools import npm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

README = (npm.ROOT / "npm" / "README.md").read_text(encoding="utf-8")
LONG = "8/8/8/8/1p6/1P1k4/P7/K6R w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"
ABORT_ERR = 20
"""The code of a DOMException whose name is AbortError."""

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


def test_the_package_says_what_it_is_and_needs_no_other(written: Path) -> None:
    package = json.loads((written / "package.json").read_text(encoding="utf-8"))
    assert (package["name"], package["version"]) == ("matesolve", __version__)
    assert package["license"] == "GPL-3.0-or-later"
    assert not [name for name in package if name.endswith("ependencies")]


CONSUMER = """
import { grade, MatesolveError, solve } from "matesolve";
import type { Answer, ErrorCode, SolveOptions, StoppedBy } from "matesolve";

export async function ask(fen: string, signal?: AbortSignal): Promise<number> {
  const options: SolveOptions = { maxMoves: undefined, nodes: undefined, signal };
  const answer: Answer = await solve(fen, options);
  // @ts-expect-error: a limit is a number
  await solve(fen, { nodes: "1" });
  // @ts-expect-error: there is no such option
  await grade(fen, ["e4"] as const, 2, { keys: false });
  // @ts-expect-error: there may be no mate
  const any: number = answer.mate;
  if (answer.status === "proved" || answer.status === "found") return answer.mate;
  const reason: StoppedBy | null = answer.stoppedBy;
  return any + (reason === null ? 0 : { nodes: 1, time: 2, interrupt: 3 }[reason]);
}

export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof MatesolveError ? error.code : undefined;
}
"""


@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs TypeScript")
def test_the_types_are_right_and_a_strict_program_may_pass_undefined(
    written: Path,
) -> None:
    options = ("--noEmit", "--strict", "--module", "node16", "--skipLibCheck", "false")
    language = ("--target", "es2023", "--lib", "es2023,dom,dom.iterable")
    words = ["tsc", *options, *language, "--exactOptionalPropertyTypes"]
    modules = [str(written / "matesolve.mjs"), str(written / "worker.mjs")]
    checked = ["--allowJs", "--checkJs"]
    run(["tsc", *options, *language, *checked, *modules], cwd=written, check=True)
    for index, example in enumerate([*blocks("js"), CONSUMER]):
        path = written / f"example-{index}.mts"
        path.write_text(example, encoding="utf-8")
        run([*words, path.name], cwd=written, check=True)


@needs_node
@sized("count", 8, 200)
def test_answers_are_those_of_the_python_package(installed: Path, count: int) -> None:
    assert npm.compare(installed, npm.questions(count)) == []


@needs_node
def test_the_examples_of_the_readme_print_what_it_shows(installed: Path) -> None:
    examples, shown = blocks("js"), blocks("text")
    assert len(examples) == len(shown) == 2
    for example, lines in zip(examples, shown, strict=True):
        assert node(installed, example) == lines.splitlines()
    (example,) = blocks("cjs")
    done = run(["node", "-p", "process.features.require_module"], check=True)
    if done.stdout.strip() == "true":  # Node 20.19 or 22.12
        (installed / "script.cjs").write_text(example, encoding="utf-8")
        done = run(["node", "--no-warnings", "script.cjs"], cwd=installed)
        assert (done.returncode, done.stdout, done.stderr) == (0, "Ra8#\n", "")


PLACES = """
import { grade, keys, solve } from "matesolve";
const mate = { moves: ["f3", "e5", "2. g4"] };
const first = await solve("startpos", mate);
console.log(first.mate, first.keys[0].san, (await keys("startpos", 1, mate)).length);
console.log((await grade("startpos moves f2f3 e7e5 g2g4", "Qh4#", 1)).endsInMate);
const fen = "6k1/5ppp/8/8/8/8/8/R5K1 w KQ - 0 1";
const { mate: repaired, warnings } = await solve(fen, { repair: true });
console.log(repaired, warnings.length);
const two = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -";
for (const rootMoves of ["Nf7+", ["h6f7", "Qg8"]]) {
  const { mate: chosen, keys: found } = await solve(two, { rootMoves });
  console.log(chosen, ...found.map(({ san }) => san));
}
const long = "8/8/8/8/1p6/1P1k4/P7/K6R w - -";
for (const limit of [{ timeS: 0 }, { nodes: 20_000 }])
  console.log((await solve(long, limit)).stoppedBy);
for (const ask of [
  () => solve("8/8/8/8/8/5K2/R7/8 w - -"), () => solve(fen),
  () => solve("startpos", { moves: "e4 e5 Kf4" }),
  () => solve(two, { rootMoves: "Nf7+ Qh9" }), () => solve(two, { maxMovs: 3 }),
]) {
  await ask().catch(({ code, message }) => console.log(code, message));
}
"""


@needs_node
def test_a_position_may_have_moves_and_be_repaired_and_limits_are_named(
    installed: Path,
) -> None:
    *shown, no_king, castling, move, first, option = node(installed, PLACES)
    assert shown[:5] == ["1 Qh4# 1", "true", "1 1", "4 Nf7+", "2 Qg8+"]
    assert shown[5:] == ["time", "nodes"]
    with pytest.raises(FenError) as error:
        solve("8/8/8/8/8/5K2/R7/8 w - -")
    assert f"ERR_FEN {error.value}".startswith(no_king)
    assert len(no_king) > 20
    assert castling.startswith("ERR_FEN castling right")
    assert move.endswith(
        "expected a legal, unambiguous move in SAN or UCI, found 'Kf4'"
    )
    assert first.endswith("rootMoves: expected a move in SAN or UCI, found 'Qh9'")
    assert option.startswith("ERR_ARGUMENT options: expected one of moves, repair, ")


MISUSES = """
import { createSolver, grade, keys, MatesolveError, solve } from "matesolve";

const FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - -";
const values = {
  undefined, null: null, true: true, zero: 0, seven: 7, negative: -1, half: 1.5, NaN,
  huge: 1e300, bigint: 10n, empty: "", one: "1", symbol: Symbol("s"), list: [],
  numbers: [5], object: {}, function: () => {}, map: new Map(),
};
const [solving, grading, listing] = [(options) => solve(FEN, options),
  (options) => grade(FEN, "Ra8#", 1, options), (options) => keys(FEN, 1, options)];
const named = (name, ...asked) => asked.map((ask) => (value) => ask({ [name]: value }));
const calls = {
  fen: [solve, (value) => grade(value, "Ra8#", 1), (value) => keys(value, 1)],
  line: [(value) => grade(FEN, value, 1)],
  within: [(value) => grade(FEN, "Ra8#", value), (value) => keys(FEN, value)],
  options: [solving, grading, listing, async (value) => createSolver(value)],
  hashMib: named("hashMib", async (options) => createSolver(options)),
  maxMoves: named("maxMoves", solving, grading),
};
for (const name of ["moves", "repair", "nodes", "timeS", "signal", "throwOnAbort"])
  calls[name] = named(name, solving, grading, listing);
for (const name of ["keys", "rootMoves", "onProgress"])
  calls[name] = named(name, solving);
const found = [];
for (const [name, functions] of Object.entries(calls)) {
  for (const [kind, value] of Object.entries(values)) {
    for (const call of functions) {
      const fault = await call(value).then(() => null, (error) => error);
      const code = fault instanceof MatesolveError ? fault.code : "raw";
      found.push([name, kind, fault && `${code} ${fault.message}`]);
    }
  }
}
console.log(JSON.stringify(found));
"""

ACCEPTED = """
fen |
line | empty one list
within | seven
options | undefined object
hashMib maxMoves nodes | undefined null seven
moves | undefined null empty one list
repair throwOnAbort keys | undefined null true
timeS | undefined null seven zero half huge
signal rootMoves | undefined null
onProgress | undefined null function
"""
"""The values of `MISUSES` that an argument or an option may have."""


@needs_node
def test_each_misuse_is_refused_by_the_name_of_the_argument(installed: Path) -> None:
    (shown,) = node(installed, MISUSES)
    rows = (line.split("|") for line in ACCEPTED.strip().splitlines())
    accepted = {name: kinds.split() for names, kinds in rows for name in names.split()}
    misuses = 0
    for name, kind, fault in json.loads(shown):
        if kind in accepted[name]:
            assert not fault or fault.startswith("ERR_UNDECIDED "), (name, kind, fault)
            continue
        is_text = name == "fen" and kind in {"empty", "one"}
        expected = "ERR_FEN " if is_text else f"ERR_ARGUMENT {name}: expected "
        assert (fault or "").startswith(expected), (name, kind, fault)
        assert "\n" not in fault
        misuses += 1
    assert misuses >= 250


# Limits, interrupts and solvers


THROWN = f"""
import {{ keys, solve }} from "matesolve";
const aborts = [1, 2, 3, 4].map(() => new AbortController());
const [running, waiting, listing, before] = aborts;
const throwOnAbort = true;
const long = solve("{LONG}", {{
  signal: running.signal, throwOnAbort,
  onProgress: () => running.abort(new Error("enough")),
}});
const next = solve("{LONG}", {{ signal: waiting.signal, throwOnAbort }});
const listed = keys("{LONG}", 14, {{ signal: listing.signal }});
const last = solve("{ROOK}");
waiting.abort();
listing.abort();
before.abort();
const none = solve("{ROOK}", {{ signal: before.signal }});
const onProgress = () => {{ throw new Error("not drawn"); }};
const failed = solve("{LONG}", {{ onProgress }});
const all = [long, next, listed, last, none, failed];
for (const {{ reason, value }} of await Promise.allSettled(all))
  console.log(reason ? reason.code || reason.message : value.mate);
"""


@needs_node
def test_a_question_that_is_taken_back_is_rejected_on_request(installed: Path) -> None:
    assert node(installed, THROWN) == [
        *("enough", str(ABORT_ERR), "ERR_UNDECIDED", "8", "null", "not drawn")
    ]


def changed(installed: Path, folder: Path, changes: dict[str, tuple[str, str]]) -> Path:
    """Copy an installed package, and change its modules."""
    copy = folder / "copy"
    shutil.copytree(installed, copy)
    package = copy / "node_modules" / "matesolve"
    for name, (pattern, replacement) in changes.items():
        module = package / "modules" / f"{name}.mjs"
        text = module.read_text(encoding="utf-8")
        text, count = re.subn(pattern, replacement, text)
        assert count == 1
        module.write_text(text, encoding="utf-8")
    npm.write_search(package)
    return copy


@needs_node
def test_two_solvers_search_at_the_same_time_and_do_not_keep_node_running(
    installed: Path, tmp_path: Path
) -> None:
    script = f"""
      import {{ createSolver }} from "matesolve";
      const [endless, other] = [createSolver({{ hashMib: 100 }}), createSolver()];
      const pending = endless.solve("{LONG}");
      console.log((await other.solve("{ROOK}")).mate, endless.hashMib, other.hashMib);
      const next = endless.solve("{ROOK}");
      const ended = endless.dispose();
      const late = endless.grade("{ROOK}", "Kg6", 8);
      const answers = await Promise.allSettled([pending, next, late]);
      console.log(answers.map(({{ reason }}) => reason.code).join(" "));
      await ended;
      console.log((await other.keys("{ROOK}", 8)).length);"""
    # Node ends without more ado: the solver that is idle does not keep it running.
    disposed = "ERR_DISPOSED ERR_DISPOSED ERR_DISPOSED"
    assert node(installed, script) == ["8 64 128", disposed, "1"]
    refused = "if (bytes > 2 ** 24) throw new RangeError();"
    changes = {"machine": (r"(bytes /= 2\) \{\n.*\n *try \{)", rf"\1 {refused}")}
    smaller = node(changed(installed, tmp_path, changes), script)
    assert smaller == ["8 16 16", disposed, "1"]


@needs_node
def test_a_worker_that_cannot_run_is_an_error_and_a_deaf_one_is_replaced(
    installed: Path, tmp_path: Path
) -> None:
    # Once it has found a mate, it does nothing any more.
    stuck = "if (query.get('upper')) await new Promise(() => {});"
    changes = {"host": (r"(host\.progress\(\);)", rf"\1 {stuck}")}
    script = f"""
      import {{ solve }} from "matesolve";
      const abort = new AbortController();
      const onProgress = ({{ mate }}) => {{ if (mate) abort.abort(); }};
      const {{ signal }} = abort;
      const asked = [solve("{ROOK}", {{ signal, onProgress }}),
        solve("{LONG}", {{ nodes: 1000 }})];
      for (const {{ reason, value }} of await Promise.allSettled(asked))
        console.log(reason?.code ?? value.stoppedBy);"""
    copy = changed(installed, tmp_path, changes)
    assert node(copy, script) == ["interrupt", "nodes"]
    (copy / "node_modules" / "matesolve" / "search.mjs").unlink()
    assert node(copy, script) == ["ERR_WORKER"] * 2


# Browsers and bundlers


class Served(SimpleHTTPRequestHandler):
    """Sends each file with the policy of the README."""

    (policy,) = re.findall("Content-Security-Policy: (.*)", README)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def opened(chromium: Browser, folder: Path) -> Iterator[Page]:
    """Serve a folder's page and open it; it must not report anything but its icon."""
    messages: list[str] = []
    (folder / "favicon.ico").touch()
    handler = partial(Served, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            page = new_page(chromium, messages)
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            yield page
            page.context.close()
        finally:
            server.shutdown()
            thread.join()
    assert [each for each in messages if "/favicon.ico" not in each] == []


def write_page(folder: Path, source: str = "app.mjs") -> None:
    """Write a page with a place for the answer, a button and a script."""
    page = f"""<!doctype html><meta charset="utf-8"><title>matesolve</title>
      <p id="answer"></p><button id="stop">Stop</button>
      <script type="module" src="./{source}"></script>"""
    (folder / "index.html").write_text(page, encoding="utf-8")


@needs_node
@pytest.mark.browser
def test_the_page_of_the_readme_solves_under_the_policy_it_names(
    installed: Path, chromium: Browser
) -> None:
    (page,) = blocks("html")
    (script,) = re.findall(r"(?s)<script.*?>(.*)</script>", page)
    write_page(installed)
    (installed / "app.mjs").write_text(script, encoding="utf-8")
    with opened(chromium, installed) as shown:
        shown.wait_for_selector("#answer:text-is('mate in 8: Kg6')")


STOPPED = f"""
import {{ solve }} from "./node_modules/matesolve/matesolve.mjs";
const stop = new AbortController();
document.getElementById("stop").onclick = () => stop.abort();
const {{ signal }} = stop;
const {{ mate, lowerBound, stoppedBy }} = await solve("{LONG}", {{ signal }});
const next = await solve("{ROOK}");
document.getElementById("answer").textContent =
  [stoppedBy, lowerBound <= 14, !mate || mate >= 14, next.mate].join(" ");
"""


@needs_node
@pytest.mark.browser
@pytest.mark.parametrize("can_suspend", [True, False])
def test_a_page_that_stops_a_search_gets_its_bounds(
    installed: Path, tmp_path: Path, chromium: Browser, *, can_suspend: bool
) -> None:
    cannot = {"machine": (r"CAN_SUSPEND = .*;", "CAN_SUSPEND = false;")}
    copy = changed(installed, tmp_path, {} if can_suspend else cannot)
    write_page(copy)
    (copy / "app.mjs").write_text(STOPPED, encoding="utf-8")
    with opened(chromium, copy) as page:
        page.click("#stop")
        page.wait_for_selector("#answer:text-is('interrupt true true 8')")


BUNDLED = f"""
import {{ createSolver }} from "matesolve";
const solver = createSolver({{ hashMib: 16 }});
const {{ mate }} = await solver.solve("{ROOK}");
document.getElementById("answer").textContent = `mate in ${{mate}}`;
"""

COMMANDS = {
    command.split()[0]: command for command in blocks("sh") if "site" in command
}


@needs_node
@pytest.mark.browser
@pytest.mark.parametrize("tool", COMMANDS)
def test_a_bundled_page_solves(
    installed: Path, tmp_path: Path, chromium: Browser, tool: str
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool}")
    project = changed(installed, tmp_path, {})
    write_page(project)
    (project / "app.mjs").write_text(BUNDLED, encoding="utf-8")
    run(["sh", "-ec", COMMANDS[tool]], cwd=project, check=True)
    site = project / "site"
    assert not (site / "node_modules").exists()
    if not (site / "index.html").exists():
        write_page(site, "main.js" if tool == "webpack" else "app.mjs")
    with opened(chromium, site) as page:
        page.wait_for_selector("#answer:text-is('mate in 8')")
