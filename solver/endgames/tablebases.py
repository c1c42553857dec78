"""The user's tablebases, Gaviota and Syzygy, read by python-chess.

Their results are not proved here, but each position of a line is checked against all
positions that follow it, and the line ends in checkmate.
"""

from __future__ import annotations

import struct
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.gaviota
import chess.syzygy

from solver.errors import TablebaseError
from solver.solution import TableFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

GAVIOTA_PIECES = 5
"""The number of pieces of the largest Gaviota tables, kings included."""

_GAVIOTA_HEADER = struct.Struct("<10I")
_DATA_BEGINS = 8
"""The header's word that holds the end of the block index, in bytes."""


@dataclass(frozen=True, slots=True)
class TableMate:
    """A mate read off Gaviota's tables.

    Attributes
    ----------
    moves : int
        Moves to the shortest mate; negative when the side to move is mated.
    line : tuple of str
        The line in UCI notation, like `Solution.pv`.
    keys : tuple of str
        All first moves that mate as fast, in UCI notation; empty when the side to
        move is mated.
    """

    moves: int
    line: tuple[str, ...]
    keys: tuple[str, ...]


class _Outcome(NamedTuple):
    """The outcome for the side to move: it mates (1), is mated (-1), or neither (0)."""

    result: int
    plies: int


_DRAWN = _Outcome(0, 0)
_MATED = _Outcome(-1, 0)


class Tablebases:
    """The tables of some directories; threads may share them.

    Use it as a context manager, or call `close`.

    Parameters
    ----------
    directories : iterable of str or path
        Directories with Gaviota's files (`*.gtb.cp4`), Syzygy's (`*.rtbw`), or both.

    Raises
    ------
    OSError
        A directory cannot be read.
    TablebaseError
        A directory contains no tables.
    """

    def __init__(self, directories: Iterable[str | PathLike[str]]) -> None:
        self._gaviota = chess.gaviota.PythonTablebase()
        self._syzygy = chess.syzygy.Tablebase()
        # Gaviota's tables share a file position and a cache of blocks.
        self._reading_gaviota = threading.Lock()
        self.directories = tuple(Path(directory) for directory in directories)
        """The directories, so that another process can open them too."""
        for directory in self.directories:
            self._add(directory)

    def __enter__(self) -> Tablebases:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; every position is unknown afterwards."""
        with self._reading_gaviota:
            self._gaviota.close()
        self._syzygy.close()

    def mate(self, board: chess.Board) -> TableMate | None:
        """Return the shortest mate of either side.

        Parameters
        ----------
        board : chess.Board
            A legal position; not changed.

        Returns
        -------
        TableMate or None
            None: neither side mates, or a table is missing for this position or for
            one along the line.

        Raises
        ------
        TablebaseError
            A table is damaged.
        """
        outcome = self._outcome(board)
        if outcome is None or not outcome.result:
            return None
        line: list[str] = []
        keys: list[str] = []
        position = board.copy(stack=False)
        while outcome != _MATED:
            following = self._following(position)
            best = _best(following.values())
            if best is None:
                return None
            if best != outcome:
                msg = (
                    f"Gaviota, {position.fen()}: expected {_words(best)}, which "
                    f"follows from the next positions, found {_words(outcome)}; a "
                    f"table is damaged"
                )
                raise TablebaseError(msg)
            outcome = _Outcome(-outcome.result, outcome.plies - 1)
            good = [move for move, after in following.items() if after == outcome]
            if not line and outcome.result < 0:
                keys = [move.uci() for move in good]
            line.append(good[0].uci())
            position.push(good[0])
        moves = (len(line) + 1) // 2
        return TableMate(moves if keys else -moves, tuple(line), tuple(keys))

    def denied_by(
        self, board: chess.Board, attacker: chess.Color, within: int
    ) -> TableFormat | None:
        """Return the tables that rule out a mate by the attacker within `moves`.

        Parameters
        ----------
        board : chess.Board
            A legal position; not changed.
        attacker : chess.Color
            The side whose mate is ruled out.
        within : int
            The longest mate to rule out, in the attacker's moves.

        Returns
        -------
        TableFormat or None
            SYZYGY: the attacker never mates. GAVIOTA: it never mates, or not within
            those moves. None: it may mate, or the tables do not hold the position.

        Raises
        ------
        TablebaseError
            A table is damaged.
        """
        side = 1 if board.turn == attacker else -1
        wdl = self._wdl(board)
        # A win that the fifty-move rule prevents (1, -1) is still a mate.
        if wdl is not None and side * wdl <= 0:
            return TableFormat.SYZYGY
        outcome = self._outcome(board)
        if outcome is None:
            return None
        mates = outcome.result == side and (outcome.plies + 1) // 2 <= within
        return None if mates else TableFormat.GAVIOTA

    def _add(self, directory: Path) -> None:
        known = len(self._gaviota.available_tables)
        # Syzygy first: it raises the system's error if a directory cannot be listed.
        found = self._syzygy.add_directory(str(directory), load_dtz=False)
        self._gaviota.add_directory(str(directory))
        if not found and len(self._gaviota.available_tables) == known:
            msg = f"{directory}: expected tables, *.gtb.cp4 or *.rtbw, found none"
            raise TablebaseError(msg)

    def _following(self, board: chess.Board) -> dict[chess.Move, _Outcome | None]:
        """Return the outcome for the other side after each move."""
        outcomes = {}
        for move in board.legal_moves:
            board.push(move)
            outcomes[move] = self._outcome(board)
            board.pop()
        return outcomes

    def _outcome(self, board: chess.Board) -> _Outcome | None:
        """Probe Gaviota's tables; None if they do not have the position."""
        if board.castling_rights or chess.popcount(board.occupied) > GAVIOTA_PIECES:
            return None
        if board.occupied == board.kings:
            return _DRAWN if self._gaviota.available_tables else None
        if board.has_legal_en_passant():
            # The tables leave out en passant. python-chess adds it, but treats a
            # position in which it is the only move as a draw.
            return _best(self._following(board.copy(stack=False)).values())
        plies = self._probe_gaviota(board)
        if plies is None:
            return None
        if plies == 0:
            return _MATED if board.is_checkmate() else _DRAWN
        return _Outcome(1 if plies > 0 else -1, abs(plies))

    def _probe_gaviota(self, board: chess.Board) -> int | None:
        with self._reading_gaviota:
            tables = self._gaviota.available_tables
            name = next((name for name in _gaviota_names(board) if name in tables), "")
            if not name:
                return None
            with _damage_named(tables[name]):
                if name not in self._gaviota.streams:
                    self._open_gaviota(name)
                return self._gaviota.probe_dtm(board)

    def _open_gaviota(self, name: str) -> None:
        """Open a file for reading; python-chess would open it for writing as well."""
        path = Path(self._gaviota.available_tables[name])
        stream = self._gaviota.streams[name] = path.open("rb")
        header = _GAVIOTA_HEADER.unpack(stream.read(_GAVIOTA_HEADER.size))
        if header[_DATA_BEGINS] > path.stat().st_size:
            # python-chess would allocate as much memory as a damaged header claims.
            msg = "the index is longer than the file"
            raise ValueError(msg)
        self._gaviota.egtb_loadindexes(name, stream)

    def _wdl(self, board: chess.Board) -> int | None:
        """Probe Syzygy's tables: 2 won, 0 drawn, -2 lost; 1, -1 drawn by 50 moves."""
        pieces = chess.popcount(board.occupied)
        if board.castling_rights or pieces > chess.syzygy.TBPIECES:
            return None
        if not self._syzygy.wdl:
            return None  # python-chess calls two bare kings a draw without any table
        try:
            with _damage_named(f"Syzygy, {board.fen()}"):
                return self._syzygy.probe_wdl(board.copy(stack=False))
        except chess.syzygy.MissingTableError:
            return None


