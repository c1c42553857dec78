"""Web pages: one style, one template and the ES modules that all of them share.

A page is a jinja2 template that extends `page.html`, and records as JSON. It is one
file, and nothing in a problem or a collection becomes markup or code:

- the page loads nothing, and its policy allows only the style and the script whose
  hashes it names;
- no element has a `style` attribute, which the policy would refuse;
- the template escapes its values, except our drawings.

Without scripts a page still shows its title, its totals and its first rows.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from solver import __version__, position_text, problem, solution
from solver.kernel.border.query_struct import LineStyle
from solver.output.answer_record import san_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Environment


STYLE = "page.css"
"""The style that all pages begin with."""


def page_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with what only pages need.

    `san` names its moves, `long` those of its solutions as Popeye does, and `shown` has
    the names that a page shows in place of its own; see `problem.printable`. A page
    shows names as `bdi` elements, so that letters that are written from right to left
    do not move what is beside them. `restriction` has the restriction in words, and
    `stalemated` is true of a stalemate.
    """
    names = {name: record.get(name) or "" for name in ("id", "source", "error", "text")}
    shown = {name: problem.printable(text) for name, text in names.items()}
    page = {
        "san": san_of(record),
        "shown": {name: text for name, text in shown.items() if text != names[name]},
    }
    if solutions := record.get("solutions"):
        fen, style = record["fen"], LineStyle.LONG
        page["long"] = position_text.write_lines(fen, solutions, style=style)
    if "restriction" in record:
        page["restriction"] = problem.Restriction(**record["restriction"]).words()
    is_disproved = record.get("status") == solution.Status.DISPROVED
    if is_disproved and position_text.has_stalemate(record["fen"]):
        page["stalemated"] = True
    return record | page


def fill_page(
    name: str,
    *,
    title: str,
    style: str = "",
    scripts: Sequence[str] = (),
    data: Mapping[str, object] | None = None,
    **values: object,
) -> bytes:
    """Fill a page.

    Parameters
    ----------
    name : str
        The template's path below its package, such as `answer.html`. It extends
        `page.html`.
    title : str
        The title of the document; see `problem.printable`.
    style : str
        The paths of the page's styles, separated by blanks; they follow the one that
        all pages share.
    scripts : sequence of str
        The paths of the parts of the page's script, in order.
    data : mapping or None
        What the script reads. A page whose data has `modules` also gets the worker that
        runs them.
    **values : object
        What the template uses. It escapes all of it, except what it marks as `safe`.

    Returns
    -------
    bytes
        UTF-8; what cannot be encoded becomes `?`.

    Raises
    ------
    jinja2.UndefinedError
        The template uses a name that is not given.
    """
    styles = [source(path) for path in (STYLE, *style.split())]
    style = "\n".join(styles)
    script = bundle(scripts)
    template = _templates().get_template(name)
    page = template.render(
        title=problem.printable(title),
        version=__version__,
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script) if script else "none",
        data=data,
        worker=bundle(["modules/worker.mjs"]) if "modules" in (data or ()) else "",
        **values,
    )
    return page.encode(errors="replace")


def fill_macro(name: str, macro: str, *values: object) -> str:
    """Fill a macro of a template, for use in another page.

    Parameters
    ----------
    name : str
        The template's path below this package.
    macro : str
        The name of the macro.
    *values : object
        Its arguments. It escapes all of them, except what it marks as `safe`.

    Returns
    -------
    str
        HTML.
    """
    module = _templates().get_template(name).module
    return str(getattr(module, macro)(*values))


_ID = re.compile(r' id="[^"]*"')
_STYLE = re.compile(r'style="([^"]*)"')
_DECLARATION = re.compile(r"([a-z-]+):\s*([^;]+);?")


def unstyled(drawing: str) -> str:
    """Replace `style` in an SVG drawing by attributes, which no policy refuses."""
    return _STYLE.sub(lambda style: _DECLARATION.sub(r'\1="\2"', style[1]), drawing)


_IMPORT = re.compile(r'^import [^;]*"\./([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_COMMENT = re.compile(r"^ *(//.*|/\*\*([^*]|\*(?!/))*\*/)\n", re.MULTILINE)


def source(path: str) -> str:
    """Return a file of this package."""
    return files(__name__).joinpath(path).read_text(encoding="utf-8")


def bundle(paths: Sequence[str], read: Callable[[str], str] = source) -> str:
    """Join scripts, and ES modules with all that they import, to one script.

    Each module comes once, after those that it imports from its folder. The lines
    `import`, the words `export` and comments, a quarter of the text, are removed, so no
    two modules may share a name. `read` returns the text of a path.
    """
    parts: dict[str, str] = {}

    def add(path: str) -> None:
        if path in parts:
            return
        text = read(path)
        parts[path] = ""  # modules may import each other
        folder = path.rpartition("/")[0]
        for name in _IMPORT.findall(text):
            add(f"{folder}/{name}")
        del parts[path]
        parts[path] = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))

    for path in paths:
        add(path)
    return "\n".join(parts.values())


def packed(data: bytes) -> str:
    """Pack what a script unpacks: gzip in base64, the same text for the same bytes."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _digest(text: str) -> str:
    """Return the hash by which a Content-Security-Policy names a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _templates() -> Environment:
    from chess.svg import PIECES
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader(__name__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    drawings = {letter: _ID.sub("", unstyled(svg)) for letter, svg in PIECES.items()}
    templates.globals["pieces"] = drawings
    templates.policies["json.dumps_kwargs"] = {
        "separators": (",", ":"),
        "allow_nan": False,
    }
    return templates
