"""Read Olive's collections (`.olv`), which are YACPDB's entries as YAML documents.

These fields of an entry are read, as YACPDB describes them (yacpdb-entry.md in Olive's
sources):

- `algebraic`: the pieces by colour, such as `[Kg3, Qh5, Sd4, Pe2]`; a knight is S;
- `stipulation`: such as `"#3"` or `h#2.5`, see `solver.problem`;
- `options`: Popeye's, see `compositions.Options`; anything else is a fairy condition;
- `twins`: Popeye's words by label, see `popeye`; the label `a` marks a zero position;
- `solution`: the key, if it is marked, see `compositions.find_marked_keys`, or the
  solutions of help play; with twins, in the part that follows the label, such as `b)`;
- `intended-solutions`: the number of keys (default: one), or of solutions of help play
  (default: as many as `solution` lists). `2.1.1` says how many moves continue each
  move, and counts as their product in help play, else as the first;
- `authors`, `title`, `source` and `date`: the problem's name.

Each twin is a separate problem, and its label follows the name. Fairy and neutral
pieces, conditions and other stipulations are refused.

Entries are documents separated by lines `---`, or items of a list. An entry that cannot
be parsed is reported and skipped.

Only text, lists and mappings are read from YAML; see `safe_yaml`.

This module needs PyYAML.
"""

from __future__ import annotations

import math
import re
from functools import partial
from typing import TYPE_CHECKING

import chess

from solver.errors import FormatError, InputError, quote, refuse
from solver.formats import compositions, popeye, safe_yaml, streams
from solver.formats.compositions import (
    WORD,
    Composition,
    PopeyeWords,
    parse_squares,
    piece_kind,
)
from solver.problem import MAX_SOLUTIONS, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from solver.formats.claims import Draft, FileSummary
    from solver.formats.compositions import Options


MAX_ENTRY_BYTES = 1 << 17
"""The longest solutions have about ten thousand; PyYAML reads about 10^5 per second."""

_LABEL = re.compile(r"[a-z]|z[0-9]{1,3}")
_NUMBERS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,20}(?:\.\.\.)?")
_PARTS = {"algebraic": "position", "stipulation": "stipulation", "twins": "twins"}
_PARTS |= {"options": "options", "conditions": "options"}
_PARTS |= dict.fromkeys(("authors", "title", "source", "date"), "name")
"""What is read from each field, for the summary."""

_find_en_passant_key = re.compile(
    r"^\s*1\s*\.\s*[a-h][1-8]?x?([a-h][36])\s*e\.?p\.?[^\n]*!", re.MULTILINE
).search
"""Finds a key that captures en passant: the last move was a double step."""

_COLORS = {"white": chess.WHITE, "black": chess.BLACK}


def read_olive(lines: streams.Lines, summary: FileSummary) -> streams.Records:
    """Read the problems of one of Olive's files; see `read_each`.

    Yields
    ------
    Problem or FormatError
        One for each twin, in file order.
    """
    parse = partial(_make_problems, summary)
    entries = safe_yaml.read_items(lines, MAX_ENTRY_BYTES, _mend)
    for found in streams.read_each(entries, summary.name, parse):
        yield from [found] if isinstance(found, FormatError) else found


def _mend(text: str) -> str:
    """Return YAML instead of tabs before text, and of references such as >>1234.

    YACPDB's entries have both.
    """
    return text.replace("\t", "  ").replace(">>", "//")


def _make_problems(summary: FileSummary, entry: object, source: str) -> streams.Records:
    """Return the problems of an entry after its pieces and twins are read."""
    if isinstance(entry, InputError):
        raise entry
    if not isinstance(entry, dict):
        refuse("expected an entry with algebraic and stipulation", _show(entry))
    if found := entry.get("conditions"):
        refuse("conditions: expected none", _show(found))
    for field in entry:
        if part := _PARTS.get(field):
            summary.read(part, field)
        elif "solution" not in field:  # the draft notes what claims are read from
            summary.ignore(field)
    diagram = Composition()
    diagram.stipulate(_text(entry.get("stipulation")))
    _parse_options(diagram, entry.get("options"))
    _place_pieces(diagram, entry.get("algebraic"))
    intended = _text(entry.get("intended-solutions"))
    solution = _text(entry.get("solution"))
    if found := _find_en_passant_key(solution):
        diagram.options.parse_next(PopeyeWords(["EnPassant", found[1]]))
    parts = compositions.parts_of(solution) if entry.get("twins") else {"": solution}
    read_claim = partial(_read_claim, diagram.options, intended, parts)
    twins = _parse_twins(diagram, entry.get("twins"), source)
    return popeye.make_problems(twins, _name(entry), source, summary, read_claim)


