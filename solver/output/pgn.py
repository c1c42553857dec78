"""An answer as a game from its position: keys and defences are its variations."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver import __version__
from solver.formats.pgn_problems import event_of
from solver.output.text import at_most
from solver.solution import Solution, Status

if TYPE_CHECKING:
    from solver.variations.tree import Variation, Variations

COLUMNS = 80


def encode_pgn(solution: Solution, variations: Variations) -> bytes:
    """Write an answer as one game of PGN.

    The mainline is the answer's line, the other keys are variations at its beginning,
    the defences wherever they are played. A comment before the first move tells the
    claim, "mate in 3" or "mated in 3", and what is proved of it; where the play is cut,
    a comment tells how many moves are missing. The tag `Keys` names several keys in UCI
    notation; the tag `Stipulation` is `?` where no mate is to come.

    Parameters
    ----------
    solution : Solution
        The answer.
    variations : Variations
        Its play, as `solver.certificate.build_variations` gives it.

    Returns
    -------
    bytes
        UTF-8. The result is the mate's; `*` where none was found.
    """
    game = chess.pgn.Game()
    game.headers.update(_headers(solution))
    told = " ".join(_remarks(solution, variations))
    game.comment = textwrap.fill(told, COLUMNS, break_on_hyphens=False)
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
        tags["Stipulation"] = "?"  # the name might seem to claim something
    return tags


def _result(solution: Solution) -> str:
    if solution.mate is None:
        return "*"
    white_moves = chess.Board(solution.problem.fen).turn == chess.WHITE
    return "1-0" if (solution.mate > 0) == white_moves else "0-1"


def _remarks(solution: Solution, variations: Variations) -> list[str]:
    """Give the sentences before the first move; only the first may read as a claim."""
    told = [_claim(solution.mate), _proof(solution)]
    if solution.restriction:
        told.append(f"The attacker keeps to {solution.restriction.words()}.")
    if solution.keys and not solution.keys_complete:
        told.append("There may be more keys.")
    told.append(variations.words())
    return [sentence for sentence in told if sentence]


def _claim(mate: int | None) -> str:
    match mate:
        case None:
            return ""
        case 0:
            return "checkmate."
    return f"mate in {mate}." if mate > 0 else f"mated in {-mate}."


def _proof(solution: Solution) -> str:
    excluded = solution.lower_bound - 1
    restriction = " in this lane" if solution.restriction else ""
    none = (
        f"No mate{restriction} takes {at_most(excluded)}: proved."
        if excluded > 0
        else ""
    )
    if solution.mate is None:
        if solution.status is Status.DISPROVED:
            return none
        return f"Undecided. {none}"
    if solution.mate == 0:
        return ""
    if solution.tablebase:
        return f"Told by endgame tables. {none}"
    if solution.status is Status.PROVED:
        return f"Proved, and none{restriction} is shorter."
    return f"Proved; a shorter one is not excluded. {none}"


def _add(game: chess.pgn.Game, variations: Variations) -> None:
    ahead: list[tuple[chess.pgn.GameNode, Variation]] = [
        (game, variation) for variation in reversed(variations.first)
    ]
    while ahead:
        parent, variation = ahead.pop()
        node = parent.add_variation(chess.Move.from_uci(variation.move))
        if variation.is_cut:
            node.comment = f"mate in {variation.moves_left} more"
        ahead += [(node, following) for following in reversed(variation.next)]
