"""The WebAssembly modules search exactly as native code does.

Each call runs in both, and `TwinKernel` compares all that it may change.
"""

from __future__ import annotations

from ctypes import addressof, c_uint64
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
from solver.laboratory import iterative_deepening, node_counts
from solver.laboratory.techniques import ablation, parse_variant
from solver.play.record import find_mate_mark, mark_key
from solver.position_text import write_lines
from solver.problem import Problem, Stipulation
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


BUCKETS = 1 << 10


@pytest.fixture
def twins() -> Iterator[dict[str, TwinKernel]]:
    """The parts in native code and WebAssembly, which all that is created uses."""
    twins = {
        part.name: TwinKernel(loader.load_part(part).kernel, wasm_kernel(part))
        for part in PARTS
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


@sized("every", 24, 1)
def test_the_puzzles(twins: dict[str, TwinKernel], every: int) -> None:
    solver, limits = Solver(1), Limits(nodes=5_000, hash_mib=1)
    direct, others = problems("*.epd")[::every], problems("*.olv")[:: every // 6 or 1]
    for problem in (*direct, *others):
        solver.solve(problem, limits)
    whole = problems("*.olv")[:: every // 4 or 1] + problems("classics.epd")[::every]
    for problem in whole:
        if not problem.stipulation.is_help:
            variations(problem, limits, set_play=True, tries=1)
    claimed = [(each.fen, each.claim) for each in direct if each.claim]
    fens, lines, lengths = [], [], []
    for index, (fen, claim) in enumerate(claimed):
        if claim.keys:
            fens.append(fen)
            lines.append(claim.keys[0] if index % 3 else f"{claim.keys[0]} a1a1")
            lengths.append(abs(claim.mate))
    assert len(grade_many(fens, lines, lengths, nodes=2_000)) == len(fens)
    assert twins["search"].calls["TAKE_TURN"] > 2_000 / every
    assert twins["search"].calls["GRADE_ROWS"]
    assert twins["search"].calls["WRITE_LEVEL"]
    assert twins["battle"].calls["TAKE_TURN"] > 30 / every
    assert twins["help"].calls["ENUMERATE"] > 20 / every
    for part, operation in product((SEARCH, BATTLE), ("CONTINUATIONS", "REFUTATIONS")):
        assert twins[part.name].calls[operation], (part.name, operation)


@sized("count", 2, 500)
def test_questions_about_random_positions(
    twins: dict[str, TwinKernel], count: int
) -> None:
    """Any length, being mated, chosen first moves, restrictions, all stipulations."""
    solver, limits = Solver(1), Limits(nodes=2_000)
    restrictions = [Restriction(checks_only=True), Restriction(king_flights=2)]
    restrictions += [Restriction(replies=3), Restriction(threat=2)]
    plays = "=2 s#2 s=2 exact-#3 r#2 semi-r#2 r=2 semi-r=2 h#2 h#2.5 h=2"
    for index, board in enumerate(boards(count)):
        for within in (None, 5, -4):
            solver.solve(board, limits, within=within)
        solver.solve(board, limits, restriction=restrictions[index % 4])
        moves = [move.uci() for move in board.legal_moves][::2]
        if moves:
            solver.solve(board, limits, root_moves=moves)
        for play in plays.split():
            stipulation = Stipulation.parse(play)
            solver.solve(Problem(board.fen(), stipulation=stipulation), limits)
    fens = [*mutated_fens(25 * count, SEED), *(each.fen() for each in boards(count))]
    table = solve_many(fens, max_moves=3, limits=Limits(nodes=1_000, hash_mib=1))
    assert len(table) == len(table.keys_san) == len(fens)
    for operation in ("READ_ROWS", "SOLVE_QUERIES", "NAME_ROWS"):
        assert twins["search"].calls[operation]
    assert twins["search"].calls["TAKE_TURN"] > 10 * count
    assert twins["battle"].calls["TAKE_TURN"] > 10 * count
    assert twins["help"].calls["ENUMERATE"] > count


@sized("count", 10, 1_000)
def test_moves_are_written_marked_and_compared(
    twins: dict[str, TwinKernel], count: int
) -> None:
    duplicates, kernel = Duplicates(), twins["search"]
    search = Search(node_limit=NO_LIMIT)
    for board in boards(count):
        lines = [[move.uci(), "0000"] for move in board.legal_moves]
        expected = [[board.san(move), "0000"] for move in board.legal_moves]
        assert write_lines(board.fen(en_passant="fen"), lines) == expected
        for fen in (board.fen(en_passant="fen"), board.mirror().fen(en_passant="fen")):
            duplicates.add(Problem(fen))
    assert len([*duplicates.groups()]) > 2 * count
    for board in walks.mated_positions(count, SEED):
        find_mate_mark(board)
    for board in boards(count // 10):
        for move in board.legal_moves:
            mark_key(Place.of(board), move.uci())
        position = pack_board(board)
        for operation in (kernel.mate_in_one, kernel.is_check, kernel.checking_moves):
            operation(position, search)
        for word in kernel.moves(position, search):
            kernel.made(position, search, word)
    assert kernel.perft(start_position(), search, 4) == 197_281
    assert kernel.calls["WRITE_LINES"] >= count
    assert kernel.calls["FIND_FIRST_FORMS"] == 1
    assert kernel.calls["MATE_MARK"] == count
    assert kernel.calls["KEY_FEATURES"] > count


@pytest.mark.parametrize(
    ("count", "depth"), [(1, 10), pytest.param(100, 16, marks=pytest.mark.slow)]
)
def test_the_laboratory(twins: dict[str, TwinKernel], count: int, depth: int) -> None:
    laboratory = iterative_deepening.Laboratory(1 << 14)
    board = chess.Board(node_counts.GLASS_FEN)
    for text in ("off", "mdp=cpw", "mdp=tight,check-extension=all"):
        techniques = parse_variant(text).techniques
        list(laboratory.deepen(board, techniques, depth, confirm=False))
    for board, variant in product(boards(count), ablation()):
        techniques = variant.techniques
        list(laboratory.deepen(board, techniques, 5, nodes=2_000, confirm=False))
    assert twins["laboratory"].calls["SEARCH_SCORE"] >= 3 * depth + 10 * count


# The module


def test_a_changed_byte_of_a_module_is_noticed(kernel: Kernel) -> None:
    """b1 among the squares that a knight attacks from a1, in static data."""
    code = loader.load_module(SEARCH).code
    place = code.index(KNIGHT_ATTACKS.tobytes())
    changed = code[:place] + bytes([code[place] ^ 2]) + code[place + 1 :]
    search = Search(node_limit=NO_LIMIT)
    position = pack_board(chess.Board("7k/8/8/8/8/8/8/N6K w - - 0 1"))
    own, reports = WasmKernel(SEARCH), []
    TwinKernel(kernel, own).moves(position, search)
    own.on_report = lambda inside: reports.append(inside.nodes)
    assert own.perft(start_position(), Search(report_at=-1), 4) == 197_281
    assert reports
    with pytest.raises(AssertionError, match="MOVES"):
        TwinKernel(kernel, WasmKernel(SEARCH, changed)).moves(position, search)


def test_a_module_has_the_imports_that_its_host_brings_and_one_export(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from solver.kernel.build import compiler, jit, words

    for part in PARTS:
        module = wasmtime.Module(wasmtime.Engine(), loader.load_module(part).code)
        assert {(each.module, each.name) for each in module.imports} <= wasm.IMPORTS
        assert [each.name for each in module.exports] == ["matesolve_entry"]

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


@pytest.mark.parametrize("search_with", SEARCHES, ids=lambda search: search.__name__)
def test_the_stack_has_room_for_the_longest_mates_and_the_host_may_stop_them(
    search_with: Callable[[WasmKernel, Search, int], int],
) -> None:
    kernel, reports = WasmKernel(SEARCHES[search_with]), []
    table = (c_uint64 * (BUCKETS * 8))()

    def search_of(moves: int, report_at: int) -> Search:
        """Search at most 20,000 nodes."""
        search = Search(node_limit=20_000, table=addressof(table), generation=1)
        search.buckets = search.most_buckets = BUCKETS // 2
        search.report_at = report_at
        assert search_with(kernel, search, moves) == STOPPED
        return search

    kernel.paint_stack()
    search_of(200, report_at=0)
    assert kernel.stack_used() < wasm.STACK_BYTES // 2

    def report(inside: Search) -> None:
        assert inside.nodes >= inside.report_at
        reports.append(inside.nodes)
        inside.report_at += 1_000
        inside.stop = Stop.LIMIT if len(reports) == 10 else Stop.NONE

    kernel.on_report = report
    search = search_of(50, report_at=1_000)
    assert len(reports) == 10
    assert 10_000 <= reports[-1] <= search.nodes < 10_100
    assert [nodes // 1_000 for nodes in reports] == [*range(1, 11)]
