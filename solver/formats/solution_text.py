"""Find the keys in a solution as Popeye and problemists write it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from solver.errors import InputError
from solver.formats.claims import parse_keys

if TYPE_CHECKING:
    import chess

_COMMENT = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(
    r"""(?<! [0-9.] ) 1\. \s*+
        (?P<move> [0O]-[0O](?:-[0O])?
                | [KQRBSN]? [a-h]? [1-8]? [-*x:]? [a-h][1-8] (?: =? [QRBSN] )? )
        (?: \s*+ ep\. )? \s*+ [+#]{0,2} \s*+ !++ (?! \? )""",
    re.VERBOSE,
)
"""Behind the key there is a !, behind a try a ?; set play begins with `1...`."""
_SPELLING = str.maketrans("S*:", "Nxx")


def find_keys(board: chess.Board, text: str, expected: int = 1) -> tuple[str, ...]:
    """Find the first moves that are marked by an exclamation mark.

    Parameters
    ----------
    board : chess.Board
        The position.
    text : str
        Moves such as `1.Sd4-f5 !` or `1.Sf5!`, knights being S or N; what stands in
        braces is a comment.
    expected : int
        How many keys the author intended.

    Returns
    -------
    tuple of str
        Moves in UCI notation; none where another number is found, or one cannot be
        read, since the text then tells of cooks, or in another language.
    """
    words = [found["move"] for found in _KEY.finditer(_COMMENT.sub(" ", text))]
    try:
        keys = parse_keys(board, "key", (word.translate(_SPELLING) for word in words))
    except InputError:
        return ()
    return keys if len(keys) == expected else ()
