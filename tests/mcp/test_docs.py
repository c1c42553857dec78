"""The guide for assistants: its calls have the answers shown, its limits hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tools.samples import without_times

pytest.importorskip("mcp")

from solver.mcp import server
from solver.problem import DEFAULT_HASH_MIB

pytestmark = pytest.mark.usefixtures("kernel", "battle_kernel")

PATH = Path(__file__).parents[2] / "docs" / "howto" / "assistants.md"
PAGE = PATH.read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"^```json\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", PAGE, re.MULTILINE | re.DOTALL
)
CALLS = [(json.loads(call), shown) for call, shown in BLOCKS if '"name"' in call]


def answer(call: dict[str, Any]) -> str:
    """Call a tool in this process, and return its texts."""
    tool = server.TOOLS[call["name"]]
    content = tool(server.Call(lambda _stipulation: None), **call["arguments"]).content
    return "".join(f"{block.text}\n" for block in content if block.type == "text")


@pytest.mark.parametrize(("call", "shown"), CALLS, ids=[c["name"] for c, _ in CALLS])
def test_a_call_has_the_answer_shown(call: dict[str, Any], shown: str) -> None:
    assert without_times(answer(call)) == without_times(shown)


def test_the_conversation_calls_every_tool() -> None:
    assert [call["name"] for call, _ in CALLS] == [*server.TOOLS]


def test_the_configurations_start_the_command() -> None:
    claude, code = (json.loads(call) for call, _ in BLOCKS if '"name"' not in call)
    for servers in (claude["mcpServers"], code["servers"]):
        (started,) = servers.values()
        assert started["command"].endswith("/matesolve")
        assert started["args"] == ["mcp"]


def test_the_limits_are_those_of_the_server() -> None:
    tools = server.read_tools()["tools"]
    schemas = {tool["name"]: tool["inputSchema"]["properties"] for tool in tools}
    table = re.search(r"^## Limits\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)
    assert table
    stated = re.findall(r"^\| [^|]+ \| ([^|]+) \|$", table[1], re.MULTILINE)[1:]
    sizes = [
        schemas["solve"]["fen"]["maxLength"],
        schemas["grade"]["line"]["maxLength"],
        schemas["check_collection"]["text"]["maxLength"],
    ]
    longest = schemas["solve"]["time_s"]["maximum"]
    assert stated == [
        f"{server.TIME_S:g} s, at most {longest} s",
        f"{server.NODES:,}",
        f"{DEFAULT_HASH_MIB} MiB",
        f"{server.SEARCHES}",
        "; ".join(f"{size:,}" for size in sizes),
        f"{server.RECORDS}",
        f"{server.SOLUTIONS}",
        f"{server.SOLUTION_BYTES}",
        f"{server.ANSWER_CHARACTERS:,}; {server.RECORD_CHARACTERS:,}",
    ]
