"""Tables in text, SQLite files, workbooks, members of a zip, and HTML and XML."""

from __future__ import annotations

import io
import random
import sqlite3
import zipfile
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from solver.audit.store import Store
from solver.errors import FormatError, InputError
from solver.formats.elements import MAX_CHARACTERS, read_elements
from solver.formats.entries import Entry
from solver.formats.tables import (
    find_delimiter,
    find_markdown,
    name_binary,
    name_columns,
    read_delimited,
    read_markdown,
    read_sqlite,
    read_workbook,
    read_zip,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

A = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
B = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"


def numbered(text: str | bytes) -> list[tuple[int, bytes]]:
    raw = text if isinstance(text, bytes) else text.encode()
    return [*enumerate(raw.splitlines(keepends=True), 1)]


def read(text: str) -> list[tuple[int, list[str] | str]]:
    found = find_delimiter(text.splitlines())
    assert found
    rows = chain.from_iterable(read_delimited([numbered(text)], *found))
    return [(at, str(x) if isinstance(x, InputError) else x) for at, x in rows]


# Delimited text


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        (f"fen,mate\n{A},2\n{B},1\n", ",", ("fen", "mate")),
        (f"{A} | 2\n{B} | 1\n", "|", None),
        (f"\ufeffid,fen\n1,{A}\n", ",", ("id", "fen")),
        (f"sep=;\nfen;n\n{A};2\n", ";", ("fen", "n")),
        (f"My list\n# of mates, mostly\nfen;n;k\n{A};2;c4g8\n", ";", ("fen", "n", "k")),
        (f"n,fen,n\n1,{A},2\n", ",", ("n", "fen", "n (2)")),
        (f"n,x\n2,fen {A}\n1,position fen {B}\n", ",", ("n", "x")),
        (f'pgn,id\n"[FEN ""{A}""]\n\n1. Qg8+",7\n', ",", ("pgn", "id")),
        (f"fen,n\n{A},2\n8/8/8/8/8/8/8/9 w - - 0 1,3\n", ",", ("fen", "n")),
    ],
)
def test_a_table_is_found_by_its_values(
    text: str, delimiter: str, names: tuple[str, ...] | None
) -> None:
    assert find_delimiter(text.splitlines()) == (delimiter, names)


def test_other_text_is_no_table() -> None:
    for text in (
        f'{A} bm Qg8+; id "a, b";\n{B} dm 1; id "b, c";\n',
        f'mates = [\n  "{A}",\n  "{B}",\n]\n',
        f"A. Player, 1901\n{A}\n1. Qg8+, Rxg8\n\nC, 1902\n{B}\n1. Qg7#\n",
        f"{A},2\nno,position\nhere,either\n",
        f'"{A}",\n"{B}",\n',
        "\0,\n",
    ):
        assert find_delimiter(text.splitlines()) is None


def test_a_cell_may_hold_line_breaks_and_what_precedes_the_header_is_skipped() -> None:
    text = f'fen,n,note\n{A},2,"one\ntwo ""x"""\n{B},1, "x, y"\n'
    assert read(text) == [(2, [A, "2", 'one\ntwo "x"']), (4, [B, "1", "x, y"])]
    text = f"My mates\n\n# c\nfen,n\nhello,2\n{A},2\n"
    assert read(text) == [(5, ["hello", "2"]), (6, [A, "2"])]
    assert read(f"% c\nsep=,\n{A},2\n") == [(3, [A, "2"])]
    assert name_columns(["a", "", "a", "`b` "], 5) == ("a", "2", "a (2)", "b", "5")


def test_a_wrong_row_costs_only_itself() -> None:
    text = f'fen,n\n{A},2\n{A},"2\n{B},1,1\n{B},"1"x\n'.encode()
    text += b"\xff\0\n\n,\n" + f'{B},"1"\n'.encode()
    rows = [*chain(*read_delimited([numbered(text)], ",", ("fen", "n")))]
    assert [str(x) if isinstance(x, InputError) else x[1] for _, x in rows] == [
        "2",
        f"expected a row of CSV, found '{A},\"2': ',' expected after '\"'",
        "expected 2 columns, found 3",
        f"expected a row of CSV, found '{B},\"1\"x': ',' expected after '\"'",
        "expected text, found a NUL byte at byte 2",
        "1",
    ]
    assert [number for number, _ in rows] == [2, 3, 4, 5, 6, 9]
    found = read(f'fen,n\n{A},"2\n' + f"{B},1\n" * 2000)
    assert (len(found), found[-1]) == (2001, (2002, [B, "1"]))
    assert "unexpected end of data" in str(found[0][1])
    long, short = read(f"fen,n\n{A},{'x' * 70_000}\n{B},1\n")
    assert "at most 65,536 bytes" in str(long[1])
    assert short == (3, [B, "1"])


