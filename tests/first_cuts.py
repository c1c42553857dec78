"""The first cuts of mate-distance pruning on Glass's position, node by node.

usage: python -m tests.first_cuts > cuts.md

Runs the oracle of the laboratory's search to depth 16 (six minutes) and records the
first node that is cut by its lower bound and the first that is cut by its upper bound.
Prints both lines as the tables of docs/explanation/mate-scores.md, and draws the
picture there.
"""

from __future__ import annotations

from pathlib import Path

import chess
import chess.svg
import click

from solver.laboratory.node_counts import GLASS_FEN
from tests.oracles.recorded import Frame, Recorder, frames
from tests.oracles.scored import MATE

PICTURE = Path(__file__).parents[1] / "docs/explanation/images/first-cuts.svg"

DEPTH = 16


def table_of(line: list[Frame]) -> str:
    """Return a line as a Markdown table."""
    rows = [
        "| ply | move | to move | depth | node | alpha, beta | narrowed | returns |"
    ]
    rows.append("|---" * 8 + "|")
    for frame in line:
        side = "White" if frame.fen.split()[1] == "w" else "Black"
        cells = [
            frame.ply,
            frame.move or "(root)",
            side,
            frame.depth,
            frame.expected,
            "{:,}, {:,}".format(*frame.window),
            "{:,}, {:,}".format(*frame.narrowed),
            f"{frame.returned:,}",
        ]
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


# The picture

