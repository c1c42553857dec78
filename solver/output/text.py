"""Answers as text for people.

`TABLE` has the sentences of an answer, which the program and its pages read. A sentence
is a list of rows: what must hold, and the text. The first row whose facts all hold is
the sentence; `!` before a fact means that it must not. Braces in a text name a fact, or
another sentence of the table. A sentence without such a row is empty. `facts` has what
the table reads; on pages, `factsOf` of modules/records.mjs makes the same from a
record.

`describe` puts an answer into sentences.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from solver.position_text import first_moves, has_stalemate, read_compiled
from solver.problem import at_most, printable
from solver.solution import Solution, Status
from solver.stipulations import genre_of, mover

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from solver.problem import Stipulation
    from solver.search.threads import Control

    Facts = Mapping[str, object]
    Table = Mapping[str, Sequence[Sequence[str]]]

TABLE: dict[str, list[tuple[str, str]]] = {
    # Parts of sentences.
    "at_most": [
        ("one_excluded", "1 move"),
        ("", "{excluded} or fewer moves"),
    ],
    "under": [("restriction", " under this restriction")],
    "reach": [("excluded", " in {at_most}{under}")],
    "none": [
        ("denies_mated", "{mover} is not mated"),
        ("", "no {goal}"),
    ],
    "none_begins": [
        ("denies_mated", "{mover} is not mated"),
        ("", "No {goal}"),
    ],
    "length": [
        ("is_exact", "exactly {asked}"),
        ("", "{asked}"),
    ],
    "solutions": [
        ("one_count", "1 solution"),
        ("", "{count} solutions"),
    ],
    # An answer.
    "position": [("", "{mover} to move")],
    "exchanged_roles": [
        ("help exchanged", "{mover} begins, so the roles are exchanged"),
    ],
    "roles": [
        ("help exchanged", "{exchanged_roles}: White helps Black to {end}."),
    ],
    "usual_roles": [
        ("usual_fen", "The usual roles need {other} to move: {usual_fen}"),
    ],
    "headline": [
        ("exact_mate moves", "{mover} mates in {length}."),
        ("exact_mate disproved", "No mate in {length}."),
        ("exact_mate", "Undecided: no mate in {length} found so far."),
        (
            "help count !complete wanted",
            "{begins} in {length}: {solutions} found so far, {wanted} stipulated.",
        ),
        ("help count !complete", "{begins} in {length}: {solutions} found so far."),
        (
            "help count wanted",
            "{begins} in {length}: {solutions}, {wanted} stipulated.",
        ),
        ("help count", "{begins} in {length}: {solutions}."),
        ("help disproved", "No {goal} in {length}."),
        ("help", "Undecided: no {goal} in {length} found so far."),
        ("checkmated", "{mover} is checkmated."),
        ("mated", "{mover} is mated in {moves}."),
        ("moves direct", "{mover} {goal}s in {moves}."),
        ("moves", "{mover} forces {goal} in {moves}."),
        ("stalemated", "{mover} is stalemated."),
        ("disproved", "{none_begins} in {at_most}{under}."),
        ("gaviota", "Gaviota: {none} in the given number of moves."),
        ("syzygy", "Syzygy: {none} in any number of moves."),
        ("", "Undecided: no {goal} found so far."),
    ],
    "proof": [
        ("exact_mate undecided", "Proved: nothing yet."),
        ("exact_mate", "Proved. Mates in fewer or more moves were not searched."),
        ("help count complete", "Proved: there are no others."),
        ("help count", "There may be others."),
        ("help disproved", "Proved."),
        ("help", "Proved: nothing yet."),
        ("checkmated", ""),
        ("stalemated", ""),
        (
            "disproved restriction",
            "Proved. Other moves and longer {goal}s were not searched.",
        ),
        ("disproved", "Proved. Longer {goal}s were not searched."),
        ("!moves excluded", "Proved: {none}{reach}."),
        ("!moves", "Proved: nothing yet."),
        ("gaviota excluded", "{by_gaviota} Proved: no {goal}{reach}."),
        ("gaviota", "{by_gaviota}"),
        ("proved", "{forced}, and none is shorter{under}."),
        (
            "excluded",
            "{forced}, and there is none{reach}. Undecided: {goal} in {open}.",
        ),
        ("", "{forced}. Undecided: {goal} in {open}."),
    ],
    "by_gaviota": [
        ("", "Gaviota: {goal} in {moves} is forced, and none is shorter."),
    ],
    "forced": [("", "Proved: {goal} in {moves} is forced")],
    "open": [
        ("open_one", "{open_first}"),
        ("", "{open_first} to {open_last}"),
    ],
    "named_keys": [
        ("!keys", ""),
        ("one_keys complete", "Only key: {names}"),
        ("complete", "All {keys} keys: {names}"),
        ("one_keys", "Key: {names} (there may be others)"),
        ("", "Keys: {names} (there may be others)"),
    ],
    "stop": [
        ("by_time", "Stopped by the time limit."),
        ("by_nodes", "Stopped by the node limit."),
        ("by_solutions", "Stopped by the requested number of solutions."),
        ("by_interrupt", "Stopped by an interrupt."),
        ("by_crash", "Stopped by a crash."),
        ("by_tablebase", "Stopped by the tablebase result."),
    ],
    "cost": [
        ("one_nodes", "1 node in {time}"),
        ("", "{nodes} nodes in {time}"),
    ],
    "restricted": [("restriction", "Restricted: {restriction}")],
    # A game of PGN. Readers take the first "mate in N" for the claim.
    "pgn_claim": [
        ("checkmated", "checkmate."),
        ("mated", "mated in {moves}."),
        ("moves", "{goal} in {moves}."),
    ],
    "pgn_proof": [
        ("checkmated", ""),
        ("!moves disproved", "{pgn_none}"),
        ("!moves", "Undecided. {pgn_none}"),
        ("gaviota", "From a tablebase. {pgn_none}"),
        ("proved", "Proved, and none is shorter{under}."),
        ("", "Proved; there may be a shorter one. {pgn_none}"),
    ],
    "pgn_none": [
        (
            "excluded denies_mated",
            "Proved: no {goal} against {mover} takes {at_most}{under}.",
        ),
        ("excluded", "Proved: no {goal} takes {at_most}{under}."),
    ],
    "pgn_restricted": [("restriction", "Restricted: {restriction}.")],
    "pgn_keys": [("keys !complete", "There may be more keys.")],
    "pgn_solutions": [
        ("count complete", "{solutions}, and no others."),
        ("count", "{solutions} found."),
        ("complete", "No solution."),
        ("", "No solution found."),
    ],
    # What a play does not show.
    "set_play_gap": [
        ("one_set_play_moves", "Only the first moves of the set play are shown."),
        (
            "set_play_moves",
            "Only the first {set_play_moves} moves of the set play are shown.",
        ),
        ("no_set_play_moves set_play", "There may be other set play."),
        ("no_set_play_moves", "There may be set play."),
    ],
    "tries_gap": [
        ("tries_open tries", "There may be other tries."),
        ("tries_open", "There may be tries."),
    ],
    "after_tries": [
        ("no_try_moves", "The play after the tries is not shown."),
        ("one_try_moves", "Only the first moves after the tries are shown."),
        ("try_moves", "Only the first {try_moves} moves after the tries are shown."),
    ],
    "keys_gap": [("keys_open", "There may be other keys.")],
    "followed_tries": [("is_followed_tries", "{one_for_all}")],
    "followed_keys": [("is_followed_keys", "{one_for_all}")],
    "one_for_all": [
        ("", "Far from the mate, only one of several continuations is shown."),
    ],
    "after_keys": [
        ("no_key_moves", "Only the defences of the main line are shown."),
        (
            "one_key_moves",
            "The play of the first move is shown; after it only the main line.",
        ),
        (
            "key_moves",
            "The play of the first {key_moves} moves is shown; after them only the "
            "main line.",
        ),
    ],
}

_NAME = re.compile(r"\{(\w+)\}")


def say(name: str, facts: Facts, table: Table = TABLE) -> str:
    """Return a sentence of a table; empty if no row of it holds."""
    return _text(name, facts, table).strip()


def _text(name: str, facts: Facts, table: Table) -> str:
    for condition, text in table[name]:
        if all(_holds(fact, facts) for fact in condition.split()):
            return _NAME.sub(lambda found: _value(found[1], facts, table), text)
    return ""


def _holds(fact: str, facts: Facts) -> bool:
    if fact[0] == "!":
        return not facts.get(fact[1:])
    return bool(facts.get(fact))


def _value(name: str, facts: Facts, table: Table) -> str:
    if name in table:
        return _text(name, facts, table)
    value = facts[name]
    return f"{value:,}" if isinstance(value, int) else str(value)


def counted(name: str, count: int | None) -> dict[str, object]:
    """Return the facts of a number: itself, and whether it is none or one."""
    return {name: count, f"no_{name}": count == 0, f"one_{name}": count == 1}


def stipulation_text(solution: Solution) -> str:
    """Return what a problem asks for, such as `#2`; `#` if no mate is known."""
    problem = solution.problem
    length = problem.claim.mate if problem.claim else solution.mate
    return problem.stipulation.text or f"#{length if length and length > 0 else ''}"


def role_facts(stipulation: Stipulation, fen: str) -> dict[str, object]:
    """Return what the table reads of a stipulation and of who begins."""
    kind = genre_of(stipulation)
    is_exchanged = kind.has_exchanged_roles(fen)
    return {**kind.facts, "mover": mover(fen), "exchanged": is_exchanged}


def facts(solution: Solution) -> dict[str, object]:
    """Return what the table reads of an answer.

    Numbers are moves of the attacker; `names` has the keys in UCI notation.
    """
    problem, mate = solution.problem, solution.mate
    claim, kind = problem.claim, genre_of(problem.stipulation)
    excluded, length = solution.lower_bound - 1, abs(mate or 0)
    solutions = len(solution.solutions)
    wanted = claim.solutions if claim else None
    is_disproved = solution.status is Status.DISPROVED
    return {
        **role_facts(problem.stipulation, problem.fen),
        "moves": length,
        "mated": (mate or 0) < 0,
        "checkmated": mate == 0,
        "stalemated": is_disproved and has_stalemate(problem.fen),
        "denies_mated": bool(claim and claim.mate < 0),
        **{str(status): solution.status is status for status in Status},
        **counted("excluded", max(excluded, 0)),
        "open_one": excluded + 1 == length - 1,
        "open_first": excluded + 1,
        "open_last": length - 1,
        **counted("keys", len(solution.keys)),
        "complete": kind.choose(solution.keys_complete, solution.solutions_complete),
        **counted("count", solutions),
        "wanted": "" if wanted in (None, solutions) else f"{wanted:,}",
        **counted("nodes", solution.stats.nodes),
        "time": duration(solution.stats.time_s),
        "restriction": solution.restriction.words() if solution.restriction else "",
        str(solution.tablebase): True,
        f"by_{solution.stopped_by}": True,
    }


_GLUE = "\N{NO-BREAK SPACE}"
"""Joins a move to its number, and the fields of a FEN: no line is broken there."""

_STYLES = {
    Status.PROVED: "bold green",
    Status.FOUND: "bold magenta",
    Status.DISPROVED: "bold red",
    Status.UNDECIDED: "bold magenta",
}

MAX_LISTED = 20
"""At most this many alternative moves are listed; records have all."""


class Sentence(NamedTuple):
    """One paragraph of an answer.

    Attributes
    ----------
    text : str
        The paragraph in one line.
    style : str
        Its style in rich.
    """

    text: str
    style: str = ""

    def lines(self, width: int | None = None) -> list[str]:
        """Break the paragraph into lines.

        Parameters
        ----------
        width : int or None
            Characters per line; None: one line of any length.
        """
        broken = [self.text]
        if width is not None:
            import textwrap

            # A word that is too long, such as a FEN, stays whole for copying.
            broken = textwrap.wrap(
                self.text,
                width,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        return [line.replace(_GLUE, " ") for line in broken]


def describe(solution: Solution, *, uci: bool = False) -> list[Sentence]:
    """Describe an answer in sentences.

    Parameters
    ----------
    solution : Solution
        The answer.
    uci : bool
        Write moves in UCI notation instead of SAN.

    Returns
    -------
    list of Sentence
        The position, exchanged roles, the restriction, the mate, its line, its keys,
        what is proved, what stopped the search, and its cost. Empty sentences are left
        out.
    """
    known = facts(solution)
    known["names"] = listed(_keys(solution, uci=uci))
    if known["help"] and known["exchanged"]:
        known |= _usual_roles(solution.problem.fen)
    sentences = [
        Sentence(_name(solution), "dim"),
        Sentence(_position(solution.problem.fen, known), "dim"),
        Sentence(say("roles", known), "italic"),
        Sentence(say("usual_roles", known), "italic"),
        Sentence(say("restricted", known), "dim"),
        Sentence(say("headline", known), _STYLES[solution.status]),
        Sentence(_line(solution, uci=uci)),
        Sentence(say("named_keys", known)),
        Sentence(say("proof", known)),
        Sentence(say("stop", known)),
        Sentence(say("cost", known), "dim"),
    ]
    return [sentence for sentence in sentences if sentence.text]


def known_so_far(search: Control) -> str:
    """Return both bounds of a running search, or what is being built, and the nodes."""
    if search.work:
        return f"{search.work}, {search.nodes:,} nodes"
    excluded = search.lower_bound - 1
    parts = [f"no mate in {at_most(excluded)}"] if excluded else []
    if best := search.best:
        parts.append(f"mate in {abs(best[0])} found")
    if search.detail:
        parts.append(search.detail)
    return ", ".join([*parts, f"{search.nodes:,} nodes"])


def _name(solution: Solution) -> str:
    id_, fen = solution.problem.id, solution.problem.fen
    name = printable(id_) if id_ else ""
    return f"{name}: {fen}" if name else ""


def _position(fen: str, known: Mapping[str, object]) -> str:
    _, _, castling, en_passant, *_ = fen.split()
    rights = f", castling {castling}" if castling != "-" else ""
    target = f", en passant {en_passant}" if en_passant != "-" else ""
    return f"{say('position', known)}{rights}{target}"


def _usual_roles(fen: str) -> dict[str, object]:
    """Return the side that has to move for the usual roles, and the FEN with it.

    The FEN is empty if it is illegal, because the side to move is in check.
    """
    board, side, castling, _, *counters = fen.split()
    other = "b" if side == "w" else "w"
    usual = " ".join([board, other, castling, "-", *counters])
    return {
        "other": mover(usual),
        "usual_fen": usual.replace(" ", _GLUE) if read_compiled(usual) else "",
    }


def _line(solution: Solution, *, uci: bool) -> str:
    kind = genre_of(solution.problem.stipulation)
    line = kind.main_line(solution)
    if uci:
        return " ".join(line)
    turns = kind.numbered_line(solution.problem.fen, line)
    return " ".join(turn.replace(" ", _GLUE) for turn in turns)


def _keys(solution: Solution, *, uci: bool) -> Sequence[str]:
    if uci:
        return solution.keys
    return first_moves(solution.problem.fen, solution.keys)


def duration(seconds: float) -> str:
    """Write a time in milliseconds, seconds, minutes or hours."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"


def listed(moves: Sequence[str]) -> str:
    """Join alternative moves by commas; count the rest of very many."""
    more = len(moves) - MAX_LISTED
    names = ", ".join(moves[:MAX_LISTED])
    return f"{names} and {more} more" if more > 0 else names


def analysis_link(fen: str) -> str:
    """Return the URL of a position on lichess's analysis board."""
    return "https://lichess.org/analysis/standard/" + fen.replace(" ", "_")
