"""Audits as text for people, and as GitHub's summaries and annotations."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from operator import itemgetter
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from solver.audit.duplicates import Duplicates
from solver.audit.results import DUAL, LINE, Origin, split_source
from solver.formats.streams import STDIN, name_of
from solver.kernel.border.query_struct import LineStyle
from solver.output.columns import Column, fit
from solver.output.text import analysis_link, duration, listed, role_facts, say
from solver.position_text import FORM_BYTES, first_moves, problem_forms, write_lines
from solver.problem import Stipulation, printable
from solver.record import MARKS
from solver.stipulations import (
    Soundness,
    Verdict,
    genre_of,
    name_no_mate,
    rank_claim,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from solver.audit.results import AuditResult, Ply


# --------------------------------------------------------------------------------------
# Audits as text for people: the table of claims and verdicts, and each disagreement.
#
# The audit table has a row for each claim and a column for each verdict. Each
# disagreement is a paragraph: where the record is, what it claims, what was found.

STYLES = {
    "proved": "green",
    "holds": "green",
    "found": "green",
    "shorter": "bold red",
    "refuted": "bold red",
    "unforced": "red",
    "disproved": "",
    "undecided": "magenta",
    "unreadable": "red",
}
"""The columns of the audit table and their colours: verdicts, and the statuses of
records without a claim."""

_UNMARKED = "unmarked"

_COSTS = 1
"""Rank of the columns that a narrow terminal drops."""

FIFTY_MOVES_PLIES = 100
"""A player may claim a draw after this many plies without a pawn move or capture."""

SHORTEST_CYCLE = 4
"""A position returns after this many plies or more: two moves of each side."""

MAX_COMPARED = 100_000
"""How many records are compared: a limit keeps memory from growing with the
collection."""

_SHOWN_SOLUTIONS = 3
"""At most this many solutions of a help problem are printed with a disagreement."""


@dataclass(slots=True)
class _Sums:
    """Sums over some results; the words are verdicts, or statuses without a claim."""

    count: int = 0
    nodes: int = 0
    time_s: float = 0.0
    words: Counter[str] = field(default_factory=Counter)


class AuditTable:
    """Results counted by claim (rows) and verdict (columns), by soundness and mark."""

    def __init__(self) -> None:
        self._sums = defaultdict[tuple[Any, ...], _Sums](_Sums)
        """By stipulation, claim, claim of no mate, word and origin."""
        self._soundness: Counter[str] = Counter()
        self._marks: Counter[str] = Counter()
        self._has_marks = False
        self._duals = 0
        self._duplicates = Duplicates()

    def add(self, result: AuditResult) -> None:
        """Count a result without keeping it."""
        claim = result.stipulation, result.claim, result.nomate
        sums = self._sums[*claim, result.verdict or result.status, result.origin]
        sums.count += 1
        sums.nodes += result.nodes
        sums.time_s += result.time_s or 0.0
        if self._duplicates.count < MAX_COMPARED:
            self._duplicates.add_result(result)
        if result.soundness:
            self._soundness[result.soundness] += 1
        words = result.disagreements
        if words or result.fen is None:
            self._duals += DUAL in words
            self._marks[result.mark or _UNMARKED] += 1
        if result.mark is not None:
            self._has_marks = True

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted."""
        return not self._sums

    def _rows(self) -> list[tuple[str, _Sums]]:
        """Return the names of claims, and their sums; the last has the sums of all."""
        rows = defaultdict[tuple[int, str], _Sums](_Sums)
        total = _Sums()
        for (*claim, word, origin), sums in self._sums.items():
            for row in (rows[_name_claim(*claim)], total):
                row.count += sums.count
                row.words[str(word)] += sums.count
                if origin == Origin.SEARCHED:  # the costs are those of this run
                    row.nodes += sums.nodes
                    row.time_s += sums.time_s
        named = sorted(rows.items(), key=itemgetter(0))
        return [*((name, row) for (_, name), row in named), ("all", total)]

    def _of(self, origin: Origin) -> _Sums:
        """Return the sums over the results from somewhere."""
        found = [sums for (*_, one), sums in self._sums.items() if one == origin]
        counts, nodes, times = (
            sum(getattr(sums, name) for sums in found)
            for name in ("count", "nodes", "time_s")
        )
        return _Sums(counts, nodes, times)

    def soundness(self) -> str:
        """Return the counts of sound, cooked and other problems in one line."""
        counts = _in_words(self._soundness, Soundness)
        parts = [f"soundness: {counts}"] if counts else []
        if self._duals:
            parts.append(f"with a dual: {self._duals:,}")
        return "; ".join(parts)

    def not_searched(self) -> str:
        """Return a line that counts the answers that were known, and their cost."""
        stored, repeated = self._of(Origin.STORED), self._of(Origin.REPEATED)
        parts = []
        if stored.count:
            cost = f"{stored.nodes:,} nodes and {duration(stored.time_s)}"
            are = "answers are" if stored.count > 1 else "answer is"
            parts.append(f"{stored.count:,} {are} from the store and had cost {cost}")
        if repeated.count:
            ask = "records repeat" if repeated.count > 1 else "record repeats"
            parts.append(f"{repeated.count:,} {ask} a question")
        return f"not searched: {'; '.join(parts)}" if parts else ""

    def duplicates(self) -> str:
        """Return a line that counts records with the position of an earlier one."""
        counts = self._duplicates.counts()
        if not counts.groups:
            return ""
        is_full = self._duplicates.count == MAX_COMPARED
        among = f", of the first {MAX_COMPARED:,}" * is_full
        return f"{counts}{among}: inspect --duplicates names them"

    def marks(self) -> str:
        """Return a line that counts the marks of failures; empty without marks.

        They are the disagreements and the unreadable records.
        """
        if not self._has_marks:
            return ""
        counts = [f"{self._marks[word]:,} {word}" for word in (*MARKS, _UNMARKED)]
        return f"{self._marks.total():,} failures: {', '.join(counts)}"

    def totals(self) -> list[str]:
        """Return the lines below the table, as far as there is something to count."""
        lines = self.not_searched(), self.duplicates(), self.soundness(), self.marks()
        return [*filter(None, lines)]

    def columns(self) -> list[Column]:
        """Return the columns of the table; the first one has the claims."""
        names, rows = zip(*self._rows(), strict=True)
        verdicts = [
            Column(word, [_cell(row.words[word]) for row in rows], STYLES[word])
            for word in STYLES
            if rows[-1].words[word]
        ]
        return [
            Column("claim", [*names]),
            *verdicts,
            Column("total", [f"{row.count:,}" for row in rows]),
            Column("nodes", [f"{row.nodes:,}" for row in rows], rank=_COSTS),
            Column("time", [duration(row.time_s) for row in rows], rank=_COSTS),
        ]

    def draw(self, console: Console | None) -> RenderableType:
        """Return the table, as wide as the console allows.

        Parameters
        ----------
        console : Console or None
            Where it is to be printed; None: in a file or a pipe.

        Returns
        -------
        RenderableType
            A table with verdicts, totals, nodes and time; or without nodes and time; or
            a line for each claim.
        """
        lines = (
            f"{name}: {_in_words(row.words, STYLES) or 'nothing'}"
            for name, row in self._rows()
        )
        return fit(console, self.columns(), lines, has_sum=True)


