"""Answers in sentences, and moves in SAN."""

from dataclasses import replace

import pytest

from solver.output.text import Sentence, describe, duration
from solver.position_text import first_moves
from solver.problem import Claim, Problem, Restriction, Stipulation, at_most
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat
from solver.stipulations import numbered_line
from tests.output.answers import (
    MATED,
    ROOK,
    ROOK_BY_TABLE,
    ROOK_DISPROVED,
    ROOK_FOUND,
    ROOK_LINE,
    ROOK_UNDECIDED,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
    STATS,
)


def described(solution: Solution, *, uci: bool = False) -> list[str]:
    return [line for part in describe(solution, uci=uci) for line in part.lines()]


def test_the_shortest_mate_has_its_line_key_and_proof() -> None:
    assert described(SMOTHERED) == [
        "smothered: 5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
        "White to move",
        "White mates in 2.",
        "1. Qg8+ Rxg8 2. Nf7#",
        "Only key: Qg8+",
        "Proved: mate in 2 is forced, and none is shorter.",
        "1,234,567 nodes in 0.41 s",
    ]


def test_a_name_is_printed_as_one_line_of_printable_characters() -> None:
    problem = replace(SMOTHERED.problem, id=" a\x1b\n\tname ")
    shown, *_ = described(replace(SMOTHERED, problem=problem))
    assert shown == f"a\ufffd name: {problem.fen}"
    blank = replace(SMOTHERED, problem=replace(problem, id="\n"))
    assert described(blank)[0] == "White to move"


def test_mates_by_black_are_described_in_the_same_words() -> None:
    assert described(SMOTHERED_BY_BLACK)[:3] == [
        "Black to move",
        "Black mates in 2.",
        "1... Qg1+ 2. Rxg1 Nf2#",
    ]


def test_moves_are_written_in_uci_on_demand() -> None:
    lines = described(SMOTHERED, uci=True)

    assert "c4g8 f8g8 h6f7" in lines
    assert "Only key: c4g8" in lines


def test_a_mate_that_is_found_names_the_lengths_that_are_undecided() -> None:
    assert described(ROOK_FOUND) == [
        "White to move",
        "White mates in 3.",
        "1. Ra8 Kh2 2. Ra1 Kh3 3. Rh1#",
        "Keys: Ra8, Ra7 (there may be others)",
        "Proved: mate in 3 is forced, and there is none in 1 move. "
        "Undecided: mate in 2.",
        "Stopped by the time limit.",
        "1,234,567 nodes in 0.41 s",
    ]


@pytest.mark.parametrize(
    ("lower_bound", "shorter"),
    [
        (1, ". Undecided: mate in 1 to 8."),
        (4, ", and there is none in 3 or fewer moves. Undecided: mate in 4 to 8."),
        (8, ", and there is none in 7 or fewer moves. Undecided: mate in 8."),
    ],
)
def test_the_lengths_between_the_bounds_are_undecided(
    lower_bound: int, shorter: str
) -> None:
    solution = replace(ROOK_FOUND, mate=9, lower_bound=lower_bound)

    assert f"Proved: mate in 9 is forced{shorter}" in described(solution)


def test_no_mate_is_limited_to_the_moves_that_were_searched() -> None:
    assert described(ROOK_DISPROVED) == [
        "White to move",
        "No mate in 2 or fewer moves.",
        "Proved. Longer mates were not searched.",
        "1,234,567 nodes in 0.41 s",
    ]


def test_an_answer_to_who_is_mated_says_nothing_about_who_mates() -> None:
    problem = replace(ROOK, claim=Claim(-4))
    disproved = replace(ROOK_DISPROVED, problem=problem, lower_bound=5)
    assert described(disproved)[1:3] == [
        "White is not mated in 4 or fewer moves.",
        "Proved. Longer mates were not searched.",
    ]
    undecided = replace(ROOK_UNDECIDED, problem=problem, lower_bound=3)
    proved = "Proved: White is not mated in 2 or fewer moves."
    assert described(undecided)[2] == proved
    tables = [
        "Gaviota: White is not mated in the given number of moves.",
        "Syzygy: White is not mated in any number of moves.",
    ]
    for found, headline in zip(TableFormat, tables, strict=True):
        answer = replace(undecided, tablebase=found)
        assert described(answer)[1:3] == [headline, proved]


def test_hitting_a_limit_never_means_no_mate() -> None:
    assert described(ROOK_UNDECIDED) == [
        "White to move",
        "Undecided: no mate found so far.",
        "Proved: nothing yet.",
        "Stopped by the node limit.",
        "1 node in 0.0 ms",
    ]


def test_an_undecided_search_names_the_lengths_it_excluded() -> None:
    lines = described(
        replace(ROOK_UNDECIDED, lower_bound=4, stopped_by=StoppedBy.INTERRUPT)
    )

    assert "Proved: no mate in 3 or fewer moves." in lines
    assert "Stopped by an interrupt." in lines


