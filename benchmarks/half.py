"""Print one half of a suite: the half for tuning or the half for reporting.

usage: python -m benchmarks.half tuned|reported SUITE.epd > HALF.epd

A line belongs to the half for reporting if the CRC-32 of its position, the first four
fields, is even. So a position stays in its half whatever else is in the suite.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zlib import crc32

HALVES = {"reported": 0, "tuned": 1}


def half(lines: list[str], name: str) -> list[str]:
    """Return the lines of a suite that belong to a half."""
    return [
        line
        for line in lines
        if crc32(" ".join(line.split()[:4]).encode()) % 2 == HALVES[name]
    ]


def main() -> None:
    """Print the half that the command line names."""
    match sys.argv[1:]:
        case [name, path] if name in HALVES:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
            print("\n".join(half(lines, name)))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
