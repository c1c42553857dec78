"""Rules of this project that no other tool checks: `python -m tools.lint`.

It prints a line for each fault, and exits with 1 if there is one. The rules are about
words, names, sizes, and what CONTRIBUTING.md and the workflows say of the repository.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tools import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]

# Words: the word to use instead stands behind each.

REPLACED = {
    "accompany": "help",
    "accused": "solver",
    "companion": "helper thread",
    "conductor": "bounds search",
    "crew": "helper threads",
    "desk": "work queue",
    "examiner": "audit job",
    "finder": "df-pn search",
    "gauge": "progress",
    "inquiry": "audit options",
    "judge": "checker",
    "lane": "restriction",
    "lanes": "restrictions",
    "men": "pieces",
    "retreat": "unmove",
    "retreats": "unmoves",
    "tell": "print, report, return or show",
    "tells": "prints, reports, returns or shows",
    "told": "printed, reported, returned or shown",
}
FOLDERS = (
    *("docs", "integrations", "npm", "puzzles", "solver", "tests", "tools"),
    *("benchmarks", ".github", ".ci"),
)
TEXT = {".py", ".md", ".yml", ".yaml", ".js", ".mjs", ".css", ".html", ".json", ""}
TEXT |= {".ts", ".toml"}
NOT_OURS = {"CHANGELOG.md", "LICENSE", "lint.py"}
WORD = re.compile(r"[A-Z]?[a-z]+")


def texts() -> Iterator[Path]:
    """Yield the files whose words are checked."""
    for folder in (ROOT, *(ROOT / name for name in FOLDERS)):
        for path in folder.glob("*" if folder == ROOT else "**/*"):
            is_made = {"_build", "__pycache__", "node_modules"} & {*path.parts}
            is_text = path.suffix in TEXT and path.is_file()
            if is_text and not is_made and path.name not in NOT_OURS:
                yield path


def word_faults() -> Iterator[str]:
    """Report words that have a better one, also inside identifiers."""
    for path in texts():
        text = path.read_text(encoding="utf-8").replace("PathFinder", "")
        for found in sorted({word.lower() for word in WORD.findall(text)}):
            if found in REPLACED:
                yield f"{path}: expected `{REPLACED[found]}`, found `{found}`"


# Names

SHARED = {
    *("has_ended", "least_moves", "list_replies", "loses_within"),
    *("may_pass", "may_solve"),  # of mates and of battle play: see `turns`
    "entry",  # of each compiled part
    "generate",  # moves in the kernel; problems in Python
}
"""Public functions that several files may define."""

FOREIGN = {
    *("Author", "Award", "Black", "Event", "Keys", "NoMate", "Remark", "Round"),
    *("SetPlay", "Solutions", "Title"),
    # Of Popeye
    *("BeginProblem", "Continued", "Duplex", "EnPassant", "EndProblem", "Forsyth"),
    *("HalfDuplex", "InitialGameArray", "MaxTime", "NextProblem", "NoCastling"),
    *("PolishType", "PostKeyPlay", "Remove", "WhiteToPlay", "ZeroPosition"),
}
"""Words of formats that docstrings quote."""

QUOTED = re.compile(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)(?:\.\w+)*(?:\(\))?`")
TYPED = re.compile(
    r"^( *)(?:Parameters|Returns|Yields|Attributes)\n\1-+\n(.*?)(?=\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
CLASS = re.compile(r"(?<![.\w])[A-Z][a-z]+(?:[A-Z][a-z]+)*\b")


class Module:
    """A file of solver/, its docstrings, and the names in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.docstrings: list[tuple[int, str]] = []
        self.names = set(dir(builtins))
        for node in ast.walk(self.tree):
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    self.docstrings.append((node.lineno, text))
                case ast.ClassDef() | ast.FunctionDef():
                    self.names.add(node.name)
                case ast.Import() | ast.ImportFrom():
                    self.names |= {alias.asname or alias.name for alias in node.names}
                case ast.Name(ctx=ast.Store()):
                    self.names.add(node.id)

    def defined(self, kind: type[ast.AST]) -> list[str]:
        """Return the names of functions or classes at the top level."""
        nodes = [node for node in self.tree.body if isinstance(node, kind)]
        return [str(getattr(node, "name", "")) for node in nodes]

    def unknown(self, known: set[str]) -> Iterator[str]:
        """Report names in docstrings that nothing has."""
        for line, text in self.docstrings:
            found = QUOTED.findall(text)
            for indent, body in TYPED.findall(text):
                rows = re.findall(rf"^{indent}(\S.*)", body, re.MULTILINE)
                for row in rows:
                    found += CLASS.findall(row.partition(" : ")[2] or row)
            for name in sorted({*found} - known - FOREIGN):
                yield f"{self.path}:{line}: expected a name of ours, found {name}"