def test_a_side_to_move_that_is_mated_is_described_as_mated() -> None:
    assert described(MATED) == [
        "White to move",
        "White is mated in 1.",
        "Proved: mate in 1 is forced, and none is shorter.",
        "1,234,567 nodes in 0.41 s",
    ]


def unsolved(fen: str, stipulation: str) -> Solution:
    problem = Problem(fen, stipulation=stipulation)
    return Solution(problem, Status.DISPROVED, mate=None, lower_bound=3, stats=STATS)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("stipulation", "side", "other", "goal"),
    [
        ("h#2", "w", "b", "mate"),
        ("exact-h#2", "w", "b", "mate"),
        ("h=2", "w", "b", "stalemate"),
        ("h#2.5", "b", "w", "mate"),
        ("exact-h=2.5", "b", "w", "stalemate"),
    ],
)
def test_exchanged_roles_of_help_play_are_said_with_the_position_for_the_usual_ones(
    stipulation: str, side: str, other: str, goal: str
) -> None:
    board = "k7/p1K5/8/8/8/8/8/1R6"
    lines = described(unsolved(f"{board} {side} - - 3 9", stipulation))
    names = {"w": "White", "b": "Black"}
    assert lines[1:3] == [
        f"{names[side]} begins, so the roles are exchanged: "
        f"White helps Black to {goal}.",
        f"The usual roles need {names[other]} to move: {board} {other} - - 3 9",
    ]
    (usual,) = (line.partition(": ")[2] for line in lines if line.startswith("The us"))
    assert "roles" not in "".join(described(unsolved(usual, stipulation)))


def test_a_position_for_the_usual_roles_is_offered_only_if_it_is_legal() -> None:
    check = "k7/p1K4r/8/8/8/8/8/1R6 w - - 0 1"
    lines = described(unsolved(check, "h#2"))
    assert lines[1].startswith("White begins, so the roles are exchanged")
    assert lines[2] == "No helpmate in 2."


def test_only_help_play_has_roles_that_the_first_move_exchanges() -> None:
    fen = "k7/p1K5/8/8/8/8/8/1R6 b - - 0 1"
    for stipulation in ("#2", "s#2", "r#2", "exact-#2", "h#2"):
        assert "roles" not in "".join(described(unsolved(fen, stipulation)))


def test_the_position_for_the_usual_roles_stays_on_one_line() -> None:
    fen = "k7/p1K5/8/8/8/8/8/1R6 w - - 0 1"
    (usual,) = (part for part in describe(unsolved(fen, "h#2")) if "usual" in part.text)
    assert usual.lines(40)[1] == "  k7/p1K5/8/8/8/8/8/1R6 b - - 0 1"


def test_a_checkmate_on_the_board_is_called_checkmate() -> None:
    problem = Problem("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    solution = Solution(problem, Status.PROVED, mate=0, lower_bound=0)

    assert described(solution)[:-1] == ["Black to move", "Black is checkmated."]


def test_a_stalemate_on_the_board_is_called_stalemate() -> None:
    problem = Problem("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", claim=Claim(-3))
    solution = Solution(problem, Status.DISPROVED, mate=None, lower_bound=4)

    assert described(solution)[:-1] == ["Black to move", "Black is stalemated."]


def test_castling_and_en_passant_rights_are_shown() -> None:
    problem = Problem("4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1")
    solution = Solution(problem, Status.DISPROVED, mate=None, lower_bound=2)

    assert described(solution)[:2] == [
        "White to move, castling KQ, en passant d6",
        "No mate in 1 move.",
    ]


def test_all_keys_are_counted() -> None:
    solution = replace(ROOK_FOUND, keys=("a2a8", "a2a7", "a2a6"), keys_complete=True)

    assert "All 3 keys: Ra8, Ra7, Ra6" in described(solution)


def test_very_many_keys_are_counted_after_the_first() -> None:
    rook = [f"a2{file}2" for file in "bcdefgh"] + [f"a2a{rank}" for rank in "1345678"]
    king = ["f3e2", "f3e3", "f3e4", "f3f4", "f3g3", "f3g4"]
    solution = replace(ROOK_FOUND, keys=(*king, *rook), keys_complete=True)

    (all_keys,) = (line for line in described(solution) if "keys" in line)
    assert all_keys.startswith("All 20 keys: Ke2, ")
    assert all_keys.endswith(", Ra8")

    solution = replace(solution, keys=(*solution.keys, *king))
    (all_keys,) = (line for line in described(solution) if "keys" in line)
    assert all_keys.startswith("All 26 keys: Ke2, ")
    assert all_keys.endswith(", Ra8 and 6 more")


def test_one_key_of_an_incomplete_list_is_not_called_the_only_one() -> None:
    solution = replace(ROOK_FOUND, keys=("a2a8",))

    assert "Key: Ra8 (there may be others)" in described(solution)


def test_every_status_has_a_style_for_its_headline() -> None:
    answers = [SMOTHERED_BY_BLACK, ROOK_FOUND, ROOK_DISPROVED, ROOK_UNDECIDED]

    styles = [describe(answer)[1].style for answer in answers]

    assert styles == ["bold green", "bold magenta", "bold red", "bold magenta"]


def test_a_line_of_moves_is_broken_between_its_numbers() -> None:
    moves = next(part for part in describe(ROOK_FOUND) if "Kh2" in part.text)

    assert moves.lines(16) == ["1. Ra8 Kh2", "  2. Ra1 Kh3", "  3. Rh1#"]


def test_a_word_longer_than_the_line_stays_whole() -> None:
    fen = "5r1k/6pp/7N/8/2Q5/8/8/6K1"

    assert Sentence(f"at {fen} now").lines(20) == ["at", f"  {fen}", "  now"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0.0 ms"),
        (0.01234, "12.3 ms"),
        (0.1, "0.10 s"),
        (12.345, "12.35 s"),
        (59.994, "59.99 s"),
        (60.0, "1 min 00 s"),
        (3725.4, "62 min 05 s"),
    ],
)
def test_times_have_the_unit_and_digits_that_suit_them(
    seconds: float, words: str
) -> None:
    assert duration(seconds) == words


