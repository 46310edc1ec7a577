"""What commands that ask a running server have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from quarterdeck.cmd.failures import fail

if TYPE_CHECKING:
    from quarterdeck.cmd.client import Client


def ask(arguments: argparse.Namespace, do: Callable[[argparse.Namespace, Client], int]) -> int:
    """The exit code: that of `do`, 1 where the server cannot be asked or refuses (parsers.add_server)."""
    from quarterdeck.cmd import kubeconfig
    from quarterdeck.cmd.client import Client, RequestError

    try:
        target = kubeconfig.load(arguments.kubeconfig or kubeconfig.default_path(), arguments.context)
        with closing(Client(target)) as client:
            return do(arguments, client)
    except (kubeconfig.KubeconfigError, RequestError, OSError) as error:
        return fail(1, str(error))


def print_rows(rows: Iterable[Sequence[str]], gap: str) -> None:
    for line in lay_out(rows, gap):
        print(line)


def lay_out(rows: Iterable[Sequence[str]], gap: str) -> Iterator[str]:
    """The lines of a table, whose columns are as wide as what is in them."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield gap.join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
