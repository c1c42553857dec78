"""`matesolve check`: verify certificates with python-chess alone.

A file by itself, because nothing that it imports knows the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from solver import errors
from solver.cli import console, options
from solver.formats import streams
from solver.problem import at_most

if TYPE_CHECKING:
    from solver.checker import Checked

SCHEMA = 1
"""Incremented if a field changes its meaning or is removed, not if one is added."""


@options.command("""
Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP)
   74  a file could not be read; the others were checked
   65  a file is damaged or not a certificate
    1  a certificate does not prove what it states
    0  everything is proved

Examples:
  matesolve solve 8/7K/8/8/8/8/R7/7k --certificate proof.json
  matesolve check proof.json
  matesolve check certificates/* --jsonl
""")
@options.files
@options.json_record
@options.jsonl
@click.pass_context
def check(
    ctx: click.Context, *, files: tuple[str, ...], as_json: bool, jsonl: bool
) -> None:
    """Verify certificates independently, using only python-chess.

    FILE is a certificate from `solve --certificate` or `verify --certificates`, or a
    claim of MateBench; it may be compressed, and - is standard input. The checker plays
    every move and lists every reply with python-chess, and shares no code with the
    solver.

    For each file it prints the position and what is proved about it. If a proof is
    wrong, an error on stderr names the faulty node.
    """
    if as_json and jsonl:
        console.refuse_use("--json and --jsonl cannot be combined.")
    from solver import checker

    codes = {console.Exit.PROVED}
    for file in files:
        record: dict[str, object] = {"schema": SCHEMA, "file": file}
        try:
            with streams.open_collection(file) as stream:
                checked = checker.check(checker.load(stream))
        except OSError as error:
            codes.add(console.Exit.IO)
            console.notify(f"error: {file}: {error.strerror or error}")
            continue
        except (errors.CertificateError, errors.ForgeryError) as error:
            refused = isinstance(error, errors.ForgeryError)
            codes.add(console.Exit.NEGATIVE if refused else console.Exit.BAD_INPUT)
            if not (as_json or jsonl):
                console.notify(
                    f"error: {file}: {'refused: ' if refused else ''}{error}"
                )
                continue
            record["status"] = "refused" if refused else "unreadable"
            record["error"] = str(error)
        else:
            if not (as_json or jsonl):
                line = f"{file}: proved: {describe(checked)}"
                click.echo(console.one_line(line))
                continue
            record |= proved_record(checked)
        console.echo_json(record, 2 if as_json else None)
    ctx.exit(console.foremost(codes))


def describe(checked: Checked) -> str:
    """Describe in one line what a certificate proves."""
    attacker = "White" if checked.attacker else "Black"
    excluded = checked.lower_bound - 1
    if checked.mate is None:
        what = f"no mate in {at_most(excluded)} by {attacker}"
    else:
        what = f"mate in {abs(checked.mate)} by {attacker}"
        if abs(checked.mate) == checked.lower_bound:
            what += ", and none shorter"
        elif excluded > 0:
            what += f", and none in {at_most(excluded)}"
    noun = "position" if checked.positions == 1 else "positions"
    return f"{what} ({checked.positions:,} {noun}): {checked.fen}"


def proved_record(checked: Checked) -> dict[str, object]:
    """Return the record of what a certificate proves."""
    return {
        "status": "proved",
        "fen": checked.fen,
        "attacker": "white" if checked.attacker else "black",
        "mate": checked.mate,
        "lower_bound": checked.lower_bound,
        "positions": checked.positions,
    }
