"""A composer at the live board: texts, links, twins, names, copies, a phone."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import chess
import chess.pgn
import pytest

from solver import Problem, solve
from solver.formats.claims import FileSummary
from solver.formats.popeye import read_popeye
from solver.problem import Stipulation
from tests.pages.live import COPIED
from tests.sizes import sized

if TYPE_CHECKING:
    from tests.pages.live import Live, Opener

pytestmark = pytest.mark.browser

ROOK = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
MATE_IN_2 = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
HELP = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"
PHONE = {"width": 390, "height": 844}

IS_AT_REST = "!['searching', 'reading'].includes(viewer.state.doing)"

PASTE = """([id, text]) => {
  const field = document.getElementById(id);
  field.focus();
  field.select();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, cancelable: true });
  if (field.dispatchEvent(event)) document.execCommand("insertText", false, text);
}"""


def paste(board: Live, text: str, field: str = "setup-fen") -> None:
    """Paste a text over what a field holds, as Ctrl-V does."""
    board.page.evaluate(PASTE, [field, text])


def copied(board: Live, button: str) -> str:
    """Press a button, and return what it copies; it says so."""
    board.page.evaluate("globalThis.copied = null")
    board.page.click(f"#{button}")
    board.until("globalThis.copied !== null")
    return str(board.page.evaluate("globalThis.copied"))


def said(board: Live) -> str:
    return board.page.inner_text("#setup-said")


# What the page is given


def test_a_pasted_position_is_searched_at_once_and_copied_by_the_next_click(
    live: Opener,
) -> None:
    board = live.open(before=COPIED)
    board.wait()
    paste(board, MATE_IN_2)
    board.page.click("#answer-pgn")  # the search may still run: then the page says so
    board.until(
        "globalThis.copied?.includes('5K2') || "
        "/nothing/i.test(element('answer-note').textContent)"
    )
    board.wait(fen=MATE_IN_2)
    assert f'[FEN "{MATE_IN_2}"]' in copied(board, "answer-pgn")
    assert board.page.inner_text("#answer-note") == "Copied: the PGN of the problem."


def test_each_letter_that_is_typed_counts(live: Opener) -> None:
    board = live.open(ROOK)
    board.wait()
    field = board.page.locator("#setup-fen")
    field.fill("")
    field.press_sequentially(MATE_IN_2)
    board.wait(fen=MATE_IN_2)
    assert board.fen == MATE_IN_2
    board.page.click("#setup-toggle")
    board.page.click("#setup-undo")  # the whole text is one step
    board.wait(fen=ROOK)


@pytest.mark.parametrize(
    ("find", "headline"),
    [
        ("#2", "White mates in 2."),
        ("2", "White mates in 2."),
        ("#", "White mates in 2."),
        (" # 2 ", "White mates in 2."),
        ("S#1", "No selfmate in 1 move."),
        ("h#1½", "Helpmate in 1.5: 2 solutions."),
        ("=", "=: expected 1 to 200 whole moves, found none"),
        *(
            (
                text,
                "Expected #2, s#3, r#2, h#2.5 or another stipulation of the list, "
                f"found {text}",
            )
            for text in ("ser-h#3", "z#3", "#x", "mate")
        ),
    ],
)
def test_a_stipulation_is_typed_as_one_text(
    live: Opener, find: str, headline: str
) -> None:
    board = live.open(MATE_IN_2)
    board.wait()
    board.find(find)
    board.until(f"answer.dataset.fen === '{MATE_IN_2}' || viewer.state.fault")
    board.until(IS_AT_REST)
    assert board.headline == headline
    linked = live.open(f"{MATE_IN_2}&find={quote(find)}")
    linked.until("viewer.state.asked !== null")
    linked.until(IS_AT_REST)
    assert linked.headline == headline


def test_the_list_of_stipulations_names_them_in_words(live: Opener) -> None:
    board = live.open(MATE_IN_2)
    board.wait()
    names = board.page.locator("#answer-stipulation option").all_inner_texts()
    assert len(names) == 13
    assert {"mate #", "selfmate s#", "helpstalemate h="} <= {*names}
    board.page.select_option("#answer-stipulation", label="selfmate s#")
    board.wait()
    assert board.page.input_value("#answer-find") == "s#2"
    board.find("r#1")
    board.wait()
    assert board.page.input_value("#answer-stipulation") == "r#"


def test_the_page_reads_each_of_its_own_copies(live: Opener) -> None:
    board = live.open(
        f"{TWO_MOVER}&find=%232&title=One&author=Two&origin=Three", before=COPIED
    )
    board.wait()
    texts = {
        name: copied(board, name)
        for name in (
            *("setup-copy-fen", "setup-copy-link", "setup-copy-svg"),
            *("setup-copy-input", "answer-json", "answer-pgn", "answer-popeye"),
        )
    }
    names = ("title", "author", "origin")
    for name, text in texts.items():
        paste(board, ROOK)
        board.wait(fen=ROOK)
        for each in names:
            assert board.page.input_value(f"#setup-{each}") == ""
        paste(board, text)
        board.wait(fen=TWO_MOVER)
        assert board.page.input_value("#answer-find") == "#2", name
        shown = [board.page.input_value(f"#setup-{each}") for each in names]
        assert shown == ["One", "Two", "Three"] or name in (
            *("setup-copy-fen", "setup-copy-svg", "answer-popeye"),
        )


def test_a_file_of_another_format_names_the_command_that_reads_it(live: Opener) -> None:
    board = live.open()
    board.wait()
    board.page.set_input_files(
        "#setup-file", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"Ka1"}
    )
    board.until("element('setup-fault').textContent")
    said = board.page.inner_text("#setup-fault")
    assert said == 'a.txt: no FEN found; "matesolve board FILE" reads other formats'


# What is copied


def test_beside_the_board_and_in_copies_stands_the_position_shown_or_the_problem(
    live: Opener,
) -> None:
    board = live.open(f"{MATE_IN_2}&find=%232", before=COPIED)
    board.wait()
    board.page.click("#answer-line .move >> nth=0")
    after = chess.Board(MATE_IN_2)
    after.push_san(solve(MATE_IN_2).pv_san[0])
    board.until(f"viewer.state.here.fen.startsWith('{after.board_fen()} b')")
    assert board.page.inner_text("#board-side") == "Black to move (2+1)"
    for of, fen in (("problem", MATE_IN_2), ("shown", after.fen())):
        board.page.select_option("#setup-of", of)
        assert copied(board, "setup-copy-fen") == fen
        assert said(board).endswith(
            "FEN of the problem." if of == "problem" else "FEN of the position shown."
        )
        link = parse_qs(urlsplit(copied(board, "setup-copy-link")).fragment)
        assert link == {"fen": [fen]} | ({"find": ["#2"]} if of == "problem" else {})
        assert f"<title>{fen}</title>" in copied(board, "setup-copy-svg")
    assert board.fen == MATE_IN_2


def test_a_diagram_has_a_frame_and_the_length_that_was_proved(live: Opener) -> None:
    board = live.open(MATE_IN_2, before=COPIED)
    board.wait()
    board.page.check("#setup-mono")
    drawing = copied(board, "setup-copy-svg")
    assert ">#2 (2+1)" in drawing
    assert 'stroke="#000"' in drawing


def test_a_position_that_cannot_be_read_is_not_copied(live: Opener) -> None:
    board = live.open(before=COPIED)
    board.wait()
    board.type_fen("n/6k1/8")
    board.wait("error")
    for name in ("fen", "link", "svg"):
        board.page.click(f"#setup-copy-{name}")
        assert said(board) == "Nothing is copied: the FEN is unreadable."
    assert board.page.evaluate("globalThis.copied") is None


# Compositions


def problems(text: str) -> list[Problem]:
    """Read Popeye's input as the program does."""
    lines = enumerate(text.encode().splitlines(keepends=True), 1)
    found = [*read_popeye(lines, FileSummary("x.inp"))]
    assert all(isinstance(each, Problem) for each in found), found
    return found  # type: ignore[return-value]


