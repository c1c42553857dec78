"""Traces have every node of the search, as independent programs find it."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver import Limits, Problem, Solver
from solver.board import pack_board
from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import NodeCount, Variant, parse_variant
from solver.laboratory.traces import (
    NodeLog,
    Trace,
    record_of,
    trace_certificate,
    trace_numbers,
    trace_scores,
)
from solver.search.threads import Control
from solver.search.workspaces import Workspace
from tests.oracles.naive import mate_in
from tests.oracles.recorded import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel", "laboratory_kernel")

MATE_IN_2 = "7k/8/5K2/8/8/8/R7/8 w - - 0 1"
KING_AND_ROOK = "8/8/8/8/8/5K2/R7/7k w - - 0 1"
MIDDLEGAME = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 4 4"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
TWO_ROOKS = "8/8/8/8/8/2k5/R7/4K2R w - - 0 1"
MATED_IN_2 = "4k3/8/4K3/8/8/8/8/7Q b - - 0 1"
KEEPING_ALL = 1 << 20

Rows = list[dict[str, object]]


def rows_of(trace: Trace) -> Rows:
    return [
        dict(zip(trace.log, values, strict=True))
        for values in zip(*trace.log.values(), strict=True)
    ]


def traced(
    fen: str,
    variant: str,
    depth: int | None,
    *,
    cuts: bool = False,
    entries: int = 1 << 18,
) -> Trace:
    laboratory = Laboratory(entries)
    chosen = parse_variant(variant)
    runner = Runner(laboratory, nodes=10_000_000)
    return trace_scores(
        runner, laboratory, chess.Board(fen), chosen, depth, only_cuts=cuts
    )


def counted_calls(fen: str, variant: Variant, depth: int) -> list[int]:
    techniques = replace(variant.techniques, count=NodeCount.CALLS)
    iterations = Laboratory().deepen(chess.Board(fen), techniques, depth)
    return [iteration.nodes_total for iteration in iterations]


def positions_of(
    rows: Rows, fen: str
) -> Iterator[tuple[dict[str, object], chess.Board]]:
    """Yield each node with its position, by the moves of the log."""
    line = [chess.Board(fen)]
    for row in rows:
        ply = int(str(row["ply"]))
        if row.get("kind") == "update":
            continue
        del line[max(ply, 1) :]
        if ply:
            board = line[-1].copy(stack=False)
            if row["uci"] == "0000":
                board.push(chess.Move.null())
            else:
                assert board.san(chess.Move.from_uci(str(row["uci"]))) == row["san"]
                board.push_uci(str(row["uci"]))
            line.append(board)
        yield row, line[-1]


@pytest.mark.parametrize(
    ("fen", "depth"), [(MATE_IN_2, 5), (KING_AND_ROOK, 7), (MIDDLEGAME, 3)]
)
@pytest.mark.parametrize(
    "variant",
    ["off", "mdp=cpw", "mdp=tight,check-extension=all", "efp=on", "mip=prune+lazy"],
)
def test_the_log_has_a_node_for_each_call_that_the_laboratory_counts(
    fen: str, depth: int, variant: str
) -> None:
    trace = traced(fen, variant, depth)
    *_, before, total = counted_calls(fen, parse_variant(variant), depth)
    assert trace.complete
    assert len(trace.log["ply"]) == total - before
    plain = Laboratory().deepen(
        chess.Board(fen), parse_variant(variant).techniques, depth
    )
    assert [*trace.iterations] == [*plain]


@pytest.mark.parametrize("variant", ["off", "mdp=cpw", "mdp=upper", "efp=on"])
@pytest.mark.parametrize(("fen", "depth"), [(MATE_IN_2, 5), (KING_AND_ROOK, 6)])
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
            assert row["low"] >= row["high"]  # type: ignore[operator]
            del expected["low"], expected["high"]
        assert row.items() >= expected.items()


def test_moves_positions_and_reasons_are_those_of_the_board() -> None:
    rows = rows_of(traced(TWO_ROOKS, "mdp=cpw,efp=on", 5))
    for row, board in positions_of(rows, TWO_ROOKS):
        if row["end"] in {"mate", "stalemate"}:
            assert (board.is_checkmate(), board.is_stalemate()) == (
                row["end"] == "mate",
                row["end"] == "stalemate",
            )
        if row["end"] in {"beta", "moves"}:
            assert any(board.legal_moves)
    assert {"--"} < {str(row["san"]) for row in rows}


def test_a_log_of_cuts_has_the_line_to_each_cut() -> None:
    everything = rows_of(traced(KING_AND_ROOK, "mdp=cpw", 4))
    cuts = rows_of(traced(KING_AND_ROOK, "mdp=cpw", 4, cuts=True))
    assert len(cuts) < len(everything)
    (found, kept) = (
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
    first = [
        dict(zip(kept, row, strict=True)) for row in zip(*kept.values(), strict=True)
    ]
    assert first == whole[:100]
    assert searched == [*traced(KING_AND_ROOK, "off", 6).iterations]


def test_the_last_iteration_is_the_one_that_finds_the_shortest_mate() -> None:
    trace = traced(MATE_IN_2, "mdp=cpw", None)
    assert (trace.mate, trace.depth, trace.stopped) == (2, 4, False)
    assert trace.nodes == trace.iterations[-1].nodes_total


# Proof numbers


def numbers(fen: str, mate: int, *, stepwise: bool = False) -> Trace:
    return trace_numbers(chess.Board(fen), mate, Control(), stepwise=stepwise)


@pytest.mark.parametrize(
    ("fen", "mate"),
    [(KING_AND_ROOK, 4), (GLASS_FEN, 8), (TWO_MOVER, 2), (MATED_IN_2, -2)],
)
def test_a_traced_search_counts_what_the_df_pn_search_counts(
    fen: str, mate: int
) -> None:
    workspace = Workspace(16)
    workspace.begin(None)
    verdict = workspace.search_dfpn(
        pack_board(chess.Board(fen)), abs(mate), attacking=mate > 0
    )
    trace = numbers(fen, mate)
    assert trace.nodes == workspace.search.nodes
    assert (trace.mate is not None) == (verdict > 0)


def test_step_by_step_the_search_decides_as_the_definition_does() -> None:
    for board in itertools.islice(few_pieces(random.Random(31)), 60):
        for mate in (1, 2):
            trace = trace_numbers(board, mate, Control(), stepwise=True)
            assert not trace.stopped
            assert (trace.mate == mate) == mate_in(board, mate), board.fen()


def few_pieces(source: random.Random) -> Iterator[chess.Board]:
    """Yield random positions where a queen and a rook chase a king in a corner."""
    while True:
        board = chess.Board(None)
        squares = source.sample(range(64), 4)
        pieces = ("K", "Q", "R", "k")
        for square, symbol in zip(squares, pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        if board.is_valid():
            yield board


INFINITE = 1 << 30


@pytest.mark.parametrize(
    ("fen", "mate", "stepwise"),
    [(KING_AND_ROOK, 4, False), (KING_AND_ROOK, 4, True), (TWO_MOVER, 2, True)],
)
def test_a_nodes_numbers_follow_from_its_childrens(
    fen: str, mate: int, stepwise: bool
) -> None:
    """The rule: one attack is enough; every reply counts, the hardest in full."""
    rows = rows_of(numbers(fen, mate, stepwise=stepwise))
    children: dict[int, dict[str, tuple[int, int]]] = {}
    entered: dict[int, str] = {}
    for row in rows:
        ply = int(str(row["ply"]))
        known = children.setdefault(ply, {})
        pn, dn = (
            INFINITE if row[name] is None else int(str(row[name]))
            for name in ("pn", "dn")
        )
        if row["kind"] == "update":
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
        if row["kind"] == "child":
            known[str(row["uci"])] = (pn, dn)
            continue
        entered[ply] = str(row["uci"])
        known[str(row["uci"])] = (pn, dn)  # as it is left; see below
        children[ply + 1] = {}
    assert any(row["kind"] == "update" for row in rows)
    assert entered


def sum_of(numbers: tuple[int, ...], *, halved: bool) -> int:
    if max(numbers) >= INFINITE:
        return INFINITE
    most, total = max(numbers), sum(numbers)
    return most + (total - most + 1) // 2 if halved else total


# Certificates


@pytest.mark.parametrize("fen", [MATE_IN_2, TWO_MOVER, MATED_IN_2])
def test_a_traced_certificate_has_some_move_and_every_reply(fen: str) -> None:
    board = chess.Board(fen)
    solution = Solver().solve(Problem(fen), Limits(nodes=10**6))
    trace = trace_certificate(board, solution, Control())
    rows = rows_of(trace)
    placed = [*positions_of(rows, fen)]
    below: dict[int, set[str]] = {}
    stack: list[int] = []
    for index, (row, _) in enumerate(placed):
        del stack[int(str(row["ply"])) :]
        if stack:
            below.setdefault(stack[-1], set()).add(str(row["uci"]))
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


def test_a_record_has_columns_of_one_length() -> None:
    traces = [traced(MATE_IN_2, name, None) for name in ("off", "mdp=cpw")]
    record = record_of(MATE_IN_2, "alpha-beta", traces)
    for trace in record["traces"]:
        assert len({len(column) for column in trace["log"].values()}) == 1
        assert trace["iterations"][-1]["score"] == "M2"
    off, cpw = (trace["nodes"] for trace in record["traces"])
    assert cpw < off
