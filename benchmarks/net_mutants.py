"""Do the tests of nets notice a kernel that loses final positions?

    python -m benchmarks.net_mutants
    python -m benchmarks.net_mutants pinned castl

Each mutant is a copy of the program with one line changed, so that it misses final
positions, or takes a bound too low. A net that is missing shows in no other way than by
a solution that is missing, so the tests must fail for every mutant. With words, only
mutants whose description has one of them. A mutant takes half a minute, mostly to
compile its kernel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.laboratory_commands import ROOT
from benchmarks.patched import Change, program
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part

if TYPE_CHECKING:
    from pathlib import Path

TESTS = tuple(
    f"tests/kernel/compositions/test_{name}.py" for name in ("net_needs", "nets")
)
NEEDS = "solver/kernel/compositions/net_needs.py"
LIST = "solver/kernel/compositions/net_list.py"
MEMORY = "solver/kernel/border/search_struct.py"
KEY = "from solver.kernel.build.cache import code_key; print(code_key())"

MUTANTS = {
    # net_needs
    "the last mover takes three moves away and back": Change(
        NEEDS, "2 if known == here else 1", "3 if known == here else 1"
    ),
    "a rook that castled takes two moves to come back": Change(
        NEEDS, "2 if known == here else 1", "2"
    ),
    "a rook that castled is back at once": Change(
        NEEDS, "2 if known == here else 1", "2 if known == here else 0"
    ),
    "castling short does not move the rook": Change(
        NEEDS, "F1 << rank if here", "ZERO if here"
    ),
    "castling long does not move the rook": Change(
        NEEDS, "D1 << rank if here", "ZERO if here"
    ),
    "castling does not move the king": Change(
        NEEDS, "known, moves) | castled", "known, moves)"
    ),
    "a king goes far away in two moves": Change(
        NEEDS, "FAR, near, ONE <<", "FAR, near, np.uint64(2) <<"
    ),
    "a pawn makes no double step": Change(
        NEEDS, "if rank == 1 and", "if rank == 0 and"
    ),
    "a pawn captures twice for each file": Change(
        NEEDS, "takes = abs((end", "takes = 2 * abs((end"
    ),
    "a pawn promotes to rook or queen only": Change(
        NEEDS,
        "for kind in range(KNIGHT_KIND, KING_KIND):\n            promoted",
        "for kind in range(ROOK_KIND, KING_KIND):\n            promoted",
    ),
    "a promoted pawn made the most captures": Change(
        NEEDS, "takes = min(takes, np", "takes = max(takes, np"
    ),
    "a pawn that takes on each rank gets nowhere": Change(
        MEMORY, "<= ranks:", "< ranks:"
    ),
    "the defender has one move less": Change(
        NEEDS, "np.uint64(replies) <<", "np.uint64(max(0, replies - 1)) <<"
    ),
    "the defender has one piece less": Change(
        NEEDS, "np.uint64(theirs) <<", "np.uint64(max(0, theirs - 1)) <<"
    ),
    "the attacker has one piece less": Change(
        NEEDS, "np.uint64(ours) <<", "np.uint64(max(0, ours - 1)) <<"
    ),
    "the attacker captures one piece less": Change(
        NEEDS, "np.uint64(attacks) << TAKEN", "np.uint64(max(0, attacks - 1)) << TAKEN"
    ),
    # net_needs, ways
    "a check is by the piece that moves last": Change(
        NEEDS,
        "return not is_slider(kind) or not BETWEEN",
        "return is_slider(kind) or not BETWEEN",
    ),
    "no piece is pinned": Change(
        NEEDS, "return kind in (", "return kind < 0 and kind in ("
    ),
    "no piece is pinned along a diagonal": Change(
        NEEDS, "if DIAGONAL_LINES[king] & here:", "if DIAGONAL_LINES[king] & ZERO:"
    ),
    "a piece cannot attack through the king": Change(
        NEEDS,
        "(net.attackers | net.defenders) & ~king",
        "net.attackers | net.defenders",
    ),
    "a pawn promotes one move later": Change(
        NEEDS, "left < np.uint64(", "left <= np.uint64("
    ),
    "a promoted pawn cannot stand in between": Change(
        NEEDS, "range(own, end_of_kinds(slot, net, nets))", "range(own, own + 1)"
    ),
    "a check to the attacker is not blocked": Change(
        NEEDS, "between = BETWEEN[square, first_square(king)]", "between = ZERO"
    ),
    "nothing is put in the way of an answer to check": Change(
        NEEDS, "between = BETWEEN[square, first_square(reached)]", "between = ZERO"
    ),
    "a pawn answers check by taking nothing": Change(
        NEEDS,
        "pawns_attacks_down(ONE << square) & net.attackers",
        "pawns_attacks_down(ONE << square)",
    ),
    "a pawn answers check through a piece": Change(
        NEEDS,
        "step = (ONE << square) >> EIGHT & ~occupied",
        "step = (ONE << square) >> EIGHT",
    ),
    "there is no second check": Change(
        NEEDS, "    add_attacks(king, net, nets)\n    return", "    return"
    ),
    "a pinned piece may capture elsewhere": Change(
        NEEDS, "captures &= BETWEEN[king, square] | behind", "captures &= ~ZERO"
    ),
    "a piece of the attacker does not block a pawn": Change(
        NEEDS, "0 if kind == PAWN_KIND else nets.attackers", "nets.attackers"
    ),
    # net_list
    "a check does not go through the king": Change(
        LIST, "place, occupied & ~king)", "place, occupied)"
    ),
    "two pieces cannot check at once": Change(
        LIST, "if last > 1:", "if last > 0 and checks > 1:"
    ),
    "a king can go to its own pieces": Change(
        LIST, "~(attacked | net.defenders)", "~attacked"
    ),
    "an earlier way may clear more": Change(
        LIST, "is_same and not nets.way_clear[way] & ~clear", "is_same"
    ),
    "no piece is captured in a stalemate": Change(
        LIST, "add_way(slot, CAPTURED, ZERO, net, nets)", "pass"
    ),
    "a pawn promotes in six moves at least": Change(
        MEMORY, "min(rank, 5)", "min(rank, 6)"
    ),
    "the attacker has one move less at first": Change(
        LIST, "(plies + 1) >> 1", "plies >> 1"
    ),
    # net_list, reach
    "a capture en passant is none": Change(
        LIST, "nets.slot_at[ply, end] == NO_SLOT:", "ply < 0:"
    ),
    "a promoted pawn stays a pawn": Change(
        LIST, "np.uint8(change.new // ", "np.uint8(change.old // "
    ),
    "an attacker's piece on a line is not captured": Change(
        LIST, "ours <= spare_attacks + replies", "ours <= spare_attacks"
    ),
    "a defender's piece on a line is not captured": Change(
        LIST, "theirs <= spare_replies + attacks", "theirs <= spare_replies"
    ),
    "the attacker has one move less on the way": Change(
        LIST, "(left + 1) >> 1", "left >> 1"
    ),
}


def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy of the program, with its own compiled code."""
    own = {"MATESOLVE_CACHE_DIR": str(program / "cache"), "PYTHONPATH": str(program)}
    return subprocess.run(
        [sys.executable, *words],
        check=False,
        cwd=program,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
    )


