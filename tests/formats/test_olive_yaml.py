"""Olive's collections: libyaml reads what PyYAML's own parser reads, and faster."""

from __future__ import annotations

import random

import pytest
import yaml

from solver.errors import FormatError
from solver.problem import Problem
from tests.cpu_time import spending_less_than
from tests.formats.olive_entries import GOOD, read


def mutated(text: str, seeded: random.Random) -> str:
    """Return the text with a few signs of YAML inserted, or characters deleted."""
    signs = [
        *":-#,[]{}&*!|>'\"%@`~ \n\\",
        "\n  ",
        "- ",
        ": ",
        "!!str ",
        "---\n",
        "\u2028",
    ]
    for _ in range(seeded.randint(1, 3)):
        at = seeded.randrange(len(text))
        if seeded.random() < 0.7:
            text = text[:at] + seeded.choice(signs) + text[at:]
        else:
            text = text[:at] + text[at + seeded.randint(1, 3) :]
    return text


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_libyaml_reads_what_pyyamls_own_parser_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = (
        "---\n"
        + GOOD
        + (
            "authors:\n- A, B\n- 'C'\nsource: {name: D, date: {year: 1900}}\n"
            "twins: {b: Move b1 c1}\ncomments:\n- two\n  lines\n- ~\n"
            'title: "x\\n\\\n  \\ y"\nsolution: |\n  1.Rb7 !\n    2.Ra8 #\n'
        )
    )
    seeded = random.Random(4)
    texts = [whole, *(mutated(whole, seeded) for _ in range(300))]
    fast = [read(text) for text in texts]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert fast == [read(text) for text in texts]
    kinds = [type(one[0]) for one in fast if one]
    assert kinds.count(Problem) > 50
    assert kinds.count(FormatError) > 50


ENTRY = """---
algebraic:
  black: [Kb3, Rd5, Bc6, Sd6, Pb6]
  white:
  - Kf2
  - Qg7
  - Rf4
  - Be5
  - Sc3
  - Pc7
authors:
- "Author, Number {number}"
source:
  name: Some Magazine
  date: {{year: 1931, month: 4}}
  problemid: '{number}'
stipulation: h#3
options: [SetPlay]
twins:
  b: Move c3 g6
  c: Continued Exchange f4 c7
  d: Remove c6 Add Black Bg4
solution: "a)\\n1...Re4-d4 2.Kd1-e2 Rd4-d5 3.Ke2-e3 Rd5-e5 + 4.Ke3-d4 Re5-e4 #\\n\\
  b)\\n1.Kd1-e2 Rd4-d5 2.Ke2-e3 Rd5-e5 + 3.Ke3-d4 Re5-e4 #\\nc)\\n1.Kd1-e2 Rd4-d5\\
  \\ 2.Ke2-e3 Rd5-e5 + 3.Ke3-d4 Re5-e4 #\\n"
"""


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_pyyamls_own_parser_reads_nothing_that_is_usual(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    monkeypatch.setattr(yaml.BaseLoader, "__init__", lambda *text: calls.append(text))
    found = read("".join(ENTRY.format(number=number) for number in range(20)))
    assert [type(one) for one in found] == 80 * [Problem]
    assert calls == []


@pytest.mark.slow
@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_a_thousand_entries_with_twins_are_read_fast() -> None:
    text = "".join(ENTRY.format(number=number) for number in range(1000))
    with spending_less_than(cpu_s=5):  # 0.5 s
        assert len(read(text)) == 4000
