"""One table of fields: docs, columns and the pages' type say what `Record` says."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, get_args

import pytest

from solver.audit.results import AuditResult
from solver.audit.store import ANSWER_COLUMNS
from solver.record import COMPUTED, FIELDS, Of, Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.record import Field

ROOT = Path(__file__).parents[1]
DOCUMENTED = FIELDS | COMPUTED
TEXTS = {
    name: " ".join(text.split())
    for name, text in re.findall(
        r"^ {4}(\w+)\n((?: {8}.+\n)+)", Record.__doc__ or "", re.MULTILINE
    )
}
"""The documentation of the fields."""

SQL_TYPES = {int: "INTEGER", float: "REAL", str: "TEXT"}


def is_of_every_answer(field: Field) -> bool:
    return not field.is_audits and field.of in (Of.ALL, Of.READABLE)


def is_of_some_answers(field: Field) -> bool:
    return not field.is_audits and field.of is Of.SOME


def is_of_audits(field: Field) -> bool:
    return field.is_audits or field.of is Of.UNREADABLE


@pytest.mark.parametrize("has", [is_of_every_answer, is_of_some_answers, is_of_audits])
def test_a_table_of_the_docs_has_the_fields_in_their_order(
    has: Callable[[Field], bool],
) -> None:
    page = (ROOT / "docs/reference/record.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {TEXTS[name]} |" for name, one in FIELDS.items() if has(one)]
    assert "".join(f"\n{row}" for row in rows) + "\n" in page
    computed = [name for name, one in COMPUTED.items() if has(one)]
    assert all(f"\n| `{name}` | " in page for name in computed)


def test_the_docs_of_the_store_say_how_each_column_is_stored() -> None:
    page = (ROOT / "docs/reference/store.md").read_text(encoding="utf-8")
    groups = defaultdict(list)
    for name in ANSWER_COLUMNS:
        kind = FIELDS[name].kind
        groups[SQL_TYPES[kind.column], kind.stored].append(f"`{name}`")
    rows = [
        f"| {', '.join(names)} | {' | '.join(group)} |"
        for group, names in groups.items()
    ]
    assert "".join(f"\n{row}" for row in rows) + "\n" in page


def test_the_type_of_the_pages_has_the_fields() -> None:
    module = ROOT / "solver/pages/modules/records.mjs"
    typed = re.findall(
        r"@property \{(.+)\} (\S+)$", module.read_text("utf-8"), re.MULTILINE
    )
    assert typed == [script_of(name) for name in DOCUMENTED]


def script_of(name: str) -> tuple[str, str]:
    """Return a field's type and name for TypeScript, in brackets if it may miss."""
    field = DOCUMENTED[name]
    hint = get_args(Record.__annotations__[name])[0] if name in FIELDS else None
    may_be_null = NoneType in get_args(hint) and field.of in (Of.ALL, Of.READABLE)
    script = f"{field.kind.script} | null" if may_be_null else field.kind.script
    is_sure = field.of is Of.ALL and not field.is_audits
    return script, name if is_sure else f"[{name}]"


def test_a_column_is_empty_in_a_result_without_it() -> None:
    names = {name for name, one in FIELDS.items() if one.of is Of.SOME}
    nothing = AuditResult("x", "x:1")
    assert {getattr(nothing, name) for name in names} <= {None, "", ()}
