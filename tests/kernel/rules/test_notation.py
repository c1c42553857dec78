"""The kernel reads, plays and writes moves as python-chess does."""

from __future__ import annotations

import ctypes
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import MoveRow, pack_board, unpack_move
from solver.kernel.border.query_struct import MOVES_TEXT_BYTES, LineStyle
from solver.kernel.border.search_struct import Search
from solver.play.record import MateMark
from solver.position_text import write_lines
from tests.kernel.mate.rows import Question, Reading, read_all
from tests.oracles import special, walks
from tests.oracles.marks import mark_mate
from tests.oracles.reading import read_move
from tests.sizes import sized
from tests.typed_play import long_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.kernel.border.interface import Kernel

MARKS = ["", "", "+", "#", "!", "?", "!?", "+!", "#!!", "++"]


def compare(kernel: Kernel, asked: Sequence[tuple[chess.Board, str]]) -> int:
    """Compare moves, each read in its position; return how many are legal."""
    questions = [Question(board.fen(en_passant="fen"), text) for board, text in asked]
    legal = 0
    for (board, text), reading in zip(asked, read_all(kernel, questions), strict=True):
        found = reading.line if reading else None
        move = read_move(board, text)
        assert found == (move.uci() if move else None), (board.fen(), text)
        legal += found is not None
    return legal


def spellings(board: chess.Board, move: chess.Move, random: Random) -> list[str]:
    """Write a move in SAN, in UCI and in between."""
    san = board.san(move)
    bare = san.rstrip("+#")
    start, end = move.uci()[:2], move.uci()[2:4]
    piece = board.piece_type_at(move.from_square)
    letter = chess.piece_symbol(piece).upper() if piece and piece != chess.PAWN else ""
    promoted = chess.piece_symbol(move.promotion) if move.promotion else ""
    texts = [
        san,
        bare + random.choice(MARKS),
        move.uci(),
        move.uci() + random.choice(MARKS),
        f"{letter}{start}{random.choice('x-')}{end}{promoted.upper()}",
        start + random.choice(("", "x", "-")) + end + "=" * bool(promoted) + promoted,
        f"{letter}{start[0]}{end}{promoted}",
        f"{letter}{start[1]}{end}{promoted}",
        f"{letter}{random.choice('x-')}{end}{promoted}",
        bare.replace("O", "0"),
        bare.replace("O", "0", 1),
        bare.replace("=", ""),
        bare.lower(),
        bare.upper(),
    ]
    if board.is_castling(move):
        corner = ("h" if move.to_square > move.from_square else "a") + start[1]
        texts += [start + corner, f"{start}-{corner}", f"K{end}"]
    return texts


def corrupted(text: str, random: Random) -> str:
    """Change one or two characters of a move, which stays one word."""
    for _ in range(random.randint(1, 2)):
        place = random.randrange(len(text) + 1)
        letter = random.choice("abcdefgh12345678KQRBNPkqrbnpx-=+#!?O0éZ")
        change = random.randrange(3)
        text = text[:place] + (letter if change else "") + text[place + (change < 2) :]
    return text or "-"


@sized("count", 3, 50)
def test_every_legal_move_is_read_in_every_spelling(kernel: Kernel, count: int) -> None:
    random = Random(31)
    asked = []
    boards = [*walks.random_positions(5 * count, 32), *walks.small_positions(count, 32)]
    for board in boards:
        for move in board.legal_moves:
            asked += [(board, text) for text in spellings(board, move, random)]
    legal = compare(kernel, asked)
    assert len(asked) > 1500 * count
    assert legal > len(asked) // 2


@sized("count", 300, 4000)
def test_changed_moves_are_accepted_and_refused_as_by_python_chess(
    kernel: Kernel, count: int
) -> None:
    random = Random(33)
    asked = []
    for board in walks.random_positions(count, 34):
        moves = list(board.legal_moves)
        for move in random.sample(moves, min(5, len(moves))):
            text = random.choice(spellings(board, move, random))
            asked.append((board, corrupted(text, random)))
    legal = compare(kernel, asked)
    assert legal > count // 4
    assert len(asked) - legal > 2 * count


