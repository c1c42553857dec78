"""Records with the same problem: what python-chess finds by its own transformations."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice, product
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit.duplicates import Duplicate, Duplicates
from solver.problem import MATE, Claim, Problem, Stipulation
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

pytestmark = pytest.mark.usefixtures("kernel")

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PUSHED = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
FILES, RANKS = chess.flip_horizontal, chess.flip_vertical


def images(board: chess.Board) -> frozenset[str]:
    """Return the positions with the same problem, without counters."""
    mirrored = [] if board.castling_rights else [board.transform(FILES)]
    same = [board, *mirrored]
    return frozenset(one.epd() for each in same for one in (each, each.mirror()))


def mirrored(fen: str) -> str:
    return chess.Board(fen).transform(FILES).fen(en_passant="fen")


def exchanged(fen: str) -> str:
    return chess.Board(fen).mirror().fen(en_passant="fen")


def recounted(fen: str) -> str:
    return " ".join([*fen.split()[:4], "7", "31"])


def walk(random: Random) -> Iterator[chess.Board]:
    """Yield the positions of a game of random moves, some with fewer rights."""
    board = chess.Board(random.choice([chess.STARTING_FEN, CASTLING, PUSHED]))
    while not board.is_game_over():
        yield board.copy(stack=False)
        fewer = board.copy(stack=False)
        fewer.castling_rights &= random.choice([0, chess.BB_RANK_1, chess.BB_A1])
        fewer.ep_square = random.choice([None, fewer.ep_square])
        if fewer.is_valid():
            yield fewer
        board.push(random.choice([*board.legal_moves]))


def placed(random: Random) -> Iterator[str]:
    """Yield random positions without castling, each with other pieces."""
    seen = set[frozenset[str]]()
    while True:
        board = chess.Board(None)
        letters = ["K", "k", *random.choices("QRBNPqrbnp", k=random.randint(3, 8))]
        squares = random.sample(range(8, 56), len(letters))
        for letter, square in zip(letters, squares, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = random.random() < 0.5
        if board.is_valid() and images(board) not in seen:
            seen.add(images(board))
            yield board.fen()


def found(problems: Iterable[Problem]) -> Duplicates:
    duplicates = Duplicates()
    for problem in problems:
        duplicates.add(problem)
    return duplicates


def listed(*records: tuple[str, Claim | None]) -> Duplicates:
    """Return what is found in a file with a record on each line."""
    return found(
        Problem(fen, claim=claim, source=f"a.epd:{line}")
        for line, (fen, claim) in enumerate(records, 1)
    )


def related(*fens: str) -> list[list[str | None]]:
    """Return how the positions of each group relate to its first."""
    groups = listed(*((fen, None) for fen in fens)).groups()
    return [[one.relation for one in group] for group in groups]


@sized("games", 4, 60)
def test_positions_are_grouped_as_the_oracle_groups_them(games: int) -> None:
    random = Random(games)
    expected = defaultdict[frozenset[str], list[str]](list)
    problems: list[Problem] = []
    for board in (board for _ in range(games) for board in walk(random)):
        change = random.choice([chess.Board.copy, chess.Board.mirror])
        board = change(board)  # noqa: PLW2901
        if not board.castling_rights and random.random() < 0.5:
            board.apply_transform(FILES)
        board.halfmove_clock = random.randint(0, 1)
        source = f"a.epd:{len(problems) + 1}"
        expected[images(board)].append(source)
        problems.append(Problem(board.fen(en_passant="fen"), source=source))
    groups = [[one.source for one in group] for group in found(problems).groups()]
    assert sorted(groups) == sorted(one for one in expected.values() if len(one) > 1)
    assert len(groups) > games


def test_all_planted_duplicates_are_found_and_no_others() -> None:
    random = Random(1)
    fens = [*islice(placed(random), 300)]
    changes: dict[str, Callable[[str], str]] = {
        "the same position": str,
        "with other counters": recounted,
        "mirrored": mirrored,
        "with colours exchanged": exchanged,
    }
    claims = {None: Claim(2), "another claim": Claim(3)}
    kinds = [*product(changes, [None]), ("the same position", "another claim")]
    records = [(fen, Claim(2)) for fen in fens]
    expected = {}
    for (relation, differs), place in product(kinds, range(12)):
        first = kinds.index((relation, differs)) * 12 + place
        records.append((changes[relation](fens[first]), claims[differs]))
        expected[f"a.epd:{len(records)}"] = (f"a.epd:{first + 1}", relation, differs)
    duplicates = listed(*records)
    groups = [*duplicates.groups()]
    assert expected == {
        one.source: (first.source, one.relation, one.differs)
        for first, *others in groups
        for one in others
    }
    assert duplicates.counts().groups == len(groups)
    assert str(duplicates.counts()) == (
        "60 records repeat an earlier position (12 with another claim)"
    )
    assert duplicates.dropped() == {
        source: first for source, (first, _, differs) in expected.items() if not differs
    }


@pytest.mark.parametrize(
    ("fens", "relation"),
    [
        ((CASTLING, exchanged(CASTLING)), "with colours exchanged"),
        ((ROOK, exchanged(mirrored(ROOK))), "mirrored with colours exchanged"),
        ((ROOK, mirrored(recounted(ROOK))), "mirrored"),
        ((PUSHED, exchanged(PUSHED)), "with colours exchanged"),
        # No pawn stands beside the pushed one, or the one that does is pinned.
        (
            ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
            "with other counters",
        ),
        (
            ("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"),
            "with other counters",
        ),
    ],
)
def test_the_same_problem_is_found(fens: tuple[str, str], relation: str) -> None:
    assert related(*fens) == [[None, relation]]


@pytest.mark.parametrize(
    "fens",
    [
        (ROOK, ROOK.replace(" w ", " b ")),
        (ROOK, chess.Board(ROOK).transform(RANKS).fen()),
        (CASTLING, CASTLING.replace("KQkq", "Qkq")),
        (CASTLING.replace("KQkq", "Q"), CASTLING.replace("KQkq", "K")),
        # The kings and the rooks mirrored on the board, but no longer able to castle.
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "3k4/8/8/8/8/8/8/3K3R w - - 0 1"),
        (PUSHED, PUSHED.replace("e3", "-")),
        (ROOK, ROOK.replace("R", "Q")),
        (ROOK, "8/7K/8/8/8/8/R7/7k b - - 0 1"),
    ],
)
def test_other_problems_are_no_duplicates(fens: tuple[str, str]) -> None:
    assert related(*fens) == []


def test_a_text_that_is_no_position_repeats_nothing() -> None:
    assert related("", "", "8/8 w", "8/8 w") == []


def test_records_of_one_line_are_no_duplicates_of_each_other() -> None:
    twins = [
        Problem(ROOK, f"rook {label}", Claim(8), source)
        for source, label in product(("a.olv:1", "a.olv:5"), ("a)", "duplex"))
    ]
    alone, both = found(twins[:2]), found(twins)
    assert ([*alone.groups()], alone.dropped()) == ([], {})
    ((first, *others),) = both.groups()
    assert (first.source, [one.id for one in others]) == (
        "a.olv:1",
        ["rook a)", "rook duplex"],
    )
    assert both.dropped() == {"a.olv:5": "a.olv:1"}


def test_a_line_with_a_twin_that_is_no_duplicate_is_kept() -> None:
    twins = [Problem(ROOK, source="a:1"), Problem(ROOK, source="a:5")]
    assert found([*twins, Problem(CASTLING, source="a:5")]).dropped() == {}


KEY, OTHER = ("h7g6",), ("h7h6",)


@pytest.mark.parametrize(
    ("claims", "differs", "dropped"),
    [
        ([Claim(8), Claim(8)], [None], [2]),
        ([Claim(8), None], ["another claim"], []),
        ([Claim(8), Claim(9), Claim(9)], ["another claim"] * 2, [3]),
        ([Claim(8, KEY), Claim(8, KEY)], [None], [2]),
        ([Claim(8, KEY), Claim(8, OTHER)], ["other first moves"], []),
        ([Claim(8, KEY), Claim(8)], [None], [2]),
        ([Claim(8), Claim(8, KEY)], ["other first moves"], []),
        ([Claim(8, KEY), Claim(8, line=KEY)], [None], [2]),
        ([Claim(8), Claim(-8)], ["another claim"], []),
    ],
)
def test_only_records_with_the_same_claim_are_dropped(
    claims: list[Claim | None], differs: list[str | None], dropped: list[int]
) -> None:
    duplicates = listed(*((ROOK, claim) for claim in claims))
    ((_, *others),) = duplicates.groups()
    assert [one.differs for one in others] == differs
    assert [*duplicates.dropped()] == [f"a.epd:{line}" for line in dropped]


@pytest.mark.parametrize(
    ("fen", "key"),
    [
        (mirrored(ROOK), "a7b6"),
        (exchanged(ROOK), "h2g3"),
        (exchanged(mirrored(ROOK)), "a2b3"),
    ],
)
def test_first_moves_are_compared_on_the_same_board(fen: str, key: str) -> None:
    for move, dropped in ((key, 1), (KEY[0], 0)):
        duplicates = listed((ROOK, Claim(8, KEY)), (fen, Claim(8, (move,))))
        assert len(duplicates.dropped()) == dropped


def test_a_bishop_promotion_is_mirrored_as_one() -> None:
    fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    same = listed((fen, Claim(9, ("a7a8b",))), (mirrored(fen), Claim(9, ("h7h8b",))))
    assert same.dropped() == {"a.epd:2": "a.epd:1"}


def test_other_stipulations_and_counts_of_solutions_are_other_claims() -> None:
    asked = [MATE, *map(Stipulation.parse, ("h#2", "s#2"))]
    problems = [
        Problem(ROOK, claim=Claim(2), source=f"a:{line}", stipulation=one)
        for line, one in enumerate(asked, 1)
    ]
    counted = Claim(2, solutions=2)
    problems.append(Problem(ROOK, "", counted, "a:4", None, asked[1]))
    problems.append(Problem(ROOK, source="a:5", no_mate=7))
    (group,) = found(problems).groups()
    assert [one.claim for one in group] == [
        "#2",
        "h#2",
        "s#2",
        "h#2, 2 solutions",
        "no #7",
    ]
    assert Counter(one.differs for one in group) == {None: 1, "another claim": 4}


def test_many_records_in_several_files_keep_names_and_sources() -> None:
    problems = [
        Problem(fen, f"{file} {number}", Claim(1), f"{file}:{number}")
        for file in ("first.epd", "second.epd")
        for number, fen in enumerate(islice(placed(Random(3)), 700), 1)
    ]
    groups = [*found(problems).groups()]
    assert groups == [
        [
            Duplicate(f"{file}:{number}", f"{file} {number}", "#1", relation, None)
            for file, relation in (
                ("first.epd", None),
                ("second.epd", "the same position"),
            )
        ]
        for number in range(1, 701)
    ]