# Markdown


MARKDOWN = f"""# Mates

| no | table |
|---|---|
| a | b |

## Mate in 2
Some words, and {A} among them.

| # | FEN | Solution \\| Key |
|--:|:---:|---|
| 1 | `{A}` | **1.Qg8+** |
| 2 | none | x\\|y |

## Mate in 1

FEN | Key
--- | ---
{B} | Qg7#
"""


def test_a_table_of_markdown_has_names_and_headings() -> None:
    assert find_markdown(MARKDOWN.splitlines())
    first, *rest = read_markdown(numbered(MARKDOWN), "x.md")
    heads = ("Mates", "Mate in 2")
    assert isinstance(first, Entry)
    assert first.heads == heads
    assert first.fields["text"].startswith("Some words")
    assert rest == [
        Entry(12, {"#": "1", "FEN": A, "Solution | Key": "1.Qg8+"}, (), heads),
        Entry(13, {"#": "2", "FEN": "none", "Solution | Key": "x|y"}, (), heads),
        Entry(19, {"FEN": B, "Key": "Qg7#"}, (), ("Mates", "Mate in 1")),
    ]
    for text in (f"{A} | 2\n", f"a | b\n--|--\n\n{A}\n", "---\n"):
        assert not find_markdown(text.splitlines())


# SQLite


def database(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as base:
        base.executescript(script)
    return path


def of_sqlite(path: Path) -> list[Entry | FormatError]:
    with path.open("rb") as file:
        return [*read_sqlite(file, path.name)]


PUZZLES = f"""
    CREATE TABLE z(id INTEGER PRIMARY KEY, "my ""fen" TEXT, n REAL, raw BLOB);
    INSERT INTO z VALUES(2, '{A}', 2, x'00ff'), (1, '{B}', 1.5, CAST('q' AS BLOB));
    CREATE TABLE a(fen, w AS (fen || 'x'));
    INSERT INTO a VALUES(CAST('{A}' AS BLOB)), (NULL), (zeroblob(9)), ('{A}' || '{A}');
    CREATE TABLE other(x); INSERT INTO other VALUES(1);
    CREATE VIEW v AS SELECT * FROM z;
"""


def test_the_tables_of_sqlite_that_hold_fens_are_read(tmp_path: Path) -> None:
    path = database(tmp_path / "p#?%.db", PUZZLES)
    found = of_sqlite(path)
    assert found == [
        Entry(1, {"fen": A}, (), ("a",)),
        Entry(4, {"fen": A + A}, (), ("a",)),
        Entry(5, {"id": "1", 'my "fen': B, "n": "1.5", "raw": "q"}, (), ("z",)),
        Entry(6, {"id": "2", 'my "fen': A, "n": "2"}, (), ("z",)),
    ]
    content = io.BytesIO(path.read_bytes())
    content.name = "/etc/passwd"  # as a member of a zip may be called
    assert [*read_sqlite(content, path.name)] == found


def test_a_damaged_database_and_a_row_too_long_are_errors(tmp_path: Path) -> None:
    rows = f"INSERT INTO z VALUES(NULL, '{A}', 2, zeroblob(3000));" * 20
    raw = database(tmp_path / "p.db", PUZZLES + rows).read_bytes()
    for damaged in (raw[:20_000], raw[:100], raw[:30_000] + b"\xff" * 30_000):
        path = tmp_path / "q.db"
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="SQLite: expected a whole file, found"):
            of_sqlite(path)
    script = f"CREATE TABLE a(f, x); INSERT INTO a VALUES('{A}', hex(zeroblob(40000)));"
    (found,) = of_sqlite(database(tmp_path / "r.db", script))
    assert (type(found), getattr(found, "source", "")) == (FormatError, "r.db:1")


def test_a_store_of_matesolve_is_named(tmp_path: Path) -> None:
    Store(tmp_path / "run.db").close()
    with pytest.raises(InputError, match=r"store of matesolve.*report.*export"):
        of_sqlite(tmp_path / "run.db")


# Workbooks


def workbook(*sheets: tuple[str, Sequence[Sequence[object]]]) -> io.BytesIO:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    file.seek(0)
    return file


