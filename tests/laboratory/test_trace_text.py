"""The sentences of a trace: one source, and two programs that say the same."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import chess
import pytest

from solver import Limits, Problem, Solver
from solver.kernel.border.scored_struct import Horizon
from solver.laboratory import techniques, traces
from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.techniques import (
    CERTIFICATE,
    parse_variant,
)
from solver.laboratory.trace_text import SENTENCES, TraceWords
from solver.laboratory.traces import find_step
from solver.pages.layout import TECHNIQUES
from solver.search.threads import Control
from tests.processes import run

pytestmark = pytest.mark.usefixtures("kernel", "laboratory_kernel")

MODULES = Path(str(files("solver.pages"))) / "modules"

SEARCH_TABLES = ["title", "heading", "found", "seen", "legend"]

ENDS = json.dumps({search: [*ends] for search, ends in techniques.ENDS.items()})

SCRIPT = f"""
import {{ readFileSync }} from "node:fs";
const text = readFileSync("/dev/stdin", "utf8");
globalThis.document = {{ getElementById: () => ({{ textContent: text }}) }};
const {{ say: sentence }} = await import("{MODULES.as_uri()}/records.mjs");
const {{ Words }} = await import("{MODULES.as_uri()}/steps.mjs");
const {{ NEVER, Steps }} = await import("{MODULES.as_uri()}/steps.mjs");

const {{ records, sentences }} = JSON.parse(text);
const ends = {ENDS};
const used = new Set();
function say(name, facts) {{
  note(name, facts);
  return sentence(name, facts);
}}
function note(name, facts) {{
  const row = sentences[name].find(([words]) =>
    words.split(" ").every((word) => word[0] === "!" ? !facts[word.slice(1)]
      : !word || facts[word]));
  if (!row) return;
  used.add(`${{name}}: ${{row[0]}}`);
  for (const [, each] of row[1].matchAll(/{{([a-z_]+)}}/g)) {{
    if (each in sentences) note(each, facts);
  }}
}}

