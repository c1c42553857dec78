"""Lines are graded as the definition of a forced mate says."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import chess
import numpy as np
import pytest

from solver import (
    FenError,
    Grade,
    GradeStatus,
    InputError,
    Status,
    __version__,
    grade,
    grade_many,
)
from solver.search.threads import Control
from solver.solution import StoppedBy
from tests.oracles import naive, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.usefixtures("kernel")

PUZZLES = Path(__file__).parents[2] / "puzzles"
MATE_IN_TWO = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -"
HARD = "r1b1kb1r/pp3ppp/2n1pn2/q7/3P4/2N2N2/PP1BBPPP/R2QK2R w KQkq - 0 1"
RIGHT, WRONG = GradeStatus.RIGHT, GradeStatus.WRONG


def generated(n: int, count: int) -> list[str]:
    """Return positions of which all have a mate in exactly `n`."""
    lines = (PUZZLES / f"generated-{n}.epd").read_text("utf-8").splitlines()
    rows = [line for line in lines if line[:1] != "#"][:count]
    return [" ".join(row.split()[:4]) for row in rows]


def expected(board: chess.Board, line: Sequence[str], n: int) -> Grade:
    """Grade a line of moves in UCI by the definition; the reason is left out."""
    board = board.copy(stack=False)
    for ply in range(len(line) + 1):
        attacks, played = ply % 2 == 0, tuple(line[:ply])
        right = naive.keys(board, n - ply // 2) if attacks else set()
        ends = ply > 0 and board.is_checkmate()
        if ply == len(line) > 0:
            return Grade(RIGHT, line=played, ends_in_mate=ends)
        move = chess.Move.from_uci(line[ply]) if line else chess.Move.null()
        if not board.is_legal(move) or (attacks and line[ply] not in right):
            return Grade(WRONG, ply, tuple(sorted(right)), played, ends)
        board.push(move)
    raise AssertionError(line)


def without_reason(answer: Grade) -> Grade:
    """Return a grade with its moves in order and no reason."""
    moves = tuple(sorted(answer.right_moves))
    return Grade(answer.status, answer.ply, moves, answer.line, answer.ends_in_mate)


def some_line(board: chess.Board, n: int, random: Random) -> list[str]:
    """Return a line that is mostly right, of up to three moves too many."""
    board = board.copy(stack=False)
    line: list[str] = []
    for ply in range(random.randint(0, 2 * n + 2)):
        left = n - ply // 2
        moves = sorted(move.uci() for move in board.legal_moves)
        if ply % 2 == 0 and left > 0 and random.random() < 0.8:
            moves = sorted(naive.keys(board, left)) or moves
        if not moves or random.random() < 0.03:
            squares = random.sample(chess.SQUARE_NAMES, 2)
            return [*line, "".join(squares)]
        line.append(random.choice(moves))
        board.push_uci(line[-1])
    return line


def some_problems(
    scale: int, seed: int
) -> Iterator[tuple[chess.Board, int, list[str]]]:
    """Yield positions, numbers of moves and lines; most positions have a mate."""
    random = Random(seed)
    for count, n in ((50 * scale, 1), (6 * scale, 2)):
        for board in walks.small_positions(3 * count, seed):
            if naive.mate_in(board, n) or random.random() < 0.1:
                for _ in range(3):
                    yield board, n, some_line(board, n, random)


@sized("scale", 2, 10)
def test_lines_are_graded_by_the_definition(scale: int) -> None:
    problems = list(some_problems(scale, 41))
    fens = [board.fen() for board, _, _ in problems]
    lengths = [n for _, n, _ in problems]
    lines = [line for _, _, line in problems]
    answers = grade_many(fens, lines, lengths, replies=True)
    wanted = [expected(board, line, n) for board, n, line in problems]
    for fen, line, answer, want in zip(fens, lines, answers, wanted, strict=True):
        assert without_reason(answer) == want, (fen, line)
        assert bool(answer.reason) == (not answer.is_right)
    right = [answer for answer in answers if answer.is_right]
    assert len(right) > 5 * scale
    assert sum(not answer.ends_in_mate for answer in right) > scale // 2
    plies = [answer.ply for answer in answers]
    assert all(plies.count(ply) > scale // 2 for ply in (0, 1, 2, 3))
    alone = zip(fens[::9], lines[::9], lengths[::9], strict=True)
    assert list(answers)[::9] == [grade(*one) for one in alone]


@sized("count", 8, 300)
def test_replies_last_longest_and_refutations_leave_no_mate(count: int) -> None:
    boards = list(walks.small_positions(30 * count, 45))
    fens = [board.fen() for board in boards]
    within = [grade_many(fens, [""] * len(fens), n) for n in (2, 3)]
    problems = [
        (board, move)
        for board, shorter, right in zip(boards, *within, strict=True)
        if right.right_moves and not shorter.right_moves
        for move in (
            right.right_moves[0],
            min({each.uci() for each in board.legal_moves} - {*right.right_moves}),
        )
    ][:count]
    fens = [board.fen() for board, _ in problems]
    answers = grade_many(fens, [[move] for _, move in problems], 3, replies=True)
    counts = Counter[GradeStatus]()
    for (before, move), answer in zip(problems, answers, strict=True):
        board = before.copy(stack=False)
        board.push_uci(move)
        lasting = {
            reply.uci(): naive.shortest_mate(after, 2) or 3
            for reply, after in naive.successors(board)
        }
        longest = [uci for uci in lasting if lasting[uci] == max(lasting.values())]
        counts[answer.status] += len(longest) < len(lasting)
        if answer.is_right:
            assert answer.reply == min(longest, default=None)
            assert (answer.wrong_move, answer.refutation) == (None, ())
        else:
            assert (answer.wrong_move, answer.reply) == (move, None)
            assert len(answer.refutation) == bool(lasting)
            assert {*answer.refutation} <= {*longest}
        for uci in (answer.reply, *answer.refutation):
            if uci:
                board.push_uci(uci)
        assert answer.fen == board.fen()
    assert min(counts[RIGHT], counts[WRONG]) > count // 10


def test_a_longer_mate_is_searched_for_on_request() -> None:
    asked = {moves: grade(MATE_IN_TWO, "Nf7+", 2, max_moves=moves) for moves in (3, 4)}
    assert (asked[3].longer_mate, asked[3].longer_status) == (None, Status.DISPROVED)
    assert (asked[4].longer_mate, asked[4].longer_status) == (4, Status.PROVED)
    board = chess.Board(asked[4].fen)
    for san in asked[4].refutation_san[1:]:
        board.push_san(san)
    assert board.is_checkmate()
    assert len(asked[4].refutation) == 2 * (4 - 1)

    late = grade(HARD, "h3", 1, max_moves=9, nodes=1_000)
    assert (late.longer_mate, late.longer_status) == (None, Status.UNDECIDED)
    right = grade(MATE_IN_TWO, "Qg8+", 2, max_moves=5)
    assert (right.longer_mate, right.longer_status) == (None, None)
    with pytest.raises(InputError, match=r"^max_moves: expected 3 to 200, found 2$"):
        grade(MATE_IN_TWO, "Nf7+", 2, max_moves=2)


def test_a_position_may_have_moves_before_the_line_and_be_repaired() -> None:
    for fen, moves in (
        *(("startpos", "f3 e5 g4"), ("startpos moves f2f3 e7e5", ["g2g4"])),
        ("1. f3 e5 2. g4", ""),
    ):
        answer = grade(fen, "Qh4#", 1, moves=moves)
        assert (answer.ends_in_mate, answer.line_san) == (True, ("Qh4#",))
    faulty = f"{MATE_IN_TWO.removesuffix('- -')}KQ - 0 1"
    answer = grade(faulty, "Qg8+", 2, repair=True)
    assert (answer.is_right, len(answer.warnings)) == (True, 2)
    with pytest.raises(FenError, match="castling right K"):
        grade(faulty, "Qg8+", 2)
    stalemate = grade("k7/8/2K5/8/8/8/8/1Q6 w - -", "Qb6", 2)
    assert (stalemate.wrong_move, stalemate.refutation) == ("b1b6", ())
    # The strings of a sequence are one text.
    assert grade(MATE_IN_TWO, ["Qg8+ {so", "it", "is}"], 2).is_right
    assert grade(MATE_IN_TWO, ["c4", "g8"], 2).ply == 0


ILLEGAL = "expected a legal, unambiguous move in SAN or UCI, found"

# fmt: off
REASONS = [
    ("Qg8+ Rxg8 Nf7#", None, ""), ("c4g8 f8g8", None, ""),
    ("", 0, "expected a move, found none"),
    ("Nf7+", 0, "expected a move that mates within 2 moves, found 'Nf7+'"),
    ("Qg7", 0, f"{ILLEGAL} 'Qg7'"), ("Qg8 Kxg8", 1, f"{ILLEGAL} 'Kxg8'"),
    ("Qg8 Rxg8 Nxg8", 2, "expected a move that mates within 1 move, found 'Nxg8'"),
    ("Qg8 Rxg8 Nf7 Kg7", 3, "expected no move after the mate, found 'Kg7'"),
]
# fmt: on


def test_the_reason_names_the_fault() -> None:
    for line, ply, reason in REASONS:
        answer = grade(MATE_IN_TWO, line, 2)
        assert (answer.ply, answer.reason) == (ply, reason)
        assert answer.is_right == (ply is None)
        assert grade(MATE_IN_TWO, line.split(), 2) == answer
    answer = grade(MATE_IN_TWO, "Qg8+", 1)
    assert (answer.status, answer.ply, answer.right_moves) == (WRONG, 0, ())
    assert answer.reason == "expected a mate within 1 move, found none in this position"


def test_rows_that_cannot_be_read_do_not_harm_the_others() -> None:
    fens: list[Any] = [MATE_IN_TWO] * 8
    lines: list[Any] = ["Qg8+"] * 8
    fens[1], lines[2], fens[3], fens[5], lines[6] = "8/8", 7, None, "\ud800", b"Qg8\xff"
    answers = grade_many(fens, lines, [2, 2, 2, 2, 201, 2, 2, 2])
    statuses = [answer.status.value for answer in answers]
    assert statuses == ["right", *["unreadable"] * 6, "right"]
    assert [answer.reason.split(":")[0] for answer in answers[1:6]] == [
        *("board", "line", "fen", "within"),
        "expected plain ASCII, found U+D800 at character 1",
    ]


@pytest.mark.parametrize("replies", [False, True])
def test_a_table_has_the_columns_of_its_grades(replies: bool) -> None:
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    rows = [(MATE_IN_TWO, line, 2) for line in ("Qg8", "Qg8 Rxg8 Nxg8", "Nf7+", "?")]
    rows += [("8/8", "Qg8", 2), (HARD, "a2a3", 6)]
    fens, lines, within = zip(*rows, strict=True)
    table = grade_many(fens, lines, within, replies=replies, nodes=5_000)
    names = [field.name for field in fields(Grade)]
    names = names[: names.index("longer_mate" if replies else "wrong_move")]
    given = table.to_arrow().to_pylist()
    assert [name for name in given[0] if not name.endswith("_san")] == names
    for row, answer in zip(given, table, strict=True):
        for name, value in row.items():
            expected = getattr(answer, name)
            assert value == ([*expected] if isinstance(expected, tuple) else expected)
    assert table.is_right.tolist() == [answer.is_right for answer in table]
    assert repr(table).startswith("<GradeTable of 6 rows, ")
    assert "6 rows, " in table._repr_html_()
    series = pd.Series([MATE_IN_TWO, MATE_IN_TWO], index=["b", "a"])
    frame = grade_many(series, ["Qg8", "Nf7+"], 2, replies=True).to_pandas()
    assert frame["reply_san"].fillna("").to_dict() == {"b": "Rxg8", "a": ""}
    assert frame["refutation_san"].tolist() == [(), ("Kg8",)]
    assert frame["ply"].tolist() == [pd.NA, 0]


def test_a_column_may_be_of_any_kind_and_of_long_texts() -> None:
    arrow = pytest.importorskip("pyarrow")
    for column in (tuple, iter, np.array, arrow.array):
        fens, lines = column([MATE_IN_TWO] * 2), column(["Qg8", "Qg7"])
        answers = grade_many(fens, lines, column([2, 2]))
        assert [answer.is_right for answer in answers] == [True, False]
    encoded = np.array([MATE_IN_TWO.encode()]), np.array([b"Qg8"])
    assert grade_many(*encoded, 2)[0].is_right
    assert list(grade_many([], [], 1)) == []
    texts = ["Qg8" + "!" * 5000, "Qg8 " * 5000, "Qg8"] * 40  # of several calls
    answers = grade_many([MATE_IN_TWO] * len(texts), texts, 2)
    assert [answer.ply for answer in answers] == [None, 1, None] * 40


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(FenError, match="board: expected 8 ranks"):
        grade("8/8", "Qg8", 2)
    for line, within, nodes, name in (
        *(("Qg8", 0, None, "within"), ("Qg8", 2, 0, "nodes")),
        (["Qg8", 1], 2, None, "line"),
    ):
        with pytest.raises(InputError, match=f"^{name}: expected "):
            grade(MATE_IN_TWO, line, within, nodes=nodes)  # type: ignore[arg-type]
    columns: list[tuple[Any, Any, str]] = [
        (np.array([[MATE_IN_TWO]]), 2, "fens: expected a column, found "),
        ({MATE_IN_TWO: 1}, 2, "fens: expected a column, found "),
        (MATE_IN_TWO, 2, "fens: expected a column, found '5r1k/"),
        ([MATE_IN_TWO], np.array(2), "within: expected a column, found "),
        ([MATE_IN_TWO] * 2, 2, "lines: expected 2 rows, as in fens, found 1"),
        ([MATE_IN_TWO], [2, 2], "within: expected 1 rows, as in fens, found 2"),
    ]
    for fens, n, reason in columns:
        with pytest.raises(InputError, match=f"^{reason}"):
            grade_many(fens, ["Qg8"], n)


def test_a_limit_or_a_stop_leaves_a_hard_line_undecided() -> None:
    fens, lines = [HARD, MATE_IN_TWO] * 3, ["a2a3", "Qg8"] * 3
    answers = grade_many(fens, lines, [6, 2] * 3, nodes=5000)
    assert [answer.status for answer in answers] == [GradeStatus.UNDECIDED, RIGHT] * 3
    assert answers[0].reason == "the node limit was hit"
    control = Control()
    control.stop(StoppedBy.TIME)
    answer = grade(HARD, "a2a3", 6, control=control)
    assert answer.status is GradeStatus.UNDECIDED
    assert answer.reason == "the search was stopped: time"
    assert grade(MATE_IN_TWO, "Qg8", 2, control=Control()).is_right


def test_with_a_node_limit_a_grade_does_not_depend_on_other_rows() -> None:
    fens = generated(3, 12)
    lines = [next(iter(chess.Board(fen).legal_moves)).uci() for fen in fens]
    for nodes in (50, 5000):
        together = grade_many(fens, lines, 3, nodes=nodes, replies=True)
        rows = zip(fens, lines, strict=True)
        assert list(together) == [grade(*row, 3, nodes=nodes) for row in rows]
        again = grade_many(fens[::-1], lines[::-1], 3, nodes=nodes, replies=True)
        assert list(again) == together[::-1]


def test_a_grade_as_a_dict_has_the_values_of_its_attributes() -> None:
    for line in ("Qg8+ Rxg8 Nf7#", "Qg8+ Rxg8 Nxg8", "Qg8+", "Nf7+"):
        answer = grade(MATE_IN_TWO, line, 2, max_moves=4)
        record = answer.to_dict()
        assert json.loads(json.dumps(record)) == record
        assert (record.pop("schema"), record.pop("solver")) == (1, __version__)
        assert list(record) == [field.name for field in fields(Grade)][:-1]
        for name, value in record.items():
            given, san = getattr(answer, name), getattr(answer, f"{name}_san", None)
            if isinstance(given, tuple):
                pairs = zip(given, san or (), strict=True)
                assert value == [{"uci": uci, "san": name} for uci, name in pairs]
            else:
                assert value == ({"uci": given, "san": san} if san else given)
