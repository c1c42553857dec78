"""Tell the format of a collection by how it begins."""

from __future__ import annotations

import re

FORMATS = ("epd", "fen", "lichess", "pgn", "olive", "popeye", "jsonl", "csv")
"""What can be read; lists of FENs are EPD without operations."""

TITLES = {
    "epd": "EPD",
    "fen": "FENs",
    "lichess": "lichess's CSV",
    "pgn": "PGN",
    "olive": "Olive's YAML",
    "popeye": "Popeye's input",
    "jsonl": "JSON lines",
    "csv": "CSV",
}
"""What people call them."""

_BEGINNINGS = {
    "jsonl": re.compile(rb'\{\s*(?:"[^"]*"\s*:|\}|\Z)'),
    "pgn": re.compile(rb"\[|\{|[0-9]+\s*\."),
    "popeye": re.compile(rb"begin", re.IGNORECASE),
    "olive": re.compile(rb"---|- |-\Z|[A-Za-z_][\w -]*:(?:\s|\Z)"),
    "lichess": re.compile(
        rb'(?=.*\bPuzzleId\b)(?=.*\bFEN\b)[\w",]+\Z'  # names of columns
        rb'|"?\w+"?,"?(?:[1-8A-Za-z]+/){7}[1-8A-Za-z]+ [wb] [^,]*,"?[a-h][1-8][a-h]'
    ),
    "csv": re.compile(rb'(?:[^/]*,)?\s*"?fen"?\s*(?:,[^/]*)?\Z'),
}
"""The first record's beginning, in this order; anything else is EPD or a FEN."""


def detect_format(line: bytes) -> str:
    """Tell the format of a file.

    Parameters
    ----------
    line : bytes
        Its first line that is neither blank nor a comment.

    Returns
    -------
    str
        One of `FORMATS`: `epd` where nothing speaks for another.
    """
    beginning = line.strip()
    for name, pattern in _BEGINNINGS.items():
        if pattern.match(beginning):
            return name
    return "epd"
