"""The tools of `matesolve mcp`: what they answer, and what the SDK's client sees."""

from __future__ import annotations

import base64
import inspect
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import __version__
from solver.cli.main import run
from solver.mcp import server
from tests.mcp.conftest import call
from tests.oracles import naive
from tools.samples import without_times

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("kernel", "battle_kernel", "help_kernel")

MATE_IN_2 = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
MATED_IN_1 = "7k/8/6K1/8/8/8/8/R7 b - - 0 1"
START = chess.STARTING_FEN
HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"
MANY = "8/8/8/8/8/5k2/8/Q2K3R b - - 0 1"
BLOCK = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"


def texts(answer: Any) -> list[str]:
    return [block.text for block in answer.content if block.type == "text"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the command line prints."""
    capsys.readouterr()
    run(arguments)
    return capsys.readouterr().out


def test_a_client_gets_the_answer_of_a_tool_or_an_error(
    client: Callable[..., Any],
) -> None:
    from mcp.shared.exceptions import MCPError

    info = client("server_info")
    assert (info.name, info.version) == ("matesolve", __version__)
    assert "Do not guess mates" in client("instructions")
    given = {"fen": MATE_IN_2, "moves": "Qg8+"}
    answer, here = client("call_tool", "moves", given), call("moves", **given)
    assert answer.structured_content == here.structured_content
    assert texts(answer) == texts(here)
    refused = client("call_tool", "moves", {"fen": 5})
    assert (refused.is_error, texts(refused)) == (True, texts(call("moves", fen=5)))
    with pytest.raises(MCPError, match=r"^expected one of solve, grade, moves, "):
        client("call_tool", "shell", {"command": "true"})


def test_every_tool_is_described_to_a_model_and_to_a_validator(
    client: Callable[..., Any],
) -> None:
    from jsonschema import Draft202012Validator

    listed = client("list_tools").tools
    assert [tool.name for tool in listed] == [*server.TOOLS]
    for tool in listed:
        assert tool.title
        assert "Call this" in tool.description or tool.name == "check_collection"
        schema = tool.input_schema
        for one in (schema, tool.output_schema):
            Draft202012Validator.check_schema(one)
        assert schema["additionalProperties"] is False
        for parameter in schema["properties"].values():
            assert parameter["description"].endswith(".")
            bounds = {"maxLength", "maximum", "enum"} & set(parameter)
            assert bounds or parameter["type"] == "boolean"
        required = {n for n, p in schema["properties"].items() if "default" not in p}
        assert set(schema["required"]) == required
        hints = tool.annotations
        assert (hints.read_only_hint, hints.idempotent_hint) == (True, True)
        assert (hints.destructive_hint, hints.open_world_hint) == (False, False)
        for name, given in inspect.signature(
            server.TOOLS[tool.name]
        ).parameters.items():
            if given.default is not given.empty:
                assert schema["properties"][name]["default"] == given.default
    times = [tool.input_schema["properties"].get("time_s") for tool in listed]
    assert {(one["maximum"], one["default"]) for one in times if one} == {(30, 10)}


def test_solve_proves_the_mate_and_answers_as_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = call("solve", fen=MATE_IN_2)
    record = answer.structured_content
    assert record["status"] == "proved"
    board = chess.Board(MATE_IN_2)
    assert {key["uci"] for key in record["keys"]} == {*naive.keys(board, 2)}
    assert not naive.keys(board, 1)
    for move in record["pv"]:
        board.push_uci(move)
    assert board.is_checkmate()
    assert record.pop("pv_san") == ["Qg8+", "Rxg8", "Nf7#"]
    expected = json.loads(printed(capsys, "solve", MATE_IN_2, "--jsonl"))
    assert record | {"time_s": 0} == expected | {"time_s": 0}
    (sentences,) = texts(answer)
    assert "White mates in 2." in sentences
    assert "none is shorter" in sentences


@pytest.mark.parametrize(
    ("arguments", "status", "mate", "stopped_by"),
    [
        ({"fen": MATE_IN_2, "max_moves": 1}, "disproved", None, None),
        ({"fen": MATED_IN_1}, "proved", -1, None),
        ({"fen": START, "time_s": 0.05}, "undecided", None, "time"),
        ({"fen": MATE_IN_2, "keys": False, "time_s": 5}, "proved", 2, None),
        ({"fen": BLOCK, "stipulation": "s#1"}, "disproved", None, None),
        ({"fen": HELPMATE, "stipulation": "h#2"}, "proved", 2, None),
        ({"fen": MANY, "stipulation": "h#3"}, "found", 2, "solutions"),
    ],
)
def test_solve_reports_what_is_proved(
    arguments: dict[str, Any], status: str, mate: int | None, stopped_by: str | None
) -> None:
    record = call("solve", **arguments).structured_content
    found = (record["status"], record["mate"], record["stopped_by"])
    assert found == (status, mate, stopped_by)
    if record.get("stipulation") == "h#2":
        board = chess.Board(HELPMATE)
        for move in record["solutions"][0]:
            board.push_uci(move)
        assert board.is_checkmate()
    if status == "found":
        assert len(record["solutions"]) == 200


def test_a_warning_and_the_first_moves_that_alone_were_searched_are_said() -> None:
    """What makes no sense in a FEN is left out with a warning."""
    for move in ("Nf7+", "h6f7"):
        fen = MATE_IN_2.replace("w -", "w K")
        answer = call("solve", fen=fen, root_moves=move, max_moves=2)
        record, (text,) = answer.structured_content, texts(answer)
        assert text.startswith("Warning: castling right K: ")
        assert record["fen"] == MATE_IN_2
        assert [f"Warning: {one}" for one in record["warnings"]] == text.split("\n")[:1]
        assert (record["status"], record["lower_bound"]) == ("disproved", 3)
        assert record["root_moves"] == [{"uci": "h6f7", "san": "Nf7+"}]
        assert "Only these first moves were searched: Nf7+" in text


def test_a_position_is_what_the_moves_played_lead_to() -> None:
    board = chess.Board(MATE_IN_2)
    board.push_san("Qg8+")
    board.push_san("Rxg8")
    more: dict[str, dict[str, Any]] = {
        "diagram": {"arrows": "Nf7#"},
        "grade": {"line": "Nf7#", "within": 1},
    }
    for moves in ("1. Qg8+! Rxg8", "c4g8 f8g8"):
        for name in ("solve", "moves", "variations", "diagram", "grade"):
            given = {"fen": MATE_IN_2, "moves": moves, **more.get(name, {})}
            record = call(name, **given).structured_content
            assert record.get("ends_in_mate") or record["fen"] == board.fen()


@pytest.mark.parametrize("moves", ["", "Qg8+ Rxg8 Nf7#", "Qc7 Re8 Qe5 Rxe5 Kg2"])
def test_moves_lists_what_python_chess_allows(moves: str) -> None:
    board = chess.Board(MATE_IN_2)
    for move in moves.split():
        board.push_san(move)
    answer = call("moves", fen=MATE_IN_2, moves=moves)
    record, (text,) = answer.structured_content, texts(answer)
    legal = {one["uci"]: one["san"] for one in record["legal_moves"]}
    assert legal == {move.uci(): board.san(move) for move in board.legal_moves}
    for name in ("is_check", "is_checkmate", "is_stalemate"):
        assert record[name] == getattr(board, name)()
    for line in (f"Position: {board.fen()}", *str(board).splitlines()):
        assert line in text
    assert all(f" {san}" in text for san in legal.values())
    assert ("checkmate" in text) == board.is_checkmate()


@pytest.mark.parametrize(
    ("line", "within", "status", "ply"),
    [
        ("1. Qg8+! Rxg8 2. Nf7#", 2, "right", None),
        ("Qg8+", 1, "wrong", 0),
        ("Nf7+", 2, "wrong", 0),
        ("Qg8+ Rxg8 Ng4", 2, "wrong", 2),
        ("Qg8+ perhaps", 2, "unreadable", 1),
        ("", 2, "wrong", 0),
    ],
)
def test_grade_says_whether_a_line_mates_by_force(
    line: str, within: int, status: str, ply: int | None
) -> None:
    answer = call("grade", fen=MATE_IN_2, line=line, within=within)
    record, (text,) = answer.structured_content, texts(answer)
    assert (record["status"], record["ply"]) == (status, ply)
    assert text.startswith(status.capitalize())
    if status == "wrong" and within == 2 and ply == 0:
        keys = naive.keys(chess.Board(MATE_IN_2), 2)
        assert [move["uci"] for move in record["right_moves"]] == [*keys]


def test_a_graded_move_has_its_reply_or_its_refutation() -> None:
    """And it is undecided when the time is over."""
    asked = {"fen": MATE_IN_2, "within": 2}
    answer = call("grade", line="Qg8+", **asked)
    record, (text,) = answer.structured_content, texts(answer)
    assert record["reply"] == {"uci": "f8g8", "san": "Rxg8"}
    assert f"Longest reply: Rxg8\nPosition then: {record['fen']}" in text
    answer = call("grade", line="Nf7+", max_moves=5, **asked)
    record, (text,) = answer.structured_content, texts(answer)
    board = chess.Board(MATE_IN_2)
    board.push_san("Nf7+")
    board.push_uci(record["refutation"][0]["uci"])
    assert record["fen"] == board.fen()
    assert not naive.keys(board, 1)
    assert (record["longer_mate"], record["longer_status"]) == (4, "proved")
    line = " ".join(move["san"] for move in record["refutation"])
    assert f"Refutation: {line}\nMate in 4: proved\n" in text
    answer = call("grade", fen=START, line="e4", within=20, time_s=0.1)
    record = answer.structured_content
    assert record["status"] == "undecided"
    assert record["reason"] == "the search was stopped: time"


@pytest.mark.parametrize(
    ("fen", "more", "words"),
    [
        (MATE_IN_2, {}, "--variations"),
        (
            BLOCK,
            {"stipulation": "#2", "set_play": True, "tries": 1},
            "--stipulation #2 --set-play --tries",
        ),
    ],
)
def test_variations_are_what_the_command_line_prints(
    fen: str, more: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (text,) = texts(call("variations", fen=fen, **more))
    expected = printed(capsys, "solve", fen, *words.split())
    assert without_times(text) == without_times(expected)


EPD = MATE_IN_2.removesuffix(" 0 1")
POPEYE = "BeginProblem\nForsyth 5r1k/6pp/7S/8/2Q5/8/8/6K1\nStipulation #2\nEndProblem\n"


@pytest.mark.parametrize(
    ("title", "collection", "totals"),
    [
        (
            "EPD",
            f"{EPD} bm Qg8+; dm 2;\n{EPD} dm 1;\nwhat is this\n",
            {"proved": 1, "refuted": 1, "unreadable": 1},
        ),
        ("PGN", f'[FEN "{MATE_IN_2}"]\n\n1. Qg8+ Rxg8 2. Nf7# *\n', {"proved": 1}),
        ("CSV", f"fen,mate\n{MATE_IN_2},2\n{EPD},1\n", {"proved": 1, "refuted": 1}),
        ("Popeye's input", POPEYE, {"proved": 1}),
    ],
)
def test_a_collection_is_understood_and_checked_in_any_format(
    title: str, collection: str, totals: dict[str, int]
) -> None:
    answer = call("check_collection", text=collection)
    record = answer.structured_content
    assert record["summary"]["format"] == title
    assert (record["totals"], record["not_checked"]) == (totals, 0)
    text = "\n".join(texts(answer))
    assert text.startswith(f"{title}: ")
    assert all(f"{count} {word}" in text for word, count in totals.items())
    assert text.count("\n") == sum(totals.values()) - totals["proved"]
    assert {one["source"].partition(":")[0] for one in record["results"]} == {"text"}


def test_records_and_time_of_a_collection_are_limited() -> None:
    record = call("check_collection", text=f"{EPD}\n" * 120).structured_content
    assert record["summary"]["records"] == 120
    assert (record["not_checked"], len(record["results"])) == (20, 100)
    text = f"{EPD} dm 2;\n" + f"{START.removesuffix(' 0 1')} dm 20;\n" * 20
    record = call("check_collection", text=text, time_s=0.3).structured_content
    assert record["totals"]["proved"] == 1
    assert record["not_checked"] >= 19


def test_a_diagram_is_an_image_also_with_the_moves_as_arrows() -> None:
    images = []
    for arrows in ("", "Qg8+"):
        _, block = call("diagram", fen=MATE_IN_2, arrows=arrows).content
        assert block.mime_type == "image/png"
        images.append(base64.b64decode(block.data))
        assert images[-1].startswith(b"\x89PNG\r\n\x1a\n")
    assert images[0] != images[1]
    answer = call("diagram", fen=MATE_IN_2, arrows="c4g8 h6f7", kind="svg")
    _, block = answer.content
    drawn = [one["san"] for one in answer.structured_content["arrows"]]
    assert drawn == ["Qg8+", "Nf7+"]
    assert block.mime_type == "image/svg+xml"
    drawing = ET.fromstring(base64.b64decode(block.data))
    classes = [one.get("class") for one in drawing.iter()]
    assert classes.count("arrow") == 4  # two lines and two heads


GRADED = {"fen": MATE_IN_2, "line": "e4"}

# fmt: off
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("solve", {}, "'fen' is a required property"),
    ("solve", {"fen": 5}, "fen: expected type string, found 5"),
    ("solve", {"fen": START, "time_s": 31}, "time_s: expected maximum 30, "),
    ("solve", {"fen": START, "time_s": 0}, "time_s: expected exclusiveMinimum 0, "),
    ("solve", {"fen": START, "max_moves": 2.0}, "max_moves: expected a whole"),
    ("solve", {"fen": START, "hash": 9}, "Additional properties are not allowed"),
    ("solve", {"fen": "k" * 10_001}, "fen: expected maxLength 10000, found 'kkk"),
    ("solve", {"fen": "8/8/8/8/8/8/8/8 w - -"}, "expected one white king, found none"),
    ("solve", {"fen": START, "stipulation": "x"}, "stipulation: expected #n, "),
    ("grade", GRADED | {"fen": "?", "within": 1}, "board: expected 8 ranks"),
    ("moves", {"fen": MATE_IN_2, "moves": "Qg8+ Kxg8"}, "moves: expected"),
    ("variations", {"fen": START, "tries": 6}, "tries: expected maximum 5, found 6"),
    ("check_collection", {"text": "x" * 50_001}, "text: expected maxLength 50000, "),
    ("diagram", {"fen": START, "arrows": "Qg9"}, "arrows: expected a move in SAN or"),
]
# fmt: on


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED)
def test_bad_input_is_one_line_about_what_was_expected(
    name: str, arguments: dict[str, Any], message: str
) -> None:
    answer = call(name, **arguments)
    assert answer.is_error
    (text,) = texts(answer)
    assert text.startswith(message)
    assert "\n" not in text
    assert len(text) < 300


# --- the guide for assistants

PATH = Path(__file__).parents[2] / "docs" / "howto" / "assistants.md"
PAGE = PATH.read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"^```json\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", PAGE, re.MULTILINE | re.DOTALL
)
CALLS = [(json.loads(one), shown) for one, shown in BLOCKS if '"name"' in one]


@pytest.mark.parametrize(("asked", "shown"), CALLS, ids=[c["name"] for c, _ in CALLS])
def test_a_call_has_the_answer_shown(asked: dict[str, Any], shown: str) -> None:
    found = texts(call(asked["name"], **asked["arguments"]))
    assert without_times("".join(f"{text}\n" for text in found)) == without_times(shown)


def test_the_guide_calls_every_tool_and_its_configurations_the_command() -> None:
    assert [asked["name"] for asked, _ in CALLS] == [*server.TOOLS]
    claude, code = (json.loads(one) for one, _ in BLOCKS if '"name"' not in one)
    for servers in (claude["mcpServers"], code["servers"]):
        (started,) = servers.values()
        assert started["command"].endswith("/matesolve")
        assert started["args"] == ["mcp"]
