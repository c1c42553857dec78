"""Records made by hand for the page of a collection, and the data read back from it."""

from __future__ import annotations

import base64
import gzip
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
    """The data that a page's script reads."""
    (found,) = re.findall(r'id="data">(.*?)</script>', page.decode(), re.DOTALL)
    data: dict[str, Any] = json.loads(found)
    return data


def records_of(page: bytes) -> list[dict[str, Any]]:
    """The records that a page lists."""
    lines = gzip.decompress(base64.b64decode(data_of(page)["records"])).decode()
    return [json.loads(line) for line in lines.splitlines()]


def headline_of(page: bytes) -> str:
    """The page's summary in a sentence."""
    (found,) = re.findall(r'<p id="headline">(.*?)</p>', page.decode())
    return str(found)
