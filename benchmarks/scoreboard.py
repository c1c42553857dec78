"""The scoreboard: what each of the five founding texts says, and what came out.

The figures are quoted from the tables of the laboratory's pages. What a text says, the
command that tests it and the verdict are written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.laboratory_commands import table
from benchmarks.laboratory_counts import PATHS
from benchmarks.laboratory_games import EXPERIMENTS, MATCH_GAMES, TECHNIQUES
from solver.laboratory.imbalance import shipped
from solver.laboratory.node_counts import GLASS_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

AGREES = "agrees"
DIFFERS = "differs"
UNTESTED = "cannot be tested here"
VERDICTS = (AGREES, DIFFERS, UNTESTED)

CODE = "`{}`"
GLASS = CODE.format("matesolve table")
ABLATION = CODE.format(f"matesolve table {' '.join(PATHS)} --ablation")
MATES_IN_4 = "matesolve table puzzles/generated-4.epd --mdp off"
PRUNING = CODE.format(f"{MATES_IN_4} --efp off,cut,all,none,on")
ADDITIONS = CODE.format(f"{MATES_IN_4} --efp none,1,2,3,4,on")
SCORES = CODE.format("matesolve trace 7k/8/6K1/8/8/8/8/R7 w - - --depth 4")
NONE = "none"
DEFAULT_NODES = 20_000
"""Nodes of a move without `--nodes`."""


def made(name: str) -> str:
    """Return the command that makes a table."""
    return CODE.format(f"python -m benchmarks.laboratory {name}")


def match(first: str, *options: object) -> str:
    """Return the command of a match."""
    words = ("matesolve match --a", first, *options)
    return CODE.format(" ".join(map(str, words)))


def of_techniques(first: str, second: str = "off") -> str:
    """Return the command of a match of `TECHNIQUES`."""
    nodes = next(row[2] for row in TECHNIQUES if row[:2] == (first, second))
    against = ("--b", second) if second != "off" else ()
    spent = ("--nodes", nodes) if nodes != DEFAULT_NODES else ()
    return match(first, *against, *spent, "--games", MATCH_GAMES)


def use_of(use: str) -> str:
    """Return the command that counts a use of MIP on mates in 4."""
    return CODE.format(f"{MATES_IN_4} --mip off,{use}")


class Claim(NamedTuple):
    """One thing that a text says, the command that tests it, and what came out.

    The verdict is one of `VERDICTS`.
    """

    said: str
    command: str
    found: str
    verdict: str
    reason: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of its row."""
        why = f": {self.reason}" if self.reason else ""
        return self.said, self.command, self.found, f"{self.verdict}{why}"


class Measured:
    """The tables of the pages, in Markdown, by their names."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self._tables = {
            name: [
                [cell.strip().strip("`") for cell in line.strip("| \n").split(" | ")]
                for line in shown.splitlines()
            ]
            for name, shown in tables.items()
        }

    def row(self, name: str, *key: str) -> dict[str, str]:
        """Return the row of a table that begins with some cells.

        Of columns with the same head, the first counts.
        """
        head, _, *rows = self._tables[name]
        found = next(row for row in rows if tuple(row[: len(key)]) == key)
        cells = zip(reversed(head), reversed(found), strict=True)
        return dict(cells)

    def last(self, name: str, key: str) -> str:
        """Return the last cell of a row."""
        return next(row[-1] for row in self._tables[name] if row[0] == key)

    def column(self, name: str, head: str) -> list[str]:
        """Return a column of a table."""
        heads, _, *rows = self._tables[name]
        return [row[heads.index(head)] for row in rows]

    def found(self, name: str, key: str) -> list[str]:
        """Return the mates that a variant found, in each collection."""
        head, _, *rows = self._tables[name]
        cells = next(row for row in rows if row[0] == key)
        return [
            cell for title, cell in zip(head, cells, strict=True) if "found" in title
        ]

    def elo(self, name: str, *key: str) -> str:
        """Return the score of a match: Elo and error."""
        row = self.row(name, *key)
        return f"{row['Elo']} Elo, error {row['error']}"

    def counts(self, head: str) -> list[int]:
        """Return the nodes to PV on Glass's position, summed up from depth 1."""
        nodes = [int(cell.replace(",", "")) for cell in self.column("iterations", head)]
        return [sum(nodes[: depth + 1]) for depth in range(len(nodes))]