def _cell(count: int) -> str:
    return f"{count:,}" if count else ""


def _in_words(counts: Counter[str], words: Iterable[str]) -> str:
    """Write the counts that are not 0, in the order of the words."""
    return ", ".join(f"{counts[word]:,} {word}" for word in words if counts[word])


def name_claim(result: AuditResult) -> tuple[int, str]:
    """Return a number by which claims are sorted, and the name of a claim."""
    return _name_claim(result.stipulation, result.claim, result.nomate)


@lru_cache
def _name_claim(
    stipulation: str | None, mate: int | None, no_mate: int | None
) -> tuple[int, str]:
    return rank_claim(Stipulation.from_record(stipulation), mate, no_mate)


def soundness_of(result: AuditResult) -> list[str]:
    """Return the words of the report's column: soundness, and faults of the line."""
    words = [word for word in (DUAL, LINE) if word in result.disagreements]
    return [result.soundness, *words] if result.soundness else words


def disagreement(result: AuditResult) -> str | None:
    """Describe where a result disagrees with its claim.

    Parameters
    ----------
    result : AuditResult
        The result of one record.

    Returns
    -------
    str or None
        `file:line: name: claimed ..., found ...` with the line that was found; below
        it the claimed line, the convention with which the claim holds and an editor's
        mark, if there are any, and a link to lichess's analysis. None if nothing
        contradicts the claim.
    """
    if result.fen is None or not result.disagreements:
        return None
    place = name_record(result.source, result.id)
    objection, line = _objection(result)
    found = f"{objection}: {line}" if line else objection
    lines = [f"{place}: {_claimed(result)}, {found}"]
    if result.claimed_line:
        lines.append(f"  claimed: {_line(result, result.claimed_line.split())}")
    if result.hint:
        lines.append(f"  {printable(result.hint)}")
    if result.mark:
        lines.append(f"  mark: {printable(result.mark)}")
    if result.note:
        lines.append(f"  note: {printable(result.note)}")
    lines.append(f"  {analysis_link(result.fen)}")
    return "\n".join(lines)


