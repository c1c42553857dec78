"""The npm package: as small as promised, typed, and as right as the Python package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from solver import FenError, Limits, Status, __version__, grade, solve
from tests.pages.live import new_page
from tests.processes import run, started
from tests.sizes import sized
from tools import npm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

README = (npm.ROOT / "npm" / "README.md").read_text(encoding="utf-8")
LONG = "8/8/8/8/1p6/1P1k4/P7/K6R w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"
KING_AND_ROOK = "8/8/8/3k4/8/8/8/R3K3 w - -"
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


CONSUMER = """
import { createSolver, grade, MatesolveError, solve } from "matesolve";
import type {
  Answer, ErrorCode, Grade, GradeOptions, Move, SolveOptions, Solver, StoppedBy,
} from "matesolve";

type Limits = { nodes?: number };

export async function ask(fen: string, limits: Limits, signal?: AbortSignal) {
  const options: SolveOptions = {
    maxMoves: undefined, nodes: limits.nodes, timeS: undefined, signal, keys: undefined,
    throwOnAbort: undefined, onProgress: undefined,
  };
  await using solver: Solver = createSolver({ hashMib: undefined });
  const { pv, stoppedBy }: Answer = await solver.solve(fen, options);
  const reason: StoppedBy | null = stoppedBy;
  const more: GradeOptions = { timeS: 0.5, maxMoves: undefined };
  const { right }: { right: Move[] } = {
    right: (await grade(fen, ["e4"] as const, 2, more)).rightMoves,
  };
  // @ts-expect-error: a limit is a number
  await solve(fen, { nodes: "1" });
  // @ts-expect-error: there is no such option
  await grade(fen, "e4", 2, { keys: false });
  return [...pv, ...right, reason];
}

export function lengthOf(answer: Answer): number {
  // @ts-expect-error: there may be no mate
  const any: number = answer.mate;
  if (answer.status === "proved" || answer.status === "found") return answer.mate;
  const none: null = answer.mate;
  // @ts-expect-error: nothing may have stopped it
  const some: StoppedBy = answer.stoppedBy;
  if (answer.status === "disproved") return answer.stoppedBy ?? none ?? any;
  const stopped: StoppedBy = answer.stoppedBy;
  return { nodes: 1, time: 2, interrupt: 3 }[stopped];
}

export function plyOf(grade: Grade): number {
  // @ts-expect-error: a line may be right
  const any: number = grade.ply;
  if (grade.status === "wrong" || grade.status === "unreadable") return grade.ply;
  if (grade.isRight) return [grade.ply, grade.stoppedBy].indexOf(null);
  const stopped: StoppedBy = grade.stoppedBy;
  return stopped.length + any;
}

export function codeOf(error: unknown): ErrorCode | undefined {
  // @ts-expect-error: there is no such code
  if (error instanceof MatesolveError && error.code === "ERR_OTHER") return undefined;
  return error instanceof MatesolveError ? error.code : undefined;
}
"""


@needs_node
@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs TypeScript")
@pytest.mark.parametrize("module", ["nodenext", "preserve"])
def test_a_strict_program_may_pass_undefined(installed: Path, module: str) -> None:
    options = ("--noEmit", "--strict", "--exactOptionalPropertyTypes")
    language = ("--target", "esnext", "--lib", "esnext,dom", "--skipLibCheck", "false")
    (installed / "consumer.mts").write_text(CONSUMER, encoding="utf-8")
    words = ["tsc", *options, *language, "--module", module, "consumer.mts"]
    run(words, cwd=installed, check=True)


@needs_node
@sized("count", 12, 200)
def test_answers_are_those_of_the_python_package(installed: Path, count: int) -> None:
    assert npm.compare(installed, npm.questions(count)) == []


@needs_node
def test_a_limit_of_null_is_none(installed: Path) -> None:
    script = """
      import { solve } from "matesolve";
      const options = { maxMoves: null, nodes: null };
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
    'grade("", "a1a2", 1)',
    f'solve("{LONG}", {{ maxMovs: 3 }})',
    f'solve("{LONG}", {{ timeS: "1" }})',
    f'grade("{LONG}", ["h1h3", 5], 3)',
    f'keys("{LONG}", 12, {{ nodes: 10 }})',
    f'keys("{LONG}", 12, {{ timeS: 0 }})',
]