def of_mate_distance_pruning(measured: Measured) -> Iterator[Claim]:
    """Compare the Chess Programming Wiki on mate-distance pruning, with Glass."""
    off, on = measured.counts("off"), measured.counts("on")
    ratios = [f"{pruned / plain:.3f}" for plain, pruned in zip(off, on, strict=True)]
    glass = [f"{row.on / row.off:.3f}" for row in GLASS_ROWS]
    scores = measured.column("iterations", "score")
    alone = {
        form: measured.row("alone-glass", f"mdp={form}")["ratio"]
        for form in ("upper", "lower")
    }
    equal = sum(a == b for a, b in zip(off[:15], on[:15], strict=True))
    mates = sum(score == "M8" for score in scores[15:])
    forms = {form: measured.row("after-the-mate", form)["ratio"] for form in _FORMS}
    costs = measured.column("iterations", "on")[17:]
    uncut = measured.row("changes", "nodes that MDP cuts do not count")
    plain = ", ".join(measured.found("alone", "plain"))
    pruned = ", ".join(measured.found("alone", "mdp=cpw"))
    last = measured.row("iterations", "20")
    yield Claim(
        "SCORE_MATE less one for each ply to the mate",
        SCORES,
        "29,999 for a mate on ply 1, 29,997 on ply 3",
        AGREES,
    )
    for form, title in (("upper", "Upper"), ("lower", "Lower")):
        yield Claim(
            f"{title} bound, as its code has it",
            CODE.format(f"matesolve table --mdp off,{form}"),
            f"ratio {alone[form]} at depth 20",
            AGREES,
        )
    yield Claim(
        "Cuts lines where no shorter mate is possible",
        GLASS,
        f"iteration 20 alone: ratio {last['ratio']}",
        AGREES,
    )
    yield Claim(
        "Safe: cuts only irrelevant nodes",
        ABLATION,
        f"finds {pruned} mates, without MDP {plain}",
        AGREES if plain == pruned else DIFFERS,
    )
    yield Claim(
        "Does not add much playing strength",
        of_techniques("mdp=cpw"),
        measured.elo("games-techniques", "mdp=cpw"),
        AGREES,
    )
    yield Claim(
        "Helps to solve mates in n",
        CODE.format(f"{MATES_IN_4},cpw,tight"),
        f"nodes in all: ratio {forms['cpw']}; tight form {forms['tight']}",
        AGREES,
    )
    yield Claim(
        "Depths 1 to 15: as many nodes with MDP as without",
        GLASS,
        f"at {equal} of 15 depths",
        AGREES if equal == 15 else DIFFERS,
        "but not with every [table](laboratory-glass.md#small-tables)",
    )
    yield Claim(
        f"Depths 1 to 20: {GLASS_ROWS[0].off} to {GLASS_ROWS[-1].off:,} nodes, no MDP",
        GLASS,
        f"{off[0]:,} to {off[-1]:,}",
        DIFFERS,
        "evaluation, table and move order are its own",
    )
    yield Claim(
        "Depths 1 to 15: scores 1,041 to 1,105",
        GLASS,
        f"{min(scores[:15])} to {max(scores[:15])}",
        DIFFERS,
        "another evaluation; its scale [changes no count](laboratory-glass.md)",
    )
    yield Claim("Depths 16 to 20: M8", GLASS, f"M8 at {mates} of 5 depths", AGREES)
    yield Claim(
        f"Depth 16: about 10% fewer nodes (ratio {glass[15]})",
        GLASS,
        f"ratio {ratios[15]}",
        DIFFERS,
        "only a mate by ply 27 is known before it here",
    )
    yield Claim(
        f"Depths 17, 18, 19: ratios {', '.join(glass[16:19])}",
        GLASS,
        f"{', '.join(ratios[16:19])}",
        DIFFERS,
        "as at depth 20",
    )
    yield Claim(
        f"Depth 20: less than half as big (ratio {glass[19]})",
        GLASS,
        f"ratio {ratios[19]}; {uncut['depth 20: ratio']} if nodes that MDP cuts do not "
        "count",
        DIFFERS,
        "what counts as a node explains most of it",
    )
    yield Claim(
        "Further iterations do not explode",
        GLASS,
        f"iterations 18, 19, 20 cost {'; '.join(costs)} nodes; without MDP the last "
        f"costs {last['off']}",
        AGREES,
    )


