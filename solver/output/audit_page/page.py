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
import re
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

import chess
from chess.svg import PIECES

from solver.audit.result import AuditResult
from solver.audit.verdict import Verdict
from solver.errors import InputError
from solver.files import write_whole
from solver.formats.fen import parse_fen
from solver.output.audit_page.rows import (
    BINS_PER_DECADE,
    NOT_AGREEING,
    WORDS,
    Tally,
    check_record,
    claim_name,
)
from solver.output.text import numbered_line

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence


# One record as the page lists it: short, its lines written out in SAN.

FIELDS = (
    "agrees",
    "word",
    "claim",
    "id",
    "source",
    "fen",
    "status",
    "mate",
    "lowerBound",
    "nodes",
    "timeS",
    "keys",
    "keysComplete",
    "foundLine",
    "foundMove",
    "claimedLine",
    "claimedKeys",
    "claimedMove",
    "wrongKeys",
    "duals",
    "soundness",
    "disagreements",
    "stoppedBy",
    "tablebase",
    "error",
)
"""What the places of an entry mean, in their order; the rare ones come last."""


def make_entry(result: AuditResult) -> list[object]:
    """Make the entry of one record.

    Parameters
    ----------
    result : AuditResult
        The record.

    Returns
    -------
    list
        What `json.dumps` takes: a value for each of `FIELDS`, those left out at the
        end being empty. Moves and lines are in SAN; `foundMove` and `claimedMove` are
        first moves in UCI notation, for arrows.

    Raises
    ------
    FenError
        If the position is none.
    """
    fen = result.fen or ""
    if fen:
        parse_fen(fen)
    line, claimed_line = result.pv.split(), result.claimed_line.split()
    claimed = result.wrong_keys or result.claimed_keys or result.claimed_line
    entry: list[object] = [
        int(result.agrees),
        result.word,
        claim_name(result),
        result.id,
        "" if result.source == result.id else result.source,
        fen,
        result.status or "",
        result.mate,
        result.lower_bound,
        result.nodes,
        result.time_s if fen else None,
        written_moves(fen, result.keys.split()),
        result.keys_complete,
        written_line(fen, line),
        _arrow(line),
        written_line(fen, claimed_line),
        written_moves(fen, result.claimed_keys.split()),
        _arrow(claimed.split()),
        written_moves(fen, result.wrong_keys.split()),
        _duals(result),
        result.soundness or "",
        list(result.disagreements),
        result.stopped_by or "",
        result.tablebase or "",
        result.error or "",
    ]
    while entry[-1] in ("", []):
        entry.pop()
    return entry


def written_line(fen: str, moves: Sequence[str]) -> str:
    """Write a line in SAN with move numbers, as far as its moves are legal.

    Returns
    -------
    str
        `1. Qe3 Kh4 2. Qg5#`; from an illegal move on, the moves as they were given.
    """
    legal = _legal_moves(fen, moves)
    words = numbered_line(fen, moves[:legal]) if legal else []
    if rest := moves[legal:]:
        words += [*rest, "(illegal)"]
    return " ".join(words)


def written_moves(fen: str, moves: Sequence[str]) -> str:
    """Write alternative moves in SAN, and those that are illegal as they were given."""
    return " ".join(_san(chess.Board(fen), move) for move in moves)


def _arrow(moves: Sequence[str]) -> str:
    """Give the first of some moves; nothing where it does not join two squares."""
    try:
        move = chess.Move.from_uci(moves[0]) if moves else chess.Move.null()
    except ValueError:  # python-chess's word for what is no move
        return ""
    return moves[0] if move.from_square != move.to_square else ""


