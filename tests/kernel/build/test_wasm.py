"""The WebAssembly modules search exactly as native code does.

Each call runs in both, and `TwinKernel` compares all that it may change.
"""

from __future__ import annotations

from ctypes import Array, addressof, c_uint64
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest
import wasmtime

from solver import Limits, Restriction, Solver, grade_many, solve_many, variations
from solver.audit.duplicates import Duplicates
from solver.board import Place, pack_board
from solver.formats.registry import read_collection
from solver.kernel.border.interface import NO_LIMIT, STOPPED, KernelError
from solver.kernel.border.parts import (
    BATTLE,
    HELP,
    LABORATORY,
    PARTS,
    SEARCH,
    Part,
    start_position,
)
from solver.kernel.border.scored_struct import INFINITE_SCORE, Experiment, Extension
from solver.kernel.border.search_struct import BattlePlay, HelpPlay, Search, Stop
from solver.kernel.build import loader, wasm
from solver.kernel.rules.bitboards import KNIGHT_ATTACKS
from solver.laboratory import iterative_deepening, node_counts, traces
from solver.laboratory.techniques import ablation, parse_variant
from solver.play.record import find_mate_mark, mark_key
from solver.position_text import write_lines
from solver.problem import Problem, Stipulation
from solver.search.workspaces import Workspace
from tests.kernel.fens import mutated_fens
from tests.oracles import walks
from tests.sizes import sized
from tests.wasm_kernel import TwinKernel, WasmKernel, searching_with, wasm_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.border.interface import Kernel

PUZZLES = Path(__file__).parents[3] / "puzzles"

SEED = 20251123

