"""`quarterdeck storage copy`: what one store holds into another one, through what all backends have in common."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.snapshot import Encrypted, check_empty, held, opened, store_path

if TYPE_CHECKING:
    from quarterdeck.storage.interface import KeyValue
    from quarterdeck.storage.snapshot.copying import Copied

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_DATA: Final = 4


def run(source: str, target: str) -> int:
    from quarterdeck.server.datadir import DataDirectoryError
    from quarterdeck.storage.interface import StorageError
    from quarterdeck.storage.snapshot.copying import CopyFailed

    for place in (source, target):
        if "://" in place:
            return fail(EXIT_USAGE, f"{place} is no data directory: stores at addresses cannot be copied")
    os.umask(0o077)
    try:
        done = _copy(Path(source), Path(target))
    except (DataDirectoryError, StorageError, OSError) as error:
        return fail(EXIT_DATA, str(error))
    except CopyFailed as error:
        return fail(EXIT_FAILED, str(error))
    print(f"objects: {done.count}, as of revision {done.source_revision}; the copy is at {done.target_revision}")
    print(f"digest: {done.digest.hex()}, the same in both")
    return EXIT_OK


def _copy(source: Path, target: Path) -> Copied:
    from quarterdeck.server.datadir import DataDirectory
    from quarterdeck.server.storing import MARK
    from quarterdeck.storage.sqlite import restoring

    encrypted = Encrypted()
    with held(source) as path:
        check_empty(target)
        directory = DataDirectory.open(target)
        try:
            done = asyncio.run(_fill(path, store_path(target), encrypted))
            if encrypted.found:
                (target / MARK).touch(mode=0o600)
            restoring.finish_aside(store_path(target))
        finally:
            directory.close()
    return done


async def _fill(source: Path, target: Path, encrypted: Encrypted) -> Copied:
    from quarterdeck.storage.snapshot.copying import copy
    from quarterdeck.storage.sqlite import restoring

    async with opened(source) as storage:
        aside = restoring.begin_aside(target, storage.revision + restoring.BUMP)
        async with opened(aside) as fresh:

            def note(page: list[KeyValue]) -> None:
                for item in page:
                    encrypted.note(item)

            return await copy(storage, fresh, note)
