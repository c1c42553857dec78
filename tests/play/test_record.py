"""The record of the play: a program can build the same tree from it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from solver import variations
from solver.output.answer_record import dump
from solver.output.shown_play import ShownSolutions
from solver.play.builder import build_variations
from solver.play.record import PlayOptions
from solver.problem import Limits, Problem, Stipulation
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.output.play_trees import BLOCK, BLOCK_PLAY, shuffled
from tests.typed_play import play_record, typed

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "record.md"


def walk(record: dict[str, Any], board: chess.Board) -> int:
    """Play every move of a record by python-chess's rules; return how many."""
    after = board.copy(stack=False)
    move = after.push_san(record["san"])
    assert move.uci() == record["uci"]
    count = 1
    for name in ("defences", "continuations", "refutations"):
        count += sum(walk(following, after) for following in record.get(name, []))
    passed = after.copy(stack=False)
    passed.push(chess.Move.null())
    return count + sum(walk(threat, passed) for threat in record.get("threats", []))


@pytest.mark.usefixtures("kernel")
def test_empty_fields_of_a_move_are_left_out() -> None:
    (key,) = variations(BLOCK).keys
    assert list(key) == ["uci", "san", "moves_left", "zugzwang", "defences"]
    assert key["defences"][0] == {
        "uci": "c8b7",
        "san": "Bb7",
        "continuations": [{"uci": "e3f5", "san": "Nf5#"}],
    }


@pytest.mark.usefixtures("kernel")
def test_what_is_cut_or_stands_for_others_is_marked() -> None:
    key, *_ = variations("8/8/8/8/8/5KR1/8/7k w - -", depth=1).keys
    (defence,) = key["defences"]
    assert (key["cut"], defence["incomplete"]) == (True, True)
    assert defence["continuations"][0]["cut"] is True


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("options", [PlayOptions(True, 2), PlayOptions(True, 1, False)])
def test_the_record_of_a_real_problem_has_legal_moves_only(
    options: PlayOptions,
) -> None:
    solver = Solver(hash_mib=16)
    solution = solver.solve(Problem(BLOCK), Limits())
    solver.workspace.resume()
    play = build_variations(solution, solver.workspace, options)
    record = json.loads(dump(play.to_dict(), None))
    assert record == play_record(typed(play), marks=True)
    board = chess.Board(BLOCK)
    moves = sum(walk(attack, board) for attack in record["keys"] + record["tries"])
    board.push(chess.Move.null())
    moves += sum(walk(defence, board) for defence in record["set_play"])
    assert moves > 50


@pytest.mark.parametrize("indent", [None, 2])
def test_the_deepest_play_can_be_written_and_read(indent: int | None) -> None:
    record = json.loads(dump(play_record(shuffled(200)), indent))
    depth, attack = 1, record["keys"][0]
    while attack.get("defences"):
        attack = attack["defences"][0]["continuations"][0]
        depth += 1
    assert depth == 200


def test_help_play_has_its_set_play() -> None:
    problem = Problem(
        "8/8/8/8/8/1K5R/8/k7 b - - 0 1", stipulation=Stipulation.parse("h#2")
    )
    solution = Solution(problem, Status.DISPROVED, None, 3)
    assert ShownSolutions(solution, (("h3h2", "a1b1", "h2h1"),)).record() == {
        "stipulation": "h#2",
        "set_play": [["h3h2", "a1b1", "h2h1"]],
        "set_play_complete": True,
    }


def test_the_least_complete_part_says_how_far_all_is_complete() -> None:
    play = replace(BLOCK_PLAY, key_moves=3, set_play_moves=1)
    record = play_record(play)
    names = ("complete_moves", "key_moves", "set_play_moves", "try_moves")
    assert [record[name] for name in names] == [1, 3, 1, None]


def test_the_reference_names_every_field_of_the_play() -> None:
    page = PAGE.read_text(encoding="utf-8")
    fields = set(re.findall(r"^\| `([a-z_`, ]+)` \|", page, re.MULTILINE))
    documented = {name for field in fields for name in field.split("`, `")}

    def names(record: object) -> set[str]:
        if isinstance(record, dict):
            found = set(record)
            return found.union(*map(names, record.values()))
        return set().union(*map(names, record)) if isinstance(record, list) else set()

    assert names(play_record(BLOCK_PLAY)) <= documented
    assert {"cut", "incomplete", "mark", "features"} <= documented