def _best(outcomes: Iterable[_Outcome | None]) -> _Outcome | None:
    """Return the outcome of the best move: a fast mate, or a long resistance.

    Parameters
    ----------
    outcomes : iterable of _Outcome or None
        The outcome for the other side after each legal move; at least one.

    Returns
    -------
    _Outcome or None
        None: one of the outcomes is unknown.
    """
    after = []
    for outcome in outcomes:
        if outcome is None:
            return None
        after.append(outcome)
    worst = min(outcome.result for outcome in after)
    if worst == 0:
        return _DRAWN
    choose = min if worst < 0 else max
    return _Outcome(-worst, 1 + choose(o.plies for o in after if o.result == worst))


def _gaviota_names(board: chess.Board) -> Iterator[str]:
    """Yield the two possible names of the table, with either side as White."""
    white, black = (
        "".join(
            chess.piece_symbol(kind) * len(board.pieces(kind, color))
            for kind in reversed(chess.PIECE_TYPES)
        )
        for color in chess.COLORS
    )
    yield white + black
    yield black + white


def _words(outcome: _Outcome) -> str:
    match outcome.result:
        case 0:
            return "a draw"
        case 1:
            return f"mate in {outcome.plies} plies"
    return f"being mated in {outcome.plies} plies"


@contextmanager
def _damage_named(where: str) -> Iterator[None]:
    """Turn the errors of reading a damaged table into a TablebaseError.

    python-chess does not document them, so any exception counts.
    """
    try:
        yield
    except chess.syzygy.MissingTableError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system cannot read the file, so the table may be whole
        msg = f"{where}: expected a whole table, found a damaged one ({error!r})"
        raise TablebaseError(msg) from error
