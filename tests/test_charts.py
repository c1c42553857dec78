"""Charts of explanation pages show the numbers of the pages' tables."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from tools.charts import CHARTS, PAGES, SCHEMES, Bar

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_shows_what_its_tables_have(
    chart: Callable[[], list[Bar]], scheme: str
) -> None:
    picture = PAGES / "images" / f"{chart.__name__}{scheme}.chart.svg"
    words = re.findall(r">([^<>]+)</text>", picture.read_text(encoding="utf-8"))
    expected = [word for label, text, _ in chart() for word in (label, text)]
    assert len(expected) >= 20
    assert [unescape(word) for word in words if unescape(word) in expected] == expected