def test_at_most_one_move_is_written_as_one_move() -> None:
    assert [at_most(1), at_most(2)] == ["1 move", "2 or fewer moves"]


def test_one_node_is_singular() -> None:
    assert described(replace(SMOTHERED, stats=Stats(1, 0.5)))[-1] == "1 node in 0.50 s"
    assert described(replace(SMOTHERED, stats=STATS))[-1] == "1,234,567 nodes in 0.41 s"


def test_results_of_a_tablebase_are_labelled() -> None:
    assert described(ROOK_BY_TABLE) == [
        "White to move",
        "White mates in 3.",
        "1. Ra8 Kh2 2. Ra1 Kh3 3. Rh1#",
        "All 2 keys: Ra8, Ra7",
        "Gaviota: mate in 3 is forced, and none is shorter. Proved: no mate in 1 move.",
        "Stopped by the tablebase result.",
        "1,234,567 nodes in 0.41 s",
    ]


@pytest.mark.parametrize(
    ("tables", "headline"),
    [
        (TableFormat.GAVIOTA, "Gaviota: no mate in the given number of moves."),
        (TableFormat.SYZYGY, "Syzygy: no mate in any number of moves."),
    ],
)
def test_no_mate_by_a_tablebase_is_not_called_disproved(
    tables: TableFormat, headline: str
) -> None:
    solution = replace(ROOK_UNDECIDED, lower_bound=3, tablebase=tables)

    assert described(solution)[1:3] == [
        headline,
        "Proved: no mate in 2 or fewer moves.",
    ]


def test_a_restriction_is_named_before_the_mate_and_in_the_proof() -> None:
    narrow = replace(SMOTHERED, restriction=Restriction(checks_only=True, replies=2))
    assert described(narrow)[2] == "Restricted: checks only, at most 2 replies"
    assert (
        "Proved: mate in 2 is forced, and none is shorter under this restriction."
        in (described(narrow))
    )
    open_ = replace(ROOK_FOUND, restriction=Restriction(threat=1))
    assert "Restricted: threats of mate in 1" in described(open_)
    assert any(
        "there is none in 1 move under this restriction. Undecided" in line
        for line in described(open_)
    )
    none = replace(ROOK_DISPROVED, restriction=Restriction(king_flights=1))
    assert described(none)[2:4] == [
        "No mate in 2 or fewer moves under this restriction.",
        "Proved. Other moves and longer mates were not searched.",
    ]
    undecided = replace(
        ROOK_UNDECIDED, lower_bound=3, restriction=Restriction(king_flights=0)
    )
    assert "Proved: no mate in 2 or fewer moves under this restriction." in described(
        undecided
    )


def test_a_line_is_numbered_from_one() -> None:
    assert numbered_line(ROOK.fen, ROOK_LINE) == [
        "1. Ra8 Kh2",
        "2. Ra1 Kh3",
        "3. Rh1#",
    ]


def test_numbers_do_not_continue_those_of_the_game() -> None:
    fen = SMOTHERED.problem.fen.replace(" 0 1", " 3 41")

    assert numbered_line(fen, SMOTHERED.pv) == ["1. Qg8+ Rxg8", "2. Nf7#"]


