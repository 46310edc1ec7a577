"""The schema kernels at the edges of what an API server is sent: depth, size, and schemas made to be slow.

Sizes are such that work which grows with their square, or worse, does not end within a test's time limit.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

from quarterdeck._kernels import schema_check, schema_findings, schema_walk
from quarterdeck.apimachinery import patterns
from quarterdeck.schema.engine import Engine

DEPTH = 10_000


def nested_object(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = {"a": inner}
    return inner


def nested_list(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = [inner]
    return inner


def nested_schema(depth: int, inner: dict[str, Any]) -> dict[str, Any]:
    for _ in range(depth):
        inner = {"type": "object", "properties": {"a": inner}}
    return inner


def test_deep_objects_are_pruned_and_validated() -> None:
    engine = Engine({"type": "object", "properties": {"a": {"x-kubernetes-preserve-unknown-fields": True}}})
    for make in (nested_object, nested_list):
        obj = {"a": make(DEPTH, 1), "b": make(DEPTH, 1)}
        assert engine.prune_and_default(obj, report_unknown=True) == ["b"]
        assert engine.validate(obj) == []


def test_deep_schemas_validate_deep_objects() -> None:
    engine = Engine(nested_schema(DEPTH // 2, {"type": "string", "default": "x"}))
    obj = nested_object(DEPTH // 2, 5)
    assert engine.prune_and_default(obj, report_unknown=True) == []
    (error,) = engine.validate(obj)
    assert error.path == ".".join("a" * (DEPTH // 2))
    (missing,) = [nested_object(DEPTH // 2 - 1, {})]
    assert engine.default(missing)
    assert engine.validate(missing) == []


def test_deep_combinators() -> None:
    for name in ("allOf", "anyOf", "oneOf"):
        schema: dict[str, Any] = {"minimum": 5}
        for _ in range(DEPTH // 2):
            schema = {name: [schema]}
        engine = Engine({"type": "object", "properties": {"a": {"type": "integer", **schema}}})
        assert engine.validate({"a": 5}) == []
        assert len(engine.validate({"a": 4})) == 2  # each level's words are the same
    schema = {"minimum": 5}
    for _ in range(DEPTH // 2):
        schema = {"not": schema}
    engine = Engine({"type": "object", "properties": {"a": {"type": "integer", **schema}}})
    assert (engine.validate({"a": 5}) == []) != (engine.validate({"a": 4}) == [])


def test_deep_defaults_and_enums() -> None:
    value = nested_list(DEPTH, 1)
    schema = {"x-kubernetes-preserve-unknown-fields": True, "default": value, "enum": [value]}
    engine = Engine({"type": "object", "properties": {"a": schema}})
    obj: dict[str, Any] = {}
    engine.prune_and_default(obj, report_unknown=False)
    assert engine.validate(obj) == []
    assert len(engine.validate({"a": [1]})) == 1


def test_wide_values() -> None:
    """100,000 elements, and as many fields, good and bad."""
    engine = Engine(
        {
            "type": "object",
            "properties": {
                "l": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
                "m": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        }
    )
    good = {"l": list(range(100_000)), "m": {str(i): "x" for i in range(100_000)}}
    assert engine.prune_and_default(good, report_unknown=True) == []
    assert engine.validate(good) == []
    bad = {"l": ["x"] * 100_000}
    assert len(engine.validate(bad)) >= 20_000


def test_old_values_of_large_lists_are_found_by_key() -> None:
    item = {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer", "maximum": 5}}}
    schema = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    engine = Engine({"type": "object", "properties": {"l": schema, "x": {"type": "string"}}})
    old = {"l": [{"name": f"i{i}", "n": 9} for i in range(100_000)]}
    new = {"l": list(reversed(old["l"])), "x": "new"}
    assert engine.validate(new, old) == []
    new["l"].append({"name": "more", "n": 9})
    assert [error.path for error in engine.validate(new, old)] == ["l[100000].n"]


def test_wide_schemas_cost_what_the_object_costs() -> None:
    properties = {f"field{i}": {"type": "string", "pattern": "^a+$"} for i in range(20_000)}
    wide = Engine({"type": "object", "properties": properties})
    for _ in range(100_000):  # of 20,000 properties each, were all looked at
        assert wide.validate({"field7": "aaa"}) == []


def test_large_enums_are_looked_up() -> None:
    allowed = [f"v{i}" for i in range(20_000)] + list(range(20_000)) + [{"a": i} for i in range(2_000)]
    schema = {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True, "enum": allowed}}
    engine = Engine({"type": "object", "properties": {"l": schema}})
    obj = {"l": ["v19999", 19_999, {"a": 1_999}] * 5_000}
    assert engine.validate(obj) == []


def test_patterns_are_linear() -> None:
    text = "a" * 50_000 + "!"
    for pattern in ("^(a+)+$", "^(a|aa)+$", "(.*a){12}b", "^(([a-z])+.)+[A-Z]([a-z])+$", "^(a*)*b$"):
        engine = Engine({"type": "object", "properties": {"s": {"type": "string", "pattern": pattern}}})
        assert len(engine.validate({"s": text})) == 1


def test_answers_stay_of_bounded_size() -> None:
    """A path of thousands of names with a hundred thousand wrong values below it."""
    engine = Engine(nested_schema(4_000, {"type": "array", "items": {"type": "string"}}))
    obj = nested_object(4_000, [1] * 100_000)
    assert 0 < len(engine.validate(obj)) <= 20_000


def test_unknown_fields_of_large_objects_are_reported() -> None:
    engine = Engine({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "object"}}}})
    obj = {"l": [{"u": i} for i in range(50_000)]}
    assert engine.prune_and_default(obj, report_unknown=True)
    assert obj == {"l": [{}] * 50_000}


def test_a_schema_of_15000_nodes_becomes_a_small_program() -> None:
    def branch(width: int, depth: int, number: int) -> dict[str, Any]:
        if depth == 0:
            return {"type": "string", "description": "x" * 80, "maxLength": number % 500}
        children = {f"field{i}": branch(width, depth - 1, number * width + i) for i in range(width)}
        return {"type": "object", "description": "y" * 80, "properties": children, "required": ["field0"]}

    schema = branch(24, 3, 1)
    assert 500 < Engine(schema).program.node_count < 2_000


def test_equal_subtrees_are_one_node() -> None:
    pod = {"type": "object", "properties": {"name": {"type": "string"}, "image": {"type": "string", "minLength": 1}}}
    schema = {"type": "object", "properties": {f"c{i}": {"type": "array", "items": dict(pod)} for i in range(100)}}
    program = Engine(schema).program
    assert program.node_count == 5  # string, string with minLength, pod, array, root
    assert program.memory_bytes < 16_000


def test_nothing_is_leaked() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": "^x", "default": "xy", "maxLength": 3},
            "l": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 1}}}},
            "o": {"oneOf": [{"required": ["p"]}, {"required": ["q"]}], "x-kubernetes-preserve-unknown-fields": True},
        },
        "required": ["b"],
    }

    def use() -> None:
        engine = Engine(schema)
        obj = {"a": "yyyyy", "l": [{}, {"u": 1}, None], "o": {"p": 1, "q": 2}, "z": {"deep": [1]}}
        engine.prune_and_default(obj, report_unknown=True)
        engine.validate(obj)
        engine.validate(obj, {"a": "yyyyy"})
        engine.validate_status(obj, obj)

    for _ in range(3):
        use()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        use()
    gc.collect()
    assert sys.getallocatedblocks() - before < 150


def test_values_are_not_kept_alive() -> None:
    engine = Engine({"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}})
    text = "".join(["un", "usual"])
    before = sys.getrefcount(text)
    for _ in range(100):
        schema_check.is_valid(engine.program, {"a": text})
        schema_findings.find(engine.program, {"a": text}, schema_findings.ABSENT, 10, 1000)
        schema_walk.walk(engine.program, {"a": text}, True, True, True)
    assert sys.getrefcount(text) == before


@pytest.mark.parametrize("pattern", ["^a+$", "^[a-z]+(-[a-z]+)*$", "b", ""])
def test_a_matcher_gives_the_same_answers_once_it_is_in_use(pattern: str) -> None:
    matcher = patterns.kernel.Matcher(pattern, patterns._match_of, patterns.table_of, patterns.anywhere(), 3)
    texts = ["a", "aaa", "", "a-b", "-", "ü", "b", "aaaü", "a\n", "\ud800"]
    first = [matcher.search(text) for text in texts]
    assert [matcher.search(text) for text in texts] == first
