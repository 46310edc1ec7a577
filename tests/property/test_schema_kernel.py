"""The schema kernels say what the plain reference implementation says, for random schemas and objects."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import schema_check, schema_equal, schema_findings, schema_lists, schema_walk
from quarterdeck.schema.engine import Engine
from reference import schema_reference as reference
from support import schemas

relaxed = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 2**48)


def keyed(findings: list[Any]) -> list[str]:
    """Findings in a form that tells 1 from 1.0 and from True."""
    return sorted(repr(finding) for finding in findings)


def findings_of(engine: Engine, obj: Any, old: Any = schema_findings.ABSENT) -> list[Any]:
    found = schema_findings.find(engine.program, obj, old, 10**6, 10**9)
    lists = schema_lists.find_in_lists(engine.program, obj)
    if lists and old is not schema_findings.ABSENT and schema_lists.find_in_lists(engine.program, old):
        lists = []
    return found + lists


@relaxed
@given(seeds)
def test_findings_on_create(seed: int) -> None:
    schema, obj, _ = schemas.Maker(seed).case()
    expected = reference.validate(schema, obj)
    engine = Engine(schema)
    assert keyed(findings_of(engine, obj)) == keyed(expected)
    assert schema_check.is_valid(engine.program, obj) == (not expected)


@relaxed
@given(seeds)
def test_findings_on_update(seed: int) -> None:
    schema, obj, old = schemas.Maker(seed).case()
    assert keyed(findings_of(Engine(schema), obj, old)) == keyed(reference.validate(schema, obj, old))


@relaxed
@given(seeds, st.booleans())
def test_pruning_and_defaulting(seed: int, is_root: bool) -> None:
    schema, obj, _ = schemas.Maker(seed).case()
    expected = copy.deepcopy(obj)
    unknown = reference.prune_and_default(expected, schema, is_root)
    engine = Engine(schema)
    changed, found, _ = schema_walk.walk(engine.program, obj, is_root, True, True)
    assert repr(sort_keys(obj)) == repr(sort_keys(expected))
    assert list(found) == unknown
    assert changed or not unknown


@relaxed
@given(seeds)
def test_pruning_twice_changes_nothing_more(seed: int) -> None:
    schema, obj, _ = schemas.Maker(seed).case()
    engine = Engine(schema)
    schema_walk.walk(engine.program, obj, True, True, False)
    once = copy.deepcopy(obj)
    changed, unknown, _ = schema_walk.walk(engine.program, obj, True, True, True)
    assert (changed, list(unknown), obj) == (False, [], once)


@relaxed
@given(seeds)
def test_deep_equal(seed: int) -> None:
    maker = schemas.Maker(seed)
    a, b = maker.value(2), maker.value(2)
    assert schema_equal.deep_equal(a, b) == reference.deep_equal(a, b)
    assert schema_equal.deep_equal(a, copy.deepcopy(a))


@relaxed
@given(seeds)
def test_copies_are_deep(seed: int) -> None:
    value = schemas.Maker(seed).value(5)
    made = schema_walk.copy_json(value)
    assert repr(made) == repr(value)
    assert not ids_of(made) & ids_of(value)


def ids_of(value: Any) -> set[int]:
    if isinstance(value, dict):
        return {id(value)}.union(*(ids_of(item) for item in value.values()))
    if isinstance(value, list):
        return {id(value)}.union(*(ids_of(item) for item in value))
    return set()


def sort_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sort_keys(value[key]) for key in sorted(value)}
    return [sort_keys(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("value", [{"a": (1, 2)}, {"a": b"x"}])
def test_what_no_json_decoder_gives_is_misuse(value: Any) -> None:
    engine = Engine({"type": "object", "properties": {"a": {"type": "integer"}}})
    with pytest.raises(TypeError):
        schema_check.is_valid(engine.program, value)