@needs_node
def test_each_error_has_a_code_and_one_line(installed: Path) -> None:
    names = "import { grade, keys, MatesolveError, solve } from 'matesolve';"
    calls = ", ".join(FAULTS)
    script = f"""{names}
      for (const {{ reason }} of await Promise.allSettled([{calls}])) {{
        console.log(`${{reason.code}} ${{reason.message}}`);
        if (!(reason instanceof MatesolveError)) console.log(reason);
      }}"""
    shown = node(installed, script)
    fens = ["8/8 w - -", "8/8/8/8/8/5K2/R7/8 w - -", ""]
    for fen, line in zip(fens, shown, strict=False):
        with pytest.raises(FenError) as error:
            grade(fen, "", 1)
        code, message = line.split(" ", 1)
        assert code == "ERR_FEN"
        assert str(error.value).startswith(message)
    assert shown[3:] == [
        "ERR_ARGUMENT options: expected one of moves, repair, nodes, timeS, signal, "
        "throwOnAbort, maxMoves, rootMoves, keys, onProgress, found 'maxMovs'",
        "ERR_ARGUMENT timeS: expected a number of seconds, at least 0, found '1'",
        "ERR_ARGUMENT line: expected moves in one string or in several, found an array",
        "ERR_UNDECIDED the node limit was hit",
        "ERR_UNDECIDED the time limit was hit",
    ]


PLACES = """
import { grade, keys, solve } from "matesolve";
const mate = { moves: ["f3", "e5", "2. g4"] };
const first = await solve("startpos", mate);
console.log(first.mate, first.keys[0].san, (await keys("startpos", 1, mate)).length);
console.log((await grade("startpos moves f2f3 e7e5 g2g4", "Qh4#", 1)).endsInMate);
console.log((await solve("1. f3 e5 2. g4")).pv.length);
const fen = "6k1/5ppp/8/8/8/8/8/R5K1 w KQ - 0 1";
const { mate: repaired, warnings } = await solve(fen, { repair: true });
const graded = await grade(fen, "Ra8#", 1, { repair: true });
const isSame = graded.warnings.join() === warnings.join();
console.log(repaired, warnings.length, graded.isRight, isSame);
const two = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -";
for (const rootMoves of ["Nf7+", ["h6f7", "Qg8"]]) {
  const { mate: chosen, keys: found } = await solve(two, { rootMoves });
  console.log(chosen, ...found.map(({ san }) => san));
}
for (const ask of [
  () => solve(fen), () => solve("startpos", { moves: "e4 e5 Kf4" }),
  () => solve(two, { rootMoves: "Nf7+ Qh9" }),
]) {
  await ask().catch(({ code, message }) => console.log(code, message));
}
"""


@needs_node
def test_a_position_may_have_moves_and_be_repaired(installed: Path) -> None:
    *shown, castling, move, first = node(installed, PLACES)
    assert shown[:4] == ["1 Qh4# 1", "true", "1", "1 1 true true"]
    assert shown[4:] == ["4 Nf7+", "2 Qg8+"]
    assert castling.startswith("ERR_FEN castling right")
    assert move == (
        "ERR_ARGUMENT moves: expected a legal, unambiguous move in SAN or UCI, "
        "found 'Kf4'"
    )
    assert first == (
        "ERR_ARGUMENT rootMoves: expected a move in SAN or UCI, found 'Qh9'"
    )


