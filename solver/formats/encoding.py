"""Read text whose encoding nobody has told."""

from __future__ import annotations


def decode(raw: bytes) -> str:
    """Read bytes as UTF-8, or else as Windows-1252, of which Latin-1 is a part.

    So a name in an old encoding costs no record. A byte that stands for nothing is
    replaced by U+FFFD.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")
