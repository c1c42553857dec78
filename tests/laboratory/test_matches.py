"""Players and matches: games, results, the file of the games, and the score."""

from __future__ import annotations

import io
import os
import random
import signal
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import chess.pgn
import pytest
from rich.console import Console

from solver import __version__
from solver.errors import InputError, MatesolveError
from solver.formats.pgn import RESULTS
from solver.kernel.border.scored_struct import Horizon
from solver.laboratory.imbalance import (
    ImbalanceTable,
    count_material,
    find_material_cell,
    shipped,
)
from solver.laboratory.match import (
    PROPHET_SCORES,
    Match,
    MatchResult,
    MatchScore,
    draw_match,
    match_notes,
    match_record,
    open_games,
    play_match,
    to_elo,
)
from solver.laboratory.player import (
    Player,
    Rules,
    SelfPlay,
    play_games,
    repeats_position,
    result_of,
)
from solver.laboratory.techniques import Techniques, parse_variant
from solver.search.threads import GroupControl
from solver.solution import StoppedBy
from tests.oracles.naive import mate_in
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("worker_processes", "laboratory_kernel")

RULES = Rules(depth=2)


def texts(games: int, first: int = 1, seed: int = 1, rules: Rules = RULES) -> list[str]:
    play = SelfPlay(seed, rules).begin()
    return [play(number) for number in range(first, first + games)]


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


def test_games_are_legal_and_their_results_are_the_boards() -> None:
    results = set()
    for text in texts(30):
        board, result = read(text).end().board(), read(text).headers["Result"]
        results.add(result)
        if board.is_repetition() or board.is_fifty_moves():
            assert result == "1/2-1/2"
        else:
            assert result == board.result()
        if result == "1/2-1/2":  # the winning side avoids repetition
            assert abs(balance(board)) < 9, text
    assert {"1-0", "0-1"} <= results


def balance(board: chess.Board) -> int:
    worth = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9, "K": 0}
    return sum(
        worth[piece.symbol().upper()] * (1 if piece.color else -1)
        for piece in board.piece_map().values()
    )


def test_a_game_that_lasts_too_long_is_left_unfinished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.laboratory.player.MOST_PLIES", 10)
    (text,) = texts(1, rules=Rules(depth=1))
    game = read(text)
    assert game.headers["Result"] == "*"
    assert game.end().ply() == 10


@sized("games", 5, 20)
def test_repetitions_and_results_are_those_of_python_chess(games: int) -> None:
    for seed in range(games):
        chance = random.Random(seed)
        board = chess.Board("4k2r/5p2/8/4P3/8/8/8/R3K3 b Qk - 0 1")
        while result_of(board) == "*" and board.ply() < 300:
            for move in board.legal_moves:
                after = board.copy()
                after.push(move)
                assert repeats_position(board, move) == after.is_repetition(2)
            board.push(chance.choice(list(board.legal_moves)))
            drawn = board.is_repetition() or board.is_fifty_moves()
            assert result_of(board) == ("1/2-1/2" if drawn else board.result())


def test_a_player_without_nodes_for_one_iteration_plays_a_legal_move() -> None:
    player = Player(Techniques(), Rules(nodes=1))
    assert chess.Board().is_legal(player.choose(chess.Board()))
    assert player.mate is None


def test_the_prover_confirms_only_a_mate_that_the_player_saw() -> None:
    for fen, proves in (
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", True),
        ("6k1/5ppp/8/8/8/8/6P1/6K1 w - - 0 1", False),
        ("r5k1/8/8/8/8/8/5PPP/6K1 w - - 0 1", False),  # it will not be mated by force
    ):
        player = Player(Techniques(), Rules(depth=4))
        board = chess.Board(fen)
        player.choose(board)
        assert player.proves_mate(board) is proves
        player.mate = 1  # which only the first has
        assert player.proves_mate(board) is proves


def test_the_shipped_table_counts_the_games_that_its_source_names() -> None:
    table = shipped()
    assert "mip play --games 60000 --seed 1 --depth 4" in table.source
    for text in texts(20, first=59_981, rules=Rules(depth=4)):
        game = read(text)
        result = RESULTS[game.headers["Result"]]
        replayed = ImbalanceTable()
        for node in [game, *game.mainline()]:
            replayed.add(find_material_cell(count_material(node.board())), result)
        for cell, outcomes in replayed.filled_cells():
            held = table.outcomes(cell)
            assert all(some <= all_ for some, all_ in zip(outcomes, held, strict=True))


PAIRS = 4


def match(seed: int = 1, first: str = "check-extension=all", nodes: int = 300) -> Match:
    one, other = (parse_variant(text) for text in (first, "off"))
    return Match(one, other, Rules(nodes=nodes), seed)


def run(
    path: Path, played: Match, pairs: int = PAIRS, jobs: int = 1
) -> tuple[MatchScore, int]:
    """Play a match; return its score and how many pairs were played now."""
    with open_games(os.fspath(path), played) as file:
        control = GroupControl()
        scores = list(play_match(played, pairs, jobs=jobs, control=control, file=file))
    return scores[-1], len(scores) - 1


