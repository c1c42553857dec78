"""The option `--cluster`: whose workers an audit has."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from solver.errors import missing_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from solver.audit.cluster import Cluster
    from solver.audit.inquiry import Inquiry
    from solver.audit.workers import Staff
    from solver.endgames.tablebases import Tablebases

LOCAL = "local"

_ADDRESS = re.compile(r"(tcp|tls)://([^\s/:]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


def parse_address(
    _ctx: click.Context, _param: click.Parameter, address: str | None
) -> str | None:
    """Refuse what is no scheduler's address."""
    if address is None or address == LOCAL or _ADDRESS.fullmatch(address):
        return address
    msg = f"expected local or an address such as tcp://HOST:8786, found {address!r}"
    raise click.BadParameter(msg)


@contextmanager
def engaged(
    address: str | None,
    inquiry: Inquiry,
    jobs: int | None,
    tablebases: Tablebases | None,
) -> Iterator[Staff]:
    """Give an audit its workers: this machine's, or a cluster's until the audit ends.

    Parameters
    ----------
    address : str or None
        The cluster's, or `local`; None: none is asked for.
    inquiry : Inquiry
        What they are to ask.
    jobs : int or None
        How many are to work here.
    tablebases : Tablebases or None
        The inquiry's endgame tables.
    """
    if address is None:
        from solver.audit.workers import local_staff

        yield local_staff(inquiry, jobs or 1, tablebases)
        return
    if jobs and address != LOCAL:
        msg = "--jobs is about this machine; a cluster has the workers that it has."
        raise click.UsageError(msg)
    open_cluster = _load_opener()
    with open_cluster(address, inquiry, jobs) as cluster:
        yield cluster.staff


def _load_opener() -> Callable[
    [str, Inquiry, int | None], AbstractContextManager[Cluster]
]:
    try:
        from solver.audit.cluster_opening import open_cluster
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        msg = missing_package("--cluster", "distributed")
        raise click.UsageError(msg) from None
    return open_cluster
