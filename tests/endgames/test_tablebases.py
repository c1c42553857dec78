from __future__ import annotations

import os
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import chess
import chess.syzygy
import pytest

from solver.endgames.tablebases import Tablebases
from solver.errors import TablebaseError
from solver.solution import TableFormat
from tests.endgames.gaviota import write_table
from tests.oracles.endgames import Endgame, solve_endgame
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SEED = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8 with one key."""

DIRECTORIES = os.environ.get("MATESOLVE_TEST_TABLEBASES", "")
"""Directories with tables of three pieces or more, separated as in PATH."""


@pytest.fixture(scope="module")
def rook() -> Endgame:
    return solve_endgame(chess.ROOK)


@pytest.fixture(scope="module")
def directory(rook: Endgame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the Gaviota table KRvK."""
    directory = tmp_path_factory.mktemp("gaviota")
    write_table(rook, directory)
    return directory


@pytest.fixture(scope="module")
def rook_tables(directory: Path) -> Iterator[Tablebases]:
    with Tablebases([directory]) as tables:
        yield tables


def mates(board: chess.Board, line: tuple[str, ...]) -> bool:
    """Whether legal moves end in checkmate."""
    board = board.copy()
    for move in line:
        board.push_uci(move)
    return board.is_checkmate()


def keys_by_definition(board: chess.Board, endgame: Endgame, plies: int) -> set[str]:
    keys = set()
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        if endgame.plies_to_mate(after) == plies - 1:
            keys.add(move.uci())
    return keys


@sized("every", 60_013, 4001)
def test_a_mate_has_its_length_a_line_to_checkmate_and_all_keys(
    rook: Endgame, rook_tables: Tablebases, every: int
) -> None:
    for board, plies in list(rook.won(chess.WHITE))[::every]:
        keys = keys_by_definition(board, rook, plies)
        fen = board.fen()
        mate = rook_tables.mate(board)
        assert (board.fen(), board.move_stack) == (fen, [])
        assert mate is not None, fen
        assert 2 * mate.moves - 1 == plies == len(mate.line), fen
        assert set(mate.keys) == keys, fen
        assert mate.line[0] in mate.keys
        assert mates(board, mate.line), fen
        mirrored = rook_tables.mate(board.mirror())  # Black mates
        assert mirrored is not None, fen
        assert mirrored.moves == mate.moves
        assert len(mirrored.keys) == len(keys), fen
        assert mates(board.mirror(), mirrored.line), fen
    for board, plies in list(rook.won(chess.BLACK))[::every]:
        mate = rook_tables.mate(board)
        assert mate is not None, board.fen()
        assert -2 * mate.moves == plies == len(mate.line), board.fen()
        assert mate.keys == ()
        assert mates(board, mate.line), board.fen()


@pytest.mark.parametrize(
    ("fen", "within", "white", "black"),
    [
        (SEED, 8, False, True),
        (SEED, 7, True, True),
        ("8/8/8/3k4/8/8/4K3/r7 w - - 0 1", 11, True, False),
        ("8/8/8/8/8/8/1k6/R6K b - - 0 1", 200, True, True),  # the rook falls
        ("8/8/8/8/8/1K6/1R6/k7 b - - 0 1", 200, True, True),  # stalemate
        ("8/8/8/8/8/1k6/8/K7 w - - 0 1", 200, True, True),  # nothing but kings
    ],
)
def test_gaviota_rules_out_mates_that_are_longer_or_do_not_exist(
    rook_tables: Tablebases, fen: str, within: int, white: bool, black: bool
) -> None:
    board = chess.Board(fen)
    for attacker, denied in ((chess.WHITE, white), (chess.BLACK, black)):
        expected = TableFormat.GAVIOTA if denied else None
        assert rook_tables.denied_by(board, attacker, within) is expected


OUTSIDE = (
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # a right to castle, which tables leave out
    "8/8/8/3k4/8/8/4K3/q7 w - - 0 1",  # no such table
    "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1",  # too many pieces
    "8/8/8/8/k1pP3K/8/8/8 b - d3 0 1",  # en passant out of a missing table
)


@pytest.mark.parametrize("fen", OUTSIDE)
def test_a_position_outside_the_tables_is_unknown(
    rook_tables: Tablebases, fen: str
) -> None:
    board = chess.Board(fen)
    assert rook_tables.mate(board) is None
    for attacker in chess.COLORS:
        assert rook_tables.denied_by(board, attacker, 200) is None