def games_of(text: str) -> Iterator[chess.pgn.Game]:
    file = io.StringIO(text)
    while game := chess.pgn.read_game(file):
        assert not game.errors
        yield game


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("match") / "games.pgn"
    run(path, match())
    return path


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_bytes(played.read_bytes())
    return path


def test_each_opening_is_played_twice_with_colours_changed(played: Path) -> None:
    games = list(games_of(played.read_text(encoding="ascii")))
    assert len(games) == 2 * PAIRS
    openings = set()
    for number, (one, two) in enumerate(zip(games[::2], games[1::2], strict=True), 1):
        first, second = (tuple(game.mainline_moves())[:8] for game in (one, two))
        assert first == second
        openings.add(first)
        assert one.headers["White"] == two.headers["Black"] == "check-extension=all"
        assert one.headers["Black"] == two.headers["White"] == "off"
        rounds = [game.headers["Round"] for game in (one, two)]
        assert rounds == [f"{number}.1", f"{number}.2"]
    assert len(openings) == PAIRS


def test_the_score_counts_the_results_of_the_games(
    played: Path, tmp_path: Path
) -> None:
    score, _ = run(tmp_path / "games.pgn", match())
    points = []
    for game in games_of(played.read_text(encoding="ascii")):
        white = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[game.headers["Result"]]
        points.append(white if game.headers["White"] != "off" else 1 - white)
    counted = [points.count(value) for value in (1, 0, 0.5)]
    assert [score.wins, score.losses, score.draws] == counted
    sums = [one + two for one, two in zip(points[::2], points[1::2], strict=True)]
    assert score.pairs == {value: sums.count(value) for value in sums}


def test_a_result_is_the_boards_or_adjudicated_by_a_mate_that_exists() -> None:
    """At low depth the mates are so short that a naive search finds them."""
    adjudicated = 0
    for pair in play_games(match(seed=3), range(1, 9), 1, GroupControl()):
        for game in games_of(pair):
            board, result = game.end().board(), game.headers["Result"]
            comment = game.end().comment
            assert (game.headers["Termination"] == "adjudication") == bool(comment)
            if comment.startswith("mate in"):
                adjudicated += 1
                assert result == ("1-0" if board.turn else "0-1")
                moves = int(comment.split()[2])
                assert moves > 2 or mate_in(board, moves)
            elif not comment and not (board.is_repetition() or board.is_fifty_moves()):
                assert result == board.result()
    assert adjudicated


def test_the_same_seed_gives_the_same_games_with_any_number_of_jobs(
    played: Path, tmp_path: Path
) -> None:
    run(tmp_path / "two.pgn", match(), jobs=2)
    assert (tmp_path / "two.pgn").read_bytes() == played.read_bytes()
    run(tmp_path / "other.pgn", match(seed=2))
    assert (tmp_path / "other.pgn").read_bytes() != played.read_bytes()


@pytest.mark.parametrize("kept", [0.0, 0.01, 0.3, 0.55, 0.999])
def test_a_match_goes_on_after_the_last_whole_pair(copy: Path, kept: float) -> None:
    content = copy.read_bytes()
    size = int(kept * len(content))
    copy.write_bytes(content[:size])
    score, steps = run(copy, match())
    assert copy.read_bytes() == content
    assert steps == PAIRS - sum(end <= size for end in pair_ends(content))
    assert score.games == 2 * PAIRS


def pair_ends(content: bytes) -> list[int]:
    starts = [
        index for index in range(len(content)) if content.startswith(b'[Event "', index)
    ]
    return [*starts[2::2], len(content)]


def test_more_games_go_on_and_fewer_leave_the_file_alone(copy: Path) -> None:
    content = copy.read_bytes()
    score, steps = run(copy, match(), pairs=2)
    assert (score.games, steps) == (4, 0)
    assert copy.read_bytes() == content
    score, steps = run(copy, match(), pairs=PAIRS + 1)
    assert (score.games, steps) == (2 * PAIRS + 2, 1)


OTHERS = (
    *(match(nodes=301), match(first="check-extension=captures"), match(seed=2)),
    replace(match(), horizon=Horizon.STATIC),
)


def test_the_games_of_another_match_and_other_files_are_refused_and_kept(
    copy: Path,
) -> None:
    content = copy.read_bytes()
    for other in OTHERS:
        with pytest.raises(InputError, match="expected the games of this match"):
            run(copy, other)
        assert copy.read_bytes() == content
    for foreign in (b"hello\n", b"\xff\xfe\n", b'[Event "x"]\n'):
        copy.write_bytes(foreign)
        with pytest.raises(InputError, match=r"games\.pgn: expected the games"):
            run(copy, match())
        assert copy.read_bytes() == foreign
    first, second, *_ = pair_ends(content)
    copy.write_bytes(content[:first] + content[second:])
    with pytest.raises(InputError, match=r"Round: expected '2\.1', found '3\.1'"):
        run(copy, match())