def asked(problem: Problem) -> tuple[str, str]:
    """The position without its counters, and the stipulation with its number."""
    moves = problem.claim.mate if problem.claim else 0
    stipulation = problem.stipulation.numbered(moves)
    return " ".join(problem.fen.split()[:4]), str(stipulation)


MOVED = HELP.replace("5R2", "4R3")
OTHER = "8/8/8/8/8/2K5/1R6/k7 w - - 0 1"


def test_twins_are_edited_one_by_one_and_kept_in_link_and_input(live: Opener) -> None:
    board = live.open(f"{HELP}&find=h%232&title=Twins", before=COPIED)
    board.wait()
    for fen, find in ((MOVED, "h#2"), (HELP, "h#1.5"), (OTHER, "#3")):
        board.page.click("#setup-add")
        board.find(find)
        paste(board, fen)
        board.wait(fen=fen)
    labels = board.page.locator("#setup-twins button").all_inner_texts()
    assert labels == ["a) h#2", "b) h#2", "c) h#1.5", "d) #3"]
    board.page.click("#setup-twins button >> nth=0")
    board.wait(fen=HELP)
    board.page.click("#setup-duplex")
    turned = HELP.replace(" b ", " w ")
    board.wait(fen=turned)
    twins = [
        *((HELP, "h#2"), (MOVED, "h#2"), (HELP, "h#1.5"), (OTHER, "#3")),
        (turned, "h#2"),
    ]
    written = copied(board, "setup-copy-input")
    assert [asked(each) for each in problems(written)] == [
        (fen.removesuffix(" 0 1"), find) for fen, find in twins
    ]
    link = copied(board, "setup-copy-link")
    for again in (link, written):
        paste(board, again)
        board.wait(fen=HELP)
        assert copied(board, "setup-copy-link") == link
    board.page.click("#setup-twins button >> nth=4")
    board.wait(fen=turned)
    board.page.click("#setup-remove")
    board.wait(fen=OTHER)
    assert board.page.locator("#setup-twins button").count() == 4


