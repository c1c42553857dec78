"""`matesolve board`: write the live board as a web page, or open it in a browser."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import click

from solver.cli import options
from solver.cli.console import notify, prepare_module, prepare_outputs
from solver.cli.help_pages import Command
from solver.files import write_whole


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve board
  matesolve board 8/7K/8/8/8/8/R7/7k
  matesolve board "8/8/8/8/8/5KR1/8/7k w - -" -o board.html
""",
)
@click.argument("fen", nargs=-1, metavar="[FEN...]")
@options.output("No browser is opened.", required=False)
def board(fen: tuple[str, ...], output: str | None) -> None:
    """Set up, solve and play positions in a browser.

    The board is one web page with the compiled search in it. It needs no network and no
    other program: keep it, send it, or open it offline. It searches while you move
    pieces, shows what is proved so far, unfolds the play of a composition, and counts
    the nodes that search techniques save.

    FEN is the position to begin with, with or without quotes. Default: a mate in 8.

    Without -o the page is written to a private temporary folder and opened.
    """
    from solver.board import parse_fen
    from solver.kernel.border.parts import PARTS
    from solver.pages.board_page import PROBLEM, encode_board

    start = parse_fen(" ".join(fen)).fen(en_passant="fen") if fen else PROBLEM
    if output:
        prepare_outputs(output)
    modules = {part.name: prepare_module(part).code for part in PARTS}
    page = encode_board(modules, start)
    if output:
        write_whole(output, page)
        return
    path = Path(tempfile.mkdtemp(prefix="matesolve-")) / "board.html"
    path.write_bytes(page)
    click.echo(path)
    if not webbrowser.open(path.as_uri()):
        notify("no browser was found: open the file above in one")
