"""What the first records of a file say about its fields.

`FIELDS` has the usual names of the fields, which are one piece of evidence.
`FieldEvidence` counts what the values of a field are, and what they are beside the line
of their record. No claim is ever tested for its truth: only legality, parity and where
the mate falls count, so that wrong claims cannot change a reading, and are reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from solver.errors import InputError, refusal
from solver.formats import words
from solver.formats.solutions import has_moves
from solver.position_text import find_fens
from solver.problem import MAX_MOVES, Stipulation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from solver.formats.claims import ReadOptions
    from solver.formats.plain import Shape


FIELDS = {
    "position": "fen epd position startfen fenstart initialfen puzzlefen fenposition",
    "stipulation": "stipulation",
    "claim": "claim mate matein dm movestomate mateinmoves mateinn matelength",
    "plies": "pliestomate mateinplies plymate halfmovestomate",
    "nomate": "nomate",
    "solutions": "claimedsolutions",
    "keys": "claimedkeys keys key keymove bm bestmove bestmoves bestmoveuci "
    "bestmovesan firstmove",
    "line": "claimedline line lines solution solutions solutionuci solutionsan "
    "solutionmoves solutionline mainline answer answers correctmoves winningmoves "
    "bestline pv moves movelist",
    "words": "type problemtype puzzletype kind genre goal task title description",
    "themes": "themes theme motifs",
    "name": "id puzzleid problemid name title label",
    "rating": "rating puzzlerating",
    "anylastmove": "anylastmove",
    "turn": "turn side sidetomove tomove color colour first",
    "own": "schema verdict",
}
"""The usual names of the fields that have each part of a problem, the first ones first.
They decide where the values do not."""

CLAIMING = {"stipulation", "claim", "plies", "keys", "line", "words", "themes"}
NUMBERS = {"bm", "bestmove"}
"""Fields of moves that may also hold a number, which is a claim."""

NO_CLAIMS = re.compile(
    "ratingdeviation|popularity|nbplays|plays|votes|(game)?(url|id)|date|year|authors?|"
    "source|opening.*|eco|tags|site|event|round|difficulty"
)
"""The names of fields that are not read but certainly hold no claim."""

is_number_name = re.compile(
    r"mate|matt|^mat|^dm$|claim|^stip|jugadas|z\u00fcgen?$|coups"
    r"|^moves?(in|to(mate|win)?$)|^n(um|br|umber)?(of)?moves$|^n$|^in$"
).search
_is_no_number_name = re.compile(
    r"material|rating|format|id$|date|index|difficulty|level|depth|elo|score|year|page"
    r"|^no$|^nr$|num|count|theme|^pl(?:y|ies)$|half|points|stars|likes"
).search
"""Names of a field of numbers that speak for and against a claim."""

is_identity_name = re.compile(
    "id$|^no$|^nr$|number|index|rating|elo|year|page|score"
).search
"""The name of a field whose numbers are certainly no lengths."""

is_result_name = re.compile("win|result|^white$|^black$|user|engine").search
"""The name of a field that names a side, but not the one to move."""

is_of_another = re.compile(
    r"(?:.*\.)?(?:next|prev\w*|related|similar|yesterday)\.|user|club|nick"
).match
"""The name of a field that says something of another record, or of a person."""

is_quiet_name = re.compile(
    "white|black|site|gameurl|url|opening.*|link|fen|eco|result|source|date|rating"
).fullmatch
"""The name of a field whose words demand nothing."""

_COLUMNS_OPTION = "--columns"
AFTER_FIRST = "after-first"
_LICHESS = ("PuzzleId", "FEN"), ("FEN", "Moves", "Themes")
GIVEN_APART = {"claimedline", "pv"}
"""Lines whose first move is not a key unless another field says so."""

_COLUMNS = "id fen claim nomate claimed_keys claimed_line any_last_move stipulation"
_TYPES = str, str, int, int, str, str, bool, str, int
COLUMNS = dict(zip((*_COLUMNS.split(), "claimed_solutions"), _TYPES, strict=True))
"""The columns of a table of problems in order, and their types."""

EXACT = re.compile(
    rf"(?:[#m]|in )?([+-]?[0-9]{{1,9}}|{'|'.join(words.NUMERALS)})(?:[.,]0+)?"
    r"(?:[ -]move[rs]?)?",
    re.IGNORECASE,
)
MOST_OF, MOST_LINES, ENOUGH, STATED, STUDIES, MIXED = 0.4, 0.8, 3, 4, 8, 4
"""In which part of the records a field must have claims to be a field of claims; in
which part lines are usual; how many signs may count the records; of how many records it
is known whether most state a claim; a file has studies if one of so many records asks
for a win or a draw; who begins differs if for one record there are fewer others than so
many."""

_is_score = re.compile(r"[+-]?[0-9]+\.[0-9]*[1-9]|\+[0-9]+(?:\.[0-9]+)?").fullmatch
is_integer = re.compile(r"[+-]?[0-9]{1,3}(?:[.,]0+)?").fullmatch
SHOWN_CHARACTERS = 60
NOTHING = {"-", "?", "nan", "none", "null", "n/a"}

MATE_THEME = "mate"
MATE_THEMES = {MATE_THEME, *(f"mateIn{moves}" for moves in range(1, 6))}
AND_MORE = 5
"""lichess's theme of this length includes all greater lengths."""

