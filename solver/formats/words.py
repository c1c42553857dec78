"""Claims in words: `mate in three`, `Loyd, #3`, and what is not a direct mate."""

from __future__ import annotations

import re
from functools import lru_cache

_UP_TO_TWENTY = """one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"""
NUMERALS = {word: str(n) for n, word in enumerate(_UP_TO_TWENTY.split(), start=1)}
_NUMBER = rf"(?:[0-9]{{1,9}}|{'|'.join(NUMERALS)})"
_CLAIM = re.compile(
    rf"""(?P<denied> \b (?: no | not | never | without | cannot | [a-z]*n['\u2019]t
                          | threat[a-z]* | avoid[a-z]* | prevent[a-z]* )
                     (?: \s+ [a-z]+ ){{0,3}}? \s+ )?
         (?P<phrase> \b (?: (?P<side> white | black ) \s+ (?: (?: is | gets ) \s+ )? )?
            (?: (?: direct | check ) [\s-]* )?
            mate (?: s | (?P<passive> d ) )? (?: \s+ (?: white | black ) )?
            [\s-]+ in [\s-]+ (?P<moves> {_NUMBER} ) \b
            (?! \s* (?: [-\u2013/] | or \s ) \s* [0-9] | [.,][0-9] )
            (?: [\s-]* moves? \b )? )
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
            (?: (?: stale [\s-]* )? mate s? (?: \s+ in \s+ {_NUMBER} )? | movers? )
         | (?: stale | double ) [\s-]* mates? \s+ in \s+ {_NUMBER}
         | (?: (?: p?ser | semi | exact ) - [hsr]{{0,2}} | [hsr]{{1,2}} ) [#=] [0-9]+
         ) \b (?! ['\u2019]s )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Fairy conditions, mostly of Popeye's, and other stipulations."""

is_claiming = re.compile(r"mate|\bmatt?\b|mover|[#=]", re.IGNORECASE).search
"""Whether a text may claim something, in words that are read or others."""

_is_numbered = re.compile(rf"(?i:(?:\bin[\s-]+|[#=]\s?){_NUMBER}\b|[0-9]#)").search


@lru_cache(64)
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
            is_mated = bool(found["passive"]) != (
                (found["side"] or turn).lower() != turn
            )
            word = (found["moves"] or found["sign"].strip("#")).lower()
            moves = f"{'-' * is_mated}{NUMERALS.get(word, word)}"
            written = found["phrase"] or found["sign"]
            claims.append((not found["phrase"], written, moves))
    others = [(bool(found["fairy"]), found[0]) for found in OTHER.finditer(text)]
    if others and not _is_numbered(text):
        others = [other for other in others if other[1] == text]
    return claims, others
