"""`quarterdeck snapshot`: takes a snapshot of a running or a stopped server's store, looks at one, and makes a data
directory of one. docs/backup.md tells when to use which."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from quarterdeck.cmd.failures import fail
from quarterdeck.cmd.parsers import add_action, add_server

if TYPE_CHECKING:
    from quarterdeck.storage.interface import KeyValue
    from quarterdeck.storage.snapshot.file import Summary
    from quarterdeck.storage.sqlite import SQLiteStorage

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_DATA: Final = 4
_PATH: Final = "/debug/snapshot"
_READ_BYTES: Final = 1 << 20
_PRIVATE: Final = 0o600
# Fewer are given out ahead by the store itself (storage/sqlite/mark.py).
_BUMP_MIN: Final = 10_000
_BUMP_MAX: Final = 1 << 50


class SnapshotError(Exception):
    """The text is for the person who asked for it."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    snapshot = commands.add_parser(
        "snapshot",
        help="save what a server's store holds, look at such a file, or restore it",
        description="Save what a server's store holds as of one moment, look at such a file, or restore it.",
        epilog="Exit codes: 0 done; 1 failed, no snapshot; 2 wrong usage; 4 unusable data directory.",
        allow_abbrev=False,
    )
    actions = snapshot.add_subparsers(dest="action", metavar="ACTION", required=True)
    what = "save a snapshot of the running server, or of a stopped one"
    save = add_action(actions, "save", what)
    save.add_argument("file", type=Path, metavar="FILE", help="must not exist; Secrets are in it")
    add_server(save)
    save.add_argument("--data-dir", type=Path, metavar="DIR", help="of a stopped server, instead of a running one")
    what = "verify a snapshot and tell what it is"
    status = add_action(actions, "status", what)
    status.add_argument("file", type=Path, metavar="FILE")
    what = "make a data directory of a snapshot"
    more = ". Certificates and keys are not in it: copy DIR/pki into it afterwards."
    restore = add_action(actions, "restore", what, more)
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.add_argument("--data-dir", type=Path, required=True, metavar="DIR", help="missing, or empty")
    restore.add_argument(
        "--bump-revision",
        type=_parse_bump,
        default=1_000_000_000,
        metavar="N",
        help="how far resourceVersions go on beyond the snapshot's; more than the writes that came after it"
        " (default %(default)s)",
    )


def _parse_bump(text: str) -> int:
    if not text.isdecimal() or not _BUMP_MIN <= int(text) <= _BUMP_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from {_BUMP_MIN} to {_BUMP_MAX}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from quarterdeck.cmd.client import RequestError
    from quarterdeck.cmd.kubeconfig import KubeconfigError
    from quarterdeck.server.datadir import DataDirectoryError
    from quarterdeck.storage.interface import StorageError
    from quarterdeck.storage.snapshot.file import Damaged

    os.umask(0o077)
    try:
        if arguments.action == "save":
            summary = _save(arguments)
        elif arguments.action == "restore":
            summary = _restore(arguments.file, arguments.data_dir, arguments.bump_revision)
        else:
            summary = _verify(arguments.file)
    except (DataDirectoryError, StorageError) as error:
        return fail(EXIT_DATA, str(error))
    except (Damaged, SnapshotError, RequestError, KubeconfigError, OSError) as error:
        return fail(EXIT_FAILED, f"{arguments.file}: {error}" if isinstance(error, Damaged) else str(error))
    taken = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(summary.taken_s))
    print(f"objects: {summary.count}, as of revision {summary.revision}, taken {taken}")
    print(f"digest: {summary.digest.hex()}")
    print(f"size: {summary.size} bytes")
    if arguments.action == "restore":
        print(f"restored to {arguments.data_dir}: it goes on at revision {summary.revision + arguments.bump_revision}")
    return EXIT_OK


def _verify(path: Path) -> Summary:
    from quarterdeck.storage.snapshot import file as snapshot_file

    with path.open("rb") as file:
        return snapshot_file.verify(file)


