"""Traces: every node as independent programs find it, and what is said of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import Limits, Problem, Solver
from solver.board import pack_board
from solver.kernel.border.scored_struct import Horizon
from solver.laboratory import techniques, traces
from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import CERTIFICATE, NodeCount, parse_variant
from solver.laboratory.trace_text import SENTENCES, TraceWords
from solver.laboratory.traces import (
    NodeLog,
    Trace,
    find_step,
    trace_certificate,
    trace_numbers,
    trace_scores,
)
from solver.pages.layout import TECHNIQUES
from solver.search.threads import Control
from solver.search.workspaces import Workspace
from tests.oracles.naive import mate_in
from tests.oracles.recorded import Recorder
from tests.oracles.walks import small_positions
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel", "laboratory_kernel")

CORNERED = "7k/8/5K2/8/8/8/R7/8 w - - 0 1"
KING_AND_ROOK = "8/8/8/8/8/5K2/R7/7k w - - 0 1"
MIDDLEGAME = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 4 4"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
CASTLING = "8/8/8/8/8/2k5/R7/4K2R w - - 0 1"
QUEEN_WINS = "4k3/8/4K3/8/8/8/8/7Q b - - 0 1"
KEEPING_ALL = 1 << 20

Row = dict[str, Any]
Rows = list[Row]


def rows_of(trace: Trace) -> Rows:
    return [
        dict(zip(trace.log, values, strict=True))
        for values in zip(*trace.log.values(), strict=True)
    ]


def traced(
    fen: str, variant: str, depth: int, *, cuts: bool = False, entries: int = 1 << 18
) -> Trace:
    laboratory, chosen = Laboratory(entries), parse_variant(variant)
    runner = Runner(laboratory, nodes=10_000_000)
    board = chess.Board(fen)
    return trace_scores(runner, laboratory, board, chosen, depth, only_cuts=cuts)


def positions_of(rows: Rows, fen: str) -> Iterator[tuple[Row, chess.Board]]:
    """Yield each node with its position, by the moves of the log."""
    line = [chess.Board(fen)]
    for row in rows:
        ply = row["ply"]
        if row.get("kind") == "update":
            continue
        del line[max(ply, 1) :]
        if ply:
            board = line[-1].copy(stack=False)
            if row["uci"] == "0000":
                board.push(chess.Move.null())
            else:
                assert board.san(chess.Move.from_uci(row["uci"])) == row["san"]
                board.push_uci(row["uci"])
            line.append(board)
        yield row, line[-1]


@pytest.mark.parametrize(
    ("fen", "depth"), [(CORNERED, 5), (KING_AND_ROOK, 7), (MIDDLEGAME, 3)]
)
@pytest.mark.parametrize(
    "variant",
    ["off", "mdp=cpw", "mdp=tight,check-extension=all", "efp=on", "mip=prune+lazy"],
)
def test_the_log_has_a_node_for_each_call_that_the_laboratory_counts(
    fen: str, depth: int, variant: str
) -> None:
    trace = traced(fen, variant, depth)
    plain = parse_variant(variant).techniques
    calls = replace(plain, count=NodeCount.CALLS)
    *_, before, last = Laboratory().deepen(chess.Board(fen), calls, depth)
    assert trace.complete
    assert len(trace.log["ply"]) == last.nodes_total - before.nodes_total
    searched = Laboratory().deepen(chess.Board(fen), plain, depth)
    assert [*trace.iterations] == [*searched]


@pytest.mark.parametrize("variant", ["off", "mdp=cpw", "mdp=upper", "efp=on"])
@pytest.mark.parametrize(("fen", "depth"), [(CORNERED, 5), (KING_AND_ROOK, 6)])
def test_every_node_is_as_the_oracle_searches_it(
    fen: str, depth: int, variant: str
) -> None:
    techniques = replace(parse_variant(variant).techniques, aspiration=0)
    oracle = Recorder(techniques)
    oracle.run(chess.Board(fen), depth)
    trace = traced(fen, variant, depth, entries=KEEPING_ALL)
    assert [each.nodes_total for each in trace.iterations] == oracle.totals
    rows = rows_of(trace)
    assert len(rows) == len(oracle.nodes)
    for row, node in zip(rows, oracle.nodes, strict=True):
        expected = node._asdict()
        if row["end"] == "mate-distance":
            assert node.low >= node.high
            assert row["low"] >= row["high"]
            del expected["low"], expected["high"]
        assert row.items() >= expected.items()


def test_moves_positions_and_reasons_are_those_of_the_board() -> None:
    rows = rows_of(traced(CASTLING, "mdp=cpw,efp=on", 5))
    for row, board in positions_of(rows, CASTLING):
        if row["end"] in {"mate", "stalemate"}:
            assert board.is_checkmate() == (row["end"] == "mate")
            assert board.is_stalemate() == (row["end"] == "stalemate")
        if row["end"] in {"beta", "moves"}:
            assert any(board.legal_moves)
    assert {"--"} < {str(row["san"]) for row in rows}


def test_a_log_of_cuts_has_the_line_to_each_cut() -> None:
    everything = rows_of(traced(KING_AND_ROOK, "mdp=cpw", 4))
    cuts = rows_of(traced(KING_AND_ROOK, "mdp=cpw", 4, cuts=True))
    assert len(cuts) < len(everything)
    found, kept = (
        [row for row in rows if row["end"] == "mate-distance"]
        for rows in (everything, cuts)
    )
    assert found == kept
    assert found
    remaining = iter(everything)
    assert all(row in remaining for row in cuts)


def test_a_full_log_keeps_the_first_part_of_the_tree() -> None:
    whole = rows_of(traced(KING_AND_ROOK, "off", 6))
    laboratory = Laboratory()
    log = NodeLog(laboratory.search, room=100)
    board = chess.Board(KING_AND_ROOK)
    searched = [*laboratory.deepen(board, parse_variant("off").techniques, 6)]
    assert log.is_full
    kept = log.scored_nodes(pack_board(board), black=False)
    first = zip(*kept.values(), strict=True)
    assert [*first] == [tuple(row.values()) for row in whole[:100]]
    assert searched == [*traced(KING_AND_ROOK, "off", 6).iterations]


# Proof numbers


def traced_numbers(fen: str, mate: int, *, stepwise: bool = False) -> Trace:
    return trace_numbers(chess.Board(fen), mate, Control(), stepwise=stepwise)


@pytest.mark.parametrize(
    ("fen", "mate"),
    [(KING_AND_ROOK, 4), (GLASS_FEN, 8), (TWO_MOVER, 2), (QUEEN_WINS, -2)],
)
def test_a_traced_search_counts_what_the_df_pn_search_counts(
    fen: str, mate: int
) -> None:
    workspace = Workspace(16)
    workspace.begin(None)
    verdict = workspace.search_dfpn(
        pack_board(chess.Board(fen)), abs(mate), attacking=mate > 0
    )
    trace = traced_numbers(fen, mate)
    assert trace.nodes == workspace.search.nodes
    assert (trace.mate is not None) == (verdict > 0)


def test_step_by_step_the_search_decides_as_the_definition_does() -> None:
    found = set()
    for board in small_positions(60, seed=31):
        for mate in (1, 2):
            trace = trace_numbers(board, mate, Control(), stepwise=True)
            assert not trace.stopped
            assert (trace.mate == mate) == mate_in(board, mate), board.fen()
            found.add(trace.mate)
    assert found == {None, 1, 2}


INFINITE = 1 << 30


@pytest.mark.parametrize(
    ("fen", "mate", "stepwise"),
    [(KING_AND_ROOK, 4, False), (KING_AND_ROOK, 4, True), (TWO_MOVER, 2, True)],
)
def test_a_nodes_numbers_follow_from_its_childrens(
    fen: str, mate: int, stepwise: bool
) -> None:
    """The rule: one attack is enough; every reply counts, the hardest in full."""
    rows = rows_of(traced_numbers(fen, mate, stepwise=stepwise))
    children: dict[int, dict[str, tuple[int, int]]] = {}
    updates = 0
    for row in rows:
        ply = row["ply"]
        known = children.setdefault(ply, {})
        pn, dn = (INFINITE if row[name] is None else row[name] for name in ("pn", "dn"))
        if row["kind"] == "update":
            updates += 1
            below = children.get(ply + 1, {}).values()
            if not below:
                continue
            proofs, disproofs = zip(*below, strict=True)
            if ply % 2 == 0:
                one, every = (min(proofs), disproofs), (pn, dn)
            else:
                one, every = (min(disproofs), proofs), (dn, pn)
            assert one[0] == every[0]
            assert every[1] == sum_of(one[1], halved=ply % 2 == 1)
            continue
        known[row["uci"]] = (pn, dn)
        if row["kind"] != "child":  # a node that is entered
            children[ply + 1] = {}
    assert updates


def sum_of(numbers: tuple[int, ...], *, halved: bool) -> int:
    if max(numbers) >= INFINITE:
        return INFINITE
    most, total = max(numbers), sum(numbers)
    return most + (total - most + 1) // 2 if halved else total


# Certificates


@pytest.mark.parametrize("fen", [CORNERED, TWO_MOVER, QUEEN_WINS])
def test_a_traced_certificate_has_some_move_and_every_reply(fen: str) -> None:
    board = chess.Board(fen)
    solution = Solver().solve(Problem(fen), Limits(nodes=10**6))
    trace = trace_certificate(board, solution, Control())
    rows = rows_of(trace)
    placed = [*positions_of(rows, fen)]
    below: dict[int, set[str]] = {}
    stack: list[int] = []
    for index, (row, _) in enumerate(placed):
        del stack[row["ply"] :]
        if stack:
            below.setdefault(stack[-1], set()).add(row["uci"])
        stack.append(index)
    for index, (row, position) in enumerate(placed):
        legal = {move.uci() for move in position.legal_moves}
        moves = below.get(index, set())
        if row["end"] == "mate":
            assert position.is_checkmate()
        elif row["end"] == "moves" and row["kind"] == "defender":
            assert moves == legal
        elif row["end"] == "moves":
            assert len(moves) == 1
            assert moves <= legal
    assert solution.mate is not None
    assert trace.log["mate"][0] == abs(solution.mate)
    assert {"mate", "moves"} <= {row["end"] for row in rows}


# The sentences of a trace: one source, and two programs that say the same

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
    searched = (runner, laboratory, chess.Board(fen), variant, depth)
    trace = traces.trace_scores(*searched, only_cuts=cuts)
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
            numbered(fen, mate, stepwise=stepwise)
            for fen, mate in (
                *((MATE_IN_2, 1), (MATE_IN_2, 2), (MATE_IN_3, 2), (MATE_IN_3, 3)),
                *((MATE_IN_4, 4), (MATED_IN_2, -2)),
            )
        ]
        found.append(numbered(MATE_IN_4, 4, stepwise=stepwise, nodes=100))
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
    found: dict[str, Any] = json.loads(run(words, stdin=data, check=True).stdout)
    return found


def test_a_page_says_what_python_says_of_every_search_and_node(
    shown: dict[str, Any],
) -> None:
    count, of_search = 0, len(SEARCH_TABLES)
    for record, pages in zip(records(), shown["said"], strict=True):
        words = TraceWords(record)
        for trace, page in zip(record["traces"], pages, strict=True):
            said = expected(words, trace)
            assert page[:of_search] == said[:of_search]
            assert sorted(page[of_search:]) == sorted(said[of_search:])
            count += len(said)
    assert count > 10_000


def test_every_row_of_the_tables_is_true_of_some_search_or_node(
    shown: dict[str, Any],
) -> None:
    rows = {f"{name}: {words}" for name, rows in SENTENCES.items() for words, _ in rows}
    assert rows - {*shown["used"]} == set()
