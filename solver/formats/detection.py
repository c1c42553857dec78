"""Find out which container of records a file is, from its first bytes.

The container is what parses: binary files by their magic numbers, JSON, PGN, YAML, TOML
and tables by their grammar, EPD by its opcodes. Everything else is text, of which every
FEN is found. A file's name decides only where two containers are equally likely.
"""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import unquote

from solver.formats import tables, words
from solver.formats.epd import is_operation
from solver.formats.evidence import FIELDS, plain_name
from solver.formats.solutions import has_moves
from solver.formats.text import ESCAPED_SLASH
from solver.position_text import find_fens

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAGIC = {b"PAR1": "parquet", b"SQLite format 3\0": "sqlite", b"PK\3\4": "zip"}
_MAGIC[b"PK\5\6"] = "zip"
_match_first = re.compile(
    rb'(?P<pgn>\[\s*(?:[A-Za-z0-9][\w+#=:-]*\s*"(?:.*"\s*\]|[^"]*\Z)'
    rb"|(?i:event|fen|setup)\b)|\{|[0-9]+\s*\.(?![0-9]))"  # also tags that are refused
    rb"|(?P<matecheck>DEBUG:|Logging of |Load(?:ed|ing) |(?:Only f|F)ound )"
    rb"|(?P<popeye>(?i:(?:beg|anf|deb|remark|bem)[a-z]*)(?:\s|\Z))"
    rb"|(?P<olive>---|- |-\Z|[A-Za-z_][\w -]*:(?:\s|\Z))"
).match
"""Matches the first record of a format that has its own reader."""

_is_tag = re.compile(r"\s*\[\s*\w+\s+\"").match
_is_json_line = re.compile(rb'\{\s*(?:"[^"]*"\s*:|\}|\Z)').match
_is_cut_object = re.compile(rb'\{(?:[^"{}\[\]]|"[^"]*")*[^"{}\[\],\s]\s*').fullmatch
"""Matches an object without its last brace: it holds no other, and no list."""

_find_olive = re.compile(r"^[ \t]*(?:-[ \t]*)?algebraic[ \t]*:", re.MULTILINE).search
_match_yaml = re.compile(
    r"(?:---\s*\n|\s*- +[\"']?[\w-]+[\"']?:(?:\s|\Z)"
    r"|[\"']?\w[\w -]*[\"']?:[ \t]*\n[ \t]+\S)"
).match
_is_yaml_line = re.compile(
    r"\s*(?:#.*|---.*|(?:- +)*(?:[\"']?[\w -]+[\"']?:(?:\s.*)?|[^:]*)|- .*)\Z"
).match
_match_toml = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\n)*[ \t]*"
    r"(?:\[\[?[\w. \"'-]+\]\]?\s*(?:#[^\n]*)?\n|[\w-]+\s*=\s*[\"'\[\d])"
).match
_find_toml_table = re.compile(
    r"^[ \t]*\[\[?[\w. \"'-]+\]\]?\s*(?:#.*)?$", re.MULTILINE
).search
_is_element = re.compile(
    r"\s*<(?:\?xml|!doctype|html|[a-z][\w:-]*[\s>])", re.IGNORECASE
).match
_find_closing = re.compile(r"</[\w:-]+>|/>").findall
_find_insert = re.compile(r"^[ \t]*INSERT INTO\s", re.MULTILINE | re.IGNORECASE).search
_COMMENTS = ("#", "%", ";")
_LEAST_FENS = 2
"""EPD has at least this many FENs for each other line."""

_LONGEST_LETTER = 4
"""The most bytes of a letter in UTF-8."""

_WHITE = "white"


def detect(head: bytes, name: str = "", *, is_whole: bool = True) -> str:
    """Return the name of a file's container, one of `registry.FORMATS`, or `zip`.

    Parameters
    ----------
    head : bytes
        Its beginning without a byte order mark.
    name : str
        Its name.
    is_whole : bool
        Whether this is all of it.
    """
    for magic, container in _MAGIC.items():
        if head.startswith(magic):
            is_book = container == "zip" and (b"xl/" in head or name.endswith(".xlsx"))
            return "xlsx" if is_book else container
    begun = head.lstrip()
    found = begun[:1] in {b"{", b"["} and _find_json(begun, is_whole=is_whole)
    return found or _find_text(_decoded(head), name, is_whole=is_whole)


def _find_text(text: str, name: str, *, is_whole: bool) -> str:
    """Return the container of a text that is not JSON."""
    text = unquote(text) if ESCAPED_SLASH in text else text
    lines = text.splitlines()
    if not is_whole and len(lines) > 1:
        lines.pop()  # it may be cut
    first = next(filter(_is_record, lines), "")
    matched = _match_first(first.strip().encode(errors="replace"))
    begun = str(matched.lastgroup) if matched else ""
    has_fens = any(find_fens(text))
    rules = (
        ("pgn", lambda: begun == "pgn" and (_is_tag(first) or not has_fens)),
        ("matecheck", lambda: begun == "matecheck"),
        ("popeye", lambda: begun == "popeye" and not any(find_fens(first))),
        ("olive", lambda: _find_olive(text)),
        ("yaml", lambda: _is_yaml(text, lines, name)),
        ("toml", lambda: _is_toml(text, name, is_whole=is_whole)),
        ("html", lambda: _is_element(text) and len(_find_closing(text)) > 1),
        ("markdown", lambda: "|" in text and tables.find_markdown(lines)),
        ("epd", lambda: is_epd(lines)),
        ("csv", lambda: is_header(first) or _is_table(text, lines)),
        ("olive", lambda: begun == "olive" and not has_fens),
    )
    needs = {"yaml", "toml", "html", "markdown"}
    has_any = has_fens or any(find_fens(text, nearly=True))
    return next(
        (
            container
            for container, holds in rules
            if (has_any or container not in needs) and holds()
        ),
        "text",
    )