_LONGEST_RANGE = 12
"""Numbers with more different values are no lengths of mates, unless a name says so."""

LONG_TEXT = 160
"""A longer text is prose: its words claim only what the line confirms."""

LONGEST_LINE = 20
"""A line of more moves, or from a position where a game begins, is a game."""

Rows: TypeAlias = "list[tuple[str, str, str]]"
"""The part, name and text of each field of a row that is not empty."""

Pick: TypeAlias = "Callable[[Sequence[Any]], Sequence[Any]]"
"""Returns some of a row's cells."""


class Plan(NamedTuple):
    """How the rows with certain fields are read.

    Attributes
    ----------
    fields : list of tuple
        The part, name and place of each field; the part is empty if it is not read.
    is_lichess : bool
        Whether the rows have lichess's themes, and lines that begin with the opponent's
        move: at the last move any mate counts.
    pick : callable or None
        Returns the name, position, moves, themes and, if it matters, the rating of one
        of lichess's rows.
    place : int
        The place of the position.
    shape : Shape or None
        How to read rows of plain shape.
    """

    fields: list[tuple[str, str, int]]
    is_lichess: bool
    pick: Pick | None
    place: int
    shape: Shape | None


@lru_cache(4096)
def plain_name(name: str) -> str:
    """Return the name of a field in lower case, without spaces, `_` and `-`."""
    return re.sub(r"[\s_-]", "", name).lower()


def known_fields(options: ReadOptions) -> dict[str, list[str]]:
    """Return the plain names of the fields that have each part of a problem.

    Raises
    ------
    InputError
        A part that `options.columns` names is unknown.
    """
    known = {part: names.split() for part, names in FIELDS.items()}
    parts = {name: part for part in reversed(known) for name in known[part]}
    for given, column in options.columns.items():
        part = parts.get(plain_name(given), given)
        if part not in known:
            raise refusal(_COLUMNS_OPTION, f"one of {', '.join(known)}", given)
        if column != AFTER_FIRST:
            known[part] = [plain_name(column)]
    return known


def are_lichess(names: Collection[str]) -> bool:
    """Return whether fields have the names that lichess's rows have."""
    is_written_so = any(set(known).issubset(names) for known in _LICHESS)
    return is_written_so or {"puzzleid", "fen", "moves"} <= {*map(plain_name, names)}


