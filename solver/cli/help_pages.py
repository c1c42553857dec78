"""Help pages that group a command's options by purpose.

One table for the whole program says which options belong together. An option means the
same in every command, so it has the same title in each.

Click's formatter writes the pages. rich-click would load rich for every `--help`, and
cloup would be another dependency to save thirty lines.
"""

from __future__ import annotations

import click

OPTION_GROUPS = {
    "Input": (
        "--format --from --columns --strict --no-claims --theme --min-rating "
        "--min-claim --max-claim --all-rows --verdict --soundness --claim"
    ),
    "Search limits": (
        "--search-moves --depth --time --nodes --hash --threads --table-entries"
    ),
    "What is traced": "--search --technique --cuts --moves --no-prover",
    "Restrictions on the attacker": "--checks-only --king-flights --replies --threat",
    "What to look for": "--first --within --keys --every-ply --follow --tablebases",
    "Play of compositions": (
        "--stipulation --max-solutions --variations --set-play --tries --no-threats "
        "--all-defences --notation"
    ),
    "Techniques": "--a --b --mdp --check-extension --efp --mip --ablation",
    "Settings of the techniques": (
        "--null-reduction --multi-cut --mip-table --mip-positions --aspiration"
    ),
    "Conditions of the search": "--horizon --root-order --count",
    "Games": "--games --seed --first-game",
    "Processes and machines": "--jobs --cluster",
    "Saved results": "--store --correct --fresh --retry --marks --games-file",
    "Output": (
        "--to --ordered --fail-on --uci-moves --board --quiet --json --jsonl "
        "--csv --sums --summary --annotate --text --plies"
    ),
    "Files to write": (
        "--output --certificate --certificates --certificate-format --svg --pgn --html "
        "--title --solver"
    ),
}
"""The options of each group by their long names, with spaces between them, in the order
of the help."""

OTHERS = "Other options"
"""The title of the options that `OPTION_GROUPS` does not name; it comes last."""

FEW = 6
"""A command with at most this many options lists them without titles."""


def group_of(option: click.Option) -> str:
    """Return the title under which the help lists an option."""
    for title, names in OPTION_GROUPS.items():
        if not set(names.split()).isdisjoint(option.opts):
            return title
    return OTHERS


class Command(click.Command):
    """A command whose help lists its options in groups; see `OPTION_GROUPS`."""

    def format_epilog(
        self, _ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the epilog without wrapping its lines."""
        paragraphs = (self.epilog or "").strip("\n").split("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(f"\b\n{text}" for text in paragraphs))

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write each group of options under its title, or a few options as one list."""
        records = [
            (group_of(option), record)
            for option in self.get_params(ctx)
            if isinstance(option, click.Option)
            and (record := option.get_help_record(ctx)) is not None  # hidden
        ]
        if len(records) <= FEW:
            records = [("Options", record) for _, record in records]
        for title in ("Options", *OPTION_GROUPS, OTHERS):
            if group := [record for group, record in records if group == title]:
                with formatter.section(title):
                    formatter.write_dl(group)


class Group(click.Group):
    """A command whose subcommands are all of the class `Command`."""

    command_class = Command
