"""Threads on one problem: the same answers, and only true entries in a shared table."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from random import Random

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.problem import Limits, Problem
from solver.search.queries import Questions, read_question
from solver.search.threads import HELPED_FROM, Control, HelperThreads
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status, StoppedBy
from solver.solving import Solver
from tests.cpu_time import after_work
from tests.oracles import walks
from tests.processes import PATIENCE_S
from tests.search import workspaces

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"

ROOK_ENDING = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8, by 1. Kg6 alone."""

HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
"""No mate in sight: a search that nothing stops lasts for hours."""

LONG_KEYS = "8/8/3P4/2P1P3/1P1K1P2/2P1P3/3P4/3k4 w - - 0 1"
"""Mate in 8 with two keys; most nodes go into first moves that are no keys."""


def puzzles(length: int, count: int) -> list[str]:
    text = (PUZZLES / f"generated-{length}.epd").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [line.split(" dm ")[0] + " 0 1" for line in lines[:count]]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spend the first budget at once, so that helper threads start on easy problems."""
    workspaces.set_first_budget(monkeypatch, 50)
    monkeypatch.setattr("solver.search.threads.HELPED_FROM", 0)


def answer(found: Solution) -> tuple[object, ...]:
    keys = frozenset(found.keys)
    return found.status, found.mate, found.lower_bound, keys, found.keys_complete


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same_answer(threads: int) -> None:
    alone, together = Solver(hash_mib=4), Solver(hash_mib=4, threads=threads)
    fens = [fen for length in (2, 3, 4, 5) for fen in puzzles(length, 12)]
    helped = 0
    for fen in (ROOK_ENDING, *fens):
        expected = alone.solve(Problem(fen), Limits())
        found = together.solve(Problem(fen), Limits())
        assert answer(found) == answer(expected), fen
        assert found.status is Status.PROVED
        assert len(found.pv) == len(expected.pv)
        board = chess.Board(fen)
        for move in found.pv:
            board.push_uci(move)
        assert board.is_checkmate(), fen
        helped += together._helper_threads.nodes > 0
    assert helped > 10
    for fen in puzzles(4, 12):
        found = together.solve(Problem(fen), Limits(max_moves=3))
        assert found.mate is None or found.mate < 0, fen
    found = together.solve(Problem(ROOK_ENDING), Limits(), within=7)
    assert (found.status, found.lower_bound) == (Status.DISPROVED, 8)
    found = together.solve(Problem(HARD), Limits(nodes=30_000))
    assert (found.status, found.stopped_by) == (Status.UNDECIDED, StoppedBy.NODES)
    for nodes in (together.workspace.search.nodes, together._helper_threads.nodes):
        assert nodes < (threads - 1) * 31_000


def test_helper_threads_join_the_search_for_keys() -> None:
    """The mate is proved with less than a million nodes, and the keys take six more."""
    alone, together = Solver(), Solver(threads=2)
    expected = alone.solve(LONG_KEYS)
    found = together.solve(LONG_KEYS)
    assert answer(found) == answer(expected)
    assert found.keys_complete
    assert together._helper_threads.nodes > HELPED_FROM
    assert together.workspace.search.nodes < expected.stats.nodes
    # A row of a batch whose keys take long leaves it with what it has found.
    questions = [read_question(fen) for fen in (*puzzles(3, 2), LONG_KEYS)]
    batch = Questions(alone.workspace, questions)
    *_, last = alone.answers(batch, lambda: nullcontext(Control()))
    (found,) = batch.solutions(last)
    assert (answer(found), found.pv) == (answer(expected), expected.pv)
    assert found.stats.nodes == expected.stats.nodes


@pytest.mark.parametrize("buckets", [1, 16])
def test_a_table_that_two_threads_fill_at_once_holds_only_what_is_true(
    buckets: int,
) -> None:
    """Both run both engines, in random order."""
    boards = [
        *walks.small_positions(150, seed=91),
        *walks.crowded_positions(60, seed=91),
        *(chess.Board(fen) for fen in puzzles(5, 20)),
    ]
    reference, questions = Workspace(hash_mib=16), []
    for board in boards:
        reference.begin(None)
        for moves in (2, 3, 4):
            expected = reference.prove(pack_board(board), moves, attacking=True)
            questions.append((pack_board(board), moves, expected))

    def wrong_verdicts(workspace: Workspace) -> list[str]:
        order, wrong = questions * 2, []
        Random(id(workspace)).shuffle(order)
        for index, (position, moves, expected) in enumerate(order):
            engine = (Workspace.search_dfpn, Workspace.prove)[index % 2]
            with workspace.budget(5000):
                found = engine(workspace, position, moves, attacking=True)
            if found not in {expected, Decision.STOPPED}:
                wrong.append(f"{bytes(position).hex()}: {moves} moves, {found}")
        return wrong

    leader = Workspace(hash_mib=1)
    helper = leader.helper()
    for workspace in (leader, helper):
        bits = buckets.bit_length() - 1
        workspace.search.first_bits, workspace.search.most_buckets = bits, buckets
    leader.begin(None)
    helper.join(leader, NO_LIMIT)
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(wrong_verdicts, (leader, helper))] == [[], []]
    assert helper.search.nodes > 10_000


def test_a_time_limit_ends_all_threads() -> None:
    solver = Solver(hash_mib=4, threads=3)
    before = set(threading.enumerate())
    control = Control()
    # What the watchdog does when the time is over.
    with after_work(partial(control.stop, StoppedBy.TIME), cpu_s=1.5):
        found = solver.solve(Problem(HARD), control=control)
    assert found.status is Status.UNDECIDED
    assert found.stopped_by is StoppedBy.TIME
    left = {*threading.enumerate()} - before
    assert not [thread for thread in left if "(help_search)" in thread.name]
    assert solver._helper_threads.nodes > 0
    assert found.stats.nodes > solver._helper_threads.nodes


def test_a_search_of_less_than_a_million_nodes_is_the_same_with_any_threads() -> None:
    alone, together = Solver(hash_mib=4), Solver(hash_mib=4, threads=8)
    for fen in (ROOK_ENDING, *puzzles(4, 6)):
        expected, found = alone.solve(fen), together.solve(fen)
        assert found.stats.nodes == expected.stats.nodes < HELPED_FROM
        assert (answer(found), found.pv) == (answer(expected), expected.pv)
    questions = [read_question(fen) for fen in puzzles(4, 6)]
    for solver in (alone, together):  # and a batch is answered in one call
        batch = Questions(solver.workspace, questions)
        (answers,) = solver.answers(batch, lambda: nullcontext(Control()))
        nodes = [found.stats.nodes for found in batch.solutions(answers)]
        assert nodes == [alone.solve(fen).stats.nodes for fen in puzzles(4, 6)]


def test_helper_threads_join_when_a_search_is_long_and_cores_are_free() -> None:
    leader = Workspace(hash_mib=1)
    leader.begin(1_000_000_000)
    free = [1]
    helper_threads = HelperThreads(leader, 4, cores=lambda: free[-1])
    joined: list[Workspace] = []
    leave = threading.Event()

    def work(helper: Workspace, _control: Control) -> None:
        joined.append(helper)
        assert leave.wait(PATIENCE_S)

    steps = [(0, 5, 0), (999_999, 5, 0), (1_000_000, 1, 0), (1_000_000, 3, 2)]
    steps += [(2_000_000, 2, 2), (3_000_000, 9, 4), (4_000_000, 9, 4)]
    for nodes, cores, size in steps:
        leader.search.nodes = nodes
        free.append(cores)
        helper_threads.start(work)
        assert len(helper_threads._threads) == len(helper_threads._helpers) == size
    limits = [helper.search.node_limit for helper in helper_threads._helpers]
    left = leader.search.node_limit - 3_000_000
    assert sum(limits) + left == pytest.approx(1_000_000_000 - 3_000_000, abs=10)
    leave.set()
    helper_threads.stop()
    assert len(set(map(id, joined))) == 4
    assert not helper_threads._threads


def test_helper_threads_begin_again_when_the_table_becomes_too_small() -> None:
    leader = Workspace(hash_mib=1)
    leader.search.first_bits = 4
    leader.begin(1_000_000_000)
    helper_threads = HelperThreads(leader, 2)
    ended: list[Workspace] = []

    def work(helper: Workspace, control: Control) -> None:
        helper.search.nodes = 10
        while control.reason is None:
            time.sleep(0.001)
        ended.append(helper)

    leader.search.nodes = 1_000_000
    for rounds, bits in enumerate((7, 10, 13, 13)):
        helper_threads.start(work)
        assert leader.search.buckets == 1 << bits
        assert len(ended) == min(2 * rounds, 4)
        helpers = [helper.search for helper in helper_threads._helpers]
        assert {search.buckets for search in helpers} == {1 << bits}
        limits = [search.node_limit for search in (leader.search, *helpers)]
        spent = 1_000_000 + 10 * len(ended)
        assert sum(limits) + spent == pytest.approx(1_001_000_000, abs=10)
    helper_threads.stop()
    assert helper_threads.nodes == 60
    helper_threads.stop()
    assert helper_threads.nodes == 0
