"""Write the page: its template, style, script and data in one file.

Nothing is ever loaded from elsewhere, and nothing of a collection is taken for markup:
the page's policy lets no other style and script pass than those whose hashes it names,
the data are JSON without a `<`, and the script inserts them as text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from solver.audit.verdict import Verdict
from solver.errors import InputError
from solver.files import write_whole
from solver.output.audit_page.rows import (
    NOT_AGREEING,
    WORDS,
    CheckedRecord,
    check_record,
)
from solver.reports.html.entry import FIELDS, make_entry
from solver.reports.html.men import symbols
from solver.reports.html.tally import BINS_PER_DECADE, Tally

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

MAX_DISAGREEMENTS = 20_000
"""So many are listed, with what is undecided or unreadable; all are counted."""

MAX_AGREEING = 1_000
"""So many of the others are listed, which shows a small collection whole."""

SCRIPTS = (
    "data.js",
    "elements.js",
    "words.js",
    "board.js",
    "charts.js",
    "summary.js",
    "entry.js",
    "filters.js",
    "list.js",
    "main.js",
)
"""The parts of the page's one script, in their order."""


def write_page(
    records: Iterable[Mapping[str, object]],
    path: str | os.PathLike[str],
    *,
    title: str,
    on_damaged: Callable[[str], None] | None = None,
) -> None:
    """Write the page of an audit, whole or not at all.

    Parameters
    ----------
    records : iterable of Mapping
        As `finding_record` makes them; each is read once and let go.
    path : str or PathLike
        The file to write.
    title : str
        What the page is called.
    on_damaged : callable
        Gets a line for each record that is listed as unreadable because it is not as
        `finding_record` makes it.

    Raises
    ------
    OSError
        The file cannot be written; what was there is left as it was.
    """
    page = render_page(records, title=title, on_damaged=on_damaged)
    write_whole(path, page)


def render_page(
    records: Iterable[Mapping[str, object]],
    *,
    title: str,
    on_damaged: Callable[[str], None] | None = None,
) -> bytes:
    """Make the page of an audit.

    A record that cannot be understood is listed as an unreadable one.

    Parameters
    ----------
    records : iterable of Mapping
        As `finding_record` makes them; each is read once and let go.
    title : str
        What the page is called.
    on_damaged : callable
        See `write_page`.

    Returns
    -------
    bytes
        HTML in UTF-8, self-contained.
    """
    style, script = _source("page.css"), "\n".join(map(_source, SCRIPTS))
    page = Template(_source("page.html")).substitute(
        policy=_policy(style, script),
        title=html.escape(title),
        style=style,
        men=symbols(),
        data=_data(records, on_damaged),
        script=script,
    )
    return page.encode(errors="replace")  # a file may be named in no encoding


def _data(
    records: Iterable[Mapping[str, object]], on_damaged: Callable[[str], None] | None
) -> str:
    """Write what the script reads; `<` is escaped, so that no tag can end it."""
    tally = Tally()
    room = {False: MAX_DISAGREEMENTS, True: MAX_AGREEING}
    entries: list[str] = []
    for number, record in enumerate(records, 1):
        try:
            finding = check_record(record)
            entry = _entry(finding, room)
        except InputError as error:
            name = f"record {number}"
            if on_damaged:
                on_damaged(f"{name}: {error}")
            finding = CheckedRecord(Verdict.UNREADABLE, id=name, error=str(error))
            entry = _entry(finding, room)
        tally.add(finding)
        if entry:
            room[finding.agrees] -= 1
            entries.append(entry)
    summary = {
        "words": WORDS,
        "notAgreeing": NOT_AGREEING,
        "binsPerDecade": BINS_PER_DECADE,
        "fields": FIELDS,
        **tally.summary(),
    }
    lines = ",\n".join(entries)
    return f'{_json(summary)[:-1]},"entries":[\n{lines}\n]}}'


def _entry(finding: CheckedRecord, room: Mapping[bool, int]) -> str:
    """Write a record's entry, or nothing where there is no room for it."""
    return _json(make_entry(finding)) if room[finding.agrees] else ""


def _json(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _policy(style: str, script: str) -> str:
    """Say what a browser may load and run: what the page itself holds."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
