"""Write the page of an audit: template, style, script and data in one HTML file.

The page loads nothing, and nothing in a collection becomes markup:

- the template's policy allows only the style and the script whose hashes it names;
- the template escapes the data, and the script inserts them as text;
- no element has a `style` attribute, which the policy would refuse.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING

import chess
from chess.svg import PIECES

from solver.audit.verdict import Verdict
from solver.errors import InputError
from solver.files import write_whole
from solver.formats.fen import parse_fen
from solver.output import render_template
from solver.output.audit_page.rows import (
    BINS_PER_DECADE,
    NOT_AGREEING,
    WORDS,
    CheckedRecord,
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


def make_entry(result: CheckedRecord) -> list[object]:
    """Make the entry of one record.

    Parameters
    ----------
    finding : CheckedRecord
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
    fen = result.fen
    if fen:
        parse_fen(fen)
    line, claimed_line = result.pv, result.claimed_line
    claimed = result.wrong_keys or result.claimed_keys or claimed_line
    entry: list[object] = [
        int(result.agrees),
        result.word,
        claim_name(result),
        result.id,
        "" if result.source == result.id else result.source,
        fen,
        result.status,
        result.mate,
        result.lower_bound,
        result.nodes,
        result.time_s,
        " ".join(result.keys),
        int(result.keys_complete),
        written_line(fen, line),
        _arrow(line),
        written_line(fen, claimed_line),
        written_moves(fen, result.claimed_keys),
        _arrow(claimed),
        written_moves(fen, result.wrong_keys),
        _duals(result),
        result.soundness,
        list(result.disagreements),
        result.stopped_by,
        result.tablebase,
        result.error,
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


def _duals(result: CheckedRecord) -> list[str]:
    """Name the moves that are not the only ones: `move 2: Qg5 (also Qh6)`."""
    if not result.plies:
        return []
    told: list[str] = []
    board = chess.Board(result.fen)
    moves = result.claimed_line[: _legal_moves(result.fen, result.claimed_line)]
    for number, ply in enumerate(result.plies[: len(moves) // 2 + 1], 1):
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


MAX_DISAGREEMENTS = 20_000
"""So many are listed, with what is undecided or unreadable; all are counted."""

MAX_AGREEING = 1_000
"""So many of the others are listed, which shows a small collection whole."""

SCRIPTS = ("page.js", "entry.js", "charts.js", "list.js")
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
    page = render_template(
        "audit_page/page.html",
        title=title,
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script),
        pieces={letter: _unstyled(drawing) for letter, drawing in PIECES.items()},
        data=_data(records, on_damaged),
    )
    return page.encode(errors="replace")  # a file name may hold undecodable bytes


def _data(
    records: Iterable[Mapping[str, object]], on_damaged: Callable[[str], None] | None
) -> dict[str, object]:
    """Return what the script reads: the totals and the entries."""
    tally = Tally()
    room = {False: MAX_DISAGREEMENTS, True: MAX_AGREEING}
    entries: list[list[object]] = []
    for number, record in enumerate(records, 1):
        try:
            result = check_record(record)
            entry = make_entry(result) if room[result.agrees] else None
        except InputError as error:
            name = f"record {number}"
            if on_damaged:
                on_damaged(f"{name}: {error}")
            result = CheckedRecord(Verdict.UNREADABLE, id=name, error=str(error))
            entry = make_entry(result) if room[result.agrees] else None
        tally.add(result)
        if entry:
            room[result.agrees] -= 1
            entries.append(entry)
    return {
        "words": WORDS,
        "notAgreeing": NOT_AGREEING,
        "binsPerDecade": BINS_PER_DECADE,
        "fields": FIELDS,
        **tally.summary(),
        "entries": entries,
    }


def _digest(text: str) -> str:
    """Return the hash by which a Content-Security-Policy names a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_STYLE = re.compile(r'style="([^"]*)"')
_DECLARATION = re.compile(r"([a-z-]+):\s*([^;]+);?")


def _unstyled(drawing: str) -> str:
    """Replace `style` in an SVG drawing by attributes, which no policy refuses."""
    return _STYLE.sub(lambda style: _DECLARATION.sub(r'\1="\2"', style[1]), drawing)


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