def fault(result: AuditResult) -> str:
    """Describe in one sentence what is wrong with a record.

    Parameters
    ----------
    result : AuditResult
        The result of one record.

    Returns
    -------
    str
        Why it is unreadable, or the most serious disagreement as `disagreement` has it,
        without names and lines; empty if there is none.
    """
    if result.fen is None:
        return result.error or ""
    if not result.disagreements:
        return ""
    objection, _ = _objection(result)
    if objection.startswith(_BUT) and result.verdict != Verdict.UNFORCED:
        return objection.removeprefix(_BUT)
    return f"{_claimed(result)}, {objection}"


def result_warnings(result: AuditResult) -> Iterator[str]:
    """Yield what could not be read, and why others may call the mate a draw.

    See `find_warnings`. The mate is the one found, or else the claimed one unless it is
    refuted. A claimed line as long as the mate is preferred to the line found.
    """
    if result.warnings:
        yield from map(printable, result.warnings)
    is_mate = not result.stipulation or genre_of(result.asked).warns_of_draws
    if result.fen is None or not is_mate:
        return
    mate = result.mate
    if mate is None and result.verdict not in {Verdict.REFUTED, Verdict.UNFORCED}:
        mate = result.claim
    if not mate:
        return
    claimed, plies = result.claimed_line, _plies(mate)
    if plies < SHORTEST_CYCLE and not _is_long(result.fen, plies):
        return  # most lines
    is_whole = claimed and result.claim == mate and claimed.count(" ") + 1 == plies
    line = claimed if is_whole else result.pv
    yield from find_warnings(result.fen, mate, line.split())


def _is_long(fen: str, plies: int) -> bool:
    """Return whether a line may pass 50 moves without a pawn move or capture."""
    return int(fen.rsplit(" ", 2)[1]) + plies > FIFTY_MOVES_PLIES


