"""Write the page of an audit: template, style, script and data in one HTML file.

Nothing in a collection becomes markup (see `solver.output`): the template escapes the
data, and the script inserts them as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
from chess.svg import PIECES

from solver.audit.result import AuditResult
from solver.board import parse_fen
from solver.errors import InputError
from solver.files import write_whole
from solver.output.audit_records import WORDS, read_record
from solver.output.audit_text import name_claim
from solver.pages import fill_page, unstyled
from solver.pages.tally import (
    BINS_PER_DECADE,
    NOT_AGREEING,
    Tally,
)
from solver.stipulations import kind_of
from solver.stipulations.comparison import Verdict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from solver.stipulations.kind import Kind

MAX_DISAGREEMENTS = 20_000
"""At most this many disagreeing, undecided and unreadable records are listed; all are
counted."""

MAX_AGREEING = 1_000
"""At most this many agreeing records are listed: all, if the collection is small."""

SCRIPTS = tuple(f"collection{name}.js" for name in ("", "_entry", "_charts", "_list"))
"""The files of the page's script, in order."""


def write_page(
    records: Iterable[AuditResult | Mapping[str, object]],
    path: str | os.PathLike[str],
    *,
    title: str,
    on_damaged: Callable[[str], None] | None = None,
) -> None:
    """Write the page of an audit, whole or not at all; see `render_page`.

    Raises
    ------
    OSError
        The file cannot be written. An existing file is left unchanged.
    """
    page = render_page(records, title=title, on_damaged=on_damaged)
    write_whole(path, page)


def render_page(
    records: Iterable[AuditResult | Mapping[str, object]],
    *,
    title: str,
    on_damaged: Callable[[str], None] | None = None,
) -> bytes:
    """Return the page of an audit.

    A damaged record is listed as unreadable, with the reason.

    Parameters
    ----------
    records : iterable of AuditResult or Mapping
        Results, or records as `audit_records.audit_record` makes them; read one at a
        time.
    title : str
        The title of the page.
    on_damaged : callable
        Called with a line of text for each damaged record.

    Returns
    -------
    bytes
        One self-contained HTML file in UTF-8.
    """
    return fill_page(
        "collection.html",
        title=title,
        style="collection.css",
        scripts=SCRIPTS,
        pieces={letter: unstyled(drawing) for letter, drawing in PIECES.items()},
        data=_data(records, on_damaged),
    )


def _data(
    records: Iterable[AuditResult | Mapping[str, object]],
    on_damaged: Callable[[str], None] | None,
) -> dict[str, object]:
    """Return what the script reads: the totals and the entries."""
    tally = Tally()
    room = {False: MAX_DISAGREEMENTS, True: MAX_AGREEING}
    entries: list[list[object]] = []
    for number, record in enumerate(records, 1):
        try:
            result = record if isinstance(record, AuditResult) else read_record(record)
            is_agreeing = result.agrees
            entry = make_entry(result) if room[is_agreeing] else None
        except InputError as error:
            name = f"record {number}"
            if on_damaged:
                on_damaged(f"{name}: {error}")
            result, is_agreeing = _unreadable(name, error), False
            entry = make_entry(result) if room[is_agreeing] else None
        tally.add(result)
        if entry:
            room[is_agreeing] -= 1
            entries.append(entry)
    return {
        "words": WORDS,
        "notAgreeing": NOT_AGREEING,
        "binsPerDecade": BINS_PER_DECADE,
        "fields": FIELDS,
        **tally.summary(),
        "entries": entries,
    }


def _unreadable(name: str, error: InputError) -> AuditResult:
    return AuditResult(
        source="",
        id=name,
        verdict=Verdict.UNREADABLE,
        time_s=None,
        error=str(error),
        solver="",
    )


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
    "stipulation",
    "claimedSolutions",
    "solutions",
    "solutionsComplete",
)
"""The names of an entry's values, in order. Rarely used ones are last, because empty
values at the end are left out."""


