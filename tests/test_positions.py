"""A position's text is read alike at every door: one table of texts for all of them."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from solver.cli.main import run as run_command
from solver.errors import InputError
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_module
from solver.pages.layout import describe_kernel
from solver.position_text import read_position
from solver.uci.session import Session
from tests.pages.test_modules import MODULES
from tests.position_texts import TEXTS, Given, fault_of
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("kernel")


def faults(
    door: Callable[[Given], tuple[str, list[str]]], *, repair: bool
) -> list[str]:
    """Return how a door's answers differ from the table."""
    found = (fault_of(given, *door(given), repair=repair) for given in TEXTS)
    return [*filter(None, found)]


@pytest.mark.parametrize("repair", [False, True])
def test_python_reads_each_text(repair: bool) -> None:
    def read(given: Given) -> tuple[str, list[str]]:
        try:
            position = read_position(given.text, given.moves, repair=repair)
        except InputError as error:
            return str(error), []
        return position.fen, [*position.warnings]

    assert faults(read, repair=repair) == []


@pytest.mark.parametrize("moves", [5, ["e4", 5], None])
def test_moves_that_are_no_texts_are_refused(moves: Any) -> None:
    with pytest.raises(InputError, match="moves: expected moves in one string or in "):
        read_position("startpos", moves)


def test_the_command_line_reads_each_text(capsys: pytest.CaptureFixture[str]) -> None:
    def solve(given: Given) -> tuple[str, list[str]]:
        limits = "--nodes", "1", "--json", "--moves", given.moves
        run_command(["solve", *limits, "--", given.text])
        out, err = capsys.readouterr()
        notices = [line.partition(": ")[2] for line in err.splitlines()]
        if not out:
            return notices[0], []
        record = json.loads(out)
        assert record.get("warnings", []) == notices
        return record["fen"], notices

    assert faults(solve, repair=True) == []


def test_the_tools_of_assistants_read_each_text() -> None:
    pytest.importorskip("mcp")
    from solver.mcp.server import Call, moves

    def play(given: Given) -> tuple[str, list[str]]:
        try:
            answer = moves(Call(lambda _stipulation: None), given.text, given.moves)
        except InputError as error:
            return str(error), []
        record: dict[str, Any] = answer.structured_content or {}
        return record["fen"], record.get("warnings", [])

    assert faults(play, repair=True) == []


def test_the_engine_reads_each_text() -> None:
    def position(given: Given) -> tuple[str, list[str]]:
        said: list[str] = []
        text = " ".join(given.text.split()).removeprefix("position ")
        mark = "" if "1." in text or " moves " in text else " moves"
        moves = f"{mark} {given.moves}" if given.moves else ""
        commands = f"position {text}{moves}\nd\n".encode()
        Session(said.append).run(commands.splitlines(keepends=True))
        lines = [line for each in said for line in each.splitlines()]
        notices = [
            line.removeprefix("info string ").removeprefix("position: ")
            for line in lines
            if line.startswith("info string ")
        ]
        fens = [line.removeprefix("Fen: ") for line in lines if line.startswith("Fen")]
        return (fens[0], notices) if fens else (notices[0], [])

    assert faults(position, repair=True) == []


ASK = """
import { readFile } from "node:fs/promises";
import { Rules } from "./rules.mjs";

const { layout, asked } = JSON.parse(await readFile("asked.json", "utf-8"));
const code = await readFile("search.wasm");
const rules = new Rules(await WebAssembly.compile(code), layout);
const answers = asked.map(({ text, moves, repair }) => {
  const { position, black, ...read } = rules.read(text, moves, { repair });
  return read;
});
console.log(JSON.stringify(answers));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_javascript_reads_each_text(tmp_path: Path) -> None:
    for name in ("machine", "movetext", "rules"):
        shutil.copy(MODULES / f"{name}.mjs", tmp_path)
    (tmp_path / "search.wasm").write_bytes(load_module(SEARCH).code)
    asked = [
        {"text": given.text, "moves": given.moves, "repair": repair}
        for repair in (False, True)
        for given in TEXTS
    ]
    data = json.dumps({"layout": describe_kernel(), "asked": asked})
    (tmp_path / "asked.json").write_text(data, encoding="utf-8")
    (tmp_path / "ask.mjs").write_text(ASK, encoding="utf-8")
    answers = iter(
        json.loads(run(["node", "ask.mjs"], cwd=tmp_path, check=True).stdout)
    )

    def read(_given: Given) -> tuple[str, list[str]]:
        answer = next(answers)
        return answer.get("fault") or answer["fen"], answer.get("warnings", [])

    assert faults(read, repair=False) + faults(read, repair=True) == []
