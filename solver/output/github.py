"""Audits on GitHub: Markdown for summaries, and annotations of the lines that fail.

Other forges show the same Markdown. What comes from a collection is written as code, in
which no character is markup. An annotation is a "workflow command", a line on either
stream of a job, which GitHub shows beside the line of the file.
"""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from solver.audit.result import split_source
from solver.formats.streams import STDIN, name_of
from solver.output.audit_text import disagreement, name_record
from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.audit.result import AuditResult
    from solver.output.audit_text import AuditTable

MAX_LISTED = 50
"""At most this many disagreements are in a summary; the others are counted."""

_LONGEST = 4_000
"""Most characters of a line, more than any mate needs; GitHub refuses a summary of more
than a mebibyte."""


def code(text: str) -> str:
    """Write a text as code in Markdown: one line, in which nothing is markup."""
    line = printable(text)[:_LONGEST]
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def item(result: AuditResult) -> str | None:
    """Return the item of a list that describes a disagreement or an unreadable record.

    Returns
    -------
    str or None
        None if nothing contradicts the claim.
    """
    if result.fen is None:
        return f"- {code(f'{result.source}: {result.error}')}"
    if not (text := disagreement(result)):
        return None
    *lines, link = filter(str.strip, text.split("\n"))
    return "- " + "\\\n  ".join([*map(code, lines), f"[analysis]({link.strip()})"])


def summarise(
    files: Iterable[object], table: AuditTable | None, items: Iterable[str], count: int
) -> str:
    """Return a summary in Markdown.

    Parameters
    ----------
    files : iterable of FileSummary
        What was read from each file.
    table : AuditTable or None
        All results; None: only the list is wanted.
    items : iterable of str
        The list: each `item` that is a text.
    count : int
        How many they are.
    """
    listed = list(islice(items, MAX_LISTED))
    if count > len(listed):
        listed.append(f"- and {count - len(listed):,} more")
    blocks = ["\n".join(listed)]
    if table:
        read = "\n".join(f"- {code(str(file))}" for file in files)
        claims, *others = table.columns()
        columns = claims._replace(cells=[*map(code, claims.cells)]), *others
        lines = zip(*([one.head, "---:", *one.cells] for one in columns), strict=True)
        drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        counted = [] if table.is_empty else [drawn, *table.totals()]
        blocks = ["### matesolve verify", read, *counted, *blocks]
    return "\n\n".join(filter(None, blocks)) + "\n" * any(blocks)


def annotate(result: AuditResult, *, warns: bool) -> str:
    """Return the command that shows a result beside its line, as a warning or an error.

    Without a file, as with standard input, GitHub shows it with the job.
    """
    file, line = split_source(result.source)
    properties = {"title": ", ".join(result.disagreements) or result.word}
    if file != name_of(STDIN):
        properties = {"file": _in_workspace(file), "line": str(line or 1)} | properties
    written = ",".join(f"{key}={_escape(properties[key], ':,')}" for key in properties)
    found = ": ".join(filter(None, (result.error or result.word, result.stopped_by)))
    text = disagreement(result) or f"{name_record(result.source, result.id)}: {found}"
    message = _escape("\n".join(map(printable, text.split("\n"))))
    return f"::{'warning' if warns else 'error'} {written}::{message}"


def _in_workspace(file: str) -> str:
    """Return a file's path as GitHub knows it: from the root of the checkout."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or os.curdir).resolve()
    path = Path(file).parent.resolve() / Path(file).name
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def _escape(text: str, more: str = "") -> str:
    return re.sub(rf"[%\r\n{more}]", lambda found: f"%{ord(found[0]):02X}", text)
