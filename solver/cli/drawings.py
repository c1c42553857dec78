"""What `solve` writes for people besides its answer: diagram, game and page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.certificate import BuildingStoppedError, WorkspaceProver, build_variations
from solver.cli.exits import Exit
from solver.cli.proving import build_of
from solver.cli.streams import tell
from solver.files import write_whole
from solver.output.pgn import encode_pgn
from solver.output.solution_page import encode_page
from solver.reports.svg import encode_svg

if TYPE_CHECKING:
    from solver.search.threads import Control
    from solver.search.workspace import Workspace
    from solver.solution import Solution
    from solver.variations.tree import Variations


class Drawings:
    """The files of `solve --svg`, `--pgn` and `--html`; None: it is not wanted."""

    def __init__(
        self, *, svg: str | None = None, pgn: str | None = None, html: str | None = None
    ) -> None:
        self._svg = svg
        self._told = [
            (path, encode)
            for path, encode in ((pgn, encode_pgn), (html, encode_page))
            if path is not None
        ]

    def write(self, solution: Solution, workspace: Workspace) -> Exit:
        """Write the files; Ctrl-C leaves out those that show variations.

        Raises
        ------
        OSError
            One of them cannot be written.
        """
        if self._svg is not None:
            write_whole(self._svg, encode_svg(solution))
        if not self._told:
            return Exit.PROVED

        def build(control: Control) -> Variations:
            workspace.resume()
            control.attach(workspace.search)
            return build_variations(solution, WorkspaceProver(workspace))

        try:
            variations = build_of(solution, build)
        except BuildingStoppedError:
            for path, _ in self._told:
                tell(f"interrupted: {path} is not written")
            return Exit.INTERRUPTED
        for path, encode in self._told:
            write_whole(path, encode(solution, variations))
        return Exit.PROVED
