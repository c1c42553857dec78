"""The size of the program by room: its Python files, and what their lines hold.

    python -m tools.size [ROOT]

ROOT holds the folder `solver`, in this checkout or in another.

A line of code is neither blank nor only a comment nor part of a docstring. Every line
counts once: a blank line inside a docstring is a docstring's, inside another string it
is code. All Python files count but those named `__init__.py`; their lines count too.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import click

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


class Size(NamedTuple):
    """How many files there are, and how many of their lines are of each kind."""

    files: int
    code: int
    docstrings: int
    comments: int
    blank: int


def size(source: str, *, files: int = 1) -> Size:
    """Count the lines of one file's source."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            text = node.body[0]
            docstrings.update(range(text.lineno, (text.end_lineno or 0) + 1))
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type == tokenize.COMMENT:
            comments.update(lines)
        elif token.type not in NO_CODE:
            code.update(lines)
    code -= docstrings
    comments -= code | docstrings
    every = len(source.splitlines())
    blank = every - len(code) - len(comments) - len(docstrings)
    return Size(files, len(code), len(docstrings), len(comments), blank)


def sizes(root: Path) -> dict[str, Size]:
    """Count the lines of each room below `root / "solver"`, sorted by name."""
    rooms: dict[str, list[Size]] = defaultdict(list)
    for path in (root / "solver").rglob("*.py"):
        room = path.parent.relative_to(root).as_posix()
        source = path.read_text(encoding="utf-8")
        rooms[room].append(size(source, files=int(path.name != "__init__.py")))
    return {room: total(rooms[room]) for room in sorted(rooms)}


def total(parts: list[Size]) -> Size:
    """Add up sizes."""
    return Size(*map(sum, zip(*parts, strict=True)))


def main() -> None:
    """Print the table."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    rooms = sizes(root)
    rows = [*rooms.items(), ("total", total([*rooms.values()]))]
    width = max(len(name) for name, _ in rows)
    click.echo(" " * width + "".join(f"{name:>12}" for name in Size._fields))
    for name, counts in rows:
        click.echo(f"{name:{width}}" + "".join(f"{count:12,}" for count in counts))


if __name__ == "__main__":
    main()