def _is_table(text: str, lines: list[str]) -> bool:
    return not _find_insert(text) and tables.find_delimiter(lines) is not None


def is_binary(head: bytes) -> bool:
    """Return whether the first line of a file shows that it is binary."""
    line = head.lstrip().partition(b"\n")[0]
    controls = len(line) - len(line.translate(None, _CONTROLS))
    return controls * _TEXT_BYTES > len(line)


_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r"})
_TEXT_BYTES = 20
"""A file is binary if its first line has more than one control character in this many
bytes."""


def _decoded(head: bytes) -> str:
    try:
        return head.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # a letter that is cut
            return head[: error.start].decode()
        return head.decode("cp1252", errors="replace")


def _is_record(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(_COMMENTS)


def _find_json(head: bytes, *, is_whole: bool) -> str:
    """Return `json` or `jsonl`; empty if the text is something else."""
    line, _, rest = head.partition(b"\n")
    following = rest.lstrip()[:1]
    try:
        value = json.loads(line)
    except RecursionError:
        return "json"
    except ValueError:
        is_object = _is_json_line(line) and (rest or is_whole) and b'"' in line
        if is_object and (b"}" in line or _is_cut_object(line)):
            return "jsonl" if following in {b"{", b""} else "json"
        return "json" if _begins_json(head) else ""
    if following:
        return "jsonl" if isinstance(value, dict) or following == b"[" else "json"
    if not isinstance(value, dict):
        return "json"
    nested = any(isinstance(one, dict | list) for one in value.values())
    return "jsonl" if any(map(_is_fen, value.values())) or not nested else "json"


def _is_fen(value: object) -> bool:
    return isinstance(value, str) and any(find_fens(value, nearly=True))


def _begins_json(head: bytes) -> bool:
    """Return whether a text is JSON, even if it is cut or has a fault further on."""
    from solver.formats.json_tokens import parse_tokens

    tokens = [*parse_tokens([head], is_whole=False)]
    return tokens[-1][0] != "fault" or len(tokens) > _SURE


_SURE = 3
"""A text with more tokens of JSON than this is JSON, even with a fault; `[Event` has
one token."""


def _is_yaml(text: str, lines: Sequence[str], name: str) -> bool:
    if name.endswith((".yaml", ".yml")):
        return True
    if not (_match_yaml(text.lstrip("\n")) and all(map(_is_yaml_line, lines))):
        return False
    if find_spec("yaml") is None:
        return True
    from solver.formats.safe_yaml import read_items

    numbered = enumerate((f"{line}\n".encode() for line in lines), 1)
    found = (value for _, value in read_items(numbered, len(text) * _LONGEST_LETTER))
    return all(isinstance(value, dict | list) for value in found)


def _is_toml(text: str, name: str, *, is_whole: bool) -> bool:
    """Return whether a text is TOML; a cut one need be only up to its last table."""
    import tomllib

    if name.endswith(".toml"):
        return True
    if not (_match_toml(text) and _find_toml_table(text)):  # unlike lists in a program
        return False
    try:
        tomllib.loads(text if is_whole else text[: text.rindex("\n[")])
    except ValueError:
        return False
    return True


def is_header(line: str) -> bool:
    """Return whether a line names the columns of a table: one has a position's name."""
    known = {*FIELDS["position"].split()}
    rows = ([cell.strip(' "#\r') for cell in line.split(by)] for by in ",;\t|")
    return any(
        all(map(_is_column_name, cells))
        and not known.isdisjoint(map(plain_name, cells))
        for cells in rows
    )


_is_column_name = re.compile(r"[\w .'/-]{0,40}").fullmatch


def is_epd(lines: Sequence[str]) -> bool:
    """Return whether lines are FENs, with opcodes or nothing after them.

    Text with headings, words or moves around its FENs is not such a list.
    """
    fens = others = 0
    for line in lines:
        if not line.strip():
            continue
        found = next(find_fens(line, nearly=True), None) if "/" in line else None
        if not _is_record(line) or found is None:
            others += _is_record(line)
            if has_moves(line) or _says_something(line) or _is_bracket(line):
                return False
            continue
        before, after = line[: found.start].strip(), line[found.end :].strip()
        is_plain = not after.strip("\"'`;,|\0 ") or is_operation(after)
        if not (_is_before(before) and is_plain):
            others += 1
        fens += 1
    return fens > 0 and others * _LEAST_FENS <= fens


_is_before = re.compile(r"[\"'`]*|[\"'`]?\S+://\S*").fullmatch
"""Quotes, or the address of an analysis board."""

_is_bracket = re.compile(r"\s*[\[\](){},;]+\s*").fullmatch


def _says_something(line: str) -> bool:
    return bool(words.find_lengths(line, _WHITE)) or words.has_goal(line)
