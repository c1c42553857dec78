"""What endgame tables say: how far the mate is, or that there never is one.

The tables are files of the user's, read by python-chess. What they say is not proved
here; but each position of a line is held against all positions that follow it, and the
line ends in checkmate.
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
    from types import TracebackType

GAVIOTA_MEN = 5
"""How many men the largest Gaviota tables have, kings included."""

_GAVIOTA_HEADER = struct.Struct("<10I")
_DATA_BEGINS = 8
"""Which word of the header says where the index ends, in bytes."""


@dataclass(frozen=True, slots=True)
class TableMate:
    """A mate that a table tells.

    Attributes
    ----------
    moves : int
        Moves to mate, and none is shorter; negative when the side to move is mated.
    line : tuple of str
        The line in UCI notation, as that of a `Solution`.
    keys : tuple of str
        All first moves that mate as fast, in UCI notation; none when the side to move
        is mated.
    """

    moves: int
    line: tuple[str, ...]
    keys: tuple[str, ...]


class _Fate(NamedTuple):
    """What becomes of the side to move: it mates (1), is mated (-1), or neither (0)."""

    result: int
    plies: int


_DRAWN = _Fate(0, 0)
_MATED = _Fate(-1, 0)


class Tablebases:
    """The tables of some directories, for any number of threads; to be closed.

    Parameters
    ----------
    directories : iterable of str or path
        Where the files lie: Gaviota's (`*.gtb.cp4`), Syzygy's (`*.rtbw`), or both.

    Raises
    ------
    OSError
        A directory cannot be read.
    TablebaseError
        A directory holds no tables.
    """

    def __init__(self, directories: Iterable[str | PathLike[str]]) -> None:
        self._gaviota = chess.gaviota.PythonTablebase()
        self._syzygy = chess.syzygy.Tablebase()
        # Gaviota's tables share a place in the file and a cache of blocks.
        self._reading_gaviota = threading.Lock()
        self.directories = tuple(Path(directory) for directory in directories)
        """Where they lie, so that another process can open them too."""
        for directory in self.directories:
            self._add(directory)

    def __enter__(self) -> Tablebases:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; from then on every position is unknown."""
        with self._reading_gaviota:
            self._gaviota.close()
        self._syzygy.close()

    def mate(self, board: chess.Board) -> TableMate | None:
        """Tell the shortest mate of either side.

        Parameters
        ----------
        board : chess.Board
            A legal position; left as it is.

        Returns
        -------
        TableMate or None
            None: nobody mates, or a table is missing for this position or for one
            that the line passes by.

        Raises
        ------
        TablebaseError
            A table is damaged.
        """
        fate = self._fate(board)
        if fate is None or not fate.result:
            return None
        line: list[str] = []
        keys: list[str] = []
        position = board.copy(stack=False)
        while fate != _MATED:
            following = self._following(position)
            best = _best(following.values())
            if best is None:
                return None
            if best != fate:
                msg = (
                    f"Gaviota, {position.fen()}: expected {_words(best)} as what "
                    f"follows has it, found {_words(fate)}; a table is damaged"
                )
                raise TablebaseError(msg)
            fate = _Fate(-fate.result, fate.plies - 1)
            good = [move for move, after in following.items() if after == fate]
            if not line and fate.result < 0:
                keys = [move.uci() for move in good]
            line.append(good[0].uci())
            position.push(good[0])
        moves = (len(line) + 1) // 2
        return TableMate(moves if keys else -moves, tuple(line), tuple(keys))

    def denied_by(
        self, board: chess.Board, attacker: chess.Color, within: int
    ) -> TableFormat | None:
        """Name the tables that say: the attacker does not mate in so many moves.

        Parameters
        ----------
        board : chess.Board
            A legal position; left as it is.
        attacker : chess.Color
            The side that would mate.
        within : int
            In at most so many of its moves.

        Returns
        -------
        TableFormat or None
            SYZYGY: it never mates. GAVIOTA: it never does, or its mate is longer.
            None: the tables know of a mate, or know nothing.

        Raises
        ------
        TablebaseError
            A table is damaged.
        """
        side = 1 if board.turn == attacker else -1
        wdl = self._wdl(board)
        # A win that the fifty-move rule takes away (1, -1) is a mate all the same.
        if wdl is not None and side * wdl <= 0:
            return TableFormat.SYZYGY
        fate = self._fate(board)
        if fate is None:
            return None
        mates = fate.result == side and (fate.plies + 1) // 2 <= within
        return None if mates else TableFormat.GAVIOTA

    def _add(self, directory: Path) -> None:
        known = len(self._gaviota.available_tables)
        # First Syzygy: it lets the system say why a directory cannot be listed.
        found = self._syzygy.add_directory(str(directory), load_dtz=False)
        self._gaviota.add_directory(str(directory))
        if not found and len(self._gaviota.available_tables) == known:
            msg = f"{directory}: expected tables, *.gtb.cp4 or *.rtbw, found none"
            raise TablebaseError(msg)

    def _following(self, board: chess.Board) -> dict[chess.Move, _Fate | None]:
        """Tell what becomes of the other side after each move."""
        fates = {}
        for move in board.legal_moves:
            board.push(move)
            fates[move] = self._fate(board)
            board.pop()
        return fates

    def _fate(self, board: chess.Board) -> _Fate | None:
        """Ask Gaviota's tables; None: they do not know."""
        if board.castling_rights or chess.popcount(board.occupied) > GAVIOTA_MEN:
            return None
        if board.occupied == board.kings:
            return _DRAWN if self._gaviota.available_tables else None
        if board.has_legal_en_passant():
            # The tables leave en passant out, and python-chess, which adds it, takes
            # a position in which it is the only move for a draw.
            return _best(self._following(board.copy(stack=False)).values())
        plies = self._probe_gaviota(board)
        if plies is None:
            return None
        if plies == 0:
            return _MATED if board.is_checkmate() else _DRAWN
        return _Fate(1 if plies > 0 else -1, abs(plies))

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
        """Open a file to be read only; python-chess would ask to write as well."""
        path = Path(self._gaviota.available_tables[name])
        stream = self._gaviota.streams[name] = path.open("rb")
        header = _GAVIOTA_HEADER.unpack(stream.read(_GAVIOTA_HEADER.size))
        if header[_DATA_BEGINS] > path.stat().st_size:
            # python-chess would reserve as much memory as a damaged header asks for.
            msg = "the index is longer than the file"
            raise ValueError(msg)
        self._gaviota.egtb_loadindexes(name, stream)

    def _wdl(self, board: chess.Board) -> int | None:
        """Ask Syzygy's tables: 2 won, 0 drawn, -2 lost, 1 and -1 but for the clock."""
        men = chess.popcount(board.occupied)
        if board.castling_rights or men > chess.syzygy.TBPIECES:
            return None
        if not self._syzygy.wdl:
            return None  # python-chess needs none to call two kings drawn
        try:
            with _damage_named(f"Syzygy, {board.fen()}"):
                return self._syzygy.probe_wdl(board.copy(stack=False))
        except chess.syzygy.MissingTableError:
            return None


