"""The notations of printed moves, which the command line names."""

from __future__ import annotations

from enum import StrEnum


class Notation(StrEnum):
    """How moves are written."""

    SAN = "san"
    UCI = "uci"
    POPEYE = "popeye"