ODD = "r3k2r/P5P1/8/3pP3/8/N4N2/4R3/R3K2R w KQkq d6 0 1"


SPELLINGS = """
O-O 0-0 O-O-O 0-0-0 O-0 O-O- O-O-O-O OO O 0 e1g1 e1h1 e1c1 e1a1 e1-h1 e1xa1 Ke1g1 Kg1
Kh1 e1h1q e1h1=Q exd6 e5d6 ed6 exd6e.p. xd6 d6 5d6 g8 g8=Q g8Q g8q g8=K g8=P g8= gxh8=N
g7h8n g7g8 g7-g8 g7g8=Q g7-g8q g7g8k Pg8=Q pg8=Q a8=b a8b Nc4 Nac4 N3c4 Na3c4 Nd2 Nfd2
Nf3d2 nd2 Re3 R2e3 -- Z0 0000 @@@@ Q@e4 e1e1 + e 4 e2 1.e4 Nf3-d4!? Nf3:d4 Nd4+# Nd4#+
Nd4, Nd4\u2654
"""


def test_an_odd_spelling_is_read_as_by_python_chess(kernel: Kernel) -> None:
    board, flipped = chess.Board(ODD), str.maketrans("12345678", "87654321")
    for text in SPELLINGS.split():
        mirrored = board.mirror(), text.translate(flipped)
        compare(kernel, [(board, text), mirrored])
    empty, several = read_all(kernel, [Question(ODD, ""), Question(ODD, "N d4")])
    assert empty
    assert (empty.line, several) == ("", None)


def as_lichess_writes(board: chess.Board, text: str) -> str | None:
    """Return a legal move in UCI, castling as a move of the king by two squares."""
    try:
        move = chess.Move.from_uci(text)
    except ValueError:
        return None
    own = board.occupied_co[board.turn] & chess.BB_SQUARES[move.to_square]
    return text if board.is_legal(move) and not own else None


@sized("count", 6, 100)
def test_only_uci_is_read_where_that_is_asked_for(kernel: Kernel, count: int) -> None:
    random = Random(35)
    asked = []
    boards = list(walks.random_positions(count, 36))
    for board in boards:
        for move in board.legal_moves:
            texts = spellings(board, move, random)
            asked += [(board, text) for text in texts]
            asked += [(board, corrupted(move.uci(), random))]
    readings = read_all(
        kernel,
        [
            Question(board.fen(en_passant="fen"), text, uci_only=True)
            for board, text in asked
        ],
    )
    for (board, text), reading in zip(asked, readings, strict=True):
        found = reading.line if reading else None
        assert found == as_lichess_writes(board, text), (board.fen(), text)
    for text in ("O-O+", "O-O-O", "e1h1", "e1a1", "g8=q", "e2e4+"):
        assert read_all(kernel, [Question(ODD, text, uci_only=True)]) == [None]


def played(board: chess.Board, line: Sequence[str], plies: int) -> Reading:
    """Return the reading of a line of legal moves, the first ones played."""
    board, after, rest = board.copy(stack=False), board.copy(), []
    for text in line:
        move = read_move(after, text)
        assert move
        rest.append(move.uci())
        after.push(move)
        if len(rest) == plies:
            board = after.copy(stack=False)
    if plies and not board.has_legal_en_passant():
        board.ep_square = None
    return Reading(
        bytes(pack_board(board)),
        not board.turn,
        board.ep_square,
        board.halfmove_clock,
        board.fullmove_number,
        board.fen(en_passant="fen"),
        " ".join(rest[plies:]),
    )


@sized("count", 300, 3000)
def test_lines_are_played_as_by_python_chess(kernel: Kernel, count: int) -> None:
    random = Random(37)
    questions, expected = [], []
    for start in walks.random_positions(count, 38):
        board = start.copy(stack=False)
        line = []
        for _ in range(random.randint(0, 7)):
            moves = list(board.legal_moves)
            if not moves:
                break
            doubles = [m for m in moves if board.piece_type_at(m.from_square) == 1]
            move = random.choice(doubles or moves)
            line.append(board.san(move) if random.random() < 0.5 else move.uci())
            board.push(move)
        plies = random.randint(0, len(line))
        space = random.choice((" ", "  ", "\t", "\n "))
        fen = start.fen(en_passant="fen")
        questions.append(Question(fen, space.join(line), plies))
        expected.append(played(start, line, plies))
    assert read_all(kernel, questions) == expected
    assert sum(reading.en_passant is not None for reading in expected) > count // 60