@dataclass
class FieldEvidence:
    """What the first records say of a field.

    Attributes
    ----------
    name : str
        Its plain name.
    filled : int
        In how many records it has a text.
    fens, whole_fens, sides, moves, signs, stipulations, lengths : int
        In how many it has a FEN, is a FEN, names a side, has moves, is a sign of a mate
        or another stipulation, claims a mate in words.
    legal, mates : int
        In how many it is a line or keys that are legal, and a line that ends in mate.
    scores : int
        In how many it is an engine's score in pawns or centipawns, with a decimal point
        or a plus.
    numbers : list of int
        Its numbers, in file order.
    agreed, other, in_plies, of_lines : int
        How many numbers equal the length of the record's mating line in moves, equal it
        in neither unit, equal it in plies; equal that of a line that does not mate.
    arrivals : int
        How many are games that lead to the record's position.
    trust : int
        How many words agree with the record's mating line, less those that do not.
    """

    name: str
    filled: int = 0
    fens: int = 0
    whole_fens: int = 0
    sides: int = 0
    moves: int = 0
    signs: int = 0
    stipulations: int = 0
    lengths: int = 0
    scores: int = 0
    legal: int = 0
    mates: int = 0
    numbers: list[int] = field(default_factory=list)
    agreed: int = 0
    other: int = 0
    in_plies: int = 0
    of_lines: int = 0
    trust: int = 0
    arrivals: int = 0

    def note(self, text: str) -> None:
        """Count a text."""
        self.filled += 1
        if text.count("/") >= _SLASHES and (found := next(find_fens(text), None)):
            self.fens += 1
            is_whole = len(text) - (found.end - found.start) <= _AROUND_FEN
            self.whole_fens += is_whole
            self.moves += not is_whole and has_moves(text)  # PGN beside the FEN
            return
        self.sides += bool(words.find_side(text, self.name))
        self.scores += bool(_is_score(text))
        if is_integer(text):
            self.numbers.append(int(float(text.replace(",", "."))))
        elif words.is_sign(text):
            self.signs += 1
        elif _is_stipulation(text):
            self.stipulations += 1
        elif words.find_lengths(text.replace("_", " "), WHITE):
            self.lengths += 1
        elif has_moves(text):
            self.moves += 1

    @property
    def is_running(self) -> bool:
        """Whether its numbers count the records, or are no lengths of mates."""
        steps = pairwise(self.numbers)
        fewest = 3 if is_number_name(self.name) else 2
        is_counting = len(self.numbers) >= fewest and all(b - a == 1 for a, b in steps)
        return is_counting or len({*self.numbers}) > _LONGEST_RANGE

    @property
    def is_flag(self) -> bool:
        """Whether its numbers are 0 and 1, for no and yes."""
        return {*self.numbers} == {0, 1}

    @property
    def may_number(self) -> bool:
        """Whether its numbers may be the lengths of mates."""
        return bool(self.numbers) and not (
            self.is_running
            or self.is_flag
            or _is_no_number_name(self.name)
            or NO_CLAIMS.fullmatch(self.name)
            or not all(0 < abs(number) <= MAX_MOVES for number in self.numbers)
        )

    @property
    def numbers_mates(self) -> bool:
        """Whether its numbers are the lengths of mates, by what the lines say."""
        both = self.agreed + self.other + self.in_plies
        is_most = self.agreed > 0 and 4 * self.agreed >= 3 * both
        return is_most and self.agreed >= self.of_lines and self.may_number


_SLASHES = 7
_AROUND_FEN = 8
"""What stands around a FEN in its field: quotes, or `fen`."""

COLORS = "black", "white"
WHITE = COLORS[True]
"""The names of the colours by python-chess's colour, which takes long to import."""


def _is_stipulation(text: str) -> bool:
    """Return whether a text is a stipulation with a letter; `=2` may be a formula."""
    try:
        return text[:1].isalpha() and bool(Stipulation.parse(text).beside_claim.text)
    except InputError:
        return False
