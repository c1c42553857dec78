"""What a notebook shows of an answer: drawings, sentences, tables, and no markup."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from solver import solution as shown_forms
from solver.columns.answer_table import MoveColumn, Texts
from solver.columns.grade_table import Grade, GradeStatus
from solver.columns.solve_many import STATUSES, MateTable
from solver.output.shown_play import DECLARATION, encode_svg
from solver.pages.viewer_pages import SHOWN_ROWS
from solver.play.record import Variations
from solver.problem import Problem, Stipulation
from solver.solution import Solution, Status
from tests.output.answers import MATED, ROOK, ROOK_DISPROVED, SMOTHERED
from tests.output.play_trees import BLOCK, BLOCK_PLAY
from tests.pages.html import Page
from tests.pages.records import HOSTILE
from tests.processes import run
from tests.typed_play import play_record

if TYPE_CHECKING:
    from pathlib import Path

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


def test_each_form_of_an_answer_has_its_function() -> None:
    for form in ("html", "svg"):
        assert shown_forms.show_answer(SMOTHERED, form).lstrip().startswith("<"), form
    record = shown_forms.show_answer(SMOTHERED, "record")
    assert record == SMOTHERED.to_dict()
    assert shown_forms.show_answer(SMOTHERED, "text") == str(SMOTHERED)


def test_a_solution_is_also_a_drawing() -> None:
    drawing = SMOTHERED._repr_svg_()
    assert f"{DECLARATION}{drawing}\n".encode() == encode_svg(SMOTHERED)


def test_printing_a_solution_gives_the_sentences_of_solve() -> None:
    assert str(SMOTHERED).splitlines()[:3] == [
        "White mates in 2.",
        "1. Qg8+ Rxg8 2. Nf7#",
        "Only key: Qg8+",
    ]
    assert str(MATED).startswith("White is mated in 1.\n")


def test_help_play_shows_its_solutions() -> None:
    problem = Problem("8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1", stipulation="h#2")
    line = ("c6c1", "f4f2", "c1g1", "f2h2")
    solution = Solution(
        problem, Status.PROVED, 2, 2, solutions=(line,), solutions_complete=True
    )
    assert "1.Rc1 Rf2 2.Rg1 Rh2#" in str(solution).splitlines()
    assert "1.Rc1" in shown(solution).lines


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


@pytest.mark.parametrize(
    "answer",
    [
        *(SMOTHERED, ROOK_DISPROVED, MATED),
        Variations(Stipulation.parse("#2"), BLOCK, keys=[{"uci": "h5a5"}]),
        table(*["x" * 500] * 500),
        table()[0],
        Grade(GradeStatus.WRONG, 3, ("a1a8",) * 100, reason="expected a mate"),
    ],
)
def test_a_representation_is_short(answer: object) -> None:
    assert len(repr(answer)) < 250
    assert "\n" not in repr(answer)


@pytest.mark.slow
@pytest.mark.usefixtures("kernel")
def test_a_notebook_is_rendered(tmp_path: Path) -> None:
    if not find_spec("nbconvert") or not find_spec("ipykernel"):
        pytest.skip("needs nbconvert and ipykernel")
    sources = [
        f"import solver\nanswer = solver.solve({SMOTHERED.problem.fen!r})\nanswer",
        "print(answer)",
        f"solver.variations({SMOTHERED.problem.fen!r})",
        f"solver.solve_many([{ROOK.fen!r}, '<b>'], max_moves=3)",
        f"solver.grade({SMOTHERED.problem.fen!r}, 'Nf7+', 2)",
    ]
    cell: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    cells = [{**cell, "id": f"c{n}", "source": text} for n, text in enumerate(sources)]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "answers.ipynb").write_text(json.dumps(notebook))
    words = ["nbconvert", "--to", "html", "--template", "basic", "--execute"]
    run([sys.executable, "-m", *words, "answers.ipynb"], cwd=tmp_path, check=True)
    page = (tmp_path / "answers.html").read_text(encoding="utf-8")
    assert page.count('class="matesolve"') == 4
    assert len(ARROW.findall(page)) == 2
    assert page.count("White mates in 2.") == 2
    assert "expected a move that mates within 2 moves, found" in page
