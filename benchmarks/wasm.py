"""WebAssembly beside native code: python -m benchmarks.wasm [ROUNDS].

The same searches in native code, in wasmtime and in Chromium. All take turns in each
round, and begin with an empty table. Prints medians of the wall times and of their
ratios; the first round, in which the runtimes compile, is left out. Results and node
counts must be equal.

Needs an idle machine.
"""

from __future__ import annotations

import base64
import sys
import time
from ctypes import addressof, c_uint64, memset
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import chess

from benchmarks.laboratory_commands import table
from solver.board import pack_board
from solver.kernel.border.parts import BATTLE, HELP, LABORATORY, PARTS, SEARCH, Part
from solver.kernel.border.scored_struct import INFINITE_SCORE, Experiment, Horizon, Mdp
from solver.kernel.border.search_struct import (
    HELP_LINE_WORDS,
    STACK_TOP,
    BattlePlay,
    HelpPlay,
    PositionStruct,
    Search,
)
from solver.kernel.build.loader import SYMBOL, load_module, load_part
from solver.laboratory.node_counts import GLASS_FEN
from solver.search.workspaces import BUCKET_BYTES, MIB
from tests.wasm_kernel import MEMORY_BYTES, PAGE_BYTES, WasmKernel
from tools.pictures import chromium

if TYPE_CHECKING:
    from collections.abc import Callable
    from ctypes import Structure

TABLE_BYTES = 16 * MIB

MOST_NODES = 3_000_000

HARD = "4N1k1/3pK3/2bp2p1/5p2/5B2/4p3/1Qn5/q7 w - - 0 1"
HELP_STALEMATE = "4N3/8/5n2/5P2/1kP5/4K3/8/8 b - - 0 1"
CROWDED = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
START = chess.STARTING_FEN

SCRIPT = """async ({code, image, words, pages, top, symbol, nodes}) => {
  const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  globalThis.modules ??= new Map();
  if (!modules.has(code)) modules.set(code, await WebAssembly.compile(bytes(code)));
  const memory = new WebAssembly.Memory({initial: pages});
  const pointer = new WebAssembly.Global({value: "i32", mutable: true}, top);
  const env = {__linear_memory: memory, __stack_pointer: pointer, report() {}};
  const instance = await WebAssembly.instantiate(modules.get(code), {env});
  for (const [place, text] of image) {
    new Uint8Array(memory.buffer).set(bytes(text), place);
  }
  const view = new DataView(memory.buffer);
  const [operation, position, search, number, flag] = words;
  const given = [BigInt(operation), position, search, BigInt(number), BigInt(flag)];
  const started = performance.now();
  const result = instance.exports[symbol](...given);
  const seconds = (performance.now() - started) / 1000;
  return [Number(result), Number(view.getBigInt64(search + nodes, true)), seconds];
}"""
"""A search in a new memory; the modules are kept."""


class Task(NamedTuple):
    """A call of the kernel, in words and as `Kernel.run` takes it."""

    name: str
    part: Part
    operation: str
    position: PositionStruct | None
    number: int | Structure = 0
    flag: int = 0
    play: int = 0


class Ran(NamedTuple):
    """A call's result and cost."""

    result: int
    nodes: int
    seconds: float


def tasks() -> list[Task]:
    """Return the searches: of every part, none over before the runtime has compiled."""
    experiment = Experiment(
        alpha=-INFINITE_SCORE,
        beta=INFINITE_SCORE,
        depth=16,
        mdp=Mdp.CPW,
        horizon=Horizon.QUIESCENCE,
    )
    hard, glass, crowded = (
        pack_board(chess.Board(fen)) for fen in (HARD, GLASS_FEN, CROWDED)
    )
    help_play = HelpPlay.of(
        pack_board(chess.Board(HELP_STALEMATE)), 8, is_stalemate=True
    )
    help_play.most = HELP_LINE_WORDS // help_play.plies
    return [
        Task("perft 6", SEARCH, "PERFT", pack_board(chess.Board(START)), 6, 1),
        Task("prover, mate in 7?", SEARCH, "MATES_WITHIN", hard, 7, 1),
        Task("df-pn search, mate in 5?", SEARCH, "FIND_MATE", crowded, 5, 1),
        Task("exact-#7", BATTLE, "REACHES_WITHIN", hard, 7, 1, BattlePlay.EXACT_MATE),
        Task("h=4", HELP, "ENUMERATE", None, help_play),
        Task("laboratory, depth 16", LABORATORY, "SEARCH_SCORE", glass, experiment),
    ]


