"""The tools of `matesolve mcp`, called by the SDK's own client over stdio."""

from __future__ import annotations

import base64
import inspect
import json
import struct
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import __version__
from tests.cli.conftest import COMMAND
from tests.cli.processes import ENVIRONMENT
from tests.oracles import naive
from tests.processes import run
from tools.samples import without_times

if TYPE_CHECKING:
    from tests.mcp.conftest import Connected

pytest.importorskip("mcp")

MATE_IN_2 = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
MATED_IN_1 = "7k/8/6K1/8/8/8/8/R7 b - - 0 1"
DRAWN = "7k/8/8/8/8/8/8/K6N w - - 0 1"
START = chess.STARTING_FEN
HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"
MANY = "8/8/8/8/8/5k2/8/Q2K3R b - - 0 1"
BLOCK = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"

TOOLS = ["solve", "grade", "moves", "variations", "check_collection", "diagram"]


def texts(answer: Any) -> list[str]:
    return [block.text for block in answer.content if block.type == "text"]


def command(*arguments: str) -> str:
    """Return what the command line prints."""
    printed = run([*COMMAND, *arguments], env=ENVIRONMENT).stdout
    assert isinstance(printed, str)
    return printed


def without_cost(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "time_s"}


def test_the_server_names_itself_and_says_what_it_is_for(call: Connected) -> None:
    info = call.client.server_info
    assert info
    assert (info.name, info.version) == ("matesolve", __version__)
    assert "Do not guess mates" in (call.client.instructions or "")


def test_every_tool_is_described_to_a_model_and_to_a_validator(
    call: Connected,
) -> None:
    from jsonschema import Draft202012Validator

    from solver.mcp.server import TOOLS as FUNCTIONS

    listed = call.portal.call(call.client.list_tools).tools  # type: ignore[attr-defined]
    assert [tool.name for tool in listed] == TOOLS == [*FUNCTIONS]
    for tool in listed:
        assert tool.title
        assert "Call this" in tool.description or tool.name == "check_collection"
        Draft202012Validator.check_schema(tool.output_schema)
        schema = tool.input_schema
        Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        for parameter in schema["properties"].values():
            assert parameter["description"].endswith(".")
            bounds = {"maxLength", "maximum", "enum"} & set(parameter)
            assert bounds or parameter["type"] == "boolean"
        required = {n for n, p in schema["properties"].items() if "default" not in p}
        assert set(schema["required"]) == required
        hints = tool.annotations
        assert hints.read_only_hint
        assert hints.idempotent_hint
        assert (hints.destructive_hint, hints.open_world_hint) == (False, False)
        parameters = inspect.signature(FUNCTIONS[tool.name]).parameters
        for name, parameter in parameters.items():
            if parameter.default is not parameter.empty:
                assert schema["properties"][name]["default"] == parameter.default
    times = [tool.input_schema["properties"].get("time_s") for tool in listed]
    limits = {(one["maximum"], one["default"]) for one in times if one}
    assert limits == {(30, 10)}