MISUSES = """
import { createSolver, grade, keys, MatesolveError, solve } from "matesolve";

const FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - -";
const values = {
  undefined, null: null, true: true, zero: 0, seven: 7, negative: -1, half: 1.5, NaN,
  huge: 1e300, bigint: 10n, empty: "", one: "1", symbol: Symbol("s"), list: [],
  numbers: [5], object: {}, function: () => {}, date: new Date(0), pattern: /x/,
  map: new Map(), error: new Error("x"),
};
const asking = (name) => [
  (value) => solve(FEN, { [name]: value }),
  (value) => grade(FEN, "Ra8#", 1, { [name]: value }),
  (value) => keys(FEN, 1, { [name]: value }),
];
const calls = {
  fen: [solve, (value) => grade(value, "Ra8#", 1), (value) => keys(value, 1)],
  line: [(value) => grade(FEN, value, 1)],
  within: [(value) => grade(FEN, "Ra8#", value), (value) => keys(FEN, value)],
  options: [(value) => solve(FEN, value), (value) => grade(FEN, "Ra8#", 1, value),
    (value) => keys(FEN, 1, value), async (value) => createSolver(value)],
  hashMib: [async (hashMib) => createSolver({ hashMib })],
  ...Object.fromEntries(
    ["moves", "repair", "nodes", "timeS", "signal", "throwOnAbort"]
      .map((name) => [name, asking(name)])),
  maxMoves: asking("maxMoves").slice(0, 2),
  ...Object.fromEntries(
    ["keys", "rootMoves", "onProgress"]
      .map((name) => [name, asking(name).slice(0, 1)])),
};
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

NUMBERS = {"undefined", "null", "seven"}
SWITCHES = {"undefined", "null", "true"}
ACCEPTED = {
    "fen": set(),
    "line": {"empty", "one", "list"},
    "within": {"seven"},
    "options": {"undefined", "object"},
    "hashMib": NUMBERS,
    "moves": {"undefined", "null", "empty", "one", "list"},
    "repair": SWITCHES,
    "nodes": NUMBERS,
    "timeS": NUMBERS | {"zero", "half", "huge"},
    "signal": {"undefined", "null"},
    "throwOnAbort": SWITCHES,
    "maxMoves": NUMBERS,
    "keys": SWITCHES,
    "rootMoves": {"undefined", "null"},
    "onProgress": {"undefined", "null", "function"},
}
"""The values of `MISUSES` that an argument or an option may have."""


@needs_node
def test_each_misuse_is_refused_by_the_name_of_the_argument(installed: Path) -> None:
    (shown,) = node(installed, MISUSES)
    misuses = 0
    for name, kind, fault in json.loads(shown):
        if kind in ACCEPTED[name]:
            assert not fault or fault.startswith("ERR_UNDECIDED "), (name, kind, fault)
            continue
        is_text = name == "fen" and kind in {"empty", "one"}
        expected = "ERR_FEN " if is_text else f"ERR_ARGUMENT {name}: expected "
        assert (fault or "").startswith(expected), (name, kind, fault)
        assert "\n" not in fault
        misuses += 1
    assert misuses >= 300


@needs_node
def test_a_common_js_module_requires_the_package(installed: Path) -> None:
    done = run(["node", "-p", "process.features.require_module"], check=True)
    if done.stdout.strip() != "true":
        pytest.skip("needs Node 20.19 or 22.12")
    (example,) = blocks("cjs")
    (installed / "script.cjs").write_text(example, encoding="utf-8")
    done = run(["node", "--no-warnings", "script.cjs"], cwd=installed)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Ra8#\n", "")


# Limits and interrupts


@needs_node
def test_an_answer_names_the_limit_that_was_hit(installed: Path) -> None:
    script = f"""
      import {{ grade, solve }} from "matesolve";
      const [fen, most] = ["{LONG}", {{ nodes: 20_000 }}];
      for (const asked of [solve(fen, most), solve(fen, {{ timeS: 0 }}),
        grade(fen, "Rh4", 14, most), grade(fen, "Rh4", 14, {{ timeS: 0 }}),
        solve("{ROOK}", {{ timeS: 1e6, nodes: 1e9 }})]) {{
        const {{ status, stoppedBy, reason }} = await asked;
        console.log(`${{status}} ${{stoppedBy}} ${{reason}}`);
      }}"""
    assert node(installed, script) == [
        "undecided nodes undefined",
        "undecided time undefined",
        "undecided nodes the node limit was hit",
        "undecided time the time limit was hit",
        "proved null undefined",
    ]


ABORTED = """
import { solve } from "matesolve";
const answers = [];
for (const [fen, least] of %s) {
  const abort = new AbortController();
  let reports = 0;
  const { pv, ...answer } = await solve(fen, {
    signal: abort.signal,
    onProgress: ({ mate }) => { if (++reports === least || mate) abort.abort(); },
  });
  answers.push({ fen, ...answer, pv: pv.map(({ uci }) => uci) });
}
console.log(JSON.stringify(answers));
"""


@needs_node
def test_an_aborted_search_returns_bounds_that_python_does_not_contradict(
    installed: Path,
) -> None:
    # At a report of progress, or 0: at the first that has a mate.
    aborts = [(KING_AND_ROOK, 1), (KING_AND_ROOK, 8), (ROOK, 1), (ROOK, 0)]
    (shown,) = node(installed, ABORTED % json.dumps(aborts))
    for each in json.loads(shown):
        whole = solve(each["fen"], Limits(nodes=3_000_000))
        assert whole.status is Status.PROVED
        is_whole = each["status"] == "proved" and each["keysComplete"]
        assert each["stoppedBy"] == (None if is_whole else "interrupt")
        assert 1 <= each["lowerBound"] <= whole.mate
        assert (each["status"] == "undecided") == (each["mate"] is None)
        if each["mate"] is not None:
            assert whole.mate <= each["mate"]
            assert len(each["pv"]) == 2 * each["mate"] - 1
            assert grade(each["fen"], each["pv"], each["mate"]).ends_in_mate
            assert [key["uci"] for key in each["keys"]] == each["pv"][:1]


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
const thrown = solve("{ROOK}", {{ signal: before.signal, throwOnAbort }});
const onProgress = () => {{ throw new Error("not drawn"); }};
const failed = solve("{LONG}", {{ onProgress }});
const all = [long, next, listed, last, none, thrown, failed];
const answers = await Promise.allSettled(all);
for (const {{ reason, value: {{ mate, lowerBound }} = {{}} }} of answers) {{
  console.log(reason ? reason.code || reason.message : `${{mate}} ${{lowerBound}}`);
}}
"""