class Machine:
    """Native code and wasmtime, with a table that is cleared for each search."""

    def __init__(self) -> None:
        self._memory = (c_uint64 * (TABLE_BYTES // 8))()
        self._native = {part: load_part(part).kernel for part in PARTS}
        self._wasm = {part: WasmKernel(part) for part in PARTS}
        self._codes = {
            part: base64.b64encode(load_module(part).code).decode() for part in PARTS
        }

    def _given(self, task: Task) -> tuple[Search, Structure | None, int]:
        """Return a new search, a new struct if the task has one, and its number."""
        memset(self._memory, 0, TABLE_BYTES)
        search = Search(node_limit=MOST_NODES, generation=1, play=task.play)
        search.table = addressof(self._memory)
        search.buckets = TABLE_BYTES // BUCKET_BYTES
        if task.part in (SEARCH, BATTLE):
            search.buckets //= 2
            search.most_buckets = search.buckets
        if isinstance(task.number, int):
            return search, None, task.number
        struct = type(task.number).from_buffer_copy(task.number)
        return search, struct, addressof(struct)

    def run_native(self, task: Task) -> Ran:
        """Search in native code."""
        search, _struct, number = self._given(task)
        kernel = self._native[task.part]
        started = time.perf_counter()
        result = kernel.run(task.operation, task.position, search, number, task.flag)
        return Ran(result, search.nodes, time.perf_counter() - started)

    def run_wasmtime(self, task: Task) -> Ran:
        """Search in wasmtime."""
        search, _struct, number = self._given(task)
        kernel = self._wasm[task.part]
        _loan, words = kernel.lend(
            task.operation, task.position, search, number, task.flag
        )
        started = time.perf_counter()
        result = kernel.call(*words)
        return Ran(result, kernel.search.nodes, time.perf_counter() - started)

    def for_script(self, task: Task) -> dict[str, Any]:
        """Return the argument of `SCRIPT`."""
        search, _struct, number = self._given(task)
        loan, words = self._wasm[task.part].lend(
            task.operation, task.position, search, number, task.flag
        )
        return {
            "code": self._codes[task.part],
            "image": [
                (place, base64.b64encode(content).decode())
                for place, content in loan.contents()
            ],
            "words": words,
            "pages": MEMORY_BYTES // PAGE_BYTES,
            "top": STACK_TOP,
            "symbol": SYMBOL,
            "nodes": Search.nodes.offset,
        }


def main(rounds: str = "5") -> None:
    """Print a row of a Markdown table for each search."""
    machine = Machine()
    with chromium() as browser:
        page = browser.new_page()
        runners: dict[str, Callable[[Task], Ran]] = {
            "native": machine.run_native,
            "wasmtime": machine.run_wasmtime,
            "Chromium": lambda task: Ran(
                *page.evaluate(SCRIPT, machine.for_script(task))
            ),
        }
        rows = [row(task, runners, int(rounds)) for task in tasks()]
    print(table(("search", "nodes", *runners, "ratios"), rows))


def row(
    task: Task, runners: dict[str, Callable[[Task], Ran]], rounds: int
) -> list[str]:
    """Run a task and return the cells of its row."""
    costs: dict[str, list[float]] = {name: [] for name in runners}
    nodes = set()
    for index in range(rounds + 1):
        for name, run in runners.items():
            ran = run(task)
            nodes.add((ran.result, ran.nodes))
            if index:
                costs[name].append(ran.seconds)
    assert len(nodes) == 1, (task.name, nodes)
    native, *others = costs.values()
    ratios = [
        median(other / own for other, own in zip(other, native, strict=True))
        for other in others
    ]
    return [
        task.name,
        f"{nodes.pop()[1]:,}",
        *(f"{median(each):.2f} s" for each in costs.values()),
        ", ".join(f"{ratio:.2f}" for ratio in ratios),
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
