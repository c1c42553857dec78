"""A certificate as a JSON document, and as the bytes of a file."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from solver.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VERSION = 1

GZIP_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is proved of a position, and how; see docs/reference/certificate-format.md.

    Attributes
    ----------
    fen : str
        The position.
    attacker : bool
        Who mates or does not; `chess.WHITE` or `chess.BLACK`.
    mate, refutation : mapping or None
        The two parts, one at least, as JSON has them.
    """

    fen: str
    attacker: chess.Color
    mate: Mapping[str, Any] | None = None
    refutation: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Give the JSON object."""
        parts = {"mate": self.mate, "refutation": self.refutation}
        return {
            "certificate": VERSION,
            "fen": self.fen,
            "attacker": chess.COLOR_NAMES[self.attacker],
            **{name: part for name, part in parts.items() if part is not None},
        }

    def encode(self) -> bytes:
        """Write the document as JSON, a node a line."""
        fields = (
            f"{json.dumps(name)}:{_encode_part(value)}"
            for name, value in self.document().items()
        )
        return ("{" + ",\n".join(fields) + "}\n").encode()


def write(data: bytes, path: Path) -> None:
    """Write a file, whole or not at all; compressed where its name ends in .gz.

    Raises
    ------
    OSError
        It cannot be written.
    """
    if path.suffix == ".gz":
        data = gzip.compress(data, GZIP_LEVEL, mtime=0)
    write_whole(path, data)


def _encode_part(value: object) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    fields = []
    for name, content in value.items():
        if name == "nodes":
            lines = ",\n".join(
                json.dumps(node, separators=(",", ":")) for node in content
            )
            text = f"[\n{lines}\n]" if content else "[]"
        else:
            text = json.dumps(content, separators=(",", ":"))
        fields.append(f"{json.dumps(name)}:{text}")
    return "{" + ",".join(fields) + "}"
