"""Claims in words and signs: `mate in three`, `Loyd, #3`, `Matt in 2`, `h#2`.

The same words claim the same in every format and in ten languages. Words that deny,
suppose or only threaten a mate claim nothing, nor does a range of numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache

_UP_TO_TWENTY = """one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"""
NUMERALS = {word: str(n) for n, word in enumerate(_UP_TO_TWENTY.split(), start=1)}
"""The English numerals, which corrections write too."""

_OTHER_NUMERALS = """einem:1 zwei:2 drei:3 vier:4 fünf:5 sechs:6 sieben:7 acht:8 deux:2
    trois:3 quatre:4 cinq:5 dos:2 tres:3 cuatro:4 cinco:5 un:1 una:1 uno:1 due:2 tre:3
    quattro:4 cinque:5 dois:2 três:3 quatro:4 twee:2 drie:3 vijf:5 два:2 три:3
    четыре:4"""
_NUMBERS = NUMERALS | dict(pair.split(":") for pair in _OTHER_NUMERALS.split())
_NUMERAL = rf"(?:[0-9]{{1,9}}|{'|'.join(_NUMBERS)})"
_CLAIM = re.compile(
    rf"""(?P<denied> (?: \A | (?<= [.!?;:\n] ) | (?<= [.!?;:\n] \s ) )
                     (?: if | suppos[a-z]* | imagine ) \b
                     [^.!?;:\n]{{0,80}}?
                     | \b (?: no | not | never | without | cannot | [a-z]*n['\u2019]t
                          | kein[a-z]* | nicht | ohne | pas | sans | senza | geen | niet
                          | threat[a-z]* | avoid[a-z]* | prevent[a-z]* | allow[a-z]*
                          | would | overlook[a-z]* | miss (?: ed | es | ing ) )
                     (?: [\s-]+ [a-z]+ ){{0,3}}? [\s-]+ )?
         (?P<phrase> \b (?: (?P<side> white | black ) \s+ (?: (?: is | gets ) \s+ )? )?
            (?: (?: direct | check ) [\s-]* )?
            (?: (?: мат | mat (?: e (?: s | (?P<passive> d ) )? | t?[oa]? | ent | an ) )
                (?: \s+ (?: white | black ) )?
                [\s_-]* \b (?: in | en | em | (?: w | ve? | i | в ) \b ) [\s_:=-]*
              | mat (?: e (?: d (?P<past> ) )? | to? | t )? \s* [:=] \s* (?= [0-9] ) )
            (?: (?: only | just ) \s )? (?P<moves> {_NUMERAL} ) \b
            (?! \s* (?: [-\u2013/] | or \s | to \s ) \s* (?! 1\. ) [0-9] | [.,][0-9]
               | \s+ (?: more | of ) \b
               | \s* (?: s | sec | seconds? | ms | min | minutes? ) \b )
            (?: [\s-]* moves? \b )? )
       | (?P<mover> \b (?P<length> {_NUMERAL} ) [\s-]* (?: movers? | z\u00fcger ) \b
            | \b (?: in | en | em ) \s+ (?P<parts> {_NUMERAL} )
              \s+ (?: z\u00fcgen | coups | jugadas | mosse | zetten | lances ) \b )
       | (?: (?: \A | [.,:;\n] ) [ \t]* | (?<= \S ) [ \t]? (?P<opens> \( ) )
         (?P<sign> \# [+-]? [0-9]{{1,9}} | [0-9]{{1,9}} \# )
         (?(opens) \) | (?= [ \t.!]* (?: \n | \Z ) ) )""",
    re.VERBOSE | re.IGNORECASE,
)
OTHER = re.compile(
    rf"""(?<! [\w/] ) (?:
         (?P<fairy> (?: anti-? )? circe | madrasi | isardam | (?: maxi | mini ) mummer
            | andernach | k (?: oe | \u00f6 ) ko | monochromatic | messigny | kamikaze
            | cylind (?: er | rical ) | sentinels | rex [ ] (?: (?: in | ex ) clusive?
            | multiplex ) | take [ ]? (?: & | and ) [ ]? make | marseillais | atomic
            | (?: grid | losing | rifle | alice | progressive ) [ ] chess | antichess
            | crazyhouse | bughouse | grasshoppers? | nightriders? )
         | (?: (?: help | self | semi | reflex | series | ser ) [\s-]* ){{1,3}}
            (?: (?: stale [\s-]* )? mate s? (?: \s+ in \s+ {_NUMERAL} )? | movers? )
         | (?: stale | double ) [\s-]* mates? \s+ in \s+ {_NUMERAL}
         | (?: (?: p?ser | semi | exact ) - [hsr]{{0,2}} | [hsr]{{1,2}} ) [#=] [0-9]+
         ) \b (?! ['\u2019]s )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Fairy conditions, mostly of Popeye's, and other stipulations."""

is_claiming = re.compile(
    r"mate|\bmatt?[oa]?\b|мат|mover|[#=\u2260\u2021]|züge|coups|jugadas|mosse|zetten|lances",
    re.IGNORECASE,
).search
"""Whether a text may claim something, in words that are read or others."""

_is_numbered = re.compile(rf"(?i:(?:\bin[\s-]+|[#=]\s?){_NUMERAL}\b|[0-9]#)").search
_find_themes = re.compile(r"\bmate_?In_?([0-9]{1,3})(?![0-9])", re.IGNORECASE).findall


@lru_cache(1 << 10)
def find_words(
    text: str, turn: str
) -> tuple[list[tuple[bool, str, str]], list[tuple[bool, str]]]:
    """Find what a text claims of a position; `turn` is the side to move.

    Returns
    -------
    claims : list of tuple
        Whether it is a sign, not a phrase; what is written; the number of moves.
    others : list of tuple
        What claims something else, alone or beside a number: whether it is a fairy
        condition, and its name.
    """
    claims = []
    for found in _CLAIM.finditer(text):
        if not found["denied"]:
            is_passive = found["passive"] is not None or found["past"] is not None
            is_mated = is_passive != ((found["side"] or turn).lower() != turn)
            number = found["moves"] or found["length"] or found["parts"]
            word = (number or found["sign"].strip("#")).lower()
            moves = f"{'-' * is_mated}{_NUMBERS.get(word, word)}"
            written = found["phrase"] or found["mover"] or found["sign"]
            claims.append((bool(found["sign"]), written, moves))
    others = [(bool(found["fairy"]), found[0]) for found in OTHER.finditer(text)]
    if others and not _is_numbered(text):
        others = [other for other in others if other[1] == text]
    return claims, others


_find_mate = re.compile(
    rf"\b(?:check)?mat(?:e[sd]?|t|to)?\b[^.\n]{{0,24}}?\b{_NUMERAL}\b", re.IGNORECASE
).search


def may_claim(text: str) -> bool:
    """Return whether a text looks like a claim, of a mate or of something else."""
    if not is_claiming(text):
        return False
    is_other = OTHER.search(text) is not None and _is_numbered(text) is not None
    return is_other or _find_mate(text) is not None


def find_lengths(text: str, turn: str, *, signs: bool = True) -> list[int]:
    """Return the lengths of the mates that words or themes claim, the first one first.

    Parameters
    ----------
    text : str
        Words such as `White mates in two`, or themes such as `mateIn2`.
    turn : str
        The side to move, `white` or `black`.
    signs : bool
        Whether signs such as `#2` count, see `find_words`.
    """
    if not is_claiming(text):
        return []
    said, others = find_words(text, turn)
    said = [claim for claim in said if signs or not claim[0]]
    lengths = [] if others else [int(moves) for _, _, moves in said]
    lengths = lengths or [int(moves) for moves in _find_themes(text)]
    return [moves for moves in lengths if moves]


_SIGN = (
    r"(?:[#\u2260\u2021]\s?(?P<moves>[+-]?[0-9]{1,3})|(?P<before>[0-9]{1,2})[#\u2260\u2021]"
    r"|M(?P<engine>[0-9]{1,2}))"
)
_match_sign = re.compile(
    rf"[\s\"'`;,|&}}:\u2013/(\[-]*{_SIGN}(?!\w|:|\.(?!\s+[A-Z][a-z]{{2}}))\s*[)\]]?(?=\Z|[\s;,|:)\].!-])",
    re.IGNORECASE,
).match
_find_sign = re.compile(
    rf"[(\[]\s*{_SIGN}\s*[)\]]|(?:->|=>|:)\s*{_SIGN.replace('P<', 'P<last_')}\s*\Z"
    rf"|(?:[;|\u2013\u2014]|\s-)\s*{_SIGN.replace('P<', 'P<apart_')}"
    r"(?=\s*(?:[;|\u2013\u2014]|-\s|\Z))",
    re.IGNORECASE,
).search
_is_sign = re.compile(
    rf"[(\[]?\s*{_SIGN}\s*[)\]]?[.!]?|(?:score )?mate (?P<uci>-?[0-9]{{1,3}})",
    re.IGNORECASE,
).fullmatch


def find_sign(text: str) -> tuple[int, int] | None:
    """Find a sign such as `#2`, `2#` or `M2`.

    It stands at the beginning of a text, in brackets, between dashes or bars, or at its
    end after a colon or an arrow.

    Returns
    -------
    tuple or None
        The number of moves, and where the rest of the text begins.
    """
    found = _match_sign(text) or _find_sign(text)
    if found is None:
        return None
    number = next(filter(None, found.groups()), "0")
    moves = int(number)
    return (moves, found.end()) if 0 < abs(moves) <= _MOST else None


_find_stipulation = re.compile(
    r"(?:\A|[\s(\[,;:-])((?:semi-r|exact-h|[hsr])[#=][0-9]{1,2}(?:\.5)?)(?![\w.])",
    re.IGNORECASE,
).search


def find_stipulation(text: str) -> str:
    """Return a stipulation other than a mate, such as `h#2`, that stands in a text."""
    found = _find_stipulation(text)
    return found[1] if found else ""


_MOST = 200
"""A greater number may be that of a record, but not the length of a mate."""


def is_sign(text: str) -> int:
    """Return the number of moves of a text that is a sign alone, or 0."""
    found = _is_sign(text.strip())
    return int(next(filter(None, found.groups()), "0")) if found else 0


# Aims that are no mate

_GOAL = re.compile(
    r"""\b (?: to \s+ (?: play | move ),? \s+ (?: and \s+ )?
              (?: win | draw | hold | save )
      | (?: white | black ) \s+ (?: wins | draws | saves | to \s+ (?: win | draw ) )
      | (?: force s? | find ) \s+ (?: a \s | the \s )? (?: win | draw )
      | win \s or | gewinnt | gewinn | remis | ganan? | gagn (?: e | ent ) | nulle
      | win | draw ) \b (?! [\w-] )""",
    re.VERBOSE | re.IGNORECASE,
).search
_speaks_of_mate = re.compile(r"\bmate|checkmate|\bmatt?\b", re.IGNORECASE).search


def has_goal(text: str) -> bool:
    """Return whether a text demands a win or a draw, and not a mate."""
    return bool(_GOAL(text)) and not _speaks_of_mate(text)


# Sides

_WHITE = ["w", "white", "weiß", "weiss", "blancs", "blancas", "blanco", "blanc", "weiß"]
_BLACK = ["b", "black", "schwarz", "noirs", "noir", "negras", "negro", "s"]
_SIDE_PHRASE = re.compile(
    r"\b(?P<side>white|black|wei(?:ß|ss)|schwarz|blancs|noirs|blancas|negras)\s+"
    r"(?:to\s+(?:play|move|mate)|mates|moves|plays|zieht|am\s+zug|ist|jouent|juegan)",
    re.IGNORECASE,
).search
_YES, _NO = {"true", "1", "yes"}, {"false", "0", "no"}


def find_side(text: str, name: str = "") -> str:
    """Return the side to move that a text names, `w` or `b`; empty if it names none.

    Parameters
    ----------
    text : str
        `b`, `Black`, `White to play`, or the value of a field such as `white_to_move`.
    name : str
        The field's name; without one, only a phrase such as `White to play` counts.
    """
    word = text.strip().lower().rstrip(".").rpartition(".")[2]  # Color.black
    if name:
        if word in _WHITE or word in _BLACK:
            return "w" if word in _WHITE else "b"
        plain = name.lower()
        if word in _YES | _NO and ("white" in plain or "black" in plain):
            return "w" if (word in _YES) == ("white" in plain) else "b"
    found = _SIDE_PHRASE(text)
    if found is None:
        return ""
    return "w" if found["side"].lower() in _WHITE else "b"
