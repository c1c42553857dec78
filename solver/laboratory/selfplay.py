"""Games of one setting of the laboratory's search against itself.

The shipped material-imbalance table is made of such games. Game k of a seed is always
the same, so a run can be repeated, continued or split.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.kernel.border.experiment import Extension
from solver.laboratory.player import (
    UNFINISHED,
    Game,
    Player,
    Rules,
    open_game,
    write_game,
)
from solver.laboratory.techniques import Mdp, Techniques

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.search.threads import Control

TECHNIQUES = Techniques(mdp=Mdp.TIGHT, extension=Extension.CHECKS)


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """Games by number, as `solver.laboratory.game_pool` plays them.

    Attributes
    ----------
    seed : int
    rules : Rules
    """

    seed: int
    rules: Rules

    def begin(self, control: Control) -> Callable[[int], str | None]:
        """Return the function that plays a game and writes it as PGN."""
        player = Player(TECHNIQUES, self.rules, control)

        def play(number: int) -> str | None:
            chance = random.Random(f"{self.seed}/{number}")  # noqa: S311 - repeatable
            game = Game(open_game(chance, self.rules.opening_plies))
            while (result := game.result()) == UNFINISHED:
                if game.board.ply() >= self.rules.most_plies:
                    break
                move = player.choose(game)
                if move is None:
                    return None
                game.push(move)
            event = f"Self-play, {self.rules.depth} plies a move, seed {self.seed}"
            headers = {"Event": event, "Round": str(number), "Result": result}
            return write_game(
                game.board, headers | dict.fromkeys(("White", "Black"), "matesolve")
            )

        return play