def test_black_to_move_begins_with_three_dots() -> None:
    fen = SMOTHERED_BY_BLACK.problem.fen

    line = numbered_line(fen, SMOTHERED_BY_BLACK.pv)

    assert line == ["1... Qg1+", "2. Rxg1 Nf2#"]


def test_no_moves_are_no_line() -> None:
    assert numbered_line(ROOK.fen, ()) == []


def test_castling_promotion_and_ambiguity_are_written_in_san() -> None:
    fen = "3k4/P7/8/8/8/1N6/8/R3K1NR w KQ - 0 1"

    sans = first_moves(fen, ["e1c1", "a7a8n", "b3d2", "g1e2"])

    assert sans == ["O-O-O+", "a8=N", "Nd2", "Ne2"]


def test_first_moves_are_alternatives_in_the_order_given() -> None:
    assert first_moves(ROOK.fen, ("a2a1", "a2a8")) == ["Ra1+", "Ra8"]


def demanding(text: str, solution: Solution, solutions: int | None = None) -> Solution:
    """An answer to the same question, but with a stipulation."""
    stipulation = Stipulation.parse(text)
    claim = Claim(stipulation.attacker_moves, solutions=solutions)
    problem = Problem(solution.problem.fen, claim=claim, stipulation=stipulation)
    return replace(solution, problem=problem)


@pytest.mark.parametrize(
    ("stipulation", "goal", "headline"),
    [
        ("#3", "mate", "White mates in 3."),
        ("=3", "stalemate", "White stalemates in 3."),
        ("s#3", "selfmate", "White forces selfmate in 3."),
        ("s=3", "selfstalemate", "White forces selfstalemate in 3."),
        ("r#3", "reflexmate", "White forces reflexmate in 3."),
        ("semi-r#3", "semi-reflexmate", "White forces semi-reflexmate in 3."),
    ],
)
def test_every_sentence_names_the_goal(
    stipulation: str, goal: str, headline: str
) -> None:
    found = described(demanding(stipulation, ROOK_FOUND))
    assert found[1] == headline
    assert found[4] == (
        f"Proved: {goal} in 3 is forced, and there is none in 1 move. "
        f"Undecided: {goal} in 2."
    )
    proved = demanding(
        stipulation, replace(ROOK_FOUND, status=Status.PROVED, lower_bound=3)
    )
    assert f"Proved: {goal} in 3 is forced, and none is shorter." in described(proved)
    refuted = demanding(stipulation, replace(ROOK_DISPROVED, lower_bound=4))
    assert described(refuted)[1:3] == [
        f"No {goal} in 3 or fewer moves.",
        f"Proved. Longer {goal}s were not searched.",
    ]
    open_ = demanding(stipulation, replace(ROOK_UNDECIDED, lower_bound=3))
    assert described(open_)[1:3] == [
        f"Undecided: no {goal} found so far.",
        f"Proved: no {goal} in 2 or fewer moves.",
    ]


HELP = replace(
    ROOK_DISPROVED,
    status=Status.PROVED,
    mate=2,
    pv=("a2a8", "g1h1", "a8a7", "h1g1"),
    solutions=(("a2a8",), ("a2a7",)),
    solutions_complete=True,
)


@pytest.mark.parametrize(
    ("stipulation", "solution", "wanted", "words"),
    [
        (
            "h#2",
            HELP,
            None,
            ["Helpmate in 2: 2 solutions.", "Proved: there are no others."],
        ),
        (
            "h=2.5",
            replace(HELP, solutions=HELP.solutions[:1]),
            1,
            ["Helpstalemate in 2.5: 1 solution.", "Proved: there are no others."],
        ),
        (
            "h#2",
            HELP,
            3,
            [
                "Helpmate in 2: 2 solutions, 3 stipulated.",
                "Proved: there are no others.",
            ],
        ),
        (
            "h#2",
            replace(
                HELP,
                status=Status.FOUND,
                solutions_complete=False,
                stopped_by=StoppedBy.TIME,
            ),
            None,
            [
                "Helpmate in 2: 2 solutions found so far.",
                "There may be others.",
                "Stopped by the time limit.",
            ],
        ),
        (
            "h#2.5",
            replace(HELP, status=Status.DISPROVED, mate=None, pv=(), solutions=()),
            None,
            ["No helpmate in 2.5.", "Proved."],
        ),
        (
            "h#2",
            ROOK_UNDECIDED,
            None,
            [
                "Undecided: no helpmate in 2 found so far.",
                "Proved: nothing yet.",
                "Stopped by the node limit.",
            ],
        ),
    ],
)
def test_help_play_counts_its_solutions(
    stipulation: str, solution: Solution, wanted: int | None, words: list[str]
) -> None:
    lines = described(demanding(stipulation, solution, wanted))
    assert [line for line in lines[1:-1] if "roles" not in line] == words
