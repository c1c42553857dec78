"""What problemists remark on keys and mates, in the words of the printed play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.play.marks import MateMark, mark_key, mark_mate

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = {
    MateMark.PLAIN: "",
    MateMark.PURE: "pure",
    MateMark.MODEL: "model",
    MateMark.IDEAL: "ideal",
}


class ProblemMarks:
    """The marks of one problem; see `solver.output.play_words.Marks`.

    Parameters
    ----------
    fen : str
        The position in which its keys are played.
    """

    def __init__(self, fen: str) -> None:
        self._board = chess.Board(fen)

    def features(self, key: str) -> Sequence[str]:
        """Return what a key does: "takes flight c5", "sacrifice" and so on.

        Nothing is said of a key that mates.
        """
        move = chess.Move.from_uci(key)
        after = self._board.copy(stack=False)
        after.push(move)
        return () if after.is_checkmate() else mark_key(self._board, move).words()

    def remark(self, board: chess.Board) -> str:
        """Return the highest mark of a mate: "ideal", "model", "pure" or none."""
        return _WORDS[mark_mate(board)]
