"""An answer as a PGN game from its position, with its play as variations."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver import __version__
from solver.formats.pgn_problems import event_of
from solver.output.text import at_most
from solver.play.tree import Attack, Defence
from solver.solution import Solution, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.play.tree import Variations

COLUMNS = 80
"""The width of comments and moves."""


def encode_pgn(solution: Solution, variations: Variations) -> bytes:
    """Write an answer as one PGN game.

    The mainline is the answer's line. Other keys are variations at its start; defences
    and duals are variations where they are played. The comment before the first move
    has the claim, "mate in 3" or "mated in 3", and what is proved. Where the play is
    cut, a comment has the number of moves left. If there are several keys, the tag
    `Keys` has them in UCI notation. If there is no mate, the tag `Stipulation` is `?`.

    Parameters
    ----------
    solution : Solution
        The answer.
    variations : Variations
        Its play, from `solver.play.builder.build_variations`.

    Returns
    -------
    bytes
        UTF-8. The side that mates wins; the result is `*` if no mate was found.
    """
    game = chess.pgn.Game()
    game.headers.update(_headers(solution))
    remarks = " ".join(_remarks(solution, variations))
    game.comment = textwrap.fill(remarks, COLUMNS, break_on_hyphens=False)
    _add(game, variations)
    exporter = chess.pgn.StringExporter(columns=COLUMNS)
    return f"{game.accept(exporter)}\n".encode()


def _headers(solution: Solution) -> dict[str, str]:
    tags = {
        "Event": event_of(solution.problem),
        "Result": _result(solution),
        "Annotator": f"matesolve {__version__}",
        "SetUp": "1",
        "FEN": solution.problem.fen,
    }
    if len(solution.keys) > 1:
        tags["Keys"] = " ".join(solution.keys)
    if not solution.mate:
        tags["Stipulation"] = "?"  # so that no reader takes the event for a claim
    return tags


def _result(solution: Solution) -> str:
    if solution.mate is None:
        return "*"
    white_moves = chess.Board(solution.problem.fen).turn == chess.WHITE
    return "1-0" if (solution.mate > 0) == white_moves else "0-1"


def _remarks(solution: Solution, variations: Variations) -> list[str]:
    """Return the sentences before the first move.

    Readers take the first "mate in N" for the claim, so no other sentence has one.
    """
    remarks = [_claim(solution.mate), _proof(solution)]
    if solution.restriction:
        remarks.append(f"Restricted: {solution.restriction.words()}.")
    if solution.keys and not solution.keys_complete:
        remarks.append("There may be more keys.")
    remarks.append(variations.words())
    return [remark for remark in remarks if remark]


def _claim(mate: int | None) -> str:
    match mate:
        case None:
            return ""
        case 0:
            return "checkmate."
    return f"mate in {mate}." if mate > 0 else f"mated in {-mate}."


def _proof(solution: Solution) -> str:
    if solution.mate == 0:
        return ""
    restriction = " under this restriction" if solution.restriction else ""
    excluded = solution.lower_bound - 1
    no_mate = (
        f"Proved: no mate takes {at_most(excluded)}{restriction}."
        if excluded > 0
        else ""
    )
    if solution.mate is None:
        is_disproved = solution.status is Status.DISPROVED
        return no_mate if is_disproved else f"Undecided. {no_mate}"
    if solution.tablebase:
        return f"From a tablebase. {no_mate}"
    if solution.status is Status.PROVED:
        return f"Proved, and none is shorter{restriction}."
    return f"Proved; there may be a shorter one. {no_mate}"


def _add(game: chess.pgn.Game, variations: Variations) -> None:
    ahead: list[tuple[chess.pgn.GameNode, Attack | Defence]] = []

    def put_ahead(
        parent: chess.pgn.GameNode, moves: Sequence[Attack | Defence]
    ) -> None:
        ahead.extend((parent, move) for move in reversed(moves))

    put_ahead(game, variations.keys)
    put_ahead(game, variations.defences)
    while ahead:
        parent, move = ahead.pop()
        node = parent.add_variation(chess.Move.from_uci(move.move))
        if isinstance(move, Defence):
            put_ahead(node, move.continuations)
            continue
        if move.moves_left and not move.defences:
            node.comment = f"mate in {move.moves_left} more"
        put_ahead(node, move.defences)
