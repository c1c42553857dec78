"""Lines of moves as people, books and programs write them, and random texts.

`spellings` writes one line in many ways that all mean the same. `fuzzed` changes such a
text at random.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random


WHITE_FIGURES = str.maketrans("KQRBN", "\u2654\u2655\u2656\u2657\u2658")
BLACK_FIGURES = str.maketrans("KQRBN", "\u265a\u265b\u265c\u265d\u265e")
EMOJI = {letter: f"{chr(figure)}\ufe0f" for letter, figure in BLACK_FIGURES.items()}


def spellings(board: chess.Board, line: Sequence[chess.Move]) -> dict[str, str]:
    """Write a line of legal moves in every way that the reader knows, by its name."""
    board = board.copy(stack=False)
    first = not board.turn
    names: dict[str, list[str]] = {"san": [], "long": [], "uci": [], "passant": []}
    for move in line:
        passant = board.is_en_passant(move)
        names["long"].append(long_algebraic(board, move))
        names["uci"].append(move.uci())
        names["san"].append(board.san_and_push(move))
        names["passant"].append(names["san"][-1] + passant * " e.p.")
    san, plain = names["san"], [name.rstrip("+#") for name in names["san"]]

    def numbered(words: Sequence[str], white: str, black: str, between: str) -> str:
        """Write a number before each move of White, and before Black's first one."""
        parts = []
        for ply, word in enumerate(words, start=first):
            form = black if ply % 2 else white
            if form == "" and ply == 1 == first:
                form = "{}..."
            parts.append(form.format(ply // 2 + 1) + word)
        return between.join(parts)

    def book(words: Sequence[str]) -> str:
        return numbered(words, "{}. ", "", " ")

    def marked(marks: Sequence[str]) -> list[str]:
        return [word + marks[ply % len(marks)] for ply, word in enumerate(san)]

    promoted = [word.replace("=", "/") for word in san]
    bracketed = [re.sub("=(.)", r"(\1)", word) for word in san]
    mate = [
        word.replace("#", " mate").replace("+", " check")
        if ply % 2
        else word.replace("#", "++").replace("+", " +")
        for ply, word in enumerate(san)
    ]
    return {
        "moves alone": " ".join(san),
        "numbers and spaces": book(san),
        "numbers without spaces": numbered(san, "{}.", "", " "),
        "a number for each move": numbered(san, "{}.", "{}...", " "),
        "dots with spaces": numbered(san, "{}. ", "{}. ... ", " "),
        "an ellipsis": numbered(san, "{}. ", "{}… ", " "),
        "numbers alone": numbered(san, "{} ", "", " "),
        "numbers in brackets": numbered(san, "{}) ", "", " "),
        "commas": numbered(san, "{}. ", "", ", "),
        "semicolons": numbered(san, "{}. ", "", "; "),
        "lines": numbered(san, "{}. ", "", "\r\n"),
        "odd white space": "\ufeff" + numbered(san, "{}.\xa0", "", "\u2003\x1c"),
        "comments": "{[%a] b) c (} " + book(marked([" {}", "{e4 (}"])),
        "comments to the end": numbered(marked([" ; so (\n", ";"]), "{}. ", "", "\n"),
        "an escaped line": "% {not read\n" + book(san),
        "variations": book(marked([" (1. e4 (2... d5) {)} c5)", " ()"])),
        "marks": book(marked(["!", " ?!", "$1", " $146", " !!", "!?"])),
        "no signs of check": " ".join(plain),
        "check and mate in words": book(mate),
        "zeros": " ".join(san).replace("O", "0"),
        "dashes": " ".join(san).replace("-", "\u2013").replace("x", "\xd7"),
        "en passant": " ".join(names["passant"]),
        "promotions after a slash": " ".join(promoted),
        "promotions in brackets": " ".join(bracketed),
        "promotions without a sign": " ".join(san).replace("=", ""),
        "white figurines": book([word.translate(WHITE_FIGURES) for word in san]),
        "black figurines": " ".join(san).translate(BLACK_FIGURES),
        "emoji": " ".join(names["long"]).translate(EMOJI),
        "long algebraic": numbered(names["long"], "{}.", "", " "),
        "coordinates": " ".join(names["uci"]),
        "numbered coordinates": book(names["uci"]),
        "colons": " ".join(names["long"]).replace("x", ":"),
        "a whole game": book(san) + " 1-0\n",
        "a sentence": numbered(san, "{}.", "", " ") + ".",
    }  # fmt: skip


def long_algebraic(board: chess.Board, move: chess.Move) -> str:
    """Write a legal move in long algebraic notation, such as `Rf8xg8`."""
    san = board.san(move)
    if san.startswith("O"):
        return san
    start, end = (
        chess.square_name(move.from_square),
        chess.square_name(move.to_square),
    )
    piece = san[0] if san[0] in "KQRBN" else ""
    rest = san[san.rindex(end) + 2 :]
    return f"{piece}{start}{'x' if board.is_capture(move) else '-'}{end}{rest}"


LETTERS = (
    *"abcdefgh12345678KQRBNPOox-=+#!?.,;:(){}[]$%/*0'\"\\ \n\t",
    *"\r\0\x1c\x7f\x85\xa0\xd7\xe9\u2013\u200b\u2026\u2028\u2655\u3000\ufeff",
    *("\ud800", "\udfff", "\U0001f600", " 1. ", " 2... ", " e.p. ", " mate", " 1-0 "),
    *("0000", " -- ", "(Q)", "$12", "0-0"),
)


def fuzzed(text: str, random: Random) -> str:
    """Insert, replace or remove up to three letters of a text."""
    for _ in range(random.randint(0, 3)):
        place = random.randrange(len(text) + 1)
        letter = random.choice(("", *LETTERS))
        text = text[:place] + letter + text[place + random.randint(0, 1) :]
    return text
