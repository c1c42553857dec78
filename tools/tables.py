"""What docs and pages say in tables of the program: `python -m tools.tables`.

It rewrites the names of the interfaces in docs/reference/api.md, the fields of records
in record.md, store.md and the type of a page's records. `tools.lint` reports what is
out of date, and compares the names of the Python package, `npm/matesolve.d.ts` and the
tools of `matesolve mcp` with the table.
"""

from __future__ import annotations

import inspect
import json
import re
from collections import defaultdict
from enum import Enum
from functools import partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import solver
from solver import record
from solver.audit.store import ANSWER_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
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


def name_table() -> str:
    """Return the names of the interfaces, in Markdown."""
    lines = ["| Python, MCP, records | npm | what it is |", "|---|---|---|"]
    lines += [f"| `{name}` | `{camel_case(name)}` | {NAMES[name]} |" for name in NAMES]
    lines += ["", "These are in one interface only:", ""]
    lines += ["| name | where | why |", "|---|---|---|"]
    for names, where, reason in EXCEPTIONS:
        spelled = map(camel_case if where == "npm" else str, names.split())
        quoted = ", ".join(f"`{name}`" for name in spelled)
        lines.append(f"| {quoted} | {where} | {reason} |")
    return "\n".join(lines)


# Fields of records

SCHEMA = "`schema`", '<!-- sample: {"schema":{}, -->1, the version of the record'
COMPUTED = {
    "solutions_found": "help play: how many were found, if an interrupt left some of "
    "them out of `solutions`",
    "play": "with `--variations`: [the whole play](#the-play)",
    "accepted": "with `--accepted`: [every move that is as good](#accepted-moves)",
    "disagreements": "what contradicts the claim, in the words of `--fail-on`",
}
"""What the fields mean that are computed from others."""

SQL_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT"}


def field_table(*, audits: bool, some: bool = False) -> str:
    """Return fields of records and what they mean, in Markdown.

    Parameters
    ----------
    audits : bool
        Those that only the records of audits have.
    some : bool
        Of the others, those that only some records have.
    """
    meant = {
        name: " ".join(text.split())
        for name, text in re.findall(
            r"^ {4}(\w+)\n((?: {8}.+\n)+)", record.Record.__doc__ or "", re.MULTILINE
        )
    } | COMPUTED
    rows = [SCHEMA] if not (audits or some) else []
    for name, field in (record.FIELDS | record.COMPUTED).items():
        is_audits = field.is_audits or field.of is record.Of.UNREADABLE
        if is_audits == audits and (audits or (field.of is record.Of.SOME) == some):
            rows.append((f"`{name}`", meant[name]))
    return "\n".join(f"| {' | '.join(row)} |" for row in [HEAD, RULE, *rows])


HEAD, RULE = ("field", "value"), ("---", "---")


def column_table() -> str:
    """Return how the store has each field, in Markdown."""
    groups = defaultdict[tuple[str, str], list[str]](list)
    for name in ANSWER_COLUMNS:
        kind = record.FIELDS[name].kind
        groups[SQL_TYPES[kind.column], kind.stored].append(f"`{name}`")
    rows = [(", ".join(names), *group) for group, names in groups.items()]
    heads = [("columns", "type", "value"), ("---",) * 3]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*heads, *rows])


def script_type() -> str:
    """Return the type of a page's records, in the words of TypeScript."""
    lines = []
    for name, field in (record.FIELDS | record.COMPUTED).items():
        hint = record.Record.__annotations__.get(name)
        may_be_null = NoneType in get_args(get_args(hint)[0] if hint else None)
        always = (record.Of.ALL, record.Of.READABLE)
        script = field.kind.script
        script += " | null" if may_be_null and field.of in always else ""
        is_sure = field.of is record.Of.ALL and not field.is_audits
        lines.append(f" * @property {{{script}}} {name if is_sure else f'[{name}]'}")
    return "\n".join(lines)


# The files

DOCS = ROOT / "docs" / "reference"
MADE = (
    (DOCS / "api.md", "names", name_table),
    (DOCS / "record.md", "fields", partial(field_table, audits=False)),
    (DOCS / "record.md", "some fields", partial(field_table, audits=False, some=True)),
    (DOCS / "record.md", "fields of audits", partial(field_table, audits=True)),
    (DOCS / "store.md", "columns", column_table),
    (ROOT / "solver" / "pages" / "modules" / "records.mjs", "fields", script_type),
)
"""What is made: its file, its name there, and what returns it."""


def rewritten(text: str, name: str, made: str) -> str:
    """Return a text with what is made between its two marks."""
    mark = re.escape(name)
    page = rf"(<!-- {mark} -->\n\n).*?(\n\n<!-- end of {mark} -->)"
    script = rf"( \* @typedef \{{object\}} {name.capitalize()}\n).*?(\n \* @typedef)"
    return re.sub(
        rf"(?s){page}|{script}",
        lambda found: (found[1] or found[3]) + made + (found[2] or found[4]),
        text,
    )


def outdated() -> Iterator[tuple[Path, str]]:
    """Yield the files that do not have what is made today, and their new texts."""
    for path in dict.fromkeys(path for path, _, _ in MADE):
        text = before = path.read_text(encoding="utf-8")
        for _, name, make in (one for one in MADE if one[0] == path):
            text = rewritten(text, name, make())
        if text != before:
            yield path, text


def faults() -> Iterator[str]:
    """Report where the interfaces and the tables differ."""
    python, npm, tools = python_names(), npm_names(), tool_names()
    for interface, found, own in (
        ("Python", python, PYTHON_ONLY),
        ("npm", npm, own_names("npm")),
        ("MCP", tools, own_names("MCP")),
    ):
        for name in sorted((found - {*NAMES}) ^ own):
            yield f"tools/tables.py: expected the same names as {interface}, not {name}"
    for name in sorted({*NAMES} - {*record.FIELDS}.union(python, npm, tools)):
        yield f"tools/tables.py: expected a name of some interface, found {name}"
    for path, _ in outdated():
        yield f"{path}: expected the tables of today: run python -m tools.tables"


def main() -> None:
    """Rewrite the files."""
    for path, text in outdated():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
