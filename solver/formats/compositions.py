"""A composition in the words of Popeye and Olive.

The words are keywords that may be shortened, squares, pieces and options. They are
English or German, and so are the letters of the pieces. Olive writes its pieces,
options and twins in the same words, in English. The options are those of Popeye's
manual (py-engl.txt, version 4.104). Most of them concern the output or the cost of a
search: readers of collections ignore them, and the command `popeye` obeys them. Options
that change the rules or the question are refused.

By the composers' convention, which Popeye follows, White begins, except in help play of
whole moves, where Black begins. Castling is legal when king and rook are on their home
squares, unless the options forbid it; whether a game could have kept the right is not
checked. An en passant capture as the first move is legal only if the options say so.
"""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

import chess

from solver import position_text, problem
from solver.errors import InputError, quote, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Place = Callable[[chess.Square, chess.Piece], None]


# Words

WORD = re.compile(r"[^\s;,]+")
"""A word; semicolons and commas separate words as white space does."""

ENGLISH = 0
LANGUAGES = range(2)
"""English and German, in the order of the words and letters below."""

LETTERS = ("PSBRQK", "BSLTDK")
"""The letters of `chess.PIECE_TYPES`; the English N is a nightrider."""

_SPELLINGS: dict[str, list[str]] = {}
"""Each keyword in English, and its spelling in each language."""


