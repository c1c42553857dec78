"""The page of an answer: its sentences, its play, and what a reader does with it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import chess
import pytest

from solver.output.shown_play import ShownSolutions, ShownTree
from solver.output.text import describe, facts, say
from solver.pages.viewer_pages import encode_answer
from solver.play.record import Variations
from solver.problem import Problem, Restriction, Stipulation
from solver.solution import Solution, Status
from tests.oracles import walks
from tests.output.answers import (
    MATED,
    ROOK,
    ROOK_BY_TABLE,
    ROOK_DISPROVED,
    ROOK_FOUND,
    SMOTHERED,
)
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.records import HOSTILE, data_of
from tests.typed_play import attack_of, defence_of, play_record

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from solver.output.shown_play import ShownPlay
    from tests.pages.live import Live, Look

ROOK_PLAY = Variations(
    Stipulation.parse("#3"),
    ROOK.fen,
    keys=(
        attack_of(
            "a2a8",
            2,
            defences=[
                defence_of("g1h2", [attack_of("a8a1", 1, cut=True)]),
                defence_of("g1f1", [attack_of("a8a1", 0)]),
            ],
        ),
        attack_of("a2a7", 2, cut=True),
    ),
    key_moves=1,
    keys_complete=True,
)
ROOK_PATHS = [
    *("a2a8", "a2a8 g1h2", "a2a8 g1h2 a8a1"),
    *("a2a8 g1f1", "a2a8 g1f1 a8a1", "a2a7"),
]


def tree(solution: Solution, variations: Variations | None = None) -> ShownTree:
    play = variations or Variations(fen=solution.problem.fen)
    return ShownTree(solution, play_record(play, marks=True, popeye=True))


def smothered(*last: str) -> ShownTree:
    """The play of `SMOTHERED`, with these last moves."""
    fen, (first, reply, _) = SMOTHERED.problem.fen, SMOTHERED.pv
    defence = defence_of(reply, [attack_of(move, 0) for move in last])
    key = attack_of(first, 1, defences=[defence])
    play = Variations(Stipulation.parse("#2"), fen, keys=[key], keys_complete=True)
    return tree(SMOTHERED, play)


ROOK_TREE = tree(ROOK_FOUND, ROOK_PLAY)
SMOTHERED_TREE = smothered("h6f7")

HELP_SOLUTIONS = (("g2g1",), ("h2h1",))
HELP_PROBLEM = Problem("8/8/8/8/8/1K6/6RR/k7 w - - 0 1", stipulation="h#0.5")
HELP = Solution(HELP_PROBLEM, Status.PROVED, 1, 1, solutions=HELP_SOLUTIONS)


def test_a_page_has_the_answer_in_sentences_and_the_position() -> None:
    shown = Page(encode_answer(SMOTHERED, tree(SMOTHERED)))
    texts = ["".join(sentence.lines()).strip() for sentence in describe(SMOTHERED)]
    assert {SMOTHERED.problem.fen, *filter(None, texts)} <= {*shown.lines}
    assert ", #2 (3+4) C+" in shown.lines
    (link,) = shown.attributes("a")
    assert link["href"] == (
        "https://lichess.org/analysis/standard/5r1k/6pp/7N/8/2Q5/8/8/6K1_w_-_-_0_1"
    )


def test_the_play_has_the_lines_of_the_text() -> None:
    plays: list[tuple[Solution, ShownPlay]] = [
        (ROOK_FOUND, ROOK_TREE),
        (SMOTHERED, smothered("h6f7", "h6f5")),  # with duals
        (HELP, ShownSolutions(HELP)),
    ]
    for solution, play in plays:
        lines = [line.text.strip() for line in play.lines()]
        data = encode_answer(solution, play)
        require_own_style_and_script(data)
        assert Page(data).play == [line for line in lines if line]
        assert len(Page(data).play) > 1


# In Chromium


def changed(data: bytes, **fields: Any) -> bytes:
    """The page with other fields of its record."""
    content = data_of(data)
    content["records"][0] |= fields
    start, _, rest = data.decode().partition('id="data">')
    _, _, end = rest.partition("</script>")
    text = json.dumps(content).replace("<", "\\u003c")
    return f'{start}id="data">{text}</script>{end}'.encode()


def board_of(live: Live) -> str:
    """The position on the board, as the link to lichess has it."""
    link = live.page.get_attribute("#board-link", "href")
    assert link is not None
    return unquote(link).partition("standard/")[2].replace("_", " ")


def after(fen: str, path: str) -> str:
    """The same by python-chess."""
    board = chess.Board(fen)
    for uci in path.split():
        board.push(chess.Move.from_uci(uci))
    return board.fen(en_passant="fen")


def followed(live: Live, moves: Locator, fen: str) -> list[str]:
    """Click on moves; return their texts."""
    texts = []
    for move in moves.all():
        move.evaluate("(each) => each.click()")
        path = move.get_attribute("data-path")
        assert path is not None
        assert board_of(live) == after(fen, path)
        assert move.get_attribute("aria-current") == "step"
        texts.append(move.inner_text())
    return texts


@pytest.mark.browser
def test_the_play_is_followed_with_arrow_keys_folded_and_printed(look: Look) -> None:
    live = look(encode_answer(ROOK_FOUND, ROOK_TREE))
    moves = live.page.locator("#tree-play .move")
    assert followed(live, moves, ROOK.fen) == [
        *("1.Ra8!", "1...Kh2", "2.Ra1", "1...Kf1", "2.Ra1#", "1.Ra7!"),
    ]
    moves.first.click()
    for path in ROOK_PATHS[1:]:
        live.page.keyboard.press("ArrowRight")
        assert board_of(live) == after(ROOK.fen, path)
    live.page.click("#board-back")
    live.page.keyboard.press("Escape")
    assert board_of(live) == ROOK.fen
    live.page.click("#tree-unfold")
    assert live.page.locator("#tree-play details:not([open])").count() == 0
    live.page.click("#tree-fold")
    assert live.page.locator("#tree-play details[open]").count() == 0

    replies = [defence_of(move, [attack_of("a7a1", 1)]) for move in ("g1f1", "g1h1")]
    deep = attack_of("a2a7", 2, defences=replies)
    play = replace(ROOK_PLAY, keys=(ROOK_PLAY.keys[0], deep))
    live = look(encode_answer(ROOK_FOUND, tree(ROOK_FOUND, play)))
    folded = live.page.locator("#tree-play details:not([open]) .leaf .move")
    assert not folded.first.is_visible()
    live.page.emulate_media(media="print")
    assert folded.first.is_visible()


@pytest.mark.browser
def test_the_main_line_and_the_claimed_line_are_played(look: Look) -> None:
    data = changed(
        encode_answer(SMOTHERED, SMOTHERED_TREE),
        verdict="proved",
        claimed_line=["c4c7", "h8g8", "0000"],
        claimed_keys=["c4g8", "h6f7"],
        wrong_keys=["h6f7"],
        disagreements=["wrong-key"],
    )
    live, fen = look(data), SMOTHERED.problem.fen
    line = live.page.locator("#answer-line .move")
    assert followed(live, line, fen) == ["1.Qg8+", "Rxg8", "2.Nf7#"]
    claimed = live.page.locator("#answer-claim .move")
    assert followed(live, claimed, fen) == [
        *("c4g8", "h6f7?", "1.c4c7", "h8g8", "2.0000"),
    ]
    assert "wrong-key" in live.text("answer-claim")


@pytest.mark.browser
def test_moves_that_are_none_leave_the_pieces_and_no_record_is_refused(
    look: Look,
) -> None:
    line = ["c4g8", '"]', "banana", "z9z9q", "</b>"]
    data = encode_answer(SMOTHERED, tree(SMOTHERED))
    live, fen = look(changed(data, claimed_line=line)), SMOTHERED.problem.fen
    for move in live.page.locator("#answer-claim .move").all():
        move.click()
        assert board_of(live).split()[0] == after(fen, "c4g8").split()[0]
    live = look(changed(data, schema=None))
    words = "expected a record of schema 1, found null"
    assert live.headline == f"This page cannot be read: {words}"


@pytest.mark.browser
def test_positions_after_moves_are_those_of_python_chess(look: Look) -> None:
    chance, games = random.Random(30), []
    for start in walks.STARTS * 8:  # games of random moves and passes
        board = chess.Board(start)
        for _ in range(chance.randrange(60)):
            moves = [*board.legal_moves]
            moves += [] if board.is_check() else [chess.Move.null()]
            if moves:
                board.push(chance.choice(moves))
        moves_made = [*map(str, board.move_stack)]
        games.append((start, moves_made, board.fen(en_passant="fen")))
    live = look(encode_answer(SMOTHERED, tree(SMOTHERED)))
    play = "(games) => games.map(([fen, moves]) => played(fen, moves))"
    found = live.page.evaluate(play, [game[:2] for game in games])
    assert found == [game[2] for game in games]
    assert live.page.locator("#tree-unfold:visible").count() == 0  # nothing folds


@pytest.mark.browser
def test_names_are_text(look: Look) -> None:
    problem = replace(SMOTHERED.problem, id=HOSTILE, source=f"'{HOSTILE}\":7")
    solution = replace(SMOTHERED, problem=problem)
    live = look(encode_answer(solution, tree(solution)))
    assert live.page.title() == HOSTILE
    assert live.page.locator("#answer-title bdi").all_inner_texts()[0] == HOSTILE
    assert live.page.locator("main :is(b, img, script)").count() == 0
    assert f"{HOSTILE}, '{HOSTILE}\":7, #2 (3+4)" in live.text("answer")


@pytest.mark.browser
def test_a_page_with_the_search_solves_and_shows_the_record_again(
    look: Look, modules: dict[str, bytes]
) -> None:
    search = {"search": modules["search"]}
    live = look(encode_answer(ROOK_FOUND, ROOK_TREE, search))
    assert live.headline == "White mates in 3."
    live.page.click("#tree-show")
    live.page.wait_for_selector("#tree-play > ul")
    followed(live, live.page.locator("#tree-play .move:visible"), ROOK.fen)
    live.page.click("#tree-fold")
    live.page.focus("#tree-play summary >> nth=0")
    for key in ("Enter", "ArrowDown", "Enter", "ArrowDown"):
        live.page.keyboard.press(key)
    assert live.page.locator(":focus").inner_text() == "1...Kf1"
    assert live.page.locator("#tree-play details[open]").count() == 2

    live.page.keyboard.press("Escape")
    live.page.click("#answer-solve")
    live.wait(fen=ROOK.fen)
    live.until("answer.dataset.lower === '3'")
    proof = "Proved: mate in 3 is forced, and none is shorter."
    assert (live.headline, live.text("answer-proof")) == ("White mates in 3.", proof)
    live.page.click("#answer-solve")
    assert live.headline == "White mates in 3."


@pytest.mark.browser
def test_an_answer_without_play_has_its_words_and_a_board(look: Look) -> None:
    restricted = replace(ROOK_DISPROVED, restriction=Restriction(replies=2))
    for solution, words in (
        (MATED, "# (3+4)"),
        (restricted, "Restricted: at"),
        (ROOK_BY_TABLE, "Gaviota"),
    ):
        live = look(encode_answer(solution, tree(solution)))
        assert live.headline == say("headline", facts(solution))
        assert words in live.text("answer")
        assert board_of(live) == solution.problem.fen
        assert not live.page.is_visible("#tree-panel")
