"""Read rows of lichess's puzzle database.

A row's FEN is the position before the opponent's first move, so its problem is the
position after that move. Rows with the theme `mate`, or `mateIn1` to `mateIn5` (five or
more), claim a mate in the number of the solver's moves in `Moves`. If several last
moves mate, lichess accepts any of them, and so does the claim.

A file has millions of rows, so most rows are rejected by their text before a position
is parsed.
"""

from __future__ import annotations

import csv
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

import chess

from solver.board import parse_fen, read_compiled
from solver.errors import FormatError, InputError, quote
from solver.formats.claims import default_name, printable
from solver.formats.streams import Lines, Records, decode_line, is_record
from solver.problem import Claim, Problem
from solver.stipulation import MAX_MOVES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from solver.formats.claims import ReadOptions, Selection
    from solver.formats.summary import FileSummary


_DATABASE = [
    *("PuzzleId", "FEN", "Moves", "Rating", "RatingDeviation", "Popularity"),
    *("NbPlays", "Themes", "GameUrl", "OpeningTags"),
]
"""The columns of a file without a header."""

_READ = ("PuzzleId", "FEN", "Moves", "Themes")
RATING = "Rating"

_MATE = "mate"
_MATES = {_MATE, *(f"mateIn{moves}" for moves in range(1, 6))}
_AND_MORE = 5
"""The theme of this length includes all greater lengths."""


def read_lichess(lines: Lines, summary: FileSummary, options: ReadOptions) -> Records:
    """Read rows of lichess's CSV, each as soon as it arrives.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8. If the first names the columns, they may
        be in any order, among others. Otherwise they are in the database's order.
    summary : FileSummary
        Counts the rows that are not selected.
    options : ReadOptions
        Which rows to read. Rows outside the selection are not validated.

    Yields
    ------
    Problem or FormatError
        In file order.
    """
    lines = iter(lines)
    first = next(lines, None)
    if first is None:
        return
    number, line = first
    try:
        header = [cell.strip() for cell in split_row(line)]
        if "FEN" not in header:
            header = _DATABASE
            lines = chain([first], lines)
        read_row = row_reader(header, options.selection)
    except InputError as error:
        yield FormatError(f"{summary.name}:{number}", str(error))
        return
    for number, line in lines:
        source = f"{summary.name}:{number}"
        try:
            problem = read_row(split_row(line), source)
        except InputError as error:
            if is_record(line):
                yield FormatError(source, str(error))
        else:
            if problem:
                yield problem
            else:
                summary.not_selected += 1


def columns_for(selection: Selection) -> list[str]:
    """Return the columns to read, the rating last."""
    return [*_READ] if selection.min_rating is None else [*_READ, RATING]


def row_reader(
    header: Sequence[str], selection: Selection
) -> Callable[[Sequence[str], str], Problem | None]:
    """Return a function that reads rows with these columns.

    Parameters
    ----------
    header : sequence of str
        The names of the columns.
    selection : Selection
        Which rows to read.

    Returns
    -------
    callable
        Takes the cells of a row and its `file:line`. Returns None if the row is not
        selected; raises InputError if it cannot be read.

    Raises
    ------
    InputError
        If a column is missing.
    """
    names = columns_for(selection)
    if missing := [name for name in names if name not in header]:
        msg = f"lichess's puzzles: expected the columns {', '.join(names)}, found no "
        raise InputError(msg + " and no ".join(missing))
    pick = itemgetter(*map(header.index, names))

    def read_row(cells: Sequence[str], source: str) -> Problem | None:
        try:
            row = pick(cells)
        except IndexError:
            msg = f"expected a row of lichess's CSV, found {len(cells)} columns"
            raise InputError(msg) from None
        return _make_problem(row, source) if _is_selected(row, selection) else None

    return read_row


def _is_selected(row: Sequence[str], selection: Selection) -> bool:
    themes = row[3]
    if selection.theme is not None and selection.theme not in themes.split():
        return False
    if selection.min_rating is not None and (
        _parse_rating(row[-1]) < selection.min_rating
    ):
        return False
    if not _claims_mate(themes):
        return selection.all_rows and not selection.limits_length
    return not selection.limits_length or selection.has_length(_count_moves(row[2]))


def _claims_mate(themes: str) -> bool:
    return _MATE in themes and not _MATES.isdisjoint(themes.split())


def _parse_rating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"{RATING}: expected a number, found {quote(text)}"
        raise InputError(msg) from None


def _count_moves(moves: str) -> int:
    """Count the solver's moves; each follows one of the opponent."""
    return len(moves.split()) // 2


def _make_problem(row: Sequence[str], source: str) -> Problem:
    puzzle_id, fen, moves, themes = row[:4]
    plain = read_compiled(fen, moves, played=1, uci_only=True)
    fen, line = plain or _read_strictly(fen, moves, themes)
    claim = None
    if _claims_mate(themes):
        mate = _claimed_length(moves, themes)
        words = tuple(line.split())
        claim = Claim(mate, words[:1], words, any_last_move=True)
    return Problem(fen, printable(puzzle_id) or default_name(source), claim, source)


def _read_strictly(fen: str, moves: str, themes: str) -> tuple[str, str]:
    """Read a row like `read_compiled`, and explain what is wrong.

    Only the first move is checked unless a mate is claimed.
    """
    board = parse_fen(fen)
    first, *line = moves.split() or [""]
    board.push(_parse_move(board, first))
    if not board.has_legal_en_passant():
        board.ep_square = None  # otherwise transpositions would have different FENs
    fen = board.fen(en_passant="fen")
    if _claims_mate(themes):
        _claimed_length(moves, themes)
        for text in line:
            board.push(_parse_move(board, text))
    return fen, " ".join(line)


def _claimed_length(moves: str, themes: str) -> int:
    plies = len(moves.split())
    mate = plies // 2
    if plies % 2 or not 1 <= mate <= MAX_MOVES:
        msg = (
            f"Moves: expected 1 to {MAX_MOVES} moves of each side, the opponent's "
            f"first, found {plies} in all"
        )
        raise InputError(msg)
    theme = f"mateIn{min(mate, _AND_MORE)}"
    if others := _MATES.intersection(themes.split()) - {_MATE, theme}:
        msg = f"Moves: expected {' and '.join(sorted(others))}, found a mate in {mate}"
        raise InputError(msg)
    return mate


def _parse_move(board: chess.Board, text: str) -> chess.Move:
    try:
        move = board.parse_uci(text)
    except ValueError:
        move = chess.Move.null()
    # python-chess also accepts castling written as king takes rook.
    if not move or move.uci() != text:
        msg = f"Moves: expected a legal move in UCI, found {quote(text)}"
        raise InputError(msg)
    return move


def split_row(line: bytes) -> list[str]:
    """Split a row of CSV into its cells, quickly if nothing is quoted.

    Parameters
    ----------
    line : bytes
        UTF-8; a row is one line.

    Returns
    -------
    list of str
        The cells with their white space; one cell for a blank line.

    Raises
    ------
    InputError
        If the row is too long, not UTF-8, or wrongly quoted.
    """
    text = decode_line(line).rstrip("\r\n")
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        msg = f"expected a row of CSV, found {quote(text)}: {error}"
        raise InputError(msg) from None
