"""Files that lost something after a kill: nothing that was acknowledged goes without a word."""

from __future__ import annotations

import asyncio
import random
import shutil
import stat
from pathlib import Path

import apsw
import pytest

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import SQLiteStorage, mark, salvage, wal
from quarterdeck.storage.sqlite import format as fmt

FILES = ("store.db", "store.db-wal", "store.db-mark")
COMMITS = 25


async def open_store(path: Path) -> SQLiteStorage:
    return await SQLiteStorage.open(path, compaction_interval_s=0)


async def read_all(path: Path) -> dict[str, bytes]:
    store = await open_store(path)
    found = {item.key: item.value async for batch in store.load_all() for item in batch}
    await store.close()
    return found


async def write_and_copy(living: Path, folder: Path, content: dict[str, bytes]) -> None:
    store = await open_store(living / "store.db")
    for key, value in content.items():
        await store.create(key, value)
    for name in FILES:
        shutil.copy(living / name, folder / name)
    await store.close()


@pytest.fixture
def killed(tmp_path: Path, runner: asyncio.Runner) -> tuple[Path, dict[str, bytes]]:
    """What a killed process leaves after 25 acknowledged commits, and what they wrote."""
    content = {f"/registry/things/{number}": b"%d" % number * 300 for number in range(COMMITS)}
    living, folder = tmp_path / "living", tmp_path / "killed"
    living.mkdir()
    folder.mkdir()
    runner.run(write_and_copy(living, folder, content))
    return folder / "store.db", content


def copy_of(path: Path, number: int) -> Path:
    folder = path.parent.with_name(f"copy-{number}")
    shutil.copytree(path.parent, folder)
    return folder / path.name


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


