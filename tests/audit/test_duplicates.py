"""Records with the same problem: what python-chess finds by its own transformations."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit.duplicates import Duplicates
from solver.problem import MATE, Claim, Problem, Stipulation
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

pytestmark = pytest.mark.usefixtures("kernel")

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PUSHED = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
ALONE = "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"
PINNED = "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1"
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


def found(problems: Iterable[Problem]) -> Duplicates:
    duplicates = Duplicates()
    for problem in problems:
        duplicates.add(problem)
    return duplicates


def recounted(fen: str) -> str:
    return " ".join([*fen.split()[:4], "7", "31"])


def listed(*records: tuple[str, Claim | None]) -> Duplicates:
    """Return what is found in a file with a record on each line."""
    return found(
        Problem(fen, claim=claim, source=f"a.epd:{line}")
        for line, (fen, claim) in enumerate(records, 1)
    )


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


SAME = [
    (CASTLING, exchanged(CASTLING), "with colours exchanged"),
    (ROOK, exchanged(mirrored(ROOK)), "mirrored with colours exchanged"),
    (ROOK, mirrored(recounted(ROOK)), "mirrored"),
    (PUSHED, exchanged(PUSHED), "with colours exchanged"),
    # No pawn stands beside the pushed one, or the one that does is pinned.
    (ALONE, ALONE.replace("e3", "-"), "with other counters"),
    (PINNED, PINNED.replace("e3", "-"), "with other counters"),
]
OTHERS = [
    (ROOK, ROOK.replace(" w ", " b ")),
    (ROOK, chess.Board(ROOK).transform(RANKS).fen()),
    (CASTLING, CASTLING.replace("KQkq", "Qkq")),
    # The kings and the rooks mirrored on the board, but no longer able to castle.
    ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "3k4/8/8/8/8/8/8/3K3R w - - 0 1"),
    (PUSHED, PUSHED.replace("e3", "-")),
    ("8/8 w", "8/8 w"),  # no position
]


@pytest.mark.parametrize(
    ("one", "other", "relation"), [*SAME, *((*pair, None) for pair in OTHERS)]
)
def test_only_the_same_problem_is_a_duplicate(
    one: str, other: str, relation: str | None
) -> None:
    records = listed((one, None), (other, None))
    groups = [*records.groups()]
    assert [each.relation for _, each in groups] == [relation] * bool(relation)
    counted = "1 record repeats" if relation else "0 records repeat"
    assert str(records.counts()) == f"{counted} an earlier position"


def test_records_of_one_line_are_no_duplicates_of_each_other() -> None:
    twins = [
        Problem(ROOK, f"rook {label}", Claim(8), source)
        for source, label in product(("a.olv:1", "a.olv:5"), ("a)", "duplex"))
    ]
    alone, both = found(twins[:2]), found(twins)
    assert ([*alone.groups()], alone.dropped()) == ([], {})
    ((first, *others),) = both.groups()
    assert first.source == "a.olv:1"
    assert [one.id for one in others] == ["rook a)", "rook duplex"]
    assert both.dropped() == {"a.olv:5": "a.olv:1"}
    # A line with a twin that is no duplicate is kept.
    other = Problem(CASTLING, source="a.olv:5")
    assert found([*twins[::2], other]).dropped() == {}


KEY, OTHER = ("h7g6",), ("h7h6",)


@pytest.mark.parametrize(
    ("claims", "differs", "dropped"),
    [
        ([Claim(8), None], ["another claim"], []),
        ([Claim(8), Claim(9), Claim(9)], ["another claim"] * 2, [3]),
        ([Claim(8, KEY), Claim(8, KEY)], [None], [2]),
        ([Claim(8, KEY), Claim(8, OTHER)], ["other first moves"], []),
        ([Claim(8, KEY), Claim(8)], [None], [2]),
        ([Claim(8), Claim(8, KEY)], ["other first moves"], []),
        ([Claim(8, KEY), Claim(8, line=KEY)], [None], [2]),
    ],
)
def test_only_records_with_the_same_claim_are_dropped(
    claims: list[Claim | None], differs: list[str | None], dropped: list[int]
) -> None:
    duplicates = listed(*((ROOK, claim) for claim in claims))
    ((_, *others),) = duplicates.groups()
    assert [one.differs for one in others] == differs
    assert [*duplicates.dropped()] == [f"a.epd:{line}" for line in dropped]


PROMOTED = ("a7a8b",)


@pytest.mark.parametrize(
    ("fen", "key", "change", "same"),
    [
        (ROOK, KEY, mirrored, "a7b6"),
        (ROOK, KEY, exchanged, "h2g3"),
        (ROOK, KEY, lambda fen: exchanged(mirrored(fen)), "a2b3"),
        ("8/P6k/8/8/8/8/8/K7 w - - 0 1", PROMOTED, mirrored, "h7h8b"),
    ],
)
def test_first_moves_are_compared_on_the_same_board(
    fen: str, key: tuple[str, ...], change: Callable[[str], str], same: str
) -> None:
    for moves, dropped in (((same,), 1), (key, 0)):
        records = listed((fen, Claim(8, key)), (change(fen), Claim(8, moves)))
        assert len(records.dropped()) == dropped


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
    claims = ["#2", "h#2", "s#2", "h#2, 2 solutions", "no #7"]
    assert [one.claim for one in group] == claims
    assert [one.differs for one in group] == [None] + ["another claim"] * 4
    assert str(found(problems).counts()) == (
        "4 records repeat an earlier position (4 with another claim)"
    )
