"""`quarterdeck storage copy`: what one store holds into another one, through what all backends have in common."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.cmd import etcd_flags
from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.snapshot import Encrypted, check_empty, held, opened, store_path

if TYPE_CHECKING:
    from quarterdeck.storage.etcd3.settings import Settings
    from quarterdeck.storage.interface import KeyValue, RangeResult
    from quarterdeck.storage.snapshot.copying import CopyResult
    from quarterdeck.storage.snapshot.ordering import Readable

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_DATA: Final = 4
_SEALED: Final = b"k8s:enc:"


def run(arguments: argparse.Namespace) -> int:
    from quarterdeck.server.datadir import DataDirectoryError
    from quarterdeck.storage.interface import StorageError
    from quarterdeck.storage.snapshot.copying import CopyFailed

    try:
        source, target = (_place(text, arguments) for text in (arguments.source, arguments.target))
    except ValueError as error:
        return fail(EXIT_USAGE, str(error))
    os.umask(0o077)
    try:
        done = asyncio.run(_copy(source, target))
    except (DataDirectoryError, StorageError, OSError) as error:
        return fail(EXIT_DATA, str(error))
    except CopyFailed as error:
        return fail(EXIT_FAILED, str(error))
    print(f"objects: {done.count}, as of revision {done.source_revision}; the copy is at {done.target_revision}")
    print(f"digest: {done.digest.hex()}, the same in both")
    return EXIT_OK


def _place(text: str, arguments: argparse.Namespace) -> Path | Settings:
    """Raises ValueError."""
    return etcd_flags.resolve_access(arguments, text.split(",")) if "://" in text else Path(text)


async def _copy(source: Path | Settings, target: Path | Settings) -> CopyResult:
    async with _reading(source) as storage:
        if isinstance(target, Path):
            return await _fill_directory(storage, target)
        return await _fill_etcd(storage, target)


@asynccontextmanager
async def _reading(source: Path | Settings) -> AsyncIterator[Readable]:
    if isinstance(source, Path):
        with held(source) as path:
            async with opened(path) as embedded:
                yield embedded
        return
    from quarterdeck.server.etcdstoring import in_key_order, open_alone

    storage, _ = await open_alone(source)
    try:
        yield in_key_order(storage)
    finally:
        await storage.close()


async def _fill_directory(storage: Readable, target: Path) -> CopyResult:
    from quarterdeck.server.datadir import DataDirectory
    from quarterdeck.server.storing import MARK
    from quarterdeck.storage.snapshot.copying import copy
    from quarterdeck.storage.sqlite import restoring

    encrypted = Encrypted()

    def note(page: list[KeyValue]) -> None:
        for item in page:
            encrypted.note(item)

    check_empty(target)
    directory = DataDirectory.open(target)
    try:
        aside = restoring.begin_aside(store_path(target), storage.revision + restoring.BUMP)
        async with opened(aside) as fresh:
            done = await copy(storage, fresh, note)
        if encrypted.found:
            (target / MARK).touch(mode=0o600)
        restoring.finish_aside(store_path(target))
    finally:
        directory.close()
    return done


async def _fill_etcd(storage: Readable, target: Settings) -> CopyResult:
    from quarterdeck.server.etcdstoring import in_key_order, open_alone
    from quarterdeck.storage.snapshot.copying import copy

    fresh, values = await open_alone(target)

    def as_stored(key: str, value: bytes) -> bytes:
        return values.open(key, b"", values.seal(key, b"", value))

    try:
        return await copy(_InTheClear(storage), fresh, lambda page: None, as_stored, in_key_order(fresh))
    finally:
        await fresh.close()


class _InTheClear:
    """A store without encrypted values: an etcd has none that this server sealed."""

    def __init__(self, storage: Readable) -> None:
        self._storage = storage

    @property
    def revision(self) -> int:
        return self._storage.revision

    async def range(self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0) -> RangeResult:
        """Raises CopyFailed."""
        from quarterdeck.storage.snapshot.copying import CopyFailed

        page = await self._storage.range(prefix, start_key=start_key, limit=limit, revision=revision)
        for item in page.items:
            if item.value.startswith(_SEALED):
                raise CopyFailed(f"{item.key} is encrypted: store everything in the clear before")
        return page
