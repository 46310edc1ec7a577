"""One commit of the embedded store. bench/micro/bench_storage.py has writers side by side, latencies and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.suite.groups import group

from quarterdeck.storage.sqlite import Limits
from quarterdeck.storage.sqlite.database import open_database
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.writer import Write

ROWS = 32
VALUE = b"x" * 1_500


@group("a commit of 32 rows")
def test_commit_floor(benchmark: Any, tmp_path: Path) -> None:
    connection, _ = open_database(tmp_path / "floor.db")
    connection.execute("CREATE TABLE rows (revision INTEGER PRIMARY KEY, key TEXT, value BLOB)")
    numbers = iter(range(1, 1 << 60))

    def commit() -> None:
        values = [part for number in [next(numbers) for _ in range(ROWS)] for part in (number, f"/k/{number}", VALUE)]
        connection.execute("INSERT INTO rows VALUES " + ",".join(["(?,?,?)"] * ROWS), values)

    benchmark.pedantic(commit, rounds=200, warmup_rounds=10)
    connection.close()


@group("a commit of 32 rows")
def test_commit(benchmark: Any, tmp_path: Path) -> None:
    engine = Engine(tmp_path / "store.db", Limits(reserve_bytes=0), None, lambda _: None)
    numbers = iter(range(1 << 60))

    def commit() -> None:
        names = [f"/registry/x/a/{next(numbers)}" for _ in range(ROWS)]
        engine.commit([Write(name, VALUE, None, None, 2, None) for name in names])  # type: ignore[arg-type]

    benchmark.pedantic(commit, rounds=200, warmup_rounds=10)