_FORMS = ("off", "cpw", "tight")


def of_vipermate(measured: Measured) -> Iterator[Claim]:
    """Compare ViperMate's journal."""
    wiki, own = (measured.row("alone-glass", f"mdp={f}") for f in ("cpw", "vipermate"))
    nodes = "nodes to PV at depth 20"
    yield Claim(
        "MATE is 30,000; mated at once -30,000, two plies later -29,998",
        SCORES,
        "-29,999 if mated on ply 1, -29,997 on ply 3",
        AGREES,
    )
    yield Claim(
        "A ply that grows lets lines be longer than the depth",
        CODE.format("matesolve table --check-extension off,uncapped"),
        "extended lines of up to 448 plies",
        AGREES,
    )
    yield Claim(
        "MDP finds no better moves, it only saves time near mates",
        of_techniques("mdp=cpw"),
        measured.elo("games-techniques", "mdp=cpw"),
        AGREES,
    )
    yield Claim(
        "Two checks: not at the root, alpha first, *else* beta, return alpha",
        CODE.format("matesolve table --mdp off,cpw,vipermate"),
        f"{own[nodes]} nodes at depth 20; the wiki's form {wiki[nodes]}",
        AGREES if own[nodes] == wiki[nodes] else DIFFERS,
        "node for node the wiki's",
    )


def of_enhanced_forward_pruning(measured: Measured) -> Iterator[Claim]:
    """Compare the Chess Programming Wiki on Enhanced Forward Pruning."""
    rows = {form: measured.row("pruned-nodes", "8", form) for form in _EFP}
    off, cut, all_nodes, none, on = (rows[form] for form in _EFP)
    deeper = measured.row("pruned-nodes", "12", "all")
    again, vain, nodes, found = _PRUNING_HEADS
    yield Claim(
        "Pruning at PV nodes is too risky",
        NONE,
        "",
        UNTESTED,
        "no form prunes there",
    )
    yield Claim(
        "Null move and multi-cut also at expected all nodes",
        PRUNING,
        f"cut: {cut[nodes]} nodes in all, both: {none[nodes]}, none: {off[nodes]}",
        AGREES,
    )
    yield Claim(
        "At cut nodes dangerous: a new variation is overlooked, no re-search",
        PRUNING,
        f"{cut[found]} of 100 mates; {cut[again]} re-searches, without pruning "
        f"{off[again]}",
        AGREES,
    )
    yield Claim(
        "At cut nodes the savings are worth it",
        of_techniques("efp=cut"),
        measured.elo("games-techniques", "efp=cut"),
        _by_elo(measured, "efp=cut"),
    )
    yield Claim(
        "At all nodes in principle not dangerous",
        PRUNING,
        f"{all_nodes[found]} of 100 mates; four plies deeper {deeper[found]}",
        DIFFERS,
        "less so than at cut nodes; a re-search prunes below its variation",
    )
    yield Claim(
        "At all nodes unnecessary re-searches",
        PRUNING,
        f"{all_nodes[again]} re-searches, {all_nodes[vain]} in vain; without pruning "
        f"{off[again]} and {off[vain]}",
        AGREES,
    )
    yield Claim(
        "The result of a mistake there is extra nodes",
        PRUNING,
        f"{all_nodes[nodes]} nodes; without pruning {off[nodes]}",
        AGREES,
    )
    for number, said in enumerate(
        (
            "a pruned node returns beta",
            "a closed PV window is searched again",
            "the re-search begins at alpha",
            "an uncertain cut node is not stored",
        ),
        1,
    ):
        row = measured.row("additions", "8", str(number))
        yield Claim(
            f"Addition {number}: {said}",
            ADDITIONS,
            f"{row[found]} mates, {row[nodes]} nodes, {row[vain]} re-searches in vain",
            AGREES,
            "as defined; each has a test",
        )
    yield Claim(
        "The pseudo code",
        CODE.format("python -m pytest tests/kernel/laboratory"),
        "search and oracle agree on every count",
        AGREES,
    )
    yield Claim(
        "The four additions together",
        of_techniques("efp=on", "efp=none"),
        f"{on[found]} mates, {on[nodes]} nodes; without: {none[found]}, {none[nodes]}; "
        + measured.elo("games-techniques", "efp=on", "efp=none"),
        AGREES,
        "they repair windows, and cost or save little",
    )