@pytest.mark.parametrize(
    ("line", "plies"),
    [
        *(("", 1), ("e2e4", 2), ("e2e4 e7e5", 3), ("e2e5", 0), ("e2e4 e2e4", 0)),
        *(("e2e4 e2e4", 1), ("1. e4 e5", 0), ("e4 e5 ??", 0), ("f3 e5 g4 Qh4# a3", 0)),
    ],
)
def test_a_line_that_cannot_be_played_is_refused(
    kernel: Kernel, line: str, plies: int
) -> None:
    fen = chess.STARTING_FEN
    good = Question(fen, "e4 e5", 1)
    first, second, third = read_all(kernel, [good, Question(fen, line, plies), good])
    assert second is None
    assert first == third == played(chess.Board(), ["e4", "e5"], 1)
    most = f"7k/8/8/8/8/8/8/K6R b - - {'9' * 17} {'9' * 17}"
    (reading,) = read_all(kernel, [Question(most, "Kg7 Rh2 Kf6", 3)])
    assert reading
    assert (reading.clock, reading.number) == (10**17 + 2, 10**17 + 1)


TEXT = ctypes.create_string_buffer(MOVES_TEXT_BYTES)


def compare_written(kernel: Kernel, boards: Iterable[chess.Board]) -> Counter[int]:
    """Compare the moves written; count the pieces' moves by their SAN's length."""
    search = Search(text=ctypes.addressof(TEXT), text_size=len(TEXT))
    lengths: Counter[int] = Counter()
    for board in boards:
        search.text_written = 3  # moves are appended to the text
        position = pack_board(board)
        kernel.run("WRITE_MOVES", position, search, 0, not board.turn)
        rows = TEXT.raw[3 : search.text_written].decode().splitlines()
        found = [MoveRow(*row.split(" ")) for row in rows]
        expected = set()
        for move in board.legal_moves:
            names = move.uci(), board.san(move), long_name(board, move)
            board.push(move)
            mark = [*MateMark].index(mark_mate(board))
            board.pop()
            expected.add((*names, str(mark)))
        assert {row[2:] for row in found} == expected, board.fen()
        numbers = [int(row.word) for row in found]
        assert numbers == kernel.moves(position, search)
        assert [unpack_move(board, number).uci() for number in numbers] == [
            row.uci for row in found
        ]
        assert {row.head for row in found} <= {"A0"}
        lengths.update(
            len(row.san.rstrip("+#").replace("x", ""))
            for row in found
            if row.san[0] in "NBRQ"
        )
    return lengths


SPECIAL = (
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # 218 moves
    "4k3/8/4r3/8/8/4N3/8/N3K3 w - - 0 1",  # the pinned knight is no candidate
    "7k/3P4/8/8/Q7/8/8/K7 w - - 0 1",  # a new queen is none either
    "1r5k/P7/8/8/Q7/8/8/K7 w - - 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # en passant is illegal
    "7k/8/8/8/3Pp3/8/8/K7 b - d3 0 1",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",  # castling with check
    "r3k2r/8/8/8/8/8/8/3K4 b kq - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
)


def of_equal_pieces(count: int) -> Iterator[chess.Board]:
    random = Random(40)
    while count:
        kind, board = random.choice(chess.PIECE_TYPES[1:5]), chess.Board(None)
        kinds = [kind] * 10 + random.choices((chess.BISHOP, chess.ROOK), k=2)
        pieces = [chess.Piece(each, random.random() < 0.7) for each in kinds]
        pieces += [chess.Piece(chess.KING, color) for color in chess.COLORS]
        squares = random.sample(chess.SQUARES, len(pieces))
        board.set_piece_map(dict(zip(squares, pieces, strict=True)))
        board.turn = random.choice(chess.COLORS)
        if board.is_valid():
            count -= 1
            yield board


