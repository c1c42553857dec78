"""What a notebook shows of an answer: drawings, sentences, tables, and no markup."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from solver.columns.answer_table import MoveColumn, Texts
from solver.columns.grade_table import Grade, GradeStatus
from solver.columns.solve_many import STATUSES, MateTable
from solver.pages.viewer_pages import SHOWN_ROWS
from solver.play.record import Variations
from tests.output.answers import MATED, SMOTHERED
from tests.output.play_trees import BLOCK, BLOCK_PLAY
from tests.pages.html import Page
from tests.pages.records import HOSTILE
from tests.typed_play import play_record

ARROW = re.compile(r'<line [^>]*class="arrow"')


def shown(answer: Any) -> Page:
    """What a notebook shows, without a script."""
    page = Page(answer._repr_html_().encode())
    assert page.scripts == []
    assert page.attributes("script") == []
    return page


def table(*errors: str) -> MateTable:
    """A row of a mate in one, and a row for each error."""
    count = 1 + len(errors)
    codes = [STATUSES.index("proved"), *[STATUSES.index("unreadable")] * len(errors)]
    mates = [1, *[0] * len(errors)]
    moves = MoveColumn.encode(["a1a8 ", *[""] * len(errors)])
    return MateTable(
        codes=np.array(codes, np.uint8),
        mate=np.array(mates, np.int16),
        has_mate=np.array(mates, np.bool_),
        lower_bound=np.array(mates, np.int16),
        keys=moves,
        keys_complete=np.array(mates, np.bool_),
        pv=moves,
        nodes=np.full(count, 1234, np.int64),
        time_s=np.zeros(count),
        error=["", *errors],
        fens=Texts.encode([""] * count),
    )


def test_a_solution_has_a_board_with_its_keys_and_its_sentences() -> None:
    page = shown(SMOTHERED)
    assert len(page.attributes("svg")) == 1
    assert len(ARROW.findall(page.text)) == 1
    assert page.lines[:5] == [
        "smothered: 5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
        "White to move",
        "White mates in 2.",
        "1. Qg8+ Rxg8 2. Nf7#",
        "Only key: Qg8+",
    ]


def test_an_answer_is_printed_in_sentences_and_represented_in_a_line() -> None:
    assert str(SMOTHERED).splitlines() == shown(SMOTHERED).lines[2:-1]
    assert str(MATED).startswith("White is mated in 1.\n")
    long = Grade(GradeStatus.WRONG, 3, ("a1a8",) * 100, reason="expected a mate")
    for answer in (SMOTHERED, MATED, table(*["x" * 500] * 500), table()[0], long):
        assert len(repr(answer)) < 250
        assert "\n" not in repr(answer)


def test_the_play_unfolds_below_the_board() -> None:
    record = play_record(BLOCK_PLAY)
    parts = {name: record[name] for name in ("keys", "tries", "set_play")}
    page = shown(Variations(BLOCK_PLAY.stipulation, BLOCK, **parts))
    assert len(page.attributes("svg")) == 1
    assert len(ARROW.findall(page.text)) == 1
    assert page.attributes("details")
    heads = ["Set play", "Tries", "Key"]
    assert [line for line in page.lines if line in heads] == heads
    assert {"1...Bd7", "1.Qb5?", "1.Qa5!"} <= set(page.lines)


def test_a_table_shows_its_first_rows_and_counts_all() -> None:
    page = shown(table(*["no FEN"] * 29))
    assert len(page.attributes("tr")) == 1 + SHOWN_ROWS
    caption = f"30 rows, 1 proved, 29 unreadable; the first {SHOWN_ROWS} rows"
    assert caption in page.lines
    assert shown(table()).lines[-7:] == ["0", "proved", *"11", "a1a8", "a1a8", "1,234"]


def test_a_grade_shows_what_was_wrong() -> None:
    grade = Grade(GradeStatus.WRONG, 0, ("c4g8",), reason="expected a mate")
    assert shown(grade).lines == [
        *("status", "wrong", "ply", "0", "reason", "expected a mate"),
        *("right moves", "c4g8"),
    ]


def test_nothing_becomes_markup() -> None:
    problem = replace(SMOTHERED.problem, id=HOSTILE)
    for answer in (
        replace(SMOTHERED, problem=problem),
        table(HOSTILE),
        Grade(GradeStatus.WRONG, 0, reason=HOSTILE),
    ):
        page = shown(answer)
        assert any(HOSTILE in line for line in page.lines)
        assert page.attributes("b") == page.attributes("img") == []