def find_warnings(fen: str, mate: int, line: Sequence[str]) -> Iterator[str]:
    """Yield why others may call a mate a draw: 50 moves, or a repeated position.

    The search knows neither. The clock of the FEN counts.

    Parameters
    ----------
    fen : str
        The position, a FEN of six fields.
    mate : int
        In moves, negative when the side to move is mated.
    line : sequence of str
        Its moves in UCI notation, as far as they are known.
    """
    is_long = _is_long(fen, _plies(mate))
    if is_long and not line:
        yield "may need more than 50 moves without a pawn move or capture"
    if not (is_long or _has_repetition(fen, line)):
        return  # most lines: python-chess need not be imported
    import chess

    board = chess.Board(fen)
    seen = {board.epd(): 0}
    is_fifty = is_repeated = False
    for ply, move in enumerate(line):
        is_defenders = ply % 2 == int(mate > 0)
        if is_defenders and not is_fifty and board.can_claim_fifty_moves():
            is_fifty = True
            yield f"50 moves without a pawn move or capture at move {ply // 2 + 1}"
        board.push_uci(move)
        before = seen.setdefault(board.epd(), ply + 1)
        if before <= ply and not is_repeated:
            is_repeated = True
            yield (
                f"the line repeats a position: after {before} plies and after {ply + 1}"
            )


def _plies(mate: int) -> int:
    return abs(mate) * 2 - (mate > 0)


def _has_repetition(fen: str, line: Sequence[str]) -> bool:
    """Whether a line, all of whose moves are legal, repeats a position."""
    # Cheap: does a move of each side end where an earlier one of it began?
    if len(line) < SHORTEST_CYCLE or not all(
        any(move[2:4] == before[:2] for before, move in combinations(side, 2))
        for side in (line[::2], line[1::2])
    ):
        return False
    begun = [line[:plies] for plies in range(1, len(line) + 1)]
    played = write_lines(fen, begun, style=LineStyle.WITH_END)
    forms = problem_forms([fen, *(words[-1] for words in played)])
    each = {forms[at : at + FORM_BYTES] for at in range(0, len(forms), FORM_BYTES)}
    return len(each) <= len(line)


def name_record(source: str, id_: str) -> str:
    """Return `file:line` of a record, and its name if it has one."""
    name = printable(id_)
    return source if name in {"", PurePath(source).name} else f"{source}: {name}"


_BUT = "but "
"""Begins objections that are sentences without the claim before them."""


def _claimed(result: AuditResult) -> str:
    if result.claim is None:
        return f"claimed none in {result.nomate}"
    claimed = f"claimed {genre_of(result.asked).length_name(result.claim)}"
    if result.verdict == Verdict.UNFORCED:
        claimed = "the line mates, it is not forced: claimed by the line alone"
    if result.claimed_solutions is not None:
        claimed += f" with {_counted(result.claimed_solutions)}"
    keys = result.wrong_keys if _contradicts_answer(result) else ""
    if result.soundness == Soundness.COOKED:
        keys = keys or result.claimed_keys
    if keys:
        claimed += f" by {listed(_sans(result, keys))}"
    if LINE in result.disagreements:
        claimed += f" with a line of {len(result.claimed_line.split())} plies"
    return claimed


def _objection(result: AuditResult) -> tuple[str, str]:
    """Describe the most serious disagreement; return the line that shows it, too."""
    words = result.disagreements
    if _contradicts_answer(result):
        return _found(result)
    if result.wrong_keys:
        return _wrong_keys(result), ""
    if Soundness.NOT_SHORTEST_LINE in words:
        return _slow_line(result), ""
    if Soundness.COOKED in words:
        return _cooks(result), ""
    if DUAL in words:
        return _dual(result), ""
    return "undecided" if words == (LINE,) else f"found {', '.join(words)}", ""


def _contradicts_answer(result: AuditResult) -> bool:
    """Return whether the length or the solutions are wrong, not only moves."""
    words = result.disagreements
    is_line_wrong = words == (LINE,) and result.mate is not None
    return result.word in words or bool(result.found_solutions()) or is_line_wrong