def _read_claim(
    options: Options, intended: str, parts: Mapping[str, str], draft: Draft, label: str
) -> None:
    """Read the keys that the solution marks, or the number of solutions.

    With `Duplex` the solution lists those of both sides without a distinction.
    """
    numbers = None
    if intended:
        field = "intended-solutions"
        numbers = draft.read("solutions", field, _parse_intended, intended)
    asked, part = draft.stipulation, parts.get(label, "").strip()
    if not asked.is_help:
        key = draft.position, part, numbers[0] if numbers else 1
        draft.keys = (
            draft.read("keys", "solution", compositions.find_marked_keys, *key) or ()
        )
    elif numbers:
        draft.solutions = math.prod(numbers)
    elif part and not intended and "Duplex" not in options:
        count = compositions.count_solutions
        draft.solutions = draft.read("solutions", "solution", count, part, asked)


def _parse_twins(diagram: Composition, twins: object, source: str) -> popeye.Twins:
    """Return the twins in the order of their labels.

    A label `a` means that the diagram is a zero position.
    """
    if not twins:
        return [popeye.Twin("", diagram)]
    if not isinstance(twins, dict) or not all(map(_LABEL.fullmatch, twins)):
        refuse("twins: expected labels such as b, each with changes", _show(twins))
    found: popeye.Twins = []
    twins = {"a": ""} | twins
    for label in sorted(twins, key=lambda label: (len(label), label)):
        words = PopeyeWords(WORD.findall(_text(twins[label])))
        if words:
            found.append(popeye.parse_twin(label, diagram, found, words, source))
        else:
            found.append(popeye.Twin(label, diagram))
    return found


def _parse_options(diagram: Composition, options: object) -> None:
    for option in _texts(options):
        words = PopeyeWords(option.split())
        if not diagram.options.parse_next(words) or words:
            refuse("conditions: expected none", quote(option))
    diagram.options.refuse("PostKeyPlay")


def _place_pieces(diagram: Composition, algebraic: object) -> None:
    if not isinstance(algebraic, dict):
        refuse("algebraic: expected lists of pieces", _show(algebraic))
    for color, pieces in algebraic.items():
        if color not in _COLORS and pieces:
            refuse("algebraic: expected white and black pieces", quote(color))
        for text in _texts(pieces):
            squares = parse_squares(text[-2:])
            if not squares:
                refuse("algebraic: expected pieces such as Kg3", quote(text))
            piece = chess.Piece(piece_kind(text[:-2]), _COLORS[color])
            diagram.place(squares[0], piece)


def _parse_intended(name: str, text: str) -> tuple[int, ...]:
    """Read `3` or `2.1.1...`: how many moves continue each move."""
    numbers = tuple(map(int, re.findall("[0-9]{1,4}", text)))
    if not _NUMBERS.fullmatch(text) or math.prod(numbers) > MAX_SOLUTIONS:
        refuse(f"{name}: expected a number, or one a move as in 2.1.1", quote(text))
    return numbers


def _name(entry: Mapping[str, object]) -> str:
    """Join the authors, the title, and the source with its year."""
    source = entry.get("source")
    if not isinstance(source, dict):
        source = {"name": source, "date": entry.get("date")}
    date = source.get("date")
    year = date.get("year") if isinstance(date, dict) else date
    authors = " & ".join(_texts(entry.get("authors")))
    title, name = _text(entry.get("title")), _text(source.get("name"))
    parts = (authors, title, name, _text(year)[:4])
    return printable(" / ".join(part for part in parts if part))


def _text(value: object) -> str:
    """Return text without the extra quotes that Olive adds; its None becomes empty."""
    text = value.strip().strip("\"'").strip() if isinstance(value, str) else ""
    return "" if text == "None" else text


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in map(_text, values) if text]


def _show(value: object) -> str:
    """Quote what was found, for a message."""
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {text}" for key, text in value.items())
    elif isinstance(value, list):
        value = ", ".join(map(str, value))
    return quote(str(value)) if value else "none"