def make_entry(result: AuditResult) -> list[object]:
    """Return what the page shows of a result.

    Parameters
    ----------
    result : AuditResult
        Any FEN and any text for a move is allowed.

    Returns
    -------
    list
        A value for each of `FIELDS`, without the empty ones at the end. Moves and lines
        are in SAN; `foundMove` and `claimedMove` are first moves in UCI notation, for
        arrows.

    Raises
    ------
    FenError
        The position is invalid.
    """
    fen = result.fen or ""
    if fen:
        parse_fen(fen)
    keys, claimed_keys = result.keys.split(), result.claimed_keys.split()
    line, claimed_line = result.pv.split(), result.claimed_line.split()
    wrong_keys = result.wrong_keys.split()
    kind, solutions = kind_of(result.asked), result.found_solutions()
    entry: list[object] = [
        int(result.agrees),
        result.word,
        name_claim(result)[1],
        result.id,
        "" if result.source == result.id else result.source,
        fen,
        result.status or "",
        result.mate,
        result.lower_bound,
        result.nodes,
        result.time_s if fen else None,
        moves_in_san(fen, keys),
        result.keys_complete,
        "" if solutions else line_in_san(fen, line, kind),
        _arrow(line),
        line_in_san(fen, claimed_line, kind),
        moves_in_san(fen, claimed_keys),
        _arrow(wrong_keys or claimed_keys or claimed_line),
        moves_in_san(fen, wrong_keys),
        _duals(result, fen, claimed_line),
        result.soundness or "",
        list(result.disagreements),
        result.stopped_by or "",
        result.tablebase or "",
        result.error or "",
        result.asked.beside_claim.text,
        "" if result.claimed_solutions is None else result.claimed_solutions,
        [line_in_san(fen, moves, kind) for moves in solutions],
        result.solutions_complete or "",
    ]
    while entry[-1] in ("", []):
        entry.pop()
    return entry


def line_in_san(fen: str, moves: Sequence[str], kind: Kind) -> str:
    """Write a line in SAN with move numbers, up to its first illegal move.

    Returns
    -------
    str
        `1. Qe3 Kh4 2. Qg5#`. From an illegal move on, the moves as they were given.
    """
    legal = _legal_moves(fen, moves)
    words = kind.numbered_line(fen, moves[:legal]) if legal else []
    if rest := moves[legal:]:
        words += [*rest, "(illegal)"]
    return " ".join(words)


def moves_in_san(fen: str, moves: Sequence[str]) -> str:
    """Write alternative moves in SAN; illegal ones stay as they were given."""
    if not moves:
        return ""
    board = chess.Board(fen)
    return " ".join(_san(board, move) for move in moves)


def _arrow(moves: Sequence[str]) -> str:
    """Return the first move, if it connects two squares."""
    try:
        move = chess.Move.from_uci(moves[0]) if moves else chess.Move.null()
    except ValueError:  # python-chess's exception for a malformed move
        return ""
    return moves[0] if move.from_square != move.to_square else ""


def _duals(result: AuditResult, fen: str, claimed_line: Sequence[str]) -> list[str]:
    """Describe the moves of the claimed line that are not the only ones.

    Returns
    -------
    list of str
        `move 2: Qg5 (also: Qh6)`, or `(faster: Qh6)` if Qg5 takes longer.
    """
    described: list[str] = []
    board = chess.Board(fen or None)
    moves = claimed_line[: _legal_moves(fen, claimed_line)]
    plies = result.claimed_plies()
    for number, ply in enumerate(plies[: len(moves) // 2 + 1], 1):
        if ply.only is False:
            others = [_san(board, key) for key in ply.keys if key != ply.move]
            word = "also" if ply.move in ply.keys else "faster"
            note = f" ({word}: {' '.join(others)})" if others else ""
            described.append(f"move {number}: {_san(board, ply.move)}{note}")
        for move in moves[2 * number - 2 : 2 * number]:
            board.push_uci(move)
    return described


def _legal_moves(fen: str, moves: Sequence[str]) -> int:
    """Return the number of moves before the first illegal one."""
    if not moves:
        return 0
    board = chess.Board(fen)
    for number, move in enumerate(moves):
        try:
            board.push_uci(move)
        except ValueError:  # python-chess's exception for an illegal move
            return number
    return len(moves)


def _san(board: chess.Board, move: str) -> str:
    try:
        return board.san(board.parse_uci(move))
    except ValueError:
        return move
