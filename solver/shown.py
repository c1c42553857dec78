"""How answers show themselves: `print` and notebooks call the methods of an answer.

The functions that write and draw answers are imported by name when an answer is first
shown, since the rooms that find answers know nothing of them. No other module of the
package calls upwards.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOMES = {
    "html": "solver.pages.notebook",
    "record": "solver.record",
    "svg": "solver.output.diagram",
    "text": "solver.output.shown_play",
}
"""The module of each function, which bears the name of the form that it returns."""


def show(answer: object, form: str) -> Any:
    """Return an answer in one of the forms of `HOMES`; a record is a dict."""
    return getattr(import_module(HOMES[form]), form)(answer)
