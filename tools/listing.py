"""Every option of every command, with its help: `python -m tools.listing`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from solver.cli.main import matesolve

if TYPE_CHECKING:
    from collections.abc import Iterator


class Listed(NamedTuple):
    """An option as one command has it.

    Attributes
    ----------
    command : str
        Such as `mip build`.
    option : click.Option
    names : tuple of str
        Its spellings.
    """

    command: str
    option: click.Option
    names: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """The first sentence of its help, which says what it does."""
        return (self.option.help or "").partition(". ")[0].rstrip(".")


def commands(
    group: click.Group = matesolve, path: str = ""
) -> Iterator[tuple[str, click.Command]]:
    """Yield all commands, those of groups included, with the words typed for them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")


def listing() -> list[Listed]:
    """List the options of all commands."""
    return [
        Listed(path, option, (*option.opts, *option.secondary_opts))
        for path, command in commands()
        for option in command.params
        if isinstance(option, click.Option)
    ]


def main() -> None:
    """Print one option a line, sorted so that equal options are together."""
    for listed in sorted(listing(), key=lambda one: (max(one.names, key=len), one)):
        click.echo(f"{', '.join(listed.names)}  {listed.command}")
        click.echo(f"    {listed.option.help}")


if __name__ == "__main__":
    main()
