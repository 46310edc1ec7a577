"""An object against its schema, and compiling schemas. bench/micro/bench_schema.py has the corpus' objects."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import orjson
from bench.micro import bench_schema
from bench.suite.groups import group

from quarterdeck.schema.engine import Engine

TEXT = orjson.dumps(bench_schema.MADE)


def used_engine(obj: Any) -> Engine:
    """One that has met the object as often as patterns want before they become automata."""
    engine = Engine(bench_schema.made_schema())
    engine.prune_and_default(obj, report_unknown=True)
    for _ in range(bench_schema.USES_BEFORE_AUTOMATON):
        engine.validate(obj)
    return engine


@group("validate by a schema")
def test_validate_floor(benchmark: Any) -> None:
    validator = jsonschema_rs.Draft202012Validator(bench_schema.plain(bench_schema.made_schema()))
    assert benchmark(validator.is_valid, orjson.loads(TEXT))


@group("validate by a schema")
def test_validate(benchmark: Any) -> None:
    obj = orjson.loads(TEXT)
    assert not benchmark(used_engine(obj).validate, obj)


@group("prune and default by a schema")
def test_prune_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, TEXT)


@group("prune and default by a schema")
def test_prune(benchmark: Any) -> None:
    obj = orjson.loads(TEXT)
    benchmark(used_engine(obj).prune_and_default, obj, report_unknown=True)


@group("compile a schema of 15,000 nodes")
def test_compile_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, orjson.dumps(bench_schema.big_schema()))


@group("compile a schema of 15,000 nodes")
def test_compile(benchmark: Any) -> None:
    schema = bench_schema.big_schema()
    benchmark(lambda: Engine(schema).program)
