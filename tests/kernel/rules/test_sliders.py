"""Sliders attack what python-chess says, computed or looked up with PEXT."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_uint64
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.kernel.build import cache
from solver.kernel.build.jit import native
from solver.kernel.build.loader import compile_entry, place
from solver.kernel.build.words import u64
from solver.kernel.rules.bitboards import diagonal_attacks, orthogonal_attacks

if TYPE_CHECKING:
    from collections.abc import Iterator


@native(u64(u64, u64))
def diagonal(square: Any, occupied: Any) -> Any:
    """Return a bishop's attacks."""
    return diagonal_attacks(square, occupied)


@native(u64(u64, u64))
def orthogonal(square: Any, occupied: Any) -> Any:
    """Return a rook's attacks."""
    return orthogonal_attacks(square, occupied)


def occupancies(piece: chess.PieceType, square: chess.Square) -> Iterator[int]:
    """Yield every choice of pieces on the inner squares of the lines; others by chance.

    A piece on the last square of a line changes no attack.
    """
    mask = chess.BB_DIAG_MASKS[square]
    if piece == chess.ROOK:
        mask = chess.BB_RANK_MASKS[square] | chess.BB_FILE_MASKS[square]
    random, inner = Random(square), 0
    while True:
        yield inner | random.getrandbits(64) & ~mask
        inner = (inner - mask) & mask
        if not inner:
            return


def attacks(piece: chess.PieceType, square: chess.Square, occupied: int) -> int:
    """Return the attacks of python-chess."""
    board = chess.Board(None)
    board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
    board.occupied |= occupied
    return int(board.attacks(square))


@pytest.mark.parametrize("is_looked_up", [False, True], ids=["computed", "looked up"])
def test_sliders_attack_what_python_chess_says(*, is_looked_up: bool) -> None:
    if is_looked_up and "bmi2" not in cache.features():
        pytest.skip("this processor has no PEXT")
    target = cache.host()._replace(definitions=cache.EXTRACT if is_looked_up else "")
    for function, piece in ((diagonal, chess.BISHOP), (orthogonal, chess.ROOK)):
        address = place(compile_entry(function, target))
        compiled: Any = CFUNCTYPE(c_uint64, c_uint64, c_uint64)(address)
        entries = 0
        for square in chess.SQUARES:
            for occupied in occupancies(piece, square):
                expected = attacks(piece, square, occupied)
                assert compiled(square, occupied) == expected, (square, occupied)
                entries += 1
        assert entries == (5248 if piece == chess.BISHOP else 102_400)
        compiled(64, chess.BB_ALL)  # the square of no king; any answer, but no crash


@pytest.mark.skipif(cache.architecture() != "x86_64", reason="only x86-64 has PEXT")
def test_code_that_looks_sliders_up_differs_from_code_that_computes_them() -> None:
    computed, looked_up = (
        compile_entry(
            orthogonal, cache.PORTABLE["x86_64"][0]._replace(definitions=each)
        )
        for each in ("", cache.EXTRACT)
    )
    assert len(looked_up) - len(computed) > 2 * 102_400 - 8192