const said = records.map((record) => {{
  const words = new Words(record);
  return record.traces.map((trace) => {{
    const steps = new Steps(trace.log);
    const all = {SEARCH_TABLES}.map((table) => say(table, words.ofSearch(trace)));
    for (const end of ends[record.search] ?? []) {{
      all.push([-1, `${{end}} ${{steps.ending(-1, end) + 1}}`]);
    }}
    for (let step = 0; step < steps.count; step++) {{
      const row = steps.row(step);
      const sentence = say("sentence", words.ofStep(steps, step));
      const isVisit = row === steps.node(step);
      const isEnd = steps.leave[row] === step || steps.leave[row] === NEVER;
      if (isVisit && isEnd) all.push([row, sentence]);
      if (!isVisit) continue;
      const table = isEnd ? "reason" : "entered";
      all.push([row, say(table, words.ofNode(steps, row))]);
    }}
    return all;
  }});
}});
console.log(JSON.stringify({{ said, used: [...used] }}));
"""
"""Prints what a page says of each search, and of each visit when it ends and begins."""

MATE_IN_2 = "4r3/8/8/8/8/q4r2/2Q5/k1KR4 w - - 0 1"
MATED_IN_2 = "4k3/8/4K3/8/8/8/8/7Q b - - 0 1"
MATE_IN_3 = "8/8/8/8/np6/K2P4/4Q3/k7 w - - 0 1"
MATED = "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1"
STALEMATE = "7k/8/5KQ1/8/8/8/8/8 b - - 0 1"
PROMOTIONS = "8/4PPkP/7p/4K3/8/8/1p6/8 b - - 0 1"


MATE_IN_4 = "7k/8/8/4K3/8/8/R7/8 w - - 0 1"
MATE_IN_8 = "8/7K/8/8/8/8/R7/7k w - - 0 1"
TWO_ROOKS = "8/8/8/8/8/2k5/R7/4K2R w - - 0 1"
ONE_MOVE = "k7/8/1K6/8/8/8/8/7R b - - 0 1"


def scored(
    fen: str, name: str, depth: int, nodes: int | None = None, **settings: Any
) -> dict[str, Any]:
    laboratory, variant = Laboratory(), parse_variant(name)
    runner = Runner(laboratory, nodes=nodes)
    cuts = settings.pop("only_cuts", False)
    variant = replace(variant, techniques=replace(variant.techniques, **settings))
    board = chess.Board(fen)
    trace = traces.trace_scores(
        runner, laboratory, board, variant, depth, only_cuts=cuts
    )
    return traces.record_of(fen, techniques.ALPHA_BETA, [trace])


def numbered(fen: str, mate: int, **options: Any) -> dict[str, Any]:
    trace = traces.trace_numbers(chess.Board(fen), mate, Control(), **options)
    return traces.record_of(fen, techniques.PROOF_NUMBER, [trace])


@cache
def records() -> list[dict[str, Any]]:
    """Searches of each kind, with each technique and each kind of end."""
    techniques = [*TECHNIQUES, "mip=prune", "mip=reduce+rounded"]
    found = [
        scored(fen, name, 4)
        for name in techniques
        for fen in (MATE_IN_2, MATED_IN_2, PROMOTIONS)
    ]
    found += [
        scored(MATED, "off", 2),
        scored(STALEMATE, "off", 2),
        scored(MATE_IN_2, "mdp=cpw", 5, 25),
        scored(MATE_IN_2, "mdp=cpw", 5, only_cuts=True),
        scored(MATE_IN_2, "off", 3, horizon=Horizon.MATE),
        scored(TWO_ROOKS, "mip=prune", 3),
        scored(ONE_MOVE, "off", 1),
    ]
    for stepwise in (True, False):
        found += [
            numbered(MATE_IN_2, 1, stepwise=stepwise),
            numbered(MATE_IN_2, 2, stepwise=stepwise),
            numbered(MATE_IN_3, 3, stepwise=stepwise),
            numbered(MATE_IN_3, 2, stepwise=stepwise),
            numbered(MATE_IN_4, 4, stepwise=stepwise),
            numbered(MATE_IN_4, 4, stepwise=stepwise, nodes=100),
            numbered(MATED_IN_2, -2, stepwise=stepwise),
        ]
    for fen in (MATE_IN_2, MATED_IN_2, MATE_IN_3, MATE_IN_8):
        solution = Solver().solve(Problem(fen), Limits())
        proof = traces.trace_certificate(chess.Board(fen), solution, Control())
        found.append(traces.record_of(fen, CERTIFICATE, [proof]))
    full = found[0]["traces"][0] | {"complete": False}
    numbers = numbered(MATE_IN_3, 3)
    log = numbers["traces"][0]["log"]
    one_limit = log | {"pn_limit": [None] * len(log["ply"])}
    one_limit |= {"dn_limit": [4] * len(log["ply"])}
    return [
        *found,
        found[0] | {"traces": [full]},
        numbers | {"traces": [numbers["traces"][0] | {"log": one_limit}]},
    ]


def expected(words: TraceWords, trace: dict[str, Any]) -> list[Any]:
    """What the script prints of a trace, by Python."""
    log, search = trace["log"], words.search_facts(trace)
    said: list[Any] = [words.say(table, search) for table in SEARCH_TABLES]
    ends = techniques.ENDS.get(words.search, ())
    said += [[-1, f"{end} {find_step(log, end) or 0}"] for end in ends]
    for row, kind in enumerate(log["kind"]):
        if kind not in {"child", "update"}:
            facts = words.node_facts(log, row)
            said.append([row, words.sentence(log, row)])
            said.append([row, words.say("reason", facts)])
            if facts["left"] and not is_leaf(log, row):
                said.append([row, words.say("entered", facts)])
    return said


def is_leaf(log: dict[str, Any], row: int) -> bool:
    """Whether a visit has no visit below it, nor new numbers."""
    ply = log["ply"][row]
    for below, kind in zip(log["ply"][row + 1 :], log["kind"][row + 1 :], strict=True):
        if kind != "child":
            return bool(below + (kind == "update") <= ply)
    return True


@pytest.fixture(scope="module")
def shown(kernel: object, laboratory_kernel: object) -> dict[str, Any]:  # noqa: ARG001
    """What the modules of a page say of the searches, in Node."""
    if not shutil.which("node"):
        pytest.skip("needs Node")
    data = json.dumps({"records": records(), "sentences": SENTENCES})
    words = ["node", "--input-type=module", "-e", SCRIPT]
    said: dict[str, Any] = json.loads(run(words, stdin=data, check=True).stdout)
    return said


def test_a_page_says_what_python_says_of_every_search_and_node(
    shown: dict[str, Any],
) -> None:
    count = 0
    for record, pages in zip(records(), shown["said"], strict=True):
        words = TraceWords(record)
        for trace, page in zip(record["traces"], pages, strict=True):
            said = expected(words, trace)
            assert sorted(page[len(SEARCH_TABLES) :]) == sorted(
                said[len(SEARCH_TABLES) :]
            )
            assert page[: len(SEARCH_TABLES)] == said[: len(SEARCH_TABLES)]
            count += len(said)
    assert count > 10_000


def test_every_row_of_the_tables_is_true_of_some_search_or_node(
    shown: dict[str, Any],
) -> None:
    rows = {f"{name}: {words}" for name, rows in SENTENCES.items() for words, _ in rows}
    assert rows - {*shown["used"]} == set()