def _save(arguments: argparse.Namespace) -> Summary:
    """Beside the place first: FILE is a whole snapshot, verified and durable, or it is not there."""
    from quarterdeck.server.files import sync_folder

    path: Path = arguments.file
    if path.exists():
        raise SnapshotError(f"{path} exists")
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            if arguments.data_dir is None:
                _receive(arguments, file)
            else:
                _read_stopped(arguments.data_dir, file)
            file.flush()
            os.fsync(file.fileno())
        summary = _verify(part)
        os.link(part, path)  # not a rename: that would replace a file that somebody else made meanwhile
        sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)
    return summary


def _receive(arguments: argparse.Namespace, file: BinaryIO) -> None:
    import http.client

    from quarterdeck.cmd.client import RequestError, connect
    from quarterdeck.cmd.kubeconfig import default_path, load

    target = load(arguments.kubeconfig or default_path(), arguments.context)
    with contextlib.closing(connect(target)) as connection:
        try:
            connection.request("GET", target.root + _PATH, headers=target.headers)
            response = connection.getresponse()
            if response.status != 200:
                answer = response.read(400).decode(errors="replace")
                raise RequestError(f"{target.url} answered {response.status}: {answer}")
            while piece := response.read(_READ_BYTES):
                file.write(piece)
        except http.client.HTTPException as error:
            raise RequestError(f"the snapshot from {target.url} broke off: {error!r}") from error


def _read_stopped(data_dir: Path, file: BinaryIO) -> None:
    import asyncio

    from quarterdeck.storage.snapshot.reading import snapshot

    async def write(path: Path) -> None:
        async with opened(path) as storage:
            async for piece in snapshot(storage):
                file.write(piece)

    with held(data_dir) as path:
        asyncio.run(write(path))


def _restore(file: Path, data_dir: Path, bump: int) -> Summary:
    import asyncio

    from quarterdeck.server.datadir import DataDirectory
    from quarterdeck.server.storing import MARK
    from quarterdeck.storage.snapshot.file import Reader
    from quarterdeck.storage.sqlite import restoring

    summary = _verify(file)
    check_empty(data_dir)
    directory = DataDirectory.open(data_dir)
    try:
        encrypted = Encrypted()
        with file.open("rb") as content:
            reader = Reader(content)
            records = (encrypted.note(item) for item in reader)
            restoring.build(store_path(data_dir), summary.revision + bump, records)
            if reader.summary != summary:
                raise SnapshotError(f"{file} changed while it was read")
        if encrypted.found:
            (data_dir / MARK).touch(mode=_PRIVATE)
        found = asyncio.run(_digest_of(store_path(data_dir)))
        if found != (summary.count, summary.digest):
            raise SnapshotError(f"{data_dir} does not hold what {file} does: do not use it")
    finally:
        directory.close()
    return summary


async def _digest_of(path: Path) -> tuple[int, bytes]:
    from quarterdeck.storage.snapshot.reading import digest

    async with opened(path) as storage:
        return await digest(storage, storage.revision)


class Encrypted:
    """Whether there are values that a server without the keys must not take for damage."""

    def __init__(self) -> None:
        self.found = False

    def note(self, item: KeyValue) -> KeyValue:
        self.found = self.found or item.value.startswith(b"k8s:enc:")
        return item


@contextlib.contextmanager
def held(data_dir: Path) -> Iterator[Path]:
    """The store's file in the directory of a stopped server, which no server can use meanwhile."""
    from quarterdeck.server.datadir import DataDirectory, DataDirectoryError

    if not store_path(data_dir).exists():
        raise DataDirectoryError(f"there is no store in {data_dir}")
    directory = DataDirectory.open(data_dir)
    try:
        yield store_path(data_dir)
    finally:
        directory.close()


@contextlib.asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SQLiteStorage]:
    from quarterdeck.storage.sqlite import SQLiteStorage

    storage = await SQLiteStorage.open(path, compaction_interval_s=0)
    try:
        yield storage
    finally:
        await storage.close()


def store_path(data_dir: Path) -> Path:
    from quarterdeck.server.datadir import STORE_FILE

    return data_dir / STORE_FILE


def check_empty(data_dir: Path) -> None:
    from quarterdeck.server.datadir import DataDirectoryError

    if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
        raise DataDirectoryError(f"{data_dir} is not empty: nothing has been changed")
