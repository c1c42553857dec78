"""python-chess's drawings of the men, for a page that lets no inline style pass."""

from __future__ import annotations

import re

from chess.svg import PIECES

_STYLE = re.compile(r'style="([^"]*)"')
_DECLARATION = re.compile(r"([a-z-]+):\s*([^;]+);?")


def symbols() -> str:
    """Write a `<symbol>` for each man, 45 wide and high: `man-K`, `man-k`, ..."""
    return "".join(
        f'<symbol id="man-{letter}">{_STYLE.sub(_as_attributes, drawing)}</symbol>'
        for letter, drawing in PIECES.items()
    )


def _as_attributes(style: re.Match[str]) -> str:
    """Say by attributes, which need no leave, what a style says."""
    return _DECLARATION.sub(r'\1="\2"', style[1])
