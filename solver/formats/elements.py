"""The records of HTML and XML: elements that hold one position each.

1. `_Markup` builds the tree of elements, each with the boards inside it.
2. A record is the largest element with one board. Lists, tables and sections that hold
   several are walked through, and collect headings on the way.
3. Paragraphs and lines with positions between other texts, and scripts, are left to the
   reader of text.

Nothing here says what a field means.
"""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from solver.errors import refusal
from solver.formats import words
from solver.formats.entries import Entry
from solver.formats.evidence import WHITE
from solver.formats.tables import entry_of, name_columns
from solver.position_text import find_fens

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARACTERS = 1 << 25
"""The longest text that is read: its tree is in memory."""

_MAX_DEPTH = 100
"""Elements that are deeper become part of the one around them."""

_MAX_OPENED = 1000
"""The parser takes quadratic time for elements that do not end."""

_TITLE = "HTML or XML"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_LINES = _names(
    "article aside blockquote center dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 "
    "header hr li main nav ol p pre section table tr ul"
)
"""Elements of HTML that stand on lines of their own."""

_TEXT = "#text"
_HTML = _VOID | _LINES
_HTML |= _names(
    "#text a abbr b big body button caption cite code del details em figcaption font "
    "head html i label legend mark option q s samp select small span strong sub sup "
    "summary tbody td template textarea tfoot th thead time title tt u"
)
"""Elements whose names do not describe their content."""

_WALKED = _names("html head body main")
"""Elements that are no record even if there is one position in the file."""

_STYLE = _names("class style href src width height lang role target rel")
"""Attributes of HTML that say nothing about a record."""

_HEADS = {"title": 0, "caption": 7, "legend": 7} | {f"h{n}": n for n in range(1, 7)}
_TEXT_LEVEL = 8
"""The level of a text that precedes records without being a heading."""

_ENDED_BY = {"li": "li", "p": "p", "tr": "td th tr", "td": "td th", "th": "td th"}
"""The elements that end where one of these begins."""

_LONG = 8
"""A text of at least this length counts once if it occurs twice in a record."""

_BREAK = "\v"
"""Separates lines; several in a row count as one."""

_match_label = re.compile(r"\W{0,3}([^\W\d][\w ()-]{0,30}?)\s*:(?!//)\s*(\S.*)").match


class _Element:
    """A text, or an element, its attributes, and what is inside it.

    Attributes
    ----------
    boards : set of str
        At most two of the boards inside it.
    """

    def __init__(
        self, tag: str, line: int, attributes: dict[str, str], content: str = ""
    ) -> None:
        self.tag, self.line, self.attributes = tag, line, attributes
        self.content = content
        self.children: list[_Element] = []
        self.boards: set[str] = set()

    def text(self) -> str:
        """Return the text inside it; blocks of HTML, and elements of XML, are lines."""
        text = self.content + "".join(each.text() for each in self.children)
        if self.tag in _HEADS:
            return f"{_BREAK}\n# {text}\n{_BREAK}"
        if self.tag in {"td", "th"}:
            return f"{text} "
        is_line = self.tag in _LINES or self.tag not in _HTML
        return f"{_BREAK}{text}{_BREAK}" if is_line else text

    def lines(self) -> str:
        """Return the text inside it with its lines."""
        return re.sub(f"[ {_BREAK}]*{_BREAK}[ {_BREAK}]*", "\n", self.text()).strip()

    def find(self, *tags: str) -> Iterator[_Element]:
        """Yield the elements with these names that it is, or holds outside others."""
        if self.tag in tags:
            yield self
        else:
            for each in self.children:
                yield from each.find(*tags)


def _boards(text: str) -> set[str]:
    return {found.fen.partition(" ")[0] for found in find_fens(text)}


def _joined(text: str) -> str:
    return " ".join(text.split()).removeprefix("# ")