def _found(result: AuditResult) -> tuple[str, str]:
    if result.mate is None:
        return _none(result, (result.lower_bound or 1) - 1), ""
    if result.found_solutions() and result.word != Verdict.SHORTER:
        return _solutions(result)
    mate = genre_of(result.asked).length_name(result.mate)
    claim = result.claim or 0
    is_longer = claim * result.mate > 0 and abs(result.mate) > abs(claim)
    found = "found"
    if is_longer:
        found = f"{_none(result, abs(claim))}, {'but' if claim < 0 else 'only'}"
    if result.tablebase:
        mate += " (Gaviota)"
    elif is_longer:
        is_proved = result.lower_bound == abs(result.mate)
        mate += f" ({'proved' if is_proved else 'perhaps not the shortest'})"
    moves = min(result.found_solutions(), key=len, default=result.pv.split())
    return f"{found} {mate}", _line(result, moves)


def _none(result: AuditResult, excluded: int) -> str:
    """Say that there is no solution in this number of moves."""
    if result.claim is None:
        return f"found none in {excluded}"
    if result.claim < 0:
        return f"found {name_no_mate(excluded, result.claim)}"
    none = f"{_BUT}no {genre_of(result.asked).length_name(excluded)} exists"
    roles = say("exchanged_roles", role_facts(result.asked, result.fen or ""))
    return f"{none} ({roles})" if roles else none


def _solutions(result: AuditResult) -> tuple[str, str]:
    """Count the solutions of a help problem, and write the first of them."""
    solutions = result.found_solutions()
    count = "" if result.solutions_complete else "at least "
    shown = [_line(result, line) for line in solutions[:_SHOWN_SOLUTIONS]]
    if len(shown) < len(solutions):
        shown.append("...")
    return f"found {count}{len(solutions):,}", "; ".join(shown)


def _counted(solutions: int) -> str:
    number = f"{solutions:,}" if solutions else "no"
    return f"{number} solution{'s' if solutions > 1 else ''}"


def _line(result: AuditResult, moves: Sequence[str]) -> str:
    """Write a line of a result's position in SAN."""
    return " ".join(genre_of(result.asked).numbered_line(result.fen or "", moves))


def _wrong_keys(result: AuditResult) -> str:
    """Name the claimed keys that do not solve, and those that do."""
    wrong, keys = _sans(result, result.wrong_keys), _sans(result, result.keys)
    named, does = ("key", "does") if len(wrong) == 1 else ("keys", "do")
    solve = f"{listed(keys)} {'does' if len(keys) == 1 else 'do'}"
    return f"{_BUT}the claimed {named} {listed(wrong)} {does} not solve; {solve}"


def _cooks(result: AuditResult) -> str:
    """Name the keys that are not claimed; all of them if the claim has no key."""
    claimed = result.claimed_keys.split()
    cooks = [move for move in result.keys.split() if move not in claimed]
    names = listed(_sans(result, " ".join(cooks)))
    if not claimed:
        return f"{_BUT}{len(cooks)} keys solve: {names}"
    if len(cooks) == 1:
        which = "a second" if len(claimed) == 1 else "another"
        return f"{_BUT}{which} key, {names}, also solves"
    return f"{_BUT}{len(cooks)} more keys also solve: {names}"


def _slow_line(result: AuditResult) -> str:
    """Name the attacker's first slow move, or else the line as a whole."""
    for number, ply in enumerate(result.claimed_plies(), 1):
        if ply.is_slow:
            what = f"does not mate in {ply.mate}; faster"
            return _move_objection(result, number, ply, what)
    return f"{_BUT}a line of its solution takes longer"


def _dual(result: AuditResult) -> str:
    """Name the attacker's first move after the key that is not unique."""
    plies = enumerate(result.claimed_plies(), 1)
    next(plies)
    number, ply = next(entry for entry in plies if entry[1].is_dual)
    what = f"is not the only mate in {ply.mate}; also"
    return _move_objection(result, number, ply, what)


