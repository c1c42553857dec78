"""The page of an answer: its sentences, its variations, and what it may load."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

import chess
import pytest

from solver.output.shown_play import ShownSolutions, ShownTree
from solver.output.text import describe, facts, say
from solver.pages.viewer_pages import encode_answer
from solver.play.record import Variations
from solver.problem import Problem, Restriction, Stipulation
from solver.solution import Solution, Status
from tests.output.answers import (
    MATED,
    ROOK,
    ROOK_BY_TABLE,
    ROOK_DISPROVED,
    ROOK_FOUND,
    ROOK_UNDECIDED,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
)
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.live import Live, Opener
from tests.pages.records import HOSTILE, data_of
from tests.typed_play import attack_of, defence_of, play_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    from solver.output.shown_play import ShownPlay

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


def tree(solution: Solution, variations: Variations | None = None) -> ShownTree:
    play = variations or Variations(fen=solution.problem.fen)
    return ShownTree(solution, play_record(play, marks=True, popeye=True))


ROOK_TREE = tree(ROOK_FOUND, ROOK_PLAY)


def page(solution: Solution, variations: Variations | None = None) -> Page:
    return Page(encode_answer(solution, tree(solution, variations)))


def test_a_page_has_the_answer_in_sentences_and_the_position() -> None:
    shown = page(SMOTHERED)
    headline, *others = [
        text
        for sentence in describe(SMOTHERED)
        if (text := "".join(sentence.lines()).strip())
    ]
    assert {SMOTHERED.problem.fen, headline, *others} <= {*shown.lines}
    start = shown.lines.index("smothered")
    assert shown.lines[start : start + 3] == [
        "smothered",
        ", #2 (3+4) C+",
        "White mates in 2.",
    ]


@pytest.mark.parametrize(
    "solution", [SMOTHERED_BY_BLACK, MATED, ROOK_DISPROVED, ROOK_UNDECIDED]
)
def test_every_answer_has_its_page(solution: Solution) -> None:
    shown = page(solution)
    assert [tag for tag, _ in shown.tags].count("h1") == 1
    assert "diagram" in [shape.get("class") for shape in shown.attributes("svg")]
    assert shown.play == []


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    require_own_style_and_script(encode_answer(ROOK_FOUND, ROOK_TREE))


def test_a_link_opens_the_position_for_analysis() -> None:
    (link,) = page(SMOTHERED).attributes("a")
    assert link["href"] == (
        "https://lichess.org/analysis/standard/5r1k/6pp/7N/8/2Q5/8/8/6K1_w_-_-_0_1"
    )


def smothered(fen: str, first: str, reply: str, *last: str) -> Variations:
    defence = defence_of(reply, [attack_of(move, 0) for move in last])
    key = attack_of(first, 1, defences=[defence])
    return Variations(Stipulation.parse("#2"), fen, keys=[key], keys_complete=True)


SMOTHERED_PLAY = smothered(SMOTHERED.problem.fen, *SMOTHERED.pv)
DUALS = smothered(SMOTHERED.problem.fen, "c4g8", "f8g8", "h6f7", "h6f5")

HALF = Stipulation.parse("h#0.5")
HELP_SOLUTIONS = (("g2g1",), ("h2h1",))
HELP_PROBLEM = Problem("8/8/8/8/8/1K6/6RR/k7 w - - 0 1", stipulation=HALF)
HELP = Solution(HELP_PROBLEM, Status.PROVED, 1, 1, solutions=HELP_SOLUTIONS)


@pytest.mark.parametrize(
    ("solution", "play"),
    [
        (ROOK_FOUND, ROOK_TREE),
        (SMOTHERED, tree(SMOTHERED, SMOTHERED_PLAY)),
        (SMOTHERED, tree(SMOTHERED, DUALS)),
        (HELP, ShownSolutions(HELP)),
    ],
)
def test_the_play_has_the_lines_of_the_text(
    solution: Solution, play: ShownPlay
) -> None:
    lines = [line.text.strip() for line in play.lines()]
    shown = Page(encode_answer(solution, play))
    assert shown.play == [line for line in lines if line]
    assert len(shown.play) > 1


def test_each_move_has_the_moves_that_lead_to_it() -> None:
    moves = page(ROOK_FOUND, ROOK_PLAY).attributes("span")
    paths = [move["data-path"] for move in moves if "data-path" in move]
    assert paths == [
        *("a2a8", "a2a8 g1h2", "a2a8 g1h2 a8a1"),
        *("a2a8 g1f1", "a2a8 g1f1 a8a1", "a2a7"),
    ]


@pytest.mark.browser
def test_only_a_page_whose_play_folds_has_buttons_to_fold_it(look: Look) -> None:
    live = look(encode_answer(ROOK_FOUND, ROOK_TREE))
    assert live.page.locator("#tree-unfold:visible").count() == 1
    live.page.click("#tree-unfold")
    assert live.page.locator("#tree-play details:not([open])").count() == 0
    live.page.click("#tree-fold")
    assert live.page.locator("#tree-play details[open]").count() == 0
    live = look(encode_answer(SMOTHERED, tree(SMOTHERED)))
    assert live.page.locator("#tree-unfold:visible").count() == 0


def branching(moves: int) -> tuple[Solution, Variations]:
    """Kings that go to and fro for a number of moves, with a choice each time."""
    steps = ["a1b1", "h8g8", "b1a1", "g8h8"]
    first = attack_of(steps[0], moves - 1)
    attack = first
    for move in range(1, moves):
        reply, answer = steps[2 * move % 4 - 1], steps[2 * move % 4]
        other = "h8h7" if reply == "h8g8" else "g8f8"
        following = attack_of(answer, moves - move - 1)
        attack["defences"] = [
            defence_of(reply, [following]),
            defence_of(other, [attack_of("a2a3", 0)]),
        ]
        attack = following
    problem = Problem("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    return Solution(problem, Status.FOUND, moves, 1), Variations(
        Stipulation.parse(f"#{moves}"), problem.fen, keys=(first,)
    )


def test_the_longest_mates_can_be_shown_and_the_mainline_is_open() -> None:
    shown = page(*branching(200))
    unfolded = shown.attributes("details")[1:]
    assert len(unfolded) == 199
    assert all("open" in attributes for attributes in unfolded)


def test_only_the_mainline_is_open() -> None:
    replies = [defence_of(move, [attack_of("a7a1", 1)]) for move in ("g1f1", "g1h1")]
    deep = attack_of("a2a7", 2, defences=replies)
    shown = page(ROOK_FOUND, replace(ROOK_PLAY, keys=(ROOK_PLAY.keys[0], deep)))
    _, *lines = shown.attributes("details")
    assert ["open" in attributes for attributes in lines] == [True, False]


# In Chromium


class Look(Protocol):
    def __call__(
        self, data: bytes, *, record: dict[str, Any] | None = None, **options: Any
    ) -> Live: ...


@pytest.fixture
def look(chromium: Browser, tmp_path: Path) -> Iterator[Look]:
    """Opens a page, with changes of its record; it must report nothing."""
    openers: list[Opener] = []

    def look(
        data: bytes, *, record: dict[str, Any] | None = None, **options: Any
    ) -> Live:
        if record is not None:
            content = data_of(data)
            content["records"][0] |= record
            text = json.dumps(content).replace("<", "\\u003c").replace("\\", r"\\")
            options["replaced"] = ('(id="data">)[^<]*', rf"\g<1>{text}")
        openers.append(Opener(chromium, data, tmp_path))
        return openers[-1].open(**options)

    yield look
    for opener in openers:
        opener.close()
        assert opener.messages == []


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
def test_moves_of_the_play_are_followed(look: Look) -> None:
    live = look(encode_answer(ROOK_FOUND, ROOK_TREE))
    assert followed(live, live.page.locator("#tree-play .move"), ROOK.fen) == [
        *("1.Ra8!", "1...Kh2", "2.Ra1", "1...Kf1", "2.Ra1#", "1.Ra7!"),
    ]


@pytest.mark.browser
def test_the_main_line_and_the_claimed_line_are_played(look: Look) -> None:
    live = look(
        encode_answer(SMOTHERED, tree(SMOTHERED, SMOTHERED_PLAY)),
        record={
            "verdict": "proved",
            "claimed_line": ["c4c7", "h8g8", "0000"],
            "claimed_keys": ["c4g8", "h6f7"],
            "wrong_keys": ["h6f7"],
            "disagreements": ["wrong-key"],
        },
    )
    fen = SMOTHERED.problem.fen
    line = live.page.locator("#answer-line .move")
    assert followed(live, line, fen) == ["1.Qg8+", "Rxg8", "2.Nf7#"]
    claimed = live.page.locator("#answer-claim .move")
    assert followed(live, claimed, fen) == [
        *("c4g8", "h6f7?"),
        *("1.c4c7", "h8g8", "2.0000"),
    ]
    assert "wrong-key" in live.page.inner_text("#answer-claim")


@pytest.mark.browser
def test_arrow_keys_and_buttons_follow_the_line(look: Look) -> None:
    live = look(encode_answer(SMOTHERED, tree(SMOTHERED, SMOTHERED_PLAY)))
    fen = SMOTHERED.problem.fen
    paths = ["", "c4g8", "c4g8 f8g8", "c4g8 f8g8 h6f7"]
    for path in paths[1:]:
        live.page.keyboard.press("ArrowRight")
        assert board_of(live) == after(fen, path)
    assert live.page.is_disabled("#board-forward")
    assert live.page.inner_text("#board-moves") == "2.Nf7#"
    assert live.page.locator(".board-check").count() == 1
    live.page.keyboard.press("ArrowLeft")
    live.page.click("#board-back")
    assert board_of(live) == after(fen, "c4g8")
    live.page.keyboard.press("Escape")
    assert board_of(live) == after(fen, "")
    live.page.click("#board-forward")
    assert board_of(live) == after(fen, "c4g8")


@pytest.mark.browser
def test_arrow_keys_go_down_the_play(look: Look) -> None:
    live = look(encode_answer(ROOK_FOUND, ROOK_TREE))
    live.page.locator("#tree-play .move").first.click()
    for path in ("a2a8 g1h2", "a2a8 g1h2 a8a1", "a2a8 g1f1", "a2a8 g1f1 a8a1", "a2a7"):
        live.page.keyboard.press("ArrowRight")
        assert board_of(live) == after(ROOK.fen, path)


@pytest.mark.browser
def test_moves_that_are_none_leave_the_pieces(look: Look) -> None:
    line = ["c4g8", '"]', "banana", "z9z9q", "</b>"]
    live = look(
        encode_answer(SMOTHERED, tree(SMOTHERED)), record={"claimed_line": line}
    )
    for move in live.page.locator("#answer-claim .move").all():
        move.click()
        assert (
            board_of(live).split()[0] == after(SMOTHERED.problem.fen, "c4g8").split()[0]
        )
    live.page.keyboard.press("Escape")
    assert board_of(live) == SMOTHERED.problem.fen


def random_games(count: int) -> Iterator[tuple[str, list[str], str]]:
    """Games of random moves and passes, with the positions after them."""
    chance = random.Random(30)
    starts = [chess.STARTING_FEN, "r3k2r/P6P/8/pPpP4/3p4/8/P1P4p/R3K2R w KQkq c6 0 9"]
    for number in range(count):
        board = chess.Board(starts[number % len(starts)])
        start = board.fen(en_passant="fen")
        while not board.is_game_over() and len(board.move_stack) < 120:
            moves = [*board.legal_moves]
            special = [
                move
                for move in moves
                if move.promotion
                or board.is_castling(move)
                or board.is_en_passant(move)
            ]
            board.push(chance.choice(special or moves))
            if not board.is_check() and chance.random() < 0.05:
                board.push(chess.Move.null())
        yield (
            start,
            [*map(chess.Move.uci, board.move_stack)],
            board.fen(en_passant="fen"),
        )


@pytest.mark.browser
def test_positions_after_moves_are_those_of_python_chess(look: Look) -> None:
    games = [*random_games(200)]
    live = look(encode_answer(SMOTHERED, tree(SMOTHERED)))
    play = "(games) => games.map(([fen, moves]) => played(fen, moves))"
    found = live.page.evaluate(play, [game[:2] for game in games])
    assert found == [game[2] for game in games]


@pytest.mark.browser
@pytest.mark.parametrize("solution", [SMOTHERED_BY_BLACK, MATED, ROOK_UNDECIDED])
def test_an_answer_without_play_has_a_board(look: Look, solution: Solution) -> None:
    live = look(encode_answer(solution, tree(solution)))
    assert board_of(live) == solution.problem.fen
    assert not live.page.is_visible("#tree-panel")


@pytest.mark.browser
def test_many_keys_are_a_list_with_six_arrows(look: Look) -> None:
    keys = (*(f"a2{file}2" for file in "bcdefgh"), "a2a8")
    many = replace(ROOK_FOUND, keys=keys, keys_complete=True)
    live = look(encode_answer(many, tree(many)))
    assert live.page.locator(".board-arrow").count() == 6
    assert live.page.locator("#answer-keys .move").count() == 8
    assert live.page.inner_text("#answer-keys").startswith("All 8 keys: ")


@pytest.mark.browser
def test_the_solutions_of_help_play_are_followed(look: Look) -> None:
    live = look(encode_answer(HELP, ShownSolutions(HELP)))
    moves = live.page.locator("#tree-play .move")
    assert followed(live, moves, HELP_PROBLEM.fen) == ["1...Rg1#", "1...Rh1#"]
    assert not live.page.is_visible("#answer-solutions")


@pytest.mark.browser
def test_names_are_text(look: Look) -> None:
    problem = replace(SMOTHERED.problem, id=HOSTILE, source=f"'{HOSTILE}\":7")
    solution = replace(SMOTHERED, problem=problem)
    live = look(encode_answer(solution, tree(solution, SMOTHERED_PLAY)))
    assert live.page.title() == HOSTILE
    assert live.page.locator("#answer-title bdi").all_inner_texts()[0] == HOSTILE
    assert live.page.locator("main :is(b, img, script)").count() == 0
    assert f"{HOSTILE}, '{HOSTILE}\":7, #2 (3+4)" in live.page.inner_text("#answer")


@pytest.mark.browser
@pytest.mark.parametrize("schema", [2, None])
def test_a_record_of_another_schema_is_refused_in_a_line(
    look: Look, schema: int | None
) -> None:
    live = look(encode_answer(SMOTHERED, tree(SMOTHERED)), record={"schema": schema})
    words = f"expected a record of schema 1, found {json.dumps(schema)}"
    assert live.headline == f"This page cannot be read: {words}"


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_fits_its_window_and_paper(look: Look, *, scripts: bool) -> None:
    live = look(encode_answer(ROOK_FOUND, ROOK_TREE), java_script_enabled=scripts)
    wide = "document.documentElement.scrollWidth"
    for width in (1280, 390):
        live.page.set_viewport_size({"width": width, "height": 800})
        live.page.emulate_media(media="screen")
        assert live.page.evaluate(wide) <= width
        shown = live.page.inner_text("main")
        assert "1...Kf1 2.Ra1# (ideal)" in shown
        assert ROOK.fen in shown
        assert ("Forward" in shown) == scripts
        live.page.emulate_media(media="print")
        assert live.page.evaluate(wide) <= width
        assert live.page.locator("#board use, .board-piece").count() >= 3
        assert not live.page.is_visible("#board-tools")


@pytest.mark.browser
def test_a_page_without_the_search_does_not_offer_it(look: Look) -> None:
    live = look(encode_answer(SMOTHERED, tree(SMOTHERED)))
    assert not live.page.is_visible("#answer-search")
    assert not live.page.is_visible("#answer-solve")
    assert live.page.is_visible("#answer-popeye")  # which the program has written


@pytest.fixture(scope="module")
def solving_page(kernel: object) -> bytes:  # noqa: ARG001
    from solver.kernel.border.parts import SEARCH
    from solver.kernel.build.loader import load_module

    modules = {SEARCH.name: load_module(SEARCH).code}
    return encode_answer(ROOK_FOUND, ROOK_TREE, modules)


@pytest.mark.browser
def test_a_page_with_the_search_solves_and_shows_the_record_again(
    look: Look, solving_page: bytes
) -> None:
    live = look(solving_page)
    assert live.headline == "White mates in 3."
    live.page.click("#tree-show")
    live.page.wait_for_selector("#tree-play > ul")
    followed(live, live.page.locator("#tree-play .move:visible"), ROOK.fen)
    live.page.keyboard.press("Escape")
    live.page.click("#answer-solve")
    live.wait(fen=ROOK.fen)
    live.until("answer.dataset.lower === '3'")
    assert live.headline == "White mates in 3."
    proof = live.page.inner_text("#answer-proof")
    assert proof == "Proved: mate in 3 is forced, and none is shorter."
    live.page.click("#answer-solve")
    assert live.headline == "White mates in 3."


@pytest.mark.browser
def test_arrow_keys_reach_every_row_of_the_play_and_enter_unfolds_it(
    look: Look, solving_page: bytes
) -> None:
    page = look(solving_page).page
    page.click("#tree-show")
    page.wait_for_selector("#tree-play > ul")
    page.click("#tree-fold")
    page.focus("#tree-play summary >> nth=0")
    reached = []
    for key in ("Enter", "ArrowDown", "Enter", *["ArrowDown"] * 2, *["ArrowUp"] * 2):
        page.keyboard.press(key)
        focused = page.locator(":focus")
        reached.append(focused.get_attribute("aria-label") or focused.inner_text())
    fold, move = "Play after 1...Kh1", "1...Kf1"
    assert reached == ["Set play (2)", fold, fold, move, "Tries (6)", move, fold]
    assert page.locator("#tree-play details[open]").count() == 2


@pytest.mark.browser
def test_without_webassembly_a_page_shows_all_but_solves_nothing(
    look: Look, solving_page: bytes
) -> None:
    live = look(solving_page, before="delete globalThis.WebAssembly")
    assert "does not run WebAssembly" in live.page.inner_text("#answer-note")
    moves = live.page.locator("#tree-play .move")
    assert len(followed(live, moves, ROOK.fen)) == 6


@pytest.mark.browser
@pytest.mark.parametrize(
    ("solution", "words"),
    [
        (ROOK_DISPROVED, "# (2+1)"),
        (ROOK_UNDECIDED, "the node limit"),
        (MATED, "# (3+4)"),
        (
            replace(ROOK_DISPROVED, restriction=Restriction(replies=2)),
            "Restricted: at most 2 replies.",
        ),
        (ROOK_BY_TABLE, "Gaviota"),
    ],
)
def test_every_kind_of_answer_has_its_words(
    look: Look, solution: Solution, words: str
) -> None:
    live = look(encode_answer(solution, tree(solution)))
    assert live.headline == say("headline", facts(solution))
    assert words in live.page.inner_text("#answer")


@pytest.mark.browser
def test_paper_has_the_folded_lines_too(look: Look) -> None:
    replies = [defence_of(move, [attack_of("a7a1", 1)]) for move in ("g1f1", "g1h1")]
    deep = attack_of("a2a7", 2, defences=replies)
    play = replace(ROOK_PLAY, keys=(ROOK_PLAY.keys[0], deep))
    live = look(encode_answer(ROOK_FOUND, tree(ROOK_FOUND, play)))
    folded = live.page.locator("#tree-play details:not([open]) .leaf .move")
    assert folded.count() >= 2
    assert not folded.first.is_visible()
    live.page.emulate_media(media="print")
    assert folded.first.is_visible()