ROW, TOP = 24, 70
LOW, HIGH = MATE - 30, MATE
LEFT, RIGHT = 190, 620
BOARD, BOARDS = 200, 680
LEGEND = (
    "Orange: MATE - ply, a mate at this node. Nothing below it scores more for White.",
    "On White's turn it lowers beta (upper bound), on Black's turn it raises",
    "Black's alpha (lower bound); for White both are the same end of the window.",
    "A node is cut where the window is empty.",
)
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d1f23; }
.quiet { fill: #5b616b; }
.card { fill: #ffffff; stroke: #dcd9d3; }
.grid { stroke: #dcd9d3; }
.before { fill: none; stroke: #5b616b; stroke-dasharray: 3 3; }
.after { fill: #56b4e9; stroke: #0072b2; }
.stair { fill: none; stroke: #d55e00; stroke-width: 2; }
.cut { stroke: #d55e00; stroke-width: 5; }
.orange { fill: #b34700; font-weight: 600; }
.light { fill: #efe5d3; }
.dark { fill: #bfa383; }
@media (prefers-color-scheme: dark) {
  text { fill: #e8e6e1; }
  .quiet { fill: #a3a8b1; }
  .card { fill: #1f2227; stroke: #383c43; }
  .grid { stroke: #383c43; }
  .before { stroke: #a3a8b1; }
  .after { fill: #0b5c8a; stroke: #56b4e9; }
  .stair, .cut { stroke: #f28b4b; }
  .orange { fill: #f28b4b; }
}
"""


def draw(lower: list[Frame], upper: list[Frame]) -> str:
    """Draw both lines as one ladder of nodes, with windows as White sees them.

    Parameters
    ----------
    lower, upper : list of Frame
        The lines to both cuts. What they share is drawn once.

    Returns
    -------
    str
        An SVG document that is legible on light and dark pages.
    """
    shared = next(
        index
        for index, (one, other) in enumerate(zip(lower, upper, strict=False))
        if one.fen != other.fen
    )
    parts = _axis()
    at = TOP
    ladders = (
        ("", lower[:shared]),
        ("The first cut: Black's lower bound", lower[shared:]),
        ("The first cut by White's upper bound", upper[shared:]),
    )
    boards = [(lower[0], "The position"), (lower[-1], ""), (upper[-1], "")]
    for title, line in ladders:
        if title:
            at += ROW
            parts.append(f'<text x="20" y="{at + 5}" class="orange">{title}</text>')
            at += ROW
        stair = [
            (_x(_best(frame)), at + index * ROW + dy)
            for index, frame in enumerate(line)
            for dy in (-ROW / 2, ROW / 2)
        ]
        corners = " ".join(f"{x},{y}" for x, y in stair)
        for frame in line:
            parts += _rung(frame, at)
            at += ROW
        parts.append(f'<polyline class="stair" points="{corners}"/>')
    places = [TOP - 10 + index * (BOARD + 50) for index in range(3)]
    for (frame, title), top in zip(boards, places, strict=True):
        parts += _board(frame, title or f"Cut at ply {frame.ply}", top)
    for words in LEGEND:
        at += 20
        parts.append(f'<text x="20" y="{at + 14}" class="quiet">{words}</text>')
    height = max(at + 14, places[-1] + BOARD + 30) + 16
    art = "".join(
        chess.svg.PIECES[letter]
        for letter in sorted(set(lower[0].fen.split()[0]) & set(chess.svg.PIECES))
    )
    width = BOARDS + BOARD + 20
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img">',
            "<title>Windows that close towards a known mate</title>",
            f"<style>{STYLE}</style>",
            f"<defs>{art}</defs>",
            f'<rect class="card" x="1" y="1" width="{width - 2}" '
            f'height="{height - 2}" rx="8"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _x(score: int) -> float:
    share = (min(max(score, LOW), HIGH) - LOW) / (HIGH - LOW)
    return round(LEFT + share * (RIGHT - LEFT), 1)


def _best(frame: Frame) -> int:
    """Return the score of a mate by White at this node: no line below has more."""
    return MATE - frame.ply


def _as_white(frame: Frame, window: tuple[int, int]) -> tuple[int, int]:
    alpha, beta = window
    return (alpha, beta) if frame.fen.split()[1] == "w" else (-beta, -alpha)


def _axis() -> list[str]:
    parts = [
        '<text x="20" y="28">Ply, move, side to move</text>',
        f'<text x="{LEFT}" y="28">Window as White sees it: '
        '<tspan class="quiet">dashed as given, filled as narrowed</tspan></text>',
    ]
    for ply in (30, 25, 20, 15, 10, 5, 0):
        x = _x(MATE - ply)
        parts.append(
            f'<text x="{x}" y="50" text-anchor="middle" class="quiet">'
            f"{MATE - ply:,}</text>"
        )
    return parts


def _rung(frame: Frame, y: float) -> list[str]:
    alpha, beta = _as_white(frame, frame.window)
    low, high = _as_white(frame, frame.narrowed)
    white = frame.fen.split()[1] == "w"
    is_cut = frame.narrowed[0] >= frame.narrowed[1]
    parts = [
        f'<line class="grid" x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}"/>',
        f'<text x="44" y="{y + 5}" text-anchor="end" class="quiet">{frame.ply}</text>',
        f'<text x="60" y="{y + 5}">{frame.move or "root"}</text>',
        f'<circle cx="150" cy="{y}" r="6" fill="{"#fff" if white else "#000"}" '
        'stroke="#808080"/>',
        f'<rect class="before" x="{_x(alpha)}" y="{y - 7}" '
        f'width="{_x(beta) - _x(alpha):.1f}" height="14"/>',
    ]
    if is_cut:
        x = _x(low)
        parts += [
            f'<line class="cut" x1="{x}" y1="{y - 9}" x2="{x}" y2="{y + 9}"/>',
            f'<text x="{x - 12}" y="{y + 5}" text-anchor="end" class="orange">'
            f"cut: nothing above {low:,}</text>",
        ]
    else:
        parts.append(
            f'<rect class="after" x="{_x(low)}" y="{y - 7}" '
            f'width="{_x(high) - _x(low):.1f}" height="14"/>'
        )
    return parts


def _board(frame: Frame, title: str, top: float) -> list[str]:
    board = chess.Board(frame.fen)
    side = "White" if board.turn == chess.WHITE else "Black"
    size = BOARD / 8
    parts = [f'<text x="{BOARDS}" y="{top}">{title}, {side} to move</text>']
    for square in chess.SQUARES:
        file, rank = chess.square_file(square), chess.square_rank(square)
        x, y = BOARDS + file * size, top + 10 + (7 - rank) * size
        shade = "light" if (file + rank) % 2 else "dark"
        parts.append(
            f'<rect class="{shade}" x="{x}" y="{y}" width="{size}" height="{size}"/>'
        )
        if piece := board.piece_at(square):
            name = (
                f"{chess.COLOR_NAMES[piece.color]}-{chess.piece_name(piece.piece_type)}"
            )
            parts.append(
                f'<use href="#{name}" transform="translate({x} {y}) '
                f'scale({size / 45:.4f})"/>'
            )
    return parts


def main() -> None:
    """Record, print and draw both cuts."""
    recorder = Recorder()
    recorder.run(GLASS_FEN, DEPTH)
    click.echo(f"Nodes to the end of each iteration: {recorder.totals}\n")
    click.echo("Searches of the root: depth, alpha, beta, score")
    for window in recorder.windows:
        click.echo(window)
    lines = {bound: frames(cut, GLASS_FEN) for bound, cut in recorder.cuts.items()}
    for bound, line in lines.items():
        click.echo(f"\n{bound}: after {recorder.cuts[bound].nodes:,} nodes\n")
        click.echo(table_of(line))
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(lines["lower"], lines["upper"]), encoding="utf-8")


if __name__ == "__main__":
    main()
