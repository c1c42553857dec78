"""A position's text is read alike at every door: one table of texts for all of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.board import pack_board, unpack_move
from solver.cli.main import run as run_command
from solver.errors import InputError
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_module
from solver.pages.layout import describe_kernel
from solver.position_text import has_stalemate, read_position, uci_line, uci_move
from solver.uci.session import Session
from tests.oracles import walks
from tests.pages.test_modules import MODULES
from tests.position_texts import TEXTS, Given, fault_of
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.search_struct import Search

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


# To and from python-chess


def test_lines_of_games_are_named_as_by_python_chess(
    kernel: Kernel, search: Search
) -> None:
    random, kinds = Random(47), Counter[str]()
    for fen in walks.STARTS * 60:
        start = chess.Board(fen)
        board, position, words, names = start.copy(), pack_board(start), [], []
        for _ in range(12):
            moves = kernel.moves(position, search)
            if not moves:
                break
            word = random.choice(moves)
            move = unpack_move(board, word)
            kinds["castling"] += board.is_castling(move)
            kinds["en passant"] += board.is_en_passant(move)
            kinds["promotion"] += move.promotion is not None
            assert board.is_legal(move)
            words.append(word)
            names.append(move.uci())
            position = kernel.made(position, search, word)
            board.push(move)
            assert bytes(position) == bytes(pack_board(board))
        black = start.turn == chess.BLACK
        assert uci_line(pack_board(start), words, black=black) == tuple(names)
        if words:
            assert uci_move(pack_board(start), words[0], black=black) == names[0]
    assert min(kinds.values()) > 5


def test_stalemates_are_those_of_python_chess() -> None:
    seen = Counter[bool]()
    for board in walks.small_positions(1500, seed=48):
        seen[board.is_stalemate()] += 1
        assert has_stalemate(board.fen()) == board.is_stalemate()
    assert min(seen[True], seen[False]) > 10