def test_solve_proves_the_mate_and_answers_as_the_command_line(
    call: Connected,
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
    printed = json.loads(command("solve", MATE_IN_2, "--jsonl"))
    assert record.pop("pv_san") == ["Qg8+", "Rxg8", "Nf7#"]
    assert without_cost(record) == without_cost(printed)
    (sentences,) = texts(answer)
    assert "White mates in 2." in sentences
    assert "none is shorter" in sentences


@pytest.mark.parametrize(
    ("arguments", "status", "mate"),
    [
        ({"fen": MATE_IN_2, "max_moves": 1}, "disproved", None),
        ({"fen": DRAWN, "max_moves": 3}, "disproved", None),
        ({"fen": MATED_IN_1}, "proved", -1),
        ({"fen": START, "time_s": 0.05}, "undecided", None),
        ({"fen": MATE_IN_2, "keys": False, "time_s": 5}, "proved", 2),
        ({"fen": MATE_IN_2, "stipulation": None}, "proved", 2),
        ({"fen": BLOCK, "stipulation": "#2"}, "proved", 2),
        ({"fen": BLOCK, "stipulation": "s#1"}, "disproved", None),
        ({"fen": HELPMATE, "stipulation": "h#2"}, "proved", 2),
        ({"fen": HELPMATE.split(maxsplit=1)[0], "stipulation": "h#2"}, "proved", 2),
    ],
)
def test_solve_reports_what_is_proved(
    arguments: dict[str, Any], status: str, mate: int | None, call: Connected
) -> None:
    record = call("solve", **arguments).structured_content
    assert (record["status"], record["mate"]) == (status, mate)
    assert record["stopped_by"] == ("time" if status == "undecided" else None)
    if record.get("stipulation") == "h#2":
        board = chess.Board(HELPMATE)
        for move in record["solutions"][0]:
            board.push_uci(move)
        assert board.is_checkmate()


def test_help_play_stops_at_its_limit_of_solutions(call: Connected) -> None:
    record = call("solve", fen=MANY, stipulation="h#3").structured_content
    assert len(record["solutions"]) == 200
    assert (record["status"], record["stopped_by"]) == ("found", "solutions")


def test_what_makes_no_sense_in_a_fen_is_left_out_with_a_warning(
    call: Connected,
) -> None:
    answer = call("solve", fen=MATE_IN_2.replace("w -", "w K"))
    assert texts(answer)[0].startswith("Warning: castling right K: ")
    record = answer.structured_content
    assert record["fen"] == MATE_IN_2
    assert [f"Warning: {one}" for one in record["warnings"]] == texts(answer)[
        0
    ].splitlines()[:1]


def test_a_position_is_what_the_moves_played_lead_to(call: Connected) -> None:
    board = chess.Board(MATE_IN_2)
    board.push_san("Qg8+")
    board.push_san("Rxg8")
    for moves in ("1. Qg8+! Rxg8", "c4g8 f8g8"):
        given = {"fen": MATE_IN_2, "moves": moves}
        for name, more in (
            ("solve", {}),
            ("moves", {}),
            ("variations", {}),
            ("diagram", {"arrows": "Nf7#"}),
        ):
            record = call(name, **given, **more).structured_content
            assert record["fen"] == board.fen()
        assert call("grade", line="Nf7#", within=1, **given).structured_content[
            "ends_in_mate"
        ]


@pytest.mark.parametrize(
    "given",
    [
        {"fen": "startpos", "moves": "e4 e5 Qh5"},
        {"fen": "startpos moves e2e4 e7e5", "moves": "Qh5"},
        {"fen": '[Event "A game"]\n\n1. e4 e5 2. Qh5 *\n'},
    ],
)
def test_a_position_may_be_given_by_a_game(
    given: dict[str, str], call: Connected
) -> None:
    record = call("moves", **given).structured_content
    board = chess.Board()
    for move in ("e4", "e5", "Qh5"):
        board.push_san(move)
    assert record["fen"] == board.fen()


@pytest.mark.parametrize(
    "moves", ["", "Qg8+", "Qg8+ Rxg8", "Qg8+ Rxg8 Nf7#", "Qc7 Re8 Qe5 Rxe5 Kg2"]
)
def test_moves_lists_what_python_chess_allows(moves: str, call: Connected) -> None:
    board = chess.Board(MATE_IN_2)
    for move in moves.split():
        board.push_san(move)
    answer = call("moves", fen=MATE_IN_2, moves=moves)
    record = answer.structured_content
    assert record["fen"] == board.fen()
    assert {one["uci"]: one["san"] for one in record["legal_moves"]} == {
        move.uci(): board.san(move) for move in board.legal_moves
    }
    assert (record["is_check"], record["is_checkmate"], record["is_stalemate"]) == (
        board.is_check(),
        board.is_checkmate(),
        board.is_stalemate(),
    )
    (text,) = texts(answer)
    for line in (f"Position: {board.fen()}", *str(board).splitlines()):
        assert line in text
    assert all(f" {move['san']}" in text for move in record["legal_moves"])
    assert ("checkmate" in text) == board.is_checkmate()


def test_moves_names_the_fault(call: Connected) -> None:
    answer = call("moves", fen=MATE_IN_2, moves="Qg8+ Kxg8")
    assert answer.is_error
    assert "moves: expected" in texts(answer)[0]
    assert "Kxg8" in texts(answer)[0]


def test_one_first_move_alone_is_searched(call: Connected) -> None:
    for move in ("Nf7+", "h6f7"):
        answer = call("solve", fen=MATE_IN_2, root_moves=move, max_moves=2)
        record = answer.structured_content
        assert (record["status"], record["lower_bound"]) == ("disproved", 3)
        assert record["root_moves"] == [{"uci": "h6f7", "san": "Nf7+"}]
        assert "Only these first moves were searched: Nf7+" in texts(answer)[0]


@pytest.mark.parametrize(
    ("line", "within", "status", "ply"),
    [
        ("1. Qg8+! Rxg8 2. Nf7#", 2, "right", None),
        ("c4g8", 2, "right", None),
        ("Qg8+", 1, "wrong", 0),
        ("Nf7+", 2, "wrong", 0),
        ("Qg8+ Rxg8 Ng4", 2, "wrong", 2),
        ("Qg8+ perhaps", 2, "unreadable", 1),
        ("", 2, "wrong", 0),
    ],
)
def test_grade_says_whether_a_line_mates_by_force(
    line: str, within: int, status: str, ply: int | None, call: Connected
) -> None:
    answer = call("grade", fen=MATE_IN_2, line=line, within=within)
    record = answer.structured_content
    assert (record["status"], record["ply"]) == (status, ply)
    if status == "wrong" and within == 2 and ply == 0:
        keys = naive.keys(chess.Board(MATE_IN_2), 2)
        assert [move["uci"] for move in record["right_moves"]] == [*keys]
    (text,) = texts(answer)
    assert text.startswith(status.capitalize())


def test_a_graded_move_has_its_reply_or_its_refutation(call: Connected) -> None:
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


def test_grade_is_undecided_when_its_time_is_over(call: Connected) -> None:
    record = call(
        "grade", fen=START, line="e4", within=20, time_s=0.1
    ).structured_content
    assert record["status"] == "undecided"
    assert record["reason"] == "the search was stopped: time"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"fen": BLOCK, "stipulation": "#2", "set_play": True, "tries": 1},
            ["--stipulation", "#2", "--set-play", "--tries"],
        ),
        ({"fen": MATE_IN_2}, ["--variations"]),
        (
            {"fen": HELPMATE, "stipulation": "h#2", "set_play": True},
            ["--stipulation", "h#2", "--set-play"],
        ),
    ],
)
def test_variations_are_what_the_command_line_prints(
    arguments: dict[str, Any], words: list[str], call: Connected
) -> None:
    (text,) = texts(call("variations", **arguments))
    printed = command("solve", arguments["fen"], *words)
    assert without_times(text) == without_times(printed)


