"""An answer as a PGN game from its position; keys and defences are its variations.

Help play is one game for each solution.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver import __version__, problem
from solver.formats.pgn import event_of
from solver.output.play_text import missing, set_play_gap
from solver.output.text import facts, say
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.play.record import Record
    from solver.solution import Solution

Line = tuple[str, ...]

COLUMNS = 80
"""The width of comments and moves."""


def encode_pgn(solution: Solution, play: Record) -> bytes:
    """Write an answer as one PGN game.

    The mainline is the answer's line. Variations at its start are the other keys, then
    tries with their refutations, then the set play after a null move. Defences and
    duals are variations where they are played; threats are comments. The comment before
    the first move has the claim, "mate in 3" or "mated in 3", and what is proved. If
    the play is cut, a comment has the number of moves left. If there are several keys,
    the tag `Keys` has them in UCI notation. The tag `Stipulation` names a goal other
    than mate; it is `?` if there is no mate.

    Parameters
    ----------
    solution : Solution
        The answer.
    play : dict
        The record of its play; see `solver.play.record`.

    Returns
    -------
    bytes
        UTF-8. The side that mates wins; the result is `*` if no mate was found.
    """
    game = chess.pgn.Game()
    game.headers.update(_headers(solution))
    game.comment = _fill(" ".join(_remarks(solution, play)))
    _Play(solution, play).add_to(game)
    return _encode([game])


def encode_solutions(
    solution: Solution,
    set_play: Sequence[Sequence[str]] = (),
    *,
    set_play_complete: bool = True,
) -> bytes:
    """Write each solution of help play as one PGN game, and its set play before them.

    The tag `Round` has the number of the solution; `Solutions` has the number of all
    solutions if all were found. Games of the set play have the tag `SetPlay` instead,
    and the other side moves first. Without a solution there is one game without moves.

    Parameters
    ----------
    solution : Solution
        The answer.
    set_play : sequence of sequence of str
        The solutions of the set play, in UCI notation.
    set_play_complete : bool
        Whether these are all.

    Returns
    -------
    bytes
        UTF-8.
    """
    comment = say("pgn_solutions", facts(solution))
    if not set_play_complete:
        comment += f" {set_play_gap(set_play)}"
    board = chess.Board(solution.problem.fen)
    games = []
    for number, line in enumerate(solution.solutions or ((),), 1):
        games.append(_help_game(solution, board, line))
        if solution.solutions:
            games[-1].headers["Round"] = str(number)
        if solution.solutions_complete:
            games[-1].headers["Solutions"] = str(len(solution.solutions))
    games[0].comment = _fill(comment)
    board.push(chess.Move.null())
    board = chess.Board(board.fen())
    set_games = [_help_game(solution, board, line) for line in set_play]
    for number, game in enumerate(set_games, 1):
        game.headers["SetPlay"] = str(number)
        game.headers["Stipulation"] = "?"  # it is of another length
    return _encode([*set_games, *games])


def _help_game(
    solution: Solution, board: chess.Board, line: Iterable[str]
) -> chess.pgn.Game:
    game = chess.pgn.Game()
    game.headers.update(_headers(solution))
    game.headers["FEN"] = board.fen()
    game.add_line(chess.Move.from_uci(move) for move in line)
    return game


def _encode(games: Iterable[chess.pgn.Game]) -> bytes:
    exporter = chess.pgn.StringExporter
    written = [game.accept(exporter(columns=COLUMNS)) for game in games]
    return ("\n\n".join(written) + "\n").encode()


def _fill(text: str) -> str:
    return textwrap.fill(text, COLUMNS, break_on_hyphens=False)


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
    if stipulation := solution.problem.stipulation.beside_claim.text:
        tags["Stipulation"] = stipulation
    elif not solution.mate:
        tags["Stipulation"] = "?"  # so that no reader takes the event for a claim
    return tags


def _result(solution: Solution) -> str:
    if solution.mate is None:
        return "*"
    stipulation = solution.problem.stipulation
    if stipulation.goal is problem.Goal.STALEMATE:
        return "1/2-1/2"
    mover_wins = (solution.mate > 0) == (stipulation.plies % 2 == 1)
    white_moves = chess.Board(solution.problem.fen).turn == chess.WHITE
    return "1-0" if mover_wins == white_moves else "0-1"


def _remarks(solution: Solution, play: Record) -> list[str]:
    """Return the sentences before the first move.

    Readers take the first "mate in N" for the claim, so no other sentence has one.
    """
    known = facts(solution)
    names = ("pgn_claim", "pgn_proof", "pgn_restricted", "pgn_keys")
    remarks = [say(name, known) for name in names]
    gaps = missing(play, keys=False)
    remarks += dict.fromkeys([*gaps.keys, *gaps.set_play, *gaps.tries])
    return [remark for remark in remarks if remark]


class _Play:
    """Adds the play to a game, with two nested calls for each attack."""

    def __init__(self, solution: Solution, play: Record) -> None:
        self._play = play
        self._pv = solution.pv
        self._goal = genre_of(solution.problem.stipulation).goal

    def add_to(self, game: chess.pgn.Game) -> None:
        """Add keys, tries, defences and set play, those of the mainline first."""
        play = self._play
        for attack, line in _ordered(play["keys"], self._pv):
            node = self._add_attack(game, attack, line)
            node.nags.add(chess.pgn.NAG_GOOD_MOVE)
            _comment(node, ", ".join(attack.get("features", ())))
        for attack in play["tries"]:
            node = self._add_attack(game, attack, ())
            node.nags.add(chess.pgn.NAG_MISTAKE)
            for refuting in attack["refutations"]:
                refutation = _add(node, refuting)
                refutation.nags.add(chess.pgn.NAG_GOOD_MOVE)
        self._add_defences(game, play["defences"], self._pv)
        if play["threats"]:
            _comment(game, _threats(game.board(), play["threats"]))
        if play["zugzwang"]:
            _comment(game, "zugzwang")
        if play["set_play"] and game.variations:
            passed = game.add_variation(chess.Move.null(), comment="set play")
            self._add_defences(passed, play["set_play"], ())

    def _add_attack(
        self, parent: chess.pgn.GameNode, attack: Record, line: Line
    ) -> chess.pgn.ChildNode:
        """Add a move and the play after it; the mainline continues with `line`."""
        node = _add(parent, attack)
        if "threats" in attack:
            _comment(node, _threats(node.board(), attack["threats"]))
        if "zugzwang" in attack:
            _comment(node, "zugzwang")
        if "cut" in attack and "defences" not in attack:
            _comment(node, f"{self._goal} in {attack.get('moves_left', 0)} more")
        _comment(node, attack.get("mark", ""))
        self._add_defences(node, attack.get("defences", ()), line)
        return node

    def _add_defences(
        self, parent: chess.pgn.GameNode, defences: Iterable[Record], line: Line
    ) -> None:
        for defence, rest in _ordered(defences, line):
            node = _add(parent, defence)
            _comment(node, defence.get("mark", ""))
            for attack, following in _ordered(defence.get("continuations", ()), rest):
                self._add_attack(node, attack, following)


def _add(parent: chess.pgn.GameNode, move: Record) -> chess.pgn.ChildNode:
    return parent.add_variation(chess.Move.from_uci(move["uci"]))


def _ordered(moves: Iterable[Record], line: Line) -> list[tuple[Record, Line]]:
    """Put the mainline's move first; return each move with the mainline after it."""
    ahead = sorted(moves, key=lambda move: move["uci"] not in line[:1])
    return [(move, line[1:] if move["uci"] in line[:1] else ()) for move in ahead]


def _comment(node: chess.pgn.GameNode, text: str) -> None:
    if not text:
        return
    before = node.comment
    node.comment = f"{before}{'' if before.endswith('.') else ','} {text}".strip(", ")


def _threats(board: chess.Board, threats: Sequence[Record]) -> str:
    """Write threats, each up to the first choice of moves."""
    board = board.copy(stack=False)
    board.push(chess.Move.null())
    lines = []
    for threat in threats:
        moves, last = [threat["uci"]], threat
        while len(defences := last.get("defences", ())) == 1:
            continuations = defences[0].get("continuations", ())
            if len(continuations) != 1:
                break
            (last,) = continuations
            moves += [defences[0]["uci"], last["uci"]]
        lines.append(board.variation_san(map(chess.Move.from_uci, moves)))
    return f"threat{'s' if len(lines) > 1 else ''}: {', '.join(lines)}"
