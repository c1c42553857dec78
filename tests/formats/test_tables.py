"""Tables in text, SQLite files, workbooks, and the members of a zip."""

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
    from collections.abc import Iterable, Sequence
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
        (f"{A},2,Qg8+\n{B},1,Qg7#\n", ",", None),
        (f"Diagram;Stip\n{A};#2\n", ";", ("Diagram", "Stip")),
        (f"{A}\tmate in 2\n", "\t", None),
        (f"{A} | 2\n{B} | 1\n", "|", None),
        (f"{A}, #2\n{B}, #1\n", ",", None),
        (f"#id,fen\n1,{A}\n", ",", ("id", "fen")),
        (f"\ufeffid,fen\n1,{A}\n", ",", ("id", "fen")),
        (f'"id","fen"\n"1","{A}"\n', ",", ("id", "fen")),
        (f"sep=;\nfen;n\n{A};2\n", ";", ("fen", "n")),
        (f"My list\n# of mates, mostly\nfen;n;k\n{A};2;c4g8\n", ";", ("fen", "n", "k")),
        (f"n,fen,n\n1,{A},2\n", ",", ("n", "fen", "n (2)")),
        (f"fen,\n{A},2\n", ",", ("fen", "2")),
        (f"n,`fen`\n2,`{A}`\n", ",", ("n", "fen")),
        (f"n,x\n2,fen {A}\n1,position fen {B}\n", ",", ("n", "x")),
        (f'pgn,id\n"[FEN ""{A}""]\n\n1. Qg8+",7\n', ",", ("pgn", "id")),
        (f"fen,n\n{A},2\n8/8/8/8/8/8/8/9 w - - 0 1,3\n", ",", ("fen", "n")),
    ],
)
def test_a_table_is_found_by_its_values(
    text: str, delimiter: str, names: tuple[str, ...] | None
) -> None:
    assert find_delimiter(text.splitlines()) == (delimiter, names)


@pytest.mark.parametrize(
    "text",
    [
        f"{A}\n{B}\n",
        f'{A} bm Qg8+; id "a, b";\n{B} dm 1; id "b, c";\n',
        f'mates = [\n  "{A}",\n  "{B}",\n]\n',
        f"A. Player, 1901\n{A}\n1. Qg8+, Rxg8\n\nC, 1902\n{B}\n1. Qg7#\n",
        f"{A},2\nno,position\nhere,either\n",
        f"{A},2\n{B}\n{A},1,3,4\n",
        "id,name\n1,a\n",
        "",
        "\0,\n",
    ],
)
def test_other_text_is_no_table(text: str) -> None:
    assert find_delimiter(text.splitlines()) is None


def test_a_cell_may_hold_line_breaks_and_the_row_has_its_first_line() -> None:
    text = f'fen,n,note\n{A},2,"one\ntwo ""x"""\n{B},1, "x, y"\n'
    assert read(text) == [
        (2, [A, "2", 'one\ntwo "x"']),
        (4, [B, "1", "x, y"]),
    ]


def test_a_wrong_row_costs_only_itself() -> None:
    bad = b"\xff\0"
    text = f'fen,n\n{A},2\n{A},"2\n{B},1,1\n{B},"1"x\n'.encode() + bad + b"\n\n,\n"
    text += f'{B},"1"\n'.encode()
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


def test_a_quote_that_is_never_closed_does_not_swallow_the_file() -> None:
    rows = read(f'fen,n\n{A},"2\n' + f"{B},1\n" * 5000)
    assert len(rows) == 5001
    assert "unexpected end of data" in str(rows[0][1])
    assert rows[-1] == (5002, [B, "1"])


def test_a_row_that_is_too_long_is_an_error() -> None:
    text = numbered(f"{A},{'x' * 70_000}\n{B},1\n")
    rows = [*chain(*read_delimited([text], ",", None))]
    assert "at most 65,536 bytes" in str(rows[0][1])
    assert rows[1] == (2, [B, "1"])


def test_what_precedes_the_header_is_skipped_and_a_bad_first_row_is_kept() -> None:
    assert read(f"My mates\n\n# c\nfen,n\nhello,2\n{A},2\n") == [
        (5, ["hello", "2"]),
        (6, [A, "2"]),
    ]
    assert read(f"% c\nsep=,\n{A},2\n") == [(3, [A, "2"])]


def test_a_row_is_read_as_soon_as_it_has_arrived() -> None:
    def batches() -> Iterable[list[tuple[int, bytes]]]:
        yield numbered(f'{A},2\n{B},"1')
        pytest.fail("read too far")

    assert next(iter(read_delimited(batches(), ",", None))) == [(1, [A, "2"])]


