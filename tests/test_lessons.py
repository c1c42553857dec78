"""The lessons of the docs: each technique acts early in the tree of its page."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import chess
import pytest

from solver.laboratory.traces import steps_of
from tools.samples import run, samples

pytestmark = pytest.mark.usefixtures("kernel", "laboratory_kernel")

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in (DOCS / "lessons").glob("*.md")
}
LESSONS: dict[str, str] = runpy.run_path(str(DOCS / "conf.py"))["LESSONS"]

MOST_STEPS = 25
MOST_WORDS = 200

COMPARED = ["mate-distance", "check-extension", "forward-pruning", "material"]


@cache
def record(name: str) -> dict[str, Any]:
    command = f"matesolve trace {LESSONS[name]} --json"
    sample = samples(f"```console\n$ {command}\n```\n")[0]
    found: dict[str, Any] = json.loads(run(sample))
    return found


def line_to(log: dict[str, list[Any]], row: int) -> list[str]:
    """The moves to a node."""
    line: list[str] = []
    for each in range(row + 1):
        if log["kind"][each] == "update":  # it enters no node
            continue
        del line[max(log["ply"][each] - 1, 0) :]
        if log["ply"][each]:
            line.append(log["uci"][each])
    return line


def below(log: dict[str, list[Any]], line: list[str]) -> list[list[str]]:
    """The moves tried after a line, for each visit of it."""
    visits: list[list[str]] = []
    for row, ply in enumerate(log["ply"]):
        if ply == len(line) and line_to(log, row) == line:
            visits.append([])
        elif ply == len(line) + 1 and line_to(log, row)[:-1] == line:
            visits[-1].append(log["uci"][row])
    return visits


def acting(name: str) -> tuple[dict[str, Any], int]:
    """The trace that opens at a step, and the row of the step."""
    trace = next(each for each in record(name)["traces"] if each["step"])
    return trace, steps_of(trace["log"])[trace["step"] - 1][0]


@pytest.mark.parametrize("name", [name for name in LESSONS if name != "certificate"])
def test_a_technique_acts_within_25_steps(name: str) -> None:
    trace, row = acting(name)
    assert trace["complete"]
    assert trace["step"] <= MOST_STEPS
    until = shlex.split(LESSONS[name])[shlex.split(LESSONS[name]).index("--until") + 1]
    assert until in {trace["log"]["end"][row], "extension"}


def test_a_certificate_shows_a_mate_within_25_steps() -> None:
    (trace,) = record("certificate")["traces"]
    rows = [row for row, _ in steps_of(trace["log"])[:MOST_STEPS]]
    assert "mate" in [trace["log"]["end"][row] for row in rows]


@pytest.mark.parametrize("name", COMPARED)
def test_the_search_beside_it_searches_the_same_moves_without_the_technique(
    name: str,
) -> None:
    off, found = record(name)["traces"]
    trace, row = acting(name)
    assert (off["name"], off["step"], trace) == ("off", None, found)
    assert off["depth"] == found["depth"]
    line = line_to(found["log"], row)
    own, other = below(found["log"], line), below(off["log"], line)
    if name == "check-extension":
        rows = [each for each, ply in enumerate(off["log"]["ply"]) if ply == len(line)]
        same = next(each for each in rows if line_to(off["log"], each) == line)
        assert found["log"]["depth"][row] == off["log"]["depth"][same] + 1
        assert (off["mate"], found["mate"]) == (None, 2)
    else:
        assert {*own[0]} <= {"0000"}
        assert any(move != "0000" for move in other[0])
        nodes = [each["nodes"] - each["nodes_before"] for each in (found, off)]
        assert nodes[0] < nodes[1]
        scores = {trace["iterations"][-1]["score"] for trace in (off, found)}
        assert len(scores) == 1


def test_a_beta_cutoff_leaves_moves_that_a_wider_window_searches() -> None:
    trace, row = acting("alpha-beta")
    line = line_to(trace["log"], row)
    board = chess.Board(record("alpha-beta")["fen"])
    for move in line:
        board.push_uci(move)
    first, second = below(trace["log"], line)[:2]
    legal = {move.uci() for move in board.legal_moves}
    assert {*first} < {*second} == legal


def test_proof_numbers_leave_a_move_for_one_that_is_proved() -> None:
    trace, row = acting("proof-numbers")
    log = trace["log"]
    left = line_to(log, row)[0]
    roots = [
        (log["uci"][each], log["end"][each])
        for each, ply in enumerate(log["ply"])
        if ply == 1 and log["end"][each]
    ]
    assert roots[0] == (left, "threshold")
    assert roots[-1][0] != left
    assert roots[-1][1] == "proved"


def test_each_lesson_shows_its_page_and_leads_to_the_next() -> None:
    listed = re.findall(r"^- \[.+?\]\((.+?)\.md\)", PAGES["index"], re.MULTILINE)
    assert listed == list(LESSONS)
    for name, following in zip(listed, [*listed[1:], "../howto/tracing"], strict=True):
        page = PAGES[name]
        assert f'src="../lesson-{name}.html"' in page
        asked = f"matesolve trace {LESSONS[name]}"
        assert any(sample.command.startswith(asked) for sample in samples(page))
        assert f"({following}.md).\n" in page[page.index("\nNext: ") :]
        _, idea = page.split("\n\n", 1)
        assert len(idea[: idea.index("\n## ")].split()) <= MOST_WORDS


def test_with_a_known_mate_a_deeper_iteration_costs_no_more_nodes() -> None:
    asked = LESSONS["mate-distance"].replace("--depth 5", "--depth 8")
    command = f"matesolve trace {asked} --json"
    sample = samples(f"```console\n$ {command}\n```\n")[0]
    deeper = json.loads(run(sample))["traces"]
    nodes = [
        [trace["nodes"] - trace["nodes_before"] for trace in traces]
        for traces in (record("mate-distance")["traces"], deeper)
    ]
    assert nodes == [[49, 7], [911, 7]]
    assert "from 49 nodes to 911; with MDP it still has 7" in PAGES["mate-distance"]