def name_faults() -> Iterator[str]:
    """Report names that two things have, and names that nothing has."""
    modules = [Module(path) for path in sorted((ROOT / "solver").rglob("*.py"))]
    classes, functions = (
        defaultdict[str, list[str]](list),
        defaultdict[str, list[str]](list),
    )
    for module in modules:
        room = module.path.relative_to(ROOT / "solver").parts[0]
        for name in module.defined(ast.ClassDef):
            classes[name].append(str(module.path))
        for name in module.defined(ast.FunctionDef):
            if name[0] != "_" and room not in {"cli", "mcp"} and name not in SHARED:
                functions[name].append(str(module.path))
    for name, paths in (*classes.items(), *functions.items()):
        if len(paths) > 1:
            yield f"{name}: expected one definition, found {', '.join(paths)}"
    known = {name for module in modules for name in module.names}
    for module in modules:
        yield from module.unknown(known)


# Sizes and code


def code_faults() -> Iterator[str]:
    """Report files that are too long, and patterns that old Pythons match wrongly."""
    group = re.compile(r"\)\s*(?:[*+?]|\{[0-9,]+\})\+")  # python/cpython#106052
    for path in sorted((ROOT / "solver").rglob("*.*")):
        if path.suffix in {".py", ".js", ".mjs", ".css", ".html"}:
            text = path.read_text(encoding="utf-8")
            if (lines := text.count("\n")) > 800:
                yield f"{path}: expected at most 800 lines, found {lines}"
            if path.suffix == ".py" and group.search(text):
                yield f"{path}: expected no group that is repeated possessively"


# The repository

COMMAND = re.compile(r"python -m ((?:tools|benchmarks)\.\w+)")
PINNED = re.compile(
    r"uses: ([\w.-]+/[\w./-]+)@[0-9a-f]{40}  # v\d+\.\d+\.\d+|uses: \./\S*"
)


def repository_faults() -> Iterator[str]:
    """Report what CONTRIBUTING.md leaves out, and actions without a commit."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (ROOT / "solver").glob("*/__init__.py")}
    runs = {
        f"{path.parent.name}.{path.stem}"
        for room in ("tools", "benchmarks")
        for path in (ROOT / room).glob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    for shown, there in (
        ({*re.findall(r"^ {4}(\w+)/ ", page, re.MULTILINE)}, rooms),
        ({*COMMAND.findall(page)}, runs),
    ):
        for name in sorted(shown ^ there):
            yield f"CONTRIBUTING.md: expected {name} here and in the repository"
    for path in (*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "action.yml"):
        for line in path.read_text(encoding="utf-8").splitlines():
            used = line.strip().removeprefix("- ")
            if re.match(r"[\"']?uses[\"']? *:", used) and not PINNED.fullmatch(used):
                yield f"{path}: expected a commit and its version, found {used}"


def faults() -> list[str]:
    """Return all faults of the files."""
    finders = (word_faults, name_faults, code_faults, repository_faults)
    return [fault for find in finders for fault in find()]


def main() -> None:
    """Print all faults, those of the names of the interfaces included."""
    found = [*faults(), *tables.faults()]
    print(*found, sep="\n", end="\n" if found else "")  # noqa: T201
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
