"""Where a position can be looked at."""

from __future__ import annotations

_BOARD = "https://lichess.org/analysis/standard/"


def analysis_link(fen: str) -> str:
    """Give the address of lichess's analysis board with a position."""
    return _BOARD + fen.replace(" ", "_")