ROOK_ENDING = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""A mate in 8."""

NO_MATE = "8/7K/8/8/8/8/B7/7k b - - 0 1"

BATTLE_PLAYS = ("=2", "s#2", "s=2", "exact-#3", "r#2", "semi-r#2", "r=2", "semi-r=2")

BUCKETS = 1 << 10


@pytest.fixture
def twins(
    kernel: Kernel,
    battle_kernel: Kernel,
    help_kernel: Kernel,
    laboratory_kernel: Kernel,
) -> Iterator[dict[str, TwinKernel]]:
    """The parts in native code and WebAssembly, which all that is created uses."""
    parts = {
        SEARCH: kernel,
        BATTLE: battle_kernel,
        HELP: help_kernel,
        LABORATORY: laboratory_kernel,
    }
    twins = {
        part.name: TwinKernel(native, wasm_kernel(part))
        for part, native in parts.items()
    }
    with searching_with(lambda part: twins[part.name]):
        yield twins


def problems(pattern: str) -> list[Problem]:
    records = chain.from_iterable(
        read_collection(path) for path in sorted(PUZZLES.glob(pattern))
    )
    return [record for record in records if isinstance(record, Problem)]


def boards(count: int) -> list[chess.Board]:
    """Return positions of random games, of few pieces and of many."""
    makers = (walks.random_positions, walks.small_positions, walks.crowded_positions)
    return [board for make in makers for board in make(count, SEED)]


@sized("every", 6, 1)
def test_mates_in_the_puzzles(twins: dict[str, TwinKernel], every: int) -> None:
    solver = Solver(1)
    for problem in problems("*.epd")[::every]:
        solver.solve(problem, Limits(nodes=5_000))
    assert twins["search"].calls["TAKE_TURN"] > 2_000 / every


@sized("count", 6, 500)
def test_questions_about_random_positions(
    twins: dict[str, TwinKernel], count: int
) -> None:
    """Any length, being mated, chosen first moves, restrictions."""
    solver, limits = Solver(1), Limits(nodes=2_000)
    restrictions = (
        Restriction(checks_only=True),
        Restriction(king_flights=2),
        Restriction(replies=3),
        Restriction(threat=2),
    )
    for index, board in enumerate(boards(count)):
        solver.solve(board, limits)
        solver.solve(board, limits, within=5)
        solver.solve(board, limits, within=-4)
        solver.solve(board, limits, restriction=restrictions[index % 4])
        moves = [move.uci() for move in board.legal_moves][::2]
        if moves:
            solver.solve(board, limits, root_moves=moves)
    assert twins["search"].calls["TAKE_TURN"] > 10 * count


@sized("count", 40, 2_000)
def test_rows_are_read_and_solved_together(
    twins: dict[str, TwinKernel], count: int
) -> None:
    fens = [*mutated_fens(5 * count, SEED), *(board.fen() for board in boards(count))]
    limits = Limits(nodes=1_000, hash_mib=1)
    table = solve_many(fens, max_moves=3, limits=limits)
    assert len(table) == len(table.keys_san) == len(fens)
    calls = twins["search"].calls
    assert calls["READ_ROWS"]
    assert calls["SOLVE_QUERIES"]
    assert calls["NAME_ROWS"]


@sized("count", 100, 1_000)
def test_lines_are_written_in_san(twins: dict[str, TwinKernel], count: int) -> None:
    for board in boards(count):
        lines = [[move.uci(), "0000"] for move in board.legal_moves]
        expected = [[board.san(move), "0000"] for move in board.legal_moves]
        assert write_lines(board.fen(en_passant="fen"), lines) == expected
    assert twins["search"].calls["WRITE_LINES"] >= count


@sized("count", 40, 1_000)
def test_duplicates_are_found(twins: dict[str, TwinKernel], count: int) -> None:
    duplicates = Duplicates()
    for board in boards(count):
        for fen in (board.fen(en_passant="fen"), board.mirror().fen(en_passant="fen")):
            duplicates.add(Problem(fen))
    assert len([*duplicates.groups()]) > 2 * count
    assert twins["search"].calls["FIND_FIRST_FORMS"] == 1


@sized("count", 40, 1_000)
def test_mates_and_keys_are_marked(twins: dict[str, TwinKernel], count: int) -> None:
    for board in walks.mated_positions(count, SEED):
        find_mate_mark(board)
    for board in boards(count // 10):
        for move in board.legal_moves:
            mark_key(Place.of(board), move.uci())
    calls = twins["search"].calls
    assert calls["MATE_MARK"] == count
    assert calls["KEY_FEATURES"] > count


@sized("every", 6, 1)
def test_lines_are_graded(twins: dict[str, TwinKernel], every: int) -> None:
    chosen = [
        problem
        for problem in problems("*.epd")[::every]
        if problem.claim and problem.claim.keys
    ]
    lines, lengths = [], []
    for index, problem in enumerate(chosen):
        assert problem.claim
        key = problem.claim.keys[0]
        lines.append(key if index % 3 else f"{key} a1a1")
        lengths.append(abs(problem.claim.mate))
    fens = [problem.fen for problem in chosen]
    assert len(grade_many(fens, lines, lengths, nodes=2_000)) == len(chosen)
    assert twins["search"].calls["GRADE_ROWS"]


@sized("every", 2, 1)
def test_battle_play_and_help_play_of_the_puzzles(
    twins: dict[str, TwinKernel], every: int
) -> None:
    solver = Solver(1)
    for problem in problems("*.olv")[::every]:
        solver.solve(problem, Limits(nodes=5_000))
    assert twins["battle"].calls["TAKE_TURN"] > 30 / every
    assert twins["help"].calls["ENUMERATE"] > 20 / every


@sized("count", 4, 200)
def test_every_stipulation_in_random_positions(
    twins: dict[str, TwinKernel], count: int
) -> None:
    solver, limits = Solver(1), Limits(nodes=2_000)
    plays = (*BATTLE_PLAYS, "h#2", "h#2.5", "h=2")
    for board, text in product(boards(count), plays):
        stipulation = Stipulation.parse(text)
        solver.solve(Problem(board.fen(), stipulation=stipulation), limits)
    assert twins["battle"].calls["TAKE_TURN"] > 10 * count
    assert twins["help"].calls["ENUMERATE"] > count


@sized("every", 15, 1)
def test_the_whole_play_of_problems(twins: dict[str, TwinKernel], every: int) -> None:
    limits = Limits(nodes=3_000, hash_mib=1)
    for problem in problems("*.olv")[::every] + problems("classics.epd")[::every]:
        if not problem.stipulation.is_help:
            variations(problem, limits, set_play=True, tries=1)
    for part, operation in product((SEARCH, BATTLE), ("CONTINUATIONS", "REFUTATIONS")):
        assert twins[part.name].calls[operation], (part.name, operation)
    assert twins["search"].calls["WRITE_LEVEL"]


@sized("depth", 10, 16)
def test_glass_position_in_the_laboratory(
    twins: dict[str, TwinKernel], depth: int
) -> None:
    laboratory = iterative_deepening.Laboratory(1 << 14)
    board = chess.Board(node_counts.GLASS_FEN)
    for text in ("off", "mdp=cpw", "mdp=tight,check-extension=all"):
        techniques = parse_variant(text).techniques
        list(laboratory.deepen(board, techniques, depth, confirm=False))
    assert twins["laboratory"].calls["SEARCH_SCORE"] >= 3 * depth


@sized("count", 2, 100)
def test_all_techniques_of_the_laboratory(
    twins: dict[str, TwinKernel], count: int
) -> None:
    laboratory = iterative_deepening.Laboratory(1 << 10)
    for board, variant in product(boards(count), ablation()):
        techniques = variant.techniques
        list(laboratory.deepen(board, techniques, 5, nodes=2_000, confirm=False))
    assert twins["laboratory"].calls["SEARCH_SCORE"] > 10 * count


def test_logs(twins: dict[str, TwinKernel]) -> None:
    board = chess.Board(ROOK_ENDING)
    laboratory, workspace = iterative_deepening.Laboratory(1 << 10), Workspace(1)
    logs = [traces.NodeLog(each.search, 500) for each in (laboratory, workspace)]
    techniques = parse_variant("mdp=cpw").techniques
    list(laboratory.deepen(board, techniques, 6, confirm=False))
    workspace.begin(2_000)
    workspace.search_dfpn(pack_board(board), 8, attacking=True)
    assert all(log.is_full for log in logs)
    assert twins["search"].calls["FIND_MATE"] == 1


def test_single_operations(twins: dict[str, TwinKernel]) -> None:
    kernel, search = twins["search"], Search(node_limit=NO_LIMIT)
    assert kernel.perft(start_position(), search, 4) == 197_281
    for board in boards(10):
        position = pack_board(board)
        kernel.mate_in_one(position, search)
        kernel.is_check(position, search)
        kernel.checking_moves(position, search)
        for move in kernel.moves(position, search):
            kernel.made(position, search, move)


# The module


def test_a_changed_byte_of_a_module_is_noticed(kernel: Kernel) -> None:
    """b1 among the squares that a knight attacks from a1, in static data."""
    code = loader.load_module(SEARCH).code
    place = code.index(KNIGHT_ATTACKS.tobytes())
    changed = code[:place] + bytes([code[place] ^ 2]) + code[place + 1 :]
    search = Search(node_limit=NO_LIMIT)
    position = pack_board(chess.Board("7k/8/8/8/8/8/8/N6K w - - 0 1"))
    TwinKernel(kernel, WasmKernel(SEARCH)).moves(position, search)
    with pytest.raises(AssertionError, match="MOVES"):
        TwinKernel(kernel, WasmKernel(SEARCH, changed)).moves(position, search)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_module_imports_three_things_and_exports_one(part: Part) -> None:
    module = wasmtime.Module(wasmtime.Engine(), loader.load_module(part).code)
    assert {(each.module, each.name) for each in module.imports} <= wasm.IMPORTS
    assert [each.name for each in module.exports] == ["matesolve_entry"]


def test_the_module_has_no_more_imports_than_its_host_brings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from solver.kernel.build import compiler, jit, words

    @jit.native(words.i64(words.u64))
    def entry(word: Any) -> Any:
        return jit.population(word)

    code = compiler.compile_object(entry, "entry", wasm.WASM32)
    assert wasm.to_module(code, "entry").startswith(b"\0asm")
    with pytest.raises(KernelError, match="expected the function other, found none"):
        wasm.to_module(code, "other")
    monkeypatch.setattr(wasm, "IMPORTS", frozenset())
    with pytest.raises(KernelError, match="expected no imports but"):
        wasm.to_module(code, "entry")


def memory() -> tuple[Search, Array[c_uint64]]:
    """Return a search of at most 20,000 nodes, with its table."""
    table = (c_uint64 * (BUCKETS * 8))()
    search = Search(node_limit=20_000, table=addressof(table), generation=1)
    search.buckets = search.most_buckets = BUCKETS // 2
    return search, table


def decide_mate(kernel: WasmKernel, search: Search, moves: int) -> int:
    return kernel.mates_within(pack_board(chess.Board(ROOK_ENDING)), search, moves)


def find_mate(kernel: WasmKernel, search: Search, moves: int) -> int:
    return kernel.find_mate(pack_board(chess.Board(ROOK_ENDING)), search, moves)


def decide_self_mate(kernel: WasmKernel, search: Search, moves: int) -> int:
    search.play = BattlePlay.SELF_MATE
    return kernel.reaches_within(pack_board(chess.Board(ROOK_ENDING)), search, moves)


def score(kernel: WasmKernel, search: Search, moves: int) -> int:
    window = Experiment(alpha=-INFINITE_SCORE, beta=INFINITE_SCORE)
    window.depth = 2 * moves
    window.extension = (Extension.CHECKS | Extension.UNCAPPED).value
    board = chess.Board(ROOK_ENDING)
    return 0 if kernel.search_score(pack_board(board), search, window) else STOPPED


def list_help_mates(kernel: WasmKernel, search: Search, moves: int) -> int:
    position = pack_board(chess.Board(NO_MATE))
    play = HelpPlay.of(position, 2 * moves, is_pruned=False)
    return kernel.solutions(play, search)[1]


SEARCHES: dict[Callable[[WasmKernel, Search, int], int], Part] = {
    decide_mate: SEARCH,
    find_mate: SEARCH,
    decide_self_mate: BATTLE,
    score: LABORATORY,
    list_help_mates: HELP,
}

each_search = pytest.mark.parametrize(
    "search_with", SEARCHES, ids=lambda search: search.__name__
)


@each_search
def test_the_stack_has_room_for_the_longest_mates(
    search_with: Callable[[WasmKernel, Search, int], int],
) -> None:
    kernel = WasmKernel(SEARCHES[search_with])
    kernel.paint_stack()
    search, _table = memory()
    assert search_with(kernel, search, 200) == STOPPED
    assert kernel.stack_used() < wasm.STACK_BYTES // 2


@each_search
def test_the_host_is_called_during_a_search_and_may_stop_it(
    search_with: Callable[[WasmKernel, Search, int], int],
) -> None:
    kernel = WasmKernel(SEARCHES[search_with])
    reports = []

    def report(inside: Search) -> None:
        assert inside.nodes >= inside.report_at
        reports.append(inside.nodes)
        inside.report_at += 1_000
        inside.stop = Stop.LIMIT if len(reports) == 10 else Stop.NONE

    kernel.on_report = report
    search, _table = memory()
    search.report_at = 1_000
    assert search_with(kernel, search, 50) == STOPPED
    assert len(reports) == 10
    assert 10_000 <= reports[-1] <= search.nodes < 10_100
    assert [nodes // 1_000 for nodes in reports] == [*range(1, 11)]


def test_the_host_is_called_by_perft() -> None:
    kernel, reports = WasmKernel(SEARCH), []
    kernel.on_report = lambda inside: reports.append(inside.nodes)
    search = Search(report_at=-1)
    assert kernel.perft(start_position(), search, 4) == 197_281
    assert reports
