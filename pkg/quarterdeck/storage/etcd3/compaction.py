"""Compaction, one for all servers of an etcd: kube-apiservers and this one count its rounds in the same key.

Each server remembers the round (the key's version) and the revision that it last saw. Who finds the round that it
remembers begins the next one, and compacts to the revision of the last; all others only remember. So etcd keeps between
one and two intervals of history, whoever comes and goes.

Source: apiserver/pkg/storage/etcd3/compact.go.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3 import feed, messages
from quarterdeck.storage.etcd3.calls import CallError
from quarterdeck.storage.etcd3.client import Client, CompactedThere, FutureThere

KEY: Final = b"compact_rev_key"
_LOG: Final = logging.getLogger(__name__)


class Round(NamedTuple):
    """`revision`: the store's when the round was seen. `compacted` 0: this server compacted nothing, nor saw of it."""

    number: int = 0
    revision: int = 0
    compacted: int = 0


async def take_turn(client: Client, last: Round) -> Round:
    """Raises Unavailable."""
    request = messages.encode_put_version(KEY, b"%d" % last.revision, last.number)
    outcome = await client.txn(request)
    if not outcome.succeeded:
        found = outcome.found
        number = found.version if found is not None else 0
        is_told = found is not None and found.value.isdigit()
        return Round(number, outcome.revision, int(found.value) if found is not None and is_told else 0)
    if last.revision:
        try:
            await client.call_once(messages.COMPACT, messages.encode_compact(last.revision))
        except (CompactedThere, FutureThere) as error:
            _LOG.warning("etcd was compacted by other means: %s", error)
    return Round(last.number + 1, outcome.revision, last.revision)


async def run(client: Client, interval_s: float, compacted: Callable[[int], None]) -> None:
    last = Round()
    while True:
        await asyncio.sleep(interval_s)
        try:
            last = await take_turn(client, last)
        except interface.StorageError as error:
            _LOG.warning("etcd could not be compacted: %s", error)
            continue
        if last.compacted:
            compacted(last.compacted)


async def find_compacted(client: Client) -> int:
    """The revision up to which etcd is compacted, told by a watch that begins too early; 1 where it is not. Raises
    Unavailable."""
    try:
        await client.range(messages.encode_range(KEY, revision=1))
        return 1
    except CompactedThere:
        pass
    try:
        async for _ in feed.open_watch(client, 1, KEY, KEY + b"\0"):
            pass  # it says first that it begins
    except feed.Compacted as error:
        return error.revision
    except (CallError, ConnectionError) as error:
        raise interface.Unavailable("etcd does not answer") from error
    return 1