def _best(fates: Iterable[_Fate | None]) -> _Fate | None:
    """Choose, as one who mates fast and is mated late; None: one of them is unknown.

    Parameters
    ----------
    fates : iterable of _Fate or None
        What becomes of the other side after each of the moves, of which there are some.

    Returns
    -------
    _Fate or None
        What becomes of the side that chooses.
    """
    after = []
    for fate in fates:
        if fate is None:
            return None
        after.append(fate)
    worst = min(fate.result for fate in after)
    if worst == 0:
        return _DRAWN
    choose = min if worst < 0 else max
    return _Fate(-worst, 1 + choose(f.plies for f in after if f.result == worst))


def _gaviota_names(board: chess.Board) -> Iterator[str]:
    """Give the two names that the table may have, either side being its White."""
    white, black = (
        "".join(
            chess.piece_symbol(kind) * len(board.pieces(kind, color))
            for kind in reversed(chess.PIECE_TYPES)
        )
        for color in chess.COLORS
    )
    yield white + black
    yield black + white


def _words(fate: _Fate) -> str:
    match fate.result:
        case 0:
            return "a draw"
        case 1:
            return f"mate in {fate.plies} plies"
    return f"being mated in {fate.plies} plies"


@contextmanager
def _damage_named(where: str) -> Iterator[None]:
    """Turn what comes of reading a damaged table into one error.

    python-chess does not define what that is: anything may come.
    """
    try:
        yield
    except chess.syzygy.MissingTableError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system could not read, which says nothing of the table
        msg = f"{where}: expected a whole table, found a damaged one ({error!r})"
        raise TablebaseError(msg) from error