def _move_objection(result: AuditResult, number: int, ply: Ply, what: str) -> str:
    """Say what is wrong with a move of the line, and which moves are better."""
    played = result.claimed_line.split()[: 2 * (number - 1)]
    others = [move for move in ply.keys if move != ply.move]
    san, *others = first_moves(result.fen or "", [ply.move, *others], played)
    return f"{_BUT}move {number}, {san}, {what}: {listed(others)}"


def _sans(result: AuditResult, moves: str) -> list[str]:
    return first_moves(result.fen or "", moves.split())


# --------------------------------------------------------------------------------------
# Audits on GitHub: Markdown for summaries, and annotations of the lines that fail.
#
# Other forges show the same Markdown. What comes from a collection is written as code,
# in which no character is markup. An annotation is a "workflow command", a line on
# either stream of a job, which GitHub shows beside the line of the file.

MAX_LISTED = 50
"""At most this many disagreements are in a summary; the others are counted."""

_LONGEST = 4_000
"""Most characters of a line, more than any mate needs; GitHub refuses a summary of more
than a mebibyte."""


def code(text: str) -> str:
    """Write a text as code in Markdown: one line, in which nothing is markup."""
    line = printable(text)[:_LONGEST]
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def item(result: AuditResult) -> str | None:
    """Return the item of a list that describes a disagreement or an unreadable record.

    Returns
    -------
    str or None
        None if nothing contradicts the claim.
    """
    if result.fen is None:
        return f"- {code(f'{result.source}: {result.error}')}"
    if not (text := disagreement(result)):
        return None
    *lines, link = filter(str.strip, text.split("\n"))
    return "- " + "\\\n  ".join([*map(code, lines), f"[analysis]({link.strip()})"])


def summarise(
    files: Iterable[object], table: AuditTable | None, items: Iterable[str], count: int
) -> str:
    """Return a summary in Markdown.

    Parameters
    ----------
    files : iterable of FileSummary
        What was read from each file.
    table : AuditTable or None
        All results; None: only the list is wanted.
    items : iterable of str
        The list: each `item` that is a text.
    count : int
        How many they are.
    """
    listed = list(islice(items, MAX_LISTED))
    if count > len(listed):
        listed.append(f"- and {count - len(listed):,} more")
    blocks = ["\n".join(listed)]
    if table:
        read = "\n".join(f"- {code(str(file))}" for file in files)
        claims, *others = table.columns()
        columns = claims._replace(cells=[*map(code, claims.cells)]), *others
        lines = zip(*([one.head, "---:", *one.cells] for one in columns), strict=True)
        drawn = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        counted = [] if table.is_empty else [drawn, *table.totals()]
        blocks = ["### matesolve verify", read, *counted, *blocks]
    return "\n\n".join(filter(None, blocks)) + "\n" * any(blocks)


def annotate(result: AuditResult, *, warns: bool) -> str:
    """Return the command that shows a result beside its line, as a warning or an error.

    Without a file, as with standard input, GitHub shows it with the job.
    """
    file, line = split_source(result.source)
    properties = {"title": ", ".join(result.disagreements) or result.word}
    if file != name_of(STDIN):
        properties = {"file": _in_workspace(file), "line": str(line or 1)} | properties
    written = ",".join(f"{key}={_escape(properties[key], ':,')}" for key in properties)
    found = ": ".join(filter(None, (result.error or result.word, result.stopped_by)))
    text = disagreement(result) or f"{name_record(result.source, result.id)}: {found}"
    message = _escape("\n".join(map(printable, text.split("\n"))))
    return f"::{'warning' if warns else 'error'} {written}::{message}"


def _in_workspace(file: str) -> str:
    """Return a file's path as GitHub knows it: from the root of the checkout."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or os.curdir).resolve()
    path = Path(file).parent.resolve() / Path(file).name
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def _escape(text: str, more: str = "") -> str:
    return re.sub(rf"[%\r\n{more}]", lambda found: f"%{ord(found[0]):02X}", text)
