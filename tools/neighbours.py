"""Write into each module's docstring who calls the module and what it imports.

    python -m tools.neighbours          rewrite the sentences that are out of date

The sentence is the second paragraph of a docstring. It names rooms, which are folders
of `solver/` or files directly in it, and files of the module's own room.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOLVER = ROOT / "solver"
MOST_NAMES = 7
"""So many rooms and files are named."""

LINE = re.compile(r"\n\n(?:Called by|Loaded by its name).*?(?=\n\n|\n?$)", re.DOTALL)


def name_of_module(path: Path) -> str:
    """Return a module's name below `solver`, such as `kernel.mate.dfpn`."""
    parts = path.relative_to(SOLVER).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    name_of_module(path): path
    for path in sorted(SOLVER.rglob("*.py"))
    if "-" not in path.name and path != SOLVER / "__init__.py"
}


def room_of(module: str) -> str:
    """Return the room of a module, such as `kernel.mate`."""
    room, _, file = module.rpartition(".")
    return module if MODULES[module].name == "__init__.py" else room or file


def imported_by(path: Path) -> set[str]:
    """Return the modules of ours that a file imports, also within functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "solver"
        ):
            base = (node.module or "").removeprefix("solver").removeprefix(".")
            for alias in node.names:
                whole = f"{base}.{alias.name}".removeprefix(".")
                found.add(whole if whole in MODULES else base)
    return found & MODULES.keys()


def listed(others: set[str], room: str) -> str:
    """Name files of the same room and other rooms: `a`, `b` and `c`."""
    beside = {other.rpartition(".")[2] for other in others if room_of(other) == room}
    rooms = {room_of(other) for other in others} - {room}
    words = ["most of its room"] if len(beside) > MOST_NAMES else quoted(beside)
    words += ["most rooms"] if len(rooms) > MOST_NAMES else quoted(rooms)
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def quoted(names: set[str]) -> list[str]:
    """Return names in order and in backticks."""
    return [f"`{name}`" for name in sorted(names)]


def sentences() -> dict[str, str]:
    """Return each module's sentence."""
    imports = {module: imported_by(path) for module, path in MODULES.items()}
    callers = defaultdict(set)
    for module, found in imports.items():
        for other in found - {module}:
            callers[other].add(module)
    result = {}
    for module, path in MODULES.items():
        if path.name == "__init__.py":
            continue
        room, used = room_of(module), imports[module] - {module}
        called = callers[module]
        first = f"Called by {listed(called, room)}" if called else "Loaded by its name"
        result[module] = (
            f"{first}; imports {listed(used, room) if used else 'no other'}."
        )
    return result


def rewrite(text: str, sentence: str) -> str:
    """Return a module's text with the sentence as the second paragraph."""
    node = ast.parse(text).body[0]
    lines = text.splitlines(keepends=True)
    end = node.end_lineno or 1
    doc = "".join(lines[:end]).rstrip()[3:-3]
    doc = LINE.sub("", doc, count=1).rstrip()
    title, _, rest = doc.partition("\n\n")
    wrapped = textwrap.fill(
        sentence, 88, break_on_hyphens=False, break_long_words=False
    )
    whole = "\n\n".join(filter(None, [title, wrapped, rest]))
    return f'"""{whole}\n"""\n' + "".join(lines[end:])


def outdated() -> dict[Path, str]:
    """Return the files whose sentence is out of date, with their new texts."""
    found = {}
    for module, sentence in sentences().items():
        path = MODULES[module]
        text = path.read_text(encoding="utf-8")
        new = rewrite(text, sentence)
        if new != text:
            found[path] = new
    return found


def main() -> None:
    """Rewrite the sentences."""
    for path, text in outdated().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
