"""The counter of the program's files and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.size import Size, size, sizes, total

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = '''\
"""A docstring

of three lines."""

# A comment.
TEXT = """a string

of three lines"""


def half(number):  # code with a comment
    """Return half of it."""
    # Another comment.
    return (
        number
        / 2
    )
'''


def test_every_line_is_of_one_kind() -> None:
    counts = size(SOURCE)
    assert counts == Size(files=1, code=8, docstrings=4, comments=2, blank=3)
    assert sum(counts) - counts.files == len(SOURCE.splitlines())


def test_a_room_counts_its_own_files_but_not_the_initializer(tmp_path: Path) -> None:
    inner = tmp_path / "solver" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "solver" / "outer.py").write_text(SOURCE)
    (inner / "__init__.py").write_text("import this\n")
    (inner / "a.py").write_text("")
    (inner / "page.html").write_text("<p>\n")
    found = sizes(tmp_path)
    assert [*found] == ["solver", "solver/inner"]
    assert found["solver"] == size(SOURCE)
    assert found["solver/inner"] == Size(1, 1, 0, 0, 0)
    assert total([*found.values()]).code == 9
