"""Keywords that may be shortened, as Popeye's may."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def expand(word: str, keywords: Iterable[str], shortest: int = 3) -> str | None:
    """Find the keyword that a word is, or is the beginning of.

    Parameters
    ----------
    word : str
        In small or capital letters.
    keywords : iterable of str
    shortest : int
        How many letters it must have. Popeye takes any number, and its manual warns
        that fewer than four may not stay unique.

    Returns
    -------
    str or None
        The keyword; None where the word fits none or several, or is too short.
    """
    if len(word) < shortest:
        return None
    fitting = [key for key in keywords if key.lower().startswith(word.lower())]
    whole = [key for key in fitting if len(key) == len(word)]
    candidates = whole or fitting
    return candidates[0] if len(candidates) == 1 else None
