"""Which files are opened, which are refused, and what a start notices."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage
from quarterdeck.storage.sqlite import format as fmt


async def open_store(path: Path) -> SQLiteStorage:
    return await SQLiteStorage.open(path, compaction_interval_s=0)


async def make_store(path: Path, objects: int = 40) -> dict[str, bytes]:
    """A closed store with some history: every third object updated, every fifth deleted, half of it compacted."""
    store = await open_store(path)
    content: dict[str, bytes] = {}
    generator = random.Random(1)
    for number in range(objects):
        key = f"/registry/pods/ns/{number:03}"
        content[key] = b'{"number":%d,"data":"%s"}' % (number, generator.randbytes(700).hex().encode())
        revision = await store.create(key, content[key])
        if number % 3 == 0:
            content[key] = b"updated" + content[key]
            revision = await store.update(key, content[key], revision)
        if number % 5 == 0:
            await store.delete(key, revision)
            del content[key]
        if number == objects // 2:
            await store.compact(store.revision)
    await store.close()
    return content


async def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    content = await make_store(path)
    store = await open_store(path)
    assert {item.key: item.value async for batch in store.load_all() for item in batch} == content
    revision, compacted = store.revision, store.compacted_revision
    await store.close()
    assert path.with_name("store.db-wal").stat().st_size == 0
    store = await open_store(path)
    assert (store.revision, store.compacted_revision) == (revision, compacted)
    await store.close()


async def test_the_revision_stays_when_the_newest_write_was_a_compacted_deletion(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "store.db")
    deleted = await store.delete("/a", await store.create("/a", b"1"))
    await store.compact(deleted)
    await store.close()
    store = await open_store(tmp_path / "store.db")
    assert store.revision == deleted
    await store.close()


async def test_a_second_opener_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    await store.create("/a", b"1")
    with pytest.raises(interface.InUse, match="in use by another process"):
        await open_store(path)
    code = (
        "import asyncio, sys\n"
        "from quarterdeck.storage import interface\n"
        "from quarterdeck.storage.sqlite import SQLiteStorage\n"
        "try: asyncio.run(SQLiteStorage.open(sys.argv[1]))\n"
        "except interface.InUse: sys.exit(42)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 42
    await store.create("/b", b"2")
    await store.close()
    store = await open_store(path)
    assert len((await store.range("/")).items) == 2
    await store.close()


async def test_a_newer_format_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    await make_store(path)
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", fmt.FORMAT_VERSION + 1)
    connection.close()
    before = path.read_bytes()
    with pytest.raises(interface.UnknownFormat, match="newer release"):
        await open_store(path)
    assert path.read_bytes() == before


async def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(interface.UnknownFormat, match="another program"):
        await open_store(path)
    assert path.read_bytes() == before


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    before = path.read_bytes()
    with pytest.raises(interface.Corrupt):
        await open_store(path)
    assert path.read_bytes() == before


async def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(interface.Unavailable, match="unable to open"):
        await open_store(tmp_path / "missing" / "store.db")


def damage(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    assert connection.changes() == 1
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM revisions WHERE revision = (SELECT max(revision) FROM revisions)",
        "DELETE FROM revisions WHERE revision = (SELECT min(revision) FROM revisions)",
        "DELETE FROM revisions WHERE revision = (SELECT max(revision) - 5 FROM revisions)",
        "UPDATE revisions SET key = 'x', value = x'00' WHERE revision = (SELECT max(revision) FROM revisions)",
        "DELETE FROM meta",
        "UPDATE meta SET record = zeroblob(44)",
    ],
)
async def test_a_lost_or_changed_record_is_noticed_at_the_start(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "store.db"
    await make_store(path)
    damage(path, sql)
    with pytest.raises(interface.Corrupt):
        await open_store(path)


async def test_a_list_of_free_pages_that_names_a_used_one_is_noticed(tmp_path: Path) -> None:
    """New rows would overwrite old ones."""
    path = tmp_path / "store.db"
    store = await open_store(path)
    kept = await store.create("/kept", b"x" * 10_000)
    for number in range(20):
        await store.delete(f"/gone/{number}", await store.create(f"/gone/{number}", b"x" * 10_000))
    await store.compact(store.revision)
    assert kept < store.revision
    await store.close()
    content = bytearray(path.read_bytes())
    trunk = int.from_bytes(content[32:36], "big")
    assert int.from_bytes(content[36:40], "big") > 10, "the number of free pages"
    first_leaf = (trunk - 1) * 4096 + 8
    content[first_leaf : first_leaf + 4] = (4).to_bytes(4, "big")
    path.write_bytes(content)
    with pytest.raises(interface.Corrupt):
        await open_store(path)


async def test_a_damaged_value_harms_only_its_object(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    content = await make_store(path)
    damage(path, "UPDATE revisions SET value = zeroblob(length(value)) WHERE key = '/registry/pods/ns/032'")
    store = await open_store(path)
    with pytest.raises(interface.Corrupt) as raised:
        await store.get("/registry/pods/ns/032")
    assert raised.value.key == "/registry/pods/ns/032"
    with pytest.raises(interface.Corrupt):
        await store.range("/registry/pods/")
    with pytest.raises(interface.Corrupt):
        [batch async for batch in store.load_all()]
    unreadable: list[interface.Corrupt] = []
    loaded = {item.key: item.value async for batch in store.load_all(corrupt=unreadable.append) for item in batch}
    assert [error.key for error in unreadable] == ["/registry/pods/ns/032"]
    assert loaded == {key: value for key, value in content.items() if key != "/registry/pods/ns/032"}
    found = await store.get("/registry/pods/ns/031")
    assert found is not None
    assert found.value == content["/registry/pods/ns/031"]
    # It can be overwritten or removed by who knows that its content is gone.
    revision = await store.update("/registry/pods/ns/031", b"fine", found.revision)
    assert revision == store.revision
    await store.close()


async def test_a_damaged_value_does_not_hold_up_checkpoints(tmp_path: Path) -> None:
    """Whoever keeps the error does not keep the read open."""
    path = tmp_path / "store.db"
    await make_store(path)
    damage(path, "UPDATE revisions SET value = zeroblob(length(value)) WHERE key = '/registry/pods/ns/031'")
    fatal: list[BaseException] = []
    limits = Limits(checkpoint_bytes=100_000)
    store = await SQLiteStorage.open(path, limits=limits, on_fatal=fatal.append, compaction_interval_s=0)
    kept = await asyncio.gather(
        store.get("/registry/pods/ns/031"),
        store.range("/registry/pods/"),
        store.events("/registry/pods/", store.compacted_revision),
        return_exceptions=True,
    )
    assert [type(error) for error in kept] == [interface.Corrupt] * 3
    for number in range(100):
        await store.create(f"/registry/more/{number}", b"x" * 5000)
    assert fatal == []
    assert path.with_name("store.db-wal").stat().st_size < 400_000
    await store.close()
    assert fatal == []


@pytest.mark.parametrize("flips", [60, pytest.param(1000, marks=pytest.mark.slow)])
async def test_flipped_bits_never_show_a_wrong_object(tmp_path: Path, flips: int) -> None:
    original = tmp_path / "original.db"
    content = await make_store(original)
    choose = random.Random(flips)
    noticed = 0
    for _ in range(flips):
        path = tmp_path / "flipped.db"
        shutil.copy(original, path)
        with path.open("r+b") as file:
            position = choose.randrange(path.stat().st_size)
            file.seek(position)
            byte = file.read(1)[0] ^ 1 << choose.randrange(8)
            file.seek(position)
            file.write(bytes([byte]))
        noticed += await is_noticed(path, content)
        for suffix in ("", "-wal", "-reserve", "-mark"):
            (tmp_path / f"flipped.db{suffix}").unlink(missing_ok=True)
    assert noticed > flips / 4, "some are mended, some change what nothing depends on"


async def is_noticed(path: Path, content: dict[str, bytes]) -> bool:
    try:
        store = await open_store(path)
    except interface.StorageError:
        return True
    noticed = False
    try:
        for key in content:
            try:
                found = await store.get(key)
            except interface.Corrupt:
                noticed = True
                continue
            assert found is not None
            assert found.value == content[key], key
        try:
            await store.events("/", store.compacted_revision)
            items = (await store.range("/")).items
        except interface.Corrupt:
            noticed = True
        else:
            assert {item.key: item.value for item in items} == content
    finally:
        await store.close()
    return noticed
