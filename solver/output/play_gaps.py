"""What the play of a problem does not show, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.play.tree import Attack, all_attacks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.play.tree import Variations

_ONE_FOR_ALL = "Far from the mate, one continuation stands for all."


class Missing(NamedTuple):
    """What the play does not show, in sentences.

    Attributes
    ----------
    set_play, tries : list of str
    keys : list of str
        Of the keys, or of the play where the defender begins.
    """

    set_play: list[str]
    tries: list[str]
    keys: list[str]


def missing(
    variations: Variations, *, keys: bool = True, tries: bool = False
) -> Missing:
    """Say in sentences what each part of the play does not show.

    Parameters
    ----------
    variations : Variations
        The play.
    keys : bool
        Whether to say that keys may be missing.
    tries : bool
        Whether tries were asked for.
    """
    return Missing(
        list(_set_play_gaps(variations)),
        list(_try_gaps(variations, is_asked=tries)),
        list(_key_gaps(variations, keys=keys)),
    )


def set_play_gap(found: Sequence[object]) -> str:
    """Return the sentence on set play of which only `found` is known."""
    return f"There may be {'other ' if found else ''}set play."


def _set_play_gaps(variations: Variations) -> Iterator[str]:
    if variations.set_play_moves == 0:
        yield set_play_gap(())
    elif variations.set_play_moves:
        shown = _first_moves(variations.set_play_moves)
        yield f"Only {shown} of the set play are shown."


def _try_gaps(variations: Variations, *, is_asked: bool) -> Iterator[str]:
    if not variations.tries_complete and (is_asked or variations.tries):
        yield f"There may be {'other tries' if variations.tries else 'tries'}."
    if _has_followed(variations.tries):
        yield _ONE_FOR_ALL
    if variations.try_moves == 0:
        yield "The play after the tries is not shown."
    elif variations.try_moves:
        yield f"Only {_first_moves(variations.try_moves)} after the tries are shown."


def _key_gaps(variations: Variations, *, keys: bool) -> Iterator[str]:
    if not (variations.keys or variations.defences):
        return
    if keys and variations.keys and not variations.keys_complete:
        yield "There may be other keys."
    begun = Attack("", 0, list(variations.threats), defences=list(variations.defences))
    begun.is_cut = variations.key_moves == 0
    if _has_followed([*variations.keys, begun]):
        yield _ONE_FOR_ALL
    match variations.key_moves:
        case None:
            return
        case 0:
            yield "Only the defences of the main line are shown."
        case 1:
            yield "The play of the first move is shown; after it only the main line."
        case moves:
            yield (
                f"The play of the first {moves} moves is shown; "
                "after them only the main line."
            )


def _first_moves(moves: int) -> str:
    return "the first moves" if moves == 1 else f"the first {moves} moves"


def _has_followed(attacks: Iterable[Attack]) -> bool:
    """Whether after any of the moves one continuation stands for all."""
    return any(
        not defence.continuations_complete
        for attack in all_attacks(attacks)
        if not attack.is_cut
        for defence in attack.defences
    )
