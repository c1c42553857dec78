"""How an error message shows what was found."""

from __future__ import annotations

_SHOWN_CHARACTERS = 60


def quote(text: str) -> str:
    """Quote the beginning of a text on one line, without control characters.

    Parameters
    ----------
    text : str
        Any text, however long.

    Returns
    -------
    str
        At most its first 60 characters in quotes, and dots where there are more.
    """
    shown = ascii(text[:_SHOWN_CHARACTERS])
    return shown + "..." if len(text) > _SHOWN_CHARACTERS else shown


def printable(name: str) -> str:
    """Make the name of a problem safe for a terminal, on one line.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        Single spaces between its words, and U+FFFD for what does not print.
    """
    words = " ".join(name.split())
    if words.isprintable():
        return words
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)
