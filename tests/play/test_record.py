"""The record of the play: a program can build the same tree from it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from solver.output.answer_record import dump
from solver.output.shown_play import ShownSolutions
from solver.play.builder import build_variations
from solver.play.record import play_record
from solver.play.tree import Attack, Defence, PlayOptions, Variations
from solver.problem import Limits, Problem, Stipulation
from solver.solution import Solution, Status
from solver.solving import Solver
from tests.output.play_trees import BLOCK, BLOCK_PLAY, shuffled

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "record.md"


def attack_of(record: dict[str, Any]) -> Attack:
    return Attack(
        record["uci"],
        record.get("moves_left", 0),
        [attack_of(threat) for threat in record.get("threats", [])],
        record.get("zugzwang", False),
        [defence_of(defence) for defence in record.get("defences", [])],
        [move["uci"] for move in record.get("refutations", [])],
        record.get("cut", False),
    )


def defence_of(record: dict[str, Any]) -> Defence:
    return Defence(
        record["uci"],
        [attack_of(attack) for attack in record.get("continuations", [])],
        not record.get("incomplete", False),
    )


def play_of(record: dict[str, Any], fen: str) -> Variations:
    """Build the tree from a record alone, as a program of another author would."""
    return Variations(
        Stipulation.parse(record["stipulation"]),
        fen,
        tuple(map(defence_of, record["set_play"])),
        tuple(map(attack_of, record["tries"])),
        tuple(map(attack_of, record["keys"])),
        tuple(map(defence_of, record["defences"])),
        tuple(map(attack_of, record["threats"])),
        record["zugzwang"],
        record["key_moves"],
        record["set_play_moves"],
        record["try_moves"],
        record["keys_complete"],
        record["tries_complete"],
    )


def as_tuples(node: object) -> object:
    """Return a tree that can be compared: its classes compare by identity."""
    if isinstance(node, (list, tuple)):
        return tuple(map(as_tuples, node))
    if isinstance(node, (Attack, Defence, Variations)):
        names = type(node).__slots__
        return tuple(as_tuples(getattr(node, name)) for name in names)
    return node


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


def only_key(play: Variations) -> dict[str, Any]:
    key: dict[str, Any]
    (key,) = json.loads(dump(play_record(play), None))["keys"]
    return key


def test_a_record_has_the_whole_play() -> None:
    record = json.loads(dump(play_record(BLOCK_PLAY), None))
    assert as_tuples(play_of(record, BLOCK)) == as_tuples(BLOCK_PLAY)


def test_empty_fields_of_a_move_are_left_out() -> None:
    key = only_key(BLOCK_PLAY)
    assert list(key) == ["uci", "san", "moves_left", "zugzwang", "defences"]
    assert key["defences"][0] == {
        "uci": "c8b7",
        "san": "Bb7",
        "continuations": [{"uci": "e3f5", "san": "Nf5#"}],
    }


def test_what_is_cut_or_stands_for_others_is_marked() -> None:
    reply = Defence("h8g8", [Attack("a2a3", 2, is_cut=True)], False)
    play = replace(shuffled(4), keys=(Attack("a1b1", 3, defences=[reply]),))
    (defence,) = only_key(play)["defences"]
    assert defence["incomplete"] is True
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
    record = json.loads(dump(play_record(play), None))
    assert as_tuples(play_of(record, BLOCK)) == as_tuples(play)
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
