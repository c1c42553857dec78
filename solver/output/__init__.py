"""Answers and audits as text, drawings, pages and records.

Pages are jinja2 templates that extend `base.html`. A page is one file, and nothing in
a problem or a collection becomes markup or is run:

- the page loads nothing, and its policy allows only the style and the script whose
  hashes it names;
- no element has a `style` attribute, which the policy would refuse;
- the template escapes what it is given, except drawings of ours.

A module that writes no page does not load jinja2.
"""

from __future__ import annotations

import base64
import hashlib
import re
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from solver import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment


class Notation(StrEnum):
    """How moves are written; the command line has the same names."""

    SAN = "san"
    UCI = "uci"
    POPEYE = "popeye"


BASE_STYLE = "base.css"
"""The style that all pages begin with."""


def fill_page(
    name: str,
    *,
    title: str,
    style: str,
    scripts: Sequence[str] = (),
    **values: object,
) -> bytes:
    """Fill a page.

    Parameters
    ----------
    name : str
        The template's path below this package, such as `solution_page.html`. It extends
        `base.html`.
    title : str
        The title of the document.
    style : str
        The path of the page's style, which follows the one that all pages share.
    scripts : sequence of str
        The paths of the parts of the page's script, in order.
    **values : object
        What the template uses. It escapes all of it, except what it marks as `safe`.

    Returns
    -------
    bytes
        UTF-8; what cannot be encoded, as in some file names, becomes `?`.

    Raises
    ------
    jinja2.UndefinedError
        The template uses a name that is not given.
    """
    style = "\n".join(map(_source, (BASE_STYLE, style)))
    script = "\n".join(map(_source, scripts))
    page = (
        _templates()
        .get_template(name)
        .render(
            title=title,
            version=__version__,
            style=style,
            style_hash=_digest(style),
            script=script,
            script_hash=_digest(script) if script else "none",
            **values,
        )
    )
    return page.encode(errors="replace")


def fill_macro(name: str, macro: str, *values: object) -> str:
    """Fill a macro of a template, as a part of somebody else's page.

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


_STYLE = re.compile(r'style="([^"]*)"')
_DECLARATION = re.compile(r"([a-z-]+):\s*([^;]+);?")


def unstyled(drawing: str) -> str:
    """Replace `style` in an SVG drawing by attributes, which no policy refuses."""
    return _STYLE.sub(lambda style: _DECLARATION.sub(r'\1="\2"', style[1]), drawing)


def _source(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the hash by which a Content-Security-Policy names a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader(__name__, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.policies["json.dumps_kwargs"] = {
        "separators": (",", ":"),
        "allow_nan": False,
    }
    return templates