_EFP = ("off", "cut", "all", "none", "on")
_PRUNING_HEADS = ("searched again", "in vain", "nodes in all", "found of 100")


def _by_elo(measured: Measured, *key: str) -> str:
    """A setting is worth it if it wins by more than the error."""
    row = measured.row("games-techniques", *key)
    return AGREES if float(row["Elo"]) > float(row["error"]) else DIFFERS


def of_material_imbalance_pruning(measured: Measured) -> Iterator[Claim]:
    """Compare the text on Material Imbalance Pruning."""
    uses = {
        use: measured.found("alone", f"mip={use}")
        for use in ("reduce", "prune", "lazy", "correct")
    }
    ratios = {use: measured.row("alone-glass", f"mip={use}")["ratio"] for use in uses}
    elo = {use: measured.elo("games-techniques", f"mip={use}") for use in uses}
    few, many = (
        measured.row("mip-reliability", size)["right"]
        for size in ("1 to 9", "1,000 to 9,999")
    )
    coverage = measured.column("mip-coverage", "any position")[-1]
    views = measured.row("mip-reliability", "all")["error"]
    white = measured.last("mip-reliability", "all")
    opening, ending = (
        measured.row("mip-hits", phase)
        for phase in ("opening: 28 to 32", "endgame: 8 to 12")
    )
    even = measured.column("mip-hits", "decided within a pawn")
    beyond = measured.column("mip-hits", "decided")
    known = shipped().coverage()
    yield Claim(
        "236,196 cells; only rare cases are left out",
        CODE.format("matesolve mip info"),
        f"{known.cells:,} cells; {known.ignored:,} of "
        f"{known.ignored + known.positions:,} positions out of range",
        AGREES,
        "9² · 3⁶ · 2²; so a second queen is out already, not only a fifth",
    )
    yield Claim(
        "A cell is a 32-bit word: positions and per cent",
        CODE.format("matesolve mip show KRPPvKR"),
        "0x000e7457: 7,400 positions, 87 per cent",
        AGREES,
    )
    yield Claim(
        "Filled from 13.7 billion positions of Leela",
        made("mip-coverage"),
        f"7.1 million positions cover {coverage} of held-out ones",
        UNTESTED,
        "its data is not published",
    )
    yield Claim(
        "More positions make a cell more reliable",
        made("mip-reliability"),
        f"decided cells of 1 to 9 positions are right for {few}, from 1,000 for {many}",
        AGREES,
    )
    yield Claim(
        "1. Reduction at 0 or 100 per cent: a good candidate",
        f"{use_of('reduce')}; {of_techniques('mip=reduce')}",
        f"{uses['reduce'][1]} of 100 mates in 4; {elo['reduce']}",
        DIFFERS,
        "no gain in games; mates are where material already decides",
    )
    yield Claim(
        "2. Pruning: risky, never tried",
        f"{use_of('prune')}; {of_techniques('mip=prune')}",
        f"{uses['prune'][1]} of 100 mates in 4; {elo['prune']}",
        AGREES,
    )
    yield Claim(
        "3. Lazy evaluation: possible, but dangerous",
        f"{use_of('lazy')}; {of_techniques('mip=lazy')}",
        f"the same mates; nodes {ratios['lazy']} on Glass's position; {elo['lazy']}",
        AGREES,
        "the evaluation that it replaces is cheap here",
    )
    yield Claim(
        "4. Score corrections",
        f"{use_of('correct')}; {of_techniques('mip=correct')}",
        f"the same mates; {elo['correct']}",
        AGREES,
        "possible; the text claims no gain",
    )
    yield Claim(
        "Speed-up: within a pawn a reliable result is unlikely",
        made("mip-hits"),
        f"{_most(even)} of positions at most are within a pawn and decided; beyond, "
        f"up to {_most(beyond)}",
        AGREES,
    )
    yield Claim(
        "Most hits in the endgame",
        made("mip-hits"),
        f"cells decide {ending['decided']} of positions with 8 to 12 pieces, "
        f"{opening['decided']} with 28 to 32",
        AGREES,
    )
    yield Claim("Its code has no bugs", NONE, "", UNTESTED, "it is not in the text")
    yield Claim(
        "Per cents are White's",
        made("mip-reliability"),
        f"both colours together err by {views}, White's view alone by {white}",
        AGREES,
        "a form, `+white`; the default folds both",
    )


