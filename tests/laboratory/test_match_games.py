"""Matches: paired openings, results, reproduction, and the file of the games."""

from __future__ import annotations

import io
import os
import signal
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import chess.pgn
import pytest

from solver.errors import InputError, MatesolveError
from solver.kernel.border.scored_struct import Horizon
from solver.laboratory.match import Match, open_games, play_match
from solver.laboratory.player import Rules, play_games
from solver.laboratory.techniques import parse_variant
from solver.search.threads import GroupControl
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from solver.laboratory.match import MatchScore


pytestmark = pytest.mark.usefixtures("worker_processes", "laboratory_kernel")

PAIRS = 4


def match(seed: int = 1, first: str = "check-extension=all", nodes: int = 300) -> Match:
    one, other = (parse_variant(text) for text in (first, "off"))
    return Match(one, other, Rules(nodes=nodes), seed)


def run(
    path: Path, played: Match, pairs: int = PAIRS, jobs: int = 1
) -> tuple[MatchScore, int]:
    """Play a match; return its score and how many pairs were played now."""
    with open_games(os.fspath(path), played) as file:
        scores = list(
            play_match(played, pairs, jobs=jobs, control=GroupControl(), file=file)
        )
    return scores[-1], len(scores) - 1


def games_of(path: Path) -> Iterator[chess.pgn.Game]:
    text = io.StringIO(path.read_text(encoding="ascii"))
    while game := chess.pgn.read_game(text):
        assert not game.errors
        yield game


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("match") / "games.pgn"
    run(path, match())
    return path


def test_each_opening_is_played_twice_with_colours_changed(played: Path) -> None:
    games = list(games_of(played))
    assert len(games) == 2 * PAIRS
    openings = set()
    for number, (one, two) in enumerate(zip(games[::2], games[1::2], strict=True), 1):
        moves = [
            [str(move) for move in game.mainline_moves()][:8] for game in (one, two)
        ]
        assert moves[0] == moves[1]
        openings.add(tuple(moves[0]))
        assert one.headers["White"] == two.headers["Black"] == "check-extension=all"
        assert one.headers["Black"] == two.headers["White"] == "off"
        assert [game.headers["Round"] for game in (one, two)] == [
            f"{number}.1",
            f"{number}.2",
        ]
    assert len(openings) == PAIRS


def test_the_score_counts_the_results_of_the_games(
    played: Path, tmp_path: Path
) -> None:
    score, _ = run(tmp_path / "games.pgn", match())
    points = []
    for game in games_of(played):
        white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game.headers["Result"]]
        points.append(white if game.headers["White"] != "off" else 1 - white)
    counted = [points.count(value) for value in (1, 0, 0.5)]
    assert [score.wins, score.losses, score.draws] == counted
    sums = [one + two for one, two in zip(points[::2], points[1::2], strict=True)]
    assert score.pairs == {value: sums.count(value) for value in sums}


def test_a_result_is_the_boards_or_adjudicated_by_a_mate_that_python_chess_finds() -> (
    None
):
    """At low depth the mates are so short that a naive search finds them."""
    adjudicated = 0
    for games in play_games(match(seed=3), range(1, 9), 1, GroupControl()):
        pair = io.StringIO(games)
        while game := chess.pgn.read_game(pair):
            board, result = game.end().board(), game.headers["Result"]
            comment = game.end().comment
            assert (game.headers["Termination"] == "adjudication") == bool(comment)
            if comment.startswith("mate in"):
                adjudicated += 1
                assert result == ("1-0" if board.turn else "0-1")
                moves = int(comment.split()[2])
                assert moves > 2 or mates(board, moves)
            elif not comment and not (board.is_repetition() or board.is_fifty_moves()):
                assert result == board.result()
    assert adjudicated


def mates(board: chess.Board, moves: int) -> bool:
    def after(move: chess.Move, test: Callable[[], bool]) -> bool:
        board.push(move)
        holds = test()
        board.pop()
        return holds

    def is_lost() -> bool:
        if board.is_checkmate():
            return True
        replies = list(board.legal_moves)
        return (
            bool(replies)
            and moves > 1
            and all(after(reply, lambda: mates(board, moves - 1)) for reply in replies)
        )

    return any(after(move, is_lost) for move in list(board.legal_moves))


