"""`matesolve board`: a page that sets up, solves and plays, or shows a collection."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli import auditing, options
from solver.cli.console import (
    Exit,
    foremost,
    notify,
    prepare_modules,
    prepare_outputs,
    read_position,
    store_files,
)
from solver.errors import InputError, quote
from solver.files import write_whole

if TYPE_CHECKING:
    from solver.formats.claims import ReadOptions


@options.command("""
Exit codes (the first that applies):
  74  a file could not be read or written
  65  the FEN is invalid, a damaged record is listed as unreadable, or no
      claim was read from fields that may hold one
   0  the page was written

Examples:
  matesolve board
  matesolve board 8/7K/8/8/8/8/R7/7k
  matesolve board "8/8/8/8/8/5KR1/8/7k w - -" -o board.html
  matesolve board mates.epd
  matesolve board run.db
""")
@click.argument("position", nargs=-1, metavar="[FEN...|FILE]")
@options.output("No browser is opened.", required=False)
@auditing.reading("--format")
@click.pass_context
def board(
    ctx: click.Context,
    *,
    position: tuple[str, ...],
    output: str | None,
    read_options: ReadOptions,
) -> None:
    """Set up and solve positions, or browse collections, in a web browser.

    The board is one web page with the compiled search in it. It needs no network and no
    other program. It searches while you move pieces, shows what is proved so far,
    unfolds the play of a composition, and counts the nodes that search techniques save.

    FEN is the position to begin with, or the address of a position on lichess or
    chess.com. Default: a mate in 8.

    FILE is a collection that `verify` reads, a store written by `verify --store`, or
    the records of `verify --jsonl`. The page lists its records beside the board; you
    can filter, sort, mark and solve them again. If a file has this name, it is read as
    a file and not as a FEN.

    Without -o the page is written to a private temporary folder and opened.
    """
    file = position[0] if len(position) == 1 and Path(position[0]).exists() else ""
    if output:
        prepare_outputs(output, reads=store_files(file) if file else ())
    codes = {Exit.PROVED}
    if file:
        from solver.cli.stores import render_collection

        title = Path(file).name
        page, codes = render_collection(
            file, title=title, can_solve=True, read_options=read_options
        )
    else:
        page = _render_board(" ".join(position))
    if output:
        write_whole(output, page)
        notify(f"{output}: written")
    else:
        _open(page)
    ctx.exit(foremost(codes))


def _render_board(fen: str) -> bytes:
    """Return the board of one position.

    Raises
    ------
    InputError
        It is not a FEN.
    """
    from solver.board import parse_fen
    from solver.kernel.border.parts import PARTS
    from solver.pages.viewer_pages import PROBLEM, encode_board

    if fen and "/" not in fen:
        msg = f"expected a FEN or a file, found {quote(fen)}"
        raise InputError(msg)
    start = PROBLEM
    if fen:
        start = read_position(fen, parse_fen).fen(en_passant="fen")
    return encode_board(prepare_modules(PARTS), start)


def _open(page: bytes) -> None:
    path = Path(tempfile.mkdtemp(prefix="matesolve-")) / "board.html"
    path.write_bytes(page)
    click.echo(path)
    if not webbrowser.open(path.as_uri()):
        notify("found no browser; open the file above in one")