EPD = MATE_IN_2.removesuffix(" 0 1")
COLLECTIONS = {
    "EPD": f"{EPD} bm Qg8+; dm 2;\n{EPD} dm 1;\nwhat is this\n",
    "PGN": f'[FEN "{MATE_IN_2}"]\n[SetUp "1"]\n\n1. Qg8+ Rxg8 2. Nf7# *\n',
    "CSV": f"fen,mate\n{MATE_IN_2},2\n{MATE_IN_2},1\n",
    "JSON document": json.dumps([{"fen": MATE_IN_2, "mate": 2}]),
    "Popeye's input": "BeginProblem\nForsyth 5r1k/6pp/7S/8/2Q5/8/8/6K1\n"
    "Stipulation #2\nEndProblem\n",
}


@pytest.mark.parametrize(
    ("title", "totals"),
    [
        ("EPD", {"proved": 1, "refuted": 1, "unreadable": 1}),
        ("PGN", {"proved": 1}),
        ("CSV", {"proved": 1, "refuted": 1}),
        ("JSON document", {"proved": 1}),
        ("Popeye's input", {"proved": 1}),
    ],
)
def test_a_collection_is_understood_and_checked_in_any_format(
    title: str, totals: dict[str, int], call: Connected
) -> None:
    answer = call("check_collection", text=COLLECTIONS[title])
    record = answer.structured_content
    assert record["summary"]["format"] == title
    assert record["totals"] == totals
    assert record["not_checked"] == 0
    text = "\n".join(texts(answer))
    assert text.startswith(f"{title}: ")
    assert all(f"{count} {word}" in text for word, count in totals.items())
    assert text.count("\n") == sum(totals.values()) - totals["proved"]
    assert [one["source"].partition(":")[0] for one in record["results"]] == (
        ["text"] * sum(totals.values())
    )


def test_only_the_first_records_of_a_long_collection_are_checked(
    call: Connected,
) -> None:
    record = call("check_collection", text=f"{EPD}\n" * 120).structured_content
    assert record["summary"]["records"] == 120
    assert record["not_checked"] == 20
    assert len(record["results"]) == 100