def test_the_sheets_of_a_workbook_are_read_with_their_names() -> None:
    file = workbook(
        ("Mate in 2", [["All", None], ["FEN", "n"], [None, None], [A, 2], [B, 1.0]]),
        ("empty", []),
        ("notes", [["hello", "world"]]),
        ("bare", [[B, True]]),
    )
    assert [*read_workbook(file, "x.xlsx")] == [
        Entry(2, {"FEN": A, "n": "2"}, (), ("Mate in 2", "All")),
        Entry(3, {"FEN": B, "n": "1"}, (), ("Mate in 2", "All")),
        Entry(4, {"1": B, "2": "true"}, (), ("bare",)),
    ]


def test_a_damaged_workbook_is_an_error() -> None:
    raw = workbook(("a", [[A, 2]])).getvalue()
    for broken in (io.BytesIO(raw[:-300]), zipped({"[Content_Types].xml": b"<x/>"})):
        with pytest.raises(InputError, match="a workbook: expected a whole file"):
            [*read_workbook(broken, "x.xlsx")]
    bomb = zipped({"xl/sharedStrings.xml": b"\0" * ((1 << 28) + 1)})
    with pytest.raises(InputError, match="at most 268,435,456 bytes when unpacked"):
        [*read_workbook(bomb, "x.xlsx")]


# Zips