@sized("count", 12, 300)
def test_the_program_reads_the_input_for_popeye_that_the_page_writes(
    live: Opener, count: int
) -> None:
    board = live.open(before=COPIED)
    board.wait()
    order = random.Random(5)
    for _ in range(count):
        game = chess.Board()
        for _ in range(order.randrange(60)):
            game.push(order.choice([*game.legal_moves]))
            if game.is_game_over():
                game.pop()
                break
        twins = []
        for _ in range(order.randrange(1, 4)):
            piece = order.choice([*game.piece_map()])
            other = game.copy()
            if order.random() < 0.5:
                other.push(order.choice([*game.legal_moves]))
            elif game.piece_type_at(piece) != chess.KING:
                other.remove_piece_at(piece)
            if other.is_valid():
                find = order.choice(["#2", "s#3", "h#2", "h#2.5", "r#2", "=1"])
                twins.append((other.fen(en_passant="fen"), find))
        if not twins:
            continue
        found = board.page.evaluate(
            "(twins) => popeyeInput({ ...namesOf({ title: 'T' }), at: 0, twins })",
            [{"fen": fen, "find": find} for fen, find in twins],
        )
        read = [asked(each) for each in problems(found)]
        wanted = [(" ".join(fen.split()[:4]), find) for fen, find in twins]
        first = wanted[0]
        assert read == [each for n, each in enumerate(wanted) if not n or each != first]


def test_names_stay_with_the_position_and_are_in_every_copy(live: Opener) -> None:
    board = live.open(f"{TWO_MOVER}&find=%232", before=COPIED)
    board.wait()
    given = {"title": 'One "quoted"', "author": "Two", "origin": "Three 1900"}
    for name, text in given.items():
        board.page.fill(f"#setup-{name}", text)
    record = json.loads(copied(board, "answer-json"))
    assert {name: record[name] for name in given} == given
    headers = chess.pgn.read_headers(
        __import__("io").StringIO(copied(board, "answer-pgn"))
    )
    assert headers is not None
    tags = [headers[tag].replace('\\"', '"') for tag in ("Event", "White", "Site")]
    assert tags == [*given.values()]
    lines = copied(board, "answer-popeye").splitlines()
    assert [line.strip() for line in lines if line][:3] == [
        given["author"],
        given["origin"],
        given["title"],
    ]
    (problem,) = problems(copied(board, "setup-copy-input"))
    assert problem.id == given["title"]
    link = parse_qs(urlsplit(copied(board, "setup-copy-link")).fragment)
    assert {name: link[name] for name in given} == {k: [v] for k, v in given.items()}
    board.page.click("#setup-toggle")
    board.drag("c8", "b8")  # the composer's own change
    board.until("!viewer.state.asked.fen.startsWith('2b')")
    assert board.page.input_value("#setup-title") == given["title"]
    paste(board, ROOK)
    board.wait(fen=ROOK)
    assert board.page.input_value("#setup-title") == ""