def test_the_time_of_a_collection_is_for_all_records(call: Connected) -> None:
    hard = START.removesuffix(" 0 1")
    text = f"{EPD} dm 2;\n" + f"{hard} dm 20;\n" * 20
    record = call("check_collection", text=text, time_s=0.3).structured_content
    assert record["totals"]["proved"] == 1
    assert record["not_checked"] >= 19


def test_a_diagram_is_an_image(call: Connected) -> None:
    _, plain = call("diagram", fen=MATE_IN_2).content
    _, arrow = call("diagram", fen=MATE_IN_2, arrows="Qg8+").content
    assert plain.mime_type == arrow.mime_type == "image/png"
    image = base64.b64decode(plain.data)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", image[16:24]) == (400, 400)
    assert base64.b64decode(arrow.data) != image


def test_a_diagram_can_be_svg_with_the_moves_as_arrows(call: Connected) -> None:
    answer = call("diagram", fen=MATE_IN_2, arrows="c4g8 h6f7", kind="svg")
    _, block = answer.content
    assert [one["san"] for one in answer.structured_content["arrows"]] == [
        "Qg8+",
        "Nf7+",
    ]
    assert block.mime_type == "image/svg+xml"
    drawing = ET.fromstring(base64.b64decode(block.data))
    assert [one.get("class") for one in drawing.iter() if one.get("class")].count(
        "arrow"
    ) == 4  # two lines and two heads


LONG = "k" * 10_001

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("solve", {}, "'fen' is a required property"),
    ("solve", {"fen": 5}, "fen: expected type string, found 5"),
    (
        "solve",
        {"fen": MATE_IN_2, "time_s": 31},
        "time_s: expected maximum 30, ",
    ),
    ("solve", {"fen": MATE_IN_2, "time_s": 0}, "time_s: expected exclusiveMinimum 0, "),
    ("solve", {"fen": MATE_IN_2, "time_s": 10**400}, "time_s: expected maximum 30, "),
    ("solve", {"fen": MATE_IN_2, "time_s": True}, "time_s: expected type number, "),
    (
        "solve",
        {"fen": MATE_IN_2, "max_moves": 201},
        "max_moves: expected maximum 200",
    ),
    ("solve", {"fen": MATE_IN_2, "max_moves": 2.0}, "max_moves: expected a whole"),
    ("solve", {"fen": MATE_IN_2, "hash": 9}, "Additional properties are not allowed"),
    ("solve", {"fen": LONG}, "fen: expected maxLength 10000, found 'kkk"),
    ("solve", {"fen": "8/8/8/8/8/8/8/8 w - -"}, "expected one white king, found none"),
    ("solve", {"fen": MATE_IN_2, "stipulation": "x"}, "stipulation: expected #n, "),
    ("grade", {"fen": MATE_IN_2, "line": "e4"}, "'within' is a required property"),
    (
        "grade",
        {"fen": MATE_IN_2, "line": "e4", "within": 0},
        "within: expected minimum 1, ",
    ),
    ("grade", {"fen": "?", "line": "e4", "within": 1}, "board: expected 8 ranks"),
    (
        "variations",
        {"fen": MATE_IN_2, "tries": 6},
        "tries: expected maximum 5, found 6",
    ),
    ("check_collection", {"text": "x" * 50_001}, "text: expected maxLength 50000, "),
    ("check_collection", {"text": ["x"]}, "text: expected type string, found ['x']"),
    (
        "diagram",
        {"fen": MATE_IN_2, "kind": "gif"},
        "kind: expected enum ['png', ",
    ),
    (
        "diagram",
        {"fen": MATE_IN_2, "arrows": "Qg9"},
        "arrows: expected a move in SAN or",
    ),
    ("solve", {"fen": MATE_IN_2, "root_moves": "Qa8"}, "root_moves: expected a legal"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED)
def test_bad_input_is_one_line_about_what_was_expected(
    name: str, arguments: dict[str, Any], message: str, call: Connected
) -> None:
    answer = call(name, **arguments)
    assert answer.is_error
    (text,) = texts(answer)
    assert text.startswith(message)
    assert "\n" not in text
    assert len(text) < 300


def test_an_unknown_tool_is_an_error_of_the_protocol(call: Connected) -> None:
    from mcp.shared.exceptions import MCPError

    with pytest.raises(
        MCPError, match=r"^expected one of solve, grade, moves, variations, "
    ):
        call("shell", command="true")