def test_the_horizon_is_that_of_both_players(played: Path, tmp_path: Path) -> None:
    """With the same horizon, equal settings still win the same games with each side."""
    equal = replace(match(first="off"), horizon=Horizon.STATIC)
    score, _ = run(tmp_path / "equal.pgn", equal)
    assert score.pairs == {1: PAIRS}
    run(tmp_path / "other.pgn", replace(match(), horizon=Horizon.STATIC))
    one, other = (
        path.read_text().partition(",")[2] for path in (played, tmp_path / "other.pgn")
    )
    assert one != other


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


PROPHET4_AGAINST_PROPHET3 = (313, 929, 758, 34.6, -110.6, 12.2)


@pytest.mark.parametrize(
    "published",
    [PROPHET4_AGAINST_PROPHET3, PROPHET_SCORES["all"], PROPHET_SCORES["captures"]],
)
def test_published_scores_have_their_published_elo(
    published: tuple[int, int, int, float, float, float],
) -> None:
    wins, losses, draws, per_cent, elo, _ = published
    score = MatchScore(wins, losses, draws)
    assert score.mean is not None
    assert 100 * score.mean == pytest.approx(per_cent, abs=0.05)
    assert score.elo == pytest.approx(elo, abs=0.05)
    assert to_elo(1 / (1 + 10 ** (-elo / 400))) == pytest.approx(elo)


def score_of(*pairs: tuple[float, float]) -> MatchScore:
    score = MatchScore()
    for pair in pairs:
        score.add_pair(*pair)
    return score


def test_a_score_without_an_interval_has_no_elo_or_error() -> None:
    assert (MatchScore().elo, MatchScore().error) == (None, None)
    assert MatchScore(wins=3).elo is None
    few = score_of((1, 0), (1, 1))
    assert few.elo is not None
    assert few.error is None


PLAYED = ((1, 1), (1, 0), (0.5, 1), (0, 0.5))


def result(
    first: str = "check-extension=all",
    pairs: tuple[tuple[float, float], ...] = PLAYED,
    requested: int = 4,
) -> MatchResult:
    one, other = (parse_variant(text) for text in (first, "off"))
    match = Match(one, other, Rules(nodes=20_000), 7)
    return MatchResult(match, score_of(*pairs), requested)


def text(shown: MatchResult, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(draw_match(shown, console))
    return console.export_text()


def test_the_columns_are_those_of_prophet4s_author() -> None:
    assert text(result()) == (
        "                     wins  losses  draws    pct   Elo  error\n"
        "check-extension=all     4       2      2  62.5%  88.7  243.2\n"
        "Prophet4              331     183    402  58.1%  56.6   16.8\n"
    )
    assert " ".join(text(result(), 40).split()) == (
        "check-extension=all: wins 4, losses 2, draws 2, pct 62.5%, Elo 88.7, "
        "error 243.2 "
        "Prophet4: wins 331, losses 183, draws 402, pct 58.1%, Elo 56.6, error 16.8"
    )
    empty = text(result("mdp=cpw", ())).splitlines()[1]
    assert empty.split() == ["mdp=cpw", "0", "0", "0"]


def test_prophet4_is_shown_only_for_its_own_experiments() -> None:
    for first in ("mdp=cpw", "check-extension=all,mdp=cpw"):
        assert "Prophet4" not in text(result(first))
        assert "Prophet4" not in "".join(match_notes(result(first)))


def test_the_notes_say_what_was_played_and_what_is_missing() -> None:
    notes = list(match_notes(result(requested=9)))
    assert notes[0].startswith(
        "8 games of check-extension=all against off, 20,000 nodes a move, quiescence "
        "horizon, seed 7."
    )
    assert notes[1] == "Pairs by points: 0: 0, 0.5: 1, 1: 1, 1.5: 1, 2: 1."
    assert notes[-1] == "Stopped after 8 of 18 games."
    assert "Stopped" not in "".join(match_notes(result()))


def test_the_record_has_the_settings_and_the_score() -> None:
    off = dict.fromkeys(("mdp", "check_extension", "efp", "mip"), "off")
    record = match_record(result())
    assert record.pop("first") == off | {"check_extension": "all"}
    assert record.pop("second") == off
    assert record.pop("elo") == pytest.approx(88.739, abs=0.001)
    assert record.pop("error") == pytest.approx(243.2, abs=0.1)
    assert list(record.items()) == [
        *(("schema", 1), ("depth", None), ("nodes", 20_000)),
        *(("horizon", "quiescence"), ("seed", 7), ("complete", True)),
        *(("games", 8), ("wins", 4), ("losses", 2), ("draws", 2), ("score", 0.625)),
        *(("pairs", [0, 1, 1, 1, 1]), ("solver", __version__)),
    ]
