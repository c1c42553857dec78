"""The live board: set up, watch, play and count, as a user does in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from solver import Limits, Status, solve
from tests.pages.live import COPIED, NARROW, PATIENCE_MS, needs_chromium
from tests.pages.records import HOSTILE

if TYPE_CHECKING:
    from tests.pages.live import Live, Opener

pytestmark = pytest.mark.browser

PUZZLES = Path(__file__).parents[2] / "puzzles"
GOALS = ("#", "exact-#", "=", "s#", "s=", "r#", "r=", "semi-r#", "semi-r=")

REST_MS = 300

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
NO_KING = "8/8/8/8/8/5K2/R7/8 w - - 0 1"
"""An illegal position, opened first, keeps the table empty, as that of `solve` is."""
LONG = "8/8/8/8/1p6/1P1k4/P7/K6R w - - 0 1"
FOUND = "8/8/8/8/2p1b3/p6p/P5Rr/k3K2R w K - 0 1"
"""A mate is found long before it is proved."""
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"


def test_the_page_solves_what_it_is_opened_with(live: Opener) -> None:
    board = live.open(ROOK)
    board.wait()
    assert board.headline == "White mates in 8."
    assert board.page.inner_text("#answer-keys") == "Only key: Kg6"
    assert (board.answer("mate"), board.answer("lower")) == ("8", "8")
    solution = solve(ROOK)
    assert board.answer("nodes") == str(solution.stats.nodes)
    assert board.page.inner_text("#answer-line").split() == [
        *_numbered(solution.pv_san),
    ]


def _numbered(line: tuple[str, ...]) -> list[str]:
    return [
        f"{ply // 2 + 1}.{san}" if ply % 2 == 0 else san for ply, san in enumerate(line)
    ]


def test_a_link_opens_its_position(live: Opener) -> None:
    board = live.open("8/8/8/8/8/5KR1/8/7k w - - 0 1")
    board.wait()
    assert board.answer("mate") == "3"


def test_a_moved_piece_is_searched_at_once(live: Opener) -> None:
    board = live.open("7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    board.wait()
    board.drag("f6", "f7")
    board.page.wait_for_selector('#answer[data-state="closed"][data-mate="-1"]')
    assert board.fen == "7k/5K2/8/8/8/8/8/R7 b - - 1 1"
    assert board.headline == "Black is mated in 1."


def test_the_board_is_played_by_keyboard_alone(live: Opener) -> None:
    board = live.open("7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    board.wait()
    board.page.focus('[data-square][tabindex="0"]')
    for _ in range(8):
        board.page.keyboard.press("ArrowLeft")
        board.page.keyboard.press("ArrowDown")
    for key in [*["ArrowRight"] * 5, *["ArrowUp"] * 5, "Enter", "ArrowUp", "Enter"]:
        board.page.keyboard.press(key)
    board.page.wait_for_selector('#answer[data-state="closed"][data-mate="-1"]')
    assert board.fen == "7k/5K2/8/8/8/8/8/R7 b - - 1 1"


def test_a_fen_that_is_being_typed_is_not_overwritten(live: Opener) -> None:
    board = live.open("7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    board.page.fill("#setup-fen", ROOK)
    board.wait()
    assert board.fen == ROOK
    board.page.press("#setup-fen", "Enter")
    board.wait(fen=ROOK)


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        (NO_KING, "black king"),
        ("7k/8/8/8/8/5K2/8/7R w - - 0 1", "check"),
        ("https://lichess.org/analysis/chess960/7k/8/8/8/8/5K2/R7/8", "address"),
    ],
)
def test_an_illegal_position_says_what_is_wrong(
    live: Opener, fen: str, words: str
) -> None:
    board = live.open()
    board.wait()
    board.type_fen(fen)
    board.wait("error")
    assert words in board.page.inner_text("#setup-fault").lower()
    board.page.click("#tree-show")
    board.page.click("#answer-json")
    assert board.page.inner_text("#answer-note") == "There is nothing to copy yet."
    board.type_fen(ROOK)
    board.wait(fen=ROOK)
    assert board.page.inner_text("#setup-fault") == ""


def test_a_text_is_repaired_in_the_field_and_in_a_link(live: Opener) -> None:
    queen, mated = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "7k/6Q1/5K2/8/8/8/8/8 b - - 1 1"
    board = live.open(f"https://lichess.org/analysis/{queen[:-10]} w KQ")
    board.wait(fen=queen)
    said = board.page.inner_text("#setup-fault")
    assert said.startswith("Repaired: expected a FEN of 1, 2, 4 or 6 fields; castling")
    assert board.page.get_attribute("#setup-fen", "aria-invalid") == "false"
    for text, fen in (
        (f"fen {queen} moves Qg7", mated),
        (f'"{ROOK}"', ROOK),
        (f'[FEN "{queen}"] 1. Qg7# 1-0', mated),
    ):
        board.type_fen(text)
        board.wait(fen=fen)
        assert (board.fen, board.page.inner_text("#setup-fault")) == (fen, "")
    board.type_fen("n/6k1/8")
    board.wait("error")
    assert board.fen == "n/6k1/8"
    board.page.click("#setup-toggle")
    board.page.click("#setup-undo")
    board.wait(fen=mated)
    board.page.click("#setup-undo")
    board.wait(fen=ROOK)


def test_a_search_stops_and_goes_on(live: Opener) -> None:
    board = live.open(LONG)
    board.wait("searching")
    board.until("Number(answer.dataset.nodes) > 0")
    board.page.click("#answer-stop")
    board.wait("stopped")
    nodes = at_rest(board)
    board.page.click("#answer-stop:text-is('Go on')")
    board.until(f"Number(answer.dataset.nodes) > {nodes}")


def at_rest(board: Live) -> str:
    """Wait until the nodes stay as they are; reports may still be on their way."""
    nodes = board.answer("nodes")
    for _ in range(PATIENCE_MS // REST_MS):
        board.page.wait_for_timeout(REST_MS)
        before, nodes = nodes, board.answer("nodes")
        if nodes == before:
            return nodes
    raise AssertionError(nodes)


def test_a_browser_that_cannot_suspend_begins_anew(live: Opener) -> None:
    without = "delete WebAssembly.Suspending;"
    board = live.open(
        LONG,
        before=without,
        replaced=('(<script type="text/plain" id="worker">)', rf"\1{without}"),
    )
    board.until("Number(answer.dataset.lower) > 1")
    board.page.click("#answer-stop")
    board.wait("stopped")
    board.page.click("#answer-stop:text-is('Go on')")
    board.wait("searching")
    board.type_fen(ROOK)
    board.wait(fen=ROOK)
    assert board.answer("mate") == "8"


@needs_chromium("silence about a worker that is ended")
def test_a_worker_that_does_not_listen_is_replaced(live: Opener) -> None:
    deaf = (r"REPORT_NODES = \d[\d_]*;", "REPORT_NODES = 2 ** 50;")
    board = live.open(LONG, replaced=deaf)
    board.until("Number(answer.dataset.lower) > 1")
    board.type_fen(ROOK)
    board.wait(fen=ROOK)
    assert board.answer("mate") == "8"


def test_a_node_limit_ends_the_search(live: Opener) -> None:
    board = live.open(NO_KING)  # the table stays empty
    board.page.fill("#answer-nodes", "0.06")
    board.page.press("#answer-nodes", "Enter")
    board.type_fen(ROOK)
    board.wait("stopped", ROOK)
    bound = solve(ROOK, Limits(nodes=60_000)).lower_bound
    proof = board.page.inner_text("#answer-proof")
    assert proof == (
        f"Proved: no mate in {bound - 1} or fewer moves. Stopped by the node limit."
    )


def test_another_first_move_is_refuted_or_takes_longer(live: Opener) -> None:
    board = live.open("7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    board.wait()
    board.page.click("#answer-first summary")
    board.page.click("#answer-first-moves button:text-is('Ra2')")
    text = "refuted by Kg8, Kh7: no mate in 2; mate in 3"
    board.page.wait_for_selector(f"#answer-first-answer:has-text('{text}')")


def test_a_first_move_is_asked_for_while_the_search_runs(live: Opener) -> None:
    board = live.open(LONG)
    board.until("Number(answer.dataset.nodes) > 0")
    board.page.click("#answer-first summary")
    board.page.click("#answer-first-moves button:text-is('Rh3+')")
    board.page.wait_for_selector("#answer-first-answer:has-text('no mate in fewer')")
    assert board.answer("state") == "stopped"


def test_a_line_is_followed_without_another_question(live: Opener) -> None:
    board = live.open()
    board.solve("8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - - 0 1", "s#2")
    board.page.wait_for_selector("#tree-panel .move:text-is('1...Kf2')")
    before = board.page.inner_text("#answer"), board.fen
    board.page.click("#tree-panel .move:text-is('1...Kf2')")
    board.page.wait_for_selector('[data-square="f2"][aria-label*="black king"]')
    assert (board.page.inner_text("#answer"), board.fen) == before
    assert board.page.inner_text("#board-moves") == "1...Kf2"


def test_back_returns_to_what_was_asked_before_a_move(live: Opener) -> None:
    board = live.open("7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    board.wait()
    before = board.page.inner_text("#answer"), board.fen
    board.drag("f6", "f7")
    board.page.wait_for_selector('#answer[data-state="closed"][data-mate="-1"]')
    board.page.click("#board-back")
    assert (board.page.inner_text("#answer"), board.fen) == before


def test_looking_for_the_play_can_be_stopped(live: Opener) -> None:
    answers = (solve(FOUND, Limits(nodes=k * 100_000)) for k in range(1, 30))
    found = next(answer for answer in answers if answer.status is Status.FOUND)
    board = live.open(NO_KING)  # the table stays empty
    board.page.fill("#answer-nodes", f"{found.stats.nodes / 1e6:.1f}")
    board.page.press("#answer-nodes", "Enter")
    board.type_fen(FOUND)
    board.wait("stopped", FOUND)
    assert board.answer("mate") == str(found.mate)
    assert board.answer("lower") == str(found.lower_bound)
    board.page.click("#tree-show")
    board.page.wait_for_selector("#tree-panel:has-text('nodes')")
    board.page.click("#tree-show:text-is('Stop')")
    board.page.wait_for_selector("#tree-show:text-is('Show the play')")
    assert "solving" not in board.page.inner_text("#tree-panel")


def test_help_play_goes_on_after_each_move(live: Opener) -> None:
    board = live.open()
    board.solve("8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1", "h#2")
    assert board.headline == "Helpmate in 2: 1 solution."
    line = board.page.inner_text("#answer-solutions")
    assert line.split() == ["1.Rc1", "Rf2", "2.Rg1", "Rh2#"]
    board.drag("c6", "c1")
    board.until("answer.dataset.fen.includes(' w ')")
    board.wait()
    assert board.headline == "Helpmate in 1.5: 1 solution."
    line = board.page.inner_text("#answer-solutions")
    assert line.split() == ["1...Rf2", "2.Rg1", "Rh2#"]


QUEUED = """
async ([long, short]) => {
  const engine = viewer.engine(1 << 26);
  const stipulation = { ...pageData.stipulations[0], moves: null };
  const asked = { moves: [], stipulation, nodes: null };
  const ask = (fen) => engine.ask("search", { ...asked, fen });
  const ended = [ask(long), ask(long)].map((each) => each.catch((error) => error));
  await new Promise((resolve) => setTimeout(resolve, 300));
  engine.stop();
  const { mate } = await ask(short);
  const errors = await Promise.all(ended);
  return [mate, ...errors.map((error) => error instanceof Cancelled)];
}
"""


def test_questions_that_were_taken_back_are_not_searched(live: Opener) -> None:
    board = live.open()
    board.wait()
    assert board.page.evaluate(QUEUED, [LONG, ROOK]) == [8, True, True]


CUT_SHORT = """
async (fen) => {
  const layout = { ...pageData.layout, noLimit: "10" };
  const script = element("worker").textContent;
  const engine = pageEngines({ ...pageData, layout }, script)(1 << 26);
  const stipulation = { ...pageData.stipulations[0], moves: 6 };
  const question = { fen, line: [], stipulation, tries: 1, most: 1000 };
  return engine.ask("play", question).catch(String);
}
"""


def test_a_list_of_moves_that_was_cut_short_is_no_answer(live: Opener) -> None:
    board = live.open()
    board.wait()
    assert "cut short" in board.page.evaluate(CUT_SHORT, LONG)


@pytest.mark.parametrize(
    ("fen", "goal", "moves", "mate"),
    [
        ("8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - - 0 1", "s#", "2", "2"),
        ("8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1", "h#", "2", "2"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", "exact-#", "3", "3"),
    ],
)
def test_other_stipulations_load_their_part(
    live: Opener, fen: str, goal: str, moves: str, mate: str
) -> None:
    board = live.open()
    board.solve(fen, goal + moves)
    assert board.answer("mate") == mate


@pytest.mark.parametrize(
    ("name", "length", "words"),
    [
        ("=", "0", "=: expected 1 to 200 whole moves, found 0"),
        ("=", "2.5", "=: expected 1 to 200 whole moves, found 2.5"),
        ("h#", "2.3", "h#: expected 0.5 to 200 moves, in steps of 0.5, found 2.3"),
    ],
)
def test_a_length_that_cannot_be_searched_is_refused(
    live: Opener, name: str, length: str, words: str
) -> None:
    board = live.open()
    board.wait()
    board.find(name + length)
    board.wait("error")
    assert board.headline == words
    assert board.page.inner_text("#tree-play") == ""
    board.page.click("#answer-json")
    assert board.page.inner_text("#answer-note") == "There is nothing to copy yet."


@pytest.mark.parametrize(("length", "side"), [("2", "Black"), ("1.5", "White")])
def test_help_play_of_pieces_alone_begins_with_the_side_of_composers(
    live: Opener, length: str, side: str
) -> None:
    board = live.open()
    board.find(f"h#{length}")
    board.type_fen("8/5K2/2r5/7p/5R2/6B1/8/7k")
    board.wait()
    assert board.page.inner_text("#board-side") == f"{side} to move (3+3)"


def test_a_link_has_the_stipulation(live: Opener) -> None:
    board = live.open(before=COPIED)
    board.solve(TWO_MOVER, "s#2")
    before = board.page.inner_text("#answer")
    board.page.click("#setup-copy-link")
    link = board.page.evaluate("globalThis.copied")
    assert link.endswith("&find=s%232")
    board.page.goto("about:blank")
    board.page.goto(link)
    board.wait()
    assert without_cost(board.page.inner_text("#answer")) == without_cost(before)


def without_cost(text: str) -> list[str]:
    return [line for line in text.splitlines() if "nodes in" not in line]


def test_a_diagram_has_a_caption_and_its_solution_only_on_demand(live: Opener) -> None:
    board = live.open(before=COPIED)
    board.solve(TWO_MOVER, "#2")

    def diagram() -> str:
        board.page.click("#setup-copy-svg")
        return str(board.page.evaluate("globalThis.copied"))

    assert ">#2 (6+10) C+</text>" in diagram()
    assert "board-arrow" not in diagram()
    assert 'fill="#b3926b"' in diagram()
    board.page.check("#setup-key")
    board.page.check("#setup-mono")
    assert "board-arrow" in diagram()
    assert 'fill="#b3926b"' not in diagram()


def test_a_long_play_is_listed_by_level_and_unfolded_on_demand(live: Opener) -> None:
    board = live.open("8/8/8/8/8/2K5/1R6/k7 w - - 0 1")
    board.wait()
    board.find("#4")
    board.wait()
    board.page.click("#tree-show")
    board.page.wait_for_selector("#tree-play li")
    assert "only the main line" in board.page.inner_text("#tree-status")
    board.page.click("#tree-unfold")
    board.page.wait_for_selector("#tree-play:not(:has(details:not([open])))")
    assert board.page.inner_text("#tree-status") == ""


def test_without_webassembly_positions_can_be_set_up(live: Opener) -> None:
    board = live.open(before="delete globalThis.WebAssembly")
    board.wait("error")
    assert "WebAssembly" in board.headline
    assert board.page.locator('[data-square="h8"]').count() == 1


def test_a_table_that_is_too_large_falls_back_and_says_so(live: Opener) -> None:
    board = live.open(replaced=(r'"tableBytes": ?\d+', f'"tableBytes": {1 << 33}'))
    board.wait()
    assert board.answer("mate") == "2"
    assert "did not give 8192" in board.page.inner_text("#answer-note")


def test_a_worker_that_dies_is_started_again(live: Opener) -> None:
    board = live.open()
    board.wait()
    crash = r"self.onmessage = ({ data }) => {"
    board = live.open(
        replaced=(
            r"self\.onmessage = \(\{ data \}\) => \{",
            crash + " if (data.name === 'search' && data.job === 1) throw data.name;",
        )
    )
    board.wait()
    assert board.answer("mate") == "2"
    assert "started again" in board.page.inner_text("#answer-note")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_on_a_phone(live: Opener, scheme: str) -> None:
    board = live.open(viewport=NARROW, color_scheme=scheme, has_touch=True)
    board.wait()
    assert board.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_live_board_has_landmarks_for_screen_readers(live: Opener) -> None:
    board = live.open()
    board.wait()
    king = board.page.get_by_label("f6, white king")
    assert king.count() == 1
    unnamed = board.page.evaluate(
        """[...document.querySelectorAll("button, input, select")].filter(
             (e) => !e.closest("[hidden]") && !(e.textContent.trim() || e.ariaLabel ||
               e.labels?.length || e.getAttribute("aria-labelledby"))).length"""
    )
    assert unnamed == 0


def test_what_a_link_calls_a_position_is_text(live: Opener) -> None:
    board = live.open(quote(HOSTILE))
    board.wait("error")
    assert board.fen == HOSTILE
    assert board.page.locator("main :is(b, img, script)").count() == 0
    assert board.page.title() == "matesolve: live board"
