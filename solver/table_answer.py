"""What endgame tables add to an answer: they find, and prove nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from solver.errors import TablebaseError
from solver.search.bounds import Answer
from solver.solution import Status, TableFormat

if TYPE_CHECKING:
    import chess

    from solver.endgames.tablebases import Tablebases
    from solver.search.question import Question


def consult(
    tables: Tablebases, board: chess.Board, question: Question
) -> Answer | None:
    """Ask the tables what is asked of the search; None: they do not know."""
    sides = {question.attacking, question.attacking ^ question.both_sides}
    mate = tables.mate(board)
    if mate and abs(mate.moves) <= question.most_moves and (mate.moves > 0) in sides:
        return Answer(
            Status.FOUND,
            mate.moves,
            1,
            pv=mate.line,
            keys=mate.keys,
            keys_complete=True,
            complete=False,
            tablebase=TableFormat.GAVIOTA,
        )
    denials = [
        tables.denied_by(
            board, board.turn if attacking else not board.turn, question.most_moves
        )
        for attacking in sides
    ]
    if None in denials:
        return None
    # The weaker word, where the two sides are denied by different tables.
    by = max(denials, key=lambda table: table is TableFormat.GAVIOTA)
    return Answer(Status.UNDECIDED, None, 1, complete=False, tablebase=by)


def weigh(answer: Answer, told: Answer) -> Answer:
    """Let the tables answer what the search could not; a proof is never replaced.

    Raises
    ------
    TablebaseError
        The search has proved a table wrong.
    """
    if told.mate is not None and answer.lower_bound > abs(told.mate):
        msg = (
            f"Gaviota: expected no mate in fewer than {answer.lower_bound} moves, as "
            f"proved, found mate in {abs(told.mate)}; a table is damaged"
        )
        raise TablebaseError(msg)
    if answer.complete or answer.status is Status.PROVED:
        return answer
    return replace(told, lower_bound=answer.lower_bound)
