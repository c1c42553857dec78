"""One name, one thing: which public classes and functions share their names."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOLVER = Path(__file__).parents[1] / "solver"

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
