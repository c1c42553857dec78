"""One name, one thing: which public classes and functions share their names."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import defaultdict
from enum import Enum
from pathlib import Path
from typing import Any

import solver
from solver import record
from tools import names

ROOT = Path(__file__).parents[1]
SOLVER = ROOT / "solver"

SEARCHES = {
    *(
        "has_ended",
        "least_moves",
        "list_replies",
        "loses_within",
        "may_pass",
        "may_solve",
    ),
}
"""What `kernel.mate.turns.compile_lists` is given, for mates and for battle play."""

ENTRY = "entry"
"""The C function of each compiled part."""

GENERATE = "generate"
"""Moves in the kernel; problems in Python."""

COMMANDS = ("cli", "mcp")
"""Rooms whose functions are named as commands and tools are."""


def definitions(kind: type[ast.AST]) -> dict[str, list[str]]:
    """Return the files that define each name at their top level."""
    found = defaultdict(list)
    for path in sorted(SOLVER.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, kind) and isinstance(
                node, ast.ClassDef | ast.FunctionDef
            ):
                found[node.name].append(path.relative_to(SOLVER).as_posix())
    return found


def shared(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the names that more than one file defines."""
    return {name: files for name, files in found.items() if len(files) > 1}


def test_no_two_classes_have_the_same_name() -> None:
    assert shared(definitions(ast.ClassDef)) == {}


def test_no_two_public_functions_have_the_same_name() -> None:
    found = {
        name: [file for file in files if not file.startswith(COMMANDS)]
        for name, files in definitions(ast.FunctionDef).items()
        if not name.startswith("_")
    }
    assert shared(found).keys() == {*SEARCHES, ENTRY, GENERATE}


# The names of the interfaces

PYTHON_ONLY = {
    *("any_last_move", "before", "board", "by_line", "codes", "control"),
    *("cores", "count", "exact", "fens", "generate", "goal", "grade_many", "half"),
    *("has_mate", "jobs", "length", "limits", "lines", "max_solutions", "no_mate"),
    *("names_side", "pandas_index", "partly_read", "pieces", "play", "position"),
    *("problem", "replies", "seed", "solve_many", "start", "stats", "statuses"),
    *("tablebases", "threads", "unique_key", "workspace"),
    # Of a restriction
    *("checks_only", "is_open", "king_flights", "number", "threat"),
    # Of the play
    *("all_defences", "complete_moves", "defences", "depth", "forced", "key_moves"),
    *("refutations", "set_play_moves", "threats", "tries_complete", "try_moves"),
    "zugzwang",
    # Of a stipulation
    *("attacker_moves", "beside_claim", "has_number", "is_direct_mate", "is_help"),
    *("plies", "unused_arguments", "white_begins"),
}
"""Names of things that no other interface has."""


def python_names() -> set[str]:
    """Return the public functions, their parameters, and the attributes of classes."""
    found: set[str] = set()
    for name in {*solver.__all__} - {"__version__"}:
        thing: Any = getattr(solver, name)
        if not inspect.isclass(thing):
            found |= {name, *inspect.signature(thing).parameters}
        elif not issubclass(thing, BaseException | Enum):
            found |= {*inspect.signature(thing).parameters}
            for attribute in dir(thing):
                value = inspect.getattr_static(thing, attribute)
                if not inspect.isroutine(value):
                    found.add(attribute)
    found |= {*inspect.signature(solver.Solver.solve).parameters} - {"self"}
    return {re.sub("_san$", "", name) for name in found if name[0] != "_"}


def npm_names() -> set[str]:
    """Return what the declarations of the npm package name, as Python would."""
    text = (ROOT / "npm" / "matesolve.d.ts").read_text(encoding="utf-8")
    code = re.sub(r"(?s)/\*.*?\*/|\"[^\"]*\"", "", text)
    found = re.findall(r"\b([a-z]\w*)\??[(:]", code)
    found += re.findall(r"export (?:const|function) (\w+)", code)
    return {*map(names.snake_case, found)}


def properties(schema: object) -> set[str]:
    """Return the names of a JSON schema's properties."""
    if isinstance(schema, dict):
        own = set(schema.get("properties", ()))
        return own.union(*map(properties, schema.values()))
    return set().union(*map(properties, schema)) if isinstance(schema, list) else set()


def tool_names() -> set[str]:
    """Return the names of the tools for assistants, and of their fields."""
    text = (SOLVER / "mcp" / "tools.json").read_text(encoding="utf-8")
    tools = json.loads(text)["tools"]
    found = {tool["name"] for tool in tools} | properties(json.loads(text))
    return {name.removesuffix("_san") for name in found}


def own_names(where: str) -> set[str]:
    """Return the names that only one interface has."""
    rows = (row for row in names.EXCEPTIONS if where in row.where)
    return {name for row in rows for name in row.names.split()}


def test_python_has_no_name_that_is_not_in_the_table() -> None:
    assert python_names() - {*names.NAMES} == PYTHON_ONLY
    assert PYTHON_ONLY.isdisjoint(own_names("npm") | own_names("MCP"))


def test_npm_has_python_s_names_in_camel_case() -> None:
    assert npm_names() - {*names.NAMES} == own_names("npm")


def test_assistants_tools_have_python_s_names() -> None:
    assert tool_names() - {*names.NAMES} == own_names("MCP")


def test_each_name_of_the_table_is_used_and_each_thing_has_one() -> None:
    used = {*record.FIELDS}.union(python_names(), npm_names(), tool_names())
    assert {*names.NAMES} <= used
    assert len({*names.NAMES.values()}) == len(names.NAMES)


def test_the_page_has_the_table_of_names() -> None:
    page = names.PAGE.read_text(encoding="utf-8")
    assert names.rewritten(page) == page
    assert "| `max_moves` | `maxMoves` |" in page