def test_equal_and_empty_names_differ() -> None:
    assert name_columns(["a", "", "a", "`b` "], 5) == ("a", "2", "a (2)", "b", "5")


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
    first, second, third, fourth = read_markdown(numbered(MARKDOWN), "x.md")
    heads = ("Mates", "Mate in 2")
    assert isinstance(first, Entry)
    assert first.heads == heads
    assert first.fields["text"].startswith("Some words")
    fields = {"#": "1", "FEN": A, "Solution | Key": "1.Qg8+"}
    assert second == Entry(12, fields, (), heads)
    fields = {"#": "2", "FEN": "none", "Solution | Key": "x|y"}
    assert third == Entry(13, fields, (), heads)
    fields = {"FEN": B, "Key": "Qg7#"}
    assert fourth == Entry(19, fields, (), ("Mates", "Mate in 1"))


@pytest.mark.parametrize("text", [f"{A} | 2\n", f"a | b\n--|--\n\n{A}\n", "---\n"])
def test_other_text_has_no_table_of_markdown(text: str) -> None:
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


def test_a_damaged_database_is_one_error(tmp_path: Path) -> None:
    rows = f"INSERT INTO z VALUES(NULL, '{A}', 2, zeroblob(3000));" * 20
    raw = database(tmp_path / "p.db", PUZZLES + rows).read_bytes()
    for damaged in (raw[:20_000], raw[:100], raw[:30_000] + b"\xff" * 30_000):
        path = tmp_path / "q.db"
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="SQLite: expected a whole file, found"):
            of_sqlite(path)


def test_a_row_of_sqlite_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    script = f"CREATE TABLE a(f, x); INSERT INTO a VALUES('{A}', hex(zeroblob(40000)));"
    (found,) = of_sqlite(database(tmp_path / "p.db", script))
    assert isinstance(found, FormatError)
    assert found.source == "p.db:1"


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
    with pytest.raises(InputError, match="a workbook: expected a whole file"):
        [*read_workbook(io.BytesIO(raw[:-300]), "x.xlsx")]
    other = zipped({"[Content_Types].xml": b"<x/>"})
    with pytest.raises(InputError, match="a workbook: expected a whole file"):
        [*read_workbook(other, "x.xlsx")]


def test_a_workbook_that_unpacks_to_much_is_refused() -> None:
    pytest.importorskip("openpyxl")
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


def test_the_members_of_a_zip_are_files_in_its_order() -> None:
    file = zipped({"b/": b"", "b/z.epd": b"z", "__MACOSX/a": b"x", "a\n.csv": b"a"})
    assert of_zip(file) == [("x.zip/b/z.epd", b"z"), ("x.zip/a\\n.csv", b"a")]


def test_an_archive_in_a_zip_is_refused() -> None:
    file = zipped({"in.zip": zipped({"a": b"1"}).getvalue(), "last": b"1"})
    error, last = of_zip(file)
    reason = "expected a file, found an archive within an archive"
    assert error == FormatError("x.zip/in.zip", reason)
    assert last == ("x.zip/last", b"1")


def test_a_workbook_in_a_zip_is_a_member() -> None:
    book = workbook(("a", [[A, 2]])).getvalue()
    assert of_zip(zipped({"a.xlsx": book})) == [("x.zip/a.xlsx", book)]


def test_an_encrypted_member_is_an_error() -> None:
    raw = bytearray(zipped({"a": b"secret", "b": b"open"}).getvalue())
    raw[raw.find(b"PK\1\2") + 8] |= 1
    error, last = of_zip(io.BytesIO(raw))
    assert isinstance(error, FormatError)
    assert "password" in error.reason
    assert last == ("x.zip/b", b"open")


def test_a_zip_bomb_is_refused() -> None:
    with pytest.raises(InputError, match="at most 1,048,576 bytes when unpacked"):
        of_zip(zipped({"a": b"\0" * 5_000_000}))


def test_too_many_members_are_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(10_001):
            archive.writestr(str(number), b"")
    file.seek(0)
    with pytest.raises(InputError, match="at most 10,000 files, found 10001"):
        of_zip(file)


def test_a_damaged_member_costs_only_itself() -> None:
    content = random.Random(1).randbytes(40_000)
    raw = bytearray(zipped({"a": b"abcdefgh" * 20, "b": content}).getvalue())
    raw[36] ^= 255
    first, second = of_zip(io.BytesIO(raw))
    assert isinstance(first, FormatError)
    assert second == ("x.zip/b", content)
    raw[30_000] ^= 255
    with pytest.raises(InputError, match="a zip: expected a whole file, found"):
        of_zip(io.BytesIO(raw))
    with pytest.raises(InputError, match="a zip: expected a whole file"):
        of_zip(io.BytesIO(raw[:60]))


# What is no text


@pytest.mark.parametrize(
    ("head", "words"),
    [
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
    ],
)
def test_binary_files_are_named(head: bytes, words: str) -> None:
    assert words in name_binary(head)