@sized("count", 300, 10_000)
def test_moves_are_written_in_san_as_by_python_chess(
    kernel: Kernel, count: int
) -> None:
    boards = [
        *map(chess.Board, SPECIAL),
        *(chess.Board(fen).mirror() for fen in SPECIAL),
        *walks.random_positions(count, 39),
        *walks.small_positions(count // 2, 39),
        *walks.crowded_positions(count // 2, 39),
        *of_equal_pieces(count // 2),
    ]
    lengths = compare_written(kernel, boards)  # with one and two letters of the origin
    assert lengths[4] > count
    assert lengths[5] > count // 60


def notable(board: chess.Board, random: Random) -> chess.Move | None:
    """Choose a move, mostly a check or a special one; None if there is no move."""
    moves = list(board.legal_moves)
    checks = [move for move in moves if board.gives_check(move)]
    marked = [move for move in moves if special.name_special(board, move)]
    choices = random.choice((checks, marked, moves)) or moves
    return random.choice(choices) if choices else None


def alike(random: Random, start: chess.Board) -> list[list[chess.Move]]:
    """Return lines of which many begin like the one before, as a search finds them."""
    lines: list[list[chess.Move]] = [[]]
    while len(lines) < 12:
        line = lines[-1][: random.randrange(7)]
        board = start.copy(stack=False)
        for move in line:
            board.push(move)
        while len(line) < 6 and (chosen := notable(board, random)):
            line.append(chosen)
            board.push(chosen)
        lines.append(line)
    return lines


@pytest.mark.usefixtures("kernel")
def test_what_is_no_legal_move_is_written_as_it_is_and_so_is_what_follows() -> None:
    start, long = chess.STARTING_FEN, ["g1f3", "g8f6", "f3g1", "f6g8"] * 50
    assert write_lines(start, [long] * 100) == [["Nf3", "Nf6", "Ng1", "Ng8"] * 50] * 100
    for bad in ("0000", "--", "e9e4", "\u265a", "?", "e2e4e5", "i1", "e2e5"):
        lines = [["e2e4", bad, "e7e5"], ["Nf3"], []]
        assert write_lines(start, lines) == [["e4", bad, "e7e5"], ["Nf3"], []]
    played = ["e2e4", "e7e5", "g1f3"]
    assert write_lines(start, [["b8c6", "d4"]], played) == [["Nc6", "d4"]]
    after_an_illegal_move = write_lines(start, [["e7e5"], []], ["e2e4", "e2e4"])
    assert after_an_illegal_move == [["e7e5"], []]


@pytest.mark.usefixtures("kernel")
@sized("count", 150, 3000)
def test_lines_that_begin_alike_are_written_as_by_python_chess(count: int) -> None:
    random = Random(43)
    seen = ""
    boards = [*walks.random_positions(count, 44), *special.all_kinds(count // 5, 44)]
    for start in boards:
        fen = start.fen(en_passant="fen")
        lines = alike(random, start)
        given = [[move.uci() for move in line] for line in lines]
        expected: dict[LineStyle, list[list[str]]] = {style: [] for style in LineStyle}
        for line in lines:
            board = start.copy(stack=False)
            names: dict[LineStyle, list[str]] = {style: [] for style in LineStyle}
            for move in line:
                names[LineStyle.LONG].append(long_name(board, move))
                names[LineStyle.SAN].append(board.san_and_push(move))
            names[LineStyle.WITH_END] = [*names[LineStyle.SAN], board.board_fen()]
            for style in LineStyle:
                expected[style].append(names[style])
        for style in LineStyle:
            found = write_lines(fen, given, style=style)
            if style is LineStyle.WITH_END:
                for words in found:
                    pieces, side, *_ = words.pop().split()
                    assert side == "bw"[start.turn ^ (len(words) % 2 == 1)]
                    words.append(pieces)
            assert found == expected[style]
            assert write_lines(fen, [], style=style) == []
        seen += str(expected[LineStyle.LONG])
    for part in ("0-0", "=S", "ep.", "+", "#"):
        assert seen.count(part) > 4, part