def test_a_king_that_only_en_passant_saves_from_stalemate_is_not_drawn(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_move = chess.Board("8/8/5K2/8/5Pp1/6Q1/8/7k b - f3 0 1")
    assert [move.uci() for move in only_move.legal_moves] == ["g4f3"]
    with Tablebases([directory]) as tables:
        # Where White is to move after it, White mates in 6.
        probed = {chess.WHITE: 11, chess.BLACK: 0}
        monkeypatch.setattr(tables, "_probe_gaviota", lambda board: probed[board.turn])
        assert tables.denied_by(only_move, chess.WHITE, 6) is None
        assert tables.denied_by(only_move, chess.WHITE, 5) is TableFormat.GAVIOTA
        assert tables.denied_by(only_move, chess.BLACK, 6) is TableFormat.GAVIOTA


@sized("every", 15_013, 997)
def test_threads_share_the_tables_of_several_directories_until_they_are_closed(
    rook: Endgame, directory: Path, tmp_path: Path, every: int
) -> None:
    (tmp_path / "KQvK.rtbw").touch()
    won = list(rook.won(chess.WHITE))[::every]
    with (
        Tablebases([tmp_path, str(directory)]) as tables,
        ThreadPoolExecutor(4) as pool,
    ):
        mates = list(pool.map(lambda pair: tables.mate(pair[0]), won))
    assert [mate and 2 * mate.moves - 1 for mate in mates] == [p for _, p in won]
    assert tables.mate(chess.Board(SEED)) is None


def test_a_directory_that_is_missing_or_has_no_tables_is_refused(
    directory: Path, tmp_path: Path
) -> None:
    (tmp_path / "KRvK.rtbz").touch()
    for missing, error in (
        ("none", FileNotFoundError),
        ("KRvK.rtbz", NotADirectoryError),
    ):
        with pytest.raises(error):
            Tablebases([tmp_path / missing])
    with pytest.raises(TablebaseError, match=r"\*\.gtb\.cp4 or \*\.rtbw, found none"):
        Tablebases([directory, tmp_path])


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda table: table[: len(table) // 2],
    "emptied": lambda _table: b"",
    "a boundless index": lambda t: t[:32] + struct.pack("<I", 2**32 - 4) + t[36:],
    "a broken block": lambda t: t[:60] + bytes(byte ^ 0x55 for byte in t[60:]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_named(rook: Endgame, tmp_path: Path, damage: str) -> None:
    path = write_table(rook, tmp_path)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with (
        Tablebases([tmp_path]) as tables,
        pytest.raises(TablebaseError, match=r"krk\.gtb\.cp4: expected a whole table"),
    ):
        tables.mate(chess.Board(SEED))


def test_an_inconsistent_table_is_refused(rook: Endgame, tmp_path: Path) -> None:
    wrong = [1 if plies == 13 else plies for plies in rook.white_to_move]
    write_table(Endgame(chess.ROOK, wrong, rook.black_to_move), tmp_path)
    with (
        Tablebases([tmp_path]) as tables,
        pytest.raises(TablebaseError, match="expected being mated in 2 plies"),
    ):
        tables.mate(chess.Board(SEED))


@pytest.mark.parametrize("wdl", [2, 1, 0, -1, -2])  # 1: not within fifty moves
def test_syzygy_rules_out_mates_of_a_side_that_does_not_win_and_has_no_lengths(
    wdl: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "KRvK.rtbw").touch()
    monkeypatch.setattr(chess.syzygy.Tablebase, "probe_wdl", lambda _self, _board: wdl)
    with Tablebases([tmp_path]) as tables:
        for turn in chess.COLORS:
            board = chess.Board("8/7K/8/8/8/8/R7/7k w - - 99 80")
            board.turn = turn
            denied = [tables.denied_by(board, a, 5) for a in (turn, not turn)]
            expected = [wdl <= 0, wdl >= 0]
            assert denied == [TableFormat.SYZYGY if one else None for one in expected]
            assert tables.mate(board) is None


@pytest.mark.parametrize("content", [b"", b"\x71\xe8\x23\x5d", bytes(80)])
def test_a_damaged_syzygy_table_is_refused_where_it_is_read(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "KRvK.rtbw").write_bytes(content)
    with Tablebases([tmp_path]) as tables:
        for fen in OUTSIDE[:3]:
            assert tables.denied_by(chess.Board(fen), chess.WHITE, 5) is None
        with pytest.raises(TablebaseError, match="expected a whole table"):
            tables.denied_by(chess.Board(SEED), chess.WHITE, 5)


@pytest.fixture(scope="module")
def real() -> Iterator[Tablebases]:
    """Tables of three pieces at least, if the environment names some."""
    if not DIRECTORIES:
        pytest.skip("needs MATESOLVE_TEST_TABLEBASES, the directories of tablebases")
    with Tablebases(DIRECTORIES.split(os.pathsep)) as tables:
        yield tables


def test_real_tables_agree_with_retrograde_analysis(
    rook: Endgame, real: Tablebases
) -> None:
    for board, plies in list(rook.won(chess.WHITE))[::997]:
        mate = real.mate(board)
        assert mate is not None
        assert 2 * mate.moves - 1 == plies, board.fen()
        assert real.denied_by(board, chess.BLACK, 200), board.fen()