async def test_a_start_reads_the_log_once(
    killed: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, content = killed
    read: list[Path] = []
    examine = wal.examine
    monkeypatch.setattr(wal, "examine", lambda log: (read.append(log), examine(log))[1])
    assert await read_all(path) == content
    assert read == [path.with_name("store.db-wal")]


async def test_a_kill_loses_nothing(killed: tuple[Path, dict[str, bytes]]) -> None:
    path, content = killed
    assert wal.examine(path.with_name("store.db-wal")).commits >= COMMITS
    assert await read_all(path) == content


@pytest.mark.parametrize("flips", [40, pytest.param(100, marks=pytest.mark.slow)])
async def test_a_flipped_bit_in_the_log_loses_nothing_silently(
    killed: tuple[Path, dict[str, bytes]], flips: int
) -> None:
    path, content = killed
    choose = random.Random(flips)
    bits = path.with_name("store.db-wal").stat().st_size * 8
    refused = 0
    for number in range(flips):
        copy = copy_of(path, number)
        flip(copy.with_name("store.db-wal"), choose.randrange(bits))
        before = copy.read_bytes()
        try:
            assert await read_all(copy) == content
        except interface.Lost:
            refused += 1
            assert copy.read_bytes() == before, "a refused file is left as it is"
        shutil.rmtree(copy.parent)
    assert refused > flips / 2


@pytest.mark.parametrize("flips", [40, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("cut", [False, True])
async def test_a_flipped_bit_in_the_mark_shows_nothing_wrong(
    killed: tuple[Path, dict[str, bytes]], flips: int, cut: bool
) -> None:
    """Whatever the mark tells: what is shown is right, and a log that was cut to nothing is not passed over where the
    mark is still readable."""
    path, content = killed
    choose = random.Random(flips)
    told = 0
    for number in range(flips):
        copy = copy_of(path, number)
        if cut:
            copy.with_name("store.db-wal").write_bytes(b"")
        flip(copy.with_name("store.db-mark"), choose.randrange(200 * 8))
        is_readable = mark.Mark.read(copy.with_name("store.db-mark")) is not None
        try:
            found = await read_all(copy)
        except interface.Lost:
            told += 1
        else:
            assert found == ({} if cut else content)
            assert not (cut and is_readable and copy.stat().st_size)
        shutil.rmtree(copy.parent)
    assert told > flips / 2 if cut else told == 0


@pytest.mark.parametrize("length", [0, 20, 32, 4000, 50_000])
async def test_a_log_that_was_cut_is_noticed(killed: tuple[Path, dict[str, bytes]], length: int) -> None:
    path, _ = killed
    log = path.with_name("store.db-wal")
    log.write_bytes(log.read_bytes()[:length])
    with pytest.raises(interface.Lost, match="acknowledged"):
        await open_store(path)


async def test_a_removed_log_is_noticed(killed: tuple[Path, dict[str, bytes]]) -> None:
    path, _ = killed
    path.with_name("store.db-wal").unlink()
    with pytest.raises(interface.Lost, match=f"{COMMITS} writes would be undone; `quarterdeck storage check`"):
        await open_store(path)


async def test_damage_in_the_middle_of_the_log_is_noticed_without_a_mark(
    killed: tuple[Path, dict[str, bytes]],
) -> None:
    path, _ = killed
    path.with_name("store.db-mark").unlink()
    flip(path.with_name("store.db-wal"), path.with_name("store.db-wal").stat().st_size * 4)
    with pytest.raises(interface.Lost, match="acknowledged commits behind the damage would be undone"):
        await open_store(path)


@pytest.mark.parametrize("has_file", [True, False])
@pytest.mark.parametrize("kept", [("store.db-wal", "store.db-mark"), ("store.db-mark",), ("store.db-wal",)])
async def test_a_store_whose_file_is_gone_is_no_fresh_one(
    killed: tuple[Path, dict[str, bytes]], kept: tuple[str, ...], has_file: bool
) -> None:
    path, _ = killed
    for name in FILES:
        if name not in kept:
            path.with_name(name).unlink()
    if has_file:
        path.touch()
    before = {name: path.with_name(name).read_bytes() for name in kept}
    with pytest.raises(interface.Lost, match=f"is {'empty' if has_file else 'missing'}, but"):
        await open_store(path)
    assert {name: path.with_name(name).read_bytes() for name in kept} == before


async def test_a_store_under_the_mark_of_another_is_refused(killed: tuple[Path, dict[str, bytes]]) -> None:
    path, _ = killed
    mark.Mark.create(path.with_name("store.db-mark"), b"x" * 16, 1).close()
    with pytest.raises(interface.Lost, match="files of two stores are mixed"):
        await open_store(path)


@pytest.mark.parametrize("content", [b"", b"x" * 4096, None])
async def test_a_damaged_or_missing_mark_costs_nothing(
    killed: tuple[Path, dict[str, bytes]], content: bytes | None
) -> None:
    path, written = killed
    if content is None:
        path.with_name("store.db-mark").unlink()
    else:
        path.with_name("store.db-mark").write_bytes(content)
    assert await read_all(path) == written
    assert await read_all(path) == written


async def test_no_revision_is_given_twice_after_a_power_failure(
    killed: tuple[Path, dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last commit is torn, and the mark on the disk is as old as the first one."""
    path, content = killed
    log = path.with_name("store.db-wal")
    store = await open_store(copy_of(path, 0))
    newest = store.revision
    await store.close()
    flip(log, (log.stat().st_size - 100) * 8)
    known = mark.Mark.read(path.with_name("store.db-mark"))
    assert known is not None
    known.acknowledge(newest - COMMITS)
    known.acknowledge(newest - COMMITS)
    known.close()
    monkeypatch.setattr(mark, "_boot_id", lambda: b"another boot of the same machine....")
    store = await open_store(path)
    assert store.revision == store.compacted_revision > newest
    found = {item.key: item.value async for batch in store.load_all() for item in batch}
    assert found == {key: value for key, value in content.items() if key != f"/registry/things/{COMMITS - 1}"}
    revision = await store.create("/registry/things/more", b"more")
    assert revision == store.revision > newest
    await store.close()
    assert (await read_all(path)).keys() == {*found, "/registry/things/more"}


async def test_a_reserve_of_revisions_is_synced_before_they_are_given(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "store.db")
    assert (known := mark.Mark.read(tmp_path / "store.db-mark")) is not None
    assert known.reserved >= store.revision + mark.RESERVE
    await store.close()


async def test_the_files_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch(0o644)
    store = await open_store(path)
    await store.create("/registry/secrets/default/a", b"secret")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    await store.close()
    assert modes == dict.fromkeys((*FILES, "store.db-reserve"), 0o600)


def update(path: Path, sql: str, *values: object) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql, values)
    assert connection.changes() == 1
    connection.close()


WRONG = {
    "key": "'/registry/things/ 7'",
    "create_revision": "create_revision + 4000",
    "previous_revision": "previous_revision + 3",
    "head_sum": "head_sum + 77",
}


@pytest.mark.parametrize("column", WRONG)
@pytest.mark.parametrize("is_superseded", [True, False])
async def test_a_damaged_head_is_mended_from_its_neighbours(tmp_path: Path, column: str, is_superseded: bool) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    first = await store.create("/registry/things/7", b"first")
    await store.create("/registry/things/8", b"eight")
    second = await store.update("/registry/things/7", b"second", first)
    if is_superseded:
        await store.update("/registry/things/7", b"third", second)
    await store.close()
    update(path, f"UPDATE revisions SET {column} = {WRONG[column]} WHERE revision = ?", second)
    store = await open_store(path)
    found = await store.get("/registry/things/7")
    assert found is not None
    assert (found.value, found.create_revision) == (b"third" if is_superseded else b"second", first)
    old = await store.get("/registry/things/7", second)
    assert old is not None
    assert old.value == b"second"
    await store.close()


@pytest.mark.parametrize("key", ["x", "/registry/core/thinks/lost", "/registry/core/things"])
async def test_a_record_without_a_resource_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    lost = await store.create("/registry/core/things/lost", b"lost")
    await store.create("/registry/core/things/kept", b"kept")
    await store.compact(store.revision)
    await store.close()
    update(path, f"UPDATE revisions SET key = '{key}', head_sum = 1 WHERE revision = ?", lost)
    with pytest.raises(interface.Corrupt, match="what it was is not known"):
        await open_store(path)


async def test_a_record_without_a_key_may_be_any_object_of_its_resource(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    lost = await store.create("/registry/core/things/ns/lost", b"lost")
    await store.create("/registry/core/things/ns/kept", b"kept")
    await store.create("/registry/core/others/ns/kept", b"kept")
    await store.compact(store.revision)
    await store.close()
    update(path, "UPDATE revisions SET key = '/registry/core/things/n?/????', head_sum = 1 WHERE revision = ?", lost)
    store = await open_store(path)
    unreadable: list[interface.Corrupt] = []
    found = {item.key: item.value async for batch in store.load_all(corrupt=unreadable.append) for item in batch}
    assert found == {"/registry/core/things/ns/kept": b"kept", "/registry/core/others/ns/kept": b"kept"}
    assert [(error.key, error.is_key_certain) for error in unreadable] == [("/registry/core/things/n?/????", False)]
    assert (kept := await store.get("/registry/core/things/ns/kept")) is not None
    assert kept.value == b"kept"
    assert await store.get("/registry/core/others/ns/none") is None
    assert len((await store.range("/registry/core/others/")).items) == 1
    for reading in (
        store.get("/registry/core/things/ns/lost"),
        store.range("/registry/core/things/ns/"),
        store.range("/"),
    ):
        with pytest.raises(interface.Corrupt):
            await reading
    await store.delete("/registry/core/things/n?/????", lost)
    assert await store.get("/registry/core/things/ns/lost") is None
    assert len((await store.range("/registry/core/things/ns/")).items) == 1
    await store.close()


async def test_a_damaged_record_that_may_have_replaced_any_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    first = await store.create("/registry/things/7", b"first")
    second = await store.update("/registry/things/7", b"second", first)
    await store.close()
    sql = "UPDATE revisions SET key = 'x', previous_revision = 3, head_sum = 1, value = x'00' WHERE revision = ?"
    update(path, sql, second)
    with pytest.raises(interface.Corrupt, match="what it replaced is not known"):
        await open_store(path)


async def test_a_store_of_the_format_before_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    await store.create("/registry/things/7", b"first")
    await store.close()
    connection = apsw.Connection(str(path))
    connection.execute(f"DROP TABLE store; PRAGMA user_version = {fmt.FORMAT_WITHOUT_ID}")
    connection.close()
    path.with_name("store.db-mark").unlink()
    assert await read_all(path) == {"/registry/things/7": b"first"}
    assert await read_all(path) == {"/registry/things/7": b"first"}


async def test_a_check_tells_of_a_whole_store_and_changes_nothing(killed: tuple[Path, dict[str, bytes]]) -> None:
    path, content = killed
    before = {name: path.with_name(name).read_bytes() for name in FILES}
    findings = salvage.check(path)
    assert findings.is_whole
    assert findings.records == len(content)
    assert findings.revision == findings.acknowledged
    assert {name: path.with_name(name).read_bytes() for name in FILES} == before
    assert await read_all(path) == content


async def test_a_repair_keeps_what_stands_before_the_damage_of_a_log(killed: tuple[Path, dict[str, bytes]]) -> None:
    path, content = killed
    log = path.with_name("store.db-wal")
    flip(log, log.stat().st_size * 4)
    before = log.read_bytes()
    found = salvage.check(path)
    assert (found.is_whole, found.lost_revisions) == (False, COMMITS - found.records)
    assert found.records > 0
    findings, kept = salvage.repair(path)
    assert findings == found
    assert (kept / "store.db-wal").read_bytes() == before
    store = await open_store(path)
    items = {item.key: item.value async for batch in store.load_all() for item in batch}
    assert items == {key: content[key] for number, key in enumerate(content) if number < found.records}
    assert store.revision == store.compacted_revision > findings.reserved > findings.acknowledged
    await store.close()
    assert salvage.check(path).is_whole


async def test_a_repair_leaves_out_what_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    first = await store.create("/registry/things/7", b"first")
    second = await store.update("/registry/things/7", b"second", first)
    await store.create("/registry/things/8", b"eight")
    third = await store.create("/registry/things/9", b"nine")
    await store.delete("/registry/things/9", third)
    await store.close()
    sql = "UPDATE revisions SET key = 'x', previous_revision = 3, head_sum = 1, value = x'00' WHERE revision = ?"
    update(path, sql, second)
    update(path, "UPDATE revisions SET head_sum = 3 WHERE revision = ?", first)
    findings = salvage.check(path)
    assert "what it replaced is not known" in findings.refusal
    assert len(findings.damaged) == len(findings.mendable) == 1
    salvage.repair(path)
    assert await read_all(path) == {"/registry/things/7": b"first", "/registry/things/8": b"eight"}


async def test_a_repair_reads_around_a_page_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = await open_store(path)
    content = {f"/registry/things/{number:03}": b"%03d" % number * 100 for number in range(300)}
    for key, value in content.items():
        await store.create(key, value)
    await store.close()
    pages = path.stat().st_size // 4096
    raw = bytearray(path.read_bytes())
    raw[(pages - 5) * 4096 : (pages - 4) * 4096] = b"\xff" * 4096
    path.write_bytes(raw)
    with pytest.raises(interface.Corrupt):
        await open_store(path)
    assert not salvage.check(path).is_whole
    salvage.repair(path)
    found = await read_all(path)
    assert len(found) > 250
    assert found.items() <= content.items()


async def test_a_repair_of_nothing_is_refused(killed: tuple[Path, dict[str, bytes]]) -> None:
    path, _ = killed
    path.write_bytes(b"")
    with pytest.raises(interface.Lost, match="is empty, but"):
        salvage.repair(path)
