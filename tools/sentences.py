"""Draw sentences to check their English: `python -m tools.sentences SEED [COUNT]`.

A quarter each comes from the help, the docs, the docstrings and the messages. `all` in
place of COUNT prints every sentence. The same seed draws the same ones of a revision.
"""

from __future__ import annotations

import ast
import inspect
import random
import re
import sys
from typing import TYPE_CHECKING

from solver.cli.main import matesolve
from tools.listing import commands, listing
from tools.samples import PAGES, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODULES = sorted((ROOT / "solver").glob("**/*.py"))
NOT_PROSE = re.compile(
    r"^---\n.*?^---\n|^(```+|:::+).*?^\1$|<!--.*?-->|^!\[.*?\)|^[|#].*?$|^\([\w-]+\)=$|^\[[^]]*\]:.*?$",
    re.DOTALL | re.MULTILINE,
)
TERM = re.compile(r"\{term\}`([^`<]*?)(?: <[^`]*>)?`")
END = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z`\"(*{-])|\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) | *\S+  )"
)
NOT_ENGLISH = re.compile(
    r"SELECT|INSERT|CREATE|[<>=]{2}|</|\* \{|^%|^matesolve|^info |^type |^nodes \{|i64"
)
PLACEHOLDER = re.compile(r"\{[^}]*\}")
WORD = re.compile(r"(?:^|[\s(])[a-z]{2,}(?=[\s,.;:)]|$)")
Place = tuple[str, int, str]


def sentences(text: str, path: Path, line: int) -> Iterator[Place]:
    """Yield the sentences of a text that begins in this line, each with its place."""
    start = 0
    for end in [*END.finditer(text), None]:
        sentence = text[start : end.start() if end else None]
        at = line + text[: start + len(sentence) - len(sentence.lstrip())].count("\n")
        start = end.end() if end else start
        shown = " ".join(sentence.split())
        if len(
            WORD.findall(PLACEHOLDER.sub("x", shown))
        ) >= 5 and not NOT_ENGLISH.search(shown):
            yield str(path.relative_to(ROOT)), at, shown


def docs() -> Iterator[Place]:
    """Yield the prose of the pages: no code, tables, headings and directives."""
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        prose = NOT_PROSE.sub(lambda found: "\n" * found[0].count("\n"), page)
        yield from sentences(TERM.sub(r"\1", prose), path, 1)


def strings() -> Iterator[tuple[Path, int, str, bool]]:
    """Yield the strings of solver/, and whether each is a docstring."""
    for path in MODULES:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        formats = [node for node in nodes if isinstance(node, ast.JoinedStr)]
        inside = {id(part) for node in formats for part in list(ast.walk(node))[1:]}
        bare = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in (node for node in nodes if id(node) not in inside):
            if isinstance(node, ast.JoinedStr):
                yield path, node.lineno, ast.unparse(node)[2:-1], False
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = inspect.cleandoc(node.value)
                yield path, node.lineno, text, id(node) in bare


def drawn_from() -> list[list[Place]]:
    """Return the sentences of the four sources."""
    shown = [option.option.help for option in listing()]
    for _, command in [("", matesolve), *commands()]:
        shown += [command.help, command.epilog]
    helps = {" ".join(text.split()) for text in shown if text}
    found: list[list[Place]] = [[], list(docs()), [], []]
    for path, line, text, is_docstring in strings():
        of_help = " ".join(text.replace("\f", "").split()) in helps
        body = re.split(r"\n.*\n---|(?:^|\n)Examples:", text)[0]
        source = found[0 if of_help else 2 if is_docstring else 3]
        source += sentences(body, path, line)
    return [sorted(set(places)) for places in found]


if __name__ == "__main__":
    COUNT = sys.argv[2] if sys.argv[2:] else "40"
    DRAW = random.Random(int(sys.argv[1]))
    for places in drawn_from():
        drawn = places if COUNT == "all" else DRAW.sample(places, int(COUNT) // 4)
        print(*(f"{path}:{line}: {text}" for path, line, text in drawn), sep="\n")  # noqa: T201
