"""One name for one thing, in every language: `python -m tools.names` writes the table.

The table of docs/reference/api.md is made from `NAMES` and `EXCEPTIONS`.
`tools.lint` compares the names of the Python package, `npm/matesolve.d.ts` and the
tools of `matesolve mcp` with them.
"""

from __future__ import annotations

import inspect
import json
import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import solver
from solver import record

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "api.md"
BEGIN, END = "<!-- names -->\n", "<!-- end of names -->\n"

NAMES = {
    # Questions
    "solve": "find the shortest mate",
    "grade": "grade a line",
    "variations": "the whole play of a problem",
    "solver": "what solves one problem after the other; in a record, its version",
    "fen": "a position",
    "moves": "moves played from there before the question",
    "stipulation": "what a composition demands, such as `#2` and `h#2.5`",
    "line": "moves that are graded or claimed; of a grade, those before the fault",
    "within": "any mate within so many moves is wanted",
    "max_moves": "the longest mate to look for",
    "root_moves": "the only first moves to search",
    "repair": "whether to repair the text of a position",
    "set_play": "what would follow if the defender began, or whether to show it",
    "tries": "first moves that few defences refute, or how many may",
    # Limits
    "nodes": "positions entered by a search, or the most",
    "time_s": "seconds of searching, or the most",
    "hash_mib": "the largest size of the table in MiB",
    # Answers
    "status": "how far the question is answered",
    "mate": "moves to mate; negative: the side to move is mated",
    "lower_bound": "no mate takes fewer moves: proved",
    "pv": "the mating line",
    "keys": "first moves that mate as fast, or whether to find them all",
    "keys_complete": "whether these are all keys",
    "stopped_by": "the limit that ended a search early",
    "solutions": "all solutions of help play",
    "solutions_complete": "whether these are all solutions",
    "restriction": "which moves the attacker may play",
    "tablebase": "the tablebases on which an answer rests",
    "claim": "what the source says about a problem",
    "id": "the source's name for a problem",
    "source": "where a problem is from, `file:line`",
    "accepted": "the tree of the moves that count as right",
    "warnings": "what was repaired, or could not be read",
    "error": "why a row cannot be read",
    "text": "records to check, or the text of a stipulation",
    # Grades
    "is_right": "whether a line keeps the mate",
    "ply": "the first ply at which a line fails, from 0",
    "reason": "why a line is not right",
    "right_moves": "all moves that were right at that ply",
    "ends_in_mate": "whether the last of the moves mates at once",
    "wrong_move": "the attacker's move that no longer mates in time",
    "reply": "the defender's longest reply to a right move",
    "refutation": "the reply to a wrong move, which leaves no mate in time",
    "longer_mate": "in how many moves the wrong move mates all the same",
    "longer_status": "how far that is proved",
}
"""What a name of Python, of a tool for assistants and of a record means.

npm's name is the same in camelCase; in Python, `keys_san` is `keys` in SAN.
"""


class OwnNames(NamedTuple):
    """Names that only one interface has.

    Attributes
    ----------
    names : str
        With spaces between them.
    where : str
        `npm` or `MCP`.
    reason : str
        What the other languages have instead, or why they have nothing.
    """

    names: str
    where: str
    reason: str


EXCEPTIONS = (
    OwnNames("uci san", "npm, MCP", "a move is one record; Python has two tuples"),
    OwnNames("signal throw_on_abort", "npm", "an AbortSignal; Python's `control`"),
    OwnNames("on_progress progress", "npm", "Python's `control` shows the progress"),
    OwnNames("options", "npm", "one object; Python has keyword arguments"),
    OwnNames("create_solver dispose", "npm", "Python's `Solver()` needs no worker"),
    OwnNames("code", "npm", "Python has a class for each kind of error"),
    OwnNames(
        "legal_moves side_to_move is_check is_checkmate is_stalemate",
        "MCP",
        "a position for assistants; Python has python-chess, and npm `chess.js`",
    ),
    OwnNames("diagram arrows kind", "MCP", "a picture; Python has `_repr_svg_`"),
    OwnNames(
        "check_collection summary totals results not_checked verdict disagreements",
        "MCP",
        "records of `matesolve verify`, which Python does not have",
    ),
    OwnNames("schema", "MCP", "the version of the records"),
)


def camel_case(name: str) -> str:
    """Return the name that npm has."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def snake_case(name: str) -> str:
    """Return the name that Python has."""
    return re.sub(r"(?<=[a-z])[A-Z]", lambda found: f"_{found[0].lower()}", name)


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
    return {*map(snake_case, found)}


def properties(schema: object) -> set[str]:
    """Return the names of a JSON schema's properties."""
    if isinstance(schema, dict):
        own = set(schema.get("properties", ()))
        return own.union(*map(properties, schema.values()))
    return set().union(*map(properties, schema)) if isinstance(schema, list) else set()


def tool_names() -> set[str]:
    """Return the names of the tools for assistants, and of their fields."""
    text = (ROOT / "solver" / "mcp" / "tools.json").read_text(encoding="utf-8")
    tools = json.loads(text)["tools"]
    found = {tool["name"] for tool in tools} | properties(json.loads(text))
    return {name.removesuffix("_san") for name in found}


def own_names(where: str) -> set[str]:
    """Return the names that only one interface has."""
    rows = (row for row in EXCEPTIONS if where in row.where)
    return {name for row in rows for name in row.names.split()}


def faults() -> Iterator[str]:
    """Report where the interfaces and the table differ."""
    python, npm, tools = python_names(), npm_names(), tool_names()
    for interface, found, own in (
        ("Python", python, PYTHON_ONLY),
        ("npm", npm, own_names("npm")),
        ("MCP", tools, own_names("MCP")),
    ):
        for name in sorted((found - {*NAMES}) ^ own):
            yield f"tools/names.py: expected the same names as {interface}, not {name}"
    for name in sorted({*NAMES} - {*record.FIELDS}.union(python, npm, tools)):
        yield f"tools/names.py: expected a name of some interface, found {name}"
    page = PAGE.read_text(encoding="utf-8")
    if rewritten(page) != page:
        yield f"{PAGE}: expected the table of today: run python -m tools.names"


def table() -> str:
    """Return both tables in Markdown."""
    lines = ["| Python, MCP, records | npm | what it is |", "|---|---|---|"]
    lines += [f"| `{name}` | `{camel_case(name)}` | {NAMES[name]} |" for name in NAMES]
    lines += ["", "These are in one interface only:", ""]
    lines += ["| name | where | why |", "|---|---|---|"]
    for names, where, reason in EXCEPTIONS:
        spelled = map(camel_case if where == "npm" else str, names.split())
        quoted = ", ".join(f"`{name}`" for name in spelled)
        lines.append(f"| {quoted} | {where} | {reason} |")
    return "".join(f"{line}\n" for line in lines)


def rewritten(page: str) -> str:
    """Return a page with the tables of today."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{table()}\n{end}{after}"


def main() -> None:
    """Rewrite the page."""
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
