"""Answers, audits and play as text, drawings and records."""

from __future__ import annotations

from enum import StrEnum


class Notation(StrEnum):
    """How moves are written; the command line has the same names."""

    SAN = "san"
    UCI = "uci"
    POPEYE = "popeye"