def zipped(members: dict[str, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.seek(0)
    return file


def of_zip(file: io.BytesIO) -> list[tuple[str, bytes] | FormatError]:
    return [
        each if isinstance(each, FormatError) else (each[0], each[1].read())
        for each in read_zip(file, "x.zip")
    ]


def test_a_zip_that_unpacks_to_much_is_refused() -> None:
    with pytest.raises(InputError, match="at most 1,048,576 bytes when unpacked"):
        of_zip(zipped({"a": b"\0" * 5_000_000}))
    with pytest.raises(InputError, match="at most 10,000 files, found 10001"):
        of_zip(zipped({str(number): b"" for number in range(10_001)}))


def test_the_members_of_a_zip_are_files_and_no_archives() -> None:
    book = workbook(("a", [[A, 2]])).getvalue()
    archive = zipped({"a": b"1"}).getvalue()
    members = {"b/": b"", "b/z.epd": b"z", "__MACOSX/a": b"x", "a\n.csv": b"a"}
    reason = "expected a file, found an archive within an archive"
    assert of_zip(zipped({**members, "in.zip": archive, "a.xlsx": book})) == [
        *(("x.zip/b/z.epd", b"z"), ("x.zip/a\\n.csv", b"a")),
        FormatError("x.zip/in.zip", reason),
        ("x.zip/a.xlsx", book),
    ]


def test_a_damaged_or_encrypted_member_costs_only_itself() -> None:
    content = random.Random(1).randbytes(40_000)
    raw = bytearray(zipped({"a": b"abcdefgh" * 20, "b": content}).getvalue())
    encrypted, raw[36] = raw[:], raw[36] ^ 255
    encrypted[raw.find(b"PK\1\2") + 8] |= 1
    for changed, words in ((raw, "damage"), (encrypted, "password")):
        first, second = of_zip(io.BytesIO(changed))
        assert words in str(first)
        assert second == ("x.zip/b", content)
    raw[30_000] ^= 255
    for broken in (raw, raw[:60]):
        with pytest.raises(InputError, match="a zip: expected a whole file, found"):
            of_zip(io.BytesIO(broken))


# What is no text


def test_binary_files_are_named() -> None:
    for head, words in (
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "1997 to 2003; save it as .xlsx or CSV"),
        (b"%PDF-1.7", "a PDF"),
        (b"RIFF\1\2\3\4WEBP", "an image"),
        (zipped({"word/document.xml": b"x"}).getvalue(), "an office document"),
        (zipped({"a.epd": b"x"}).getvalue(), "a zip"),
        (b"a" * 257 + b"ustar", "an archive"),
        (b"Scid.si\0", "a database; export it as PGN"),
        ("fen,mate\n".encode("utf-16-be"), "UTF-16"),
        (b"\1\2\3", "a binary file"),
        (b"", "a binary file"),
    ):
        assert words in name_binary(head)


# The records of HTML and XML


def elements(text: str) -> list[tuple[object, ...]]:
    """Return the text of each record, or its fields and other texts; and its heads."""
    return [
        (
            each.fields["text"] if [*each.fields] == ["text"] else each.fields,
            *([each.texts] if each.texts else []),
            *each.heads,
        )
        for each in read_elements(text)
    ]


def test_an_element_of_xml_is_a_record_and_its_elements_are_fields() -> None:
    text = f"""<?xml version="1.0"?><!-- {B} -->
<puzzles kind="mate">
  <puzzle id="1"><fen>{A}</fen><mate>2</mate><play><m>Qg8</m><m>Rg8</m></play></puzzle>
  <puzzle id="2"><fen><![CDATA[{B}]]></fen>
    <mate>1</mate></puzzle>
</puzzles>"""
    fields = {"id": "1", "fen": A, "mate": "2", "m": "Qg8", "m (2)": "Rg8"}
    assert [*read_elements(text)] == [
        Entry(3, fields),
        Entry(4, {"id": "2", "fen": B, "mate": "1"}),
    ]


def test_a_heading_holds_until_the_next_one() -> None:
    text = f"""<title>Mates</title><h1>By length</h1>
    <div><h2>Mate in 2</h2></div><ul><li>{A}</ul>
    <h2>Mate in 1</h2><ul><li>{B} Qg7<li><b>{A}</b></ul><h1>Others</h1><p>{A}"""
    assert elements(text) == [
        (A, "Mates", "By length", "Mate in 2"),
        (f"{B} Qg7", "Mates", "By length", "Mate in 1"),
        (A, "Mates", "By length", "Mate in 1"),
        (A, "Mates", "Others"),
    ]
    one, two = f"<ol><li>{A}</ol>", f"<ol><li>{B}</ol>"
    text = f"<p>Mate in 2</p>{one}<p>Mate in 1</p>{two}"
    assert elements(text) == [(A, "Mate in 2"), (B, "Mate in 1")]
    text = f"<h2>x</h2>{one}<p>Mate in 2</p>{two}<p>Mate in 1</p>"
    assert elements(text) == [(A, "x"), (B, "x")]


def test_a_table_has_its_fields_by_its_header() -> None:
    text = f"""<table><caption>Mates</caption>
    <thead><tr><th>No</th><th>FEN</th><th>n</th></tr></thead>
    <tbody><tr><td colspan=3>Easy</td></tr>
    <tr><td>1<td><code>{A}</code><td>2
    <tr><td>2<td data-fen="{B}"><img><td>1</table>"""
    assert elements(text) == [
        ({"No": "1", "FEN": A, "n": "2"}, "Mates", "Easy"),
        ({"No": "2", "FEN": B, "n": "1"}, "Mates", "Easy"),
    ]
    text = f"<div><table><tr><td>a<td>n<tr><td>{A}<td>2</table></div>"
    assert elements(text) == [({"a": A, "n": "2"},)]


def test_a_record_without_names_is_a_text_with_its_lines() -> None:
    text = f"<div><b>FEN:</b> <code>{A}</code><br><b>Mate in:</b> 2<p>by</p> me</div>"
    assert elements(text) == [(f"FEN: {A}\nMate in: 2\nby\nme",)]
    text = f"<p>{A.replace(' w', '&nbsp;w')} &ndash; mate&#32;in 2 &lt;</p>"
    assert elements(text) == [(f"{A} \u2013 mate in 2 <",)]


def test_an_attribute_may_be_the_position_of_a_card() -> None:
    text = f"""<div class=card data-fen="{A}" onclick="x()"><h3>Mate in 2</h3>
    <span class="key big">Qg8</span><p>By: me</p><a href="/x">open</a></div>
    <div class=card data-fen="{B}">
    <a href="?fen={B.replace(" ", "_")}">Mate</a></div>"""
    first, second = read_elements(text)
    assert first.fields == {"fen": A, "key": "Qg8", "By": "me"}
    assert (first.texts, first.heads) == (("Mate in 2", "open"), ())
    assert (second.fields["fen"], second.texts) == (B, ("Mate",))


def test_what_is_not_marked_up_and_scripts_are_left_to_the_reader_of_text() -> None:
    text = f"""<body><style>{A}</style><script>let a = '{B}' + "</b>";</script>
    <code>{A}</code> mate in <b>2</b><br>{B}<br>
    <pre>{A}\nx\n\n{B}</pre><script>1</script>"""
    assert elements(text) == [
        (f"{A} mate in 2\n{B}\n{A}\nx\n\n{B}",),
        (f"let a = '{B}' + \"</b>\";",),
    ]


def test_deep_long_and_endless_elements_are_bounded() -> None:
    assert elements("<div>" * 20_000 + f"<i>{A}</i>") == [(A,)]
    assert elements("</div>" * 1000 + "<" * 1000) == []
    for tag in ("<a ", "<a b='\"", "<!--", "<![CDATA["):
        with pytest.raises(InputError, match="expected a > after at most 1,000 <"):
            next(read_elements(tag * 20_000))
    with pytest.raises(InputError, match="at most 33,554,432 characters"):
        next(read_elements(" " * (MAX_CHARACTERS + 1)))
