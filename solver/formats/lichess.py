"""Read rows of lichess's puzzle database.

The FEN of a row stands before the opponent's first move, so the position of its problem
is the one after that. Rows with the theme `mate`, or `mateIn1` to `mateIn5`, which last
means five or more, claim a mate in as many moves as the solver has in `Moves`. Where
several moves mate in one, lichess takes any: the claim says so.

Files of these have millions of rows, so what is not wanted is told by the text alone.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

import chess

from solver.errors import FormatError, InputError
from solver.formats.claims import make_problem
from solver.formats.csv_row import rows_behind, split_row
from solver.formats.fast_fen import format_fen
from solver.formats.fen import parse_fen
from solver.formats.numbered_lines import is_record
from solver.formats.wording import printable, quote
from solver.problem import MAX_MOVES, Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.formats.meter import Meter
    from solver.formats.selection import Selection
    from solver.problem import Problem

_DATABASE = [
    *("PuzzleId", "FEN", "Moves", "Rating", "RatingDeviation", "Popularity"),
    *("NbPlays", "Themes", "GameUrl", "OpeningTags"),
]
"""The columns of a file without a header."""

_READ = ("PuzzleId", "FEN", "Moves", "Themes")
_RATING = "Rating"

_MATE = "mate"
_MATES = {_MATE, *(f"mateIn{moves}" for moves in range(1, 6))}
_AND_MORE = 5
"""Of the themes that name a length, this one stands for all greater ones too."""


def read_lichess(
    lines: Iterator[tuple[int, bytes]], name: str, selection: Selection, meter: Meter
) -> Iterator[Problem | FormatError]:
    """Read rows of lichess's CSV, each as soon as it is there.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8. If the first names columns, these may
        stand in any order among others; without it they stand as in the database.
    name : str
        What to call the file in `file:line`.
    selection : Selection
        Which rows to give. Of a row that is left out nothing else is read.
    meter : Meter
        Counts the rows that are passed over.

    Yields
    ------
    Problem or FormatError
        In the order of their rows.
    """
    first = next(lines, None)
    if first is None:
        return
    number, line = first
    try:
        header = split_row(line)
        if "FEN" not in header:
            header = _DATABASE
            lines = chain([first], lines)
        pick = _find_columns(header, selection)
    except InputError as error:
        yield FormatError(f"{name}:{number}", str(error))
        return
    following = rows_behind(line, lines)
    for number, line in lines:
        source = f"{name}:{number}"
        try:
            cells = split_row(line, following)
            problem = _read_row(cells, pick, selection, source)
        except InputError as error:
            if is_record(line):
                yield FormatError(source, str(error))
        else:
            if problem:
                yield problem
            else:
                meter.passed_over += 1


def _find_columns(
    header: Sequence[str], selection: Selection
) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """Give what takes the cells that are read out of a row, the rating last."""
    names = [*_READ] if selection.min_rating is None else [*_READ, _RATING]
    if missing := [name for name in names if name not in header]:
        msg = f"lichess's CSV: expected the columns {', '.join(names)}, found no "
        raise InputError(msg + " and no ".join(missing))
    return itemgetter(*map(header.index, names))


def _read_row(
    cells: Sequence[str],
    pick: Callable[[Sequence[str]], tuple[str, ...]],
    selection: Selection,
    source: str,
) -> Problem | None:
    try:
        row = pick(cells)
    except IndexError:
        msg = f"expected a row of lichess's CSV, found {len(cells)} columns"
        raise InputError(msg) from None
    return _make_problem(row, source) if _is_wanted(row, selection) else None


def _is_wanted(row: Sequence[str], selection: Selection) -> bool:
    themes = row[3]
    if selection.theme is not None and selection.theme not in themes.split():
        return False
    if selection.min_rating is not None and (
        _parse_rating(row[-1]) < selection.min_rating
    ):
        return False
    if not _claims_mate(themes):
        return selection.all_rows and not selection.asks_for_length
    return not selection.asks_for_length or selection.has_length(_count_moves(row[2]))


def _claims_mate(themes: str) -> bool:
    return _MATE in themes and not _MATES.isdisjoint(themes.split())


def _parse_rating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"{_RATING}: expected a number, found {quote(text)}"
        raise InputError(msg) from None


def _count_moves(moves: str) -> int:
    """Count the solver's moves, of which each follows one of the opponent's."""
    return len(moves.split()) // 2


def _make_problem(row: Sequence[str], source: str) -> Problem:
    puzzle_id, fen, moves, themes = row[:4]
    board = parse_fen(fen)
    first, *line = moves.split() or [""]
    board.push(_parse_move(board, first))
    if not board.has_legal_en_passant():
        board.ep_square = None  # a position that comes by other ways is the same one
    fen = format_fen(board)
    claim = None
    if _claims_mate(themes):
        mate = _claimed_length(moves, themes)
        _require_legal(board, line)
        claim = Claim(mate, (line[0],), tuple(line), any_last_move=True)
    return make_problem(fen, printable(puzzle_id), source, claim, None)


def _claimed_length(moves: str, themes: str) -> int:
    plies = len(moves.split())
    mate = plies // 2
    if plies % 2 or not 1 <= mate <= MAX_MOVES:
        msg = (
            f"Moves: expected 1 to {MAX_MOVES} of the solver's, each behind one of the "
            f"opponent's, found {plies} in all"
        )
        raise InputError(msg)
    theme = f"mateIn{min(mate, _AND_MORE)}"
    if told := _MATES.intersection(themes.split()) - {_MATE, theme}:
        msg = f"Moves: expected {' and '.join(sorted(told))}, found a mate in {mate}"
        raise InputError(msg)
    return mate


def _require_legal(board: chess.Board, line: Sequence[str]) -> None:
    played = None
    for text in line:
        if played:
            board.push(played)
        played = _parse_move(board, text)


def _parse_move(board: chess.Board, text: str) -> chess.Move:
    move = _read_move(text)
    # python-chess takes castling as the king's taking its rook for legal, too.
    if (
        move is None
        or not board.is_legal(move)
        or board.occupied_co[board.turn] & chess.BB_SQUARES[move.to_square]
    ):
        msg = f"Moves: expected a legal move in UCI, found {quote(text)}"
        raise InputError(msg)
    return move


@lru_cache(1 << 15)
def _read_move(text: str) -> chess.Move | None:
    try:
        return chess.Move.from_uci(text)
    except ValueError:
        return None
