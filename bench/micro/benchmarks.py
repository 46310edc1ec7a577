"""What every request is made of, as benchmarks of pytest-benchmark, each beside a library that does the like.

    make bench                        # runs them, compares with bench/baselines/micro.json, prints a verdict
    make bench-save                   # writes that file

In a group the baseline is called `floor …`, and what counts is how many times its time the others take: that ratio is
about the same on any machine (bench/verdict.py).
"""

from __future__ import annotations

import asyncio
import copy
import sys
from pathlib import Path
from typing import Any

import celpy
import jsonpatch as jsonpatch_library
import jsonschema_rs
import orjson
import pytest
from celpy import celtypes
from celpy.adapter import json_to_cel

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.micro import bench_cel, bench_codec, bench_fieldmanager, bench_index, bench_schema

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import labels
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch
from quarterdeck.fieldmanager import manager, types
from quarterdeck.schema.engine import Engine as SchemaEngine
from quarterdeck.storage.cacher import picking
from quarterdeck.storage.sqlite import Limits
from quarterdeck.storage.sqlite.database import open_database
from quarterdeck.storage.sqlite.engine import Engine
from quarterdeck.storage.sqlite.writer import Write

OBJECT = bench_codec.make_object()
TEXT = orjson.dumps(OBJECT)
PATCH = (
    b'[{"op":"replace","path":"/spec/rules/3/weight","value":9},{"op":"add","path":"/metadata/labels/b","value":"c"}]'
)
ROWS = 32
TERMS = "a=b,c=d,f=g"


def group(name: str) -> Any:
    return pytest.mark.benchmark(group=name)


# - codec


@group("read JSON")
@pytest.mark.parametrize("read", [orjson.loads, codec.decode], ids=["floor orjson", "codec"])
def test_read(benchmark: Any, read: Any) -> None:
    benchmark(read, TEXT)


@group("write JSON")
@pytest.mark.parametrize("write", [orjson.dumps, codec.encode], ids=["floor orjson", "codec"])
def test_write(benchmark: Any, write: Any) -> None:
    benchmark(write, OBJECT)


# - patches


@group("JSON patch of two operations")
def test_json_patch_floor(benchmark: Any) -> None:
    patch = jsonpatch_library.JsonPatch.from_string(PATCH.decode())
    benchmark(lambda: patch.apply(orjson.loads(TEXT), in_place=True))


@group("JSON patch of two operations")
def test_json_patch(benchmark: Any) -> None:
    patch = jsonpatch_body.decode(PATCH)
    benchmark(lambda: jsonpatch.apply(orjson.loads(TEXT), patch.operations))


@group("merge patch")
def test_merge_patch_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, TEXT)


@group("merge patch")
def test_merge_patch(benchmark: Any) -> None:
    patch = {"metadata": {"labels": {"b": "c"}}, "spec": {"mode": "x", "rules": None}}
    benchmark(lambda: mergepatch.apply(orjson.loads(TEXT), patch))


# - selectors


@group("100 of 10,000 by label")
def test_select_floor(benchmark: Any) -> None:
    entries = [{"app": f"app-{number % 100}", "tier": "x"} for number in range(10_000)]
    benchmark(lambda: [each for each in entries if each.get("app") == "app-3"])


@group("100 of 10,000 by label")
@pytest.mark.parametrize("is_indexed", [False, True], ids=["looking", "index"])
def test_select(benchmark: Any, is_indexed: bool) -> None:
    async def prepare() -> Any:
        cache = await bench_index.Bench(10_000).start()
        asked = bench_index.options("", "app=app-3")
        for _ in range(4):
            await bench_index.wait_for_list(cache, asked)
        return cache, asked

    cache, asked = asyncio.run(prepare())
    if is_indexed:
        assert picking.INDEXED_MIN <= 10_000
        benchmark(cache.list_now, asked)
    else:
        everything = cache.state.all()
        benchmark(lambda: cache.select(asked.selection, everything))


@group("labels of one object")
def test_match_floor(benchmark: Any) -> None:
    own = {"a": "b", "c": "d"}
    benchmark(lambda: own.get("a") == "b" and own.get("c") in ("d", "e") and "f" not in own)


@group("labels of one object")
def test_match(benchmark: Any) -> None:
    selection = watchobject.Selection(
        "", "", (("a", 0, frozenset("b")), ("c", 0, frozenset("de")), ("f", 3, frozenset()))
    )
    entry = watchobject.Entry("n/o", "n", b"{}", 1, 1, {"a": "b", "c": "d"}, {})
    benchmark(watchobject.matches, None, selection, entry)