class _Markup(HTMLParser):
    """Builds the tree of elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [_Element("body", 1, {})]
        self.scripts: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        while self.open[-1].tag in _ENDED_BY.get(tag, "").split():
            self.open.pop()
        attributes = {name: value or "" for name, value in attrs}
        element = _Element(tag, self.getpos()[0], attributes, _BREAK * (tag == "br"))
        self._add(element, *attributes.values())
        if not (tag in _VOID or len(self.open) > _MAX_DEPTH):
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self.open) - 1, 0, -1):
            if self.open[at].tag == tag:
                del self.open[at:]
                return

    def handle_data(self, data: str) -> None:
        line, tag = self.getpos()[0], self.open[-1].tag
        if tag == "script":
            self.scripts.append((line, data))
        elif tag != "style":
            if not any(each.tag in {"pre", "textarea"} for each in self.open):
                data = re.sub(r"\s+", " ", data)
            self._add(_Element(_TEXT, line, {}, data), data)

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):
            self.handle_data(data.removeprefix("CDATA["))

    def _add(self, element: _Element, *texts: str) -> None:
        self.open[-1].children.append(element)
        for board in {board for text in texts for board in _boards(text)}:
            for each in (*self.open, element):
                if len(each.boards) < 2:
                    each.boards.add(board)


def read_elements(text: str) -> Iterator[Entry]:
    """Read the records of HTML or XML.

    Parameters
    ----------
    text : str
        The whole text.

    Yields
    ------
    Entry
        The records in the order of the text, then scripts that hold FENs. The number is
        that of the line. What the reader of text must read has the only field `text`.

    Raises
    ------
    InputError
        The text is too long, or is not HTML or XML.
    """
    if len(text) > MAX_CHARACTERS:
        raise refusal(_TITLE, f"at most {MAX_CHARACTERS:,} characters", len(text))
    opened = max(piece.count("<") for piece in text.split(">"))
    if opened > _MAX_OPENED:
        raise refusal(_TITLE, f"a > after at most {_MAX_OPENED:,} <", opened)
    tree = _Markup()
    tree.feed(text)
    tree.close()
    if tree.open[0].boards:
        yield from _walk(tree.open[0], {})
    for line, script in tree.scripts:
        if any(find_fens(script)):
            yield Entry(line, {"text": script})


def _walk(element: _Element, heads: dict[int, str]) -> Iterator[Entry]:
    """Yield the records of an element that holds several; change the headings.

    A text is a heading, unless a record precedes the first one.
    """
    if names := _header(element):
        yield from _read_rows(element, names, {**heads})
        return
    for value in element.attributes.values():
        if words.find_lengths(value, WHITE):
            heads = {**heads, _TEXT_LEVEL: value}
    children = [each for each in element.children if each.boards or each.text().strip()]
    texts = [each for each in children if each.boards or not any(each.find(*_HEADS))]
    if not all(each.boards for each in texts) and all(map(_is_prose, children)):
        yield Entry(element.line, {"text": element.lines()}, (), (*heads.values(),))
        return
    for child in children:
        if not child.boards:
            titles = [*child.find(*_HEADS)] or [child] * (not texts[0].boards)
            for title in titles:
                _set_head(heads, _HEADS.get(title.tag, _TEXT_LEVEL), title)
        elif _is_walked(child):
            yield from _walk(child, heads)
        else:
            yield _record(child, (*heads.values(),))


def _is_walked(child: _Element) -> bool:
    """Return whether an element holds several records, or is no record itself."""
    if child.tag in _WALKED or (len(child.boards) > 1 and child.tag != _TEXT):
        return True
    tags = Counter(each.tag for each in child.children if each.boards)
    if any(tags[tag] > 1 for tag in tags.keys() - _HTML | {"li", "tr"}):  # one board
        return True
    return any(map(_header, child.find("table")))


def _is_prose(child: _Element) -> bool:
    """Return whether an element is left to the reader of text, with its neighbours."""
    blocks = (inner for each in child.children for inner in each.find(*_LINES))
    return not child.boards or not (
        any(_named(child)) or any(each.boards for each in blocks)
    )


def _set_head(heads: dict[int, str], level: int, title: _Element) -> None:
    """Replace the headings of this level and below."""
    for each in [each for each in heads if each >= level]:
        del heads[each]
    heads[level] = _joined(title.text())


# Tables


def _header(table: _Element) -> tuple[str, ...]:
    """Return the names of the columns of a table with a row that names them."""
    rows = [*table.find("tr")] if table.tag == "table" and table.boards else []
    cells = [[*row.find("td", "th")] for row in rows[:2]]
    if len(cells) < 2 or len(cells[0]) < 2 or rows[0].boards:
        return ()
    is_named = all(cell.tag == "th" for cell in cells[0])
    has_names = any(cell.tag == "th" for row in cells for cell in row)
    if not is_named and (has_names or len(cells[0]) != len(cells[1])):
        return ()
    return name_columns([cell.text() for cell in cells[0]])


def _read_rows(
    table: _Element, names: tuple[str, ...], heads: dict[int, str]
) -> Iterator[Entry]:
    """Yield the rows of a table below its header; a row of one cell is a heading."""
    for caption in table.find("caption"):
        _set_head(heads, _HEADS["caption"], caption)
    for row in [*table.find("tr")][1:]:
        cells = [*row.find("td", "th")]
        if row.boards or len(cells) > 1:
            yield entry_of(row.line, names, map(_cell, cells), (*heads.values(),))
        else:
            _set_head(heads, _TEXT_LEVEL, row)


def _cell(cell: _Element) -> str:
    """Return a cell's text, or else an attribute in it that holds a position."""
    text = _joined(cell.text())
    values = (value for _, value in _named(cell) if _boards(value))
    return text if _boards(text) else next(values, text)


# Records


def _record(element: _Element, heads: tuple[str, ...]) -> Entry:
    """Return the record that an element is; without names it is a text."""
    fields: dict[str, str] = {}
    for name, text in _named(element):
        if text and (text not in fields.values() or len(text) < _LONG):
            count = sum(each.partition(" (")[0] == name for each in fields)
            fields[f"{name} ({count + 1})" if count else name] = text
    whole, texts = element.lines(), []
    if not fields:
        return Entry(element.line, {"text": whole}, (), heads)
    for line in map(_joined, whole.split("\n")):
        if label := _match_label(line):
            fields.setdefault(label[1], label[2])
        elif _boards(line):
            fields.setdefault("fen", line)
        elif line and line not in fields.values():
            texts.append(line)
    return Entry(element.line, fields, tuple(texts), heads)


def _named(element: _Element, outer: str = "") -> Iterator[tuple[str, str]]:
    """Yield the names and texts of attributes, of elements of XML, and of classes.

    The name of an attribute of an element of XML inside another is its path.
    """
    is_html = element.tag in _HTML
    path = "" if is_html or not outer else f"{element.tag}."
    for name, value in element.attributes.items():
        is_field = not (name in _STYLE or name.startswith("on")) or not is_html
        if is_field or _boards(value):
            yield f"{path}{name.removeprefix('data-')}", _joined(value)
    classes = element.attributes.get("class", "").split()
    name = "".join(classes[:1]) if is_html else element.tag
    if name and all(each.tag == _TEXT for each in element.children):
        yield name, _joined(element.text())
    for each in element.children:
        yield from _named(each, element.tag)