@needs_node
def test_a_question_that_is_taken_back_is_rejected_on_request(installed: Path) -> None:
    running, waiting, listing, last, none, thrown, failed = node(installed, THROWN)
    assert running == "enough"
    assert failed == "not drawn"
    assert waiting == thrown == str(ABORT_ERR)
    assert listing == "ERR_UNDECIDED"
    assert last == "8 8"
    assert none == "null 0"


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
def test_a_worker_that_does_not_listen_is_replaced(
    installed: Path, tmp_path: Path
) -> None:
    # Once it has found a mate, it does nothing any more.
    stuck = "if (query.get('upper')) await new Promise(() => {});"
    changes = {"host": (r"(host\.progress\(\);)", rf"\1 {stuck}")}
    script = f"""
      import {{ solve }} from "matesolve";
      const abort = new AbortController();
      let last;
      const found = solve("{ROOK}", {{
        signal: abort.signal,
        onProgress: (progress) => {{
          last = progress;
          if (last.mate) abort.abort();
        }},
      }});
      const next = solve("{KING_AND_ROOK}", {{ nodes: 1000 }});
      const {{ status, mate, lowerBound, keys, nodes, pv, stoppedBy }} = await found;
      console.log(status, pv.length === 2 * mate - 1, keys[0].uci === pv[0].uci);
      const isLast = lowerBound === last.lowerBound;
      console.log(nodes === last.nodes, mate === last.mate, isLast);
      console.log(stoppedBy, (await next).stoppedBy);"""
    assert node(changed(installed, tmp_path, changes), script) == [
        "found true true",
        "true true true",
        "interrupt nodes",
    ]


# Solvers