@group("parse a selector")
def test_parse_floor(benchmark: Any) -> None:
    benchmark(lambda: [each.split("=") for each in TERMS.split(",")])


@group("parse a selector")
def test_parse(benchmark: Any) -> None:
    benchmark(labels.parse, TERMS)


# - schemas


@group("validate by a schema")
def test_validate_floor(benchmark: Any) -> None:
    validator = jsonschema_rs.Draft202012Validator(bench_schema.plain(bench_schema.made_schema()))
    assert benchmark(validator.is_valid, orjson.loads(orjson.dumps(bench_schema.MADE)))


@group("validate by a schema")
def test_validate(benchmark: Any) -> None:
    engine, obj = SchemaEngine(bench_schema.made_schema()), orjson.loads(orjson.dumps(bench_schema.MADE))
    engine.prune_and_default(obj, report_unknown=True)
    for _ in range(bench_schema.USES_BEFORE_AUTOMATON):
        engine.validate(obj)
    assert not benchmark(engine.validate, obj)


# - CEL

RULE = "self.ports.all(p, p.port > 0)"


@group("a rule over ten items")
def test_cel_python(benchmark: Any) -> None:
    environment = celpy.Environment(annotations={"self": celtypes.MapType})
    program = environment.program(environment.compile(RULE))
    assert benchmark(lambda: program.evaluate({"self": json_to_cel(bench_cel.OBJECT)}))


@group("a rule over ten items")
def test_cel_floor(benchmark: Any) -> None:
    cel = pytest.importorskip("cel_expr_python.cel")
    rule = cel.NewEnv(variables={"self": cel.Type.DYN}).compile(RULE)
    assert benchmark(lambda: rule.eval(data={"self": bench_cel.OBJECT}).value())


@group("a rule over ten items")
def test_cel(benchmark: Any) -> None:
    program, own = bench_cel.program_of(bench_cel.NARROW, RULE)
    values = [own, None, *[None] * (program.kernel.slots - 2)]
    benchmark(program.kernel.run, values, 1_000_000)


# - field management


@group("managed fields")
def test_fields_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, orjson.dumps(bench_fieldmanager.build_object()))


@group("managed fields")
@pytest.mark.parametrize("verb", ["create", "apply"])
def test_fields(benchmark: Any, verb: str) -> None:
    version = bench_fieldmanager.VERSION
    known = {version: types.from_open_api(bench_fieldmanager.SCHEMA)}
    fields = manager.FieldManager(known.get, lambda obj, _version: obj, kind="Widget")
    at = {"api_version": version, "now": "2026-01-01T00:00:00Z"}
    obj = bench_fieldmanager.build_object()

    def create() -> None:
        obj["metadata"].pop("managedFields", None)
        fields.update(None, obj, manager="first", **at)

    create()
    if verb == "create":
        benchmark(create)
        return
    live = copy.deepcopy(obj)
    wanted = {"apiVersion": version, "kind": "Widget", "metadata": {"name": "a"}, "spec": {"field0": "v" * 32}}
    benchmark(lambda: fields.apply(live, wanted, manager="second", force=False, **at))


# - store


@group("a commit of 32 rows")
def test_commit_floor(benchmark: Any, tmp_path: Path) -> None:
    connection, _ = open_database(tmp_path / "floor.db")
    connection.execute("CREATE TABLE rows (revision INTEGER PRIMARY KEY, key TEXT, value BLOB)")
    numbers = iter(range(1, 1 << 60))

    def commit() -> None:
        values = [part for number in [next(numbers) for _ in range(ROWS)] for part in (number, f"/k/{number}", TEXT)]
        connection.execute("INSERT INTO rows VALUES " + ",".join(["(?,?,?)"] * ROWS), values)

    benchmark.pedantic(commit, rounds=200, warmup_rounds=10)
    connection.close()


@group("a commit of 32 rows")
def test_commit(benchmark: Any, tmp_path: Path) -> None:
    engine = Engine(tmp_path / "store.db", Limits(reserve_bytes=0), None, lambda _: None)
    numbers = iter(range(1 << 60))

    def commit() -> None:
        names = [f"/registry/x/a/{next(numbers)}" for _ in range(ROWS)]
        engine.commit([Write(name, TEXT, None, None, 2, None) for name in names])  # type: ignore[arg-type]

    benchmark.pedantic(commit, rounds=200, warmup_rounds=10)