def test_white_who_begins_a_helpmate_is_named_and_black_is_offered(
    live: Opener,
) -> None:
    board = live.open(f"{HELP.replace(' b ', ' w ')}&find=h%232")
    board.wait()
    assert "roles are exchanged" in board.page.inner_text("#answer-roles")
    board.page.click("#answer-turn:text-is('Let Black begin')")
    board.wait(fen=HELP)
    assert board.headline == "Helpmate in 2: 1 solution."
    assert board.page.is_hidden("#answer-roles")


def test_help_play_has_its_set_play(live: Opener) -> None:
    fen = "8/8/8/8/8/5K2/p4Q2/7k b - - 0 1"
    board = live.open(f"{fen}&find=h%231", before=COPIED)
    board.wait()
    board.page.click("#tree-show:text-is('Show the set play')")
    board.until("!viewer.state.doing")
    passed = chess.Board(fen)
    passed.push(chess.Move.null())
    found = solve(Problem(passed.fen(), stipulation=Stipulation.parse("h#0.5")))
    shown = json.loads(copied(board, "answer-json"))["play"]
    assert shown["set_play"] == [[*line] for line in found.solutions]
    assert shown["set_play_complete"]
    texts = board.page.locator("#tree-play .move").all_inner_texts()
    assert len(texts) == len(found.solutions)


# A phone


def test_ten_pieces_are_set_up_on_a_phone_without_scrolling(live: Opener) -> None:
    board = live.open(viewport=PHONE, has_touch=True)
    board.wait()
    board.page.tap("#setup-toggle")
    board.page.tap("#setup-clear")
    pieces = chess.Board("8/1p3Q2/4p1p1/3k4/8/2P1K3/5P2/R6B w - - 0 1").piece_map()
    tapped = ""
    for square, piece in sorted(pieces.items(), key=lambda each: each[1].symbol()):
        if piece.symbol() != tapped:
            tapped = piece.symbol()
            board.page.tap(f'[data-tool="{tapped}"]')
        board.page.tap(f'[data-square="{chess.square_name(square)}"]', force=True)
    board.page.tap('[name="turn"][value="b"]')
    assert board.fen.startswith("8/1p3Q2/4p1p1/3k4/8/2P1K3/5P2/R6B b")
    assert board.page.evaluate("scrollY") == 0
    board.wait()


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 720}, PHONE])
def test_the_position_and_its_tools_are_seen_without_scrolling(
    live: Opener, viewport: dict[str, int]
) -> None:
    board = live.open(viewport=viewport)
    board.wait()
    board.page.click("#setup-toggle")
    for name in ("setup-fen", "board", "setup-palette", "setup-clear"):
        box = board.page.locator(f"#{name}").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= viewport["height"], name
        assert box["x"] + box["width"] <= viewport["width"], name


def test_a_piece_is_dragged_from_the_palette_without_setting_up_first(
    live: Opener,
) -> None:
    board = live.open("7k/8/5K2/8/8/8/8/8 w - - 0 1")
    board.wait()
    board.page.drag_and_drop('[data-tool="R"]', '[data-square="a1"]')
    board.wait(fen=MATE_IN_2)
    assert board.page.get_attribute("#setup-toggle", "aria-pressed") == "true"


def test_undo_keeps_the_names_that_were_written_in_between(live: Opener) -> None:
    board = live.open(MATE_IN_2)
    board.wait()
    board.page.click("#setup-toggle")
    board.drag("a1", "b1")
    board.page.fill("#setup-title", "Later")
    board.page.click("#setup-undo")
    board.wait(fen=MATE_IN_2)
    assert board.page.input_value("#setup-title") == "Later"
    paste(board, ROOK)
    board.page.click("#setup-undo")
    board.wait(fen=MATE_IN_2)
    assert board.page.input_value("#setup-title") == "Later"