def _most(shares: list[str]) -> str:
    return max(shares, key=lambda share: float(share.rstrip("%")))


def of_check_extension(measured: Measured) -> Iterator[Claim]:
    """Compare Prophet4's journal."""
    deepest = measured.row("uncapped", "5")
    ratios = [
        measured.row("alone", f"check-extension={name}")["ratio"]
        for name in ("all", "captures", "promotions")
    ]
    glass = measured.row("alone-glass", "check-extension=all")["ratio"]
    yield Claim(
        "A quiescence search tries just captures, or also checks and evasions",
        CODE.format("matesolve table --horizon quiescence"),
        "captures, promotions and evasions; no checks",
        AGREES,
    )
    yield Claim(
        "The simplest, perhaps most effective extension",
        ABLATION,
        f"mates in 3: ratio {ratios[0]}; captures {ratios[1]}, promotions {ratios[2]}; "
        f"but {glass} on Glass's position",
        AGREES,
        "except where only quiet moves mate",
    )
    yield Claim(
        "A line need not terminate; some positions explode",
        CODE.format("matesolve table FEN --check-extension off,all,uncapped"),
        f"{deepest['uncapped']} nodes at depth 5, without it {deepest['none']}",
        AGREES,
        "no endless line of orthodox pieces is known",
    )
    for name, said, reason in (
        ("uncapped", "Every check: 331-183-402, 56.6 ± 16.8", ""),
        (
            "captures",
            "Capturing checks: 3,206-3,119-4,505, 2.8 ± 5.0",
            "neither is beyond its error",
        ),
        ("promotions", "Promotions: no effect, maybe a small loss", ""),
    ):
        yield Claim(
            said,
            match(f"check-extension={name}", "--games", MATCH_GAMES),
            measured.elo("games", f"{EXPERIMENTS[name]}, quiescence"),
            AGREES,
            reason,
        )
    yield Claim(
        "Prophet4 against Prophet3: 313-929-758, -110.6 ± 12.2",
        NONE,
        "",
        UNTESTED,
        "neither engine is here",
    )
    yield Claim(
        "The last time -164.29, so it gained",
        NONE,
        "",
        UNTESTED,
        "the gain of 53.7 is about that of every check",
    )
    yield Claim(
        "Late move reductions will be another large jump",
        NONE,
        "",
        UNTESTED,
        "the laboratory has none",
    )


TEXTS: dict[str, tuple[str, Callable[[Measured], Iterator[Claim]]]] = {
    "mdp": ("Mate Distance Pruning", of_mate_distance_pruning),
    "vipermate": ("ViperMate's journal", of_vipermate),
    "efp": ("Enhanced Forward Pruning", of_enhanced_forward_pruning),
    "mip": ("Material Imbalance Pruning", of_material_imbalance_pruning),
    "extension": ("Prophet4's check extension", of_check_extension),
}


def scoreboard(text: str, tables: Mapping[str, str]) -> str:
    """Make the scoreboard of one text from the tables of the pages."""
    _, claims_of = TEXTS[text]
    rows = [claim.cells for claim in claims_of(Measured(tables))]
    return table(("the text", "command", "came out", "verdict"), rows)


def summary(tables: Mapping[str, str]) -> str:
    """Count the verdicts of each text."""
    rows = []
    for title, claims_of in TEXTS.values():
        verdicts = [claim.verdict for claim in claims_of(Measured(tables))]
        rows.append((title, len(verdicts), *map(verdicts.count, VERDICTS)))
    sums = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    return table(("text", "claims", *VERDICTS), [*rows, ("all", *sums)])
