"""Records made by hand for the page of an audit, and the data read back from it."""

from __future__ import annotations

import json
import re
from typing import Any

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
SMOTHERED_BY_BLACK = "6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 1"

HOSTILE = "</script><b>bold</b><img src=x onerror=\"document.title='run'\">"


def record(**fields: Any) -> dict[str, Any]:
    """The record of a mate in two that agrees with its claim, changed by `fields`."""
    return {
        "schema": 1,
        "id": "smothered",
        "fen": SMOTHERED,
        "claim": 2,
        "status": "proved",
        "verdict": "proved",
        "mate": 2,
        "lower_bound": 2,
        "keys": [{"uci": "c4g8", "san": "Qg8+"}],
        "keys_complete": True,
        "pv": ["c4g8", "f8g8", "h6f7"],
        "nodes": 100,
        "time_s": 0.002,
        "stopped_by": None,
        "solver": "1.2.3",
        **fields,
    }


UNREADABLE = {
    "schema": 1,
    "id": "x.epd:7",
    "fen": None,
    "claim": None,
    "status": None,
    "verdict": "unreadable",
    "error": "expected a FEN, found nothing",
    "solver": "1.2.3",
}


def data_of(page: bytes) -> dict[str, Any]:
    """The data that the page's script reads."""
    found = re.search(
        r'<script id="audit" type="application/json">(.*?)</script>',
        page.decode(),
        re.DOTALL,
    )
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def entries_of(page: bytes) -> list[dict[str, Any]]:
    """The entries that the page lists, each with the fields it has."""
    data = data_of(page)
    return [
        dict(zip(data["fields"], values, strict=False)) for values in data["entries"]
    ]