def _keywords(table: str) -> tuple[str, ...]:
    """Note the keywords of a table; a single word is all languages'."""
    rows = [row.split() for row in table.split(";")]
    _SPELLINGS.update((row[0], row * (len(LANGUAGES) // len(row))) for row in rows)
    return tuple(row[0] for row in rows)


COMMANDS = _keywords("""BeginProblem AnfangProblem; EndProblem EndeProblem;
    NextProblem WeiteresProblem; Twin Zwilling; ZeroPosition NullStellung; Author Autor;
    Award Auszeichnung; Origin Quelle; Protocol Protokoll; Remark Bemerkung;
    Title Titel; Condition Bedingung; Forsyth; Option; Pieces Steine;
    InitialGameArray PartieAnfangsStellung; SStipulation sForderung;
    Stipulation Forderung""")
STRUCTURE = COMMANDS[:5]
"""What begins and ends a problem and its twins."""

TEXTS = COMMANDS[5:11]
"""What is followed by a text to the end of its line."""

CHANGES = _keywords("""Add hinzufuegen; Exchange tausche; Mirror Spiegelung;
    Move versetze; PolishType Farbwechsel; Remove entferne; Rotate Drehung;
    Shift Verschiebung; Substitute ersetze; Continued ferner""")
_COLORS = _keywords("""White Weiss; Black Schwarz; Neutral;
    TotalInvisible TotalUnsichtbar""")
_OPTIONS = _keywords("""LastCapture; MultiSolutions MehrereLoesungen; NoBk OhneSk;
    NoSymmetry KeineSymmetrie; NoWk OhneWk; Quodlibet; NullMoves NullZuege;
    Search Suchen; CastlingMutuallyExclusive RochadenGegenseitigAusschliessend;
    Beep Pieps; Defence Widerlegung; Duplex; EnPassant; Intelligent;
    GoalIsEnd ZielIstEnde; HalfDuplex HalbDuplex;
    KeepMatingPiece HalteMattsetzendenStein; Try Verfuehrung; MatesIn1 MattsIn1;
    MaxFlightsquares MaxFluchtFelder; MaxSolutions MaxLoesungen; MaxTime MaxZeit;
    MoveNumbers Zugnummern; NoBoard OhneBrett; NoCastling KeineRochade;
    NoThreat OhneDrohung; NoShortVariations OhneKurzVarianten; NonTrivial NichtTrivial;
    PostKeyPlay NachSchluessel; SetPlay Satzspiel; StartMoveNumber StartZugnummer;
    StopOnShortSolutions StopNachKurzloesungen; SuppressGrid OhneGitter; Threat Drohung;
    TrivialTriesAvoid TrivialeFehlversucheUnterdruecken; UpToMoveNumber BisZugnummer;
    Variations Varianten; WhiteToPlay WeissBeginnt; WriteGrid ZeichneGitter""")
_REFUSED = _OPTIONS[:9]
"""Options that change the rules or the question."""

_MARKS = (*STRUCTURE, *TEXTS, *_COLORS)
_WITH_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_SQUARES = re.compile(r"(?:[a-h][1-8])+", re.IGNORECASE)
_PIECES = re.compile(
    r"(?P<piece>[a-z][a-z0-9]?|[0-9]{2})(?P<squares>(?:[a-h][1-8])*)", re.IGNORECASE
)


class PopeyeWords(deque[str]):
    """Words that are read from the left, and their language."""

    def __init__(self, words: Iterable[str] = (), language: int = ENGLISH) -> None:
        super().__init__(words)
        self.language = language

    def keyword(self, keywords: tuple[str, ...]) -> str | None:
        """Return the keyword that the next word abbreviates; see `expand`."""
        return expand(self[0], keywords, self.language) if self else None


@cache
def _spelled(keywords: tuple[str, ...], language: int) -> dict[str, str]:
    """Return the keywords by their spelling in lower case."""
    return {_SPELLINGS[keyword][language].lower(): keyword for keyword in keywords}


def expand(word: str, keywords: tuple[str, ...], language: int) -> str | None:
    """Return the English keyword that a word abbreviates.

    Parameters
    ----------
    word : str
        In lower or upper case, of any length, as Popeye accepts it.
    keywords : tuple of str
        In English.
    language : int
        Of the word, one of `LANGUAGES`.

    Returns
    -------
    str or None
        None if the word fits none of them or several.
    """
    lower = word.casefold().translate(_WITH_UMLAUTS)
    known = _spelled(keywords, language)
    fitting = [key for spelling, key in known.items() if spelling.startswith(lower)]
    return known.get(lower, fitting[0] if len(fitting) == 1 else None)


def mark(word: str, language: int, *, in_twins: bool = False) -> str | None:
    """Return the keyword of a text, or one that begins or ends a problem or a twin.

    Such a word has three letters or more: fewer may be a piece, and the German `wei` is
    a colour, too. In twins, the English `rem` is short for `Remove`.
    """
    if len(word) < 3 or (in_twins and expand(word, CHANGES, language)):
        return None
    keyword = expand(word, _MARKS, language)
    return None if keyword in _COLORS else keyword


def piece_kind(piece: str, language: int = ENGLISH) -> chess.PieceType:
    """Return the kind of a piece from its letter.

    Raises
    ------
    InputError
        If it is not a piece of orthodox chess.
    """
    letters = LETTERS[language]
    if len(piece) != 1 or piece.upper() not in letters:
        king, queen, rook, bishop, knight, pawn = reversed(letters)
        known = f"{king}, {queen}, {rook}, {bishop}, {pawn}, or {knight} for a knight"
        refuse(f"pieces: expected {known}", quote(piece))
    return letters.index(piece.upper()) + 1


def quote_next(words: PopeyeWords, nothing: str = "none") -> str:
    """Quote the next word for a message; `nothing` if there is none."""
    return quote(words[0]) if words else nothing


def next_word(keyword: str, words: PopeyeWords) -> str:
    """Remove the next word and return it.

    Raises
    ------
    InputError
        If there is none; the message begins with `keyword`.
    """
    if not words:
        refuse(f"{keyword}: expected a value", "the end of the problem")
    return words.popleft()


def next_stipulation(words: PopeyeWords) -> str:
    """Remove a stipulation such as `h#3` or `h# 3` and return it.

    Raises
    ------
    InputError
        If there is none.
    """
    text = next_word("stipulation", words)
    return text + next_word("stipulation", words) if text.endswith(("#", "=")) else text


def parse_squares(text: str) -> list[chess.Square]:
    """Read squares such as `a1b2`; return none if the text contains anything else."""
    if not _SQUARES.fullmatch(text):
        return []
    return [chess.parse_square(name) for name in re.findall("..", text.lower())]


def parse_pieces(words: PopeyeWords, place: Place) -> None:
    """Read colours and pieces such as `White Kg3 Qh5 Pa2b2 Black Kd4`.

    Parameters
    ----------
    words : Words
        The words that follow, changed in place.
    place : callable
        Takes the square of each piece, and the piece.

    Raises
    ------
    InputError
        If a colour, a piece or a square is missing, or a piece has neither White's nor
        Black's colour.
    """
    color: chess.Color | None = None
    is_due = True  # a piece, or a colour
    while words:
        # A single letter is a piece, but for W.
        is_word = len(words[0]) > 1 or words[0] in "Ww"
        name = words.keyword(_COLORS) if is_word else None
        pieces = _PIECES.fullmatch(words[0])
        if not (name or pieces or is_due):
            return
        word = words.popleft()
        is_due = name in {"White", "Black"}
        if is_due:
            color = name == "White"
            continue
        if name or color is None or not pieces:
            is_color = name or color is None
            expected = "White or Black" if is_color else "a piece such as Kg3"
            refuse(f"pieces: expected {expected}", quote(word))
        # The squares may be a word of their own: P a2b2.
        squares = pieces["squares"] or next_word("pieces", words)
        if not parse_squares(squares):
            refuse(f"pieces: expected squares after {word}", quote(squares))
        piece = chess.Piece(piece_kind(pieces["piece"], words.language), color)
        for square in parse_squares(squares):
            place(square, piece)
    if is_due:
        refuse("pieces: expected a piece such as Kg3", "none")


_SHOWN_SQUARES = 8
_MAX_NUMBER = 999_999_999


class Options:
    """The options of a problem.

    `"SetPlay" in options` says whether an option was given, by its full name.

    Attributes
    ----------
    numbers : dict of str to tuple of int
        The full name of each option that was given, and the numbers after it. Those of
        more than nine digits are read as 999,999,999.
    immobile : list of chess.Square
        `NoCastling`: squares of kings and rooks that may not castle.
    en_passant : chess.Square or None
        `EnPassant`: the square that a pawn has just skipped.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, tuple[int, ...]] = {}
        self.immobile: list[chess.Square] = []
        self.en_passant: chess.Square | None = None
        self._words: dict[str, str] = {}

    def __contains__(self, option: str) -> bool:
        return option in self.numbers

    def number(self, option: str, default: int) -> int:
        """Return the first number of an option; the default if it has none."""
        return next(iter(self.numbers.get(option, ())), default)

    def refuse(self, option: str) -> None:
        """Raise InputError if an option was given."""
        if option in self:
            expected = "option: expected none that changes the rules or the question"
            refuse(expected, quote(self._words[option]))

    def parse_next(self, words: PopeyeWords) -> bool:
        """Parse one option and its values, and remove them from the words.

        Parameters
        ----------
        words : Words
            The words that follow, changed in place.

        Returns
        -------
        bool
            Whether the first word was an option.

        Raises
        ------
        InputError
            If the option changes the rules, or its squares make no sense.
        """
        option = words.keyword(_OPTIONS)
        if option is None:
            return False
        self._words[option] = words.popleft()
        self.numbers[option] = ()
        if option in _REFUSED:
            self.refuse(option)
        if option == "NoCastling":
            self.immobile = _parse_squares_of(option, words)
        elif option == "EnPassant":
            self.en_passant = _skipped(_parse_squares_of(option, words))
        else:
            while words and words[0].isdecimal():
                digits = words.popleft()
                number = int(digits) if len(digits) < 10 else _MAX_NUMBER
                self.numbers[option] += (number,)
        return True


def _parse_squares_of(option: str, words: PopeyeWords) -> list[chess.Square]:
    squares: list[chess.Square] = []
    while words and (chain := parse_squares(words[0])):
        words.popleft()
        squares += chain
    if not squares:
        refuse(f"option {option}: expected squares", quote_next(words))
    return squares


def _skipped(squares: list[chess.Square]) -> chess.Square:
    """Return the square that the pawn skipped, given alone or within its move."""
    match squares:
        case [skipped]:
            return skipped
        case [start, skipped, end] if start - skipped == skipped - end in {8, -8}:
            return skipped
    names = " ".join(map(chess.square_name, squares[:_SHOWN_SQUARES]))
    dots = " ..." if len(squares) > _SHOWN_SQUARES else ""
    expected = "option EnPassant: expected a double step such as e2e3e4"
    return refuse(expected, names + dots)


# The problem

_RIGHTS_OF_KINGS = {chess.E1: chess.BB_RANK_1, chess.E8: chess.BB_RANK_8}
_FORSYTH = re.compile(r"[0-9]{1,2}|/|\.\w\w|.")


@dataclass(slots=True)
class Composition:
    """A problem that is being read, part by part.

    Attributes
    ----------
    options : Options
        The reader of the file fills them in.
    pieces : dict of chess.Square to chess.Piece
    is_twin : bool
        Whether the pieces were changed: an en passant capture that no longer makes
        sense is then ignored.
    """

    options: Options = field(default_factory=Options)
    pieces: dict[chess.Square, chess.Piece] = field(default_factory=dict)
    is_twin: bool = False
    _asked: problem.Stipulation = problem.MATE

    @property
    def stipulation(self) -> problem.Stipulation:
        """What the problem demands, with the option `WhiteToPlay` applied.

        The option removes Black's first move from help play that Black begins.

        Raises
        ------
        InputError
            If there was no stipulation.
        """
        found = self._demanded()
        if not found.has_number:
            refuse(f"stipulation: expected {problem.EXPECTED}", "none")
        return found

    def _demanded(self) -> problem.Stipulation:
        found = self._asked
        if "WhiteToPlay" in self.options and not found.white_begins:
            return found.without_first_move() or found
        return found

    def stipulate(self, text: str) -> None:
        """Read a stipulation such as `s#3`.

        Raises
        ------
        InputError
            If `Stipulation` does not know it.
        """
        self._asked = problem.Stipulation.parse(text)

    def place(self, square: chess.Square, piece: chess.Piece) -> None:
        """Place a piece on an empty square.

        Raises
        ------
        InputError
            If the square is occupied.
        """
        if square in self.pieces:
            refuse(f"pieces: expected one on {chess.square_name(square)}", "two")
        self.pieces[square] = piece

    def place_all(self, forsyth: str, language: int = ENGLISH) -> None:
        """Place pieces from a8 to h8, then from a7 to h7, and so on.

        Parameters
        ----------
        forsyth : str
            Letters as in `piece_kind`, White's in upper case. Runs of empty squares may
            be longer than a rank, and empty squares at the end are omitted.
        language : int
            Of the letters.

        Raises
        ------
        InputError
            If a rank is not full before a `/`, or the board is too small.
        """
        index = 0
        for sign in _FORSYTH.findall(forsyth):
            if sign.isascii() and sign.isdecimal():
                index += int(sign)
            elif sign == "/":
                if index % 8:
                    refuse("Forsyth: expected full ranks before /", quote(forsyth))
            else:
                if index < 64:
                    piece = chess.Piece(piece_kind(sign, language), sign.isupper())
                    self.place(chess.square_mirror(index), piece)
                index += 1
        if index > 64:
            refuse("Forsyth: expected at most 64 squares", index)

    def copy(self) -> Composition:
        """Return a twin with the same options."""
        return replace(self, pieces=self.pieces.copy(), is_twin=True)

    def position(self, *, exchanged: bool = False) -> position_text.GivenPosition:
        """Return the position.

        Parameters
        ----------
        exchanged : bool
            The other side begins: the second question of the option `Duplex`.

        Raises
        ------
        InputError
            If it is not a legal position of orthodox chess.
        """
        board = chess.Board(None)
        board.set_piece_map(self.pieces)
        is_exchanged = exchanged ^ ("HalfDuplex" in self.options)
        board.turn = self._demanded().white_begins ^ is_exchanged
        board.castling_rights = chess.BB_CORNERS
        for square in self.options.immobile:
            rights = _RIGHTS_OF_KINGS.get(square, chess.BB_SQUARES[square])
            board.castling_rights &= ~rights
        board.castling_rights = board.clean_castling_rights()
        board.ep_square = self.options.en_passant
        if self.is_twin or exchanged:
            with suppress(InputError):
                return position_text.GivenPosition(board.fen(en_passant="fen"))
            board.ep_square = None
        return position_text.GivenPosition(board.fen(en_passant="fen"))


_COMMENT = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(
    r"(?<![0-9.])1\.\s*+(?P<move>\w[^\s!?+#]*+)(?:\s*+e\.?p\.?)?\s*+[+#]{0,2}\s*+!++"
    r"(?!\?)"
)
"""A key is followed by !, a try by ?; set play begins with `1...`."""

_FIRST = re.compile(
    r"(?<![0-9.])1\.\s*+(?P<move>\w[^\s!?+#]*+)(?!\s*+[+#]{0,2}\s*+[!?])"
)

_PLY = r"""(?> \s*+ (?: (?!1\.) [0-9]+\. )? \s*+
    (?: [0O]-[0O](?:-[0O])? | [KQRBSN]?[a-h]?[1-8]?[-*x:]?[a-h][1-8](?:=?[QRBSN])? )
    (?:\s*+e\.?p\.?)? \s*+ \+{0,2} )"""


def find_marked_keys(
    name: str, position: position_text.GivenPosition, text: str, expected: int = 1
) -> tuple[str, ...]:
    """Find the first moves that a solution marks with an exclamation mark.

    Parameters
    ----------
    name : str
        The field's name in the error.
    position : GivenPosition
    text : str
        A solution as Popeye and problemists write it, with moves such as `1.Sd4-f5 !`
        or `1.Sf5!`. Knights are S or N, and comments are in braces.
    expected : int
        The number of keys that the author intended.

    Returns
    -------
    tuple of str
        Moves in UCI notation; empty if none is marked, and there is not one first move.

    Raises
    ------
    InputError
        One cannot be parsed, as in another language; or their number is not the
        expected one, since the text then lists cooks.
    """
    text = _COMMENT.sub(" ", text)
    moves = [found["move"] for found in _KEY.finditer(text)]
    if not moves:
        first = [found["move"] for found in _FIRST.finditer(text)]
        moves = first if len(first) == 1 else []
    keys = position.keys(name, " ".join(moves).replace("S", "N"))
    if keys and len(keys) != expected:
        refuse(f"{name}: expected {expected} marked with !", len(keys))
    return keys


def count_solutions(name: str, text: str, stipulation: problem.Stipulation) -> int:
    """Count the solutions of help play that a text lists, without set play.

    Parameters
    ----------
    name : str
        The field's name in the error.
    text : str
        As Popeye writes it: `1.Kd4-e4 Sb3-c5 2.Ke4-f4 Qa1-h8 #`, with half a move more
        from `1...` on.
    stipulation : Stipulation
        It says how long each solution is.

    Raises
    ------
    InputError
        Their number is not clear: there are other words, or moves that share their
        beginning with those before them.
    """
    rest, number = _listed(stipulation).subn("", _COMMENT.sub(" ", text))
    if set_play := stipulation.without_first_move():
        rest = _listed(set_play).sub("", rest)
    if rest.strip() or not 0 < number <= problem.MAX_SOLUTIONS:
        expected = f"{stipulation.plies} half-moves and {stipulation.goal} in each line"
        refuse(f"{name}: expected {expected}", quote(" ".join(rest.split())))
    return number


def _listed(stipulation: problem.Stipulation) -> re.Pattern[str]:
    """Return what matches a solution of help play."""
    dots = r"\s*+\.{2,3}" if stipulation.half else ""
    line = rf"(?<![0-9.])1\.{dots} {_PLY}{{{stipulation.plies}}} \s*+ (?: \#|==? )"
    return re.compile(line, re.VERBOSE)


_HEADING = re.compile(r"^[ \t]*\+?([a-z]|z[0-9]+)\)", re.MULTILINE)
"""The beginning of a twin's solution, such as `b) wPa2-->a3`."""


def parts_of(solution: str) -> dict[str, str]:
    """Return the parts of a solution that follow the labels of twins."""
    _, *parts = _HEADING.split(solution)  # labels and parts in turn
    return dict(zip(parts[::2], parts[1::2], strict=True))
