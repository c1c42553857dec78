"""The live board: a page that sets up, solves and plays a position by itself."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING, Any

from solver import __version__
from solver.output.text import TABLE
from solver.pages import fill_page
from solver.pages.experiments import experiments
from solver.pages.layout import describe_kernel, describe_stipulations
from solver.problem import Limits
from solver.search.workspace import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE_BYTES = Limits().hash_mib * MIB
"""The table size that a page requests, as the command does; a browser may have less."""

PROBLEM = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""The position of a board without a given one."""


def encode_board(modules: Mapping[str, bytes], fen: str = PROBLEM) -> bytes:
    """Write the board as one HTML page, which loads nothing.

    Parameters
    ----------
    modules : mapping of str to bytes
        The WebAssembly modules by the names of their parts; a page without one does not
        solve what needs it.
    fen : str
        The position to begin with.

    Returns
    -------
    bytes
        UTF-8.
    """
    data = {
        "fen": fen,
        "experiments": experiments(),
        **viewer_data(modules),
    }
    return fill_page(
        "board.html",
        title="matesolve: live board",
        scripts=["modules/page.mjs"],
        data=data,
    )


def viewer_data(modules: Mapping[str, bytes] | None) -> dict[str, Any]:
    """Return the data of a page with a board, besides its records.

    Parameters
    ----------
    modules : mapping of str to bytes or None
        As for `encode_board`; None: the page does not solve.
    """
    return {
        "version": __version__,
        "sentences": TABLE,
        "stipulations": describe_stipulations(),
        **({} if modules is None else solver_data(modules)),
    }


def solver_data(modules: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the data with which a page searches; `modules` as for `encode_board`."""
    return {
        "layout": describe_kernel(),
        "tableBytes": TABLE_BYTES,
        "modules": {name: _packed(code) for name, code in modules.items()},
    }


def _packed(code: bytes) -> str:
    return base64.b64encode(gzip.compress(code, mtime=0)).decode()