@needs_node
def test_two_solvers_search_at_the_same_time_and_do_not_keep_node_running(
    installed: Path,
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
    assert node(installed, script) == [
        "8 64 128",
        "ERR_DISPOSED ERR_DISPOSED ERR_DISPOSED",
        "1",
    ]


@needs_node
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's mapped memory")
def test_a_disposed_solver_gives_its_table_back(installed: Path) -> None:
    script = f"""
      import {{ createSolver }} from "matesolve";
      import {{ readFileSync }} from "node:fs";
      const status = () => readFileSync("/proc/self/status", "latin1");
      const mapped = () => /VmSize:\\s+(\\d+)/.exec(status())[1];
      const solver = createSolver({{ hashMib: 256 }});
      await solver.solve("{LONG}", {{ nodes: 1000 }});
      const before = mapped();
      await solver.dispose();
      console.log((before - mapped()) / 2 ** 10 > 256);"""
    assert node(installed, script) == ["true"]


@needs_node
def test_a_solver_says_which_table_it_got(installed: Path, tmp_path: Path) -> None:
    refused = "if (bytes > 2 ** 24) throw new RangeError();"
    changes = {"machine": (r"(bytes /= 2\) \{\n.*\n *try \{)", rf"\1 {refused}")}
    script = f"""
      import {{ createSolver }} from "matesolve";
      for (const hashMib of [0, 2049, 1.5]) {{
        try {{ createSolver({{ hashMib }}); }} catch (e) {{ console.log(e.code); }}
      }}
      const solver = createSolver({{ hashMib: 64 }});
      const {{ mate }} = await solver.solve("{ROOK}");
      console.log(mate, solver.hashMib);"""
    refusals = ["ERR_ARGUMENT"] * 3
    assert node(installed, script) == [*refusals, "8 64"]
    assert node(changed(installed, tmp_path, changes), script) == [*refusals, "8 16"]


@needs_node
def test_a_worker_that_cannot_run_is_an_error(installed: Path, tmp_path: Path) -> None:
    changes = {"machine": (r"(const PAGE_BYTES = .*)", r"\1 null.fail;")}
    script = f"""
      import {{ solve }} from "matesolve";
      const answers = [solve("{ROOK}"), solve("{ROOK}")];
      for (const {{ reason: {{ code }} }} of await Promise.allSettled(answers)) {{
        console.log(code);
      }}"""
    copy = changed(installed, tmp_path, changes)
    assert node(copy, script) == ["ERR_WORKER"] * 2
    (copy / "node_modules" / "matesolve" / "search.mjs").unlink()
    assert node(copy, script) == ["ERR_WORKER"] * 2


@needs_node
def test_a_search_shows_its_progress_after_a_long_one(
    installed: Path, tmp_path: Path
) -> None:
    # Each report of the kernel is passed on, however little time went by.
    changes = {"host": (r"PROGRESS_MS = \d+;", "PROGRESS_MS = 0;")}
    copy = changed(installed, tmp_path, changes)
    host = copy / "node_modules" / "matesolve" / "modules" / "host.mjs"
    (every,) = re.findall(r"REPORT_NODES = ([\d_]+);", host.read_text("utf-8"))
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


SERVER = f"""
import {{ solve }} from "matesolve";
solve("{ROOK}").then(({{ mate }}) => console.log(`mate in ${{mate}}`));
"""


@needs_node
@pytest.mark.skipif(shutil.which("esbuild") is None, reason="needs esbuild")
@pytest.mark.parametrize(
    "command", [command for command in blocks("sh") if "platform=node" in command]
)
def test_a_bundle_for_node_is_one_file(
    installed: Path, tmp_path: Path, command: str
) -> None:
    project = changed(installed, tmp_path, {})
    (project / "app.mjs").write_text(SERVER, encoding="utf-8")
    done = run(["sh", "-ec", command], cwd=project, check=True)
    assert "warning" not in done.stderr.lower()
    (bundle,) = project.glob("server.*")
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.move(bundle, alone)
    done = run(["node", bundle.name], cwd=alone)
    assert (done.returncode, done.stdout, done.stderr) == (0, "mate in 8\n", "")


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
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder; return the address."""
    (folder / "favicon.ico").touch()
    handler = partial(Served, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def opened(chromium: Browser, address: str) -> Iterator[Page]:
    """Open a page; at the end it must not have reported anything.

    Firefox reports that the policy does not let it load an icon.
    """
    messages: list[str] = []
    page = new_page(chromium, messages)
    page.goto(address)
    yield page
    assert [each for each in messages if "/favicon.ico" not in each] == []
    page.context.close()


def shows(chromium: Browser, address: str, text: str, click: str = "") -> None:
    """Open a page, click on what is named, and wait for an answer."""
    with opened(chromium, address) as page:
        if click:
            page.click(click)
        page.wait_for_selector(f"#answer:text-matches('^{text}$')")


def write_page(folder: Path, source: str = "app.mjs", body: str = "") -> None:
    """Write a page with a place for the answer, a button and a script."""
    page = f"""<!doctype html><meta charset="utf-8"><title>matesolve</title>
      <p id="answer"></p><button id="stop">Stop</button>{body}
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
    with serving(installed) as address:
        shows(chromium, address, "mate in 8: Kg6")


PUZZLE = """
const [board, text] = ["board", "answer"].map((name) => document.getElementById(name));
const draw = (fen) => { board.textContent = fen; };
const say = (line) => { text.textContent = line; };
const field = document.querySelector("input");
document.querySelector("form").onsubmit = (event) => {
  event.preventDefault();
  play(field.value);
};
"""


@needs_node
@pytest.mark.browser
def test_the_loop_of_the_guide_plays_a_puzzle(
    installed: Path, chromium: Browser
) -> None:
    (loop,) = blocks("javascript")
    assert loop in (npm.ROOT / "docs/howto/javascript.md").read_text("utf-8")
    assert len(loop.splitlines()) <= 20
    write_page(installed, body='<form><input></form><p id="board"></p>')
    local = loop.replace('"matesolve"', '"./node_modules/matesolve/matesolve.mjs"')
    (installed / "app.mjs").write_text(PUZZLE + local, encoding="utf-8")
    start, after = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", "6rk/6pp/7N/8/8/8/8/6K1 w"
    with serving(installed) as address, opened(chromium, address) as page:
        for move, said, board in (
            ("Nf7+", "found 'Nf7+'; Kg8 refutes it", start),
            ("c4g9", "expected a move in SAN or UCI, found 'c4g9'", start),
            ("c4g8", "Right. The reply is Rxg8.", after),
            ("Nf7#", "Solved.", "6rk/5Npp/8/8/8/8/8/6K1 b"),
        ):
            page.fill("input", move)
            page.press("input", "Enter")
            page.wait_for_function(
                "([said, board]) => document.body.innerText.includes(said)"
                " && document.getElementById('board').innerText.startsWith(board)",
                arg=[said, board],
            )


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
    copy = installed
    if not can_suspend:
        changes = {"machine": (r"CAN_SUSPEND = .*;", "CAN_SUSPEND = false;")}
        copy = changed(installed, tmp_path, changes)
    write_page(copy)
    (copy / "app.mjs").write_text(STOPPED, encoding="utf-8")
    with serving(copy) as address:
        shows(chromium, address, "interrupt true true 8", "#stop")


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
    with serving(site) as address:
        shows(chromium, address, "mate in 8")


@needs_node
@pytest.mark.browser
@pytest.mark.skipif(shutil.which("vite") is None, reason="needs vite")
def test_a_page_of_sources_that_vite_serves_solves(
    installed: Path, tmp_path: Path, chromium: Browser
) -> None:
    project = changed(installed, tmp_path, {})
    write_page(project)
    (project / "app.mjs").write_text(BUNDLED, encoding="utf-8")
    words = ["vite", "--host", "127.0.0.1", "--logLevel", "info"]
    plain = os.environ | {"NO_COLOR": "1"}
    with started(words, cwd=project, stdout=subprocess.PIPE, env=plain) as process:
        assert process.stdout
        address = next(line for line in process.stdout if "http://" in line).split()[-1]
        page = new_page(chromium, [])
        page.goto(address)
        page.wait_for_selector("#answer:text-is('mate in 8')")
        page.context.close()
