"""The lines known for first moves, their order, and how they are reported."""

from __future__ import annotations

from solver.uci.analysis import Facts
from solver.uci.protocol import Line, format_best_move, format_effort, format_info

WIN_IN_2 = Line(2, ("a1a2", "h1g1", "a2a1"), 2)
WIN_IN_3 = Line(3, ("b1b2", "h1g1", "b2b3", "g1h1", "b3b1"), 1)
LOSS_IN_1 = Line(-1, ("c1c2", "h1h8"), 1)
LOSS_IN_2 = Line(-2, ("d1d2", "h1h8", "d2d1", "h8h1"), 2)


def known(*lines: Line) -> Facts:
    facts = Facts()
    for line in lines:
        facts = facts.add(line)
    return facts


def test_fast_mates_come_first_then_the_unknown_then_late_losses() -> None:
    facts = known(LOSS_IN_1, WIN_IN_3, LOSS_IN_2, WIN_IN_2)

    best = facts.best(["c1c2", "b1b2", "e1e2", "a1a2", "d1d2"], 4, count=5)

    unknown = Line(None, ("e1e2",), 4)
    assert best == (WIN_IN_2, WIN_IN_3, unknown, LOSS_IN_2, LOSS_IN_1)


def test_no_more_lines_are_listed_than_wanted_and_none_of_other_moves() -> None:
    facts = known(WIN_IN_3, WIN_IN_2)

    assert facts.best(["b1b2", "e1e2"], 1, count=1) == (WIN_IN_3,)


def test_the_shorter_mate_of_a_move_is_kept_whichever_comes_first() -> None:
    slower = Line(3, ("a1a2", "h1g1", "a2a3", "g1h1", "a3a1"), 1)

    assert known(slower, WIN_IN_2) == known(WIN_IN_2, slower) == known(WIN_IN_2)


def test_a_proof_that_no_mate_is_shorter_is_added() -> None:
    unproved = Line(2, WIN_IN_2.pv, 1)

    assert known(unproved, WIN_IN_2) == known(WIN_IN_2, unproved) == known(WIN_IN_2)


def test_once_every_move_loses_each_listed_move_has_a_score() -> None:
    facts = Facts().add_answer(LOSS_IN_2)

    assert facts.best(["c1c2", "d1d2"], 1, count=2) == (LOSS_IN_2,)


def test_a_faster_loss_of_all_moves_drops_lines_that_resist_longer() -> None:
    facts = Facts().add_answer(LOSS_IN_2).add_answer(LOSS_IN_1)

    assert facts.best(["c1c2", "d1d2"], 1, count=2) == (LOSS_IN_1,)


def test_a_mate_for_all_leaves_other_moves_unknown() -> None:
    facts = Facts().add_answer(WIN_IN_2)

    assert facts.winning
    assert facts.best(["a1a2", "e1e2"], 3, count=2)[1] == Line(None, ("e1e2",), 3)


def test_an_info_line_has_depth_score_cost_and_line() -> None:
    effort = format_effort(nodes=1000, time_s=0.5, hashfull=7)
    cost = "nodes 1000 nps 2000 hashfull 7 time 500"

    assert (
        format_info(1, WIN_IN_2, effort)
        == f"info depth 3 seldepth 3 multipv 1 score mate 2 {cost} pv a1a2 h1g1 a2a1"
    )
    assert format_info(2, WIN_IN_3, effort).startswith(
        "info depth 1 seldepth 5 multipv 2"
    )
    assert "depth 4 seldepth 4 multipv 3 score mate -2" in format_info(
        3, LOSS_IN_2, effort
    )
    assert (
        format_info(4, Line(None, ("e1e2",), 4), effort)
        == f"info depth 5 seldepth 5 multipv 4 score cp 0 {cost} pv e1e2"
    )


def test_the_best_move_comes_with_the_reply_to_ponder_on() -> None:
    assert format_best_move((WIN_IN_2,)) == "bestmove a1a2 ponder h1g1"
    assert format_best_move((Line(None, ("e1e2",), 1),)) == "bestmove e1e2"
    assert format_best_move(()) == "bestmove (none)"