def _duals(result: AuditResult) -> list[str]:
    """Name the moves that are not the only ones: `move 2: Qg5 (also Qh6)`."""
    if not result.plies:
        return []
    told: list[str] = []
    fen, line = result.fen or "", result.claimed_line.split()
    board = chess.Board(fen)
    moves = line[: _legal_moves(fen, line)]
    plies = result.claimed_plies()[: len(moves) // 2 + 1]
    for number, ply in enumerate(plies, 1):
        if ply.only is False:
            others = [_san(board, key) for key in ply.keys if key != ply.move]
            word = "also" if ply.move in ply.keys else "rather"
            note = f" ({word} {' '.join(others)})" if others else ""
            told.append(f"move {number}: {_san(board, ply.move)}{note}")
        for move in moves[2 * number - 2 : 2 * number]:
            board.push_uci(move)
    return told


def _legal_moves(fen: str, moves: Sequence[str]) -> int:
    """Count the moves of a line up to the first that is illegal."""
    if not moves:
        return 0
    board = chess.Board(fen)
    for number, move in enumerate(moves):
        try:
            board.push_uci(move)
        except ValueError:  # python-chess's word for a move that cannot be made
            return number
    return len(moves)


def _san(board: chess.Board, move: str) -> str:
    try:
        return board.san(board.parse_uci(move))
    except ValueError:
        return move


# python-chess's drawings of the men, for a page that lets no inline style pass.

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


MAX_DISAGREEMENTS = 20_000
"""So many are listed, with what is undecided or unreadable; all are counted."""

MAX_AGREEING = 1_000
"""So many of the others are listed, which shows a small collection whole."""

SCRIPTS = ("page.js", "entry.js", "charts.js", "list.js")
"""The parts of the page's one script, in their order."""


def write_page(
    records: Iterable[AuditResult | Mapping[str, object]],
    path: str | os.PathLike[str],
    *,
    title: str,
    on_damaged: Callable[[str], None] | None = None,
) -> None:
    """Write the page of an audit, whole or not at all.

    Parameters
    ----------
    records : iterable of AuditResult or Mapping
        Results, or their JSON records; each is read once and not kept.
    path : str or PathLike
        The file to write.
    title : str
        What the page is called.
    on_damaged : callable
        Gets a line for each record that is listed as unreadable because it is not as
        `audit_record` makes it.

    Raises
    ------
    OSError
        The file cannot be written; what was there is left as it was.
    """
    page = render_page(records, title=title, on_damaged=on_damaged)
    write_whole(path, page)


def render_page(
    records: Iterable[AuditResult | Mapping[str, object]],
    *,
    title: str,
    on_damaged: Callable[[str], None] | None = None,
) -> bytes:
    """Make the page of an audit.

    A record that cannot be understood is listed as an unreadable one.

    Parameters
    ----------
    records : iterable of AuditResult or Mapping
        Results, or their JSON records; each is read once and not kept.
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
        pieces=symbols(),
        data=_data(records, on_damaged),
        script=script,
    )
    return page.encode(errors="replace")  # a file may be named in no encoding


def _data(
    records: Iterable[AuditResult | Mapping[str, object]],
    on_damaged: Callable[[str], None] | None,
) -> str:
    """Write what the script reads; `<` is escaped, so that no tag can end it."""
    tally = Tally()
    room = {False: MAX_DISAGREEMENTS, True: MAX_AGREEING}
    entries: list[str] = []
    for number, record in enumerate(records, 1):
        try:
            result = record if isinstance(record, AuditResult) else check_record(record)
            entry = _entry(result, room)
        except InputError as error:
            name = f"record {number}"
            if on_damaged:
                on_damaged(f"{name}: {error}")
            result = AuditResult(
                "",
                name,
                verdict=Verdict.UNREADABLE.value,
                time_s=None,
                error=str(error),
                solver="",
            )
            entry = _entry(result, room)
        tally.add(result)
        if entry:
            room[result.agrees] -= 1
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


def _entry(result: AuditResult, room: Mapping[bool, int]) -> str:
    """Write a record's entry, or nothing where there is no room for it."""
    return _json(make_entry(result)) if room[result.agrees] else ""


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
