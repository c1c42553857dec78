"""Cases of a test as text: a row a line, and bars between the cells."""

from __future__ import annotations


def cases(text: str) -> list[tuple[str, ...]]:
    lines = text.strip().splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines]
