"""Answers and audits as text, drawings, pages and records.

Pages are jinja2 templates beside the modules that fill them. A module that writes no
page does not load jinja2.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def render_template(name: str, **values: object) -> str:
    """Fill a template of this package.

    Parameters
    ----------
    name : str
        The template's path below this package, such as `solution_page.html`.
    **values : object
        What the template uses. It escapes all of it, except what it marks as `safe`.

    Raises
    ------
    jinja2.UndefinedError
        The template uses a name that is not given.
    """
    return _templates().get_template(name).render(**values)


def digest(text: str) -> str:
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