def catcher(*changes: Change) -> str:
    """Return the first test that fails with these changes; empty if none does."""
    search = load_part(SEARCH).path
    with program(changes) as copy:
        shutil.copytree(ROOT / "tests", copy / "tests")
        shutil.copy(ROOT / "pyproject.toml", copy)
        (copy / "cache").mkdir(0o700)
        if search:  # no change concerns this part: it need not be compiled again
            key = run(copy, "-c", KEY).stdout.strip()
            shutil.copy(search, copy / "cache" / f"{SEARCH.name}-{key}.bin")
        done = run(copy, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *TESTS)
    if done.returncode == 0:
        return ""
    failed = re.search(r"^FAILED \S+?::(.+?)( - |$)", done.stdout, re.MULTILINE)
    if not failed:
        sys.exit(f"the tests do not run:\n{done.stdout}{done.stderr}")
    return failed[1]


def main() -> None:
    """Print a row for each mutant, and their number."""
    if failed := catcher():
        sys.exit(f"without a change: {failed} fails")
    chosen = {
        what: change
        for what, change in MUTANTS.items()
        if len(sys.argv) == 1 or any(word in what for word in sys.argv[1:])
    }
    survived = 0
    for what, change in chosen.items():
        test = catcher(change)
        survived += not test
        print(f"{what:50} {'caught by ' + test if test else 'SURVIVED'}", flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} mutants caught")
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
