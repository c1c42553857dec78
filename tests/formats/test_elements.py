"""The records of HTML and XML."""

from __future__ import annotations

import pytest

from solver.errors import InputError
from solver.formats.elements import MAX_CHARACTERS, read_elements
from solver.formats.entries import Entry

A = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
B = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"


def read(
    text: str,
) -> list[tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]]:
    return [(each.fields, each.texts, each.heads) for each in read_elements(text)]


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
    heads = ("Mates", "By length")
    assert read(text) == [
        ({"text": A}, (), (*heads, "Mate in 2")),
        ({"text": f"{B} Qg7"}, (), (*heads, "Mate in 1")),
        ({"text": A}, (), (*heads, "Mate in 1")),
        ({"text": A}, (), ("Mates", "Others")),
    ]


def test_paragraphs_between_texts_are_left_to_the_reader_of_text() -> None:
    text = f"<h1>x</h1><p>Mate in 2</p>\n<p>{A}<br></p><p>Mate in 1</p><p>{B}</p>"
    assert read(text) == [({"text": f"# x\n\nMate in 2\n{A}\nMate in 1\n{B}"}, (), ())]


def test_a_text_before_records_is_a_heading_and_one_after_is_none() -> None:
    one, two = f"<ol><li>{A}</ol>", f"<ol><li>{B}</ol>"
    assert read(f"<p>Mate in 2</p>{one}<p>Mate in 1</p>{two}") == [
        ({"text": A}, (), ("Mate in 2",)),
        ({"text": B}, (), ("Mate in 1",)),
    ]
    assert read(f"<h2>x</h2>{one}<p>Mate in 2</p>{two}<p>Mate in 1</p>") == [
        ({"text": A}, (), ("x",)),
        ({"text": B}, (), ("x",)),
    ]


def test_a_table_has_its_fields_by_its_header() -> None:
    text = f"""<table><caption>Mates</caption>
    <thead><tr><th>No</th><th>FEN</th><th>n</th></tr></thead>
    <tbody><tr><td colspan=3>Easy</td></tr>
    <tr><td>1<td><code>{A}</code><td>2
    <tr><td>2<td data-fen="{B}"><img><td>1</table>"""
    heads = ("Mates", "Easy")
    assert read(text) == [
        ({"No": "1", "FEN": A, "n": "2"}, (), heads),
        ({"No": "2", "FEN": B, "n": "1"}, (), heads),
    ]
    assert read(f"<div><table><tr><td>a<td>n<tr><td>{A}<td>2</table></div>") == [
        ({"a": A, "n": "2"}, (), ())
    ]


def test_a_record_without_names_is_a_text_with_its_lines() -> None:
    text = f"<div><b>FEN:</b> <code>{A}</code><br><b>Mate in:</b> 2<p>by</p> me</div>"
    assert read(text) == [({"text": f"FEN: {A}\nMate in: 2\nby\nme"}, (), ())]


def test_an_attribute_may_be_the_position_of_a_card() -> None:
    text = f"""<div class=card data-fen="{A}" onclick="x()"><h3>Mate in 2</h3>
    <span class="key big">Qg8</span><p>By: me</p><a href="/x">open</a></div>
    <div class=card data-fen="{B}">
    <a href="?fen={B.replace(" ", "_")}">Mate</a></div>"""
    first, second = read(text)
    assert first == ({"fen": A, "key": "Qg8", "By": "me"}, ("Mate in 2", "open"), ())
    assert second[0]["fen"] == B
    assert second[1] == ("Mate",)


def test_what_is_not_marked_up_and_scripts_are_left_to_the_reader_of_text() -> None:
    text = f"""<body><style>{A}</style><script>let a = '{B}' + "</b>";</script>
    <code>{A}</code> mate in <b>2</b><br>{B}<br>
    <pre>{A}\nx\n\n{B}</pre><script>1</script>"""
    assert read(text) == [
        ({"text": f"{A} mate in 2\n{B}\n{A}\nx\n\n{B}"}, (), ()),
        ({"text": f"let a = '{B}' + \"</b>\";"}, (), ()),
    ]


def test_entities_are_decoded() -> None:
    text = f"<p>{A.replace(' w', '&nbsp;w')} &ndash; mate&#32;in 2 &lt;</p>"
    assert read(text) == [({"text": f"{A} \u2013 mate in 2 <"}, (), ())]


def test_deep_elements_are_part_of_what_is_around_them() -> None:
    (only,) = read("<div>" * 100_000 + f"<i>{A}</i>")
    assert only[0] == {"text": A}
    assert read("</div>" * 1000 + "<" * 1000) == []


@pytest.mark.parametrize("tag", ["<a ", "<a b='\"", "<!--", "<![CDATA["])
def test_elements_that_never_end_are_refused(tag: str) -> None:
    with pytest.raises(InputError, match="expected a > after at most 1,000 <"):
        next(read_elements(tag * 20_000))


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(InputError, match="at most 33,554,432 characters"):
        next(read_elements(" " * (MAX_CHARACTERS + 1)))