def test_the_same_seed_gives_the_same_games_with_any_number_of_jobs(
    played: Path, tmp_path: Path
) -> None:
    run(tmp_path / "two.pgn", match(), jobs=2)
    assert (tmp_path / "two.pgn").read_bytes() == played.read_bytes()
    run(tmp_path / "other.pgn", match(seed=2))
    assert (tmp_path / "other.pgn").read_bytes() != played.read_bytes()


@pytest.mark.parametrize("kept", [0.0, 0.01, 0.1, 0.3, 0.55, 0.75, 0.999, 1.0])
def test_a_match_goes_on_after_the_last_whole_pair(
    played: Path, tmp_path: Path, kept: float
) -> None:
    content = played.read_bytes()
    cut = tmp_path / "games.pgn"
    cut.write_bytes(content[: int(kept * len(content))])
    whole = sum(
        content[: int(kept * len(content))].count(b'.2"]') > 0
        and int(kept * len(content)) >= end
        for end in pair_ends(content)
    )
    score, steps = run(cut, match())
    assert cut.read_bytes() == content
    assert steps == PAIRS - whole
    assert score.games == 2 * PAIRS


def pair_ends(content: bytes) -> list[int]:
    starts = [
        index for index in range(len(content)) if content.startswith(b'[Event "', index)
    ]
    return [*starts[2::2], len(content)]


def test_more_games_go_on_and_fewer_leave_the_file_alone(
    played: Path, tmp_path: Path
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(played.read_bytes())
    score, steps = run(path, match(), pairs=2)
    assert (score.games, steps) == (4, 0)
    assert path.read_bytes() == played.read_bytes()
    score, steps = run(path, match(), pairs=PAIRS + 1)
    assert (score.games, steps) == (2 * PAIRS + 2, 1)


@pytest.mark.parametrize(
    "other",
    [
        match(seed=2),
        match(nodes=301),
        match(first="check-extension=captures"),
        replace(match(), horizon=Horizon.STATIC),
    ],
)
def test_the_games_of_another_match_are_refused_and_kept(
    played: Path, tmp_path: Path, other: Match
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(played.read_bytes())
    with pytest.raises(InputError, match="expected the games of this match"):
        run(path, other)
    assert path.read_bytes() == played.read_bytes()


@pytest.mark.parametrize("content", [b"hello\n", b"\xff\xfe\n", b'[Event "x"]\n'])
def test_a_foreign_file_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"games\.pgn: expected the games"):
        run(path, match())
    assert path.read_bytes() == content


def test_a_missing_pair_in_the_middle_is_refused(played: Path, tmp_path: Path) -> None:
    content = played.read_bytes()
    first, second, *_ = pair_ends(content)
    path = tmp_path / "games.pgn"
    path.write_bytes(content[:first] + content[second:])
    with pytest.raises(InputError, match=r"Round: expected '2\.1', found '3\.1'"):
        run(path, match())


def test_the_horizon_is_that_of_both_players(played: Path, tmp_path: Path) -> None:
    """With the same horizon, equal settings still win the same games with each side."""
    equal = replace(match(first="off"), horizon=Horizon.STATIC)
    score, _ = run(tmp_path / "equal.pgn", equal)
    assert score.pairs == {1: PAIRS}
    other = replace(match(), horizon=Horizon.STATIC)
    run(tmp_path / "other.pgn", other)
    texts = [
        path.read_text().partition(",")[2] for path in (played, tmp_path / "other.pgn")
    ]
    assert texts[0] != texts[1]


class Crash:
    """Games that kill the process that plays them."""

    def begin(self) -> Callable[[int], int]:
        def play(number: int) -> int:
            if number == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return number

        return play


class Endless:
    """Games that end only when they are stopped."""

    def begin(self) -> Callable[[int], int]:
        def play(number: int) -> int:
            if number > 1:
                threading.Event().wait()
            return number

        return play


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(MatesolveError, match="a process that played games died"):
        list(play_games(Crash(), range(1, 9), 2, GroupControl()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_stopping_ends_the_games_that_run_and_those_that_wait(jobs: int) -> None:
    control = GroupControl()
    played = play_games(Endless(), range(1, 99), jobs, control)
    assert next(played) == 1
    control.stop(StoppedBy.INTERRUPT)
    assert list(played) == []
